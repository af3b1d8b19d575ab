"""Arguments as people pass them: shapes, broadcasting, types; and what is refused, with the words of the refusal."""

from __future__ import annotations

import numpy as np
import pytest
import reference as ref
from checks import assert_near, assert_same_bits, random_robot, random_states
from own_robots import arm, gripper

import rne

ARM = arm()
Q, QD, QDD = random_states(6, 7, seed=1)
TAU = np.array([ref.inverse_dynamics(ARM.tree, *state) for state in zip(Q, QD, QDD, strict=True)])


# ------------------------------------------------------------------------------------------------------------ shapes


@pytest.mark.parametrize("shape", [(5,), (7,), (0,), (6, 1), (2, 3), (), (1, 6, 1), (6, 0), (3, 7)])
@pytest.mark.parametrize("name", ["q", "qd", "qdd"])
def test_a_wrong_last_axis_is_refused_by_name_and_shape(name, shape):
    state = {"q": np.zeros(6), "qd": np.zeros(6), "qdd": np.zeros(6)} | {name: np.zeros(shape)}
    with pytest.raises(rne.ArgumentError) as caught:
        rne.inverse_dynamics(ARM, **state)
    assert isinstance(caught.value, ValueError)
    message = str(caught.value)
    assert message.startswith(f"{name}: wanted shape (..., 6), one number per joint of arm (turret, shoulder, reach")
    turned = "; samples come first: is it to be transposed?" if len(shape) == 2 and shape[0] == 6 else ""
    assert message.endswith(f"got {shape}{turned}")


@pytest.mark.parametrize(
    "call",
    [
        lambda x: rne.gravity_vector(ARM, x),
        lambda x: rne.friction_torque(ARM, x),
        lambda x: rne.bias_vector(ARM, np.zeros(6), x),
        lambda x: rne.coriolis_vector(ARM, x, np.zeros(6)),
    ],
)
def test_every_function_refuses_wrong_shapes(call):
    for shape in ((5,), (6, 1), ()):
        with pytest.raises(rne.ArgumentError, match=r"wanted shape \(\.\.\., 6\)"):
            call(np.zeros(shape))


def test_batch_axes_come_first_and_stay():
    assert rne.inverse_dynamics(ARM, Q[0], QD[0], QDD[0]).shape == (6,)
    assert rne.inverse_dynamics(ARM, Q[:1], QD[:1], QDD[:1]).shape == (1, 6)
    assert_near(rne.inverse_dynamics(ARM, Q, QD, QDD), TAU)
    deep = [x[:6].reshape(1, 3, 2, 6) for x in (Q, QD, QDD)]
    assert_near(rne.inverse_dynamics(ARM, *deep), TAU[:6].reshape(1, 3, 2, 6))


def test_a_column_is_a_batch_for_a_robot_of_one_joint_only():
    wheel = random_robot(0, 1)
    assert rne.inverse_dynamics(wheel, np.zeros((6, 1))).shape == (6, 1)
    with pytest.raises(rne.ArgumentError, match=r"got \(6,\)"):
        rne.inverse_dynamics(wheel, np.zeros(6))


@pytest.mark.parametrize(
    ("shapes", "result"),
    [
        (((7, 6), (6,), (6,)), (7, 6)),
        (((6,), (7, 6), (1, 6)), (7, 6)),
        (((3, 1, 6), (4, 6), (6,)), (3, 4, 6)),
        (((1, 6), (6,), (1, 1, 6)), (1, 1, 6)),
        (((0, 6), (6,), (6,)), (0, 6)),
        (((4, 0, 6), (1, 6), (6,)), (4, 0, 6)),
    ],
)
def test_leading_axes_broadcast(shapes, result):
    rng = np.random.default_rng(0)
    state = [rng.normal(size=shape) for shape in shapes]
    got = rne.inverse_dynamics(ARM, *state, friction=True)
    full = [np.broadcast_to(x, result).reshape(-1, 6) for x in state]
    wanted = [ref.inverse_dynamics(ARM.tree, *s, friction=True) for s in zip(*full, strict=True)]
    assert_near(got, np.array(wanted).reshape(result))


def test_wrenches_broadcast_too_and_may_be_the_only_batch():
    q, wrenches = Q[0], np.random.default_rng(1).normal(size=(5, 6))
    got = rne.inverse_dynamics(ARM, q, f_ext={"tool": wrenches, "boom": np.ones(6)})
    wanted = [ref.inverse_dynamics(ARM.tree, q, f_ext={"tool": w, "boom": np.ones(6)}) for w in wrenches]
    assert_near(got, np.array(wanted))


def test_axes_that_do_not_broadcast_are_refused_with_all_shapes():
    with pytest.raises(rne.ArgumentError, match=r"q \(7, 6\), qd \(3, 6\), qdd \(6,\)"):
        rne.inverse_dynamics(ARM, Q, QD[:3], QDD[0])
    with pytest.raises(rne.ArgumentError, match=r"f_ext\['tool'\] \(3, 6\)"):
        rne.inverse_dynamics(ARM, Q, f_ext={"tool": np.zeros((3, 6))})


def test_none_is_zero_and_an_empty_batch_is_an_empty_result():
    zero = np.zeros(6)
    for q in (Q[0], Q):
        assert_same_bits(rne.inverse_dynamics(ARM, q), rne.inverse_dynamics(ARM, q, zero, zero))
        assert_same_bits(rne.inverse_dynamics(ARM, q, zero + 1), rne.inverse_dynamics(ARM, q, zero + 1, zero))
        assert_same_bits(rne.inverse_dynamics(ARM, q, None, zero + 1), rne.inverse_dynamics(ARM, q, zero, zero + 1))
    assert rne.inverse_dynamics(ARM, np.empty((0, 6)), f_ext={"tool": np.zeros(6)}).shape == (0, 6)
    with pytest.raises(rne.ArgumentError, match="q: wanted an array, got None"):
        rne.inverse_dynamics(ARM, None, QD[0])
    with pytest.raises(rne.ArgumentError, match="qd: wanted an array, got None"):
        rne.friction_torque(ARM, None)


@pytest.mark.parametrize("robot", [None, "arm.urdf", ARM.tree, ARM.links])
def test_only_a_robot_is_a_robot(robot):
    for call in (
        lambda: rne.inverse_dynamics(robot, np.zeros(6), np.zeros(6), np.zeros(6)),
        lambda: rne.gravity_vector(robot, np.zeros(6)),
        lambda: rne.friction_torque(robot, np.zeros(6)),
        lambda: rne.jit.model(robot),
    ):
        with pytest.raises(rne.ArgumentError, match="robot: wanted a Robot"):
            call()


# ------------------------------------------------------------------------------------------------------------- types


def whole(dtype):
    """A state of whole numbers in another type, and its torques."""
    q, qd, qdd = np.arange(6), np.array([1, 0, 2, 1, 3, 1]), np.array([0, 2, 1, 0, 1, 4])
    return [x.astype(dtype) for x in (q, qd, qdd)], ref.inverse_dynamics(ARM.tree, q, qd, qdd)


@pytest.mark.parametrize(
    "dtype", ["i1", "u1", "i2", "i4", "u4", "i8", "u8", "f2", "f8", "g", ">f8", ">i4", ">f2", "<f8"]
)
def test_real_numbers_of_any_type_give_float64(dtype):
    state, wanted = whole(dtype)
    for shape in ((6,), (1, 6)):
        tau = rne.inverse_dynamics(ARM, *(x.reshape(shape) for x in state))
        assert tau.dtype == np.float64
        assert tau.dtype.isnative
        assert_near(tau, wanted.reshape(shape))


@pytest.mark.parametrize("dtype", ["f4", ">f4"])
def test_single_precision_throughout_gives_single_precision(dtype):
    state, wanted = whole(dtype)
    tau = rne.inverse_dynamics(ARM, *state)
    assert tau.dtype == np.float32
    assert tau.dtype.isnative
    assert_near(tau, wanted, rtol=1e-5)


@pytest.mark.parametrize("which", range(3))
def test_one_array_in_double_precision_makes_all_double(which):
    state = [x.astype(np.float32) for x in (Q, QD, QDD)]
    state[which] = state[which].astype(np.float64)
    tau = rne.inverse_dynamics(ARM, *state)
    assert_same_bits(tau, rne.inverse_dynamics(ARM, *(x.astype(np.float64) for x in state)))
    assert rne.inverse_dynamics(ARM, Q.astype("f4")).dtype == np.float32
    assert rne.inverse_dynamics(ARM, Q.astype("f4"), f_ext={"tool": np.zeros(6)}).dtype == np.float64
    assert rne.inverse_dynamics(ARM, Q.astype("f4"), f_ext={"tool": np.zeros(6, "f4")}).dtype == np.float32


def test_lists_tuples_and_mixtures():
    wanted = rne.inverse_dynamics(ARM, Q, QD, QDD)
    assert_same_bits(rne.inverse_dynamics(ARM, Q.tolist(), QD.tolist(), QDD.tolist()), wanted)
    assert_same_bits(rne.inverse_dynamics(ARM, tuple(map(tuple, Q)), QD, list(QDD)), wanted)
    assert_same_bits(rne.inverse_dynamics(ARM, Q[0].tolist(), QD[0], tuple(QDD[0])), wanted[0])
    assert rne.inverse_dynamics(ARM, [0, 0, 0, 0, 0, 1]).dtype == np.float64


class Stamped(np.ndarray):
    """A subclass that would spread if it could, and objects to being calculated with."""

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        raise TypeError("no arithmetic")


def test_subclasses_come_in_and_plain_arrays_go_out():
    wanted = rne.inverse_dynamics(ARM, Q, QD, QDD)
    with pytest.warns(PendingDeprecationWarning):
        matrices = [np.matrix(x) for x in (Q, QD, QDD)]
    for got in (
        rne.inverse_dynamics(ARM, *(x.view(Stamped) for x in (Q, QD, QDD))),
        rne.inverse_dynamics(ARM, *matrices),
        rne.inverse_dynamics(ARM, *(x.view(np.recarray) for x in (Q, QD, QDD))),
    ):
        assert type(got) is np.ndarray
        assert_same_bits(got, wanted)
    assert type(rne.inverse_dynamics(ARM, *(x[0].view(Stamped) for x in (Q, QD, QDD)))) is np.ndarray


class Quacks:
    """Something else that numpy can read."""

    def __array__(self, dtype=None, copy=None):
        return Q


def test_anything_that_numpy_can_read_is_an_array():
    assert_same_bits(rne.gravity_vector(ARM, Quacks()), rne.gravity_vector(ARM, Q))
    assert_same_bits(rne.gravity_vector(ARM, memoryview(Q)), rne.gravity_vector(ARM, Q))


REFUSED = {
    "bool": np.zeros(6, bool),
    "complex": np.zeros(6, complex),
    "object": np.zeros(6, object),
    "None inside": [0, 0, 0, None, 0, 0],
    "strings": ["0"] * 6,
    "bytes": np.zeros(6, "S3"),
    "a word": "zero",
    "times": np.zeros(6, "m8[s]"),
    "fields": np.zeros(6, [("x", float)]),
    "ragged": [[0] * 6, [0] * 5],
    "a set": {1, 2, 3},
    "a mapping": dict.fromkeys("abcdef", 0),
    "a function": np.sin,
    "masked": np.ma.masked_array(np.zeros(6), mask=[0, 0, 1, 0, 0, 0]),
    "masked, nothing hidden": np.ma.masked_array(np.zeros(6)),
}


@pytest.mark.parametrize("value", REFUSED.values(), ids=REFUSED)
@pytest.mark.parametrize("name", ["q", "qd", "qdd"])
def test_what_are_no_real_numbers_is_refused_by_name(name, value):
    state = {"q": np.zeros(6), "qd": np.zeros(6), "qdd": np.zeros(6)} | {name: value}
    with pytest.raises(rne.ArgumentError, match=f"^{name}: "):
        rne.inverse_dynamics(ARM, **state)
    with pytest.raises(rne.ArgumentError, match=r"^f_ext\['tool'\]: "):
        rne.inverse_dynamics(ARM, np.zeros((2, 6)), f_ext={"tool": value})


# --------------------------------------------------------------------------------------------------------- precision

# Single precision carries 6e-8; an arm of seven joints adds some dozens of roundings. Relative to the largest torque of
# the sample. Measured: 1.4e-6 at worst.
SINGLE = 1e-5


@pytest.mark.parametrize("robot", [ARM, gripper(), rne.load("models/panda/robot.urdf"), random_robot(3, 9)], ids=str)
def test_single_precision_is_right_to_a_hundred_thousandth(robot):
    state = random_states(robot.n, 2000, seed=2, dtype=np.float32)
    tau = rne.inverse_dynamics(robot, *state, friction=True)
    wanted = rne.inverse_dynamics(robot, *(x.astype(np.float64) for x in state), friction=True)
    assert tau.dtype == np.float32
    error = np.abs(tau - wanted).max(axis=1) / np.maximum(1.0, np.abs(wanted).max(axis=1))
    assert error.max() < SINGLE


@pytest.mark.parametrize("scale", [1e3, 1e6, 1e9])
def test_huge_angles_are_angles(scale):
    """Continuous joints far from zero, single and in a batch; the slide stays where it is."""
    q = Q * scale
    q[:, 2] = Q[:, 2]
    wanted = [ref.inverse_dynamics(ARM.tree, *state) for state in zip(q, QD, QDD, strict=True)]
    assert_near(rne.inverse_dynamics(ARM, q, QD, QDD), wanted)
    assert_near(rne.inverse_dynamics(ARM, q[0], QD[0], QDD[0]), wanted[0])


# ------------------------------------------------------------------------------------------------- one, and one of many


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("seed", range(5))
def test_a_sample_of_a_batch_is_the_single_state_bit_for_bit(seed, dtype):
    """Random trees with everything, and batches whose last block is not full."""
    robot = random_robot(seed, 4 + 3 * seed)
    states = random_states(robot.n, 19, seed=seed, dtype=dtype)
    states[0][5] *= 1e7  # beyond the quick sine
    for friction in (False, True):
        together = rne.inverse_dynamics(robot, *states, friction=friction)
        for k in range(19):
            alone = rne.inverse_dynamics(robot, *(x[k] for x in states), friction=friction)
            assert_same_bits(together[k], alone)


def test_a_sample_with_wrenches_is_the_single_state_bit_for_bit():
    wrenches = np.random.default_rng(2).normal(size=(7, 6))
    for axes in ("world", "local"):
        together = rne.inverse_dynamics(ARM, Q, QD, QDD, f_ext={"tool": (wrenches, axes)}, gravity=(1, 2, 3))
        for k in range(7):
            state = Q[k], QD[k], QDD[k]
            alone = rne.inverse_dynamics(ARM, *state, f_ext={"tool": (wrenches[k], axes)}, gravity=(1, 2, 3))
            assert_same_bits(together[k], alone)


def test_gravity_by_its_own_recursion_is_inverse_dynamics_at_rest_bit_for_bit():
    zero = np.zeros(6)
    assert_same_bits(rne.gravity_vector(ARM, Q), rne.inverse_dynamics(ARM, Q, zero, zero))
    assert_same_bits(rne.gravity_vector(ARM, Q[0]), rne.inverse_dynamics(ARM, Q[0], zero, zero))
