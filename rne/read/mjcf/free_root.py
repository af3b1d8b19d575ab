"""A free joint of the only body on the world: the base floats, and the world is left out of the tree."""

from __future__ import annotations

from typing import Any

import numpy as np

from rne.errors import listed
from rne.model.findings import Findings
from rne.model.floating import OF_POSITION, OF_VELOCITY
from rne.read.mjcf.compiled import Compiled
from rne.read.mjcf.drives import FREE
from rne.read.mjcf.names import Names
from rne.read.poses import rotation_quaternion

Pairs = tuple[tuple[str, float], ...]


def free_root(model: Any) -> int | None:
    """Return the body that carries all others and has a free joint; None if there is no such body."""
    on_world = [k for k in range(1, model.nbody) if model.body_parentid[k] == 0]
    if len(on_world) != 1:
        return None
    (k,) = on_world
    first = model.body_jntadr[k]
    return k if model.body_jntnum[k] == 1 and model.jnt_type[first] == FREE else None


def check_free_root(compiled: Compiled, names: Names, findings: Findings) -> None:
    """Report rotors, damping, friction and springs of a base that floats: here nothing acts on it."""
    model, k = compiled.model, free_root(compiled.model)
    if k is None:
        return
    j = int(model.body_jntadr[k])
    dofs = slice(int(model.jnt_dofadr[j]), int(model.jnt_dofadr[j]) + len(OF_VELOCITY))
    found = {
        "armature": np.any(model.dof_armature[dofs]),
        "damping": "damper" not in compiled.disabled and np.any(model.dof_damping[dofs]),
        "frictionloss": "frictionloss" not in compiled.disabled and np.any(model.dof_frictionloss[dofs]),
        "stiffness": "spring" not in compiled.disabled and model.jnt_stiffness[j] != 0,
    }
    if present := [what for what, there in found.items() if there]:
        findings.at(f"joint {names.joints[j]!r}", compiled.lines.get(("joint", j))).doubt(
            f"{listed(present)} of a free joint: nothing acts on a base that floats here, and it is left out; write "
            "<freejoint/>, which no defaults reach, or zero"
        )


def base_state(qpos: Any, qvel: Any) -> tuple[Pairs, Pairs]:
    """Return pose and motion of the base in a keyframe, by names.

    MuJoCo puts the scalar of a quaternion first, and gives the linear velocity in world axes.
    """
    w, x, y, z = qpos[3:7].tolist()
    turn = np.array(rotation_quaternion(w, x, y, z))
    pose = [*qpos[:3].tolist(), x, y, z, w]
    motion = [*(turn.T @ qvel[:3]).tolist(), *qvel[3:6].tolist()]
    return tuple(zip(OF_POSITION, pose, strict=True)), tuple(zip(OF_VELOCITY, motion, strict=True))
