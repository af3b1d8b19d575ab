"""A program run by numpy: slow, for tests and small amounts of numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rne.codegen.program import ARITHMETIC, Program
from rne.kernels.operations import BELOW, CONST, COS, EXP, INPUT, SIGN, SIN

_OPERATIONS: dict[str, Any] = {
    **ARITHMETIC, SIN: np.sin, COS: np.cos, EXP: np.exp, BELOW: np.less_equal,
    SIGN: lambda a, plus, minus: np.where(a > 0, plus, np.where(a < 0, minus, a * 0)),
}  # fmt: skip


def evaluate(program: Program, inputs: Mapping[str, NDArray[Any]]) -> NDArray[Any]:
    """Return the outputs of a program, one after the other, in the precision of the inputs.

    Parameters
    ----------
    program : what is to be done.
    inputs : by name, (size, ...) each; all but the first axis broadcast.

    Returns
    -------
    outputs : (outputs, ...).
    """
    dtype = next(iter(inputs.values())).dtype
    shape = np.broadcast_shapes(*(values.shape[1:] for values in inputs.values()))
    values: list[Any] = []
    for node in program.nodes:
        if node[0] == CONST:
            values.append(dtype.type(node[1]))
        elif node[0] == INPUT:
            values.append(inputs[node[1]][node[2]])
        else:
            values.append(_OPERATIONS[node[0]](*(values[k] for k in node[1:])))
    return np.array([np.broadcast_to(values[k], shape) for k in program.outputs], dtype)
