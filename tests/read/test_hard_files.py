"""Files that are hard on a reader: huge, deep, in odd encodings, no files at all. An error or a robot, and soon."""

import os
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from sound_urdf import GOOD, refusal

import rne
from rne.errors import ArgumentError, ModelError, RneError
from rne.read.dh.toml import MOST_DOTS
from rne.read.urdf.xmltree import MOST_ELEMENTS

ROW = '[[rows]]\njoint = "revolute"\nmass = 1\na = 1\n'
DH = 'convention = "standard"\n' + ROW


def torque(robot: rne.Robot) -> float:
    return float(rne.inverse_dynamics(robot, [0.3], [1.0], [2.0])[0])


@pytest.mark.parametrize("suffix", [".urdf", ".toml", ".xacro"])
def test_sparse_giants_are_refused_unread(tmp_path, suffix):
    path = tmp_path / f"giant{suffix}"
    with open(path, "wb") as file:
        file.truncate(200_000_000)
    tracemalloc.start()
    with pytest.raises(ModelError, match="200 MB"):
        rne.load(path, args={} if suffix == ".xacro" else None)
    assert tracemalloc.get_traced_memory()[1] < 10_000_000
    tracemalloc.stop()


def test_meshes_beside_are_left_unopened(tmp_path):
    with open(tmp_path / "mesh.stl", "wb") as file:
        file.truncate(100_000_000)
    path = tmp_path / "arm.urdf"
    visual = '<visual><geometry><mesh filename="mesh.stl"/></geometry></visual></link>'
    path.write_text(GOOD.replace("</link>", visual))
    assert torque(rne.load(path)) == torque(rne.load_urdf(GOOD))


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("<robot name='r'>" + "<link/>" * (MOST_ELEMENTS + 1), "elements; no robot has that"),
        ("<robot name='r'>" + "<a>" * 100_000, "nested more than"),
        (f"<robot><link name='a'><inertial><mass value='{'9' * 1_000_000}'/></inertial></link></robot>", "too large"),
        (f"<robot><link name='a'><inertial><mass value='{'1 ' * 100_000}'/></inertial></link></robot>", "100000 numb"),
        ("<!DOCTYPE r [<!ENTITY a 'x'><!ENTITY b '&a;&a;'>]><robot name='&b;'/>", "entities are refused"),
    ],
)
def test_attacks_in_xml(text, wanted):
    error = str(refusal(text))
    assert wanted in error
    assert len(error) < 3000


def test_many_errors_are_told_in_part():
    error = refusal("<robot>" + "<link/>" * 500 + "</robot>")
    assert len(error.problems) == 500
    assert str(error).splitlines()[-1] == "... and 400 more problems"


def test_lines_of_rows_are_not_looked_for_in_the_whole_file_each(tmp_path):
    path = tmp_path / "long.dh.toml"
    path.write_text(DH + "\n" * 900_000 + ROW * 300)  # took minutes
    assert [joint.line for joint in rne.load(path).tree.joints[2:6:2]] == [900_006, 900_010]


def test_near_names_among_giants_are_not_looked_for():
    names = ["a" * 50_000 + str(k) for k in range(3)]
    joint = f'<joint name="j" type="fixed"><parent link="{names[2]}"/><child link="{names[1]}"/></joint>'
    text = f"<robot>{''.join(f'<link name={name!r}/>' for name in names[:2])}{joint}</robot>"
    assert "did you mean" not in str(refusal(text))


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("a = " + "[" * 100_000, "not TOML"),
        ("a = " + "{a=" * 100_000, "not TOML"),
        (DH + "b = " + "1" * 5000, r":6: not TOML"),
        (DH + "d = 1e400", r":6: row 1: d = inf is not finite"),
        (DH + "d = 1_0:30", r":6: not TOML"),
        (".".join("a" * (MOST_DOTS + 2)) + " = 1", ":1: a line with more than"),
        (DH.replace("[[rows]]", "[rows]"), r"each under \[\[rows\]\] in two brackets"),
        (DH.replace("[[rows]]", "[[row]]"), "did you mean 'rows'"),
        ('convention = "standard"\n' + ROW * 4_000, "more than 3,000"),
        ("", "'convention' is missing"),
        ("<robot/>", ":1: not TOML"),
        (DH.encode("utf-16"), "not UTF-8"),
        (b'convention = "standard" # \xe9', "not UTF-8"),
    ],
)
def test_attacks_in_toml(tmp_path, text, wanted):
    path = tmp_path / "arm.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ModelError, match=wanted):
        rne.load(path)


@pytest.mark.parametrize("blank", ["\n", " \n\t\n", "\ufeff\n", "\ufeff", "\r\n"])
@pytest.mark.parametrize("declaration", ["", '<?xml version="1.0"?>\n', '<?xml version="1.0" encoding="utf-8"?>\n'])
def test_blanks_before_the_beginning(tmp_path, blank, declaration):
    text = blank + declaration + GOOD
    path = tmp_path / "arm.urdf"
    path.write_bytes(text.encode())
    for robot in rne.load_urdf(text), rne.load_urdf(text.encode()), rne.load(path):
        assert torque(robot) == torque(rne.load_urdf(GOOD))
    spoilt = text.replace('value="1.5"', 'value="1,5"')
    line = spoilt[: spoilt.index("1,5")].count("\n") + 1
    assert [problem.line for problem in refusal(spoilt).problems] == [line]


@pytest.mark.parametrize("codec", ["utf-16", "utf-16-le", "utf-16-be", "latin-1"])
def test_encodings(codec):
    name = {"latin-1": "ISO-8859-1"}.get(codec, "UTF-16")
    text = f'<?xml version="1.0" encoding="{name}"?>' + GOOD.replace('"arm"', '"brå"')
    robot = rne.load_urdf(text.encode(codec))
    assert robot.frame_names == ("base", "brå")
    assert torque(robot) == torque(rne.load_urdf(GOOD))


def test_bytes_in_no_encoding():
    assert "the bytes are not UTF-8" in str(refusal(GOOD.replace('"arm"', '"brå"').encode("latin-1")))


@pytest.mark.parametrize("fraction", np.linspace(0.0, 0.99, 34))
def test_truncated_files(fraction):
    assert "not well-formed XML" in str(refusal(GOOD[: int(fraction * len(GOOD))].encode()))


@pytest.mark.parametrize("wrong", [None, 3, 1.5, True, ["arm.urdf"], object(), bytearray(b"<robot/>")])
@pytest.mark.parametrize("load", [rne.load, rne.load_urdf, rne.load_dh])
def test_what_is_no_path(load, wrong):
    with pytest.raises(ArgumentError, match=r"path(_or_text)?: wanted the path of a file"):
        load(wrong)


@pytest.mark.parametrize("text", [GOOD, "\n" + GOOD, DH])
@pytest.mark.parametrize("load", [rne.load, rne.load_dh])
def test_text_in_place_of_a_path(load, text):
    with pytest.raises(ModelError, match="is not the path of a file") as caught:
        load(text)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("load", [rne.load, rne.load_urdf, rne.load_dh])
def test_no_file(load, tmp_path):
    pipe = tmp_path / "pipe.urdf"
    os.mkfifo(pipe)
    for path, wanted in {"": "empty", str(tmp_path / "none.urdf"): "No such file", str(pipe): "regular file"}.items():
        with pytest.raises(RneError, match=wanted):
            load(path)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_no_permission(tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_text(GOOD)
    path.chmod(0)
    with pytest.raises(ModelError, match="Permission denied"):
        rne.load(path)


class Place(os.PathLike):
    def __init__(self, path):
        self.path = path

    def __fspath__(self):
        return self.path


def test_paths(tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_text(GOOD)
    for good in str(path), Path(path), Place(str(path)):
        assert torque(rne.load(good)) == torque(rne.load_urdf(good)) == torque(rne.load_urdf(GOOD))
    with pytest.raises(ArgumentError, match="path: wanted the path of a file, as text or Path, got Place"):
        rne.load(Place(os.fsencode(path)))
    with pytest.raises(ArgumentError, match="load_urdf takes the text"):
        rne.load(os.fsencode(path))


@pytest.mark.parametrize(
    ("old", "new", "wanted"),
    [
        ("0 0 0.2", "0 0 2e12", "the position of the joint is beyond 1e\\+12 m"),
        ("0 0 0.1", "0 0 1e200", "beyond 1e\\+12 in SI units"),
        ('value="1.5"', 'value="1e-400"', "too small to be distinguished from zero"),
        ('value="1.5"', 'value="1e20"', "beyond 1e\\+12 in SI units"),
        ('damping="1"', 'damping="1e13"', "beyond 1e\\+12"),
    ],
)
def test_sizes_beyond_reason(old, new, wanted):
    assert GOOD.count(old) == 1
    with pytest.raises(ModelError, match=wanted):
        rne.load_urdf(GOOD.replace(old, new))


def test_sizes_that_overflow_together():
    chain = "".join(
        f'<link name="l{k}"/><joint name="k{k}" type="continuous"><parent link="{"arm" if k == 0 else f"l{k - 1}"}"/>'
        f'<child link="l{k}"/>{f"""<mimic joint="k{k - 1}" multiplier="1e11"/>""" if k else ""}</joint>'
        for k in range(5)
    )
    with pytest.raises(ModelError, match="overflow in single precision"), pytest.warns(rne.ModelWarning):
        rne.load_urdf(GOOD.replace("</robot>", chain + "</robot>"))


def test_limits_that_stand_for_none():
    """A far limit of a slide on a slide is no length of the robot."""
    slides = """<link name="hand"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>
      </inertial></link><joint name="slide" type="prismatic"><parent link="arm"/><child link="hand"/>
      <limit lower="-1e30" upper="1e30" effort="1e30" velocity="1e30"/></joint></robot>"""
    robot = rne.load_urdf(GOOD.replace("</robot>", slides))
    assert robot.upper_limit[1] == 1e30
    assert np.isfinite(rne.mass_matrix(robot, np.zeros(2, np.float32))).all()
