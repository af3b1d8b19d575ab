"""Named states of SRDF, the file in which MoveIt keeps what it knows of a robot beside its URDF."""

from __future__ import annotations

import os

from rne.model.findings import Findings, WrongValueError
from rne.read.files import file_name, read_bytes
from rne.read.urdf.nodes import Node, parse_numbers
from rne.read.urdf.xmltree import parse


def load_states(path: str | os.PathLike[str]) -> dict[str, dict[str, float]]:
    """Read the named states of an SRDF file: the ``<group_state>`` of all groups, for `Robot.with_states`.

    States of the same name, of an arm and of its hand, are one. Joints of several coordinates are left out.

    Parameters
    ----------
    path : the file.

    Returns
    -------
    dict
        By name of the state a mapping from names of joints to positions, rad or m.

    Raises
    ------
    ModelError
        The file cannot be read, is no SRDF, or says two things of a joint in one state; lists every problem.

    Examples
    --------
    >>> import pathlib, tempfile, rne
    >>> text = '''<robot name="planar2">
    ...   <group_state name="bent" group="arm"> <joint name="elbow" value="-1.0"/> </group_state>
    ... </robot>'''
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "planar2.srdf")
    ...     _ = path.write_text(text)
    ...     states = rne.load_states(path)
    >>> rne.load("models/planar2/robot.dh.toml").with_states(states).state("bent")[0]
    array([ 0., -1.])
    """
    findings = Findings(file_name(path, "write the text to a file"))
    root = parse(read_bytes(findings), findings)
    if root.tag != "robot":
        findings.at(f"<{root.tag}>", root.line).fail("the outermost element of SRDF is <robot>")
    states: dict[str, dict[str, float]] = {}
    for element in root.children:
        if element.tag == "group_state":
            name = Node(element, "group_state", findings).needed_text("name")
            state = states.setdefault(name, {})
            for child in element.children:
                if child.tag == "joint":
                    _read_joint(Node(child, f"group_state {name!r}", findings), state)
    findings.close()
    return states


def _read_joint(node: Node, state: dict[str, float]) -> None:
    joint, text = node.needed_text("name"), node.needed_text("value")
    if not joint or not text or len(text.split()) > 1:
        return
    try:
        (value,) = parse_numbers(text, 1)
    except WrongValueError as wrong:
        node.spot.error(f"the value of joint {joint!r} {wrong}")
        return
    if state.setdefault(joint, value) != value:
        node.spot.error(f"joint {joint!r} stands at {value:g} here, and at {state[joint]:g} before")
