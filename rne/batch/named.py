"""Arguments that carry names: tables, dicts, labeled arrays become arrays in the order of the robot's joints."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import date, timedelta
from typing import Any

import numpy as np
from numpy.lib.recfunctions import structured_to_unstructured
from numpy.typing import ArrayLike, NDArray

from rne.check import real_array
from rne.errors import ArgumentError, close_names, did_you_mean, listed, shown
from rne.model.floating import OF_POSITIONS
from rne.model.robot import Robot

Floats = NDArray[Any]

_WRENCH = ("fx", "fy", "fz", "mx", "my", "mz")
_PLAIN = (list, tuple, float, int, type(None))
_MADE_UP = re.compile(r"(column_|f|Unnamed: )?\d+")  # as polars, numpy, pandas and HDF5 name what has no name


def named_array(argument: str, value: Any, names: Sequence[str], what: str) -> Floats:
    """Return an argument (..., len(names)) as an array of real numbers, in the order of the names if it carries names.

    Names are carried by mappings, named tuples, structured arrays, tables and rows of pandas, polars and pyarrow, and
    data arrays and sets of xarray. They are exactly `names`, in any order, or these behind the name of the quantity, as
    q_shoulder. What carries no names of its own (labels that are numbers, column_0, f0) is taken by position.

    Parameters
    ----------
    argument : its name, for errors.
    value : what was given.
    names : of the last axis.
    what : what these names are of, for errors.

    Raises
    ------
    ArgumentError
        It carries other names, or no real numbers.

    Examples
    --------
    >>> named_array("q", {"elbow": 0.3, "shoulder": 0.1}, ("shoulder", "elbow"), "the joints")
    array([0.1, 0.3])
    """
    kind = type(value)
    if kind in _PLAIN or (isinstance(value, np.ndarray) and value.dtype.names is None):
        return real_array(argument, value)
    table = _table(argument, value, names)
    if table is None:
        if isinstance(value, np.ndarray):
            value = structured_to_unstructured(value)
        return real_array(argument, _without_null(value))
    labels, column = table
    if len(set(labels)) < len(labels):
        twice = sorted({name for name in labels if labels.count(name) > 1})
        raise ArgumentError(f"{argument}: duplicate names: {listed(twice)}")
    order = _order(argument, labels, names, what)
    columns = [real_array(f"{argument}: {labels[k]}", _without_null(column(k))) for k in order]
    try:
        return np.stack(np.broadcast_arrays(*columns), axis=-1) if columns else np.empty((*_rows(value), 0))
    except ValueError:
        given = ", ".join(f"{labels[k]} {array.shape}" for k, array in zip(order, columns, strict=True))
        raise ArgumentError(f"{argument}: its parts do not broadcast against each other: {given}") from None


def coordinates(robot: Robot, argument: str, value: Any) -> Floats:
    """Return an argument (..., n), or (..., nq) for positions, as an array in the order of the robot's coordinates.

    Raises
    ------
    ArgumentError
        It names other joints, or holds no real numbers.
    """
    names = robot.position_names if argument in OF_POSITIONS else robot.coordinate_names
    what = "the coordinates" if robot.floating else "the joints"
    return named_array(argument, value, names, f"{what} of {robot.name}")


def as_arrays(robot: Robot, values: Mapping[str, Any], others: Collection[str]) -> dict[str, Floats]:
    """Return arguments (..., n) that are there as arrays in the order of the joints; others are settled already.

    Raises
    ------
    ArgumentError
        One names other joints, or holds no real numbers.
    """
    return {
        name: real_array(name, value) if name in others else coordinates(robot, name, value)
        for name, value in values.items()
        if value is not None
    }


def wrench_array(argument: str, value: Any) -> Floats:
    """Return a wrench (..., 6), whose parts may be named in it.

    Raises
    ------
    ArgumentError
        It names other parts, or holds no real numbers.
    """
    return named_array(argument, value, _WRENCH, "the parts of a wrench")


def time_array(argument: str, value: Any) -> Floats:
    """Return times as real numbers: s, of dates and times of day since the first of them; durations in full.

    Raises
    ------
    ArgumentError
        They are neither numbers nor times.

    Examples
    --------
    >>> time_array("t", np.array(["2030-01-31T12:00:00", "2030-01-31T12:00:00.25"], "datetime64[ms]"))
    array([0.  , 0.25])
    """
    if type(value) in (list, tuple):
        if not len(value) or not isinstance(value[0], date | timedelta | np.datetime64 | np.timedelta64):
            return real_array(argument, value)
        kind = "m8[us]" if isinstance(value[0], timedelta) else "M8[us]" if isinstance(value[0], date) else None
        value = np.asarray(value, kind)
    if type(value) in _PLAIN:
        return real_array(argument, value)
    given = value
    if not isinstance(value, np.ndarray):
        if "tz=" in str(getattr(value, "dtype", "")) or "datetime64[" in str(getattr(value, "dtype", "")):
            value = value.to_numpy(dtype="datetime64[ns]") if _home(value) == "pandas" else np.asarray(value)
        else:
            value = np.asarray(_without_null(value))
    if value.dtype.kind not in "mM":
        return real_array(argument, given if isinstance(given, np.ndarray) else value)
    if value.dtype.kind == "M":
        known = value[~np.isnat(value)]
        value = value - (known[0] if known.size else np.datetime64(0, "s"))
    # By whole numbers, which are exact where the float that comes of them is.
    seconds = value.astype("timedelta64[ns]").astype(np.int64) / 1e9
    return np.where(np.isnat(value), np.nan, seconds)


def _home(value: object) -> str:
    return type(value).__module__.partition(".")[0]


def _rows(value: Any) -> tuple[int, ...]:
    return (len(value),) if not isinstance(value, Mapping) and hasattr(value, "__len__") else ()


Table = tuple[list[str], Callable[[int], Any]]


def _table(argument: str, value: Any, names: Sequence[str]) -> Table | None:
    """Return the names of the columns of a value, and a function that returns the column of a name; or None."""
    home = _home(value)
    if home == "xarray":
        return _of_xarray(value, names)
    if isinstance(value, Mapping):
        return _usable([*value], list(value.values()).__getitem__, names)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return _usable([*value._fields], value.__getitem__, names)
    if isinstance(value, np.ndarray | np.void):
        if isinstance(value, np.ma.MaskedArray):
            real_array(argument, value)
        fields = value.dtype.names or ()
        return _usable([*fields], lambda k: value[fields[k]], names) if fields else None
    if home == "pandas":
        return _of_pandas(value, names)
    if home == "polars":
        if hasattr(value, "collect"):
            value = value.collect()
        if hasattr(value, "columns"):
            return _usable([*value.columns], lambda k: value.to_series(k).to_numpy(), names)
        if str(value.dtype).startswith("Struct"):
            fields = value.struct.fields
            return _usable([*fields], lambda k: value.struct.field(fields[k]).to_numpy(), names)
        return None
    if home == "pyarrow":
        if hasattr(value, "column_names"):
            return _usable([*value.column_names], lambda k: _of_arrow(value.column(k)), names)
        if hasattr(value, "flatten") and str(value.type).startswith("struct"):
            whole = value.combine_chunks() if hasattr(value, "combine_chunks") else value
            parts = whole.flatten()
            return _usable([field.name for field in whole.type], lambda k: _of_arrow(parts[k]), names)
    return None


def _of_pandas(value: Any, names: Sequence[str]) -> Table | None:
    if value.ndim == 1:
        labels = value.index if hasattr(value, "index") and hasattr(value, "iloc") else None
        return None if labels is None else _usable(_levels(labels, names), lambda k: value.iloc[k], names)
    return _usable(_levels(value.columns, names), lambda k: value.iloc[:, k], names)


def _levels(labels: Any, names: Sequence[str]) -> list[Any]:
    """Return the labels of an axis; of several levels, that one which has the names."""
    if getattr(labels, "nlevels", 1) == 1:
        return [*labels]
    levels = [[*labels.get_level_values(k)] for k in range(labels.nlevels)]
    return next((level for level in levels if set(level) == set(names)), levels[-1])


def _of_arrow(column: Any) -> Any:
    return column.to_numpy() if hasattr(column, "num_chunks") else column.to_numpy(zero_copy_only=False)


def _of_xarray(value: Any, names: Sequence[str]) -> Table | None:
    if hasattr(value, "data_vars"):
        labels = [*value.data_vars]
        return _usable(labels, lambda k: value[labels[k]].values, names)
    # The axis whose labels are the names, wherever it stands; if no axis has them, the last one that has words.
    axes = [(dim, [*value.coords[dim].values.tolist()]) for dim in value.dims if dim in value.coords]
    worded = [(dim, labels) for dim, labels in axes if labels and all(isinstance(label, str) for label in labels)]
    exact = [(dim, labels) for dim, labels in worded if set(labels) == set(names)]
    for dim, labels in exact[:1] or worded[-1:]:
        last = value.transpose(..., dim).values
        return _usable(labels, lambda k, last=last: last[..., k], names)  # type: ignore[misc]
    return None


def _usable(labels: list[Any], column: Callable[[int], Any], names: Sequence[str]) -> Table | None:
    """Return the table, if its labels are names and not numbers that somebody had to put there."""
    texts = [label for label in labels if isinstance(label, str)]
    if not labels:
        return [], column
    if len(texts) < len(labels) or (set(texts) != set(names) and all(map(_MADE_UP.fullmatch, texts))):
        return None if not _is_mixed(labels) else ([*map(str, labels)], column)
    return texts, column


def _is_mixed(labels: list[Any]) -> bool:
    return any(isinstance(label, str) and not _MADE_UP.fullmatch(label) for label in labels)


def _order(argument: str, labels: list[str], names: Sequence[str], what: str) -> list[int]:
    quantity = re.sub(r"^.*[ :.\]']|0$", "", argument)
    for prefix in ("", f"{argument}_", f"{quantity}_"):
        place = {label: k for k, label in enumerate(labels)}
        if {f"{prefix}{name}" for name in names} == set(labels):
            return [place[f"{prefix}{name}"] for name in names]
    missing = [name for name in names if name not in labels]
    others = [label for label in labels if label not in names]
    told = []
    if missing:
        close = [(name, close_names(name, others)) for name in missing[:8]]
        told.append("missing are " + ", ".join(f"{n} ({did_you_mean(c)})" if c else n for n, c in close))
    if others:
        told.append(f"not among them are {listed(others[:8])}")
    raise ArgumentError(
        f"{argument}: wanted the names of {what} ({listed(names)}), in any order, got {shown(labels)}: "
        f"{'; '.join(told)}. Select and rename the columns, or give the numbers alone, in this order"
    )


def _without_null(value: Any) -> Any:
    """Convert nullable numbers of pandas to floats with NaN for nulls; return anything else unchanged."""
    if _home(value) == "pandas" and hasattr(value, "to_numpy"):
        kinds = {str(kind).lower() for kind in (value.dtypes if getattr(value, "ndim", 1) == 2 else [value.dtype])}
        if kinds and all(re.fullmatch(r"u?int\d+|float\d+|double|halffloat|float", _base(kind)) for kind in kinds):
            single = all(_base(kind) in ("float32", "float") for kind in kinds)
            return value.to_numpy(dtype=np.float32 if single else np.float64, na_value=np.nan)
    if _home(value) == "pyarrow" and hasattr(value, "to_numpy"):
        return _of_arrow(value)
    return value


def _base(kind: str) -> str:
    return kind.removesuffix("[pyarrow]")


def as_times(argument: str, value: ArrayLike, least: int = 1) -> NDArray[np.float64]:
    """Return increasing times, (T,) in float64, `least` or more of them.

    Raises
    ------
    ArgumentError
        They have another shape, are too few, not finite, or not increasing.
    """
    times = time_array(argument, value).astype(np.float64)
    if times.ndim != 1 or len(times) < least:
        raise ArgumentError(f"{argument}: wanted shape (T,) with T of at least {least}, got {times.shape}")
    if not np.isfinite(times).all() or (np.diff(times) <= 0).any():
        raise ArgumentError(f"{argument}: wanted finite times, each later than the one before")
    return times
