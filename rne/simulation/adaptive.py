"""Simulations with the adaptive steps of scipy, from event to event of dry friction."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rne.batch.arguments import Batch, Floats, as_table
from rne.dynamics.forward_dynamics import forward_dynamics
from rne.dynamics.inverse_dynamics import inverse_dynamics
from rne.dynamics.mass_matrix import mass_matrix, refuse_singular
from rne.dynamics.stiction import Rough, accelerations
from rne.errors import ArgumentError, SingularError, needing
from rne.kernels import flight
from rne.kernels.complementarity import FREE, STUCK
from rne.kernels.control import ALMOST_REST
from rne.kernels.sampling import HELD, OUT
from rne.model.floating import QUATERNION
from rne.model.robot import Robot
from rne.simulation.diagnosis import cause, nearly_singular, with_some_inertia
from rne.simulation.loads import Loads
from rne.simulation.python_loop import SampledLoop, asked, telling
from rne.simulation.schedule import Schedule
from rne.simulation.stops import Stops

Array = NDArray[np.float64]
Function = Callable[..., Any]

# Called with (sample, t, q, qd, integral); returns torques and the rates of the integrals of the controller.
Ask = Callable[[int, float, Array, Array, Array], tuple[Array, Array]]

# Evaluations of the dynamics to a step of DOP853.
_EVALUATIONS = 12
# Decays of the fastest damping in one motion beyond which steps are implicit.
_STIFF = 3e4


def split(robot: Robot, y: Array) -> tuple[Array, Array, Array]:
    """Return positions, velocities and integrals of a controller in y (..., size), as views."""
    nq, n = robot.nq, robot.n
    return y[..., :nq], y[..., nq : nq + n], y[..., nq + n :]


def normalized(robot: Robot, y: Array) -> Array:
    """Return y (..., size) with quaternions of unit length; a base that is fixed has none."""
    if not robot.floating:
        return y
    y = y.copy()
    y[..., QUATERNION] /= np.linalg.norm(y[..., QUATERNION], axis=-1, keepdims=True)
    return y


def position_rates(robot: Robot, q: Array, qd: Array) -> Array:
    """Return the rates (nq,) of positions: of a base that floats, those of its pose in world axes."""
    if not robot.floating:
        return qd
    rates = np.empty(robot.nq)
    flight.position_rates.py_func(q, qd, rates)
    return rates


class Tolerances(NamedTuple):
    """What the caller allows: relative and absolute errors, steps, and the longest step, s."""

    rtol: float
    atol: float
    max_steps: int
    step: float


def asking_function(function: Function) -> Ask:
    """Wrap a function, which has no integrals, as `Ask`."""
    return lambda _, t, q, qd, integral: (asked(function, t, q, qd), integral)


class _Motion:
    """The differential equation of one simulation between two events."""

    def __init__(
        self, robot: Robot, rough: Rough | None, ask: Ask | None, sample: int, limits: Tolerances, loads: Loads
    ) -> None:
        self._robot, self._rough, self._limits, self._loads = robot, rough, limits, loads
        self._ask, self._sample = ask, sample
        self._left = limits.max_steps * _EVALUATIONS
        self.held: Function = _constant(np.zeros(robot.n))
        self.push: Function | None = None
        self.stops = None if rough is None else Stops(robot, rough)
        self.modes: Array | None = None
        self.table: Floats | None = None
        self.spare = self._scale = 0.0

    def torques(self, t: float, y: Array) -> tuple[Array, Array]:
        """Torques at a time, and rates of the integrals; the held torques without a controller."""
        q, qd, integrals = split(self._robot, y)
        if self._ask is None:
            return self.held(t), np.zeros(integrals.size)
        return self._ask(self._sample, t, q, qd, integrals)

    def _found(self, t: float, y: Array) -> tuple[Array, Array, Array, Array]:
        """Accelerations, modes, holding forces, and rates of the integrals."""
        q, qd, _ = split(self._robot, y)
        seen = y
        if self.modes is not None:  # as in `rne.kernels.dry_friction.fill_seen`
            sliding = (self.modes != FREE) & (self.modes != STUCK) & (self.modes * qd < ALMOST_REST)
            seen = y.copy()
            split(self._robot, seen)[1][sliding] = ALMOST_REST * self.modes[sliding]
        tau, rates = self.torques(t, seen)
        if self.push is not None:
            tau = tau + self._loads.torques(q[None], self.push(t)[None])[0]
        if self.stops is not None:
            tau = tau + self.stops.pushing(q, qd)
        if self._rough is None:
            return forward_dynamics(self._robot, q, qd, tau), qd, qd, rates
        modes = None if self.modes is None else self.modes[None]
        given = (q[None], qd[None], tau[None], modes)
        qdd, modes, forces, marks = accelerations(self._robot, self._rough, *given, table=self.table)
        if marks[0]:
            refuse_singular(self._robot, Batch((), "float64", {"q": q[None]}), marks)
            raise nearly_singular(self._robot, q)
        return qdd[0], modes[0], forces[0], rates

    def rate(self, t: float, y: Array) -> Array:
        """Rates of positions, velocities and integrals."""
        self._left -= 1
        y = normalized(self._robot, y)
        q, qd, _ = split(self._robot, y)
        if self._left < 0:
            if not np.isfinite(y).all():
                wanted = "a slower motion" if self._ask is None else "finite torques of the controller"
                raise ArgumentError(
                    f"{'qd0' if self._ask is None else 'tau'}: the motion does not stay finite within "
                    f"{self._limits.max_steps} adaptive steps; wanted {wanted}"
                )
            what = cause(self._robot, q, qd, 1e-3, None if self._rough is None else self._rough.damping)
            raise ArgumentError(
                f"max_steps: {self._limits.max_steps} adaptive steps reach t = {t:g} s only: {what}; "
                "give more of them or a larger rtol, or take method='rk4', whose steps are implicit in the damping"
            )
        if not np.isfinite(y).all():
            return np.full_like(y, np.nan)
        with telling(t):
            qdd, _, _, rates = self._found(t, y)
        return np.concatenate([position_rates(self._robot, q, qd), qdd, rates])

    def begin(self, t: float, y: Array, flight: float) -> Array:
        """Let rigid stops act, and find the modes of all joints; returns the state. `flight`: time since an event."""
        self.modes = None
        self.spare = max(self._limits.atol, 1e-12 * (1.0 + float(np.abs(y).max(initial=0.0))))
        if self._rough is not None and self.stops is not None:
            with telling(t):
                y = self.stops.begin(y, flight, self.spare, self.table)
                tau, (q, qd, _) = self.torques(t, y)[0], split(self._robot, y)
                self._scale = float(np.abs([tau, inverse_dynamics(self._robot, q, qd)]).max(initial=0.0))
                self.modes = self._found(t, y)[1]
        return y

    def has_events(self) -> bool:
        """Whether an event can end the motion."""
        return self.modes is not None and bool((self.modes != FREE).any() or (self.stops and self.stops.any))

    def margins(self, t: float, y: Array) -> Array:
        """Numbers (n,) that are negative beyond an event; infinite where there can be none.

        Those of joints that just began to slide are zero; `spare` makes them positive, so that they are no events.
        """
        assert self.modes is not None
        assert self._rough is not None
        assert self.stops is not None
        modes, margins, y = self.modes, np.full(self._robot.n, np.inf), normalized(self._robot, y)
        q, qd, _ = split(self._robot, y)
        sliding, stuck = (modes != FREE) & (modes != STUCK), modes == STUCK
        margins[sliding] = (modes * qd)[sliding] + self.spare
        margins = np.minimum(margins, np.where(stuck, np.inf, self.stops.margins(q, qd, self.spare)))
        if stuck.any():
            forces = self._found(t, y)[2]
            up, down = self.stops.reach(q)
            slack = 1e-9 * np.minimum(up, down) + 1e-12 * (np.abs(forces) + self._scale)
            margins[stuck] = (np.minimum(forces + up, down - forces) + slack)[stuck]
        found: Array = margins
        return found

    def end(self, y: Array) -> Array:
        """Return the state at an event: joints that stopped are at rest, those at a rigid stop exactly there."""
        assert self.modes is not None
        assert self.stops is not None
        y = y.copy()
        q, qd, _ = split(self._robot, y)
        qd[(self.modes != FREE) & (self.modes != STUCK) & (self.modes * qd <= 0.0)] = 0.0
        self.stops.meet(q, qd, self.spare)
        return y


def _constant(tau: Array) -> Function:
    return lambda _: tau


def _ramp(begin: float, end: float, tau: Array, later: Array) -> Function:
    return lambda t: tau + (t - begin) / (end - begin) * (later - tau)


def adaptive(
    robot: Robot,
    schedule: Schedule,
    shape: tuple[int, ...],
    ask: Ask | None,
    integrals: int,
    paths: tuple[Array, Array, Array],
    rough: Rough | None,
    limits: Tolerances,
) -> None:
    """Integrate one simulation after the other, each with its own steps; without `ask`, torques are held."""
    last = len(schedule.times) - 1
    for sample, (q, qd, tau) in enumerate(zip(*paths, strict=True)):
        sampled = schedule.sampling.period > 0
        motion = _Motion(robot, rough, None if sampled else ask, sample, limits, schedule.loads)
        loop = _Sampling(robot, schedule, ask, sample) if sampled and ask is not None else None
        held = schedule.held[sample]
        rows = schedule.events[HELD]
        tau[:] = held[rows[schedule.events[OUT] >= 0]]
        # No step may cross a jump.
        jumps = [k for k in np.flatnonzero(schedule.jumps).tolist() if 0 < k < last]
        y = np.concatenate([q[0], qd[0], np.zeros(integrals)])
        for k, end in itertools.pairwise([0, *jumps, last]) if last else [(0, 0)]:
            t, later = float(schedule.times[k]), float(schedule.times[end])
            if loop is not None:
                loop.reach(t, k, y)
                motion.held = _constant(loop.command.copy())
            elif schedule.linear and end > k:
                motion.held = _ramp(t, later, held[rows[k]], held[rows[end]])
            else:
                motion.held = _constant(held[rows[k]])
            if not np.isfinite(np.concatenate([y, motion.held(t)])).all():
                out = schedule.events[OUT, k + 1 :]
                q[out[out > 0]], qd[out[out > 0]] = np.nan, np.nan
                break  # scipy would search for a step forever
            if schedule.loads:
                motion.push = schedule.loads.function(t, later, shape, sample)
            times = schedule.times[k : end + 1]
            try:
                path = _between(motion, times, y, limits, rough, robot)
            except SingularError as error:
                if rough is None or not rough.damped or motion.table is not None:
                    raise
                motion.table = with_some_inertia(robot, as_table(robot, "float64"), error)
                path = _between(motion, times, y, limits, rough, robot)
            out = schedule.events[OUT, k : end + 1]
            for row, at, state in zip(out, times.tolist(), path, strict=True):
                if row >= 0:
                    q[row], qd[row], _ = split(robot, state)
                    tau[row] = motion.torques(at, state)[0]
            y = path[-1]
        if loop is not None and last:
            loop.reach(float(schedule.times[last]), last, y)
            tau[-1] = loop.command
        elif ask is None:
            tau[-1] = held[rows[last]]
        if ask is not None and not np.isfinite(y).all():
            tau[:] = np.nan


class _Sampling:
    """A sampled controller of one simulation; the integrals of its law are in the state."""

    def __init__(self, robot: Robot, schedule: Schedule, ask: Ask, sample: int) -> None:
        self._robot, self._schedule = robot, schedule
        self._rates = np.zeros(0)
        self._integral = np.zeros(0)

        def asking(t: float, q: Array, qd: Array) -> Array:
            tau, self._rates = ask(sample, t, q, qd, self._integral)
            return tau

        self._loop = SampledLoop(asking, schedule.sampling, (robot.n,))

    @property
    def command(self) -> Array:
        """Torques that act."""
        return self._loop.command

    def reach(self, t: float, k: int, y: Array) -> None:
        """Come to time k of the schedule; changes the integrals in the state."""
        q, qd, self._integral = split(self._robot, y)
        self._rates = np.zeros(self._integral.size)
        self._loop.reach(t, self._schedule.events[:, k], q, qd)
        self._integral += self._schedule.sampling.period * self._rates


def _between(motion: _Motion, times: Array, y: Array, limits: Tolerances, rough: Rough | None, robot: Robot) -> Array:
    """Return the states (T, size) at some times, across events of friction."""
    with needing("scipy", "method: 'adaptive' needs"):
        from scipy.integrate import solve_ivp
    path, t, done, since = np.empty((len(times), len(y))), float(times[0]), 1, -np.inf
    path[0] = y
    method = "Radau"
    if motion.table is None:
        method = _integrator(robot, rough, y[: robot.nq], float(times[-1] - times[0]))
    while done < len(times):
        y = motion.begin(t, y, t - since)
        since = t
        event = _event(motion) if motion.has_events() else None
        solution = solve_ivp(
            motion.rate, (t, times[-1]), y, method, times[done:],
            events=event, rtol=max(limits.rtol, 3e-14), atol=limits.atol, max_step=limits.step,
        )  # fmt: skip
        if not solution.success:
            raise ArgumentError(f"method: the integrator of scipy failed: {solution.message}")
        found = len(solution.t)
        if found:
            path[done : done + found] = normalized(robot, solution.y.T)
        done += found
        if solution.status != 1:
            break
        t, y = float(solution.t_events[0][0]), motion.end(normalized(robot, solution.y_events[0][0]))
        while done < len(times) and times[done] <= t:
            path[done] = y
            done += 1
    return path


def _event(motion: _Motion) -> Function:
    def margin(t: float, y: Array) -> float:
        return float(motion.margins(t, y).min())

    margin.terminal, margin.direction = True, -1  # type: ignore[attr-defined]
    return margin


def _integrator(robot: Robot, rough: Rough | None, q: Array, span: float) -> str:
    """Return "Radau" if the damping is stiff for the length of a motion, otherwise "DOP853"."""
    if rough is None or not rough.damped:
        return "DOP853"
    rates = np.linalg.eigvals(np.linalg.pinv(mass_matrix(robot, q)) @ rough.damping)
    return "Radau" if float(np.abs(rates).max(initial=0.0)) * span > _STIFF else "DOP853"
