"""What a joint torque consists of: inertia, rotors, velocity, gravity, springs, friction and loads, each by itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rne.batch.arguments import Batch, Floats, as_table, check_robot, settle
from rne.batch.threads import launch
from rne.check import check_flag
from rne.dynamics.inverse_dynamics import coriolis_vector, friction_torque, gravity_vector, inverse_dynamics
from rne.dynamics.mass_matrix import reflected_inertia
from rne.dynamics.statics import static_torque
from rne.kernels.entries import INVERSE_DYNAMICS
from rne.model.robot import Robot
from rne.tables import Report

WEIGHTLESS = (0.0, 0.0, 0.0)
TERMS = ("inertia", "rotor", "velocity", "gravity", "spring", "friction", "external")


@dataclass(frozen=True, eq=False, repr=False)
class TorqueBreakdown(Report):
    """The terms of the torques of a motion; all arrays are (..., n) N m or N.

    Printed, it is a table: for each joint the mean size of its torque over all samples, and the share of each term.

    Attributes
    ----------
    joint_names : the coordinates, in the order of the last axis.
    inertia : of the bodies, M qdd without the rotors.
    rotor : reflected inertia of the rotors times qdd.
    velocity : Coriolis and centripetal torques, as `coriolis_vector`.
    gravity : as `gravity_vector`.
    spring : of the springs of and between the joints.
    friction : as `friction_torque`, or zero if not asked for.
    external : -J^T w of the wrenches that act on the robot.
    total : what `inverse_dynamics` returns, to the last bit. The terms, each rounded by itself, add up to it but for
        rounding, since seven numbers of sixteen digits seldom have a sum of sixteen digits.

    Examples
    --------
    >>> import rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> parts = rne.torque_breakdown(arm, [[0.0, 0.0], [0.2, 0.1]], qdd=[0.5, 0.0])
    >>> list(parts.terms)
    ['inertia', 'rotor', 'velocity', 'gravity', 'spring', 'friction', 'external']
    >>> parts.share()["gravity"].round(3)
    array([0.936, 0.92 ])
    """

    joint_names: tuple[str, ...]
    inertia: Floats
    rotor: Floats
    velocity: Floats
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
        """Share of each term in the torque of each joint: its mean size over all samples by the sum of all mean sizes.

        Returns
        -------
        share : by name of the term, (n,) from 0 to 1; for each joint they add up to one, or are all zero where no term
            ever asks anything of it.
        """
        sizes = {name: _mean_size(term) for name, term in self.terms.items()}
        whole = sum(sizes.values())
        return {name: np.divide(size, whole, out=np.zeros_like(size), where=whole != 0) for name, size in sizes.items()}

    def _table(self) -> str:
        shares, sizes = self.share(), _mean_size(self.total)
        width = max(map(len, ("joint", *self.joint_names)))
        lines = [f"{'joint':<{width}} {'|torque|':>10}" + "".join(f"{name:>10}" for name in TERMS)]
        for k, name in enumerate(self.joint_names):
            parts = "".join(f"{100 * shares[term][k]:>8.1f} %" for term in TERMS)
            lines.append(f"{name:<{width}} {sizes[k]:>10.4g}{parts}")
        return "\n".join(lines)


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
    """Take the torques of a motion apart: which of them go into inertia, rotors, velocity, gravity and so on.

    Parameters
    ----------
    robot, q, qd, qdd, gravity, f_ext, friction, threads : as for `inverse_dynamics`, which also tells the errors.

    Returns
    -------
    breakdown : TorqueBreakdown with one array (..., n) a term, and `total`, the same as of `inverse_dynamics`.

    Examples
    --------
    >>> import rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> q = [[0.0, 0.0], [0.2, 0.1]]
    >>> parts = rne.torque_breakdown(arm, q, [1.0, 2.0], [0.5, 0.0])
    >>> bool((parts.total == rne.inverse_dynamics(arm, q, [1.0, 2.0], [0.5, 0.0])).all())
    True
    >>> print(parts)
    joint      |torque|   inertia     rotor  velocity   gravity    spring  friction  external
    shoulder       20.5     6.4 %     0.0 %     1.0 %    92.7 %     0.0 %     0.0 %     0.0 %
    elbow         5.236     7.9 %     0.0 %     0.5 %    91.6 %     0.0 %     0.0 %     0.0 %
    """
    check_robot(robot)
    check_flag("friction", friction)
    batch = settle(robot, {"q": q, "qd": qd, "qdd": qdd}, f_ext)
    q, qd, qdd = (batch.rows[name].reshape(*batch.shape, robot.n) for name in ("q", "qd", "qdd"))
    with np.errstate(invalid="ignore"):  # infinity where there is no rotor
        rotor = reflected_inertia(robot).astype(batch.dtype) * qdd
    return TorqueBreakdown(
        robot.joint_names,
        inertia=_body_inertia(robot, batch, threads),
        rotor=rotor,
        velocity=coriolis_vector(robot, q, qd, threads=threads),
        gravity=gravity_vector(robot, q, gravity=gravity, threads=threads),
        spring=inverse_dynamics(robot, q, gravity=WEIGHTLESS, threads=threads),
        friction=friction_torque(robot, qd, threads=threads) if friction else np.zeros_like(qd),
        external=0.0 - static_torque(robot, q, f_ext or {}, threads=threads),  # no negative zeros
        total=inverse_dynamics(robot, q, qd, qdd, gravity=gravity, f_ext=f_ext, friction=friction, threads=threads),
    )


def _body_inertia(robot: Robot, batch: Batch, threads: int | None) -> Floats:
    """M qdd of the bodies alone: inverse dynamics at rest, weightless, by a table without rotors."""
    table = robot.links.without_rotors(as_table(robot, batch.dtype, WEIGHTLESS))
    at_rest = batch._replace(rows=batch.rows | {"qd": np.zeros_like(batch.rows["qd"])})
    result = np.empty((*batch.shape, robot.n), batch.dtype)
    entry = INVERSE_DYNAMICS[batch.dtype]
    launch(entry, robot, at_rest, ("q", "qd", "qdd"), result, threads, table, 0)
    return result
