"""Friction beyond viscous and Coulomb friction: the law of `rne.Drive` in all functions, against its formula."""

from __future__ import annotations

import numpy as np
import pytest
import reference
from c_code import COMPILERS, passes
from checks import assert_near, assert_same_bits, random_robot
from complex_steps import by_complex_steps
from own_robots import arm, rod
from scipy.integrate import solve_ivp

import rne
import rne.lagrange

CURVES = {"offset": -0.3, "stribeck": 0.8, "stribeck_velocity": 0.2, "quadratic": 0.15, "cubic": 0.04}
T = np.linspace(0.0, 2.0, 201)


def curved(robot):
    """Every second joint is smooth; plus and minus differ."""
    drives = {}
    for k, name in enumerate(robot.links.joints):
        own = {"viscous": 0.4, "coulomb_plus": 2.0 + k, "coulomb_minus": 1.5 + k} | CURVES
        drives[name] = rne.Drive(0.1, 3.0, **own, smoothing=0.3 * (k % 2))
    return robot.with_drives(drives)


ROBOTS = [curved(arm()), curved(random_robot(3, 5, mimic=0.5))]


def states(robot, samples=20):
    rng = np.random.default_rng(1)
    q, qd, qdd = rng.normal(size=(3, samples, robot.n)) * 0.8
    qd *= np.array([0.02, 0.3, 3.0])[rng.integers(0, 3, samples)][:, None]
    qd[0] = 0.0
    return q, qd, qdd


@pytest.mark.filterwarnings("ignore::rne.errors.ModelWarning")
@pytest.mark.parametrize("robot", ROBOTS, ids=["arm", "followers"])
def test_all_functions_have_the_law(robot):
    q, qd, qdd = states(robot)
    tau = rne.inverse_dynamics(robot, q, qd, qdd, friction=True)
    wanted = [reference.torques(robot.tree, *state, friction=True) for state in zip(q, qd, qdd, strict=True)]
    assert_near(tau, wanted)
    friction = rne.friction_torque(robot, qd)
    assert_near(friction, [reference.friction_torque(robot.tree, v) for v in qd])
    assert_near(rne.lagrange.friction_torque(robot, qd), friction)
    assert_same_bits(rne.friction_torque(robot, qd[3]), friction[3])
    assert_near(rne.friction_torque(robot, qd.astype(np.float32)), friction, 2e-6)
    assert_near(rne.forward_dynamics(robot, q[1:], qd[1:], tau[1:], friction=True), qdd[1:], 1e-9)
    pi, Y = rne.parameters(robot, friction=True), rne.regressor(robot, q, qd, qdd, friction=True)
    assert_near(Y @ pi + rne.regressor_remainder(robot, q, qd, friction=True), tau, 1e-11)
    weights = np.random.default_rng(2).normal(size=q.shape)
    assert_near(
        rne.regressor_vjp(robot, q, qd, qdd, weights, friction=True), np.einsum("si,sip->sp", weights, Y), 1e-11
    )
    D = rne.inverse_dynamics_derivatives(robot, q, qd, qdd, friction=True)[1]
    bare = rne.inverse_dynamics_derivatives(robot, q, qd, qdd)[1]
    for k in range(1, len(q)):
        slope = by_complex_steps(lambda v: reference.friction_torque(robot.tree, v), qd[k])
        assert_near(D[k] - bare[k], slope, 1e-10)
    product = rne.inverse_dynamics_vjp(robot, q, qd, qdd, weights, friction=True)[1]
    assert_near(product, np.einsum("si,sij->sj", weights, D), 1e-11)


def test_at_rest_smooth_friction_has_the_slope_of_its_sides_and_a_jump_none():
    smooth, jump = (
        rod(coulomb=[2.0, 1.0], friction={"stribeck": 0.5, "stribeck_velocity": 0.2, "smoothing": s})
        for s in (0.1, 0.0)
    )
    slope = [rne.inverse_dynamics_derivatives(r, [0.0], [0.0], [0.0], friction=True)[1][0, 0] for r in (smooth, jump)]
    assert_near(slope, [(1.5 + 0.5) / 0.1, 0.0])


@pytest.mark.parametrize("compiler", COMPILERS[:1])
def test_c_and_equations_have_the_law(compiler, tmp_path):
    pytest.importorskip("sympy")
    robot = curved(rne.load("models/planar2/robot.dh.toml"))
    names = ("inverse_dynamics", "inverse_dynamics_derivatives")
    paths = rne.export_c(robot, tmp_path, names, name="arm", friction=True)
    assert "exp(" in paths[1].read_text()
    passes(paths, compiler, "-O1")
    space: dict[str, object] = {}
    exec(rne.equations(robot, friction=True).python("f"), space)
    q, qd, qdd = (x[2] for x in states(robot))
    assert_near(space["f"](q, qd, qdd)[3], reference.torques(robot.tree, q, qd, qdd, friction=True), 1e-11)
    rows = [{"joint": "revolute", "a": "l", "mass": "m", "friction": {"smoothing": 0.1}, "coulomb": 1.0}]
    with pytest.raises(rne.ArgumentError, match=r"friction: smooth Coulomb .* leave smoothing and stribeck out"):
        rne.equations(rows, convention="standard", friction=True)


def resisting(v, side, smoothing):
    dry = (2.0 if side > 0 else 1.5) + CURVES["stribeck"] * np.exp(-abs(v) / CURVES["stribeck_velocity"])
    if smoothing:
        dry *= np.tanh(abs(v) / smoothing)
    return 0.4 * v + 0.15 * v * abs(v) + 0.04 * v**3 - 0.3 + side * dry


# Torque, velocity at the start, whether the wheel slides; what holds it is Coulomb and Stribeck friction, 2.8 and 2.3.
RUNS = [(2.6, 0.0, True), (2.45, 0.0, False), (-2.55, 0.0, False), (-2.7, 0.0, True), (-0.5, 3.0, True)]


@pytest.mark.parametrize("method", ["rk4", "adaptive"])
@pytest.mark.parametrize("smoothing", [0.0, 0.05])
def test_simulated_motion_is_that_of_the_law(method, smoothing):
    row = {"joint": "revolute", "mass": 1.0, "inertia": np.diag([1.0, 1.0, 0.5])}
    own = {"viscous": 0.4, "coulomb": [2.0, 1.5], "friction": CURVES | {"smoothing": smoothing}}
    wheel = rne.from_dh([row | own], convention="standard")
    torques, starts, slides = (np.array(x) for x in zip(*RUNS, strict=True))
    got = rne.simulate(
        wheel, np.zeros((5, 1)), starts[:, None], t=T, tau=torques[:, None, None], friction=True, method=method
    )
    if not smoothing:
        found = rne.forward_dynamics(wheel, np.zeros((5, 1)), starts[:, None], torques[:, None], friction=True)
        side = np.where(starts, np.sign(starts), np.sign(torques))
        resist = [resisting(v, s, 0.0) for v, s in zip(starts, side, strict=True)]
        assert_near(found[:, 0], np.where(slides, (torques - resist) / 0.5, 0.0))
    for (tau, v0, slides), qd in zip(RUNS, got.qd[..., 0], strict=True):
        v = np.zeros(len(T))
        if slides or smoothing:
            stop = (lambda t, y: y[0]) if v0 and not smoothing else None
            if stop:
                stop.terminal, stop.direction = True, -1
            side = np.sign(v0 or tau)
            rate = lambda t, y: (tau - resisting(y, side if not smoothing else np.sign(y), smoothing)) / 0.5  # noqa: B023, E731
            rate_of = lambda t, y: [rate(t, y[0])]  # noqa: B023, E731
            run = solve_ivp(rate_of, (0, 2), [v0], "DOP853", T, events=stop, rtol=1e-10, atol=1e-12)
            v[: run.y.shape[1]] = run.y[0]
        np.testing.assert_allclose(qd, v, rtol=0, atol=1e-6 if smoothing else 1e-9)


def test_without_friction_stops_act_alone():
    wheel = rod(coulomb=1.0, friction={"offset": 3.0}, lower=-1.0, upper=1.0)
    free = rod(lower=-1.0, upper=1.0)
    runs = [rne.simulate(r, [0.1], [3.0], t=T, stops={"restitution": 0.5}).q for r in (wheel, free)]
    assert_near(runs[0], runs[1])


@pytest.mark.filterwarnings("ignore::rne.errors.ModelWarning")
def test_a_dh_table_holds_the_law_and_urdf_says_what_it_does_not(tmp_path):
    robot = curved(rne.load("models/planar2/robot.dh.toml"))
    robot.to_dh(path := tmp_path / "robot.dh.toml")
    again = rne.load_dh(path)
    qd = states(robot)[1]
    assert_near(rne.friction_torque(again, qd), rne.friction_torque(robot, qd))
    with pytest.warns(rne.ModelWarning, match="friction beyond viscous and Coulomb friction is not written"):
        robot.to_urdf()


@pytest.mark.parametrize(
    ("numbers", "said"),
    [
        ({"smoothing": -0.1}, r"drives\['elbow'\].smoothing = -0.1: wanted a velocity of 1e-06 or more, or zero"),
        ({"stribeck": 1.0}, r"drives\['elbow'\].stribeck_velocity = 0: wanted a velocity of 1e-06 or more, rad/s"),
        ({"stribeck": -1.0, "stribeck_velocity": 1.0}, r"stribeck = -1: friction at rest would be -1 with Coulomb"),
        ({"cubic": "x"}, r"drives\['elbow'\].cubic: "),
    ],
)
def test_wrong_numbers_are_refused(numbers, said):
    planar = rne.load("models/planar2/robot.dh.toml")
    with pytest.raises(rne.ArgumentError, match=said):
        planar.with_drives({"elbow": rne.Drive(**numbers)})


def test_wrong_tables_are_refused():
    row = {"joint": "revolute", "mass": 1.0}
    for friction, said in [
        ({"stribek": 1.0}, "stribek"), (3.0, "friction is no table; wanted one"), ({"smoothing": -1.0}, "wanted a"),
    ]:  # fmt: skip
        with pytest.raises(rne.ModelError, match=said):
            rne.from_dh([row | {"friction": friction}], convention="standard")
    with pytest.warns(rne.ModelWarning, match="drives the joint at high velocities"):
        rne.from_dh([row | {"friction": {"quadratic": -1.0}}], convention="standard")
