"""Which inputs reach which results: where a NaN goes in the code for all robots, and in the straight line of one.

The code for all robots multiplies by the zeros of its link table, and so carries a NaN where a straight line, in which
these products are left out, does not.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rne.codegen.program import Program, operands, with_operands
from rne.codegen.tracing import Inputs, Tracer
from rne.codegen.twins import Twins
from rne.kernels.operations import CONST, FMA, INPUT
from rne.model.robot import Robot

Input = tuple[str, int]
"""Argument and joint; sine and cosine of a position count as the position."""


class Reached:
    """A number of which only the inputs that reach it are known, as a set of bits."""

    __slots__ = ("bits",)

    def __init__(self, bits: int) -> None:
        self.bits = bits

    def _with(self, *others: Any) -> Any:
        if any(isinstance(other, np.ndarray) for other in others):
            return NotImplemented  # numpy goes through the entries
        return Reached(self.bits | sum_of(others))

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _with

    def __neg__(self) -> Reached:
        return self


def sum_of(numbers: Sequence[Any]) -> int:
    """Return the inputs that reach any of the numbers."""
    bits = 0
    for number in numbers:
        bits |= number.bits if isinstance(number, Reached) else 0
    return bits


def _any(*numbers: Any) -> Reached:
    return Reached(sum_of(numbers))


_OPERATIONS: dict[str, Any] = {
    "fma": _any, "like": lambda _, value: value, "lanes_below": lambda *_: 0,
    "by_precision": lambda _, double, __: double,
}  # fmt: skip


def reached(robot: Robot, name: str) -> list[set[Input]]:
    """Return for each result of a function, one after the other, which inputs reach it in the code for all robots."""
    joints = range(len(robot.links.joints))
    places = [(argument, joint) for argument in ("q", "qd", "qdd") for joint in joints]
    q, qd, qdd = ([Reached(1 << places.index((argument, j))) for j in joints] for argument in ("q", "qd", "qdd"))
    tracer = Tracer(Twins(_OPERATIONS), robot.links.table, Reached(0), of_joints=True)
    still, inputs = [Reached(0)] * len(q), Inputs(q, qd, qdd, q, q)
    if name == "forward_dynamics":
        outputs: Any = tracer.forward_dynamics(inputs._replace(qdd=still), qdd)[0]
    else:
        outputs = getattr(tracer, name)(inputs)
    flat = np.asarray(outputs, object).ravel()
    return [{place for k, place in enumerate(places) if sum_of([number]) >> k & 1} for number in flat]


def carrying(program: Program, wanted: Sequence[set[Input]]) -> Program:
    """Return a program whose results are NaN where one of their wanted inputs is.

    An input that a result lacks, times zero, is added to another input on which all that lack it depend, and which
    reaches no result that is not to have it: one multiply-add then does for all of them. What no such input reaches
    gets it at the end.
    """
    leaves = [place for place, node in enumerate(program.nodes) if node[0] == INPUT]
    reach = _leaves_of(program, leaves)
    on = {leaf: {k for k, place in enumerate(program.outputs) if leaf in reach[place]} for leaf in leaves}
    at_leaf: dict[int, list[Input]] = {}
    at_end: dict[int, list[Input]] = {}
    for lost in sorted(set().union(*wanted)):
        into = {k for k, inputs in enumerate(wanted) if lost in inputs}
        lacking = into.difference(*(on[leaf] for leaf in leaves if _input(program.nodes[leaf]) == lost))
        fit = [leaf for leaf in leaves if on[leaf] <= into]
        while lacking:
            leaf = max(fit, key=lambda leaf: len(on[leaf] & lacking), default=-1)
            if leaf < 0 or len(on[leaf] & lacking) < 2:
                break
            at_leaf.setdefault(leaf, []).append(lost)
            lacking -= on[leaf]
        for k in lacking:
            at_end.setdefault(k, []).append(lost)
    return _with_products(program, at_leaf, at_end)


def _input(node: tuple[Any, ...]) -> Input:
    return ("q" if node[1] in ("sin", "cos") else node[1]), node[2]


def _leaves_of(program: Program, leaves: Sequence[int]) -> list[set[int]]:
    """Return for each node the inputs that reach it, by place."""
    known = set(leaves)
    reach: list[set[int]] = []
    for place, node in enumerate(program.nodes):
        reach.append({place} if place in known else set().union(*(reach[k] for k in operands(node))))
    return reach


def _with_products(program: Program, at_leaf: dict[int, list[Input]], at_end: dict[int, list[Input]]) -> Program:
    """Return a program in which inputs, times zero, are added to nodes, by place, and to results, by number."""
    nodes: list[tuple[Any, ...]] = []
    new: list[int] = []

    def with_zeros(place: int, inputs: Sequence[Input]) -> int:
        for argument, joint in inputs:
            first = len(nodes)
            nodes.extend([(INPUT, argument, joint), (CONST, 0.0), (FMA, first, first + 1, place)])
            place = first + 2
        return place

    for place, node in enumerate(program.nodes):
        nodes.append(with_operands(node, new.__getitem__))
        new.append(with_zeros(len(nodes) - 1, at_leaf.get(place, ())))
    ends: dict[tuple[int, tuple[Input, ...]], int] = {}  # mirrored entries of a matrix are the same node
    outputs = []
    for k, place in enumerate(program.outputs):
        inputs = tuple(at_end.get(k, ()))
        if (place, inputs) not in ends:
            ends[place, inputs] = with_zeros(new[place], inputs)
        outputs.append(ends[place, inputs])
    return Program(tuple(nodes), tuple(outputs), tuple(new[place] for place in program.conditions))
