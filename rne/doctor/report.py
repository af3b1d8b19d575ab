"""The findings of the doctor, as data and as a printable page."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import ClassVar

from rne.check import check_choice
from rne.tables import Part, Report, titled

SEVERITIES = ("error", "warning", "info")
"""Errors prevent the use of the robot, warnings are likely mistakes, infos are worth knowing."""


@dataclass(frozen=True)
class Finding:
    """One finding of the doctor.

    Attributes
    ----------
    severity : "error", "warning" or "info".
    code : short name of the kind of finding, stable across releases.
    element : the element concerned, for example ``link 'hand'``; empty for the whole robot.
    what : description of the finding, with the numbers.
    fix : how to correct it; empty if nothing needs to be done, or if `what` includes it.
    line : line of the element in the file, None if there is none.

    Examples
    --------
    >>> import rne
    >>> rne.diagnose("models/planar2/robot.dh.toml").findings[0].severity
    'info'
    """

    severity: str
    code: str
    element: str
    what: str
    fix: str = ""
    line: int | None = None


@dataclass(frozen=True, repr=False)
class Diagnosis(Report):
    """All findings about a robot, as returned by `diagnose`; `str(diagnosis)` is a printable page.

    Attributes
    ----------
    robot : name of the robot; empty if the file could not be loaded.
    source : the file.
    findings : errors first, then warnings, then infos, each in the order of the file.
    condition : median and largest condition number of the mass matrix over the sampled postures, in SI units; None
        if the robot has no coordinates, or could not be loaded.

    Examples
    --------
    >>> import rne
    >>> [finding.code for finding in rne.diagnose("models/planar2/robot.dh.toml").findings]
    ['condition', 'limit-missing', 'limit-missing']
    """

    DERIVED: ClassVar = ("ok",)

    robot: str
    source: str
    findings: tuple[Finding, ...] = field(default=())
    condition: tuple[float, float] | None = None

    def count(self, severity: str) -> int:
        """Return the number of findings of one severity: "error", "warning" or "info"."""
        check_choice("severity", severity, SEVERITIES)
        return sum(finding.severity == severity for finding in self.findings)

    @property
    def ok(self) -> bool:
        """Whether there is no error."""
        return not self.count("error")

    def _parts(self) -> list[Part]:
        findings = {
            "severity": [finding.severity for finding in self.findings],
            "line": ["" if finding.line is None else str(finding.line) for finding in self.findings],
            "element": [finding.element for finding in self.findings],
            "finding": [finding.what for finding in self.findings],
            "fix": [finding.fix for finding in self.findings],
            "code": [finding.code for finding in self.findings],
        }
        table: list[Part] = [titled(findings, left=findings)] if self.findings else []
        return [*table, self._counts()]

    def _counts(self) -> str:
        counts = [(self.count(severity), severity) for severity in SEVERITIES]
        return ", ".join(f"{count} {severity}{'s' * (count != 1)}" for count, severity in counts)

    def _page(self) -> str:
        lines = []
        for finding in self.findings:
            place = "" if finding.line is None else f"line {finding.line}: "
            element = f"{finding.element}: " if finding.element else ""
            lines.append(f"{finding.severity:7}  {place}{element}{finding.what}  [{finding.code}]")
            if finding.fix:
                lines += textwrap.wrap(finding.fix, 110, initial_indent=" " * 9 + "fix: ", subsequent_indent=" " * 14)
        return "\n".join([*lines, self._counts()])


def in_order(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Sort findings by severity, then by line."""
    return tuple(sorted(findings, key=lambda finding: (SEVERITIES.index(finding.severity), finding.line or 0)))
