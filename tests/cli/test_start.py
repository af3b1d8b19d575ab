"""Start-up: numba is imported when something is calculated, not before; and what `rne` says of itself."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from trajectories import Run

import rne

ROOT = Path(rne.__file__).parents[1]
PANDA = ROOT / "models" / "panda" / "robot.urdf"


def python(code: str) -> str:
    command = [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(ROOT)!r})\n{code}"]
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["info", str(PANDA)],
        ["id", "--help"],
        ["bench", "--help"],
        ["example"],
        ["id", str(PANDA), "none.csv"],
    ],
)
def test_numba_is_not_imported(arguments) -> None:
    code = f"""
from rne.cli import main
try:
    main({arguments!r})
except SystemExit:
    pass
print("numba" in sys.modules)
"""
    assert python(code).splitlines()[-1] == "False"


@pytest.mark.parametrize("arguments", [["--help"], ["id", "--help"], ["info", str(PANDA)]])
def test_pyarrow_is_not_imported_without_a_trajectory(arguments) -> None:
    code = f"""
from rne.cli import main
try:
    main({arguments!r})
except SystemExit:
    pass
print("pyarrow" in sys.modules or "matplotlib" in sys.modules)
"""
    assert python(code).splitlines()[-1] == "False"


@pytest.mark.parametrize(
    "code",
    [
        "import rne; f = rne.inverse_dynamics",
        "from rne import inverse_dynamics as f",
        "from rne import *; f = inverse_dynamics",
        "import rne; f = rne.jit.inverse_dynamics",
        "from rne import jit; f = jit.inverse_dynamics",
        "import rne.jit; f = rne.jit.inverse_dynamics",
    ],
)
def test_every_way_of_asking_for_a_late_name(code) -> None:
    assert python(f"{code}\nprint(f.__name__, 'numba' in sys.modules)") == "inverse_dynamics True\n"


def test_public_names() -> None:
    assert set(rne.__all__) <= set(dir(rne))
    for name in rne.__all__:
        assert getattr(rne, name).__doc__
    assert rne.inverse_dynamics is vars(rne)["inverse_dynamics"]  # kept: asked for only once
    with pytest.raises(AttributeError, match=r"module 'rne' has no attribute 'inverse_dynamic'"):
        _ = rne.inverse_dynamic  # type: ignore[attr-defined]


@pytest.mark.parametrize("command", ["info", "id", "bench"])
def test_help(run: Run, command) -> None:
    for option in ("--help", "-h"):
        result = run(command, option)
        assert result.exit_code == 0
        assert f"\n    rne {command} panda.urdf" in result.stdout  # an example, on a line of its own
    assert f"\n  {command} " in run("--help").stdout


def test_version(run: Run) -> None:
    assert run("--version").stdout.startswith("rne ")
    assert "numba " in run("--version").stdout


def test_unknown_command_is_2(run: Run) -> None:
    assert run("dynamics").exit_code == 2


XACRO = """<robot name="arm" xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:arg name="mass" default="2"/>
<link name="base"><inertial><mass value="$(arg mass)"/>
<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link></robot>"""


@pytest.mark.parametrize(
    ("words", "code", "wanted"),
    [
        ([], 0, "arm: 0 joints, 2 kg"),
        (["--arg", "mass:=3.5"], 0, "arm: 0 joints, 3.5 kg"),
        (["--arg", "maas:=3.5"], 1, "asks for no argument 'maas'; did you mean 'mass'?"),
        (["--arg", "mass=3.5"], 2, "wanted NAME:=VALUE, got 'mass=3.5'"),
    ],
)
def test_arguments_of_xacro_files(run, tmp_path, words, code, wanted):
    path = tmp_path / "arm.urdf.xacro"
    path.write_text(XACRO)
    result = run("info", path, *words)
    assert result.exit_code == code
    assert wanted in result.output


def test_an_interrupt_while_the_commands_are_imported_leaves_no_traceback() -> None:
    code = f"""
import runpy, sys
sys.path.insert(0, {str(ROOT)!r})
class Interrupted:
    def find_spec(self, name, path=None, target=None):
        if name == "rne.cli":
            raise KeyboardInterrupt
sys.meta_path.insert(0, Interrupted())
runpy.run_module("rne", run_name="__main__")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "Aborted!\n")


def test_without_a_trajectory_its_name_is_asked_for(run: Run) -> None:
    for command in (["id"], ["fd"], ["breakdown"], ["residual"], ["plot", "-o", "torques.svg"]):
        result = run(command[0], PANDA, *command[1:])
        assert result.exit_code == 2
        assert "Missing argument 'TRAJECTORY" in result.stderr
