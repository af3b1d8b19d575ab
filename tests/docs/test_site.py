"""The pages of the site keep their word: code runs, every public name has a page, every page is in the contents.

That the site builds without a warning is checked by `.ci/run`.
"""

from __future__ import annotations

import re
from pathlib import Path

import matplotlib as mpl
import pytest

import rne

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(
    page
    for page in DOCS.rglob("*.md")
    if not {"_build", "generated"} & {part.name for part in page.relative_to(DOCS).parents}
)
WITH_CODE = [page for page in PAGES if "```python" in page.read_text(encoding="utf-8")]
MODULES = {"control", "dask", "files", "jax", "jit", "lagrange", "plot", "torch"}


def name_of(page: Path) -> str:
    return page.relative_to(DOCS).as_posix()


@pytest.mark.filterwarnings("ignore::rne.errors.ModelWarning")  # a page says so where a robot is doubtful
@pytest.mark.parametrize("page", WITH_CODE, ids=name_of)
def test_the_code_of_a_page_runs(page, tmp_path, monkeypatch):
    """Block after block in one namespace, as a reader would type them in a copy of the repository."""
    (tmp_path / "models").symlink_to(ROOT / "models")
    monkeypatch.chdir(tmp_path)
    mpl.use("agg")
    names: dict[str, object] = {"__name__": f"tests.page_{page.stem}"}  # so that warnings count as ours
    for block in re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL):
        exec(compile(block, name_of(page), "exec"), names)


def test_every_public_name_is_in_the_reference():
    text = (DOCS / "reference" / "index.md").read_text(encoding="utf-8")
    listed = re.findall(r"^   (\w+)$", text, re.MULTILINE)
    assert len(listed) == len(set(listed))
    assert set(listed) == set(rne.__all__) - MODULES
    modules = (DOCS / "reference" / "modules.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^   rne\.(\w+)$", modules, re.MULTILINE)) == MODULES


def test_robots_named_on_pages_are_there():
    named = {path for page in PAGES for path in re.findall(r"\bmodels/[\w./]+\w", page.read_text(encoding="utf-8"))}
    assert len(named) > 5
    assert [path for path in sorted(named) if not (ROOT / path).exists()] == []
