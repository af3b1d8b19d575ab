"""Robots of their own parameters, and of base parameters, which no bodies have."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest
from checks import assert_near, random_robot, random_states
from models_at_hand import MODELS
from own_robots import arm, gripper

import rne
from rne import lagrange

FILES = sorted([*MODELS.glob("**/*.urdf"), *MODELS.glob("**/*.toml")])
URDF = """<robot name="odd"><link name="base"/>
  <link name="upper"><inertial><origin xyz="0.1 0.2 0.3"/><mass value="{0}"/>
    <inertia ixx="{1}" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="lower"><inertial><origin xyz="0 0 0.5"/><mass value="{2}"/>
    <inertia ixx="0.1" iyy="0.1" izz="{3}" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="a" type="continuous"><parent link="base"/><child link="upper"/><axis xyz="0 1 0"/></joint>
  <joint name="b" type="continuous"><parent link="upper"/><child link="lower"/><origin xyz="1 0 0"/></joint>
</robot>"""


def published() -> list[Path]:
    folders = [parent / "share/example-robot-data/robots" for parent in Path(pin.__file__).parents]
    return sorted({path for folder in folders for path in folder.glob("**/*.urdf")})


def loaded(path: Path) -> rne.Robot | None:
    """Load a robot, leniently if need be; None if it is no robot."""
    with warnings.catch_warnings(action="ignore", category=rne.ModelWarning):
        for strict in (True, False):
            try:
                return rne.load(path, strict=strict)
            except rne.ModelError:
                continue
    return None


def assert_same_torques(one: rne.Robot, other: rne.Robot, rtol: float) -> None:
    """Compare the largest differences with the largest torques."""
    state = random_states(one.n, 4, seed=one.n)
    wanted = rne.inverse_dynamics(one, *state, friction=True)
    assert np.abs(wanted).max(initial=0.0) < np.inf
    assert_near(rne.inverse_dynamics(other, *state, friction=True), wanted, rtol)


def assert_own_parameters_change_nothing(robot: rne.Robot) -> None:
    for options in ({"rotors": False, "friction": False}, {"rotors": True, "friction": True}):
        pi = rne.parameters(robot, **options)
        again = robot.with_parameters(pi)
        assert_same_torques(robot, again, 1e-13)
        assert again.joint_names == robot.joint_names
        # Once more, by parameters that have gone through the tree and back.
        assert_same_torques(robot, robot.with_parameters(rne.parameters(again, **options)), 1e-13)
        assert_same_torques(robot, again.with_parameters(pi), 1e-13)


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_models_stay_the_same_with_their_own_parameters(path):
    robot = loaded(path)
    assert robot is not None
    assert_own_parameters_change_nothing(robot)


def test_published_robots_stay_the_same_with_their_own_parameters():
    """Some of them have bodies that cannot exist, and load all the same, one (romeo_laas_small) only leniently."""
    files = published()
    if not files:
        pytest.skip("example-robot-data is not installed")
    robots = [robot for path in files if (robot := loaded(path)) is not None]
    assert len(robots) >= len(files) - 2  # alex_psyonic_hands and ur3 are no robots
    odd = 0
    for robot in robots:
        assert_own_parameters_change_nothing(robot)
        odd += any(note.code.startswith("inertia-") for note in robot.tree.notes)
    assert odd >= 10


@pytest.mark.parametrize(
    "numbers", [(-2, 1, 1, 0.1), (2, -0.5, 1, 0.1), (2, 1, 0, 0.1), (2, 3, 1, 0.5), (-1, -1, 0, 0.5)], ids=str
)
def test_robots_that_load_only_leniently_stay_the_same(numbers):
    with warnings.catch_warnings(action="ignore", category=rne.ModelWarning):
        robot = rne.load_urdf(URDF.format(*numbers), strict=False)
    assert_own_parameters_change_nothing(robot)
    pi = rne.parameters(robot)
    if numbers != (2, 1, 0, 0.1):  # inertia without mass is the limit of bodies
        with pytest.raises(rne.ArgumentError, match="physically impossible"):
            robot.with_parameters(pi * 1.001)  # what cannot be may stay, but be nothing new
    robot.with_parameters(pi * 1.001, strict=False)


def test_drives_that_load_only_leniently_may_stay_but_not_get_worse():
    rows = [{"joint": "revolute", "a": 1.0, "mass": 1.0, "rotor_inertia": -0.01, "gear_ratio": 7.0}]
    with pytest.warns(rne.ModelWarning, match="rotor inertia -0.01 is negative"):
        robot = rne.from_dh(rows, convention="standard", strict=False)
    assert_own_parameters_change_nothing(robot)
    pi = rne.parameters(robot, rotors=True, friction=False)
    pi[-1] *= 1.001
    with pytest.raises(rne.ArgumentError, match="rotor_inertia: wanted zero or more"):
        robot.with_parameters(pi)


# ------------------------------------------------------------------------------------------------- base parameters


def of_base_parameters(robot: rne.Robot) -> rne.Robot:
    """Return a robot with the base parameters alone, all others zero."""
    base = rne.base_parameters(robot, rotors=False, friction=False)
    pi = np.zeros(10 * len(robot.links.joints))
    pi[base.independent] = base.values()
    return robot.with_parameters(pi, strict=False)


BASES = {
    "arm": arm,
    "gripper": gripper,
    "branches": lambda: random_robot(3, 8, branching=0.5, mimic=0.3),
    "slides": lambda: random_robot(8, 5, mimic=0.0),
    **{name: lambda name=name: loaded(MODELS / name / "robot.urdf") for name in ("panda", "iiwa14", "ur5e")},
    **{name: lambda name=name: loaded(MODELS / name / "robot.dh.toml") for name in ("puma560", "stanford", "scara")},
}


@pytest.mark.parametrize("make", BASES.values(), ids=BASES)
def test_base_parameters_make_a_robot_with_the_same_torques(make):
    robot = make()
    lean = of_base_parameters(robot)
    assert any(any(body.first_moment) for body in lean.tree.bodies)
    assert_same_torques(robot, lean, 1e-11)
    q, qd, qdd = random_states(robot.n, 4, seed=3)
    assert_near(rne.mass_matrix(lean, q), rne.mass_matrix(robot, q), 1e-11)
    assert_near(rne.gravity_vector(lean, q), rne.gravity_vector(robot, q), 1e-11)
    tau = rne.inverse_dynamics(robot, q, qd, qdd)
    assert_near(rne.forward_dynamics(lean, q, qd, tau), rne.forward_dynamics(robot, q, qd, tau), 1e-6)
    # The second formulation, which shares no code, agrees on what such a robot is.
    assert_near(lagrange.inertia_matrix(lean, q), rne.mass_matrix(robot, q), 1e-10)
    assert_near(lagrange.paul_gravity_vector(lean, q), rne.gravity_vector(robot, q), 1e-10)
    assert_near(lagrange.paul_inertia_matrix(lean, q), rne.mass_matrix(robot, q), 1e-10)
    # And it is what it was made of.
    assert_near(
        rne.parameters(lean, rotors=False, friction=False), rne.parameters(of_base_parameters(lean), rotors=False), 1e-9
    )


# Khalil, Dombre 2002, chapter 9: of a planar arm of two joints with parallel axes, the mass of the second link is
# regrouped with the first: ZZR1 = ZZ1 + d^2 M2, MXR1 = MX1 + d M2; ZZ2, MX2 and MY2 stay.
LENGTH, M2, MX1, MX2, MY2, ZZ1, ZZ2 = 0.7, 3.0, 0.4, 0.9, 0.2, 0.6, 0.8
ROWS = [
    {
        "joint": "revolute",
        "first_moment": [MX1 + LENGTH * M2, 0.0, 0.0],
        "inertia": np.diag([0, 0, ZZ1 + LENGTH**2 * M2]),
    },
    {"joint": "revolute", "a": LENGTH, "first_moment": [MX2, MY2, 0.0], "inertia": np.diag([0, 0, ZZ2])},
]
DOWN = [0.0, -9.81, 0.0]


def textbook(q, qd, qdd):
    """Torques of the two-link arm, written out for base parameters."""
    z1, x1 = ZZ1 + LENGTH**2 * M2, MX1 + LENGTH * M2
    c2, s2 = np.cos(q[1]), np.sin(q[1])
    f = LENGTH * (MX2 * c2 - MY2 * s2)
    df = -LENGTH * (MX2 * s2 + MY2 * c2)
    g2 = 9.81 * (MX2 * np.cos(q[0] + q[1]) - MY2 * np.sin(q[0] + q[1]))
    tau1 = (z1 + ZZ2 + 2 * f) * qdd[0] + (ZZ2 + f) * qdd[1] + df * (2 * qd[0] * qd[1] + qd[1] ** 2)
    tau2 = (ZZ2 + f) * qdd[0] + ZZ2 * qdd[1] - df * qd[0] ** 2
    return np.array([tau1 + 9.81 * x1 * np.cos(q[0]) + g2, tau2 + g2])


def test_a_published_set_of_base_parameters_is_a_robot(tmp_path):
    """From rows, from a file, and by parameters: with torques of a textbook."""
    with warnings.catch_warnings(action="ignore", category=rne.ModelWarning):
        robot = rne.from_dh(ROWS, convention="modified", gravity=DOWN, strict=False)
    assert [note.code for note in robot.tree.notes].count("moment-without-mass") == 2
    states = np.random.default_rng(0).normal(size=(5, 3, 2))
    for q, qd, qdd in states:
        assert_near(rne.inverse_dynamics(robot, q, qd, qdd), textbook(q, qd, qdd), 1e-13)
    with pytest.raises(rne.ModelError, match=r"row 1: the first moments \(2.5, 0, 0\) kg m are without a mass"):
        rne.from_dh(ROWS, convention="modified")

    text = 'convention = "modified"\n'
    for row in ROWS:
        text += "[[rows]]\n" + "".join(
            f"{key} = {value.tolist() if isinstance(value, np.ndarray) else value!r}\n" for key, value in row.items()
        )
    path = tmp_path / "two.toml"
    path.write_text(text)
    with warnings.catch_warnings(action="ignore", category=rne.ModelWarning):
        of_file = rne.load(path, gravity=DOWN, strict=False)
    bodies = [{"joint": "revolute", "mass": 1.0}, {"joint": "revolute", "a": LENGTH, "mass": 1.0}]
    pi = rne.parameters(robot, rotors=False, friction=False)
    by_parameters = rne.from_dh(bodies, convention="modified", gravity=DOWN).with_parameters(pi, strict=False)
    for other in (of_file, by_parameters):
        assert_same_torques(robot, other, 1e-14)
    assert_own_parameters_change_nothing(robot)
    codes = {finding.code for finding in rne.diagnose(by_parameters).findings}
    assert "moment-without-mass" in codes


def test_first_moments_of_a_mass_are_its_center():
    """With mass, first moments and inertia about the origin are those of a body like any other."""
    body = rne.Inertia.box(2.0, [0.1, 0.2, 0.3]).shifted([0.3, -0.1, 0.2])
    row = {"joint": "revolute", "mass": 2.0}
    one = rne.from_dh([row | {"com": body.com, "inertia": body.tensor}], convention="modified")
    other = rne.from_dh(
        [row | {"first_moment": 2.0 * body.com, "inertia": body.about([0, 0, 0])}], convention="modified"
    )
    assert_near(other.tree.bodies[-1].com, body.com, 1e-15)
    assert_near(other.tree.bodies[-1].inertia, body.tensor, 1e-14)
    assert_same_torques(one, other, 1e-14)
    with pytest.raises(rne.ModelError, match="com and first_moment are both given"):
        rne.from_dh([row | {"com": body.com, "first_moment": [0, 0, 0]}], convention="modified")


def test_what_does_not_follow_from_base_parameters_is_refused():
    lean = of_base_parameters(arm())
    with pytest.raises(rne.ArgumentError, match="do not determine the forces within the structure"):
        rne.link_forces(lean, np.zeros(6))
    body = next(body for body in lean.tree.bodies if any(body.first_moment))
    with pytest.raises(rne.ArgumentError, match=r"first moments in addition to its mass, .* are not physical"):
        body.to_inertia()
