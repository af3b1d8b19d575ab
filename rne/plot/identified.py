"""What an identification found: measured torques against the model, and friction with the samples behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rne.errors import ArgumentError
from rne.identification.report import Identification
from rne.plot.page import BLACK, GRAY, ORANGE, PURPLE, Page, legend, name_axes, units

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def identification(report: Identification) -> Figure:
    """Plot measured torques over those of the identified parameters, with the residual below.

    Drawn are the samples that the identification has kept, at most the first 8192.

    Parameters
    ----------
    report : the result of `rne.identify` or of an `rne.Identifier`.

    Returns
    -------
    figure : matplotlib.figure.Figure with two panels for each joint, over the number of the sample.

    Raises
    ------
    ArgumentError
        `report` is not an `Identification`.
    MissingExtraError
        matplotlib is not installed.

    Examples
    --------
    >>> import numpy as np, rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> q, qd, qdd = np.random.default_rng(0).normal(size=(3, 50, 2))
    >>> found = rne.identify(arm, q, qd, qdd, rne.inverse_dynamics(arm.with_payload(0.5), q, qd, qdd))
    >>> figure = rne.plot.identification(found)
    >>> bool(abs(figure.axes[1].get_lines()[-1].get_ydata()).max() < 1e-9)
    True
    """
    _check(report)
    robot = report.base.robot
    q, qd, qdd, tau = report.kept
    model, x = report.torques(q, qd, qdd), np.arange(len(q))
    page = Page(f"{robot.name}: identification", robot.n, across=2, x_label="sample", stacked=True)
    for k, ((above, below), unit) in enumerate(zip(page.cells, units(robot), strict=True)):
        page.line(above, x, tau[:, k], color=ORANGE, label="measured")
        page.line(above, x, model[:, k], color=BLACK, linestyle="--", label="found", zorder=3)
        below.axhline(0.0, color=GRAY, linewidth=0.6)
        page.line(below, x, tau[:, k] - model[:, k], color=PURPLE, label="residual: measured - found")
        page.head(above, robot.joint_names[k])
        name_axes(above, y=unit.effort)
        name_axes(below, y="residual")
    return legend(page.figure)


def friction(report: Identification) -> Figure:
    """Plot friction over velocity, joint by joint: what is measured beyond the other terms, and what was found.

    Parameters
    ----------
    report : as for `identification`.

    Returns
    -------
    figure : matplotlib.figure.Figure with one panel for each joint.

    Raises
    ------
    ArgumentError, MissingExtraError
        As for `identification`.

    Examples
    --------
    >>> import numpy as np, rne
    >>> arm = rne.load("models/planar2/robot.dh.toml").with_dampers([0.5, 0.2])
    >>> q, qd, qdd = np.random.default_rng(0).normal(size=(3, 50, 2))
    >>> tau = rne.inverse_dynamics(arm, q, qd, qdd, friction=True)
    >>> figure = rne.plot.friction(rne.identify(arm, q, qd, qdd, tau, friction=True))
    >>> [ax.get_ylabel() for ax in figure.axes]
    ['friction (N m)', 'friction (N m)']
    """
    _check(report)
    robot = report.base.robot
    q, qd, qdd, tau = report.kept
    found = report.friction(q, qd, qdd)
    measured = tau - report.torques(q, qd, qdd) + found
    page = Page(f"{robot.name}: friction", robot.n, x_label="velocity")
    for k, ((ax,), unit) in enumerate(zip(page.cells, units(robot), strict=True)):
        order = np.argsort(qd[:, k])
        ax.axhline(0.0, color=GRAY, linewidth=0.6)
        ax.plot(qd[order, k], measured[order, k], ".", color=ORANGE, markersize=2, label="measured - other terms")
        ax.plot(qd[order, k], found[order, k], color=BLACK, linewidth=1.0, label="found", zorder=3)
        page.head(ax, robot.joint_names[k])
        name_axes(ax, y=unit.effort.replace("torque", "friction").replace("force", "friction"))
    return legend(page.figure)


def _check(report: object) -> None:
    if not isinstance(report, Identification):
        raise ArgumentError(f"report: wanted an Identification, got {type(report).__name__}")
