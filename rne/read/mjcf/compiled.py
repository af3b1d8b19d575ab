"""From an MJCF document to a compiled model of MuJoCo, with the lines of its elements (extra `mujoco`)."""

from __future__ import annotations

import os
import re
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, NoReturn
from xml.parsers import expat
from xml.sax.saxutils import quoteattr

from rne.errors import needing
from rne.model.findings import Findings

_ONE_AT_A_TIME = threading.Lock()  # MuJoCo has one place for warnings, where a handler is set
_LINE = re.compile(r"\b[Ll]ine(?: number=|\s+)(\d+)")
_ELEMENT = re.compile(r"Element (?:name )?'([^']*)'(?:, id \d+)?(?:, line \d+)?")
_PREFIX = re.compile(r"^(XML )?Error: (Error: )?")
_CHATTER = re.compile("deprecated|being saved")
"""Warnings that are about the file as such, and not about the robot."""
_OTHER_FILES = ("include", "attach", "model", "replicate")
"""Elements with which lines are those of another file, or of several elements."""
FLAGS = ("constraint", "equality", "frictionloss", "gravity", "spring", "damper")
"""What of the dynamics an MJCF file can switch off."""
SUFFIX = ".xml"
"""Of files that MuJoCo takes for MJCF."""
MESH_INERTIA = 1
"""`inertiafromgeom` of a compiler that takes inertias from shapes although they are given."""


@dataclass(frozen=True)
class Compiled:
    """A model of MuJoCo.

    Attributes
    ----------
    model : the `MjModel`.
    name : of the model; empty if the file gives none.
    lines : by kind ("body", "joint") and number, where an element stands in the file.
    disabled : of `FLAGS`, what the file switches off.
    """

    model: Any
    name: str
    lines: dict[tuple[str, int], int]
    disabled: frozenset[str]


class _RootError(Exception):
    """Ends the parser at the root element."""


def root_of(data: bytes) -> tuple[str, dict[str, str]]:
    """Return tag and attributes of the root of an XML document; an empty text if there is none."""
    found: list[tuple[str, dict[str, str]]] = []

    def start(name: str, attributes: dict[str, str]) -> None:
        found.append((name, attributes))
        raise _RootError

    parser = expat.ParserCreate()
    parser.StartElementHandler = start
    with suppress(expat.ExpatError, _RootError, LookupError, ValueError):
        parser.Parse(data.lstrip(), True)
    return found[0] if found else ("", {})


def compile_mjcf(path: str | None, data: bytes, findings: Findings) -> Compiled:
    """Compile a document by MuJoCo.

    Shapes that no inertia comes from are left out first, with their meshes and textures: they take a second, and need
    not be there. Where the file cannot do without them, it is compiled as it is.

    Parameters
    ----------
    path : the file, None for a text.
    data : the document.
    findings : says where the document came from; what MuJoCo warns of is noted there.

    Raises
    ------
    ModelError
        MuJoCo refuses the file; in its words.
    MissingExtraError
        The extra is not installed.
    """
    with needing("mujoco", "MJCF files need"):
        import mujoco

    text = data.decode("utf-8", "replace")
    follows = not any(f"<{tag}" in text for tag in _OTHER_FILES)

    def parsed() -> Any:
        if path is None:
            return mujoco.MjSpec.from_string(text)
        if path.lower().endswith(SUFFIX):
            return mujoco.MjSpec.from_file(path)
        file = os.path.abspath(path)  # other suffixes are open to MuJoCo only as parts of a file
        spec = mujoco.MjSpec.from_string(f"<mujoco><include file={quoteattr(file)}/></mujoco>")
        spec.modelfiledir = os.path.dirname(file)
        return spec

    said: list[str] = []
    with _ONE_AT_A_TIME, _heard(mujoco, said):
        try:
            spec = parsed()
            lean = _without_shapes(spec)
            model = lean and _attempt(spec.compile)
            if not model:
                spec = parsed() if lean is not None else spec
                model = spec.compile()
        except (ValueError, mujoco.FatalError) as error:  # all that MuJoCo refuses
            _refuse(str(error), findings)
    for warning in dict.fromkeys(said):
        if not _CHATTER.search(warning):
            findings.at("").note(f"MuJoCo warns: {' '.join(warning.split())}")
    lines = dict(_lines(spec)) if follows else {}
    bits, flags = mujoco.mjtDisableBit, int(model.opt.disableflags)
    disabled = {flag for flag in FLAGS if flags & int(getattr(bits, f"mjDSBL_{flag.upper()}"))}
    if "constraint" in disabled:
        disabled |= {"equality", "frictionloss"}
    return Compiled(model, root_of(data)[1].get("model", ""), lines, frozenset(disabled))


def _refuse(message: str, findings: Findings) -> NoReturn:
    line, element = _LINE.search(message), _ELEMENT.search(message)
    what = " ".join(_PREFIX.sub("", _ELEMENT.sub("", message)).split()).rstrip(" ,:")
    where = repr(element[1]) if element and element[1] else ""
    spot = findings.at(where, int(line[1]) if line and int(line[1]) else None)
    spot.fail(f"MuJoCo refuses the file: {what}")


@contextmanager
def _heard(mujoco: Any, said: list[str]) -> Iterator[None]:
    """Collect what MuJoCo warns of, which it otherwise prints, and appends to a file in the working folder."""
    before = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(said.append)
    try:
        with warnings.catch_warnings(record=True, action="always") as caught:
            yield
        said.extend(str(warning.message) for warning in caught)
    finally:
        mujoco.set_mju_user_warning(before)


def _attempt(compiling: Callable[[], Any]) -> Any:
    try:
        return compiling()
    except ValueError:
        return None


def _without_shapes(spec: Any) -> bool | None:
    """Take shapes off that weigh nothing; return whether that may be compiled, None if nothing was changed."""
    compiler = spec.compiler
    if compiler.fusestatic or compiler.inertiafromgeom == MESH_INERTIA or compiler.settotalmass > 0:
        return None
    try:
        for geom in list(spec.geoms):
            body = geom.parent
            if geom.meshname and (body.explicitinertial or body.name == "world"):
                spec.delete(geom)
            else:
                geom.material = ""
        for site in spec.sites:
            site.material = ""
        used = {geom.meshname for geom in spec.geoms}
        for mesh in list(spec.meshes):
            if mesh.name and mesh.name not in used:
                spec.delete(mesh)
        for part in [*spec.skins, *spec.materials, *spec.textures]:
            spec.delete(part)
    except (AttributeError, ValueError, RuntimeError):
        return False
    return True


def _lines(spec: Any) -> Iterator[tuple[tuple[str, int], int]]:
    for kind, elements in (("body", spec.bodies), ("joint", spec.joints)):
        for element in elements:
            found = _LINE.search(element.info)
            if found:
                yield (kind, element.id), int(found[1])
