"""Power balance of a motion, and energy drift of a simulation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rne.batch.arguments import Floats, check_robot, settle
from rne.batch.coordinates import width_of
from rne.check import check_flag
from rne.control import Controller
from rne.dynamics.energy import actuator_power, dissipated_power
from rne.dynamics.inverse_dynamics import inverse_dynamics
from rne.dynamics.statics import static_torque
from rne.errors import ArgumentError
from rne.model.robot import Robot
from rne.simulation.python_loop import Function, asked
from rne.simulation.result import Simulation
from rne.simulation.sampled import SampledController
from rne.simulation.simulate import held_torques
from rne.tables import Part, Report, cells, of_many, titled, worst
from rne.trajectory.signal import Signal

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class EnergyBalance(Report):
    """Powers of a motion, as returned by `energy_balance`; all arrays are (...) W.

    Attributes
    ----------
    kinetic, potential : rates of the kinetic energy (rotors included) and of the potential energy (springs included).
    actuators : power of the joint torques.
    external : power of the wrenches that act on the robot.
    dissipated : power lost to viscous and Coulomb friction; zero with ``friction=False``.

    Examples
    --------
    >>> import rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> float(rne.energy_balance(arm, [0.0, 0.0], qd=[1.0, 0.0]).potential.round(3))
    19.62
    """

    DERIVED: ClassVar = ("rate", "residual")

    kinetic: Floats
    potential: Floats
    actuators: Floats
    external: Floats
    dissipated: Floats

    @property
    def rate(self) -> Floats:
        """Rate dE/dt of the total energy, kinetic plus potential."""
        rate: Floats = self.kinetic + self.potential
        return rate

    @property
    def residual(self) -> Floats:
        """Unexplained power, dE/dt - (actuators + external - dissipated); zero if torques and motion agree."""
        residual: Floats = self.rate - (self.actuators + self.external - self.dissipated)
        return residual

    def _parts(self) -> list[Part]:
        many = np.shape(self.kinetic)
        powers = ("kinetic", "potential", "actuators", "external", "dissipated", "rate", "residual")
        values = [float(worst(np.reshape(getattr(self, name), (-1, 1)))[0]) for name in powers]
        return [*of_many(many), titled({"power": powers, "W": cells(np.array(values))})]


def energy_balance(
    robot: Robot,
    q: ArrayLike,
    qd: ArrayLike | None = None,
    qdd: ArrayLike | None = None,
    tau: ArrayLike | None = None,
    *,
    gravity: ArrayLike | None = None,
    f_ext: Mapping[str, Any] | None = None,
    friction: bool = False,
    threads: int | None = None,
) -> EnergyBalance:
    """Power balance of a motion: dE/dt = tau . qd + power of the wrenches - power lost to friction.

    Use it to check whether a motion and torques, measured or computed elsewhere, are consistent. The rate of the energy
    is qd . (M qdd + C qd + g + springs), since qd . (dM/dt - 2 C) qd is zero.

    Parameters
    ----------
    robot : the robot.
    q, qd, qdd : (..., n) positions, velocities and accelerations; the last two default to zero.
    tau : (..., n) torques of the drives, N m or N; zero if None.
    gravity, f_ext, threads : as in `inverse_dynamics`; so are the errors raised.
    friction : whether the robot loses power to viscous and Coulomb friction.

    Returns
    -------
    balance : EnergyBalance
        Terms of shape (...), W, with the sums `rate` and `residual`.

    Examples
    --------
    >>> import rne
    >>> arm = rne.load("models/planar2/robot.dh.toml").with_dampers([3.0, 1.0])
    >>> tau = rne.inverse_dynamics(arm, [0.3, 0.5], [1.0, 2.0], [0.5, 0.0], friction=True)
    >>> balance = rne.energy_balance(arm, [0.3, 0.5], [1.0, 2.0], [0.5, 0.0], tau, friction=True)
    >>> float(balance.dissipated), bool(abs(balance.residual) < 1e-12)
    (7.0, True)
    """
    check_robot(robot, floating=True)
    check_flag("friction", friction)
    batch = settle(robot, {"q": q, "qd": qd, "qdd": qdd, "tau": tau}, f_ext, floating=True)
    q, qd, qdd, tau = (
        batch.rows[name].reshape(*batch.shape, width_of(robot, name)) for name in ("q", "qd", "qdd", "tau")
    )

    def power(torque: Floats) -> Floats:
        return np.asarray(np.einsum("...i,...i->...", torque, qd))

    at_rest = inverse_dynamics(robot, q, gravity=gravity, threads=threads)
    moving = inverse_dynamics(robot, q, qd, qdd, gravity=gravity, threads=threads)
    return EnergyBalance(
        kinetic=power(moving - at_rest),
        potential=power(at_rest),
        actuators=power(tau),
        external=power(static_torque(robot, q, f_ext or {}, threads=threads)),
        dissipated=np.asarray(dissipated_power(robot, qd if friction else np.zeros_like(qd), threads=threads)),
    )


def energy_drift(
    robot: Robot,
    motion: Simulation,
    tau: ArrayLike | Controller | Function | None = None,
    *,
    friction: bool = False,
) -> Array:
    """Energy drift of a simulation: E(t) - E(0) minus the work done by torques and friction up to t.

    Between two times, the motion is approximated by the cubic that matches positions and velocities at both. The work
    of torques held constant is exact, tau . (change of q); that of a controller and of friction is integrated by
    Simpson's rule. The drift is therefore the integration error of the simulation plus, with friction or a controller,
    the error of these quadratures: of fourth order in the spacing of the times, of first order where torques or
    Coulomb friction jump. For a controller of `rne.control`, whose integral term is not part of the state, the torques
    recorded in `motion` are used; so are those of a `SampledController`, held from each time to the next, which is
    exact where the times include those at which torques arrive. Wrenches and changing gravity are not included.

    Parameters
    ----------
    robot : the robot.
    motion : result of `simulate`.
    tau, friction : as passed to `simulate`.

    Returns
    -------
    drift : (..., T) J, zero at the first time.

    Raises
    ------
    ArgumentError
        An argument has the wrong type or shape.

    Examples
    --------
    >>> import numpy as np, rne
    >>> arm = rne.load("models/planar2/robot.dh.toml").with_dampers([3.0, 1.0])
    >>> motion = rne.simulate(arm, [0.5, 0.0], t=np.linspace(0, 1, 1001), tau=[2.0, 1.0], friction=True)
    >>> drift = rne.energy_drift(arm, motion, [2.0, 1.0], friction=True)
    >>> bool(np.ptp(motion.energy) > 5), bool(abs(drift).max() < 1e-8)
    (True, True)
    """
    check_robot(robot)
    check_flag("friction", friction)
    if not isinstance(motion, Simulation):
        raise ArgumentError(f"motion: wanted a Simulation, as rne.simulate returns it, got {type(motion).__name__}")
    if motion.q.shape[-1] != robot.n:
        raise ArgumentError(f"motion: it has {motion.q.shape[-1]} joints, but {robot.name} has {robot.n}")
    t, q, qd = motion.t, motion.q, motion.qd
    h = np.diff(t)[:, None]
    change, before, after = np.diff(q, axis=-2), qd[..., :-1, :], qd[..., 1:, :]
    middle = q[..., :-1, :] + change / 2 + h / 8 * (before - after), 1.5 * change / h - (before + after) / 4
    work = np.zeros(change.shape[:-1])
    if isinstance(tau, Controller):
        power = actuator_power(robot, qd, motion.tau).sum(axis=-1)
        work += _simpson(h[:, 0], power, _between(t, power))
    elif isinstance(tau, SampledController):
        work += (motion.tau[..., :-1, :] * change).sum(axis=-1)
    elif callable(tau):
        signal = tau
        if isinstance(tau, Signal):
            tau = lambda t, _q, _qd: signal(t)  # noqa: E731
        powers = _controlled(robot, tau, t, q, qd), _controlled(robot, tau, t[:-1] + h[:, 0] / 2, *middle)
        work += _simpson(h[:, 0], *powers)
    elif tau is not None:
        held = held_torques(robot, tau, len(t), q.shape[:-2])
        try:
            work += (np.broadcast_to(held, change.shape) * change).sum(axis=-1)
        except ValueError:
            raise ArgumentError(f"tau: shape {held.shape} does not fit a motion of shape {q.shape}") from None
    if friction:
        work -= _simpson(h[:, 0], dissipated_power(robot, qd), dissipated_power(robot, middle[1]))
    drift = motion.energy - motion.energy[..., :1]
    drift[..., 1:] -= np.cumsum(work, axis=-1)
    return drift


def _controlled(robot: Robot, controller: Function, times: Array, q: Array, qd: Array) -> Array:
    """Power (..., T) of the torques of a controller, evaluated at each time."""
    states = zip(times.tolist(), np.moveaxis(q, -2, 0), np.moveaxis(qd, -2, 0), strict=True)
    power = [actuator_power(robot, state[1], asked(controller, t, *state)).sum(axis=-1) for t, *state in states]
    return np.stack(power, axis=-1) if power else np.zeros(q.shape[:-1])


def _between(times: Array, values: Array) -> Array:
    """Values (..., T - 1) halfway between times, from cubics through the values and their slopes."""
    if len(times) < 3:  # too few for a slope
        return (values[..., :-1] + values[..., 1:]) / 2
    slope = np.gradient(values, times, axis=-1, edge_order=2)
    middle: Array = (values[..., :-1] + values[..., 1:]) / 2 - np.diff(times) / 8 * np.diff(slope, axis=-1)
    return middle


def _simpson(h: Array, ends: Array, middles: Array) -> Array:
    """Integral over each interval of length h by Simpson's rule."""
    integral: Array = h / 6 * (ends[..., :-1] + 4 * middles + ends[..., 1:])
    return integral
