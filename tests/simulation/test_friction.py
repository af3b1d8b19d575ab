"""Motion with friction: damping of any size, and joints that stop, stick and break away."""

from __future__ import annotations

import dataclasses

import mujoco
import numba
import numpy as np
import oracles
import own_robots
import pytest
from checks import assert_near
from own_robots import rod, slide
from scipy.integrate import simpson, solve_ivp
from scipy.optimize import brentq

import rne

pytestmark = pytest.mark.filterwarnings("ignore::rne.errors.ModelWarning")

METHODS = ("rk4", "euler", "adaptive")
DRIVE = rne.Drive(1e-4, 50.0, viscous=0.05, coulomb_plus=3.0, coulomb_minus=2.5)


def rough_arm() -> rne.Robot:
    arm = own_robots.arm()
    return arm.with_drives(dict.fromkeys(arm.joint_names, DRIVE))


def block(**drive: float) -> rne.Robot:
    """A mass of 2 kg on a level rail."""
    return slide(**drive).with_gravity([0.0, 0.0, 0.0])


# ----------------------------------------------------------------------------------------------------- stiff damping

STIFF = [
    "xarm7", "z1", "b1-z1", "icub", "icub_reduced", "tiago", "tiago_no_hand", "allegro_left_hand",
    "allegro_right_hand",
]  # fmt: skip


def undry(robot: rne.Robot) -> rne.Robot:
    return robot.with_drives(
        {name: dataclasses.replace(robot.joint(name).drive, coulomb_plus=0.0, coulomb_minus=0.0)
         for name in robot.joint_names}
    )  # fmt: skip


@pytest.mark.parametrize("name", STIFF)
def test_robots_with_stiff_damping_run_at_the_default_step(name):
    """Explicit steps of a millisecond fail for each. The energy that is missing is the work of friction."""
    robot = rne.load(oracles.example_urdf(f"{name}.urdf"))
    q0 = np.full(robot.n, 0.1)
    got = rne.simulate(robot, q0, t=np.linspace(0.0, 0.5, 501), friction=True)
    assert np.isfinite(got.q).all()
    assert np.diff(got.energy).max() <= 1e-10 * np.abs(got.energy).max()
    # After the first milliseconds, in which the stiff joints settle, the trapezoids are fine enough for the integral.
    power = (rne.friction_torque(robot, got.qd) * got.qd).sum(axis=1)
    lost = simpson(power[20:], x=got.t[20:])
    assert_near(got.energy[20] - got.energy[-1], lost, 2e-3 * max(lost, 1e-3))


@pytest.mark.parametrize("name", ["xarm7", "z1"])
def test_damping_is_that_of_mujoco(name):
    path = oracles.example_urdf(f"{name}.urdf")
    robot = undry(rne.load(path))
    q0, model = np.full(robot.n, 0.1), oracles.mujoco_model(path)
    data = mujoco.MjData(model)
    model.opt.timestep, model.opt.integrator = 1e-4, mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    places = [model.joint(joint).qposadr[0] for joint in robot.joint_names]
    data.qpos[places] = q0
    mujoco.mj_step(model, data, 20_000)
    got = rne.simulate(robot, q0, t=[0.0, 2.0], friction=True)
    assert np.abs(got.q[1] - q0).max() > 1.0
    np.testing.assert_allclose(got.q[1], data.qpos[places], rtol=0, atol=1e-4)


@pytest.mark.parametrize("name", ["allegro_left_hand", "tiago_no_hand"])
def test_damping_is_that_of_an_implicit_integrator_on_pinocchio(name):
    path = oracles.example_urdf(f"{name}.urdf")
    robot, pm = undry(rne.load(path)), oracles.pin_model(path)
    names, n, zero, D = robot.joint_names, robot.n, np.zeros(robot.n), robot.damping

    def rate(t, y):
        q, v = y[:n], y[n:]
        bias = oracles.pin_inverse_dynamics(pm, names, q, v, zero)
        return np.concatenate([v, np.linalg.solve(oracles.pin_mass_matrix(pm, names, q), -bias - D @ v)])

    q0 = np.full(n, 0.1)
    exact = solve_ivp(rate, (0.0, 0.2), [*q0, *zero], "Radau", rtol=1e-8, atol=1e-10).y[:n, -1]
    got = rne.simulate(robot, q0, t=[0.0, 0.2], friction=True)
    assert np.abs(exact - q0).max() > 1e-3
    np.testing.assert_allclose(got.q[1], exact, rtol=0, atol=2e-7)
    euler = rne.simulate(robot, q0, t=[0.0, 0.2], friction=True, method="euler")
    np.testing.assert_allclose(euler.q[1], exact, rtol=0, atol=2e-3)


def test_the_adaptive_method_takes_implicit_steps_where_damping_is_stiff():
    robot = undry(rne.load(oracles.example_urdf("xarm7.urdf")))
    q0 = np.full(7, 0.1)
    got = rne.simulate(robot, q0, t=[0.0, 2.0], friction=True, method="adaptive", rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(got.q[1], rne.simulate(robot, q0, t=[0.0, 2.0], friction=True).q[1], rtol=0, atol=1e-5)


@pytest.mark.parametrize(("method", "order", "step"), [("rk4", 4, 0.02), ("euler", 1, 0.002)])
def test_halving_the_step_shows_the_order_with_damping(method, order, step):
    """A damped mass on a spring has a closed solution; its damping is far from stiff here."""
    m, k, c, x0 = 2.0, 50.0, 12.0, 0.5
    decay = c / (2 * m)
    omega = np.sqrt(k / m - decay**2)
    exact = x0 * np.exp(-decay) * (np.cos(omega) + decay / omega * np.sin(omega))
    robot = block(stiffness=k, viscous=c)
    runs = [rne.simulate(robot, [x0], t=[0.0, 1.0], friction=True, method=method, step=step / 2**i) for i in range(4)]
    errors = np.abs([run.q[1, 0] - exact for run in runs])
    np.testing.assert_allclose(np.log2(errors[:-1] / errors[1:]), order, atol=0.2)


def test_any_damping_is_stable():
    """A mass that falls in honey sinks at m g / c, for any c."""
    for c in (1e2, 1e5, 1e8, 1e11):
        for method in ("rk4", "euler"):
            got = rne.simulate(slide(viscous=c), [0.0], t=[0.0, 0.5, 1.0], friction=True, method=method)
            assert_near(got.qd[1:, 0] * c, [2.0 * 9.81] * 2, 1e-6)


def test_joints_that_move_no_mass_follow_their_torques_through_their_damping():
    rows = [{"joint": "revolute", "a": 1.0, "mass": 1.0}, {"joint": "revolute", "name": "wrist", "viscous": 0.5}]
    robot = rne.from_dh(rows, convention="standard")
    with pytest.raises(rne.SingularError, match="wrist"):
        rne.simulate(robot, [0.1, 0.2], tau=[0.0, 1.0])
    more = {"friction": True, "gravity": [0.0, 0.0, 0.0]}
    push = np.array([0.0, 1.0])
    for tau, method in ((push, "rk4"), (lambda t, q, qd: push, "rk4"), (push, "adaptive")):
        with pytest.warns(rne.ModelWarning, match="'wrist'.*1e-06 s times their damping as inertia"):
            got = rne.simulate(robot, [0.1, 0.2], tau=tau, method=method, **more)
        assert_near(got.qd[-1], [0.0, 2.0], 1e-8)


# ---------------------------------------------------------------------------------------------------------- stiction


def test_what_friction_holds_does_not_accelerate():
    robot = block(coulomb=2.0)
    assert rne.forward_dynamics(robot, [0.0], None, [1.0], friction=True).tolist() == [0.0]
    assert rne.forward_dynamics(robot, [0.0], [0.0], [-2.0], friction=True).tolist() == [0.0]
    assert_near(rne.forward_dynamics(robot, [0.0], [0.0], [-3.0], friction=True), [-0.5])
    qd, tau = [[0.0], [1.0], [0.0], [-1.0]], [[1.0], [1.0], [4.0], [0.0]]
    assert_near(rne.forward_dynamics(robot, [0.0], qd, tau, friction=True), [[0.0], [-0.5], [1.0], [1.0]])
    out = np.empty((4, 1))
    assert rne.forward_dynamics(robot, np.zeros((4, 1)), qd, tau, friction=True, out=out) is out
    assert_near(out, [[0.0], [-0.5], [1.0], [1.0]])
    assert rne.forward_dynamics(robot, np.float32([0.0]), None, np.float32([1.0]), friction=True).dtype == np.float32
    pushed = {"link1": [0.0, 0.0, 1.5, 0.0, 0.0, 0.0]}
    assert rne.forward_dynamics(robot, [0.0], f_ext=pushed, friction=True).tolist() == [0.0]


def test_friction_holds_all_joints_together():
    """The law of Coulomb for each joint: against the motion at its bound, or below it at rest."""
    robot, rng = rough_arm(), np.random.default_rng(1)
    resting = 0
    for _ in range(200):
        q, tau = rng.uniform(-1, 1, 6), rng.normal(size=6) * 8
        qd = rng.normal(size=6) * (rng.random(6) < 0.3)
        qdd = rne.forward_dynamics(robot, q, qd, tau, friction=True)
        force = rne.inverse_dynamics(robot, q, qd, qdd) + DRIVE.viscous * qd - tau
        way = np.sign(np.where(qd == 0, qdd, qd))
        resting += (way == 0).sum()
        assert (force >= -3.0 - 1e-9).all()
        assert (force <= 2.5 + 1e-9).all()
        assert_near(force[way > 0], np.full((way > 0).sum(), -3.0), 1e-10)
        assert_near(force[way < 0], np.full((way < 0).sum(), 2.5), 1e-10)
    assert resting > 100


def test_followers_add_their_friction_to_their_leader():
    robot = own_robots.gripper()
    followers = robot.with_drives({"right_finger": rne.Drive(coulomb_plus=2.0, coulomb_minus=4.0)})
    lift = rne.gravity_vector(followers, [0.0, 0.0])
    j = list(robot.joint_names).index("left_finger")
    unit = np.eye(2)[j]
    # The ratio is -1.5: against positive motion of the leader the follower takes 1.5 * 4, against negative 1.5 * 2.
    for push, moves in ((5.99, False), (6.01, True), (-2.99, False), (-3.01, True)):
        qdd = rne.forward_dynamics(followers, [0.0, 0.0], None, lift + push * unit, friction=True)
        assert (qdd[j] != 0.0) == moves, push


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("kind", ["held", "plain", "compiled"])
def test_a_held_joint_stays_exactly_where_it_is(method, kind):
    robot = rough_arm()
    q0 = np.array([0.1, 0.2, 0.0, 0.3, -0.2, 0.1])
    push = rne.gravity_vector(robot, q0) + np.array([2.0, -2.0, 2.0, -2.0, 2.9, -2.4])

    @numba.njit
    def compiled(t, q, qd, tau):
        tau[:] = push

    tau = {"held": push, "plain": lambda t, q, qd: push, "compiled": compiled}[kind]
    got = rne.simulate(robot, q0, t=[0.0, 0.1, 0.5], tau=tau, friction=True, method=method)
    assert (got.q == q0).all()
    assert (got.qd == 0.0).all()


@pytest.mark.parametrize(("method", "rtol"), [("rk4", 1e-12), ("adaptive", 1e-9), ("euler", 2e-3)])
def test_a_block_stops_where_it_must(method, rtol):
    """It slides v^2 m / (2 c) against dry friction c, and rests there, whatever the step."""
    m, c, v = 2.0, 3.0, 1.7
    got = rne.simulate(block(coulomb=c), [0.0], [v], np.linspace(0, 3, 31), friction=True, method=method)
    stop = m * v / c
    t = np.minimum(got.t, stop)
    np.testing.assert_allclose(got.q[:, 0], v * t - c * t**2 / (2 * m), rtol=0, atol=rtol)
    resting = got.t > stop + 2e-3
    assert (got.qd[resting] == 0.0).all()
    assert np.ptp(got.q[resting]) == 0.0
    one = rne.simulate(block(coulomb=c), [0.0], [v], [0.0, 3.0], friction=True, method=method, step=3.0)
    assert one.qd[1, 0] == 0.0, "a stop within one step is a stop"
    if method != "euler":
        assert_near(one.q[1, 0], v * stop / 2, 1e-9)


def pendulum_stops(amplitude: float, c: float) -> list[float]:
    """Turning points of a rod with dry friction: from one to the next the weight does the work of friction."""
    weight, at, points = 2.0 * 9.81 * 0.5, amplitude, [amplitude]
    while abs(weight * np.sin(at)) > c:
        way = -np.sign(at)
        at = brentq(lambda x, a=at: weight * (np.cos(x) - np.cos(a)) - c * abs(x - a), at + 1e-6 * way, -at)
        points.append(at)
    return points


def test_a_pendulum_stops_where_it_must_to_the_order_of_the_method():
    c, start = 1.5, 2.5
    stops = pendulum_stops(start, c)
    assert len(stops) > 3
    errors = []
    for step in (0.02, 0.01, 0.005):
        got = rne.simulate(rod(coulomb=c), [start], t=[0.0, 12.0, 15.0], friction=True, step=step)
        assert got.qd[1, 0] == 0.0
        assert got.q[1, 0] == got.q[2, 0]
        errors.append(abs(got.q[1, 0] - stops[-1]))
    assert errors[0] < 1e-5
    assert min(np.log2(errors[0] / errors[1]), np.log2(errors[1] / errors[2])) > 3.5
    fine = rne.simulate(rod(coulomb=c), [start], t=[0.0, 12.0], friction=True, method="adaptive")
    np.testing.assert_allclose(fine.q[1, 0], stops[-1], rtol=0, atol=1e-8)
    euler = rne.simulate(rod(coulomb=c), [start], t=[0.0, 12.0], friction=True, method="euler")
    np.testing.assert_allclose(euler.q[1, 0], stops[-1], rtol=0, atol=1e-2)


def test_a_joint_breaks_away_when_the_torque_exceeds_friction():
    """A force that grows as 4 t starts a block with friction 2 at half a second, then x = 4 (t - 1/2)^3 / (6 m)."""

    @numba.njit
    def ramp(t, q, qd, tau):
        tau[0] = 4.0 * t

    t = np.linspace(0.0, 1.0, 7)
    wanted = 4.0 * np.maximum(t - 0.5, 0.0) ** 3 / (6 * 2.0)
    for method, atol in (("rk4", 1e-10), ("adaptive", 1e-8), ("euler", 1e-3)):
        got = rne.simulate(block(coulomb=2.0), [0.0], t=t, tau=ramp, friction=True, method=method, step=0.01)
        np.testing.assert_allclose(got.q[:, 0], wanted, rtol=0, atol=atol)
        assert (got.q[t < 0.5] == 0.0).all()
    plain = rne.simulate(
        block(coulomb=2.0), [0.0], t=t, tau=lambda t, q, qd: np.array([4.0 * t]), friction=True, step=0.01
    )
    np.testing.assert_allclose(plain.q[:, 0], wanted, rtol=0, atol=1e-10)


@pytest.mark.parametrize("method", ["rk4", "euler"])
def test_friction_never_gives_energy(method):
    robot, rng = rough_arm(), np.random.default_rng(3)
    q, qd = rng.uniform(-0.3, 0.3, (20, 6)), rng.normal(size=(20, 6))
    got = rne.simulate(robot, q, qd, np.linspace(0, 1, 1001), friction=True, method=method)
    assert ((got.qd[:, 1:] == 0) & (got.qd[:, :-1] != 0)).sum() > 50, "many stops"
    # Euler changes the energy of free motion, too; there friction is much more than that.
    assert np.diff(got.energy, axis=1).max() < (1e-9 if method == "rk4" else 1e-3)


def test_methods_agree_on_an_arm_that_stops_and_starts():
    robot, rng = rough_arm(), np.random.default_rng(1)
    q, qd = rng.uniform(-0.3, 0.3, (2, 6)), rng.normal(size=(2, 6)) * 0.5
    t = np.linspace(0, 1, 11)
    got = rne.simulate(robot, q, qd, t, friction=True)
    adaptive = rne.simulate(robot, q, qd, t, friction=True, method="adaptive")
    np.testing.assert_allclose(got.q, adaptive.q, rtol=0, atol=1e-8)
    euler = rne.simulate(robot, q, qd, t, friction=True, method="euler", step=1e-4)
    np.testing.assert_allclose(got.q, euler.q, rtol=0, atol=1e-2)


def test_a_controller_in_python_moves_as_a_compiled_one():
    robot, t = rough_arm(), np.linspace(0, 0.5, 26)

    @numba.njit
    def compiled(t, q, qd, tau):
        tau[:] = 4 * np.sin(8 * t) - 0.5 * qd

    def plain(t, q, qd):
        return 4 * np.sin(8 * t) - 0.5 * qd

    q0 = np.linspace(-0.2, 0.2, 18).reshape(3, 6)
    for method, atol in (("rk4", 1e-5), ("euler", 1e-14)):
        one = rne.simulate(robot, q0, t=t, tau=compiled, friction=True, method=method)
        other = rne.simulate(robot, q0, t=t, tau=plain, friction=True, method=method)
        np.testing.assert_allclose(one.q, other.q, rtol=0, atol=atol)


@pytest.mark.parametrize("method", ["rk4", "euler", "adaptive"])
@pytest.mark.parametrize("start", [([np.nan, 0.2], [0.0, 0.0]), ([0.1, 0.2], [0.0, np.nan])])
def test_a_start_with_nan_is_nan_in_all_joints(method, start):
    arm = rne.load_model("planar2")
    arm = arm.with_drives(
        {name: rne.Drive(viscous=0.5, coulomb_plus=0.2, coulomb_minus=0.2) for name in arm.joint_names}
    )
    q0, qd0 = (np.stack([a, b]) for a, b in zip(start, ([0.1, 0.2], [0.0, 0.0]), strict=True))
    got = rne.simulate(arm, q0, qd0, t=[0.0, 0.05, 0.1], friction=True, method=method)
    assert np.isnan(got.q[0, 1:]).all()
    assert np.isnan(got.qd[0, 1:]).all()
    alone = rne.simulate(arm, q0[1], t=[0.0, 0.05, 0.1], friction=True, method=method)
    assert np.array_equal(got.q[1], alone.q)


@pytest.mark.parametrize("method", ["rk4", "euler", "adaptive"])
def test_torques_with_nan_make_the_motion_nan(method):
    arm = rne.load_model("planar2")
    arm = arm.with_drives(
        {name: rne.Drive(viscous=0.5, coulomb_plus=0.2, coulomb_minus=0.2) for name in arm.joint_names}
    )
    tau = np.array([[0.0, 0.0], [np.nan, 0.0], [0.0, 0.0]])
    t = np.array([0.0, 0.05, 0.1, 0.15])
    got = rne.simulate(arm, [0.1, 0.2], t=t, tau=tau, friction=True, method=method)
    assert np.isfinite(got.q[:2]).all()
    assert np.isnan(got.q[2:]).all()
    assert np.isnan(got.qd[2:]).all()
