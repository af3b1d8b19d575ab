"""The figure that all plots return, which displays itself in notebooks. It needs matplotlib: imported on first use."""

from __future__ import annotations

from io import BytesIO

from matplotlib import figure


class Figure(figure.Figure):
    """A matplotlib figure that is not registered with pyplot, and that notebooks display without ``%matplotlib``."""

    def _repr_png_(self) -> bytes:
        stream = BytesIO()
        self.savefig(stream, format="png")
        return stream.getvalue()
