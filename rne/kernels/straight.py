"""Straight-line code of one robot, of operations that were recorded, on floats or packs.

The lines are written in LLVM's language at once. Through numba's own compiler a thousand of them would take a minute.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic
from numba.np import arrayobj

from rne.kernels.layout import COS_Q, QD, QDD, SIN_Q, Q
from rne.kernels.operations import (
    ADD,
    BELOW,
    BEYOND,
    CONST,
    DIV,
    FMA,
    FMS,
    FNMA,
    INPUT,
    MUL,
    NEG,
    QUARTER_COS,
    QUARTER_SIN,
    SIGN,
    SUB,
)
from rne.kernels.simd.num import llvm_name, quarter_turned
from rne.kernels.simd.pack import Pack, scalar_type, splat, vector_type

_ROWS = {"q": Q, "qd": QD, "qdd": QDD, "sin": SIN_Q, "cos": COS_Q}


class Line(NamedTuple):
    """A straight line over a state of joints, and over the next one, whose sines it makes on the way.

    Attributes
    ----------
    nodes : as in `rne.kernels.operations`. The inputs are q, qd, qdd, sin and cos of the joints, torques for forward
        dynamics coming as qdd, and "next", the positions of the next state.
    outputs : places of the results.
    conditions : places of comparisons, any of which makes the result suspect.
    joints : how many.
    sines : joint, and places of the sine and cosine of its next position.
    beyond : places of comparisons, any of which makes these sines wrong.
    """

    nodes: Sequence[tuple[Any, ...]]
    outputs: Sequence[int]
    conditions: Sequence[int]
    joints: int
    sines: Sequence[tuple[int, int, int]] = ()
    beyond: Sequence[int] = ()

    def digest(self) -> str:
        """Return a hash of all of it."""
        return hashlib.sha256(repr(tuple(self)).encode()).hexdigest()[:24]


BLOCK = 16
"""Operations after which inputs and constants are read from memory again, in which most take no instruction."""


class _Writer:
    """Writes the operations of a line in LLVM's language, so that it keeps their order.

    In a block of a thousand operations LLVM puts each as late as it can. The wrench of a link then waits as the numbers
    it is made of until the sweep inward, and a third of all instructions move numbers to memory and back; in the order
    of the recursion hardly any have to be moved. Therefore each result is pinned, by an empty piece of assembly that
    takes it and gives it back. Constants are read from memory, which as an operand costs nothing, or else LLVM would
    keep all of them in registers, and those in memory.

    Measured on batches of a Panda, ns a sample: inverse dynamics 10.7 pinned and 12.0 not, forward dynamics 24 and 27.
    Two packs at once, which wait less for each other, took 12.1 and 33: they have too few registers.

    Parameters
    ----------
    line, number : what to write, on which type of numba.
    arrays : reads inputs and stores results.
    pins : whether a register holds a number, so that it can be pinned.
    """

    def __init__(self, builder: ir.IRBuilder, line: Line, number: Any, arrays: Any, pins: bool) -> None:
        self.builder, self._line, self._number, self._arrays, self._pins = builder, line, number, arrays, pins
        scalar = scalar_type(getattr(number, "dtype", number))
        self._kind = vector_type(number) if isinstance(number, Pack) else scalar
        self._fma, self._fabs = (self._function(name, count) for name, count in (("fma", 3), ("fabs", 1)))
        values = sorted({node[1] for node in line.nodes if node[0] == CONST})
        self._places = {value: place for place, value in enumerate(values)}
        table = ir.ArrayType(scalar, max(len(values), 1))
        memory = ir.GlobalVariable(builder.module, table, f"rne_{line.digest()}_{scalar}")
        memory.linkage, memory.align = "linkonce_odr", 64
        memory.initializer = ir.Constant(table, values or [0.0])
        self._constants: Any = builder.bitcast(memory, scalar.as_pointer())
        self._written = 0
        self._values: dict[int, ir.Value] = {}

    def _function(self, name: str, count: int) -> Any:
        kind = ir.FunctionType(self._kind, [self._kind] * count)
        return cgutils.get_or_insert_function(self.builder.module, kind, f"llvm.{name}.{llvm_name(self._number)}")

    def _hidden(self, value: ir.Value, constraint: str = "r") -> ir.Value:
        """Return a value of which LLVM knows nothing but where it is needed."""
        kind = ir.FunctionType(value.type, [value.type])
        return self.builder.asm(kind, "", f"={constraint},0", [value], side_effect=True)

    def constant(self, value: float) -> ir.Value:
        """Return a constant, from memory."""
        lanes = self._number.lanes if isinstance(self._number, Pack) else 0
        if value == 0.0:
            return ir.Constant(self._kind, [value] * lanes if lanes else value)
        place = ir.Constant(ir.IntType(64), self._places[value])
        number = self.builder.load(self.builder.gep(self._constants, [place], inbounds=True))
        return splat(self.builder, number, lanes) if lanes else number

    def _value(self, place: int) -> ir.Value:
        operation, *operands = self._line.nodes[place]
        if operation == CONST:
            return self.constant(operands[0])
        return self._arrays.load(*operands) if operation == INPUT else self._values[place]

    def write(self) -> dict[int, ir.Value]:
        """Write all operations, and store what is to be stored; return all values."""
        for place, (operation, *operands) in enumerate(self._line.nodes):
            if operation not in (CONST, INPUT):
                if self._written % BLOCK == 0:
                    self._constants = self._hidden(self._constants)
                    self._arrays.hide(self._hidden)
                self._written += 1
                value = self._operation(operation, *map(self._value, operands))
                if self._pins and value.type == self._kind:
                    value = self._hidden(value, "v")
                self._values[place] = value
            self._arrays.store(place, self._value)
        return self._values

    def _operation(self, operation: str, a: ir.Value, b: ir.Value = None, c: ir.Value = None) -> ir.Value:
        builder = self.builder
        if operation in (ADD, SUB, MUL, DIV):
            return getattr(builder, f"f{operation}")(a, b)
        if operation == NEG:
            return builder.fneg(a)
        if operation in (FMA, FNMA, FMS):
            a = builder.fneg(a) if operation == FNMA else a
            return builder.call(self._fma, [a, b, builder.fneg(c) if operation == FMS else c])
        if operation == SIGN:
            zero = self.constant(0.0)
            below = builder.select(builder.fcmp_ordered("<", a, zero), c, zero)
            return builder.select(builder.fcmp_ordered(">", a, zero), b, below)
        if operation == BELOW:
            return builder.fcmp_ordered("<=", a, b)
        if operation == BEYOND:
            return builder.fcmp_ordered(">", builder.call(self._fabs, [a]), b)
        if operation in (QUARTER_SIN, QUARTER_COS):
            return quarter_turned(builder, self._number, operation == QUARTER_COS, (a, b, c))
        raise ValueError(operation)

    def lanes(self, found: list[ir.Value]) -> ir.Value:
        """One bit a lane: whether any of these comparisons holds."""
        builder, word = self.builder, ir.IntType(64)
        if not found:
            return ir.Constant(word, 0)
        any_of = found[0]
        for other in found[1:]:
            any_of = builder.or_(any_of, other)
        if isinstance(self._number, Pack):
            any_of = builder.bitcast(any_of, ir.IntType(self._number.lanes))
        return builder.zext(any_of, word)


class _Arrays:
    """What a line reads and writes: states, the next states, and rows of results."""

    def __init__(self, builder: ir.IRBuilder, line: Line, arrays: Sequence[Any], row: ir.Value) -> None:
        state, out, coming = arrays
        self._builder, self._columns = builder, builder.extract_value(state.shape, 1)
        self._state, self._next = state.data, coming.data
        first = builder.mul(builder.extract_value(out.shape, 1), row)
        pointed: dict[int, list[ir.Value]] = {}
        for column, place in enumerate(line.outputs):
            index = builder.add(first, ir.Constant(first.type, column))
            pointed.setdefault(place, []).append(builder.gep(out.data, [index]))
        for joint, *pair in line.sines:
            for name, place in zip(("sin", "cos"), pair, strict=True):
                pointed.setdefault(place, []).append(self._place(coming.data, name, joint))
        self._pointed = pointed

    def _place(self, data: ir.Value, name: str, joint: int) -> ir.Value:
        begin = self._builder.mul(self._columns, ir.Constant(self._columns.type, _ROWS[name]))
        return self._builder.gep(data, [self._builder.add(begin, ir.Constant(begin.type, joint))])

    def hide(self, hidden: Callable[[ir.Value], ir.Value]) -> None:
        """Let LLVM forget what has been read."""
        self._state, self._next = hidden(self._state), hidden(self._next)

    def load(self, name: str, joint: int) -> ir.Value:
        """Read an input."""
        place = self._place(self._next, "q", joint) if name == "next" else self._place(self._state, name, joint)
        return self._builder.load(place, align=4)

    def store(self, place: int, value: Callable[[int], ir.Value]) -> None:
        """Write the value at a place wherever it is wanted."""
        for pointer in self._pointed.get(place, ()):
            self._builder.store(value(place), pointer, align=4)


def make_straight(line: Line) -> Any:
    """Make `straight(state, out, k, coming)`: results into row k of `out`, and sines into `coming`.

    It returns the suspects, one bit a sample, and likewise where sines are wrong. Row k is none of the inputs.
    """

    @intrinsic
    def straight(typing_context: Any, state: Any, out: Any, k: Any, coming: Any) -> Any:
        number = state.dtype

        def codegen(context: Any, builder: ir.IRBuilder, sig: Any, args: list[ir.Value]) -> ir.Value:
            places = [arrayobj.make_array(sig.args[m])(context, builder, args[m]) for m in (0, 1, 3)]
            arrays = _Arrays(builder, line, places, context.cast(builder, args[2], sig.args[2], types.intp))
            pins = isinstance(number, Pack) and "+avx512f" in str(context.codegen().magic_tuple())
            writer = _Writer(builder, line, number, arrays, pins)
            values = writer.write()
            flags = [writer.lanes([values[m] for m in of]) for of in (line.conditions, line.beyond)]
            return context.make_tuple(builder, sig.return_type, flags)

        return types.UniTuple(types.int64, 2)(state, out, k, coming), codegen

    return straight
