"""Repeated links and joints, and mimic joints without a leader: which of them can be repaired."""

from __future__ import annotations

from rne.model.findings import Findings
from rne.read.urdf.xmltree import Element

ENDS = ("parent", "child")


def each_once(robot: Element, tag: str, findings: Findings) -> list[Element]:
    """Return the links or joints of a file without repetitions, which are reported.

    One that says the same again does no harm. Where it says something else, the first wins; but not where two joints
    of one name connect different links: these are two joints, and the structure is not sound.
    """
    first: dict[str, Element] = {}
    kept = []
    for element in robot.children:
        if element.tag != tag:
            continue
        name = element.attributes.get("name", "")
        before = first.setdefault(name, element)
        if before is element or not name.strip() or _ends(before) != _ends(element):
            kept.append(element)
            continue
        spot = findings.at(f"{tag} {name!r}", element.line)
        place = f"duplicate name (first on line {before.line})"
        if element.says_the_same(before):
            spot.note(f"{place}; it says the same")
        else:
            spot.doubt(f"{place}; each {tag} needs its own, the first is taken")
    return kept


def _ends(element: Element) -> list[tuple[str, str | None]]:
    return [(child.tag, child.attributes.get("link")) for child in element.children if child.tag in ENDS]
