"""The quick way through a public function of a state, for all of them.

A public function first hands its arguments, as they came, to the compiled function for one state
(`rne.kernels.single`). What that refuses comes here: float32, small and large batches, lists, views, numbers of
threads, gravity and wrenches in any form. What is refused here, too, goes the canonical way of `rne.batch.arguments`,
which says what is wrong. So a quick way answers as the canonical one does, or not at all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from rne.batch.arguments import Floats, with_axes
from rne.batch.threads import call_on, thread_count
from rne.errors import RneError
from rne.kernels.entries import READY, STATIC_TORQUE, STATIC_TORQUE_ONE, TABLE_WITH_GRAVITY
from rne.kernels.jit import Entry
from rne.model.robot import Robot

UNFIT = (AttributeError, TypeError, ValueError, KeyError, OverflowError, SystemError, RneError)
"""What may come of arguments that are not as they should be; the canonical way then says so.

Compiled code raises SystemError for an object that is not a robot, when its card is not an array.
"""

_F8, _F4 = np.dtype(np.float64), np.dtype(np.float32)
_FEW = 64  # up to so many samples are never worth a thread
_Flags = tuple[Any, ...]


class Algorithm(NamedTuple):
    """What is compiled of an algorithm.

    Attributes
    ----------
    one, many : entries for one state and for batches, by precision.
    states : how many arguments (..., n) it takes.
    wrench : whether there is one more: (..., 6 m) for m sites, or (..., n) if there are no sites.
    gravity : whether gravity counts.
    weights : whether the one more is (..., n) although there are sites.
    positions : whether its first argument is q, and not qd.
    floating : whether it supports a base that floats.
    """

    one: Mapping[str, Entry]
    many: Mapping[str, Entry]
    states: int = 1
    wrench: bool = False
    gravity: bool = False
    weights: bool = False
    positions: bool = True
    floating: bool = False


class Marks:
    """One mark a sample, which a kernel sets where a mass matrix is singular, or seems so."""

    def __init__(self) -> None:
        self._marks: tuple[np.ndarray[Any, Any], ...] = ()

    def make(self, samples: int) -> _Flags:
        """Return what the entry for batches takes."""
        self._marks = (np.zeros(samples, np.uint8),)
        return self._marks

    def any(self) -> bool:
        """Return whether one is set."""
        return bool(self._marks) and bool(self._marks[0].any())


def quick(
    algorithm: Algorithm,
    robot: Robot,
    given: tuple[Any, ...],
    tail: tuple[int, ...],
    out: Floats | None,
    threads: Any,
    gravity: Any = None,
    places: tuple[Floats, ...] = (),
    flags: _Flags = (),
    batch_flags: _Flags | Callable[[int], _Flags] = (),
) -> Floats | None:
    """Return the result, or None where the canonical way has to be taken.

    Parameters
    ----------
    algorithm : what is to be called.
    given : its states, the first of which may not be None, and its wrench; fewer stand for None behind.
    tail : shape of the result of one state.
    places : tables of sites in float64, that of the wrench last.
    flags : further arguments of both entries.
    batch_flags : those that only the entry for batches takes, or a function of the number of samples that returns them.
    """
    if robot.nq != robot.n and not algorithm.floating:
        return None
    q = given[0]
    if type(q) is np.ndarray:
        # What is of one kind already has nothing to convert: compiled code looks for itself.
        if q.ndim == 2:
            precision = "float32" if q.dtype is _F4 else "float64"
            result = _batch(algorithm, robot, precision, given, tail, out, threads, gravity, places, flags, batch_flags)
            if result is not None:
                return result
        elif q.dtype is _F4:
            result = _one(algorithm, robot, "float32", given, out, threads, gravity, places, flags)
            if result is not None:
                return result
    values = [_plain(x) for x in given]
    precision = "float32"
    for x in values:
        if x is not None and x.dtype is not _F4:
            precision = "float64"
    if precision == "float64":
        values = [x if x is None or x.dtype is _F8 else x.astype(_F8) for x in values]
    if gravity is not None and not (type(gravity) is np.ndarray and gravity.dtype is _F8):
        gravity = _plain(gravity).astype(_F8, copy=False)
    if values[0].ndim == 1:
        values = [x if x is None or x.flags.c_contiguous else x.copy() for x in values]
        return _one(algorithm, robot, precision, values, out, threads, gravity, places, flags)
    return _batch(algorithm, robot, precision, values, tail, out, threads, gravity, places, flags, batch_flags)


def _one(
    algorithm: Algorithm,
    robot: Robot,
    precision: str,
    values: Sequence[Any],
    out: Floats | None,
    threads: Any,
    gravity: Any,
    places: tuple[Floats, ...],
    flags: _Flags,
) -> Floats | None:
    if threads is not None:
        thread_count(threads, 1, 1)  # refuses an invalid number of threads
    card = robot._card
    if precision == "float32":
        card, places = robot._card32, tuple([_single(place) for place in places])
    absent = algorithm.states + algorithm.wrench - len(values)
    if absent:
        values = (*values, *(None,) * absent)
    acting = (gravity,) if algorithm.gravity else ()
    at = (places,) if len(places) > 1 else places
    entry = algorithm.one[precision]
    if robot._own is not None and gravity is None:
        entry = robot._own.get((entry, flags), entry)
    result: Floats | None = entry.call(card, *values, *acting, out, *at, *flags)
    return result


_FILL = ((None, None), (None,), ())


def _batch(
    algorithm: Algorithm,
    robot: Robot,
    precision: str,
    values: Sequence[Any],
    tail: tuple[int, ...],
    out: Floats | None,
    threads: Any,
    gravity: Any,
    places: tuple[Floats, ...],
    flags: _Flags,
    batch_flags: _Flags | Callable[[int], _Flags],
) -> Floats | None:
    card: Any = robot._card
    table: Floats = robot.links.table
    if precision == "float32":
        card, table = robot._card32, robot.links.table32
        places = tuple([_single(place) for place in places])
    _, many, states, takes_wrench, _, weights, positions, _ = algorithm  # at once: by name, each takes 20 ns
    pairs, wrench = states, None
    if takes_wrench:
        pairs += 1
        if len(values) > states:
            wrench, values = values[states], values[:states]
    addresses = np.empty(2 * pairs + 2, np.intp)
    n = robot.n
    width = 6 * len(places[-1]) if places and not weights else n
    sizes = (states, pairs, width, robot.nq if positions else n, n, 1 + len(tail), *tail, 1, 1, 1)[:9]
    result: Floats | None = READY[precision].call(card, addresses, out, sizes, (*values, *_FILL[states - 1], wrench))
    if result is None:
        return None
    if gravity is not None:
        pulled: Floats | None = TABLE_WITH_GRAVITY[precision].call(card, gravity)
        if pulled is None:
            return None
        pulled.flags.writeable = False
        table = pulled
    samples = len(result)
    count = 1 if threads is None and samples <= _FEW else thread_count(threads, samples, n)
    more = batch_flags(samples) if callable(batch_flags) else batch_flags
    entry = many[precision]
    if robot._own is not None and gravity is None:
        entry = robot._own.get((entry, flags), entry)
    call_on(entry, table, samples, count, addresses, *places, *flags, *more)
    return result


def _plain(x: Any) -> Any:
    """Return a list, or an array of another kind or layout, as an array of float64, or float32 if it is that."""
    if x is None:
        return None
    if type(x) is not np.ndarray and type(x) is not list and type(x) is not tuple:
        raise TypeError
    array = np.asarray(x)
    if array.dtype is _F8:
        return array
    if array.dtype.kind not in "iuf":
        raise TypeError
    # Of foreign byte order, float32 stays float32.
    single = array.dtype.kind == "f" and array.dtype.itemsize == 4
    return array.astype(_F4 if single else _F8, copy=False)


def _single(place: Floats) -> Floats:
    narrow = place.astype(_F4)
    narrow.flags.writeable = False
    return narrow


_STATIC = Algorithm(STATIC_TORQUE_ONE, STATIC_TORQUE, wrench=True, floating=True)


def torque_of(robot: Robot, q: Any, f_ext: Mapping[str, Any], out: Floats | None = None, threads: Any = None) -> Any:
    """Return J^T w of one or more wrenches on one state or a batch, or None where the canonical way has to be taken."""
    if type(f_ext) is not dict or not f_ext:
        return None
    site, wrench = wrenches_of(robot, f_ext)
    if threads is None or alone(threads):
        torque = STATIC_TORQUE_ONE["float64"].call(robot._card, q, wrench, out, site)
        if torque is not None:
            return torque
    return quick(_STATIC, robot, (q, wrench), (robot.n,), out, threads, places=(site,))


def wrenches_of(robot: Robot, f_ext: Mapping[str, Any]) -> tuple[Floats, Any]:
    """Return where m wrenches act, one site a row, and the wrenches side by side, (..., 6 m); of one, as it came.

    Several are added up by one call, in the order in which the canonical way does, since rounding depends on it.

    Raises
    ------
    ValueError, KeyError, AttributeError, TypeError
        A frame or axes are unknown, or the wrenches differ in shape or precision.
    """
    if len(f_ext) == 1:
        ((name, value),) = f_ext.items()
        wrench, axes = with_axes(value)
        if wrench is None:
            raise ValueError
        return robot.links.frames[name].sites[axes], wrench
    pairs = [with_axes(value) for value in f_ext.values()]
    wrenches = [_plain(wrench) for wrench, _ in pairs]
    first = wrenches[0]
    if first is None or first.shape[-1:] != (6,):
        raise ValueError
    if any(x is None or x.shape != first.shape or x.dtype is not first.dtype for x in wrenches):
        raise ValueError
    sites = [robot.links.frames[name].sites[axes] for name, (_, axes) in zip(f_ext, pairs, strict=True)]
    places = np.concatenate(sites)
    places.flags.writeable = False
    return places, np.concatenate(wrenches, axis=-1)


def alone(threads: Any) -> bool:
    """Return whether one state may be calculated with this number of threads."""
    return type(threads) is int and threads > 0


def alike(a: Floats | None, b: Floats | None) -> bool:
    """Return whether two results exist and agree in shape and precision."""
    return a is not None and b is not None and a.shape == b.shape and a.dtype == b.dtype
