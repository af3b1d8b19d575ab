"""Limits of the joints that a simulated motion passed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rne.model.robot import Robot
from rne.tables import Part, Report, cells, titled

Array = NDArray[np.float64]

KINDS = ("lower", "upper", "velocity", "effort")


@dataclass(frozen=True, eq=False, repr=False)
class LimitsPassed(Report):
    """Limits that a motion passed, as `Simulation.limits` returns it; printing shows a table of those alone.

    The motion is looked at where it was recorded, at the times of the simulation.

    Attributes
    ----------
    robot : the robot.
    joints : names of the joints: those of `robot.joint_names`, then the joints that mimic others, which have no limit
        of effort here.
    excess : (..., 4, joints) by how much each limit was passed at most: lower and upper limit of the position, limits
        of velocity and effort; rad, m, rad/s, m/s, N m or N. Zero where it was kept, or where there is none.
    first, last : (..., 4, joints) first and last time at which the motion was beyond it, s; NaN where it was kept.
    peak : (..., 4, joints) time of the largest excess, s; NaN where it was kept.

    Examples
    --------
    >>> import rne
    >>> arm = rne.load_model("panda")
    >>> fall = rne.simulate(arm, [0.0, -0.8, 0.0, -2.4, 0.0, 1.6, 0.8, 0.02], t=[0.0, 0.2, 0.4])
    >>> bool(fall.limits), fall.limits.excess.shape
    (True, (4, 9))
    """

    robot: Robot
    joints: tuple[str, ...]
    excess: Array
    first: Array
    last: Array
    peak: Array

    def __bool__(self) -> bool:
        """Whether any limit was passed."""
        return bool((self.excess > 0).any())

    def _parts(self) -> list[Part]:
        if not self:
            return ["all limits were kept"]
        n = len(self.joints)
        many = self.excess.shape[:-2]
        excess, first, last, peak = (x.reshape(-1, 4, n) for x in (self.excess, self.first, self.last, self.peak))
        rows: dict[str, list[str]] = {name: [] for name in ("joint", "limit", "by", "unit", "from", "to", "most at")}
        for j, name in enumerate(self.joints):
            slides = self.robot.joint(name).kind == "prismatic"
            units = [*["m" if slides else "rad"] * 2, "m/s" if slides else "rad/s", "N" if slides else "N m"]
            for k, (kind, unit) in enumerate(zip(KINDS, units, strict=True)):
                passed = excess[:, k, j] > 0
                if passed.any():
                    s = int(excess[:, k, j].argmax())
                    times = [np.nanmin(first[passed, k, j]), np.nanmax(last[passed, k, j]), peak[s, k, j]]
                    texts = (name, kind, *cells(excess[s : s + 1, k, j]), unit, *cells(np.array(times), " s"))
                    for row, text in zip(rows.values(), texts, strict=True):
                        row.append(text)
        head = "limits that were passed"
        if many:
            count = int((excess > 0).any(axis=(1, 2)).sum())
            head += f" by {count} of {len(excess)} simulations, with the largest excess of them"
        return [head, titled(rows, left=["limit", "unit"])]


def limits_passed(robot: Robot, t: Array, q: Array, qd: Array, tau: Array) -> LimitsPassed:
    """Compare a motion with the limits of its robot; t (T,), q (..., T, nq), the others (..., T, n)."""
    links, names = robot.links, robot.joint_names
    joints = (*names, *(name for name in links.joints if name not in names))
    rows = [links.joints.index(name) for name in joints]
    ratios, leaders = links.ratios[rows], links.leaders[rows]
    q, qd = ratios * q[..., leaders + robot.nq - robot.n] + links.shifts[rows], ratios * qd[..., leaders]
    tau = np.where(np.arange(len(joints)) < len(names), tau[..., leaders], 0.0)
    bounds = [robot.joint(name).limits for name in joints]
    lower, upper, speed, effort = np.array([[b.lower, b.upper, b.velocity, b.effort] for b in bounds]).reshape(-1, 4).T
    beyond = np.stack([lower - q, q - upper, np.abs(qd) - speed, np.abs(tau) - effort], axis=-3)
    # What is rounding of a motion along a limit does not count.
    scale = np.stack([lower, upper, speed, effort])
    slack = 1e-9 * np.where(np.isfinite(scale), np.maximum(np.abs(scale), 1.0), 0.0)[:, None, :]
    passed = beyond > slack
    excess = np.where(passed, beyond, 0.0).max(axis=-2)
    some = passed.any(axis=-2)
    first = np.where(some, t[passed.argmax(axis=-2)], np.nan)
    last = np.where(some, t[len(t) - 1 - passed[..., ::-1, :].argmax(axis=-2)], np.nan)
    peak = np.where(some, t[np.where(passed, beyond, -np.inf).argmax(axis=-2)], np.nan)
    return LimitsPassed(robot, joints, excess, first, last, peak)
