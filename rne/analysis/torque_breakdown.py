"""Terms of the joint torques, and the list of these terms that all reports on torques share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rne.batch.arguments import Floats, check_robot, settle
from rne.batch.coordinates import width_of
from rne.check import check_flag
from rne.dynamics.coriolis import velocity_torques
from rne.dynamics.inverse_dynamics import friction_torque, gravity_vector, inverse_dynamics
from rne.dynamics.mass_matrix import mass_matrix, reflected_inertia
from rne.dynamics.statics import static_torque
from rne.model.robot import Robot
from rne.tables import Part, Report, cells, titled

WEIGHTLESS = (0.0, 0.0, 0.0)
TERMS = ("effective", "coupling", "rotor", "centripetal", "coriolis", "gravity", "spring", "friction", "external")
"""The terms of a joint torque; all but the last, the external wrenches, belong to the model of the robot."""
OF_THE_MODEL = TERMS[:-1]

# Entries of mass matrices held in memory at a time.
_AT_A_TIME = 1_000_000


@dataclass(frozen=True, eq=False, repr=False)
class TorqueBreakdown(Report):
    """The terms of the torques of a motion; all arrays are (..., n) N m or N.

    Printing shows a table with the mean absolute torque of each joint over all samples, and the share of each term.

    Attributes
    ----------
    joint_names : the coordinates, in the order of the last axis.
    effective : effective inertia times acceleration, D_ii qdd_i, without the rotor.
    coupling : torque due to accelerations of the other joints, sum of D_ij qdd_j over j other than i.
    rotor : reflected inertia of the rotor times acceleration, Ia_i qdd_i.
    centripetal, coriolis : as in `velocity_torques`; their sum is `coriolis_vector`.
    gravity : as in `gravity_vector`.
    spring : torque of the springs of joints and between joints.
    friction : as in `friction_torque`; zero with ``friction=False``.
    external : -J^T w of the wrenches that act on the robot.
    total : result of `inverse_dynamics`, bit for bit. The terms are rounded one by one, so their sum equals it up to
        rounding.

    Examples
    --------
    >>> import rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> parts = rne.torque_breakdown(arm, [[0.0, 0.0], [0.2, 0.1]], qdd=[0.5, 0.0])
    >>> list(parts.terms)
    ['effective', 'coupling', 'rotor', 'centripetal', 'coriolis', 'gravity', 'spring', 'friction', 'external']
    >>> parts.share()["gravity"].round(3)
    array([0.936, 0.92 ])
    """

    joint_names: tuple[str, ...]
    effective: Floats
    coupling: Floats
    rotor: Floats
    centripetal: Floats
    coriolis: Floats
    gravity: Floats
    spring: Floats
    friction: Floats
    external: Floats
    total: Floats

    @property
    def terms(self) -> dict[str, Floats]:
        """All terms by name, without the total."""
        return {name: getattr(self, name) for name in TERMS}

    def share(self) -> dict[str, Floats]:
        """Share of each term in the torque of each joint: its mean absolute value over the sum of those of all terms.

        Returns
        -------
        share : by name of the term, (n,) from 0 to 1; for each joint they add up to one, or are all zero where every
            term is zero.
        """
        sizes = {name: _mean_size(term) for name, term in self.terms.items()}
        whole = sum(sizes.values())
        return {name: np.divide(size, whole, out=np.zeros_like(size), where=whole != 0) for name, size in sizes.items()}

    def _parts(self) -> list[Part]:
        shares = {name: [f"{100 * part:.1f} %" for part in share] for name, share in self.share().items()}
        return [titled({"joint": self.joint_names, "|torque|": cells(_mean_size(self.total)), **shares})]


def _mean_size(term: Floats) -> Floats:
    """Mean absolute value over all samples, (n,); zero if there are none."""
    rows = np.abs(term.reshape(-1, term.shape[-1]) if term.size else np.zeros((1, term.shape[-1])))
    mean: Floats = rows.mean(axis=0, dtype=np.float64)
    return mean


def torque_breakdown(
    robot: Robot,
    q: ArrayLike,
    qd: ArrayLike | None = None,
    qdd: ArrayLike | None = None,
    *,
    gravity: ArrayLike | None = None,
    f_ext: Mapping[str, Any] | None = None,
    friction: bool = False,
    threads: int | None = None,
) -> TorqueBreakdown:
    """Split the torques of a motion into the terms due to accelerations, velocities, gravity, springs and friction.

    Parameters
    ----------
    robot, q, qd, qdd, gravity, f_ext, friction, threads : as in `inverse_dynamics`; so are the errors raised.

    Returns
    -------
    breakdown : TorqueBreakdown
        One array (..., n) per term, and their `total`, equal to the result of `inverse_dynamics`.

    Examples
    --------
    >>> import rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> q = [[0.0, 0.0], [0.2, 0.1]]
    >>> parts = rne.torque_breakdown(arm, q, [1.0, 2.0], [0.5, 0.0])
    >>> bool((parts.total == rne.inverse_dynamics(arm, q, [1.0, 2.0], [0.5, 0.0])).all())
    True
    >>> print(parts)
    joint     |torque|  effective  coupling  rotor  centripetal  coriolis  gravity  spring  friction  external
    shoulder      20.5      6.4 %     0.0 %  0.0 %        0.5 %     0.5 %   92.7 %   0.0 %     0.0 %     0.0 %
    elbow        5.236      0.0 %     7.9 %  0.0 %        0.5 %     0.0 %   91.6 %   0.0 %     0.0 %     0.0 %
    """
    check_robot(robot, floating=True)
    check_flag("friction", friction)
    batch = settle(robot, {"q": q, "qd": qd, "qdd": qdd}, f_ext, floating=True)
    q, qd, qdd = (batch.rows[name].reshape(*batch.shape, width_of(robot, name)) for name in ("q", "qd", "qdd"))
    effective, coupling = _inertia_torques(robot, batch.rows["q"], batch.rows["qdd"], threads)
    of_velocity = velocity_torques(robot, q, qd, threads=threads)
    return TorqueBreakdown(
        robot.coordinate_names,
        effective=effective.reshape(qdd.shape),
        coupling=coupling.reshape(qdd.shape),
        rotor=rotor_torque(robot, qdd),
        centripetal=of_velocity.centripetal,
        coriolis=of_velocity.coriolis,
        gravity=gravity_vector(robot, q, gravity=gravity, threads=threads),
        spring=spring_torque(robot, q, threads),
        friction=friction_torque(robot, qd, threads=threads) if friction else np.zeros_like(qd),
        external=0.0 - static_torque(robot, q, f_ext or {}, threads=threads),  # no negative zeros
        total=inverse_dynamics(robot, q, qd, qdd, gravity=gravity, f_ext=f_ext, friction=friction, threads=threads),
    )


def rotor_torque(robot: Robot, qdd: Floats) -> Floats:
    """Torque (..., n) of the rotors alone."""
    with np.errstate(invalid="ignore"):  # infinity where there is no rotor
        torque: Floats = reflected_inertia(robot).astype(qdd.dtype) * qdd
    return torque


def spring_torque(robot: Robot, q: Floats, threads: int | None) -> Floats:
    """Torque (..., n) of the springs alone, of joints and between joints."""
    return inverse_dynamics(robot, q, gravity=WEIGHTLESS, threads=threads)


def _inertia_torques(robot: Robot, q: Floats, qdd: Floats, threads: int | None) -> tuple[Floats, Floats]:
    """D_ii qdd_i, and the sum of D_ij qdd_j over j other than i, (samples, n) each, without rotors."""
    effective, coupling = np.zeros_like(qdd), np.zeros_like(qdd)
    step = max(1, _AT_A_TIME // max(1, robot.n**2))
    for rows in (slice(k, k + step) for k in range(0, len(q), step)):
        M = mass_matrix(robot, q[rows], rotors=False, threads=threads)
        with np.errstate(invalid="ignore"):  # infinity times zero
            for j in range(robot.n):
                column = M[:, :, j] * qdd[rows, j, None]
                effective[rows, j] = column[:, j]
                column[:, j] = 0.0
                coupling[rows] += column
    return effective, coupling
