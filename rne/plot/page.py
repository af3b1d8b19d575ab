"""Common parts of all plots: a figure created without pyplot, with a grid of panels that depends on the joints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rne.batch.arguments import Floats, as_batch, check_robot
from rne.batch.named import time_array
from rne.check import numbers
from rne.errors import ArgumentError, needing
from rne.model.floating import QUATERNION
from rne.model.robot import Robot
from rne.plot.envelope import envelope

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe, Ito, "Color Universal Design" (2008): distinguishable with every kind of color vision.
BLACK, ORANGE, SKY, GREEN, YELLOW, BLUE, RED, PURPLE = (
    "#000000", "#E69F00", "#56B4E9", "#009E73", "#F0E442", "#0072B2", "#D55E00", "#CC79A7"
)  # fmt: skip
PALE, GRAY, DARK = "#C4C4C4", "#999999", "#555555"
SMALL = 8
"""Size of all text except titles, in points."""
NEAR = 0.1
"""A limit is shown if the data reach this fraction of it; otherwise it would compress the data too much."""


class Units(NamedTuple):
    """Axis labels of a joint."""

    position: str
    velocity: str
    effort: str
    inertia: str


TURN = Units("angle (rad)", "velocity (rad/s)", "torque (N m)", "inertia (kg m²)")
SLIDE = Units("position (m)", "velocity (m/s)", "force (N)", "mass (kg)")


ATTITUDE = Units("quaternion", "velocity (rad/s)", "moment (N m)", "inertia (kg m²)")


def units(robot: Robot) -> list[Units]:
    """Return the labels of each coordinate, (n,)."""
    joints = [SLIDE if robot.joint(name).kind == "prismatic" else TURN for name in robot.joint_names]
    return [*[SLIDE] * 3, *[ATTITUDE] * 3, *joints] if robot.floating else joints


def by_coordinate(robot: Robot, x: Any) -> Any:
    """Return what the numbers of q (..., nq) have without that of the scalar of a quaternion: one a coordinate."""
    return np.delete(x, QUATERNION.stop - 1, axis=-1) if robot.floating else x


class Motion(NamedTuple):
    """A motion, prepared for drawing.

    Attributes
    ----------
    x : (T,) times, or sample numbers.
    label : axis label of `x`.
    timed : whether `x` are times.
    rows : by name, (T, n), or (T, nq).
    """

    x: Floats
    label: str
    timed: bool
    rows: dict[str, Floats]


def as_motion(robot: Robot, t: ArrayLike | None, floating: bool, /, **values: ArrayLike | None) -> Motion:
    """Check and convert the arguments of a plot over time; infinity becomes NaN, which is drawn as a gap.

    floating : whether the plot supports a base that floats.

    Raises
    ------
    ArgumentError
        `robot` is not a robot, an array is not (T, n), or the times are not (T,) finite, nondecreasing numbers.
    """
    check_robot(robot, floating=floating)
    first = next(iter(values))
    for name, value in values.items():
        if value is None:  # which means zeros elsewhere
            raise ArgumentError(f"{name}: wanted an array to draw, got None")
    batch = as_batch(robot, values, required=first)
    if len(batch.shape) != 1:
        width = batch.rows[first].shape[-1]
        given = (*batch.shape, width)
        raise ArgumentError(f"{first}: wanted one motion, shape (T, {width}), got {given}; plot batches one by one")
    rows = {name: _without_infinity(row) for name, row in batch.rows.items()}
    if t is None:
        return Motion(np.arange(batch.samples), "sample", False, rows)
    times = numbers("t", time_array("t", t), batch.shape)
    if (np.diff(times) < 0).any():
        raise ArgumentError(
            f"t: wanted times in order, but t[{int(np.diff(times).argmin()) + 1}] is before the one preceding it"
        )
    return Motion(times, "time (s)", True, rows)


def _without_infinity(row: Floats) -> Floats:
    there = np.isfinite(row)
    return row if there.all() else np.where(there, row, np.nan)


def blank(width: float, height: float, title: str) -> Figure:
    """Create a figure that is not registered with pyplot and has no window.

    Raises
    ------
    MissingExtraError
        matplotlib is not installed.
    """
    with needing("plot", "rne.plot needs"):
        from rne.plot.figure import Figure
    figure = Figure((width, height), layout="constrained")
    figure.suptitle(title, x=0.01, ha="left", fontsize=11, parse_math=False)
    return figure


def tidy(ax: Axes) -> Axes:
    """Set a small font, and hide the spines without numbers."""
    ax.tick_params(labelsize=SMALL)
    for axis in (ax.xaxis, ax.yaxis):
        axis.get_offset_text().set_fontsize(SMALL)
    ax.yaxis.get_offset_text().set(ha="right", x=-0.02)  # to the left of the title, not under it
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def name_axes(ax: Axes, x: str | None = None, y: str | None = None) -> None:
    """Label axes in a small font."""
    if x is not None:
        ax.set_xlabel(x, fontsize=SMALL)
    if y is not None:
        ax.set_ylabel(y, fontsize=SMALL)


def shortened(name: str, letters: int) -> str:
    """Shorten a long name in the middle, since its two ends are what distinguishes it from others."""
    if len(name) <= letters:
        return name
    head = max(letters - 1, 2) // 2
    return f"{name[:head]}…{name[len(name) - max(letters - 1, 2) + head :]}"


def legend(figure: Figure) -> Figure:
    """Add one legend for the labels of all panels, outside the panels."""
    entries: dict[str, Any] = {}
    for ax in figure.axes:
        for handle, label in zip(*ax.get_legend_handles_labels(), strict=True):
            entries.setdefault(label, handle)
    if entries:
        figure.legend(
            entries.values(), entries.keys(), loc="outside lower center", ncols=min(len(entries), 8),
            fontsize=SMALL, frameon=False,
        )  # fmt: skip
    return figure


class Page:
    """A figure with a grid of cells, usually one per joint, each with one panel or several side by side.

    Parameters
    ----------
    title : title of the figure.
    cells : number of cells.
    across : number of panels in a cell.
    x_label : label of the horizontal axis that all panels share; None if each panel has its own axis.
    stacked : whether the panels of a cell stand below each other.

    Attributes
    ----------
    figure : the figure.
    cells : the panels of each cell.
    columns : number of pixel columns to which a line is reduced.
    """

    def __init__(
        self, title: str, cells: int, across: int = 1, x_label: str | None = None, stacked: bool = False
    ) -> None:
        beside = max(1, round((cells / (2 * across)) ** 0.5))  # cells per row: two rows of panels for each column
        deep = across if stacked else 1
        rows, wide = -(-cells // beside) * deep, beside * across // deep
        self.figure = blank(max(9.0, 3.2 * wide), 1.0 + rows * max(1.9, 3.4 - 0.5 * rows), title)
        self.columns = max(150, 1200 // wide)
        self._letters = int(max(9.0, 3.2 * wide) / wide / 0.085) - 6
        grid = self.figure.add_gridspec(max(rows, 1), wide)
        self.cells: list[list[Axes]] = []
        shared = None
        for k in range(cells):
            row, column = divmod(k, beside)
            panels = []
            for part in range(across):
                place = (row * deep + part, column) if stacked else (row, column * across + part)
                ax = tidy(self.figure.add_subplot(grid[place], sharex=shared))
                if wide > 2:
                    ax.locator_params(nbins=5)
                shared = ax if x_label is not None else None
                is_lowest = k + beside >= cells and part >= deep - 1
                if x_label is not None:
                    ax.tick_params(labelbottom=is_lowest)
                    name_axes(ax, x_label if is_lowest else None)
                    ax.xaxis.set_in_layout(place[0] == rows - 1)  # below the last row there is space
                panels.append(ax)
            self.cells.append(panels)
        self.figure.align_ylabels()  # of panels below each other, whatever the width of their numbers

    def head(self, ax: Axes, name: str, note: str = "", color: str = RED) -> None:
        """Write a name above a panel, and a note to the right of it."""
        name = shortened(name, max(6, self._letters - len(note)))
        # With a given height matplotlib need not search for one, which takes half of the time for many panels.
        ax.set_title(name, loc="left", y=1.0, fontsize=9, parse_math=False)
        if note:
            ax.set_title(note, loc="right", y=1.0, fontsize=SMALL, color=color)

    def line(self, ax: Axes, x: Floats, y: Floats, **style: Any) -> Floats:
        """Draw a line; return the indices of the samples drawn.

        A single sample between two gaps is drawn as a dot.
        """
        kept = envelope(x, [y], self.columns)
        there = np.pad(~np.isnan(y[kept]), 1)
        alone = np.flatnonzero(there[1:-1] & ~there[:-2] & ~there[2:])
        dots = {"marker": ".", "markevery": alone.tolist()} if alone.size else {}
        ax.plot(x[kept], y[kept], **{"linewidth": 1.2, **dots, **style})
        return kept

    def against(self, ax: Axes, name: str, x: Floats, y: Floats, lower: float, upper: float) -> None:
        """Draw a line with its limits, mark the samples beyond them, and write the name above the panel.

        The note beside the name counts these samples, or gives a limit that is too far from the data to be shown.
        """
        kept = self.line(ax, x, y, color=BLUE)
        bounds = [bound for bound in (lower, upper) if np.isfinite(bound)]
        for bound in bounds:
            ax.axhline(bound, color=RED, linestyle="--", linewidth=1, label="limit")
        outside = (y < lower) | (y > upper)
        count = np.count_nonzero(outside)
        if count:
            self.line(ax, x[kept], np.where(outside, y, np.nan)[kept], color=RED, linewidth=3, label="beyond the limit")
        values = y[np.isfinite(y)]
        reach = np.abs(values).max(initial=0.0)
        far = [bound for bound in bounds if reach < NEAR * abs(bound)]
        view(ax, np.concatenate([values, [bound for bound in bounds if bound not in far]]))
        self.head(ax, name, f"{count:,} beyond" if count else _told(far), RED if count else GRAY)


def view(ax: Axes, values: Floats) -> None:
    """Extend the vertical axis to show these values, with a margin."""
    if not values.size:
        return
    low, high = float(values.min()), float(values.max())
    room = 0.06 * (high - low) or 0.1 * abs(high) or 1.0
    ax.set_ylim(low - room, high + room)


def _told(bounds: list[float]) -> str:
    """Return the note about limits that are not shown."""
    if not bounds:
        return ""
    if len(bounds) == 2 and bounds[0] == -bounds[1]:
        return f"far limits ±{bounds[1]:.4g}"
    return ("far limit " if len(bounds) == 1 else "far limits ") + ", ".join(f"{bound:.4g}" for bound in bounds)
