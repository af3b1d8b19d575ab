"""Robot files, and ways to spoil them: bytes, tokens, elements, attributes, numbers, names.

Case number `k` of a kind is the same on every machine, so a find is told by its number.
"""

from __future__ import annotations

import random
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable

import numpy as np
from strategies import random_tree, to_urdf

import rne

Mutation = Callable[[random.Random, str], str]

# What stands for numbers in files that went wrong: other notations, other languages, other programs.
NUMBERS = [
    "nan", "inf", "-inf", "1e999", "-1e999", "1e308", "1e-320", "0", "-0", "-1", "1,5", "1.5.2", "1e", "0x10",
    "1_000", "١", "１", "+-1", "1/2", "${x}", "$(arg_x)", "true", "None", "1f", "1.5m", "90deg", "pi", ".5",
    "5.", "+3", "1E3", "1d3", "", " ", "1 2", "1 2 3", "1 2 3 4", "1, 2, 3", "0 0 0", "1\u00a02\u00a03",
    "\u22121",
]  # fmt: skip
NAMES = ("", " ", "base", "link0", "joint0", "world", "LINK0", "link0 ", "../x", "a" * 300, "é", "\U0001f916", "&amp;")
TOKENS = (
    "<", ">", "/>", "</", '"', "'", "&", "&amp;", "&#0;", "&x;", "<!--", "-->", "<![CDATA[", "]]>", "<?xml?>",
    "\0", "\ufeff", "<!DOCTYPE a [<!ENTITY x 'y'>]>", "<link", "<joint", "<robot>", "</robot>", "xmlns:x=''",
    "=", "\r", "\x1a", "\ud800", "[[rows]]", "[rows]", '"""', "'''", "#", "\\u0000", "{", "}", "[", "]", ",",
    "convention = 'standard'", "a.b = 1",
)  # fmt: skip
TAGS = [
    "link", "joint", "inertial", "mass", "inertia", "origin", "axis", "limit", "dynamics", "mimic", "parent", "child",
    "robot", "visual", "gazebo", "jnt", "Link",
]  # fmt: skip


def urdf(case: int) -> str:
    """Return a sound URDF; every case another robot of one to five joints."""
    rng = np.random.default_rng(case)
    return to_urdf(random_tree(rng, int(rng.integers(1, 6)), heavy_tips=True))


def dh(case: int) -> str:
    """Return a sound DH table in TOML; every case another robot of one to five joints."""
    rng = np.random.default_rng(case)

    def number() -> float:
        return round(float(rng.normal()), 2)

    lines = ['name = "arm"', f'convention = "{"standard" if rng.integers(2) else "modified"}"']
    if rng.integers(2):
        lines.append(f"gravity = [0.0, {number()}, -9.81]")
    for k in range(rng.integers(1, 6)):
        kind = str(rng.choice(["revolute", "revolute", "prismatic", "screw", "fixed"])) if k else "revolute"
        lines += ["[[rows]]", f'joint = "{kind}"', f'name = "j{k}"']
        lines += ["pitch = 0.1", "sign = -1"] if kind == "screw" else []
        lines += [f"{key} = {number()}" for key in ("a", "alpha", "d", "theta")]
        lines += [f"mass = {abs(number()) + 0.1}", f"com = [{number()}, {number()}, {number()}]"]
        lines.append("inertia = { ixx = 0.2, iyy = 0.3, izz = 0.4, ixy = 0.01, ixz = 0.0, iyz = -0.02 }")
        if rng.integers(2):
            lines += ["rotor_inertia = 0.0001", "gear_ratio = -50.0", "viscous = 0.001", "coulomb = [0.1, -0.2]"]
            lines += ["lower = -1.0", "upper = 2.0", "velocity = 3.0", "effort = 40.0", "stiffness = 5.0", "rest = 0.1"]
    return "\n".join([*lines, ""])


def mjcf(case: int) -> str:
    """Return a sound MJCF; every case another robot of one to five joints."""
    rng = np.random.default_rng(case)
    return rne.Robot(random_tree(rng, int(rng.integers(1, 6)), heavy_tips=True)).to_mjcf()


def spoiled(case: int, source: Callable[[int], str]) -> bytes:
    """Return case number `case` of a file that was sound before one to three mutations."""
    rng = random.Random(case)
    text = source(case)
    mutations = _ANY + (_DH if source is dh else _URDF)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        text = rng.choice(mutations)(rng, text)
    data = text.encode("utf-8", "surrogatepass")
    if rng.random() < 0.1:
        data = _bytes(rng, data)
    return data


def _place(rng: random.Random, text: str) -> int:
    return rng.randrange(len(text) + 1)


def _insert(rng: random.Random, text: str) -> str:
    at = _place(rng, text)
    return text[:at] + rng.choice((*TOKENS, *NAMES, *NUMBERS)) + text[at:]


def _delete(rng: random.Random, text: str) -> str:
    at = _place(rng, text)
    return text[:at] + text[at + rng.choice((1, 2, 5, 20, 200)) :]


def _cut(rng: random.Random, text: str) -> str:
    return text[: _place(rng, text)]


def _repeat(rng: random.Random, text: str) -> str:
    lines = text.split("\n")
    at = rng.randrange(len(lines))
    size = rng.choice((1, 1, 3, 10))
    return "\n".join([*lines[: at + size], *lines[at : at + size], *lines[at + size :]])


def _swap(rng: random.Random, text: str) -> str:
    lines = text.split("\n")
    i, j = (rng.randrange(len(lines)) for _ in range(2))
    lines[i], lines[j] = lines[j], lines[i]
    return "\n".join(lines)


def _misspell(rng: random.Random, text: str) -> str:
    """Two letters of a word change places, or one is lost."""
    words = list(re.finditer(r"[A-Za-z_]{3,}", text))
    if not words:
        return text
    match = rng.choice(words)
    word, at = match[0], rng.randrange(len(match[0]) - 1)
    new = word[:at] + word[at + 1] + word[at] + word[at + 2 :] if rng.random() < 0.5 else word[:at] + word[at + 1 :]
    return text[: match.start()] + new + text[match.end() :]


def _number(rng: random.Random, text: str) -> str:
    numbers = list(re.finditer(r"-?\d+\.\d+(e-?\d+)?", text))
    if not numbers:
        return text
    match = rng.choice(numbers)
    return text[: match.start()] + rng.choice(NUMBERS) + text[match.end() :]


def _bytes(rng: random.Random, data: bytes) -> bytes:
    kind = rng.randrange(4)
    if kind == 0:
        return data.decode("utf-8", "replace").encode(
            rng.choice(("utf-16", "utf-16-le", "latin-1", "cp1252")), "replace"
        )
    if kind == 1:
        return b"\xef\xbb\xbf" + data
    damaged = bytearray(data)
    for _ in range(rng.choice((1, 3, 20))):
        if damaged:
            damaged[rng.randrange(len(damaged))] = rng.randrange(256)
    return bytes(damaged)


def _element(rng: random.Random, text: str) -> str:
    """Lose, repeat, rename, move or empty an element; lose, rename, repeat or replace an attribute."""
    try:
        root = ET.fromstring(text)
    except (ET.ParseError, UnicodeEncodeError):
        return _insert(rng, text)
    pairs = [(parent, child) for parent in root.iter() for child in parent]
    if not pairs:
        return text
    parent, child = rng.choice(pairs)
    inside = set(child.iter())
    other = rng.choice([element for element in root.iter() if element not in inside])
    names = list(child.attrib)
    match rng.randrange(9):
        case 0:
            parent.remove(child)
        case 1:
            other.append(child)
        case 2:
            parent.remove(child)
            other.append(child)
        case 3:
            child.tag = rng.choice(TAGS)
        case 4:
            child[:] = []
        case 5 if names:
            del child.attrib[rng.choice(names)]
        case 6 if names:
            child.set(rng.choice(names), rng.choice((*NAMES, *NUMBERS)))
        case 7 if names:
            name = rng.choice(names)
            child.set(rng.choice((name.upper(), name[:-1] or "x", "x:" + name, "value")), child.attrib.pop(name))
        case _:
            values = [value for _, element in pairs for value in element.attrib.values()]
            child.set(rng.choice(names or ["name"]), rng.choice(values or ["x"]))
    try:
        return ET.tostring(root, encoding="unicode")
    except (ValueError, ET.ParseError):
        return text


def _key(rng: random.Random, text: str) -> str:
    """Another value for a key of a DH table."""
    keys = list(re.finditer(r"^(\w+) = (.*)$", text, re.MULTILINE))
    if not keys:
        return text
    match, donor = rng.choice(keys), rng.choice(keys)
    value = rng.choice(
        (donor[2], "true", '"x"', "[]", "{}", "[1, 2]", "1979-05-27", "nan", "-inf", "0", "-1", "9" * 400)
    )
    return text[: match.start(2)] + value + text[match.end(2) :]


_ANY: list[Mutation] = [_insert, _delete, _cut, _repeat, _swap, _misspell, _number, _number]
_URDF: list[Mutation] = [_element] * 8
_DH: list[Mutation] = [_key] * 6
