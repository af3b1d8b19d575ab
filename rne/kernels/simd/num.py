"""Operations on floats and packs beyond `+ - * /`, under one name for both."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from rne.kernels.simd.pack import Pack, to_number


def _float_of(t: Any) -> types.Float:
    """Return the float type of one lane."""
    return t.dtype if isinstance(t, Pack) else t


def llvm_name(t: Any) -> str:
    """Return how LLVM calls a number in the names of its functions."""
    return f"v{t.lanes}f{t.dtype.bitwidth}" if isinstance(t, Pack) else f"f{t.bitwidth}"


def _widest(*args: Any) -> Any:
    """Return the pack among the types, or the widest float if there is none."""
    packs = [a for a in args if isinstance(a, Pack)]
    if packs:
        return packs[0]
    floats = [a for a in args if isinstance(a, types.Float)]
    return max(floats, key=lambda f: f.bitwidth)


@intrinsic
def fma(typing_context: Any, a: Any, b: Any, c: Any) -> Any:
    """`a * b + c`, rounded once; any of the three may be a scalar where others are packs."""
    result = _widest(a, b, c)

    def codegen(context: Any, builder: ir.IRBuilder, sig: Any, args: list[ir.Value]) -> ir.Value:
        values = [to_number(context, builder, v, t, result) for v, t in zip(args, sig.args, strict=True)]
        kind = ir.FunctionType(values[0].type, [v.type for v in values])
        llvm_fma = cgutils.get_or_insert_function(builder.module, kind, f"llvm.fma.{llvm_name(result)}")
        return builder.call(llvm_fma, values)

    return result(a, b, c), codegen


@intrinsic
def like(typing_context: Any, number: Any, value: Any) -> Any:
    """`value` converted to the type of `number`."""

    def codegen(context: Any, builder: ir.IRBuilder, sig: Any, args: list[ir.Value]) -> ir.Value:
        return to_number(context, builder, args[1], sig.args[1], number)

    return number(number, value), codegen


@intrinsic
def by_sign(typing_context: Any, number: Any, plus: Any, minus: Any) -> Any:
    """`plus` where `number > 0`, `minus` where `number < 0`, zero elsewhere (also at NaN)."""

    def codegen(context: Any, builder: ir.IRBuilder, sig: Any, args: list[ir.Value]) -> ir.Value:
        high, low = (to_number(context, builder, v, t, number) for v, t in zip(args[1:], sig.args[1:], strict=True))
        zero = ir.Constant(args[0].type, None) if isinstance(number, Pack) else ir.Constant(args[0].type, 0.0)
        below = builder.select(builder.fcmp_ordered("<", args[0], zero), low, zero)
        return builder.select(builder.fcmp_ordered(">", args[0], zero), high, below)

    return number(number, plus, minus), codegen


@intrinsic
def exp(typing_context: Any, number: Any) -> Any:
    """Exponential function, lane by lane that of the system, so that floats and packs agree to the last bit."""

    def codegen(context: Any, builder: ir.IRBuilder, sig: Any, args: list[ir.Value]) -> ir.Value:
        kind = ir.FunctionType(args[0].type, [args[0].type])
        return builder.call(cgutils.get_or_insert_function(builder.module, kind, f"llvm.exp.{llvm_name(number)}"), args)

    return number(number), codegen


@intrinsic
def by_precision(typing_context: Any, number: Any, double: Any, single: Any) -> Any:
    """`double` for float64 and packs of it, `single` for float32; a scalar of that type."""
    result = _float_of(number)

    def codegen(context: Any, builder: ir.IRBuilder, sig: Any, args: list[ir.Value]) -> ir.Value:
        k = 1 if result == types.float64 else 2
        return context.cast(builder, args[k], sig.args[k], result)

    return result(number, double, single), codegen


@intrinsic
def any_beyond(typing_context: Any, number: Any, limit: Any) -> Any:
    """Whether any lane is larger than `limit` in absolute value; false for NaN."""

    def codegen(context: Any, builder: ir.IRBuilder, sig: Any, args: list[ir.Value]) -> ir.Value:
        bound = to_number(context, builder, args[1], sig.args[1], number)
        kind = ir.FunctionType(args[0].type, [args[0].type])
        fabs = cgutils.get_or_insert_function(builder.module, kind, f"llvm.fabs.{llvm_name(number)}")
        over = builder.fcmp_ordered(">", builder.call(fabs, [args[0]]), bound)
        if isinstance(number, Pack):
            bits = builder.bitcast(over, ir.IntType(number.lanes))
            over = builder.icmp_unsigned("!=", bits, ir.Constant(bits.type, 0))
        return over

    return types.boolean(number, limit), codegen


@intrinsic
def lanes_below(typing_context: Any, number: Any, limit: Any) -> Any:
    """One bit per lane, lowest bit for the first lane: whether `number <= limit`; false for NaN."""

    def codegen(context: Any, builder: ir.IRBuilder, sig: Any, args: list[ir.Value]) -> ir.Value:
        bound = to_number(context, builder, args[1], sig.args[1], number)
        bits = builder.fcmp_ordered("<=", args[0], bound)
        if isinstance(number, Pack):
            bits = builder.bitcast(bits, ir.IntType(number.lanes))
        return builder.zext(bits, ir.IntType(64))

    return types.int64(number, limit), codegen


@intrinsic
def all_zero(typing_context: Any, number: Any) -> Any:
    """Whether every lane is zero; false for NaN."""

    def codegen(context: Any, builder: ir.IRBuilder, sig: Any, args: list[ir.Value]) -> ir.Value:
        zero = ir.Constant(args[0].type, None) if isinstance(number, Pack) else ir.Constant(args[0].type, 0.0)
        other = builder.fcmp_unordered("!=", args[0], zero)
        if isinstance(number, Pack):
            other = builder.bitcast(other, ir.IntType(number.lanes))
        return builder.icmp_unsigned("==", other, ir.Constant(other.type, 0))

    return types.boolean(number), codegen


def quarter_turned(builder: ir.IRBuilder, number: Any, cosine: bool, given: Any) -> ir.Value:
    """Sine or cosine of an angle, given its quarter turns, and sine and cosine of what is left."""
    turns, s, c = given
    bits = _float_of(number).bitwidth
    whole: Any = ir.IntType(bits)
    if isinstance(number, Pack):
        whole = ir.VectorType(whole, number.lanes)
    constant = lambda n: ir.Constant(whole, [n] * number.lanes if isinstance(number, Pack) else n)  # noqa: E731
    k = builder.bitcast(turns, whole)
    swap = builder.icmp_unsigned("!=", builder.and_(k, constant(1)), constant(0))
    value = builder.select(swap, s, c) if cosine else builder.select(swap, c, s)
    quarter = builder.add(k, constant(1)) if cosine else k
    sign = builder.shl(builder.and_(quarter, constant(2)), constant(bits - 2))
    return builder.bitcast(builder.xor(builder.bitcast(value, whole), sign), value.type)


@intrinsic
def quarter_turns(typing_context: Any, turns: Any, s: Any, c: Any) -> Any:
    """Rotate (sine, cosine) by the number of quarter turns in the low bits of `turns`."""

    def codegen(context: Any, builder: ir.IRBuilder, sig: Any, args: list[ir.Value]) -> ir.Value:
        results = [quarter_turned(builder, turns, cosine, args) for cosine in (False, True)]
        return context.make_tuple(builder, sig.return_type, results)

    return types.UniTuple(turns, 2)(turns, s, c), codegen


@intrinsic
def lanes_of(typing_context: Any, number: Any) -> Any:
    """Number of samples in a number: one for a float."""
    count = number.lanes if isinstance(number, Pack) else 1

    def codegen(context: Any, builder: ir.IRBuilder, sig: Any, args: list[ir.Value]) -> ir.Value:
        return context.get_constant(types.intp, count)

    return types.intp(number), codegen


@intrinsic
def lane(typing_context: Any, number: Any, index: Any) -> Any:
    """One sample of a number."""

    def codegen(context: Any, builder: ir.IRBuilder, sig: Any, args: list[ir.Value]) -> ir.Value:
        return builder.extract_element(*args) if isinstance(number, Pack) else args[0]

    return _float_of(number)(number, types.intp), codegen


@intrinsic
def with_lane(typing_context: Any, number: Any, index: Any, value: Any) -> Any:
    """The number with one sample replaced."""

    def codegen(context: Any, builder: ir.IRBuilder, sig: Any, args: list[ir.Value]) -> ir.Value:
        return builder.insert_element(args[0], args[2], args[1]) if isinstance(number, Pack) else args[2]

    return number(number, types.intp, _float_of(number)), codegen
