"""Joint stops of simulations with adaptive steps; the rules are those of `rne.kernels.events`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rne.batch.arguments import Batch, Floats, as_table
from rne.dynamics.mass_matrix import refuse_singular
from rne.dynamics.stiction import Rough, rubbing
from rne.kernels import dry_friction as at
from rne.kernels.entries import ROUGH_STAGE, STILL
from rne.kernels.stages import IMPULSES
from rne.model.floating import beside_rates
from rne.model.robot import Robot
from rne.simulation.diagnosis import nearly_singular

Array = NDArray[np.float64]

# A step so short that nothing moves in it: only impulses act.
_INSTANT = 1e-300


class Stops:
    """The stops of one simulation between two events; there may be none."""

    def __init__(self, robot: Robot, rough: Rough) -> None:
        self._robot, self._rough = robot, rough
        self._lower, self._upper = rough.limits[at.LOWER], rough.limits[at.UPPER]
        self._rigid, self._soft = rough.limits[at.RESTITUTION] >= 0, rough.limits[at.STIFFNESS] > 0
        self._stiffness, self._damping = rough.limits[at.STIFFNESS], rough.limits[at.DAMPING]
        self.any = bool(self._rigid.any() or self._soft.any())
        self._start = np.zeros(robot.n)
        self._contacts = np.zeros(robot.n)

    def begin(self, y: Array, flight: float, spare: float, table: Floats | None) -> Array:
        """Let joints rebound that run into a rigid stop, and find the soft stops that push; returns the state.

        flight : time since the last event, s. A joint that has not moved further than `spare` since then rests.
        """
        if not self.any:
            return y
        nq, n, y = self._robot.nq, self._robot.n, y.copy()
        q, qd = beside_rates(self._robot, y[:nq]), y[nq : nq + n]
        hit = self._rigid & (((q >= self._upper) & (qd > 0)) | ((q <= self._lower) & (qd < 0)))
        if hit.any():
            self._impact(y, table)
            if flight > 0 and float(np.abs(qd[hit]).max()) * flight < spare:
                qd[hit] = 0.0
        depth, speed, side = self._depth(q, qd)
        pushes = self._stiffness * depth + self._damping * speed >= 0
        inside = (depth > 0) | ((depth == 0) & (speed > 0))
        self._contacts = np.where(self._soft & inside & pushes, side, 0.0)
        self._start = q.copy()
        return y

    def _impact(self, y: Array, table: Floats | None) -> None:
        nq, n = self._robot.nq, self._robot.n
        state, when = y[None, : nq + n].copy(), np.full(1, np.nan)
        motion, push = np.zeros((2, 1, nq)), np.zeros((2, 1, n))
        buffer = np.zeros((1, at.room_size.py_func(n, nq)))
        dynamics = rubbing(as_table(self._robot, "float64") if table is None else table, self._rough)
        part = (IMPULSES, 0, 0.0, _INSTANT)
        ROUGH_STAGE.call(part, dynamics, (False, STILL.compiled()), state, buffer, motion, push, when)
        if not np.isnan(when[0]):
            refuse_singular(self._robot, Batch((), "float64", {"q": y[None, :nq]}), np.ones(1, np.uint8))
            raise nearly_singular(self._robot, y[:nq])
        y[nq : nq + n] = state[0, nq:]

    def _depth(self, q: Array, qd: Array) -> tuple[Array, Array, Array]:
        """How deep each joint is in the nearer stop, how fast it goes in, and on which side that is."""
        upper, lower = q - self._upper, self._lower - q
        side = np.where(upper > lower, 1.0, -1.0)
        depth = np.maximum(np.where(side > 0, upper, lower), -1e200)  # finite where there is no stop
        return depth, side * qd, side

    def pushing(self, q: Array, qd: Array) -> Array:
        """Torques of soft stops that push; q (nq,) here and below."""
        tau, there = np.zeros(qd.size), self._contacts != 0
        if not there.any():
            return tau
        q = beside_rates(self._robot, q)
        stop = np.where(self._contacts > 0, self._upper, self._lower)[there]
        tau[there] = -(self._stiffness[there] * (q[there] - stop) + self._damping[there] * qd[there])
        return tau

    def margins(self, q: Array, qd: Array, spare: float) -> Array:
        """Numbers (n,) that are negative beyond an event, m or rad; `spare` for those that begin at zero."""
        margins, q = np.full(qd.size, np.inf), beside_rates(self._robot, q)
        if self._rigid.any():
            upper, lower = self._upper - q, q - self._lower
            upper = np.where(self._start >= self._upper, np.maximum(upper, spare - qd), upper)
            lower = np.where(self._start <= self._lower, np.maximum(lower, spare + qd), lower)
            margins = np.where(self._rigid, np.minimum(upper, lower), margins)
        if self._soft.any():
            depth, speed, side = self._depth(q, qd)
            touching = self._contacts != 0
            same = np.where(touching & (self._contacts != side), -1.0, 1.0)
            delay = self._damping / np.where(self._soft, self._stiffness, 1.0)
            inside = np.where(same > 0, depth + delay * speed, -1.0)
            outside = -np.minimum(depth, depth + delay * speed)
            margins = np.where(self._soft, np.where(touching, inside, outside) + spare, margins)
        return margins

    def meet(self, q: Array, qd: Array, spare: float) -> None:
        """Set positions at an event exactly to a rigid stop where they have come to one, within `spare`."""
        q = beside_rates(self._robot, q)
        upper = self._rigid & (q > self._upper - spare) & (qd > 0) & (self._upper >= self._start)
        lower = self._rigid & (q < self._lower + spare) & (qd < 0) & (self._lower <= self._start)
        q[:] = np.where(upper, self._upper, np.where(lower, self._lower, q))

    def reach(self, q: Array) -> tuple[Array, Array]:
        """Largest forces against positive and against negative motion of joints at rest."""
        q, (up, down) = beside_rates(self._robot, q), self._rough.limits[[at.UP, at.DOWN]]
        up = np.where(self._rigid & (q >= self._upper), np.inf, up)
        return up, np.where(self._rigid & (q <= self._lower), np.inf, down)
