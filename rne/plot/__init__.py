"""Plots of motions, torques and motors, as matplotlib figures (extra `plot`).

Every function takes arrays or the result of another function of rne, and returns a `matplotlib.figure.Figure` with SI
units on its axes. No function opens a window, selects a backend or uses pyplot. In a notebook, `%matplotlib inline`
shows the figure at the end of a cell; `save` writes it as PNG, SVG or PDF.

Colors are those of Okabe and Ito, distinguishable with every kind of color vision. There is one panel per joint, in as
many rows as needed. NaN and infinity are drawn as gaps. Motions with more samples than pixels are drawn by their
envelope, which keeps every peak, so that a million samples result in a small file.
"""

from rne.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__)
