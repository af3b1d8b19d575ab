"""Check the fast functions on a robot against Lagrange's equations and against the laws of mechanics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rne.arrays import check_robot
from rne.edit import whole_number
from rne.identities import IDENTITIES, Identity, Motions
from rne.robot import Robot
from rne.sampling import random_positions, reach

CHUNK = 64  # samples at a time
ROOM = 1 << 23  # numbers at a time: the symbols D_ijk take n^3 a sample


@dataclass(frozen=True)
class Check:
    """How well one identity held.

    Attributes
    ----------
    name : the identity in words.
    deviation : the largest over all samples and joints, as a share of the torque scale of the joint (see `verify`); for
        "mass matrix is positive definite" it is minus the smallest eigenvalue.
    tolerance : the largest that passes.
    joint : where the deviation is largest; for an energy, the joint without whose motion the least of it is left. None
        if there is no deviation at all, or no joint to tell it of, as for potential energy.
    passed : whether the deviation is a number and within the tolerance.
    """

    name: str
    deviation: float
    tolerance: float
    joint: str | None
    passed: bool


@dataclass(frozen=True)
class Report:
    """What `verify` found; `str(report)` is a table with a verdict.

    Attributes
    ----------
    robot : name of the robot.
    samples, seed : how many states were drawn, and from which seed.
    checks : one for each identity.
    """

    robot: str
    samples: int
    seed: int
    checks: tuple[Check, ...]

    @property
    def ok(self) -> bool:
        """Whether every check passed."""
        return all(check.passed for check in self.checks)

    def __str__(self) -> str:
        width = max(len(check.name) for check in self.checks)
        lines = [f"{self.robot}: {self.samples} random states, seed {self.seed}"]
        lines.append(f"  {'identity':{width}}  deviation  tolerance  result  worst joint")
        for check in self.checks:
            result = "ok" if check.passed else "BROKEN"
            numbers = f"{check.deviation:9.1e}  {check.tolerance:9.1e}"
            lines.append(f"  {check.name:{width}}  {numbers}  {result:6}  {check.joint or '-'}")
        broken = [f"{check.name} ({check.joint or '-'})" for check in self.checks if not check.passed]
        verdict = f"NOT verified, broken: {'; '.join(broken)}" if broken else "verified: every identity holds"
        return "\n".join([*lines, verdict])


def verify(robot: Robot, *, samples: int = 100, seed: int = 0) -> Report:
    """Check the functions of rne on a robot: the recursion against Lagrange, and all of them by the laws of mechanics.

    States are drawn evenly within the limits of the joints (a turn, or a metre, either way where there are none).

    Deviations of torques are given as shares of the torque scale of the joint in that state, which is the sum of the
    sizes of all that contributes to it, sum_j |M_ij qdd_j| + sum_jk |D_ijk qd_j qd_k| + |g_i| and the spring, and at
    least a thousandth of the largest of the robot. So a light finger is held to its own torques, not to those of the
    shoulder.
    Energies are given as shares of what such sums come to, elements of matrices as shares of sqrt(M_ii M_jj).
    Identities that are exact but for rounding may deviate by 1e-9, those with a difference quotient by 1e-7. The
    smallest eigenvalue of the mass matrix, scaled to ones on its diagonal, must be above 1e-12: a robot whose forward
    dynamics has no answer is not verified.

    Parameters
    ----------
    robot : the robot.
    samples : how many states to draw.
    seed : of the generator that draws them; the same seed gives the same report.

    Returns
    -------
    report : `report.ok` tells whether all is well, `report.checks` the details, `str(report)` a table.

    Raises
    ------
    ArgumentError
        No robot, fewer than one sample, or a seed that is no whole number.

    Examples
    --------
    >>> import rne
    >>> report = rne.verify(rne.load("models/planar2/robot.dh.toml"), samples=10)
    >>> report.ok
    True
    >>> print(str(report).splitlines()[-1])
    verified: every identity holds
    """
    check_robot(robot)
    samples, seed = whole_number("samples", samples, 1), whole_number("seed", seed, 0)
    motions = _draw(robot, samples, np.random.default_rng(seed))
    return Report(robot.name, samples, seed, tuple(_check(identity, motions) for identity in IDENTITIES))


def _draw(robot: Robot, samples: int, rng: np.random.Generator) -> list[Motions]:
    speed = np.minimum(np.where(robot.velocity > 0, robot.velocity, np.inf), reach(robot))
    q = random_positions(robot, samples, rng)
    qd, qdd = (rng.uniform(-1.0, 1.0, (samples, robot.n)) * speed * k for k in (1, 2))
    size = max(1, min(CHUNK, ROOM // max(1, robot.n) ** 3))
    parts = [slice(k, k + size) for k in range(0, samples, size)]
    return [Motions(robot, q[part], qd[part], qdd[part]) for part in parts]


def _check(identity: Identity, chunks: list[Motions]) -> Check:
    worst, joint = -np.inf, None
    for motions in chunks:
        deviation = identity.deviation(motions)
        if deviation.size:
            place = np.unravel_index(np.argmax(deviation), deviation.shape)  # the first NaN, if there is one
            if not (deviation[place] <= worst or np.isnan(worst)):
                worst, joint = float(deviation[place]), _joint(identity, motions, place)
    if worst == -np.inf:  # no coordinate, nothing to break
        worst = min(0.0, identity.tolerance)
    elif worst == 0.0 <= identity.tolerance:
        joint = None
    return Check(identity.name, worst, identity.tolerance, joint, bool(worst <= identity.tolerance))


def _joint(identity: Identity, motions: Motions, place: tuple[Any, ...]) -> str | None:
    names = motions.robot.joint_names
    if len(place) > 1:
        return names[int(place[1])]
    left = identity.deviation(motions.each_joint_at_rest(int(place[0])))
    if not names or len(left) != len(names):  # nothing that moves, or motion makes no difference
        return None
    return names[int(np.argmin(np.where(np.isnan(left), np.inf, left)))]
