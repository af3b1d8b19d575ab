"""DH tables whose rows hold symbols: a tree of numbers of any kind, read by the reader of all DH tables."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import sympy

from rne.check import SYMMETRY_ROUNDING
from rne.errors import ArgumentError, shown
from rne.model.drive import Drive
from rne.model.tree import Tree
from rne.read.dh.reader import placed_rows, tree_from_rows
from rne.read.dh.rows import Row

_OPERATORS: dict[type, Callable[..., Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.Pow: operator.pow, ast.USub: operator.neg, ast.UAdd: operator.pos,
}  # fmt: skip
_MASSES = ("mass", "inertia", "rotor_inertia", "first_moment")
_SYMBOLIC = ("a", "d", "mass", "com", "inertia", "rotor_inertia", "viscous", "coulomb", "stiffness", "rest")
_NUMBERS = ("alpha", "theta", "gear_ratio", "first_moment")


class Symbolic(NamedTuple):
    """A robot in symbols.

    Attributes
    ----------
    tree : of numbers, as the reader makes it of the rows with ones in place of the symbols.
    rows : what the rows say, in sympy expressions where they hold symbols.
    numeric : rows with ones in place of all that holds symbols.
    gravity : likewise.
    masses : symbols of masses and inertias.
    """

    tree: Tree
    rows: list[dict[str, Any]]
    numeric: list[dict[str, Any]]
    gravity: tuple[Any, ...]
    masses: frozenset[sympy.Symbol]


def expression(value: object, where: str) -> Any:
    """Return a number, a sympy expression or a text such as "l1/2" as an expression; others as they are.

    Raises
    ------
    ArgumentError
        A text is no formula of names, numbers and + - * / **.
    """
    if isinstance(value, str):
        try:
            return _formula(ast.parse(value, mode="eval").body)
        except (SyntaxError, ValueError, TypeError, RecursionError, ZeroDivisionError):
            what = "wanted a number or a formula of names, numbers and + - * / **, such as 'l1/2'"
            raise ArgumentError(f"{where}: {what}, got {shown(value)}") from None
    return value


def _formula(node: ast.AST) -> Any:
    if isinstance(node, ast.Name):
        return sympy.Symbol(node.id)
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        return sympy.nsimplify(node.value, rational=True)
    if isinstance(node, ast.UnaryOp) and type(node.op) in _OPERATORS:
        return _OPERATORS[type(node.op)](_formula(node.operand))
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        return _OPERATORS[type(node.op)](_formula(node.left), _formula(node.right))
    raise ValueError


def _mapped(value: Any, where: str) -> Any:
    if isinstance(value, Mapping):
        return {key: _mapped(inner, f"{where}, {key}") for key, inner in value.items()}
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_mapped(inner, where) for inner in value]
    return expression(value, where)


def _symbols(value: Any) -> set[sympy.Symbol]:
    if isinstance(value, Mapping):
        return set().union(*map(_symbols, value.values()), set())
    if isinstance(value, Sequence) and not isinstance(value, str):
        return set().union(*map(_symbols, value), set())
    return set(value.free_symbols) if isinstance(value, sympy.Basic) else set()


def _plain(value: Any) -> Any:
    """Return ones in place of all that holds symbols."""
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_plain(inner) for inner in value]
    if isinstance(value, sympy.Basic):
        return 1.0 if value.free_symbols else float(value)
    return value


def _gravity(given: Any) -> list[Any]:
    values = given.tolist() if isinstance(given, np.ndarray) else given
    if isinstance(values, Sequence) and not isinstance(values, str) and len(values) == 3:
        found = [expression(value, "gravity") for value in values]
        if all((type(x) in (int, float) and math.isfinite(x)) or isinstance(x, sympy.Expr) for x in found):
            return found
    raise ArgumentError(f"gravity: wanted three numbers or formulas, such as [0, '-g', 0], got {shown(given)}")


_BODY = ("mass", "com", "inertia")
_MOMENTS = {"ixx": 1.0, "iyy": 1.0, "izz": 1.0, "ixy": 0.0, "ixz": 0.0, "iyz": 0.0}


def _possible(where: str, row: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return a body that can exist in place of the one of a row, as no body is known that could be checked.

    It is written as that of the row, so that the reader refuses unknown keys and wrong shapes.

    row, given : with expressions, and as the caller has it.
    """
    if "first_moment" in row:
        raise ArgumentError(f"{where}, first_moment: wanted com in its place, where mass or inertia hold symbols")
    body: dict[str, Any] = {"mass": 1.0}
    for key in row.keys() & {*_BODY}:
        value, shape = row[key], _shape(row[key])
        if key == "inertia" and isinstance(value, Mapping):
            body[key] = {name: _MOMENTS.get(name, 1.0) for name in value}
        elif key == "inertia" and shape == (3, 3):
            if not all(_equal(value[i][k], value[k][i]) for i, k in ((0, 1), (0, 2), (1, 2))):
                raise ArgumentError(f"{where}, inertia: wanted a symmetric matrix, got {shown(given[key])}")
            body[key] = np.eye(3).tolist()
        elif shape == {"mass": (), "com": (3,)}.get(key):
            body[key] = 1.0 if key == "mass" else [0.0, 0.0, 0.0]
        else:
            body[key] = given[key]
    return body


def _equal(x: Any, y: Any) -> bool:
    if sympy.sympify(x).is_number and sympy.sympify(y).is_number:
        return bool(abs(x - y) <= SYMMETRY_ROUNDING * max(abs(x), abs(y)))
    return bool(sympy.simplify(x - y).is_zero)


def _shape(value: Any) -> tuple[int, ...] | None:
    """Return the shape of a number or expression or of nested lists of these; None of others."""
    if not isinstance(value, Sequence) or isinstance(value, str):
        return () if isinstance(value, (int, float, sympy.Expr)) and not isinstance(value, bool) else None
    shapes = {_shape(inner) for inner in value}
    inner = shapes.pop() if len(shapes) == 1 else None
    return None if inner is None else (len(value), *inner)


def symbolic_rows(rows: Any, convention: str, gravity: Any, base: Any) -> Symbolic:
    """Read rows that may hold symbols.

    Raises
    ------
    ArgumentError, ModelError
        The rows make no robot, or hold symbols where only numbers can be.
    """
    found, numeric, masses = [], [], set()
    for number, row in enumerate(rows, 1):
        values = {}
        for key, value in row.items():
            where = f"robot_or_rows: row {number}, {key}"
            values[key] = _mapped(value, where) if key in _SYMBOLIC + _NUMBERS else value
            if key in _NUMBERS and _symbols(values[key]):
                raise ArgumentError(
                    f"{where}: wanted a number, got {shown(value)}; symbols may be {', '.join(_SYMBOLIC)}"
                )
            if key in _MASSES:
                masses |= _symbols(values[key])
        plain = _plain(values)
        if any(_symbols(values.get(key)) for key in _BODY):
            plain |= _possible(f"robot_or_rows: row {number}", values, row)
        found.append(values)
        numeric.append(plain)
    pull = _gravity((0.0, 0.0, -9.81) if gravity is None else gravity)
    tree = tree_from_rows(numeric, convention=convention, gravity=_plain(pull), base=base)
    return Symbolic(tree, found, numeric, tuple(pull), frozenset(masses))


def symbols_of(given: Symbolic) -> set[sympy.Symbol]:
    """Return all symbols of rows and gravity."""
    return _symbols([*given.rows, list(given.gravity)])


def with_numbers(given: Symbolic, convention: str, number: Callable[[Any], Any]) -> Tree:
    """Return the tree with its symbols as numbers of another kind, which `number` makes of expressions."""

    def change(k: int, row: Row) -> Row:
        said = given.rows[k]
        mass, com, inertia = said.get("mass", 0.0), said.get("com", [0.0] * 3), _tensor(said.get("inertia", {}))
        if "first_moment" in said:  # numbers, and so is the body
            mass, com, inertia = row.body.mass, row.body.com, row.body.inertia
        body: dict[str, Any] = {
            "mass": number(mass),
            "com": tuple(number(x) for x in com),
            "inertia": tuple(tuple(number(x) for x in line) for line in inertia),
        }
        return replace(
            row,
            a=number(said.get("a", 0.0)),
            d=number(said.get("d", 0.0)),
            body=replace(row.body, **body),
            joint=replace(row.joint, drive=_drive(row.joint.drive, said, number)),
        )

    bodies, joints = placed_rows(given.numeric, convention, change)
    before = [body for body in given.tree.bodies if body.name in ("world", "base")]
    mounts = [joint for joint in given.tree.joints if joint.name == "base_pose"]
    gravity: Any = tuple(number(g) for g in given.gravity)
    return replace(given.tree, bodies=(*before, *bodies), joints=(*mounts, *joints), gravity=gravity)


def _tensor(inertia: Any) -> Any:
    if not isinstance(inertia, Mapping):
        return [list(line) for line in inertia]
    xx, yy, zz, xy, xz, yz = (inertia.get(f"i{axes}", 0.0) for axes in ("xx", "yy", "zz", "xy", "xz", "yz"))
    return [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]


def _drive(drive: Drive, said: Mapping[str, Any], number: Callable[[Any], Any]) -> Drive:
    """Return a drive with the numbers of a row; friction stands there on the motor side."""
    ratio = drive.gear_ratio
    coulomb = said.get("coulomb", 0.0)
    if isinstance(coulomb, Mapping):
        coulomb = coulomb["plus"], coulomb["minus"]
    plus, minus = coulomb if isinstance(coulomb, Sequence) else (coulomb, coulomb)
    if not isinstance(minus, sympy.Basic) or minus.is_number:
        minus = abs(minus)
    return replace(
        drive,
        rotor_inertia=number(said.get("rotor_inertia", 0.0)),
        gear_ratio=ratio,
        viscous=number(said.get("viscous", 0.0)) * (ratio * ratio),
        coulomb_plus=number(plus) * abs(ratio),
        coulomb_minus=number(minus) * abs(ratio),
        stiffness=number(said.get("stiffness", 0.0)),
        rest=number(said.get("rest", 0.0)),
    )
