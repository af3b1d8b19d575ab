"""Springs and dampers between joints. A robot without any pays one comparison a call."""

from __future__ import annotations

from rne.kernels.jit import inline
from rne.kernels.joint import friction, spring
from rne.kernels.layout import (
    COORDINATE,
    COUPLINGS,
    FIRST,
    FRICTION,
    LINKS,
    OF_FIRST,
    OF_SECOND,
    SECOND,
    SPRINGS,
)  # fmt: skip
from rne.kernels.num import fma, like
from rne.kernels.rows import index


@inline
def stretch(table, e, state, k):
    """What the coupling of row `e` sees of row k of `state`: of positions, or of rates."""
    i, j = int(table[int(table[e, FIRST]), COORDINATE]), int(table[int(table[e, SECOND]), COORDINATE])
    return fma(state[k, i], table[e, OF_FIRST], state[k, j] * table[e, OF_SECOND])


@inline
def add_couplings(table, state, k, loads, side):
    """Add what the couplings ask, `side` (1 or -1) times, to row k of `state`, from its rows q and qd (0, 1).

    By virtual work each joint carries the load of the stretch as many times as it moves it.
    """
    links = int(table[0, LINKS])
    for e in range(links + 1, links + 1 + int(table[0, COUPLINGS])):
        load = like(side, 0.0)
        if loads & SPRINGS:
            load = spring(table, e, stretch(table, e, state, index(0)))
        if loads & FRICTION:
            load = load + friction(table, e, stretch(table, e, state, index(1)))
        load = load * side
        i, j = int(table[int(table[e, FIRST]), COORDINATE]), int(table[int(table[e, SECOND]), COORDINATE])
        state[k, i] = fma(load, table[e, OF_FIRST], state[k, i])
        state[k, j] = fma(load, table[e, OF_SECOND], state[k, j])
