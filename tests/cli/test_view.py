"""`rne view`: serves until Ctrl-C, and then is gone; what it reads and what it refuses."""

from __future__ import annotations

import contextlib
import re
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.request import ProxyHandler, build_opener

import numpy as np
import pytest
from trajectories import Run

import rne
from rne.viewer import page

PATIENCE = 60


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[page.Viewer]:
    """Viewers that commands open; they return at once, as if by Ctrl-C."""
    opened: list[page.Viewer] = []

    def wait(viewer: page.Viewer) -> None:
        opened.append(viewer)
        raise KeyboardInterrupt

    monkeypatch.setattr(page.Viewer, "wait", wait)
    return opened


@contextlib.contextmanager
def started(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "rne", "view", *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def test_it_serves_until_ctrl_c():
    with started("models/planar2/robot.dh.toml", "--no-browser", "--port", "0") as process:
        assert select.select([process.stdout], [], [], PATIENCE)[0], "the address is told"
        url = re.match(r"(http://localhost:\d+) shows ", process.stdout.readline()).group(1)
        with build_opener(ProxyHandler({})).open(url, timeout=PATIENCE) as answer:
            assert answer.status == 200
        process.send_signal(signal.SIGINT)
        rest, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0
    assert (rest, errors.strip()) == ("", "")


def test_a_trajectory_is_read(run: Run, robot_file: Path, motion: Path, states: np.ndarray, shown: list[page.Viewer]):
    result = run("view", robot_file, motion, "--no-browser", "--port", 0, "--friction")
    assert result.exit_code == 0
    [viewer] = shown
    assert viewer._stopped.is_set()
    with pytest.warns(rne.ModelWarning):
        robot = rne.load(robot_file)
    np.testing.assert_allclose(viewer._motion.q, states[:, :2])
    wanted = rne.inverse_dynamics(robot, *np.split(states, 3, axis=1), friction=True)
    np.testing.assert_allclose(viewer._motion.tau, wanted)


def test_positions_alone_and_missing_numbers_will_do(
    run: Run, robot_file: Path, tmp_path: Path, shown: list[page.Viewer]
):
    path = tmp_path / "log.csv"
    path.write_text("t,q_slide,q_turn\n100.5,0.1,0.2\n100.75,nan,0.3\n101,0.2,0.4\n")
    result = run("view", robot_file, path, "--no-browser", "--port", 0)
    assert result.exit_code == 0
    assert "no qd columns" in result.stderr
    np.testing.assert_allclose(shown[0]._motion.t, [100.5, 100.75, 101])
    np.testing.assert_array_equal(shown[0]._motion.q, [[0.2, 0.1], [0.3, np.nan], [0.4, 0.2]])


def test_without_a_trajectory_it_is_moved_by_hand(run: Run, robot_file: Path, shown: list[page.Viewer]):
    assert run("view", robot_file, "--no-browser", "--port", 0).exit_code == 0
    assert shown[0]._motion is None


def test_the_browser_is_opened_unless_asked_not_to(
    run: Run, robot_file: Path, shown: list[page.Viewer], monkeypatch: pytest.MonkeyPatch
):
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    run("view", robot_file, "--port", 0)
    assert opened == [shown[0].url]
    run("view", robot_file, "--port", 0, "--no-browser")
    assert len(opened) == 1


def test_an_empty_trajectory_is_refused(run: Run, robot_file: Path, tmp_path: Path):
    path = tmp_path / "none.csv"
    path.write_text("t,q_turn,q_slide\n")
    result = run("view", robot_file, path, "--no-browser")
    assert result.exit_code == 1
    assert result.stderr.endswith(f"{path}: there are no rows to show\n")


def test_a_missing_mesh_is_one_line(run: Run, tmp_path: Path, shown: list[page.Viewer]):
    path = tmp_path / "robot.urdf"
    mesh = '<visual><geometry><mesh filename="package://shop/{}.dae"/></geometry></visual>'
    path.write_text(f'<robot name="r"><link name="base">{"".join(map(mesh.format, "abcde"))}</link></robot>')
    result = run("view", path, "--no-browser", "--port", 0)
    assert result.exit_code == 0
    wanted = "package://shop/a.dae, package://shop/b.dae, package://shop/c.dae, ..."
    assert f"5 visual meshes not found and left out: {wanted}\n" in result.stderr
