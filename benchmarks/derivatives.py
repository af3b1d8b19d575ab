"""Derivatives of torques and accelerations: rne, and Pinocchio in a Python loop, since it has no batched version."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pinocchio as pin

import rne
from benchmarks.contenders import Run, contender, each, one_thread
from benchmarks.subjects import States, Subject


def _stored(subject: Subject, function: Callable[..., Any], *arrays: Any) -> Run:
    """The three matrices of every state."""
    model, data, n = subject.pin, subject.pin.createData(), subject.robot.n

    def run() -> Any:
        result = np.empty((len(arrays[0]), 3, n, n))
        for matrices, *state in zip(result, *arrays, strict=True):
            matrices[0], matrices[1], matrices[2] = function(model, data, *state)
        return result

    return run


@contender("inverse dynamics derivatives", "rne", needs="inverse_dynamics_derivatives")
def _(subject: Subject, s: States, threads: int) -> Run:
    return lambda: rne.inverse_dynamics_derivatives(subject.robot, s.q, s.qd, s.qdd, threads=threads)


@contender("inverse dynamics derivatives", "pinocchio")
def _(subject: Subject, s: States, threads: int) -> Run:
    one_thread("Pinocchio", threads)
    return _stored(subject, pin.computeRNEADerivatives, s.q, s.qd, s.qdd)


@contender("forward dynamics derivatives", "rne", needs="forward_dynamics_derivatives")
def _(subject: Subject, s: States, threads: int) -> Run:
    return lambda: rne.forward_dynamics_derivatives(subject.robot, s.q, s.qd, s.tau, threads=threads)


@contender("forward dynamics derivatives", "pinocchio")
def _(subject: Subject, s: States, threads: int) -> Run:
    one_thread("Pinocchio", threads)
    return _stored(subject, pin.computeABADerivatives, s.q, s.qd, s.tau)


@contender("gradient of weighted torques", "rne", needs="inverse_dynamics_vjp")
def _(subject: Subject, s: States, threads: int) -> Run:
    return lambda: rne.inverse_dynamics_vjp(subject.robot, s.q, s.qd, s.qdd, s.tau, threads=threads)


@contender("gradient of weighted torques", "pinocchio")
def _(subject: Subject, s: States, threads: int) -> Run:
    one_thread("Pinocchio", threads)
    model, data = subject.pin, subject.pin.createData()

    def run() -> Any:
        result = np.empty((len(s.q), 3, subject.robot.n))
        for sums, q, qd, qdd, weights in zip(result, s.q, s.qd, s.qdd, s.tau, strict=True):
            for k, matrix in enumerate(pin.computeRNEADerivatives(model, data, q, qd, qdd)):
                sums[k] = weights @ matrix
        return result

    return run


def _ours_one_by_one(subject: Subject, function: Callable[..., Any], *arrays: Any) -> Run:
    robot, states = subject.robot, each(*arrays)

    def run() -> Any:
        for q, qd, third in states:
            found = function(robot, q, qd, third)
        return found

    return run


def _pinocchio_one_by_one(subject: Subject, function: Callable[..., Any], *arrays: Any) -> Run:
    model, data, states = subject.pin, subject.pin.createData(), each(*arrays)

    def run() -> Any:
        for q, qd, third in states:
            found = function(model, data, q, qd, third)
        return np.stack(found)  # they are views of `data`

    return run


@contender("inverse dynamics derivatives, one call", "rne", needs="inverse_dynamics_derivatives")
def _(subject: Subject, s: States, _: int) -> Run:
    return _ours_one_by_one(subject, rne.inverse_dynamics_derivatives, s.q, s.qd, s.qdd)


@contender("inverse dynamics derivatives, one call", "pinocchio")
def _(subject: Subject, s: States, _: int) -> Run:
    return _pinocchio_one_by_one(subject, pin.computeRNEADerivatives, s.q, s.qd, s.qdd)


@contender("forward dynamics derivatives, one call", "rne", needs="forward_dynamics_derivatives")
def _(subject: Subject, s: States, _: int) -> Run:
    return _ours_one_by_one(subject, rne.forward_dynamics_derivatives, s.q, s.qd, s.tau)


@contender("forward dynamics derivatives, one call", "pinocchio")
def _(subject: Subject, s: States, _: int) -> Run:
    return _pinocchio_one_by_one(subject, pin.computeABADerivatives, s.q, s.qd, s.tau)
