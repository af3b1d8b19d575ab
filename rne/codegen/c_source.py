"""A program as C99: one function, straight from its arguments to its results."""

from __future__ import annotations

import re
from collections.abc import Iterable
from textwrap import wrap

import numpy as np

from rne.codegen.functions import PAYLOAD, Traced
from rne.codegen.graph import Node
from rne.kernels.operations import ADD, BELOW, CONST, COS, DIV, EXP, FMA, FMS, FNMA, INPUT, MUL, NEG, SIGN, SIN, SUB

_WORDS = """
alignas alignof and and_eq asm auto bitand bitor bool break case catch char class compl concept const consteval
constexpr constinit const_cast continue decltype default delete do double dynamic_cast else enum explicit export
extern false float for friend goto if inline int long mutable namespace new noexcept not not_eq nullptr operator or
or_eq private protected public register reinterpret_cast requires restrict return short signed sizeof static
static_assert static_cast struct switch template this thread_local throw true try typedef typeid typename union
unsigned using virtual void volatile wchar_t while xor xor_eq main test
"""
KEYWORDS = frozenset(_WORDS.split())
"""Words that are no names in C or C++."""

_UNITS = {
    "q": "positions, rad or m", "qd": "velocities, rad/s or m/s", "qdd": "accelerations, rad/s^2 or m/s^2",
    "tau": "torques, N m or N", "g": "torques that hold the robot still, N m or N",
    "bias": "torques of the motion without acceleration, N m or N", "M": "mass matrix, row by row, kg m^2, kg m or kg",
    "C": "Coriolis matrix of Christoffel symbols, row by row, N m s or N s",
    "D": "Christoffel symbols D_ijk, row by row", "Y": "regressor, row by row: tau = Y pi",
    "pose": "homogeneous matrix of the frame in base axes, row by row",
    "J": "Jacobian of the frame in base axes, row by row: velocity of its origin, then angular velocity",
    "dtau": "derivatives of the torques by q, then by qd, then by qdd, each a matrix row by row",
    "dqdd": "derivatives of the accelerations by q, then by qd, then by tau, each a matrix row by row",
    "weights": "factors of the torques", "dg": "derivative of the gravity torques by q, row by row, N m/rad",
    "gradient": "derivatives of the sum of weights times torques, by all q, by all qd, by all qdd",
    "gravity": "acceleration of free fall in base axes, m/s^2",
    "payload": f"body on the frame: {', '.join(PAYLOAD)}, inertia about its center of mass; kg, m, kg m^2",
}  # fmt: skip


def identifier(text: str) -> str:
    """Return a text as part of a name in C."""
    return re.sub(r"\W", "_", text, flags=re.ASCII)


class Writer:
    """Writes functions of one robot.

    Parameters
    ----------
    prefix : of all names.
    single : whether for `float` in place of `double`.
    """

    def __init__(self, prefix: str, single: bool) -> None:
        self.prefix = prefix
        self.real = "float" if single else "double"
        self._single = single

    def literal(self, value: float) -> str:
        """Return a number as C reads it back, to the last bit."""
        if not self._single:
            return repr(float(value))
        text = str(np.float32(value))
        return f"{text if '.' in text or 'e' in text else text + '.0'}f"

    def name(self, traced: Traced) -> str:
        """Return the name of a function."""
        return f"{self.prefix}_{identifier(traced.name)}"

    def declaration(self, traced: Traced) -> str:
        """Return the head of a function."""
        takes = [f"const {self.real} {name}[{size}]" for name, size in traced.arguments]
        size = int(np.prod(traced.shape))
        kind = "int" if traced.inverts else "void"
        return f"{kind} {self.name(traced)}({', '.join([*takes, f'{self.real} {traced.result}[{size}]'])})"

    def comment(self, traced: Traced) -> list[str]:
        """Return what a function does and in which units."""
        lines = [f"{traced.name.replace('*/', '')}: as in rne. {traced.program.count()} operations."]
        lines += [f"{name} : {_UNITS[name]}." for name, _ in traced.arguments]
        lines.append(f"{traced.result} : {_UNITS[traced.result]}; may be the memory of an argument.")
        if traced.inverts:
            lines.append("Returns 1 where the mass matrix is singular, as far as one can tell, and 0 otherwise.")
        return boxed(lines)

    def function(self, traced: Traced) -> list[str]:
        """Return a function, line by line."""
        program = traced.program
        names: list[str] = []
        body: list[str] = []
        used = {name for name, _ in program.inputs()}
        loads = []
        for place, node in enumerate(program.nodes):
            if node[0] == CONST:
                names.append(self.literal(node[1]))
            elif node[0] == INPUT:
                names.append(f"{node[1]}{node[2]}")
                loads.append(f"    const {self.real} {names[-1]} = {node[1]}[{node[2]}];")
            else:
                names.append(_variable(node, names, place))
                body.append(f"    const {self._type(node)} {names[-1]} = {self._expression(node, names)};")
        unused = [f"    (void){name};" for name, _ in traced.arguments if name not in used]
        stores = [f"    {traced.result}[{k}] = {names[place]};" for k, place in enumerate(program.outputs)]
        if traced.inverts:
            found = " | ".join(names[place] for place in program.conditions)
            stores.append(f"    return {found or '0'};")
        return [self.declaration(traced), "{", *unused, *loads, *body, *stores, "}"]

    @staticmethod
    def _compares(node: Node) -> bool:
        return bool(node[0] == BELOW)

    def _type(self, node: Node) -> str:
        return "int" if self._compares(node) else self.real

    def _expression(self, node: Node, names: list[str]) -> str:
        kind, operands = node[0], [names[k] for k in node[1:]]
        if kind in (SIN, COS, EXP):
            return f"{kind}{'f' if self._single else ''}({operands[0]})"
        if kind in (FMA, FNMA, FMS):
            return f"{self.prefix.upper()}_{kind.upper()}({', '.join(operands)})"
        a, b, *_ = [*operands, ""]
        if kind == SIGN:
            zero = self.literal(0.0)
            return f"{a} > {zero} ? {operands[1]} : {a} < {zero} ? {operands[2]} : {zero}"
        if kind == BELOW:
            return f"{a} <= {b}"
        return {ADD: f"{a} + {b}", SUB: f"{a} - {b}", MUL: f"{a} * {b}", DIV: f"{a} / {b}", NEG: f"-{a}"}[kind]

    def multiply_adds(self) -> list[str]:
        """Return the macros of fused multiply-adds: what the machine has, or else a product and a sum."""
        p, f = self.prefix.upper(), "f" if self._single else ""
        return [
            "/* Multiply-adds, fused where the processor does it: a * b + c, c - a * b, a * b - c. */",
            f"#ifdef FP_FAST_FMA{f.upper()}",
            f"#define {p}_FMA(a, b, c) fma{f}((a), (b), (c))",
            f"#define {p}_FNMA(a, b, c) fma{f}(-(a), (b), (c))",
            f"#define {p}_FMS(a, b, c) fma{f}((a), (b), -(c))",
            "#else",
            f"#define {p}_FMA(a, b, c) ((a) * (b) + (c))",
            f"#define {p}_FNMA(a, b, c) ((c) - (a) * (b))",
            f"#define {p}_FMS(a, b, c) ((a) * (b) - (c))",
            "#endif",
        ]


def _variable(node: Node, names: list[str], place: int) -> str:
    if node[0] in (SIN, COS) and re.fullmatch(r"q\d+", names[node[1]]):
        return f"{node[0][0]}{names[node[1]][1:]}"
    return f"v{place}"


def boxed(lines: Iterable[str]) -> list[str]:
    """Return lines as a comment."""
    folded = [piece for line in lines for piece in (wrap(line, 110, subsequent_indent="  ") or [""])]
    return ["/*", *(f" * {line}".rstrip() for line in folded), " */"]


def quoted(text: str) -> str:
    """Return a text as a string in C."""
    plain = "".join(
        c if " " <= c <= "~" and c not in '"\\?' else f"\\{ord(c):03o}" if ord(c) < 128 else "_" for c in text
    )
    return f'"{plain}"'
