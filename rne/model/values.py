"""Conversion of values from files and trees to numbers: each function returns them or raises `WrongValueError`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Real

import numpy as np

from rne.model.findings import WrongValueError


def as_number(value: object) -> float:
    """Return a finite number or raise `WrongValueError`; booleans and text are not numbers."""
    if not isinstance(value, Real) or isinstance(value, bool):
        raise WrongValueError("is not a number")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise WrongValueError("is not finite")
    return number


def as_numbers(value: object, count: int) -> tuple[float, ...]:
    """Return a sequence of finite numbers of the given length or raise `WrongValueError`."""
    items = as_sequence(value)
    if items is None or len(items) != count:
        raise WrongValueError(f"is not a list of {count} numbers")
    try:
        return tuple(map(as_number, items))
    except WrongValueError as wrong:
        raise WrongValueError(f"holds an entry that {wrong}; wanted {count} finite numbers") from None


def as_square(value: object, size: int) -> tuple[tuple[float, ...], ...]:
    """Return a square matrix of finite numbers or raise `WrongValueError`."""
    rows = as_sequence(value)
    try:
        if rows is None or len(rows) != size:
            raise WrongValueError
        return tuple(as_numbers(row, size) for row in rows)
    except WrongValueError:
        raise WrongValueError(f"is not a {size}x{size} matrix (a list of {size} rows) of finite numbers") from None


def as_sequence(value: object) -> Sequence[object] | None:
    """Return a list, tuple or array as a sequence, and None for anything else."""
    if isinstance(value, np.ndarray) and value.ndim:
        return list(value)
    return value if isinstance(value, list | tuple) else None
