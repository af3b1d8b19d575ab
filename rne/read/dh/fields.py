"""Typed look-ups in a mapping from TOML or Python; what is wrong goes to the findings and a stand-in comes back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from rne.check import Vector
from rne.errors import shown
from rne.model.findings import Findings, Spot, WrongValueError
from rne.model.values import as_number, as_numbers

T = TypeVar("T")
MOST_UNKNOWN = 20
"""Number of unknown keys of one table that are reported one by one."""
Line = Callable[[str], "int | None"]
"""Returns the line of a key."""


@dataclass(frozen=True)
class Fields:
    """A mapping together with what it describes.

    Attributes
    ----------
    values : the mapping.
    element : what it describes, for messages.
    findings : where problems go.
    line_of : returns the line of a key; None for values that come from Python.
    """

    values: Mapping[str, object]
    element: str
    findings: Findings
    line_of: Line

    def spot(self, key: str) -> Spot:
        """Where to report on a key."""
        return self.findings.at(self.element, self.line_of(key))

    def has(self, *keys: str) -> bool:
        """Whether any of the keys is written."""
        return any(key in self.values for key in keys)

    def reject_unknown(self, known: Iterable[str], elsewhere: Mapping[str, str] | None = None) -> None:
        """Report keys that are not known; `elsewhere` translates keys of other programs."""
        known = tuple(known)
        unknown = [key for key in self.values if key not in known]
        for key in unknown[:MOST_UNKNOWN]:
            there = (elsewhere or {}).get(str(key))
            hint = f" (here this is {there})" if there else self.findings.hint(str(key), known)
            self.spot(str(key)).error(f"key {shown(key)} is unknown{hint}; known are {', '.join(known)}")
        if len(unknown) > MOST_UNKNOWN:  # the line of each is looked for in the text
            self.spot("").error(f"{len(unknown) - MOST_UNKNOWN:,} more keys are unknown")

    def number(self, key: str, default: float = 0.0) -> float:
        """Return a finite number."""
        return self._get(key, default, as_number)

    def vector(self, key: str, default: Vector) -> Vector:
        """Return three finite numbers."""
        numbers: tuple[float, ...] = self._get(key, default, lambda value: as_numbers(value, 3))
        x, y, z = numbers
        return x, y, z

    def text(self, key: str, default: str) -> str:
        """Return text that is not empty."""
        return self._get(key, default, _as_text)

    def choice(self, key: str, known: Mapping[str, str]) -> str:
        """Return a word that must be one of the known ones (word -> what it means), or an empty string."""
        wanted = "; ".join(f"{word!r} ({meaning})" if meaning else repr(word) for word, meaning in known.items())
        value = self.values.get(key)
        if isinstance(value, str) and value in known:
            return value
        what = f"{key} = {shown(value)} is not known" if key in self.values else f"{key!r} is missing"
        hint = self.findings.hint(value, known) if isinstance(value, str) else ""
        self.spot(key).error(f"{what}{hint}; wanted is one of {wanted}")
        return ""

    def inner(self, key: str) -> Fields | None:
        """Return the table under a key, or None if it is missing or not a table."""
        value = self.values.get(key)
        if not isinstance(value, Mapping):
            return None
        element = f"{self.element}, {key}" if self.element else key
        return Fields(value, element, self.findings, lambda _: self.line_of(key))

    def _get(self, key: str, default: T, convert: Callable[[object], T]) -> T:
        if key not in self.values:
            return default
        try:
            return convert(self.values[key])
        except WrongValueError as wrong:
            self.spot(key).error(f"{key} = {shown(self.values[key])} {wrong}")
            return default


def _as_text(value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise WrongValueError("is not a text with something in it")
    return value
