"""The file of torques is there complete or not at all; what is in its place is dealt with carefully."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from trajectories import Run, as_csv

import rne
from rne.cli import main

OLD = "what was there\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "out").mkdir()
    return tmp_path / "out"


@pytest.fixture
def target(folder: Path) -> Path:
    (folder / "tau.csv").write_text(OLD)
    return folder / "tau.csv"


def start(*arguments: object, **options) -> subprocess.Popen:
    """Run `rne` in a process of its own."""
    command = [sys.executable, "-m", "rne", *map(str, arguments)]
    environment = os.environ | {"PYTHONPATH": str(Path(rne.__file__).parents[1])}
    streams = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    return subprocess.Popen(command, env=environment, **streams, **options)


def test_an_old_file_is_replaced(run: Run, robot_file, motion, target, folder) -> None:
    target.chmod(0o640)
    result = run("id", robot_file, motion, "-o", target)
    assert target.read_text() == run("id", robot_file, motion).stdout
    assert result.stdout == ""
    assert target.stat().st_mode & 0o777 == 0o640
    assert list(folder.iterdir()) == [target]


def test_a_new_file_has_the_usual_rights(run: Run, robot_file, motion, folder) -> None:
    (folder / "usual").touch()
    run("id", robot_file, motion, "-o", folder / "tau.csv")
    assert (folder / "tau.csv").stat().st_mode == (folder / "usual").stat().st_mode


def test_a_link_is_followed(run: Run, robot_file, motion, target, folder) -> None:
    (folder / "link.csv").symlink_to(target)
    run("id", robot_file, motion, "-o", folder / "link.csv")
    assert (folder / "link.csv").is_symlink()
    assert target.read_text().startswith("tau_turn")


@pytest.mark.parametrize("there", [True, False])
@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt, rne.ArgumentError, MemoryError])
def test_an_error_in_the_middle_leaves_the_old_file_or_none(
    run: Run, robot_file, motion, target, folder, monkeypatch, error, there
) -> None:
    if not there:
        target.unlink()
    calls = []

    def failing(robot, q, *args, **options):
        calls.append(len(q))
        if len(calls) == 4:
            raise error("in the middle")
        return right(robot, q, *args, **options)

    right = rne.inverse_dynamics
    monkeypatch.setattr(rne, "inverse_dynamics", failing)
    if error in (RuntimeError, MemoryError):
        with pytest.raises(error):
            run("id", robot_file, motion, "-o", target, "--chunk", 2)
    else:
        assert run("id", robot_file, motion, "-o", target, "--chunk", 2).exit_code == 1
    assert len(calls) >= 4  # another thread may have begun the next
    assert [path.read_text() for path in folder.iterdir()] == ([OLD] if there else [])


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_a_kill_in_the_middle_leaves_the_old_file(robot_file, states, target, folder) -> None:
    process = start("id", robot_file, "-", "-o", target, "--chunk", 1)
    assert process.stdin is not None
    process.stdin.write(as_csv(states).encode())
    process.stdin.flush()
    end = time.monotonic() + 60
    while not any(path != target and path.stat().st_size > 50 for path in folder.iterdir()):
        assert process.poll() is None
        assert time.monotonic() < end
        time.sleep(0.02)
    process.send_signal(signal.SIGTERM)
    _, stderr = process.communicate(timeout=60)
    assert process.returncode == 128 + signal.SIGTERM
    assert b"Traceback" not in stderr
    assert [path.read_text() for path in folder.iterdir()] == [OLD]


def test_signals_are_left_as_they_were(run: Run, robot_file, motion, folder) -> None:
    before = signal.getsignal(signal.SIGTERM)
    run("id", robot_file, motion, "-o", folder / "tau.csv")
    assert signal.getsignal(signal.SIGTERM) == before


def test_the_trajectory_is_not_overwritten(run: Run, robot_file, motion) -> None:
    before = motion.read_text()
    result = run("id", robot_file, motion, "-o", motion)
    assert result.exit_code == 2
    assert "the output is the same file as TRAJECTORY" in result.stderr
    assert motion.read_text() == before


def test_a_link_that_leads_to_itself_is_replaced(run: Run, robot_file, motion, folder) -> None:
    (folder / "tau.csv").symlink_to(folder / "tau.csv")
    assert run("id", robot_file, motion, "-o", folder / "tau.csv").exit_code == 0
    assert (folder / "tau.csv").read_text().startswith("tau_turn,tau_slide\n")


@pytest.mark.skipif(os.name != "posix", reason="streams of POSIX")
@pytest.mark.parametrize(("number", "name"), [(0, "input"), (1, "output")])
def test_a_closed_stream_is_one_line(robot_file, motion, number, name) -> None:
    code = f"import os, sys; os.close({number}); os.execv(sys.executable, [sys.executable, *sys.argv[1:]])"
    source = motion if number else "-"
    command = [sys.executable, "-c", code, "-m", "rne", "id", str(robot_file), str(source)]
    environment = os.environ | {"PYTHONPATH": str(Path(rne.__file__).parents[1])}
    done = subprocess.run(command, env=environment, stderr=subprocess.PIPE, text=True, timeout=60)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == f"standard {name} is closed"
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes of POSIX")
def test_a_pipe_is_written_and_stays(run: Run, robot_file, motion, folder) -> None:
    pipe = folder / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        assert run("id", robot_file, motion, "-o", pipe).exit_code == 0
        assert os.read(reader, 1 << 16).startswith(b"tau_turn,tau_slide\n")
    finally:
        os.close(reader)
    assert pipe.is_fifo()


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (("id", "{robot}", "none.csv"), "none.csv: No such file or directory\n"),
        (("id", "{robot}", "."), ".: is a folder, and no ROS 2 bag: it has no metadata.yaml\n"),
        (("id", "{robot}", "motion.csv", "-o", "."), "motion.csv: the output would take the place of a trajectory\n"),
        (("id", "{robot}", "motion.csv", "-o", "none/tau.csv"), "none/tau.csv: No such file or directory\n"),
        (("id", "none.urdf", "motion.csv"), "none.urdf: cannot read the file: No such file or directory\n"),
        (("id", "motion.csv", "motion.csv"), "is not that of a robot format"),
        (("info", "none.urdf"), "none.urdf: cannot read the file: No such file or directory\n"),
    ],
)
def test_files_that_cannot_be_opened_are_one_line(
    run: Run, robot_file, motion, tmp_path, monkeypatch, arguments, word
) -> None:
    monkeypatch.chdir(tmp_path)
    result = run(*(str(argument).format(robot=robot_file) for argument in arguments))
    assert result.exit_code == 1
    assert result.stderr.endswith("\n")
    assert word in result.stderr.splitlines(keepends=True)[-1]
    assert result.stdout == ""


def test_a_closed_pipe_ends_quietly(robot_file, motion) -> None:
    with start("id", robot_file, motion, "--chunk", 1) as process:
        process.stdout.close()
        assert process.wait(60) == 1
        assert [line.split(b":")[0] for line in process.stderr] == [b"warning"]  # about the robot, and no more


def test_the_entry_point_in_a_process(robot_file, motion, states) -> None:
    process = start("id", robot_file, "-")
    stdout, stderr = process.communicate(motion.read_bytes(), timeout=60)
    assert process.returncode == 0
    assert stdout.count(b"\n") == len(states) + 1
    assert b"7 samples in" in stderr
    assert main.name == "main"
