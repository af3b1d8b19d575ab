"""Bodies, joints and sites of a compiled model of MuJoCo as links and joints of a tree.

A body of MuJoCo may have several joints, each with an anchor and an axis in the frame of the body. They follow each
other, the first next to the parent: X = X0 J1 J2 ..., where J turns about the axis through the anchor, or slides along
the axis, by q - ref. Here, a frame without mass stands on the axis of each joint, called after the joint, unless the
frame of the body does.

Source: MuJoCo, "Computation", kinematics; `mj_kinematics`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from rne.check import IDENTITY, Matrix
from rne.model.checks import check_body, check_limits, check_place
from rne.model.drive import Drive
from rne.model.edits import moved
from rne.model.findings import Findings, Spot
from rne.model.tree import Body, Joint, Limits, Pose
from rne.read.mjcf.compiled import Compiled
from rne.read.mjcf.drives import BALL, FREE, KINDS, SLIDE, effort_limit, read_drives
from rne.read.mjcf.free_root import free_root
from rne.read.mjcf.names import Names
from rne.read.poses import as_vector, rotate_tensor, rotation_quaternion


def read_bodies(compiled: Compiled, names: Names, findings: Findings) -> tuple[list[Body], list[Joint]]:
    """Return the links and joints, in the order of the file, sites last."""
    model = compiled.model
    drives = read_drives(compiled, names, findings)
    base = free_root(model)
    bodies: list[Body] = [] if base is not None else [Body(names.bodies[0], has_inertial=False)]
    joints: list[Joint] = []
    for k in range(1, model.nbody):
        line = compiled.lines.get(("body", k))
        spot = findings.at(f"body {names.bodies[k]!r}", line)
        body = _body(model, k, names.bodies[k], line, spot)
        check_body(body, spot)
        between, carrying = ([], []) if k == base else _joints(compiled, k, names, drives, findings)
        bodies += [*between, body]
        joints += carrying
    for k in range(model.nsite):
        site = Body(names.site(model.site(k).name or f"site{k}"), has_inertial=False)
        place = _pose(model.site_pos[k], model.site_quat[k], findings.at(f"site {site.name!r}"))
        parent = names.bodies[model.site_bodyid[k]]
        if base is not None and model.site_bodyid[k] == 0:
            findings.at(f"site {site.name!r}").note("is left out: it stands on the world, and the base floats")
            continue
        bodies.append(site)
        joints.append(Joint(names.joint(f"{site.name}_fixed"), "fixed", parent, site.name, place))
    for joint in joints:
        check_place(joint, findings.at(f"joint {joint.name!r}", joint.line))
    return bodies, joints


def _body(model: Any, k: int, name: str, line: int | None, spot: Spot) -> Body:
    mass, moments = float(model.body_mass[k]), model.body_inertia[k]
    x, y, z = moments.tolist()
    turn = _rotation(model.body_iquat[k], spot)
    inertia = rotate_tensor(turn, ((x, 0.0, 0.0), (0.0, y, 0.0), (0.0, 0.0, z)))
    given = bool(mass or moments.any())
    return Body(name, mass, as_vector(model.body_ipos[k]), inertia, has_inertial=given, line=line)


def _pose(position: Any, quaternion: Any, spot: Spot) -> Pose:
    return Pose(_rotation(quaternion, spot), as_vector(position))


def _rotation(quaternion: Any, spot: Spot) -> Matrix:
    if not 0.5 < np.linalg.norm(quaternion) < 2.0:  # of numbers like 1e308, which MuJoCo lets pass
        spot.error("its orientation is no rotation; a quaternion of numbers near one is wanted")
        return IDENTITY
    return rotation_quaternion(*quaternion.tolist())


def _joints(
    compiled: Compiled, k: int, names: Names, drives: dict[int, Drive], findings: Findings
) -> tuple[list[Body], list[Joint]]:
    """Return the joints that carry a body, and the frames between them."""
    model, name = compiled.model, names.bodies[k]
    spot = findings.at(f"body {name!r}", compiled.lines.get(("body", k)))
    carrier, place = names.bodies[model.body_parentid[k]], _pose(model.body_pos[k], model.body_quat[k], spot)
    between: list[Body] = []
    joints: list[Joint] = []
    numbers = list(_moving(compiled, k, names, findings))
    for j in numbers:
        slides = model.jnt_type[j] == SLIDE
        anchor = np.zeros(3) if slides else model.jnt_pos[j]
        there = np.array(place.position) + np.array(place.rotation) @ anchor
        last = j == numbers[-1] and not anchor.any()
        child = name if last else names.link(f"{names.joints[j]}_axis")
        if not last:
            between.append(Body(child, has_inertial=False))
        axis = model.jnt_axis[j] / np.linalg.norm(model.jnt_axis[j])
        joint = Joint(names.joints[j], KINDS[int(model.jnt_type[j])], carrier, child, axis=as_vector(axis))
        joint = replace(
            joint,
            origin=Pose(place.rotation, as_vector(there)),
            limits=_limits(model, j),
            drive=drives[j],
            line=compiled.lines.get(("joint", j)),
        )
        check_limits(joint.limits, findings.at(f"joint {joint.name!r}", joint.line))
        reference = float(model.qpos0[model.jnt_qposadr[j]])
        if reference:
            joint = replace(joint, origin=moved(joint, -reference))
        joints.append(joint)
        carrier, place = child, Pose(position=as_vector(-anchor))
    if carrier != name:
        joints.append(Joint(names.joint(f"{name}_fixed"), "fixed", carrier, name, place))
    return between, joints


def _moving(compiled: Compiled, k: int, names: Names, findings: Findings) -> Iterator[int]:
    """Yield the joints of a body that turn or slide; report others."""
    model = compiled.model
    first = model.body_jntadr[k]
    for j in range(first, first + model.body_jntnum[k]):
        spot = findings.at(f"joint {names.joints[j]!r}", compiled.lines.get(("joint", j)))
        if model.jnt_type[j] == FREE:
            spot.doubt(
                f"a free joint, by which {names.bodies[k]!r} floats; the base is at rest here, and the body is held"
                " where it stands in the file"
            )
        elif model.jnt_type[j] == BALL:
            spot.error("a ball joint, which is not supported; put three hinges in its place")
        else:
            yield j


def _limits(model: Any, j: int) -> Limits:
    lower, upper = model.jnt_range[j].tolist() if model.jnt_limited[j] else (-math.inf, math.inf)
    return Limits(lower, upper, effort=effort_limit(model, j))
