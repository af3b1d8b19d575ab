"""From the coordinates of the caller to the joints of the robot and back.

Mimic joints are a coordinate reduction: q_joint = G q + shift, and tau = G^T tau_joint by virtual work. Kernels see
joints only. Without mimics joints and coordinates are the same numbers, and batches go into place without a copy.
"""

from __future__ import annotations

from rne.kernels.jit import function, inline
from rne.kernels.layout import COORDINATES, LEADER, LINKS, MIMIC, RATIO, SHIFT
from rne.kernels.num import fma, like
from rne.kernels.sincos import sincos
from rne.kernels.tile import load_tile, store_tile


@inline
def expand(table, x, joints, shifted):
    """joints = G x, and the shift on top where `shifted` is 1.0: for positions, not for rates."""
    for i in range(int(table[0, LINKS])):
        leader = x[int(table[i + 1, LEADER])]
        joints[i] = fma(leader, table[i + 1, RATIO], like(leader, table[i + 1, SHIFT] * shifted))


@inline
def reduce(table, joints, tau):
    """tau = G^T joints."""
    for j in range(int(table[0, COORDINATES])):
        tau[j] = like(joints[0], 0.0)
    for i in range(int(table[0, LINKS])):
        j = int(table[i + 1, LEADER])
        tau[j] = fma(joints[i], table[i + 1, RATIO], tau[j])


@function
def load_one(table, x, joints, shifted):
    """Joints, an array of floats, from coordinates x; lanes beyond, which only `sines` works on, become zero."""
    links = int(table[0, LINKS])
    if table[0, MIMIC] != 0.0:
        expand(table, x, joints, shifted)
    else:
        for j in range(links):
            joints[j] = x[j]
    for j in range(links, joints.shape[0]):
        joints[j] = like(joints[0], 0.0)


@function
def store_one(table, joints, tau):
    """Coordinates `tau` from joints, arrays of floats."""
    if table[0, MIMIC] != 0.0:
        reduce(table, joints, tau)
    else:
        for j in range(int(table[0, LINKS])):
            tau[j] = joints[j]


@inline
def load_many(table, state, tile, count, where, row, last):
    """Rows 0 to count - 1 of `state`, an array of packs, from samples `row` and following.

    where : address and row stride in bytes of each batch, one after the other. tile : (1, coordinates) scratch.
    """
    n = int(table[0, COORDINATES])
    mimic = table[0, MIMIC] != 0.0
    target = tile if mimic else state
    for k in range(count):
        load_tile(target, 0 if mimic else k, where[2 * k], where[2 * k + 1], row, last, n)
        if mimic:
            expand(table, tile[0], state[k], 1.0 if k == 0 else 0.0)


@inline
def store_many(table, state, k, tile, address, step, row, last):
    """Write row k of `state` as samples `row` and following of a batch; `tile` (1, coordinates) is scratch."""
    n = int(table[0, COORDINATES])
    mimic = table[0, MIMIC] != 0.0
    if mimic:
        reduce(table, state[k], tile[0])
    store_tile(tile if mimic else state, 0 if mimic else k, address, step, row, last, n)


@inline
def sines(state, columns):
    """Rows 4 and 5 of `state`, an array of packs, become sine and cosine of row 0.

    One state of floats comes as packs of joints, a batch as packs of samples. Apart from the recursion because here all
    is independent, keeps the machine busy, and the rare call for huge angles takes no registers from the recursion.
    """
    for j in range(columns):
        state[4, j], state[5, j] = sincos(state[0, j])
