"""MuJoCo on MJCF files, in rne's convention: constraints off, followers summed onto their leaders.

`python -m oracles_mjcf FOLDER ...` counts the files that MuJoCo loads with joints, those of them that rne loads, and
the gaps: the table of docs/robots.md.
"""

from __future__ import annotations

import sys
import warnings
from dataclasses import dataclass
from pathlib import Path

import mujoco
import numpy as np
from numpy.typing import NDArray

import rne
from rne.model.mimics import resolved_mimics

Array = NDArray[np.float64]
SCALAR = {int(mujoco.mjtJoint.mjJNT_HINGE), int(mujoco.mjtJoint.mjJNT_SLIDE)}
CLOSE = 1e-10


def compiled(path_or_text: Path | str) -> mujoco.MjModel:
    """The model without constraints, weightlessness of bodies and fluids, which rne notes and does not read."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if isinstance(path_or_text, Path):
            model = mujoco.MjModel.from_xml_path(str(path_or_text))
        else:
            model = mujoco.MjModel.from_xml_string(path_or_text)
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    model.opt.density = model.opt.viscosity = 0.0
    model.body_gravcomp[:] = 0.0
    return model


@dataclass
class Reduction:
    """`qpos = P q + q0`, `qvel = G qd`, for a robot whose joints are called as in the model."""

    P: Array
    G: Array
    q0: Array

    @classmethod
    def of(cls, model: mujoco.MjModel, robot: rne.Robot) -> Reduction:
        mimics = resolved_mimics(robot.tree.joints)
        P, G, q0 = np.zeros((model.nq, robot.n)), np.zeros((model.nv, robot.n)), model.qpos0.copy()
        for j in range(model.njnt):
            mimic = mimics.get(model.joint(j).name or f"joint{j}")
            if int(model.jnt_type[j]) not in SCALAR or mimic is None:
                continue  # what floats stays where it is
            column = robot.joint_names.index(mimic.leader)
            G[model.jnt_dofadr[j], column] = P[model.jnt_qposadr[j], column] = mimic.ratio
            q0[model.jnt_qposadr[j]] = mimic.offset
        return cls(P, G, q0)


def gaps(model: mujoco.MjModel, robot: rne.Robot, samples: int = 5) -> tuple[float, float]:
    """Largest differences of torques, viscous friction among them, and of the mass matrix, as parts of the largest."""
    data, to = mujoco.MjData(model), Reduction.of(model, robot)
    rng, worst = np.random.default_rng(0), [0.0, 0.0]
    for _ in range(samples):
        q, qd, qdd = rng.uniform(-1, 1, (3, robot.n))
        data.qpos, data.qvel, data.qacc = to.P @ q + to.q0, to.G @ qd, to.G @ qdd
        mujoco.mj_inverse(model, data)
        full = np.zeros((model.nv, model.nv))
        mujoco.mj_fullM(model, data, full)
        found = rne.inverse_dynamics(robot, q, qd, qdd) + robot.damping @ qd, rne.mass_matrix(robot, q)
        wanted = to.G.T @ data.qfrc_inverse, to.G.T @ full @ to.G
        for k, (one, other) in enumerate(zip(found, wanted, strict=True)):
            largest = np.abs(other).max(initial=0.0) or 1.0
            worst[k] = max(worst[k], float(np.abs(one - other).max(initial=0.0) / largest))
    return worst[0], worst[1]


def frame_gap(model: mujoco.MjModel, robot: rne.Robot) -> float:
    """Largest difference of the poses of all named bodies and sites, m or without unit."""
    data, to = mujoco.MjData(model), Reduction.of(model, robot)
    q = np.random.default_rng(1).uniform(-1, 1, robot.n)
    data.qpos = to.P @ q + to.q0
    mujoco.mj_kinematics(model, data)
    worst = 0.0
    parts = [(model.body(k).name, data.xpos[k], data.xmat[k]) for k in range(model.nbody)]
    bodies = {name for name, _, _ in parts}
    sites = [model.site(k).name for k in range(model.nsite)]
    sites = [f"{name}_site" if name in bodies else name for name in sites]
    parts += zip(sites, data.site_xpos, data.site_xmat, strict=True)
    for name, position, rotation in parts:
        if name in robot.frame_names:
            pose = rne.forward_kinematics(robot, q, name)
            worst = max(worst, np.abs(pose[:3, 3] - position).max(), np.abs(pose[:3, :3].ravel() - rotation).max())
    return float(worst)


def main() -> None:
    """Print what does not load, or differs, and one line of the table for every folder."""
    warnings.simplefilter("ignore", rne.ModelWarning)
    for folder in map(Path, sys.argv[1:]):
        with_joints, counts, largest, other = 0, {True: 0, False: 0}, 0.0, 0
        for path in sorted(folder.rglob("*.xml")):
            try:
                model = compiled(path)
            except ValueError:
                continue
            if not model.nv:
                continue
            with_joints += 1
            for strict in (True, False):
                try:
                    robot = rne.load(path, strict=strict)
                except rne.ModelError as error:
                    print(f"strict={strict}: {path.relative_to(folder)}: {error.problems[0].what}")
                    continue
                counts[strict] += 1
                gap = 0.0 if strict else max(gaps(model, robot))
                if gap < CLOSE:
                    largest = max(largest, gap)
                else:
                    other += 1
                    print(f"differs by {gap:.2g}: {path.relative_to(folder)}: {[n.what for n in robot.tree.notes]}")
        print(f"| {folder.name} | {with_joints} | {counts[True]} | {counts[False]} | {largest:.1e} | {other} |")


if __name__ == "__main__":
    main()
