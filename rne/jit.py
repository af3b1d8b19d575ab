"""The algorithms as functions to call from your own compiled code (`numba.njit`).

Each takes `model`, the table that `model(robot)` returns, and arrays that it fills; nothing is allocated. Arrays are
one-dimensional, of the precision of the model. Lengths are checked: a wrong one raises ValueError.

Code that calls these functions and is compiled with ``cache=True`` does not notice a new version of rne (numba issue
1833); clear its cache after an upgrade.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rne.arrays import as_table, as_wrenches, check_robot
from rne.errors import ArgumentError
from rne.kernels.jitted import (
    christoffel,
    coriolis_matrix,
    forward_dynamics,
    friction_torque,
    inverse_dynamics,
    mass_matrix,
    static_torque,
)
from rne.robot import Robot

__all__ = [
    "christoffel",
    "coriolis_matrix",
    "forward_dynamics",
    "friction_torque",
    "inverse_dynamics",
    "mass_matrix",
    "model",
    "places",
    "static_torque",
]


def model(robot: Robot, dtype: Any = np.float64) -> NDArray[Any]:
    """Return what the compiled functions need of a robot.

    Parameters
    ----------
    robot : the robot.
    dtype : float64, or float32 for arrays in single precision.

    Returns
    -------
    model : read-only array; its layout is nobody's business. Gravity is that of the robot.

    Raises
    ------
    ArgumentError
        Another precision is asked for.

    Examples
    --------
    >>> import numba, numpy as np, rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> @numba.njit
    ... def peak(model, path):
    ...     rest, tau, most = np.zeros(2), np.empty(2), 0.0
    ...     for q in path:
    ...         rne.jit.inverse_dynamics(model, q, rest, rest, tau)
    ...         most = max(most, np.abs(tau).max())
    ...     return most
    >>> bool(peak(rne.jit.model(arm), np.zeros((3, 2))) > 0)
    True
    """
    check_robot(robot)
    return as_table(robot, _precision(dtype))


def places(robot: Robot, frames: Mapping[str, str], dtype: Any = np.float64) -> NDArray[Any]:
    """Return where wrenches act, for `static_torque`.

    Parameters
    ----------
    robot : the robot.
    frames : the axes of the wrench, "world" or "local", by frame name; the order is that of the rows of the wrenches.
    dtype : as for `model`.

    Returns
    -------
    places : (m, ...) array; its layout is nobody's business.

    Raises
    ------
    UnknownNameError, ArgumentError
        A frame the robot does not have, unknown axes, or another precision.

    Examples
    --------
    >>> import rne
    >>> len(rne.jit.places(rne.load("models/planar2/robot.dh.toml"), {"link2": "world"}))
    1
    """
    check_robot(robot)
    precision = _precision(dtype)
    table, _ = as_wrenches(robot, {name: (np.zeros(6), axes) for name, axes in frames.items()})
    return table.astype(precision)


def _precision(dtype: Any) -> str:
    for name in ("float64", "float32"):
        with contextlib.suppress(TypeError):  # what numpy cannot make a type of
            if np.dtype(dtype) == name:
                return name
    raise ArgumentError(f"dtype: wanted float64 or float32, got {dtype!r}")
