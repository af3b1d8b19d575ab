"""The notebooks run from top to bottom, and what they show is more than text."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

TUTORIALS = Path(__file__).parents[2] / "docs" / "tutorials"
SHOWN = {
    "control": ["text/html", "text/html", "image/png", "text/html"],
    "design": ["text/html", "text/html", "image/png", "image/png", "text/html", "text/html"],
    "homework": ["text/html", "text/html", "text/html", "text/html", "text/latex", "text/html"],
    "logs": ["image/png", "text/html", "text/html", "text/html", "image/png"],
}


def test_all_are_looked_at():
    assert {path.stem for path in TUTORIALS.glob("*.ipynb")} == set(SHOWN)


@pytest.mark.parametrize("name", SHOWN)
def test_a_notebook_runs_and_shows_tables_and_pictures(name, tmp_path):
    notebook = nbformat.read(TUTORIALS / f"{name}.ipynb", as_version=4)
    nbformat.validate(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert not any(cell.outputs for cell in code)  # they are made where they are looked at
    client = NotebookClient(
        notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}
    )
    client.execute()
    outputs = [output for cell in code for output in cell.outputs]
    told = [output.get("text") for output in outputs if output.output_type != "execute_result"]
    assert told == []  # no warning, nothing printed
    kinds = [output.data.keys() - {"text/plain"} for output in outputs]
    assert [wanted in kind for wanted, kind in zip(SHOWN[name], kinds, strict=True)] == [True] * len(kinds)
    for output in outputs:
        data = output.data
        assert "text/html" not in data or "<table>" in data["text/html"]
        assert "image/png" not in data or data["image/png"].startswith("iVBORw0KGgo")
        assert len(data["text/plain"].splitlines()) == 1  # the repr is one line
