"""The robots in `models/` as tests see them: where they are, what is known of them, and Pinocchio's view of them."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin

MODELS = Path(__file__).parents[2] / "models"
URDFS = {  # name: (degrees of freedom, mass of all links in kg)
    "panda": (8, 17.451901),
    "iiwa14": (7, 30.61),
    "ur5e": (6, 21.7),
    "ur10": (6, 32.435),
}
TABLES = {  # name: (convention, kinds of joint, mass of all links in kg)
    "puma560": ("standard", "RRRRRR", 36.45),
    "stanford": ("standard", "RRPRRR", 20.77),
    "planar2": ("standard", "RR", 2.0),
    "scara": ("modified", "RRPR", 15.7),
}
G = 9.81


def urdf_path(name: str) -> Path:
    return MODELS / name / "robot.urdf"


def urdf_model(path: Path) -> pin.Model:
    return pin.buildModelFromUrdf(str(path), True)


def dh_table(name: str) -> dict[str, Any]:
    return tomllib.loads((MODELS / name / "robot.dh.toml").read_text(encoding="utf-8"))


def gravity(model: pin.Model, q: Any) -> np.ndarray:
    q = np.asarray(q, dtype=float)
    return pin.rnea(model, model.createData(), q, np.zeros(model.nv), np.zeros(model.nv))


def mass_matrix(model: pin.Model, q: Any) -> np.ndarray:
    upper = np.triu(pin.crba(model, model.createData(), np.asarray(q, dtype=float)))
    return upper + np.triu(upper, 1).T


def frame_pose(model: pin.Model, q: Any, frame: str, seen_from: str | None = None) -> pin.SE3:
    data = model.createData()
    pin.framesForwardKinematics(model, data, np.asarray(q, dtype=float))
    pose = data.oMf[model.getFrameId(frame)]
    return pose if seen_from is None else data.oMf[model.getFrameId(seen_from)].actInv(pose)


def assert_same_torques(one: pin.Model, other: pin.Model, tolerance: float) -> None:
    rng = np.random.default_rng(7)
    for _ in range(20):
        q, qd, qdd = rng.uniform(-1.5, 1.5, (3, one.nv))
        tau = pin.rnea(one, one.createData(), q, qd, qdd)
        np.testing.assert_allclose(tau, pin.rnea(other, other.createData(), q, qd, qdd), rtol=0, atol=tolerance)


def tensor(values: dict[str, Any]) -> np.ndarray:
    xx, yy, zz, xy, xz, yz = (float(values[key]) for key in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz"))
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def assert_physical(inertia: np.ndarray) -> None:
    low, middle, high = np.linalg.eigvalsh(inertia)
    assert low > 0
    assert low + middle > high


def numbers(text: str) -> np.ndarray:
    return np.array([float(word) for word in text.split()])
