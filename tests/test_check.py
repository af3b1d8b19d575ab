"""Checks of arguments: what comes back, and what the refusal says."""

from __future__ import annotations

import numpy as np
import pytest

import rne
from rne import check

TURN = [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
REFUSED = {
    "masked": (check.real_array, np.ma.masked_array([1.0], [True]), "x: masked arrays"),
    "ragged": (check.real_array, [[1.0], [1.0, 2.0]], "x: not an array of numbers"),
    "words": (check.real_array, ["one"], "x: wanted real numbers, got"),
    "complex": (check.real_array, 1j, "x: wanted real numbers, got 1j"),
    "booleans": (check.real_array, [True, False], r"x: wanted real numbers, got bool of shape \(2,\)"),
    "shape": (lambda x, v: check.numbers(x, v, (2,)), [1.0], r"x: wanted shape \(2,\), got \(1,\)"),
    "infinite": (lambda x, v: check.numbers(x, v, (2,)), [1.0, np.inf], "x: wanted finite numbers"),
    "long vector": (check.vector, [1.0] * 4, r"x: wanted shape \(3,\), got \(4,\)"),
    "small matrix": (check.matrix, np.eye(2), r"x: wanted shape \(3, 3\), got \(2, 2\)"),
    "vectors": (check.vectors, [1.0, 2.0], r"x: wanted real numbers of shape \(\.\.\., 3\), got float64 \(2,\)"),
    "vectors of nothing": (check.vectors, 1.0, r"shape \(\.\.\., 3\)"),
    "asymmetric": (lambda x, v: check.symmetric(x, v, 2), [[1.0, 2.0], [2.1, 1.0]], "x: wanted a symmetric matrix"),
    "stretched": (check.rotation_matrix, 1.001 * np.eye(3), "x: wanted an orthonormal, right-handed matrix"),
    "mirror": (check.rotation_matrix, np.diag([1.0, 1.0, -1.0]), "x: wanted an orthonormal, right-handed matrix"),
    "fraction": (lambda x, v: check.whole_number(x, v, 1), 1.5, "x: wanted a whole number of at least 1, got 1.5"),
    "too small": (lambda x, v: check.whole_number(x, v, 1), 0, "x: wanted a whole number of at least 1, got 0"),
    "yes as a number": (lambda x, v: check.whole_number(x, v, 0), True, "x: wanted a whole number"),
    "no flag": (check.check_flag, "no", "x: wanted True or False, got 'no'"),
    "one as a flag": (check.check_flag, 1, "x: wanted True or False, got 1"),
    "no choice": (lambda x, v: check.check_choice(x, v, ("a", "b", "c")), "d", "x: wanted 'a', 'b' or 'c', got 'd'"),
}


@pytest.mark.parametrize(("function", "value", "message"), REFUSED.values(), ids=REFUSED)
def test_the_refusal_names_argument_and_value(function, value, message):
    with pytest.raises(rne.ArgumentError, match=message):
        function("x", value)


@pytest.mark.parametrize(("given", "dtype"), [("i4", "f8"), ("f2", "f8"), ("f4", "f4"), (">f4", "f4"), ("u1", "f8")])
def test_numbers_become_double_unless_they_are_single(given, dtype):
    array = check.real_array("x", np.array([1, 2], given))
    assert array.dtype == dtype
    assert array.tolist() == [1.0, 2.0]


def test_what_fits_comes_back():
    assert check.vector("x", (1, 2, 3)) == (1.0, 2.0, 3.0)
    assert check.matrix("x", np.eye(3)) == check.IDENTITY
    assert check.whole_number("x", np.int8(3), 3) == 3
    assert check.rotation_matrix("x", TURN).tolist() == TURN
    assert np.isnan(check.vectors("x", [[np.nan] * 3])).all()
    check.check_flag("x", np.bool_(True))
    check.check_choice("x", "b", ("a", "b"))


def test_small_asymmetry_is_evened_out():
    even = check.symmetric("x", [[1.0, 2.0 + 1e-10], [2.0, 1.0]], 2)
    assert even[0, 1] == even[1, 0] == pytest.approx(2.0 + 5e-11, rel=1e-15)


def test_numbers_are_memory_of_their_own():
    given = np.ones(3)
    check.numbers("x", given, (3,))[0] = 7.0
    assert given[0] == 1.0


def test_leading_axes_go_together_or_are_all_named():
    assert check.together(a=np.ones((4, 1, 3)), b=np.ones((2, 3)), c=np.ones(3)) == (4, 2)
    with pytest.raises(rne.ArgumentError, match=r"a \(4, 3\), b \(2, 3\)"):
        check.together(a=np.ones((4, 3)), b=np.ones((2, 3)))


def test_an_unknown_name_is_answered_with_near_ones_or_a_list():
    near = check.unknown_name("lock", "joint", "Elbo", ["shoulder", "elbow"])
    assert isinstance(near, rne.UnknownNameError)
    assert str(near) == "lock: no joint is named 'Elbo'; did you mean 'elbow'?"
    assert str(check.unknown_name("lock", "joint", "zzz", ["a", "b"])).endswith("; there are a, b")
    assert str(check.unknown_name("lock", "joint", 3, [])).endswith("no joint is named 3; there are none")
    many = [f"name{k}" for k in range(100)]
    told = str(check.unknown_name("lock", "joint", "mane7", many))
    assert told.startswith("lock: no joint is named 'mane7'; did you mean 'name7'")
    far = str(check.unknown_name("frame", "frame", "elbow_7", many))
    assert far.startswith("frame: no frame is named 'elbow_7'; the nearest of 100 are name7")
    assert far.count("name") == 3 + 1  # of "is named"
    assert str(check.unknown_name("f", "frame", 3, many)).endswith("name39, ...")  # nothing is near a number


def test_several_names_for_one_are_counted_not_called_unknown():
    told = str(check.unknown_name("frame", "frame", ["left", "right"], ["left", "right"]))
    assert told == "frame: wanted the name of one frame, got 2 in a list; make a call for each"
    with pytest.raises(rne.UnknownNameError, match="frame: wanted the name of one frame, got 2 in a tuple"):
        rne.frame_velocity(rne.load_model("planar2"), [0.0, 0.0], None, ("link1", "link2"))
