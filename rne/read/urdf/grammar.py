"""The grammar of URDF: which element and attribute may stand where, so that no misspelled one passes in silence.

The tables were checked against the 69 files of example-robot-data, whose extensions are all listed here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from rne.errors import MOST_LETTERS, close_names, did_you_mean, letters_apart, shown
from rne.model.findings import Findings, Spot
from rne.model.tree import Ignored
from rne.read.urdf.xmltree import Element


@dataclass(frozen=True)
class Rule:
    """The allowed content of an element, as words separated by blanks.

    Attributes
    ----------
    attributes, children : those that the reader reads.
    passed : those, of either kind, that are known to say nothing about the rigid bodies.
    closed : whether anything else is a mistake. Elsewhere other programs may keep what is theirs.
    """

    attributes: str = ""
    children: str = ""
    passed: str = ""
    closed: bool = True


GRAMMAR = {
    "robot": Rule(
        "name",
        "link joint",
        "version material gazebo transmission ros2_control mujoco sensor plugin ros disable_collisions drake_ignore",
        closed=False,
    ),
    "link": Rule(
        "name",
        "inertial",
        "type visual collision contact collision_checking self_filter self_collision_checking gravity kinematic "
        "surface material sensor",
        closed=False,
    ),
    "inertial": Rule("", "origin mass inertia"),
    "origin": Rule("xyz rpy quat_xyzw"),
    "mass": Rule("value"),
    "inertia": Rule("ixx ixy ixz iyy iyz izz"),
    "joint": Rule(
        "name type",
        "parent child origin axis limit dynamics mimic",
        "calibration safety_controller dont_collapse hardwareInterface actuator sensor mujoco",
        closed=False,
    ),
    "parent": Rule("link"),
    "child": Rule("link"),
    "axis": Rule("xyz"),
    "limit": Rule(
        "lower upper effort velocity",
        passed="acceleration deceleration jerk current command_effort gear_velocity",
        closed=False,
    ),
    "dynamics": Rule(
        "damping friction",
        passed="D K mu_coulomb mu_viscous spring_reference spring_stiffness stiffness armature",
        closed=False,
    ),
    "mimic": Rule("joint multiplier offset"),
}
"""By element; what it says holds wherever that element is read."""

LOOPS = ("loop_joint", "loop_link")
"""Children of the robot that close kinematic loops."""
MOST_UNKNOWN = 1_000
"""Maximum number of different unknown names; each is compared with all known names. A file with more is not a robot."""

IDLE = {
    "fixed": ("axis", "limit", "dynamics", "mimic"),
    "continuous": ("limit/@lower", "limit/@upper"),
    "planar": ("limit", "dynamics", "mimic"),
}
"""Parts that have no effect on a joint, by its type. Published files are full of them: robots with hands frozen."""

MIRRORED = {"iyx": "ixy", "izx": "ixz", "izy": "iyz"}
"""Products of inertia as some programs write them a second time."""
STRAY = ("inertial", "origin")
"""Elements directly under <robot> in published files; they belong to no link or joint, so they change none."""

# Common misnomers and names in other formats, by element.
OTHER_NAMES = {
    "origin": {"position": "xyz", "pos": "xyz", "translation": "xyz", "rotation": "rpy", "euler": "rpy"},
    "mimic": {"ratio": "multiplier", "factor": "multiplier", "gear": "multiplier"},
    "axis": {"vector": "xyz", "direction": "xyz"},
    "dynamics": {"viscous": "damping", "coulomb": "friction"},
    "limit": {"min": "lower", "max": "upper", "torque": "effort", "force": "effort", "speed": "velocity"},
}


def check_grammar(robot: Element, findings: Findings) -> tuple[Ignored, ...]:
    """Report elements and attributes that would be passed over though they seem to be meant.

    Parameters
    ----------
    robot : the outermost element.
    findings : where the problems go.

    Returns
    -------
    tuple of Ignored
        What says nothing that is read here: shapes, transmissions, plugins, extensions.
    """
    ignored: dict[str, list[int]] = {}
    walk = _Walk(findings, ignored, {}, {})
    walk.check(robot, "", "<robot>")
    for what, lines in walk.idle.items():
        times = f" (and {len(lines) - 1} times more)" if len(lines) > 1 else ""
        findings.at("", lines[0]).note(f"{what}{times}")
    return tuple(Ignored(path, tuple(lines)) for path, lines in sorted(ignored.items()))


@dataclass(frozen=True)
class _Walk:
    """A walk through the elements that are read; `path` is where one stands, `owner` the link or joint around it."""

    findings: Findings
    ignored: dict[str, list[int]]
    hints: dict[tuple[str, tuple[str, ...]], str]
    idle: dict[str, list[int]]  # harmless, reported once with all lines

    def check(self, element: Element, path: str, owner: str, effective: bool = True) -> None:
        """Check an element and those inside; `effective` is whether it has any effect where it stands."""
        rule = GRAMMAR[element.tag]
        spot = self.findings.at(owner, element.line)
        self._check_attributes(element, rule, path, spot, effective)
        if element.text and rule.closed:
            (spot.doubt if effective else spot.note)(
                f"<{element.tag}> holds the text {shown(element.text)}; the format wants {_wanted(rule)}"
            )
        elif element.text:
            spot.note(f"the text {shown(element.text)} in <{element.tag}> means nothing here and is ignored")
        read = rule.children.split()
        for child in element.children:
            below = f"{path}/{child.tag}".lstrip("/")
            if child.tag in read:
                own = child.tag in ("link", "joint")
                name = f"{child.tag} {child.attributes.get('name', '')!r}"
                still = element.tag == "joint" and child.tag in IDLE.get(element.attributes.get("type", ""), ())
                self.check(child, below, name if own else owner, not still)
            else:
                self._ignore(below, child.line)
                self._judge(child, element.tag, self.findings.at(owner, child.line))
        if element.attributes.get("type") in IDLE:
            self._ignore_idle(element, element.attributes["type"])

    def _check_attributes(self, element: Element, rule: Rule, path: str, spot: Spot, effective: bool) -> None:
        read = rule.attributes.split()
        for key in element.attributes:
            if key in read or key.startswith("xmlns"):
                continue
            self._ignore(f"{path}/@{key}".lstrip("/"), element.line)
            if key in rule.passed.split() or ":" in key or self._repeats(element, key):
                continue
            missing = [word for word in read if word not in element.attributes]
            called = OTHER_NAMES.get(element.tag, {}).get(key.casefold())
            hint = f" (here this is {called!r})" if called in missing else self._hint(key, missing, spot)
            what = f"<{element.tag}> has no attribute {key!r} in URDF{hint}"
            doubt = spot.doubt if effective else spot.note
            if hint:
                doubt(f"{what}; it would be ignored")
            elif rule.closed:
                doubt(f"{what}; it would be ignored, known are {', '.join(read)}")
            else:
                spot.note(f"{what}; it is ignored")

    def _repeats(self, element: Element, key: str) -> bool:
        """Note an attribute that URDF has not, but that says nothing new where it stands."""
        value = element.attributes[key]
        if (element.tag, key) == ("axis", "rpy") and not any(digit in "123456789" for digit in value):
            what = "<axis> has no attribute 'rpy' in URDF; it turns by nothing here and is ignored"
        elif element.tag == "inertia" and key in MIRRORED:
            mirror = MIRRORED[key]
            if mirror not in element.attributes:  # then it is read in place of that
                return True
            if not _equal(value, element.attributes[mirror]):
                return False
            what = f"<inertia> has no attribute {key!r} in URDF; it equals {mirror!r} here and is ignored"
        else:
            return False
        self.idle.setdefault(what, []).append(element.line)
        return True

    def _judge(self, child: Element, parent: str, spot: Spot) -> None:
        """Report an element that is not read in its place, unless it is known to be irrelevant."""
        rule = GRAMMAR[parent]
        read = rule.children.split()
        prefix, _, local = child.tag.rpartition(":")
        if prefix:
            if local in read:
                spot.note(
                    f"<{child.tag}> is not the <{local}> of URDF and is ignored; take the prefix away if it is meant"
                )
            elif local == "include" and prefix != "xacro":
                spot.note(f"<{child.tag}> is not followed but ignored; what it would bring in is missing here")
            return
        if child.tag in rule.passed.split():
            self._judge_inside(child, parent, spot)
            return
        if parent == "robot" and child.tag in STRAY:
            spot.note(f"<{child.tag}> has no place in <robot> and is ignored; it belongs to no link or joint there")
            return
        homes = [tag for tag, other in GRAMMAR.items() if child.tag in other.children.split()]
        if child.tag == "origin" and parent == "link":  # SolidWorks and others write such, all zeros
            if any(digit in "123456789" for value in child.attributes.values() for digit in value):
                spot.note("<origin> means nothing in <link> and is ignored; it belongs in <inertial> or <joint>")
        elif child.tag in rule.attributes.split():
            spot.doubt(f'<{child.tag}> would be ignored: in <{parent}> it is an attribute, {child.tag}="..."')
        elif homes:
            spot.doubt(f"<{child.tag}> has no place in <{parent}> and would be ignored; it belongs in {_tags(homes)}")
        elif parent == "robot" and child.tag in LOOPS:
            spot.note(
                f"<{child.tag}> closes a kinematic loop, which is not supported; it is ignored, and the torques are "
                "those of the open tree"
            )
        elif hint := self._hint(child.tag, read, spot, _mistyped):
            spot.doubt(f"<{child.tag}> is unknown in <{parent}>{hint}; it would be ignored")
        elif rule.closed:
            known = f"known are {_tags(read)}" if read else f"the format wants {_wanted(rule)}"
            spot.doubt(f"<{child.tag}> has no place in <{parent}> and would be ignored; {known}")
        elif defined := _definition(child):
            spot.doubt(
                f"<{child.tag}> is unknown in <{parent}>, and the <{defined}> in it would be ignored; move it out"
            )
        else:
            spot.note(f"<{child.tag}> is unknown in <{parent}> and is ignored")

    def _judge_inside(self, passed: Element, parent: str, spot: Spot) -> None:
        """Report parts of an irrelevant element that affect the dynamics."""
        if parent == "link" and any(element.tag == "inertial" for element in passed.walk()):
            spot.doubt(f"<inertial> has no place in <{passed.tag}> and would be ignored; it belongs in <link>")
        elif parent == "robot" and (defined := _definition(passed)):
            spot.note(f"the <{defined}> defined in <{passed.tag}> is ignored; move it out if it is meant")

    def _ignore_idle(self, joint: Element, kind: str) -> None:
        """List what is read of a joint and has no effect on one of this type."""
        for child in joint.children:
            for part in IDLE[kind]:
                tag, _, key = part.partition("/@")
                if child.tag == tag and (not key or key in child.attributes):
                    self._ignore(f"joint[@type={kind!r}]/{part}", child.line)

    def _hint(
        self, word: str, known: list[str], spot: Spot, find: Callable[[str, list[str]], list[str]] = close_names
    ) -> str:
        """Return a hint at the known word nearest to an unknown one, or nothing where none is near."""
        asked = word, tuple(known)
        if asked not in self.hints:
            if len(self.hints) >= MOST_UNKNOWN:
                spot.fail(f"there are more than {MOST_UNKNOWN:,} names of elements and attributes that URDF has not")
            near = find(word, known)
            self.hints[asked] = f" ({did_you_mean(near)})" if near else ""
        return self.hints[asked]

    def _ignore(self, path: str, line: int) -> None:
        self.ignored.setdefault(path, []).append(line)


def _mistyped(word: str, known: list[str]) -> list[str]:
    near = sorted((letters_apart(word.casefold(), right), right) for right in known)
    return [right for apart, right in near if apart <= MOST_LETTERS][:1]


def _equal(value: str, other: str) -> bool:
    try:
        return float(value) == float(other)
    except ValueError:
        return False


def _definition(element: Element) -> str:
    """Return the tag of a link or joint defined inside an element, or nothing; mere references define nothing."""
    parts = {"link": {"inertial"}, "joint": {"parent", "child"}}
    for inner in element.walk():
        if inner.tag in parts and parts[inner.tag] <= {child.tag for child in inner.children}:
            return inner.tag
    return ""


def _tags(names: list[str]) -> str:
    return " or ".join(f"<{name}>" for name in names)


def _wanted(rule: Rule) -> str:
    return f"the elements {_tags(rule.children.split())}" if rule.children else f"attributes: {rule.attributes}"
