"""Figures into files."""

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
"""What each kind of file is told about itself, so that it is the same today and tomorrow."""


def save(figure: Figure, path: str | os.PathLike[str], *, dpi: float = 150.0) -> None:
    """Write a figure as PNG, SVG or PDF, as the suffix of the path says.

    The file is there complete or not at all, and an old one stays until then. The same figure gives the same bytes.

    Parameters
    ----------
    figure : as the functions of `rne.plot` return it, or any other of matplotlib.
    path : ends in .png, .svg or .pdf.
    dpi : pixels an inch, of PNG and of what is an image in the others.

    Returns
    -------
    None

    Raises
    ------
    FileError
        The suffix is none of these.
    ArgumentError
        The figure is something else.
    OSError
        The file cannot be written.

    Examples
    --------
    >>> import rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> figure = rne.plot.torques(arm, None, [[1.0, 2.0], [3.0, 4.0]])
    >>> rne.plot.save(figure, "torques.jpeg")
    Traceback (most recent call last):
    rne.errors.FileError: torques.jpeg: unknown kind of picture '.jpeg'; wanted .pdf, .png or .svg
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
        raise FileError(f"{name}: unknown kind of picture {suffix!r}; wanted {', '.join(kinds)} or {last}")
    from matplotlib import rc_context

    # The names of parts within SVG are random but for this salt.
    with rc_context({"svg.hashsalt": "rne"}), replacing(name) as stream:
        figure.savefig(stream, format=suffix[1:], dpi=dpi, metadata=DATELESS[suffix])
