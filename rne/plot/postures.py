"""Plots over joint positions: phase portraits, and effective inertia."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from rne.batch.arguments import check_robot
from rne.check import as_joint
from rne.dynamics.mass_matrix import effective_inertia
from rne.errors import ArgumentError
from rne.model.robot import Robot
from rne.plot.page import (
    BLACK,
    BLUE,
    ORANGE,
    RED,
    Motion,
    Page,
    as_motion,
    by_coordinate,
    legend,
    name_axes,
    units,
    view,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LONG = 20_000
"""Number of samples from which a phase portrait is drawn as a density map instead of a line."""
CELLS = 150
"""Number of squares of the density map in each direction."""


def inertia(
    robot: Robot, q: ArrayLike, over: str | int, *, free: Iterable[str | int] | None = None, rotors: bool = True
) -> Figure:
    """Plot the effective inertia of each joint over a sweep of one joint, with the other joints locked and free.

    Parameters
    ----------
    robot : the robot.
    q : (T, n) postures, rad or m, ordered by the position of the swept joint.
    over : the swept joint: its name, or its number, counted from 1.
    free, rotors : as for `rne.effective_inertia`.

    Returns
    -------
    figure : matplotlib.figure.Figure with one panel per joint: D_ii with all other joints locked, and the smaller
        inertia with them free.

    Raises
    ------
    ArgumentError, UnknownNameError
        An argument has the wrong shape, type or value, the joint is unknown, or its positions are not in order.
    SingularError
        Some motion of the free joints moves no mass.
    MissingExtraError
        matplotlib is not installed.

    Examples
    --------
    >>> import numpy as np, rne
    >>> arm = rne.load("models/lectures/two_link_point_mass_paul_values/robot.dh.toml")
    >>> sweep = np.zeros((181, 2))
    >>> sweep[:, 1] = np.linspace(0, np.pi, 181)
    >>> figure = rne.plot.inertia(arm, sweep, over=2)
    >>> locked, free = figure.axes[0].get_lines()
    >>> locked.get_ydata()[[0, -1]].round(6), free.get_ydata()[[0, -1]].round(6)
    (array([6., 2.]), array([2., 2.]))
    """
    check_robot(robot)
    swept = as_joint(robot.joint_names, over, "over")
    postures = as_motion(robot, None, False, q=q).rows["q"]
    x = postures[:, swept]
    if not (np.diff(x) >= 0).all():
        raise ArgumentError(f"q: wanted postures ordered by the position of the swept joint {robot.joint_names[swept]}")
    felt = effective_inertia(robot, postures, free=free, rotors=rotors)
    labels = units(robot)
    along = f"{robot.joint_names[swept]}: {labels[swept].position}"
    page = Page(f"{robot.name}: effective inertia of the joints", robot.n, x_label=along)
    for k, ((ax,), unit) in enumerate(zip(page.cells, labels, strict=True)):
        page.line(ax, x, felt.locked[:, k], color=BLUE, label="other joints locked")
        page.line(ax, x, felt.free[:, k], color=ORANGE, linestyle="--", label="other joints free")
        view(ax, np.concatenate([felt.locked[:, k], felt.free[:, k], [0.0]]))
        page.head(ax, robot.joint_names[k])
        name_axes(ax, y=unit.inertia)
    return legend(page.figure)


def phase(robot: Robot, q: ArrayLike, qd: ArrayLike) -> Figure:
    """Plot the phase portrait of each joint: its velocity over its position, with its limits.

    Parameters
    ----------
    robot : the robot.
    q, qd : (T, n) positions, rad or m, and velocities. More than 20,000 samples are drawn as a density map instead of
        a line; darker squares contain more samples.

    Returns
    -------
    figure : matplotlib.figure.Figure with one panel per joint. A dot marks the start of the motion. Limits farther from
        the motion than its width are not shown.

    Raises
    ------
    ArgumentError, MissingExtraError
        As for `torques`.

    Examples
    --------
    >>> import numpy as np, rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> motion = rne.simulate(arm, [0.5, 0.0], t=np.linspace(0, 1, 101))
    >>> figure = rne.plot.phase(arm, motion.q, motion.qd)
    >>> figure.axes[1].get_xlabel(), figure.axes[1].get_ylabel()
    ('angle (rad)', 'velocity (rad/s)')
    """
    motion = as_motion(robot, None, True, q=q, qd=qd)
    motion.rows["q"] = by_coordinate(robot, motion.rows["q"])
    names, lower, upper = (
        by_coordinate(robot, x) for x in (np.array(robot.position_names), robot.lower_limit, robot.upper_limit)
    )
    page = Page(f"{robot.name}: phase portraits", robot.n)
    for k, ((ax,), unit) in enumerate(zip(page.cells, units(robot), strict=True)):
        _portrait(ax, motion, k)
        for bound in (lower[k], upper[k]):
            _limit(ax, bound, "x")
        for bound in (-robot.velocity_limit[k], robot.velocity_limit[k]):
            _limit(ax, bound, "y")
        page.head(ax, names[k])
        name_axes(ax, unit.position, unit.velocity)
    return legend(page.figure)


def _portrait(ax: Axes, motion: Motion, k: int) -> None:
    x, y = motion.rows["q"][:, k], motion.rows["qd"][:, k]
    there = ~np.isnan(x + y)
    if len(x) <= LONG:
        ax.plot(np.where(there, x, np.nan), np.where(there, y, np.nan), color=BLUE, linewidth=1, label="motion")
    elif there.any():
        counts, edges, rungs = np.histogram2d(x[there], y[there], CELLS)
        shades = np.ma.masked_equal(np.log1p(counts.T), 0.0)
        ends = (edges[0], edges[-1], rungs[0], rungs[-1])
        ax.imshow(shades, cmap="Blues", vmin=-shades.max(), origin="lower", aspect="auto", extent=ends)
        ax.use_sticky_edges = False
        ax.margins(0.05)
    start = np.flatnonzero(there)[:1]
    if start.size:
        ax.plot(x[start], y[start], "o", color=BLACK, markersize=4, label="start")


def _limit(ax: Axes, bound: float, axis: str) -> None:
    """Draw a limit if it is within the range of the axis, or not far outside."""
    low, high = ax.get_xlim() if axis == "x" else ax.get_ylim()
    if low - (high - low) <= bound <= high + (high - low):
        draw = ax.axvline if axis == "x" else ax.axhline
        draw(bound, color=RED, linestyle="--", linewidth=1, label="limit")
