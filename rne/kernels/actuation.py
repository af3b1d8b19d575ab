"""Torques that act at a time: given as numbers, by the user's compiled function, or by a control law; and wrenches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba.core import types
from numba.core.errors import NumbaError

from rne.kernels import control
from rne.kernels.jit import inline, inline_allocating, internal
from rne.kernels.simd.pack import address_of, out_of_line

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


@inline
def _ask(controller, scratch, t, q, qd, tau, rows):
    """Fill `tau` (rows * n) by a controller, which is called for single states."""
    # It gets copies, since one that modifies its arguments must not change the state.
    p, m = q.shape[0], tau.shape[0]
    nq, n = p // max(rows, 1), m // max(rows, 1)
    own_q, own_qd = scratch[0][:p], scratch[0][p : p + m]
    for j in range(p):
        own_q[j] = q[j]
    for j in range(m):
        tau[j], own_qd[j] = 0.0, qd[j]
    for row in range(rows):
        begin, end = row * n, row * n + n
        controller(t, own_q[row * nq : row * nq + nq], own_qd[begin:end], tau[begin:end])


@internal
def torques(drive, law, first, rows, t, near, motion, tau):
    """Fill `tau` (rows * n) of `rows` simulations, from `first` on; of a control law, also the rate of its integral.

    drive : (whether a controller acts; the controller, a CONTROLLER, unless there is a law; `control.scratch`; torques
    (rows * n) at the times `since` and `since` + `span`, if none acts; `since`; `span`, 0 if constant).
    law : for `control.torques`, or None.
    near : a time close to t, on the side that counts where a reference jumps. motion : (q, qd, integral, rate).
    """
    out_of_line()
    controlled, controller, scratch, start, end, since, span = drive
    q, qd, _, _ = motion
    if not controlled:
        part = (t - since) / span if span > 0.0 else 0.0
        for j in range(tau.shape[0]):
            tau[j] = start[j] + part * (end[j] - start[j])
    elif law is not None:
        asked, addresses = scratch
        control.torques(law, first, t, near, motion, tau, asked, addresses)
    else:
        _ask(controller, scratch, t, q, qd, tau, rows)


@inline_allocating
def wrench_scratch(external, rows, q, n):
    """Scratch of `add_wrenches` for `rows` simulations of n coordinates: their wrenches and torques, and addresses."""
    wrenches, torque, addresses = np.empty((rows, 6 * external[0].shape[0])), np.empty(rows * n), np.empty(6, np.intp)
    addresses[0], addresses[1] = 0, 8 * (q.shape[0] // rows)
    addresses[2], addresses[3] = address_of(wrenches), 8 * wrenches.shape[1]
    addresses[4], addresses[5] = address_of(torque), 8 * n
    return wrenches, torque, addresses


@internal
def _add_wrenches(wrenches, first, rows, t, q, tau):
    out_of_line()
    table, external, piece, since, pace, (values, torque, addresses) = wrenches
    sites, pieces, static_torques = external
    u = (t - since) * pace
    for row in range(rows):
        for k in range(values.shape[1]):
            c = pieces[first + row, piece]
            values[row, k] = c[0, k] + u * (c[1, k] + u * c[2, k])
    addresses[0] = address_of(q)
    static_torques(table, 0, rows, addresses, sites)
    for j in range(tau.shape[0]):
        tau[j] += torque[j]


@inline
def add_wrenches(wrenches, first, rows, t, q, tau):
    """Add the torques of external wrenches to `tau` (rows * n) of `rows` simulations, from `first` on.

    wrenches : None, or (table; external; the piece in time; its beginning; 1 / its duration; `wrench_scratch`).
    external : (the sites of m wrenches; their polynomials (samples, pieces, 3, 6 m) in the elapsed fraction of a piece;
    the entry of static torques). There may be no wrench: what does not act is not passed on, since a call with so many
    arrays takes 0.1 us.
    """
    if wrenches is not None:  # noqa: SIM102  numba leaves out what this decides
        if wrenches[1][0].shape[0] > 0:
            _add_wrenches(wrenches, first, rows, t, q, tau)


@internal
def total_torques(drive, law, first, rows, t, near, motion, tau):
    """Fill `tau` with the torques and those of external wrenches; `drive` is that of `torques`, and the wrenches."""
    out_of_line()
    torques(drive[:7], law, first, rows, t, near, motion, tau)
    add_wrenches(drive[7], first, rows, t, motion[0], tau)


def make_still(stamp: str) -> Callable[..., None]:
    """Make the controller that does nothing."""

    def still(t, q, qd, tau):
        stamp  # noqa: B018  part of the cache key

    return still
