"""Robots put together in Python: published arms in a few lines, and the same numbers as published."""

from __future__ import annotations

import math

import numpy as np
import pytest
from checks import assert_near, assert_same_bits, random_states

import rne
from rne.errors import ArgumentError, ModelError, ModelWarning, UnknownNameError

# ------------------------------------------------------------------------------------- Modern Robotics, docstrings of
# chapter 8 of its library: three links of a UR5, with a first screw that is no unit screw.

Q, QD, QDD = np.full(3, 0.1), np.array([0.1, 0.2, 0.3]), np.array([2.0, 1.5, 1.0])


def modern_robotics() -> rne.Robot:
    M = np.array([np.eye(4)] * 4)
    M[1, :3, :3] = [[0, 0, 1], [0, 1, 0], [-1, 0, 0]]
    M[:, :3, 3] = [0, 0, 0.089159], [0.28, 0.13585, 0], [0, -0.1197, 0.395], [0, 0, 0.14225]
    G = [
        [0.010267, 0.010267, 0.00666, 3.7],
        [0.22689, 0.22689, 0.0151074, 8.393],
        [0.0494433, 0.0494433, 0.004095, 2.275],
    ]
    S = np.transpose([[1, 0, 1, 0, 1, 0], [0, 1, 0, -0.089, 0, 0], [0, 1, 0, -0.089, 0, 0.425]])
    links = [np.diag([*g, g[-1], g[-1]]) for g in G]
    return rne.from_screws(M, S, links, gravity=[0, 0, -9.8])


def test_the_arm_of_modern_robotics():
    with pytest.warns(ModelWarning, match=r"'joint1': its screw has the length 1\.41421"):
        arm = modern_robotics()
    push = {"tool": (-np.ones(6), "local")}  # what the tool does to the world, there
    torques = rne.inverse_dynamics(arm, Q, QD, QDD, f_ext=push)
    assert_near(torques, [74.696161552874514, -33.067660158514578, -3.2305731379014242])
    mass = [
        [2.25433380e01, -3.07146754e-01, -7.18426391e-03],
        [-3.07146754e-01, 1.96850717e00, 4.32157368e-01],
        [-7.18426391e-03, 4.32157368e-01, 1.91630858e-01],
    ]
    assert_near(rne.mass_matrix(arm, Q), mass, 1e-8)
    assert_near(rne.coriolis_vector(arm, Q, QD), [0.26453118, -0.05505157, -0.00689132], 1e-7)
    assert_near(rne.gravity_vector(arm, Q), [28.40331262, -37.64094817, -5.4415892], 1e-9)
    assert_near(rne.static_torque(arm, Q, {"tool": (np.ones(6), "local")}), [1.40954608, 1.85771497, 1.392409], 1e-8)
    assert_near(
        rne.forward_dynamics(arm, Q, QD, [0.5, 0.6, 0.7], f_ext=push), [-0.97392907, 25.58466784, -32.91499212], 1e-8
    )


# ---------------------------------------------------------------------------------- KDL, solvertest: Motoman SIA10 with
# motors; numbers of FdSolverDevelopmentTest and FdSolverConsistencyTest, printed to three digits behind the point.


def motoman_sia10() -> rne.Robot:
    masses, y = [15, 5, 5, 3, 3, 3, 1], [-0.02, -0.02, -0.05, 0.02, -0.05, -0.01, 0]
    z, motors = [0, -0.1, 0.02, -0.15, 0.01, -0.1, 0.05], [5, 5, 3, 3, 1, 1, 1]
    I = [[10, 5, 10], [1, 10, 10], [5, 1, 5], [10, 10, 1], [2, 1, 2], [10, 10, 1], [1, 1, 10]]  # noqa: E741
    d, alpha = [0.36, 0, 0.36, 0, 0.36, 0, 0], math.pi / 2 * np.array([1, -1, 1, -1, 1, -1, 0])
    arm = rne.TreeBuilder("sia10")
    for k in range(7):
        body, motor = rne.Inertia(masses[k], [0, y[k], z[k]], np.diag(I[k]) / 100), rne.Drive(motors[k])
        arm.add(f"{k}", screw=[0, 0, 1, 0, 0, 0], xyz=[0, 0, d[k]], rpy=[alpha[k], 0, 0], inertia=body, drive=motor)
    return arm.add("tool", xyz=[0, 0, 0.155]).robot()


@pytest.mark.filterwarnings("ignore:.*its largest moment exceeds the sum")
def test_the_motoman_of_kdl():
    arm = motoman_sia10()
    q, qd = [0.2, 0.6, 1.0, 0.5, -1.4, 0.3, -0.8], [1.0, -2.0, 3.0, -4.0, 5.0, -6.0, 7.0]
    push = {"tool": ([10.0, -20.0, 30.0, 3.0, -4.0, 5.0], "local")}

    def near(got, wanted):
        np.testing.assert_allclose(got, wanted, rtol=0, atol=1e-3)

    pose = rne.forward_kinematics(arm, q, "tool")
    rotation, position = pose[:3, :3], pose[:3, 3]
    near(position, [-0.547, -0.301, 0.924])
    near(rotation, [[0.503, 0.286, -0.816], [-0.859, 0.269, -0.436], [0.095, 0.920, 0.381]])
    near(rne.gravity_vector(arm, q), [0.0, -36.672, 4.315, -11.205, 0.757, 1.780, 0.0])
    near(rne.coriolis_vector(arm, q, qd), [-15.523, 24.250, -6.862, 6.303, 0.110, -4.898, -0.249])
    mass = [
        [6.8687, -0.4333, 0.4599, 0.6892, 0.0638, -0.0054, 0.0381],
        [-0.4333, 8.8324, -0.5922, 0.7905, 0.0003, -0.0242, 0.0265],
        [0.4599, -0.5922, 3.3496, -0.0253, 0.1150, -0.0243, 0.0814],
        [0.6892, 0.7905, -0.0253, 3.9623, -0.0201, 0.0087, -0.0291],
        [0.0638, 0.0003, 0.1150, -0.0201, 1.1234, 0.0029, 0.0955],
        [-0.0054, -0.0242, -0.0243, 0.0087, 0.0029, 1.1425, 0],
        [0.0381, 0.0265, 0.0814, -0.0291, 0.0955, 0, 1.1000],
    ]
    near(rne.mass_matrix(arm, q), mass)
    bias = rne.inverse_dynamics(arm, q, qd, f_ext=push)
    near(bias, [-21.252, -37.933, -2.497, -15.289, -4.646, -9.201, -5.249])
    tau = [50.0, -20.0, 10.0, 40.0, -60.0, 15.0, -10.0]
    accelerations = rne.forward_dynamics(arm, q, qd, tau, f_ext=push)
    near(accelerations, [9.486, 1.830, 4.726, 11.665, -50.108, 21.403, -0.381])


@pytest.mark.filterwarnings("ignore:.*its largest moment exceeds the sum")
def test_the_y_shaped_tree_of_kdl():
    """Whose equations of motion its test has from Lagrange's: both arms hang on the first link, at L and at 2 L."""
    m, Iz, L, g = 1.0, 0.05, 0.5, 9.8
    tree = rne.TreeBuilder("y", gravity=[0, -g, 0])
    for name, parent, x, com in (("1", "base", 0, L), ("2", "1", L, L / 2), ("3", "1", 2 * L, L / 2)):
        body = rne.Inertia(m, [com, 0, 0], np.diag([0, 0, Iz]))
        tree.add(name, "revolute", parent=parent, xyz=[x, 0, 0], inertia=body)
    robot = tree.robot()
    q, qd, qdd = random_states(3, seed=5)
    s2, s3, c2, c3 = math.sin(q[1]), math.sin(q[2]), math.cos(q[1]), math.cos(q[2])
    c1, c12, c13 = math.cos(q[0]), math.cos(q[0] + q[1]), math.cos(q[0] + q[2])
    a, e = m * L * L, Iz + 0.25 * m * L * L
    wanted = [
        (3 * Iz + 6.5 * a + a * c2 + 2 * a * c3) * qdd[0] + (e + 0.5 * a * c2) * qdd[1] + (e + a * c3) * qdd[2]
        - 0.5 * a * s2 * qd[1] ** 2 - a * s3 * qd[2] ** 2 - a * s2 * qd[0] * qd[1] - 2 * a * s3 * qd[0] * qd[2]
        + m * g * (4 * L * c1 + 0.5 * L * c12 + 0.5 * L * c13),
        (e + 0.5 * a * c2) * qdd[0] + e * qdd[1] + 0.5 * a * s2 * qd[0] ** 2 + 0.5 * m * g * L * c12,
        (e + a * c3) * qdd[0] + e * qdd[2] + a * s3 * qd[0] ** 2 + 0.5 * m * g * L * c13,
    ]  # fmt: skip
    assert_near(rne.inverse_dynamics(robot, q, qd, qdd), wanted)


# ---------------------------------------------------------------------------------------------------------- by screws


def skew(w):
    return np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])


def exponential(screw, q):
    """exp([S] q) as a series, which knows nothing of axes."""
    matrix = np.zeros((4, 4))
    matrix[:3, :3], matrix[:3, 3] = skew(screw[:3]), screw[3:]
    term = total = np.eye(4)
    for k in range(1, 40):
        term = term @ matrix * q / k
        total = total + term
    return total


@pytest.mark.parametrize("frame", ["space", "body"])
@pytest.mark.filterwarnings("ignore:.*its screw has the length")
def test_screws_of_every_kind_move_as_the_exponential_says(frame):
    """Lines anywhere, a thread, a slide, lengths other than one, and a thread of another length."""
    rng = np.random.default_rng(3)
    S = rng.normal(size=(6, 5))
    S[:3, 1] = 0.0  # a slide
    S[:3, 2] /= np.linalg.norm(S[:3, 2])
    S[3:, 3] = -np.cross(S[:3, 3], [0.1, 0.2, 0.3])  # no pitch
    M = np.eye(4)
    M[:3, :3], M[:3, 3] = [[0, 0, 1], [1, 0, 0], [0, 1, 0]], [0.3, -0.2, 0.7]
    robot = rne.from_screws(M, S, [rne.Inertia(1.0, [0.1, 0, 0], np.eye(3))] * 5, frame=frame)
    q = rng.normal(size=5)
    total = np.eye(4) if frame == "space" else M
    for k in range(5):
        total = total @ exponential(S[:, k], q[k])
    assert_near(rne.forward_kinematics(robot, q, "tool"), total if frame == "body" else total @ M)


def test_a_thread_carries_what_it_lifts():
    """A nut of 2 kg on a vertical thread of pitch h: the work of gravity is m g h a radian, the inertia I + m h^2."""
    h = 0.01
    nut = rne.Inertia(2.0, [0, 0, 0], np.diag([1e-3, 1e-3, 4e-4]))
    robot = rne.from_screws(np.eye(4), np.transpose([[0, 0, 1, 0, 0, h]]), [nut])
    assert_near(rne.gravity_vector(robot, [0.7]), [2.0 * 9.81 * h])
    assert_near(rne.mass_matrix(robot, [0.7]), [[4e-4 + 2.0 * h * h]])


@pytest.mark.parametrize("error", [-1e-16, 3e-7])
def test_rounding_in_a_pose(error):
    """What six digits leave in the last row is forgiven as it is in the rotation; more is not."""
    S = np.transpose([[0, 0, 1, 0, 0, 0], [0, 1, 0, -0.3, 0, 0.1]])
    tool, bodies = np.eye(4), [rne.Inertia.box(2.0, (0.1, 0.2, 0.3))] * 2
    tool[:3, 3] = 0.4, 0.1, 0.3
    rounded = tool + error * np.array([[0, 0, 0, 0]] * 3 + [[1, 1, -1, 1]])
    one, other = (rne.from_screws(M, S, bodies) for M in (tool, rounded))
    assert_same_bits(rne.jacobian(one, [0.3, 0.4], "tool"), rne.jacobian(other, [0.3, 0.4], "tool"))
    in_body = [rne.from_screws(M, S, bodies, frame="body") for M in (tool, rounded)]
    assert_same_bits(*(rne.mass_matrix(robot, [0.3, 0.4]) for robot in in_body))
    based = [rne.from_screws(tool, S, bodies, base=M) for M in (tool, rounded)]
    assert based[0].tree == based[1].tree
    with pytest.raises(ArgumentError, match="M: wanted the last row 0 0 0 1"):
        rne.from_screws(rounded + np.diag([0, 0, 0, 1.0000001e-3]), S, bodies)


def test_spatial_inertias_about_any_point():
    body = rne.Inertia(2.0, [0.1, -0.2, 0.3], np.diag([0.1, 0.12, 0.15]))
    c = 2.0 * skew(body.com)
    G = np.block([[body.about([0, 0, 0]), c], [-c, 2.0 * np.eye(3)]])
    S = np.transpose([[0, 1, 0, 0.2, 0, 0.1]])
    one, other = (rne.from_screws(np.eye(4), S, [given]) for given in (G, body))
    q, qd, qdd = random_states(1)
    assert_near(rne.inverse_dynamics(one, q, qd, qdd), rne.inverse_dynamics(other, q, qd, qdd))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"S": np.zeros((6, 2))}, "S: column 0 is all zeros"),
        ({"S": np.ones((2, 6))}, r"S: wanted finite numbers of shape \(6, n\)"),
        ({"M": np.zeros((3, 4, 4))}, r"M\[0\]: wanted the last row 0 0 0 1"),
        ({"M": np.array([np.eye(4)] * 4)}, r"M: wanted poses of shape \(4, 4\), \(2, 4, 4\) or \(3, 4, 4\)"),
        ({"M": np.array([np.eye(4)] * 2), "frame": "body"}, "frame: screws of the body need the frame of the tool"),
        ({"inertias": [rne.Inertia(1.0)]}, "inertias: wanted one for each of 2 screws, got 1"),
        ({"inertias": [rne.Inertia(1.0), np.ones((6, 6))]}, r"inertias\[1\]: wanted a spatial inertia"),
        ({"names": ["one"]}, "names: wanted one for each of 2 screws"),
        ({"names": ["one", "one"]}, "'one' is there already"),
    ],
)
def test_senseless_exponentials_are_refused(changes, message):
    good = {"M": np.eye(4), "S": np.eye(6)[:, :2], "inertias": [rne.Inertia(1.0)] * 2}
    with pytest.raises(ArgumentError, match=message):
        rne.from_screws(**good | changes)


# ------------------------------------------------------------------------------------------------------- link by link


def test_a_builder_says_what_a_file_says():
    """The same arm as URDF text, feature by feature."""
    text = """<robot name="arm"><link name="base"/>
      <link name="a"><inertial><origin xyz="0.1 0 0.2"/><mass value="2"/>
        <inertia ixx="0.1" ixy="0.01" ixz="0" iyy="0.2" iyz="0" izz="0.15"/></inertial></link>
      <link name="b"><inertial><mass value="1"/>
        <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link>
      <link name="c"><inertial><origin xyz="0 0 0.1"/><mass value="0.5"/>
        <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial></link>
      <joint name="one" type="revolute"><parent link="base"/><child link="a"/><origin xyz="0 0 1" rpy="0.1 0.2 0.3"/>
        <axis xyz="0 3 4"/><limit lower="-1" upper="2" effort="30" velocity="4"/><dynamics damping="0.5" friction="0.2"
        /></joint>
      <joint name="two" type="prismatic"><parent link="a"/><child link="b"/><origin xyz="0.5 0 0"/><axis xyz="1 0 0"/>
        <limit lower="0" upper="1" effort="9" velocity="1"/></joint>
      <joint name="three" type="continuous"><parent link="a"/><child link="c"/><axis xyz="0 0 1"/>
        <mimic joint="one" multiplier="-2" offset="0.1"/></joint></robot>"""
    tensor = [[0.1, 0.01, 0], [0.01, 0.2, 0], [0, 0, 0.15]]
    arm = rne.TreeBuilder("arm").add(
        "a", "revolute", name="one", xyz=[0, 0, 1], rpy=[0.1, 0.2, 0.3], axis=[0, 3, 4],
        inertia=rne.Inertia(2.0, [0.1, 0, 0.2], tensor), limits=rne.Limits(-1.0, 2.0, 4.0, 30.0),
        drive=rne.Drive(viscous=0.5, coulomb_plus=0.2, coulomb_minus=0.2),
    )  # fmt: skip
    pose = np.eye(4)
    pose[0, 3] = 0.5
    second = {"limits": rne.Limits(0.0, 1.0, 1.0, 9.0), "inertia": rne.Inertia(1.0, tensor=np.eye(3) / 10)}
    arm.add("b", "prismatic", name="two", pose=pose, axis=[1, 0, 0], **second)
    third = rne.Inertia(0.5, [0, 0, 0.1], np.eye(3) / 100)
    arm.add("c", "revolute", name="three", parent="a", inertia=third, mimic=rne.Mimic("one", -2.0, 0.1))
    built, read = arm.tree(), rne.load_urdf(text).tree
    for one, other in zip((*built.bodies, *built.joints), (*read.bodies, *read.joints), strict=True):
        assert {k: v for k, v in vars(one).items() if k != "line"} == {
            k: v for k, v in vars(other).items() if k != "line"
        }


def test_springs_between_joints():
    rod = rne.Inertia.rod(1.0, 1.0, about="end")
    builder = rne.TreeBuilder().add("a", "revolute", inertia=rod).add("b", "revolute", xyz=[1, 0, 0], inertia=rod)
    robot = builder.couple("a_joint", "b_joint", stiffness=3.0, ratio=2.0).robot()
    assert_near(robot.stiffness, [[3.0, -6.0], [-6.0, 12.0]])


def test_an_impossible_body_is_refused_unless_lenient():
    builder = rne.TreeBuilder().add("a", "revolute", inertia=rne.Inertia(-1.0), limits=rne.Limits(1.0, -1.0))
    with pytest.raises(ModelError, match=r"link 'a': the mass -1 kg is negative"):
        builder.robot()
    with pytest.warns(ModelWarning) as told:
        assert builder.robot(strict=False).total_mass == -1.0
    assert any("lower limit 1 is above" in str(warning.message) for warning in told)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"link": "base"}, "link: 'base' is there already"),
        ({"joint": "ball"}, "joint: wanted 'revolute', 'prismatic' or 'fixed', got 'ball'"),
        ({"parent": "bas"}, "parent: no link is named 'bas'; did you mean 'base'"),
        ({"pose": np.eye(4), "xyz": [0, 0, 1]}, "pose: give either pose, or xyz and rpy"),
        ({"pose": {"xyz": [0, 0, 1], "quat": [0, 0, 0, 1]}}, "pose: wanted a mapping with xyz and rpy"),
        ({"axis": [0, 0, 1]}, "axis: a fixed joint has none"),
        ({"joint": "revolute", "axis": [0, 0, 0]}, "axis: wanted a direction"),
        ({"screw": np.zeros(6)}, "screw: wanted a screw"),
        ({"joint": "revolute", "screw": np.ones(6)}, "screw: it already defines kind and axis"),
        ({"inertia": 3.0}, "inertia: wanted an object of Inertia"),
    ],
)
def test_senseless_links_are_refused(arguments, message):
    with pytest.raises(ArgumentError, match=message):
        rne.TreeBuilder().add(**{"link": "a"} | arguments)


def test_unknown_joints_are_not_coupled():
    with pytest.raises(UnknownNameError, match="first: no joint is named 'a'"):
        rne.TreeBuilder().add("a", "revolute").couple("a", "a_joint")


# --------------------------------------------------------------------------------------------------------- base poses

CEILING = {"xyz": [0.2, 0.0, 2.5], "rpy": [math.pi, 0.0, 0.3]}


@pytest.mark.filterwarnings("ignore:.*links are called link1")
def test_a_base_pose_is_the_same_in_every_loader(tmp_path):
    rod = rne.Inertia.rod(1.0, 1.0, about="end")
    builder = rne.TreeBuilder("rod").add("link1", "revolute", inertia=rod, axis=[0, 1, 0], xyz=[0.1, 0.2, 0.3])
    (tmp_path / "rod.urdf").write_text(builder.robot().to_urdf(), encoding="utf-8")
    (tmp_path / "rod.toml").write_text(builder.robot().to_dh(), encoding="utf-8")
    screw = [0, 1, 0, *-np.cross([0, 1, 0], [0.1, 0.2, 0.3])]
    place = np.eye(4)
    place[:3, 3] = 0.1, 0.2, 0.3
    robots = [
        builder.robot(base=CEILING),
        rne.load(tmp_path / "rod.urdf", base=CEILING),
        rne.load_urdf(builder.robot().to_urdf(), base=CEILING),
        rne.load_dh(tmp_path / "rod.toml", base=CEILING),
        rne.from_screws([place], np.transpose([screw]), [rod], base=CEILING),
    ]
    # Upside down and turned by 0.3, the rod reaches along x of the ceiling at q = 0; gravity pulls q along.
    for robot in robots:
        assert_near(rne.gravity_vector(robot, [0.4]), [9.81 * 0.5 * math.cos(0.4)])
        assert robot.tree.bodies[0].name.startswith("world")  # with a number where a file has one already
    frame = rne.forward_kinematics(robots[0], [0.0], "link1")[:3, 3]
    c, s = math.cos(0.3), math.sin(0.3)
    assert_near(frame, [0.2 + c * 0.1 + s * 0.2, s * 0.1 - c * 0.2, 2.5 - 0.3])


def test_a_world_in_the_file_is_another_one():
    robot = rne.load_urdf('<robot name="block"><link name="world"/></robot>', base=np.eye(4))
    assert robot.frame_names == ("world_2", "world")
