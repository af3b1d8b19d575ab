"""Contenders for the dynamics of a quadruped whose feet are held by the ground."""

from __future__ import annotations

from typing import Any

import numpy as np
import pinocchio as pin

import rne
from benchmarks.contenders import Run, contender, one_thread
from benchmarks.subjects import States, Subject

FEET = ("LF_FOOT", "RF_FOOT", "LH_FOOT", "RH_FOOT")


@contender("contact forward dynamics", "rne", needs="contact_forward_dynamics")
def _(subject: Subject, s: States, threads: int) -> Run:
    qd = np.zeros_like(s.qd)  # contacts whose feet move are another matter for either library
    return lambda: rne.contact_forward_dynamics(subject.robot, s.q, qd, s.tau, FEET, threads=threads).qdd


@contender("contact forward dynamics", "pinocchio")
def _(subject: Subject, s: States, threads: int) -> Run:
    one_thread("Pinocchio", threads)
    model, data = subject.pin, subject.pin.createData()
    held = pin.StdVec_RigidConstraintModel()
    for foot in FEET:
        frame = model.frames[model.getFrameId(foot)]
        kind, axes = pin.ContactType.CONTACT_3D, pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        held.append(pin.RigidConstraintModel(kind, model, frame.parentJoint, frame.placement, axes))
    solved, settings = pin.StdVec_RigidConstraintData(), pin.ProximalSettings(1e-12, 0.0, 1)
    for contact in held:
        solved.append(contact.createData())
    pin.initConstraintDynamics(model, data, held, solved)
    rest = np.zeros(model.nv)

    def run() -> Any:
        result = np.empty_like(s.tau)
        for qdd, q, tau in zip(result, s.q, s.tau, strict=True):
            qdd[:] = pin.constraintDynamics(model, data, q, rest, tau, held, solved, settings)
        return result

    return run
