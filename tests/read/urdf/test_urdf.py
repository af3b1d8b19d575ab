"""What the URDF reader makes of files that it accepts."""

import math

import numpy as np
import pytest
from sound_urdf import changed

from rne.errors import ArgumentError
from rne.read.urdf.reader import read_urdf

INERTIAL = """
    <inertial>
      <origin xyz="0.1 -0.2 0.3" rpy="0.4 -0.5 0.6"/>
      <mass value="2.5"/>
      <inertia ixx="0.03" ixy="0.001" ixz="-0.002" iyy="0.04" iyz="0.003" izz="0.05"/>
    </inertial>"""
ARM = f'<link name="base"/><link name="arm">{INERTIAL}</link>'


def robot(content: str, attributes: str = 'name="r"') -> str:
    return f"<robot {attributes}>{content}</robot>"


def joint(content: str = "", kind: str = "revolute", name: str = "j", parent: str = "base", child: str = "arm") -> str:
    return f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>{content}</joint>'


def only_joint(content: str = "", kind: str = "revolute"):
    return read_urdf(robot(ARM + joint(content, kind))).joints[0]


def notes(tree) -> str:
    return "\n".join(map(str, tree.notes))


def rotation_x(angle):
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[1, 0, 0], [0, c, -s], [0, s, c]])


def rotation_y(angle):
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])


def rotation_z(angle):
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])


def test_names_order_and_source():
    tree = read_urdf(
        robot('<link name="z"/>' + joint(parent="z") + f'<link name="arm">{INERTIAL}</link>', 'name="cell 7"')
    )
    assert (tree.name, tree.source, tree.gravity) == ("cell 7", "<urdf>", (0.0, 0.0, -9.81))
    assert [body.name for body in tree.bodies] == ["z", "arm"]
    assert tree.notes == ()


def test_robot_without_name_or_joints():
    tree = read_urdf('<robot><link name="block"/></robot>')
    assert (tree.name, tree.joints) == ("robot", ())


def test_lines_are_kept():
    tree = read_urdf('<robot name="r">\n<link name="base"/>\n\n<link name="arm"/>\n' + joint(kind="fixed") + "</robot>")
    assert [body.line for body in tree.bodies] == [2, 4]
    assert tree.joints[0].line == 5


def test_inertia_is_turned_into_link_axes():
    body = read_urdf(robot(ARM + joint())).bodies[1]
    own = np.array([[0.03, 0.001, -0.002], [0.001, 0.04, 0.003], [-0.002, 0.003, 0.05]])
    turn = rotation_z(0.6) @ rotation_y(-0.5) @ rotation_x(0.4)
    assert (body.mass, body.com, body.has_inertial) == (2.5, (0.1, -0.2, 0.3), True)
    np.testing.assert_allclose(body.inertia, turn @ own @ turn.T, rtol=0, atol=1e-17)
    assert np.array_equal(np.array(body.inertia), np.array(body.inertia).T)


def test_quarter_turn_exchanges_moments():
    text = robot(ARM.replace("0.4 -0.5 0.6", f"0 0 {math.pi / 2!r}") + joint())
    np.testing.assert_allclose(np.diag(read_urdf(text).bodies[1].inertia), [0.04, 0.03, 0.05], atol=1e-17)


def test_link_without_inertial_weighs_nothing():
    base = read_urdf(robot(ARM + joint())).bodies[0]
    assert (base.mass, base.has_inertial, np.any(base.inertia)) == (0.0, False, False)


def test_origin_turns_about_fixed_axes():
    origin = only_joint('<origin xyz="1 2 3" rpy="0.3 -0.7 1.9"/>').origin
    np.testing.assert_allclose(origin.rotation, rotation_z(1.9) @ rotation_y(-0.7) @ rotation_x(0.3), atol=1e-15)
    assert origin.position == (1.0, 2.0, 3.0)


@pytest.mark.parametrize("origin", ["", "<origin/>", '<origin xyz="0 0 0"/>', '<origin rpy="0 0 0"/>'])
def test_missing_parts_of_origin(origin):
    assert only_joint(origin).origin.rotation == ((1, 0, 0), (0, 1, 0), (0, 0, 1))
    assert only_joint(origin).origin.position == (0, 0, 0)


@pytest.mark.parametrize(
    ("axis", "unit"),
    [
        ("", (1, 0, 0)),
        ('<axis xyz="0 -1 0"/>', (0, -1, 0)),
        ('<axis xyz="0 3 4"/>', (0, 0.6, 0.8)),
        ('<axis xyz="0 3e-200 4e-200"/>', (0, 0.6, 0.8)),
        ('<axis xyz="3e200 0 4e200"/>', (0.6, 0, 0.8)),
    ],
)
def test_axis_is_a_unit_vector(axis, unit):
    assert only_joint(axis).axis == pytest.approx(unit, abs=1e-15)


def test_fixed_joint_ignores_what_needs_motion():
    fixed = only_joint('<axis xyz="0 0 0"/><limit lower="x"/><dynamics damping="?"/><mimic/>', "fixed")
    assert (fixed.kind, fixed.movable, fixed.mimic) == ("fixed", False, None)


def test_kinds():
    assert [only_joint(kind=kind).kind for kind in ("revolute", "continuous", "prismatic")] == [
        "revolute",
        "revolute",
        "prismatic",
    ]


INF = math.inf


@pytest.mark.parametrize(
    ("limit", "kind", "wanted"),
    [
        ("", "revolute", (-INF, INF, INF, INF)),
        ("", "prismatic", (-INF, INF, INF, INF)),
        ('<limit lower="-1" upper="2" velocity="3" effort="4"/>', "revolute", (-1, 2, 3, 4)),
        ('<limit lower="-1" upper="2"/>', "prismatic", (-1, 2, INF, INF)),
        ('<limit upper="2" velocity="3"/>', "revolute", (0, 2, 3, INF)),
        ('<limit lower="-2" effort="3"/>', "prismatic", (-2, 0, INF, 3)),
        ('<limit lower="-1" upper="2" velocity="3" effort="4"/>', "continuous", (-INF, INF, 3, 4)),
        ('<limit velocity="3" effort="4"/>', "continuous", (-INF, INF, 3, 4)),
    ],
)
def test_limits(limit, kind, wanted):
    limits = only_joint(limit, kind).limits
    assert (limits.lower, limits.upper, limits.velocity, limits.effort) == wanted
    assert read_urdf(robot(ARM + joint(limit, kind))).notes == ()


def test_limit_without_positions_is_noted():
    tree = read_urdf(robot(ARM + joint('<limit effort="3" velocity="1"/>')))
    assert (tree.joints[0].limits.lower, tree.joints[0].limits.upper) == (-INF, INF)
    assert "joint 'j': <limit> has neither lower nor upper" in notes(tree)


def test_negative_sizes_of_limits_are_noted():
    tree = read_urdf(robot(ARM + joint('<limit lower="0" upper="1" effort="-1" velocity="-2"/>')))
    assert "effort limit -1" in notes(tree)
    assert "velocity limit -2" in notes(tree)


def test_dynamics_become_the_drive():
    drive = only_joint('<dynamics damping="0.7" friction="0.2" made_up="x"/>').drive
    assert (drive.viscous, drive.coulomb_plus, drive.coulomb_minus, drive.reflected_inertia) == (0.7, 0.2, 0.2, 0.0)
    assert only_joint("<dynamics/>").drive == only_joint().drive


def test_mimic_keeps_its_leader():
    links = "".join(f'<link name="f{k}">{INERTIAL}</link>' for k in range(3))
    first = joint('<mimic joint="j1" multiplier="-2" offset="0.1"/>', "prismatic", "j0", "base", "f0")
    chain = joint('<mimic joint="j2"/>', "revolute", "j1", "base", "f1")
    tree = read_urdf(robot('<link name="base"/>' + links + first + chain + joint("", "continuous", "j2", "base", "f2")))
    mimics = [entry.mimic for entry in tree.joints]
    assert [(m.leader, m.ratio, m.offset) if m else None for m in mimics] == [("j1", -2, 0.1), ("j2", 1, 0), None]


@pytest.mark.parametrize("blank", [" ", "\t", "\n", "\r\n", "  \t\n ", "&#9;", "&#10;"])
def test_every_xml_blank_separates_numbers(blank):
    assert only_joint(f'<origin xyz="{blank}1{blank}-2.5e-1{blank}+.5{blank}"/>').origin.position == (1.0, -0.25, 0.5)


@pytest.mark.parametrize("text", ["1", "+1", "1.", "1.0", "10e-1", "0.1E+1", "01"])
def test_spellings_of_a_number(text):
    assert only_joint(f'<dynamics damping="{text}"/>').drive.viscous == 1.0


def test_foreign_matter_is_ignored():
    text = f"""<?xml version="1.0"?>
    <?xml-stylesheet type="text/xsl" href="none.xsl"?>
    <!-- <link name="ghost"/> ${{not}} $(read) <xacro:if/> -->
    <robot name="r" xmlns="http://example.org/urdf" xmlns:xacro="http://www.ros.org/wiki/xacro" xmlns:gz="urn:gz">
      {ARM}<?editor fold?>
      <gazebo reference="arm"><link name="arm"/><plugin file="$(find x)/y"/></gazebo>
      <transmission name="t"><joint name="j"/><actuator name="m"/></transmission>
      <ros2_control name="s" type="system"><joint name="j"/></ros2_control>
      <gz:link name="arm"/><gz:joint name="j"/><undeclared:joint name="j"/>
      <link name="tool"><visual><geometry><mesh filename="package://nowhere/a.dae" scale="1,1,x"/></geometry></visual>
        <collision><origin xyz="not numbers"/></collision><gz:inertial/></link>
      {joint('<safety_controller k_velocity="?"/><calibration rising="?"/>')}
      {joint(kind="fixed", name="k", parent="arm", child="tool")}
    </robot>""".strip()
    tree = read_urdf(text)
    assert [body.name for body in tree.bodies] == ["base", "arm", "tool"]
    assert [entry.name for entry in tree.joints] == ["j", "k"]
    assert [(note.line, note.what.split()[0]) for note in tree.notes] == [
        (14, "<gz:link>"),
        (14, "<gz:joint>"),
        (14, "<undeclared:joint>"),
        (16, "<gz:inertial>"),
    ]


def test_prefixed_document():
    text = '<u:robot name="r" xmlns:u="urn:urdf"><u:link name="a"/><v:link name="not mine"/></u:robot>'
    assert [body.name for body in read_urdf(text).bodies] == ["a"]


def test_plain_doctype_is_harmless():
    assert read_urdf('<!DOCTYPE robot><robot name="r"><link name="a"/></robot>').name == "r"


@pytest.mark.parametrize(
    ("declared", "codec"),
    [
        (None, "utf-8"),
        (None, "utf-8-sig"),
        ("UTF-8", "utf-8-sig"),
        ("UTF-16", "utf-16"),
        ("ISO-8859-1", "latin-1"),
        ("windows-1252", "cp1252"),
    ],
)
def test_encodings(tmp_path, declared, codec):
    head = f'<?xml version="1.0" encoding="{declared}"?>' if declared else ""
    data = f'{head}<robot name="r"><link name="bügel"/></robot>'.encode(codec)
    path = tmp_path / "r.urdf"
    path.write_bytes(data)
    assert read_urdf(data).bodies[0].name == "bügel"
    assert read_urdf(path).bodies[0].name == "bügel"


def test_decoded_text_overrides_the_declared_encoding():
    text = '<?xml version="1.0" encoding="UTF-16"?><robot name="r"><link name="臂"/></robot>'
    assert read_urdf(text).bodies[0].name == "臂"


def test_path_text_and_bytes_agree(tmp_path):
    text = robot(ARM + joint())
    path = tmp_path / "r.urdf"
    path.write_text(text)
    assert (
        read_urdf(path).bodies
        == read_urdf(str(path)).bodies
        == read_urdf(text).bodies
        == read_urdf(text.encode()).bodies
    )
    assert read_urdf(path).source == str(path)


def test_argument_of_another_type():
    with pytest.raises(ArgumentError, match="int"):
        read_urdf(7)


@pytest.mark.parametrize("shape", ["chain", "star"])
def test_ten_thousand_links(shape):
    count = 10_000
    links = "".join(f'<link name="l{k}"/>' for k in range(count))
    ends = [(f"l{k - 1}" if shape == "chain" else "l0", f"l{k}") for k in range(1, count)]
    joints = "".join(joint(name=f"j{child}", parent=parent, child=child) for parent, child in reversed(ends))
    tree = read_urdf(robot(links + joints))
    assert (len(tree.bodies), len(tree.joints), len(tree.notes)) == (count, count - 1, count - 1)


def test_movable_link_without_mass_is_noted():
    links = ARM + '<link name="pointer"/><link name="tip"/>'
    joints = joint() + joint("", "continuous", "j2", "arm", "pointer") + joint("", "fixed", "k", "pointer", "tip")
    tree = read_urdf(robot(links + joints))
    assert [note.element for note in tree.notes] == ["joint 'j2'"]
    assert "neither 'pointer' nor anything beyond it has mass" in notes(tree)


def test_mass_beyond_another_joint_is_enough():
    links = '<link name="base"/><link name="hub"/>' + f'<link name="leg">{INERTIAL}</link>'
    tree = read_urdf(robot(links + joint(child="hub") + joint("", "continuous", "j2", "hub", "leg")))
    assert tree.notes == ()


def test_mass_bolted_on_is_enough():
    links = f'<link name="base"/><link name="flange"/><link name="tool">{INERTIAL}</link>'
    tree = read_urdf(robot(links + joint(child="flange") + joint("", "fixed", "k", "flange", "tool")))
    assert tree.notes == ()


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [('rpy="0 0 0"/><mass', 'rpy="0 0 90"/><mass', 4), ('xyz="0 0 0.2" rpy="0 0 0"', 'xyz="0 0 0.2" rpy="-90 0 0"', 9)],
)
def test_turns_in_degrees_are_noted(old, new, line):
    assert not read_urdf(changed(old, new.replace("90", "6.28"))).notes
    (note,) = read_urdf(changed(old, new)).notes
    assert note.line == line
    assert "is more than a full turn; angles are in radians" in note.what
