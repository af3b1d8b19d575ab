"""Count the URDF files below folders that load, of those that Pinocchio loads with joints, and compare the torques.

Run by hand: ``PYTHONPATH=tests/support python -m robot_counts FOLDER ...``; the table of docs/robots.md.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import numpy as np
import pinocchio as pin

import rne
from rne.model.mimics import resolved_mimics

ROUNDING = 1e-9


def difference(model: pin.Model, robot: rne.Robot) -> float:
    """Return the largest difference of torque without friction, as a part of the largest; inf for other joints."""
    followed = resolved_mimics(robot.tree.joints)
    names = list(model.names)[1:]
    if set(names) != set(followed):
        return np.inf
    q, qd, qdd = np.random.default_rng(1).uniform(-1, 1, (3, robot.n))
    places = {name: k for k, name in enumerate(robot.joint_names)}
    onto, state = np.zeros((model.nv, robot.n)), np.zeros(model.nq)
    for name in names:
        joint, mimic = model.joints[model.getJointId(name)], followed[name]
        if joint.nv != 1:
            return np.inf
        onto[joint.idx_v, places[mimic.leader]] = mimic.ratio
        angle = mimic.ratio * q[places[mimic.leader]] + mimic.offset
        state[joint.idx_q : joint.idx_q + joint.nq] = angle if joint.nq == 1 else (np.cos(angle), np.sin(angle))
    model.armature = np.zeros(model.nv)
    wanted = onto.T @ pin.rnea(model, model.createData(), state, onto @ qd, onto @ qdd)
    bare = robot.with_drives({name: rne.Drive() for name in followed})
    return float(np.abs(rne.inverse_dynamics(bare, q, qd, qdd) - wanted).max() / max(np.abs(wanted).max(), 1e-300))


def count(folder: Path) -> str:
    """Return a line of the table; print what does not load, or differs."""
    files = sorted(folder.rglob("*.urdf"))
    tried, loaded, lenient, other = 0, 0, 0, 0
    for path in files:
        try:
            model = pin.buildModelFromXML(path.read_text(encoding="utf-8", errors="replace"))
        except (ValueError, RuntimeError):
            continue
        if not model.nv:
            continue
        tried += 1
        for strict in (True, False):
            try:
                robot = rne.load_urdf(path, strict=strict)
            except rne.ModelError as error:
                print(f"{'default' if strict else 'lenient'}: {error}")
                continue
            loaded, lenient = loaded + strict, lenient + (not strict)
            if not strict and (off := difference(model, robot)) > ROUNDING:
                other += 1
                print(f"differs by {off:.2g}: {path}")
    return f"| {folder.name} | {len(files)} | {tried} | {loaded} | {lenient} | {other} |"


if __name__ == "__main__":
    warnings.simplefilter("ignore", rne.ModelWarning)
    for line in [count(Path(folder)) for folder in sys.argv[1:]]:
        print(line)
