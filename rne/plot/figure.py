"""The figure that all plots return: it displays itself in notebooks. Imported on first use, because it needs matplotlib."""

from __future__ import annotations

from io import BytesIO

from matplotlib import figure


class Figure(figure.Figure):
    """A matplotlib figure that is not registered with pyplot, and that notebooks display without ``%matplotlib``."""

    def _repr_png_(self) -> bytes:
        stream = BytesIO()
        self.savefig(stream, format="png")
        return stream.getvalue()
