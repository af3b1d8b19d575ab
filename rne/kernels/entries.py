"""What Python calls: every algorithm with its signatures, for one state and for a batch, in float64 and float32.

Nothing here is compiled before its first use.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numba.core import types
from numpy.typing import NDArray

from rne.kernels import (
    center_of_mass,
    christoffel,
    control,
    coriolis_matrix,
    energies,
    forward_dynamics,
    frame_motion,
    friction,
    gravity,
    inverse_dynamics,
    jacobian,
    joint_wrenches,
    mass_matrix,
    poses,
    regressor,
    simulation,
    static_torque,
)
from rne.kernels.jit import Entry
from rne.kernels.scratch import make_addresses

_FLOATS = {"float64": types.float64, "float32": types.float32}
_ADDRESSES = types.Array(types.intp, 1, "C")  # address and row stride in bytes of each batch


def _vector(dtype: types.Float) -> types.Array:
    return types.Array(dtype, 1, "C")


def _table(dtype: types.Float) -> types.Array:
    return types.Array(dtype, 2, "C", readonly=True)


def _many(dtype: types.Float, *more: types.Type) -> types.Type:
    """Signature of a batch entry: table, first and one past the last sample, where the batches lie, and more."""
    return types.void(_table(dtype), types.intp, types.intp, _ADDRESSES, *more)


_VECTOR, _MATRIX, _SITES = (
    types.Array(types.float64, k, "C", readonly=r) for k, r in ((1, False), (2, False), (2, True))
)
_INT = types.intp


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
GRAVITY_ONE = {
    name: Entry(gravity.make_one, types.intp(types.intp, *(_vector(dtype),) * 2), batch=False)
    for name, dtype in _FLOATS.items()
}
GRAVITY = {name: Entry(gravity.make_many, _many(dtype), batch=True) for name, dtype in _FLOATS.items()}
INVERSE_DYNAMICS_ONE = {
    name: Entry(inverse_dynamics.make_one, types.intp(types.intp, *(_vector(dtype),) * 4, types.intp), batch=False)
    for name, dtype in _FLOATS.items()
}
INVERSE_DYNAMICS_FEW = Entry(
    inverse_dynamics.make_few,
    types.intp(types.intp, *(types.Array(types.float64, 2, "C"),) * 4, types.intp),
    batch=True,
)
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
CENTER_OF_MASS_ONE = Entry(center_of_mass.make_one, _INT(_INT, *(_VECTOR,) * 3, _INT), batch=False)
CENTER_OF_MASS = {
    name: Entry(center_of_mass.make_many, _many(dtype, _INT), batch=True) for name, dtype in _FLOATS.items()
}
ENERGIES_ONE = Entry(energies.make_one, _INT(_INT, *(_VECTOR,) * 3, _INT, _INT), batch=False)
ENERGIES = {name: Entry(energies.make_many, _many(dtype, *(_INT,) * 3), batch=True) for name, dtype in _FLOATS.items()}
FRAME_MOTION_ONE = Entry(frame_motion.make_one, _INT(_INT, _SITES, *(_VECTOR,) * 4, _INT), batch=False)
FRAME_MOTION = {
    name: Entry(frame_motion.make_many, _many(dtype, _table(dtype), _INT), batch=True)
    for name, dtype in _FLOATS.items()
}
JACOBIAN_ONE = Entry(jacobian.make_one, _INT(_INT, _SITES, _VECTOR, _MATRIX), batch=False)
JACOBIAN = {name: Entry(jacobian.make_many, _many(dtype, _table(dtype)), batch=True) for name, dtype in _FLOATS.items()}
JOINT_WRENCHES_ONE = Entry(joint_wrenches.make_one, _INT(_INT, _SITES, *(_VECTOR,) * 3, _MATRIX), batch=False)
JOINT_WRENCHES = {
    name: Entry(joint_wrenches.make_many, _many(dtype, *(_table(dtype),) * 2), batch=True)
    for name, dtype in _FLOATS.items()
}
POSES_ONE = Entry(poses.make_one, _INT(_INT, _SITES, _VECTOR, _MATRIX), batch=False)
POSES = {name: Entry(poses.make_many, _many(dtype, _table(dtype)), batch=True) for name, dtype in _FLOATS.items()}
REGRESSOR_ONE = Entry(
    regressor.make_one, _INT(_INT, _SITES, *(_VECTOR,) * 3, _MATRIX, *(types.boolean,) * 2), batch=False
)
REGRESSOR = {
    name: Entry(regressor.make_many, _many(dtype, _table(dtype), *(types.boolean,) * 2), batch=True)
    for name, dtype in _FLOATS.items()
}
STATIC_TORQUE_ONE = Entry(static_torque.make_one, _INT(_INT, _SITES, *(_VECTOR,) * 3), batch=False)
_PATHS = types.Array(types.float64, 3, "C")


_INVERSE = (types.FunctionType(_INT(_INT, *(_VECTOR,) * 4, _INT)), types.FunctionType(_many(types.float64, _INT)))


def _law(one: types.Type, many: types.Type) -> types.Type:
    """Type of a law, as `control.torques` takes it, with inverse dynamics for one state, or for batches."""
    gains, pieces = (types.Array(types.float64, k, "A", readonly=True) for k in (3, 4))
    breaks = types.Array(types.float64, 1, "C", readonly=True)
    return types.Tuple((_table(types.float64), one, many, _INT, gains, breaks, pieces, _INT, types.boolean))


def _simulation(one: types.Type, many: types.Type, law: types.Type = types.none) -> Entry:
    """Make the entry of simulations with forward dynamics for one state, or for batches."""
    held = types.Array(types.float64, 3, "A", readonly=True)
    dynamics = types.Tuple((_table(types.float64), one, many, _INT))
    # A tuple that begins with a function makes numba warn.
    acting = types.Tuple((types.boolean, simulation.CONTROLLER))
    schedule, paths = types.Tuple((_VECTOR, _ADDRESSES, held)), types.Tuple((*(_PATHS,) * 3, _VECTOR))
    return Entry(simulation.make_many, types.void(_INT, _INT, dynamics, acting, law, schedule, paths, _INT), batch=True)


_FORWARD = (_INVERSE[0], types.FunctionType(_many(types.float64, _INT, _MARKS)))
SIMULATE_ONE, SIMULATE = _simulation(_FORWARD[0], types.none), _simulation(types.none, _FORWARD[1])
# The same with a ready law of control.
CONTROLLED_ONE = _simulation(_FORWARD[0], types.none, _law(_INVERSE[0], types.none))
CONTROLLED = _simulation(types.none, _FORWARD[1], _law(types.none, _INVERSE[1]))
CONTROL_ONE = Entry(
    control.make_one, types.void(_law(_INVERSE[0], types.none), _INT, types.float64, *(_VECTOR,) * 5), batch=True
)
STAGE_OF_STEP = Entry(simulation.make_stage, types.void(_INT, _INT, types.float64, *(_VECTOR,) * 3), batch=False)
STILL = Entry(simulation.make_still, simulation.CONTROLLER.signature, batch=True)
_WRITE_ADDRESSES = {
    char: Entry(
        make_addresses,
        types.void(_ADDRESSES, types.intp, *(types.Array(_FLOATS[name], 2, "A", readonly=True),) * 4),
        batch=False,
    )
    for char, name in (("d", "float64"), ("f", "float32"))
}


def addresses_of(arrays: Sequence[NDArray[Any]]) -> NDArray[np.intp]:
    """Return address and row stride in bytes of arrays (samples, width), one after the other.

    Four arrays a call: asking numpy takes 800 ns an address, which four times is a small batch.
    """
    write = _WRITE_ADDRESSES[arrays[0].dtype.char]
    addresses = np.empty(8 * -(-len(arrays) // 4), np.intp)
    for first in range(0, len(arrays), 4):
        four = arrays[first : first + 4]
        write.call(addresses, 2 * first, *four, *four[-1:] * (4 - len(four)))
    return addresses
