"""A mass matrix without inverse is an error that names joint and sample; NaN is none, and nor is a light link."""

from __future__ import annotations

import dataclasses
import warnings

import numpy as np
import pytest
from checks import random_robot

import rne

HEAVY = {"massless": 0.0, "heavy_tips": True}
METHODS = pytest.mark.parametrize("method", ["auto", "aba", "crba"])
PRECISION = pytest.mark.parametrize("dtype", [np.float64, np.float32])

# An arm, and a pointer on a joint that weighs nothing.
POINTER = """<robot name="pointer"><link name="ground"/><link name="pointer"/>
  <link name="arm"><inertial><origin xyz="0 0 0.2"/><mass value="1.5"/>
    <inertia ixx="0.02" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.003"/></inertial></link>
  <joint name="j1" type="revolute"><parent link="ground"/><child link="arm"/><origin xyz="0 0 0.1"/>
    <axis xyz="0 1 0"/><limit lower="-3" upper="3" effort="100" velocity="10"/></joint>
  <joint name="j2" type="revolute"><parent link="arm"/><child link="pointer"/><origin xyz="0 0 0.4"/>
    <axis xyz="0 1 0"/><limit lower="-3" upper="3" effort="100" velocity="10"/></joint>
</robot>"""
REVOLUTE = {"joint": "revolute"}
SLIDE = {"joint": "prismatic"}
BALL = {"mass": 2.0, "inertia": np.diag([0.1, 0.1, 0.1]).tolist()}
# A mass on the end of two rods without mass: stretched or folded, no torque moves it along the rods.
RODS = [REVOLUTE | {"a": 0.5}, REVOLUTE | {"a": 0.4, "mass": 1.0}]


def pointer():
    with pytest.warns(rne.ModelWarning):
        return rne.load_urdf(POINTER)


def dh(rows):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rne.ModelWarning)  # says the same at once, where it can be known at once
        return rne.from_dh(rows, convention="standard", gravity=(0.0, 0.0, 0.0))


ALWAYS = {
    "two joints on one axis": dh([REVOLUTE, REVOLUTE | BALL]),
    "a point on its axis": dh([REVOLUTE | BALL | {"alpha": 0.7}, REVOLUTE | {"mass": 1.0, "com": [0, 0, 0.2]}]),
    "three slides in a plane": dh(
        [SLIDE | {"alpha": 0.5}, SLIDE | {"alpha": 0.7}, SLIDE | {"mass": 1.0}],
    ),
    "four axes through a point": dh([REVOLUTE | {"alpha": 0.5 + 0.3 * k} for k in range(3)] + [REVOLUTE | BALL]),
    "nothing at all": dh([REVOLUTE | {"a": 0.3}, SLIDE | {"alpha": 0.2}]),
}


# --------------------------------------------------------------------------------------------------------- it is said


@METHODS
@PRECISION
def test_the_joint_is_named(method, dtype):
    robot, q = pointer(), np.array([0.4, 0.7], dtype)
    with pytest.raises(rne.SingularError, match=r"^the mass matrix is singular at joint 'j2'"):
        rne.forward_dynamics(robot, q, np.array([0.5, 1.0], dtype), np.array([1.0, 0.0], dtype), method=method)
    with pytest.raises(rne.SingularError, match=r"^the mass matrix is singular at joint 'j2'"):
        rne.mass_matrix_inverse(robot, q)
    assert np.isfinite(rne.mass_matrix(robot, q)).all()
    other = rne.Robot(robot.tree, ("j2", "j1"))
    with pytest.raises(rne.SingularError, match="at joint 'j2'"):
        rne.forward_dynamics(other, q, method=method)
    assert issubclass(rne.SingularError, rne.RneError)


@METHODS
@PRECISION
def test_the_first_such_sample_is_named(method, dtype):
    robot = dh(RODS)
    q = np.full((50, 2), 0.6, dtype)
    q[33, 1] = q[41, 1] = 0.0
    for call in (lambda q: rne.forward_dynamics(robot, q, method=method), lambda q: rne.mass_matrix_inverse(robot, q)):
        assert np.isfinite(call(np.delete(q, [33, 41], axis=0))).all()
        with pytest.raises(rne.SingularError, match=r"^sample 33: the mass matrix is singular at joint 'joint1'"):
            call(q)
        with pytest.raises(rne.SingularError, match=r"^sample 3, 3: the mass matrix is singular at joint 'joint1'"):
            call(q.reshape(5, 10, 2))
        with pytest.raises(rne.SingularError, match=r"^the mass matrix is singular at joint 'joint1'"):
            call(q[41])


@METHODS
@PRECISION
@pytest.mark.parametrize("robot", ALWAYS.values(), ids=ALWAYS)
def test_rounding_is_not_taken_for_mass(robot, method, dtype):
    """The pivots that should be zero are some 1e-17, and all but huge accelerations would come of them."""
    rng = np.random.default_rng(3)
    for q in rng.uniform(-3, 3, (20, robot.n)).astype(dtype):
        with pytest.raises(rne.SingularError):
            rne.forward_dynamics(robot, q, None, np.ones(robot.n, dtype), method=method)
        with pytest.raises(rne.SingularError):
            rne.mass_matrix_inverse(robot, q)


def test_threads_tell_the_same_sample():
    robot, q = dh(RODS), np.full((4000, 2), 0.6)
    q[[700, 3900], 1] = 0.0
    for threads in (1, 2, 5):
        with pytest.raises(rne.SingularError, match=r"^sample 700: "):
            rne.forward_dynamics(robot, q, threads=threads)


def test_followers_count_as_part_of_their_leader():
    """A leader without mass whose follower has some is moved by it; the other way round, too."""
    row = REVOLUTE | {"a": 0.3}
    tree = dh([row | BALL, row, row | BALL | {"com": [0.1, 0.2, 0.0]}]).tree
    mimic = rne.model.tree.Mimic("joint2", 1.5, 0.1)
    joints = tuple(dataclasses.replace(j, mimic=mimic if j.name == "joint3" else None) for j in tree.joints)
    robot = rne.Robot(dataclasses.replace(tree, joints=joints))
    q, qdd = np.array([0.3, 0.4]), np.array([1.0, -2.0])
    tau = rne.inverse_dynamics(robot, q, None, qdd)
    np.testing.assert_allclose(rne.forward_dynamics(robot, q, None, tau), qdd, rtol=1e-9)
    bodies = tuple(dataclasses.replace(b, mass=0.0, inertia=rne.model.tree.Body("").inertia) for b in robot.tree.bodies)
    with pytest.raises(rne.SingularError, match="at joint 'joint2'"):
        rne.forward_dynamics(rne.Robot(dataclasses.replace(robot.tree, bodies=bodies)), q)


# ----------------------------------------------------------------------------------------------- what is not singular


@METHODS
def test_a_rotor_or_an_inertia_mends_it(method):
    robot = pointer()
    for drives in ({"j2": rne.model.tree.Drive(1e-6, 10.0)}, {"j2": rne.model.tree.Drive(1e-9)}):
        mended = robot.with_drives(drives)
        tau = rne.inverse_dynamics(mended, [0.4, 0.7], [0.5, 1.0], [1.0, 2.0])
        got = rne.forward_dynamics(mended, [0.4, 0.7], [0.5, 1.0], tau, method=method)
        np.testing.assert_allclose(got, [1.0, 2.0], rtol=1e-6)
    assert rne.forward_dynamics(robot.with_locked({"j2": 0.1}), [0.4], method=method).shape == (1,)


@METHODS
def test_a_grain_of_sand_on_a_heavy_arm_is_mass(method):
    arm = [REVOLUTE | {"mass": 100.0, "a": 1.0, "alpha": 0.4}] * 3
    robot = dh([*arm, REVOLUTE | {"mass": 1e-6, "com": [1e-3, 0.0, 0.0]}])
    got = rne.forward_dynamics(robot, np.zeros(4), None, [0.0, 0.0, 0.0, 1e-12], method=method)
    np.testing.assert_allclose(got[3], 1.0, rtol=1e-6)


@METHODS
@PRECISION
def test_small_robots_are_robots(method, dtype):
    """All lengths a thousandth, all masses a millionth: accelerations are those of the large one."""
    large = [REVOLUTE | {"a": 0.3, "alpha": 0.5, "mass": 1.0, "com": [-0.1, 0.05, 0.0]}] * 4
    small = [r | {"a": 0.3e-3, "mass": 1e-6, "com": [-0.1e-3, 0.05e-3, 0.0]} for r in large]
    q, tau = np.array([0.1, 0.5, -0.7, 0.9], dtype), np.array([0.1, 0.2, 0.3, 0.4], dtype)
    wanted = rne.forward_dynamics(dh(large), q.astype(float), None, tau.astype(float))
    got = rne.forward_dynamics(dh(small), q, None, (tau * 1e-12).astype(dtype), method=method)
    np.testing.assert_allclose(got, wanted, rtol=1e-9 if dtype == np.float64 else 1e-3)


@METHODS
@PRECISION
def test_long_chains_are_not_taken_for_singular(method, dtype):
    """Their ends are light beside the whole; single precision suspects some of them, double precision clears them."""
    robot = dh(
        [REVOLUTE | {"a": 0.3, "alpha": 0.3 * (-1) ** k, "mass": 1.0, "com": [-0.1, 0.0, 0.05]} for k in range(40)]
    )
    q = np.random.default_rng(0).uniform(-1, 1, (30, 40)).astype(dtype)
    assert np.isfinite(rne.forward_dynamics(robot, q, method=method)).all()


@METHODS
@PRECISION
def test_nan_is_not_singular(method, dtype):
    robot = dh(RODS)
    q, qd, tau = np.full((3, 21, 2), 0.6, dtype)
    for which, array in enumerate((q, qd, tau)):
        array[3 + which, 1] = np.nan
        array[9 + which, 0] = np.inf
    got = rne.forward_dynamics(robot, q, qd, tau, method=method)
    finite = np.isfinite(got).all(axis=1)
    assert list(np.flatnonzero(~finite)) == [3, 4, 5, 9, 10, 11]
    inverse = rne.mass_matrix_inverse(robot, q)
    assert np.flatnonzero(~np.isfinite(inverse).all(axis=(1, 2))).tolist() == [3, 9]
    assert not np.isfinite(rne.forward_dynamics(robot, q[3], qd[3], tau[3], method=method)).all()


@METHODS
def test_nan_beside_a_singular_sample(method):
    robot, q = dh(RODS), np.full((8, 2), 0.6)
    q[2], q[5, 1] = np.nan, 0.0
    with pytest.raises(rne.SingularError, match=r"^sample 5: "):
        rne.forward_dynamics(robot, q, method=method)


@pytest.mark.parametrize("seed", range(30))
def test_no_sound_robot_is_even_suspected(seed):
    """What the kernels mark costs a second look, and in double precision sound robots should never need one."""
    from rne.kernels.entries import FORWARD_DYNAMICS

    robot = random_robot(seed, 1 + seed % 12, mimic=0.0, **HEAVY)
    rng, n = np.random.default_rng(seed), robot.n
    q, out = rng.normal(size=(64, n)), np.empty((64, n))
    where = np.array([x for array in (q, q, q, out) for x in (array.ctypes.data, array.strides[0])], np.intp)
    for method in ("aba", "crba"):
        marks = np.zeros(64, np.uint8)
        FORWARD_DYNAMICS[method]["float64"].call(robot.links.table, 0, 64, where, 0, marks)
        assert not marks.any()
