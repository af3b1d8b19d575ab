"""The contenders for each task: rne, Pinocchio, MuJoCo and CasADi.

A contender is created for a robot, states and a number of threads, and is then called without arguments. It performs
its task on all states and returns all results or, if the task is a single call, the last. A contender that returns a
batch allocates it.
"""

from __future__ import annotations

import ctypes
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mujoco
import numba
import numpy as np
import pinocchio as pin

import rne
from benchmarks import exported_c
from benchmarks.subjects import States, Subject

Run = Callable[[], Any]
Maker = Callable[[Subject, States, int], Run]


class MissingError(Exception):
    """A contender is not available; the message says why."""


CONTENDERS: dict[tuple[str, str], Maker] = {}  # by task and library


def contender(task: str, library: str, needs: str = "") -> Callable[[Maker], Maker]:
    """Register a contender, unless `needs` names a function that rne does not have."""

    def register(make: Maker) -> Maker:
        if not needs or hasattr(rne, needs):
            CONTENDERS[task, library] = make
        return make

    return register


def libraries(task: str) -> list[str]:
    return [library for name, library in CONTENDERS if name == task]


def each(*arrays: Any) -> list[Any]:
    """The states one by one, as separate arrays."""
    return [tuple(row.copy() for row in state) for state in zip(*arrays, strict=True)]


# ------------------------------------------------------------------------------------------------- inverse dynamics


@contender("inverse dynamics", "rne")
def _(subject: Subject, s: States, threads: int) -> Run:
    return lambda: rne.inverse_dynamics(subject.robot, s.q, s.qd, s.qdd, threads=threads)


@contender("inverse dynamics", "rne float32")
def _(subject: Subject, s: States, threads: int) -> Run:
    s = s.astype(np.float32)
    return lambda: rne.inverse_dynamics(subject.robot, s.q, s.qd, s.qdd, threads=threads)


@contender("inverse dynamics", "rne specialized", needs="specialize")
def _(subject: Subject, s: States, threads: int) -> Run:
    robot = rne.specialize(subject.robot)
    return lambda: rne.inverse_dynamics(robot, s.q, s.qd, s.qdd, threads=threads)


@contender("inverse dynamics", "rne small batch")
def _(subject: Subject, s: States, _: int) -> Run:
    """rne selects the number of threads, which is one for few states."""
    return lambda: rne.inverse_dynamics(subject.robot, s.q, s.qd, s.qdd)


@contender("inverse dynamics", "rne one by one")
def _(subject: Subject, s: States, _: int) -> Run:
    robot, states = subject.robot, each(s.q, s.qd, s.qdd)
    return lambda: [rne.inverse_dynamics(robot, q, qd, qdd) for q, qd, qdd in states]


@contender("inverse dynamics", "pinocchio")
def _(subject: Subject, s: States, threads: int) -> Run:
    pool, columns = pin.ModelPool(subject.pin, threads), (s.q.T, s.qd.T, s.qdd.T)
    return lambda: pin.rneaInParallel(threads, pool, *columns).T


@contender("inverse dynamics", "mujoco")
def _(subject: Subject, s: States, threads: int) -> Run:
    """The functions of MuJoCo in a compiled loop: only those that `mj_rne` needs, without contacts and constraints."""
    one_thread("MuJoCo", threads)
    model, data = subject.mujoco, mujoco.MjData(subject.mujoco)
    loop, given = _mujoco_loop(), np.stack([s.q, s.qd, s.qdd])

    def run() -> Any:
        tau = np.empty_like(s.q)
        loop(model._address, data._address, (data.qpos, data.qvel, data.qacc), given, tau.ctypes.data)
        return tau

    return run


@contender("inverse dynamics", "casadi")
def _(subject: Subject, s: States, threads: int) -> Run:
    one_thread("CasADi", threads)
    _need_gcc()
    try:
        from benchmarks import casadi_c
    except ModuleNotFoundError as error:
        raise MissingError(f"{error}; install it by pip install '.[bench]'") from None
    batch = casadi_c.inverse_dynamics(subject.robot)
    return lambda: batch(s.q, s.qd, s.qdd)


@contender("inverse dynamics", "rne in C", needs="export_c")
def _(subject: Subject, s: States, threads: int) -> Run:
    one_thread("the C of rne", threads)
    _need_gcc()
    batch = exported_c.inverse_dynamics(subject.robot)
    return lambda: batch(s.q, s.qd, s.qdd)


def _need_gcc() -> None:
    if shutil.which("gcc") is None:
        raise MissingError("gcc, which compiles C, is not installed")


def one_thread(who: str, threads: int) -> None:
    if threads != 1:
        raise MissingError(f"{who} runs only on one thread")


def _mujoco_loop() -> Callable[..., None]:
    (path,) = [path for path in Path(mujoco.__file__).parent.iterdir() if path.stem.split(".")[0] == "libmujoco"]
    library, pointer = ctypes.CDLL(str(path)), ctypes.c_size_t
    steps = [getattr(library, f"mj_{name}") for name in ("kinematics", "comPos", "comVel", "rne")]
    for step in steps:
        step.restype, step.argtypes = None, [pointer, pointer]
    kinematics, com_pos, com_vel, mj_rne = steps
    mj_rne.argtypes = [pointer, pointer, ctypes.c_int, pointer]

    @numba.njit
    def loop(model, data, state, given, tau):  # type: ignore[no-untyped-def]
        _, samples, n = given.shape
        for k in range(samples):
            for j in range(n):
                state[0][j], state[1][j], state[2][j] = given[0, k, j], given[1, k, j], given[2, k, j]
            kinematics(model, data)
            com_pos(model, data)
            com_vel(model, data)
            mj_rne(model, data, 1, tau + 8 * n * k)

    return loop


# -------------------------------------------------------------------------------------------- other terms, in batches


def _filled(subject: Subject, function: Callable[..., Any], *arrays: Any) -> Run:
    """A Python loop that stores each matrix, since Pinocchio has no batched version."""
    model, data, n = subject.pin, subject.pin.createData(), subject.robot.n

    def run() -> Any:
        result = np.empty((len(arrays[0]), n, n))
        for matrix, *state in zip(result, *arrays, strict=True):
            matrix[:] = function(model, data, *state)
        return result

    return run


@contender("forward dynamics", "rne", needs="forward_dynamics")
def _(subject: Subject, s: States, threads: int) -> Run:
    return lambda: rne.forward_dynamics(subject.robot, s.q, s.qd, s.tau, threads=threads)


@contender("forward dynamics", "rne on one thread", needs="forward_dynamics")
def _(subject: Subject, s: States, _: int) -> Run:
    return lambda: rne.forward_dynamics(subject.robot, s.q, s.qd, s.tau, threads=1)


@contender("forward dynamics", "pinocchio")
def _(subject: Subject, s: States, threads: int) -> Run:
    pool, columns = pin.ModelPool(subject.pin, threads), (s.q.T, s.qd.T, s.tau.T)
    return lambda: pin.abaInParallel(threads, pool, *columns).T


@contender("mass matrix", "rne", needs="mass_matrix")
def _(subject: Subject, s: States, threads: int) -> Run:
    return lambda: rne.mass_matrix(subject.robot, s.q, threads=threads)


@contender("mass matrix", "pinocchio")
def _(subject: Subject, s: States, threads: int) -> Run:
    one_thread("Pinocchio", threads)
    return _filled(subject, pin.crba, s.q)


@contender("Coriolis matrix", "rne", needs="coriolis_matrix")
def _(subject: Subject, s: States, threads: int) -> Run:
    return lambda: rne.coriolis_matrix(subject.robot, s.q, s.qd, threads=threads)


@contender("Coriolis matrix", "pinocchio")
def _(subject: Subject, s: States, threads: int) -> Run:
    one_thread("Pinocchio", threads)
    return _filled(subject, pin.computeCoriolisMatrix, s.q, s.qd)


@contender("regressor", "rne", needs="regressor")
def _(subject: Subject, s: States, threads: int) -> Run:
    return lambda: rne.regressor(subject.robot, s.q, s.qd, s.qdd, rotors=False, threads=threads)


@contender("regressor", "pinocchio")
def _(subject: Subject, s: States, threads: int) -> Run:
    one_thread("Pinocchio", threads)
    model, data, n = subject.pin, subject.pin.createData(), subject.robot.n

    def run() -> Any:
        result = np.empty((len(s.q), n, 10 * n))
        for k, state in enumerate(zip(s.q, s.qd, s.qdd, strict=True)):
            result[k] = pin.computeJointTorqueRegressor(model, data, *state)
        return result

    return run


# Here a sample is a time step of 1 ms; the motion starts at the first state, without torques.
STEP = 1e-3


@contender("simulation", "rne", needs="simulate")
def _(subject: Subject, s: States, _: int) -> Run:
    t = STEP * np.arange(len(s.q) + 1)
    return lambda: rne.simulate(subject.robot, s.q[0], s.qd[0], t, method="rk4").q[-1]


@contender("simulation", "pinocchio")
def _(subject: Subject, s: States, _: int) -> Run:
    model, data, free, h = subject.pin, subject.pin.createData(), np.zeros(subject.robot.n), STEP

    def run() -> Any:
        q, qd = s.q[0], s.qd[0]
        for _ in range(len(s.q)):
            a1 = pin.aba(model, data, q, qd, free)
            v2 = qd + h / 2 * a1
            a2 = pin.aba(model, data, q + h / 2 * qd, v2, free)
            v3 = qd + h / 2 * a2
            a3 = pin.aba(model, data, q + h / 2 * v2, v3, free)
            v4 = qd + h * a3
            a4 = pin.aba(model, data, q + h * v3, v4, free)
            q = q + h / 6 * (qd + 2 * v2 + 2 * v3 + v4)
            qd = qd + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
        return q

    return run
