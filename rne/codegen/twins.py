"""Kernels as plain Python: their own sources, run on numbers of another kind.

A kernel is a compiled function whose Python source numba keeps. Its twin is the same code with other globals, in which
all it calls is a twin, too, and the operations that numba replaces by machine code are done on the numbers at hand.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from types import FunctionType, ModuleType, SimpleNamespace
from typing import Any


def _get(count: int) -> Callable[..., tuple[Any, ...]]:
    return lambda array, i, first: tuple(array[i, first + k] for k in range(count))


def _put(array: Any, i: int, first: int, values: tuple[Any, ...]) -> None:
    for k, value in enumerate(values):
        array[i, first + k] = value


def _add_to(array: Any, i: int, first: int, values: tuple[Any, ...]) -> None:
    for k, value in enumerate(values):
        array[i, first + k] = array[i, first + k] + value


_ARRAYS: dict[str, Any] = {
    "get3": _get(3), "get6": _get(6), "get9": _get(9), "put": _put, "add_to": _add_to, "index": lambda k: k,
}  # fmt: skip


class Twins:
    """Twins of all functions in `rne.kernels` over one kind of number.

    Parameters
    ----------
    operations : what takes the place of `fma`, `like` and the like.

    Examples
    --------
    >>> import math
    >>> twins = Twins({"fma": lambda a, b, c: a * b + c})
    >>> twins("algebra.vec", "dot")((1.0, 2.0, 3.0), (4.0, 5.0, 6.0))
    32.0
    """

    def __init__(self, operations: Mapping[str, Any]) -> None:
        self._replaced = {**_ARRAYS, **operations}
        self._globals: dict[str, dict[str, Any]] = {}

    def __call__(self, module: str, function: str) -> Callable[..., Any]:
        """Return the twin of a function, named by its module in `rne.kernels`."""
        twin: Callable[..., Any] = self._of(f"rne.kernels.{module}")[function]
        return twin

    def constant(self, module: str, name: str) -> Any:
        """Return a constant of a module in `rne.kernels`."""
        return self._of(f"rne.kernels.{module}")[name]

    def _of(self, module: str) -> dict[str, Any]:
        """Return the globals of the twins of a module."""
        found = self._globals.get(module)
        if found is None:
            found = self._globals[module] = {}
            for name, value in vars(importlib.import_module(module)).items():
                found[name] = self._twin(name, value)
        return found

    def _twin(self, name: str, value: Any) -> Any:
        if name in self._replaced:
            return self._replaced[name]
        if isinstance(value, ModuleType) and value.__name__.startswith("rne.kernels."):
            return SimpleNamespace(**self._of(value.__name__))
        plain = getattr(value, "py_func", value)
        if not isinstance(plain, FunctionType) or not plain.__module__.startswith("rne.kernels."):
            return value
        twin = FunctionType(
            plain.__code__, self._of(plain.__module__), plain.__name__, plain.__defaults__, plain.__closure__
        )
        twin.__doc__ = plain.__doc__
        return twin
