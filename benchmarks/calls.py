"""Single calls and small batches of every function of a state, with every argument that may make one slow.

    python -m benchmarks.calls [--seconds 60] [--only inverse_dynamics] [--markdown]

All are timed in turns in one run; a time is the shortest of many. A column is a variant, its number the time relative
to the plain call of the same row. Of lists and wrenches the extra time counts, in us.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pinocchio as pin

import rne
from benchmarks.run import machine
from benchmarks.subjects import Subject, panda, states

FRAME = "panda_link7"
REPEATS = 200
WRENCH = np.array([1.0, -2.0, 3.0, 0.1, 0.2, -0.3])
PLAIN, PINOCCHIO = "plain", "Pinocchio"
RATIOS = ("out", "threads=1", "gravity", "None", "float32", "friction")
EXTRAS = ("lists", "f_ext")
SAMPLES = (2, 8, 64)

Run = Callable[[], Any]


def _takes(subject: Subject) -> dict[str, tuple[Callable[..., Any], tuple[str, ...], tuple[str, ...], Run | None]]:
    """By name: function, names of the arrays, the variants beside out, threads and float32, and what Pinocchio does."""
    s = states(subject.robot, 1)
    q, qd, qdd, tau = s.q[0], s.qd[0], s.qdd[0], s.tau[0]
    model, data, zero = subject.pin, subject.pin.createData(), np.zeros(subject.robot.n)
    identifier = model.getFrameId(FRAME)
    world = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED

    def poses() -> Any:
        pin.framesForwardKinematics(model, data, q)
        return data.oMf[identifier].homogeneous

    def static() -> Any:
        return pin.computeFrameJacobian(model, data, q, identifier, world).T @ WRENCH

    full, rest = ("gravity", "None", "friction", "f_ext"), ("gravity",)
    return {
        "inverse_dynamics": (rne.inverse_dynamics, ("q", "qd", "qdd"), full, lambda: pin.rnea(model, data, q, qd, qdd)),
        "gravity_vector": (
            rne.gravity_vector, ("q",), rest, lambda: pin.computeGeneralizedGravity(model, data, q)
        ),
        "bias_vector": (rne.bias_vector, ("q", "qd"), rest, lambda: pin.nonLinearEffects(model, data, q, qd)),
        "coriolis_vector": (
            rne.coriolis_vector, ("q", "qd"), (), lambda: pin.computeCoriolisMatrix(model, data, q, qd) @ qd
        ),
        "friction_torque": (rne.friction_torque, ("qd",), (), None),
        "mass_matrix": (rne.mass_matrix, ("q",), (), lambda: pin.crba(model, data, q)),
        "mass_matrix_inverse": (rne.mass_matrix_inverse, ("q",), (), lambda: pin.computeMinverse(model, data, q)),
        "forward_dynamics": (
            rne.forward_dynamics, ("q", "qd", "tau"), full, lambda: pin.aba(model, data, q, qd, tau)
        ),
        "coriolis_matrix": (
            rne.coriolis_matrix, ("q", "qd"), (), lambda: pin.computeCoriolisMatrix(model, data, q, qd)
        ),
        "kinetic_energy": (rne.kinetic_energy, ("q", "qd"), (), lambda: pin.computeKineticEnergy(model, data, q, qd)),
        "potential_energy": (rne.potential_energy, ("q",), rest, lambda: pin.computePotentialEnergy(model, data, q)),
        "center_of_mass": (rne.center_of_mass, ("q",), (), lambda: pin.centerOfMass(model, data, q)),
        "forward_kinematics": (
            lambda robot, q, **more: rne.forward_kinematics(robot, q, FRAME, **more), ("q",), (), poses
        ),
        "jacobian": (
            lambda robot, q, **more: rne.jacobian(robot, q, FRAME, **more), ("q",), (),
            lambda: pin.computeFrameJacobian(model, data, q, identifier, world),
        ),
        "static_torque": (
            lambda robot, q, **more: rne.static_torque(robot, q, {FRAME: WRENCH.astype(q.dtype)}, **more)
            if isinstance(q, np.ndarray) else rne.static_torque(robot, q, {FRAME: WRENCH}, **more),
            ("q",), (), static,
        ),
        "joint_wrenches": (
            rne.joint_wrenches, ("q", "qd", "qdd"), ("gravity", "None", "f_ext"),
            lambda: pin.rnea(model, data, q, qd, qdd),
        ),
        "operational_inertia": (
            lambda robot, q, **more: rne.operational_inertia(robot, q, FRAME, **more), ("q",), (), None
        ),
        "link_forces": (rne.link_forces, ("q", "qd", "qdd"), (), lambda: pin.rnea(model, data, q, qd, qdd + zero)),
    }  # fmt: skip


NO_OUT = ("operational_inertia", "link_forces")


def calls(subject: Subject, only: str | None) -> Iterator[tuple[str, str, Run]]:
    """Row, column and call."""
    robot = subject.robot
    for name, (function, names, more, rival) in _takes(subject).items():
        if only not in (None, name):
            continue
        if rival is not None:
            yield name, PINOCCHIO, rival
        for samples in (1, *SAMPLES):
            s = states(robot, samples)
            given = [getattr(s, x)[0] if samples == 1 else getattr(s, x).copy() for x in names]
            row = name if samples == 1 else f"{name}, {samples} states"
            if samples > 1 and name in NO_OUT:
                continue
            yield from ((row, column, run) for column, run in _variants(robot, name, function, given, more))


def _variants(robot: rne.Robot, name: str, function: Any, given: list[Any], more: tuple[str, ...]) -> Iterator[Any]:
    call = lambda *a, **k: lambda: function(robot, *a, **k)  # noqa: E731
    yield PLAIN, call(*given)
    if name not in NO_OUT:
        yield "out", call(*given, out=np.empty_like(function(robot, *given)))
    yield "threads=1", call(*given, threads=1)
    yield "float32", call(*(x.astype(np.float32) for x in given))
    yield "lists", call(*(x.tolist() for x in given))
    if "gravity" in more:
        yield "gravity", call(*given, gravity=np.array([0.0, 0.0, -1.62]))
    if "None" in more:
        yield "None", call(given[0], None, None)
    if "friction" in more:
        yield "friction", call(*given, friction=True)
    if "f_ext" in more:
        yield "f_ext", call(*given, f_ext={FRAME: WRENCH})


def measure(runs: list[tuple[str, str, Run]], seconds: float) -> dict[tuple[str, str], float]:
    """Shortest time of each in us, all in turns."""
    for *_, run in runs:
        run()
    best = {(row, column): np.inf for row, column, _ in runs}
    end, rounds = time.perf_counter() + seconds, 0
    while time.perf_counter() < end or rounds < 3:
        rounds += 1
        for row, column, run in runs:
            repeats = REPEATS if best[row, column] > 1e3 else max(20, int(REPEATS / max(best[row, column], 1.0)))
            start = time.perf_counter_ns()
            for _ in range(repeats):
                run()
            best[row, column] = min(best[row, column], (time.perf_counter_ns() - start) / repeats / 1e3)
    return best


def table(best: dict[tuple[str, str], float]) -> str:
    """Times in Markdown."""
    columns = [*RATIOS, *EXTRAS]
    heads = ["call", "us", "of Pinocchio's", *RATIOS, *(f"{name}, us more" for name in EXTRAS)]
    lines = ["| " + " | ".join(heads) + " |", "|---" * len(heads) + "|"]
    for row in dict.fromkeys(row for row, _ in best):
        plain = best[row, PLAIN]
        cells = [f"{plain:.2f}", f"{plain / best[row, PINOCCHIO]:.2f}" if (row, PINOCCHIO) in best else ""]
        for column in columns:
            spent = best.get((row, column))
            extra = column in EXTRAS
            cells.append("" if spent is None else f"{spent - plain:.1f}" if extra else f"{spent / plain:.2f}")
        lines.append(f"| {row} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--only")
    options = parser.parse_args()
    subject = panda()
    runs = list(calls(subject, options.only))
    if options.only in (None, "inverse_dynamics"):
        evaluator = rne.Evaluator(subject.robot)
        runs.append(("Evaluator.inverse_dynamics", PLAIN, evaluator.inverse_dynamics))
    best = measure(runs, options.seconds)
    key = "Evaluator.inverse_dynamics", PINOCCHIO
    if ("inverse_dynamics", PINOCCHIO) in best:
        best[key] = best["inverse_dynamics", PINOCCHIO]
    print(table(best))
    print(machine())


if __name__ == "__main__":
    main()
