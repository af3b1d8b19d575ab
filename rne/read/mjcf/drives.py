"""Rotors, friction, springs and limits of effort of the joints of a compiled model, with those of their actuators."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rne.model.checks import check_drive
from rne.model.drive import Drive
from rne.model.findings import Findings
from rne.read.mjcf.compiled import Compiled
from rne.read.mjcf.names import Names

FREE, BALL, SLIDE, HINGE = range(4)
"""Kinds of joints, `mjtJoint`."""
KINDS = {SLIDE: "prismatic", HINGE: "revolute"}
JOINT_TRANSMISSIONS = (0, 1)
"""Kinds of transmission that act on a single joint, `mjtTrn`: in its own frame, and in that of the parent."""


def read_drives(compiled: Compiled, names: Names, findings: Findings) -> dict[int, Drive]:
    """Return the drives of the joints that turn or slide, by number."""
    model = compiled.model
    drives = {}
    for j in range(model.njnt):
        if model.jnt_type[j] in KINDS:
            spot = findings.at(f"joint {names.joints[j]!r}", compiled.lines.get(("joint", j)))
            drives[j] = _drive(compiled, j)
            check_drive(drives[j], spot)
            for what in _not_linear(compiled, j):
                spot.doubt(f"its {what} is not linear in MuJoCo; the linear part is taken")
    return drives


def _drive(compiled: Compiled, j: int) -> Drive:
    model, disabled = compiled.model, compiled.disabled
    dof = model.jnt_dofadr[j]
    rotor, gear, damping = float(model.dof_armature[dof]), 1.0, float(model.dof_damping[dof])
    for a in actuators(model, 0, j):
        inertia, ratio = of_actuator(model, "armature", a), float(model.actuator_gear[a, 0])
        if inertia and not rotor:
            rotor, gear = inertia, ratio
        elif inertia:
            rotor, gear = rotor * gear**2 + inertia * ratio**2, 1.0
        damping += ratio**2 * of_actuator(model, "damping", a)
    friction = 0.0 if "frictionloss" in disabled else float(model.dof_frictionloss[dof])
    stiffness = 0.0 if "spring" in disabled else float(model.jnt_stiffness[j])
    return Drive(
        rotor_inertia=rotor,
        gear_ratio=gear,
        viscous=0.0 if "damper" in disabled else damping,
        coulomb_plus=friction,
        coulomb_minus=friction,
        stiffness=stiffness,
        rest=float(model.qpos_spring[model.jnt_qposadr[j]]) if stiffness else 0.0,
    )


def _not_linear(compiled: Compiled, j: int) -> list[str]:
    """Return what of a joint depends on its position or velocity by more than a factor."""
    model, found = compiled.model, []
    if "spring" not in compiled.disabled:
        found += ["spring"] * (has(model, "jnt_stiffnesspoly", j) or has(model, "jnt_springyield", j))
    if "damper" not in compiled.disabled:
        polynomials = [has(model, "dof_dampingpoly", int(model.jnt_dofadr[j]))]
        polynomials += [has(model, "actuator_dampingpoly", a) for a in actuators(model, 0, j)]
        found += ["damping"] * any(polynomials)
    return found


def has(model: Any, key: str, k: int) -> bool:
    """Whether a property that older versions of MuJoCo do not have is there, and not zero."""
    values = getattr(model, key, None)
    return values is not None and bool(np.any(values[k]))


def effort_limit(model: Any, j: int) -> float:
    """Return the largest torque that actuators can have: what the joint says, or their force limits together."""
    if model.jnt_actfrclimited[j]:
        return float(np.abs(model.jnt_actfrcrange[j]).max())
    total = 0.0
    for a in actuators(model, 0, j):
        if not model.actuator_forcelimited[a]:
            return math.inf
        total += float(np.abs(model.actuator_forcerange[a]).max() * abs(model.actuator_gear[a, 0]))
    return total or math.inf


def actuators(model: Any, kind: int, k: int) -> list[int]:
    """Return the numbers of the actuators that act on a joint (`kind` 0) or a tendon (3)."""
    kinds = JOINT_TRANSMISSIONS if kind in JOINT_TRANSMISSIONS else (kind,)
    targets = zip(model.actuator_trntype.tolist(), model.actuator_trnid[:, 0].tolist(), strict=True)
    return [a for a, (transmission, target) in enumerate(targets) if transmission in kinds and target == k]


def of_actuator(model: Any, key: str, a: int) -> float:
    """Return a property of an actuator that older versions of MuJoCo have not."""
    values = getattr(model, f"actuator_{key}", None)
    return 0.0 if values is None else float(values[a])
