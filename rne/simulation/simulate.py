"""Motion from torques: forward dynamics integrated over time."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rne.batch.arguments import check_robot, settle
from rne.batch.named import as_times, coordinates
from rne.check import check_flag
from rne.control import Controller
from rne.dynamics.energy import kinetic_energy, potential_energy
from rne.dynamics.stiction import rough_of, without
from rne.errors import ArgumentError
from rne.kernels.actuation import complaint
from rne.kernels.entries import CONTROL_ONE
from rne.kernels.jit import is_compiled
from rne.model.drive import OF_CURVES
from rne.model.floating import QUATERNION
from rne.model.parameters import OF_FRICTION
from rne.model.quaternions import unit_quaternions
from rne.model.robot import Robot
from rne.simulation.adaptive import Ask, Tolerances, adaptive, asking_function
from rne.simulation.compiled_loop import run_compiled
from rne.simulation.diagnosis import refuse_divergence, steps_between
from rne.simulation.loads import as_loads_over_time
from rne.simulation.options import checked_step, checked_stops, checked_tolerances
from rne.simulation.progress import reported
from rne.simulation.python_loop import asked, asking
from rne.simulation.result import Simulation
from rne.simulation.sampled import SampledController, limited, sampling_of
from rne.simulation.schedule import METHODS, make_schedule
from rne.trajectory.signal import Signal

Array = NDArray[np.float64]
Function = Callable[..., Any]


def simulate(
    robot: Robot,
    q0: ArrayLike,
    qd0: ArrayLike | None = None,
    t: ArrayLike = (0.0, 1.0),
    *,
    tau: ArrayLike | Controller | SampledController | Signal | Function | None = None,
    f_ext: Mapping[str, Any] | None = None,
    friction: bool = False,
    stops: Mapping[str, ArrayLike] | None = None,
    gravity: ArrayLike | Signal | Function | None = None,
    method: str = "rk4",
    step: float | None = None,
    rtol: float | None = None,
    atol: float | None = None,
    max_steps: int = 20_000,
    threads: int | None = None,
    progress: Callable[[float], object] | None = None,
) -> Simulation:
    """Integrate forward dynamics over time.

    Methods: "rk4", fixed steps of fourth order: the classical Runge-Kutta method, and with friction an additive one
    that is implicit in the damping, so that no damping is too stiff for the step. "euler", fixed steps of first order:
    semi-implicit Euler, also implicit in the damping; without friction the energy stays bounded, if the base is fixed.
    "adaptive", steps of DOP853 in scipy, or of Radau where the damping is stiff (requires scipy).

    With `friction`, a joint that stops within a step stops there; one that Coulomb friction can hold stays exactly at
    rest, and which joints those are is found for all of them together. "rk4" and "adaptive" find the times of these
    events and keep their order. "euler" finds the impulses of friction in each step.

    The quaternion of a base that floats is integrated by its rate, and divided by its length in every step, which keeps
    the order of a method.

    Sources: Hairer, Nørsett, Wanner, "Solving Ordinary Differential Equations I" (1993), sections II.1 and II.5;
    Hairer, Lubich, Wanner, "Geometric Numerical Integration" (2006), sections I.1.2 and IV.4; Kennedy, Carpenter,
    "Additive Runge-Kutta schemes for convection-diffusion-reaction equations", Applied Numerical Mathematics 44 (2003);
    Acary, Brogliato, "Numerical Methods for Nonsmooth Dynamical Systems" (2008).

    Parameters
    ----------
    robot : the robot.
    q0, qd0 : (..., nq) and (..., n) initial positions and velocities (zero if None); leading axes are a batch of
        simulations. A base that floats is free: what acts on it is in the first six numbers of the torques.
    t : (T,) increasing output times, s; the first is that of the initial state.
    tau : torques, N m or N: None, an array, a `Signal`, a controller of `rne.control`, a function, or one of the last
        two as a `SampledController`, in discrete time.

        None means no torques. An array is constant, (n,) or (..., 1, n), or held from each time to the next,
        (..., T - 1, n) or (..., T, n); the axis before the last is always time, and leading axes broadcast against
        those of q0 and qd0. Of T rows the last is not used, unless T is 1. An ambiguous array, (B, n) where B
        simulations have B or B + 1 times, is refused: reshape it to (B, 1, n) for one row per simulation or to
        (1, B, n) for one row per time.

        Goals, paths and gains of a controller of `rne.control` broadcast likewise, and a `Signal` of width n, which is
        a log played back: its times may be others than `t`, and no step crosses them.

        On a base that floats, a controller of `rne.control` acts on the joints.

        A function compiled by numba is called as ``controller(t, q, qd, tau)`` with arrays (nq,), (n,) and (n,) for
        each simulation, at every stage of every step and at the last time; it fills `tau`, which is initially zero, and
        returns nothing. With friction it is also called where events are searched for.
        Any other function is called as ``controller(t, q, qd)``, with qd of shape (..., n), or (n,) for each simulation
        if adaptive, and returns the torques.
    f_ext : wrenches acting on the robot, by frame name, as for `inverse_dynamics`: (..., 6) if constant, with the
        simulations of a batch as leading axes; a `Signal` of width 6; or a function of time that returns (..., 6). Or a
        pair of one of these and the axes, "world" or "local".
    friction : whether viscous and Coulomb friction of the joints oppose the motion, or hold the joints at rest.
    stops : joint stops at the limits of the positions; none if None, and `Simulation.limits` says which limits were
        passed. Rigid ones, ``{"restitution": e}``, from which a joint rebounds with e times its speed; or soft ones,
        ``{"stiffness": k, "damping": d}``, N m/rad and N m s/rad (N/m, N s/m), which push while a joint is beyond its
        limit, and never pull. Numbers, or arrays (joints,). Joints that mimic others have no stops.
    gravity : (..., 3) acceleration of free fall in base axes, m/s^2, for each simulation; a `Signal` of width 3; or a
        function of time that returns (..., 3). That of the robot if None. On a base that moves without turning, it is
        gravity minus the acceleration of the base. Of a base that floats, in world axes.
    method : "rk4", "euler" or "adaptive".
    step : largest step, s; by default one millisecond, or unlimited for "adaptive". Steps never cross a time of `t`.
    rtol, atol : tolerances of "adaptive" for each step, relative and absolute (rad, m, rad/s, m/s); by default 1e-10
        and 1e-12.
    max_steps : of "adaptive", for each simulation; counted as evaluations of the dynamics, twelve to a step.
    threads : number of threads for a batch; chosen by its size if None (see ``RNE_NUM_THREADS``).
    progress : called about ten times a second, from another thread, with the part that is done, from 0 to 1.

    Returns
    -------
    Simulation
        All arrays are float64. A simulation that starts with NaN is NaN, and does not affect others.

    Raises
    ------
    ArgumentError
        An argument, or the result of a controller, has the wrong shape, type or value; scipy is missing or fails. The
        motion does not stay finite, or "adaptive" has used up its steps: the message names the joint and the cause.
    SingularError
        The mass matrix is singular. The message names the time, a joint, and the first such simulation of a batch.

    Examples
    --------
    >>> import numpy as np, rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> motion = rne.simulate(arm, [0.5, 0.0], t=np.linspace(0, 1, 1001))
    >>> motion.q.shape
    (1001, 2)
    >>> bool(np.ptp(motion.energy) < 1e-8)
    True
    """
    check_robot(robot, floating=True)
    if not isinstance(method, str) or method not in ("adaptive", *METHODS):
        raise ArgumentError(f"method: wanted one of 'rk4', 'euler', 'adaptive', got {method!r}")
    check_flag("friction", friction)
    batch = settle(robot, {"q0": q0, "qd0": qd0}, floating=True)
    times, n = as_times("t", t), robot.n
    step, tolerances = checked_step(step), checked_tolerances(method, rtol, atol, max_steps)
    sampling = sampling_of(tau, robot) if isinstance(tau, SampledController) else None
    tau = tau.controller if isinstance(tau, SampledController) else tau
    law = tau if isinstance(tau, Controller) else None
    signal = tau if isinstance(tau, Signal) else None
    function: Function | None = tau if law is None and signal is None and callable(tau) else None
    held = np.zeros(n) if tau is None or callable(tau) or law else held_torques(robot, tau, len(times), batch.shape)
    if signal is not None and signal.width != n:
        one = "coordinate" if robot.floating else "joint"
        raise ArgumentError(f"tau: wanted a Signal of width {n}, one column per {one}, got {signal.width}")
    given = robot
    robot, loads = as_loads_over_time(robot, f_ext, gravity)
    model = given if loads.gravity else robot
    of_tau = law.shape if law else signal.shape if signal is not None else held.shape[:-2]
    try:
        shape = np.broadcast_shapes(batch.shape, of_tau)
    except ValueError:
        got = f"a controller of shape {law.shape}" if law else of_tau if signal is not None else held.shape
        raise ArgumentError(f"tau: {got} does not broadcast against simulations of shape {batch.shape}") from None
    try:
        shape = np.broadcast_shapes(shape, loads.shape)
    except ValueError:
        which = ", ".join(name for name, value in (("f_ext", f_ext), ("gravity", gravity)) if value is not None)
        got = f"leading axes {loads.shape} do not broadcast against simulations of shape {shape}"
        raise ArgumentError(f"{which}: {got}") from None
    if law and law.robot.joint_names != robot.joint_names:
        names = (", ".join(r.joint_names) for r in (law.robot, robot))
        raise ArgumentError("tau: the controller is for a robot with joints {}; this one has {}".format(*names))
    if law and sampling is not None:
        law = limited(law, sampling.largest)
    if is_compiled(function) and (reason := complaint(function)):
        raise ArgumentError(f"tau: a compiled controller is called as controller(t, q, qd, tau); this one: {reason}")
    if not friction and robot.links.curved:  # which the bias torques of steps with stops would count
        robot = without(robot, (*OF_FRICTION, *OF_CURVES))
    rough = rough_of(robot, friction, checked_stops(robot, stops))
    largest = math.inf if step is None and method == "adaptive" else _STEP if step is None else step
    every_step = method != "adaptive"
    schedule = make_schedule(times, largest, shape, held, signal, sampling, loads, every_step)

    samples = math.prod(shape)
    q, (qd, torques) = np.empty((*shape, len(times), robot.nq)), np.empty((2, *shape, len(times), n))
    start = batch.rows["q0"].reshape(*batch.shape, robot.nq)
    q[..., 0, :] = start
    if robot.floating:
        q[..., 0, QUATERNION] = unit_quaternions(start[..., QUATERNION])
    qd[..., 0, :] = batch.rows["qd0"].reshape(*batch.shape, n)
    q_rows, qd_rows, tau_rows = (path.reshape(samples, len(times), path.shape[-1]) for path in (q, qd, torques))
    paths, lost = (q_rows, qd_rows, tau_rows), np.zeros(samples, np.bool_)
    with reported(progress, q_rows):
        if method == "adaptive":
            ask = _asking_law(law, shape) if law else asking_function(function) if function else None
            limits, integrals = Tolerances(*tolerances, max_steps, largest), len(robot.joint_names) if law else 0
            adaptive(robot, schedule, shape, ask, integrals, paths, rough, limits)
        elif function is None or is_compiled(function):
            run_compiled(robot, shape, schedule, law or function, paths, method, rough, threads)
        else:
            lost = asking(robot, schedule, function, q, qd, torques, method, rough, threads).reshape(samples)
    if rough is not None:  # a joint that is held does not see the NaN of another one, nor that of its own torque
        bad = np.asarray(~(np.isfinite(q_rows).all(axis=-1) & np.isfinite(qd_rows).all(axis=-1)))
        bad[:, 1:] |= ~np.isfinite(tau_rows[:, :-1]).all(axis=-1)
        later = np.logical_or.accumulate(bad, axis=1)
        later[:, 0] = False
        q_rows[later], qd_rows[later] = np.nan, np.nan
    if method != "adaptive":
        acting, compiled = law or function, function is None or is_compiled(function)

        def again(row: int, finer: int) -> Array:
            part: list[Array] = [path[:, : row + 1].copy() for path in paths]
            until = schedule.until(row, finer)
            run_compiled(robot, shape, until, acting, (part[0], part[1], part[2]), method, rough, threads)
            return part[0]

        def closely(sample: int, row: int) -> Array:
            state = [path[sample, row - 1] for path in paths]
            return steps_between(robot, times[row - 1 : row + 1], state[0], state[1], state[2], largest)

        def deliberate(sample: int, row: int) -> bool:  # a function may return NaN deliberately
            if function is None or not compiled:
                return bool(lost[sample])
            state = q_rows[sample, row - 1], qd_rows[sample, row - 1]
            return any(not np.isfinite(asked(function, float(at), *state)).all() for at in times[row - 1 : row + 1])

        retry = again if compiled else None
        refuse_divergence(robot, times, q_rows, qd_rows, tau_rows, largest, retry, closely, deliberate)
    energy = kinetic_energy(robot, q, qd) + potential_energy(robot, q) + loads.energy(times, q)
    of_law = (*q.shape[:-1], len(robot.joint_names))
    wanted = [np.broadcast_to(x, of_law).copy() for x in law.reference(times)[:2]] if law else [None, None]
    return Simulation(model, times, q, qd, energy, torques, *wanted)


def held_torques(robot: Robot, tau: Any, count: int, batch: tuple[int, ...]) -> Array:
    """Return torques given as numbers as (n,), or as (..., 1, n) or (..., intervals, n) held from time to time.

    Parameters
    ----------
    tau : as in `simulate`.
    count : number of times.
    batch : leading axes of the simulations.

    Raises
    ------
    ArgumentError
        The shape is wrong or ambiguous.
    """
    torques, n = coordinates(robot, "tau", tau).astype(np.float64), robot.n
    if torques.shape == (n,):
        return torques
    *leading, last = torques.shape if torques.ndim else (0,)
    rows = leading[-1] if leading else 0
    a_simulation = last == n and rows > 1 and len(leading) <= len(batch) and _broadcast(tuple(leading), batch)
    if last == n and rows in {1, max(count - 1, 1), count}:
        if a_simulation:
            each, over = (*leading, 1, n), (*[1] * (len(batch) + 1 - len(leading)), *leading, n)
            raise ArgumentError(
                f"tau: shape {torques.shape} is ambiguous: one row for each of {rows} simulations, or for each of "
                f"{count} times; pass tau.reshape{each} for constant torques in each simulation, or "
                f"tau.reshape{over} for torques over time in all simulations"
            )
        return torques[..., : max(count - 1, 1), :]
    wanted = f"({n},)"
    if count > 1:
        wanted += f", (..., {count - 1}, {n}) or (..., {count}, {n}), one row per time,"
    wanted += f" or (..., 1, {n})"
    hint = f"; for one row per simulation pass tau.reshape{(*leading, 1, n)}" if a_simulation else ""
    raise ArgumentError(f"tau: wanted a controller, a function or shape {wanted}, got {torques.shape}{hint}")


def _broadcast(shape: tuple[int, ...], batch: tuple[int, ...]) -> bool:
    """Whether rows of a shape could belong to the simulations of a batch, one each."""
    return all(a in (1, b) for a, b in zip(shape[::-1], batch[::-1], strict=False)) and shape[-1] == batch[-1]


# Far below the periods of the motions of an arm, so that widely spaced times do not silently become long steps.
_STEP = 1e-3


def _asking_law(law: Controller, shape: tuple[int, ...]) -> Ask:
    """Wrap a controller of `rne.control` as `Ask`, one simulation at a time."""
    numbers = law.law(shape, alone=True)

    def ask(sample: int, t: float, q: Array, qd: Array, integral: Array) -> tuple[Array, Array]:
        tau, rate = np.empty(len(qd)), np.empty(len(integral))
        CONTROL_ONE.call(numbers, sample, t, q.copy(), qd.copy(), integral.copy(), rate, tau)
        return tau, rate

    return ask
