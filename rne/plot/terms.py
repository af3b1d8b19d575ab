"""Plots of the terms of torques."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from rne.analysis.torque_breakdown import TorqueBreakdown
from rne.errors import ArgumentError
from rne.model.robot import Robot
from rne.plot.envelope import envelope
from rne.plot.page import (
    BLACK,
    BLUE,
    DARK,
    GRAY,
    GREEN,
    ORANGE,
    PALE,
    PURPLE,
    RED,
    SKY,
    YELLOW,
    Page,
    as_motion,
    legend,
    name_axes,
    units,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLORS = {
    "gravity": ORANGE,
    "effective": BLUE,
    "coupling": DARK,
    "rotor": SKY,
    "centripetal": GREEN,
    "coriolis": PALE,
    "friction": PURPLE,
    "spring": YELLOW,
    "external": RED,
}
"""Color of each term in all plots, in the order of stacking."""


def breakdown(robot: Robot, t: ArrayLike | None, parts: TorqueBreakdown) -> Figure:
    """Plot the terms of the torque of each joint over time as stacked areas, and their sum as a line.

    Positive terms are stacked upward and negative terms downward, so that the height above zero minus the depth below
    it is the total. Terms that are zero everywhere are omitted. Long motions are drawn by the samples at which the
    stacks or the total have their extremes.

    Parameters
    ----------
    robot : the robot.
    t : (T,) times, s, not decreasing; None to plot over the sample number.
    parts : the result of `rne.torque_breakdown` for a motion (T, n).

    Returns
    -------
    figure : matplotlib.figure.Figure with one panel per joint.

    Raises
    ------
    ArgumentError
        An argument has the wrong shape, type or value, or the breakdown is of another robot.
    MissingExtraError
        matplotlib is not installed.

    Examples
    --------
    >>> import rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> parts = rne.torque_breakdown(arm, [[0.0, 0.0], [0.2, 0.1]], qdd=[0.5, 0.0])
    >>> figure = rne.plot.breakdown(arm, [0.0, 1.0], parts)
    >>> [text.get_text() for text in figure.legends[0].get_texts()]
    ['gravity', 'effective', 'coupling', 'total']
    """
    if not isinstance(parts, TorqueBreakdown):
        raise ArgumentError(f"parts: wanted a TorqueBreakdown, got {type(parts).__name__}")
    motion = as_motion(robot, t, False, total=parts.total, **{name: parts.terms[name] for name in COLORS})
    if parts.joint_names != robot.joint_names:
        raise ArgumentError(f"parts: wanted a breakdown of {robot.name}, got one of {', '.join(parts.joint_names)}")
    page = Page(f"{robot.name}: terms of the torques", robot.n, x_label=motion.label)
    total = motion.rows.pop("total")
    names = [name for name in COLORS if (np.abs(motion.rows[name]) > 0).any()]  # NaN does not count
    for k, ((ax,), unit) in enumerate(zip(page.cells, units(robot), strict=True)):
        terms = np.array([motion.rows[name][:, k] for name in names]).reshape(len(names), len(motion.x))
        stacks = [terms.clip(0.0, None), terms.clip(None, 0.0)]
        kept = envelope(motion.x, [stack.sum(axis=0) for stack in stacks] + [total[:, k]], page.columns // 2)
        for stack in stacks:
            edges = np.pad(stack[:, kept].cumsum(axis=0), ((1, 0), (0, 0)))
            for name, low, high in zip(names, edges[:-1], edges[1:], strict=True):
                label = name if stack is stacks[0] else None
                ax.fill_between(motion.x[kept], low, high, color=COLORS[name], linewidth=0, label=label)
        ax.axhline(0.0, color=GRAY, linewidth=0.6)
        page.line(ax, motion.x[kept], total[kept, k], color=BLACK, label="total")
        page.head(ax, robot.joint_names[k])
        name_axes(ax, y=unit.effort)
    return legend(page.figure)
