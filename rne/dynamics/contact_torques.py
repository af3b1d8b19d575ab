"""Inverse dynamics under contact: torques of a motion, and the wrenches that have to act where no motor does."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rne.batch.arguments import Floats, settle
from rne.check import real_array, several_joints
from rne.dynamics.contact_sets import (
    SLICE,
    Contacts,
    Pushed,
    as_contacts,
    shaped,
    times,
    widened,
    wrench_table,
)
from rne.dynamics.forward_dynamics import with_pushed_torques
from rne.dynamics.inverse_dynamics import inverse_dynamics
from rne.dynamics.singular import SINGULAR
from rne.errors import ArgumentError, shown
from rne.model.robot import Robot
from rne.tables import Part, Report, cells, of_many, titled, worst

# Singular values of the map from wrenches to unactuated coordinates below this fraction of the largest count as zero:
# such a direction would take a wrench ten billion times as large as its effect.
_IMPOSSIBLE = 1e-10
_LEAST = 1e-300  # positive weights whose inverse is finite
_RAISE = 1e-13  # of a diagonal; more than the rounding error of a factorization, so that it ends
_SUSPECT = 1e-8  # pivots below are left to singular values


@dataclass(frozen=True, eq=False, repr=False)
class ContactTorques(Pushed, Report):
    """Torques and contact wrenches of a motion, as `contact_inverse_dynamics` returns them.

    Attributes
    ----------
    tau : (..., n) N m or N of the motors; zero where there is none, on a floating base and at passive joints.
    wrenches : (..., contacts, 6) [force; moment] on the robot at the origins of the frames in world axes, N and N m.
    remainder : (..., n) what the motion needs and neither motors nor contacts supply: zero if the contacts can carry
        the motion. On a floating base, the first six numbers are force and moment on the base in its axes.
    names : the frames.
    coordinate_names : those of the robot.

    Examples
    --------
    >>> import rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> held = rne.contact_inverse_dynamics(arm, [0.0, 1.0], contacts=["link2"], passive=["shoulder"])
    >>> held.tau.round(2) + 0.0, held.remainder.round(2) + 0.0
    (array([ 0.  , -6.03]), array([0., 0.]))
    """

    tau: Floats
    wrenches: Floats
    remainder: Floats
    names: tuple[str, ...]
    coordinate_names: tuple[str, ...]

    def _parts(self) -> list[Part]:
        tau = {
            "coordinate": list(self.coordinate_names),
            "tau": cells(worst(self.tau)),
            "remainder": cells(worst(self.remainder)),
        }
        return [*of_many(self.tau.shape[:-1]), titled(tau), "", wrench_table(self.names, self.wrenches)]


def contact_inverse_dynamics(
    robot: Robot,
    q: ArrayLike,
    qd: ArrayLike | None = None,
    qdd: ArrayLike | None = None,
    contacts: Mapping[str, Any] | Sequence[str] = (),
    *,
    passive: Iterable[str | int] = (),
    wrench_weights: float | Mapping[str, ArrayLike] = 1.0,
    torque_weights: ArrayLike = 0.0,
    gravity: ArrayLike | None = None,
    f_ext: Mapping[str, Any] | None = None,
    friction: bool = False,
    threads: int | None = None,
) -> ContactTorques:
    """Joint torques and contact wrenches of a motion, with no force on a floating base and at passive joints.

    M qdd + C qd + g + springs + friction = tau + J^T w + remainder, where tau is zero without a motor. Of all solutions
    the one with the smallest sum of weighted squares of w and tau is taken. If there is none, the remainder is as small
    as possible (least squares of the numbers, N and N m). Righetti, Buchli, Mistry, Kalakrishnan and Schaal, "Optimal
    distribution of contact forces with inverse-dynamics control", Int. J. Robotics Research 32 (2013).

    Wrenches may have any sign: whether the ground can supply them, without pulling and with its friction, is for the
    caller to check. The motion need not keep the frames at rest.

    Parameters
    ----------
    robot : the robot. On a fixed base all joints but the `passive` ones have motors, which can do without contacts:
        then the wrenches are zero, unless passive joints or `torque_weights` call for them.
    q : (..., nq) positions.
    qd, qdd : (..., n) velocities and accelerations; zero if None. Leading axes broadcast against each other.
    contacts : by frame name what the contact can transmit: "point", a force; "surface", force and moment; or rows of a
        wrench such as [2]. Along world axes, or as a pair ``("surface", "local")`` along those of the frame. A list of
        names means point contacts.
    passive : joints without motors, by name or number from 1.
    wrench_weights : weight of the square of each number of a wrench, in the axes of the contact: positive, one for all
        or by frame name; each a number, or six numbers [fx, fy, fz, mx, my, mz]. Frames that are not named have 1.
    torque_weights : weight of the square of each motor torque: not negative; one for all, or (joints,) in the order of
        `robot.joint_names`.
    gravity, f_ext, friction, threads : as for `inverse_dynamics`; `f_ext` holds further wrenches, which are known.

    Returns
    -------
    torques : with fields `tau` and `remainder` (..., n), `wrenches` (..., contacts, 6), and `names`; `torques.f_ext`
        has the wrenches by name. float32 if all arrays are float32, calculated in float64. NaN stays in its sample.

    Raises
    ------
    ArgumentError
        An argument has the wrong shape, type or value.
    UnknownNameError
        `contacts`, `passive` or `f_ext` names what the robot does not have.

    Examples
    --------
    >>> import rne
    >>> from rne.examples.legs import quadruped
    >>> robot = quadruped()
    >>> q = rne.neutral(robot)
    >>> feet = [name for name in robot.frame_names if name.endswith("foot")]
    >>> held = rne.contact_inverse_dynamics(robot, q, contacts=feet)
    >>> (held.wrenches[:, 2] / (9.81 * robot.total_mass)).round(3)
    array([0.25, 0.25, 0.25, 0.25])
    """
    chosen = as_contacts(robot, contacts)
    given = settle(robot, {"q": q, "qd": qd, "qdd": qdd, "tau": None}, f_ext, floating=True)
    batch, base = widened(given), robot.n - len(robot.joint_names)
    idle = [*range(base), *(base + k for k in several_joints(robot.joint_names, passive, "passive"))]
    roots = np.sqrt(_wrench_weights(chosen, wrench_weights))
    weights = _torque_weights(robot, torque_weights)
    weights[idle] = 0.0
    state = [batch.rows[name] if batch.shape else batch.rows[name][0] for name in ("q", "qd", "qdd")]
    needed = inverse_dynamics(robot, *state, gravity=gravity, friction=friction, threads=threads)
    tau = needed.reshape(batch.samples, robot.n)
    if f_ext:
        tau -= with_pushed_torques(robot, batch, threads).rows["tau"]
    w = np.empty((batch.samples, len(roots)))
    for first in range(0, batch.samples, SLICE):
        part = slice(first, first + SLICE)
        J = chosen.jacobian(robot, state[0][part] if batch.shape else state[0], threads)
        J = J.reshape(len(w[part]), len(roots), robot.n)
        w[part] = _smallest(J / roots[:, None], tau[part], idle, weights) / roots
        tau[part] -= times(np.swapaxes(J, 1, 2), w[part])
    remainder = np.zeros_like(tau)
    remainder[:, idle], tau[:, idle] = tau[:, idle], 0.0
    wrenches = chosen.in_world(robot, batch.rows["q"], chosen.spread(w), threads)
    tau, wrenches, remainder = (shaped(x, given) for x in (tau, wrenches, remainder))
    return ContactTorques(tau, wrenches, remainder, chosen.names, robot.coordinate_names)


def _smallest(J: Floats, needed: Floats, idle: list[int], weights: Floats) -> Floats:
    """Return the smallest u (samples, m) of those for which J^T u comes closest to what is needed at idle coordinates.

    weights : (n,) of the squares of what is left at the others, added to the squares of u.

    Of the solutions u + P z of the first problem, with P the projection on motionless u, the second one selects z; its
    normal equations are regular, since u counts with weight one.
    """
    sound = np.isfinite(J).all(axis=(1, 2)) & np.isfinite(needed).all(axis=1)
    if not sound.all():
        u: Floats = np.full(J.shape[:2], np.nan)
        u[sound] = _smallest(J[sound], needed[sound], idle, weights)
        return u
    across = np.swapaxes(J[..., idle], 1, 2)
    inverse = _pseudo_inverse(across)
    u = times(inverse, needed[:, idle])
    counted = np.flatnonzero(weights)
    if counted.size and u.size:
        P = np.eye(u.shape[1]) - inverse @ across
        B = J[..., counted] * np.sqrt(weights[counted])
        slope = P @ B
        rest = needed[:, counted] * np.sqrt(weights[counted]) - times(np.swapaxes(B, 1, 2), u)
        normal = np.eye(u.shape[1]) + slope @ np.swapaxes(slope, 1, 2)
        u = u + times(P, np.linalg.solve(normal, times(slope, rest)[..., None])[..., 0])
    return u


def _pseudo_inverse(A: Floats) -> Floats:
    """Pseudo-inverse of matrices (k, rows, columns): by normal equations where these are regular, then refined once."""
    transposed = np.swapaxes(A, 1, 2)
    if not A.size:
        return transposed
    raised, weak = _raised(A @ transposed)
    inverse: Floats = transposed @ np.linalg.inv(raised)
    inverse += inverse @ (np.eye(A.shape[1]) - A @ inverse)
    if weak.any():
        inverse[weak] = np.linalg.pinv(A[weak], rcond=_IMPOSSIBLE)
    return inverse


def _raised(G: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    """Return the matrices (k, m, m) with a slightly larger diagonal, and which of them may be singular."""
    diagonal = np.diagonal(G, axis1=1, axis2=2)
    scale = np.maximum(diagonal, SINGULAR * diagonal.max(axis=1, keepdims=True))
    scale[scale <= 0] = 1.0
    raised = G + _RAISE * scale[:, :, None] * np.eye(G.shape[1])
    return raised, _weak(raised, _SUSPECT * scale)


def _weak(G: Floats, limits: Floats) -> NDArray[np.bool_]:
    """Return which of the matrices (k, m, m) have a pivot below its limit (k, m)."""
    try:
        factors = np.linalg.cholesky(G)
    except np.linalg.LinAlgError:
        half = len(G) // 2
        parts = (slice(None, half), slice(half, None))
        return np.concatenate([_weak(G[part], limits[part]) for part in parts]) if half else np.ones(1, bool)
    return np.asarray((np.diagonal(factors, axis1=1, axis2=2) ** 2 <= limits).any(axis=1))


def _wrench_weights(chosen: Contacts, weights: float | Mapping[str, ArrayLike]) -> Floats:
    """Return the weight of each number of the wrenches, (held,)."""
    found = np.ones((1, len(chosen.names), 6))
    if isinstance(weights, Mapping):
        for name, given in weights.items():
            if name not in chosen.names:
                known = ", ".join(chosen.names)
                raise ArgumentError(f"wrench_weights: {shown(name)} is not among the contacts {known}")
            found[0, chosen.names.index(name)] = _weights(
                f"wrench_weights[{name!r}]", given, 6, "positive", least=_LEAST
            )
    else:
        found[:] = _weights("wrench_weights", weights, None, "positive", least=_LEAST)
    held: Floats = chosen.gather(found)[0]
    return held


def _weights(argument: str, given: ArrayLike, count: int | None, words: str, least: float) -> Floats:
    """Return weights, one or `count` of them."""
    values = real_array(argument, given)
    if values.shape not in ((), (count,)) or not (np.isfinite(values) & (values >= least)).all():
        several = "" if count is None else f", or {count} of them"
        raise ArgumentError(f"{argument}: wanted a {words} number{several}, got {shown(given)}")
    return values


def _torque_weights(robot: Robot, weights: ArrayLike) -> Floats:
    """Return the weight of each torque, (n,); zero on the base."""
    found, joints = np.zeros(robot.n), len(robot.joint_names)
    found[robot.n - joints :] = _weights("torque_weights", weights, joints, "nonnegative", least=0.0)
    return found
