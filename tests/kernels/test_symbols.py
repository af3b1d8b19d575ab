"""Compiled functions have names of their own: cached code of two processes is linked by name.

Before, all functions for one state were called `on_scratch.<locals>.make.<locals>.one`: a process that loaded inverse
dynamics and the mass matrix, each compiled in a process of its own, ran one in the place of the other.
"""

from __future__ import annotations

import gc
import importlib
import pkgutil
from collections import Counter

from numba.core.dispatcher import Dispatcher

import rne.kernels


def test_no_two_functions_have_the_same_name():
    for module in pkgutil.walk_packages(rne.kernels.__path__, "rne.kernels."):
        importlib.import_module(module.name)
    # What is inlined is not called by name. Types of arguments are part of a symbol: the two precisions differ there.
    symbols: Counter[tuple[object, ...]] = Counter()
    for x in gc.get_objects():
        if (
            issubclass(type(x), Dispatcher)  # proxies of what is gone have no class
            and x.py_func.__module__.startswith("rne.")
            and not x.targetoptions.get("forceinline")
        ):
            symbols.update((x.py_func.__module__, x.py_func.__qualname__, sig) for sig in x.signatures or [None])
    assert len(symbols) > 50
    assert {symbol: count for symbol, count in symbols.items() if count > 1} == {}
