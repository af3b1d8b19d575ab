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
    # What is inlined is not called by name.
    called = [
        x.py_func for x in gc.get_objects() if isinstance(x, Dispatcher) and not x.targetoptions.get("forceinline")
    ]
    names = Counter((f.__module__, f.__qualname__) for f in called if f.__module__.startswith("rne."))
    assert len(names) > 50
    assert {name: count for name, count in names.items() if count > 1} == {}
