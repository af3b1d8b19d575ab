"""Simulation of robots whose base floats: closed solutions, conservation laws, orders, and MuJoCo."""

from __future__ import annotations

import mujoco
import numba
import numpy as np
import pytest
from checks import assert_near
from own_robots import sledge
from scipy.spatial.transform import Rotation
from scipy.special import ellipj

import rne
from rne.examples.legs import quadruped

METHODS = ("rk4", "adaptive")


def body(moments, mass=2.0, gravity=(0, 0, 0)):
    x, y, z = moments
    return rne.load_urdf(
        f'<robot name="top"><link name="body"><inertial><mass value="{mass}"/><inertia ixx="{x}" iyy="{y}" izz="{z}" '
        'ixy="0" ixz="0" iyz="0"/></inertial></link></robot>',
        floating=True,
        gravity=gravity,
    )


def momentum(robot, motion):
    """Momentum and moment of momentum about the origin of the world, (T, 6)."""
    h = rne.centroidal_momentum(robot, motion.q, motion.qd)
    at = rne.center_of_mass(robot, motion.q)
    return np.concatenate([h[:, :3], h[:, 3:] + np.cross(at, h[:, :3])], axis=1)


def lengths(motion):
    return np.linalg.norm(motion.q[..., 3:7], axis=-1)


@pytest.mark.parametrize("method", METHODS)
def test_an_axisymmetric_top(method):
    """R = exp(L t / A) exp((1 - C / A) w3 t z), with the momentum L in the world."""
    A, C, w = 1.0, 1.6, np.array([0.7, -0.2, 3.0])
    start = np.array([1.0, 2.0, 3.0, *Rotation.from_rotvec([0.3, -1.0, 0.4]).as_quat()])
    top, t = body((A, A, C)), np.linspace(0.0, 4.0, 41)
    motion = rne.simulate(top, start, [0.5, 0, 0, *w], t, method=method)
    R = Rotation.from_quat(start[3:])
    L = R.apply([A * w[0], A * w[1], C * w[2]])
    turned = (
        Rotation.from_rotvec(np.outer(t, L / A)) * R * Rotation.from_rotvec(np.outer(t, [0, 0, (1 - C / A) * w[2]]))
    )
    assert_near(Rotation.from_quat(motion.q[:, 3:]).as_matrix(), turned.as_matrix(), 1e-9)
    assert_near(motion.q[:, :3], start[:3] + np.outer(t, R.apply([0.5, 0, 0])), 1e-9)
    assert np.abs(lengths(motion) - 1.0).max() < 1e-15


@pytest.mark.parametrize("method", METHODS)
def test_the_intermediate_axis(method):
    """Dzhanibekov: the rotation flips, by Jacobi's elliptic functions (Landau, Lifshitz, Mechanics, section 37)."""
    I1, I2, I3 = 1.0, 2.0, 3.0
    a, c, t = np.sqrt(3 * 0.9999), 1.0, np.linspace(0.0, 40.0, 201)
    top = body((I1, I2, I3))
    motion = rne.simulate(top, rne.neutral(top), [0, 0, 0, a, 0, c], t, method=method)
    twice, square = I1 * a**2 + I3 * c**2, (I1 * a) ** 2 + (I3 * c) ** 2  # twice the energy, square of the momentum
    pace = np.sqrt((I3 - I2) * (square - twice * I1) / (I1 * I2 * I3))
    m = (I2 - I1) * (twice * I3 - square) / ((I3 - I2) * (square - twice * I1))
    sn, cn, dn, _ = ellipj(pace * t, m)
    w = np.column_stack([a * cn, np.sqrt((twice * I3 - square) / (I2 * (I3 - I2))) * sn, c * dn])
    assert_near(motion.qd[:, 3:], w, 1e-8)
    assert np.count_nonzero(np.diff(np.sign(w[1:, 1]))) == 3
    assert np.ptp(motion.energy) < 1e-9 * twice


@pytest.mark.parametrize(("method", "order"), [("rk4", 4), ("euler", 1)])
def test_momentum_and_energy_converge_by_the_order(method, order):
    robot = quadruped().with_gravity([0.0, 0.0, 0.0])
    rng = np.random.default_rng(3)
    q, qd = rne.integrate(robot, rne.neutral(robot), rng.normal(size=robot.n)), rng.normal(size=robot.n)
    errors = []
    for step in (4e-3, 2e-3):
        motion = rne.simulate(robot, q, qd, [0.0, 0.4], method=method, step=step)
        kept = momentum(robot, motion)
        errors.append([np.abs(kept[1] - kept[0]).max(), abs(motion.energy[1] - motion.energy[0])])
        assert np.abs(lengths(motion) - 1.0).max() < 1e-15
    rates = np.log2(np.divide(*errors))
    assert (rates > order - 0.35).all(), rates
    assert max(errors[1]) < (1e-7 if order == 4 else 0.2)


FREE = """<mujoco><compiler angle="radian"/><option gravity="0.3 0 -9.81"/><worldbody>
<body name="hull" pos="0 0 1"><freejoint/><inertial pos="0.05 0 0.02" mass="3" fullinertia="0.02 0.03 0.04 0 0.002 0"/>
<body name="upper" pos="0.1 0 -0.1"><joint name="pitch" axis="0 1 0"{0}/>
<inertial pos="0 0 -0.15" mass="0.8" diaginertia="0.01 0.01 0.002"/>
<body name="fore" pos="0 0 -0.3"><joint name="yaw" axis="0.6 0 0.8"{0}/>
<inertial pos="0.1 0 0" mass="0.5" diaginertia="0.001 0.004 0.004"/></body></body></body></worldbody></mujoco>"""


@pytest.mark.parametrize("damping", [0.0, 0.4])
def test_against_mujoco(damping):
    text = FREE.format(f' damping="{damping}"' if damping else "")
    robot, model = rne.load_mjcf(text), mujoco.MjModel.from_xml_string(text)
    data, t = mujoco.MjData(model), np.linspace(0.0, 1.0, 5)
    q = np.array([0.1, 0.2, 0.3, *Rotation.from_rotvec([0.5, -0.4, 1.0]).as_quat(), 0.7, -0.4])
    qd = np.array([0.4, -0.2, 0.1, 1.0, -2.0, 1.5, 2.0, -1.0])
    push = np.array([0.0, 0.0, 0.0, 0.1, -0.2, 0.05, 0.3, -0.1])  # moments: MuJoCo has forces in world axes
    own = Rotation.from_quat(q[3:7])
    data.qpos[:], data.qvel[:] = [*q[:3], q[6], *q[3:6], *q[7:]], [*own.apply(qd[:3]), *qd[3:]]
    data.qfrc_applied[:] = push
    model.opt.timestep, model.opt.integrator = 1e-4, mujoco.mjtIntegrator.mjINT_RK4
    seen = [data.qpos.copy()]
    for end in t[1:]:
        while data.time < end - 1e-6:
            mujoco.mj_step(model, data)
        seen.append(data.qpos.copy())
    theirs = np.array(seen)
    for method in METHODS:
        ours = rne.simulate(robot, q, qd, t, tau=push, friction=True, method=method)
        assert_near(ours.q[:, :3], theirs[:, :3], 2e-7)
        assert_near(ours.q[:, 7:], theirs[:, 7:], 2e-7)
        same = Rotation.from_quat(ours.q[:, 3:7]).inv() * Rotation.from_quat(theirs[:, [4, 5, 6, 3]])
        assert same.magnitude().max() < 2e-7


@pytest.mark.parametrize("method", METHODS)
def test_friction_inside_moves_nothing_outside(method):
    """Relative to each other the two bodies stop by s = mu u^2 / (2 F), and then fly on together."""
    robot, u, force = sledge(coulomb_plus=0.6, coulomb_minus=0.6), 0.8, 0.6
    q, reduced = rne.neutral(robot), 3.0 * 1.0 / 4.0
    qd = np.array([0.1, 0.2, -0.1, 0.0, 0.0, 0.0, u])
    motion = rne.simulate(robot, q, qd, np.linspace(0, 2, 21), friction=True, method=method)
    assert_near(motion.q[-1, 7], reduced * u**2 / (2 * force), 1e-9)
    assert (motion.qd[11:, 6] == 0.0).all()
    kept = momentum(robot, motion)
    assert_near(kept, np.broadcast_to(kept[0], kept.shape), 1e-9)
    assert (np.diff(motion.energy) < 1e-12).all()
    assert_near(motion.energy[0] - motion.energy[-1], reduced * u**2 / 2, 1e-9)


@pytest.mark.parametrize(("method", "tolerance"), [("rk4", 1e-9), ("euler", 2e-3), ("adaptive", 1e-9)])
def test_stops_inside_move_nothing_outside(method, tolerance):
    """A load that strikes its stop at 0.5 m rebounds with e times its relative speed; momentum is kept."""
    robot, u, e = sledge(), 0.8, 0.6
    motion = rne.simulate(
        robot, rne.neutral(robot), [0.1, 0, 0, 0, 0, 0, u], [0, 0.5, 1.0], stops={"restitution": e}, method=method
    )
    assert_near(motion.qd[:, 6], [u, u, -e * u], tolerance)
    assert_near(motion.q[-1, 7], 0.5 - e * (u - 0.5), tolerance)
    kept = momentum(robot, motion)
    assert_near(kept, np.broadcast_to(kept[0], kept.shape), tolerance)
    soft = rne.simulate(
        robot, rne.neutral(robot), [0, 0, 0, 0, 0, 0, u], [0, 1.0], stops={"stiffness": 1e4}, method=method
    )
    assert_near(soft.qd[-1, 6], -u, 0.2 if method == "euler" else 1e-6)


def test_a_batch_is_its_simulations_and_a_bad_quaternion_is_its_own_matter():
    robot, rng = quadruped(), np.random.default_rng(5)
    q = rne.integrate(robot, np.tile(rne.neutral(robot), (9, 1)), rng.normal(size=(9, robot.n)))
    qd, tau = rng.normal(size=(2, 9, robot.n))
    q[0, 3:7] *= 1.0005
    q[4, 3:7] *= 1.1
    motion = rne.simulate(robot, q, qd, [0.0, 0.1, 0.2], tau=tau[:, None])
    assert np.isnan(motion.q[4, 1:]).all()
    for k in (0, 8):
        alone = rne.simulate(robot, q[k], qd[k], [0.0, 0.1, 0.2], tau=tau[k])
        np.testing.assert_array_equal(motion.q[k], alone.q)
        assert np.abs(lengths(alone) - 1.0).max() < 1e-15
    with pytest.raises(rne.ArgumentError, match="q0: wanted a unit quaternion"):
        rne.simulate(robot, q[4])


@numba.njit
def leaning(t, q, qd, tau):
    """Hold a drone of 2 kg against gravity along its own axis, and damp its rotation."""
    tau[2] = 2.0 * 9.81
    for j in range(3, 6):
        tau[j] = -0.5 * qd[j]


def same_leaning(t, q, qd):
    tau = np.zeros(qd.shape)
    tau[..., 2], tau[..., 3:6] = 2.0 * 9.81, -0.5 * qd[..., 3:6]
    return tau


@pytest.mark.parametrize("method", ["rk4", "euler", "adaptive"])
def test_a_drone_is_flown_by_functions(method):
    drone = body((0.01, 0.01, 0.02), gravity=(0, 0, -9.81))
    lean = np.sin(0.1), np.cos(0.1)  # by 0.2 rad about y
    q, t = [0, 0, 0, 0, lean[0], 0, lean[1]], np.linspace(0, 1, 11)
    flown = [rne.simulate(drone, q, t=t, tau=f, method=method) for f in (leaning, same_leaning)]
    np.testing.assert_array_equal(flown[0].q, flown[1].q)
    side, down = 9.81 * np.sin(0.2), 9.81 * (np.cos(0.2) - 1.0)
    rtol = 2e-3 if method == "euler" else 1e-9
    assert_near(flown[0].q[:, [0, 2]], np.outer(t**2 / 2, [side, down]), rtol)


@pytest.mark.parametrize("friction", [False, True])
def test_the_built_in_law_acts_on_the_joints(friction):
    """As a function in Python that returns a wrench of zero on the base; saturation and integral included."""
    robot = sledge(viscous=0.3)
    servo = rne.control.pid(robot, kp=[40.0], ki=20.0, kd=8.0, goal=[0.3])
    start = rne.neutral(robot), [0.0, 0.0, 0.0, 0.2, 0.5, -0.4, 0.0]
    motion = {m: rne.simulate(robot, *start, [0, 1.0, 3.0], tau=servo, friction=friction, method=m) for m in METHODS}
    assert_near(motion["rk4"].q, motion["adaptive"].q, 1e-8)
    assert (motion["rk4"].tau[:, :6] == 0.0).all()
    assert motion["rk4"].error.shape == (3, 1)
    assert np.abs(motion["rk4"].error[-1]).max() < 0.02
    kept = momentum(robot, motion["rk4"])
    assert_near(kept, np.broadcast_to(kept[0], kept.shape), 1e-9)
    assert "base" in str(motion["rk4"])
    assert motion["rk4"].tracking().peak.shape == (1,)
    with pytest.raises(rne.ArgumentError, match="floats"):
        rne.control.pd_gravity(robot, kp=1.0, kd=1.0, goal=[0.0])
