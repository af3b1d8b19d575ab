"""The column t in seconds."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from rne.errors import ArgumentError, FileError, shown
from rne.files.base import as_numpy, numbers_of, reason
from rne.files.extra import compute, pa

_LATEST = 1e11  # three thousand years; milliseconds and shorter since 1970 are more
_WHOLE = 2.0**53  # up to here a float has every whole number
_FINE = 1e5  # seconds; of more, the digits after the point are lost in a float
_UNITS = {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9}
_CLOCK = (
    r"^\s*(?:(?P<minus>-?)(?P<d>[0-9]+) days?,? \+?)?(?P<h>[0-9]+):(?P<m>[0-9]{2}):(?P<s>[0-9]{2}(?:\.[0-9]*)?)\s*$"
)
_STAMPS = [pa.timestamp(unit, zone) for unit in ("ns", "us") for zone in (None, "UTC")]


def is_text(kind: pa.DataType) -> bool:
    """Return whether a column is of text."""
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def seconds(where: str, t: pa.Array, first: int = 0, origin: pa.Scalar | None = None) -> NDArray[np.float64]:
    """Return a column t as seconds; time stamps are counted from an origin.

    Parameters
    ----------
    where, first : file and number of the first row, for errors.
    t : a column t, as `Chunk` has it: numbers, time stamps, durations, or text of them (time stamps as ISO 8601 writes
        them, ``2030-01-31 12:00:00.25``, in UTC or with a zone, durations as ``0 days 00:00:01.25``; empty text is a
        time that is not known, NaN).
    origin : a time, say the first, where differences of times matter: time stamps are counted from it, for nanoseconds
        since 1970 exceed the precision of a float, and numbers must be seconds.

    Returns
    -------
    seconds : (rows,) float64.

    Raises
    ------
    FileError
        A time is not a number, or too large to be in seconds.

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
        start = origin.cast(pa.int64()).as_py() if origin is not None and origin.is_valid else 0
        # Whole numbers until the origin is gone: as floats those since 1970 are no nearer than 240 ns.
        counts = as_numpy(compute.fill_null(t, pa.scalar(start, pa.int64()).cast(kind)).view(pa.int64()))
        times: NDArray[np.float64] = (counts - start) / _UNITS[kind.unit]
        if t.null_count:
            times[~np.asarray(compute.is_valid(t))] = math.nan
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
        raise FileError(f"{where}: {told}, a unit (--time-unit ns), or a column of time stamps")


def _read(where: str, t: pa.Array, first: int, origin: pa.Scalar | None) -> tuple[pa.Array, pa.Scalar | None]:
    """Return text as numbers or time stamps, with the origin."""
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
        if origin is not None and (abs(values) > _FINE).any():
            exact = _whole(text, "s"), _whole(_alone(origin), "s")
            if None not in exact:
                return exact[0], exact[1][0]  # type: ignore[index]
        return numbers, origin
    if (durations := _clock(text)) is not None:
        start = None if origin is None else _clock(_alone(origin))
        return durations, None if start is None else start[0]
    for kind in _STAMPS:
        try:
            stamps = text.cast(kind)
            start = origin.cast(kind) if origin is not None and origin.is_valid and _text(origin).strip() else None
        except pa.ArrowInvalid:
            continue
        return stamps, start
    raise FileError(f"{where}: {_odd(text, first)}")


def unit_type(kind: pa.DataType, unit: str | None) -> pa.DataType:
    """Return the type that `in_unit` gives to times of a type; the same where no unit is named."""
    if unit is None:
        return kind
    if is_text(kind):
        return pa.duration("ns")
    return pa.duration(unit) if pa.types.is_integer(kind) else pa.float64()


def in_unit(where: str, t: pa.Array, unit: str | None, first: int = 0) -> pa.Array:
    """Convert times counted in s, ms, us or ns to a type that includes the unit; whole numbers keep all digits.

    Raises
    ------
    FileError
        They are not numbers, or too large for nanoseconds in 64 bits.
    """
    if unit is None:
        return t
    kind = t.type
    try:
        if is_text(kind):
            found = _whole(compute.if_else(compute.equal(compute.ascii_trim_whitespace(t), ""), None, t), unit)
            if found is None:
                raise FileError(f"{where}: {_unreadable(t, first, unit)}")
            return found
        if pa.types.is_integer(kind):
            return t.cast(pa.int64()).cast(pa.duration(unit))
        if pa.types.is_timestamp(kind) or pa.types.is_duration(kind):
            raise FileError(f"{where}: column t is {kind}, which includes its unit; omit the unit of times")
        numbers = numbers_of(t) / _UNITS[unit]
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise FileError(f"{where}: column t: wanted numbers, got {kind}: {reason(error)}") from None
    return pa.array(numbers, pa.float64())


def _unreadable(t: pa.Array, first: int, unit: str) -> str:
    for row, field in enumerate(t, first + 1):
        if field.is_valid and _text(field).strip() and _whole(_alone(field), unit) is None:
            return f"row {row}: time is not a number of {unit}: {_text(field)!r}"
    return f"time is not a number of {unit}"


def two_parts(where: str, whole: pa.Array, rest: pa.Array, first: int = 0) -> pa.Array:
    """Return seconds and the nanoseconds that follow them as one column of durations.

    Raises
    ------
    FileError
        A part is not an integer, or there are nanoseconds beyond a second.
    """
    parts = []
    for part, unit in ((whole, "s"), (rest, "ns")):
        nanoseconds = in_unit(where, part, unit, first)
        if not pa.types.is_duration(nanoseconds.type):
            raise FileError(f"{where}: a time of two columns: wanted whole numbers, got {part.type}")
        parts.append(nanoseconds.cast(pa.duration("ns")).view(pa.int64()))
    beyond = compute.fill_null(compute.or_(compute.less(parts[1], 0), compute.greater_equal(parts[1], 10**9)), False)
    if compute.any(beyond).as_py():
        row = compute.index(beyond, True).as_py()
        raise FileError(f"{where}: row {first + row + 1}: {parts[1][row]} nanoseconds are not a fraction of a second")
    return compute.add_checked(*parts).cast(pa.duration("ns"))


def wrap_hint(old: float, new: float) -> str:
    """Return what a time that falls may come from: the nanoseconds of a time in two columns begin anew each second."""
    if 9e8 < old < 1e9 and 0 <= new < 1e8:
        return "; are these nanoseconds within seconds? --columns t=SEC+NANOSEC takes both columns"
    return ""


def written(durations: pa.Array) -> pa.Array:
    """Return durations as text in seconds, with all their digits and no exponent; nan for missing ones."""
    counts = durations.cast(pa.duration("ns")).view(pa.int64())
    size = compute.abs_checked(counts)
    whole = compute.divide(size, 10**9)
    rest = compute.subtract(size, compute.multiply(whole, 10**9)).cast(pa.string())
    text = compute.binary_join_element_wise(whole.cast(pa.string()), compute.ascii_lpad(rest, 9, "0"), ".")
    text = compute.ascii_rtrim(compute.ascii_rtrim(text, "0"), ".")
    sign = compute.if_else(compute.less(counts, 0), "-", "")
    return compute.fill_null(compute.binary_join_element_wise(sign, text, ""), "nan")


def _whole(text: pa.Array, unit: str) -> pa.Array | None:
    """Return decimal digits of a unit as durations in nanoseconds, rounded where there are finer ones; None if not."""
    try:
        exact = compute.ascii_trim_whitespace(text).cast(pa.decimal128(38, 9))
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        try:
            numbers = text.cast(pa.float64())
            counts = np.rint(as_numpy(numbers) * (1e9 / _UNITS[unit]))
            if not (abs(counts[np.isfinite(counts)]) < _WHOLE).all():
                return None
            valid = np.isfinite(counts)
            return pa.array(np.where(valid, counts, 0).astype(np.int64), mask=~valid).cast(pa.duration("ns"))
        except pa.ArrowInvalid:
            return None
    # A shorter unit moves the point: nothing is multiplied.
    scale = round(math.log10(_UNITS[unit]))
    moved = pa.Array.from_buffers(pa.decimal128(38, scale), len(exact), exact.buffers(), exact.null_count, exact.offset)
    try:
        return compute.round(moved).cast(pa.int64()).cast(pa.duration("ns"))
    except pa.ArrowInvalid:
        return None


def _clock(text: pa.Array) -> pa.Array | None:
    """Return durations as clocks show them, ``0 days 00:00:01.25`` or ``00:00:01.25``; None for all else."""
    parts = compute.extract_regex(text, _CLOCK)
    if (
        not len(text)
        or compute.any(compute.and_(compute.is_valid(text), compute.invert(compute.is_valid(parts)))).as_py()
    ):
        return None
    if not compute.any(compute.is_valid(parts)).as_py():
        return None
    total, counted = None, {}
    for name, size in (("d", 86400), ("h", 3600), ("m", 60), ("s", 1)):
        digits = compute.struct_field(parts, name)
        part = _whole(_or_zero(digits), "s")
        if part is None:
            return None
        counts = compute.multiply(part.view(pa.int64()), size)
        counted[name] = counts
        total = counts if total is None else compute.add(total, counts)
    minus = compute.equal(compute.struct_field(parts, "minus"), "-")
    # pandas writes -0.5 s as "-1 days +23:59:59.5": the sign is of the days alone.
    negative = compute.subtract(total, compute.multiply(counted["d"], 2))
    return compute.if_else(minus, negative, total).cast(pa.duration("ns"))


def _or_zero(digits: pa.Array) -> pa.Array:
    return compute.if_else(compute.equal(digits, ""), "0", digits)


def _alone(scalar: pa.Scalar) -> pa.Array:
    return pa.array([scalar.as_py() if scalar.is_valid else None], pa.string())


def _odd(text: pa.Array, first: int) -> str:
    """Return the first unreadable time of a column; those before it show whether numbers or time stamps are wanted."""
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
