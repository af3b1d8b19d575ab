"""What `simulate` refuses, what it lets through, and what it says of a singular mass matrix."""

from __future__ import annotations

import sys

import models_at_hand as models
import numba
import numpy as np
import pytest
from checks import assert_near

import rne
from rne.kernels.simulation import BLOCK

pytestmark = pytest.mark.filterwarnings("ignore::rne.errors.ModelWarning")

METHODS = ("rk4", "euler", "adaptive")
PLANAR = rne.load(models.MODELS / "planar2" / "robot.dh.toml")
T = np.array([0.0, 0.1, 0.15, 0.3, 0.35])

# ------------------------------------------------------------------------------------------------------- refused


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"q0": [0.0]}, "q0: wanted shape"),
        ({"q0": None}, "q0: wanted an array"),
        ({"qd0": [0.0, 1.0, 2.0]}, "qd0: wanted shape"),
        ({"t": 1.0}, r"t: wanted shape \(T,\)"),
        ({"t": []}, r"t: wanted shape \(T,\)"),
        ({"t": [[0.0, 1.0]]}, r"t: wanted shape \(T,\)"),
        ({"t": [0.0, 1.0, 1.0]}, "t: wanted finite times, each later"),
        ({"t": [0.0, np.nan]}, "t: wanted finite times"),
        ({"t": [0.0, np.inf]}, "t: wanted finite times"),
        ({"t": "long"}, "t: wanted real numbers"),
        (
            {"tau": [1.0]},
            r"tau: wanted a controller, a function or shape \(2,\), \(\.\.\., 4, 2\) or .*, got \(1,\)",
        ),
        ({"tau": np.zeros((3, 2))}, "tau: wanted a controller, a function or shape"),
        ({"tau": np.zeros((5, 1))}, "tau: wanted a controller, a function or shape"),
        ({"tau": 3.0}, "tau: wanted a controller, a function or shape"),
        ({"tau": "full"}, "tau: wanted real numbers"),
        (
            {"tau": np.zeros((3, 5, 2)), "q0": np.zeros((2, 2))},
            r"tau: \(3, 4, 2\) does not broadcast against simulations of .*\(2,\)",
        ),
        ({"method": "rk5"}, "method: wanted one of 'rk4', 'euler', 'adaptive', got 'rk5'"),
        ({"method": ["rk4"]}, "method: wanted one of"),
        ({"step": 0.0}, "step: wanted a positive time"),
        ({"step": -0.1}, "step: wanted a positive time"),
        ({"step": np.nan}, "step: wanted a positive time"),
        ({"step": True}, "step: wanted a positive time"),
        ({"step": "short"}, "step: wanted a positive time"),
        ({"step": 1e-300}, "step: 1e-300 s is below the rounding"),
        ({"gravity": [0.0, 1.0]}, "gravity: wanted shape"),
        ({"threads": 0}, "threads: wanted a positive whole number"),
        ({"tau": lambda t, q, qd: np.zeros(3)}, r"tau: the controller returned shape \(3,\), wanted \(2,\)"),
        ({"tau": lambda t, q, qd: 0.0}, r"tau: the controller returned shape \(\), wanted \(2,\)"),
        ({"tau": lambda t, q, qd: None}, "tau: wanted real numbers"),
        ({"tau": lambda t, q, qd: 0.0, "method": "adaptive"}, "tau: the controller returned"),
        ({"tau": numba.njit(lambda t, q, qd: -q)}, "tau: a compiled controller is called as controller"),
        ({"tau": numba.njit(lambda t, q, qd, tau: -q)}, "tau: a compiled controller is called as.*return"),
        ({"tau": numba.njit(lambda t, q, qd, tau: q.torque)}, "tau: a compiled controller is called as"),
    ],
)
def test_what_is_refused(change, said):
    with pytest.raises(rne.ArgumentError, match=said):
        rne.simulate(PLANAR, **{"q0": [0.1, 0.2], "t": T, **change})


def test_only_robots_move():
    with pytest.raises(rne.ArgumentError, match="robot: wanted a Robot"):
        rne.simulate("arm", [0.0])


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("compiled", [True, False])
def test_what_a_controller_raises_comes_out(compiled, method):
    def fail(t, q, qd, tau=None):
        if t > 0.2:
            raise KeyError("out of ideas")
        return None if compiled else np.zeros(2)

    def fail_compiled(t, q, qd, tau):
        if t > 0.2:
            raise KeyError("out of ideas")

    with pytest.raises(KeyError, match="out of ideas"):
        rne.simulate(PLANAR, [0.1, 0.2], t=T, tau=numba.njit(fail_compiled) if compiled else fail, method=method)


def test_scipy_is_asked_for_by_name(monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy.integrate", None)
    with pytest.raises(rne.MissingExtraError, match=r"method: 'adaptive' needs scipy.*pip install 'rne\[scipy\]'"):
        rne.simulate(PLANAR, [0.1, 0.2], method="adaptive")


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_an_adaptive_step_that_cannot_be_made_is_told():
    with pytest.raises(rne.ArgumentError, match="method: the integrator of scipy failed"):
        rne.simulate(PLANAR, [0.1, 0.2], tau=lambda t, q, qd: q * np.nan if t > 0.5 else q, method="adaptive")


# ------------------------------------------------------------------------------------------------------ singular


@numba.njit
def servo(t, q, qd, tau):
    tau[0] = -q[0]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("tau", [None, servo, lambda t, q, qd: -q], ids=["none", "compiled", "plain"])
def test_a_singular_joint_is_named(tau, method):
    """A pendulum with a joint behind its mass that moves nothing."""
    rows = [{"joint": "revolute", "a": 1.0, "mass": 1.0}, {"joint": "revolute", "name": "wrist", "a": 0.1}]
    robot = rne.from_dh(rows, convention="standard")
    with pytest.raises(rne.SingularError, match="t = 2 s, the mass matrix is singular at joint 'wrist'"):
        rne.simulate(robot, [0.1, 0.2], t=[2.0, 3.0], tau=tau, method=method)


@pytest.mark.parametrize("method", ["rk4", "euler"])
@pytest.mark.parametrize("compiled", [True, False])
def test_time_and_member_are_named_where_the_motion_leads_to_it(compiled, method):
    """A mass at the tip only cannot be pushed along aligned rods. Torques keep the elbow turning evenly until they are.

    One member gets there at t = 1, one of another block later, the others never.
    """
    rows = [{"joint": "revolute", "name": name, "a": 1.0} for name in ("shoulder", "elbow")]
    rows[1]["mass"] = 1.0
    arm = rne.from_dh(rows, convention="standard", gravity=[0.0, 0.0, 0.0])
    model = rne.jit.model(arm)

    @numba.njit
    def even(t, q, qd, tau):
        rne.jit.inverse_dynamics(model, q, qd, np.zeros(2), tau)

    q0 = np.tile([0.3, -2.0], (2, BLOCK, 1))
    qd0 = np.tile([0.0, -0.1], (2, BLOCK, 1))
    q0[1, 5], qd0[1, 5] = [0.3, -1.0], [0.0, 1.0]
    q0[0, 2], qd0[0, 2] = [0.3, -0.75], [0.0, 0.5]
    controller = even if compiled else lambda t, q, qd: rne.inverse_dynamics(arm, q, qd)
    rne.simulate(arm, q0, qd0, [0.0, 0.5, 0.75], tau=controller, method=method)
    where = "t = 1 s, sample 1, 5: the mass matrix is singular at joint 'shoulder'"
    with pytest.raises(rne.SingularError, match=where):
        rne.simulate(arm, q0, qd0, [0.0, 0.5, 1.0, 1.5], tau=controller, method=method)


@pytest.mark.parametrize("tau", [[0.0, -1.0], lambda t, q, qd: np.array([0.0, -1.0])], ids=["held", "plain"])
def test_a_small_inertia_is_no_singular_one(tau):
    """A mass almost on the axis of the first joint: articulated bodies suspect it, the matrix itself clears it."""
    rows = [{"joint": "revolute"}, {"joint": "revolute", "alpha": np.pi / 2, "mass": 1.0, "com": [1.0, 0.0, 0.0]}]
    gimbal = rne.from_dh(rows, convention="modified", gravity=[0.0, 0.0, 0.0])
    start = np.pi / 2 - 1e-7
    assert 0 < rne.mass_matrix(gimbal, [0.0, start])[0, 0] < 1e-13
    got = rne.simulate(gimbal, [0.0, start], t=np.linspace(0.0, 0.1, 11), tau=tau)
    assert_near(got.q[:, 1], start - got.t**2 / 2, 1e-8)


def test_a_motion_that_runs_away_is_told():
    """The inner link weighs nothing: a joint that moves a point mass only as the arm is bent, hardly at all here."""
    rows = [{"joint": "revolute", "a": 1.0, "mass": mass} for mass in (0.0, 1.0)]
    arm = rne.from_dh(rows, convention="standard", gravity=[0, -9.81, 0])
    for q0 in ([0.01, -0.05], [[0.5, 1.0], [0.01, -0.05]]):
        with pytest.raises(rne.RneError, match=r"step: simulation \d is no longer finite at t = 0\.\d+ s"):
            rne.simulate(arm, q0, t=np.linspace(0, 1, 11))


def test_nan_that_was_given_is_no_accident():
    arm = rne.load("models/planar2/robot.dh.toml")
    tau = np.zeros((4, 2))
    tau[2] = np.nan
    motion = rne.simulate(arm, [[0.1, 0.2], [np.nan, 0.0]], t=np.linspace(0, 0.1, 5), tau=tau)
    assert np.isfinite(motion.q[0, :3]).all()
    assert np.isnan(motion.q[0, 3:]).all()
    assert np.isnan(motion.q[1, 1:]).all()
