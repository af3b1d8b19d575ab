"""A base that floats: names of its coordinates, and the one rule for what does not support it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rne.errors import ArgumentError

if TYPE_CHECKING:
    from rne.model.tree import Tree

OF_POSITION = ("base_x", "base_y", "base_z", "base_qx", "base_qy", "base_qz", "base_qw")
"""Position of the base in the world, m, and its orientation as a unit quaternion, scalar last."""
OF_VELOCITY = ("base_vx", "base_vy", "base_vz", "base_wx", "base_wy", "base_wz")
"""Linear and angular velocity of the base in its own axes, m/s and rad/s."""
NEUTRAL = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)
"""Pose of a base at the origin of the world, not rotated."""

QUATERNION = slice(3, 7)
"""Where the quaternion is in q."""
UNIT = 1e-3
"""How far its length may be from one; `rne.kernels.base` has the same bounds."""
OF_POSITIONS = frozenset({"q", "q0", "q1"})
"""Names of arguments that hold positions, with one number more than velocities if the base floats."""

SUPPORTED = (
    "actuator_power", "base_parameters", "bias_vector", "center_of_mass", "center_of_mass_jacobian",
    "center_of_mass_velocity", "centroidal_momentum", "centroidal_momentum_bias", "centroidal_momentum_matrix",
    "contact_forward_dynamics", "contact_impulse", "contact_inverse_dynamics", "control.pid", "coriolis_matrix",
    "coriolis_vector", "diagnose", "difference", "differentiate", "dissipated_power", "dissipation",
    "effective_inertia", "energy_balance", "Evaluator", "files.Trajectory", "forward_dynamics",
    "forward_dynamics_derivatives", "forward_kinematics", "frame_acceleration", "frame_velocity", "friction_torque",
    "gravity_derivative", "gravity_vector", "inertia_ellipsoid", "integrate", "inverse_dynamics",
    "inverse_dynamics_derivatives", "inverse_dynamics_vjp", "jacobian", "jacobian_dot", "jacobian_dot_qd",
    "joint_wrenches", "kinetic_energy", "linearize", "link_forces", "mass_matrix", "mass_matrix_inverse", "neutral",
    "operational_inertia", "parameter_names", "parameters", "plot.energy", "plot.phase", "plot.power", "plot.residual",
    "plot.states", "plot.torques", "potential_energy", "regressor", "regressor_remainder", "regressor_vjp", "residual",
    "simulate", "static_torque", "torque_breakdown", "total_wrench", "velocity_torques", "verify", "view",
    "zero_moment_point",
)  # fmt: skip
"""The public functions that support a floating base; those of `rne.jit` and `rne.dask` have the same names. All of
`rne.lagrange` do.
"""


class Floating:
    """A robot whose base may float."""

    __slots__ = ()

    tree: Tree
    joint_names: tuple[str, ...]
    n: int

    @property
    def floating(self) -> bool:
        """Whether the base floats: q begins with its pose, and qd, qdd and tau with six numbers of its motion."""
        return self.tree.floating

    @property
    def nv(self) -> int:
        """Numbers in qd, qdd and tau; the same as `n`."""
        return self.n

    @property
    def coordinate_names(self) -> tuple[str, ...]:
        """Names of the numbers in qd, qdd and tau, shape (n,): `joint_names`, after those of a base that floats."""
        return (*OF_VELOCITY, *self.joint_names) if self.floating else self.joint_names

    @property
    def position_names(self) -> tuple[str, ...]:
        """Names of the numbers in q, shape (nq,): `joint_names`, after those of a base that floats."""
        return (*OF_POSITION, *self.joint_names) if self.floating else self.joint_names


def of_joints(robot: Floating, x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the numbers (..., joints) of the joints among those (..., n) or (..., nq) of a robot, as a view."""
    return x[..., x.shape[-1] - len(robot.joint_names) :]


def beside_rates(robot: Floating, q: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the numbers (..., n) of q that stand where qd has the rates of the joints, as a view."""
    return q[..., q.shape[-1] - robot.n :]


def names_of(robot: Floating, quantity: str) -> tuple[str, ...]:
    """Return the names of the numbers of q, qd, qdd or tau: those of a base that floats, and the joints."""
    return robot.position_names if quantity == "q" else robot.coordinate_names


def columns_of(robot: Floating, quantity: str) -> list[str]:
    """Return the names of the columns of q, qd, qdd or tau in files."""
    return [f"{quantity}_{name}" for name in names_of(robot, quantity)]


def refuse_floating(tree: Tree) -> None:
    """Refuse a robot whose base floats, in everything that does not support one.

    Raises
    ------
    ArgumentError
        The base floats.
    """
    if tree.floating:
        raise ArgumentError(
            f"robot: the base of {tree.name!r} floats, which this function does not support yet. Those that do: "
            f"{', '.join(f'rne.{name}' for name in SUPPORTED)}. A robot loaded with floating=False has a fixed base"
        )
