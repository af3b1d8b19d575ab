"""What a robot with code of its own calls: straight lines between the loads and stores of the kernels for any robot."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any, NamedTuple

from rne.kernels.cache import OF_ROBOT
from rne.kernels.cholesky import mark
from rne.kernels.coordinates import load_many, load_one, sines, store_many, store_one
from rne.kernels.jit import Entry, inline, inline_allocating
from rne.kernels.layout import LINKS, QD, QDD, STATE, TAU, Q
from rne.kernels.objects import address
from rne.kernels.scratch import STACK, many_states
from rne.kernels.simd.pack import as_floats, as_packs, pack_floats, packs_for, stack_buffer
from rne.kernels.simd.rows import index
from rne.kernels.simd.tile import fetch_rows, load_tile, store_tile
from rne.kernels.single import (
    answer,
    filled,
    given,
    given_or_zero,
    given_up,
    is_none,
    own_table,
    refused,
    result_of,
    shape,
    table_here,
    vector_at,
)
from rne.kernels.straight import Line, make_straight


def straight(state, out, k, coming):
    """The line of a robot takes the place of this."""
    raise NotImplementedError("only within compiled code")


def _of(function: Callable[..., Any], line: Line) -> Callable[..., Any]:
    """Return a function in which `straight` is the line, under a name of its own: the cache has a file for each robot.

    The line is a global of the function because the key of the cache takes in closures, and no two pickles of an
    intrinsic are the same. The digest in the name stands for it.
    """
    name = f"{function.__name__}{OF_ROBOT}{line.digest()}"
    names = {**globals(), "straight": make_straight(line)}
    made = FunctionType(function.__code__, names, name, function.__defaults__, function.__closure__)
    made.__qualname__ = name
    return made


class Sizes(NamedTuple):
    """What code is made for; constants where it is compiled.

    Attributes
    ----------
    given : how many batches (samples, n) are read.
    coordinates : n.
    follows : whether joints follow others.
    """

    given: int
    coordinates: int
    follows: bool


@inline
def _load(table, state, tile, sizes, addresses, row, last):
    """Read a pack of samples of the given batches."""
    given, n, follows = sizes
    if follows:
        load_many(table, state, tile, Q, given, addresses, row, last)
    else:
        for k in range(given):
            load_tile(state, k, addresses[2 * k], addresses[2 * k + 1], row, last, n)


@inline
def _store(table, state, tile, sizes, addresses, row, last):
    """Write row TAU as a pack of samples of the batch behind the given ones."""
    given, n, follows = sizes
    to, step = addresses[2 * given], addresses[2 * given + 1]
    if follows:
        store_many(table, state, TAU, tile, to, step, row, last)
    else:
        store_tile(state, TAU, to, step, row, last, n)


@inline_allocating
def _begin(table, sizes, addresses, first, last, numbers):
    """Return two states of packs, the second of which is the first samples, a tile and a row of so many numbers."""
    links = int(table[0, LINKS])
    state, _, tile, given, out = many_states(table, 0, STATE * links, numbers)
    coming = given.reshape((STATE, links))
    _load(table, coming, tile, sizes, addresses, first, last)
    sines(coming, links)
    return state, coming, tile, out


def _make_vector_many(line: Line, sizes: Any) -> Callable[[str], Callable[..., Any]]:
    def make(stamp: str) -> Callable[..., Any]:
        def own_vector(table, first, stop, addresses):
            stamp  # noqa: B018  part of the cache key
            last, samples = stop - 1, pack_floats(table, 1)
            state, coming, tile, _ = _begin(table, sizes, addresses, first, last, 0)
            for row in range(first, stop, samples):
                state, coming = coming, state
                _load(table, coming, tile, sizes, addresses, min(row + samples, last), last)
                if straight(state, state, TAU, coming)[1]:
                    sines(coming, coming.shape[1])
                _store(table, state, tile, sizes, addresses, row, last)

        return _of(own_vector, line)

    return make


def _make_loaded_many(line: Line, sizes: Any) -> Callable[[str], Callable[..., Any]]:
    def make(stamp: str) -> Callable[..., Any]:
        def own_loaded(table, first, stop, addresses, loads):
            stamp  # noqa: B018  part of the cache key
            last, samples = stop - 1, pack_floats(table, 1)
            state, coming, tile, _ = _begin(table, sizes, addresses, first, last, 0)
            for row in range(first, stop, samples):
                state, coming = coming, state
                _load(table, coming, tile, sizes, addresses, min(row + samples, last), last)
                if straight(state, state, TAU, coming)[1]:
                    sines(coming, coming.shape[1])
                _store(table, state, tile, sizes, addresses, row, last)

        return _of(own_loaded, line)

    return make


def _make_marked_many(line: Line, sizes: Any) -> Callable[[str], Callable[..., Any]]:
    def make(stamp: str) -> Callable[..., Any]:
        def own_marked(table, first, stop, addresses, loads, suspects):
            stamp  # noqa: B018  part of the cache key
            last, samples = stop - 1, pack_floats(table, 1)
            state, coming, tile, _ = _begin(table, sizes, addresses, first, last, 0)
            for row in range(first, stop, samples):
                state, coming = coming, state
                _load(table, coming, tile, sizes, addresses, min(row + samples, last), last)
                suspect, beyond = straight(state, state, TAU, coming)
                if beyond:
                    sines(coming, coming.shape[1])
                mark(suspects, suspect, row, min(samples, stop - row))
                _store(table, state, tile, sizes, addresses, row, last)

        return _of(own_marked, line)

    return make


def _make_matrix_many(line: Line, sizes: Any) -> Callable[[str], Callable[..., Any]]:
    numbers = len(line.outputs)

    def make(stamp: str) -> Callable[..., Any]:
        def own_matrix(table, first, stop, addresses, kind, suspects):
            stamp  # noqa: B018  part of the cache key
            last, samples = stop - 1, pack_floats(table, 1)
            state, coming, tile, out = _begin(table, sizes, addresses, first, last, numbers)
            for row in range(first, stop, samples):
                state, coming = coming, state
                _load(table, coming, tile, sizes, addresses, min(row + samples, last), last)
                fetch_rows(addresses[2], addresses[3], row, stop, samples)
                if straight(state, out, 0, coming)[1]:
                    sines(coming, coming.shape[1])
                store_tile(out, 0, addresses[2], addresses[3], row, last, numbers)

        return _of(own_matrix, line)

    return make


@inline
def _room(table, buffer):
    """Return a state of floats, and the same as packs of joints, in a buffer."""
    packs = packs_for(table, int(table[0, LINKS]))
    return as_floats(buffer, 0, STATE, pack_floats(table, packs)), as_packs(buffer, 0, STATE, packs)


def _make_vector_one(line: Line, sizes: Any) -> Callable[[str], Callable[..., Any]]:
    n = sizes.coordinates

    def make(stamp: str) -> Callable[..., Any]:
        def own_vector_one(card, q, gravity, out):
            stamp  # noqa: B018  part of the cache key
            q_at = given(card, q, n)
            if q_at == 0 or not is_none(card, address(gravity)):
                return refused(card)
            result = result_of(card, out, 1, shape(n, 1, 1, 1))
            if result == 0:
                return refused(card)
            table = table_here(card, own_table(card))
            state, packs = _room(table, stack_buffer(card, STACK))
            load_one(table, vector_at(card, q_at, n), state, index(Q))
            sines(packs, packs.shape[1])
            straight(state, state, TAU, state)
            store_one(table, state, index(TAU), filled(card, result, 1, n)[0])
            return answer(result)

        return _of(own_vector_one, line)

    return make


def _make_loaded_one(line: Line, sizes: Any) -> Callable[[str], Callable[..., Any]]:
    """For inverse and for forward dynamics; `loads` are those of the line."""
    n = sizes.coordinates

    def make(stamp: str) -> Callable[..., Any]:
        def own_loaded_one(card, q, qd, third, gravity, out, loads):
            stamp  # noqa: B018  part of the cache key
            q_at, qd_at, third_at = given(card, q, n), given_or_zero(card, qd, n), given_or_zero(card, third, n)
            if q_at == 0 or qd_at == 0 or third_at == 0 or not is_none(card, address(gravity)):
                return refused(card)
            result = result_of(card, out, 1, shape(n, 1, 1, 1))
            if result == 0:
                return refused(card)
            table = table_here(card, own_table(card))
            state, packs = _room(table, stack_buffer(card, STACK))
            load_one(table, vector_at(card, q_at, n), state, index(Q))
            load_one(table, vector_at(card, qd_at, n), state, index(QD))
            load_one(table, vector_at(card, third_at, n), state, index(QDD))
            sines(packs, packs.shape[1])
            if straight(state, state, TAU, state)[0]:
                return given_up(card, result)
            store_one(table, state, index(TAU), filled(card, result, 1, n)[0])
            return answer(result)

        return _of(own_loaded_one, line)

    return make


def _make_matrix_one(line: Line, sizes: Any) -> Callable[[str], Callable[..., Any]]:
    n = sizes.coordinates

    def make(stamp: str) -> Callable[..., Any]:
        def own_matrix_one(card, q, out, kind):
            stamp  # noqa: B018  part of the cache key
            q_at = given(card, q, n)
            if q_at == 0:
                return refused(card)
            result = result_of(card, out, 2, shape(n, n, 1, 1))
            if result == 0:
                return refused(card)
            table = table_here(card, own_table(card))
            state, packs = _room(table, stack_buffer(card, STACK))
            load_one(table, vector_at(card, q_at, n), state, index(Q))
            sines(packs, packs.shape[1])
            straight(state, filled(card, result, 1, n * n), 0, state)
            return answer(result)

        return _of(own_matrix_one, line)

    return make


_MAKERS = {
    "inverse_dynamics": (_make_loaded_one, _make_loaded_many, 3),
    "forward_dynamics": (_make_loaded_one, _make_marked_many, 3),
    "gravity_vector": (_make_vector_one, _make_vector_many, 1),
    "mass_matrix": (_make_matrix_one, _make_matrix_many, 1),
}


def own_entry(function: str, like: Entry, line: Line, coordinates: int, follows: bool) -> Entry:
    """Return the entry of a robot in place of one for all robots.

    Parameters
    ----------
    function : name of the function.
    like : entry of the same function, for one state or for batches, of the precision wanted.
    line : what it does.
    coordinates, follows : number of coordinates, and whether joints follow others.
    """
    one, many, given = _MAKERS[function]
    make = (many if like.batch else one)(line, Sizes(given, coordinates, follows))
    return Entry(make, like.signature, batch=like.batch, direct=True)
