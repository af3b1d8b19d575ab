"""DH tables in TOML files: content, lines of problems, and files that are no TOML."""

import pytest

from rne.errors import ModelError
from rne.read.dh.reader import read_dh, tree_from_rows

TOML = """# an arm
name = "arm"
convention = "standard"
gravity = [0, -9.81, 0]

[[rows]]
joint = "revolute"
a = 0.4
mass = 2
[rows.inertia]
ixx = 0.1
iyy = 0.1
izz = 0.1

[[rows]]  # slides
name = "slide"
joint = "prismatic"
mass = 1.0
coulomb = {plus = 1, minus = 2}

[[couplings]]
joints = ["joint1", "slide"]
stiffness = 4
[[couplings]]
joints = ["slide", "joint1"]
viscous = 2

[base]
xyz = [0, 0, 1]
rpy = [0, 0, 0]
"""


def written(tmp_path, text, codec="utf-8"):
    path = tmp_path / "arm.dh.toml"
    path.write_bytes(text.encode(codec))
    return path


@pytest.mark.parametrize("codec", ["utf-8", "utf-8-sig"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_toml_file(tmp_path, codec, end):
    path = written(tmp_path, TOML.replace("\n", end), codec)
    tree = read_dh(path)
    assert (tree.name, tree.source, tree.gravity) == ("arm", str(path), (0.0, -9.81, 0.0))
    assert [joint.name for joint in tree.joints if joint.movable] == ["joint1", "slide"]
    assert [joint.line for joint in tree.joints] == [28, 6, 6, 15, 15]
    assert tree.joints[3].drive.coulomb_minus == 2.0
    assert [(c.first, c.stiffness, c.viscous) for c in tree.couplings] == [("joint1", 4.0, 0.0), ("slide", 0.0, 2.0)]


def test_toml_equals_rows(tmp_path):
    body = {"ixx": 0.1, "iyy": 0.1, "izz": 0.1}
    table = [
        {"joint": "revolute", "a": 0.4, "mass": 2, "inertia": body},
        {"name": "slide", "joint": "prismatic", "mass": 1, "coulomb": [1, 2]},
    ]
    base = {"xyz": [0, 0, 1], "rpy": [0, 0, 0]}
    ours = tree_from_rows(table, convention="standard", name="arm", gravity=[0, -9.81, 0], base=base)
    theirs = read_dh(written(tmp_path, TOML))
    assert [(b.name, b.mass, b.inertia) for b in ours.bodies] == [(b.name, b.mass, b.inertia) for b in theirs.bodies]
    assert [(j.origin, j.drive) for j in ours.joints] == [(j.origin, j.drive) for j in theirs.joints]


def test_rows_on_one_line(tmp_path):
    text = 'convention = "modified"\nrows = [{joint = "revolute", mass = 1}, {joint = "prismatic", mas = 1}]\n'
    with pytest.raises(ModelError, match=r"arm\.dh\.toml:2: row 2: key 'mas' is unknown \(did you mean 'mass'\?\)"):
        read_dh(written(tmp_path, text))


@pytest.mark.parametrize(
    ("old", "new", "line", "wanted"),
    [
        ('convention = "standard"', 'convention = "std"', 3, "convention = 'std' is not known"),
        ('convention = "standard"', "", None, "'convention' is missing"),
        ("gravity = [0, -9.81, 0]", "gravity = [0, -9.81]", 4, "gravity = [0, -9.81] is not a list of 3 numbers"),
        ("gravity =", "gravty =", 4, "key 'gravty' is unknown (did you mean 'gravity'?)"),
        ("a = 0.4", 'a = "0.4"', 8, "row 1: a = '0.4' is not a number"),
        ("iyy = 0.1", "iyx = 0.1", 10, "row 1, inertia: key 'iyx' is unknown"),
        ("mass = 1.0", "mas = 1.0", 18, "row 2 ('slide'): key 'mas' is unknown"),
        ("mass = 1.0", "mass = -1.0", 18, "row 2 ('slide'): the mass -1 kg is negative"),
        ('joint = "prismatic"', "", 15, "row 2 ('slide'): 'joint' is missing"),
        ("stiffness = 4", "stiffness = true", 23, "coupling 1: stiffness = True is not a number"),
        ("viscous = 2", "vicous = 2", 26, "coupling 2: key 'vicous' is unknown (did you mean 'viscous'?)"),
        ('["slide", "joint1"]', '["slide", "join"]', 25, "coupling 2: no joint is named 'join'"),
        ("stiffness = 4", "", 21, "coupling 1: neither 'stiffness' nor 'viscous' is there"),
        ("mass = 1.0", 'mass = 1.0\nparent = "link2"', 19, "row 2 ('slide'): parent = 'link2' is not one of the"),
        ("xyz = [0, 0, 1]", "xyz = [0, 0]", 28, "base: xyz = [0, 0] is not a list"),
        ("a = 0.4", "a = 0,4", 8, "not TOML"),
        ("a = 0.4", "a = ", 8, "not TOML"),
        ("rpy = [0, 0, 0]\n", "rpy = [0, 0", 30, "not TOML"),
    ],
)
def test_toml_problems_have_lines(tmp_path, old, new, line, wanted):
    assert TOML.count(old) == 1
    path = written(tmp_path, TOML.replace(old, new))
    with pytest.raises(ModelError) as caught:
        read_dh(path)
    problems = caught.value.problems
    assert wanted in str(problems[0])
    assert problems[0].line == line
    assert str(path) in str(problems[0])


def test_all_problems_come_at_once(tmp_path):
    text = TOML.replace("a = 0.4", "a = true").replace("mass = 1.0", "mass = -1.0").replace('name = "arm"', "name = 5")
    with pytest.raises(ModelError) as caught:
        read_dh(written(tmp_path, text))
    assert [problem.line for problem in caught.value.problems] == [2, 8, 18]


@pytest.mark.parametrize("data", [b"\xff\xfe\x00", "name = 'x'\n# größe".encode("latin-1"), b"a = " + b"[" * 5000])
def test_not_toml(tmp_path, data):
    path = tmp_path / "x.toml"
    path.write_bytes(data)
    with pytest.raises(ModelError, match=r"not TOML|not UTF-8"):
        read_dh(path)
