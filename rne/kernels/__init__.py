"""The compiled core: the only package that imports numba. Imports nothing of rne outside this folder."""
