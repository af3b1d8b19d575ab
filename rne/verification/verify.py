"""Check the fast functions on a robot against Lagrange's equations and against the laws of mechanics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rne.batch.arguments import check_robot
from rne.check import whole_number
from rne.model.robot import Robot
from rne.model.sampling import random_positions, reach, velocity_limits
from rne.tables import Report
from rne.verification.identities import IDENTITIES, Identity, Motions
from rne.verification.kinematic_identities import KINEMATIC
from rne.verification.variants import VARIANTS

CHUNK = 64  # samples at a time: what is known of them takes n^2 a sample
CHECKS = (*IDENTITIES, *KINEMATIC, *VARIANTS)


@dataclass(frozen=True)
class IdentityCheck:
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

    Examples
    --------
    >>> import rne
    >>> rne.verify(rne.load("models/planar2/robot.dh.toml"), samples=2).checks[0].passed
    True
    """

    name: str
    deviation: float
    tolerance: float
    joint: str | None
    passed: bool


@dataclass(frozen=True, repr=False)
class Verification(Report):
    """What `verify` found; `str(report)` is a table with a verdict.

    Attributes
    ----------
    robot : name of the robot.
    samples, seed : how many states were drawn, and from which seed.
    checks : tuple of `IdentityCheck`, one for each identity.

    Examples
    --------
    >>> import rne
    >>> report = rne.verify(rne.load("models/planar2/robot.dh.toml"), samples=2)
    >>> report.ok, report.to_dict()["checks"][1]["name"]
    (True, 'friction is that of Lagrange')
    """

    DERIVED: ClassVar = ("ok",)

    robot: str
    samples: int
    seed: int
    checks: tuple[IdentityCheck, ...]

    @property
    def ok(self) -> bool:
        """Whether every check passed."""
        return all(check.passed for check in self.checks)

    def _table(self) -> str:
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


def verify(robot: Robot, *, samples: int = 100, seed: int = 0) -> Verification:
    """Check the functions of rne on a robot: the recursion against Lagrange, and all of them by the laws of mechanics.

    Looked at are inverse and forward dynamics by both methods, friction, gravity and Coriolis torques, mass matrix and
    its inverse, Coriolis matrix and Christoffel symbols, energies, poses, Jacobians, velocities and accelerations of
    frames, the center of mass, wrenches (static torques, and those in the joints) and the regressor; every one of them
    for single states and for batches, in float64 and in float32. Not looked at are `simulate` and the controllers,
    which integrate the same functions, and options that only choose among these.

    States are drawn evenly within the limits of the joints and of those that follow them (half a turn, or a meter,
    either way where there are none). They are taken some at a time: memory does not grow with their number.

    Deviations of torques are given as shares of the torque scale of the joint in that state, which is the sum of the
    sizes of all that contributes to it, sum_j |M_ij qdd_j| + sum_jk |D_ijk qd_j qd_k| + |g_i| and the spring, and at
    least a thousandth of the largest of the robot. So a light finger is held to its own torques, not to those of the
    shoulder.
    Energies are given as shares of what such sums come to, elements of matrices as shares of sqrt(M_ii M_jj).
    What belongs to frames is measured by the largest of its kind in some dozens of states, accelerations and inverses
    by what rounding does to them where the mass matrix is weakest.
    Identities that are exact but for rounding may deviate by 1e-9, those with a difference quotient by 1e-7, results
    in float32 by 1e-3. The
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
    rng = np.random.default_rng(seed)
    speed = np.minimum(velocity_limits(robot), reach(robot))
    q = random_positions(robot, samples, rng)
    qd, qdd = (rng.uniform(-1.0, 1.0, (samples, robot.n)) * speed * k for k in (1, 2))
    worst = [_Worst(identity) for identity in CHECKS]
    for first in range(0, samples, CHUNK):
        part = slice(first, first + CHUNK)
        motions = Motions(robot, q[part], qd[part], qdd[part])
        for found in worst:
            found.look_at(motions)
    return Verification(robot.name, samples, seed, tuple(found.check() for found in worst))


class _Worst:
    """The worst deviation from an identity so far."""

    def __init__(self, identity: Identity) -> None:
        self._identity, self._deviation = identity, -np.inf
        self._joint: str | None = None

    def look_at(self, motions: Motions) -> None:
        """Compare it with the deviations in some more states."""
        deviation = self._identity.deviation(motions)
        if deviation.size:
            place = np.unravel_index(np.argmax(deviation), deviation.shape)  # the first NaN, if there is one
            if not (deviation[place] <= self._deviation or np.isnan(self._deviation)):
                self._deviation, self._joint = float(deviation[place]), _joint(self._identity, motions, place)

    def check(self) -> IdentityCheck:
        """Return what was found in all of them."""
        worst, joint, tolerance = self._deviation, self._joint, self._identity.tolerance
        if worst == -np.inf:  # no coordinate, nothing to break
            worst = min(0.0, tolerance)
        elif worst == 0.0 <= tolerance:
            joint = None
        return IdentityCheck(self._identity.name, worst, tolerance, joint, bool(worst <= tolerance))


def _joint(identity: Identity, motions: Motions, place: tuple[Any, ...]) -> str | None:
    names = motions.robot.joint_names
    if len(place) > 1:
        return names[int(place[1])]
    if not identity.by_motion:
        return None
    left = identity.deviation(motions.each_joint_at_rest(int(place[0])))
    if not names or len(left) != len(names):  # nothing that moves, or motion makes no difference
        return None
    return names[int(np.argmin(np.where(np.isnan(left), np.inf, left)))]
