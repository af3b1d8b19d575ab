"""Compiled code on disk: never stale, and no trouble where nothing can be written.

Each process that compiles costs some seconds, so there are few, and what they print is looked at from several sides.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import numba
import pytest

from rne.kernels.cache import WholeFiles

RNE = Path(__file__).parents[2] / "rne"

# A beam on a slide, so that whatever is cut out of the kernels shows. By hand: the slide carries the weight of 3 kg.
CALL = """
import warnings
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    import rne
    slide = {"joint": "prismatic", "mass": 1.0}
    beam = {"joint": "revolute", "alpha": 1.5707963267948966, "a": 1.0, "mass": 2.0}
    robot = rne.from_dh([slide, beam], convention="modified")
    tau = rne.gravity_vector(robot, [0.0, 0.0])
    rne.gravity_vector(robot, [0.5, 0.0])
    print(rne.__file__)
    print(*(f"{x:.9g}" for x in tau))
    %s
    print(*(f"{type(w.message).__name__}: {w.message}" for w in caught), sep="\\n")
"""
TWO_KERNELS = "rne.friction_torque(robot, [1.0, 1.0])"


def process(path: Path, home: Path, *, also: str = "", **environment: str) -> list[str]:
    """Run the call above in a fresh Python that finds rne at `path`; return what it prints, line by line."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("NUMBA", "XDG", "PYTHON"))}
    home_of = {"HOME": str(home), "XDG_CACHE_HOME": str(home / "cache")}
    done = subprocess.run(
        [sys.executable, "-c", CALL % also],
        cwd=path.parent,
        env={**kept, **home_of, "PYTHONPATH": str(path), **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def compiled(path: Path) -> dict[Path, int]:
    """Compiled code below a folder, each file with the time at which it was written."""
    return {file: file.stat().st_mtime_ns for file in path.rglob("*.nbc")}


def answer(lines: list[str]) -> list[str]:
    return next(line for line in lines if line[0] in "-0123456789").split()


def copy_of_package(folder: Path) -> Path:
    """A copy with its caches, where there are some: they hold for the copy, too, and save a compilation."""
    shutil.copytree(RNE, folder / "rne", ignore=shutil.ignore_patterns("*.tmp.*", "*.pyc*"))  # others may be compiling
    return folder


def test_a_change_in_any_kernel_is_noticed_although_a_cache_exists(tmp_path):
    path = copy_of_package(tmp_path / "site")
    assert answer(process(path, tmp_path)) == ["29.43", "0"]
    first = compiled(path)
    assert [file for file in first if file.name.startswith("gravity")]

    assert answer(process(path, tmp_path)) == ["29.43", "0"]
    assert compiled(path) == first

    # A helper of helpers of what is cached, whose own file stays as it is.
    vec = path / "rne" / "kernels" / "algebra" / "vec.py"
    text = vec.read_text()
    wanted = "return (a[0] + b[0], a[1] + b[1], a[2] + b[2])"
    assert wanted in text
    vec.write_text(text.replace(wanted, "return (a[0] + b[0], a[1] + b[1], a[2] + 2 * b[2])"))
    assert answer(process(path, tmp_path)) != ["29.43", "0"]
    assert not compiled(path).items() >= first.items()


@pytest.fixture(scope="module")
def nowhere(tmp_path_factory) -> Path:
    """A home in which nothing can be made, not even by root: it is a file."""
    path = tmp_path_factory.mktemp("nowhere") / "home"
    path.write_text("")
    return path


def test_where_nothing_can_be_written_it_compiles_and_says_so_once(tmp_path, nowhere):
    """An installed package in a folder that cannot be written; for root, the folder of the caches is a file."""
    path = tmp_path / "site"
    shutil.copytree(RNE, path / "rne", ignore=shutil.ignore_patterns("__pycache__"))
    (path / "rne" / "kernels" / "__pycache__").write_text("")
    lines = process(path, nowhere, also=TWO_KERNELS)
    assert answer(lines) == ["29.43", "0"]
    warned = [line for line in lines if "Warning" in line]
    assert len(warned) == 1, lines
    assert warned[0].startswith("RuntimeWarning: rne: no folder for compiled code can be written")
    assert "NUMBA_CACHE_DIR" in warned[0]
    assert not list(tmp_path.rglob("*.nb[ic]"))


def test_it_works_from_a_zip_file(tmp_path):
    """Caches then go to a folder of the user, without a word."""
    path = tmp_path / "site" / "rne.zip"
    path.parent.mkdir()
    with zipfile.ZipFile(path, "w") as archive:
        for file in sorted({*RNE.rglob("*.py"), *RNE.rglob("*.pyi")}):
            archive.write(file, Path("rne") / file.relative_to(RNE))
    lines = process(path, tmp_path)
    assert lines[0] == str(path / "rne" / "__init__.py")
    assert answer(lines) == ["29.43", "0"]
    assert not [line for line in lines if "Warning" in line], lines


def test_where_numba_may_not_compile_an_error_says_so():
    call = "import rne; rne.gravity_vector(rne.load('models/planar2/robot.dh.toml'), [0.0, 0.0])"
    done = subprocess.run(
        [sys.executable, "-c", call],
        cwd=RNE.parent,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "rne.errors.RneError: NUMBA_DISABLE_JIT is set" in done.stderr


def test_code_without_checks_of_bounds_is_none_with_them(tmp_path, monkeypatch):
    files = WholeFiles(str(tmp_path), "f-1.py311", "stamp")
    files.save("key", "unchecked")
    monkeypatch.setattr(numba.config, "BOUNDSCHECK", 1)
    assert files.load("key") is None
    files.save("key", "checked")
    monkeypatch.undo()
    assert files.load("key") == "unchecked"
