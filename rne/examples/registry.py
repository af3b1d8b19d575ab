"""The examples by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from rne.check import unknown_name
from rne.examples.sheet import Sheet

Show = Callable[[], Sheet]


@dataclass(frozen=True)
class Example:
    """One entry of the gallery.

    Parameters
    ----------
    name : name for `rne example`, which is that of the function.
    title : first line of the docstring.
    source : sections of the courses that it covers.
    systems : folders of the robots that it loads.
    show : the function.
    """

    name: str
    title: str
    source: str
    systems: tuple[str, ...]
    show: Show


EXAMPLES: dict[str, Example] = {}


def example(source: str, *systems: str) -> Callable[[Show], Show]:
    """Register a function in the gallery. It has no arguments, compares numbers and returns a Sheet.

    Parameters
    ----------
    source : sections of the courses that it covers.
    systems : folders of the robots that it loads.
    """

    def enter(show: Show) -> Show:
        title = (show.__doc__ or "").strip().splitlines()[0]
        EXAMPLES[show.__name__] = Example(show.__name__, title, source, systems, show)
        return show

    return enter


def find(name: str) -> Example:
    """Return an entry of the gallery.

    Parameters
    ----------
    name : one of `EXAMPLES`, or the name of a robot for the first example that loads it.

    Raises
    ------
    UnknownNameError
        There is no such example.

    Examples
    --------
    >>> from rne import examples
    >>> examples.find("stanford_6dof").name
    'stanford_arm'
    """
    by_robot = {system: entry for entry in reversed(EXAMPLES.values()) for system in entry.systems}
    found = EXAMPLES.get(name) or by_robot.get(name)
    if found is None:
        raise unknown_name("name", "example", name, [*EXAMPLES, *by_robot])
    return found


def run(name: str) -> Sheet:
    """Run an example.

    Parameters
    ----------
    name : one of `EXAMPLES`.

    Returns
    -------
    sheet : the comparison; `str(sheet)` is a printable page, and `sheet.ok` is True if all numbers agree.

    Raises
    ------
    UnknownNameError
        There is no such example.

    Examples
    --------
    >>> from rne import examples
    >>> print(examples.run("rod_pendulum").rows[0].what)
    I = M L^2/3
    """
    return find(name).show()
