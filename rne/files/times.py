"""The column t in seconds."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from rne.errors import ArgumentError, FileError, shown
from rne.files.base import as_numpy, numbers_of
from rne.files.extra import compute, pa

_LATEST = 1e11  # three thousand years; milliseconds and shorter since 1970 are more
_WHOLE = 2.0**53  # up to here a float has every whole number
_UNITS = {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9}
_STAMPS = [pa.timestamp(unit, zone) for unit in ("ns", "us") for zone in (None, "UTC")]


def is_text(kind: pa.DataType) -> bool:
    """Return whether a column is of text."""
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def seconds(where: str, t: pa.Array, first: int = 0, origin: pa.Scalar | None = None) -> NDArray[np.float64]:
    """Return a column t as seconds; time stamps are counted from an origin.

    Parameters
    ----------
    where, first : file and number of the first row, for errors.
    t : a column t, as `Chunk` has it: numbers, time stamps, or text of either (time stamps as ISO 8601 writes them,
        ``2030-01-31 12:00:00.25``, in UTC or with a zone; empty text is a time that is not known, NaN).
    origin : a time, say the first, where differences of times matter: time stamps are counted from it, for nanoseconds
        since 1970 are more than a float can tell apart, and numbers must be seconds.

    Returns
    -------
    seconds : (rows,) float64.

    Raises
    ------
    FileError
        Some time is no number, or so large that it is a count of something shorter than seconds.

    Examples
    --------
    >>> import pyarrow, rne
    >>> rne.files.seconds("motion.csv", pyarrow.array(["0.0", "0.5"]))
    array([0. , 0.5])
    >>> stamps = pyarrow.array(["2030-01-31 12:00:00", "2030-01-31 12:00:00.25"])
    >>> rne.files.seconds("motion.csv", stamps, origin=stamps[0])
    array([0.  , 0.25])
    """
    if not isinstance(t, pa.Array | pa.ChunkedArray):
        raise ArgumentError(f"t: wanted a pyarrow array, got {type(t).__name__}")
    if origin is not None and not isinstance(origin, pa.Scalar):
        raise ArgumentError(f"origin: wanted a pyarrow scalar, got {shown(origin)}")
    if isinstance(t, pa.ChunkedArray):
        t = t.combine_chunks()
    if is_text(t.type):
        t, origin = _read(where, t, first, origin)
    kind = t.type
    if pa.types.is_timestamp(kind) or pa.types.is_duration(kind):
        counts = as_numpy(t.view(pa.int64()))
        start = origin.cast(pa.int64()).as_py() if origin is not None and origin.is_valid else 0
        times: NDArray[np.float64] = (counts - start) / _UNITS[kind.unit]
        return times
    whole = pa.types.is_integer(kind)
    try:
        if pa.types.is_boolean(kind):
            raise pa.ArrowInvalid
        numbers: NDArray[np.float64] = numbers_of(t.cast(pa.float64(), safe=not whole))
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        raise FileError(f"{where}: column t: wanted numbers, got {kind}") from None
    _check_unit(where, numbers, first, _LATEST if origin is not None else _WHOLE if whole else math.inf)
    return numbers


def _check_unit(where: str, numbers: NDArray[np.float64], first: int, latest: float) -> None:
    late = np.flatnonzero(abs(numbers) > latest)
    if late.size:
        told = (
            f"row {first + late[0] + 1}: time {numbers[late[0]]:.17g} is in nanoseconds or the like; wanted are seconds"
        )
        raise FileError(f"{where}: {told}, or a column of time stamps")


def _read(where: str, t: pa.Array, first: int, origin: pa.Scalar | None) -> tuple[pa.Array, pa.Scalar | None]:
    """Return text as the numbers or the time stamps that it tells; the origin along with it."""
    text = compute.if_else(compute.equal(compute.ascii_trim_whitespace(t), ""), None, t)
    try:
        numbers = text.cast(pa.float64())
    except pa.ArrowInvalid:
        pass
    else:
        values = as_numpy(numbers)
        if (abs(values) > _WHOLE).any():  # of a count the last digits are lost here; a float that was written has none
            counts = compute.fill_null(compute.match_substring_regex(text, r"^\s*[+-]?[0-9]+\s*$"), False)
            _check_unit(where, np.where(counts, values, 0.0), first, _WHOLE)
        return numbers, origin
    for kind in _STAMPS:
        try:
            stamps = text.cast(kind)
            start = origin.cast(kind) if origin is not None and origin.is_valid and _text(origin).strip() else None
        except pa.ArrowInvalid:
            continue
        return stamps, start
    raise FileError(f"{where}: {_odd(text, first)}")


def _odd(text: pa.Array, first: int) -> str:
    """Return which time of a column cannot be read; those before it tell whether numbers or time stamps are wanted."""
    forms = dict(enumerate([pa.float64(), *_STAMPS]))
    before = set(forms)
    for row, field in enumerate(text, first + 1):
        now = {form for form in before if not field.is_valid or _is(field, forms[form])}
        if not now:
            wanted = "a number" if 0 in before else f"a time stamp as those before, {forms[min(before)]}"
            return f"row {row}: time is not {wanted}: {_text(field)!r}"
        before = now
    return f"row {first + 1}: time is not a time stamp as that of the first row, with a zone or without"


def _text(field: pa.Scalar) -> str:
    return bytes(field.as_buffer()).decode("utf-8", "replace") if field.is_valid else ""


def _is(field: pa.Scalar, kind: pa.DataType) -> bool:
    try:
        field.cast(kind)
    except pa.ArrowInvalid:
        return False
    return True
