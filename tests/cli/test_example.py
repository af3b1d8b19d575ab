"""`rne example`: the list, one example, its code, all of them, and what differs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from trajectories import Run

import rne
from rne import examples
from rne.examples.registry import Example

ROOT = Path(rne.__file__).parents[1]


def test_the_list(run: Run) -> None:
    lines = run("example").stdout.splitlines()
    assert [line.split()[0] for line in lines[1:]] == list(examples.EXAMPLES)
    assert lines[1].endswith(next(iter(examples.EXAMPLES.values())).title)


def test_one(run: Run) -> None:
    result = run("example", "locked_and_free_inertia")
    assert result.exit_code == 0
    assert str(rne.model_path("two_link_point_mass_paul_values")) in result.stdout
    row = next(line for line in result.stdout.splitlines() if line.startswith("D11 D12 D22 I_L I_f at 0 deg"))
    assert " ".join(row.split()[8:]) == "3 2 1 3 2 6 2 1 6 2 6 2 1 6 2 0 = misprinted"


def test_several_in_the_order_asked_for(run: Run) -> None:
    out = run("example", "parallel_frames", "free_body").stdout
    assert 0 <= out.index("parallel_frames: ") < out.index("free_body: ")


def test_the_code_is_a_program_of_its_own(run: Run, tmp_path: Path) -> None:
    """It runs where there is neither the gallery nor matplotlib."""
    path = tmp_path / "pendulum.py"
    path.write_text(run("example", "free_swing", "--code").stdout, encoding="utf-8")
    start = f"import runpy, sys; sys.path.insert(0, {str(ROOT)!r})"
    block = "sys.modules |= dict.fromkeys(['rne.examples', 'matplotlib'])"
    command = [sys.executable, "-W", "error", "-c", f"{start}; {block}; runpy.run_path({str(path)!r})"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.stderr == ""
    assert len(done.stdout.splitlines()) > 5


@pytest.mark.parametrize("name", examples.EXAMPLES)
def test_a_program_prints_the_numbers_of_its_example(name: str) -> None:
    code = examples.program(examples.find(name))
    assert "heet" not in code
    assert "rne.examples" not in code
    printed: list[tuple[Any, ...]] = []
    exec(compile(code, f"{name}.py", "exec"), {"__name__": "program", "print": lambda *words: printed.append(words)})
    rows = examples.run(name).rows
    pairs = [words[1:3] for words in printed if len(words) > 1]
    for side, part in enumerate(("course", "rne")):
        theirs = np.concatenate([np.ravel(np.asarray(pair[side], dtype=float)) for pair in pairs])
        ours = np.concatenate([np.ravel(getattr(row, part)) for row in rows])
        np.testing.assert_allclose(theirs, ours, rtol=0, atol=1e-12 * max(1.0, np.abs(ours).max()))
    misprints = [row.printed for row in rows if row.printed is not None]
    told = [words[4] for words in printed if len(words) > 4]
    assert len(told) == len(misprints)
    for one, other in zip(told, misprints, strict=True):
        np.testing.assert_allclose(np.squeeze(one), np.squeeze(other), rtol=1e-12)


def test_a_picture(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "sizing.png"
    result = run("example", "motor_sizing", "--plot", path)
    assert result.exit_code == 0
    assert "peak torque" in result.stdout
    assert path.read_bytes().startswith(b"\x89PNG")


def test_no_picture(run: Run, tmp_path: Path) -> None:
    result = run("example", "rod_pendulum", "--plot", tmp_path / "rod.png")
    assert result.exit_code == 1
    assert result.stderr == "--plot: example 'rod_pendulum' has no figure\n"
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("names", [[], ["rp_arm", "motor_sizing"], ["--all"]])
def test_one_picture_or_program_at_a_time(run: Run, names) -> None:
    assert "--plot requires the name of one example" in run("example", *names, "--plot", "sizing.png").stderr
    assert "--code requires the name of one example" in run("example", *names, "--code").stderr
    assert run("example", "rp_arm", "--code", "--plot", "sizing.png").exit_code == 2


def test_what_differs_is_1(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong() -> examples.Sheet:
        sheet = examples.Sheet()
        sheet.row("x", 1.0, 2.0)
        return sheet

    monkeypatch.setitem(examples.EXAMPLES, "wrong", Example("wrong", "A wrong one.", "L9", (), wrong))
    result = run("example", "free_body", "wrong")
    assert result.exit_code == 1
    assert "DIFFERS" in result.stdout
    assert result.stderr == "course and rne differ in wrong\n"


def test_unknown_names(run: Run) -> None:
    result = run("example", "rp_armm")
    assert result.exit_code == 1
    assert result.stderr.startswith("name: no example is named 'rp_armm'; did you mean 'rp_arm'")


def test_all_takes_no_names(run: Run) -> None:
    assert run("example", "--all", "rp_arm").exit_code == 2
