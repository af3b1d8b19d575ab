"""Friction alone, viscous and Coulomb."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rne.kernels.coordinates import load_many, load_one, store_many, store_one
from rne.kernels.coupling import add_couplings
from rne.kernels.jit import function, inline
from rne.kernels.joint import friction
from rne.kernels.layout import COORDINATE, COORDINATES, FRICTION, LINKS
from rne.kernels.scratch import scratch
from rne.kernels.simd.num import like
from rne.kernels.simd.pack import as_floats, as_packs, pack_floats
from rne.kernels.simd.rows import index


@inline
def all_joints(table, state):
    """Turn row qd (1) of `state` into row tau (0)."""
    links = int(table[0, LINKS])
    for i in range(1, links + 1):
        j = int(table[i, COORDINATE])
        state[0, j] = friction(table, i, state[1, j])
    if links != 0:
        add_couplings(table, state, index(0), FRICTION, like(state[0, 0], 1.0))


@function
def one(table, qd, tau):
    """One state, of floats. Shapes are the caller's business."""
    links = int(table[0, LINKS])
    state = as_floats(scratch(table, 2 * links), 0, 2, links)
    load_one(table, qd, state, index(1))
    all_joints(table, state)
    store_one(table, state, index(0), tau)


def make_many(stamp: str) -> Callable[..., None]:
    """Make the entry for batches; `where` holds address and row stride in bytes of qd and tau."""

    def friction_many(table, first, stop, where):
        stamp  # noqa: B018  part of the cache key
        links, n = int(table[0, LINKS]), int(table[0, COORDINATES])
        samples = pack_floats(table, 1)
        buffer = np.empty(samples * (2 * links + n), table.dtype)
        state = as_packs(buffer, 0, 2, links)
        tile = as_packs(buffer, samples * 2 * links, 1, n)
        for row in range(first, stop, samples):
            load_many(table, state, tile, 1, 1, where, row, stop - 1)
            all_joints(table, state)
            store_many(table, state, 0, tile, where[2], where[3], row, stop - 1)

    return friction_many
