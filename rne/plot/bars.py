"""Bar charts: the demands of the joints on their motors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rne.analysis.motor_sizing import MotorSizing
from rne.analysis.torque_breakdown import TERMS
from rne.batch.arguments import Floats
from rne.errors import ArgumentError
from rne.plot.page import BLACK, DARK, GRAY, PALE, RED, SMALL, blank, legend, name_axes, shortened, tidy, units
from rne.plot.terms import COLORS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def sizing(report: MotorSizing) -> Figure:
    """Plot the demand on each motor: peak and RMS values with the limits, and the terms of the peak torque.

    Revolute and prismatic joints have separate panels, because their units differ.

    Parameters
    ----------
    report : the result of `rne.motor_sizing`.

    Returns
    -------
    figure : matplotlib.figure.Figure. From left to right: torque (peak, RMS, limit, and the peak in percent of the
        limit), speed, power, and the terms of the torque at its peak.

    Raises
    ------
    ArgumentError
        `report` is not a `MotorSizing`.
    MissingExtraError
        matplotlib is not installed.

    Examples
    --------
    >>> import rne
    >>> arm = rne.load("models/lectures/rp_motor_sizing/robot.dh.toml")
    >>> figure = rne.plot.sizing(rne.motor_sizing(arm, [0.0, 2.0], qdd=[[0.0, 0.0], [1.0, 0.0]]))
    >>> [ax.get_xlabel() for ax in figure.axes[::4]]
    ['torque (N m)', 'force (N)']
    """
    if not isinstance(report, MotorSizing):
        raise ArgumentError(f"report: wanted a MotorSizing, got {type(report).__name__}")
    robot = report.robot
    labels = units(robot)
    groups = [[k for k, unit in enumerate(labels) if unit == kind] for kind in dict.fromkeys(labels)]
    heights = [0.9 + 0.34 * len(group) for group in groups]
    figure = blank(14.0, 1.0 + sum(heights), f"{robot.name}: motor sizing")
    grid = figure.add_gridspec(max(len(groups), 1), 4, height_ratios=heights or None)
    for row, group in enumerate(groups):
        panels = [tidy(figure.add_subplot(grid[row, column])) for column in range(4)]
        unit = labels[group[0]]
        _bars(panels[0], report.peak_torque[group], report.rms_torque[group])
        _limits(panels[0], report.peak_torque[group], robot.effort_limit[group], report.torque_used[group])
        _bars(panels[1], report.peak_speed[group], report.rms_speed[group])
        _limits(panels[1], report.peak_speed[group], robot.velocity_limit[group], report.speed_used[group])
        _bars(panels[2], report.peak_power[group], report.rms_power[group])
        _terms(panels[3], {name: getattr(report, name)[group] for name in TERMS}, report.torque_at_peak[group])
        names = [shortened(robot.joint_names[k], 28) for k in group]
        titles = (unit.effort, unit.velocity, "power (W)", unit.effort.replace(" (", " at its peak ("))
        for ax, title in zip(panels, titles, strict=True):
            name_axes(ax, title)
            ax.locator_params(axis="x", nbins=5)
            ax.set_yticks(range(len(group)), names if ax is panels[0] else [""] * len(group), parse_math=False)
            ax.set_ylim(len(group) - 0.5, -0.5)
    return legend(figure)


def _bars(ax: Axes, peak: Floats, rms: Floats) -> None:
    places = np.arange(len(peak))
    ax.barh(places, peak, 0.7, color=PALE, label="peak")
    ax.barh(places, rms, 0.35, color=DARK, label="root mean square")


def _limits(ax: Axes, peak: Floats, limit: Floats, used: Floats) -> None:
    """Mark the limits, and write the peaks in percent of them."""
    there = np.flatnonzero(limit < np.inf)
    if not there.size:
        return
    ax.plot(limit[there], there, "|", color=RED, markersize=14, markeredgewidth=2, label="limit")
    for place in there:
        percent = f"{100 * used[place]:,.0f} %" if used[place] >= 1 else f"{100 * used[place]:.2g} %"
        ax.annotate(
            percent, (max(peak[place], limit[place]), place), (5, 0), textcoords="offset points", va="center",
            fontsize=SMALL, color=RED if used[place] > 1 else BLACK,
        )  # fmt: skip
    ax.margins(x=0.25)


def _terms(ax: Axes, terms: dict[str, Floats], total: Floats) -> None:
    places = np.arange(len(total))
    above, below = np.zeros(len(total)), np.zeros(len(total))
    for name, color in COLORS.items():
        if name not in terms or not terms[name].any():
            continue
        value = terms[name]
        ax.barh(places, value, 0.7, np.where(value >= 0, above, below), color=color, label=name)
        above += value.clip(0.0, None)
        below += value.clip(None, 0.0)
    ax.axvline(0.0, color=GRAY, linewidth=0.6)
    ax.plot(total, places, "D", color=BLACK, markersize=4, label="sum")
    ax.use_sticky_edges = False  # a bar of length zero would remove the margin
    ax.margins(x=0.08)
