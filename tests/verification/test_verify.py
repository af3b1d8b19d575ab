"""A sound robot is verified; a function that goes wrong is caught, with the identity and the joint."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import oracles
import pytest
import strategies
from hypothesis import given, settings
from hypothesis import strategies as st

import rne
from rne import lagrange
from rne.model.robot import Robot
from rne.model.tree import Body, Drive, Joint, Tree
from rne.verification import identities
from rne.verification.verify import CHECKS, verify

MODELS = sorted(str(path) for pattern in ("*/robot.*", "lectures/*/robot.*") for path in Path("models").glob(pattern))
# Humanoids, a pair of arms with followers, a hand, a quadruped, arms.
EXAMPLES = [
    *("icub.urdf", "talos_full_v2.urdf", "g1_29dof_with_hand_rev_1_0.urdf", "human.urdf", "simple_humanoid.urdf"),
    *("baxter.urdf", "centauro.urdf", "allegro_left_hand.urdf", "anymal-kinova.urdf", "ur10_robot.urdf", "xarm7.urdf"),
]


@pytest.mark.filterwarnings("ignore::rne.ModelWarning")
@pytest.mark.parametrize("path", MODELS)
def test_own_models_are_verified_with_room(path):
    assert_verified_with_room(rne.load(path), samples=100)


@pytest.mark.filterwarnings("ignore::rne.ModelWarning")
@pytest.mark.parametrize("name", EXAMPLES)
def test_robots_of_others_are_verified_with_room(name):
    assert_verified_with_room(rne.load(oracles.example_urdf(name), strict=False), samples=5)


def assert_verified_with_room(robot, samples):
    report = verify(robot, samples=samples)
    assert report.ok, str(report)
    for check in report.checks:
        if check.name != "mass matrix is positive definite":
            assert check.deviation < check.tolerance / 10, check


@settings(max_examples=15)
@given(strategies.trees(1, 8, massless=0), st.integers(0, 50))
def test_random_trees_are_verified(tree, stiffness):
    robot = Robot(tree)
    report = verify(with_springs(robot, stiffness, rest=0.3), samples=5)
    assert report.ok, str(report)


def with_springs(robot, stiffness, rest):
    """The robot with a spring at every joint, followers included."""
    drives = {joint.name: joint.drive for joint in robot.tree.joints if joint.movable}
    return robot.with_drives({name: replace(d, stiffness=stiffness, rest=rest) for name, d in drives.items()})


def test_a_joint_that_turns_round_is_measured_as_well_as_others():
    """Standing for a moment, under the largest acceleration: the energy of the next second is no derivative."""
    arm = rne.load("models/lectures/one_dof_arm/robot.dh.toml")
    q, qd, qdd = np.array([[0.3], [1.0], [-2.0]]), np.array([[1e-3], [-1e-4], [1e-2]]), np.array([[6.0], [-6.0], [6.0]])
    motions = identities.Motions(arm, q, qd, qdd)
    (power,) = [identity for identity in identities.IDENTITIES if identity.name.startswith("power")]
    assert (power.deviation(motions) < 0.1 * power.tolerance).all()


def test_a_report_repeats_and_tells_what_it_did():
    arm = rne.load("models/planar2/robot.dh.toml")
    report = verify(arm, samples=70, seed=3)
    assert report == verify(arm, samples=70, seed=3)
    assert report != verify(arm, samples=70, seed=4)
    lines = str(report).splitlines()
    assert lines[0] == "planar2: 70 random states, seed 3"
    assert len(lines) == 3 + len(CHECKS)
    assert lines[-1] == "verified: every identity holds"


def test_states_keep_within_the_limits(monkeypatch):
    seen = []
    recursion = identities.inverse_dynamics
    monkeypatch.setattr(
        identities, "inverse_dynamics", lambda r, q, *a, **k: seen.append(q) or recursion(r, q, *a, **k)
    )
    panda = rne.load("models/panda/robot.urdf")
    verify(panda, samples=30)
    assert (seen[0] >= panda.lower_limit).all()
    assert (seen[0] <= panda.upper_limit).all()
    assert np.ptp(seen[0], axis=0).min() > 0


def bent(monkeypatch, name, change):
    """Put a wrong function in the place of a right one."""
    right = getattr(identities, name)
    monkeypatch.setattr(identities, name, lambda *given, **options: change(np.array(right(*given, **options)), *given))


def wrong_torque(tau, *_):
    tau[..., 4] *= 1 + 1e-6
    return tau


def wrong_inertia(M, *_):
    M[..., 2, 2] *= 1 + 1e-6
    return M


def lopsided(C, *_):
    C[..., 1, 3] += 1e-4
    return C


def forgets_a_rotor(K, robot, q, qd):
    return K - 0.5 * 1e-6 * qd[..., 5] ** 2


def drifts(P, robot, q):
    return P + 1e-5 * np.sin(q[..., 3])


@pytest.mark.parametrize(
    ("name", "change", "identity", "joint"),
    [
        ("inverse_dynamics", wrong_torque, "inverse dynamics is that of Lagrange", "panda_joint5"),
        ("inverse_dynamics", wrong_torque, "M qdd + C qd + g + springs is inverse dynamics", "panda_joint5"),
        ("mass_matrix", wrong_inertia, "mass matrix is that of Lagrange", "panda_joint3"),
        ("mass_matrix", lambda M, *_: -M, "mass matrix is positive definite", None),
        ("mass_matrix", lambda M, *_: M * np.nan, "mass matrix is positive definite", "panda_joint1"),
        ("coriolis_matrix", lopsided, "Coriolis matrix is that of Lagrange", "panda_joint2"),
        ("coriolis_matrix", lopsided, "Mdot - 2 C is skew-symmetric", "panda_joint2"),
        ("coriolis_vector", wrong_torque, "M qdd + C qd + g + springs is inverse dynamics", "panda_joint5"),
        ("gravity_vector", wrong_torque, "gravity is gradient of potential energy", "panda_joint5"),
        ("forward_dynamics", wrong_torque, "forward dynamics (aba) undoes inverse dynamics", "panda_joint5"),
        ("forward_dynamics", wrong_torque, "forward dynamics (crba) undoes inverse dynamics", "panda_joint5"),
        ("kinetic_energy", forgets_a_rotor, "kinetic energy is qd M qd / 2", "panda_joint6"),
        ("potential_energy", drifts, "potential energy is that of Lagrange", None),
        ("potential_energy", drifts, "gravity is gradient of potential energy", "panda_joint4"),
        ("potential_energy", drifts, "power of torques is change of energy", "panda_joint4"),
    ],
)
def test_a_wrong_function_is_caught_at_its_joint(monkeypatch, name, change, identity, joint):
    panda = rne.load("models/panda/robot.urdf")
    bent(monkeypatch, name, change)
    report = verify(panda, samples=10)
    (check,) = [check for check in report.checks if check.name == identity]
    assert not check.passed
    assert not report.ok
    assert f"{identity} ({check.joint or '-'})" in str(report).splitlines()[-1]
    if joint is not None:
        assert check.joint == joint


def test_the_method_that_is_wrong_is_told(monkeypatch):
    arm, right = rne.load("models/planar2/robot.dh.toml"), identities.forward_dynamics

    def wrong(robot, q, qd, tau, method):
        return right(robot, q, qd, tau, method=method) * (1.001 if method == "crba" else 1.0)

    monkeypatch.setattr(identities, "forward_dynamics", wrong)
    (broken,) = [check for check in verify(arm, samples=5).checks if not check.passed]
    assert broken.name == "forward dynamics (crba) undoes inverse dynamics"


def test_forward_dynamics_that_refuses_a_sound_robot_is_caught(monkeypatch):
    def refuse(*_, **__):
        raise rne.SingularError("no reason")

    monkeypatch.setattr(identities, "forward_dynamics", refuse)
    broken = [check for check in verify(rne.load("models/planar2/robot.dh.toml"), samples=5).checks if not check.passed]
    assert [check.deviation for check in broken] == [np.inf, np.inf]


@pytest.mark.parametrize(
    ("name", "identity", "joint"),
    [
        ("inverse_dynamics", "inverse dynamics is that of Lagrange", "panda_joint2"),
        ("inverse_dynamics", "M qdd + C qd + g + springs is inverse dynamics", "panda_joint2"),
        ("inverse_dynamics", "forward dynamics (aba) undoes inverse dynamics", None),
        ("inverse_dynamics", "power of torques is change of energy", "panda_joint2"),
        ("forward_dynamics", "forward dynamics (aba) undoes inverse dynamics", "panda_joint2"),
        ("potential_energy", "potential energy is that of Lagrange", None),
        ("potential_energy", "power of torques is change of energy", "panda_joint2"),
    ],
)
def test_a_forgotten_spring_is_caught(monkeypatch, name, identity, joint):
    plain = rne.load("models/panda/robot.urdf")
    sprung = plain.with_drives({"panda_joint2": Drive(stiffness=10.0, rest=-1.0)})
    assert verify(sprung, samples=5).ok
    right = getattr(identities, name)
    monkeypatch.setattr(identities, name, lambda _, *given, **options: right(plain, *given, **options))
    report = verify(sprung, samples=5)
    (check,) = [check for check in report.checks if check.name == identity]
    assert not check.passed
    assert joint is None or check.joint == joint


def test_wrong_friction_is_caught(monkeypatch):
    row = {"joint": "revolute", "a": 0.1, "mass": 1.0, "viscous": 0.5}
    wheels = rne.from_dh([row, {**row, "name": "second"}], convention="standard")
    assert verify(wheels, samples=5).ok
    monkeypatch.setattr(lagrange, "friction_torque", lambda robot, qd: 0.5 * qd * [1, -1])
    broken = {check.name: check.joint for check in verify(wheels, samples=5).checks if not check.passed}
    # The columns of friction in the regressor are compared with the same formulation.
    names = ("friction is that of Lagrange", "regressor times parameters is inverse dynamics")
    assert broken == dict.fromkeys((*names, "friction derivatives are quotients of Lagrange's friction"), "second")


def test_curved_friction_is_verified():
    law = rne.Drive(
        viscous=0.1, coulomb_plus=0.3, coulomb_minus=0.2, stribeck=0.2, stribeck_velocity=0.3, quadratic=0.2, cubic=0.1
    )
    arm = rne.load("models/planar2/robot.dh.toml")
    assert verify(arm.with_drives({"shoulder": law, "elbow": replace(law, smoothing=0.2)}), samples=5).ok


def test_a_joint_without_inertia_is_not_verified():
    bodies = (Body("base"), Body("arm", 1.0, (0.5, 0.0, 0.0)), Body("ghost"))
    joints = (Joint("shoulder", "revolute", "base", "arm"), Joint("wrist", "revolute", "arm", "ghost"))
    report = verify(Robot(Tree("haunted", bodies, joints)), samples=5)
    assert [check.joint for check in report.checks if not check.passed] == ["wrist"]
    assert str(report).endswith("broken: mass matrix is positive definite (wrist)")


def test_a_robot_without_coordinates_has_nothing_to_break():
    arm = rne.load("models/planar2/robot.dh.toml").with_locked({"shoulder": 0.0, "elbow": 0.0})
    assert verify(arm, samples=3).ok


def test_one_sample_that_is_not_a_number_never_passes(monkeypatch):
    def hole(tau, *_):
        tau[-1] = np.nan if len(tau) == 64 else tau[-1]  # in the first chunk, not in the last
        return tau

    bent(monkeypatch, "gravity_vector", hole)
    broken = [
        check for check in verify(rne.load("models/planar2/robot.dh.toml"), samples=70).checks if not check.passed
    ]
    assert len(broken) == 2
    assert all(np.isnan(check.deviation) for check in broken)


@pytest.mark.parametrize("seed", [-1, 2.5, True, None])
def test_seed_must_be_a_count(seed):
    with pytest.raises(rne.ArgumentError, match="seed: wanted a whole number"):
        verify(rne.load("models/planar2/robot.dh.toml"), seed=seed)


@pytest.mark.parametrize("samples", [0, -1, 2.5, True, None])
def test_samples_must_be_a_count(samples):
    with pytest.raises(rne.ArgumentError, match="samples: wanted a whole number"):
        verify(rne.load("models/planar2/robot.dh.toml"), samples=samples)


def test_only_a_robot_is_verified():
    with pytest.raises(rne.ArgumentError, match="robot: wanted a Robot"):
        verify("panda.urdf")
