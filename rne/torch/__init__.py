"""Functions of rne on tensors of PyTorch, differentiable, on the CPU (extra `torch`).

Each function takes tensors (..., n) where its sister in rne takes arrays, and returns tensors through which gradients
flow back to the state and to the inertial parameters. Inputs of float32 give float32; with any of float64, and from
integers and arrays of numpy, the result is float64. First and second derivatives are exact (`docs/guides/autograd.md`);
third derivatives are an error. `grad`, `vjp`, `jacrev` and `vmap` of `torch.func` work, forward mode does not.

Examples
--------
>>> import rne, rne.torch, torch
>>> arm = rne.load("models/planar2/robot.dh.toml")
>>> q = torch.tensor([0.3, 0.5], dtype=torch.float64, requires_grad=True)
>>> energy = rne.torch.potential_energy(arm, q)
>>> energy.backward()
>>> bool(torch.allclose(q.grad, torch.as_tensor(rne.gravity_vector(arm, [0.3, 0.5]))))
True
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np

from rne.autograd import functions
from rne.autograd.operations import Native, Operation, Use, summed
from rne.errors import ArgumentError, needing


@cache
def _function() -> Any:
    """Return the subclass of `torch.autograd.Function` that runs an operation."""
    with needing("torch", "rne.torch needs"):
        import torch

    class Differentiable(torch.autograd.Function):  # type: ignore[misc]
        @staticmethod
        def forward(operation: Operation, *inputs: Native) -> Native:
            arrays = [x.detach().resolve_neg().numpy() for x in inputs]
            result = operation.evaluate(*arrays)
            return torch.from_numpy(np.array(result, arrays[0].dtype, copy=not result.flags.writeable))

        @staticmethod
        def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Native) -> None:
            ctx.operation, *arrays = inputs
            ctx.save_for_backward(*arrays, output if ctx.operation.keeps_result else None)

        @staticmethod
        def backward(ctx: Any, given: Native) -> tuple[Native | None, ...]:
            *inputs, result = ctx.saved_tensors
            found = ctx.operation.pullback(_LIBRARY.call, Use(tuple(inputs), result, given))
            return (None, *(summed(part, x.shape) for part, x in zip(found, inputs, strict=True)))

        @staticmethod
        def vmap(info: Any, in_dims: tuple[int | None, ...], operation: Operation, *inputs: Native) -> Any:
            del info
            dims = in_dims[1:]
            moved = [x[None] if k is None else x.movedim(k, 0) for x, k in zip(inputs, dims, strict=True)]
            return _LIBRARY.call(operation, *moved), 0

    return Differentiable


class _Library:
    """What `rne.autograd.functions` asks of a library."""

    def arrays(self, values: Mapping[str, Any]) -> dict[str, Native]:
        """Convert to tensors of one precision."""
        with needing("torch", "rne.torch needs"):
            import torch
        tensors = {name: x if isinstance(x, torch.Tensor) else _converted(name, x) for name, x in values.items()}
        single = True
        for name, x in tensors.items():
            if x.device.type != "cpu":
                raise ArgumentError(f"{name}: wanted a tensor on the CPU, got one on {x.device}; call .cpu()")
            if x.is_complex() or x.dtype in (torch.bool, torch.float16, torch.bfloat16):
                raise ArgumentError(f"{name}: wanted float32 or float64, got {x.dtype}")
            single = single and x.dtype == torch.float32
        dtype = torch.float32 if single else torch.float64
        return {name: x.to(dtype) for name, x in tensors.items()}

    def broadcast(self, array: Native, shape: tuple[int, ...]) -> Native:
        """Repeat a tensor along axes."""
        return array.expand(shape)

    def call(self, operation: Operation, *arrays: Native) -> Native:
        """Run an operation."""
        return _function().apply(operation, *arrays)


def _converted(name: str, value: Any) -> Native:
    import torch

    if isinstance(value, (list, tuple)) and any(isinstance(x, torch.Tensor) for x in value):
        raise ArgumentError(
            f"{name}: wanted one tensor, got a {type(value).__name__} of them; join them by torch.stack"
        )
    try:
        return torch.from_numpy(np.array(value, np.float32 if getattr(value, "dtype", None) == np.float32 else float))
    except (TypeError, ValueError):
        raise ArgumentError(f"{name}: wanted a tensor or an array of numbers, got {type(value).__name__}") from None


_LIBRARY = _Library()

forward_dynamics = functions.bound(functions.forward_dynamics, _LIBRARY, __name__)
forward_kinematics = functions.bound(functions.forward_kinematics, _LIBRARY, __name__)
inverse_dynamics = functions.bound(functions.inverse_dynamics, _LIBRARY, __name__)
kinetic_energy = functions.bound(functions.kinetic_energy, _LIBRARY, __name__)
mass_matrix_product = functions.bound(functions.mass_matrix_product, _LIBRARY, __name__)
potential_energy = functions.bound(functions.potential_energy, _LIBRARY, __name__)

__all__ = [function.__name__ for function in functions.FUNCTIONS]
