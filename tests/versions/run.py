"""Run the quick tests on the oldest Python with the lowest versions of packages, and on newer ones with the newest.

    python tests/versions/run.py            # the oldest, and the newest at hand
    python tests/versions/run.py --all      # all that are at hand
    python tests/versions/run.py 3.11 3.12  # only these

The lowest versions are the floors in pyproject.toml, to the letter: a floor that cannot be installed beside the others
is an error. Packages are installed by uv, which shares what it has downloaded between environments.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
ENVIRONMENTS = ROOT / "build" / "versions"
TOOLS = ("bench", "docs", "lint")  # extras of those who work on the package: their newest versions are the ones in use

PROBE = """
import json, sys, sysconfig
final = sys.implementation.name == "cpython" and sys.version_info.releaselevel == "final"
print(json.dumps([final and not sysconfig.get_config_var("Py_GIL_DISABLED"), *sys.version_info[:3]]))
"""

Version = tuple[int, ...]


def version(text: str) -> Version:
    return tuple(int(part) for part in text.split("."))


def floors(project: dict[str, Any]) -> dict[str, str]:
    """Lowest version of each package that a project names, but for its own extras and those of `TOOLS`."""
    extras = project["optional-dependencies"]
    named = [*project["dependencies"], *(line for name in extras if name not in TOOLS for line in extras[name])]
    found: dict[str, str] = {}
    for line in named:
        if re.match(rf"{project['name']}\[", line):
            continue
        parts = re.fullmatch(r"([\w.-]+)(?:\[[\w,]+\])?(?:>=|==)([\d.]+)(?:,<[\d.]+)?", line)
        if not parts:
            raise SystemExit(f"pyproject.toml: {line!r}: wanted a lowest version, as in 'numpy>=2.0'")
        name, lowest = parts.groups()
        if found.setdefault(name, lowest) != lowest:
            raise SystemExit(f"pyproject.toml: {name} has two lowest versions, {found[name]} and {lowest}")
    return found


def candidates() -> Iterator[Path]:
    """Interpreters on the path, of pyenv, and of uv."""
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        yield from (path for path in Path(folder).glob("python3.*") if re.fullmatch(r"python3\.\d+(\.exe)?", path.name))
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    yield from pyenv.glob("versions/3.*/bin/python3")
    listed = subprocess.run(
        ["uv", "python", "list", "--only-installed", "--output-format", "json"], capture_output=True, check=True
    )
    yield from (Path(entry["path"]) for entry in json.loads(listed.stdout))


def interpreters(paths: Iterable[Path], oldest: Version) -> dict[Version, Path]:
    """The newest final release of each version from the oldest on; paths that start none, as shims, are left out."""
    found: dict[Version, tuple[Version, Path]] = {}
    for path in dict.fromkeys(paths):
        try:
            told = subprocess.run([path, "-c", PROBE], capture_output=True, timeout=30, check=False)
        except (OSError, subprocess.TimeoutExpired):
            continue
        if told.returncode != 0:
            continue
        fit, *release = json.loads(told.stdout)
        minor = tuple(release[:2])
        if fit and minor >= oldest and tuple(release) > found.get(minor, ((), path))[0]:
            found[minor] = tuple(release), path
    return {minor: found[minor][1] for minor in sorted(found)}


def quick_tests(python: Path, name: str, constraints: Path | None) -> tuple[str, int, str, float]:
    """Make an environment and run the quick tests in it; return its name, the exit code, what was printed, seconds."""
    begun = time.monotonic()
    inside = ENVIRONMENTS / name / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    capped = ["--constraints", constraints] if constraints else []
    steps: list[list[Any]] = [
        ["uv", "venv", "--quiet", "--clear", "--python", python, ENVIRONMENTS / name],
        ["uv", "pip", "install", "--quiet", "--python", inside, *capped, "--editable", ".[test]"],
        [inside, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "quick"],
    ]
    # Packages of the outer environment must not be found, nor the package in another folder.
    environment = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "VIRTUAL_ENV")}
    printed = ""
    for step in steps:
        done = subprocess.run(
            step, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
        )
        printed += done.stdout
        if done.returncode:
            break
    return name, done.returncode, printed, time.monotonic() - begun


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("only", nargs="*", type=version, metavar="3.N", help="versions of Python to try")
    parser.add_argument("--all", action="store_true", help="try all that are at hand")
    given = parser.parse_args()
    asked = given.only
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    if not shutil.which("uv"):
        raise SystemExit(f"no uv: {sys.executable} -m pip install uv")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    oldest = version(project["requires-python"].removeprefix(">="))
    at_hand = interpreters(candidates(), oldest)
    if missing := set(asked) - set(at_hand):
        raise SystemExit(f"no Python {', '.join('.'.join(map(str, minor)) for minor in sorted(missing))} at hand")

    ENVIRONMENTS.mkdir(parents=True, exist_ok=True)
    lowest = ENVIRONMENTS / "lowest.txt"
    lowest.write_text("".join(f"{name}=={floor}\n" for name, floor in floors(project).items()), encoding="utf-8")
    tasks = []
    tried = asked or (at_hand if given.all else {oldest, max(at_hand, default=oldest)})
    for minor, python in at_hand.items():
        if minor in tried:
            which, constraints = ("lowest", lowest) if minor == oldest else ("newest", None)
            tasks.append((python, f"python{'.'.join(map(str, minor))}-{which}", constraints))
    failed = []
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, code, printed, seconds in pool.map(lambda task: quick_tests(*task), tasks):
            print(f"== {name}: {'failed' if code else 'passed'} after {seconds:.0f} s\n{printed}", flush=True)
            if code:
                failed.append(name)
    if (oldest not in at_hand) and not asked:
        print(f"no Python {'.'.join(map(str, oldest))} at hand: the lowest versions were not tried")
    print(f"{len(tasks)} tried, failed: {', '.join(failed) or 'none'}")
    return 1 if failed or not tasks else 0


if __name__ == "__main__":
    sys.exit(main())
