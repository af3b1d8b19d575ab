"""`rne.jit` inside a user's own compiled code: the same bits as the public functions, and lengths checked."""

from __future__ import annotations

import numba
import numpy as np
import pytest
import reference as ref
from checks import assert_near, assert_same_bits, random_robot, random_states
from own_robots import arm, gripper

import rne
from rne.kernels.jit import STAMP

ROBOTS = {
    "arm": arm(),
    "gripper": gripper(),
    "bush": random_robot(3, 11),
    "none": rne.load_urdf('<robot name="b"><link name="b"/></robot>'),
}
ALL = pytest.mark.parametrize("robot", ROBOTS.values(), ids=ROBOTS)


def _user_code(stamp):
    """What a user would write. Kept on disk as rne keeps its own: anew for every version of the kernels."""

    @numba.njit(cache=True)
    def along_a_path(model, q, qd, qdd, tau, friction):
        stamp  # noqa: B018
        for k in range(len(q)):
            rne.jit.inverse_dynamics(model, q[k], qd[k], qdd[k], tau[k], friction)

    @numba.njit(cache=True)
    def by_default(model, q, qd, qdd, tau):
        stamp  # noqa: B018
        rne.jit.inverse_dynamics(model, q, qd, qdd, tau)

    @numba.njit(cache=True)
    def drag(model, qd, tau):
        stamp  # noqa: B018
        rne.jit.friction_torque(model, qd, tau)

    @numba.njit(cache=True)
    def held(model, sites, wrenches, q, tau):
        stamp  # noqa: B018
        rne.jit.static_torque(model, sites, wrenches, q, tau)

    return along_a_path, by_default, drag, held


along_a_path, by_default, drag, held = _user_code(STAMP)


@ALL
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_it_is_the_public_function_bit_for_bit(robot, dtype):
    model = rne.jit.model(robot, dtype)
    states = random_states(robot.n, 9, dtype=dtype)
    tau = np.empty((9, robot.n), dtype)
    for friction in (False, True):
        along_a_path(model, *states, tau, friction)
        assert_same_bits(tau, rne.inverse_dynamics(robot, *states, friction=friction))
        alone = [rne.inverse_dynamics(robot, *state, friction=friction) for state in zip(*states, strict=True)]
        assert_same_bits(tau, np.array(alone).reshape(9, robot.n))


@ALL
def test_friction_is_left_out_unless_asked_for(robot):
    q, qd, qdd = random_states(robot.n)
    tau = np.empty(robot.n)
    by_default(rne.jit.model(robot), q, qd, qdd, tau)
    assert_same_bits(tau, rne.inverse_dynamics(robot, q, qd, qdd))


@ALL
def test_friction_alone(robot):
    _, qd, _ = random_states(robot.n)
    tau = np.empty(robot.n)
    drag(rne.jit.model(robot), qd, tau)
    assert_same_bits(tau, rne.friction_torque(robot, qd))
    assert_near(tau, ref.friction_torque(robot.tree, qd))


@ALL
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_wrenches_are_those_of_the_public_function(robot, dtype):
    """The public function takes away what this one gives; the twin has the Jacobian."""
    frames = {name: ("local", "world")[k % 2] for k, name in enumerate(robot.frame_names[::2])}
    rng = np.random.default_rng(1)
    wrenches = rng.normal(size=(len(frames), 6)).astype(dtype)
    q = random_states(robot.n, dtype=dtype)[0]
    tau = np.empty(robot.n, dtype)
    held(rne.jit.model(robot, dtype), rne.jit.sites(robot, frames, dtype), wrenches, q, tau)
    placed, wanted = ref.forward_kinematics(robot.tree, q), np.zeros(robot.n)
    for (name, axes), wrench in zip(frames.items(), wrenches.astype(float), strict=True):
        R = placed[name][0] if axes == "local" else np.eye(3)
        world = np.concatenate([R @ wrench[:3], R @ wrench[3:]])
        wanted += ref.jacobian(robot.tree, q, name).T @ world
    assert_near(tau, wanted, rtol=1e-12 if dtype == np.float64 else 1e-5)
    f_ext = {name: (wrench, axes) for (name, axes), wrench in zip(frames.items(), wrenches, strict=True)}
    public = rne.inverse_dynamics(robot, q, gravity=(0, 0, 0), f_ext=f_ext)
    bare = rne.inverse_dynamics(robot, q, gravity=(0, 0, 0))
    assert_same_bits(bare - tau, public)


def test_no_wrenches_give_no_torques():
    robot, tau = arm(), np.ones(6)
    held(rne.jit.model(robot), rne.jit.sites(robot, {}), np.empty((0, 6)), np.zeros(6), tau)
    assert_same_bits(tau, np.zeros(6))


@ALL
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_derivatives_are_those_of_the_public_functions(robot, dtype):
    q, qd, qdd = random_states(robot.n, dtype=dtype)
    model, n = rne.jit.model(robot, dtype), robot.n
    D, gradient, G = np.empty((3, n, n), dtype), np.empty((3, n), dtype), np.empty((n, n), dtype)
    for friction in (False, True):
        rne.jit.inverse_dynamics_derivatives(model, q, qd, qdd, D, friction)
        assert_same_bits(D, np.array(rne.inverse_dynamics_derivatives(robot, q, qd, qdd, friction=friction)))
        rne.jit.inverse_dynamics_vjp(model, q, qd, qdd, qd, gradient, friction)
        assert_same_bits(gradient, np.array(rne.inverse_dynamics_vjp(robot, q, qd, qdd, qd, friction=friction)))
    rne.jit.gravity_derivative(model, q, G)
    assert_same_bits(G, rne.gravity_derivative(robot, q))
    J, frame = np.empty((6, n), dtype), robot.frame_names[-1]
    rne.jit.jacobian_dot(model, rne.jit.site(robot, frame, dtype=dtype), q, qd, J)
    assert_same_bits(J, rne.jacobian_dot(robot, q, qd, frame))
    if robot is ROBOTS["arm"]:
        rne.jit.forward_dynamics_derivatives(model, q, qd, qdd, D)
        assert_same_bits(D, np.array(rne.forward_dynamics_derivatives(robot, q, qd, qdd)))


# ------------------------------------------------------------------------------------------------------------- lengths


@pytest.mark.parametrize("which", range(4))
@pytest.mark.parametrize("length", [0, 5, 7])
def test_wrong_lengths_raise(which, length):
    arrays = [np.zeros(6) for _ in range(4)]
    arrays[which] = np.zeros(length)
    with pytest.raises(ValueError, match=r"rne\.jit: an array does not have one entry per joint"):
        by_default(rne.jit.model(arm()), *arrays)


def test_wrong_lengths_of_the_other_functions_raise():
    model, sites = rne.jit.model(arm()), rne.jit.sites(arm(), {"tool": "world"})
    six, five, wrench = np.zeros(6), np.zeros(5), np.zeros((1, 6))
    for call in (
        lambda: drag(model, five, six),
        lambda: drag(model, six, five),
        lambda: held(model, sites, wrench, five, six),
        lambda: held(model, sites, wrench, six, five),
    ):
        with pytest.raises(ValueError, match="an array does not have one entry per joint"):
            call()
    for shape in ((2, 6), (0, 6), (1, 5), (1, 7)):
        with pytest.raises(ValueError, match="wrenches does not have six numbers per site"):
            held(model, sites, np.zeros(shape), six, six)


def test_lengths_are_coordinates_and_not_joints():
    """The gripper has three moving joints and two coordinates."""
    model = rne.jit.model(gripper())
    with pytest.raises(ValueError, match="one entry per joint"):
        by_default(model, *(np.zeros(3) for _ in range(4)))


# --------------------------------------------------------------------------------------------------------------- model


def test_the_model_holds_the_gravity_of_the_robot_and_is_read_only():
    tilted = arm(gravity=(1, 2, -3))
    q, qd, qdd = random_states(6)
    tau = np.empty(6)
    by_default(rne.jit.model(tilted), q, qd, qdd, tau)
    assert_same_bits(tau, rne.inverse_dynamics(tilted, q, qd, qdd))
    for dtype in ("float64", np.float32):
        model = rne.jit.model(tilted, dtype)
        assert model.dtype == dtype
        assert not model.flags.writeable


def test_the_model_of_a_robot_that_is_gone_lives_on():
    import gc

    model, q, tau = rne.jit.model(random_robot(9, 6)), np.zeros(6), np.empty(6)
    n = int(random_robot(9, 6).n)
    gc.collect()
    by_default(model, q[:n], q[:n], q[:n], tau[:n])
    assert_same_bits(tau[:n], rne.gravity_vector(random_robot(9, 6), q[:n]))


@pytest.mark.parametrize(
    ("frames", "message"),
    [
        ({"tol": "world"}, "frames: no frame is named 'tol'; did you mean 'tool'"),
        ({"tool": "body"}, "wanted the axes 'world' or 'local', got 'body'"),
    ],
)
def test_unknown_places_are_refused(frames, message):
    with pytest.raises(rne.ArgumentError, match=message):
        rne.jit.sites(arm(), frames)


@pytest.mark.parametrize("dtype", [np.float16, int, complex, "f16", ">f8", object, "double or so"])
def test_a_model_in_another_precision_is_refused(dtype):
    with pytest.raises(rne.ArgumentError, match="dtype: wanted float64 or float32, got"):
        rne.jit.model(arm(), dtype)
    with pytest.raises(rne.ArgumentError, match="dtype: wanted float64 or float32, got"):
        rne.jit.sites(arm(), {"tool": "world"}, dtype)


@pytest.mark.parametrize("dtype", [np.int64, np.float32, np.complex128])
def test_an_array_to_fill_of_another_precision_does_not_compile(dtype):
    """Whole numbers would come out cut without a word."""

    @numba.njit
    def gravity(model, q, g):
        rne.jit.gravity_vector(model, q, g)

    arm = rne.load("models/planar2/robot.dh.toml")
    with pytest.raises(numba.core.errors.TypingError, match="the array to fill holds"):
        gravity(rne.jit.model(arm), np.zeros(2), np.zeros(2, dtype))


def test_a_place_of_another_robot_and_half_a_model_are_refused():
    @numba.njit
    def column(model, site, q, J):
        rne.jit.jacobian(model, site, q, J)

    arm, panda = rne.load("models/planar2/robot.dh.toml"), rne.load("models/panda/robot.urdf")
    model, J = rne.jit.model(arm), np.zeros((6, 2))
    with pytest.raises(ValueError, match="belongs to another robot"):
        column(model, rne.jit.site(panda, "panda_rightfinger"), np.zeros(2), J)
    with pytest.raises(ValueError, match="not a model"):
        column(model[:2], rne.jit.site(arm, "link2"), np.zeros(2), J)
