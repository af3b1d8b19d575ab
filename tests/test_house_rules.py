"""Rules that the layer contract cannot say: numba only in kernels, files of sane length, public names documented."""

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

# What else a room or file may import: packages of an extra, which need not be there.
EXTRAS = {
    "dask.py": {"dask"},
    "files": {"pyarrow"},
    "plot": {"matplotlib"},
    "read/urdf/xacro.py": {"xacro", "xacrodoc"},
    "simulation/integrators.py": {"scipy"},
    "viewer": {"trimesh", "viser"},
}

SOURCES = sorted(RNE.rglob("*.py"))
SOURCE_IDS = [str(path.relative_to(ROOT)) for path in SOURCES]


def room(module: str) -> str:
    """Room of a module given as `rne.x.y`."""
    return [*module.split("."), "__init__"][1]


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
