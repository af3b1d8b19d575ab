"""`rne identify`: parameters of a robot from logs."""

from __future__ import annotations

import html
import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

import rne
from rne.atomic_write import replacing
from rne.cli.motion import Job, takes_motion
from rne.cli.options import examples, say, show, takes_robot
from rne.cli.robot_files import robot_writers, write_robot
from rne.cli.stream import opened, progress
from rne.model.robot import Robot


@click.command(
    "identify",
    short_help="Parameters of a robot from measured logs.",
    epilog=examples(
        "rne identify panda.urdf log.parquet --differentiate --friction -o found.urdf",
        "rne identify ur10.urdf run1.csv run2.csv --validate run3.csv --differentiate --friction --report report.html",
        "rne identify med7.urdf poses.csv --unexcited fix -o found.dh.toml   # poses at rest: no qd and qdd",
    ),
)
@takes_robot
@takes_motion(output="OUT", streams=False, beside=True, logs=True)
@click.option(
    "--validate", metavar="LOG", multiple=True, help="Log that is not used, but compared with the result; repeatable."
)
@click.option("--rotors/--no-rotors", default=True, show_default=True, help="Identify the reflected rotor inertias.")
@click.option(
    "--friction-laws", is_flag=True, help="Choose the friction law of each joint by held-out error; implies --friction."
)
@click.option(
    "--equal-noise", is_flag=True, help="Give the torques of all joints the same weight; by default it is estimated."
)
@click.option("--huber", metavar="BOUND", type=float, help="Bound the weight of outliers, such as 1.345.")
@click.option(
    "--unexcited",
    type=click.Choice(("fix", "drop", "ridge")),
    default="fix",
    show_default=True,
    help="Parameters that the motion does not show: kept as given, zero, or all drawn towards the given.",
)
@click.option(
    "--delay",
    metavar="SECONDS",
    type=float,
    help="Delay of torques behind positions, which is taken out; the report finds it.",
)
@click.option("--report", metavar="FILE", help="Write the report with pictures as HTML (.html).")
def identify(
    robot: Robot,
    job: Job,
    validate: tuple[str, ...],
    rotors: bool,
    friction_laws: bool,
    equal_noise: bool,
    huber: float | None,
    unexcited: str,
    delay: float | None,
    report: str | None,
) -> None:
    """Identify the masses, inertias and friction of a robot from logs with measured torques, in constant memory.

    Each LOG is as TRAJECTORY of `rne residual`: positions, and torques in the columns tau_<joint> or where --columns
    tau=... and --unit tau=... say. With --differentiate velocities and accelerations are computed; torques stay as they
    are, since a filter would round the steps of friction. Without derivatives the poses count as at rest, from which
    the weights follow.

    The report on stdout shows the base parameters with their standard deviations, and measured torques against the
    given robot, what was found, and the physically consistent robot. OUT, if named, is this robot as .urdf, .xml (MJCF)
    or .toml (DH table), or the whole report as .json.
    """
    if job.wrenches:
        raise click.UsageError("--wrench: forces from outside cannot be identified through")
    suffix = Path(job.output).suffix.lower()
    if job.output and suffix not in (*robot_writers(robot), ".json"):
        raise click.UsageError(f"-o {job.output}: wanted a file that ends in .urdf, .xml, .toml or .json")
    if report is not None and Path(report).suffix.lower() not in (".html", ".htm"):
        raise click.UsageError(f"--report {report}: wanted a file that ends in .html")
    if huber is not None and "-" in job.trajectories:
        raise click.UsageError("--huber reads the logs several times, which standard input cannot be")
    options: dict[str, Any] = {
        "rotors": rotors,
        "friction": "select" if friction_laws else job.friction,
        "noise": None if equal_noise else "estimated",
        "unexcited": unexcited,
        "delay": delay,
    }
    from rne.identification.identify import ROUNDS, converged  # which imports numba

    found = _solved(robot, job, rne.Identifier(robot, **options))
    for _ in range(ROUNDS if huber is not None else 0):
        before = found
        found = _solved(robot, job, rne.Identifier(robot, **options, huber=huber, reference=found))
        if converged(found, before):
            break
    held = None
    if validate:
        other = rne.Identifier.like(found)
        _read(robot, replace(job, trajectories=validate), other)
        held = other.validate(found)
    show(str(found))
    if held is not None:
        show(str(held))
    if job.output and suffix == ".json":
        data = {"identification": found.to_dict(), "validation": held and held.to_dict()}
        _write(job.output, json.dumps(data, indent=1, allow_nan=False) + "\n")
    elif job.output:
        write_robot(robot_writers(found.robot)[suffix], job.output)
    if report is not None:
        _write(report, _page(found, held))


def _solved(robot: Robot, job: Job, identifier: rne.Identifier) -> rne.Identification:
    _read(robot, job, identifier)
    return identifier.solve()


def _read(robot: Robot, job: Job, identifier: rne.Identifier) -> None:
    """Add the samples of all logs, in constant memory."""
    for log in job.trajectories:
        one = replace(job, trajectory=log)
        with opened(robot, one, ("q", "qd", "qdd", "tau"), torques=False) as (motion, made):
            if "tau" not in motion.columns.groups:
                raise rne.FileError(
                    f"{motion.where}: no tau columns: there is nothing measured; say where with --columns 'tau=PATTERN'"
                )
            left = 0
            with progress(motion) as advance:
                for read in (made or motion).pieces():
                    chunk = read()
                    state = {key: chunk.arrays.get(key, 0.0 * chunk.arrays["q"]) for key in ("q", "qd", "qdd", "tau")}
                    sound = _sound(state)
                    left += int((~sound).sum())
                    identifier.update(**{key: rows[sound] for key, rows in state.items()})
                    advance(identifier.samples)
            if left:
                say(f"{motion.name}: {left} samples with numbers that are not finite left out")


def _sound(state: dict[str, Any]) -> Any:
    """Return which samples are finite."""
    return sum(abs(rows).sum(axis=1) for rows in state.values()) < float("inf")


def _write(path: str, text: str) -> None:
    with replacing(path) as stream:
        stream.write(text.encode())


def _page(found: rne.Identification, held: rne.Validation | None) -> str:
    """Return the report as a page of HTML with its pictures."""
    title = html.escape(f"{found.base.robot.name}: identification")
    parts = [found._repr_html_(), *([held._repr_html_()] if held is not None else [])]
    for draw in (rne.plot.identification, rne.plot.friction):
        picture = io.BytesIO()
        draw(found).savefig(picture, format="svg")
        parts.append(picture.getvalue().decode().partition("<svg")[2].join(("<svg", "")))
    style = "body{font-family:sans-serif;margin:2em} table{border-collapse:collapse} td,th{padding:0 .6em}"
    head = f'<meta charset="utf-8"><title>{title}</title><style>{style}</style>'
    return "\n".join([f'<!doctype html><html lang="en"><head>{head}</head><body>', *parts, "</body></html>\n"])
