"""Rows of DH tables that hold symbols: what they may hold, and followers and screws among them."""

from __future__ import annotations

import numpy as np
import pytest
import reference
import sympy as sp
from checks import assert_near

import rne

m, g, l1, a1 = sp.symbols("m g l1 qdd1")


def turn(a, mass, **more):
    return {"joint": "revolute", "a": a, "mass": mass, **more}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"a": "__import__('os')"}, "row 1, a: wanted a number or a formula"),
        ({"a": "l1("}, "row 1, a: wanted a number or a formula"),
        ({"theta": "t"}, "row 1, theta: wanted a number"),
        ({"mass": "q1"}, "q1 is the name of a coordinate"),
        ({"inertia": [[0, "I", 0], [0, "I", 0], [0, 0, "I"]]}, "row 1, inertia: wanted a symmetric matrix"),
        ({"first_moment": [1.0, 0, 0]}, "row 1, first_moment: wanted com in its place"),
        ({"name": "one", "mimic": {"joint": "two", "ratio": 0.5}}, "turns by 0.5 times the angle of another"),
    ],
)
def test_rows_that_are_refused(changes, message):
    with pytest.raises(rne.ArgumentError, match=message.replace("(", r"\(")):
        rne.equations([turn("l", "m") | changes, turn("l", "m", name="two")], convention="standard")


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"masss": "m"}, r"'masss' is unknown.*mass"),
        ({"mass": ["m"]}, r"mass = \['m'\] is not a number"),
        ({"mass": "m", "com": ["x", 0]}, r"com = \['x', 0\] is not a list of 3 numbers"),
        ({"mass": "m", "com": "x"}, "com = 'x' is not a list of 3 numbers"),
        ({"mass": "m", "inertia": "I"}, "inertia = 'I' is not a 3x3 matrix"),
        ({"mass": "m", "inertia": ["I", "I", "I"]}, r"inertia = \['I', 'I', 'I'\] is not a 3x3 matrix"),
        (
            {"mass": "m", "inertia": {"Izz": "I"}},
            r"(?s)key 'Izz' is unknown \(did you mean 'izz'\?\).*'ixx' is missing",
        ),
    ],
)
def test_bodies_in_symbols_are_checked_by_the_reader(body, message):
    with pytest.raises(rne.ModelError, match=message):
        rne.equations([{"joint": "revolute", **body}], convention="standard")


def test_arrays_of_symbols():
    tensor = np.diag([0, 0, 1]) * sp.Symbol("I")
    found = rne.equations([turn("l", "m", com=np.array([-l1, 0, 0]), inertia=tensor)], convention="standard")
    assert sp.expand(found.M[0] - sp.Symbol("I") - m * (sp.Symbol("l") - l1) ** 2) == 0


def test_numbers_for_symbols_with_assumptions():
    """By name, or by a symbol of that name."""
    length, mass = sp.symbols("l m", positive=True)
    found = rne.equations([turn(length, mass)], convention="standard", gravity=[0, "-g", 0])
    for key in ("l", length, sp.Symbol("l")):
        assert sp.expand(found.subs({key: 2}).tau[0] - 4 * mass * a1 - 2 * mass * g * sp.cos(sp.Symbol("q1"))) == 0


@pytest.mark.parametrize("joint", ["revolute", "prismatic"])
@pytest.mark.parametrize(("ratio", "offset"), [(-1, 0), (2, 0.3), (-3, np.pi / 2)])
def test_followers_in_rows_of_symbols(joint, ratio, offset):
    """Against Lagrange's equations of the tree, in numbers."""
    rows = [
        turn(0.4, "m1", name="first", alpha=0.3, com=[0.1, 0, 0.2], inertia=np.diag([0.3, 0.4, 0.5]), coulomb="c1"),
        {"joint": joint, "a": "l2", "d": 0.1, "mass": "m2", "coulomb": 0.3, "rotor_inertia": 0.05},
        turn(0.2, 1.0, com=[0.1, 0, 0]),
    ]
    rows[1]["mimic"] = {"joint": "first", "ratio": ratio, "offset": offset}
    found = rne.equations(rows, convention="modified", gravity=[0, "-g", 0], friction=True)
    numbers = {"m1": 1.2, "m2": 0.8, "l2": 0.3, "c1": 0.2}
    rows = [
        {key: numbers.get(value, value) if isinstance(value, str) else value for key, value in row.items()}
        for row in rows
    ]
    robot = rne.from_dh(rows, convention="modified", gravity=[0, -9.81, 0])
    state = np.random.default_rng(3).normal(size=(3, 2))
    values = {f"{kind}{j + 1}": x[j] for kind, x in zip(("q", "qd", "qdd"), state, strict=True) for j in (0, 1)}
    found = found.subs(numbers | values | {"g": 9.81})
    assert_near(np.array(found.tau, float).ravel(), reference.torques(robot.tree, *state, friction=True))
    assert_near(np.array(found.M, float), reference.mass_matrix(robot.tree, state[0]))


def test_a_screw_in_symbols():
    """A nut of mass m and inertia I about its axis, lifted by p a radian: (I + m p^2) qdd + m g p."""
    row = {"joint": "screw", "pitch": 0.5, "mass": "m", "inertia": {"ixx": 0, "iyy": 0, "izz": "I"}}
    found = rne.equations([row], convention="standard", gravity=[0, 0, "-g"])
    assert sp.expand(found.tau[0] - (sp.Symbol("I") + m / 4) * a1 - m * g / 2) == 0
