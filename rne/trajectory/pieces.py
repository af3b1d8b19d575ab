"""Filters of a motion in pieces that can be processed one by one: penalized splines, and polynomials in windows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rne.trajectory.penalized import CORE, MARGIN, Penalty, evaluate, fit
from rne.trajectory.polynomials import derivatives as polynomials

Floats = NDArray[np.float64]

_ROWS = 32_768  # usual samples of a piece, at least: with 4096, calls of numpy took a third of the time


class Pieces:
    """Penalized splines of some coordinates, over a stretch without gaps.

    Parameters
    ----------
    penalties : of the coordinates.
    interval : usual time between samples.

    Attributes
    ----------
    duration : of a piece, s; pieces are counted from the first time of the stretch.
    overlap : s; samples so long before and after a piece are needed for it.
    """

    rows = 0  # samples that are needed besides

    def __init__(self, penalties: Sequence[Penalty], interval: float) -> None:
        self._penalties = list(penalties)
        longest = max(penalty.step for penalty in penalties)
        self.duration = CORE * longest
        while self.duration < _ROWS * interval:
            self.duration *= 2
        self.overlap = (MARGIN + 1) * longest

    def whole(self, t: Floats, y: Floats, derivatives: int) -> list[Floats]:
        """Return values and derivatives (S, n) of a whole stretch at its times."""
        time = t - t[0]
        found = self._smooth(time, y[:, None], slice(0, len(t)), 0, None, time[-1], derivatives)
        return [part[:, 0] for part in found]

    def piece(
        self, t: Floats, y: Floats, core: slice, number: int, end: float | None, derivatives: int
    ) -> list[Floats]:
        """Return values (rows, columns, n) of one piece, and derivatives (rows, 1, n) of its first column.

        Parameters
        ----------
        t : (S,) times since the start of the stretch, of the piece and what is needed around it.
        y : (S, columns, n) samples; where one is NaN, so is the result, and the others do without it.
        core : rows of the piece.
        number : of the piece.
        end : last time of the stretch, if it is among t.
        """
        return self._smooth(t, y, core, number, number + 1, end, derivatives)

    def _smooth(
        self, t: Floats, y: Floats, core: slice, first: int, stop: int | None, end: float | None, derivatives: int
    ) -> list[Floats]:
        rows, columns, n = y[core].shape
        found = [np.full((rows, columns if k == 0 else 1, n), np.nan) for k in range(derivatives + 1)]
        lost = np.atleast_1d(np.isnan(y).any(axis=(0, 1)))
        groups: dict[tuple[float, int, int], list[int]] = {}
        for k, penalty in enumerate(self._penalties):
            groups.setdefault((penalty.step, penalty.order, k + 1 if lost[k] else 0), []).append(k)
        for (step, _, gaps), members in groups.items():
            taken = y[:, :, members]
            known = np.isfinite(taken.sum(axis=(1, 2))) if gaps else np.ones(len(t), bool)
            if not known.any():
                continue
            cells = None if end is None else int(end / step) + 1
            per_piece = round(self.duration / (CORE * step))
            last = stop * per_piece if stop is not None else -(-(cells or 0) // CORE)
            windows = np.arange(first * per_piece, last)
            if cells is not None:
                windows = windows[windows * CORE < cells]
            low = np.maximum(windows * CORE - MARGIN, 0)
            high = (windows + 1) * CORE + MARGIN
            if cells is not None:
                high = np.minimum(high, cells)
            cell = (t / step).astype(np.int64)
            used = known & (cell >= low[0]) & (cell < high[-1])
            u = t / step - cell
            with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
                coefficients = fit(
                cell[used], u[used], np.moveaxis(taken[used], 0, -1).swapaxes(0, 1),
                [self._penalties[k] for k in members], low, high, cells,
            )  # fmt: skip
            # By rounding a sample on the border of a piece may be in a cell of the next; its window reaches that far.
            window = np.clip(cell[core] // CORE - windows[0], 0, len(windows) - 1)
            parts = evaluate(cell[core], u[core], window, low, coefficients, step, derivatives)
            for total, part in zip(found, parts, strict=True):
                part[~known[core]] = np.nan
                total[:, :, members] = part.swapaxes(1, 2)
        return found


class Polynomials:
    """Polynomials in sliding windows, over a stretch without gaps; attributes and methods as of `Pieces`."""

    overlap = 0.0

    def __init__(self, window: int, degree: int, interval: float) -> None:
        self._window, self._degree = window, degree
        self.duration = _ROWS * interval
        self.rows = window - 1

    def piece(
        self,
        t: Floats,
        y: Floats,
        core: slice,
        number: int,  # noqa: ARG002
        end: float | None,  # noqa: ARG002
        derivatives: int,
    ) -> list[Floats]:
        """Return the same as `Pieces.piece`."""
        rows, columns, n = y.shape
        first = max(core.start - self.rows, 0)
        near = slice(first, min(core.stop + self.rows, rows))
        inner = slice(core.start - first, core.stop - first)
        found = polynomials(t[near], y[near].reshape(-1, columns * n), self._window, self._degree)
        parts = [part[inner].reshape(-1, columns, n) for part in found[: derivatives + 1]]
        return [part if k == 0 else part[:, :1] for k, part in enumerate(parts)]
