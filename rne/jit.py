"""Algorithms for use in your own compiled code (`numba.njit`).

Each function takes the array returned by `model(robot)`, input arrays, and output arrays that it fills; nothing is
allocated. States are one-dimensional arrays. Output arrays must have the precision of the model, or the caller does not
compile. Wrong lengths raise ValueError, and so does a site on a link that the model does not have.

Code compiled with ``cache=True`` that calls these functions is not recompiled for a new version of rne (numba issue
1833); clear its cache after an upgrade.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rne.batch.arguments import as_frame, as_site, as_table, as_wrenches, check_axes, check_robot
from rne.errors import ArgumentError
from rne.kernels.user.derivatives import forward_dynamics_derivatives as forward_dynamics_derivatives
from rne.kernels.user.derivatives import gravity_derivative as gravity_derivative
from rne.kernels.user.derivatives import inverse_dynamics_derivatives as inverse_dynamics_derivatives
from rne.kernels.user.derivatives import inverse_dynamics_vjp as inverse_dynamics_vjp
from rne.kernels.user.derivatives import jacobian_dot as jacobian_dot
from rne.kernels.user.dynamics import christoffel as christoffel
from rne.kernels.user.dynamics import coriolis_matrix as coriolis_matrix
from rne.kernels.user.dynamics import forward_dynamics as forward_dynamics
from rne.kernels.user.dynamics import friction_torque as friction_torque
from rne.kernels.user.dynamics import gravity_vector as gravity_vector
from rne.kernels.user.dynamics import inverse_dynamics as inverse_dynamics
from rne.kernels.user.dynamics import mass_matrix as mass_matrix
from rne.kernels.user.energy import kinetic_energy as kinetic_energy
from rne.kernels.user.energy import potential_energy as potential_energy
from rne.kernels.user.kinematics import center_of_mass as center_of_mass
from rne.kernels.user.kinematics import center_of_mass_jacobian as center_of_mass_jacobian
from rne.kernels.user.kinematics import forward_kinematics as forward_kinematics
from rne.kernels.user.kinematics import frame_acceleration as frame_acceleration
from rne.kernels.user.kinematics import frame_velocity as frame_velocity
from rne.kernels.user.kinematics import jacobian as jacobian
from rne.kernels.user.regressor import regressor as regressor
from rne.kernels.user.regressor import regressor_vjp as regressor_vjp
from rne.kernels.user.statics import joint_wrenches as joint_wrenches
from rne.kernels.user.statics import static_torque as static_torque
from rne.model.robot import Robot


def model(robot: Robot, dtype: Any = np.float64) -> NDArray[Any]:
    """Return the array that describes a robot to the compiled functions.

    Parameters
    ----------
    robot : the robot.
    dtype : float64, or float32 for arrays in single precision.

    Returns
    -------
    model : read-only array with a private layout. It includes the gravity of the robot.

    Raises
    ------
    ArgumentError
        `robot` is not a Robot, or `dtype` is not float64 or float32.

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
    check_robot(robot, floating=True)
    return as_table(robot, _precision(dtype))


def sites(robot: Robot, frames: Mapping[str, str], dtype: Any = np.float64) -> NDArray[Any]:
    """Return the points of application of wrenches, for `static_torque`.

    Parameters
    ----------
    robot : the robot.
    frames : axes of the wrenches, "world" or "local", by frame name, in the order of the rows of the wrenches.
    dtype : as in `model`.

    Returns
    -------
    sites : (m, ...) array with a private layout.

    Raises
    ------
    UnknownNameError, ArgumentError
        An unknown frame, unknown axes, or a wrong dtype.

    Examples
    --------
    >>> import rne
    >>> len(rne.jit.sites(rne.load("models/planar2/robot.dh.toml"), {"link2": "world"}))
    1
    """
    check_robot(robot, floating=True)
    precision = _precision(dtype)
    if not isinstance(frames, Mapping):
        raise ArgumentError(f"frames: wanted a mapping from frame name to axes, got {type(frames).__name__}")
    for name, axes in frames.items():
        as_frame(robot, name, "frames")
        check_axes(f"frames[{name!r}]", axes)
    table, _ = as_wrenches(robot, {name: (np.zeros(6), axes) for name, axes in frames.items()})
    return table.astype(precision)


def site(
    robot: Robot, frame: str, *, axes: str = "world", point: ArrayLike | None = None, dtype: Any = np.float64
) -> NDArray[Any]:
    """Return a point of the robot and the axes of the results there, for `jacobian` and similar functions.

    Parameters
    ----------
    robot : the robot.
    frame : name of the frame.
    axes : "world" for results in base axes, those of the world if the base floats, "local" for those of the frame.
    point : (3,) point in the axes of the frame, m; the origin of the frame if None.
    dtype : as in `model`.

    Returns
    -------
    site : (1, ...) array with a private layout.

    Raises
    ------
    UnknownNameError, ArgumentError
        An unknown frame, unknown axes, a point that is not three numbers, or a wrong dtype.

    Examples
    --------
    >>> import numpy as np, rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> J = np.empty((6, 2))
    >>> rne.jit.jacobian(rne.jit.model(arm), rne.jit.site(arm, "link2"), np.zeros(2), J)
    >>> J[1]
    array([2., 1.])
    """
    check_robot(robot, floating=True)
    return as_site(robot, frame, axes, point).astype(_precision(dtype))


def joint_sites(robot: Robot, axes: str = "world", dtype: Any = np.float64) -> NDArray[Any]:
    """Return the frames of the joints, for `joint_wrenches`, `regressor` and `regressor_vjp`.

    Parameters
    ----------
    robot : the robot.
    axes : axes of the wrenches, "world" or "local"; for regressors "local".
    dtype : as in `model`.

    Returns
    -------
    joints : (joints, ...) array with a private layout, in the order of `robot.links.joints`.

    Raises
    ------
    ArgumentError
        Unknown axes, or a wrong dtype.

    Examples
    --------
    >>> import rne
    >>> len(rne.jit.joint_sites(rne.load("models/planar2/robot.dh.toml")))
    2
    """
    check_robot(robot, floating=True)
    check_axes("axes", axes)
    return robot.links.joint_sites[axes].astype(_precision(dtype))


def _precision(dtype: Any) -> str:
    for name in ("float64", "float32"):
        with contextlib.suppress(TypeError):  # not convertible to a dtype
            if np.dtype(dtype) == name:
                return name
    raise ArgumentError(f"dtype: wanted float64 or float32, got {dtype!r}")


__all__ = sorted(
    name
    for name, value in globals().items()
    if name[0] != "_" and (getattr(value, "__module__", None) or "").startswith((__name__, "rne.kernels.user."))
)


def __dir__() -> list[str]:
    """Return the public names, for completion."""
    return __all__
