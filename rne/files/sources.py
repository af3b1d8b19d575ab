"""The reader of each format."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rne.errors import ArgumentError
from rne.files.arrow import Arrow, Parquet
from rne.files.base import Source
from rne.files.columns import QUANTITIES, WRENCH
from rne.files.csv_fast import Csv
from rne.files.layout import read_layout
from rne.files.npy import Arrays
from rne.model.floating import columns_of
from rne.model.robot import Robot


def open_source(
    stream: Any,
    name: str,
    kind: str,
    codec: str | None,
    robot: Robot,
    quantities: Sequence[str],
    wrenches: Sequence[str],
    header: Sequence[str] | None,
    topic: str | None,
    sparse: bool,
) -> Source:
    """Open what reads a file; arguments as those of `Trajectory`."""
    if header is not None and kind != "csv":
        raise ArgumentError(f"header: {name} is {kind}, which names its columns itself; wanted is None")
    if topic is not None and kind != "bag":
        raise ArgumentError(f"topic: {name} is {kind}, which has no topics; wanted is None")
    if kind == "bag":
        from rne.files.bags import Bag  # needs packages of its own

        return Bag(name, robot, quantities, topic)
    if kind == "parquet":
        return Parquet(stream, name)
    if kind == "arrow":
        return Arrow(stream, name)
    widths = {key: columns_of(robot, key) for key in QUANTITIES}
    widths |= {frame: [f"{part}_{frame}" for part in WRENCH] for frame in wrenches}
    if kind == "csv":
        return Csv(
            stream, name, codec, header, sparse,
            lambda where, width: read_layout(where, width, widths, quantities, wrenches),
        )  # fmt: skip
    return Arrays(stream, name, widths, quantities, wrenches, kind)
