"""The table of docs/doctor.md: what the doctor finds in the robots of example-robot-data."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from oracles import example_id, example_urdfs

import rne

PAGE = Path(__file__).parents[2] / "docs" / "doctor.md"
BEGIN, END = "<!-- table: begin -->\n", "<!-- table: end -->"


def lines() -> list[str]:
    """One line a robot: how many errors and warnings, and of what kinds."""
    result = ["| robot | errors | warnings | of these |", "|---|---|---|---|"]
    for path in example_urdfs():
        diagnosis = rne.diagnose(path)
        told = [finding for finding in diagnosis.findings if finding.severity != "info"]
        kinds = Counter(finding.code for finding in told)
        counts = ", ".join(f"{code} {count}" for code, count in sorted(kinds.items()))
        name = example_id(path)
        result.append(f"| {name} | {diagnosis.count('error')} | {diagnosis.count('warning')} | {counts} |")
    return result


def page() -> str:
    """The page with the table of today."""
    before, rest = PAGE.read_text(encoding="utf-8").split(BEGIN)
    return before + BEGIN + "\n".join(lines()) + "\n" + END + rest.split(END)[1]


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
