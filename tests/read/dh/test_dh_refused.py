"""DH tables that are refused, and what is said then."""

import math

import numpy as np
import pytest

import rne
from rne.errors import ModelError
from rne.read.dh.reader import tree_from_rows

ROW = {"joint": "revolute", "a": 0.3, "mass": 1.0, "com": [-0.1, 0, 0], "inertia": {"ixx": 0.1, "iyy": 0.1, "izz": 0.1}}


def rows(count: int = 1, **changes):
    return [ROW | changes for _ in range(count)]


def refusal(table=None, *, strict=False, convention="standard", **more) -> ModelError:
    with pytest.raises(ModelError) as caught:
        tree_from_rows(rows() if table is None else table, convention=convention, strict=strict, **more)
    return caught.value


@pytest.mark.parametrize(
    ("base", "wanted"),
    [
        ({"xyz": [1, 2]}, "base: xyz = [1, 2] is not a list of 3 numbers"),
        ({"rpz": [0, 0, 0]}, "base: key 'rpz' is unknown (did you mean 'rpy'?)"),
        ([1, 2, 3], "is not a 4x4 matrix"),
        (np.diag([1, 1, -1, 1]), "is not a pose"),
        (np.diag([1, 1, 1.001, 1]), "is not a pose"),
        (np.diag([1, 1, 1, 2]), "is not a pose"),
        ("tilted", "is not a 4x4 matrix"),
    ],
)
def test_bad_base_pose(base, wanted):
    assert wanted in str(refusal(base=base))


@pytest.mark.parametrize("convention", ["Standard", "craig", "", 5, None])
def test_convention_must_be_named(convention):
    error = str(refusal(convention=convention))
    assert "'standard' (A = Rz(theta) Tz(d) Tx(a) Rx(alpha))" in error
    assert "'modified' (A = Rx(alpha) Tx(a) Rz(theta) Tz(d), Craig)" in error


@pytest.mark.parametrize(
    ("changes", "wanted"),
    [
        ({"joint": "planar"}, "joint = 'planar' is not known; wanted is one of 'revolute'"),
        ({"joint": "screw"}, "'pitch' is missing, the travel in m per rad"),
        ({"joint": "screw", "pitch": 0}, "pitch = 0 makes no screw"),
        ({"pitch": 0.1}, "pitch is for joint = 'screw'"),
        ({"sign": 0.5}, "sign = 0.5 is neither 1 nor -1"),
        ({"sign": "-1"}, "sign = '-1' is not a number"),
        ({"mimic": 3}, "mimic = 3 is no name of a joint, nor a table of joint, ratio, offset"),
        ({"mimic": {"ratio": 2}}, "row 1, mimic: 'joint' is missing"),
        ({"mimic": {"joint": 3, "ratio": 2}}, "row 1, mimic: joint = 3 is not a text"),
        ({"gamma": 0.1}, "gamma and b are of the modified convention"),
        ({"link": 3}, "link = 3 is not a text"),
        ({"joint": "revolut"}, "did you mean 'revolute'"),
        ({"joint": 0}, "joint = 0 is not known"),
        ({"aplha": 1}, "key 'aplha' is unknown (did you mean 'alpha'?)"),
        ({"Jm": 1}, "key 'Jm' is unknown (here this is rotor_inertia)"),
        ({"a": "0.5"}, "a = '0.5' is not a number"),
        ({"a": True}, "a = True is not a number"),
        ({"a": None}, "a = None is not a number"),
        ({"d": math.nan}, "d = nan is not finite"),
        ({"theta": 10**400}, "is not finite"),
        ({"alpha": [1]}, "alpha = [1] is not a number"),
        ({"lower": -math.inf}, "lower = -inf is not finite"),
        ({"com": [1, 2]}, "com = [1, 2] is not a list of 3 numbers"),
        ({"com": [1, 2, "3"]}, "holds an entry that is not a number"),
        ({"com": "123"}, "is not a list of 3 numbers"),
        ({"com": 1}, "is not a list of 3 numbers"),
        ({"com": np.float64(1)}, "is not a list of 3 numbers"),
        ({"com": np.array(1.0)}, "is not a list of 3 numbers"),
        ({"inertia": [1, 1, 1]}, "is not a 3x3 matrix (a list of 3 rows) of finite numbers, nor a table of ixx,"),
        ({"inertia": [[1, 0.1, 0], [0, 1, 0], [0, 0, 1]]}, "is not symmetric"),
        ({"inertia": {"ixx": 1, "izz": 1}}, "row 1, inertia: 'iyy' is missing"),
        ({"inertia": {"ixx": 1, "iyy": 1, "izz": 1, "iyx": 0}}, "key 'iyx' is unknown"),
        ({"inertia": {"ixx": 1, "iyy": 1, "izz": "1"}}, "izz = '1' is not a number"),
        ({"coulomb": [1, 2, 3]}, "nor two of them as [plus, minus]"),
        ({"coulomb": {"plus": 1}}, "nor two of them as [plus, minus]"),
        ({"gear_ratio": 0}, "gear ratio is 0"),
        ({"gear_ratio": 1e200, "viscous": 1}, "finite square"),
        ({"name": ""}, "name = '' is not a text"),
        ({"name": 3}, "name = 3 is not a text"),
        ({"parent": "link1"}, "parent = 'link1' is not one of the previous links: base"),
        ({"parent": 0}, "parent = 0 is not a text"),
    ],
)
def test_bad_rows(changes, wanted):
    error = refusal(rows(**changes))
    assert len(error.problems) == 1
    assert wanted in str(error)
    assert str(error).startswith("<dh>: row 1")


@pytest.mark.parametrize(
    ("changes", "wanted"),
    [
        ({"mass": -1}, "mass -1 kg is negative"),
        ({"inertia": np.diag([-1, 1, 1])}, "not positive semidefinite"),
        ({"coulomb": -1}, "Coulomb friction -1 is negative"),
        ({"coulomb": [-1, 1], "gear_ratio": 2}, "Coulomb friction -2 is negative"),
        ({"viscous": -1}, "viscous friction -1 is negative"),
        ({"rotor_inertia": -1}, "rotor inertia -1 is negative"),
        ({"mimic": "joint2"}, "mimics 'joint2', which is not a joint"),
        ({"mimic": "joint1"}, "mimics itself"),
    ],
)
def test_doubts_are_errors_when_strict_and_notes_otherwise(changes, wanted):
    assert wanted in str(refusal(rows(**changes), strict=True))
    tree = tree_from_rows(rows(**changes), convention="standard", strict=False)
    assert any(wanted in note.what for note in tree.notes)


@pytest.mark.parametrize("table", [[], None, "revolute", 5])
def test_no_rows(table):
    with pytest.raises(ModelError, match="there are no rows"):
        tree_from_rows(table, convention="standard")


def test_rows_in_one_bracket():
    (problem,) = refusal({"joint": "revolute"}).problems
    assert "[[rows]]" in problem.what


def test_row_that_is_none():
    (problem,) = refusal([ROW, "revolute"]).problems
    assert (problem.element, problem.what) == ("row 2", "'revolute' is not a table of keys and values")


def test_duplicate_names():
    assert "joint 'j': duplicate name" in str(refusal(rows(2, name="j")))


@pytest.mark.parametrize(
    ("gravity", "wanted"), [([0, 0], "list of 3"), ([0, 0, math.inf], "not finite"), (9.81, "list of 3")]
)
def test_bad_gravity(gravity, wanted):
    assert wanted in str(refusal(gravity=gravity))


PAIR = {"joints": ["joint1", "joint2"], "stiffness": 1.0}


@pytest.mark.parametrize(
    ("couplings", "wanted"),
    [
        ("joint1", "couplings is not a list of tables"),
        (["joint1"], "coupling 1: 'joint1' is not a table of keys and values"),
        ([PAIR, PAIR | {"stifness": 1}], "coupling 2: key 'stifness' is unknown (did you mean 'stiffness'?)"),
        ([{"stiffness": 1.0}], "coupling 1: 'joints' is missing, not the names of two joints"),
        ([PAIR | {"joints": ["joint1"]}], "joints = ['joint1'] is not the names of two joints"),
        ([PAIR | {"joints": ["joint1", "joint1"]}], "is not the names of two joints"),
        ([PAIR | {"joints": ["joint1", 2]}], "is not the names of two joints"),
        ([PAIR | {"joints": ["joint1", "joint3"]}], "no joint is named 'joint3' (did you mean 'joint2'?)"),
        ([PAIR | {"joints": ["joint1", "x"]}], "no joint is named 'x'; there are joint1, joint2"),
        ([{"joints": ["joint1", "joint2"]}], "neither 'stiffness' nor 'viscous' is there"),
        ([PAIR | {"stiffness": math.inf}], "stiffness = inf is not finite"),
        ([PAIR | {"ratio": 0}], "ratio = 0 leaves the second joint out"),
    ],
)
def test_bad_couplings(couplings, wanted):
    (problem,) = refusal(rows(2), couplings=couplings).problems
    assert wanted in str(problem)


def test_a_damper_that_drives_is_a_doubt():
    couplings = [PAIR | {"viscous": -1.0}]
    assert "viscous friction -1 is negative" in str(refusal(rows(2), couplings=couplings, strict=True))
    tree = tree_from_rows(rows(2), convention="standard", couplings=couplings, strict=False)
    assert "viscous friction -1 is negative" in tree.notes[0].what
    assert tree.couplings[0].viscous == -1.0


@pytest.mark.parametrize(
    ("key", "convention"), [("a", "standard"), ("d", "standard"), ("a", "modified"), ("d", "modified")]
)
def test_lengths_in_millimeters_are_doubted(key, convention):
    tree = tree_from_rows(rows(**{key: -425.0}), convention=convention)
    (note,) = (note for note in tree.notes if note.code == "unit-length")
    assert f"{key} is -425 m; lengths are in meters" in note.what
    assert tree_from_rows(rows(**{key: -0.425}), convention=convention).notes == ()


def test_the_doctor_says_so_once(tmp_path):
    path = tmp_path / "arm.dh.toml"
    path.write_text('convention = "standard"\n[[rows]]\njoint = "revolute"\na = -425\nmass = 1\n')
    with pytest.warns(rne.ModelWarning, match="a is -425 m"):
        rne.load(path)
    assert [finding.line for finding in rne.diagnose(path).findings if finding.code == "unit-length"] == [4]
