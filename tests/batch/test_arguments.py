"""Every public function, every argument: what is none is refused by name, and any layout of a good one gives the same.

The calls are listed in `tests/support/calls/`; what is public and not there fails.
"""

from __future__ import annotations

import contextlib
import inspect
import warnings
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import is_dataclass
from functools import cache
from typing import Any

import numpy as np
import pytest
from calls import CALLS, Call
from calls.design import MEASURED
from matplotlib.figure import Figure

import rne

# Loading functions name the file and the element in place of the argument.
OF_A_FILE = {"couplings", "path", "path_or_text", "robot_or_rows", "rows"}


HOMES = (rne, rne.control, rne.files, rne.jit, rne.lagrange, rne.plot)
# Besides methods, what checks its arguments when it is made.
MADE = {
    rne.Robot,
    rne.Inertia,
    rne.Evaluator,
    rne.Identifier,
    rne.TreeBuilder,
    rne.files.Differentiated,
    rne.files.Results,
    rne.files.Trajectory,
}
# Methods of a stream, called in an order of their own, and what is passed on to kernels: tested where they belong.
ELSEWHERE = {rne.Identifier, rne.files.Differentiated, rne.files.Results, rne.files.Trajectory, rne.control.Controller}


def public() -> set[object]:
    """Return all public functions: also methods that calculate, without those compiled for compiled code."""
    things = [getattr(home, name) for home in HOMES for name in home.__all__]
    found: set[object] = {thing for thing in things if inspect.isfunction(thing)}
    for owner in things:
        if inspect.isclass(owner) and not issubclass(owner, Exception) and owner not in ELSEWHERE:
            own = {name: getattr(owner, name) for name in vars(owner) if not name.startswith("_")}
            found |= {thing for thing in own.values() if inspect.isfunction(thing) or inspect.ismethod(thing)}
    return {getattr(thing, "__func__", thing) for thing in found} | MADE


def test_every_public_function_is_called():
    called = {inspect.unwrap(getattr(call.function, "__func__", call.function)) for call in CALLS}
    assert public() - called == set()
    things = {getattr(home, name) for home in HOMES for name in home.__all__ if name not in ("plot", "files")}
    classes = {thing for thing in things if inspect.isclass(thing)}
    results = {thing for thing in classes if is_dataclass(thing) or issubclass(thing, tuple | Exception)}
    assert classes - results <= MADE  # what else is a class is made by a call, or its fields are checked in one


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.title)
def test_the_good_call_is_good(call: Call):
    with warnings.catch_warnings(action="error"):
        call()


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.title)
def test_every_bad_argument_is_refused_by_name(call: Call):
    accepted, unnamed, other = [], [], []
    for name, value in call.bad_values():
        with warnings.catch_warnings(action="error"):
            try:
                call(**{name: value})
            except rne.RneError as error:
                if (name not in str(error) and name not in OF_A_FILE) or len(str(error)) > 1000:
                    unnamed.append((name, value, str(error)))
            except Exception as error:
                other.append((name, value, repr(error)))
            else:
                accepted.append((name, value))
    assert (accepted, unnamed, other) == ([], [], [])


class Wrapped:
    """What other libraries' arrays look like: numbers that numpy can ask for."""

    def __init__(self, array):
        self.array = array

    def __array__(self, dtype=None, copy=None):
        return np.array(self.array, dtype=dtype)


def on_disk(x, folder):
    path = folder / f"{len(list(folder.iterdir()))}.bin"
    x.tofile(path)
    return np.memmap(path, dtype=x.dtype, mode="r", shape=x.shape)


def frozen(x):
    x = x.copy()
    x.flags.writeable = False
    return x


def unaligned(x):
    buffer = np.empty(x.nbytes + 1, np.uint8)[1:].view(x.dtype).reshape(x.shape)
    buffer[...] = x
    return buffer


LAYOUTS = {
    "list": lambda x, _: x.tolist(),
    "tuple of rows": lambda x, _: tuple(x),
    "Fortran": lambda x, _: np.asfortranarray(x),
    "every second": lambda x, _: np.repeat(x, 2, axis=-1)[..., ::2],
    "reversed": lambda x, _: x[..., ::-1].copy()[..., ::-1],
    "read-only": lambda x, _: frozen(x),
    "big-endian": lambda x, _: x.astype(">f8"),
    "unaligned": lambda x, _: unaligned(x),
    "subclass": lambda x, _: x.view(np.recarray),
    "long double": lambda x, _: x.astype(np.longdouble),
    "by __array__": lambda x, _: Wrapped(x),
    "on disk": on_disk,
}


def same(got, wanted, rounding: float) -> bool:
    if isinstance(wanted, dict):
        return list(got) == list(wanted) and all(same(got[key], wanted[key], rounding) for key in wanted)
    if isinstance(wanted, tuple | list):
        return len(got) == len(wanted) and all(same(*pair, rounding) for pair in zip(got, wanted, strict=True))
    if isinstance(wanted, rne.Robot):
        return got.tree == wanted.tree and got.joint_names == wanted.joint_names
    if isinstance(wanted, rne.Identifier):
        return same(solved(got), solved(wanted), rounding)
    if is_dataclass(wanted):
        return type(got) is type(wanted) and same(vars(got), vars(wanted), rounding)
    if isinstance(wanted, Figure):
        return drawn(got) == drawn(wanted)
    if wanted is None or isinstance(wanted, str | bytes):
        return got == wanted
    alike = type(got) is type(wanted) and np.asarray(got).dtype == np.asarray(wanted).dtype
    near = np.allclose(got, wanted, rtol=rounding, atol=rounding, equal_nan=True)
    return alike and np.shape(got) == np.shape(wanted) and near


def solved(identifier: rne.Identifier) -> rne.Identification:
    """Return what it finds in a log, which depends on all that it was made with."""
    copy = deepcopy(identifier)
    copy.update(**MEASURED)
    return copy.solve()


def drawn(figure: Figure) -> list[bytes]:
    """Return what is drawn, without the letters; to have it painted would take seconds."""
    parts: list[Any] = []
    for ax in figure.axes:
        parts += [line.get_xydata() for line in ax.lines]
        parts += [path.vertices for collection in ax.collections for path in collection.get_paths()]
        parts += [bar.get_corners() for bar in ax.patches]
        parts += [image.get_array() for image in ax.images]
    assert parts
    return [np.asarray(part).tobytes() for part in parts]


def rounding_of(call: Call) -> float:
    """Kernels give the same bits; numpy sums in another order where memory lies otherwise."""
    return 1e-13 if call.title.startswith("lagrange") else 0.0


def arrays_of(call: Call) -> dict[str, np.ndarray]:
    return {name: value for name, value in call.good.items() if isinstance(value, np.ndarray)}


# Plots take all arrays the same way, and time.
OF_A_PLOT = ("list", "reversed", "big-endian")


@cache
def wanted_of(number: int) -> Any:
    """Result of the good call with that number, for all that compare with it."""
    return CALLS[number]()


def differences(call: Call, changes: dict[str, Any], wanted: Any) -> Iterator[str]:
    """Say so if a call with other arguments gives another result, warns, or is refused."""
    asked = f"{call.title} with {', '.join(changes)}"
    with warnings.catch_warnings(action="error"):
        try:
            result = call(**changes)
        except Exception as error:
            yield f"{asked}: {error!r}"
            return
    if not same(result, wanted, rounding_of(call)):
        yield f"{asked}: another result"


def test_differences_name_call_and_argument():
    """Of functions that are wrong, warn, or refuse, where memory is not as numpy makes it."""

    def read(x, y):
        if isinstance(x, list):
            raise TypeError("no array")
        if not x.flags.writeable:
            warnings.warn("read-only", stacklevel=1)
        return np.frombuffer(x.tobytes()) + y

    good = {"x": np.arange(3.0), "y": np.arange(3.0)}
    call = Call(read, good, {}, "read")
    swapped = good["x"].astype(">f8")
    assert list(differences(call, {"x": swapped}, call())) == ["read with x: another result"]
    assert list(differences(call, good | {"x": swapped}, call())) == ["read with x, y: another result"]
    assert list(differences(call, {"x": [0.0]}, call())) == ["read with x: TypeError('no array')"]
    assert list(differences(call, {"x": frozen(good["x"])}, call())) == ["read with x: UserWarning('read-only')"]
    assert list(differences(call, {"y": good["y"].astype(">f8")}, call())) == []


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_layout_of_no_argument_matters(layout, tmp_path):
    """Of every call, each array by itself in that layout, then all together."""
    found = []
    for number, call in enumerate(CALLS):
        if call.title.startswith("plot.") and layout not in OF_A_PLOT:
            continue
        turned = {name: LAYOUTS[layout](array, tmp_path) for name, array in arrays_of(call).items()}
        changes = [{name: array} for name, array in turned.items()]
        for change in [*changes, turned] if len(changes) > 1 else changes:
            found += differences(call, change, wanted_of(number))
    assert not found, "\n" + "\n".join(found)


def test_what_numba_learned_elsewhere_of_a_subclass_is_not_applied_to_foreign_bytes():
    import numba

    class Mine(np.ndarray):
        pass

    look = numba.njit(lambda x: x[0])
    for array in np.ones(4), np.ones((4, 4)):
        look(array.view(Mine))  # from now on numba takes any array of eight bytes an entry for doubles
    foreign = np.array([1.0, 2.0]).astype(">f8")
    with contextlib.suppress(numba.TypingError):  # unless it met foreign bytes before it met Mine
        assert look(foreign) != foreign[0]  # once numba is right, there is nothing left to guard against
    for call in filter(arrays_of, CALLS):
        swapped = {name: array.astype(">f8") for name, array in arrays_of(call).items()}
        assert same(call(**swapped), call(), rounding_of(call)), call.title


LAYOUTS_OF_ROWS = LAYOUTS | {
    "every second row": lambda x, _: np.repeat(x, 2, axis=0)[::2],
    "rows backwards": lambda x, _: x[::-1].copy()[::-1],
    "columns of a log": lambda x, _: np.pad(x, 1)[1:-1, 1:-1],
    "transposed": lambda x, _: x.T.copy().T,
    "subclass of tables": lambda x, _: x.view(np.recarray),
    "table": lambda x, _: as_table(x),
}


def as_table(x):
    """Columns of a table, each in memory of its own, asked for as one array."""
    columns = [column.copy() for column in x.T]

    class Table:
        shape = x.shape

        def __array__(self, dtype=None, copy=None):
            return np.column_stack(columns).astype(dtype or np.float64)

    return Table()


@pytest.mark.parametrize("layout", LAYOUTS_OF_ROWS)
def test_the_layout_of_no_batch_matters(layout, tmp_path):
    found = []
    for call in BATCHED:
        rows = {name: x + np.linspace(0, 1, 7)[:, None] for name, x in arrays_of(call).items() if name in STATE_NAMES}
        turned = {name: LAYOUTS_OF_ROWS[layout](x, tmp_path) for name, x in rows.items()}
        found += differences(call, turned, call(**rows))
    assert not found, "\n" + "\n".join(found)


STATE_NAMES = ("q", "qd", "qdd", "tau")
BATCHED = [call for call in CALLS if np.ndim(call.good.get("q")) == 1]


@pytest.mark.parametrize("call", BATCHED, ids=lambda call: call.title)
def test_a_batch_of_none_is_an_empty_result_of_the_right_shape(call: Call):
    single, none = call(), call(q=np.empty((0, call.good["q"].size)))

    def empty(got, one) -> bool:
        if isinstance(one, dict):
            return all(empty(got[key], one[key]) for key in one)
        if is_dataclass(one):
            return all(
                empty(getattr(got, key), value) or np.array_equal(getattr(got, key), value)  # of no state in particular
                for key, value in vars(one).items()
                if not isinstance(value, tuple)
            )
        if isinstance(one, tuple):
            return all(map(empty, got, one))
        return np.shape(got) == (0, *np.shape(one))

    assert empty(none, single)
