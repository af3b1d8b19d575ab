"""What adaptive steps and motions that do not stay finite are refused for: the joint, the cause, and the way out."""

from __future__ import annotations

import warnings

import numba
import numpy as np
import own_robots
import pytest
from own_robots import rod, slide

import rne

pytestmark = pytest.mark.filterwarnings("ignore::rne.errors.ModelWarning")


def test_adaptive_steps_have_a_budget():
    robot = own_robots.arm()
    with pytest.raises(rne.ArgumentError, match=r"max_steps: 3 adaptive steps reach t = .* s only: .*joint"):
        rne.simulate(robot, np.full(6, 0.3), friction=True, method="adaptive", max_steps=3)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"rtol": 1e-3}, "rtol: only method='adaptive' has tolerances, got method='rk4'"),
        ({"atol": 1e-3, "method": "euler"}, "atol: only method='adaptive'"),
        ({"rtol": 2.0, "method": "adaptive"}, "rtol: wanted a number from 1e-14 to 1, got 2.0"),
        ({"atol": 0.0, "method": "adaptive"}, "atol: wanted a number"),
        ({"max_steps": 0}, "max_steps: wanted a positive whole number, got 0"),
        ({"max_steps": 1.5}, "max_steps: wanted a positive whole number"),
    ],
)
def test_tolerances_that_are_refused(change, said):
    with pytest.raises(rne.ArgumentError, match=said):
        rne.simulate(slide(), [0.0], **change)


def test_the_tolerance_is_kept():
    """A pendulum without friction: the error of the energy follows the tolerance."""
    drift = []
    for rtol in (1e-4, 1e-7, 1e-10):
        got = rne.simulate(rod(), [1.0], t=[0.0, 3.0], method="adaptive", rtol=rtol, atol=rtol)
        drift.append(np.ptp(got.energy))
    assert 1e-3 > drift[0] > 10 * drift[1] > 100 * drift[2]


def test_a_divergence_names_joint_cause_and_a_step_that_does():
    """A servo that is too stiff for a millisecond."""
    robot = slide()
    servo = rne.control.pid(robot, kp=2.0, kd=1e4, goal=[1.0])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        with pytest.raises(rne.ArgumentError, match=r"is no longer finite.*'joint1'.*with step=.* it stays") as refusal:
            rne.simulate(robot, [0.0], t=[0.0, 1.0], tau=servo)
    step = float(str(refusal.value).partition("with step=")[2].split()[0])
    assert np.isfinite(rne.simulate(robot, [0.0], t=[0.0, 1.0], tau=servo, step=step).q).all()


def test_an_adaptive_controller_that_returns_nan_is_named():
    with pytest.raises(rne.ArgumentError, match="tau: the motion does not stay finite within 50 adaptive steps"):
        rne.simulate(
            rne.load_model("planar2"), [0.1, 0.2], t=[0.0, 1.0], method="adaptive", max_steps=50,
            tau=lambda t, q, qd: [np.nan, 0.0],
        )  # fmt: skip


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("sampled", [False, True])
@pytest.mark.parametrize("compiled", [False, True])
def test_a_divergence_under_a_controller_of_ones_own(compiled, sampled):
    """Damping by a controller is explicit: it is unstable for steps above 2 m / d (2.8 m / d with "rk4")."""

    def damper(t, q, qd):
        return -2e4 * qd

    @numba.njit
    def damping(t, q, qd, tau):
        tau[0] = -2e4 * qd[0]

    tau = damping if compiled else damper
    with pytest.raises(rne.ArgumentError, match=r"step: simulation 1 is no longer finite at t = .*'joint1'.*step"):
        rne.simulate(
            slide(), [[0.0], [0.0]], [[0.0], [1.0]], gravity=[0, 0, 0], t=np.linspace(0, 1, 11),
            tau=rne.SampledController(tau, rate=1000.0) if sampled else tau,
        )  # fmt: skip


@pytest.mark.parametrize("compiled", [False, True])
def test_a_controller_that_gives_up_is_no_divergence(compiled):
    def late(t, q, qd):
        return np.full(q.shape, np.nan if t > 0.25 else 0.0)

    @numba.njit
    def lately(t, q, qd, tau):
        tau[:] = np.nan if t > 0.25 else 0.0

    got = rne.simulate(slide(), [0.0], t=np.linspace(0, 1, 11), tau=lately if compiled else late)
    assert np.isfinite(got.q[:3]).all()
    assert np.isnan(got.q[3:]).all()


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_rods_without_mass_are_blamed_where_they_fold():
    """Stretched out, a point mass at the tip has no inertia along the arm; the motion runs into that at 0.62 s."""
    rods = [{"joint": "revolute", "a": 1.0, "mass": mass} for mass in (0.0, 1.0)]
    folding = rne.from_dh(rods, convention="standard", gravity=[0, -9.81, 0])
    with pytest.raises(rne.ArgumentError, match=r"no longer finite at t = 0\.7 s .*'joint1' moves almost no mass"):
        rne.simulate(folding, [0.1, 0.7], t=np.linspace(0, 3, 31))


def test_a_nearly_singular_matrix_names_time_and_joint():
    rods = [{"joint": "revolute", "a": 1.0, "mass": mass} for mass in (0.0, 1.0)]
    folding = rne.from_dh(rods, convention="standard", gravity=[0, -9.81, 0])
    folding = folding.with_drives({name: rne.Drive(0.0, 1.0, 0.5, 0.2, 0.2) for name in folding.joint_names})
    said = r"^t = 0\.65\d* s, the mass matrix is .*joint 'joint1'.*"
    with pytest.raises(rne.SingularError, match=said):  # stretched out, the tip has no inertia along the arm
        rne.simulate(folding, [0.1, 0.7], t=[0.0, 1.0, 2.0], friction=True)


@pytest.mark.filterwarnings("ignore:overflow:RuntimeWarning")
def test_an_overflow_of_adaptive_steps_without_controller():
    with pytest.raises(rne.ArgumentError, match="qd0: the motion does not stay finite within 50 adaptive steps"):
        rne.simulate(rne.load_model("planar2"), [0, 0.5], [1e200, 0], t=[0, 1], method="adaptive", max_steps=50)
