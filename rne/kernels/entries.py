"""What Python calls: every algorithm with its signatures, for one state and for a batch, in float64 and float32.

Nothing here is compiled before its first use.
"""

from __future__ import annotations

from typing import Any

from numba.core import types
from numpy.typing import NDArray

from rne.kernels import christoffel, coriolis_matrix, friction, inverse_dynamics, static_torque
from rne.kernels.jit import Entry
from rne.kernels.scratch import make_address

_FLOATS = {"float64": types.float64, "float32": types.float32}
_WHERE = types.Array(types.intp, 1, "C")  # address and row stride in bytes of each batch


def _vector(dtype: types.Float) -> types.Array:
    return types.Array(dtype, 1, "C")


def _matrix(dtype: types.Float) -> types.Array:
    return types.Array(dtype, 2, "C")


def _table(dtype: types.Float) -> types.Array:
    return types.Array(dtype, 2, "C", readonly=True)


def _many(dtype: types.Float, *more: types.Type) -> types.Type:
    """Signature of a batch entry: table, first and one past the last sample, where the batches lie, and more."""
    return types.void(_table(dtype), types.intp, types.intp, _WHERE, *more)


CHRISTOFFEL = {name: Entry(christoffel.make_many, _many(dtype), batch=True) for name, dtype in _FLOATS.items()}
CORIOLIS_MATRIX_ONE = {
    name: Entry(coriolis_matrix.make_one, types.intp(types.intp, *(_vector(dtype),) * 2, _matrix(dtype)), batch=False)
    for name, dtype in _FLOATS.items()
}
CORIOLIS_MATRIX = {name: Entry(coriolis_matrix.make_many, _many(dtype), batch=True) for name, dtype in _FLOATS.items()}
INVERSE_DYNAMICS_ONE = {
    name: Entry(inverse_dynamics.make_one, types.intp(types.intp, *(_vector(dtype),) * 4, types.intp), batch=False)
    for name, dtype in _FLOATS.items()
}
INVERSE_DYNAMICS = {
    name: Entry(inverse_dynamics.make_many, _many(dtype, types.intp), batch=True) for name, dtype in _FLOATS.items()
}
STATIC_TORQUE = {
    name: Entry(static_torque.make_many, _many(dtype, _table(dtype)), batch=True) for name, dtype in _FLOATS.items()
}
FRICTION = {name: Entry(friction.make_many, _many(dtype), batch=True) for name, dtype in _FLOATS.items()}
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
