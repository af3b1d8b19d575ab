"""Functions of rne on dask arrays: lazy, by blocks, on the threads of one machine or on a cluster (extra `dask`).

Each function takes the arguments of the function of the same name in rne, except `out` and `threads`, and returns a
dask array with the same shape, dtype and bits. `q`, `qd`, `qdd`, `tau` and the wrenches of `f_ext` may be dask arrays
or anything that numpy accepts; they broadcast against each other. Results are chunked along the batch axes like the
arguments; the axis of the joints is rechunked to a single chunk. Lengths may be unknown.

Arguments are checked when the function is called, not on a worker. Errors that depend on the numbers are raised on
computation; for a singular mass matrix, the error counts the sample from the start of its block.

Each block is processed by one thread, since dask runs as many blocks as there are cores; use blocks of ten thousand
samples or more. The graph contains the robot once, and each worker receives it once. If everything fits into the memory
of one machine, the functions of rne are faster, since they write to the result directly.

If the function in rne returns several arrays, as a dict or with names, so does the function here, and `dask.compute`
gives what rne returns. `docs/cluster.md` shows a calculation on a cluster from Parquet to Parquet.

Examples
--------
>>> import dask.array as da
>>> import rne, rne.dask
>>> arm = rne.load("models/planar2/robot.dh.toml")
>>> q = da.zeros((1_000_000, 2), chunks=(100_000, 2))
>>> tau = rne.dask.inverse_dynamics(arm, q, qdd=[1.0, 0.0])
>>> tau.shape, tau.numblocks, tau.dtype
((1000000, 2), (10, 1), dtype('float64'))
>>> abs(tau).max(axis=0).compute().round(3)
array([22.287,  5.738])
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from operator import attrgetter, itemgetter
from typing import Any

import numpy as np

from rne.analysis import torque_breakdown as breakdown
from rne.batch.arguments import Floats, as_shape, check_robot, with_axes
from rne.batch.named import coordinates, wrench_array
from rne.dynamics import center_of_mass as mass
from rne.dynamics import (
    centroidal,
    configuration,
    contact_dynamics,
    contact_torques,
    coriolis,
    derivatives,
    energy,
    frame_motion,
    kinematic_derivatives,
    kinematics,
    linear_system,
    statics,
    torque_gradient,
)
from rne.dynamics import forward_dynamics as forward
from rne.dynamics import inverse_dynamics as dynamics
from rne.dynamics import mass_matrix as inertia
from rne.dynamics import operational_space as operational
from rne.dynamics import total_wrench as sums
from rne.errors import ArgumentError, needing
from rne.identification import regressor as linear_model
from rne.model.robot import Robot

_STATE = ("q", "qd", "qdd", "tau", "weights", "dq", "q0", "q1")
_ABSENT = ("out", "threads")


def _by_blocks(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the version of a function of rne that works on dask arrays."""
    own = inspect.signature(function)
    parameters = [parameter for name, parameter in own.parameters.items() if name not in _ABSENT]
    signature = own.replace(parameters=parameters, return_annotation=Any)
    always = {"threads": 1} if "threads" in own.parameters else {}

    def lazy(*args: Any, **options: Any) -> Any:
        return _call_lazily(function, signature.bind(*args, **options).arguments | always)

    lazy.__name__ = lazy.__qualname__ = name = function.__name__
    lazy.by_blocks = function  # type: ignore[attr-defined]
    lazy.__signature__ = signature  # type: ignore[attr-defined]
    first = inspect.cleandoc(function.__doc__ or "").partition("\n")[0]
    lazy.__doc__ = f"{first}\n\n`rne.{name}` by blocks of dask arrays; see there for arguments, results and errors."
    return lazy


def _call_lazily(function: Callable[..., Any], arguments: dict[str, Any]) -> Any:
    """Check the arguments, and return what `function` returns with a dask array in place of each array."""
    with needing("dask", "rne.dask needs"):
        import dask.array as da
        from dask.delayed import delayed
    robot: Robot = arguments.pop("robot")
    check_robot(robot, floating=True)  # what does not support it, refuses it below
    operands = {name: arguments.pop(name) for name in _STATE if arguments.get(name) is not None}
    state, wrenches = tuple(operands), None
    if isinstance(arguments.get("f_ext"), Mapping):
        pairs = {frame: with_axes(value) for frame, value in arguments.pop("f_ext").items()}
        operands |= {f"f_ext[{frame!r}]": wrench for frame, (wrench, _) in pairs.items()}
        wrenches = {frame: axes for frame, (_, axes) in pairs.items()}
    arrays = {
        name: value
        if isinstance(value, da.Array)
        else da.from_array(coordinates(robot, name, value) if name in state else wrench_array(name, value))
        for name, value in operands.items()
    }
    shapes = {name: tuple(map(_length, array.shape)) for name, array in arrays.items()}
    batch = range(len(as_shape(robot, shapes, {name: 6 for name in arrays if name not in state})))
    if isinstance(arguments.get("free"), Iterator):  # can be read only once, but each block reads it
        arguments["free"] = list(arguments["free"])
    call = partial(_call, function, state, wrenches, arguments)
    # With zero samples the function computes nothing, but checks the other arguments and shows what it returns.
    shown = call(robot, *(np.empty_like(array._meta, shape=(0, array.shape[-1])) for array in arrays.values()))

    def blockwise(work: Callable[..., Any], shown: Floats, *blocks: Any) -> Any:
        more = dict(enumerate(shown.shape[1:], len(batch) + len(arrays)))
        like = {"dtype": shown.dtype, "meta": np.empty((0,) * (len(batch) + len(more)), shown.dtype)}
        token = f"rne-{function.__name__}"
        return da.blockwise(work, (*batch, *more), *blocks, new_axes=more, concatenate=True, token=token, **like)

    # The robot is a key of the graph. The batch axes of an operand are the last batch axes of the result; its last
    # axis, of the joints or of a wrench, is not an axis of the result.
    blocks: list[Any] = [delayed(robot, pure=True, traverse=False), None]
    for label, array in enumerate(arrays.values(), len(batch)):
        blocks += [array.rechunk({array.ndim - 1: -1}), (*batch[len(batch) + 1 - array.ndim :], label)]
    try:
        if isinstance(shown, np.ndarray):
            return blockwise(call, shown, *blocks)
        whole = blockwise(call, np.empty(0, object), *blocks)  # a block of it is what the function returned
    except ValueError as error:
        raise ArgumentError(f"chunks of unknown lengths do not match: {error}; call compute_chunk_sizes()") from None
    return _with_parts(shown, lambda get, part: blockwise(get, part, whole, tuple(batch)))


def _with_parts(shown: Any, make: Callable[[Callable[[Any], Floats], Floats], Any]) -> Any:
    """Return a dict, named tuple or dataclass with `make(getter, array)` in place of each array."""
    if isinstance(shown, dict):
        return {name: make(itemgetter(name), part) for name, part in shown.items()}
    is_tuple = hasattr(shown, "_fields")
    values = shown._asdict() if is_tuple else vars(shown)
    parts = {name: make(attrgetter(name), part) for name, part in values.items() if isinstance(part, np.ndarray)}
    return shown._replace(**parts) if is_tuple else replace(shown, **parts)


def _length(length: float) -> int:
    return int(length) if length == length else _Unknown(1)


class _Unknown(int):
    """A length unknown before computation; it is assumed to match."""

    def __repr__(self) -> str:
        return "?"


def _call(
    function: Callable[..., Any],
    state: tuple[str, ...],
    wrenches: dict[str, str] | None,
    options: dict[str, Any],
    robot: Robot,
    *blocks: Floats,
) -> Any:
    """Call `function` on one block of each operand: those of the state, then the wrenches by frame."""
    arguments = dict(zip(state, blocks, strict=False))
    if wrenches is not None:
        given = zip(wrenches.items(), blocks[len(state) :], strict=True)
        options = {**options, "f_ext": {frame: (wrench, axes) for (frame, axes), wrench in given}}
    return function(robot, **arguments, **options)


actuator_power = _by_blocks(energy.actuator_power)
bias_vector = _by_blocks(dynamics.bias_vector)
center_of_mass = _by_blocks(mass.center_of_mass)
center_of_mass_jacobian = _by_blocks(mass.center_of_mass_jacobian)
center_of_mass_velocity = _by_blocks(mass.center_of_mass_velocity)
centroidal_momentum = _by_blocks(centroidal.centroidal_momentum)
centroidal_momentum_bias = _by_blocks(centroidal.centroidal_momentum_bias)
centroidal_momentum_matrix = _by_blocks(centroidal.centroidal_momentum_matrix)
christoffel = _by_blocks(coriolis.christoffel)
contact_forward_dynamics = _by_blocks(contact_dynamics.contact_forward_dynamics)
contact_impulse = _by_blocks(contact_dynamics.contact_impulse)
contact_inverse_dynamics = _by_blocks(contact_torques.contact_inverse_dynamics)
coriolis_matrix = _by_blocks(coriolis.coriolis_matrix)
coriolis_vector = _by_blocks(dynamics.coriolis_vector)
difference = _by_blocks(configuration.difference)
dissipated_power = _by_blocks(energy.dissipated_power)
dissipation = _by_blocks(energy.dissipation)
effective_inertia = _by_blocks(inertia.effective_inertia)
forward_dynamics = _by_blocks(forward.forward_dynamics)
forward_dynamics_derivatives = _by_blocks(derivatives.forward_dynamics_derivatives)
forward_kinematics = _by_blocks(kinematics.forward_kinematics)
frame_acceleration = _by_blocks(frame_motion.frame_acceleration)
frame_velocity = _by_blocks(frame_motion.frame_velocity)
friction_torque = _by_blocks(dynamics.friction_torque)
gravity_derivative = _by_blocks(derivatives.gravity_derivative)
gravity_vector = _by_blocks(dynamics.gravity_vector)
inertia_ellipsoid = _by_blocks(operational.inertia_ellipsoid)
integrate = _by_blocks(configuration.integrate)
inverse_dynamics = _by_blocks(dynamics.inverse_dynamics)
inverse_dynamics_derivatives = _by_blocks(derivatives.inverse_dynamics_derivatives)
inverse_dynamics_vjp = _by_blocks(torque_gradient.inverse_dynamics_vjp)
jacobian = _by_blocks(kinematics.jacobian)
jacobian_dot = _by_blocks(kinematic_derivatives.jacobian_dot)
jacobian_dot_qd = _by_blocks(frame_motion.jacobian_dot_qd)
joint_wrenches = _by_blocks(statics.joint_wrenches)
kinetic_energy = _by_blocks(energy.kinetic_energy)
linearize = _by_blocks(linear_system.linearize)
mass_matrix = _by_blocks(inertia.mass_matrix)
mass_matrix_inverse = _by_blocks(inertia.mass_matrix_inverse)
operational_inertia = _by_blocks(operational.operational_inertia)
potential_energy = _by_blocks(energy.potential_energy)
regressor = _by_blocks(linear_model.regressor)
regressor_remainder = _by_blocks(linear_model.regressor_remainder)
regressor_vjp = _by_blocks(linear_model.regressor_vjp)
static_torque = _by_blocks(statics.static_torque)
torque_breakdown = _by_blocks(breakdown.torque_breakdown)
total_wrench = _by_blocks(sums.total_wrench)
velocity_torques = _by_blocks(coriolis.velocity_torques)
zero_moment_point = _by_blocks(sums.zero_moment_point)

__all__ = sorted(name for name, value in globals().items() if hasattr(value, "by_blocks"))


def __dir__() -> list[str]:
    """Return the public names, for completion."""
    return __all__
