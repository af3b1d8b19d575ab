"""What tests/versions/run.py reads from pyproject.toml, which interpreters it takes, and what the quick tests cover."""

from __future__ import annotations

import importlib.util
import stat
import sys
import tomllib
from pathlib import Path

import pytest

_SPEC = importlib.util.spec_from_file_location("versions_run", Path(__file__).with_name("run.py"))
assert _SPEC is not None
assert _SPEC.loader is not None
run = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(run)

PROJECT = tomllib.loads((run.ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def project(*dependencies: str, **extras: list[str]) -> dict:
    return {"name": "rne", "dependencies": list(dependencies), "optional-dependencies": extras}


def test_each_package_of_this_project_has_one_lowest_version():
    found = run.floors(PROJECT)
    assert {"numpy", "numba", "click", "dask", "pyarrow", "viser", "xacro", "pin", "pytest"} <= set(found)
    assert not {"rne", "ruff", "casadi"} & set(found)


def test_lowest_versions_are_read():
    lines = ["a>=1.2", "b-c[d,e]==3"]
    assert run.floors(project(*lines, test=["rne[x]", "a>=1.2"], x=["f>=0.1,<2"], lint=["g"])) == {
        "a": "1.2",
        "b-c": "3",
        "f": "0.1",
    }


@pytest.mark.parametrize(
    ("lines", "said"), [(["a"], "'a'"), (["a<2"], "'a<2'"), (["a>=1", "a>=2"], "a has two lowest versions, 1 and 2")]
)
def test_what_names_no_lowest_version_or_two_is_refused(lines, said):
    with pytest.raises(SystemExit, match=said):
        run.floors(project("b>=1", test=lines))


def interpreter(path: Path, told: str) -> Path:
    path.write_text(f"#!/bin/sh\n{told}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


@pytest.mark.skipif(sys.platform == "win32", reason="scripts of a shell")
def test_the_newest_final_release_of_each_version_is_taken(tmp_path):
    told = {
        "old": "echo [true, 3, 10, 99]",
        "first": "echo [true, 3, 12, 1]",
        "later": "echo [true, 3, 12, 10]",
        "again": "echo [true, 3, 12, 9]",
        "draft": "echo [false, 3, 15, 0]",
        "shim": "exit 127",
    }
    paths = [interpreter(tmp_path / name, text) for name, text in told.items()]
    found = run.interpreters([*paths, tmp_path / "missing", Path(sys.executable)], (3, 11))
    if sys.version_info[:2] != (3, 12):
        assert found.pop((3, 12)) == tmp_path / "later"
    assert set(found) <= {sys.version_info[:2]}


def test_the_quick_tests_exist_and_cover_each_folder():
    lines = Path(__file__).with_name("quick.txt").read_text(encoding="utf-8").split()
    assert len(lines) == len(set(lines))
    files = {run.ROOT / line.split("::")[0] for line in lines}
    assert [path for path in files if not path.is_file()] == []
    folders = {path.parent for path in (run.ROOT / "tests").rglob("test_*.py")}
    assert folders - {path.parent for path in files} == set()
