"""`rne id`: a trajectory in, joint torques out."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import click
import numpy as np

import rne
from rne.cli.options import examples, say, takes_robot
from rne.cli.output import header, rows
from rne.cli.trajectory import Floats, opened
from rne.errors import ArgumentError
from rne.robot import Robot
from rne.whole import replacing

_LONG = 20_000_000  # bytes; about a second of work, from where on a progress bar is worth its line


@click.command(
    "id",
    epilog=examples(
        "rne id panda.urdf motion.csv -o torques.csv",
        "rne id ur5e.urdf motion.csv --payload 2.5,0,0,0.1 -o torques.csv",
        "cat motion.csv | rne id puma560.dh.toml - --friction > torques.csv",
    ),
)
@takes_robot
@click.argument("trajectory", type=click.Path(allow_dash=True))
@click.option("-o", "--output", metavar="TORQUES", default="-", help="File to write; - is stdout, the default.")
@click.option("--friction", is_flag=True, help="Add viscous and Coulomb friction of the joints.")
@click.option("--threads", type=click.IntRange(1), help="Threads that share a chunk; by default as many as pay.")
@click.option("--chunk", metavar="ROWS", type=click.IntRange(1), help="Rows read at a time; bounds the memory.")
def inverse_dynamics(
    robot: Robot,
    notes: list[str],
    trajectory: str,
    output: str,
    friction: bool,
    threads: int | None,
    chunk: int | None,
) -> None:
    """Joint torques of a motion (inverse dynamics).

    TRAJECTORY is CSV (- is stdin) with a header and columns q_<joint>, qd_<joint>, qdd_<joint> and, if you like, t, in
    any order. Without qd or qdd columns, velocities or accelerations are zero. TORQUES has the columns t, if it was
    there, and tau_<joint>.
    """
    say(*(f"warning: {note}" for note in notes))
    if not robot.n:
        raise ArgumentError(f"{robot.name} has no joint that moves")
    if trajectory != "-" and Path(output).is_file() and os.path.samefile(output, trajectory):
        raise click.UsageError("TORQUES would take the place of TRAJECTORY")
    with _input(trajectory) as raw, opened(raw, _name(trajectory), robot) as motion, _output(output) as result:
        say(*(f"{_name(trajectory)}: {remark}" for remark in motion.columns.remarks))
        rne.inverse_dynamics(robot, np.zeros((1, robot.n)))  # compiles now, so that the time told is that of the work
        summary = _Summary(robot)
        with_time = motion.columns.time is not None
        result.write(header(["t"] * with_time + [f"tau_{joint}" for joint in robot.joint_names]))
        with _progress(raw) as advance:
            for piece in motion.chunks(chunk):
                tau = rne.inverse_dynamics(robot, piece.q, piece.qd, piece.qdd, friction=friction, threads=threads)
                result.write(rows(tau, piece.times))
                result.flush()
                summary.add(tau)
                advance()
    say(*summary.lines())


def _name(path: str) -> str:
    return "<stdin>" if path == "-" else path


@contextmanager
def _input(path: str) -> Iterator[BinaryIO]:
    if path == "-":
        yield sys.stdin.buffer
    else:
        with Path(path).open("rb") as raw:
            yield raw


@contextmanager
def _output(path: str) -> Iterator[BinaryIO]:
    if path == "-":
        yield sys.stdout.buffer
    else:
        with replacing(path) as stream:
            yield stream


@contextmanager
def _progress(raw: BinaryIO) -> Iterator[Callable[[], None]]:
    """Give a function that shows on a terminal how much of a long file has been read."""
    size = os.fstat(raw.fileno()).st_size if sys.stderr.isatty() else 0
    if size < _LONG:
        yield lambda: None
    else:
        with click.progressbar(length=size, file=sys.stderr) as bar:
            yield lambda: bar.update(raw.tell() - bar.pos)


class _Summary:
    """What is said at the end."""

    def __init__(self, robot: Robot) -> None:
        self._robot = robot
        self._start = time.perf_counter()
        self._samples = 0
        self._not_finite = 0
        self._peak = np.full(robot.n, np.nan)

    def add(self, tau: Floats) -> None:
        self._samples += len(tau)
        finite = np.isfinite(tau).all(axis=1)
        self._not_finite += len(tau) - int(finite.sum())
        self._peak = np.fmax(self._peak, np.fmax.reduce(np.abs(tau[finite]), axis=0, initial=np.nan))

    def lines(self) -> list[str]:
        seconds = time.perf_counter() - self._start
        lines = [f"{self._samples} samples in {seconds:.3g} s, {self._samples / seconds:,.0f} samples/s"]
        if self._samples > self._not_finite:
            peaks = zip(self._robot.joint_names, self._peak, self._robot.effort, strict=True)
            lines.append("peak |tau|: " + ", ".join(self._told(*peak) for peak in peaks))
        if self._not_finite:
            lines.append(f"samples with NaN or infinity, left in their places: {self._not_finite}")
        return lines

    def _told(self, name: str, peak: float, limit: float) -> str:
        unit = "N m" if self._robot.joint(name).kind == "revolute" else "N"
        beyond = f" (limit {limit:.4g})" if peak > limit else ""
        return f"{name} {peak:.4g} {unit}{beyond}"
