"""The SIMD pack: a numba number type over an LLVM vector, so that one Python source serves one sample or many.

A pack holds 64 bytes: 8 float64 or 16 float32 samples, in independent lanes. Packs support `+ - * /` and unary minus
with packs and floats; everything else the kernels need is in `num.py`. Arrays whose items are packs are ordinary numba
arrays over ordinary memory (`as_packs`).

The reason for a type of its own: LLVM does not vectorize a loop over samples around a recursion of this size. The
reason for the width: on a 7-joint arm, packs of 4, 8 and 16 float64 took 58, 41 and 47 ns per sample.
"""

from __future__ import annotations

import operator
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.imputils import impl_ret_borrowed, lower_builtin
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic, models, register_model
from numba.np import arrayobj

PACK_BYTES = 64
LANES = {types.float64: 8, types.float32: 16}


class Pack(types.Type):
    """Numba type of a pack of floats."""

    def __init__(self, dtype: types.Float) -> None:
        self.dtype = dtype
        self.lanes = LANES[dtype]
        super().__init__(name=f"Pack({dtype} x {self.lanes})")


PACKS = {dtype: Pack(dtype) for dtype in LANES}


@register_model(Pack)
class _PackModel(models.PrimitiveModel):
    def __init__(self, dmm: Any, fe_type: Pack) -> None:
        super().__init__(dmm, fe_type, vector_type(fe_type))


def scalar_type(dtype: types.Float) -> ir.Type:
    """Return the LLVM type of one float."""
    return ir.DoubleType() if dtype == types.float64 else ir.FloatType()


def vector_type(pack: Pack) -> ir.VectorType:
    """Return the LLVM type of a pack."""
    return ir.VectorType(scalar_type(pack.dtype), pack.lanes)


def splat(builder: ir.IRBuilder, value: ir.Value, lanes: int) -> ir.Value:
    """Return `value` in every lane."""
    undefined = ir.Constant(ir.VectorType(value.type, lanes), ir.Undefined)
    first = builder.insert_element(undefined, value, ir.Constant(ir.IntType(32), 0))
    return shuffle(builder, first, undefined, [0] * lanes)


def shuffle(builder: ir.IRBuilder, a: ir.Value, b: ir.Value, lanes: list[int]) -> ir.Value:
    """Return the named lanes of `a` followed by `b`."""
    mask = ir.Constant(ir.VectorType(ir.IntType(32), len(lanes)), lanes)
    return builder.shuffle_vector(a, b, mask)


def to_number(context: Any, builder: ir.IRBuilder, value: ir.Value, source: types.Type, target: types.Type) -> ir.Value:
    """Cast a float, an integer or a pack to `target`, a float type or a pack (a scalar is broadcast to every lane)."""
    if not isinstance(target, Pack):
        return context.cast(builder, value, source, target)
    if isinstance(source, Pack):
        return value
    return splat(builder, context.cast(builder, value, source, target.dtype), target.lanes)


def _register_operator(op: Any, instruction: str) -> None:
    """Define `op` on packs for numba. Lowered directly, because each `overload` would cost a compilation."""

    @infer_global(op)
    class _Operator(AbstractTemplate):
        def generic(self, args: tuple[types.Type, ...], kws: dict[str, Any]) -> Any:
            packs = [a for a in args if isinstance(a, Pack)]
            if len(args) != 2 or not packs or any(p != packs[0] for p in packs):
                return None
            if all(isinstance(a, (Pack, types.Float, types.Integer)) for a in args):
                return signature(packs[0], *args)
            return None

    def lower(context: Any, builder: ir.IRBuilder, sig: Any, args: list[ir.Value]) -> ir.Value:
        a, b = (to_number(context, builder, v, t, sig.return_type) for v, t in zip(args, sig.args, strict=True))
        return getattr(builder, instruction)(a, b)

    for left, right in ((Pack, Pack), (Pack, types.Number), (types.Number, Pack)):
        lower_builtin(op, left, right)(lower)


for _op, _instruction in ((operator.add, "fadd"), (operator.sub, "fsub"), (operator.mul, "fmul"),
                          (operator.truediv, "fdiv")):  # fmt: skip
    _register_operator(_op, _instruction)


@infer_global(operator.neg)
class _Negation(AbstractTemplate):
    def generic(self, args: tuple[types.Type, ...], kws: dict[str, Any]) -> Any:
        return signature(args[0], *args) if len(args) == 1 and isinstance(args[0], Pack) else None


@lower_builtin(operator.neg, Pack)
def _lower_negation(context: Any, builder: ir.IRBuilder, sig: Any, args: list[ir.Value]) -> ir.Value:
    return builder.fneg(args[0])


def _view(item: types.Type, buffer: types.Array, indices: tuple[types.Type, ...]) -> Any:
    """Signature and code of a view (rows, columns) of `item` on a float buffer; the view keeps the buffer alive."""
    result = types.Array(item, 2, "C", aligned=not isinstance(item, Pack))

    def codegen(context: Any, builder: ir.IRBuilder, sig: Any, args: list[ir.Value]) -> ir.Value:
        source = arrayobj.make_array(sig.args[0])(context, builder, args[0])
        first, rows, columns = (
            context.cast(builder, v, t, types.intp) for v, t in zip(args[1:], sig.args[1:], strict=True)
        )
        view = arrayobj.make_array(result)(context, builder)
        data = builder.bitcast(builder.gep(source.data, [first]), view.data.type)
        size = context.get_constant(types.intp, PACK_BYTES if isinstance(item, Pack) else item.bitwidth // 8)
        arrayobj.populate_array(view, data=data, shape=[rows, columns], strides=[builder.mul(columns, size), size],
                                itemsize=size, meminfo=source.meminfo, parent=None)  # fmt: skip
        return impl_ret_borrowed(context, builder, sig.return_type, view._getvalue())

    return result(buffer, *indices), codegen


@intrinsic
def as_packs(typing_context: Any, buffer: Any, first: Any, rows: Any, columns: Any) -> Any:
    """View part of a float buffer, from item `first` on, as an array (rows, columns) of packs."""
    return _view(PACKS[buffer.dtype], buffer, (first, rows, columns))


@intrinsic
def as_floats(typing_context: Any, buffer: Any, first: Any, rows: Any, columns: Any) -> Any:
    """View part of a float buffer, from item `first` on, as an array (rows, columns) of floats."""
    return _view(buffer.dtype, buffer, (first, rows, columns))


@intrinsic(prefer_literal=True)
def stack_buffer(typing_context: Any, example: Any, size: Any) -> Any:
    """Array of `size` (a constant) floats on the stack, with the dtype of `example`, until the function returns."""
    result = types.Array(example.dtype, 1, "C")
    length = size.literal_value

    def codegen(context: Any, builder: ir.IRBuilder, sig: Any, args: list[ir.Value]) -> ir.Value:
        array_type = ir.ArrayType(scalar_type(result.dtype), length)
        with builder.goto_entry_block():  # numba's helper would zero the memory in every call, 100 ns
            memory = builder.alloca(array_type)
            memory.align = PACK_BYTES  # a pack that crosses two cache lines costs two accesses
        array = arrayobj.make_array(result)(context, builder)
        itemsize = context.get_constant(types.intp, result.dtype.bitwidth // 8)
        arrayobj.populate_array(array, data=builder.bitcast(memory, array.data.type),
                                shape=[context.get_constant(types.intp, length)], strides=[itemsize],
                                itemsize=itemsize, meminfo=None, parent=None)  # fmt: skip
        return array._getvalue()

    return result(example, size), codegen


@intrinsic
def pack_floats(typing_context: Any, example: Any, count: Any) -> Any:
    """Number of floats in `count` packs, for the dtype of array `example`."""

    def codegen(context: Any, builder: ir.IRBuilder, sig: Any, args: list[ir.Value]) -> ir.Value:
        return builder.mul(args[1], context.get_constant(types.intp, LANES[example.dtype]))

    return types.intp(example, types.intp), codegen


@intrinsic
def packs_for(typing_context: Any, example: Any, count: Any) -> Any:
    """Number of packs that hold `count` floats, for the dtype of array `example`."""
    lanes = LANES[example.dtype]

    def codegen(context: Any, builder: ir.IRBuilder, sig: Any, args: list[ir.Value]) -> ir.Value:
        rounded = builder.add(args[1], context.get_constant(types.intp, lanes - 1))
        return builder.sdiv(rounded, context.get_constant(types.intp, lanes))

    return types.intp(example, types.intp), codegen


@intrinsic
def array_at(typing_context: Any, address: Any, example: Any, rows: Any, columns: Any) -> Any:
    """View memory of the caller as an array (rows, columns) with the dtype of `example`."""
    result = types.Array(example.dtype, 2, "C")

    def codegen(context: Any, builder: ir.IRBuilder, sig: Any, args: list[ir.Value]) -> ir.Value:
        view = arrayobj.make_array(result)(context, builder)
        data = builder.inttoptr(args[0], view.data.type)
        shape = [context.cast(builder, args[k], sig.args[k], types.intp) for k in (2, 3)]
        size = context.get_constant(types.intp, result.dtype.bitwidth // 8)
        arrayobj.populate_array(view, data=data, shape=shape, strides=[builder.mul(shape[1], size), size],
                                itemsize=size, meminfo=None, parent=None)  # fmt: skip
        return view._getvalue()

    return result(address, example, rows, columns), codegen


@intrinsic
def address_of(typing_context: Any, array: Any) -> Any:
    """Address of the first item of an array."""

    def codegen(context: Any, builder: ir.IRBuilder, sig: Any, args: list[ir.Value]) -> ir.Value:
        data = arrayobj.make_array(array)(context, builder, args[0]).data
        return builder.ptrtoint(data, context.get_value_type(types.intp))

    return types.intp(array), codegen


def _at(item: types.Type) -> Any:
    def view(typing_context: Any, address: Any, count: Any) -> Any:
        result = types.Array(item, 1, "C")

        def codegen(context: Any, builder: ir.IRBuilder, sig: Any, args: list[ir.Value]) -> ir.Value:
            array = arrayobj.make_array(result)(context, builder)
            size = context.get_constant(types.intp, 8)
            arrayobj.populate_array(array, data=builder.inttoptr(args[0], array.data.type), shape=[args[1]],
                                    strides=[size], itemsize=size, meminfo=None, parent=None)  # fmt: skip
            return array._getvalue()

        return result(types.intp, types.intp), codegen

    return view


@intrinsic
def words_at(typing_context: Any, address: Any, count: Any) -> Any:
    """View memory of the caller as `size` integers."""
    return _at(types.intp)(typing_context, address, count)


@intrinsic
def doubles_at(typing_context: Any, address: Any, count: Any) -> Any:
    """View memory of the caller as `size` doubles."""
    return _at(types.float64)(typing_context, address, count)


@intrinsic
def out_of_line(typing_context: Any) -> Any:
    """Keep the function that calls this from being inlined; for long functions with many callers.

    A step with friction and stops, inlined everywhere, took 90 s to compile.
    """

    def codegen(context: Any, builder: ir.IRBuilder, sig: Any, args: list[ir.Value]) -> ir.Value:
        builder.function.attributes.add("noinline")
        return context.get_dummy_value()

    return types.none(), codegen


@intrinsic
def is_contiguous(typing_context: Any, array: Any) -> Any:
    """Whether numba knows that the numbers of an array are in one piece; decided at compile time."""
    known = array.layout == "C"
    return types.boolean(array), lambda context, builder, sig, args: context.get_constant(types.boolean, known)


@intrinsic
def copy_row(typing_context: Any, state: Any, k: Any, numbers: Any, count: Any) -> Any:
    """Copy the first `count` numbers of a contiguous vector to row `k` of an array of floats; the rest become zero.

    The length of a row is that of whole packs. Instead of a loop over single floats, whose short stores the processor
    cannot hand on to the loads of whole packs that follow: inverse dynamics of seven joints, 271 to 256 ns a call.
    """
    kind = state.dtype
    lanes = LANES[kind]

    def codegen(context: Any, builder: ir.IRBuilder, sig: Any, args: list[ir.Value]) -> ir.Value:
        target = arrayobj.make_array(sig.args[0])(context, builder, args[0])
        source = arrayobj.make_array(sig.args[2])(context, builder, args[2])
        columns = builder.extract_value(target.shape, 1)
        row = builder.gep(target.data, [builder.mul(context.cast(builder, args[1], sig.args[1], types.intp), columns)])
        left = context.cast(builder, args[3], sig.args[3], types.intp)
        word, vector = left.type, ir.VectorType(scalar_type(kind), lanes)
        numbered = ir.Constant(ir.VectorType(word, lanes), list(range(lanes)))
        mask_type = ir.VectorType(ir.IntType(1), lanes)
        name = f"llvm.masked.load.v{lanes}f{kind.bitwidth}.p0v{lanes}f{kind.bitwidth}"
        function = ir.FunctionType(vector, [vector.as_pointer(), ir.IntType(32), mask_type, vector])
        load = cgutils.get_or_insert_function(builder.module, function, name)
        with cgutils.for_range_slice(builder, word(0), columns, word(lanes)) as (first, _):
            mask = builder.icmp_signed("<", numbered, splat(builder, builder.sub(left, first), lanes))
            begin = builder.bitcast(builder.gep(source.data, [first]), vector.as_pointer())
            zero = ir.Constant(vector, [0.0] * lanes)
            value = builder.call(load, [begin, ir.IntType(32)(kind.bitwidth // 8), mask, zero])
            there = builder.bitcast(builder.gep(row, [first]), vector.as_pointer())
            builder.store(value, there, align=kind.bitwidth // 8)
        return context.get_dummy_value()

    return types.void(state, k, numbers, count), codegen
