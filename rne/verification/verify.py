"""Verify the fast functions on a robot against Lagrange's equations and the laws of mechanics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rne.batch.arguments import check_robot
from rne.check import whole_number
from rne.model.floating import beside_rates
from rne.model.robot import Robot
from rne.model.sampling import random_positions, reach, velocity_limits
from rne.tables import Part, Report, titled
from rne.verification.derivative_identities import DERIVATIVES
from rne.verification.identities import IDENTITIES, Identity, Motions
from rne.verification.kinematic_identities import KINEMATIC
from rne.verification.variants import VARIANTS

CHUNK = 64  # samples at a time; cached quantities take n^2 numbers per sample
CHECKS = (*IDENTITIES, *KINEMATIC, *DERIVATIVES, *VARIANTS)


@dataclass(frozen=True)
class IdentityCheck:
    """Result of the check of one identity.

    Attributes
    ----------
    name : description of the identity.
    deviation : largest relative deviation over all samples and joints (see `verify`); for "mass matrix is positive
        definite", minus the smallest eigenvalue.
    tolerance : the largest deviation that passes.
    joint : joint with the largest deviation; for an energy, the joint whose rest reduces the deviation most. None if
        the deviation is zero, or belongs to no joint, as for potential energy.
    passed : whether the deviation is a number within the tolerance.

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
    """Report of `verify`; printing shows a table with a verdict.

    Attributes
    ----------
    robot : name of the robot.
    samples, seed : number of random states, and seed of the generator.
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

    def _parts(self) -> list[Part]:
        head, *_, verdict = self._page().splitlines()
        checks = {
            "identity": [check.name for check in self.checks],
            "deviation": [f"{check.deviation:.1e}" for check in self.checks],
            "tolerance": [f"{check.tolerance:.1e}" for check in self.checks],
            "result": [_result(check) for check in self.checks],
            "worst joint": [check.joint or "-" for check in self.checks],
        }
        return [head, titled(checks, left=["result", "worst joint"]), verdict]

    def _page(self) -> str:
        width = max(len(check.name) for check in self.checks)
        lines = [f"{self.robot}: {self.samples} random states, seed {self.seed}"]
        lines.append(f"  {'identity':{width}}  deviation  tolerance  result  worst joint")
        for check in self.checks:
            numbers = f"{check.deviation:9.1e}  {check.tolerance:9.1e}"
            lines.append(f"  {check.name:{width}}  {numbers}  {_result(check):6}  {check.joint or '-'}")
        broken = [f"{check.name} ({check.joint or '-'})" for check in self.checks if not check.passed]
        verdict = f"NOT verified, broken: {'; '.join(broken)}" if broken else "verified: every identity holds"
        return "\n".join([*lines, verdict])


def _result(check: IdentityCheck) -> str:
    return "ok" if check.passed else "BROKEN"


def verify(robot: Robot, *, samples: int = 100, seed: int = 0) -> Verification:
    """Verify the functions of rne on a robot against Lagrange's equations and the laws of mechanics.

    The checks cover inverse and forward dynamics (both methods), friction, gravity and Coriolis torques, the mass
    matrix and its inverse, the Coriolis matrix and Christoffel symbols, energies, poses, Jacobians, velocities and
    accelerations of frames, the center of mass, static torques, joint wrenches, the regressor, and the derivatives and
    gradients of torques, accelerations, gravity and Jacobians, each for single states and for batches, in float64 and
    in float32. They do not cover `simulate` and the controllers, which build on the same functions. With a floating
    base, the reference are Kane's equations, and there are no Christoffel symbols.

    States are drawn uniformly within the limits of the joints and of their mimic joints, or within half a turn or one
    meter either way without limits; a base that floats is in any orientation, within a meter of the origin. They are
    processed in chunks, so memory does not grow with their number.

    Deviations of torques are relative to the torque scale of the joint in that state: the sum of the absolute values of
    all contributions, ``sum_j |M_ij qdd_j| + sum_jk |D_ijk qd_j qd_k| + |g_i| + |spring_i|``, and at least a thousandth
    of the largest scale of the robot. A light finger is thus judged by its own torques, not by those of the shoulder.
    Energies are relative to the corresponding sums, elements of matrices to sqrt(M_ii M_jj), and quantities of frames
    to the largest of their kind in a chunk. Accelerations and inverses are relative to the effect of rounding at the
    smallest eigenvalue of the mass matrix.

    Tolerances are 1e-9 for identities that are exact up to rounding, 1e-7 for those with a difference quotient, and
    1e-3 for results in float32. The smallest eigenvalue of the mass matrix, scaled to a unit diagonal, must be above
    1e-12: a robot without unique forward dynamics is not verified.

    Parameters
    ----------
    robot : the robot.
    samples : number of random states.
    seed : seed of the random generator; the same seed gives the same report.

    Returns
    -------
    report : Verification
        `report.ok` is the verdict, `report.checks` holds the details, and ``print(report)`` shows a table.

    Raises
    ------
    ArgumentError
        `robot` is not a Robot, `samples` is below one, or `seed` is not a nonnegative whole number.

    Examples
    --------
    >>> import rne
    >>> report = rne.verify(rne.load("models/planar2/robot.dh.toml"), samples=10)
    >>> report.ok
    True
    >>> print(str(report).splitlines()[-1])
    verified: every identity holds
    """
    check_robot(robot, floating=True)
    samples, seed = whole_number("samples", samples, 1), whole_number("seed", seed, 0)
    rng = np.random.default_rng(seed)
    speed = np.minimum(velocity_limits(robot), beside_rates(robot, reach(robot)))
    q = random_positions(robot, samples, rng)
    qd, qdd = (rng.uniform(-1.0, 1.0, (samples, robot.n)) * speed * k for k in (1, 2))
    worst = [_Worst(identity) for identity in CHECKS if not (robot.floating and identity.fixed)]
    for first in range(0, samples, CHUNK):
        part = slice(first, first + CHUNK)
        motions = Motions(robot, q[part], qd[part], qdd[part])
        for found in worst:
            found.look_at(motions)
    return Verification(robot.name, samples, seed, tuple(found.check() for found in worst))


class _Worst:
    """Largest deviation from an identity so far."""

    def __init__(self, identity: Identity) -> None:
        self._identity, self._deviation = identity, -np.inf
        self._joint: str | None = None

    def look_at(self, motions: Motions) -> None:
        """Update it with the deviations in more states."""
        deviation = self._identity.deviation(motions)
        if deviation.size:
            place = np.unravel_index(np.argmax(deviation), deviation.shape)  # the first NaN, if there is one
            if not (deviation[place] <= self._deviation or np.isnan(self._deviation)):
                self._deviation, self._joint = float(deviation[place]), _joint(self._identity, motions, place)

    def check(self) -> IdentityCheck:
        """Return the result for all states so far."""
        worst, joint, tolerance = self._deviation, self._joint, self._identity.tolerance
        if worst == -np.inf:  # no coordinates, nothing to check
            worst = min(0.0, tolerance)
        elif worst == 0.0 <= tolerance:
            joint = None
        return IdentityCheck(self._identity.name, worst, tolerance, joint, bool(worst <= tolerance))


def _joint(identity: Identity, motions: Motions, place: tuple[Any, ...]) -> str | None:
    names = motions.robot.coordinate_names
    if len(place) > 1:
        return names[int(place[1])]
    if not identity.by_motion:
        return None
    left = identity.deviation(motions.each_joint_at_rest(int(place[0])))
    if not names or len(left) != len(names):  # nothing moves, or the deviation does not depend on motion
        return None
    return names[int(np.argmin(np.where(np.isnan(left), np.inf, left)))]
