"""A warning of our own fails a test, whoever called; one of another package about its own affairs does not."""

from __future__ import annotations

import warnings

import numba
import numpy as np
import oracles
import pytest

import rne


def warn(kind: type[Warning], module: str) -> None:
    warnings.warn_explicit("this goes away", kind, "file.py", 1, module=module)


OURS = ["rne", "rne.read.files", "benchmarks.cases", "calls.bad", "oracles", "tests.files.test_formats", __name__]


@pytest.mark.parametrize("module", OURS)
@pytest.mark.parametrize("kind", [DeprecationWarning, FutureWarning, ResourceWarning, RuntimeWarning, UserWarning])
def test_where_our_lines_run_it_is_an_error(module, kind):
    with pytest.raises(kind, match="this goes away"):
        warn(kind, module)


@pytest.mark.parametrize(
    ("module", "kind"),
    [
        ("dask.array.core", rne.ModelWarning),
        ("numpy._core.fromnumeric", RuntimeWarning),
        ("scipy.integrate._ivp", RuntimeWarning),
        ("anything", numba.core.errors.NumbaPerformanceWarning),
        ("anything", pytest.PytestUnraisableExceptionWarning),
    ],
)
def test_what_others_say_of_our_doings_is_an_error(module, kind):
    with pytest.raises(kind, match="this goes away"):
        warn(kind, module)


@pytest.mark.parametrize("module", ["dask.array.core", "importlib._bootstrap", "numpy.lib", "rnepy", "testsuite.core"])
@pytest.mark.parametrize("kind", [DeprecationWarning, PendingDeprecationWarning, FutureWarning, UserWarning])
def test_affairs_of_others_are_shown_and_fail_nothing(module, kind):
    with warnings.catch_warnings(record=True) as caught:
        warn(kind, module)
    assert [type(warning.message) for warning in caught] == [kind]


def test_real_warnings_arise_where_they_are_expected():
    """The module of a warning is that of the line that caused it: of a caller of numpy, of a helper, of a test."""
    with pytest.raises(RuntimeWarning):
        np.log(np.zeros(1))
    with pytest.raises(RuntimeWarning):
        np.linspace(0.0, np.inf, 3)
    with pytest.raises(RuntimeWarning):
        exec("np.log(np.zeros(1))", {"np": np, "__name__": oracles.__name__})
