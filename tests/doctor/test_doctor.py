"""The model doctor: each fault is found, and its sound neighbor is not suspected."""

from __future__ import annotations

import re
from pathlib import Path

import doctor_table
import mujoco
import numpy as np
import pytest
from oracles import example_urdf

import rne
from rne.bodies import physical
from rne.bodies.physical import nearest_inertia
from rne.doctor import repair_inertias
from rne.doctor.bodies import size

# A sound arm of two links, a slide and a gripper finger that mimics; every fault is one change of the text.
SOUND = """<robot name="sound">
  <link name="base"/>
  <link name="upper">
    <inertial><origin xyz="0 0 0.2"/><mass value="4"/>
      <inertia ixx="0.06" iyy="0.06" izz="0.008" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><origin xyz="0 0 0.2"/><geometry><cylinder radius="0.08" length="0.5"/></geometry></collision>
  </link>
  <link name="fore">
    <inertial><origin xyz="0 0 0.15"/><mass value="2"/>
      <inertia ixx="0.02" iyy="0.02" izz="0.002" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><origin xyz="0 0 0.15"/><geometry><box size="0.12 0.12 0.4"/></geometry></collision>
  </link>
  <link name="finger"><inertial><mass value="0.1"/>
    <inertia ixx="1e-5" iyy="1e-5" izz="1e-5" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="thumb"><inertial><mass value="0.2"/>
    <inertia ixx="2e-5" iyy="2e-5" izz="2e-5" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 1 0"/>
    <limit lower="-2" upper="2" effort="100" velocity="3"/></joint>
  <joint name="elbow" type="revolute"><parent link="upper"/><child link="fore"/><axis xyz="0 1 0"/>
    <origin xyz="0 0 0.4"/><limit lower="-1.5" upper="1.5" effort="50" velocity="4"/></joint>
  <joint name="grip" type="prismatic"><parent link="fore"/><child link="finger"/><axis xyz="1 0 0"/>
    <origin xyz="0 0 0.35"/><limit lower="0" upper="0.04" effort="20" velocity="0.2"/></joint>
  <joint name="grip2" type="prismatic"><parent link="fore"/><child link="thumb"/><axis xyz="-1 0 0"/>
    <origin xyz="0 0 0.35"/><limit lower="0" upper="0.04" effort="20" velocity="0.2"/><mimic joint="grip"/></joint>
</robot>"""

QUIET = {"condition", "ignored"}  # what is said of a sound robot

# code, severity, element, (what to replace, by what), ...
FAULTS = [
    ("com-outside-shape", "warning", "link 'upper'", ('xyz="0 0 0.2"/><mass', 'xyz="0 0 0.9"/><mass')),
    ("inertia-beyond-shape", "warning", "link 'fore'", ('ixx="0.02" iyy="0.02"', 'ixx="0.3" iyy="0.3"')),
    ("inertia-huge", "warning", "link 'thumb'", ('ixx="2e-5" iyy="2e-5" izz="2e-5"', 'ixx="20" iyy="20" izz="20"')),
    (
        "inertia-tiny",
        "warning",
        "link 'thumb'",
        ('ixx="2e-5" iyy="2e-5" izz="2e-5"', 'ixx="2e-9" iyy="2e-9" izz="2e-9"'),
    ),
    ("point-mass", "info", "link 'thumb'", ('ixx="2e-5" iyy="2e-5" izz="2e-5"', 'ixx="0" iyy="0" izz="0"')),
    ("unit-mass", "warning", "", ('value="4"', 'value="4000"'), ('value="2"', 'value="2000"')),
    ("unit-length", "warning", "joint 'elbow'", ('xyz="0 0 0.4"', 'xyz="0 0 400"')),
    ("unit-angle", "warning", "joint 'elbow'", ('lower="-1.5" upper="1.5"', 'lower="-90" upper="90"')),
    ("unit-velocity", "info", "joint 'elbow'", ('velocity="4"', 'velocity="180"')),
    ("limit-zero", "warning", "joint 'elbow'", ('effort="50"', 'effort="0"')),
    ("limit-equal", "warning", "joint 'elbow'", ('lower="-1.5" upper="1.5"', 'lower="0" upper="0"')),
    ("limit-missing", "info", "joint 'elbow'", (' effort="50" velocity="4"', "")),
    ("limit-missing", "info", "joint 'elbow'", (' effort="50"', "")),
    ("zero-outside-limits", "info", "joint 'elbow'", ('lower="-1.5"', 'lower="0.5"')),
    ("mimic-still", "warning", "joint 'grip2'", ('<mimic joint="grip"/>', '<mimic joint="grip" multiplier="0"/>')),
    ("mimic-limits", "info", "joint 'grip2'", ('<mimic joint="grip"/>', '<mimic joint="grip" multiplier="2"/>')),
    ("mass-ratio", "warning", "joint 'elbow'", ('value="4"', 'value="0.001"')),
    ("condition", "warning", "", ('value="0.1"', 'value="1e-9"'), ('value="0.2"', 'value="1e-9"')),
    ("inertia-indefinite", "error", "link 'fore'", ('izz="0.002"', 'izz="-0.002"')),
    ("inertia-triangle", "warning", "link 'fore'", ('izz="0.002"', 'izz="0.2"')),
    ("inertia-without-mass", "warning", "link 'thumb'", ('value="0.2"', 'value="0"')),
    ("mass-negative", "error", "link 'thumb'", ('value="0.2"', 'value="-0.2"')),
    ("limit-inverted", "warning", "joint 'elbow'", ('lower="-1.5"', 'lower="2.5"')),
    ("file", "error", "joint 'grip2'", ('<mimic joint="grip"/>', '<mimic joint="grap"/>')),
]


def write(tmp_path, text: str):
    path = tmp_path / "robot.urdf"
    path.write_text(text, encoding="utf-8")
    return path


def changed(*changes: tuple[str, str]) -> str:
    text = SOUND
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return text


def test_a_sound_robot_is_not_suspected(tmp_path) -> None:
    diagnosis = rne.diagnose(write(tmp_path, SOUND))
    assert diagnosis.ok
    assert {finding.code for finding in diagnosis.findings} <= QUIET
    assert all(finding.severity == "info" for finding in diagnosis.findings)


@pytest.mark.parametrize(("code", "severity", "element", "changes"), [(*f[:3], f[3:]) for f in FAULTS])
def test_each_fault_is_found(tmp_path, code, severity, element, changes) -> None:
    text = changed(*changes)
    diagnosis = rne.diagnose(write(tmp_path, text))
    found = [f for f in diagnosis.findings if (f.code, f.severity, f.element) == (code, severity, element)]
    assert len(found) == 1
    assert diagnosis.ok == (severity != "error")
    if element:
        kind, name = element.split(" ")
        tag = f'<{kind} name="{name[1:-1]}"'
        # Readers name the very element, a few lines below the link or joint.
        assert 0 <= found[0].line - text[: text.index(tag)].count("\n") - 1 <= 2
    if severity == "warning" and code != "file":
        assert found[0].fix


def test_an_error_hides_no_other_finding(tmp_path) -> None:
    text = changed(('izz="0.002"', 'izz="-0.002"'), ('lower="-1.5" upper="1.5"', 'lower="-90" upper="90"'))
    diagnosis = rne.diagnose(write(tmp_path, text))
    assert [f.code for f in diagnosis.findings if f.severity != "info"] == ["inertia-indefinite", "unit-angle"]
    assert diagnosis.robot == "sound"
    assert diagnosis.condition is not None
    lenient = rne.diagnose(write(tmp_path, text), strict=False)
    assert lenient.ok
    assert [f.code for f in lenient.findings if f.severity == "warning"] == ["inertia-indefinite", "unit-angle"]


def test_what_is_not_used_is_told(tmp_path) -> None:
    text = changed(('<robot name="sound">', '<robot name="sound">\n<transmission name="t"/>'))
    found = [f for f in rne.diagnose(write(tmp_path, text)).findings if f.code == "ignored"]
    assert [(f.line, f.what) for f in found] == [
        (2, "transmission appears once and is not used"),
        (7, "link/collision appears 2 times and is not used"),
    ]


def test_chains_of_mimics(tmp_path) -> None:
    more = '<link name="third"/><joint name="grip3" type="prismatic"><parent link="finger"/><child link="third"/>'
    more += '<limit lower="0" upper="1" effort="1" velocity="1"/><mimic joint="grip2"/></joint></robot>'
    found = rne.diagnose(write(tmp_path, SOUND.replace("</robot>", more))).findings
    assert [f.element for f in found if f.code == "mimic-chain"] == ["joint 'grip3'"]


def test_placeholders(tmp_path) -> None:
    same = [(f'ixx="{x}" iyy="{x}" izz="{x}"', 'ixx="0.01" iyy="0.01" izz="0.01"') for x in ("1e-5", "2e-5")]
    third = ('ixx="0.02" iyy="0.02" izz="0.002"', 'ixx="0.01" iyy="0.01" izz="0.01"')
    codes = [[f.code for f in rne.diagnose(write(tmp_path, changed(*c))).findings] for c in (same, [*same, third])]
    assert ["inertia-placeholder" in c for c in codes] == [False, True]


def test_a_mesh_says_nothing_of_extents(tmp_path) -> None:
    outside = ('xyz="0 0 0.2"/><mass', 'xyz="0 0 0.9"/><mass')
    mesh = '<visual><geometry><mesh filename="upper.stl"/></geometry></visual><collision><origin xyz="0 0 0.2"/>'
    text = changed(outside).replace('<collision><origin xyz="0 0 0.2"/>', mesh)
    assert "com-outside-shape" not in {f.code for f in rne.diagnose(write(tmp_path, text)).findings}


def test_sizes_beyond_all_bounds_are_no_accident(tmp_path) -> None:
    huge = ('size="0.12 0.12 0.4"', 'size="1e200 1e308 1"'), ('length="0.5"', 'length="1e308"')
    for change in (*huge, ('value="2"', 'value="1e-310"')):
        assert rne.diagnose(write(tmp_path, changed(change))).ok


def test_turned_shapes_are_measured_in_the_axes_of_the_link(tmp_path) -> None:
    """A cylinder laid down along x leaves no room for mass along z."""
    laid = ('<origin xyz="0 0 0.2"/><geometry>', '<origin xyz="0 0 0.2" rpy="0 1.5707963 0"/><geometry>')
    found = [f for f in rne.diagnose(write(tmp_path, changed(laid))).findings if f.code == "inertia-beyond-shape"]
    assert [f.element for f in found] == ["link 'upper'"]
    assert "along z" in found[0].what


def test_what_is_no_robot_is_all_errors(tmp_path) -> None:
    path = write(tmp_path, '<robot name="odd">\n<link name="b"/>\n<link name="c"/>\n</robot>')
    diagnosis = rne.diagnose(path)
    assert not diagnosis.ok
    assert (diagnosis.robot, diagnosis.source, diagnosis.condition) == ("", str(path), None)
    assert [(f.severity, f.line) for f in diagnosis.findings] == [("error", 3)]


def test_condition_is_that_of_numpy() -> None:
    arm = rne.load("models/planar2/robot.dh.toml")
    median, largest = rne.diagnose(arm, samples=40, seed=3).condition
    q = np.random.default_rng(3).uniform(arm.lower_limit.clip(-np.pi), arm.upper_limit.clip(None, np.pi), (40, 2))
    numbers = np.linalg.cond(rne.mass_matrix(arm, q))
    assert (median, largest) == pytest.approx((np.median(numbers), numbers.max()), rel=1e-9)


def test_reach_follows_the_longest_way(tmp_path) -> None:
    """To the elbow, along the fore arm to the slide, and that drawn out."""
    assert size(rne.load(write(tmp_path, SOUND))) == pytest.approx(0.4 + 0.35 + 0.04)


@pytest.mark.parametrize(
    ("arguments", "options"),
    [((3,), {}), (("x.urdf",), {"samples": 0}), (("x.urdf",), {"seed": -1}), (("x.urdf",), {"samples": True})],
)
def test_bad_arguments(arguments, options) -> None:
    with pytest.raises(rne.ArgumentError):
        rne.diagnose(*arguments, **options)
    with pytest.raises(rne.ArgumentError):
        rne.diagnose(rne.load("models/planar2/robot.dh.toml"), strict=False)


def test_page() -> None:
    page = str(rne.diagnose("models/planar2/robot.dh.toml"))
    assert page.splitlines()[-1].startswith("0 errors, 0 warnings, ")


# ---------------------------------------------------------------------------------------------------------- repairs


def symmetric(rng: np.random.Generator) -> np.ndarray:
    matrix = rng.normal(size=(3, 3))
    return matrix + matrix.T


def test_the_nearest_inertia_is_the_projection_on_the_cone() -> None:
    """Moreau: what is cut off is at right angles to what is left, and has no positive part."""
    rng = np.random.default_rng(0)
    for _ in range(200):
        inertia = symmetric(rng)
        fixed = nearest_inertia(inertia)
        before, after = (np.trace(x) / 2 * np.eye(3) - x for x in (inertia, fixed))
        size = np.abs(before).max()
        assert np.linalg.eigvalsh(after)[0] >= -1e-15 * size
        assert np.sum((before - after) * after) == pytest.approx(0, abs=1e-8 * size**2)
        assert np.linalg.eigvalsh(before - after)[-1] <= 1e-8 * size
        moments = np.linalg.eigvalsh(fixed)
        assert moments[0] + moments[1] - moments[2] >= -1e-14 * size


def test_what_a_body_can_have_is_kept_to_the_last_bit() -> None:
    rng = np.random.default_rng(1)
    for _ in range(100):
        points = rng.normal(size=(4, 3))
        second = points.T @ points
        inertia = np.trace(second) * np.eye(3) - second
        assert nearest_inertia(inertia) is inertia


BAD = '<inertia ixx="0.02" iyy="0.02" izz="0.2"'


def test_only_the_numbers_change(tmp_path) -> None:
    text = changed(('<inertia ixx="0.02" iyy="0.02" izz="0.002"', BAD)).replace("\n", "\r\n")
    text = text.replace('<robot name="sound">', f'<?xml version="1.0"?>\r\n<!-- {BAD}/> é -->\r\n<robot name="sound">')
    path = tmp_path / "robot.urdf"
    path.write_bytes(text.encode())
    data, repairs = repair_inertias(path)
    (repair,) = repairs
    assert (repair.link, repair.before) == ("fore", (0.02, 0.02, 0.2, 0, 0, 0))
    fixed = data.decode()
    old = re.search(r'name="fore".*?<inertia [^>]*>', text, re.DOTALL)[0]
    new = re.search(r'name="fore".*?<inertia [^>]*>', fixed, re.DOTALL)[0]
    assert fixed == text.replace(old, new)
    assert re.sub(r'"[-+.e0-9]+"', '""', new) == re.sub(r'"[-+.e0-9]+"', '""', old)
    path.write_bytes(data)
    assert "inertia-triangle" not in {f.code for f in rne.diagnose(path).findings}
    assert repair_inertias(path) == (data, ())
    # Flat: the longest moment is the sum of the others, and the part across stays 0.
    ixx, iyy, izz = repair.after[:3]
    assert (ixx, iyy, izz) == pytest.approx((0.1, 0.1, 0.2), rel=1e-6)
    assert repair.change == pytest.approx(np.sqrt(2) * 0.08 / np.sqrt(0.02**2 * 2 + 0.2**2), rel=1e-6)


@pytest.mark.parametrize("start", ["\n <?xml version='1.0'?>", "\ufeff<?xml version='1.0' encoding='latin-1'?>", "\n"])
def test_repairs_find_their_place_in_odd_files(tmp_path, start) -> None:
    vendor = """x:was=' ixx="5"' x:note="a ixx='5' > b" """
    text = start + changed(
        ('<inertia ixx="0.02" iyy="0.02" izz="0.002"', f"<inertia {vendor}{BAD.removeprefix('<inertia ')}")
    )
    text = text.replace("<robot ", "<robot xmlns:x='x' ").replace('ixx="0.02" iyy', "ixx\n=\n'2e-2' iyy")
    text = text.replace("</inertial>", f'<x:inertial>{BAD[:-4]}0.3"/></x:inertial></inertial>')
    path = tmp_path / "robot.urdf"
    path.write_bytes(text.encode())
    data, (repair,) = repair_inertias(path)
    assert (repair.link, repair.before[:3]) == ("fore", (0.02, 0.02, 0.2))
    ixx, iyy, izz = map(repr, repair.after[:3])
    new = text.replace("'2e-2'", f'"{ixx}"').replace('iyy="0.02" izz="0.2"', f'iyy="{iyy}" izz="{izz}"', 1)
    assert re.sub(r'"-?0(\.0)?"', '"0"', data.decode()) == re.sub(r'"-?0(\.0)?"', '"0"', new)


def test_mujoco_takes_what_was_repaired(tmp_path) -> None:
    path = write(tmp_path, changed(('<inertia ixx="0.02" iyy="0.02" izz="0.002"', BAD)))
    with pytest.raises(ValueError, match="inertia"):
        mujoco.MjModel.from_xml_path(str(path))
    path.write_bytes(repair_inertias(path)[0])
    assert mujoco.MjModel.from_xml_path(str(path)).nv == 4


def test_a_real_robot_that_is_refused_can_be_repaired(tmp_path) -> None:
    source = example_urdf("romeo_laas_small.urdf")
    with pytest.raises(rne.ModelError, match="semidefinite"):
        rne.load(source)
    data, repairs = repair_inertias(source)
    assert len(repairs) >= 3
    path = tmp_path / "romeo.urdf"
    path.write_bytes(data)
    assert rne.diagnose(path).ok


@pytest.mark.parametrize(
    ("name", "text", "error"),
    [
        ("robot.json", "", rne.FileError),
        ("robot.dh.toml", "", rne.ModelError),
        ("robot.urdf", "<robot", rne.ModelError),
        ("robot.urdf", SOUND.replace('izz="0.002"', ""), rne.ModelError),
        ("missing/robot.urdf", None, rne.ModelError),
    ],
)
def test_what_cannot_be_repaired(tmp_path, name, text, error) -> None:
    path = tmp_path / name
    if text is not None:
        path.write_text(text)
    with pytest.raises(error, match=name.split("/")[-1]):
        repair_inertias(path)


def test_other_encodings_are_refused_rather_than_spoiled(tmp_path) -> None:
    text = changed(('<inertia ixx="0.02" iyy="0.02" izz="0.002"', BAD))
    path = tmp_path / "robot.urdf"
    path.write_bytes(f'<?xml version="1.0" encoding="utf-16"?>{text}'.encode("utf-16"))
    assert not rne.diagnose(path).count("error")
    with pytest.raises(rne.FileError, match="UTF-8"):
        repair_inertias(path)


# ---------------------------------------------------------------------------------------------------------- the page


def test_the_table_of_real_robots_is_that_of_the_page() -> None:
    assert doctor_table.page() == doctor_table.PAGE.read_text(encoding="utf-8")


def test_every_code_is_explained() -> None:
    told = set(re.findall(r"`([a-z]+(?:-[a-z]+)*)`", doctor_table.PAGE.read_text(encoding="utf-8").split("\nThe")[0]))
    package = Path(rne.doctor.__file__).parent
    codes = {
        code
        for path in package.glob("*.py")
        for code in re.findall(r'Finding\(\s*"\w+", "([a-z-]+)"', path.read_text())
    }
    codes |= set(re.findall(r'^    "([a-z-]+)": ', (package / "diagnosis.py").read_text(), re.MULTILINE)) | {"file"}
    codes |= set(re.findall(r'^[A-Z_]+ = "([a-z-]+)"', Path(physical.__file__).read_text(), re.MULTILINE))
    assert codes <= told
    assert codes >= {fault[0] for fault in FAULTS}
