"""A loop that calls `rne.jit.inverse_dynamics` for each state, to measure the speed of compiled user code."""

from __future__ import annotations

from collections.abc import Callable

from numba.core import types

from rne.kernels.jit import Entry
from rne.kernels.user.dynamics import inverse_dynamics


def make_loop(stamp: str) -> Callable[..., None]:
    """Make the entry that fills `tau` (samples, n)."""

    def loop(model, q, qd, qdd, tau):
        stamp  # noqa: B018  part of the cache key
        for row in range(q.shape[0]):
            inverse_dynamics(model, q[row], qd[row], qdd[row], tau[row])

    return loop


_ROWS = types.Array(types.float64, 2, "C")
LOOP = Entry(make_loop, types.void(types.Array(types.float64, 2, "C", readonly=True), *(_ROWS,) * 4), batch=True)
