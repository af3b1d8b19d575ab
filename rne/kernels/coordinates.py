"""From the coordinates of the caller to the joints of the robot and back.

Mimic joints are a coordinate reduction: q_joint = G q + shift, and tau = G^T tau_joint by virtual work. Kernels see
joints only. Without mimics joints and coordinates are the same numbers, and batches go into place without a copy.
"""

from __future__ import annotations

from rne.kernels.jit import inline
from rne.kernels.layout import COORDINATES, LEADER, LINKS, MIMIC, RATIO, SHIFT
from rne.kernels.num import fma, like
from rne.kernels.sincos import sincos
from rne.kernels.tile import load_tile, store_tile


@inline
def expand(table, x, state, k):
    """Row k of `state` = G x, and the shift on top for positions, which live in row 0."""
    for i in range(int(table[0, LINKS])):
        leader = x[int(table[i + 1, LEADER])]
        shift = table[i + 1, SHIFT] if k == 0 else 0.0 * table[i + 1, SHIFT]
        state[k, i] = fma(leader, table[i + 1, RATIO], like(leader, shift))


@inline
def reduce(table, state, k, tau):
    """Tau = G^T times row k of `state`."""
    for j in range(int(table[0, COORDINATES])):
        tau[j] = like(state[k, 0], 0.0)
    for i in range(int(table[0, LINKS])):
        j = int(table[i + 1, LEADER])
        tau[j] = fma(state[k, i], table[i + 1, RATIO], tau[j])


@inline
def load_one(table, x, state, k):
    """Row k of `state`, an array of floats, from coordinates x; lanes that only `sines` works on become zero."""
    links = int(table[0, LINKS])
    if table[0, MIMIC] != 0.0:
        expand(table, x, state, k)
    else:
        for j in range(links):
            state[k, j] = x[j]
    for j in range(links, state.shape[1]):
        state[k, j] = like(state[0, 0], 0.0)


@inline
def store_one(table, state, k, tau):
    """Coordinates `tau` from row k of `state`, an array of floats."""
    if table[0, MIMIC] != 0.0:
        reduce(table, state, k, tau)
    else:
        for j in range(int(table[0, LINKS])):
            tau[j] = state[k, j]


@inline
def load_many(table, state, tile, k, x, step, row, last):
    """Row k of `state`, an array of packs, from samples `row` and following; `tile` (1, coordinates) is scratch."""
    n = int(table[0, COORDINATES])
    if table[0, MIMIC] != 0.0:
        load_tile(tile, 0, x, step, row, last, n)
        expand(table, tile[0], state, k)
    else:
        load_tile(state, k, x, step, row, last, n)


@inline
def store_many(table, state, k, tile, tau, step, row, last):
    """Samples `row` and following from row k of `state`; `tile` (1, coordinates) is scratch."""
    n = int(table[0, COORDINATES])
    if table[0, MIMIC] != 0.0:
        reduce(table, state, k, tile[0])
        store_tile(tile, 0, tau, step, row, last, n)
    else:
        store_tile(state, k, tau, step, row, last, n)


@inline
def sines(state, columns):
    """Rows 4 and 5 of `state`, an array of packs, become sine and cosine of row 0.

    One state of floats comes as packs of joints, a batch as packs of samples. Apart from the recursion because here all
    is independent, keeps the machine busy, and the rare call for huge angles takes no registers from the recursion.
    """
    for j in range(columns):
        state[4, j], state[5, j] = sincos(state[0, j])
