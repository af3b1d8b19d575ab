"""Torques that act at a time: given as numbers, by the user's compiled function, or by a control law."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba.core import types
from numba.core.errors import NumbaError

from rne.kernels import control
from rne.kernels.jit import inline_allocating, internal_allocating
from rne.kernels.simd.pack import out_of_line

_VECTOR = types.Array(types.float64, 1, "C")

# The type of a controller: a function that fills its last argument from t, q and qd.
CONTROLLER = types.FunctionType(types.void(types.float64, *(_VECTOR,) * 3))


def complaint(controller: Any) -> str:
    """Return why a compiled function is not a CONTROLLER; an empty string if it is one."""
    try:
        result = controller.get_compile_result(CONTROLLER.signature).signature.return_type
    except (TypeError, NumbaError) as error:
        return str(error)
    return "" if result == types.none else f"it returns {result}"


@inline_allocating
def _ask(controller, t, q, qd, tau, rows):
    """Fill `tau` (rows * n) by a controller, which is called for single states."""
    nq, n = q.shape[0] // max(rows, 1), tau.shape[0] // max(rows, 1)
    for j in range(rows * n):
        tau[j] = 0.0
    for row in range(rows):
        own = slice(row * n, row * n + n)
        # Copies: a controller that modifies its arguments must not change the state.
        controller(t, q[row * nq : row * nq + nq].copy(), qd[own].copy(), tau[own])


@internal_allocating
def torques(drive, law, first, rows, t, near, motion, tau):
    """Fill `tau` (rows * n) of `rows` simulations, from `first` on; of a control law, also the rate of its integral.

    drive : (whether to use the controller; the controller, a CONTROLLER; scratch of the law; torques (rows * n) at the
    times `since` and `since` + `span`, otherwise; `since`; `span`, 0 if constant).
    law : for `control.torques`, or None.
    near : a time close to t, on the side that counts where a reference jumps. motion : (q, qd, integral, rate).
    """
    out_of_line()
    controlled, controller, scratch, start, end, since, span = drive
    q, qd, _, _ = motion
    if law is not None:
        asked, addresses = scratch
        control.torques(law, first, t, near, motion, tau, asked, addresses)
    elif controlled:
        _ask(controller, t, q, qd, tau, rows)
    else:
        part = (t - since) / span if span > 0.0 else 0.0
        for j in range(tau.shape[0]):
            tau[j] = start[j] + part * (end[j] - start[j])


def make_still(stamp: str) -> Callable[..., None]:
    """Make the controller that does nothing."""

    def still(t, q, qd, tau):
        stamp  # noqa: B018  part of the cache key

    return still
