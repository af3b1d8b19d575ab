"""Forward dynamics for one state, for other entries to call."""

from __future__ import annotations

from collections.abc import Callable

from rne.kernels.base import positions
from rne.kernels.forward_dynamics import one_articulated, one_by_matrix
from rne.kernels.jit import inline
from rne.kernels.layout import COORDINATES
from rne.kernels.scratch import table_at


@inline
def _fits(table, q, qd, tau, qdd):
    n = int(table[0, COORDINATES])
    return q.shape[0] == positions(table) and qd.shape[0] == n and tau.shape[0] == n and qdd.shape[0] == n


def make_pointer_articulated(stamp: str) -> Callable[..., int]:
    """Make the entry for one state; it returns 1 and does nothing if a length does not match, and 2 at a tiny pivot."""

    def forward_dynamics_pointer_articulated(address, q, qd, tau, qdd, loads):
        stamp  # noqa: B018  part of the cache key
        table = table_at(address, q)
        if not _fits(table, q, qd, tau, qdd):
            return 1
        return 2 if one_articulated(table, q, qd, tau, qdd, loads) else 0

    return forward_dynamics_pointer_articulated


def make_pointer_by_matrix(stamp: str) -> Callable[..., int]:
    """Make the entry for one state; it returns 1 and does nothing if a length does not match, and 2 at a tiny pivot."""

    def forward_dynamics_pointer_by_matrix(address, q, qd, tau, qdd, loads):
        stamp  # noqa: B018  part of the cache key
        table = table_at(address, q)
        if not _fits(table, q, qd, tau, qdd):
            return 1
        return 2 if one_by_matrix(table, q, qd, tau, qdd, loads) else 0

    return forward_dynamics_pointer_by_matrix
