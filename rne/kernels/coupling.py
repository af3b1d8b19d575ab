"""Springs and dampers between joints. They cost robots without couplings one comparison per call."""

from __future__ import annotations

from rne.kernels.jit import inline
from rne.kernels.joint import spring
from rne.kernels.joint_friction import friction
from rne.kernels.layout import (
    COORDINATE,
    COUPLINGS,
    FIRST,
    FRICTION,
    LINKS,
    OF_FIRST,
    OF_SECOND,
    QD,
    SECOND,
    SPRINGS,
    Q,
)
from rne.kernels.simd.num import fma, like


@inline
def ends(table, e):
    """Columns of a state that the coupling of row `e` reads."""
    return int(table[int(table[e, FIRST]), COORDINATE]), int(table[int(table[e, SECOND]), COORDINATE])


@inline
def stretch(table, e, first, second):
    """Stretch of the coupling of row `e`, or its rate, from the positions or rates of its two joints."""
    return fma(first, table[e, OF_FIRST], second * table[e, OF_SECOND])


@inline
def add_couplings(table, state, k, loads, side):
    """Add the torques of the couplings, times `side` (1 or -1), to row k of `state`, from its rows Q and QD.

    By virtual work, the load of a joint is the load of the coupling times its factor in the stretch.
    """
    links = int(table[0, LINKS])
    for e in range(links + 1, links + 1 + int(table[0, COUPLINGS])):
        i, j = ends(table, e)
        load = like(side, 0.0)
        if loads & SPRINGS:
            load = spring(table, e, stretch(table, e, state[Q, i], state[Q, j]))
        if loads & FRICTION:
            load = load + friction(table, e, stretch(table, e, state[QD, i], state[QD, j]))
        load = load * side
        state[k, i] = fma(load, table[e, OF_FIRST], state[k, i])
        state[k, j] = fma(load, table[e, OF_SECOND], state[k, j])
