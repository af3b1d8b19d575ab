"""Saving of figures."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rne.atomic_write import replacing
from rne.check import at_home, numbers
from rne.errors import ArgumentError, FileError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DATELESS: dict[str, dict[str, Any]] = {".pdf": {"CreationDate": None}, ".png": {}, ".svg": {"Date": None}}
"""Metadata of each file type, fixed so that the output does not depend on the date."""


def save(figure: Figure, path: str | os.PathLike[str], *, dpi: float = 150.0) -> None:
    """Write a figure as PNG, SVG or PDF, selected by the suffix of the path.

    The file is written completely or not at all; an existing file is replaced at the end. The same figure gives the
    same bytes.

    Parameters
    ----------
    figure : result of a function of `rne.plot`, or any other matplotlib figure.
    path : path with the suffix .png, .svg or .pdf.
    dpi : pixels per inch of PNG files, and of raster images in SVG and PDF files.

    Returns
    -------
    None

    Raises
    ------
    FileError
        The suffix is unknown.
    ArgumentError
        `figure` is not a matplotlib figure, or another argument has the wrong type or value.
    OSError
        The file cannot be written.

    Examples
    --------
    >>> import rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> figure = rne.plot.torques(arm, None, [[1.0, 2.0], [3.0, 4.0]])
    >>> rne.plot.save(figure, "torques.jpeg")
    Traceback (most recent call last):
    rne.errors.FileError: torques.jpeg: unknown image format '.jpeg'; wanted .pdf, .png or .svg
    """
    if not hasattr(figure, "savefig"):
        raise ArgumentError(f"figure: wanted a matplotlib Figure, got {type(figure).__name__}")
    if not isinstance(path, str | os.PathLike) or not isinstance(os.fspath(path), str):
        raise ArgumentError(f"path: wanted a path, got {type(path).__name__}")
    if not numbers("dpi", dpi, ()) > 0:
        raise ArgumentError(f"dpi: wanted a positive number, got {dpi!r}")
    name = at_home(path)
    suffix = Path(name).suffix.lower()
    if suffix not in DATELESS:
        *kinds, last = DATELESS
        raise FileError(f"{name}: unknown image format {suffix!r}; wanted {', '.join(kinds)} or {last}")
    from matplotlib import rc_context

    # Without a fixed salt, the ids of elements in SVG files are random.
    with rc_context({"svg.hashsalt": "rne"}), replacing(name) as stream:
        figure.savefig(stream, format=suffix[1:], dpi=dpi, metadata=DATELESS[suffix])
