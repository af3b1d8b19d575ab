"""Columns of a base that floats: their names, and quaternions that are none."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rne.errors import FileError
from rne.files.chunk import Chunk
from rne.files.patterns import expected, split
from rne.model.floating import OF_POSITION, OF_VELOCITY, QUATERNION, UNIT, columns_of
from rne.model.quaternions import continuous
from rne.model.robot import Robot

Floats = NDArray[Any]


def base_names(robot: Robot, quantity: str) -> tuple[str, ...]:
    """Return the names of the numbers of a base that floats; none for a base that is fixed."""
    if not robot.floating:
        return ()
    return OF_POSITION if quantity == "q" else OF_VELOCITY


def wanted(robot: Robot, key: str, pattern: str | Sequence[str] | None, order: Sequence[str] | None) -> list[str]:
    """Return the names of the columns of a quantity, in the order of the robot.

    Parameters
    ----------
    pattern : as `Trajectory` takes it; None for the usual names. With {joint} it is that of the base, too; numbers are
        those of joints. A list has all columns, or those of the joints alone.
    order : joints as the file numbers them.
    """
    if pattern is None:
        return columns_of(robot, key)
    base = base_names(robot, key)
    usual = columns_of(robot, key)[: len(base)]
    listed = split(pattern)
    if listed is not None and base and len(listed) == len(base) + len(robot.joint_names):
        return listed[: len(base)] + expected(key, listed[len(base) :], robot.joint_names, order)
    if listed is None and "{joint}" in str(pattern):
        usual = [str(pattern).replace("{joint}", name) for name in base]
    return usual + expected(key, pattern, robot.joint_names, order)


def check_quaternions(where: str, first: int, q: Floats, names: Sequence[str]) -> None:
    """Refuse quaternions that do not have unit length within `UNIT`; NaN stays.

    Parameters
    ----------
    where : the file, for errors.
    first : number of the first row, from zero.
    q : (rows, nq).
    names : of the columns of q.

    Raises
    ------
    FileError
        Names the row and the columns.
    """
    length = np.linalg.norm(q[:, QUATERNION].astype(np.float64), axis=1)
    bad = np.flatnonzero(np.abs(length - 1.0) > UNIT)
    if bad.size:
        row, (x, *_, w) = int(bad[0]), names[QUATERNION]
        raise FileError(
            f"{where}: row {first + row + 1}: columns {x!r} to {w!r}: wanted a quaternion of length 1 within {UNIT:g}, "
            f"got {q[row, QUATERNION].tolist()} of length {length[row]:.6g}"
        )


def whole(chunk: Chunk) -> Chunk:
    """Return a chunk where a quaternion of which a number is missing is missing as a whole."""
    if "q" not in chunk.arrays:
        return chunk
    q = chunk.arrays["q"].copy()
    q[np.isnan(q[:, QUATERNION]).any(axis=1), QUATERNION] = np.nan
    return replace(chunk, arrays={**chunk.arrays, "q": q})


def interpolated(q: Floats, fill: Callable[[Floats], Floats]) -> Floats:
    """Fill what is missing of q (rows, nq) by a function: between quaternions the short way round, at unit length."""
    gaps = np.isnan(q[:, QUATERNION]).any(axis=1)
    q = q.copy()
    q[:, QUATERNION] = continuous(q[:, QUATERNION], np.full(4, np.nan))
    q = fill(q)
    with np.errstate(invalid="ignore"):
        q[gaps, QUATERNION] /= np.linalg.norm(q[gaps, QUATERNION], axis=1, keepdims=True)
    return q
