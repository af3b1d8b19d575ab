"""The README keeps its word: its examples run, one after the other, as a reader would type them."""

from __future__ import annotations

import re
import shlex
import shutil
import tomllib
from pathlib import Path

import numpy as np
from click.testing import CliRunner

from rne.cli import main

ROOT = Path(__file__).parents[2]


def test_the_examples_run(monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) == 5
    names: dict[str, object] = {"__name__": "tests.readme"}  # so that warnings count as ours
    for block in blocks:
        exec(compile(block, "README.md", "exec"), names)
    assert np.shape(names["tau"]) == (100_000, 7)
    assert np.isfinite(names["tau"]).all()
    assert names["motion"].q.shape == (1001, 7)  # type: ignore[attr-defined]
    np.testing.assert_allclose(names["found"].beta, names["base"].values(), atol=1e-9)  # type: ignore[attr-defined]
    assert "\nverified: every identity holds\n" in capsys.readouterr().out


def test_the_commands_name_files_that_are_there():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    paths = set(re.findall(r"\bmodels/[\w./]+", text))
    assert paths
    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_the_extras_are_those_of_the_package():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    table = re.findall(r"^\| `(\w+)` \|", text.split("## Extras")[1].split("## ")[0], re.MULTILINE)
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    assert set(table) == set(extras) - {"bench", "docs", "lint", "test"}


def test_the_commands_run(monkeypatch, tmp_path):
    text = (ROOT / "README.md").read_text(encoding="utf-8").split("## From the shell")[1]
    lines = [line.split("#")[0].strip() for line in text.split("```")[1].strip().splitlines()]
    known = {"info", "check", "id", "breakdown", "plot", "example"}
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
