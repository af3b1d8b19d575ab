"""What columns without names mean, of an NPY or CSV: q, qd, qdd, tau side by side, with t in front or without."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from rne.errors import ArgumentError, FileError
from rne.files.columns import QUANTITIES

Widths = Mapping[str, Sequence[str]]


def _layouts(widths: Widths, keys: Iterable[str], time: Sequence[bool] = (False, True)) -> list[tuple[str, ...]]:
    """Return the names of the columns of all files that hold the first of `keys`."""
    names: list[str] = []
    layouts = []
    for key in keys:
        names += widths[key]
        layouts += [("t",) * with_time + tuple(names) for with_time in time]
    return layouts


def read_layout(
    where: str, width: int, widths: Widths, quantities: Sequence[str], frames: Sequence[str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the names of the columns of a file that has none, and remarks on what else they may be.

    Parameters
    ----------
    where : file, for errors.
    width : number of columns.
    widths : by quantity, all of them, and by frame, the names of its columns.
    quantities, frames : those that are looked for; wrenches of frames follow the quantities.

    Raises
    ------
    FileError
        The columns fit nothing, or may be several things.
    """
    last = max(map(QUANTITIES.index, quantities))
    first = QUANTITIES[: last + 1]
    # No prefix for forward dynamics: q, qd, tau would be confused with q, qd, qdd.
    wanted = [key for key in QUANTITIES if key in quantities]
    layouts = dict.fromkeys(_layouts(widths, [*first, *frames]) + _layouts(widths, [*wanted, *frames]))
    fitting = [layout for layout in layouts if len(layout) == width]
    # What follows those that are looked for may be there, and is left aside.
    longer = [layout for layout in _layouts(widths, QUANTITIES) if len(layout) == width and layout not in fitting]
    if not fitting:
        fitting, longer = longer, []
    if not fitting:
        told = " and ".join(f"{key} ({len(widths[key])})" for key in [*first, *frames])
        raise FileError(f"{where}: {width} columns; wanted are the first of {told}, with t in front or without")
    if len(fitting) > 1:
        told = " or ".join(", ".join(layout) for layout in fitting)
        raise FileError(
            f"{where}: {width} columns may be {told}; wanted are names: an NPZ, fields of an NPY, or a header"
        )
    taken, *others = (", ".join(layout) for layout in [*fitting, *longer])  # several of a robot of one joint
    return fitting[0], tuple(f"{width} columns taken as {taken} (not {other})" for other in others)


def written_order(where: str, widths: Widths, time: bool) -> list[str]:
    """Return the order in which quantities are written into an NPY; that of `widths` if they are not states.

    Parameters
    ----------
    where : file, for errors.
    widths : by quantity, the names of its columns.
    time : whether the first column is t.

    Raises
    ------
    ArgumentError
        There are positions, but with the rest they would be read as something else.
    """
    if "q" not in widths:  # results, which are not read as states
        return list(widths)
    keys = [key for key in QUANTITIES if key in widths]
    wanted = QUANTITIES[: len(widths)]
    if len(keys) < len(widths) or tuple(keys) != wanted:
        raise ArgumentError(
            f"{where}: an NPY has no names, and is read as the first of {', '.join(QUANTITIES)}; "
            f"{', '.join(widths)} would be taken for others; write another format, as NPZ"
        )
    names = _layouts(widths, keys, [time])[-1]
    if len(widths["q"]) == 1 and not time and len(names) == len(QUANTITIES):
        raise ArgumentError(
            f"{where}: an NPY has no names, and {', '.join(names)} would be taken for t, {', '.join(names[:-1])}; "
            "write another format, as NPZ"
        )
    return keys
