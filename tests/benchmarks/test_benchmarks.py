"""The benchmark compares equals: all contenders at a task agree. No times are taken."""

from __future__ import annotations

import json

import numpy as np
import pytest

from benchmarks import report, run
from benchmarks.cases import COMPARED, ROWS, rows
from benchmarks.contenders import CONTENDERS, MissingError, libraries
from benchmarks.measure import extra_memory, ratios
from benchmarks.subjects import SUBJECTS, states

# A robot for each task, and the others where a contender meets other kinds of joints or branches.
CASES = sorted({(row.task, row.robot) for row in rows()} | {("inverse dynamics", "tree of 30 joints")})
# MuJoCo takes no moving bodies without mass, which the humanoid has between the axes of a ball joint.
UNFIT = {("mujoco", "humanoid"), ("mujoco", "tree of 30 joints")}
# Code for one robot alone is for fixed bases, and the loop around MuJoCo is for joints of one number each.
FIXED = ("mujoco", "casadi", "rne in C", "rne specialized")
UNFIT |= {(library, robot) for library in FIXED for robot in ("ANYmal", "Talos")}


@pytest.mark.parametrize(("task", "robot"), CASES)
def test_contenders_agree(task, robot):
    subject = SUBJECTS[robot]()
    given = states(subject.robot, 11)
    compared = COMPARED.get(task, lambda result, given: np.asarray(result))
    wanted = compared(CONTENDERS[task, "pinocchio"](subject, given, 1)(), given)
    ours = [library for library in libraries(task) if library != "pinocchio" and (library, robot) not in UNFIT]
    assert "rne" in ours
    for library in ours:
        try:
            run = CONTENDERS[task, library](subject, given, 1)
        except MissingError:
            assert library in ("casadi", "rne in C")  # a package and a compiler that the tests do not need
            continue
        got = compared(run(), given)
        assert got.shape == wanted.shape
        tolerance = 1e-4 if got.dtype == np.float32 else 1e-10
        np.testing.assert_allclose(got, wanted, rtol=0, atol=tolerance * np.abs(wanted).max(), err_msg=library)


def test_every_row_has_its_contenders():
    assert {(row.task, row.rival) for row in ROWS} <= set(CONTENDERS)
    assert {row.robot for row in ROWS} <= set(SUBJECTS)
    assert all(row.aim >= row.must for row in ROWS if row.must is not None and row.aim is not None)


def test_the_table_in_the_readme_is_that_of_the_results():
    wanted = report.table(json.loads(report.RESULTS.read_text())) if report.RESULTS.exists() else ""
    readme = report.README.read_text()
    assert report.insert(readme, wanted) == readme


def test_every_rival_has_a_name_in_the_readme():
    assert {(row.task, row.rival) for row in ROWS} <= set(report.RIVALS)


def test_memory_beyond_the_result():
    extra = extra_memory(lambda: (np.ones(2**20), np.ones(2**17)), 2**23)
    assert 2**20 <= extra < 2**21
    assert extra_memory(lambda: None, 0) < 2**20


def test_ratio_is_that_of_the_shortest_times_and_the_median_of_the_turns():
    assert ratios([1.0, 2.0, 4.0], [6.0, 4.0, 12.0]) == {"ratio": 4.0, "median_ratio": 3.0, "turns": 3}


TRIALS = [["--seconds", "0.01"], ["--scale", "10"], ["--only", "twos"], ["--seconds", "4", "--only", "twos"]]


@pytest.fixture
def written(monkeypatch, tmp_path):
    """Runs that measure nothing, in a folder with results of before; call it for the files that a run has changed."""
    row = {"name": "ones and twos", "value": 2.0, "unit": "times as fast", "more_is_better": True}
    monkeypatch.setattr(run, "_results", lambda seconds, scale, only: iter([row] if only in row["name"] else []))
    for name in ("RESULTS", "TRIAL"):
        monkeypatch.setattr(run, name, tmp_path / getattr(run, name).name)
    run.RESULTS.write_text("committed")

    def changed(*arguments: str) -> set[str]:
        run.main(arguments)
        return {path.name for path in tmp_path.iterdir() if path.read_text() != "committed"}

    return changed


@pytest.mark.parametrize("options", TRIALS, ids=" ".join)
def test_a_trial_run_leaves_the_committed_results_alone(written, options):
    assert written(*options) == {"trial.json"}
    assert json.loads(run.TRIAL.read_text())["results"][0]["name"] == "ones and twos"


def test_a_whole_run_and_one_with_an_output_write_what_they_are_to(written, tmp_path):
    assert written("--only", "ones", "--output", str(tmp_path / "mine.json")) == {"mine.json"}
    assert written() == {"mine.json", "results.json"}


def test_a_run_of_no_row_writes_nothing(written, capsys):
    with pytest.raises(SystemExit):
        written("--only", "threes")
    assert "no row has 'threes' in its name" in capsys.readouterr().err
    assert run.RESULTS.read_text() == "committed"


def test_the_trial_is_ignored_by_git_and_the_results_are_not():
    ignored = (run.ROOT / ".gitignore").read_text().splitlines()
    assert "/benchmarks/trial.json" in ignored
    assert not any("results" in line for line in ignored)
