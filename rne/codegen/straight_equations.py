"""Programs as assignments of sympy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy

from rne.codegen.functions import Functions, Traced
from rne.codegen.program import ARITHMETIC
from rne.kernels.operations import CONST, COS, EXP, INPUT, SIGN, SIN
from rne.model.robot import Robot

_OPERATIONS: dict[str, Any] = {
    **ARITHMETIC,
    SIN: sympy.sin,
    COS: sympy.cos,
    EXP: sympy.exp,
    SIGN: lambda a, plus, minus: sympy.Piecewise((plus, a > 0), (minus, a < 0), (0, True)),
}


class Assignments:
    """Straight-line code that several programs share.

    Parameters
    ----------
    state : symbols of q, qd and qdd.

    Attributes
    ----------
    lines : symbol and expression, each of earlier ones.
    """

    def __init__(self, state: Sequence[Sequence[sympy.Symbol]]) -> None:
        self._state = dict(zip(("q", "qd", "qdd"), state, strict=True))
        self._known: dict[sympy.Expr, sympy.Symbol] = {}
        self.lines: list[tuple[sympy.Symbol, sympy.Expr]] = []

    def matrix(self, traced: Traced) -> Any:
        """Add the lines of a function; return its result."""
        values: list[Any] = []
        for operation, *operands in traced.program.nodes:
            if operation == CONST:
                values.append(
                    sympy.Integer(int(operands[0])) if operands[0] == int(operands[0]) else sympy.Float(operands[0])
                )
            elif operation == INPUT:
                values.append(self._state[operands[0]][operands[1]])
            else:
                values.append(self._named(_OPERATIONS[operation](*(values[k] for k in operands))))
        rows, columns = (*traced.shape, 1)[:2]
        return sympy.Matrix(rows, columns, [values[place] for place in traced.program.outputs])

    def _named(self, expression: sympy.Expr) -> Any:
        if expression.is_Symbol or expression.is_Number or (-expression).is_Symbol:
            return expression
        if expression not in self._known:
            self._known[expression] = sympy.Symbol(f"x{len(self.lines)}")
            self.lines.append((self._known[expression], expression))
        return self._known[expression]


def straight(robot: Robot, friction: bool, derivatives: bool) -> dict[str, Any]:
    """Return the fields of `Equations` that are not empty."""
    n = robot.n
    state = {kind: tuple(sympy.symbols(f"{kind}1:{n + 1}")) for kind in ("q", "qd", "qdd")}
    functions, lines = Functions(robot, friction=friction), Assignments(tuple(state.values()))
    names = {"M": "mass_matrix", "C": "coriolis_matrix", "g": "gravity_vector", "tau": "inverse_dynamics"}
    found = {name: lines.matrix(functions.trace(function)) for name, function in names.items()}
    if derivatives:
        D = lines.matrix(functions.trace("inverse_dynamics_derivatives")._replace(shape=(3 * n, n)))
        found |= {"dtau_dq": D[:n, :], "dtau_dqd": D[n : 2 * n, :]}
    return {**found, **state, "assignments": tuple(lines.lines)}
