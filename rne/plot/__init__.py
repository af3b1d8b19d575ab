"""Pictures of motions, torques and motors, as matplotlib figures that belong to nobody (extra `plot`).

Every function takes plain arrays or what other functions of rne return, and gives a `matplotlib.figure.Figure` with SI
units on its axes. None opens a window, picks a backend or touches pyplot. In a notebook, `%matplotlib inline` shows the
figure that a cell ends with; `save` writes it as PNG, SVG or PDF.

Colors are those of Okabe and Ito, told apart with every kind of color vision. There is a panel a joint, in as many
rows as it takes. Gaps (NaN, infinity) stay gaps. Of motions too long for the pixels the envelope is drawn, which keeps
every peak, so that a million samples make a small file.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
