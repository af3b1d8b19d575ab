"""Loading robots from files, text or rows."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from numpy.typing import ArrayLike

from rne.check import check_flag, vector
from rne.errors import MOST_SHOWN, ArgumentError, ModelWarning
from rne.model import body_edits, edits
from rne.model.lock_doubts import lock_doubts
from rne.model.robot import Robot
from rne.model.tree import Tree
from rne.read import read
from rne.read.dh.reader import read_dh, tree_from_rows
from rne.read.mjcf.reader import read_mjcf
from rne.read.poses import as_pose
from rne.read.urdf.reader import read_urdf


def load(
    path: str | os.PathLike[str],
    *,
    args: Mapping[str, object] | None = None,
    base: Any = None,
    packages: Mapping[str, str | os.PathLike[str]] | None = None,
    lock: Mapping[str, float] | None = None,
    joints: Sequence[str] | None = None,
    gravity: ArrayLike | None = None,
    floating: bool | None = None,
    strict: bool = True,
    extensions: bool = False,
) -> Robot:
    """Load a robot from URDF (``.urdf``, ``.xacro``), MJCF (``.mjcf``), ``.xml`` of either, or a DH table (``.toml``).

    Parameters
    ----------
    path : the file.
    args : values of the arguments of a xacro file, by name: text, numbers or booleans. Such a file is a program, which
        is expanded (extra `xacro`) only if `args` is given, `{}` if it needs none; line numbers in messages are then
        those of the expanded text.
    base : pose of the file's root in the world, such as on a wall or a ceiling: a mapping with ``xyz`` (m) and ``rpy``
        (rad), a 4x4 matrix, or a `Pose`. Gravity and frames are then in the axes of the world.
    packages : folders of ROS packages by name, for ``$(find NAME)`` and ``package://NAME/``. Others are searched
        around the file, in its repository, and in ``ROS_PACKAGE_PATH`` and ``AMENT_PREFIX_PATH``.
    lock : positions (rad or m) by joint name; these joints are frozen, and q has no entry for them.
    joints : names of the joints in the order of q, qd, qdd and tau; by default the order of the file.
    gravity : (3,) acceleration of free fall in base axes, m/s^2, instead of the file's; in world axes if the base
        floats.
    floating : whether the base moves freely. q then begins with its position and unit quaternion [x y z, qx qy qz qw]
        in the world, qd and qdd with linear and angular velocity in its own axes and their time derivatives, tau with
        force and moment on it; see the docstring of `rne`. By default as the file says: if the root hangs on a floating
        joint (URDF) or has a free joint (MJCF). False fixes such a root at the origin.
    strict : if False, doubtful contents, such as an unphysical inertia or a misspelt attribute, are warnings instead of
        errors; contents without a defensible interpretation remain errors.
    extensions : whether to read extensions of other programs to URDF: rotor inertias and gear ratios in
        ``<transmission>``, springs and damping in ``<gazebo>``, ``<dynamics>`` and ``<mujoco>``.

    Returns
    -------
    Robot

    Raises
    ------
    ModelError
        The file is not a robot. Lists every problem with file, line and element; the last line says whether
        ``strict=False`` would load the file.
    UnknownNameError, ArgumentError
        `args` or `packages` do not match the file, `base` is not a pose, or `lock`, `joints` or `gravity` do not match
        the robot.

    Warns
    -----
    ModelWarning
        Something is legal but probably not intended, such as a moving link without mass or a joint locked at 90 rad, or
        something that acts on the robot is not read, such as a spring of Gazebo.

    Examples
    --------
    >>> import rne
    >>> panda = rne.load("models/panda/robot.urdf", lock={"panda_finger_joint1": 0.0})
    >>> panda.n
    7
    """
    tree = read(path, args=args, packages=packages, strict=strict, extensions=extensions)
    return make_robot(tree, base, lock, joints, gravity, floating)


def load_urdf(
    path_or_text: str | bytes | os.PathLike[str],
    *,
    base: Any = None,
    lock: Mapping[str, float] | None = None,
    joints: Sequence[str] | None = None,
    gravity: ArrayLike | None = None,
    floating: bool | None = None,
    strict: bool = True,
    extensions: bool = False,
) -> Robot:
    """Load a robot from a URDF file, or from a string with its content.

    Parameters
    ----------
    path_or_text : a path, or the XML itself.
    base, lock, joints, gravity, floating, strict, extensions : as for `load`, which also lists the errors and warnings.

    Returns
    -------
    Robot

    Examples
    --------
    >>> import rne
    >>> rne.load_urdf('<robot name="block"><link name="base"/></robot>').n
    0
    """
    return make_robot(
        read_urdf(path_or_text, strict=strict, extensions=extensions), base, lock, joints, gravity, floating
    )


def load_mjcf(
    path_or_text: str | bytes | os.PathLike[str],
    *,
    base: Any = None,
    lock: Mapping[str, float] | None = None,
    joints: Sequence[str] | None = None,
    gravity: ArrayLike | None = None,
    floating: bool | None = None,
    strict: bool = True,
) -> Robot:
    """Load a robot from an MJCF file, the format of MuJoCo, or from a text that holds one (extra `mujoco`).

    Hinges and slides, also several of one body, with armature, damping, friction and springs, and those of actuators;
    equalities of joints of first degree as mimic joints; fixed tendons as springs and dampers between joints; gravity;
    sites as frames; keyframes as states (`Robot.state`). Positions are those of MuJoCo (`qpos`).

    Parameters
    ----------
    path_or_text : a path, or the XML itself, which finds no other files by relative paths.
    base, lock, joints, gravity, floating, strict : as for `load`, which also lists the errors and warnings.

    Returns
    -------
    Robot

    Examples
    --------
    >>> import rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> rne.load_mjcf(arm.to_mjcf()).joint_names
    ('shoulder', 'elbow')
    """
    return make_robot(read_mjcf(path_or_text, strict=strict), base, lock, joints, gravity, floating)


def load_dh(
    path: str | os.PathLike[str],
    *,
    base: Any = None,
    lock: Mapping[str, float] | None = None,
    joints: Sequence[str] | None = None,
    gravity: ArrayLike | None = None,
    floating: bool | None = None,
    strict: bool = True,
) -> Robot:
    """Load a robot from a DH table in TOML.

    Parameters
    ----------
    path : the file; its keys are those of the rows of `from_dh`, in ``[[rows]]``, with ``convention`` at the top,
        and of its couplings, in ``[[couplings]]``.
    base, lock, joints, gravity, floating, strict : as for `load`, which lists errors and warnings.

    Returns
    -------
    Robot

    Examples
    --------
    >>> import rne
    >>> rne.load_dh("models/planar2/robot.dh.toml").n
    2
    """
    return make_robot(read_dh(path, strict=strict), base, lock, joints, gravity, floating)


def from_dh(
    rows: Sequence[Mapping[str, Any]],
    *,
    convention: str,
    name: str = "robot",
    base: Any = None,
    tool: Any = None,
    couplings: Sequence[Mapping[str, Any]] | None = None,
    lock: Mapping[str, float] | None = None,
    joints: Sequence[str] | None = None,
    gravity: ArrayLike | None = None,
    floating: bool | None = None,
    strict: bool = True,
) -> Robot:
    """Make a robot from the rows of a DH table.

    Parameters
    ----------
    rows : one mapping per joint, with the keys ``joint`` ("revolute", "prismatic", "screw" with ``pitch``, m per rad,
        or "fixed"), ``a, alpha, d, theta`` (m, rad; the constant parts: the angle of a revolute joint is theta + q, the
        slide of a prismatic one d + q, with minus signs if ``sign`` is -1), ``mass`` (kg),
        ``com`` (3) and ``inertia`` (3x3, or the six by name) in the row's own frame, inertia about the center of mass;
        or ``first_moment`` (3, kg m) for ``com``, and inertia about the origin, as of a set of base parameters;
        optional ``name, lower, upper, velocity, effort, stiffness, rest``, and of the motor ``rotor_inertia,
        gear_ratio, viscous, coulomb``: reflected to the joint, the first and third are multiplied by gear_ratio^2, the
        last by abs(gear_ratio). ``mimic`` (a name, or ``joint, ratio, offset``) is the joint that it follows. ``link``
        is the name of its link ("link1" and so on), ``parent`` its parent link, if not that of the previous row; for
        branches of the modified convention there are ``gamma`` and ``b``, Rz(gamma) Tz(b) in front (Khalil and
        Kleinfinger 1986).
    convention : "standard", A = Rz(theta) Tz(d) Tx(a) Rx(alpha), the frame of a row at the far end of its link; or
        "modified", A = Rx(alpha) Tx(a) Rz(theta) Tz(d), with alpha and a of the same row. There is no default.
    name : name of the robot.
    base : pose of the table's base frame in the world, a mapping with ``xyz`` and ``rpy``, or a 4x4 matrix.
    tool : pose of the frame "tool" in that of the last row, in the same way.
    couplings : springs and dampers between joints, each a mapping with ``joints`` (two names) and some of ``stiffness,
        viscous, rest, ratio``: they act on the stretch q_a - ratio q_b - rest of their joints a and b.
    lock, joints, gravity, floating, strict : as for `load`, which lists errors and warnings.

    Returns
    -------
    Robot

    Examples
    --------
    >>> import rne
    >>> arm = rne.from_dh([{"joint": "revolute", "a": 1.0, "mass": 2.0}], convention="standard")
    >>> rne.gravity_vector(arm.with_gravity([0, -9.81, 0]), [0.0]).round(3)
    array([19.62])
    """
    if base is not None and floating:
        raise ArgumentError("base: the base floats, and q holds its pose; leave out base=")
    tree = tree_from_rows(
        rows, convention=convention, name=name, base=base, tool=tool, couplings=couplings, strict=strict
    )
    return make_robot(tree, None, lock, joints, gravity, floating)


def make_robot(
    tree: Tree,
    base: object,
    lock: Mapping[str, float] | None,
    joints: Sequence[str] | None,
    gravity: ArrayLike | None,
    floating: bool | None,
) -> Robot:
    """Make a robot from a tree, with the options of the loading functions, and issue the warnings of the reader."""
    for note in tree.notes[:MOST_SHOWN]:
        warnings.warn(str(note), ModelWarning, stacklevel=3)
    if more := len(tree.notes[MOST_SHOWN:]):
        warnings.warn(f"{tree.source}: {more:,} more notes; robot.tree.notes has them all", ModelWarning, stacklevel=3)
    if floating is not None:
        check_flag("floating", floating)
        tree = replace(tree, floating=bool(floating))
    if base is not None and tree.floating:
        raise ArgumentError("base: the base floats, and q holds its pose; floating=False makes this a fixed base")
    if base is not None:
        tree = body_edits.with_base(tree, as_pose("base", base))
    if lock is not None:
        frozen = edits.locked(tree, lock)
        for doubt in lock_doubts(tree, lock, "lock"):
            warnings.warn(doubt, ModelWarning, stacklevel=3)
        tree = frozen
    if gravity is not None:
        tree = replace(tree, gravity=vector("gravity", gravity))
    return Robot(tree, joints)
