"""What holds for all tests: Hypothesis profiles, the quick selection, and that a warning of our own is an error.

The profile "default" is quick and always the same; `--hypothesis-profile deep` is for runs by hand.
"""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

# Before numpy is imported: threads of BLAS and the workers of pytest-xdist wait for each other, which took one test of
# small matrices from 5 to 102 s.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# Helpers are imported by their plain names from every folder, however pytest is called. `tests` itself stays off the
# path: its folders are named as the rooms of `rne` are, and `import files` must not find one of them.
SUPPORT = Path(__file__).parent / "support"
if str(SUPPORT) not in sys.path:
    sys.path.insert(0, str(SUPPORT))
QUICK = (Path(__file__).parent / "versions" / "quick.txt").read_text(encoding="utf-8").split()


def pytest_configure(config: pytest.Config) -> None:
    """Add to the filters of pyproject.toml those that need this folder, and the package, on the path."""
    helpers = "|".join(sorted(path.stem for path in SUPPORT.iterdir()))
    config.addinivalue_line("filterwarnings", rf"error:::({helpers})(\.|$)")
    config.addinivalue_line("filterwarnings", "error::rne.errors.ModelWarning")  # whoever called
    # Importing all test files takes longer than running the quick tests, so `-m quick` without a path names theirs.
    if config.option.markexpr == "quick" and config.args_source is config.ArgsSource.TESTPATHS:
        config.args = QUICK


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Tell the workers of pytest-xdist whether everything is tested."""
    node.workerinput["everything"] = node.config.args_source is node.config.ArgsSource.TESTPATHS


def pytest_sessionstart(session: pytest.Session) -> None:
    """Share the compilation among the workers when everything is tested."""
    worker = getattr(session.config, "workerinput", {})
    if worker.get("everything"):
        from compiled import compile_beside_others

        compile_beside_others(int(worker["workerid"].removeprefix("gw")), worker["workercount"])


@pytest.hookimpl(tryfirst=True)  # before those without the mark are deselected
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests and files that are listed in `versions/quick.txt`; skip examples whose library is missing."""
    no_torch = find_spec("torch") is None  # the one extra that the tests do not need
    for item in items:
        if no_torch and item.nodeid.startswith("rne/torch/"):
            item.add_marker(pytest.mark.skip("torch is not installed"))
        name = item.nodeid.partition("[")[0]
        if name in QUICK or name.partition("::")[0] in QUICK:
            item.add_marker("quick")


SLOW_IS_FINE = [HealthCheck.too_slow, HealthCheck.data_too_large]
settings.register_profile(
    "default", max_examples=30, derandomize=True, deadline=None, database=None, suppress_health_check=SLOW_IS_FINE
)
settings.register_profile("deep", max_examples=2000, deadline=None, suppress_health_check=SLOW_IS_FINE, print_blob=True)
settings.load_profile("default")
