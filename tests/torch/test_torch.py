"""The functions on tensors: numbers of rne, gradients checked by PyTorch's own differences, second ones, too."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import rne

torch = pytest.importorskip("torch")

from differentiable import ARGUMENTS, PLAIN, ROBOTS, options_of, values_of  # noqa: E402
from own_robots import arm  # noqa: E402
from torch.autograd import gradcheck, gradgradcheck  # noqa: E402

import rne.torch as rt  # noqa: E402

ROOT = Path(__file__).parents[2]


def tensors(values, dtype=torch.float64):
    return {name: torch.tensor(x, dtype=dtype, requires_grad=True) for name, x in values.items()}


@pytest.mark.parametrize("friction", [False, True])
@pytest.mark.parametrize("robot", ROBOTS.values(), ids=ROBOTS)
@pytest.mark.parametrize("name", ARGUMENTS)
def test_derivatives_are_those_of_differences(name, robot, friction):
    options = options_of(name, robot, friction)
    values = tensors(values_of(name, robot, 2, friction=friction))

    def call(*args):
        return getattr(rt, name)(robot, **dict(zip(values, args, strict=True)), **options)

    assert gradcheck(call, tuple(values.values()), atol=1e-6)
    assert gradgradcheck(call, tuple(values.values()), atol=1e-5)


@pytest.mark.parametrize("robot", ROBOTS.values(), ids=ROBOTS)
@pytest.mark.parametrize("name", ARGUMENTS)
def test_numbers_are_those_of_rne(name, robot):
    options, values = options_of(name, robot, True), values_of(name, robot, 3, 2)
    values.pop("parameters", None)
    wanted = PLAIN[name](robot, **values, **options)
    got = getattr(rt, name)(robot, **tensors(values), **options)
    assert got.dtype == torch.float64
    np.testing.assert_allclose(got.detach(), wanted, rtol=1e-12, atol=1e-12)
    single = getattr(rt, name)(robot, **tensors(values, torch.float32), **options)
    assert single.dtype == torch.float32
    np.testing.assert_allclose(single.detach(), wanted, rtol=1e-3, atol=1e-3)


def test_parameters_are_those_of_another_robot():
    robot, (q, qd, qdd) = ROBOTS["arm"], np.random.default_rng(0).normal(size=(3, 4, 6))
    pi = np.stack([factor * rne.parameters(robot) for factor in (1.0, 1.5, 0.7, 1.0)])
    wanted = [rne.inverse_dynamics(robot.with_parameters(pi[k], strict=False), q[k], qd[k], qdd[k]) for k in range(4)]
    np.testing.assert_allclose(rt.inverse_dynamics(robot, q, qd, qdd, parameters=pi), wanted, rtol=1e-12)
    # One vector for all, and one state with many vectors.
    wanted = [rne.inverse_dynamics(robot.with_parameters(row, strict=False), q[0]) for row in pi]
    np.testing.assert_allclose(rt.inverse_dynamics(robot, q[0], parameters=pi), wanted, rtol=1e-12)
    other = robot.with_parameters(pi[1], strict=False)
    np.testing.assert_allclose(
        rt.inverse_dynamics(robot, q, parameters=pi[1]), rne.inverse_dynamics(other, q), rtol=1e-12
    )


def test_gradients_sum_over_what_was_broadcast():
    robot = ROBOTS["arm"]
    q, qd, qdd = np.random.default_rng(1).normal(size=(3, 5, 6))
    known = tensors({"q": q, "qd": qd[0], "parameters": rne.parameters(robot)})
    tau = rt.inverse_dynamics(robot, qdd=qdd, **known)
    (tau**2).sum().backward()
    weights = 2 * tau.detach().numpy()
    wanted = rne.inverse_dynamics_vjp(robot, q, qd[0], qdd, weights)
    np.testing.assert_allclose(known["q"].grad, wanted.q, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(known["qd"].grad, wanted.qd.sum(axis=0), rtol=1e-12, atol=1e-12)
    by_pi = rne.regressor_vjp(robot, q, qd[0], qdd, weights).sum(axis=0)
    np.testing.assert_allclose(known["parameters"].grad, by_pi, rtol=1e-11, atol=1e-11)


def test_single_precision_gradients():
    robot = ROBOTS["arm"]
    double = tensors(values_of("forward_dynamics", robot, 7))
    single = {name: x.detach().to(torch.float32).requires_grad_() for name, x in double.items()}
    for values in (double, single):
        (rt.forward_dynamics(robot, **values) ** 2).sum().backward()
    for name, x in single.items():
        assert x.grad.dtype == torch.float32
        wanted = double[name].grad
        np.testing.assert_allclose(x.grad, wanted, rtol=0, atol=3e-4 * float(wanted.abs().max()))


def test_functional_transforms():
    """`vmap` makes one call of a batch, over any of the arguments, and at any axis."""
    robot = ROBOTS["arm"]
    q, v = torch.tensor(np.random.default_rng(2).normal(size=(2, 4, 6)))
    pi = torch.tensor(rne.parameters(robot))

    def energy(q, v, pi):
        return rt.kinetic_energy(robot, q, v, parameters=pi) + rt.potential_energy(robot, q, parameters=pi)

    each = torch.func.grad(energy, argnums=(0, 1, 2))
    wanted = [torch.stack(parts) for parts in zip(*(each(q[k], v[k], pi) for k in range(4)), strict=True)]
    for got, known in zip(torch.func.vmap(each, in_dims=(1, 0, None))(q.T.clone(), v, pi), wanted, strict=True):
        np.testing.assert_allclose(got, known, rtol=1e-12, atol=1e-12)
    many = torch.func.vmap(energy, in_dims=(None, None, 0))(q, v, torch.stack([pi, 2 * pi]))
    np.testing.assert_allclose(many[0], energy(q, v, pi), rtol=1e-12)
    assert many.shape == (2, 4)
    H = torch.func.jacrev(torch.func.jacrev(lambda q: rt.potential_energy(robot, q)))(q[0])
    np.testing.assert_allclose(H, rne.inverse_dynamics_derivatives(robot, q[0].numpy()).dtau_dq, rtol=0, atol=1e-12)


def test_third_derivatives_are_refused():
    q = torch.ones(6, dtype=torch.float64, requires_grad=True)
    for function in (rt.inverse_dynamics, lambda robot, q: rt.forward_kinematics(robot, q, "hand")):
        (first,) = torch.autograd.grad((function(arm(), q) ** 2).sum(), q, create_graph=True)
        (second,) = torch.autograd.grad(first.sum(), q, create_graph=True)
        with pytest.raises(rne.RneError, match="third derivatives"):
            torch.autograd.grad(second.sum(), q)


def test_what_may_be_given():
    robot, q = arm(), np.full(6, 0.3)
    wanted = rne.inverse_dynamics(robot, q)
    for given in (q, q.tolist(), torch.tensor(q), torch.tensor(q).expand(3, 6)[1]):
        np.testing.assert_array_equal(rt.inverse_dynamics(robot, given), wanted)
    assert rt.inverse_dynamics(robot, [1, 0, 0, 0, 0, 0]).dtype == torch.float64
    assert rt.inverse_dynamics(robot, torch.zeros((0, 6))).shape == (0, 6)
    assert set(rt.forward_kinematics(robot, q)) == set(robot.frame_names)
    for bad, told in (
        ({"q": torch.zeros(5)}, r"q: wanted shape \(..., 6\)"),
        ({"q": "high"}, "q: wanted a tensor or an array of numbers, got str"),
        ({"q": None}, "q: wanted an array, got None"),
        ({"q": torch.zeros(6, dtype=torch.float16)}, "q: wanted float32 or float64, got torch.float16"),
        ({"q": torch.zeros(6, device="meta")}, r"q: wanted a tensor on the CPU, got one on meta; call .cpu\(\)"),
        ({"q": q, "parameters": torch.zeros(7)}, "parameters: wanted 60 or 66 or 78 or 84 numbers in the last axis"),
        ({"q": q, "parameters": 1.0}, "parameters: wanted an array of shape"),
        ({"q": np.ones((2, 6)), "parameters": np.ones((3, 60))}, "leading axes do not broadcast"),
        ({"q": q, "gravity": [0.0]}, "gravity: wanted"),
        ({"q": q, "friction": "yes"}, "friction: wanted"),
    ):
        with pytest.raises(rne.ArgumentError, match=told):
            rt.inverse_dynamics(robot, **bad)
    with pytest.raises(rne.UnknownNameError, match="frames: "):
        rt.forward_kinematics(robot, q, "nowhere")
    with pytest.raises(rne.ArgumentError, match="robot: wanted a Robot"):
        rt.forward_kinematics("arm", q)
    for name in ("mass_matrix_product", "kinetic_energy"):
        with pytest.raises(rne.ArgumentError, match="wanted an array, got None"):
            getattr(rt, name)(robot, q, None)


def test_the_guide_runs(monkeypatch, tmp_path):
    (tmp_path / "models").symlink_to(ROOT / "models")
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "docs" / "guides" / "autograd.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```py\n(.*?)```", text, re.DOTALL)
    exec(compile(block, "autograd.md", "exec"), {})
