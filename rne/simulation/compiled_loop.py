"""Simulations whose steps all run in compiled code."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rne.batch.arguments import Batch, as_table
from rne.batch.threads import run, thread_count
from rne.control import Controller
from rne.dynamics.mass_matrix import refuse_singular
from rne.dynamics.stiction import Rough
from rne.errors import SingularError
from rne.kernels.entries import (
    CONTROLLED,
    CONTROLLED_ONE,
    FORWARD_DYNAMICS,
    FORWARD_DYNAMICS_POINTER,
    MASS_AND_BIAS_POINTER,
    ROUGH,
    ROUGH_CONTROLLED,
    SIMULATE,
    SIMULATE_ONE,
    STATIC_TORQUE,
    STILL,
)
from rne.kernels.layout import SPRINGS
from rne.model.robot import Robot
from rne.simulation.diagnosis import nearly_singular, with_some_inertia
from rne.simulation.python_loop import telling
from rne.simulation.schedule import Schedule

Array = NDArray[np.float64]
Function = Callable[..., Any]


def run_compiled(
    robot: Robot,
    shape: tuple[int, ...],
    schedule: Schedule,
    controller: Controller | Function | None,
    paths: tuple[Array, Array, Array],
    method: str,
    rough: Rough | None,
    threads: int | None,
) -> None:
    """Run all steps.

    Measured times per step of four stages for a 7-joint arm, in us: a single simulation takes 1.6 in scalar code and
    1.9 in a SIMD pack; from two on, packs are faster: 1.1 per simulation for 2, 0.35 for 8, 0.27 for 100 and for 1000.

    Raises
    ------
    SingularError
        The mass matrix is singular, and no damping helps.
    """
    table, q = as_table(robot, "float64"), paths[0]
    alone = len(q) == 1 or rough is not None
    count = thread_count(threads, len(q), robot.n * int(schedule.substeps.sum()))
    law = controller.law(shape, alone) if isinstance(controller, Controller) else None
    entry = (SIMULATE_ONE if alone else SIMULATE) if law is None else (CONTROLLED_ONE if alone else CONTROLLED)
    if rough is not None:
        entry = ROUGH if law is None else ROUGH_CONTROLLED
    acting = (controller is not None, STILL.compiled() if controller is None or law else controller)
    external = (schedule.loads.sites, schedule.pieces, STATIC_TORQUE["float64"].compiled())

    def integrate(accelerate: Callable[..., Any], table: Any, simulations: NDArray[np.intp] | None) -> Array:
        """Integrate all simulations or some; return the times (samples,) at which a matrix was singular, or NaN."""
        pair, when = (accelerate, None) if alone else (None, accelerate), np.full(len(q), np.nan)
        more = (
            (table, *pair, SPRINGS), acting, law,
            schedule.of_kernel(method), (*paths, when), rough and tuple(rough), external,
        )  # fmt: skip
        if simulations is None:
            run(functools.partial(_slice, entry.call, more), len(q), count)
        else:
            for one in simulations.tolist():
                entry.call(one, one + 1, *more)
        return when

    def refused(when: Array) -> None:
        for t in np.unique(when[~np.isnan(when)]).tolist():
            with telling(t):
                refuse_singular(robot, Batch(shape, "float64", {"q": q[:, -1]}), (when == t).astype(np.uint8))

    if rough is not None:
        when = integrate(MASS_AND_BIAS_POINTER.compiled(), table, None)
        failed = np.flatnonzero(~np.isnan(when))
        if failed.size and rough.damped:
            try:
                refused(when)
            except SingularError as error:
                when = integrate(MASS_AND_BIAS_POINTER.compiled(), with_some_inertia(robot, table, error), failed)
        if np.isnan(when).all():
            return
    else:
        # The articulated-body algorithm only suspects a singular mass matrix; the matrix itself then decides.
        for dynamics in ("aba", "crba") if len(robot.joint_names) == len(robot.links.joints) else ("crba",):
            forward = FORWARD_DYNAMICS_POINTER[dynamics] if alone else FORWARD_DYNAMICS[dynamics]["float64"]
            when = integrate(forward.compiled(), table, None)
            if np.isnan(when).all():
                return
    refused(when)
    first = int(np.nanargmin(when))
    with telling(float(when[first])):
        raise nearly_singular(robot, q[first, -1])


def _slice(call: Callable[..., None], more: tuple[Any, ...], first: int, stop: int) -> None:
    call(first, stop, *more)
