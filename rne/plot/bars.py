"""Bars: what the joints of a robot ask of their motors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rne.arrays import Floats
from rne.errors import ArgumentError
from rne.plot.page import BLACK, BLUE, GREY, RED, SKY, SMALL, blank, legend, name_axes, shortened, tidy, units
from rne.plot.terms import COLORS
from rne.sizing import TERMS, MotorSizing

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def sizing(report: MotorSizing) -> Figure:
    """What each joint asks of its motor: peaks and mean squares against limits, and what the torque at its peak is of.

    Joints that turn and joints that slide have panels of their own, for their units differ.

    Parameters
    ----------
    report : as `rne.motor_sizing` returns it.

    Returns
    -------
    figure : matplotlib.figure.Figure. From left to right: torque (peak, RMS, limit, and the part of the limit that the
        peak takes), speed, power, and the terms of the torque at its peak.

    Raises
    ------
    ArgumentError
        The report is something else.
    RneError
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
        first = None
        panels = []
        for column in range(4):
            ax = tidy(figure.add_subplot(grid[row, column], sharey=first))
            first = first or ax
            ax.tick_params(labelleft=column == 0)
            ax.locator_params(axis="x", nbins=5)
            panels.append(ax)
        unit = labels[group[0]]
        _bars(panels[0], report.peak_torque[group], report.rms_torque[group], robot.effort[group])
        _bars(panels[1], report.peak_speed[group], report.rms_speed[group], robot.velocity[group])
        _bars(panels[2], report.peak_power[group], report.rms_power[group], None)
        _terms(panels[3], {name: getattr(report, name)[group] for name in TERMS}, report.torque_at_peak[group])
        names = [shortened(robot.joint_names[k], 28) for k in group]
        panels[0].set_yticks(range(len(group)), names, parse_math=False)
        panels[0].set_ylim(len(group) - 0.5, -0.5)
        for ax, text in zip(
            panels, (unit.effort, unit.velocity, "power (W)", unit.effort.replace(" (", " at its peak (")), strict=True
        ):
            name_axes(ax, text)
    return legend(figure)


def _bars(ax: Axes, peak: Floats, rms: Floats, limit: Floats | None) -> None:
    places = np.arange(len(peak))
    ax.barh(places, peak, 0.7, color=SKY, label="peak")
    ax.barh(places, rms, 0.35, color=BLUE, label="root of mean square")
    if limit is None:
        return
    bounded = np.isfinite(limit)
    ax.plot(limit[bounded], places[bounded], "|", color=RED, markersize=14, markeredgewidth=2, label="limit")
    for place in places[bounded & (limit > 0)]:
        used = peak[place] / limit[place]
        color = RED if used > 1 else BLACK
        end = max(peak[place], limit[place])
        percent = f"{100 * used:,.0f} %" if used >= 1 else f"{100 * used:.2g} %"
        ax.annotate(percent, (end, place), (5, 0), textcoords="offset points", va="center",
                    fontsize=SMALL, color=color)  # fmt: skip
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
    ax.axvline(0.0, color=GREY, linewidth=0.6)
    ax.plot(total, places, "D", color=BLACK, markersize=4, label="sum")
    ax.margins(x=0.08)
