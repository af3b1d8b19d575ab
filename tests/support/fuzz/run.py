"""Many more spoiled files than the tests take, on all cores: `PYTHONPATH=tests/support python -m fuzz.run 1000000`.

With `--pinocchio`, every spoiled URDF that loads without a word is also given to Pinocchio, and the torques of both are
held against each other: a silent wrong robot is a find as well.
"""

from __future__ import annotations

import argparse
import collections
import concurrent.futures
import os
import time
import warnings

import numpy as np
from fuzz.mutations import dh, mjcf, spoiled, urdf
from fuzz.trial import attempt

import rne

SOURCES = {"urdf": (urdf, ".urdf"), "dh": (dh, ".dh.toml"), "mjcf": (mjcf, ".xml")}
PART = 1000


def part(kind: str, first: int, stop: int, pinocchio: bool) -> collections.Counter:
    source, suffix = SOURCES[kind]
    counts: collections.Counter = collections.Counter()
    attempt(source(0).encode(), suffix)  # whatever is compiled or imported once is not the fault of a file
    for case in range(first, stop):
        data = spoiled(case, source)
        started = time.perf_counter()
        try:
            robot = attempt(data, suffix)
        except Exception as error:
            counts[f"FIND {kind} {case}: {type(error).__name__}: {str(error)[:150]}"] += 1
            continue
        counts[f"{kind} {'refused' if robot is None else 'loaded'}"] += 1
        if time.perf_counter() - started > 1.0:
            counts[f"FIND {kind} {case}: took more than a second"] += 1
        if robot is not None and pinocchio and kind == "urdf" and (what := disagreement(data)):
            counts[what if what.startswith("pinocchio") else f"FIND urdf {case}: {what}"] += 1
    return counts


def disagreement(data: bytes) -> str:
    """Compare a file that loads without a warning with Pinocchio's reading of it."""
    import pinocchio as pin

    try:
        with warnings.catch_warnings(action="error"):
            robot = rne.load_urdf(data)
    except rne.ModelWarning:
        return ""
    if len(robot.links.joints) > robot.n or not robot.n:
        return ""
    try:
        model = pin.buildModelFromXML(data.decode())
    except Exception:
        return "pinocchio refuses"
    if set(model.names[1:]) != set(robot.joint_names):
        return f"joints {sorted(model.names[1:])} and {sorted(robot.joint_names)}"
    rng = np.random.default_rng(0)
    q, qd, qdd = rng.normal(size=(3, robot.n))
    full_q, full_qd, full_qdd = pin.neutral(model), np.zeros(model.nv), np.zeros(model.nv)
    joints = [model.joints[model.getJointId(name)] for name in robot.joint_names]
    for i, joint in enumerate(joints):
        full_q[joint.idx_q : joint.idx_q + joint.nq] = [q[i]] if joint.nq == 1 else [np.cos(q[i]), np.sin(q[i])]
        full_qd[joint.idx_v], full_qdd[joint.idx_v] = qd[i], qdd[i]
    tau = pin.rnea(model, model.createData(), full_q, full_qd, full_qdd)
    wanted = np.array([tau[joint.idx_v] for joint in joints])
    got = rne.inverse_dynamics(robot, q, qd, qdd)
    difference = np.abs(got - wanted).max() / max(np.abs(wanted).max(), 1e-9)
    return "" if difference < 1e-9 else f"torques differ by {difference:.1e} of the largest"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", type=int, help="files, half of them URDF")
    parser.add_argument("--first", type=int, default=0, help="number of the first case")
    parser.add_argument("--pinocchio", action="store_true")
    arguments = parser.parse_args()
    counts: collections.Counter = collections.Counter()
    with concurrent.futures.ProcessPoolExecutor(os.cpu_count()) as pool:
        stop = arguments.first + arguments.count // 2
        jobs = [
            pool.submit(part, kind, first, min(first + PART, stop), arguments.pinocchio)
            for first in range(arguments.first, stop, PART)
            for kind in SOURCES
        ]
        for job in concurrent.futures.as_completed(jobs):
            counts += job.result()
    for what, count in sorted(counts.items()):
        print(f"{count:8d}  {what}")


if __name__ == "__main__":
    main()
