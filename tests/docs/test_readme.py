"""The README keeps its word: what it shows runs, and is what it says. So does the tour, which it points to first."""

from __future__ import annotations

import re
import shlex
import shutil
import tomllib
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from rne.cli import main

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
TOUR = (ROOT / "docs" / "start" / "tour.md").read_text(encoding="utf-8")


def test_the_ten_lines_run(monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    (block,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    lines = [line for line in block.splitlines() if line and not line.startswith("import")]
    assert len(lines) <= 10
    names: dict[str, object] = {"__name__": "tests.readme"}  # so that warnings count as ours
    exec(compile(block, "README.md", "exec"), names)
    assert np.shape(names["tau"]) == (100_000, 7)
    assert np.isfinite(names["tau"]).all()
    assert names["motion"].q.shape == (1001, 7)  # type: ignore[attr-defined]
    assert np.isfinite(names["motion"].q).all()  # type: ignore[attr-defined]
    assert "\nverified: every identity holds\n" in capsys.readouterr().out


def test_it_is_short_and_its_links_lead_somewhere():
    assert (
        len(re.sub(r"<!-- benchmark table.*?benchmark table: end -->", "", README, flags=re.DOTALL).splitlines()) < 80
    )
    targets = re.findall(r"\]\(([^)#]+)\)", README)
    assert len(targets) > 10
    assert [target for target in targets if not (ROOT / target).exists()] == []


@pytest.mark.parametrize("text", [README, TOUR], ids=["readme", "tour"])
def test_the_commands_name_files_that_are_there(text):
    paths = set(re.findall(r"\bmodels/[\w./]+", text))
    assert paths
    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_the_extras_are_those_of_the_package():
    text = (ROOT / "docs" / "start" / "install.md").read_text(encoding="utf-8")
    table = re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE)
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    assert len(table) == len(set(table))
    assert set(table) == set(extras) - {"bench", "docs", "lint", "test"}


def test_the_set_up_writes_torques(monkeypatch, tmp_path):
    """The commands behind the first of the two lines; `.ci/run` runs the second."""
    first, second = re.findall(r"^python3 -m venv .*$", README, re.MULTILINE)
    assert second.endswith("pytest -n 2")
    *_, command = first.split(" && ")
    shutil.copytree(ROOT / "models", tmp_path / "models")
    monkeypatch.chdir(tmp_path)
    CliRunner().invoke(main, shlex.split(command)[1:], catch_exceptions=False, standalone_mode=False)
    torques = np.loadtxt(tmp_path / "torques.csv", delimiter=",", skiprows=1)
    assert torques.shape == (2001, 1 + 8)


def test_the_picture_is_what_the_command_draws(monkeypatch, tmp_path):
    (command,) = re.findall(r"`(rne plot [^`]*)`", README)
    shutil.copytree(ROOT / "models", tmp_path / "models")
    monkeypatch.chdir(tmp_path)
    CliRunner().invoke(main, shlex.split(command)[1:], catch_exceptions=False, standalone_mode=False)
    drawn = (tmp_path / "torques.svg").read_text(encoding="utf-8")
    shown = (ROOT / re.findall(r"!\[[^]]*\]\((.*?)\)", README)[0]).read_text(encoding="utf-8")
    assert written(drawn) == written(shown)


def written(picture: str) -> list[str]:
    """Return the words of a picture; the numbers on its axes are a matter of matplotlib's version."""
    return sorted(text for text in re.findall(r"<!-- (.*?) -->", picture) if re.search("[a-z]", text))


def test_the_commands_of_the_tour_run(monkeypatch, tmp_path):
    text = TOUR.split("## From the shell")[1]
    lines = [line.split("#")[0].strip() for line in text.split("```")[1].removeprefix("shell").strip().splitlines()]
    known = {"info", "check", "id", "breakdown", "plot", "example", "export"}
    shutil.copytree(ROOT / "models", tmp_path / "models")
    monkeypatch.chdir(tmp_path)
    ran = set()
    for line in lines:
        command, *arguments = shlex.split(line)[1:]
        if command in known:  # not those that wait for a person, or take their time
            CliRunner().invoke(main, [command, *arguments], catch_exceptions=False, standalone_mode=False)
            ran.add(command)
            if "-o" in arguments:
                assert (tmp_path / arguments[arguments.index("-o") + 1]).stat().st_size > 1000
    assert ran == known
