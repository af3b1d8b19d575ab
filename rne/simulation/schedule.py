"""The times of a simulation: where results are wanted, controllers are sampled, and something jumps."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rne.errors import ArgumentError
from rne.kernels.runge_kutta import EULER, RK4
from rne.kernels.sampling import ARRIVES, ASKS, EVENTS, HELD, OUT
from rne.simulation.loads import Loads
from rne.simulation.sampled import NO_SAMPLING, Sampling
from rne.trajectory.signal import Signal

Array = NDArray[np.float64]

METHODS = {"euler": EULER, "rk4": RK4}

# Times of signals and controllers that are so close to another time, relative to the period or the duration, are it.
_NEAR = 1e-9
_MOST = 100_000_000


class Schedule(NamedTuple):
    """What the loops of the integration go through; see `rne.kernels.simulation.make_many`.

    Attributes
    ----------
    times : (G,) all times, s; no step crosses one.
    substeps : (G - 1,) steps between them.
    events : (EVENTS, G) what happens at them.
    jumps : (G,) whether torques or wrenches may jump there.
    held : (samples, K, n) torques, unless a controller acts.
    linear : whether they go linearly to the next row.
    sampling : of the controller.
    loads : wrenches and gravity.
    pieces : of the loads.
    """

    times: Array
    substeps: NDArray[np.intp]
    events: NDArray[np.intp]
    jumps: NDArray[np.bool_]
    held: Array
    linear: bool
    sampling: Sampling
    loads: Loads
    pieces: Array

    def until(self, row: int, finer: int) -> Schedule:
        """Return the part up to a row of the results, with finer steps."""
        stop = int(np.flatnonzero(self.events[OUT] == row)[0]) + 1
        return self._replace(
            times=self.times[:stop],
            substeps=self.substeps[: stop - 1] * finer,
            events=np.ascontiguousarray(self.events[:, :stop]),
            jumps=self.jumps[:stop],
        )

    def of_kernel(self, method: str) -> tuple[object, ...]:
        """Return the schedule as the kernel takes it."""
        sampled = self.sampling[:-1]
        return self.times, self.substeps, self.events, self.held, self.linear, METHODS[method], sampled


def make_schedule(
    times: Array,
    step: float,
    shape: tuple[int, ...],
    held: Array,
    signal: Signal | None,
    sampling: Sampling | None,
    loads: Loads,
    every_step: bool,
) -> Schedule:
    """Make the schedule of a simulation.

    Parameters
    ----------
    times : (T,) of the results.
    step : largest step, s.
    shape : of the batch of simulations.
    held : torques (..., 1, n) or (..., T - 1, n).
    signal : torques in their place.
    sampling : of the controller, if it is sampled.
    loads : wrenches and gravity.
    every_step : whether functions among the loads are tabulated at all steps.

    Raises
    ------
    ArgumentError
        The step is below the rounding of the times, or there are too many of them.
    """
    grid = times
    if every_step and loads.functions and len(times) > 1:
        grid = _divided(times, _substeps(times, step))
    if sampling is None and signal is None and not loads.times.size and grid is times:  # the usual case, for speed
        rows = np.arange(len(times))
        events, jumps = np.array([rows, rows, 0 * rows, 0 * rows]), np.zeros(len(times), np.bool_)
    else:
        grid, events, jumps = _merged(times, grid, sampling, loads.times if signal is None else signal.t, loads.times)
    linear = False
    if signal is not None:
        linear = signal.interpolation == "linear"
        held = signal(grid) if linear else signal.values
        after = np.searchsorted(signal.t, grid + _near(times, signal.t), side="right") - 1
        events[HELD] = np.arange(len(grid)) if linear else after
    elif held.ndim == 1:
        held = held[None, :]
    else:
        changes = (np.diff(held, axis=-2) != 0).any(axis=(*range(held.ndim - 2), -1))
        jumps |= np.isin(grid, times[1 : held.shape[-2]][changes])
    events[HELD] = np.clip(events[HELD], 0, held.shape[-2] - 1)
    samples = math.prod(shape)
    if held.ndim == 2:
        held = np.broadcast_to(held, (samples, *held.shape))
    else:
        held = np.broadcast_to(held, (*shape, *held.shape[-2:])).reshape(samples, *held.shape[-2:])
    sampled = NO_SAMPLING if sampling is None else sampling
    counts, pieces = _substeps(grid, step), loads.pieces(grid, shape)
    return Schedule(grid, counts, events, jumps, held, linear, sampled, loads, pieces)


def _merged(
    times: Array, grid: Array, sampling: Sampling | None, *signals: Array
) -> tuple[Array, NDArray[np.intp], NDArray[np.bool_]]:
    """Return all times, what happens at them, and whether something jumps."""
    begin, end = float(times[0]), float(times[-1])
    asks: Array = np.zeros(0)
    arrives: Array = np.zeros(0)
    if sampling is not None:
        count = math.floor((end - begin) / sampling.period + _NEAR) + 1
        if count > _MOST:
            raise ArgumentError(f"rate: {count} samples are too many; wanted a lower rate or a shorter simulation")
        near = _NEAR * min(sampling.period, end - begin)
        asks = _snapped(begin + np.arange(count) * sampling.period, grid, near)
        grid = np.union1d(grid, asks)
        arrives = asks
        if sampling.delay > 0:
            arrives = _snapped(begin + np.arange(count) * sampling.period + sampling.delay, grid, near)
            arrives = arrives[arrives <= end]
            grid = np.union1d(grid, arrives)
    corners = []
    for given in signals:
        inside = given[(given >= begin) & (given <= end)]
        corners.append(_snapped(inside, grid, _near(times, given)))
        grid = np.union1d(grid, corners[-1])
    events = np.zeros((EVENTS, len(grid)), np.intp)
    events[OUT] = -1
    events[OUT, np.searchsorted(grid, times)] = np.arange(len(times))
    events[HELD] = np.searchsorted(times, grid, side="right") - 1
    events[ASKS], events[ARRIVES] = np.isin(grid, asks), np.isin(grid, arrives)
    return grid, events, np.isin(grid, np.concatenate([asks, arrives, *corners]))


def _near(times: Array, given: Array) -> float:
    """Return how close a time of a signal is to another time to be that one, s."""
    gaps = np.diff(given)
    return _NEAR * min(float(times[-1] - times[0]), float(gaps[gaps > 0].min(initial=np.inf)))


def _substeps(times: Array, step: float) -> NDArray[np.intp]:
    counts = np.ceil(np.diff(times) / step * (1 - 1e-12))  # a span of three steps and some rounding is three steps
    if (counts > 2.0**53).any():
        raise ArgumentError(f"step: {step!r} s is below the rounding of t; wanted a longer step")
    return np.maximum(counts, 1).astype(np.intp)


def _divided(times: Array, counts: NDArray[np.intp]) -> Array:
    """Return the times with all steps between them."""
    if counts.sum() > _MOST:
        raise ArgumentError(
            f"step: {counts.sum()} steps are too many for wrenches or gravity given by a function; wanted a longer step"
        )
    starts = np.repeat(times[:-1], counts)
    inside = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.append(starts + inside * np.repeat(np.diff(times) / counts, counts), times[-1])


def _snapped(given: NDArray[Any], grid: Array, near: float) -> Array:
    """Return times, with those that almost are one of the grid moved to it."""
    right = np.clip(np.searchsorted(grid, given), 0, len(grid) - 1)
    left = np.maximum(right - 1, 0)
    closest = np.where(np.abs(grid[left] - given) < np.abs(grid[right] - given), grid[left], grid[right])
    return np.where(np.abs(closest - given) <= near, closest, given)
