"""Conversion between the coordinates of the caller and the joints of the robot.

Mimic joints are a coordinate reduction: q_joint = G q + shift, and tau = G^T tau_joint by virtual work. Kernels see
joints only. Without mimic joints, joints and coordinates are the same, and batches are loaded without a copy.

A base that floats is not a joint: its numbers come first, seven in q and six in all others, and are copied to the
columns of a state in front of those of the joints, so that the joints are in the same columns of all rows.
"""

from __future__ import annotations

from rne.kernels.jit import borrowing, inline
from rne.kernels.layout import BASE, COORDINATES, COS_Q, INDIRECT, LEADER, LINKS, MIMIC, RATIO, SHIFT, SIN_Q, Q
from rne.kernels.simd.num import fma, like
from rne.kernels.simd.pack import copy_row, is_contiguous
from rne.kernels.simd.sincos import sincos
from rne.kernels.simd.tile import load_tile, store_tile


@inline
def first_column(table, k):
    """First column of row `k` of a state that is used: 1 for rates and forces if the base floats, otherwise 0."""
    return 1 if table[0, BASE] != 0.0 and k != Q else 0


@inline
def expand(table, x, joints, shifted):
    """joints = G x + shifted * shift; `shifted` is 1.0 for positions and 0.0 for rates."""
    base = int(table[0, BASE])
    more = 1 if base != 0 and shifted != 0.0 else 0  # q has one number more than qd
    first = 1 - more
    for j in range(first, base):
        joints[j] = x[j - first]
    for i in range(int(table[0, LINKS])):
        leader = x[int(table[i + 1, LEADER]) + more]
        joints[base + i] = fma(leader, table[i + 1, RATIO], like(leader, table[i + 1, SHIFT] * shifted))


@inline
def reduce(table, joints, tau):
    """tau = G^T joints."""
    base = int(table[0, BASE])
    for j in range(int(table[0, COORDINATES])):
        tau[j] = like(joints[0], 0.0)
    for j in range(1, base):
        tau[j - 1] = joints[j]
    for i in range(int(table[0, LINKS])):
        j = int(table[i + 1, LEADER])
        tau[j] = fma(joints[base + i], table[i + 1, RATIO], tau[j])


@borrowing
def _load_row(table, x, state, k):
    """Fill row k of `state`, an array of floats, from coordinates that are not the joints."""
    columns = int(table[0, LINKS]) + int(table[0, BASE])
    if table[0, MIMIC] != 0.0:
        expand(table, x, state[k], 1.0 if k == Q else 0.0)
    else:
        first = first_column(table, k)
        for j in range(first, columns):
            state[k, j] = x[j - first]
    if k == Q:
        for j in range(columns, state.shape[1]):
            state[k, j] = like(state[Q, 0], 0.0)


@borrowing
def _store_row(table, state, k, tau):
    """Fill coordinates that are not the joints from row k of `state`, an array of floats."""
    if table[0, MIMIC] != 0.0:
        reduce(table, state[k], tau)
    else:
        first = first_column(table, k)
        for j in range(first, int(table[0, LINKS]) + int(table[0, BASE])):
            tau[j - first] = state[k, j]


@inline
def load_one(table, x, state, k):
    """Fill row k of `state`, an array of floats, from coordinates x; row Q holds positions.

    Lanes beyond the joints, which only `sines` reads, become zero. Robots without mimic joints on a fixed base take the
    first branch, here and in the functions below.
    """
    if table[0, INDIRECT] == 0.0 and is_contiguous(x):
        copy_row(state, k, x, int(table[0, LINKS]))
    else:
        _load_row(table, x, state, k)


@inline
def store_one(table, state, k, tau):
    """Fill coordinates `tau` from row k of `state`, an array of floats."""
    if table[0, INDIRECT] == 0.0:
        for j in range(int(table[0, LINKS])):
            tau[j] = state[k, j]
    else:
        _store_row(table, state, k, tau)


@inline
def load_many(table, state, tile, first, count, addresses, row, last):
    """Read `count` batches, from sample `row` on, into the rows of `state`, an array of packs, from row `first` on.

    Row Q holds positions. addresses : address and row stride in bytes of each batch, one after the other.
    tile : (1 or more, coordinates) scratch.
    """
    if table[0, INDIRECT] == 0.0:
        for m in range(count):
            load_tile(state, first + m, addresses[2 * m], addresses[2 * m + 1], row, last, int(table[0, LINKS]))
    else:
        _load_rows(table, state, tile, first, count, addresses, row, last)


@borrowing
def _load_rows(table, state, tile, first, count, addresses, row, last):
    n = int(table[0, COORDINATES])
    more = 1 if table[0, BASE] != 0.0 else 0
    mimic = table[0, MIMIC] != 0.0
    for m in range(count):
        k = first + m
        numbers = n + more if k == Q else n
        if mimic:
            load_tile(tile, 0, addresses[2 * m], addresses[2 * m + 1], row, last, numbers)
            expand(table, tile[0], state[k], 1.0 if k == Q else 0.0)
        else:
            shift = first_column(table, k)
            load_tile(state, k, addresses[2 * m], addresses[2 * m + 1], row, last, numbers, shift)


@inline
def store_many(table, state, k, tile, address, step, row, last):
    """Write row k of `state` to a batch, from sample `row` on; `tile` (1 or more, coordinates) is scratch."""
    if table[0, INDIRECT] == 0.0:
        store_tile(state, k, address, step, row, last, int(table[0, LINKS]))
    else:
        _store_rows(table, state, k, tile, address, step, row, last)


@borrowing
def _store_rows(table, state, k, tile, address, step, row, last):
    n = int(table[0, COORDINATES])
    if table[0, MIMIC] != 0.0:
        reduce(table, state[k], tile[0])
        store_tile(tile, 0, address, step, row, last, n)
    else:
        store_tile(state, k, address, step, row, last, n, first_column(table, k))


@inline
def sines(state, columns):
    """Fill rows SIN_Q and COS_Q of `state`, an array of packs, with sine and cosine of row Q.

    One state of floats is passed as packs of joints, a batch as packs of samples. This is separate from the recursion
    because all angles are independent here, which the processor can overlap, and because the rare call for huge angles
    would cost the recursion registers.
    """
    for j in range(columns):
        state[SIN_Q, j], state[COS_Q, j] = sincos(state[Q, j])


@inline
def joint_sines(table, state):
    """The same for the columns of joints of `state`, an array of packs of samples."""
    base = int(table[0, BASE])
    for j in range(base, base + int(table[0, LINKS])):
        state[SIN_Q, j], state[COS_Q, j] = sincos(state[Q, j])
