"""Other people's programs as oracles: Pinocchio and MuJoCo fed with URDF, spoken to in rne's convention.

rne's convention: one number for each movable joint that follows no other, in any order the caller names; a continuous
joint is one angle. Both oracles load the robot with every joint free, and the followers are summed onto their leaders
here (`tau = G^T tau_full`), with `G` read from the XML and by nothing of rne. Pinocchio could reduce by itself
(`mimic=True`); it gives the same numbers (tested) but refuses followers of followers, leaders that it meets after
their followers, and a limited joint that follows a continuous one.

Imports are plain on purpose: a machine without an oracle fails, it does not skip.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import distribution
from pathlib import Path

import mujoco
import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
Names = Sequence[str]
Movable = dict[str, tuple[str | None, float, float]]

GRAVITY = (0.0, 0.0, -9.81)
KINDS = frozenset({"revolute", "continuous", "prismatic", "fixed"})


# ---------------------------------------------------------------------------------------------------- the URDF file


def example_urdfs() -> list[Path]:
    """All URDF files of the example-robot-data package."""
    package = distribution("example-robot-data")
    paths = sorted(Path(str(package.locate_file(file))) for file in package.files or () if file.suffix == ".urdf")
    if not paths:
        raise FileNotFoundError("example-robot-data is installed but lists no URDF file")
    return paths


def example_id(path: Path) -> str:
    """Short unique name of an example, such as ``panda_description/panda.urdf``."""
    parts = path.parts
    return f"{parts[parts.index('robots') + 1]}/{path.name}"


def example_urdf(name: str) -> Path:
    """Find the example whose short name ends in `name`."""
    (path,) = [path for path in example_urdfs() if f"/{example_id(path)}".endswith(f"/{name}")]
    return path


def joint_kinds(urdf: str | Path) -> list[str]:
    """Kinds of the joints directly below `<robot>`, in the order of the file."""
    return [joint.get("type", "") for joint in _xml(urdf).findall("joint")]


def has_supported_joints(urdf: str | Path) -> bool:
    """Whether the file has joints that move, and none but revolute, continuous, prismatic and fixed ones."""
    kinds = set(joint_kinds(urdf))
    return kinds <= KINDS and bool(kinds - {"fixed"})


def urdf_coordinates(urdf: str | Path) -> list[str]:
    """Names of rne's coordinates: movable joints that follow no other, in the order of the file."""
    return [name for name, (leader, _, _) in _movable(_xml(urdf)).items() if leader is None]


def _xml(urdf: str | Path) -> ET.Element:
    is_text = isinstance(urdf, str) and urdf.lstrip().startswith("<")
    return ET.fromstring(str(urdf).strip() if is_text else Path(urdf).read_bytes())


def _movable(robot: ET.Element) -> Movable:
    """Movable joint -> (leader or None, ratio, offset), in the order of the file."""
    found: Movable = {}
    known = {joint.get("name") for joint in robot.findall("joint")}
    for joint in robot.findall("joint"):
        if joint.get("type") in KINDS - {"fixed"}:
            mimic = joint.find("mimic")
            found[joint.attrib["name"]] = (None, 1.0, 0.0)
            if mimic is not None:
                ratio, offset = float(mimic.get("multiplier", "1")), float(mimic.get("offset", "0"))
                found[joint.attrib["name"]] = (mimic.attrib["joint"], ratio, offset)
                if mimic.attrib["joint"] not in known:
                    raise ValueError(f"{joint.get('name')} follows {mimic.get('joint')}, which is not a joint")
    return found


def _reduction(movable: Movable, names: Names, all_names: Names) -> tuple[Array, Array]:
    """`G` and `q0` of `q_all = G q + q0`; a leader that does not move stands at zero."""
    wanted = [name for name, (leader, _, _) in movable.items() if leader is None]
    if sorted(names) != sorted(wanted):
        raise ValueError(f"the coordinates are {wanted}, got {list(names)}")

    def value(name: str) -> tuple[Array, float]:
        leader, ratio, offset = movable.get(name, (None, 0.0, 0.0))
        if leader is None:
            return np.array([float(name == other) for other in names]), 0.0
        row, constant = value(leader)
        return ratio * row, ratio * constant + offset

    rows = [value(name) for name in all_names]
    return np.array([row for row, _ in rows]).reshape(len(all_names), len(names)), np.array([c for _, c in rows])


# -------------------------------------------------------------------------------------------------------- Pinocchio


@dataclass
class PinModel:
    """A Pinocchio model with every joint free, and who follows whom."""

    movable: Movable
    model: pin.Model
    data: pin.Data

    @property
    def joint_names(self) -> list[str]:
        """Joints in the order of Pinocchio's velocity vector."""
        return list(self.model.names)[1:]


def pin_model(urdf: str | Path, armature: Mapping[str, float] | None = None) -> PinModel:
    """Load a file or URDF text; `armature` gives the reflected rotor inertia of joints by name."""
    is_text = isinstance(urdf, str) and urdf.lstrip().startswith("<")
    model = pin.buildModelFromXML(urdf) if is_text else pin.buildModelFromUrdf(str(urdf))
    reflected = np.zeros(model.nv)
    for name, inertia in (armature or {}).items():
        reflected[model.joints[model.getJointId(name)].idx_v] = inertia
    model.armature = reflected
    return PinModel(_movable(_xml(urdf)), model, model.createData())


def pin_q(pm: PinModel, names: Names, q: ArrayLike) -> Array:
    """Pinocchio's configuration: followers filled in, cosine and sine for a continuous joint."""
    G, q0 = _reduction(pm.movable, names, pm.joint_names)
    configuration = np.full(pm.model.nq, np.nan)
    for joint, angle in zip(list(pm.model.joints)[1:], G @ np.asarray(q, dtype=float) + q0, strict=True):
        configuration[joint.idx_q : joint.idx_q + joint.nq] = angle if joint.nq == 1 else (np.cos(angle), np.sin(angle))
    return configuration


def pin_v(pm: PinModel, names: Names, v: ArrayLike) -> Array:
    """Pinocchio's velocity (or acceleration) vector, followers filled in."""
    G, _ = _reduction(pm.movable, names, pm.joint_names)
    return G @ np.asarray(v, dtype=float)


def from_pin_v(pm: PinModel, names: Names, tau: ArrayLike) -> Array:
    """Joint forces in Pinocchio's order, summed onto the coordinates."""
    G, _ = _reduction(pm.movable, names, pm.joint_names)
    return G.T @ np.asarray(tau, dtype=float)


def pin_inverse_dynamics(
    pm: PinModel,
    names: Names,
    q: ArrayLike,
    qd: ArrayLike | None = None,
    qdd: ArrayLike | None = None,
    gravity: ArrayLike = GRAVITY,
    f_ext: Mapping[str, ArrayLike] | None = None,
) -> Array:
    """Joint torques; `f_ext` holds world-axes wrenches `[f, m]` on the robot at the origins of body frames.

    The wrenches go through Pinocchio's own inward sweep, as forces on joints, not through a Jacobian.
    """
    zero = np.zeros(len(names))
    model, data = pm.model, pm.data
    model.gravity = pin.Motion(np.asarray(gravity, dtype=float), np.zeros(3))
    configuration = pin_q(pm, names, q)
    loads = [pin.Force.Zero() for _ in range(model.njoints)]
    pin.framesForwardKinematics(model, data, configuration)
    for body, wrench in (f_ext or {}).items():
        index = _body_frame(pm, body)
        frame, world_in_body = model.frames[index], pin.SE3(data.oMf[index].rotation.T, np.zeros(3))
        turned = world_in_body.act(pin.Force(np.asarray(wrench, dtype=float)))
        loads[frame.parentJoint] = loads[frame.parentJoint] + frame.placement.act(turned)
    qd, qdd = zero if qd is None else qd, zero if qdd is None else qdd
    tau = pin.rnea(model, data, configuration, pin_v(pm, names, qd), pin_v(pm, names, qdd), loads)
    model.gravity = pin.Motion(np.array(GRAVITY), np.zeros(3))  # models are shared between tests
    return from_pin_v(pm, names, tau)


def pin_mass_matrix(pm: PinModel, names: Names, q: ArrayLike) -> Array:
    """Mass matrix from Pinocchio's composite rigid bodies (another algorithm than its `rnea`)."""
    M = pin.crba(pm.model, pm.data, pin_q(pm, names, q))
    G, _ = _reduction(pm.movable, names, pm.joint_names)
    return G.T @ (np.triu(M) + np.triu(M, 1).T) @ G


def pin_gravity(pm: PinModel, names: Names, q: ArrayLike, gravity: ArrayLike = GRAVITY) -> Array:
    """Torques that hold the robot still."""
    return pin_inverse_dynamics(pm, names, q, gravity=gravity)


def pin_forward_kinematics(pm: PinModel, names: Names, q: ArrayLike) -> dict[str, tuple[Array, Array]]:
    """Rotation and position of every body frame, the fixed ones too, in the root frame."""
    pin.framesForwardKinematics(pm.model, pm.data, pin_q(pm, names, q))
    frames = enumerate(pm.model.frames)
    placed = {frame.name: pm.data.oMf[i] for i, frame in frames if frame.type == pin.FrameType.BODY}
    return {name: (pose.rotation.copy(), pose.translation.copy()) for name, pose in placed.items()}


def pin_jacobian(pm: PinModel, names: Names, q: ArrayLike, body: str) -> Array:
    """Jacobian of the origin of a body frame, linear rows first, world axes."""
    frame, aligned = _body_frame(pm, body), pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
    J = pin.computeFrameJacobian(pm.model, pm.data, pin_q(pm, names, q), frame, aligned)
    G, _ = _reduction(pm.movable, names, pm.joint_names)
    return J.reshape(6, pm.model.nv) @ G  # it comes flat where there is one column


def pin_kinetic_energy(pm: PinModel, names: Names, q: ArrayLike, qd: ArrayLike) -> float:
    """Energy of motion of the bodies; rotors are not in it."""
    return float(pin.computeKineticEnergy(pm.model, pm.data, pin_q(pm, names, q), pin_v(pm, names, qd)))


def pin_mass_and_center(pm: PinModel, names: Names, q: ArrayLike) -> tuple[float, Array]:
    """Mass and center of mass with all that is bolted to the root, which Pinocchio itself leaves out of both."""
    still, moving = pm.model.inertias[0], pin.computeTotalMass(pm.model)
    moment = still.mass * still.lever
    if moving > 0.0:
        moment = moment + moving * pin.centerOfMass(pm.model, pm.data, pin_q(pm, names, q))
    mass = still.mass + moving
    return mass, moment / mass if mass > 0.0 else np.full(3, np.nan)


def _body_frame(pm: PinModel, body: str) -> int:
    if not pm.model.existFrame(body, pin.FrameType.BODY):
        raise ValueError(f"Pinocchio has no body {body!r}")
    return int(pm.model.getFrameId(body, pin.FrameType.BODY))


# ----------------------------------------------------------------------------------------------------------- MuJoCo


def mujoco_model(urdf: str | Path, *, fuse: bool = False) -> mujoco.MjModel:
    """Load URDF with MuJoCo's repairs switched off and everything that would open a mesh taken out.

    MuJoCo refuses moving bodies without mass unless something with mass is bolted on, inertias beyond the triangle
    inequality, and inertias without three positive moments (half of the example robots have such a link). With `fuse`,
    bodies on fixed joints become part of the body that carries them.
    """
    robot = _xml(urdf)
    for link in robot.findall("link"):
        for shape in [*link.findall("visual"), *link.findall("collision")]:
            link.remove(shape)
    for joint in robot.findall("joint"):
        for limit in joint.findall("limit"):  # of no use here, and equal ones make it write a log file
            joint.remove(limit)
    for own in robot.findall("mujoco"):
        robot.remove(own)
    options = ET.Element("mujoco")
    ET.SubElement(options, "compiler", balanceinertia="false", strippath="true", angle="radian")
    options[0].set("fusestatic", str(fuse).lower())
    robot.insert(0, options)
    return mujoco.MjModel.from_xml_string(ET.tostring(robot, encoding="unicode"))


def _mujoco_state(urdf: str | Path, names: Names, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> tuple:
    model = mujoco_model(urdf)
    data = mujoco.MjData(model)
    joints = [model.joint(i) for i in range(model.njnt)]
    G, q0 = _reduction(_movable(_xml(urdf)), names, [joint.name for joint in joints])
    data.qpos[[joint.qposadr[0] for joint in joints]] = G @ np.asarray(q, dtype=float) + q0
    data.qvel[[joint.dofadr[0] for joint in joints]] = G @ np.asarray(qd, dtype=float)
    data.qacc[[joint.dofadr[0] for joint in joints]] = G @ np.asarray(qdd, dtype=float)
    return model, data, G, [joint.dofadr[0] for joint in joints]


def mujoco_inverse_dynamics(
    urdf: str | Path,
    names: Names,
    q: ArrayLike,
    qd: ArrayLike | None = None,
    qdd: ArrayLike | None = None,
    gravity: ArrayLike = GRAVITY,
) -> Array:
    """Joint torques from `mj_rne`: rigid bodies alone, without the damping, friction and limits of the file."""
    zero = np.zeros(len(names))
    model, data, G, dofs = _mujoco_state(urdf, names, q, zero if qd is None else qd, zero if qdd is None else qdd)
    model.opt.gravity[:] = gravity
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    mujoco.mj_comVel(model, data)
    tau = np.zeros(model.nv)
    mujoco.mj_rne(model, data, 1, tau)
    return G.T @ tau[dofs]
