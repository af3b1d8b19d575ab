"""A graph in the order in which a machine calculates it, and nothing in it that no result needs."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from rne.codegen.graph import Conditions, Graph, Node, Number
from rne.kernels.operations import ADD, BELOW, CONST, DIV, FMA, FMS, FNMA, INPUT, MUL, NEG, SUB

ARITHMETIC: Mapping[str, Callable[..., Any]] = {
    ADD: operator.add, SUB: operator.sub, MUL: operator.mul, DIV: operator.truediv, NEG: operator.neg,
    FMA: lambda a, b, c: a * b + c,
    FNMA: lambda a, b, c: c - a * b,
    FMS: lambda a, b, c: a * b - c,
}  # fmt: skip
"""Operations on numbers that have the operators of Python."""


class Program(NamedTuple):
    """A straight line of operations.

    Attributes
    ----------
    nodes : operations, each after those whose results it takes; operands are places in this list, but for constants and
        inputs.
    outputs : where the results stand.
    conditions : nodes any of which may hold: that a pivot of the mass matrix is nothing but rounding.
    """

    nodes: tuple[Node, ...]
    outputs: tuple[int, ...]
    conditions: tuple[int, ...] = ()

    def count(self, *kinds: str) -> int:
        """Return how many operations there are of some kinds; of all that calculate, if none is named."""
        if not kinds:
            return sum(node[0] not in (CONST, INPUT) for node in self.nodes)
        return sum(node[0] in kinds for node in self.nodes)

    def inputs(self) -> list[tuple[str, int]]:
        """Return names and indices of the inputs that count."""
        return [(node[1], node[2]) for node in self.nodes if node[0] == INPUT]


def operands(node: Node) -> tuple[int, ...]:
    """Return the nodes that a node takes."""
    return () if node[0] in (CONST, INPUT) else node[1:]


def with_operands(node: Node, new: Callable[[int], int]) -> Node:
    """Return a node with other operands."""
    return node if node[0] in (CONST, INPUT) else (node[0], *map(new, node[1:]))


def program(graph: Graph, outputs: Sequence[Number], suspect: Conditions | int = 0) -> Program:
    """Return what is needed for the outputs, with products that one sum alone takes up contracted to multiply-adds."""
    conditions = suspect.nodes if isinstance(suspect, Conditions) else ()
    conditions = tuple(node for node in conditions if not _never(graph, node))
    nodes = list(graph.nodes)
    roots = [output.id for output in outputs] + list(conditions)
    _flip(nodes, _uses(nodes, roots), set(roots))
    _contract(nodes, _uses(nodes, roots))
    return _numbered(nodes, [output.id for output in outputs], conditions)


def _never(graph: Graph, node: int) -> bool:
    """Tell whether a comparison of constants does not hold."""
    kind, a, limit = graph.nodes[node]
    x, y = graph.value(a), graph.value(limit)
    return kind == BELOW and x is not None and y is not None and not x <= y


def _uses(nodes: list[Node], roots: list[int]) -> dict[int, list[int]]:
    """Return who takes each node that is needed; roots have no taker."""
    takers: dict[int, list[int]] = {root: [] for root in roots}
    waiting = list(takers)
    while waiting:
        here = waiting.pop()
        for operand in operands(nodes[here]):
            if operand not in takers:
                takers[operand] = []
                waiting.append(operand)
            takers[operand].append(here)
    return takers


def _flip(nodes: list[Node], takers: dict[int, list[int]], roots: set[int]) -> None:
    """Turn differences round of which only the negative is taken."""
    opposite = {SUB: SUB, FNMA: FMS, FMS: FNMA}
    for here, used in takers.items():
        kind, *rest = nodes[here]
        if kind in opposite and here not in roots and used and all(nodes[k][0] == NEG for k in used):
            nodes[here] = (opposite[kind], *(reversed(rest) if kind == SUB else rest))
            for k in used:
                nodes[k] = ("same", here)


def _contract(nodes: list[Node], takers: dict[int, list[int]]) -> None:
    """Contract a product that one sum or difference alone takes: the later of two, whose operands come last."""
    for here in sorted(takers):
        node = nodes[here]
        if node[0] not in (ADD, SUB):
            continue
        _, a, b = node
        alone = [k for k in (a, b) if nodes[k][0] == MUL and len(takers[k]) == 1 and a != b]
        if not alone:
            continue
        product = max(alone)
        x, y = nodes[product][1:]
        if node[0] == ADD:
            nodes[here] = (FMA, x, y, a if product == b else b)
        else:
            nodes[here] = (FNMA, x, y, a) if product == b else (FMS, x, y, b)
        takers[product] = []


def _numbered(nodes: list[Node], outputs: list[int], conditions: tuple[int, ...]) -> Program:
    needed = _uses(nodes, outputs + list(conditions))
    places: dict[int, int] = {}
    line: list[Node] = []
    for here in sorted(needed):
        if nodes[here][0] == "same":
            places[here] = places[nodes[here][1]]
        else:
            places[here] = len(line)
            line.append(with_operands(nodes[here], places.__getitem__))
    return Program(tuple(line), tuple(places[k] for k in outputs), tuple(places[k] for k in conditions))
