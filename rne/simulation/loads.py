"""What acts on a simulated robot besides its torques: external wrenches and gravity, over time."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rne.batch.arguments import NOWHERE, Floats, as_frame, as_table, check_axes, with_axes
from rne.batch.named import wrench_array
from rne.check import real_array
from rne.dynamics.energy import potential_energy
from rne.errors import ArgumentError
from rne.kernels.entries import STATIC_TORQUE, addresses_of
from rne.model.frames import Frame, sites_of
from rne.model.robot import Robot
from rne.trajectory.signal import Signal

Array = NDArray[np.float64]


class Source(NamedTuple):
    """Numbers over time: (..., width) if constant, a signal, or a function; `name` is for errors."""

    name: str
    value: Array | Signal | Callable[[float], Any]
    width: int

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the batch."""
        if callable(self.value):
            return self.value.shape if isinstance(self.value, Signal) else self.at(0.0).shape[:-1]
        return self.value.shape[:-1]

    def at(self, t: float) -> Array:
        """Value at a time, (..., width).

        Raises
        ------
        ArgumentError
            A function returns something else.
        """
        if isinstance(self.value, np.ndarray):
            return self.value
        value = self.value(t)
        if not isinstance(self.value, Signal):
            value = real_array(self.name, value).astype(np.float64)
            if value.shape[-1:] != (self.width,):
                raise ArgumentError(
                    f"{self.name}: wanted (..., {self.width}) of the function, got {value.shape} at t = {t:g} s"
                )
            if not np.isfinite(value).all():
                raise ArgumentError(f"{self.name}: wanted finite numbers of the function, got {value} at t = {t:g} s")
        return value

    def over(self, times: Array) -> Array:
        """Values (..., K, width) at times (K,)."""
        if isinstance(self.value, np.ndarray):
            return self.value[..., None, :]
        if isinstance(self.value, Signal):
            return self.value(times)
        return np.stack(np.broadcast_arrays(*(self.at(float(t)) for t in times)), axis=-2)

    def nodes(self, times: Array) -> tuple[Array, Array, Array]:
        """Values (..., K - 1, width) at the beginning, in the middle and at the end of the intervals of times (K,).

        Signals are linear in them: what one jumps to at the end belongs to the next interval.
        """
        starts = self.over(times[:-1])
        middles = self.over(times[:-1] + 0.5 * np.diff(times))
        if callable(self.value) and not isinstance(self.value, Signal):
            return starts, middles, np.concatenate([starts[..., 1:, :], self.over(times[-1:])], axis=-2)
        return starts, middles, 2 * middles - starts


class Loads:
    """External wrenches and gravity of a simulation.

    Gravity that changes, or differs between simulations, acts as a force at the center of mass of each link.

    Parameters
    ----------
    robot : without gravity, if `gravity` is given.
    f_ext : (frame, axes, source) each.
    gravity : source of width 3; None for that of the robot.
    """

    def __init__(self, robot: Robot, f_ext: list[tuple[Frame, str, Source]], gravity: Source | None) -> None:
        self._robot, self.gravity = robot, gravity
        self.sources = [source for _, _, source in f_ext]
        sites = [NOWHERE, *(frame.sites[axes] for frame, axes, _ in f_ext)]
        self._masses: list[float] = []
        if gravity is not None:
            for row, J in enumerate(robot.links.pseudo_inertias):
                mass = J[3, 3]
                if mass > 0 and (row > 0 or robot.floating):
                    sites.append(sites_of([Frame(row, np.eye(3), J[:3, 3] / mass)], "world"))
                    self._masses.append(float(mass))
        self.sites = np.concatenate(sites)
        self.sites.flags.writeable = False

    @property
    def _all(self) -> list[Source]:
        return self.sources + ([] if self.gravity is None else [self.gravity])

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the batch.

        Raises
        ------
        ArgumentError
            They do not broadcast against each other.
        """
        shapes = {source.name: source.shape for source in self._all}
        try:
            return np.broadcast_shapes(*shapes.values())
        except ValueError:
            given = ", ".join(f"{name} {shape}" for name, shape in shapes.items())
            raise ArgumentError(f"leading axes do not broadcast against each other: {given}") from None

    @property
    def times(self) -> Array:
        """Times at which signals have a jump or a corner."""
        return np.concatenate([np.zeros(0), *(s.value.t for s in self._all if isinstance(s.value, Signal))])

    @property
    def functions(self) -> bool:
        """Whether any is a function."""
        return any(callable(source.value) and not isinstance(source.value, Signal) for source in self._all)

    @property
    def constant(self) -> bool:
        """Whether all are constant."""
        return not any(callable(source.value) for source in self._all)

    def __bool__(self) -> bool:
        """Whether there are any."""
        return len(self.sites) > 0

    def _joined(self, values: list[Array], shape: tuple[int, ...]) -> Array:
        """Return the wrenches (samples, K, 6 m) of all sites from values (..., K, width) of all sources."""
        parts = values[: len(self.sources)]
        for mass in self._masses:
            parts.append(np.concatenate([mass * values[-1], np.zeros_like(values[-1])], axis=-1))
        count = max(part.shape[-2] for part in parts)
        whole = np.concatenate([np.broadcast_to(part, (*shape, count, 6)) for part in parts], axis=-1)
        return whole.reshape(math.prod(shape), count, 6 * len(self.sites))

    def pieces(self, times: Array, shape: tuple[int, ...]) -> Array:
        """Polynomials (samples, pieces, 3, 6 m) for `rne.kernels.actuation.add_wrenches` between times (G,).

        They pass through the values at the ends and in the middle of each interval. Signals are linear there; of
        functions, the stages of "rk4" see just these values if each step is an interval.
        """
        alike = shape if self.shape else (1,) * len(shape)  # of all simulations together, once
        if not self:
            pieces = np.zeros((1, 1, 3, 0))
        elif self.constant or len(times) < 2:
            values = self._joined([source.over(times[:1]) for source in self._all], alike)
            pieces = np.stack([values, np.zeros_like(values), np.zeros_like(values)], axis=2)
        else:
            nodes = zip(*(source.nodes(times) for source in self._all), strict=True)
            start, middle, end = (self._joined(list(values), alike) for values in nodes)
            pieces = np.stack([start, 4 * middle - 3 * start - end, 2 * (start + end) - 4 * middle], axis=2)
        samples = math.prod(shape)
        return np.broadcast_to(pieces, (samples, *pieces.shape[1:])) if len(pieces) == 1 else pieces

    def function(self, begin: float, end: float, shape: tuple[int, ...], sample: int) -> Callable[[float], Array]:
        """Return the wrenches (6 m,) of one simulation as a function of time, for an interval without jumps."""
        ends, alike = np.array([begin, end]), shape if self.shape else ()

        def value(t: float) -> Array:
            part = (t - begin) / (end - begin) if end > begin else 0.0
            values = []
            for source in self._all:
                if callable(source.value) and not isinstance(source.value, Signal):
                    values.append(source.at(t)[..., None, :])
                else:
                    start, middle, _ = source.nodes(ends)
                    values.append(start + 2 * part * (middle - start))
            found: Array = self._joined(values, alike)[sample if self.shape else 0, 0]
            return found

        return value

    def torques(self, q: Array, wrenches: Array) -> Array:
        """Torques (samples, n) of wrenches (samples, 6 m) at positions (samples, nq)."""
        tau = np.empty((len(q), self._robot.n))
        given = [np.ascontiguousarray(q), np.ascontiguousarray(np.broadcast_to(wrenches, (len(q), wrenches.shape[1])))]
        addresses, table = addresses_of([*given, tau]), as_table(self._robot, "float64")
        STATIC_TORQUE["float64"].call(table, 0, len(q), addresses, self.sites)
        return tau

    def energy(self, t: Array, q: Array) -> Array:
        """Potential energy (..., T) of gravity that is given here, at positions (..., T, nq)."""
        if self.gravity is None:
            return np.zeros(q.shape[:-1])
        unit = [potential_energy(self._robot, q, springs=False, gravity=axis) for axis in np.eye(3)]
        energy: Array = (self.gravity.over(t) * np.stack(unit, axis=-1)).sum(axis=-1)
        return energy


def as_source(name: str, value: Any, width: int, settle: Callable[[str, Any], Floats] = real_array) -> Source:
    """Settle numbers over time: an array (..., width), a `Signal`, or a function of time.

    Raises
    ------
    ArgumentError
        It is something else, or not finite.
    """
    if isinstance(value, Signal):
        if value.width != width:
            raise ArgumentError(f"{name}: wanted a Signal of width {width}, got {value.width}")
        return Source(name, value, width)
    if callable(value):
        return Source(name, value, width)
    array = settle(name, value).astype(np.float64)
    if array.shape[-1:] != (width,):
        hint = f"; over time, wanted rne.Signal(t, {name})" if array.ndim > 1 else ""
        raise ArgumentError(f"{name}: wanted shape (..., {width}), got {array.shape}{hint}")
    if not np.isfinite(array).all():
        raise ArgumentError(f"{name}: wanted finite numbers, got {value!r}")
    return Source(name, array, width)


def as_loads_over_time(robot: Robot, f_ext: Any, gravity: Any) -> tuple[Robot, Loads]:
    """Settle wrenches and gravity; returns the robot that is integrated, without gravity where that is a load.

    Raises
    ------
    UnknownNameError, ArgumentError
        An unknown frame, unknown axes, or values of the wrong shape or type.
    """
    wrenches = []
    if f_ext is not None:
        if not isinstance(f_ext, Mapping):
            raise ArgumentError(f"f_ext: wanted a mapping from frame name to wrench, got {type(f_ext).__name__}")
        for name, given in f_ext.items():
            frame = as_frame(robot, name, "f_ext")
            value, axes = with_axes(given)
            check_axes(f"f_ext[{name!r}]", axes)
            wrenches.append((frame, axes, as_source(f"f_ext[{name!r}]", value, 6, wrench_array)))
    if gravity is None:
        return robot, Loads(robot, wrenches, None)
    source = as_source("gravity", gravity, 3)
    if isinstance(source.value, np.ndarray) and source.value.shape == (3,):
        robot = robot.with_gravity(source.value)
        return robot, Loads(robot, wrenches, None)
    robot = robot.with_gravity((0.0, 0.0, 0.0))
    return robot, Loads(robot, wrenches, source)
