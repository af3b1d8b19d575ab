"""The README keeps its word: its examples run, one after the other, as a reader would type them."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[1]


def test_the_examples_run(monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) == 5
    names: dict[str, object] = {}
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
