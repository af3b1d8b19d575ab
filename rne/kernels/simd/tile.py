"""Transposition between rows of samples in memory and tiles of packs, at both ends of a batch.

A batch is stored as rows, one sample per row; a tile contains the same numbers of W samples as n packs, one coordinate
per pack. Four columns are moved at a time: W short rows are loaded and joined into W-wide registers, and two rounds of
swaps between neighbors turn them into packs. Where n is not a multiple of four, the last four columns overlap the
previous ones; below four, single numbers are gathered. Memory outside the rows is never accessed. Measured on seven
columns: masked rows of eight took 22 ns per sample for three loads and a store, this takes 5 ns.

Batches are given by address and row stride in bytes, so that any layout with contiguous rows is read in place: columns
of a log, broadcast rows (stride 0), reversed or read-only arrays.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic
from numba.np import arrayobj

from rne.kernels.jit import inline
from rne.kernels.simd.pack import Pack, scalar_type, shuffle

COLUMNS = 4


class _Block:
    """W rows by a few columns of a batch, while they are transposed to or from as many packs."""

    def __init__(self, builder: ir.IRBuilder, pack: Pack, columns: int, args: list[ir.Value]) -> None:
        base, stride, row, last, column = args
        self.builder, self.pack, self.columns = builder, pack, columns
        self.align = pack.dtype.bitwidth // 8
        start = builder.add(base, builder.mul(column, ir.Constant(base.type, self.align)))
        short_row = ir.VectorType(scalar_type(pack.dtype), columns).as_pointer()
        self.rows = []
        for lane in range(pack.lanes):
            # Lanes past the last sample repeat it: they read valid memory, and write the same values again.
            wanted = builder.add(row, ir.Constant(row.type, lane))
            index = builder.select(builder.icmp_signed("<", wanted, last), wanted, last)
            self.rows.append(builder.inttoptr(builder.add(start, builder.mul(index, stride)), short_row))

    def load(self) -> list[ir.Value]:
        """Read the rows into packs; in between, register k holds rows k, k + columns, k + 2 columns and so on."""
        rows = [self.builder.load(pointer, align=self.align) for pointer in self.rows]
        groups = [rows[first : first + self.columns] for first in range(0, self.pack.lanes, self.columns)]
        while len(groups) > 1:
            groups = [self._join(a, b) for a, b in zip(groups[::2], groups[1::2], strict=True)]
        return self._swap(groups[0])

    def _join(self, first: list[ir.Value], second: list[ir.Value]) -> list[ir.Value]:
        lanes = list(range(2 * first[0].type.count))
        return [shuffle(self.builder, a, b, lanes) for a, b in zip(first, second, strict=True)]

    def store(self, packs: list[ir.Value]) -> None:
        registers = self._swap(packs)
        for lane, pointer in enumerate(self.rows):
            first = lane // self.columns * self.columns
            register = registers[lane % self.columns]
            row = shuffle(self.builder, register, register, list(range(first, first + self.columns)))
            self.builder.store(row, pointer, align=self.align)

    def _swap(self, registers: list[ir.Value]) -> list[ir.Value]:
        """Transpose every square of `columns` by `columns`; its own inverse."""
        registers, width = list(registers), self.pack.lanes
        distance = 1
        while distance < self.columns:
            low = [lane + width - distance if lane & distance else lane for lane in range(width)]
            high = [lane + width if lane & distance else lane + distance for lane in range(width)]
            for i in range(self.columns):
                if not i & distance:
                    a, b = registers[i], registers[i + distance]
                    registers[i] = shuffle(self.builder, a, b, low)
                    registers[i + distance] = shuffle(self.builder, a, b, high)
            distance *= 2
        return registers


def _make_move(columns: int, inward: bool) -> Any:
    def move(context: Any, builder: ir.IRBuilder, sig: Any, args: list[ir.Value]) -> ir.Value:
        tile = arrayobj.make_array(sig.args[0])(context, builder, args[0])
        pack = sig.args[0].dtype
        block = _Block(builder, pack, columns, args[2:7])
        pointers = [
            builder.gep(tile.data, [builder.add(args[1], ir.Constant(args[1].type, k))]) for k in range(columns)
        ]
        if inward:
            for value, pointer in zip(block.load(), pointers, strict=True):
                builder.store(value, pointer, align=_align(pack))
        else:
            block.store([builder.load(pointer, align=_align(pack)) for pointer in pointers])
        return context.get_dummy_value()

    @intrinsic
    def move_columns(context: Any, tile: Any, pack: Any, base: Any, step: Any, row: Any, last: Any, column: Any) -> Any:
        return types.void(tile, *(types.intp,) * 6), move

    return move_columns


def _align(pack: Pack) -> int:
    """Return the alignment of scratch memory, which is that of single floats."""
    return int(pack.dtype.bitwidth) // 8


_load_four, _load_single = _make_move(COLUMNS, inward=True), _make_move(1, inward=True)
_store_four, _store_single = _make_move(COLUMNS, inward=False), _make_move(1, inward=False)


@inline
def load_tile(tile, k, base, step, row, last, columns, shift=0):
    """Read samples `row, row + 1, ...` (none past `last`) of the batch at address `base` into row `k` of `tile`.

    shift : column of `tile` for the first column of the batch.
    """
    begin = k * tile.shape[1] + shift
    if columns < COLUMNS:
        for column in range(columns):
            _load_single(tile, begin + column, base, step, row, last, column)
    else:
        for column in range(0, columns, COLUMNS):
            first = min(column, columns - COLUMNS)
            _load_four(tile, begin + first, base, step, row, last, first)


@intrinsic
def _fetch_line(context: Any, address: Any) -> Any:
    """Prefetch the cache line at an address that will be written."""

    def codegen(context: Any, builder: ir.IRBuilder, sig: Any, args: list[ir.Value]) -> ir.Value:
        pointer = builder.inttoptr(args[0], ir.IntType(8).as_pointer())
        flag = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [pointer.type, flag, flag, flag])
        prefetch = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")
        builder.call(prefetch, [pointer, flag(1), flag(3), flag(1)])
        return context.get_dummy_value()

    return types.void(types.intp), codegen


@inline
def fetch_rows(base, step, row, stop, samples):
    """Prefetch the memory of `samples` samples from `row` on, none past `stop`, before a wide batch is stored there.

    Otherwise every store waits for its line: mass matrices of 7 joints took 55 to 100 ns per sample, and 36 with this.
    """
    for address in range(base + row * step, base + min(row + samples, stop) * step, 64):
        _fetch_line(address)


@inline
def store_tile(tile, k, base, step, row, last, columns, shift=0):
    """Write row `k` of `tile` as samples `row, row + 1, ...` (none past `last`) of the batch at address `base`.

    shift : column of `tile` for the first column of the batch.
    """
    begin = k * tile.shape[1] + shift
    if columns < COLUMNS:
        for column in range(columns):
            _store_single(tile, begin + column, base, step, row, last, column)
    else:
        for column in range(0, columns, COLUMNS):
            first = min(column, columns - COLUMNS)
            _store_four(tile, begin + first, base, step, row, last, first)
