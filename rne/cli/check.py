"""`rne check`: checks of a robot file, and on request of its dynamics."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import rne
from rne.atomic_write import replacing
from rne.cli.options import Source, examples, say, show, takes_source

if TYPE_CHECKING:
    from rne import Robot
    from rne.doctor import Diagnosis
    from rne.verification.verify import Verification

SAMPLES, SEED = 100, 0


@click.command(
    short_help="Check a robot file for errors and doubtful values.",
    epilog=examples(
        "rne check panda.urdf",
        "rne check panda.urdf --verify --samples 1000 --json",
        "rne check robot.urdf --fail-on warning",
        "rne check robot.urdf --fix mended.urdf",
    ),
)
@takes_source
@click.option("--verify", is_flag=True, help="Verify the dynamics at random states, by Lagrange and energies.")
@click.option("--samples", type=click.IntRange(min=1), help=f"Number of random states; {SAMPLES} by default.")
@click.option("--seed", type=click.IntRange(min=0), help=f"Seed of the random states; {SEED} by default.")
@click.option(
    "--fail-on",
    type=click.Choice(["error", "warning"]),
    default="error",
    help="Findings that make the exit code 1; warning includes errors.",
)
@click.option(
    "--fix",
    metavar="OUT",
    type=click.Path(),
    help="Write the URDF file or DH table with impossible inertias replaced by the nearest.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON, with null for NaN and infinity.")
def check(
    source: Source,
    verify: bool,
    samples: int | None,
    seed: int | None,
    fail_on: str,
    fix: str | None,
    as_json: bool,
) -> None:
    """Check a robot for errors and doubtful values, and say how to correct them.

    Checks structure, masses and inertias, limits, mimic joints, units and the condition of the mass matrix, and lists
    the elements of the file that are not used. Exit code 1 if there are errors, or if the verification fails.
    """
    if not verify and (samples is not None or seed is not None):
        raise click.UsageError("--samples and --seed require --verify")
    if fix is not None and Path(fix).exists() and Path(source.path).exists() and Path(fix).samefile(source.path):
        raise click.UsageError("OUT is the same file as ROBOT; give another name")
    if fix is not None and len({Path(path).suffix.lower() == ".toml" for path in (fix, source.path)}) > 1:
        raise click.UsageError(f"OUT is the same kind of file as ROBOT; let it end in {Path(source.path).suffix}")
    diagnosis = rne.diagnose(source.path, **{key: value for key, value in source.options.items() if key != "base"})
    robot = source.load()[0] if diagnosis.ok and (verify or not as_json) else None
    report = None
    if verify and robot is not None:
        report = rne.verify(robot, samples=samples or SAMPLES, seed=seed or SEED)
    page = _data(diagnosis, report) if as_json else _page(robot, diagnosis, report, verify)
    show(json.dumps(page, indent=2, allow_nan=False) if isinstance(page, dict) else page)
    if fix is not None:
        _mend(source.path, fix)
    doubtful = fail_on == "warning" and diagnosis.count("warning") > 0
    if not diagnosis.ok or doubtful or (report is not None and not report.ok):
        raise click.exceptions.Exit(1)


def _page(robot: Robot | None, diagnosis: Diagnosis, report: Verification | None, verify: bool) -> str:
    title = repr(robot) if robot is not None else diagnosis.robot or "no robot"
    sections = [f"{title}\nsource  {diagnosis.source}", f"FINDINGS\n{diagnosis}"]
    if verify:
        sections.append(f"DYNAMICS\n{report or 'not verified: the file has errors'}")
    return "\n\n".join(sections)


def _data(diagnosis: Diagnosis, report: Verification | None) -> dict[str, Any]:
    condition = [number if math.isfinite(number) else None for number in diagnosis.condition or ()]
    return {
        "name": diagnosis.robot,
        "source": diagnosis.source,
        "ok": diagnosis.ok and (report is None or report.ok),
        "findings": [asdict(finding) for finding in diagnosis.findings],
        "condition": dict(zip(("median", "largest"), condition, strict=True)) if condition else None,
        "dynamics": None if report is None else _report_data(report),
    }


def _report_data(report: Verification) -> dict[str, Any]:
    checks = [vars(c) | {"deviation": c.deviation if math.isfinite(c.deviation) else None} for c in report.checks]
    return {"ok": report.ok, "samples": report.samples, "seed": report.seed, "checks": checks}


def _mend(path: str, out: str) -> None:
    from rne.doctor import repair_inertias

    data, repairs = repair_inertias(path)
    with replacing(out) as stream:
        stream.write(data)
    for repair in repairs:
        say(f"{path}:{repair.line}: link '{repair.link}': inertia changed by {100 * repair.change:.3g} %")
    say(f"{out}: {len(repairs)} inertia{'s' * (len(repairs) != 1)} corrected")
