"""Ten thousand spoiled files and the finds of longer runs: none may end in anything but a robot or an RneError."""

from __future__ import annotations

import tomllib
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest
from checks import assert_near, random_states
from fuzz.mutations import dh, mjcf, spoiled, urdf
from fuzz.trial import attempt
from oracles_dh import pin_model_from_dh

import rne

CORPUS = sorted((Path(__file__).parent / "corpus").iterdir())
CASES, PART = 10_000, 500


@pytest.mark.parametrize("source", [urdf, dh], ids=["urdf", "dh"])
@pytest.mark.parametrize("first", range(0, CASES // 2, PART))
def test_spoiled_files(source, first) -> None:
    outcomes = []
    for case in range(first, first + PART):
        try:
            outcomes.append(attempt(spoiled(case, source), ".urdf" if source is urdf else ".dh.toml"))
        except BaseException as error:
            error.add_note(f"case {case} of {source.__name__}")
            raise
    refused = sum(robot is None for robot in outcomes)
    assert PART / 5 < refused < PART  # the mutations do spoil, and do not only spoil


@pytest.mark.filterwarnings("ignore:.*(in MJCF|mju_)")
@pytest.mark.parametrize("first", range(0, CASES // 10, PART))
def test_spoiled_mjcf_files(first) -> None:
    """Fewer, since each is compiled by MuJoCo."""
    outcomes = []
    for case in range(first, first + PART):
        try:
            outcomes.append(attempt(spoiled(case, mjcf), ".xml"))
        except BaseException as error:
            error.add_note(f"case {case} of mjcf")
            raise
    assert PART / 5 < sum(robot is None for robot in outcomes) < PART


@pytest.mark.parametrize("path", CORPUS, ids=[path.name for path in CORPUS])
def test_finds_of_longer_runs(path) -> None:
    attempt(path.read_bytes(), path.name[path.name.index(".") :])


@pytest.mark.parametrize("case", range(12))
def test_sound_urdf_files_agree_with_pinocchio(case) -> None:
    text = urdf(case)
    robot = attempt(text.encode(), ".urdf")
    assert robot is not None
    if len(robot.links.joints) > robot.n:
        return  # Pinocchio reads no mimic joints from URDF; the oracles of other tests reduce them
    model = pin.buildModelFromXML(text)
    places = [model.joints[model.getJointId(name)] for name in robot.joint_names]
    q, qd, qdd = random_states(robot.n, 5, seed=case)
    for k in range(5):
        positions, rates, accelerations = pin.neutral(model), np.zeros(model.nv), np.zeros(model.nv)
        for i, joint in enumerate(places):
            angle = q[k, i]
            positions[joint.idx_q : joint.idx_q + joint.nq] = (
                [angle] if joint.nq == 1 else [np.cos(angle), np.sin(angle)]
            )
            rates[joint.idx_v], accelerations[joint.idx_v] = qd[k, i], qdd[k, i]
        tau = pin.rnea(model, model.createData(), positions, rates, accelerations)
        wanted = [tau[joint.idx_v] for joint in places]
        assert_near(rne.inverse_dynamics(robot, q[k], qd[k], qdd[k]), wanted, 1e-11)


@pytest.mark.parametrize("case", range(12))
def test_sound_dh_files_agree_with_pinocchio(case) -> None:
    text = dh(case)
    robot, model = attempt(text.encode(), ".dh.toml"), pin_model_from_dh(tomllib.loads(text))
    assert robot is not None
    assert robot.n == model.nv
    springs = np.array([robot.joint(name).drive.stiffness for name in robot.joint_names])
    rest = np.array([robot.joint(name).drive.rest for name in robot.joint_names])
    q, qd, qdd = random_states(robot.n, 5, seed=case)
    for k in range(5):
        wanted = pin.rnea(model, model.createData(), q[k], qd[k], qdd[k]) + springs * (q[k] - rest)
        assert_near(rne.inverse_dynamics(robot, q[k], qd[k], qdd[k]), wanted, 1e-11)
