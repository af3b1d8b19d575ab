"""Dry friction that holds joints at rest: accelerations of all joints at once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rne.batch.arguments import Floats, as_table
from rne.kernels import dry_friction as at
from rne.kernels.entries import MASS_AND_BIAS_POINTER, STICTION
from rne.model.floating import beside_rates
from rne.model.robot import Robot

Array = NDArray[np.float64]


class Rough(NamedTuple):
    """Friction and joint stops of a robot, as the kernels take them.

    Attributes
    ----------
    damping : (n, n) over the coordinates.
    limits : (LIMITS, n), the rows of `rne.kernels.dry_friction`.
    damped : whether anything damps.
    """

    damping: Array
    limits: Array
    damped: bool


def rough_of(robot: Robot, friction: bool = True, stops: dict[str, Array] | None = None) -> Rough | None:
    """Return friction and joint stops of a robot; None if there are neither.

    Parameters
    ----------
    robot : the robot.
    friction : whether there is any.
    stops : "restitution", or "stiffness" and "damping", one number per joint each; None for none.
    """
    limits, damping = np.zeros((at.LIMITS, robot.n)), np.zeros((robot.n, robot.n))
    limits[at.LOWER], limits[at.UPPER], limits[at.RESTITUTION] = -np.inf, np.inf, np.nan
    if friction:
        limits[[at.UP, at.DOWN]], damping = robot.links.dry_friction, robot.links.damping
    if stops is not None:
        joints = slice(robot.n - len(robot.joint_names), None)  # a base that floats has no stops
        lower, upper = (beside_rates(robot, x) for x in (robot.lower_limit, robot.upper_limit))
        limits[at.LOWER], limits[at.UPPER] = lower, upper
        for name, row in (("restitution", at.RESTITUTION), ("stiffness", at.STIFFNESS), ("damping", at.DAMPING)):
            if name in stops:
                limits[row, joints] = stops[name]
    curved = friction and robot.links.curved
    if not damping.any() and stops is None and not curved and not (limits[[at.UP, at.DOWN]] > 0).any():
        return None
    damping.flags.writeable = limits.flags.writeable = False
    return Rough(damping, limits, bool(damping.any() or curved or limits[at.DAMPING].any()))


def without(robot: Robot, terms: Iterable[str]) -> Robot:
    """Return the robot with drives of which some numbers, such as those of friction, are zero."""
    bare = dict.fromkeys(terms, 0.0)
    joints = tuple(replace(joint, drive=replace(joint.drive, **bare)) for joint in robot.tree.joints)
    return Robot(replace(robot.tree, joints=joints), robot.joint_names)


def rubbing(table: Floats, rough: Rough) -> tuple[Floats, object, Array, Array, bool]:
    """Return the dynamics with friction of one state as the kernels take it."""
    return table, MASS_AND_BIAS_POINTER.compiled(), *rough


def accelerations(
    robot: Robot, rough: Rough, q: Array, qd: Array, tau: Array, modes: Array | None = None, table: Floats | None = None
) -> tuple[Array, Array, Array, NDArray[np.uint8]]:
    """Return accelerations, modes and holding forces (samples, n), and marks of singular mass matrices (samples,).

    Parameters
    ----------
    robot, rough : the robot and its friction.
    q, qd, tau : (samples, nq), (samples, n) and (samples, n), in float64.
    modes : (samples, n) of `rne.kernels.complementarity`, if they are known.
    table : with another gravity.
    """
    results, marks = np.zeros((3, *tau.shape)), np.empty(len(tau), np.uint8)
    if modes is not None:
        results[0] = modes
    state, tau = np.concatenate([q, qd], axis=1), np.ascontiguousarray(tau)
    table = as_table(robot, "float64") if table is None else table
    STICTION.call(table, rough.damping, rough.limits, state, tau, modes is not None, results, marks)
    return results[2], results[0], results[1], marks
