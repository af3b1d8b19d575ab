"""Errors: their family, the page of a model error, and names that are nearly right."""

from __future__ import annotations

import pickle

import pytest

import rne
from rne.errors import LONGEST_NAME, LONGEST_VALUE, MOST_SHOWN, Problem, close_names, shown

ERRORS = [rne.ArgumentError, rne.FileError, rne.ModelError, rne.SingularError, rne.UnknownNameError]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: error.__name__)
def test_every_error_is_one_of_rne_and_a_value_error(error):
    assert issubclass(error, rne.RneError)
    assert issubclass(error, ValueError)


def test_a_problem_says_where_what_and_no_more_than_it_knows():
    assert str(Problem("a.urdf", 31, "joint 'j'", "axis is zero")) == "a.urdf:31: joint 'j': axis is zero"
    assert str(Problem("<dh>", None, "", "no rows")) == "<dh>: no rows"


def test_a_model_error_lists_its_problems_up_to_a_bound():
    problems = [Problem("a.urdf", k, "link", "is wrong") for k in range(MOST_SHOWN + 2)]
    assert str(rne.ModelError(*problems[:2])).splitlines() == ["a.urdf:0: link: is wrong", "a.urdf:1: link: is wrong"]
    assert str(rne.ModelError(*problems[:-1])).splitlines()[-1] == "... and 1 more problem"
    lines = str(rne.ModelError(*problems)).splitlines()
    assert len(lines) == MOST_SHOWN + 1
    assert lines[-1] == "... and 2 more problems"


def test_a_model_error_goes_through_a_pickle():
    error = rne.ModelError(Problem("a.urdf", 1, "link", "is wrong", "some-code"), Problem("a.urdf", 2, "", "too"))
    copy = pickle.loads(pickle.dumps(error))
    assert copy.problems == error.problems
    assert str(copy) == str(error)


def test_near_names_whatever_their_case():
    assert close_names("ELBOW", ["shoulder", "elbow", "elbow2"], 2) == ["elbow", "elbow2"]
    assert close_names("elbow", ["x" * (LONGEST_NAME + 1), "wrist"]) == []
    assert close_names("e" * (LONGEST_NAME + 1), ["e" * LONGEST_NAME]) == []
    assert close_names("e" * LONGEST_NAME, ["e" * LONGEST_NAME]) == ["e" * LONGEST_NAME]


def test_long_values_are_cut():
    assert shown("short") == "'short'"
    cut = shown("a" * 1000)
    assert len(cut) == LONGEST_VALUE
    assert cut.endswith("aaa...")
