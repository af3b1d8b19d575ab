"""The table in the README: `python -m benchmarks.report` writes it from results.json, between two markers.

`--targets` prints all results with their targets, and fails if one is missed.
"""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from benchmarks import ROOT
from benchmarks.run import RESULTS, describe, meets

README = ROOT / "README.md"
BEGIN = "<!-- benchmark table: written by benchmarks/report.py, begin -->"
END = "<!-- benchmark table: end -->"

# Names of the rivals in the table, with one thread and one call at a time unless noted otherwise.
RIVALS = {
    ("inverse dynamics", "pinocchio"): "`pin.rneaInParallel`",
    ("inverse dynamics", "mujoco"): "`mj_rne`, called from a compiled loop",
    ("inverse dynamics", "casadi"): "C code for this arm alone by CasADi, `gcc -O3 -march=native -ffast-math`",
    ("inverse dynamics", "rne"): "`rne` in float64",
    ("inverse dynamics", "rne one by one"): "`rne`, one call a state",
    ("inverse dynamics, one call", "pinocchio"): "`pin.rnea`",
    ("gravity, one call", "pinocchio"): "`pin.computeGeneralizedGravity`",
    ("forward dynamics", "pinocchio"): "`pin.abaInParallel`",
    ("forward dynamics", "rne on one thread"): "`rne` on one thread",
    ("forward dynamics, one call", "pinocchio"): "`pin.aba`",
    ("mass matrix", "pinocchio"): "`pin.crba` in a loop",
    ("mass matrix, one call", "pinocchio"): "`pin.crba`",
    ("Coriolis matrix", "pinocchio"): "`pin.computeCoriolisMatrix` in a loop",
    ("inverse dynamics derivatives", "pinocchio"): "`pin.computeRNEADerivatives` in a loop",
    ("inverse dynamics derivatives, one call", "pinocchio"): "`pin.computeRNEADerivatives`",
    ("forward dynamics derivatives", "pinocchio"): "`pin.computeABADerivatives` in a loop",
    ("forward dynamics derivatives, one call", "pinocchio"): "`pin.computeABADerivatives`",
    ("gradient of weighted torques", "pinocchio"): "weights times `pin.computeRNEADerivatives` in a loop",
    ("regressor", "pinocchio"): "`pin.computeJointTorqueRegressor` in a loop",
    ("contact forward dynamics", "pinocchio"): "`pin.constraintDynamics` in a loop",
    ("simulation", "pinocchio"): "the same Runge-Kutta steps in Python with `pin.aba`",
}

_INTRODUCTION = """\
Ratios of times, each measured in one run with both sides taking turns. Robot and precision are a Panda with locked
fingers and float64 unless noted otherwise. `python -m benchmarks.run` repeats the measurement.
"""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.report", description=__doc__)
    parser.add_argument("--targets", action="store_true", help="print results and targets; the README is not changed")
    page = json.loads(RESULTS.read_text())
    if parser.parse_args().targets:
        print("\n".join(describe(result) for result in page["results"]))
        asked = [result for result in page["results"] if result.get("must") is not None]
        sys.exit(0 if all(meets(result, "must") for result in asked) else 1)
    README.write_text(insert(README.read_text(), table(page)))


def insert(readme: str, text: str) -> str:
    """The README with `text` between the markers."""
    before, rest = readme.split(BEGIN)
    _, after = rest.split(END)
    return f"{before}{BEGIN}\n{text}{END}{after}"


def table(page: dict[str, Any]) -> str:
    """Introduction, table and machine, in Markdown."""
    lines = [_INTRODUCTION, "| what | against | times as fast |", "|---|---|---|"]
    results = [result for result in page["results"] if "skipped" not in result]
    lines += [_duel(result) for result in results if "row" in result]
    lines += [line for result in results if "row" not in result for line in _other(result)]
    machine = dict(page["machine"])
    used = ", ".join(f"{name} {machine[name]}" for name in ("numba", "pin", "mujoco", "casadi", "gcc") if machine[name])
    where = f"{machine['cpu']}, {machine['cores']} cores, Python {machine['python']}, {used}, {page['date']}."
    return "\n".join([*lines, "", where, ""])


_MORE = {"humanoid": " of 36 joints", "ANYmal": " on a floating base", "Talos": " on a floating base"}


def _duel(result: dict[str, Any]) -> str:
    row = result["row"]
    batch = "" if "one call" in row["task"] else f", {row['samples']:,} {_unit(row['task'])}"
    ours = row["ours"].removeprefix("rne").strip()
    threads = f", {row['threads']} threads" if row["threads"] > 1 else ""
    robot = "" if row["robot"] == "Panda" else f", {row['robot']}{_MORE.get(row['robot'], '')}"
    what = f"{row['task']}{batch}{robot}{ours and ', '}{ours}{threads}"
    rival = RIVALS[row["task"], row["rival"]] + (threads if "thread" not in row["rival"] else "")
    return f"| {what} | {rival} | {_short(result['value'])} |"


def _unit(task: str) -> str:
    return "steps" if task == "simulation" else "states"


def _other(result: dict[str, Any]) -> list[str]:
    """Rows for results without a rival at the same task, if they can be given as a ratio."""
    if result["kind"] == "growth":
        sizes = list(result["ns_per_joint"])
        what = f"each joint of {result['shape']} of up to {sizes[-1]} joints"
        return [f"| {what} | each joint of those of {sizes[0]} | {_short(1 / result['value'])} at worst |"]
    if result["kind"] == "fresh" and "against_pinocchio" in result:
        return [f"| {result['name']} | the same with Pinocchio | {_short(result['against_pinocchio'])} |"]
    return []


def _short(value: float) -> str:
    return f"{value:.0f}" if value >= 9.95 else f"{value:.1f}" if value >= 0.995 else f"{value:.2f}"


if __name__ == "__main__":
    main()
