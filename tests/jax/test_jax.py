"""The functions on arrays of JAX: numbers of rne, gradients checked by JAX's own differences, jit and vmap."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from differentiable import ARGUMENTS, PLAIN, ROBOTS, options_of, values_of
from jax.test_util import check_grads
from own_robots import arm

import rne
import rne.jax as rj


@pytest.fixture(autouse=True)
def in_double_precision():
    with jax.enable_x64(True) if hasattr(jax, "enable_x64") else jax.experimental.enable_x64():
        yield


def arrays(values, dtype=np.float64):
    return {name: jnp.asarray(x, dtype) for name, x in values.items()}


@pytest.mark.parametrize("friction", [False, True])
@pytest.mark.parametrize("robot", ROBOTS.values(), ids=ROBOTS)
@pytest.mark.parametrize("name", ARGUMENTS)
def test_derivatives_are_those_of_differences(name, robot, friction):
    options = options_of(name, robot, friction)
    values = arrays(values_of(name, robot, 2, friction=friction))

    def call(*args):
        return getattr(rj, name)(robot, **dict(zip(values, args, strict=True)), **options)

    check_grads(call, tuple(values.values()), order=2, modes=["rev"], atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("robot", ROBOTS.values(), ids=ROBOTS)
@pytest.mark.parametrize("name", ARGUMENTS)
def test_numbers_are_those_of_rne(name, robot):
    options, values = options_of(name, robot, True), values_of(name, robot, 3, 2)
    values.pop("parameters", None)
    wanted = PLAIN[name](robot, **values, **options)
    got = getattr(rj, name)(robot, **arrays(values), **options)
    assert got.dtype == jnp.float64
    np.testing.assert_allclose(got, wanted, rtol=1e-12, atol=1e-12)
    single = getattr(rj, name)(robot, **arrays(values, np.float32), **options)
    assert single.dtype == jnp.float32
    np.testing.assert_allclose(single, wanted, rtol=1e-3, atol=1e-3)


def test_compiled_and_mapped_functions():
    robot = ROBOTS["branches"]
    values = arrays(values_of("forward_dynamics", robot, 4))
    q, qd, tau, pi = values.values()

    def cost(q, qd, tau, pi):
        return (rj.forward_dynamics(robot, q, qd, tau, parameters=pi, friction=True) ** 2).sum()

    gradient = jax.grad(cost, argnums=(0, 1, 2, 3))
    wanted = [gradient(q[k], qd[k], tau[k], pi) for k in range(4)]
    for mapped in (jax.vmap(gradient, (0, 0, 0, None)), jax.jit(jax.vmap(jax.jit(gradient), (0, 0, 0, None)))):
        for part, known in zip(mapped(q, qd, tau, pi), zip(*wanted, strict=True), strict=True):
            np.testing.assert_allclose(part, known, rtol=1e-12, atol=1e-12)
    # A batch of a batch, over the parameters alone.
    many = jax.vmap(cost, (None, None, None, 0))(q, qd, tau, jnp.stack([pi, 2 * pi]))
    np.testing.assert_allclose(many, [cost(q, qd, tau, pi), cost(q, qd, tau, 2 * pi)], rtol=1e-12)
    twice = jax.vmap(jax.vmap(cost, (0, None, 0, None)), (None, 0, None, 0))(q, qd[:2], tau, jnp.stack([pi, 2 * pi]))
    known = [[cost(q[j], qd[k], tau[j], (1 + k) * pi) for j in range(4)] for k in range(2)]
    np.testing.assert_allclose(twice, known, rtol=1e-12)


def test_mapped_functions_are_one_call(monkeypatch):
    robot, calls = arm(), []
    q = jnp.asarray(np.random.default_rng(0).normal(size=(5, 6)))
    own = rne.autograd.operations.inverse_dynamics
    monkeypatch.setattr(
        rne.autograd.operations, "inverse_dynamics", lambda *args, **more: calls.append(1) or own(*args, **more)
    )
    jax.vmap(lambda q: rj.inverse_dynamics(robot, q))(q)
    assert len(calls) == 1


def test_hessians_by_two_reverse_passes():
    robot = ROBOTS["arm"]
    q = jnp.asarray(np.random.default_rng(1).normal(size=6))
    H = jax.jacrev(jax.jacrev(lambda q: rj.potential_energy(robot, q)))(q)
    np.testing.assert_allclose(H, rne.inverse_dynamics_derivatives(robot, np.asarray(q)).dtau_dq, rtol=0, atol=1e-12)


def test_single_precision_gradients():
    robot = ROBOTS["arm"]
    values = values_of("forward_dynamics", robot, 7)

    def cost(values):
        return (rj.forward_dynamics(robot, **values) ** 2).sum()

    double, single = (jax.grad(cost)(arrays(values, dtype)) for dtype in (np.float64, np.float32))
    for name, x in single.items():
        assert x.dtype == jnp.float32
        np.testing.assert_allclose(x, double[name], rtol=0, atol=3e-4 * float(abs(double[name]).max()))


def test_third_derivatives_are_refused():
    for function in (rj.inverse_dynamics, lambda robot, q: rj.forward_kinematics(robot, q, "hand")):
        third = jax.grad(
            lambda q, f=function: jax.grad(lambda q: jax.grad(lambda q: (f(arm(), q) ** 2).sum())(q).sum())(q).sum()
        )
        with pytest.raises(rne.RneError, match="third derivatives"):
            third(jnp.ones(6))


def test_what_may_be_given():
    robot, q = arm(), np.full(6, 0.3)
    for given in (q, q.tolist(), jnp.asarray(q)):
        np.testing.assert_array_equal(rj.inverse_dynamics(robot, jnp.asarray(given)), rne.inverse_dynamics(robot, q))
    assert rj.inverse_dynamics(robot, np.array([1, 0, 0, 0, 0, 0])).dtype == jnp.float64
    assert rj.inverse_dynamics(robot, np.zeros((0, 6))).shape == (0, 6)
    assert set(rj.forward_kinematics(robot, q)) == set(robot.frame_names)
    for bad, told in (
        ({"q": jnp.zeros(5)}, r"q: wanted shape \(..., 6\)"),
        ({"q": "high"}, "q: wanted an array of numbers, got str"),
        ({"q": jnp.zeros(6, jnp.float16)}, "q: wanted float32 or float64, got float16"),
        ({"q": q, "parameters": np.zeros(7)}, "parameters: wanted 60 or 66 or 78 or 84 numbers in the last axis"),
    ):
        with pytest.raises(rne.ArgumentError, match=told):
            rj.inverse_dynamics(robot, **bad)


def test_errors_of_the_numbers_keep_their_words():
    weightless = arm().with_parameters(0 * rne.parameters(arm()), strict=False)
    with pytest.raises(Exception, match="the mass matrix is singular"):
        jax.jit(lambda q: rj.forward_dynamics(weightless, q))(jnp.zeros(6)).block_until_ready()
