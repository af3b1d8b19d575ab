"""What may happen to compiled code on disk: processes that race or are killed, damaged files, full disks, new sources.

Whatever it is, answers are right, and nobody has to clean up. Each process that compiles costs some seconds, so they
call the smallest of the kernels.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from rne.kernels.cache import WholeFiles

RNE = Path(__file__).parents[2] / "rne"

# Friction of 0.5 N m s at 2 rad/s, and 0.2 N m: 1.2 N m.
CALL = """
import sys, warnings
{first}
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    import numpy as np
    import rne
    row = {{"joint": "revolute", "a": 0.1, "mass": 1.0, "viscous": 0.5, "coulomb": 0.2}}
    wheel = rne.from_dh([row], convention="standard")
    tau = [rne.friction_torque(wheel, np.array([[2.0]], dtype)).item() for dtype in {dtypes}]
print(*np.round(tau, 6), *(f"{{type(w.message).__name__}}: {{w.message}}" for w in caught), sep="\\n")
"""


def started(site: Path, *dtypes: str, first: str = "") -> subprocess.Popen:
    """A fresh Python that finds rne in `site`, and for which the folder around it is home."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("NUMBA", "XDG", "PYTHON"))}
    home = {"HOME": str(site.parent), "XDG_CACHE_HOME": str(site.parent / "cache"), "PYTHONPATH": str(site)}
    code = CALL.format(first=first, dtypes=dtypes or ("f8",))
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen([sys.executable, "-c", code], cwd=site, env={**kept, **home}, **pipes)


def ended(process: subprocess.Popen) -> list[str]:
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    return out.splitlines()


def run(site: Path, *dtypes: str, first: str = "") -> list[str]:
    return ended(started(site, *dtypes, first=first))


def files(folder: Path) -> dict[Path, tuple[int, int]]:
    """Compiled code below a folder, each file with what changes when it is written anew."""
    found = {path: path.stat() for path in folder.rglob("*.nb*")}
    return {path: (stat.st_ino, stat.st_mtime_ns) for path, stat in found.items()}


def bare_copy(site: Path) -> Path:
    shutil.copytree(RNE, site / "rne", ignore=shutil.ignore_patterns("*.nb*", "*.pyc*"))
    return site


@pytest.fixture(scope="module")
def warm(tmp_path_factory):
    """A copy of the package with its code for this call, filled by two processes at once, in both orders."""
    site = bare_copy(tmp_path_factory.mktemp("warm") / "site")
    processes = [started(site, "f8", "f4"), started(site, "f4", "f8")]
    assert [ended(process) for process in processes] == [["1.2", "1.2"]] * 2
    return site


@pytest.fixture
def site(warm, tmp_path):
    """A copy of that copy, to be harmed."""
    return Path(shutil.copytree(warm, tmp_path / "site"))


def test_two_processes_that_fill_an_empty_cache_leave_a_whole_one(site):
    before = files(site)
    assert len(before) == 5  # friction and what readies its arguments, in two precisions each, and where arrays lie
    assert run(site, "f8", "f4") == ["1.2", "1.2"]
    assert files(site) == before


def test_damaged_files_are_compiled_anew_and_mended(site):
    whole = {path: path.read_bytes() for path in files(site)}
    for number, (path, content) in enumerate(sorted(whole.items())):
        middle = len(content) // 2
        flipped = content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]
        path.write_bytes((b"", content[:middle], content[:-1], flipped)[number % 4])
    assert run(site, "f8", "f4") == ["1.2", "1.2"]
    assert set(files(site)) == set(whole)
    mended = files(site)
    assert run(site, "f8", "f4") == ["1.2", "1.2"]
    assert files(site) == mended


def test_code_of_another_function_is_compiled_anew_and_mended(site):
    """Each file is whole, but lies where another belongs: of another function, or of the same in another precision."""
    paths = sorted(files(site))
    whole = [path.read_bytes() for path in paths]
    for number, path in enumerate(paths):
        path.write_bytes(whole[number - 1])
    assert run(site, "f8", "f4") == ["1.2", "1.2"]
    assert sorted(files(site)) == paths
    mended = files(site)
    assert not {path for number, path in enumerate(paths) if path.read_bytes() == whole[number - 1]}
    assert run(site, "f8", "f4") == ["1.2", "1.2"]
    assert files(site) == mended


DIES = """
import os, pathlib, signal
def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)
pathlib.Path.replace = die
"""


def test_a_process_killed_while_it_saves_the_code_of_new_sources(site):
    """The old code is there under the new sources; nobody may take the one for the other."""
    old = files(site)
    kernel = site / "rne" / "kernels" / "friction.py"
    text, once = kernel.read_text(), "= friction(table, i, state[QD, j])"
    assert text.count(once) == 1
    kernel.write_text(text.replace(once, f"= 2 * {once[2:]}"))
    process = started(site, first=DIES)
    process.communicate(timeout=120)
    assert process.returncode == -signal.SIGKILL
    drafts = set(files(site)) - set(old)
    assert drafts
    assert all(".tmp." in path.name for path in drafts)
    assert run(site) == ["2.4"]
    # What is left is of the new sources, but for a draft that may be of a process still at work.
    assert not set(old) & set(files(site))
    assert run(site) == ["2.4"]


def test_a_full_disk_costs_nothing_but_time(tmp_path):
    site = bare_copy(tmp_path / "site")
    full = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))"
    answer, *warned = run(site, first=full + "; sys.dont_write_bytecode = True")
    assert answer == "1.2"
    assert len(warned) == 1
    assert warned[0].startswith("RuntimeWarning: rne: no folder for compiled code can be written")
    assert not files(tmp_path)


def test_a_package_that_cannot_be_written_keeps_its_code_in_the_home_of_the_user(site):
    """For root, too, where the folder of the caches is a file."""
    shutil.rmtree(site / "rne" / "kernels" / "__pycache__")
    (site / "rne" / "kernels" / "__pycache__").write_text("")
    assert run(site) == ["1.2"]
    kept = files(site.parent / "cache")
    assert len(kept) == 3  # friction of one state and of many, and what readies the arguments
    assert run(site) == ["1.2"]
    assert files(site.parent) == kept


KEY = ("signature", "processor")


def test_a_file_with_anything_wrong_counts_as_none(tmp_path):
    store = WholeFiles(str(tmp_path), "module.function-12.py311", "a" * 64)
    assert store.load(KEY) is None
    store.save(KEY, {"code": bytes(range(256))})
    assert store.load(KEY) == {"code": bytes(range(256))}
    assert store.load((*KEY, "other")) is None
    (path,) = tmp_path.iterdir()
    content = path.read_bytes()
    for length in range(0, len(content), 3):
        path.write_bytes(content[:length])
        assert store.load(KEY) is None
    for place in range(0, len(content), 3):
        path.write_bytes(content[:place] + bytes([content[place] ^ 16]) + content[place + 1 :])
        assert store.load(KEY) is None
    path.unlink()
    path.mkdir()
    assert store.load(KEY) is None


def test_a_file_under_the_name_of_another_counts_as_none(tmp_path):
    def store(name: str = "module.function-12.py311", stamp: str = "a" * 64) -> WholeFiles:
        return WholeFiles(str(tmp_path), name, stamp)

    def only() -> Path:
        (path,) = tmp_path.glob("*.nbc")
        return path

    store().save(KEY, 1)
    path = only()
    content = path.read_bytes()
    path.unlink()
    of_another = [(store("module.other-12.py311"), KEY), (store(stamp="b" * 64), KEY), (store(), (*KEY, "other"))]
    for other, key in of_another:
        other.save(key, 2)
        only().replace(path)
        assert store().load(KEY) is None
        path.write_bytes(content)
        assert store().load(KEY) == 1
        path.unlink()


def test_only_files_of_other_sources_are_removed(tmp_path):
    old, new = (WholeFiles(str(tmp_path), "module.function-12.py311", letter * 64) for letter in "ab")
    moved = WholeFiles(str(tmp_path), "module.function-99.py312", "b" * 64)
    other = WholeFiles(str(tmp_path), "module.function_of_another_name-12.py311", "a" * 64)
    for store in (other, old, moved, new):
        store.save(KEY, 1)
        store.save("other key", 2)
    assert old.load(KEY) is None
    assert [store.load(KEY) for store in (other, moved, new)] == [1, 1, 1]
    assert len(list(tmp_path.iterdir())) == 6
