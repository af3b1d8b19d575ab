"""float32 loses no mass in silence, and what float32 functions return is taken back by all others."""

from __future__ import annotations

import numpy as np
import pytest
from checks import assert_same_bits
from own_robots import arm

import rne

REVOLUTE = {"joint": "revolute"}
# A light drum and a heavy ball on one axis: in float32 the drum is lost in the sum of both. By hand
# M = [[i + I, I], [I, I]], so that M^-1 = [[1, -1], [-1, 1 + i / I]] / i.
LIGHT, HEAVY = 1e-9, 0.1


def dh(*rows):
    return rne.from_dh(list(rows), convention="standard", gravity=(0.0, 0.0, 0.0))


def drums(light=LIGHT):
    small = REVOLUTE | {"mass": 1e-3, "inertia": (np.eye(3) * light).tolist()}
    return dh(small, REVOLUTE | {"mass": 2.0, "inertia": (np.eye(3) * HEAVY).tolist()})


def rods():
    """Two rods without mass, and one on the end: M of the stretched or folded arm has no inverse."""
    return dh(REVOLUTE | {"a": 0.5}, REVOLUTE | {"a": 0.5, "mass": 1.0})


def inverse_by_hand():
    return np.array([[1.0, -1.0], [-1.0, 1.0 + LIGHT / HEAVY]]) / LIGHT


SHAPES = pytest.mark.parametrize("shape", [(), (1,), (37,), (3, 7)])


@SHAPES
@pytest.mark.parametrize("method", ["aba", "crba", "auto"])
def test_forward_dynamics_of_a_light_link(method, shape):
    q, tau = np.full((*shape, 2), 0.3, "f4"), np.broadcast_to(np.float32([2.0, 1.0]), (*shape, 2))
    qdd = rne.forward_dynamics(drums(), q, None, tau, method=method)
    wanted = np.array([1.0 / LIGHT, -1.0 / LIGHT + 1.0 / HEAVY])
    assert qdd.dtype == np.float32
    np.testing.assert_allclose(qdd, np.broadcast_to(wanted, qdd.shape), rtol=1e-6)


@SHAPES
def test_inverse_and_effective_inertia_of_a_light_link(shape):
    q = np.full((*shape, 2), 0.3, "f4")
    inverse = rne.mass_matrix_inverse(drums(), q)
    assert inverse.dtype == np.float32
    np.testing.assert_allclose(inverse, np.broadcast_to(inverse_by_hand(), inverse.shape), rtol=1e-6)
    for free in (None, [1, 2]):
        locked, felt = rne.effective_inertia(drums(), q, free=free)
        assert locked.dtype == felt.dtype == np.float32
        np.testing.assert_allclose(locked, np.broadcast_to([LIGHT + HEAVY, HEAVY], q.shape), rtol=1e-6)
        np.testing.assert_allclose(felt, np.broadcast_to([LIGHT, LIGHT], q.shape), rtol=1e-6)


@pytest.mark.parametrize("bend", [1e-3, 1e-4, 1e-5])
def test_rods_that_are_nearly_stretched(bend):
    """M by hand, with the angle that float32 holds: D11 - D12^2 / D22 = (m a1 sin q2)^2 a2^2 / (m a2^2)."""
    robot, q = rods(), np.float32([0.6, bend])
    sine = np.sin(float(q[1]))
    felt = rne.effective_inertia(robot, q).free
    np.testing.assert_allclose(felt[0], (0.5 * sine) ** 2, rtol=1e-5)
    np.testing.assert_allclose(1 / rne.mass_matrix_inverse(robot, q)[0, 0], (0.5 * sine) ** 2, rtol=1e-5)
    Lambda = rne.operational_inertia(robot, q, "link2", rows=[0, 1])  # a point mass on the tip
    assert Lambda.dtype == np.float32
    np.testing.assert_allclose(Lambda, np.eye(2), atol=1e-5)
    for method in ("aba", "crba"):
        qdd = rne.forward_dynamics(robot, q, None, np.float32([1.0, 0.0]), method=method)
        np.testing.assert_allclose(qdd[0], (0.5 * sine) ** -2, rtol=1e-5)


# In float32 the angle pi is 9e-8 off, and what is left of D11, 2e-15, float64 can still tell.
@pytest.mark.parametrize(("dtype", "bend"), [("f4", 0.0), ("f8", 0.0), ("f8", np.pi)])
def test_stretched_and_folded_rods_have_no_inverse(dtype, bend):
    """Folded, even the diagonal entry that the pivot started from is but rounding."""
    robot, q = rods(), np.array([0.6, bend], dtype)
    for x in (q, np.stack([q + dtype_of(dtype, 0.0, 0.5), q])):
        for method in ("aba", "crba"):
            with pytest.raises(rne.SingularError, match="at joint 'joint1'"):
                rne.forward_dynamics(robot, x, method=method)
        for call in (rne.mass_matrix_inverse, rne.effective_inertia):
            with pytest.raises(rne.SingularError, match="at joint 'joint1'"):
                call(robot, x)
        with pytest.raises(rne.SingularError, match="at joint 'joint1'"):
            rne.operational_inertia(robot, x, "link2")


def dtype_of(dtype, *numbers):
    return np.array(numbers, dtype)


@pytest.mark.parametrize("method", ["aba", "crba"])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_a_mass_almost_on_the_axis_is_a_mass(dtype, method):
    """D11 = m (r cos q2)^2, far below m r^2: articulated bodies suspect it, the matrix itself clears it."""
    mass = REVOLUTE | {"alpha": np.pi / 2, "mass": 1.0, "com": [1.0, 0.0, 0.0]}
    gimbal = rne.from_dh([REVOLUTE, mass], convention="modified", gravity=(0.0, 0.0, 0.0))
    q = np.array([[0.0, np.pi / 2 - 1e-5], [0.0, np.pi / 2 - 1e-3]], dtype)
    D11 = np.cos(q[:, 1].astype(float)) ** 2
    qdd = rne.forward_dynamics(gimbal, q, None, np.array([1e-10, 0.0], dtype), method=method)
    np.testing.assert_allclose(qdd[:, 0], 1e-10 / D11, rtol=1e-5)
    np.testing.assert_allclose(rne.effective_inertia(gimbal, q).free[:, 0], D11, rtol=1e-5)


def test_a_neighbor_of_a_suspect_keeps_its_bits():
    """Samples of one block are worked on together; what is wrong with one changes no other."""
    robot, rng = rods(), np.random.default_rng(0)
    q = rng.uniform(0.3, 2.5, (40, 2)).astype("f4")
    q[[3, 17, 39], 1] = 1e-4
    tau = rng.normal(size=(40, 2)).astype("f4")
    for method in ("aba", "crba"):
        alone = [rne.forward_dynamics(robot, *(x[k] for x in (q, q, tau)), method=method) for k in range(40)]
        assert_same_bits(rne.forward_dynamics(robot, q, q, tau, method=method), alone)
    assert_same_bits(rne.mass_matrix_inverse(robot, q), [rne.mass_matrix_inverse(robot, x) for x in q])


def test_what_no_float32_can_hold_is_an_error():
    robot = dh(REVOLUTE | {"mass": 1e-20, "inertia": (np.eye(3) * 1e-40).tolist()})
    for q in (np.float32([0.3]), np.zeros((3, 1), "f4")):
        for method in ("aba", "crba"):
            with pytest.raises(rne.SingularError, match="exceeds float32; give the arguments in float64"):
                rne.forward_dynamics(robot, q, None, np.ones_like(q), method=method)
        with pytest.raises(rne.SingularError, match="exceeds float32"):
            rne.mass_matrix_inverse(robot, q)
    np.testing.assert_allclose(rne.mass_matrix_inverse(robot, [0.3]), [[1e40]])


def test_out_is_filled_with_what_was_calculated_anew():
    q, out = np.full((5, 2), 0.3, "f4"), np.empty((5, 2, 2), "f4")
    assert rne.mass_matrix_inverse(drums(), q, out=out) is out
    np.testing.assert_allclose(out, np.broadcast_to(inverse_by_hand(), out.shape), rtol=1e-6)
    apart = np.empty((5, 4), "f4")[:, ::2]
    tau = np.ones((5, 2), "f4")
    assert rne.forward_dynamics(drums(), q, None, tau, out=apart) is apart
    np.testing.assert_array_equal(apart, rne.forward_dynamics(drums(), q, None, tau))


# ------------------------------------------------------------------------------------------- what float32 has returned


def single_pose(seed):
    robot = arm()
    q = np.random.default_rng(seed).uniform(-2, 2, robot.n).astype("f4")
    return robot, rne.forward_kinematics(robot, q, "tool")


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("form", [np.asarray, np.float64, lambda x: x.tolist()], ids=["float32", "widened", "list"])
def test_a_pose_in_float32_is_a_frame(form, seed):
    robot, T = single_pose(seed)
    assert T.dtype == np.float32
    more = robot.with_frame("tip", frame="hand", position=form(T[:3, 3]), rotation=form(T[:3, :3]))
    local = rne.forward_kinematics(more, np.zeros(6), "tip")
    hand = rne.forward_kinematics(more, np.zeros(6), "hand")
    np.testing.assert_allclose(local, hand @ T.astype(float), atol=2e-6)
    R = local[:3, :3]
    np.testing.assert_allclose(R @ R.T, np.eye(3), atol=1e-14)  # its rounding does not go on
    body = rne.Inertia(1.0, [0.1, 0.2, 0.3], np.diag([1.0, 2.0, 2.5])).at(form(T[:3, :3]), form(T[:3, 3]))
    np.testing.assert_allclose(body.principal()[0], [1.0, 2.0, 2.5], rtol=1e-12)
    wrench = rne.transform_wrench(np.arange(6.0), form(T[:3, :3]), form(T[:3, 3]))
    np.testing.assert_allclose(np.linalg.norm(wrench[:3]), np.sqrt(5.0), rtol=1e-5)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("form", [np.asarray, np.float64, lambda x: x.tolist()], ids=["float32", "widened", "list"])
def test_a_turned_tensor_in_float32_is_symmetric(form, seed):
    robot, T = single_pose(seed)
    moments = np.diag([0.3, 0.4, 0.5])
    R = T[:3, :3]
    tensor = form(R @ moments.astype("f4") @ R.T)
    np.testing.assert_allclose(rne.Inertia(1.0, tensor=tensor).principal()[0], np.diag(moments), rtol=1e-5)
    loaded = robot.with_payload(1.0, inertia=tensor, frame="hand")
    assert loaded.total_mass == pytest.approx(robot.total_mass + 1.0)
    thin = form(R @ np.diag(np.float32([0.0, 0.4, 0.4])) @ R.T)  # a rod: its least moment is rounding
    robot.with_payload(1.0, inertia=thin, frame="hand")


def test_a_stiffness_in_float32_is_symmetric():
    robot, rng = arm(), np.random.default_rng(0)
    J = rng.normal(size=(3, 6)).astype("f4")
    K = J.T @ np.diag(np.float32([10.0, 20.0, 30.0])) @ J + 0
    K[0, 1] *= np.float32(1 + 2e-7)
    for form in (np.asarray, np.float64, lambda x: x.tolist()):
        np.testing.assert_allclose(robot.with_springs(form(K)).stiffness, K, atol=1e-4)


def test_what_is_no_rounding_is_still_refused():
    robot, T = single_pose(0)
    with pytest.raises(rne.ArgumentError, match="rotation: wanted an orthonormal"):
        robot.with_frame("tip", frame="hand", position=np.zeros(3), rotation=T[:3, :3] * np.float32(1.001))
    with pytest.raises(rne.ArgumentError, match="rotation: wanted an orthonormal"):
        robot.with_frame("tip", frame="hand", position=np.zeros(3), rotation=np.eye(3) * (1 + 1e-5))
    skew = np.diag([0.3, 0.4, 0.5])
    skew[0, 1] = 1e-3
    for tensor in (skew, skew.astype("f4")):
        with pytest.raises(rne.ArgumentError, match="tensor: wanted a symmetric"):
            rne.Inertia(1.0, tensor=tensor)
    skew[0, 1] = 1e-7
    with pytest.raises(rne.ArgumentError, match="tensor: wanted a symmetric"):
        rne.Inertia(1.0, tensor=skew)
