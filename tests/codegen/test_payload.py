"""Payloads at run time behind slides, screws and followers: C against robots that were made with the payload."""

from __future__ import annotations

import numpy as np
import pytest
import reference
from c_code import ALL, COMPILERS, call, library, passes
from checks import assert_near, random_tree

import rne

pytestmark = [
    pytest.mark.filterwarnings("ignore::rne.errors.ModelWarning"),
    pytest.mark.skipif(not COMPILERS, reason="there is no compiler"),
]
NOTHING = np.zeros(10)


def a_slide(**row):
    return rne.from_dh([{"joint": "prismatic", **row}], convention="standard")


def with_screw():
    """Return a turn, a screw, which is a turn and a slide that follows it, and a slide."""
    S = np.transpose([[0, 0, 1, 0, 0, 0], [0, 1, 0, -0.2, 0.3, 0.4], [0, 0, 0, 0.6, 0, 0.8]])
    tool = np.eye(4)
    tool[:3, 3] = 0.4, 0.1, 0.3
    bodies = [rne.Inertia.box(k, (0.1, 0.2, 0.3)).at(np.eye(3), (0.1 * k, 0.2, 0.0)) for k in (1.0, 2.0, 3.0)]
    return rne.from_screws(tool, S, bodies)


def exported(robot, folder, frame, **options):
    """Write all functions with gravity and payload as arguments, and run the test that comes with them."""
    names = [*ALL, f"forward_kinematics:{frame}", f"jacobian:{frame}"]
    parameters = ["gravity", f"payload:{frame}"]
    paths = rne.export_c(robot, folder, names, "arm", parameters=parameters, friction=True, **options)
    passes(paths, COMPILERS[0].values[0], "-O1")
    return paths


def a_payload():
    body, com = rne.Inertia.box(1.5, (0.1, 0.2, 0.3)), (0.1, -0.05, 0.2)
    return (1.5, com, body.tensor), np.array([1.5, *com, *body.tensor[np.triu_indices(3)]])


def compare(robot, folder, frame, seed=0):
    """C with a payload gives the torques of plain numpy on the loaded robot, and the poses of the robot without."""
    code, rng = library(exported(robot, folder, frame)), np.random.default_rng(seed)
    body, payload = a_payload()
    gravity, loaded = rng.normal(size=3) * 5.0, robot.with_payload(*body, frame)
    for _ in range(3):
        q, qd, qdd = rng.normal(size=(3, robot.n))
        for given, tree in ((payload, loaded.with_gravity(gravity).tree), (NOTHING, robot.with_gravity(gravity).tree)):
            tau, _ = call(code.arm_inverse_dynamics, robot.n, q, qd, qdd, gravity, given)
            assert_near(tau, reference.torques(tree, q, qd, qdd, friction=True), rtol=1e-11)
            M, _ = call(code.arm_mass_matrix, (robot.n, robot.n), q, given)
            assert_near(M, reference.mass_matrix(tree, q), rtol=1e-11)
        R, p = reference.forward_kinematics(robot.tree, q)[frame]
        pose, _ = call(code[f"arm_forward_kinematics_{frame}"], (4, 4), q)
        assert_near(pose, np.block([[R, p[:, None]], [np.zeros(3), 1.0]]))
        J, _ = call(code[f"arm_jacobian_{frame}"], (6, robot.n), q)
        assert_near(J, reference.jacobian(robot.tree, q, frame))


@pytest.mark.parametrize("seed", range(4))
def test_random_chains_with_slides_and_followers(seed, tmp_path):
    tree = random_tree(seed, 4, prismatic=0.6, mimic=0.3, couplings=0.3, massless=0.3, heavy_tips=True)
    compare(rne.Robot(tree), tmp_path, tree.bodies[int(np.random.default_rng(seed).integers(1, 5))].name, seed)


@pytest.mark.parametrize("frame", ["link2", "tool"])
def test_screws(frame, tmp_path):
    compare(with_screw(), tmp_path, frame)


def test_a_slide_alone(tmp_path):
    """Its frame is where it was: the payload moves no pose."""
    robot = a_slide(mass=1.0)
    compare(robot, tmp_path, "link1")
    header = (tmp_path / "arm.h").read_text()
    assert "arm_forward_kinematics_link1(const double q[1], double pose[16]);" in header
    assert "arm_jacobian_link1(const double q[1], double J[6]);" in header
    assert (
        "arm_regressor(const double q[1], const double qd[1], const double qdd[1], const double gravity[3]," in header
    )


def test_float(tmp_path):
    exported(a_slide(mass=1.0), tmp_path / "slide", "link1", dtype="float32")
    exported(with_screw(), tmp_path / "screw", "tool", dtype="float32")


def test_a_payload_that_is_all_the_mass_there_is(tmp_path):
    """The center of mass of nothing is no division by zero."""
    rows = [{"joint": "revolute", "a": 1.0, "mass": 1.0}, {"joint": "prismatic"}]
    compare(rne.from_dh(rows, convention="standard"), tmp_path, "link2")


def test_arguments_come_in_one_order(tmp_path):
    """Gravity before payload, however they are asked for."""
    for parameters in (["payload:link1", "gravity"], ["gravity", "payload:link1"]):
        paths = rne.export_c(a_slide(mass=1.0), tmp_path, ["gravity_vector"], "arm", parameters=parameters)
        assert "const double gravity[3], const double payload[10]," in paths[0].read_text()
