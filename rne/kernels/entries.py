"""What Python calls: every algorithm with its signatures, for one state and for a batch, in float64 and float32.

Nothing here is compiled before its first use.
"""

from __future__ import annotations

from numba.core import types

from rne.kernels import friction, inverse_dynamics, static_torque
from rne.kernels.jit import Entry

_FLOATS = {"float64": types.float64, "float32": types.float32}
_BATCH = (types.intp, types.intp)  # address and row stride in bytes


def _vector(dtype: types.Float) -> types.Array:
    return types.Array(dtype, 1, "C")


def _table(dtype: types.Float) -> types.Array:
    return types.Array(dtype, 2, "C", readonly=True)


def _range(dtype: types.Float) -> tuple[types.Type, ...]:
    return _table(dtype), types.intp, types.intp  # table, first and one past the last sample


INVERSE_DYNAMICS_ONE = {
    name: Entry(inverse_dynamics.make_one, types.intp(types.intp, *(_vector(dtype),) * 4, types.intp))
    for name, dtype in _FLOATS.items()
}
INVERSE_DYNAMICS = {
    name: Entry(inverse_dynamics.make_many, types.void(*_range(dtype), *_BATCH * 4, types.intp))
    for name, dtype in _FLOATS.items()
}
STATIC_TORQUE = {
    name: Entry(static_torque.make_many, types.void(*_range(dtype), _table(dtype), *_BATCH * 3))
    for name, dtype in _FLOATS.items()
}
FRICTION = {name: Entry(friction.make_many, types.void(*_range(dtype), *_BATCH * 2)) for name, dtype in _FLOATS.items()}
