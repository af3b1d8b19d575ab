"""`rne export`: the files of `rne.export_c`, with what each option says."""

from __future__ import annotations

from pathlib import Path

import pytest
from trajectories import Run

import rne

ARM = "models/planar2/robot.dh.toml"


def test_the_files_are_those_of_the_function(run: Run, tmp_path: Path) -> None:
    result = run("export", ARM, "--c", tmp_path / "shell")
    assert result.exit_code == 0
    wanted = rne.export_c(rne.load(ARM), tmp_path / "function")
    assert result.stdout.split() == [str(tmp_path / "shell" / path.name) for path in wanted]
    for path in wanted:
        assert (tmp_path / "shell" / path.name).read_bytes() == path.read_bytes()


def test_all_options(run: Run, tmp_path: Path) -> None:
    options = ["--function", "inverse_dynamics", "--function", "jacobian:link2", "--name", "arm", "--float"]
    more = ["--parameter", "gravity", "--parameter", "payload:link2", "--friction"]
    assert run("export", ARM, "--c", tmp_path / "shell", *options, *more).exit_code == 0
    wanted = rne.export_c(
        rne.load(ARM), tmp_path / "function", ["inverse_dynamics", "jacobian:link2"], "arm", "float32",
        ("gravity", "payload:link2"), friction=True,
    )  # fmt: skip
    for path in wanted:
        assert (tmp_path / "shell" / path.name).read_bytes() == path.read_bytes()


def test_the_robot_is_changed_first(run: Run, tmp_path: Path) -> None:
    assert run("export", ARM, "--c", tmp_path, "--lock", "elbow=0.5", "--gravity", "0,-9.81,0").exit_code == 0
    (header,) = tmp_path.glob("*.h")
    assert "_N 1 " in header.read_text()
    assert "gravity (0, -9.81, 0)" in header.read_text()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--function", "inverse"], "--function: no function is named 'inverse'"),
        (["--name", "2"], "--name: wanted a name in C"),
        (["--parameter", "mass"], "--parameter: "),
    ],
)
def test_what_is_refused(run: Run, tmp_path: Path, options: list[str], message: str) -> None:
    result = run("export", ARM, "--c", tmp_path / "c", *options)
    assert result.exit_code == 1
    assert result.stderr.startswith(message)
    assert not (tmp_path / "c").exists()


def test_where_to_write_must_be_said(run: Run) -> None:
    assert run("export", ARM).exit_code == 2
