"""Checks of the functions of `rne.jit`: precision while compiling, lengths and shapes when called."""

from __future__ import annotations

from typing import Any

from numba.core import types
from numba.core.errors import TypingError
from numba.extending import intrinsic

from rne.kernels.jit import inline
from rne.kernels.layout import BASE, COORDINATES, COUPLINGS, LINKS, SITE_ROW, SITE_WIDTH, WIDTH


@intrinsic
def check_precision(typing_context: Any, table: Any, filled: Any) -> Any:
    """Refuse, while compiling, an array to fill whose dtype is not that of the model."""
    if filled.dtype != table.dtype:
        raise TypingError(f"rne.jit: the array to fill holds {filled.dtype}, the model {table.dtype}; they must agree")

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return context.get_dummy_value()

    return types.void(table, filled), codegen


@inline
def check_length(table, x):
    """Refuse coordinates of another robot, arguments that are not a model, and robots whose base floats."""
    check_rates(table, x)
    if table[0, BASE] != 0.0:
        raise ValueError("rne.jit: this function does not support a floating base")


@inline
def check_positions(table, q):
    """Refuse positions of another robot, and arguments that are not a model."""
    _check_numbers(table, q, 1 if table[0, BASE] != 0.0 else 0)


@inline
def check_rates(table, x):
    """The same for velocities, accelerations and forces."""
    _check_numbers(table, x, 0)


@inline
def _check_numbers(table, x, more):
    if table.shape[1] != WIDTH or table.shape[0] != int(table[0, LINKS]) + int(table[0, COUPLINGS]) + 1:
        raise ValueError("rne.jit: this is not a model as rne.jit.model returns it")
    if x.shape[0] != int(table[0, COORDINATES]) + more:
        raise ValueError("rne.jit: an array does not have one entry per joint")


@inline
def check_sites(table, sites):
    """Refuse arguments that are not a table of sites, and sites on links that the robot does not have."""
    if sites.shape[1] != SITE_WIDTH:
        raise ValueError("rne.jit: these are not sites as rne.jit.site and rne.jit.sites return them")
    for m in range(sites.shape[0]):
        if not 0.0 <= sites[m, SITE_ROW] <= table[0, LINKS]:
            raise ValueError("rne.jit: a site belongs to another robot")


@inline
def check_shape(fits):
    """Raise an error unless `fits`."""
    if not fits:
        raise ValueError("rne.jit: an array to fill, or the array of wrenches, does not have the required shape")
