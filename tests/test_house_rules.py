"""The house keeps its own rules: which room may know which, how long a page is, what a public name must tell."""

from __future__ import annotations

import ast
import inspect
import re
from pathlib import Path

import pytest

import rne

ROOT = Path(__file__).parents[1]
RNE = ROOT / "rne"
LONGEST = 350

# Who may import whom, downward only; a room may use itself. Nothing else of the house may be imported.
ARROWS = {
    "errors": "",
    "tree": "errors",
    "passivity": "tree",
    "read": "passivity tree errors",
    "kernels/layout": "",  # numbers only
    "kernels": "errors kernels/layout",
    "frames": "kernels/layout",
    "rotations": "",
    "whole": "",
    "links": "rotations frames kernels/layout tree errors",
    "edit": "passivity tree errors",
    "coupling": "edit errors kernels/layout passivity tree",
    "inertial": "edit errors passivity tree",
    "robot": "coupling inertial kernels/layout links edit read tree errors",
    "arrays": "kernels/layout frames robot edit errors",
    "many": "kernels kernels/layout arrays robot errors",
    "loading": "edit errors read robot tree",
    "dynamics": "arrays kernels kernels/layout many robot",
    "coriolis": "arrays dynamics kernels many robot",
    "inertia": "arrays errors kernels kernels/layout many robot",
    "forward": "arrays dynamics errors inertia kernels kernels/layout many robot",
    "jit": "arrays errors kernels robot",
    "regrouping": "arrays edit errors inertial linear_model robot",
    "nearest": "inertial regrouping",
    "identification": "arrays dynamics edit errors inertial linear_model nearest regrouping robot",
    "exciting": "edit errors regrouping robot sampling",
    "shapes": "edit errors",
    "rigid_body": "edit errors shapes tree",
    "free_body": "edit errors rigid_body",
    "trajectory": "edit errors",
    "power": "arrays dynamics robot",
    "text": "",
    "sizing": "arrays breakdown edit errors power robot text",
    "lagrange": "arrays edit errors robot tree",  # the second opinion: nothing of kernels or links
    "sampling": "kernels/layout robot",
    "identities": "coriolis dynamics energy errors forward inertia lagrange robot",
    "kinematic_identities": "identities kinematics lagrange linear_model mass robot statics",
    "variants": (
        "coriolis dynamics energy errors forward identities inertia inertial kinematic_identities kinematics "
        "linear_model mass robot statics"
    ),
    "verification": "arrays edit identities kinematic_identities robot sampling variants",
    "doctor": "edit errors inertia kernels/layout loading read robot sampling tree",
    "energy": "arrays errors kernels many robot",
    "equations": "arrays coriolis dynamics errors inertia robot text",
    "kinematics": "arrays errors frames kernels many robot",
    "linear_model": "arrays errors inertial kernels kernels/layout many robot",
    "mass": "arrays errors kernels many robot",
    "statics": "arrays dynamics edit errors kernels kernels/layout kinematics many robot",
    "reactions": "arrays dynamics edit errors forward kinematics robot statics text",
    "motion": "edit errors robot text",
    "path": "arrays edit errors robot trajectory",
    "control": "arrays errors kernels kernels/layout path robot",
    "integration": "edit errors forward kernels robot",
    "simulation": "arrays control edit energy errors inertia integration kernels many motion robot",
    "balance": "arrays control dynamics errors integration motion power robot simulation statics",
    "breakdown": "arrays dynamics errors inertia kernels kernels/layout many robot statics",
    "terms": "breakdown equations errors robot",
    "simplification": "arrays edit errors robot sizing terms text",
    "smoothing": "edit errors",
    "files": "arrays edit errors robot smoothing whole",
    "plot": "arrays breakdown edit energy errors inertia robot simplification sizing terms whole",
    "operational": "arrays errors inertia kinematics robot",
    "dask": (
        "arrays breakdown coriolis dynamics edit energy errors forward inertia kinematics linear_model mass "
        "operational power robot statics"
    ),
    "viewer": "arrays dynamics edit errors kinematics read rigid_body robot sampling tree",
    "examples": "__init__ edit lagrange text",  # the public names, as their readers use them
    "cli": "__init__ doctor examples files kernels many robot sampling tree errors verification whole",  # a loop to time
}
ARROWS["__init__"] = " ".join(ARROWS.keys() - {"cli", "examples"})  # the front door leads to all but its own clients
# What else a room or file may import: packages of an extra, which need not be there.
EXTRAS = {
    "dask.py": {"dask"},
    "files": {"pyarrow"},
    "integration.py": {"scipy"},
    "plot": {"matplotlib"},
    "read/xacro.py": {"xacro", "xacrodoc"},
    "viewer": {"trimesh", "viser"},
}
GROWING = ("__init__", "cli")  # these may use less than they may

SOURCES = sorted(RNE.rglob("*.py"))
SOURCE_IDS = [str(path.relative_to(ROOT)) for path in SOURCES]


def room(module: str) -> str:
    """Room of a module given as `rne.x.y`."""
    parts = module.split(".")[1:]
    if not parts:
        return "__init__"
    if parts[:2] == ["kernels", "layout"]:
        return "kernels/layout"
    return parts[0]


def module_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_of(path) for path in SOURCES}


def imported(path: Path) -> set[str]:
    """Modules that a file imports, wherever in the file it does."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports by dots hide where they lead"
            names = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= {name if name in MODULES else str(node.module) for name in names}
    return found


@pytest.mark.parametrize("path", SOURCES, ids=SOURCE_IDS)
def test_imports_point_downward(path):
    here = room(module_of(path))
    assert here in ARROWS, "a new room: say in ARROWS whom it may know"
    allowed = {here, *ARROWS[here].split()}
    up = {name for name in imported(path) if name.split(".")[0] == "rne" and room(name) not in allowed}
    assert not up, f"{here} may import {sorted(allowed)}"


def test_the_arrows_make_no_ring():
    done: list[str] = []
    waiting = {name: set(below.split()) for name, below in ARROWS.items()}
    while waiting:
        free = [name for name, below in waiting.items() if below <= set(done)]
        assert free, f"a ring among {sorted(waiting)}"
        done += free
        waiting = {name: below for name, below in waiting.items() if name not in free}


def test_every_arrow_is_used_and_every_room_is_there():
    """An arrow that nobody needs would hide the day when somebody uses it; the command line may grow first."""
    used: dict[str, set[str]] = {room(module_of(path)): set() for path in SOURCES}
    for path in SOURCES:
        used[room(module_of(path))] |= {room(name) for name in imported(path) if name.split(".")[0] == "rne"}
    assert set(ARROWS) == set(used)
    for here, below in ARROWS.items():
        assert here in GROWING or set(below.split()) <= used[here], here


@pytest.mark.parametrize("path", SOURCES, ids=SOURCE_IDS)
def test_only_kernels_know_numba(path):
    if room(module_of(path)) != "kernels":
        assert not {name for name in imported(path) if name.split(".")[0] in ("numba", "llvmlite")}


@pytest.mark.parametrize("path", SOURCES, ids=SOURCE_IDS)
def test_only_the_command_line_prints(path):
    if room(module_of(path)) == "cli":
        return
    tree = ast.parse(path.read_text(encoding="utf-8"))
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    attributes = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    assert "print" not in names
    assert not {"stdout", "stderr"} & attributes
    assert not {name for name in imported(path) if name.split(".")[0] in ("click", "logging", "rich")}


def test_nothing_but_the_declared_is_imported():
    """numpy, numba with its llvmlite, click for the command line; all else is Python's own.

    The packages of extras are for the rooms in EXTRAS.
    """
    import sys

    for path in SOURCES:
        outside = {name.split(".")[0] for name in imported(path)} - sys.stdlib_module_names - {"rne"}
        assert outside <= {"numpy", "numba", "llvmlite", "click"} | EXTRAS.get(extra(path), set()), path


def extra(path: Path) -> str:
    """What EXTRAS calls a file or its room."""
    here = str(path.relative_to(RNE))
    return here if here in EXTRAS else here.split("/")[0]


@pytest.mark.parametrize("path", [path for path in SOURCES if extra(path).endswith(".py") and extra(path) in EXTRAS])
def test_what_may_be_missing_is_imported_where_it_is_used(path):
    names = "|".join(EXTRAS[extra(path)])
    assert not re.search(rf"^(import|from) ({names})", path.read_text(encoding="utf-8"), re.MULTILINE)


PAGES = sorted(path for folder in ("rne", "tests", "benchmarks") for path in (ROOT / folder).rglob("*.py"))


@pytest.mark.parametrize("path", PAGES, ids=[str(path.relative_to(ROOT)) for path in PAGES])
def test_a_page_is_not_too_long(path):
    lines = path.read_text(encoding="utf-8").splitlines()
    assert len(lines) <= LONGEST
    assert not lines or lines[0].startswith(('"""', "'''", "#!")), "the first line says what the file is"


def public_names():
    for module in (rne, rne.control, rne.files, rne.jit, rne.plot):
        for name in module.__all__:
            value = getattr(module, name)
            if not inspect.ismodule(value):
                yield f"{module.__name__}.{name}", value


PUBLIC = dict(public_names())


def documentation(value) -> str:
    return inspect.getdoc(getattr(value, "py_func", value)) or ""


@pytest.mark.parametrize("name", PUBLIC)
def test_a_public_name_says_what_it_is(name):
    value = PUBLIC[name]
    text = documentation(value)
    assert text.strip()
    if inspect.isclass(value) and issubclass(value, (Exception, Warning)):
        return
    assert re.search(r"^Parameters\n-+$", text, re.MULTILINE)
    assert ">>> " in text, "an example"
    if not inspect.isclass(value) and "Fill " not in text:  # those that fill an array return nothing
        assert re.search(r"^Returns\n-+$", text, re.MULTILINE)


@pytest.mark.parametrize("name", PUBLIC)
def test_a_public_name_describes_every_parameter(name):
    value = PUBLIC[name]
    if inspect.isclass(value) and issubclass(value, (Exception, Warning)):
        return
    section = re.search(r"^Parameters\n-+\n(.*?)(?:\n\n[A-Z]|\Z)", documentation(value), re.MULTILINE | re.DOTALL)
    described = set(re.findall(r"\w+", section.group(1)))
    wanted = set(inspect.signature(getattr(value, "py_func", value)).parameters)
    assert wanted <= described


def test_public_names_are_sorted_and_there():
    for module in (rne, rne.control, rne.files, rne.jit, rne.plot):
        assert list(module.__all__) == sorted(module.__all__)
        assert all(hasattr(module, name) for name in module.__all__)


def test_tests_do_not_lean_on_the_workshop():
    """What is proven here is proven anywhere: no path outside the repository."""
    for folder in ("rne", "tests", "benchmarks", "models"):
        for path in (ROOT / folder).rglob("*"):
            if path.is_file() and path.suffix in (".py", ".toml", ".urdf", ".md"):
                assert "/work" + "/" not in path.read_text(encoding="utf-8"), path
