"""Tensors without samples, views that negate, and lists of tensors."""

from __future__ import annotations

import pytest

import rne

torch = pytest.importorskip("torch")

from own_robots import gripper  # noqa: E402

import rne.torch as rt  # noqa: E402


@pytest.mark.parametrize("lead", [(0,), (2, 0)])
@pytest.mark.parametrize("name", ["inverse_dynamics", "forward_dynamics", "kinetic_energy", "potential_energy"])
def test_no_samples_have_gradients(name, lead):
    robot = gripper()
    q = torch.zeros((*lead, robot.n), dtype=torch.float64, requires_grad=True)
    pi = torch.tensor(rne.parameters(robot), requires_grad=True)
    more = (q,) if name == "kinetic_energy" else ()
    made = getattr(rt, name)(robot, q, *more, parameters=pi).sum()
    by_q, by_pi = torch.autograd.grad(made, (q, pi), create_graph=True)
    assert by_q.shape == q.shape
    assert by_pi.shape == pi.shape
    assert (by_pi == 0).all()
    (second,) = torch.autograd.grad(by_q.sum() + by_pi.sum(), (pi,), allow_unused=True)
    assert second is None or (second == 0).all()


def test_poses_of_no_samples():
    robot = gripper()
    q = torch.zeros((0, robot.n), dtype=torch.float64, requires_grad=True)
    pose = rt.forward_kinematics(robot, q, robot.frame_names[-1])
    (by_q,) = torch.autograd.grad(pose.sum(), (q,), create_graph=True)
    torch.autograd.grad(by_q.sum(), (q,))
    assert pose.shape == (0, 4, 4)
    assert by_q.shape == q.shape


def test_a_view_that_negates():
    robot = gripper()
    z = torch.view_as_complex(torch.rand(robot.n, 2, dtype=torch.float64))
    view = z.conj().imag
    assert view.is_neg()
    assert torch.equal(rt.inverse_dynamics(robot, view), rt.inverse_dynamics(robot, -z.imag))


def test_a_list_of_tensors_is_refused():
    """Converted to numbers, it would have no gradient."""
    robot = gripper()
    with pytest.raises(rne.ArgumentError, match=r"q: wanted one tensor, got a list of them; join them by torch.stack"):
        rt.inverse_dynamics(robot, [torch.tensor(0.1, requires_grad=True)] * robot.n)


def test_results_may_be_changed_in_place():
    robot = gripper()
    q = torch.rand(robot.n, dtype=torch.float64, requires_grad=True)
    tau = rt.inverse_dynamics(robot, q)
    tau.mul_(2.0)
    tau.sum().backward()
    wanted = 2 * rne.gravity_derivative(robot, q.detach().numpy()).sum(axis=0)
    assert torch.allclose(q.grad, torch.from_numpy(wanted), atol=1e-12)
