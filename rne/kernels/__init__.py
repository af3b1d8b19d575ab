"""The compiled core: the only place that imports numba. Imports nothing of rne outside this folder."""
