"""Traced functions of random robots against plain numpy and Pinocchio: each feature of a robot comes through."""

from __future__ import annotations

import numpy as np
import oracles
import pytest
import reference
from checks import assert_near, random_tree
from complex_steps import by_complex_steps, torque, torque_derivatives

import rne
from rne.codegen.evaluation import evaluate
from rne.codegen.functions import Functions, parameters_of

SEEDS = range(12)
pytestmark = pytest.mark.filterwarnings("ignore::rne.errors.ModelWarning")


def traced(robot, name, inputs, parameters=(), friction=False):
    function = Functions(robot, parameters_of(robot, parameters), friction=friction).trace(name)
    return evaluate(function.program, inputs).reshape(function.shape)


def a_state(robot, seed):
    rng = np.random.default_rng(seed)
    q, qd, qdd = rng.normal(size=(3, robot.n)) * [[2.0], [1.0], [3.0]]
    return {"q": q, "qd": qd, "qdd": qdd}


@pytest.mark.parametrize("seed", SEEDS)
def test_torques_are_those_of_plain_numpy(seed):
    tree = random_tree(seed, 6, couplings=0.4, one_sided=True)
    robot, state = rne.Robot(tree), a_state(rne.Robot(tree), seed)
    assert_near(traced(robot, "inverse_dynamics", state), reference.torques(tree, *state.values()))
    rubbed = reference.torques(tree, *state.values(), friction=True)
    assert_near(traced(robot, "inverse_dynamics", state, friction=True), rubbed)


@pytest.mark.parametrize("seed", SEEDS)
def test_mass_matrix_gravity_and_jacobian_are_those_of_plain_numpy(seed):
    tree = random_tree(seed, 6)
    robot, state = rne.Robot(tree), a_state(rne.Robot(tree), seed)
    assert_near(traced(robot, "mass_matrix", state), reference.mass_matrix(tree, state["q"]))
    frame = robot.frame_names[-1]
    R, p = reference.forward_kinematics(tree, state["q"])[frame]
    pose = traced(robot, f"forward_kinematics:{frame}", state)
    assert_near(pose, np.block([[R, p[:, None]], [np.zeros(3), 1.0]]))
    assert_near(traced(robot, f"jacobian:{frame}", state), reference.jacobian(tree, state["q"], frame))


@pytest.mark.parametrize("seed", SEEDS)
def test_accelerations_move_the_robot_as_they_should(seed):
    """Inverse dynamics in plain numpy of what traced forward dynamics gives are the torques again."""
    tree = random_tree(seed, 5, degenerate=0.0)
    robot, state = rne.Robot(tree), a_state(rne.Robot(tree), seed)
    tau = state.pop("qdd")
    qdd = traced(robot, "forward_dynamics", {**state, "tau": tau})
    assert_near(reference.inverse_dynamics(tree, **state, qdd=qdd), tau, rtol=1e-9)


@pytest.mark.parametrize("name", ["panda.urdf", "anymal-kinova.urdf", "pr2.urdf", "tiago.urdf"])
def test_coriolis_matrix_is_that_of_pinocchio(name):
    path = oracles.example_urdf(name)
    robot, pm = rne.load(path), oracles.pin_model(path)
    state, names = a_state(robot, 1), robot.joint_names
    C = traced(robot, "coriolis_matrix", state)
    g = traced(robot, "gravity_vector", state)
    assert_near(g, oracles.pin_gravity(pm, names, state["q"]), rtol=1e-11)
    want = oracles.pin_inverse_dynamics(pm, names, state["q"], state["qd"]) - oracles.pin_gravity(pm, names, state["q"])
    assert_near(C @ state["qd"], want, rtol=1e-11)
    D = traced(robot, "christoffel", state)
    assert_near(D @ state["qd"], C, rtol=1e-11)
    assert_near(D, D.transpose(0, 2, 1), rtol=1e-11)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_regressor_gives_the_torques_of_plain_numpy(seed):
    tree = random_tree(seed, 5, couplings=0.0)
    robot, state = rne.Robot(tree), a_state(rne.Robot(tree), seed)
    Y = traced(robot, "regressor", state, friction=True)
    tau = Y @ rne.parameters(robot, friction=True) + rne.regressor_remainder(robot, state["q"])
    want = reference.inverse_dynamics(tree, **state) + reference.friction_torque(tree, state["qd"])
    assert_near(tau, want)


@pytest.mark.parametrize("seed", SEEDS)
def test_payload_and_gravity_at_run_time(seed):
    """On every link, slides among those that carry it; the same as a robot that was made with them."""
    rng = np.random.default_rng(seed)
    tree = random_tree(seed, 5)
    robot = rne.Robot(tree)
    state, gravity, frame = a_state(robot, seed), rng.normal(size=3) * 5.0, tree.bodies[int(rng.integers(1, 6))].name
    body = rne.Inertia.box(1.5, (0.1, 0.2, 0.3))
    com = (0.1, -0.05, 0.2)
    payload = np.array([1.5, *com, *body.tensor[np.triu_indices(3)]])
    inputs = {**state, "gravity": gravity, "payload": payload}
    loaded = robot.with_payload(1.5, com, body.tensor, frame).with_gravity(gravity).tree
    names = ("gravity", f"payload:{frame}")
    assert_near(traced(robot, "inverse_dynamics", inputs, names), reference.inverse_dynamics(loaded, **state), 1e-11)
    assert_near(traced(robot, "mass_matrix", inputs, names), reference.mass_matrix(loaded, state["q"]), 1e-11)
    inputs["payload"] = np.zeros(10)
    unloaded = robot.with_gravity(gravity).tree
    assert_near(traced(robot, "inverse_dynamics", inputs, names), reference.inverse_dynamics(unloaded, **state), 1e-11)


def test_nothing_is_left_that_a_robot_does_not_need():
    """Published: customized Newton-Euler of the Puma takes some 400 operations (Khalil, Dombre 2002, chapter 9)."""
    puma, arm = rne.load("models/puma560/robot.dh.toml"), rne.load("models/planar2/robot.dh.toml")
    program = Functions(puma).trace("inverse_dynamics").program
    assert program.count() - program.count("sin", "cos") < 260
    assert Functions(arm).trace("gravity_vector").program.count() < 15
    assert ("q", 0) not in Functions(arm).trace("mass_matrix").program.inputs()


def test_a_singular_mass_matrix_is_told():
    rows = [{"joint": "revolute", "a": 1.0, "mass": 1.0}, {"joint": "revolute", "a": 1.0}]
    robot = rne.from_dh(rows, convention="standard")
    program = Functions(robot).trace("forward_dynamics").program
    assert program.conditions


@pytest.mark.parametrize("seed", SEEDS)
def test_derivatives_are_complex_steps_of_plain_numpy(seed):
    """With followers, slides, springs, couplings and friction."""
    tree = random_tree(seed, 5, couplings=0.4, degenerate=0.0)
    robot, state = rne.Robot(tree), a_state(rne.Robot(tree), seed)
    weights = np.random.default_rng(seed).normal(size=robot.n)
    for friction in (False, True):
        D = torque_derivatives(tree, *state.values(), friction=friction)
        for got, wanted in zip(traced(robot, "inverse_dynamics_derivatives", state, friction=friction), D, strict=True):
            assert_near(got, wanted)
        gradient = traced(robot, "inverse_dynamics_vjp", {**state, "weights": weights}, friction=friction)
        for got, wanted in zip(gradient, D, strict=True):
            assert_near(got, weights @ wanted)
    G = by_complex_steps(lambda x: reference.gravity_vector(tree, x), state["q"])
    assert_near(traced(robot, "gravity_derivative", {"q": state["q"]}), G)


@pytest.mark.parametrize("seed", SEEDS)
def test_derivatives_of_accelerations_undo_those_of_torques(seed):
    tree = random_tree(seed, 5, massless=0.0, degenerate=0.0, heavy_tips=True)
    robot, state = rne.Robot(tree), a_state(rne.Robot(tree), seed)
    tau = torque(tree, *state.values())
    by_q, by_qd, M = torque_derivatives(tree, *state.values())
    got = traced(robot, "forward_dynamics_derivatives", {"q": state["q"], "qd": state["qd"], "tau": tau})
    for X, wanted in zip(got, (-by_q, -by_qd, np.eye(robot.n)), strict=True):
        assert_near(M @ X, wanted, rtol=1e-9)
