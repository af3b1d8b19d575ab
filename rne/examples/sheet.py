"""The comparison of an example: rows with the numbers of the course and of `rne`, and text between them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rne.tables import columns

Array = NDArray[np.float64]

ROUNDING = 1e-11
"""Tolerated difference of two calculations, relative to the largest number of a row."""


@dataclass(frozen=True, eq=False)
class Row:
    """One quantity, by the course and by `rne`.

    Parameters
    ----------
    what : the quantity, in the symbols of the course.
    course : values by the formula of the course, with misprints corrected.
    rne : values by `rne`.
    printed : values by the printed formula, if it has a misprint.
    size : magnitude to which differences are relative.
    within : the largest difference that counts as agreement.
    """

    what: str
    course: Array
    rne: Array
    printed: Array | None
    size: float
    within: float

    @property
    def difference(self) -> float:
        """Largest difference between course and `rne`, relative to the size."""
        return float(np.abs(self.course - self.rne).max(initial=0.0)) / self.size

    @property
    def ok(self) -> bool:
        """Whether both agree, and an alleged misprint actually differs."""
        wrong = self.printed is None or float(np.abs(self.printed - self.rne).max()) > 1e-3 * self.size
        return self.difference <= self.within and wrong  # NaN agrees with nothing

    @property
    def mark(self) -> str:
        """The mark at the end of the row."""
        return "DIFFERS" if not self.ok else "=" if self.printed is None else "= misprinted"


class Sheet:
    """The page of one example, filled from top to bottom; `str(sheet)` is the text.

    Attributes
    ----------
    picture : callable or None
        Draws the figure of the example, a matplotlib figure, if it has one.

    Examples
    --------
    >>> sheet = Sheet("A point mass on a rod of 0.4 m:")
    >>> sheet.row("I = m r^2", 2.5 * 0.4**2, 0.4)
    >>> sheet.misprint("I_f, table 3.2", printed=3, right=6, rne=6.0)
    >>> print(sheet)
    A point mass on a rod of 0.4 m:
    <BLANKLINE>
    quantity        printed  course  rne  difference
    I = m r^2                   0.4  0.4       1e-16  =
    I_f, table 3.2        3       6    6           0  = misprinted
    >>> sheet.ok
    True
    """

    def __init__(self, text: str = "") -> None:
        self._parts: list[str | list[Row]] = []
        self.picture: Callable[[], Any] | None = None
        self.say(text)

    @property
    def rows(self) -> tuple[Row, ...]:
        """All rows from top to bottom."""
        return tuple(row for part in self._parts if not isinstance(part, str) for row in part)

    @property
    def ok(self) -> bool:
        """Whether there are rows and all of them agree."""
        return bool(self.rows) and all(row.ok for row in self.rows)

    def say(self, text: object) -> None:
        """Add text, such as a report that prints as a table."""
        if str(text):
            self._parts.append(str(text))

    def row(self, what: str, course: ArrayLike, rne: ArrayLike, *, within: float = ROUNDING) -> None:
        """Compare one quantity, a number or an array.

        Parameters
        ----------
        what : the quantity.
        course, rne : its values, of the same shape except for axes of length one.
        within : largest difference, relative to the largest of the values, or absolute if all of them are zero.
        """
        self._add(Row(what, *_pair(course, rne), None, _size(course), within))

    def rows_of(
        self,
        what: str | Iterable[str],
        course: Sequence[ArrayLike] | Array,
        rne: ArrayLike,
        *,
        within: float = ROUNDING,
    ) -> None:
        """Compare quantities of one kind, one per row, with differences relative to the largest of all.

        Parameters
        ----------
        what : the quantities; in a single string, they are separated by blanks.
        course, rne : their values, one entry of the first axis for each.
        within : as for `row`.
        """
        names, size = what.split() if isinstance(what, str) else list(what), _size(course)
        for name, theirs, ours in zip(names, course, np.asarray(rne), strict=True):
            self._add(Row(name, *_pair(theirs, ours), None, size, within))

    def misprint(self, what: str, *, printed: ArrayLike, right: ArrayLike, rne: ArrayLike) -> None:
        """Compare one quantity that the course prints wrongly.

        Parameters
        ----------
        what : the quantity, and the place of the misprint.
        printed : values as printed, or by the formula as printed.
        right, rne : correct values, and those by `rne`.
        """
        course, ours = _pair(right, rne)
        self._add(Row(what, course, ours, np.asarray(printed, dtype=np.float64), _size(right), ROUNDING))

    def plot(self, picture: Callable[[], Any]) -> None:
        """Set the function that draws the figure of the page, called on demand."""
        self.picture = picture

    def _add(self, row: Row) -> None:
        if not self._parts or isinstance(self._parts[-1], str):
            self._parts.append([])
        rows = self._parts[-1]
        assert isinstance(rows, list)
        rows.append(row)

    def __str__(self) -> str:
        return "\n\n".join(part if isinstance(part, str) else _table(part) for part in self._parts)


def _pair(course: ArrayLike, rne: ArrayLike) -> tuple[Array, Array]:
    theirs, ours = (np.squeeze(np.asarray(value, dtype=np.float64)) for value in (course, rne))
    if theirs.shape != ours.shape:
        raise ValueError(f"the course has values of shape {theirs.shape}, rne of shape {ours.shape}")
    return theirs, ours


def _size(values: ArrayLike | Sequence[ArrayLike]) -> float:
    return float(np.abs(np.asarray(values, dtype=np.float64)).max(initial=0.0)) or 1.0


def _table(rows: list[Row]) -> str:
    marks = [row.mark for row in rows]
    shown = {
        "quantity": [row.what for row in rows],
        "printed": ["" if row.printed is None else _text(row.printed, row.size) for row in rows],
        "course": [_text(row.course, row.size) for row in rows],
        "rne": [_text(row.rne, row.size) for row in rows],
        "difference": [f"{row.difference:.0e}" if row.difference else "0" for row in rows],
        "": [mark.ljust(max(map(len, marks))) for mark in marks],
    }
    if not any(shown["printed"]):
        del shown["printed"]
    return columns(shown)


def _text(values: Array, size: float) -> str:
    """Format values with enough digits to distinguish them, without rounding noise; only the largest of many values."""
    if values.size > 6:
        shape = " x ".join(map(str, values.shape))
        return f"{shape}, largest {_text(np.abs(values).max(), size)}"
    cells = [0.0 if abs(value) <= ROUNDING * size else value for value in values.ravel()]
    digits = 7 if len(cells) < 4 else 5
    return " ".join(f"{cell:.{digits}g}" for cell in cells)
