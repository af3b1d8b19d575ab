"""Errors and warnings of rne. Each message names the place, what was given and what was expected."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import islice

MOST_SHOWN = 100
"""Largest number of problems of one file that an error lists."""
MOST_NAMES = 40
"""Largest number of names that a message lists."""
MANY_NAMES = 12
"""Number of names above which a message has the nearest of them in place of all."""
LONGEST_NAME = 200
"""Largest length of a name, in characters, for which similar names are searched."""
MOST_LETTERS = 2
"""Largest number of letters by which a word may differ from a known one and still count as a misspelling of it."""
LONGEST_VALUE = 60
"""Largest length of a value in a message, in characters."""
LENIENT = "strict=False (--no-strict) loads the robot, with a warning in place of each error"
"""Last line of an error that lenient loading would pass."""


class RneError(ValueError):
    """Base class of all errors that rne raises deliberately."""


class ArgumentError(RneError):
    """An argument of a public function has the wrong shape, type or value."""


class UnknownNameError(ArgumentError):
    """A name, for example of a joint, link or frame, does not exist."""


class FileError(RneError):
    """A file cannot be read or written as requested."""


class SingularError(RneError):
    """The mass matrix is singular: some joint motion moves no mass."""


class MissingExtraError(RneError, ImportError):
    """A package required by an optional part of rne is not installed; the message includes the pip command.

    Attributes
    ----------
    extra : the extra of rne that installs the package, for example "files".
    name : the missing module, as for any ImportError.
    """

    extra: str | None

    def __init__(self, message: str, *, extra: str | None = None, name: str | None = None) -> None:
        ImportError.__init__(self, message, name=name)
        self.extra = extra


class ModelWarning(UserWarning):
    """A robot file contains something legal that is probably not intended."""


@dataclass(frozen=True)
class Problem:
    """One finding in a robot file.

    Attributes
    ----------
    where : file name (or ``<urdf>``, ``<dh>`` for text and rows).
    line : line in the file, ``None`` if there is none (rows given from Python).
    element : the element concerned, for example ``joint 'j3'``.
    what : what is wrong, what was expected and how to correct it.
    code : short name of the kind of finding, for programs; "file" if there is no more specific one.

    Examples
    --------
    >>> import rne
    >>> try:
    ...     rne.load_urdf("<robot/>")
    ... except rne.ModelError as error:
    ...     print(error.problems[0].where)
    <urdf>
    """

    where: str
    line: int | None
    element: str
    what: str
    code: str = "file"

    def __str__(self) -> str:
        place = self.where if self.line is None else f"{self.where}:{self.line}"
        return f"{place}: {self.element}: {self.what}" if self.element else f"{place}: {self.what}"


class ModelError(RneError):
    """A robot file is invalid; the error lists every problem found, not only the first.

    Attributes
    ----------
    problems : tuple of `Problem`, in the order of the file.
    loads_leniently : whether ``strict=False`` would load the file, with a warning in place of each problem; the last
        line of the message then says so.
    """

    def __init__(self, *problems: Problem, loads_leniently: bool = False) -> None:
        self.problems = problems
        self.loads_leniently = loads_leniently
        super().__init__(*problems)

    def __str__(self) -> str:
        lines = list(map(str, self.problems[:MOST_SHOWN]))
        if more := len(self.problems) - len(lines):
            lines.append(f"... and {more} more problem{'s' * (more > 1)}")
        if self.loads_leniently:
            lines.append(LENIENT)
        return "\n".join(lines)


@contextmanager
def needing(extra: str, what: str) -> Iterator[None]:
    """Raise a `MissingExtraError` if an import in the body of the ``with`` statement fails.

    Errors of a package that is installed but broken are passed on.

    Parameters
    ----------
    extra : name of the extra in pyproject.toml.
    what : the beginning of the message, subject and verb: what the package is needed for.

    Examples
    --------
    >>> with needing("files", "trajectory files need"):
    ...     import pyparrow
    Traceback (most recent call last):
        ...
    rne.errors.MissingExtraError: trajectory files need pyparrow, which is not installed (pip install 'rne[files]')
    """
    try:
        yield
    except ModuleNotFoundError as error:
        package = (error.name or "a package").partition(".")[0]
        message = f"{what} {package}, which is not installed (pip install 'rne[{extra}]')"
        raise MissingExtraError(message, extra=extra, name=error.name) from error


def close_names(name: object, known: Iterable[str], count: int = 1, least: float = 0.6) -> list[str]:
    """Return the known names closest to `name`, ignoring case; an empty list if none is close.

    The time of a comparison is proportional to the product of the lengths, so very long names are skipped.

    Parameters
    ----------
    name : what was given.
    known : the names that there are.
    count : largest number of names to return.
    least : similarity from which names are close, from 0 (nothing in common) to 1.
    """
    by_sight: dict[str, str] = {}
    for word in known:
        if len(word) <= LONGEST_NAME:
            by_sight.setdefault(word.casefold(), word)
    wanted = str(name)[: LONGEST_NAME + 1]
    if len(wanted) > LONGEST_NAME:
        return []
    return [by_sight[near] for near in get_close_matches(wanted.casefold(), list(by_sight), n=count, cutoff=least)]


def did_you_mean(names: Sequence[str]) -> str:
    """Return the question whether one of these names was meant; empty if there are none."""
    return f"did you mean {' or '.join(map(repr, names))}?" if names else ""


def letters_apart(word: str, known: str) -> int:
    """Return how many letters were mistyped: changed, left out, added, or exchanged with the next one.

    The restricted edit distance of Damerau (1964). Words that differ in half of their letters are different words, and
    come out as far apart as they are long.

    Examples
    --------
    >>> letters_apart("jiont", "joint"), letters_apart("line", "link"), letters_apart("traits", "axis")
    (1, 1, 6)
    """
    longest = max(len(word), len(known))
    if abs(len(word) - len(known)) > MOST_LETTERS:
        return longest
    before: list[int] = []
    row = list(range(len(known) + 1))
    for i, letter in enumerate(word, 1):
        older, before, row = before, row, [i]
        for j, other in enumerate(known, 1):
            steps = [before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != other)]
            if i > 1 and j > 1 and letter == known[j - 2] and word[i - 2] == other:
                steps.append(older[j - 2] + 1)
            row.append(min(steps))
    return row[-1] if 2 * row[-1] < longest else longest


def listed(names: Iterable[str]) -> str:
    """Return names as a list for a message, cut off if there are very many."""
    first = list(islice(names, MOST_NAMES + 1))
    return ", ".join(first[:MOST_NAMES] + ["..."] * (len(first) > MOST_NAMES)) or "none"


def shown(value: object) -> str:
    """Return the `repr` of a value for a message, cut off if it is very long."""
    text = repr(value)
    return text if len(text) <= LONGEST_VALUE else f"{text[: LONGEST_VALUE - 3]}..."
