"""Typed look-ups in an XML element; what is wrong goes to the findings and a stand-in comes back."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import NoReturn

from rne.check import Vector
from rne.errors import shown
from rne.model.findings import Findings, Spot, WrongValueError
from rne.read.urdf.xmltree import Element

WHITE_SPACE = " \t\r\n"
EXPAND = "expand it first: `xacro robot.urdf.xacro > robot.urdf`, or by rne.load('robot.urdf.xacro', args={})"

# Python reads more as numbers (1_000, nan, inf, Arabic digits) than any robot file means.
_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_NOT_ZERO = re.compile(r"[^eE]*[1-9]")


@dataclass(frozen=True)
class Node:
    """An XML element together with the link or joint it belongs to and the findings of the file."""

    element: Element
    owner: str
    findings: Findings

    @property
    def spot(self) -> Spot:
        """Where to report."""
        return self.findings.at(self.owner, self.element.line)

    def child(self, tag: str) -> Node | None:
        """Return the first child called `tag`, or None; report others, which do harm if they say something else."""
        found = [element for element in self.element.children if element.tag == tag]
        for other in found[1:]:
            spot = self.findings.at(self.owner, other.line)
            again = f"<{tag}> stands here again, after line {found[0].line}"
            if other.says_the_same(found[0]):
                spot.note(f"{again}, and says the same")
            else:
                spot.doubt(f"{again}, and says something else; keep one of them, the first is taken")
        return Node(found[0], self.owner, self.findings) if found else None

    def needed_child(self, tag: str) -> Node | None:
        """Return the only child called `tag`; report its absence."""
        child = self.child(tag)
        if child is None:
            self.spot.error(f"<{self.element.tag}> has no <{tag}>, which the format demands")
        return child

    def text(self, attribute: str) -> str | None:
        """Return an attribute, or None when it is not there or still an expression of xacro."""
        text = self.element.attributes.get(attribute)
        if text is not None and ("${" in text or "$(" in text):
            self._complain(attribute, f"is an expression of xacro, the file was not expanded; {EXPAND}")
            return None
        return text

    def needed_text(self, attribute: str) -> str:
        """Return an attribute that must be there and not empty; otherwise report it and return an empty string."""
        if attribute not in self.element.attributes:
            self.spot.error(f"<{self.element.tag}> has no attribute {attribute!r}, which the format demands")
            return ""
        text = self.text(attribute)
        if text is not None and not text.strip(WHITE_SPACE):
            self._complain(attribute, "is empty; a name is wanted")
            return ""
        return text or ""

    def number(self, attribute: str, default: float) -> float:
        """Return an attribute that holds one number."""
        return self._numbers(attribute, (default,))[0]

    def needed_number(self, attribute: str) -> float:
        """Return an attribute that must hold one number."""
        if attribute not in self.element.attributes:
            self.spot.error(f"<{self.element.tag}> has no attribute {attribute!r}, which the format demands")
        return self.number(attribute, 0.0)

    def vector(self, attribute: str, default: Vector) -> Vector:
        """Return an attribute that holds three numbers."""
        x, y, z = self._numbers(attribute, default)
        return x, y, z

    def has(self, attribute: str) -> bool:
        """Whether the attribute is present."""
        return attribute in self.element.attributes

    def _numbers(self, attribute: str, default: tuple[float, ...]) -> tuple[float, ...]:
        text = self.text(attribute)
        if text is None:
            return default
        try:
            return parse_numbers(text, len(default))
        except WrongValueError as wrong:
            self._complain(attribute, str(wrong))
            return default

    def _complain(self, attribute: str, what: str) -> None:
        text = self.element.attributes[attribute]
        self.spot.error(f"<{self.element.tag}> {attribute}={shown(text)} {what}")


def parse_numbers(text: str, count: int) -> tuple[float, ...]:
    """Return the numbers in a text.

    Raises
    ------
    WrongValueError
        They are not as many, or something else stands there.
    """
    # `str.split()` would also split at the no-break space and other blanks that XML does not know.
    words = re.split(f"[{WHITE_SPACE}]+", text.strip(WHITE_SPACE))
    wanted = "one number is" if count == 1 else f"{count} numbers separated by blanks are"
    if words == [""]:
        raise WrongValueError(f"is empty; {wanted} wanted")
    for word in words:
        if not _NUMBER.fullmatch(word):
            _reject(word, wanted)
        number = float(word)
        if not math.isfinite(number) or (number == 0 and _NOT_ZERO.match(word)):
            what = "too small to be distinguished from zero" if number == 0 else "too large"
            raise WrongValueError(f"holds {shown(word)}, which is {what}; {wanted} wanted")
    if len(words) != count:
        raise WrongValueError(f"holds {len(words)} number{'s' * (len(words) > 1)}; {wanted} wanted")
    return tuple(map(float, words))


def _reject(word: str, wanted: str) -> NoReturn:
    hint = ", with a decimal point and no commas" if "," in word else ""
    raise WrongValueError(f"holds {shown(word)}, which is not a number; {wanted} wanted{hint}")
