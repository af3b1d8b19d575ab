"""Problems found by a reader in a file, collected so that one error can report them all."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import NoReturn

from rne.check import check_flag
from rne.errors import ModelError, Problem, close_names, did_you_mean

MOST_HINTS = 20
"""Largest number of errors per file for which similar names are looked up."""
MOST_COMPARED = 20_000
"""Largest number of names compared for hints per file, which takes half a second."""


@dataclass
class Findings:
    """The errors and notes of one file.

    Attributes
    ----------
    where : file name, or ``<urdf>``, ``<dh>``.
    strict : whether doubts are errors (True) or notes (False).
    errors, notes : the problems so far.
    doubts : those that are errors only because of `strict`. They are kept apart, so that a strict reader goes the same
        way as a lenient one and meets the same errors.
    """

    where: str
    strict: bool = True
    errors: list[Problem] = field(default_factory=list)
    doubts: list[Problem] = field(default_factory=list)
    notes: list[Problem] = field(default_factory=list)
    negative: list[tuple[str, Spot, str]] = field(default_factory=list)  # see `Spot.negative`
    _compared: int = 0

    def __post_init__(self) -> None:
        check_flag("strict", self.strict)

    def at(self, element: str, line: int | None = None) -> Spot:
        """Return the spot of an element, at which problems can be reported."""
        return Spot(self, element, line)

    def hint(self, word: str, known: Collection[str]) -> str:
        """Return a hint at the known word most similar to `word`, or an empty text if none is similar.

        The search is slow, and is skipped after many errors or among very many words.
        """
        self._compared += len(known)
        wanted = len(self.errors) + len(self.doubts) < MOST_HINTS and self._compared <= MOST_COMPARED
        near = close_names(word, known) if wanted else []
        return f" ({did_you_mean(near)})" if near else ""

    def close(self) -> tuple[Problem, ...]:
        """Return the notes in the order of the file, or raise one `ModelError` with all errors."""
        if self.errors or self.doubts:
            raise ModelError(*sorted(self.errors + self.doubts, key=_line), loads_leniently=not self.errors)
        return tuple(sorted(self.notes, key=_line))


@dataclass(frozen=True)
class Spot:
    """An element of a file, at which problems can be reported."""

    findings: Findings
    element: str
    line: int | None = None

    def error(self, what: str, code: str = "file") -> None:
        """Report a problem that makes the file unusable, strict or not."""
        self.findings.errors.append(self._problem(what, code))

    def doubt(self, what: str, code: str = "file") -> None:
        """Report what may be wrong though there is a defensible reading: an error when strict, otherwise a note."""
        (self.findings.doubts if self.findings.strict else self.findings.notes).append(self._problem(what, code))

    def note(self, what: str, code: str = "file") -> None:
        """Report something valid but unusual."""
        self.findings.notes.append(self._problem(what, code))

    def negative(self, quantity: str, what: str) -> None:
        """Record a negative spring or damper, a doubt unless others compensate for it: see `check_passive`."""
        self.findings.negative.append((quantity, self, what))

    def fail(self, what: str) -> NoReturn:
        """Raise at once, where further checks would only report consequences."""
        raise ModelError(self._problem(what))

    def _problem(self, what: str, code: str = "file") -> Problem:
        return Problem(self.findings.where, self.line, self.element, what, code)


class WrongValueError(Exception):
    """A value of the wrong kind; the message completes a sentence that names the value: "... is not a number"."""


def _line(problem: Problem) -> int:
    return problem.line or 0
