"""Pinocchio's dynamics with rigid contacts as an oracle, and the same equations solved densely from its parts."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray
from oracles_floating import LOCAL, WORLD, FreeFlyer

Array = NDArray[np.float64]
HELD = {"point": 3, "surface": 6}
TYPES = {"point": pin.ContactType.CONTACT_3D, "surface": pin.ContactType.CONTACT_6D}
AXES = {"world": WORLD, "local": LOCAL}
Contacts = Mapping[str, tuple[str, str]]


def jacobian(oracle: FreeFlyer, q: Array, contacts: Contacts) -> Array:
    """Jacobian of all held directions."""
    return np.concatenate(
        [oracle.jacobian(q, name, AXES[axes])[: HELD[kind]] for name, (kind, axes) in contacts.items()]
    )


def terms(oracle: FreeFlyer, q: Array, qd: Array, contacts: Contacts) -> tuple[Array, Array, Array, Array]:
    """Mass matrix, bias, Jacobian, and accelerations of the held directions at qdd = 0, in frames at rest."""
    zero, drift = np.zeros_like(qd), []
    for name, (kind, axes) in contacts.items():
        a = oracle.acceleration(q, qd, zero, name)
        R = oracle.pose(q, name)[:3, :3] if axes == "local" else np.eye(3)
        drift.append(np.concatenate([R.T @ a[:3], R.T @ a[3:]])[: HELD[kind]])
    bias = oracle.inverse_dynamics(q, qd, zero)
    return oracle.mass_matrix(q), bias, jacobian(oracle, q, contacts), np.concatenate(drift)


def dense(oracle: FreeFlyer, q: Array, qd: Array, tau: Array, contacts: Contacts) -> tuple[Array, Array]:
    """Accelerations, and the smallest forces along the held directions that hold them: one dense system."""
    M, bias, J, drift = terms(oracle, q, qd, contacts)
    held, n = J.shape
    matrix = np.block([[M, J.T], [J, np.zeros((held, held))]])
    solution = np.linalg.lstsq(matrix, np.concatenate([tau - bias, -drift]), rcond=1e-11)[0]
    qdd = solution[:n]
    return qdd, np.linalg.lstsq(J.T, M @ qdd + bias - tau, rcond=1e-11)[0]


def constraint_dynamics(oracle: FreeFlyer, q: Array, qd: Array, tau: Array, contacts: Contacts) -> Array:
    """Accelerations of `pinocchio.constraintDynamics`, for robots without followers."""
    model, data = oracle.model, oracle.model.createData()
    models, datas = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
    for name, (kind, axes) in contacts.items():
        oracle.pose(q, name)
        frame, pose = model.frames[oracle.frames[name]], oracle.data.oMf[oracle.frames[name]]
        held = pin.RigidConstraintModel(TYPES[kind], model, frame.parentJoint, frame.placement, 0, pose, AXES[axes])
        models.append(held)
        datas.append(held.createData())
    pin.initConstraintDynamics(model, data, models, datas)
    settings = pin.ProximalSettings(1e-14, 1e-9, 100)
    full = (oracle.q(q), oracle.G @ qd, oracle.G @ tau)
    return oracle.G.T @ pin.constraintDynamics(model, data, *full, models, datas, settings)


def impulse_dynamics(oracle: FreeFlyer, q: Array, qd: Array, contacts: Contacts, restitution: float) -> Array:
    """Velocities of `pinocchio.impulseDynamics`, for robots without followers."""
    J = jacobian(oracle, q, contacts) @ oracle.G.T
    full = oracle.q(q), oracle.G @ qd
    return oracle.G.T @ pin.impulseDynamics(oracle.model, oracle.data, *full, J, restitution, 0.0)
