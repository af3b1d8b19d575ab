"""What Python calls: every algorithm with its signatures, for one state and for a batch, in float64 and float32.

Nothing here is compiled before its first use.
"""

from __future__ import annotations

from numba.core import types

from rne.kernels import forward_dynamics, friction, inverse_dynamics, mass_matrix, static_torque
from rne.kernels.jit import Entry

_FLOATS = {"float64": types.float64, "float32": types.float32}
_WHERE = types.Array(types.intp, 1, "C")  # address and row stride in bytes of each batch


def _vector(dtype: types.Float) -> types.Array:
    return types.Array(dtype, 1, "C")


def _table(dtype: types.Float) -> types.Array:
    return types.Array(dtype, 2, "C", readonly=True)


def _many(dtype: types.Float, *more: types.Type) -> types.Type:
    """Signature of a batch entry: table, first and one past the last sample, where the batches lie, and more."""
    return types.void(_table(dtype), types.intp, types.intp, _WHERE, *more)


def _matrix(dtype: types.Float) -> types.Array:
    return types.Array(dtype, 2, "C")


_MARKS = types.Array(types.uint8, 1, "C")  # one a sample

# Forward dynamics by method, then by precision.
FORWARD_DYNAMICS_ONE = {
    method: {
        name: Entry(make, types.intp(types.intp, *(_vector(dtype),) * 4, types.intp)) for name, dtype in _FLOATS.items()
    }
    for method, make in (
        ("aba", forward_dynamics.make_one_articulated),
        ("crba", forward_dynamics.make_one_by_matrix),
    )
}
FORWARD_DYNAMICS = {
    method: {name: Entry(make, _many(dtype, types.intp, _MARKS)) for name, dtype in _FLOATS.items()}
    for method, make in (
        ("aba", forward_dynamics.make_many_articulated),
        ("crba", forward_dynamics.make_many_by_matrix),
    )
}
FRICTION = {name: Entry(friction.make_many, _many(dtype)) for name, dtype in _FLOATS.items()}
INVERSE_DYNAMICS_ONE = {
    name: Entry(inverse_dynamics.make_one, types.intp(types.intp, *(_vector(dtype),) * 4, types.intp))
    for name, dtype in _FLOATS.items()
}
INVERSE_DYNAMICS = {
    name: Entry(inverse_dynamics.make_many, _many(dtype, types.intp)) for name, dtype in _FLOATS.items()
}
MASS_MATRIX_ONE = {
    name: Entry(mass_matrix.make_one, types.intp(types.intp, _vector(dtype), _matrix(dtype), types.intp))
    for name, dtype in _FLOATS.items()
}
MASS_MATRIX = {
    name: Entry(mass_matrix.make_many, _many(dtype, types.intp, types.intp, _MARKS)) for name, dtype in _FLOATS.items()
}
STATIC_TORQUE = {name: Entry(static_torque.make_many, _many(dtype, _table(dtype))) for name, dtype in _FLOATS.items()}
