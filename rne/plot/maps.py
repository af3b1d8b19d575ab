"""Heat maps: the significance of the terms of the equations of motion."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rne.analysis.significance import Significance
from rne.analysis.torque_breakdown import OF_THE_MODEL
from rne.batch.arguments import Floats
from rne.errors import ArgumentError
from rne.plot.page import DARK, PALE, SMALL, blank, legend, name_axes, shortened, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def significance(report: Significance) -> Figure:
    """Plot the share of each term of the equations of motion for each joint, and the error of a model without it.

    Parameters
    ----------
    report : the result of `rne.significance`.

    Returns
    -------
    figure : matplotlib.figure.Figure with one row per joint. From left to right: the share of each term; the largest
        error if one term alone is dropped, in percent of the peak torque; and, if the report drops coefficients, the
        error if all of them are dropped: the largest in percent of the peak torque, and the RMS in percent of the RMS
        torque.

    Raises
    ------
    ArgumentError
        `report` is not a `Significance`.
    MissingExtraError
        matplotlib is not installed.

    Examples
    --------
    >>> import numpy as np, rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> motion = rne.quintic([0.0, 0.0], [1.0, 0.5], np.linspace(0.0, 2.0, 201), duration=2.0)
    >>> figure = rne.plot.significance(rne.significance(arm, *motion, drop=["centripetal", "coriolis"]))
    >>> [ax.get_title() for ax in figure.axes]
    ['share of each term (%)', 'error without it (% of peak)', 'error without 6 of 18 parts (%)']
    """
    if not isinstance(report, Significance):
        raise ArgumentError(f"report: wanted a Significance, got {type(report).__name__}")
    n = report.robot.n
    names = [shortened(name, 28) for name in report.joint_names]
    count = 3 if report.dropped else 2
    figure = blank(5.0 * count, 2.0 + 0.3 * n, f"{report.robot.name}: significance of the terms")
    panels = [tidy(ax) for ax in figure.subplots(1, count)]
    _map(panels[0], report.terms.share.reshape(n, len(OF_THE_MODEL)), "share of each term (%)")
    _map(panels[1], report.terms.of_peak.reshape(n, len(OF_THE_MODEL)), "error without it (% of peak)")
    for ax in panels:
        ax.set_yticks(range(n), names if ax is panels[0] else [""] * n, parse_math=False)
    if report.dropped:
        ax, places = panels[2], np.arange(n)
        ax.barh(places, 100 * report.error.of_peak, 0.7, color=PALE, label="largest error, % of peak torque")
        ax.barh(places, 100 * report.error.of_rms, 0.35, color=DARK, label="RMS error, % of RMS torque")
        ax.set_ylim(n - 0.5, -0.5)
        ax.set_xlim(left=0.0)
        parts = len(report.coefficients.names)
        ax.set_title(f"error without {len(report.dropped)} of {parts} parts (%)", fontsize=9)
        name_axes(ax, "error (%)")
    return legend(figure)


def _map(ax: Axes, parts: Floats, title: str) -> None:
    """Draw fractions as a heat map, each with its value in percent."""
    ax.imshow(parts, cmap="Blues", vmin=0.0, vmax=1.0, aspect="auto")
    for (row, column), part in np.ndenumerate(parts):
        if part > 0:
            text = f"{100 * part:,.0f}" if part >= 0.0995 else f"{100 * part:.1f}" if part >= 5e-4 else "<0.1"
            ax.text(column, row, text, ha="center", va="center", fontsize=7, color="white" if part > 0.6 else "black")
    ax.set_xticks(range(len(OF_THE_MODEL)), OF_THE_MODEL, rotation=45, ha="right")
    ax.tick_params(labelsize=SMALL)
    ax.set_title(title, fontsize=9)
