"""Giants: read in time that grows with their size, or refused by count. Bounds leave room for slow machines."""

from __future__ import annotations

import time
from contextlib import contextmanager

import pytest
from sound_urdf import GOOD, refusal

import rne
from rne.errors import MOST_SHOWN
from rne.model.findings import MOST_COMPARED, Findings
from rne.model.mimics import resolved_mimics
from rne.model.tree import Joint, Mimic
from rne.read.dh.reader import read_dh, tree_from_rows
from rne.read.urdf.grammar import MOST_UNKNOWN
from rne.read.urdf.reader import read_urdf
from rne.read.urdf.xmltree import MOST_ATTRIBUTES, MOST_OF_ONE

HEAVY = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
ROW = {"joint": "revolute", "a": 1.0, "mass": 1.0}


@contextmanager
def within(seconds: float):
    """Take no more of this process's time, whatever else the machine does."""
    start = time.process_time()
    yield
    assert time.process_time() - start < seconds


def chain(links: int, mimic: bool) -> str:
    parts = ['<robot name="chain"><link name="l0"/>']
    for k in range(1, links + 1):
        follow = f'<mimic joint="j{k - 1}"/>' if mimic and k > 1 else ""
        parts.append(
            f'<link name="l{k}">{HEAVY}</link><joint name="j{k}" type="continuous"><parent link="l{k - 1}"/>'
            f'<child link="l{k}"/>{follow}</joint>'
        )
    return "".join([*parts, "</robot>"])


def element(tag: str, attributes: int) -> str:
    return f"<{tag} {' '.join(f'x{k}=_' for k in range(attributes))}/>".replace("_", '""')


@pytest.mark.parametrize(
    ("inside", "wanted"),
    [
        (element("link", MOST_OF_ONE + 1), "<link>: it has 1,001 attributes; more than 1,000 are not part of a robot"),
        (element("mesh", 200_000), "<mesh>: it has 200,000 attributes"),
        (element("material", 1_000) * (MOST_ATTRIBUTES // 1_000 + 1), "more than 1,000,000 attributes"),
        ("".join(f"<zz{k}/>" for k in range(MOST_UNKNOWN + 1)), "more than 1,000 names of elements and attributes"),
        ("".join(f'<link name="l{k}" zz{k}=""/>' for k in range(MOST_UNKNOWN + 1)), "more than 1,000 names"),
    ],
    ids=["one", "one megabyte", "all", "elements unknown", "attributes unknown"],
)
def test_too_many_attributes_and_names_are_refused(inside, wanted):
    with within(20):
        assert wanted in str(refusal(f'<robot name="r">{inside}</robot>'))


def test_names_of_many_kinds_are_no_harm():
    """Up to the bounds, unknown words cost one look each, and namespaces none."""
    spaces = "".join(f'<material xmlns:n{k}="http://xacro/{k}"/>' for k in range(20_000))
    links = "".join(f'<link name="l{k}" skin="red"/>' for k in range(3_000))
    with within(30):
        assert "3001 links have no parent" in str(refusal(f'<robot name="r"><link name="b"/>{spaces}{links}</robot>'))
    with within(10):
        tree = read_urdf(GOOD.replace("</robot>", "<zz/>" * 20_000 + "</robot>"))
    assert len(tree.notes) == 20_000


def test_many_notes_are_told_in_part():
    with pytest.warns(rne.ModelWarning) as caught:
        robot = rne.load_urdf(GOOD.replace("</robot>", "<zz/>" * 150 + "</robot>"))
    assert len(caught) == MOST_SHOWN + 1
    assert str(caught[-1].message) == "<urdf>: 50 more notes; robot.tree.notes has them all"
    assert len(robot.tree.notes) == 150


def test_a_chain_of_mimics_is_resolved_once():
    joints = [Joint("j0", "revolute", "l0", "l1")]
    joints += [
        Joint(f"j{k}", "revolute", f"l{k}", f"l{k + 1}", mimic=Mimic(f"j{k - 1}", -1, 1)) for k in range(1, 50_000)
    ]
    with within(5):
        for order in (joints, joints[::-1]):
            resolved = resolved_mimics(order)
            assert resolved["j49999"] == Mimic("j0", -1.0, 1.0)
            assert resolved["j49998"] == Mimic("j0", 1.0, 0.0)


def test_a_long_chain_of_mimics_loads_and_locks():
    with within(60):
        robot = rne.load_urdf(chain(2_000, mimic=True))
        assert robot.n == 1
        assert rne.kinetic_energy(robot, [0.0], [1e-3]) > 0
        assert robot.with_locked({"j1": 0.1}).n == 0


def test_edits_of_a_long_chain():
    robot = rne.load_urdf(chain(500, mimic=False))
    bolted = rne.load_urdf(
        chain(3_000, mimic=False).replace('type="continuous"', 'type="fixed"').replace("fixed", "prismatic", 1)
    )
    with within(60):
        for other in (robot.with_gravity([0, 0, -1]), robot.with_locked({"j1": 0.0}), robot.with_drives({})):
            assert other.n >= 499
        assert bolted.with_parameters(rne.parameters(bolted)).total_mass == pytest.approx(3_000)


def test_near_names_among_very_many_are_not_looked_for():
    findings, known = Findings("here"), [f"link_number_{k}" for k in range(MOST_COMPARED // 4)]
    with within(30):
        hints = [findings.hint("link_numbr_7", known) for _ in range(10_000)]
    assert [hint != "" for hint in hints] == [True] * 4 + [False] * 9_996


def test_rows_and_couplings():
    rows = [ROW] * 1_500
    with within(60):
        pair = {"joints": ["joint1499", "joint1500"], "stiffness": 1.0}
        assert len(tree_from_rows(rows, convention="standard", couplings=[pair] * 10_000).couplings) == 10_000
        with pytest.raises(rne.ModelError) as caught:
            tree_from_rows(rows, convention="standard", couplings=[pair | {"joints": ["nowhere", "joint1"]}] * 3_000)
    problems = caught.value.problems
    assert len(problems) == 3_000
    assert max(len(problem.what) for problem in problems) < 1_000
    with within(30), pytest.raises(rne.ModelError) as caught:
        tree_from_rows([ROW | {"parent": "nowhere"}] * 1_500, convention="standard")
    assert max(len(problem.what) for problem in caught.value.problems) < 1_000


@pytest.mark.parametrize("parent", ["link0", "link2", "link01", "link-1", "link٣", "link99999999999999", "link", "tip"])
def test_only_rows_before_are_parents(parent):
    with pytest.raises(rne.ModelError, match=r"is not one of the previous links: base, link1$"):
        tree_from_rows([ROW, ROW | {"parent": parent}], convention="modified")
    for good in ("base", "link1"):
        assert tree_from_rows([ROW, ROW | {"parent": good}], convention="modified").joints[1].parent == good


@pytest.mark.parametrize("above", [True, False])
def test_many_unknown_keys_are_told_in_part(tmp_path, above):
    path, keys = tmp_path / "a.dh.toml", "".join(f"k{k} = 1\n" for k in range(40_000))
    row = 'convention = "standard"\n[[rows]]\njoint = "revolute"\nmass = 1\na = 1\n'
    path.write_text(keys + row if above else row + keys)
    with within(30), pytest.raises(rne.ModelError) as caught:
        read_dh(path)
    assert len(caught.value.problems) == 21
    assert any("39,980 more keys are unknown" in problem.what for problem in caught.value.problems)


def test_inline_rows_far_down(tmp_path):
    path = tmp_path / "a.dh.toml"
    rows = '{joint = "revolute", mass = 1, a = 1},\n' * 500
    path.write_text("\n" * 900_000 + f'convention = "standard"\nrows = [\n{rows}]\n')
    with within(30):
        assert len(read_dh(path).joints) == 1_000
