"""What xacro left in a URDF, or what shows that it was never run."""

from __future__ import annotations

from dataclasses import dataclass

from rne.model.findings import Findings
from rne.read.urdf.grammar import GRAMMAR
from rne.read.urdf.nodes import EXPAND
from rne.read.urdf.xmltree import Element

DEFINITIONS = ("property", "macro", "arg")
"""Of xacro; they put nothing into the robot."""
CONDITIONS = ("if", "unless")
"""Of xacro; what is inside counts or not."""


def check_leftovers(robot: Element, findings: Findings) -> None:
    """Report the elements of xacro in a document, by what the robot may lose with them.

    A definition takes nothing from the robot, and neither does anything inside what is not read, such as a shape: a
    note. A call is a doubt: it may stand for an inertia, or only for a sensor. One that stands for links or joints in
    the same file is an error, since without them it is another robot.

    Raises
    ------
    ModelError
        Links or joints are missing, so that all that is said of the rest would mislead.
    """
    prefixes = {"xacro"}
    macros: dict[str, Element] = {}
    elements = list(robot.walk())
    for element in elements:
        spaces = element.attributes.items()
        prefixes |= {key[6:] for key, uri in spaces if key.startswith("xmlns:") and "xacro" in uri}
    for element in elements:
        prefix, colon, local = element.tag.partition(":")
        if colon and prefix in prefixes and local == "macro":
            macros.setdefault(element.attributes.get("name", "").removeprefix(f"{prefix}:"), element)
    search = _Search(findings, frozenset(prefixes), macros, [])
    search.look_in(robot)
    if search.idle:
        tags = ", ".join(dict.fromkeys(f"<{element.tag}>" for element in search.idle))
        findings.at("", search.idle[0].line).note(f"{tags} was left over by xacro; it adds nothing and is ignored")


@dataclass(frozen=True)
class _Search:
    findings: Findings
    prefixes: frozenset[str]
    macros: dict[str, Element]
    idle: list[Element]

    def look_in(self, element: Element) -> None:
        """Judge the elements of xacro among and inside those that are read."""
        read = GRAMMAR[element.tag].children.split()
        for child in element.children:
            if self._local(child):
                self._judge(child)
            elif child.tag in read:
                self.look_in(child)
            else:
                self.idle.extend(inner for inner in child.walk() if self._local(inner))

    def _local(self, element: Element) -> str:
        """Return the name of an element of xacro without its prefix; nothing for any other element."""
        prefix, colon, local = element.tag.partition(":")
        return local if colon and prefix in self.prefixes else ""

    def _judge(self, element: Element) -> None:
        local, spot = self._local(element), self.findings.at(f"<{element.tag}>", element.line)
        if local in DEFINITIONS:
            self.idle.append(element)
        elif self._adds_links(element):
            spot.fail(f"this is xacro, not yet URDF, and stands for links or joints; {EXPAND}")
        else:
            spot.doubt(f"this is xacro, not yet URDF; what it stands for would be missing; {EXPAND}")

    def _adds_links(self, element: Element) -> bool:
        """Whether a condition, or the called macro, contains links or joints according to the file."""
        local = self._local(element)
        start = element if local in CONDITIONS else self.macros.get(local)
        todo, seen = [start] if start else [], {local}
        while todo:
            for inner in todo.pop().walk():
                called = self._local(inner)
                if inner.tag in ("link", "joint"):
                    return True
                if called in self.macros and called not in seen:
                    seen.add(called)
                    todo.append(self.macros[called])
        return False
