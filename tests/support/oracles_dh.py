"""A Pinocchio model built joint by joint from a DH table: an oracle that shares no code with `rne`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pinocchio as pin

Table = Mapping[str, Any]


def _rotation(axis: str, angle: float) -> pin.SE3:
    return pin.SE3(pin.utils.rotate(axis, angle), np.zeros(3))


def _shift(x: float, z: float) -> pin.SE3:
    return pin.SE3(np.eye(3), np.array([x, 0.0, z]))


def _tensor(inertia: Any) -> np.ndarray:
    if not isinstance(inertia, Mapping):
        return np.array(inertia, dtype=float)
    xx, yy, zz = (inertia[key] for key in ("ixx", "iyy", "izz"))
    xy, xz, yz = (inertia.get(key, 0.0) for key in ("ixy", "ixz", "iyz"))
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def _joint(row: Table) -> Any:
    """The joint about or along z, or against it where q counts the other way."""
    axis = np.array([0.0, 0.0, row.get("sign", 1.0)])
    match row["joint"]:
        case "revolute":
            return pin.JointModelRevoluteUnaligned(axis)
        case "prismatic":
            return pin.JointModelPrismaticUnaligned(axis)
        case "screw":
            return pin.JointModelHelicalUnaligned(axis, row["pitch"])
    raise ValueError(row["joint"])


def pin_model_from_dh(table: Table) -> pin.Model:
    """Build the model of a table as `tomllib` reads it: keys `convention`, `rows` and, if wanted, `gravity`, `base`.

    Each joint is a Pinocchio joint about (along) z. Its frame precedes Rz(theta) Tz(d) because both commute with the
    motion of the joint; the body is hung behind what follows: standard Rz(theta) Tz(d) Tx(a) Rx(alpha), modified
    Rz(theta) Tz(d), with Rz(gamma) Tz(b) Rx(alpha) Tx(a) in front of the joint. The DH frame of row i is the frame
    `dh<i>`, i from 1. Fixed rows move with the joint before. Friction and springs are left out, and mimics; rotor
    inertia is the armature.
    """
    standard = {"standard": True, "modified": False}[table["convention"]]
    base = table.get("base", {})
    model = pin.Model()
    model.name = table.get("name", "dh")
    model.gravity.linear = np.array(table.get("gravity", (0.0, 0.0, -9.81)), dtype=float)
    before = pin.SE3(pin.rpy.rpyToMatrix(*base.get("rpy", (0.0, 0.0, 0.0))), np.array(base.get("xyz", (0.0,) * 3)))
    base, armature, hung = (0, before), [], {}
    links = ["base"]
    for i, row in enumerate(table["rows"], start=1):
        a, alpha, d, theta = (float(row.get(key, 0.0)) for key in ("a", "alpha", "d", "theta"))
        above = row.get("parent", links[-1])
        parent, before = base if above == "base" else hung[above]
        links.append(row.get("link", f"link{i}"))
        before = before * _rotation("z", float(row.get("gamma", 0.0))) * _shift(0.0, float(row.get("b", 0.0)))
        after = _rotation("z", theta) * _shift(0.0, d)
        if standard:
            after = after * _shift(a, 0.0) * _rotation("x", alpha)
        else:
            before = before * _rotation("x", alpha) * _shift(a, 0.0)
        if row["joint"] == "fixed":
            after = before * after
        else:
            parent = model.addJoint(parent, _joint(row), before, row.get("name", f"joint{i}"))
            armature.append(row.get("gear_ratio", 1.0) ** 2 * row.get("rotor_inertia", 0.0))
        body = pin.Inertia(float(row["mass"]), np.array(row["com"], dtype=float), _tensor(row["inertia"]))
        model.appendBodyToJoint(parent, body, after)
        model.addFrame(pin.Frame(f"dh{i}", parent, after, pin.FrameType.OP_FRAME))
        hung[links[-1]] = parent, after
    model.armature = np.array(armature)
    return model
