"""The pages for contributors: what they point to is there, and the layers are those of the contract."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = ["CONTRIBUTING.md", "docs/architecture.md"]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
FOLDERS = "rne|tests|docs|models|benchmarks"


def text_of(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


@pytest.mark.parametrize("page", PAGES)
def test_every_file_that_is_named_is_there(page):
    named = set(re.findall(rf"`((?:{FOLDERS})/[\w/.-]*)`", text_of(page)))
    assert len(named) > 20
    made = {"benchmarks/trial.json"}  # by a run
    assert sorted(path for path in named - made if not (ROOT / path).exists()) == []


@pytest.mark.parametrize("page", PAGES)
def test_every_link_leads_somewhere(page):
    targets = re.findall(r"\]\(([^)#]+)\)", text_of(page))
    assert [target for target in targets if not (ROOT / page).parent.joinpath(target).exists()] == []


def test_the_table_of_layers_is_the_contract():
    (contract,) = PYPROJECT["tool"]["importlinter"]["contracts"]
    rows = re.findall(r"^\| (`[a-z_`, ]+`) \|.*\|.*\|$", text_of("docs/architecture.md"), re.MULTILINE)
    told = [set(re.findall(r"\w+", row)) for row in rows]
    assert told == [set(re.findall(r"\w+", layer)) for layer in contract["layers"]]


def test_functions_and_constants_are_where_the_pages_say():
    """As in "`launch` in `rne/batch/threads.py`"."""
    said = [pair for page in PAGES for pair in re.findall(r"`(\w+)` in `(rne/[\w/]+\.py)`", text_of(page))]
    assert len(said) >= 4
    missing = [
        f"{name} in {path}"
        for name, path in said
        if not re.search(rf"^(def|class) {name}\b|^{name}\b", (ROOT / path).read_text(encoding="utf-8"), re.MULTILINE)
    ]
    assert missing == []
