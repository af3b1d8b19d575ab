"""The functions that Python calls: each algorithm for one state and for a batch, in float64 and float32.

Nothing here is compiled before its first use.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numba.core import types
from numpy.typing import NDArray

from rne.kernels import (
    actuation,
    center_of_mass,
    christoffel,
    contact,
    control,
    coriolis_matrix,
    derivative_product,
    derivatives,
    energies,
    evaluate,
    forward_derivatives,
    forward_dynamics,
    forward_pointers,
    frame_motion,
    friction,
    gravity,
    gravity_derivative,
    inverse_dynamics,
    jacobian,
    jacobian_dot,
    joint_wrenches,
    mass_and_bias,
    mass_matrix,
    operational_inertia,
    poses,
    ready,
    regressor,
    regressor_product,
    simulation,
    stages,
    static_derivative,
    static_torque,
    stiction,
)
from rne.kernels.jit import Entry
from rne.kernels.objects import OBJECT, Card
from rne.kernels.scratch import make_addresses

_FLOATS = {"float64": types.float64, "float32": types.float32}
_ADDRESSES = types.Array(types.intp, 1, "C")  # address and row stride in bytes of each batch


def _table(dtype: types.Float) -> types.Array:
    return types.Array(dtype, 2, "C", readonly=True)


def _many(dtype: types.Float, *more: types.Type) -> types.Type:
    """Signature of a batch entry: table, first and one past the last sample, addresses of the batches, and more."""
    return types.void(_table(dtype), types.intp, types.intp, _ADDRESSES, *more)


_VECTOR = types.Array(types.float64, 1, "C")
_INT = types.intp
_SIZES, _GIVEN, _PLACES = types.UniTuple(_INT, 9), types.UniTuple(OBJECT, 4), types.UniTuple(OBJECT, 2)


def _entries(make: Any, signature: Callable[[types.Float], types.Type], *, batch: bool = False) -> dict[str, Entry]:
    """Make the entries of an algorithm, by precision: for batches, or for one state, which take Python objects."""
    return {name: Entry(make, signature(dtype), batch=batch, direct=True) for name, dtype in _FLOATS.items()}


def _one(objects: int, *more: types.Type) -> Callable[[types.Float], types.Type]:
    """Signature of an entry for one state: card, objects, and more; see `rne.kernels.single`."""
    return lambda dtype: OBJECT(Card(dtype), *(OBJECT,) * objects, *more)


_MARKS = types.Array(types.uint8, 1, "C")  # one per sample
_DRIVES = types.UniTuple(types.boolean, 2)

READY = _entries(ready.make_ready, lambda dtype: OBJECT(Card(dtype), OBJECT, OBJECT, _SIZES, _GIVEN))
TABLE_WITH_GRAVITY = _entries(ready.make_table, _one(1))

CENTER_OF_MASS_ONE = _entries(center_of_mass.make_one, _one(3, _INT))
CENTER_OF_MASS = _entries(center_of_mass.make_many, lambda dtype: _many(dtype, _INT), batch=True)
CHRISTOFFEL_ONE = _entries(christoffel.make_one, _one(2))
CHRISTOFFEL = _entries(christoffel.make_many, _many, batch=True)
# Only in float64.
CONTACT = Entry(
    contact.make_many,
    _many(types.float64, _table(types.float64), types.Array(_INT, 1, "C", readonly=True), _INT, _MARKS, _MARKS),
    batch=True,
)
CORIOLIS_MATRIX_ONE = _entries(coriolis_matrix.make_one, _one(3))
CORIOLIS_MATRIX = _entries(coriolis_matrix.make_many, _many, batch=True)
DERIVATIVE_PRODUCT_ONE = _entries(derivative_product.make_one, _one(6, _INT))
DERIVATIVE_PRODUCT = _entries(derivative_product.make_many, lambda dtype: _many(dtype, _INT), batch=True)
DERIVATIVES_ONE = _entries(derivatives.make_one, _one(5, _INT))
DERIVATIVES = _entries(derivatives.make_many, lambda dtype: _many(dtype, _INT), batch=True)
ENERGIES_ONE = _entries(energies.make_one, _one(4, _INT, _INT))
ENERGIES = _entries(energies.make_many, lambda dtype: _many(dtype, *(_INT,) * 3), batch=True)
FORWARD_DERIVATIVES_ONE = _entries(forward_derivatives.make_one, _one(5, _INT))
FORWARD_DERIVATIVES = _entries(forward_derivatives.make_many, lambda dtype: _many(dtype, _INT, _MARKS), batch=True)
# By method, then by precision.
FORWARD_DYNAMICS_ONE = {
    method: _entries(make, _one(5, _INT))
    for method, make in (
        ("aba", forward_dynamics.make_one_articulated),
        ("crba", forward_dynamics.make_one_by_matrix),
    )
}
FORWARD_DYNAMICS = {
    method: _entries(make, lambda dtype: _many(dtype, _INT, _MARKS), batch=True)
    for method, make in (
        ("aba", forward_dynamics.make_many_articulated),
        ("crba", forward_dynamics.make_many_by_matrix),
    )
}
FRAME_MOTION_ONE = _entries(frame_motion.make_one, _one(5, _INT))
FRAME_MOTION = _entries(frame_motion.make_many, lambda dtype: _many(dtype, _table(dtype), _INT), batch=True)
FRICTION_ONE = _entries(friction.make_one, _one(2))
FRICTION = _entries(friction.make_many, _many, batch=True)
GRAVITY_ONE = _entries(gravity.make_one, _one(3))
GRAVITY = _entries(gravity.make_many, _many, batch=True)
GRAVITY_DERIVATIVE_ONE = _entries(gravity_derivative.make_one, _one(3))
GRAVITY_DERIVATIVE = _entries(gravity_derivative.make_many, _many, batch=True)
INVERSE_DYNAMICS_ONE = _entries(inverse_dynamics.make_one, _one(5, _INT))
INVERSE_DYNAMICS = _entries(inverse_dynamics.make_many, lambda dtype: _many(dtype, _INT), batch=True)
JACOBIAN_ONE = _entries(jacobian.make_one, _one(3))
JACOBIAN = _entries(jacobian.make_many, lambda dtype: _many(dtype, _table(dtype)), batch=True)
JACOBIAN_DOT_ONE = _entries(jacobian_dot.make_one, _one(4))
JACOBIAN_DOT = _entries(jacobian_dot.make_many, lambda dtype: _many(dtype, _table(dtype)), batch=True)
JOINT_WRENCHES_ONE = _entries(joint_wrenches.make_one, _one(6, _PLACES))
JOINT_WRENCHES = _entries(joint_wrenches.make_many, lambda dtype: _many(dtype, *(_table(dtype),) * 2), batch=True)
MASS_MATRIX_ONE = _entries(mass_matrix.make_one, _one(2, _INT))
MASS_MATRIX = _entries(mass_matrix.make_many, lambda dtype: _many(dtype, _INT, _MARKS), batch=True)
OPERATIONAL_INERTIA_ONE = Entry(
    operational_inertia.make_one, _one(3, _INT, _INT, _INT)(types.float64), batch=False, direct=True
)
POSES_ONE = _entries(poses.make_one, _one(3))
POSES = _entries(poses.make_many, lambda dtype: _many(dtype, _table(dtype)), batch=True)
REGRESSOR_ONE = _entries(regressor.make_one, _one(6, _DRIVES))
REGRESSOR = _entries(regressor.make_many, lambda dtype: _many(dtype, _table(dtype), _DRIVES), batch=True)
REGRESSOR_PRODUCT_ONE = _entries(regressor_product.make_one, _one(7, _DRIVES))
REGRESSOR_PRODUCT = _entries(
    regressor_product.make_many, lambda dtype: _many(dtype, _table(dtype), _DRIVES), batch=True
)
STATIC_DERIVATIVE = _entries(static_derivative.make_many, lambda dtype: _many(dtype, _table(dtype)), batch=True)
STATIC_TORQUE_ONE = _entries(static_torque.make_one, _one(4))
STATIC_TORQUE = _entries(static_torque.make_many, lambda dtype: _many(dtype, _table(dtype)), batch=True)
# Entries that other entries call, by method where there are several.
_POINTER = types.intp(types.intp, *(types.Array(types.float64, 1, "C"),) * 4, types.intp)
INVERSE_DYNAMICS_POINTER = Entry(inverse_dynamics.make_pointer, _POINTER, batch=False)
FORWARD_DYNAMICS_POINTER = {
    "aba": Entry(forward_pointers.make_pointer_articulated, _POINTER, batch=False),
    "crba": Entry(forward_pointers.make_pointer_by_matrix, _POINTER, batch=False),
}
MASS_AND_BIAS_POINTER = Entry(mass_and_bias.make_pointer, _POINTER, batch=False)
# The entries of an evaluator, by the name of its method.
EVALUATE = {
    name: Entry(getattr(evaluate, f"make_{name}"), _INT(_INT), batch=False, direct=True)
    for name in (
        "inverse_dynamics", "forward_dynamics", "gravity_vector", "bias_vector", "mass_matrix", "jacobian",
        "inverse_dynamics_derivatives", "forward_dynamics_derivatives",
    )
}  # fmt: skip
_PATHS = types.Array(types.float64, 3, "C")


_INVERSE = (types.FunctionType(_INT(_INT, *(_VECTOR,) * 4, _INT)), types.FunctionType(_many(types.float64, _INT)))


def _law(one: types.Type, many: types.Type) -> types.Type:
    """Type of a control law for `control.torques`, with inverse dynamics for one state or for batches."""
    gains, pieces = (types.Array(types.float64, k, "A", readonly=True) for k in (3, 4))
    breaks = types.Array(types.float64, 1, "C", readonly=True)
    return types.Tuple((_table(types.float64), one, many, _INT, gains, breaks, pieces, _INT, types.boolean))


_DAMPING = types.Array(types.float64, 2, "C", readonly=True)
_ROUGH = types.Tuple((_DAMPING, _DAMPING, types.boolean))
# A tuple that begins with a function makes numba warn.
_ACTING = types.Tuple((types.boolean, actuation.CONTROLLER))

_EVENTS = types.Array(types.intp, 2, "C")
_GIVEN_VECTOR = types.Array(types.float64, 1, "A", readonly=True)
_SAMPLED = types.Tuple((types.float64, *(_GIVEN_VECTOR,) * 4, _INT))
_EXTERNAL = types.Tuple(
    (
        _table(types.float64),
        types.Array(types.float64, 4, "A", readonly=True),
        types.FunctionType(_many(types.float64, _table(types.float64))),
    )
)


def _simulation(
    one: types.Type, many: types.Type, law: types.Type = types.none, rough: types.Type = types.none
) -> Entry:
    """Make the entry of simulations, with forward dynamics for one state or for batches; or with friction and stops."""
    held = types.Array(types.float64, 3, "A", readonly=True)
    dynamics = types.Tuple((_table(types.float64), one, many, _INT))
    schedule = types.Tuple((_VECTOR, _ADDRESSES, _EVENTS, held, types.boolean, _INT, _SAMPLED))
    paths = types.Tuple((*(_PATHS,) * 3, _VECTOR))
    given = (_INT, _INT, dynamics, _ACTING, law, schedule, paths, rough, _EXTERNAL)
    # Direct: finding the types of so many arguments took 0.15 ms, as long as a hundred steps.
    return Entry(simulation.make_many, types.void(*given), batch=True, direct=True)


_FORWARD = (_INVERSE[0], types.FunctionType(_many(types.float64, _INT, _MARKS)))
SIMULATE_ONE, SIMULATE = _simulation(_FORWARD[0], types.none), _simulation(types.none, _FORWARD[1])
# The same with a built-in control law.
CONTROLLED_ONE = _simulation(_FORWARD[0], types.none, _law(_INVERSE[0], types.none))
CONTROLLED = _simulation(types.none, _FORWARD[1], _law(types.none, _INVERSE[1]))
# With friction or stops, without and with a built-in control law.
ROUGH = _simulation(_FORWARD[0], types.none, types.none, _ROUGH)
ROUGH_CONTROLLED = _simulation(_FORWARD[0], types.none, _law(_INVERSE[0], types.none), _ROUGH)
CONTROL_ONE = Entry(
    control.make_one, types.void(_law(_INVERSE[0], types.none), _INT, types.float64, *(_VECTOR,) * 5), batch=True
)
STAGE_OF_STEP = Entry(simulation.make_stage, types.void(_INT, _INT, types.float64, _INT, *(_VECTOR,) * 3), batch=False)
_RUBBING = types.Tuple((_table(types.float64), _FORWARD[0], _DAMPING, _DAMPING, types.boolean))
_ROWS, _RESULTS = types.Array(types.float64, 2, "C"), types.Array(types.float64, 3, "C")
_PART = types.Tuple((_INT, _INT, types.float64, types.float64))
ROUGH_STAGE = Entry(
    stages.make_rough_stage, types.void(_PART, _RUBBING, _ACTING, _ROWS, _ROWS, _PATHS, _PATHS, _VECTOR), batch=True
)
STICTION = Entry(
    stiction.make_many,
    types.void(_table(types.float64), _DAMPING, _DAMPING, _ROWS, _ROWS, types.boolean, _RESULTS, _MARKS),
    batch=True,
)
STILL = Entry(actuation.make_still, actuation.CONTROLLER.signature, batch=True)
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

    Four arrays per call, compiled: numpy takes 800 ns per address, and four of them cost as much as a small batch.
    """
    write = _WRITE_ADDRESSES[arrays[0].dtype.char]
    addresses = np.empty(8 * -(-len(arrays) // 4), np.intp)
    for first in range(0, len(arrays), 4):
        four = arrays[first : first + 4]
        write.call(addresses, 2 * first, *four, *four[-1:] * (4 - len(four)))
    return addresses
