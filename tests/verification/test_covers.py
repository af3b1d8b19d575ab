"""`verify` covers what it says: every compiled entry, both precisions, single states and batches, in bounded memory."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from compiled import all_entries
from strategies import random_tree

import rne
from rne.kernels import entries
from rne.model.robot import Robot
from rne.verification import derivative_identities, identities, kinematic_identities, variants
from rne.verification import verify as verification
from rne.verification.verify import verify

# Integration is not looked at, nor the memory of an evaluator; the inertia at a frame has no batch to be compared with.
LEFT_OUT = (
    "SIMULATE_ONE", "SIMULATE", "CONTROLLED_ONE", "CONTROLLED", "CONTROL_ONE", "STAGE_OF_STEP", "STILL",
    "ROUGH", "ROUGH_CONTROLLED", "ROUGH_STAGE", "STICTION", "MASS_AND_BIAS_POINTER",
    "INVERSE_DYNAMICS_POINTER", "FORWARD_DYNAMICS_POINTER.aba", "FORWARD_DYNAMICS_POINTER.crba",
    *(f"EVALUATE.{name}" for name in entries.EVALUATE), "OPERATIONAL_INERTIA_ONE", "CONTACT",
)  # fmt: skip


def test_every_entry_is_called(monkeypatch):
    called = set()

    def noting(name, entry):
        entry.compiled()
        function = entry.call
        return lambda *args: called.add(name) or function(*args)

    found = all_entries()
    assert len(found) > 50
    for name, entry in found.items():
        if name not in LEFT_OUT:
            monkeypatch.setattr(entry, "call", noting(name, entry))
    for path in ("panda/robot.urdf", "planar2/robot.dh.toml"):  # a finger that follows needs the mass matrix
        assert verify(rne.load(f"models/{path}"), samples=3).ok
    assert set(found) - called == set(LEFT_OUT)


def bent(monkeypatch, module, name, change):
    """Put a wrong function in the place of a right one."""
    right = getattr(module, name)
    monkeypatch.setattr(module, name, lambda *given, **options: change(right(*given, **options), *given))


def scaled(x, *_):
    return x * (1 + 1e-6)


def times(result, factor):
    """Results with names have several arrays."""
    return result._make(factor * part for part in result) if isinstance(result, tuple) else result * factor


@pytest.mark.parametrize(
    ("name", "identity"),
    [
        ("jacobian", "Jacobians are derivatives of poses"),
        ("frame_velocity", "frame velocity is J qd, acceleration J qdd + Jd qd"),
        ("jacobian_dot_qd", "frame velocity is J qd, acceleration J qdd + Jd qd"),
        ("frame_acceleration", "frame acceleration is change of frame velocity"),
        ("center_of_mass", "center of mass is that of Lagrange"),
        ("center_of_mass_velocity", "center of mass is that of Lagrange"),
        ("center_of_mass_jacobian", "center of mass is that of Lagrange"),
        ("static_torque", "static torque is J^T w"),
        ("joint_wrenches", "joint wrenches are changes of momentum less weight"),
        ("regressor", "regressor times parameters is inverse dynamics"),
    ],
)
def test_wrong_kinematics_are_caught(monkeypatch, name, identity):
    bent(monkeypatch, kinematic_identities, name, scaled)
    monkeypatch.setattr(verification, "CHECKS", kinematic_identities.KINEMATIC)
    report = verify(rne.load("models/planar2/robot.dh.toml"), samples=5)
    assert identity in {check.name for check in report.checks if not check.passed}


@pytest.mark.parametrize(
    ("name", "identity"),
    [
        ("gravity_derivative", "gravity derivative is rate of Lagrange's gravity"),
        ("inverse_dynamics_vjp", "torque gradient is weights times derivatives"),
        ("regressor_vjp", "gradient by parameters is weights times regressor"),
        ("jacobian_dot", "Jacobian derivative is rate of the Jacobian"),
    ],
)
def test_wrong_derivatives_are_caught(monkeypatch, name, identity):
    bent(monkeypatch, derivative_identities, name, lambda x, *_: times(x, 1 + 1e-6))
    assert broken_of_derivatives() == {identity}


@pytest.mark.parametrize(
    ("function", "part", "identities"),
    [
        ("inverse", 0, {"torque derivatives are rates of Lagrange's torques"}),
        ("inverse", 1, {"torque derivatives are rates of Lagrange's torques"}),
        ("inverse", 2, {"torque derivatives by qdd are Lagrange's mass matrix"}),
        ("forward", 0, {"acceleration derivatives undo torque derivatives"}),
        ("forward", 1, {"acceleration derivatives undo torque derivatives"}),
        ("forward", 2, {"acceleration derivatives undo torque derivatives"}),
    ],
)
def test_each_part_of_the_derivatives_is_looked_at(monkeypatch, function, part, identities):
    def wrong(D, *_):
        return D._replace(**{D._fields[part]: D[part] * (1 + 1e-5)})

    bent(monkeypatch, derivative_identities, f"{function}_dynamics_derivatives", wrong)
    assert identities <= broken_of_derivatives()


@pytest.mark.parametrize(
    ("option", "identity"),
    [
        ("friction", "friction derivatives are quotients of Lagrange's friction"),
        ("f_ext", "torque derivatives have the rates of static torques"),
    ],
)
def test_a_forgotten_load_of_the_derivatives_is_caught(monkeypatch, option, identity):
    right = derivative_identities.inverse_dynamics_derivatives
    monkeypatch.setattr(
        derivative_identities,
        "inverse_dynamics_derivatives",
        lambda *given, **options: right(*given, **{key: x for key, x in options.items() if key != option}),
    )
    assert identity in broken_of_derivatives()


def broken_of_derivatives():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(verification, "CHECKS", derivative_identities.DERIVATIVES)
        arm = rne.load("models/planar2/robot.dh.toml").with_dampers([0.3, 0.2])
        return {check.name for check in verify(arm, samples=5).checks if not check.passed}


def test_a_wrong_pose_is_caught(monkeypatch):
    bent(monkeypatch, kinematic_identities, "forward_kinematics", lambda T, *_: _moved(T))
    monkeypatch.setattr(verification, "CHECKS", kinematic_identities.KINEMATIC)
    report = verify(rne.load("models/planar2/robot.dh.toml"), samples=5)
    assert "poses are those of Lagrange" in {check.name for check in report.checks if not check.passed}


def _moved(poses):
    return {name: T + 1e-6 for name, T in poses.items()} if isinstance(poses, dict) else poses


@pytest.mark.parametrize("what", ["of one state is that of a batch", "in float32 is that in float64"])
@pytest.mark.parametrize("name", [name for name in variants.FUNCTIONS if "(" not in name])
def test_a_way_of_calling_that_goes_wrong_is_caught(monkeypatch, name, what):
    """Wrong for single states of doubles alone, or for batches in float32 alone."""

    def wrong(result, robot, first, *_):
        here = np.ndim(first) == 1 and first.dtype == np.float64
        if what.startswith("in"):
            here = np.ndim(first) == 2 and first.dtype == np.float32
        return times(result, 1.1) if here else result

    bent(monkeypatch, variants, name, wrong)
    monkeypatch.setattr(verification, "CHECKS", variants.VARIANTS)
    report = verify(rne.load("models/planar2/robot.dh.toml").with_dampers([0.3, 0.2]), samples=5)
    broken = {check.name for check in report.checks if not check.passed}
    assert f"{name} {what}" in broken
    assert all(identity.startswith(name) and identity.endswith(what) for identity in broken)


def test_memory_is_bounded(monkeypatch):
    """Neither by the number of states nor by n^3 of them: symbols of all states here would take 3.2 MB."""
    monkeypatch.setattr(verification, "CHUNK", 16)
    monkeypatch.setattr(identities, "ROOM", 1 << 13)
    robot = Robot(random_tree(np.random.default_rng(1), 20, branching=0.0, mimic=0.0, massless=0.0))
    verify(robot, samples=1)
    peaks = []
    for samples in (16, 50):
        tracemalloc.start()
        assert verify(robot, samples=samples).ok
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.2 * peaks[0] < 3e6
