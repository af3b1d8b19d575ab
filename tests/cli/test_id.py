"""`rne id`: the same torques as `rne.inverse_dynamics`, to the last bit, whatever the order of the columns."""

from __future__ import annotations

import csv
import warnings
from pathlib import Path

import numpy as np
import pytest
from trajectories import COLUMNS, Run, as_csv

import rne

MODELS = Path(__file__).parents[2] / "models"


def numbers(text: str) -> np.ndarray:
    rows = list(csv.reader(text.splitlines()))
    return np.array([[float(field) for field in row] for row in rows[1:]]).reshape(-1, len(rows[0]))


def torques(robot: rne.Robot, states: np.ndarray, **options) -> np.ndarray:
    return rne.inverse_dynamics(robot, states[:, :2], states[:, 2:4], states[:, 4:], **options)


def test_torques_are_those_of_the_function(run: Run, robot, robot_file, motion, states, tmp_path) -> None:
    result = run("id", robot_file, motion, "-o", tmp_path / "tau.csv")
    assert result.exit_code == 0
    assert result.stdout == ""
    text = (tmp_path / "tau.csv").read_text()
    assert text.startswith("tau_turn,tau_slide\n")
    assert text.endswith("\n")
    np.testing.assert_array_equal(numbers(text), torques(robot, states))


@pytest.mark.parametrize("seed", range(5))
def test_columns_are_matched_by_name(run: Run, robot, robot_file, states, seed) -> None:
    order = np.random.default_rng(seed).permutation(6)
    text = as_csv(states[:, order], tuple(COLUMNS[k] for k in order))
    result = run("id", robot_file, "-", stdin=text)
    np.testing.assert_array_equal(numbers(result.stdout), torques(robot, states))


@pytest.mark.parametrize("place", [0, 3, 6])
def test_time_is_passed_on_as_text(run: Run, robot, robot_file, states, place) -> None:
    times = ["0", "0.10", "2e-1", " 0.3", "00.4", "noon", "-0"]
    lines = [line.split(",") for line in as_csv(states).splitlines()]
    for line, time in zip(lines, ["t", *times], strict=True):
        line.insert(place, time)
    result = run("id", robot_file, "-", stdin="\n".join(map(",".join, lines)))
    rows = [line.split(",") for line in result.stdout.splitlines()]
    assert rows[0] == ["t", "tau_turn", "tau_slide"]
    assert [row[0] for row in rows[1:]] == [time.strip() for time in times]
    np.testing.assert_array_equal(np.array(rows[1:])[:, 1:].astype(float), torques(robot, states))


@pytest.mark.parametrize(
    ("kept", "said"),
    [
        (("q",), ["no qd columns: velocities taken as zero", "no qdd columns: accelerations taken as zero"]),
        (("q", "qd"), ["no qdd columns: accelerations taken as zero"]),
        (("q", "qdd"), ["no qd columns: velocities taken as zero"]),
        (("q", "qd", "qdd"), []),
    ],
)
def test_a_missing_group_is_zero_and_said(run: Run, robot, robot_file, states, kept, said) -> None:
    here = [name.split("_")[0] in kept for name in COLUMNS]
    text = as_csv(states[:, here], tuple(np.array(COLUMNS)[here]))
    result = run("id", robot_file, "-", stdin=text)
    assert [line for line in result.stderr.splitlines() if line.endswith("taken as zero")] == [
        f"<stdin>: {line}" for line in said
    ]
    np.testing.assert_array_equal(numbers(result.stdout), torques(robot, states * here))


def test_where_there_are_times_the_way_to_velocities_is_said(run: Run, robot_file, states) -> None:
    timed = as_csv(np.column_stack([np.arange(len(states)), states[:, :2]]), ("t", *COLUMNS[:2]))
    said = run("id", robot_file, "-", stdin=timed).stderr.splitlines()
    assert "<stdin>: no qd columns: velocities taken as zero; --differentiate makes them from q" in said
    made = run("id", robot_file, "-", "--differentiate", stdin=timed).stderr
    assert "taken as zero" not in made


@pytest.mark.parametrize("chunk", [1, 2, 3, 6, 7, 8, 1000])
def test_chunks_do_not_show(run: Run, robot_file, motion, chunk) -> None:
    whole = run("id", robot_file, motion)
    assert run("id", robot_file, motion, "--chunk", chunk).stdout == whole.stdout
    assert run("id", robot_file, motion, "--threads", 2).stdout == whole.stdout


def test_options_reach_the_function(run: Run, robot, robot_file, motion, states) -> None:
    def through(*options: object) -> np.ndarray:
        result = run("id", robot_file, motion, *options)
        assert result.exit_code == 0, result.stderr
        return numbers(result.stdout)

    plain = torques(robot, states)
    for options, wanted in {
        ("--friction",): torques(robot, states, friction=True),
        ("--gravity", "-1.5,2,3"): torques(robot, states, gravity=[-1.5, 2, 3]),
        ("--payload", "3", "--payload-frame", "tool"): torques(robot.with_payload(3, frame="tool"), states),
        ("--payload", "3,1,0,.5", "--payload-frame", "upper"): torques(
            robot.with_payload(3, (1, 0, 0.5), frame="upper"), states
        ),
    }.items():
        np.testing.assert_array_equal(through(*options), wanted)
        assert not np.array_equal(wanted, plain)
    locked = robot.with_locked({"slide": 0.2})
    wanted = rne.inverse_dynamics(locked, states[:, [0]], states[:, [2]], states[:, [4]])
    np.testing.assert_array_equal(through("--lock", "slide=0.2"), wanted)


def test_columns_of_joints_that_are_no_coordinates_are_ignored_and_said(run: Run, robot_file, states) -> None:
    text = as_csv(np.hstack([states, states[:, :2]]), (*COLUMNS, "q_flap", "note"))
    result = run("id", robot_file, "-", stdin=text)
    assert result.exit_code == 0
    assert "these joints are not coordinates (locked, fixed or mimicking): q_flap\n" in result.stderr
    assert "ignored columns: note\n" in result.stderr
    assert result.stdout == run("id", robot_file, "-", stdin=as_csv(states)).stdout


@pytest.mark.parametrize("chunk", [2, 100])
def test_nan_stays_in_its_row_and_is_counted(run: Run, robot_file, states, chunk) -> None:
    clean = numbers(run("id", robot_file, "-", stdin=as_csv(states)).stdout)
    states[2, 1], states[5, 4] = np.nan, np.inf
    result = run("id", robot_file, "-", "--chunk", chunk, stdin=as_csv(states))
    assert result.exit_code == 0
    got = numbers(result.stdout)
    others = [0, 1, 3, 4, 6]
    np.testing.assert_array_equal(got[others], clean[others])
    assert not np.isfinite(got[[2, 5]]).all(axis=1).any()
    assert "samples with NaN or infinity, kept in place: 2\n" in result.stderr


def test_infinity_is_no_peak(run: Run, robot_file, states, monkeypatch) -> None:
    tau = np.array([[1.0, -2.0], [np.inf, 7.0], [-3.0, 1.0]])
    monkeypatch.setattr(rne, "inverse_dynamics", lambda *_, **__: tau)
    result = run("id", robot_file, "-", stdin=as_csv(states[:3]))
    assert "peak |tau|: turn 3 N m, slide 2 N\n" in result.stderr
    assert "samples with NaN or infinity, kept in place: 1\n" in result.stderr


def test_all_nan_has_no_peaks(run: Run, robot_file, states) -> None:
    result = run("id", robot_file, "-", stdin=as_csv(states * np.nan))
    assert result.exit_code == 0
    assert "peak |tau|" not in result.stderr
    assert "samples with NaN or infinity, kept in place: 7\n" in result.stderr


def test_last_words(run: Run, robot, robot_file, motion, states) -> None:
    peak = np.abs(torques(robot, states)).max(axis=0)
    assert peak[0] > 4  # so that the limit of `turn` shows, and that of `slide` does not
    told = run("id", robot_file, motion, "--chunk", 3).stderr.splitlines()
    assert told[-3].startswith("7 samples in ")
    assert told[-3].endswith(" samples/s")
    assert told[-2] == f"peak |tau|: turn {peak[0]:.4g} N m (limit 4), slide {peak[1]:.4g} N"
    assert "warning: " in told[0]


@pytest.mark.parametrize("text", ["q_turn,q_slide", "q_turn,q_slide,t\r\n", "q_turn,q_slide\n\n \n"])
def test_no_rows_are_fine(run: Run, robot_file, text) -> None:
    result = run("id", robot_file, "-", stdin=text)
    assert result.exit_code == 0
    assert result.stdout == ("t," if "t\r" in text else "") + "tau_turn,tau_slide\n"
    assert "0 samples" in result.stderr


def test_the_trajectory_of_the_panda(run: Run) -> None:
    path = MODELS / "panda" / "trajectory.csv"
    result = run("id", MODELS / "panda" / "robot.urdf", path)
    data = np.loadtxt(path, delimiter=",", skiprows=1)
    panda = rne.load(MODELS / "panda" / "robot.urdf")
    tau = rne.inverse_dynamics(panda, *np.split(data[:, 1:], 3, axis=1))
    np.testing.assert_array_equal(numbers(result.stdout), np.column_stack([data[:, 0], tau]))


@pytest.mark.filterwarnings("default::RuntimeWarning")
def test_warnings_are_lines(run: Run, robot_file, motion, monkeypatch) -> None:
    def warning(*args, **options):
        warnings.warn("no folder for compiled code", RuntimeWarning, stacklevel=2)
        return right(*args, **options)

    right = rne.inverse_dynamics
    monkeypatch.setattr(rne, "inverse_dynamics", warning)
    assert "\nwarning: no folder for compiled code\n" in run("id", robot_file, motion).stderr


def test_a_robot_that_cannot_move_is_refused(run: Run, tmp_path) -> None:
    path = tmp_path / "block.urdf"
    path.write_text('<robot name="block"><link name="base"/></robot>')
    result = run("id", path, "-", stdin="t\n")
    assert (result.exit_code, result.stderr) == (1, "block has no movable joint\n")


@pytest.mark.parametrize(
    ("options", "word"),
    [
        (("--gravity", "1,2"), "wanted X,Y,Z, got '1,2'"),
        (("--gravity", "a,b,c"), "wanted X,Y,Z"),
        (("--payload", "1,2"), "wanted MASS[,X,Y,Z]"),
        (("--payload-frame", "tool"), "--payload-frame requires --payload"),
        (("--lock", "slide"), "wanted JOINT=VALUE"),
        (("--lock", "slide=x"), "wanted JOINT=VALUE"),
        (("--threads", "0"), "'--threads'"),
        (("--chunk", "0"), "'--chunk'"),
        (("--nonsense",), "No such option"),
    ],
)
def test_wrong_usage_is_2(run: Run, robot_file, motion, options, word) -> None:
    result = run("id", robot_file, motion, *options)
    assert result.exit_code == 2
    assert word in result.stderr


@pytest.mark.parametrize(
    ("options", "word"),
    [
        (("--lock", "slid=1"), "did you mean 'slide'?"),
        (("--gravity", "nan,0,0"), "gravity: wanted finite numbers"),
        (("--payload", "-100", "--payload-frame", "tool"), "mass"),
        (("--payload", "1", "--payload-frame", "toll"), "did you mean 'tool'"),
    ],
)
def test_what_does_not_fit_the_robot_is_1(run: Run, robot_file, motion, options, word) -> None:
    result = run("id", robot_file, motion, *options)
    assert result.exit_code == 1
    assert word in result.stderr
    assert result.stdout == ""
