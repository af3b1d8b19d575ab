"""What Python calls: every algorithm with its signatures, for one state and for a batch, in float64 and float32.

Nothing here is compiled before its first use.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba.core import types
from numpy.typing import NDArray

from rne.kernels import (
    christoffel,
    coriolis_matrix,
    forward_dynamics,
    friction,
    inverse_dynamics,
    mass_matrix,
    static_torque,
)
from rne.kernels.jit import Entry
from rne.kernels.scratch import make_address

_FLOATS = {"float64": types.float64, "float32": types.float32}
_WHERE = types.Array(types.intp, 1, "C")  # address and row stride in bytes of each batch


def _vector(dtype: types.Float) -> types.Array:
    return types.Array(dtype, 1, "C")


def _table(dtype: types.Float) -> types.Array:
    return types.Array(dtype, 2, "C", readonly=True)


def _many(dtype: types.Float, *more: types.Type) -> types.Type:
    """Signature of a batch entry: table, first and one past the last sample, where the batches lie, and more."""
    return types.void(_table(dtype), types.intp, types.intp, _WHERE, *more)


def _entries(make: Any, signature: Callable[[types.Float], types.Type], *, batch: bool) -> dict[str, Entry]:
    """Make the entries of an algorithm, by precision."""
    return {name: Entry(make, signature(dtype), batch=batch) for name, dtype in _FLOATS.items()}


_MARKS = types.Array(types.uint8, 1, "C")  # one a sample

CHRISTOFFEL = _entries(christoffel.make_many, _many, batch=True)
CORIOLIS_MATRIX_ONE = _entries(
    coriolis_matrix.make_one,
    lambda dtype: types.intp(types.intp, *(_vector(dtype),) * 2, types.Array(dtype, 2, "C")),
    batch=False,
)
CORIOLIS_MATRIX = _entries(coriolis_matrix.make_many, _many, batch=True)
# By method, then by precision.
FORWARD_DYNAMICS_ONE = {
    method: _entries(make, lambda dtype: types.intp(types.intp, *(_vector(dtype),) * 4, types.intp), batch=False)
    for method, make in (
        ("aba", forward_dynamics.make_one_articulated),
        ("crba", forward_dynamics.make_one_by_matrix),
    )
}
FORWARD_DYNAMICS = {
    method: _entries(make, lambda dtype: _many(dtype, types.intp, _MARKS), batch=True)
    for method, make in (
        ("aba", forward_dynamics.make_many_articulated),
        ("crba", forward_dynamics.make_many_by_matrix),
    )
}
FRICTION = {name: Entry(friction.make_many, _many(dtype), batch=True) for name, dtype in _FLOATS.items()}
INVERSE_DYNAMICS_ONE = {
    name: Entry(inverse_dynamics.make_one, types.intp(types.intp, *(_vector(dtype),) * 4, types.intp), batch=False)
    for name, dtype in _FLOATS.items()
}
INVERSE_DYNAMICS = {
    name: Entry(inverse_dynamics.make_many, _many(dtype, types.intp), batch=True) for name, dtype in _FLOATS.items()
}
MASS_MATRIX_ONE = _entries(
    mass_matrix.make_one,
    lambda dtype: types.intp(types.intp, _vector(dtype), types.Array(dtype, 2, "C"), types.intp),
    batch=False,
)
MASS_MATRIX = _entries(mass_matrix.make_many, lambda dtype: _many(dtype, types.intp, _MARKS), batch=True)
STATIC_TORQUE = {
    name: Entry(static_torque.make_many, _many(dtype, _table(dtype)), batch=True) for name, dtype in _FLOATS.items()
}
_ADDRESS = {
    char: Entry(make_address, types.intp(types.Array(_FLOATS[name], 2, "C")), batch=False)
    for char, name in (("d", "float64"), ("f", "float32"))
}


def address(array: NDArray[Any]) -> int:
    """Return where the numbers of an array lie; numpy's own answer takes 800 ns, which four times is a small batch."""
    if array.ndim == 2 and array.flags.carray:
        address: int = _ADDRESS[array.dtype.char].call(array)
        return address
    return array.ctypes.data
