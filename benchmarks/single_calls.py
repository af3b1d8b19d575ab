"""Single calls from Python. Every contender has its own loop, as a user would write it, because a helper function would
take as long as the call that is measured."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pinocchio as pin

import rne
from benchmarks.contenders import Run, contender, each
from benchmarks.subjects import States, Subject


@contender("inverse dynamics, one call", "rne")
def _(subject: Subject, s: States, _: int) -> Run:
    robot, states = subject.robot, each(s.q, s.qd, s.qdd)

    def run() -> Any:
        for q, qd, qdd in states:
            tau = rne.inverse_dynamics(robot, q, qd, qdd)
        return tau

    return run


@contender("inverse dynamics, one call", "rne in a jitted loop")
def _(subject: Subject, s: States, _: int) -> Run:
    model, tau = rne.jit.model(subject.robot), np.empty(subject.robot.n)

    def run() -> Any:
        _jitted_loop(model, s.q, s.qd, s.qdd, tau)
        return tau

    return run


@numba.njit
def _jitted_loop(model, q, qd, qdd, tau):  # type: ignore[no-untyped-def]
    for k in range(len(q)):
        rne.jit.inverse_dynamics(model, q[k], qd[k], qdd[k], tau)


@contender("inverse dynamics, one call", "pinocchio")
def _(subject: Subject, s: States, _: int) -> Run:
    model, data, states = subject.pin, subject.pin.createData(), each(s.q, s.qd, s.qdd)

    def run() -> Any:
        for q, qd, qdd in states:
            tau = pin.rnea(model, data, q, qd, qdd)
        return tau

    return run


@contender("gravity, one call", "rne")
def _(subject: Subject, s: States, _: int) -> Run:
    robot, states = subject.robot, each(s.q)

    def run() -> Any:
        for (q,) in states:
            g = rne.gravity_vector(robot, q)
        return g

    return run


@contender("gravity, one call", "pinocchio")
def _(subject: Subject, s: States, _: int) -> Run:
    model, data, states = subject.pin, subject.pin.createData(), each(s.q)

    def run() -> Any:
        for (q,) in states:
            g = pin.computeGeneralizedGravity(model, data, q)
        return g

    return run


@contender("forward dynamics, one call", "rne", needs="forward_dynamics")
def _(subject: Subject, s: States, _: int) -> Run:
    robot, states = subject.robot, each(s.q, s.qd, s.tau)

    def run() -> Any:
        for q, qd, tau in states:
            qdd = rne.forward_dynamics(robot, q, qd, tau)
        return qdd

    return run


@contender("forward dynamics, one call", "pinocchio")
def _(subject: Subject, s: States, _: int) -> Run:
    model, data, states = subject.pin, subject.pin.createData(), each(s.q, s.qd, s.tau)

    def run() -> Any:
        for q, qd, tau in states:
            qdd = pin.aba(model, data, q, qd, tau)
        return qdd

    return run


@contender("mass matrix, one call", "rne", needs="mass_matrix")
def _(subject: Subject, s: States, _: int) -> Run:
    robot, states = subject.robot, each(s.q)

    def run() -> Any:
        for (q,) in states:
            M = rne.mass_matrix(robot, q)
        return M

    return run


@contender("mass matrix, one call", "pinocchio")
def _(subject: Subject, s: States, _: int) -> Run:
    model, data, states = subject.pin, subject.pin.createData(), each(s.q)

    def run() -> Any:
        for (q,) in states:
            M = pin.crba(model, data, q)
        return M

    return run
