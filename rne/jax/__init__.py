"""Functions of rne on arrays of JAX, differentiable, on the CPU (extra `jax`).

Each function takes arrays (..., n) as its sister in rne does, and returns arrays of JAX that `jax.grad` differentiates
by the state and by the inertial parameters, also within `jax.jit` and `jax.vmap`. Inputs of float32, to which JAX
converts unless ``jax_enable_x64`` is set, give float32. First and second derivatives are exact
(`docs/guides/autograd.md`); third derivatives are an error. Derivatives are by reverse mode: in place of `jax.hessian`
use ``jax.jacrev(jax.jacrev(f))``.

The calculation is a callback to the compiled code of rne. An error of it, such as that of a singular mass matrix, is
raised by JAX as its own `JaxRuntimeError` with the same message.

Examples
--------
>>> import jax, rne, rne.jax
>>> arm = rne.load("models/planar2/robot.dh.toml")
>>> gravity = jax.jit(jax.grad(lambda q: rne.jax.potential_energy(arm, q)))
>>> bool(jax.numpy.allclose(gravity(jax.numpy.array([0.3, 0.5])), rne.gravity_vector(arm, [0.3, 0.5]), rtol=1e-5))
True
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from rne.autograd import functions
from rne.autograd.operations import Native, Operation, Use, summed
from rne.errors import ArgumentError, needing


@lru_cache(maxsize=512)
def _function(operation: Operation) -> Any:
    """Return the function of JAX that runs an operation."""
    import jax

    def evaluate(*arrays: Any) -> Any:
        plain = [np.asarray(x) for x in arrays]
        return np.asarray(operation.evaluate(*plain), plain[0].dtype)

    @jax.custom_vjp  # type: ignore[untyped-decorator]
    def call(*inputs: Native) -> Native:
        lead = np.broadcast_shapes(*(x.shape[:-1] for x in inputs))
        width = operation.width(*(x.shape[-1] for x in inputs))
        result = jax.ShapeDtypeStruct((*lead, width), inputs[0].dtype)
        return jax.pure_callback(evaluate, result, *inputs, vmap_method="expand_dims")

    def forward(*inputs: Native) -> tuple[Native, Any]:
        result = call(*inputs)
        return result, (inputs, result)

    def backward(kept: Any, given: Native) -> tuple[Native, ...]:
        inputs, result = kept
        found = operation.pullback(_LIBRARY.call, Use(inputs, result, given))
        return tuple(summed(part, x.shape) for part, x in zip(found, inputs, strict=True))

    call.defvjp(forward, backward)
    return call


class _Library:
    """What `rne.autograd.functions` asks of a library."""

    def arrays(self, values: Mapping[str, Any]) -> dict[str, Native]:
        """Convert to arrays of one precision."""
        with needing("jax", "rne.jax needs"):
            import jax.numpy as jnp
        found = {name: _converted(name, x) for name, x in values.items()}
        dtype = jnp.result_type(*(x.dtype for x in found.values()), np.float32)
        return {name: x.astype(dtype) for name, x in found.items()}

    def broadcast(self, array: Native, shape: tuple[int, ...]) -> Native:
        """Repeat an array along axes."""
        import jax.numpy as jnp

        return jnp.broadcast_to(array, shape)

    def call(self, operation: Operation, *arrays: Native) -> Native:
        """Run an operation."""
        return _function(operation)(*arrays)


def _converted(name: str, value: Any) -> Native:
    import jax.numpy as jnp

    try:
        array = jnp.asarray(value)
    except (TypeError, ValueError):
        raise ArgumentError(f"{name}: wanted an array of numbers, got {type(value).__name__}") from None
    if jnp.issubdtype(array.dtype, jnp.integer):
        array = array.astype(float)
    if array.dtype not in (jnp.float32, jnp.float64):
        raise ArgumentError(f"{name}: wanted float32 or float64, got {array.dtype}")
    return array


_LIBRARY = _Library()

forward_dynamics = functions.bound(functions.forward_dynamics, _LIBRARY, __name__)
forward_kinematics = functions.bound(functions.forward_kinematics, _LIBRARY, __name__)
inverse_dynamics = functions.bound(functions.inverse_dynamics, _LIBRARY, __name__)
kinetic_energy = functions.bound(functions.kinetic_energy, _LIBRARY, __name__)
mass_matrix_product = functions.bound(functions.mass_matrix_product, _LIBRARY, __name__)
potential_energy = functions.bound(functions.potential_energy, _LIBRARY, __name__)

__all__ = [function.__name__ for function in functions.FUNCTIONS]
