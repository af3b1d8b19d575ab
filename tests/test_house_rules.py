"""Rules that the layer contract cannot say: numba only in kernels, files of sane length, public names documented.

One test for each rule; it looks everywhere and lists all that breaks the rule.
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
from collections.abc import Iterable, Iterator
from functools import cache, partial
from importlib.metadata import packages_distributions
from pathlib import Path

import rne
from rne.tables import Report

ROOT = Path(__file__).parents[1]
RNE = ROOT / "rne"
LONGEST = 350

# What else a room or file may import: packages of an extra, which need not be there.
EXTRAS = {
    "codegen": {"sympy"},
    "dask.py": {"dask"},
    "dynamics/linear_system.py": {"scipy"},
    "examples/derivatives.py": {"scipy"},
    "files/bags.py": {"rosbags"},
    "files/extra.py": {"pyarrow"},
    "files/mat_hdf5.py": {"h5py", "scipy"},
    "jax": {"jax"},
    "plot": {"matplotlib"},
    "read/mjcf/compiled.py": {"mujoco"},
    "read/urdf/xacro.py": {"xacro"},
    "simulation/adaptive.py": {"scipy"},
    "torch": {"torch"},
    "viewer": {"trimesh", "viser"},
}

SOURCES = sorted(RNE.rglob("*.py"))
PAGES = sorted(path for folder in ("rne", "tests", "benchmarks") for path in (ROOT / folder).rglob("*.py"))
PUBLIC_MODULES = (rne, rne.control, rne.files, rne.jit, rne.plot)


def assert_none(violations: Iterable[str]) -> None:
    """Fail with all violations of a rule, one a line."""
    found = list(violations)
    assert not found, "\n" + "\n".join(found)


def in_repository(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def room(path: Path) -> str:
    """Room of a source file: the folder or module directly in `rne`."""
    return path.relative_to(RNE).parts[0].removesuffix(".py")


def module_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_of(path) for path in SOURCES}


@cache
def syntax(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def imported(path: Path) -> set[str]:
    """Modules that a file imports, wherever in the file it does."""
    found = set()
    for node in ast.walk(syntax(path)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= {name if name in MODULES else str(node.module) for name in names}
    return found


def packages(path: Path) -> set[str]:
    return {name.split(".")[0] for name in imported(path)}


def extra(path: Path) -> str:
    """What EXTRAS calls a file or its room."""
    here = path.relative_to(RNE).as_posix()
    return here if here in EXTRAS else here.split("/")[0]


# ------------------------------------------------------------------------------------------------------------ imports


def test_nothing_is_imported_by_dots():
    """They hide where an import leads."""
    assert_none(
        f"{in_repository(path)}:{node.lineno}: import by dots"
        for path in SOURCES
        for node in ast.walk(syntax(path))
        if isinstance(node, ast.ImportFrom) and node.level
    )


def test_only_kernels_know_numba():
    assert_none(
        f"{in_repository(path)}: imports {name}"
        for path in SOURCES
        for name in sorted(packages(path) & {"numba", "llvmlite"})
        if room(path) != "kernels"
    )


def test_nothing_but_the_declared_is_imported():
    """numpy, numba with its llvmlite, lazy_loader for the names, click for the command line; all else is Python's own.

    The packages of extras are for the rooms in EXTRAS.
    """
    core = {"numpy", "numba", "llvmlite", "lazy_loader", "click", "rne"} | sys.stdlib_module_names
    assert_none(
        f"{in_repository(path)}: imports {name}"
        for path in SOURCES
        for name in sorted(packages(path) - core - EXTRAS.get(extra(path), set()))
    )


def test_what_may_be_missing_is_imported_where_it_is_used():
    """In a file that is there for more than its extra; rooms that are for nothing else may import it at the top."""
    assert_none(
        f"{in_repository(path)}: {line}"
        for path in SOURCES
        if extra(path).endswith(".py") and extra(path) in EXTRAS
        for line in path.read_text(encoding="utf-8").splitlines()
        if re.match(rf"(import|from) ({'|'.join(EXTRAS[extra(path)])})\b", line)
    )


# -------------------------------------------------------------------------------------------------------------- files


def test_only_the_command_line_prints():
    def violations() -> Iterator[str]:
        for path in SOURCES:
            if room(path) == "cli":
                continue
            for node in ast.walk(syntax(path)):
                if isinstance(node, ast.Name) and node.id == "print":
                    yield f"{in_repository(path)}:{node.lineno}: print"
                if isinstance(node, ast.Attribute) and node.attr in ("stdout", "stderr"):
                    yield f"{in_repository(path)}:{node.lineno}: {node.attr}"
            for name in sorted(packages(path) & {"click", "logging", "rich"}):
                yield f"{in_repository(path)}: imports {name}"

    assert_none(violations())


def test_no_page_is_too_long():
    lengths = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in PAGES}
    assert_none(f"{in_repository(path)}: {lines} lines" for path, lines in lengths.items() if lines > LONGEST)


def test_the_first_line_of_a_page_says_what_it_is():
    firsts = {path: path.read_text(encoding="utf-8").partition("\n")[0] for path in PAGES}
    assert_none(
        f"{in_repository(path)}: begins with {first!r}"
        for path, first in firsts.items()
        if not (path.stat().st_size == 0 or first.startswith(('"""', "'''", "#!")))
    )


def test_tests_do_not_lean_on_the_workshop():
    """What is proven here is proven anywhere: no path outside the repository."""
    assert_none(
        in_repository(path)
        for folder in ("rne", "tests", "benchmarks", "models")
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and path.suffix in (".py", ".toml", ".urdf", ".md")
        if "/work" + "/" in path.read_text(encoding="utf-8")
    )


# -------------------------------------------------------------------------------------------------------------- tests


def test_every_room_has_its_tests():
    """A folder of the same name with tests in it, or a file where the room is."""
    rooms = {path.parent for path in SOURCES} - {RNE} | set(RNE.glob("[!_]*.py"))

    def mirrored(room: Path) -> bool:
        place = ROOT / "tests" / room.relative_to(RNE).with_suffix("")
        return any(place.glob("test_*.py")) or place.with_name(f"test_{place.name}.py").exists()

    assert_none(f"{in_repository(room)}: no tests" for room in sorted(rooms) if not mirrored(room))


def test_no_helper_has_the_name_of_a_package():
    """The helpers in `tests/support` are imported by their plain names, as packages are."""
    helpers = {path.stem for path in (ROOT / "tests" / "support").iterdir() if path.stem != "__pycache__"}
    assert_none(sorted(helpers & {*sys.stdlib_module_names, *packages_distributions(), *room_names()}))


def room_names() -> set[str]:
    return {path.stem for path in RNE.iterdir()}


# ------------------------------------------------------------------------------------------------------- public names


def public_names() -> Iterator[tuple[str, object]]:
    for module in PUBLIC_MODULES:
        for name in filter(partial(hasattr, module), module.__all__):  # `test_public_names_are_there` tells the others
            value = getattr(module, name)
            if not inspect.ismodule(value):
                yield f"{module.__name__}.{name}", value


PUBLIC = dict(public_names())


def is_error(value: object) -> bool:
    return inspect.isclass(value) and issubclass(value, (Exception, Warning))


def documentation(value: object) -> str:
    return inspect.getdoc(getattr(value, "py_func", value)) or ""


def section_of(value: object) -> str:
    """Reports and their entries are read, and never made by hand."""
    read = (Report, rne.Finding, rne.FrictionLaw, rne.IdentityCheck, rne.Problem)
    return "Attributes" if inspect.isclass(value) and issubclass(value, read) else "Parameters"


def test_few_modules_stand_in_no_room():
    assert len(list(RNE.glob("*.py"))) <= 12


def test_every_public_name_says_what_it_is():
    """With parameters, result and an example; of an error or warning, words are enough."""

    def missing(value: object) -> Iterator[str]:
        text = documentation(value)
        if not text.strip():
            yield "no docstring"
        elif not is_error(value):
            takes = inspect.isclass(value) or not callable(value) or inspect.signature(value).parameters
            if takes and not re.search(rf"^{section_of(value)}\n-+$", text, re.MULTILINE):
                yield f"no {section_of(value)}"
            if ">>> " not in text:
                yield "no example"
            fills = inspect.isclass(value) or "Fill " in text  # those that fill an array return nothing
            if not fills and not re.search(r"^Returns\n-+$", text, re.MULTILINE):
                yield "no Returns"

    assert_none(f"{name}: {what}" for name, value in PUBLIC.items() for what in missing(value))


def test_every_parameter_of_a_public_name_is_described():
    def missing(value: object) -> list[str]:
        if is_error(value):
            return []
        kind = section_of(value)
        section = re.search(rf"^{kind}\n-+\n(.*?)(?:\n\n[A-Z]|\Z)", documentation(value), re.MULTILINE | re.DOTALL)
        described = set(re.findall(r"\w+", section.group(1))) if section else set()
        names = set(inspect.signature(getattr(value, "py_func", value)).parameters)
        return sorted(name for name in names - described if not name.startswith("_"))

    assert_none(f"{name}: {parameter}" for name, value in PUBLIC.items() for parameter in missing(value))


def test_public_names_are_sorted():
    assert_none(module.__name__ for module in PUBLIC_MODULES if list(module.__all__) != sorted(module.__all__))


def test_public_names_are_there():
    assert_none(
        f"{module.__name__}.{name}" for module in PUBLIC_MODULES for name in module.__all__ if not hasattr(module, name)
    )
