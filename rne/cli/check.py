"""`rne check`: whether a robot file is sound, and on request whether its dynamics are."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import click

import rne
from rne.cli.options import examples, show, takes_robot
from rne.robot import Robot

if TYPE_CHECKING:
    from rne.verification import Report

SAMPLES, SEED = 100, 0


@click.command(
    epilog=examples(
        "rne check panda.urdf",
        "rne check panda.urdf --verify --samples 1000 --json",
    )
)
@takes_robot
@click.option("--verify", is_flag=True, help="Check the dynamics at random states, against Lagrange and by energies.")
@click.option("--samples", type=click.IntRange(min=1), help=f"How many states; {SAMPLES} by default.")
@click.option("--seed", type=click.IntRange(min=0), help=f"Of the generator that draws them; {SEED} by default.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON; a number that is none is null.")
def check(robot: Robot, notes: list[str], verify: bool, samples: int | None, seed: int | None, as_json: bool) -> None:
    """Tell what is wrong with a robot.

    Errors in the file come on stderr, with file and line; what is doubtful is listed. Exit code 1 if the file has
    errors or an identity of mechanics does not hold.
    """
    if not verify and (samples is not None or seed is not None):
        raise click.UsageError("--samples and --seed need --verify")
    report = rne.verify(robot, samples=samples or SAMPLES, seed=seed or SEED) if verify else None
    show(json.dumps(_data(robot, notes, report), indent=2, allow_nan=False) if as_json else _page(robot, notes, report))
    if report is not None and not report.ok:
        raise click.exceptions.Exit(1)


def _page(robot: Robot, notes: list[str], report: Report | None) -> str:
    sections = [f"{robot}\nsource  {robot.tree.source}", "\n".join(["WARNINGS", *(notes or ["none"])])]
    if report is not None:
        sections.append(f"DYNAMICS\n{report}")
    return "\n\n".join(sections)


def _data(robot: Robot, notes: list[str], report: Report | None) -> dict[str, Any]:
    return {
        "name": robot.name,
        "source": robot.tree.source,
        "ok": report is None or report.ok,
        "warnings": notes,
        "dynamics": None if report is None else _report_data(report),
    }


def _report_data(report: Report) -> dict[str, Any]:
    checks = [vars(c) | {"deviation": c.deviation if math.isfinite(c.deviation) else None} for c in report.checks]
    return {"ok": report.ok, "samples": report.samples, "seed": report.seed, "checks": checks}
