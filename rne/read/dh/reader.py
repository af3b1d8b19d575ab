"""Denavit-Hartenberg tables, standard and modified; both conventions end here."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import cos, sin

import numpy as np

from rne.check import ZERO
from rne.errors import shown
from rne.model.checks import check_passive, check_place, note_weightless
from rne.model.findings import Findings, WrongValueError
from rne.model.structure import check_structure, parents_first
from rne.model.tree import STANDARD_GRAVITY, Body, Joint, Pose, Tree
from rne.model.values import as_square
from rne.read.dh.couplings import read_couplings
from rne.read.dh.fields import Fields
from rne.read.dh.rows import Row, read_rows
from rne.read.dh.toml import Places, load_toml
from rne.read.files import file_name
from rne.read.followers import free_followers
from rne.read.poses import XYZ_RPY, as_matrix, as_vector, rotation_rpy, rotation_x, rotation_z
from rne.read.screws import Screw, screw_joint

CONVENTIONS = {
    "standard": "A = Rz(theta) Tz(d) Tx(a) Rx(alpha)",
    "modified": "A = Rx(alpha) Tx(a) Rz(theta) Tz(d), Craig",
}
TABLE_KEYS = ("name", "convention", "gravity", "base", "tool", "rows", "couplings")
ROTATION_ROUNDING = 1e-8
"""How far the rotation of a base pose may be from orthonormal: eight digits of each entry."""


def read_dh(path: str | os.PathLike[str], *, strict: bool = True) -> Tree:
    """Read a DH table from a TOML file.

    The file holds ``convention`` ("standard" or "modified"), optionally ``name``, ``gravity``, ``base``, ``tool``, and
    one ``[[rows]]`` table for each joint, and optional ``[[couplings]]`` between them; `tree_from_rows` describes them.

    Parameters
    ----------
    path : the file.
    strict : whether physical doubts are errors (True) or notes of the tree (False).

    Returns
    -------
    Tree
        The robot, see `tree_from_rows`.

    Raises
    ------
    ModelError
        The file cannot be read, is not TOML, or is no DH table; holds all problems found, each with its line.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> text = '''convention = "standard"
    ... [[rows]]
    ... joint = "revolute"
    ... a = 0.5
    ... mass = 2.0
    ... '''
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "arm.dh.toml")
    ...     _ = path.write_text(text)
    ...     tree = read_dh(path)
    >>> [joint.name for joint in tree.joints if joint.movable]
    ['joint1']
    """
    findings = Findings(file_name(path, "write the text to a file, or give rows to from_dh"), strict)
    values, places = load_toml(findings)
    return _build(values, findings, places)


def tree_from_rows(
    rows: Sequence[Mapping[str, object]],
    *,
    convention: str,
    name: str = "robot",
    gravity: Sequence[float] | None = None,
    base: object = None,
    tool: object = None,
    couplings: Sequence[Mapping[str, object]] | None = None,
    strict: bool = True,
) -> Tree:
    """Make a tree of the rows of a DH table.

    Parameters
    ----------
    rows : one mapping for each joint, from the base to the tip:

        - ``joint`` : "revolute", "prismatic", "screw", or "fixed" for a flange, a bracket, a tool.
        - ``a, alpha, d, theta`` : the constant parts (m, rad), 0 where missing. The angle of a revolute joint is
          ``theta + q``, the slide of a prismatic one ``d + q``, and of a screw both move.
        - ``gamma, b`` : of the modified convention, Rz(gamma) Tz(b) in front of the four, for branches (Khalil and
          Kleinfinger 1986): where several rows hang on one link, x of its frame leads to one of them alone.
        - ``sign`` (1) : -1 if q counts the other way: ``theta - q``, ``d - q``.
        - ``pitch`` : of a screw, m of travel along z per rad; negative for a left-hand thread.
        - ``mimic`` : joint that is followed, its name, or a mapping with ``joint``, ``ratio`` (1) and ``offset`` (0):
          ``q = ratio * q_joint + offset``.
        - ``mass`` (kg), ``com`` (3, m), ``inertia`` (kg m^2; 3x3, or a mapping with ixx, iyy, izz and, where they are
          not zero, ixy, ixz, iyz): in the DH frame of the row, the inertia about the center of mass. The products are
          entries of the tensor, as in URDF.
        - ``first_moment`` (3, kg m) : mass times center of mass, in place of ``com``; the inertia is then about the
          origin of the frame. So are identified parameters written. Those of a set of base parameters, with first
          moments where the mass has been regrouped away, need ``strict=False``.
        - ``rotor_inertia, viscous, coulomb`` : of the drive, on the motor side; at the joint they count
          ``gear_ratio**2``, ``gear_ratio**2`` and ``abs(gear_ratio)`` times. ``coulomb`` is one size, or two for
          positive and negative velocity: ``[plus, minus]`` or a mapping; ``minus`` may carry either sign.
        - ``friction`` : more friction of the drive, on the motor side, a mapping with any of ``offset, smoothing,
          stribeck, stribeck_velocity, quadratic, cubic``, see `rne.Drive`.
        - ``gear_ratio`` (1), ``stiffness, rest`` : of the joint; ``lower, upper, velocity, effort`` : its limits.
        - ``name`` : of the joint, ``joint1`` and so on where missing.
        - ``link`` : name of the link, ``link1`` and so on where missing.
        - ``parent`` : the link that it hangs on where that is not the row before: "base" or "link1" and so on. In the
          standard convention the joint axis is z of that link.
    convention : "standard", A = Rz(theta) Tz(d) Tx(a) Rx(alpha), or "modified", A = Rx(alpha) Tx(a) Rz(theta) Tz(d)
        with the alpha and a of its own row.
    name : of the robot.
    gravity : (3,) acceleration of free fall, m/s^2, in the axes of the root: the world if there is a base pose, else
        the DH base frame. The standard is (0, 0, -9.81).
    base : pose of the DH base frame in the world: a mapping with ``xyz`` (m) and ``rpy`` (rad), or a 4x4 matrix.
    tool : pose of the frame "tool" in that of the last row, in the same way.
    couplings : springs and dampers between joints, each a mapping with ``joints`` (two names), ``stiffness`` (N m/rad
        or N/m), ``viscous`` (N m s/rad or N s/m), ``rest`` (0) and ``ratio`` (1): the stretch of joints a and b is
        ``q_a - ratio * q_b - rest``, the spring stores ``stiffness * stretch**2 / 2``. At the joints, without gears.
    strict : whether physical doubts are errors (True) or notes of the tree (False).

    Returns
    -------
    Tree
        Link ``link1`` carries the DH frame of the first row, and so on, behind "base" and perhaps "world". In the
        standard convention a frame ``link1_axis`` without mass stands on each joint axis, since the DH frame of the
        row does not.

    Raises
    ------
    ModelError
        The rows make no robot; holds all problems found.

    Examples
    --------
    >>> row = {"joint": "revolute", "a": 0.5, "mass": 2.0, "com": [-0.25, 0, 0]}
    >>> tree = tree_from_rows([row, row], convention="standard")
    >>> [body.name for body in tree.bodies]
    ['base', 'link1_axis', 'link1', 'link2_axis', 'link2']
    """
    values: dict[str, object] = {"rows": rows, "convention": convention, "name": name, "gravity": gravity}
    values |= {"base": base, "tool": tool, "couplings": couplings}
    given = {key: value for key, value in values.items() if value is not None}
    return _build(given, Findings("<dh>", strict), Places(""))


def placed_rows(
    rows: Sequence[Mapping[str, object]], convention: str, change: Callable[[int, Row], Row]
) -> tuple[list[Body], list[Joint]]:
    """Return bodies and joints of sound rows, each changed before it is placed.

    Parameters
    ----------
    rows, convention : as for `tree_from_rows`, which has taken them without an error.
    change : is given the number of a row, from 0, and what it says.
    """
    table = Fields({"rows": rows}, "", Findings("<dh>", False), Places("").key)
    place = _place_modified if convention == "modified" else _place_standard
    bodies, joints = [], []
    for number, row in enumerate(read_rows(table, Places(""))):
        more_bodies, more_joints = place(change(number, row))
        bodies += more_bodies
        joints += more_joints
    return bodies, joints


def _build(values: Mapping[str, object], findings: Findings, places: Places) -> Tree:
    table = Fields(values, "", findings, places.key)
    table.reject_unknown(TABLE_KEYS)
    name = table.text("name", "robot")
    gravity = table.vector("gravity", STANDARD_GRAVITY)
    standard = table.choice("convention", CONVENTIONS) != "modified"
    bodies, joints = _read_base(table)
    rows = read_rows(table, places)
    for number, row in enumerate(rows, 1):
        if standard and (row.gamma or row.b):
            spot = findings.at(f"row {number}", row.joint.line)
            spot.error("gamma and b are of the modified convention; in the standard one they add to theta and d")
        more_bodies, more_joints = (_place_standard if standard else _place_modified)(row)
        bodies += more_bodies
        joints += more_joints
        for joint in more_joints:
            check_place(joint, findings.at(f"joint {joint.name!r}", joint.line))
    if table.has("tool") and rows:
        bodies.append(Body("tool", has_inertial=False))
        pose = _read_pose(table, "tool")
        joints.append(Joint("tool_pose", "fixed", rows[-1].body.name, "tool", pose, line=table.line_of("tool")))
    joints = free_followers(joints, findings)
    couplings = read_couplings(table, [joint for joint in joints if joint.movable], places)
    check_structure(bodies, joints, findings)
    check_passive(joints, couplings, findings)
    if not findings.errors:
        note_weightless(parents_first(bodies, joints), bodies, findings)
    return Tree(name, tuple(bodies), tuple(joints), gravity, findings.where, findings.close(), couplings)


def _place_standard(row: Row) -> tuple[list[Body], list[Joint]]:
    # The joint axis is z of the frame before, and misses the origin of the frame of the row. A frame on the axis moves
    # with the joint; the frame of the row is bolted to it.
    axis = Body(f"{row.body.name}_axis", has_inertial=False, line=row.body.line)
    slides = row.joint.kind == "prismatic"
    moving = Pose(rotation_z(row.theta), (0.0, 0.0, row.d if slides else 0.0))
    bolted = Pose(rotation_x(row.alpha), (row.a, 0.0, 0.0 if slides else row.d))
    if not row.joint.movable:
        turn, (x, y, _) = np.array(moving.rotation), np.array(moving.rotation) @ (row.a, 0.0, 0.0)
        whole = Pose(as_matrix(turn @ np.array(bolted.rotation)), (float(x), float(y), row.d))
        return [row.body], [replace(row.joint, child=row.body.name, origin=whole)]
    between, joints = _moving(replace(row.joint, child=axis.name, origin=moving), row)
    bolt = Joint(f"{row.body.name}_fixed", "fixed", axis.name, row.body.name, bolted, line=row.body.line)
    return [*between, axis, row.body], [*joints, bolt]


def _place_modified(row: Row) -> tuple[list[Body], list[Joint]]:
    # The joint axis is z of the frame of the row itself.
    (ct, st), (ca, sa) = (cos(row.theta), sin(row.theta)), (cos(row.alpha), sin(row.alpha))
    rotation = (ct, -st, 0.0), (ca * st, ca * ct, -sa), (sa * st, sa * ct, ca)
    origin = Pose(rotation, (row.a, -sa * row.d, ca * row.d))
    if row.gamma or row.b:  # Khalil and Kleinfinger: Rz(gamma) Tz(b) comes first
        turn = np.array(rotation_z(row.gamma))
        x, y, z = (turn @ origin.position).tolist()
        origin = Pose(as_matrix(turn @ np.array(rotation)), (x, y, z + row.b))
    between, joints = _moving(replace(row.joint, child=row.body.name, origin=origin), row)
    return [*between, row.body], joints


def _moving(joint: Joint, row: Row) -> tuple[list[Body], list[Joint]]:
    """Return the joint of a row; of a screw the two that it is made of, and the link between them."""
    if not row.pitch:
        return [], [joint]
    place, turn = np.array(joint.origin.position), np.array(joint.origin.rotation)
    return screw_joint(joint, Screw(turn @ joint.axis, place, 1.0, row.pitch))


def _read_base(table: Fields) -> tuple[list[Body], list[Joint]]:
    base = Body("base", has_inertial=False)
    if not table.has("base"):
        return [base], []
    mount = Joint("base_pose", "fixed", "world", "base", _read_pose(table, "base"), line=table.line_of("base"))
    return [Body("world", has_inertial=False), base], [mount]


def _read_pose(table: Fields, key: str) -> Pose:
    inner = table.inner(key)
    if inner is not None:
        inner.reject_unknown(XYZ_RPY)
        return Pose(rotation_rpy(inner.vector("rpy", ZERO)), inner.vector("xyz", ZERO))
    value = table.values[key]
    try:
        matrix = np.array(as_square(value, 4))
    except WrongValueError as wrong:
        table.spot(key).error(f"{key} = {shown(value)} {wrong}, nor a table with xyz and rpy")
        return Pose()
    rotation = matrix[:3, :3]
    off = np.abs(rotation @ rotation.T - np.eye(3)).max()
    off = max(off, np.abs(matrix[3] - (0.0, 0.0, 0.0, 1.0)).max())
    if off > ROTATION_ROUNDING or np.linalg.det(rotation) < 0:
        table.spot(key).error(
            f"{key} = {shown(value)} is not a pose: a rotation (orthonormal to {ROTATION_ROUNDING:g}, right-handed) and"
            " a position above the row 0 0 0 1 are wanted"
        )
    return Pose(as_matrix(rotation), as_vector(matrix[:3, 3]))
