"""Numbers that record what is done to them: the graph of a calculation, simplified as it grows.

Every operation is a node, the same one wherever it is done again (a common subexpression). Operations with constants
are done at once, products with zero and one disappear, and signs move outward until an addition takes them up, so that
a minus costs nothing. Multiply-adds stay what the kernels wrote: one node `fma`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from rne.kernels.operations import (
    ADD,
    BELOW,
    BEYOND,
    CONST,
    COS,
    DIV,
    EXP,
    FMA,
    FMS,
    FNMA,
    INPUT,
    MUL,
    NEG,
    QUARTER_COS,
    QUARTER_SIN,
    SIGN,
    SIN,
    SUB,
)

Node = tuple[Any, ...]
"""An operation and its operands, as in `rne.kernels.operations`, which are ids of nodes."""


class Graph:
    """The nodes of a calculation, operands before what is made of them.

    Attributes
    ----------
    nodes : what each node does; its place is its id.
    beyond : comparisons that hold where the sine of an angle has to be calculated in another way.
    rounding : how far from 0, 1 and -1 a constant may be and be taken for it.
    guarded : whether a division by zero divides by one instead, as for a center of mass where no mass is.
    """

    rounding = 0.0
    guarded = False

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.beyond: list[int] = []
        self._known: dict[Node, int] = {}

    def const(self, value: float) -> Number:
        """Return a constant."""
        return Number(self, self._const(float(value)))

    def input(self, name: str, index: int = 0) -> Number:
        """Return entry `index` of an argument."""
        return Number(self, self._node(INPUT, name, index))

    def _node(self, *node: Any) -> int:
        known = self._known.get(node)
        if known is None:
            known = self._known[node] = len(self.nodes)
            self.nodes.append(node)
        return known

    def _const(self, value: float) -> int:
        if self.rounding and abs(value - round(value)) < self.rounding and abs(value) < 1.5:
            value = float(round(value))
        return self._node(CONST, value + 0.0)  # no negative zero

    def value(self, a: int) -> float | None:
        """Return the value of a constant; None for everything else."""
        node = self.nodes[a]
        return node[1] if node[0] == CONST else None

    def _split(self, a: int) -> tuple[bool, int]:
        """Take the sign off: whether there is one, and what is left."""
        node = self.nodes[a]
        if node[0] == NEG:
            return True, node[1]
        if node[0] == CONST and node[1] < 0.0:
            return True, self._const(-node[1])
        return False, a

    def neg(self, a: int) -> int:
        """Return -a."""
        minus, rest = self._split(a)
        if minus:
            return rest
        value = self.value(a)
        if value is not None:
            return self._const(-value)
        return self._node(NEG, a)

    def _signed(self, minus: bool, a: int) -> int:
        return self.neg(a) if minus else a

    def add(self, a: int, b: int) -> int:
        """Return a + b."""
        x, y = self.value(a), self.value(b)
        if x is not None and y is not None:
            return self._const(x + y)
        if x == 0.0:
            return b
        if y == 0.0:
            return a
        (minus_a, a), (minus_b, b) = self._split(a), self._split(b)
        if minus_a == minus_b:
            return self._signed(minus_a, self._node(ADD, min(a, b), max(a, b)))
        return self._sub(b, a) if minus_a else self._sub(a, b)

    def _sub(self, a: int, b: int) -> int:
        if a == b:
            return self._const(0.0)
        other = self._known.get((SUB, b, a))
        return self._node(SUB, a, b) if other is None else self._node(NEG, other)

    def _product(self, a: int, b: int) -> tuple[bool, int, int | None]:
        """Return sign and factors of a product, constants gathered in the first; no second where one is left."""
        (minus_a, a), (minus_b, b) = self._split(a), self._split(b)
        minus = minus_a != minus_b
        if self.value(b) is not None:
            a, b = b, a
        x, y = self.value(a), self.value(b)
        if x is not None and y is not None:
            return minus, self._const(x * y), None
        if x is not None:
            inner = self.nodes[b]
            if inner[0] == MUL and self.value(inner[1]) is not None:
                a, b = self._const(x * self.nodes[inner[1]][1]), inner[2]
                x = self.value(a)
            if x == 0.0:
                return False, self._const(0.0), None
            if x == 1.0:
                return minus, b, None
            return minus, a, b
        return minus, min(a, b), max(a, b)

    def mul(self, a: int, b: int) -> int:
        """Return a * b."""
        minus, a, other = self._product(a, b)
        return self._signed(minus, a if other is None else self._node(MUL, a, other))

    def fma(self, a: int, b: int, c: int) -> int:
        """Return a * b + c."""
        minus, a, other = self._product(a, b)
        if other is None:
            return self.add(self._signed(minus, a), c)
        if self.value(c) == 0.0:
            return self._signed(minus, self._node(MUL, a, other))
        minus_c, c = self._split(c)
        if minus == minus_c:
            return self._signed(minus, self._node(FMA, a, other, c))
        kind, opposite = (FNMA, FMS) if minus else (FMS, FNMA)
        known = self._known.get((opposite, a, other, c))
        return self._node(kind, a, other, c) if known is None else self._node(NEG, known)

    def div(self, a: int, b: int) -> int:
        """Return a / b."""
        (minus_a, a), (minus_b, b) = self._split(a), self._split(b)
        x, y = self.value(a), self.value(b)
        if y == 1.0:
            return self._signed(minus_a != minus_b, a)
        if x is not None and y:
            return self._signed(minus_a != minus_b, self._const(x / y))
        if self.guarded and y is None:  # b + 1 - sign(b)^2
            sign, one = self.sign(b, self._const(1.0), self._const(-1.0)), self._const(1.0)
            b = self.add(b, self.add(one, self.neg(self.mul(sign, sign))))
        return self._signed(minus_a != minus_b, self._node(DIV, a, b))

    def sin(self, a: int) -> int:
        """Return the sine of a."""
        x = self.value(a)
        return self._node(SIN, a) if x is None else self._const(math.sin(x))

    def cos(self, a: int) -> int:
        """Return the cosine of a."""
        x = self.value(a)
        return self._node(COS, a) if x is None else self._const(math.cos(x))

    def exp(self, a: int) -> int:
        """Return e to the power of a."""
        x = self.value(a)
        return self._node(EXP, a) if x is None else self._const(math.exp(x))

    def sign(self, a: int, plus: int, minus: int) -> int:
        """Return `plus` where a > 0, `minus` where a < 0, else 0."""
        x = self.value(a)
        if x is not None:
            return plus if x > 0.0 else minus if x < 0.0 else self._const(0.0)
        if self.value(plus) == 0.0 and self.value(minus) == 0.0:
            return plus
        return self._node(SIGN, a, plus, minus)

    def below(self, a: int, limit: int) -> int:
        """Tell whether a is `limit` or less."""
        return self._node(BELOW, a, limit)

    def quarter_turns(self, turns: int, s: int, c: int) -> tuple[Number, Number]:
        """Return sine and cosine turned by a number of quarter turns."""
        return Number(self, self._node(QUARTER_SIN, turns, s, c)), Number(self, self._node(QUARTER_COS, turns, s, c))

    def is_beyond(self, a: int, limit: int) -> bool:
        """Note that a should not be beyond `limit`, and take it that it is not."""
        self.beyond.append(self._node(BEYOND, a, limit))
        return False


class Number:
    """A node of a graph as a number: floats and other nodes combine with it to further nodes."""

    __slots__ = ("graph", "id")

    def __init__(self, graph: Graph, node: int) -> None:
        self.graph = graph
        self.id = node

    def of(self, value: Any) -> Number:
        """Return a float as a number of the same graph."""
        return value if isinstance(value, Number) else self.graph.const(value)

    def _with(self, operation: Any, *others: Any) -> Any:
        if any(isinstance(other, np.ndarray) for other in others):
            return NotImplemented  # numpy goes through the entries
        return Number(self.graph, operation(self.id, *(self.of(other).id for other in others)))

    def __add__(self, other: Any) -> Any:
        return self._with(self.graph.add, other)

    __radd__ = __add__

    def __mul__(self, other: Any) -> Any:
        return self._with(self.graph.mul, other)

    __rmul__ = __mul__

    def __neg__(self) -> Number:
        return Number(self.graph, self.graph.neg(self.id))

    def __sub__(self, other: Any) -> Any:
        return NotImplemented if isinstance(other, np.ndarray) else self + (-other)

    def __rsub__(self, other: Any) -> Any:
        return (-self) + other

    def __truediv__(self, other: Any) -> Any:
        return self._with(self.graph.div, other)

    def __rtruediv__(self, other: Any) -> Any:
        return NotImplemented if isinstance(other, np.ndarray) else self.of(other) / self

    def __bool__(self) -> bool:
        """Tell whether it may be other than zero."""
        return self.graph.value(self.id) != 0.0


class Conditions:
    """What comes of `lanes_below`: the nodes of which any may hold."""

    def __init__(self, nodes: Iterable[int]) -> None:
        self.nodes = tuple(dict.fromkeys(nodes))

    def __or__(self, other: Any) -> Conditions:
        return Conditions((*self.nodes, *(other.nodes if isinstance(other, Conditions) else ())))

    __ror__ = __or__


def recording(single: bool = False) -> dict[str, Any]:
    """Return what takes the place of the operations that kernels do on floats and packs (`rne.kernels.simd`).

    Parameters
    ----------
    single : whether the code is for float32.
    """

    def graph_of(*values: Any) -> Graph | None:
        return next((value.graph for value in values if isinstance(value, Number)), None)

    def fma(a: Any, b: Any, c: Any) -> Any:
        graph = graph_of(a, b, c)
        if graph is None:
            return a * b + c
        a, b, c = (x.id if isinstance(x, Number) else graph.const(x).id for x in (a, b, c))
        return Number(graph, graph.fma(a, b, c))

    def like(number: Any, value: Any) -> Any:
        return number.of(value) if isinstance(number, Number) else value

    def exp(number: Any) -> Any:
        return number._with(number.graph.exp)

    def by_sign(number: Any, plus: Any, minus: Any) -> Any:
        return number._with(number.graph.sign, plus, minus)

    def lanes_below(number: Any, limit: Any) -> Conditions:
        return Conditions([number._with(number.graph.below, limit).id])

    def all_zero(number: Any) -> bool:
        return not number

    def by_precision(_: Any, double: float, narrow: float) -> float:
        return narrow if single else double

    def quarter_turns(turns: Any, s: Any, c: Any) -> tuple[Any, Any]:
        found: tuple[Any, Any] = turns.graph.quarter_turns(turns.id, s.id, c.id)
        return found

    def any_beyond(number: Any, limit: float) -> bool:
        return bool(number.graph.is_beyond(number.id, number.of(limit).id))

    return {
        "fma": fma, "like": like, "exp": exp, "by_sign": by_sign, "lanes_below": lanes_below, "all_zero": all_zero,
        "by_precision": by_precision, "quarter_turns": quarter_turns, "any_beyond": any_beyond,
    }  # fmt: skip
