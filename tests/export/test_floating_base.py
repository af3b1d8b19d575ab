"""A base that floats is written so that it floats again, in rne and in the programs whose formats these are."""

from __future__ import annotations

from dataclasses import replace

import mujoco
import numpy as np
import pinocchio as pin
import pytest
from checks import assert_near, random_tree
from oracles_floating import random_states

import rne

pytestmark = pytest.mark.filterwarnings("ignore::rne.errors.ModelWarning")


def robot():
    tree = replace(random_tree(3, 5, mimic=0.0, massless=0.0, rotors=False, friction=False), floating=True)
    # With limits, as Pinocchio has two numbers for joints without.
    joints = tuple(replace(j, limits=rne.Limits(-9.0, 9.0)) if j.movable else j for j in tree.joints)
    return rne.Robot(replace(tree, joints=joints)).with_gravity([0.0, 0.0, -9.81])


def weighty(one):
    """A base with a mass, as MuJoCo wants it of what floats."""
    return one.with_payload(2.0, inertia=np.eye(3), frame=one.frame_names[0])


@pytest.mark.parametrize("write", ["to_urdf", "to_mjcf"])
def test_it_floats_again(write, tmp_path):
    one = weighty(robot())
    path = tmp_path / ("robot.urdf" if write == "to_urdf" else "robot.xml")
    getattr(one, write)(path)
    again = rne.load(path, joints=one.joint_names)
    assert again.floating
    q, qd, qdd = random_states(one, 5, 1)
    assert_near(rne.inverse_dynamics(again, q, qd, qdd), rne.inverse_dynamics(one, q, qd, qdd), 1e-12)
    fixed = rne.load(path, floating=False, joints=one.joint_names)
    assert_near(rne.mass_matrix(fixed, q[:, 7:]), rne.mass_matrix(one, q)[:, 6:, 6:], 1e-12)


def test_others_read_it():
    one = weighty(robot())
    q, qd, qdd = (x[0] for x in random_states(one, 1, 2))
    tau = rne.inverse_dynamics(one, q, qd, qdd)
    model = pin.buildModelFromXML(one.to_urdf())
    assert model.nq == one.nq  # the floating joint becomes its own
    order = [one.joint_names.index(name) for name in list(model.names)[2:]]
    mine = [*range(6), *(6 + k for k in order)]
    theirs = [np.concatenate([q[:7], q[7:][order]]), qd[mine], qdd[mine]]
    assert_near(pin.rnea(model, model.createData(), *theirs), tau[mine], 1e-10)
    spec = mujoco.MjModel.from_xml_string(one.to_mjcf())
    assert (spec.nq, spec.nv) == (one.nq, one.n)
    data, M = mujoco.MjData(spec), np.zeros((one.n, one.n))
    order = [one.joint_names.index(spec.joint(k).name) for k in range(1, spec.njnt)]
    data.qpos[:] = [*q[:3], q[6], *q[3:6], *q[7:][order]]
    mujoco.mj_forward(spec, data)
    mujoco.mj_fullM(spec, data, M)
    R = np.eye(one.n)
    R[:3, :3] = rne.forward_kinematics(one, q, one.frame_names[0])[:3, :3].T  # there, velocities are in world axes
    mine = np.ix_([*range(6), *(6 + k for k in order)], [*range(6), *(6 + k for k in order)])
    assert_near(R @ M @ R.T, rne.mass_matrix(one, q)[mine], 1e-10)


def test_names_that_are_taken():
    body = '<link name="world"/><link name="floating_base"/>'
    joint = '<joint name="floating_base" type="continuous"><parent link="world"/><child link="floating_base"/></joint>'
    one = rne.load_urdf(f'<robot name="odd">{body}{joint}</robot>', floating=True)
    again = rne.load_urdf(one.to_urdf())
    assert again.floating
    assert again.frame_names == one.frame_names
    with pytest.raises(rne.ModelError, match="world of its own"):
        one.to_mjcf()


def test_named_states_keep_pose_and_motion():
    one = weighty(robot())
    q, qd, _ = (x[0] for x in random_states(one, 1, 3))
    names = zip(one.position_names, q, strict=True), zip(one.coordinate_names, qd, strict=True)
    state = rne.State("thrown", *(tuple((name, float(x)) for name, x in pairs) for pairs in names))
    thrown = rne.Robot(replace(one.tree, states=(state,)), one.joint_names)
    again = rne.load_mjcf(thrown.to_mjcf(), joints=one.joint_names).state("thrown")
    assert_near(again[0], q, 1e-12)
    assert_near(again[1], qd, 1e-12)
