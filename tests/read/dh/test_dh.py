"""DH tables: the two conventions and what rows mean."""

import math

import numpy as np
import pytest

from rne.model.structure import parents_first
from rne.model.tree import Coupling
from rne.read.dh.reader import tree_from_rows

RNG = np.random.default_rng(7)
ROW = {"joint": "revolute", "a": 0.3, "mass": 1.0, "com": [-0.1, 0, 0], "inertia": {"ixx": 0.1, "iyy": 0.1, "izz": 0.1}}
CONVENTIONS = ["standard", "modified"]


def rows(count: int = 1, **changes):
    return [ROW | changes for _ in range(count)]


def one(convention="standard", **changes):
    """Return joint, link and notes of a table of one row."""
    tree = tree_from_rows(rows(**changes), convention=convention)
    return tree.joints[0], tree.bodies[-1], "\n".join(map(str, tree.notes))


IDENTITY = np.eye(3)


def homogeneous(rotation=IDENTITY, position=(0.0, 0.0, 0.0)):
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = rotation, position
    return matrix


def about(axis, angle):
    """Return the rotation about a unit axis (Rodrigues), independent of the code under test."""
    x, y, z = axis
    skew = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return homogeneous(np.eye(3) + math.sin(angle) * skew + (1 - math.cos(angle)) * skew @ skew)


def along(axis, length):
    return homogeneous(position=np.array(axis) * length)


def frames_of(tree, q):
    """Return the pose of every body in the root for joint values by name."""
    poses = {joint.parent: np.eye(4) for joint in tree.joints[:1]}
    for joint in parents_first(list(tree.bodies), list(tree.joints)):
        move = {"revolute": about, "prismatic": along}.get(joint.kind)
        motion = move(joint.axis, q[joint.name]) if move else np.eye(4)
        poses[joint.child] = poses[joint.parent] @ homogeneous(joint.origin.rotation, joint.origin.position) @ motion
    return poses


def random_rows(count):
    table = []
    for _ in range(count):
        row = dict(zip(("a", "alpha", "d", "theta"), RNG.uniform(-1.5, 1.5, 4).tolist(), strict=True))
        table.append(ROW | row | {"joint": str(RNG.choice(["revolute", "prismatic"]))})
    return table


@pytest.mark.parametrize("convention", CONVENTIONS)
@pytest.mark.parametrize("trial", range(5))
def test_frames_are_the_product_of_the_row_matrices(convention, trial):
    table = random_rows(6)
    tree = tree_from_rows(table, convention=convention)
    q = RNG.uniform(-3, 3, 6)
    poses = frames_of(tree, {f"joint{k + 1}": value for k, value in enumerate(q)})
    x, z = (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)
    wanted = np.eye(4)
    for k, (row, value) in enumerate(zip(table, q, strict=True)):
        turns = row["joint"] == "revolute"
        joint = about(z, row["theta"] + value * turns) @ along(z, row["d"] + value * (not turns))
        link = along(x, row["a"]) @ about(x, row["alpha"])
        wanted = wanted @ (joint @ link if convention == "standard" else link @ joint)
        np.testing.assert_allclose(poses[f"link{k + 1}"], wanted, atol=1e-14)


def test_names_of_bodies_and_joints():
    tree = tree_from_rows(rows(2), convention="modified", name="twin")
    assert (tree.name, tree.source, tree.gravity) == ("twin", "<dh>", (0.0, 0.0, -9.81))
    assert [body.name for body in tree.bodies] == ["base", "link1", "link2"]
    assert [(joint.name, joint.parent, joint.child) for joint in tree.joints] == [
        ("joint1", "base", "link1"),
        ("joint2", "link1", "link2"),
    ]


def test_standard_puts_a_frame_on_the_joint_axis():
    tree = tree_from_rows(rows(2), convention="standard")
    assert [(joint.kind, joint.parent, joint.child) for joint in tree.joints] == [
        ("revolute", "base", "link1_axis"),
        ("fixed", "link1_axis", "link1"),
        ("revolute", "link1", "link2_axis"),
        ("fixed", "link2_axis", "link2"),
    ]
    assert [body.has_inertial for body in tree.bodies] == [False, False, True, False, True]
    assert tree.notes == ()


def test_names_given_in_rows():
    tree = tree_from_rows([ROW | {"name": "waist"}, ROW], convention="modified")
    assert [joint.name for joint in tree.joints] == ["waist", "joint2"]


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_body_stays_in_the_frame_of_its_row(convention):
    inertia = [[0.1, 0.01, 0.02], [0.01, 0.2, 0.03], [0.02, 0.03, 0.25]]
    _, link, _ = one(convention, alpha=0.5, d=0.2, com=[1, 2, 3], inertia=inertia, mass=4)
    assert (link.mass, link.com) == (4.0, (1.0, 2.0, 3.0))
    assert np.array_equal(link.inertia, inertia)


def test_inertia_by_name():
    _, link, _ = one(inertia={"ixx": 0.1, "iyy": 0.2, "izz": 0.25, "ixy": 0.01, "iyz": 0.03})
    assert np.array_equal(link.inertia, [[0.1, 0.01, 0], [0.01, 0.2, 0.03], [0, 0.03, 0.25]])


def test_everything_has_a_default():
    tree = tree_from_rows([{"joint": "prismatic"}], convention="standard")
    joint, link = tree.joints[0], tree.bodies[-1]
    assert joint.limits == type(joint.limits)()
    assert joint.drive == type(joint.drive)()
    assert (link.mass, link.has_inertial) == (0.0, False)
    (note,) = tree.notes
    assert str(note).startswith("<dh>: joint 'joint1': neither 'link1_axis' nor anything beyond it has mass")


def test_numpy_values_are_numbers():
    table = [
        {
            "joint": "revolute",
            "a": np.float64(0.5),
            "d": np.int64(1),
            "com": np.ones(3),
            "inertia": np.eye(3),
            "mass": 1,
        }
    ]
    link = tree_from_rows(tuple(table), convention="modified", gravity=np.array([0, -9.8, 0])).bodies[-1]
    assert link.com == (1.0, 1.0, 1.0)
    assert all(type(entry) is float for row in link.inertia for entry in row)


def test_drive_counts_at_the_joint():
    joint, _, _ = one(rotor_inertia=2e-4, gear_ratio=-50, viscous=1.2e-3, coulomb=[0.4, -0.3], stiffness=7, rest=0.1)
    drive = joint.drive
    assert (drive.rotor_inertia, drive.gear_ratio, drive.stiffness, drive.rest) == (2e-4, -50.0, 7.0, 0.1)
    assert (drive.viscous, drive.coulomb_plus, drive.coulomb_minus) == pytest.approx((3.0, 20.0, 15.0))
    assert drive.reflected_inertia == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("coulomb", "plus", "minus"),
    [
        (0.4, 0.4, 0.4),
        ([0.4, 0.3], 0.4, 0.3),
        ((0.4, -0.3), 0.4, 0.3),
        ({"plus": 0.4, "minus": -0.3}, 0.4, 0.3),
        (0, 0, 0),
    ],
)
def test_ways_to_write_coulomb_friction(coulomb, plus, minus):
    drive = one(coulomb=coulomb)[0].drive
    assert (drive.coulomb_plus, drive.coulomb_minus) == (plus, minus)


def test_limits():
    limits = one(lower=-1, upper=2, effort=4)[0].limits
    assert (limits.lower, limits.upper, limits.velocity, limits.effort) == (-1, 2, math.inf, 4)


def test_degrees_are_suspected():
    assert "alpha = 90 is more than a full turn" in one(alpha=90)[2]
    assert one(alpha=-2 * math.pi, theta=2 * math.pi)[2] == ""


@pytest.mark.parametrize(
    "base",
    [
        {"xyz": [1, 2, 3], "rpy": [0, 0, math.pi / 2]},
        [[0, -1, 0, 1], [1, 0, 0, 2], [0, 0, 1, 3], [0, 0, 0, 1]],
        [[0, -1, 0, 1], [1, 0, 0, 2], [0, 0, 1, 3], [-1e-16, 0, 1e-17, 1 - 1e-16]],
        about((0, 0, 1), math.pi / 2) + along((1, 2, 3), 1) - np.eye(4),
    ],
)
def test_base_pose(base):
    tree = tree_from_rows(rows(), convention="modified", base=base)
    mount = tree.joints[0]
    assert [body.name for body in tree.bodies] == ["world", "base", "link1"]
    assert (mount.name, mount.kind, mount.parent, mount.child) == ("base_pose", "fixed", "world", "base")
    np.testing.assert_allclose(mount.origin.rotation, [[0, -1, 0], [1, 0, 0], [0, 0, 1]], atol=1e-15)
    assert mount.origin.position == (1, 2, 3)


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_a_row_may_hang_on_any_row_before_it(convention):
    first, second, third, fourth = random_rows(4)
    table = [first, second, third | {"parent": "link1"}, fourth | {"parent": "base"}]
    q = {"joint1": 0.3, "joint2": -0.7, "joint3": 1.1, "joint4": 0.5}
    poses = frames_of(tree_from_rows(table, convention=convention), q)
    for path in ((1, 2), (1, 3), (4,)):
        alone = [random_row | {"name": f"joint{k}"} for k, random_row in enumerate((first, second, third, fourth), 1)]
        chain = frames_of(tree_from_rows([alone[k - 1] for k in path], convention=convention), q)
        np.testing.assert_allclose(poses[f"link{path[-1]}"], chain[f"link{len(path)}"], atol=1e-14)


def test_couplings():
    first = {"joints": ["joint1", "joint2"], "stiffness": 5, "rest": 0.1}
    second = {"joints": ("joint3", "joint1"), "viscous": 2.0, "ratio": -0.5}
    tree = tree_from_rows(rows(3), convention="standard", couplings=[first, second])
    assert tree.couplings == (
        Coupling("joint1", "joint2", stiffness=5.0, rest=0.1),
        Coupling("joint3", "joint1", viscous=2.0, ratio=-0.5),
    )
    assert tree_from_rows(rows(3), convention="standard", couplings=[]).couplings == ()
