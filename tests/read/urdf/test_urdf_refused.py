"""What the URDF reader refuses, and what it says then."""

import pytest
from sound_urdf import GOOD, changed, refusal

from rne.errors import ModelError
from rne.read.urdf.reader import read_urdf

SPARE = '<link name="spare"/>'


def spoilt(old: str, new: str) -> ModelError:
    return refusal(changed(old, new))


def with_more(content: str) -> ModelError:
    return refusal(GOOD.replace("</robot>", content + "</robot>"))


def test_the_good_one_is_good():
    assert read_urdf(GOOD).notes == ()


@pytest.mark.parametrize(
    "bad",
    [
        "1,5",
        "1_5",
        "nan",
        "inf",
        "-Infinity",
        "0x10",
        "1e",
        "e5",
        "--1",
        "1.2.3",
        "1 5",
        "",
        "  ",
        "ten",
        "\u0661",
        "1e999",
        "1kg",
    ],
)
def test_numbers_that_are_none(bad):
    error = spoilt('<mass value="1.5"/>', f'<mass value="{bad}"/>')
    (problem,) = error.problems
    assert (problem.line, problem.element) == (4, "link 'arm'")
    assert f"<mass> value={bad!r}" in problem.what


@pytest.mark.parametrize(
    "bad", ["0 0", "0 0 0 0", "0,05 0 0.1", "0;0;0", "0\u00a00\u00a01", "0 0 nan", "", "0 0 ${len}"]
)
@pytest.mark.parametrize(
    ("element", "attribute", "old", "line"),
    [
        ("origin", "xyz", "0 0 0.1", 4),
        ("origin", "xyz", "0 0 0.2", 9),
        ("axis", "xyz", "0 1 0", 9),
    ],
)
def test_vectors_that_are_none(bad, element, attribute, old, line):
    (problem,) = spoilt(f'{attribute}="{old}"', f'{attribute}="{bad}"').problems
    assert problem.line == line
    assert f"<{element}> {attribute}={bad!r}" in problem.what


def test_long_digits_are_refused_quickly():
    assert "not a number" in str(spoilt('value="1.5"', f'value="{"1" * 100_000}x"'))


def test_moments_that_overflow():
    assert "not finite" in str(spoilt('ixx="0.02"', 'ixx="1.7e308"'))


def test_comma_gets_a_hint():
    assert "decimal point" in str(spoilt('value="1.5"', 'value="1,5"'))


@pytest.mark.parametrize(
    ("old", "new", "wanted"),
    [
        ('<mass value="1.5"/>', "", "link 'arm': <inertial> has no <mass>"),
        ('<mass value="1.5"/>', "<mass/>", "link 'arm': <mass> has no attribute 'value'"),
        ('<parent link="base"/>', "", "joint 'turn': <joint> has no <parent>"),
        ('<child link="arm"/>', "<child/>", "joint 'turn': <child> has no attribute 'link'"),
        ('<joint name="turn" type="revolute">', '<joint name="turn">', "joint 'turn': <joint> has no attribute 'type'"),
        ('<joint name="turn"', "<joint", "joint: <joint> has no attribute 'name'"),
        ('<joint name="turn"', '<joint name=" "', "joint: <joint> name=' ' is empty"),
        (
            'type="revolute"',
            'type="revolut"',
            "type 'revolut' is unknown (did you mean 'revolute'?); known are revolute,",
        ),
        ('<axis xyz="0 1 0"/>', '<axis xyz="0 0 -0"/>', "joint 'turn': the axis is zero"),
        ('xyz="0 0 0.2" rpy="0 0 0"', 'quat_xyzw="0 0 0 1"', "quat_xyzw is not supported yet"),
    ],
)
def test_missing_and_wrong_parts(old, new, wanted):
    error = spoilt(old, new)
    assert wanted in str(error)
    assert len(error.problems) == 1


def test_link_without_name():
    assert "<urdf>:2: link: <link> has no attribute 'name'" in str(spoilt('<link name="base"/>', "<link/>"))


@pytest.mark.parametrize(
    ("more", "line", "wanted"),
    [
        (SPARE, 12, "link 'spare': 2 links have no parent joint ('base', 'spare')"),
        (
            '<joint name="turn" type="fixed"><parent link="arm"/><child link="spare"/></joint>' + SPARE,
            12,
            "joint 'turn': dupl",
        ),
        ('<joint name="k" type="fixed"><parent link="amr"/><child link="base"/></joint>', 12, "(did you mean 'arm'?)"),
        (
            '<joint name="k" type="fixed"><parent link="arm"/><child link="hand"/></joint>',
            12,
            "child 'hand' is not a link",
        ),
        (
            '<joint name="k" type="fixed"><parent link="base"/><child link="arm"/></joint>',
            12,
            "the child of joint 'turn'",
        ),
        (
            '<joint name="k" type="fixed"><parent link="spare"/><child link="spare"/></joint>' + SPARE,
            12,
            "same link 'spare'",
        ),
        ('<joint name="k" type="fixed"><parent link="arm"/><child link="base"/></joint>', 7, "loop: k -> turn"),
    ],
)
def test_what_is_no_tree(more, line, wanted):
    (problem,) = with_more(more).problems
    assert problem.line == line
    assert wanted in str(problem)


def test_loop_beside_a_sound_tree():
    ring = "".join(f'<link name="r{k}"/>' for k in range(3)) + "".join(
        f'<joint name="k{k}" type="fixed"><parent link="r{k}"/><child link="r{(k + 1) % 3}"/></joint>' for k in range(3)
    )
    (problem,) = with_more(ring).problems
    assert "k0 -> k1 -> k2" in problem.what or "k1 -> k2 -> k0" in problem.what or "k2 -> k0 -> k1" in problem.what


def test_robot_without_links():
    assert "has no links" in str(refusal('<robot name="r"/>'))


@pytest.mark.parametrize(
    ("mimic", "wanted"),
    [
        ('<mimic joint="stuck"/>', "mimics 'stuck', which is fixed"),
        ('<mimic joint="turn" multiplier="two"/>', "<mimic> multiplier='two'"),
        ("<mimic/>", "<mimic> has no attribute 'joint'"),
    ],
)
def test_mimic_of_nothing(mimic, wanted):
    more = f"""{SPARE}<link name="other"/>
    <joint name="follow" type="revolute"><parent link="arm"/><child link="spare"/>{mimic}</joint>
    <joint name="stuck" type="fixed"><parent link="arm"/><child link="other"/></joint>"""
    (problem,) = with_more(more).problems
    assert (problem.element, problem.line) == ("joint 'follow'", 13)
    assert wanted in problem.what


def test_mimic_cycle():
    names = "abc"
    links = "".join(f'<link name="{name}"/>' for name in names)
    joints = "".join(
        f'<joint name="j{name}" type="continuous"><parent link="arm"/><child link="{name}"/>'
        f'<mimic joint="j{leader}"/></joint>'
        for name, leader in zip(names, "bca", strict=True)
    )
    (problem,) = with_more(links + joints).problems
    assert "in turn mimics it" in problem.what


def test_xacro_expressions():
    error = spoilt('<mass value="1.5"/>', '<mass value="${arm_mass}"/>')
    assert "${arm_mass}" in str(error)
    assert "xacro robot.urdf.xacro > robot.urdf" in str(error)
    assert "xacro" in str(spoilt('<link name="arm">', '<link name="$(arg prefix)arm">'))


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("<sdf version='1.9'/>", "SDF"),
        ("<mujoco/>", "MJCF"),
        ("<html/>", "<html>: the outermost element of URDF is <robot>"),
        ("<robot name='r'>", "<urdf>:1: not well-formed XML: no element found"),
        ("<robot name='r'>\n<link></robot>", "<urdf>:2: not well-formed XML: mismatched tag"),
        ("<", "not well-formed"),
        (b"", "empty or cut off"),
        (b"\x80\x04\x95", "not UTF-8"),
        ("<robot name='r'><link name='臂'/></robot>".encode("gbk"), "not UTF-8"),
        (b"<?xml version='1.0' encoding='gbk'?><robot/>", "save it as UTF-8"),
        (b"<?xml version='1.0' encoding='klingon'?><robot/>", "klingon"),
        ("<robot name='r'><link name='\ud800'/></robot>", "not well-formed"),
    ],
)
def test_not_urdf(text, wanted):
    assert wanted in str(refusal(text))


def test_entity_bomb():
    bomb = '<!DOCTYPE robot [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><robot name="&b;"><link name="x"/></robot>'
    assert "DOCTYPE" in str(refusal(bomb))
    assert "DOCTYPE" in str(refusal('<!DOCTYPE robot SYSTEM "file:///etc/passwd"><robot/>'))


def test_deep_nesting():
    assert "nested" in str(refusal("<robot>" + "<a>" * 100_000))


@pytest.mark.parametrize("name", ["missing.urdf", ".", "nul\0.urdf"])
def test_unreadable_path(tmp_path, name):
    path = f"{tmp_path}/{name}"
    error = refusal(path)
    assert path in str(error)
    assert "cannot read the file" in str(error)


def test_all_problems_come_at_once_in_file_order(tmp_path):
    path = tmp_path / "broken.urdf"
    path.write_text(
        GOOD.replace('value="1.5"', 'value="1,5"')
        .replace('ixx="0.02"', 'ixx=""')
        .replace('"0 1 0"', '"0 0 0"')
        .replace('link="base"', 'link="bse"')
    )
    with pytest.raises(ModelError) as caught:
        read_urdf(path)
    lines = str(caught.value).splitlines()
    assert [problem.line for problem in caught.value.problems] == [4, 5, 7, 9]
    assert lines[0].startswith(f"{path}:4: link 'arm': <mass> value='1,5'")
    assert "did you mean 'base'" in lines[2]


@pytest.mark.parametrize(
    ("old", "new", "wanted"),
    [
        ('value="1.5"', 'value="-1.5"', "mass -1.5 kg is negative"),
        ('ixx="0.02"', 'ixx="-0.02"', "not positive semidefinite"),
        ('friction="2"', 'friction="-2"', "joint 'turn': the Coulomb friction -2 is negative"),
        ('damping="1"', 'damping="-1"', "viscous friction -1 is negative"),
    ],
)
def test_doubts_are_errors_when_strict_and_notes_otherwise(old, new, wanted):
    text = GOOD.replace(old, new)
    assert wanted in str(refusal(text, strict=True))
    assert any(wanted in str(note) for note in read_urdf(text, strict=False).notes)
