"""Code compiled for one robot alone: the public function."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rne.batch.arguments import check_robot
from rne.codegen.functions import Functions
from rne.codegen.graph import Conditions, Graph, recording
from rne.codegen.program import Program, program, with_operands
from rne.codegen.reach import carrying, reached
from rne.codegen.twins import Twins
from rne.errors import ArgumentError
from rne.kernels.entries import (
    FORWARD_DYNAMICS,
    FORWARD_DYNAMICS_ONE,
    GRAVITY,
    GRAVITY_ONE,
    INVERSE_DYNAMICS,
    INVERSE_DYNAMICS_ONE,
    MASS_MATRIX,
    MASS_MATRIX_ONE,
)
from rne.kernels.jit import Entry
from rne.kernels.layout import SPRINGS, WITH_ROTORS
from rne.kernels.operations import INPUT
from rne.kernels.own_code import own_entry
from rne.kernels.straight import Line
from rne.model.robot import Robot
from rne.model.tree import Tree

MOST = 39
"""Joints of a robot that is worth code of its own."""


class Own(dict[tuple[Entry, tuple[int, ...]], Entry]):
    """What a robot calls in place of the entries for all robots, by entry and flags."""

    def remade(self, tree: Tree, joint_names: tuple[str, ...]) -> tuple[Any, ...]:
        """Return how a robot with code of its own is made again from a pickle."""
        return _remake, (tree, joint_names)


def _remake(tree: Tree, joint_names: tuple[str, ...]) -> Robot:
    return specialize(Robot(tree, joint_names))


def specialize(robot: Robot) -> Robot:
    """Return the same robot with code of its own for batches and single calls.

    Inverse dynamics, gravity vector, mass matrix and forward dynamics (by the articulated-body algorithm; not of robots
    with joints that follow others) are traced from the kernels with the numbers of this robot. They are compiled when
    first called, which takes some seconds each; the code is kept on disk, and robots of the same numbers find it again.
    Calls with another gravity, with ``friction=True`` or ``rotors=False``, and all other functions run the code for all
    robots. So do the robots that its ``with_...`` methods return; they can be specialized, too.

    Parameters
    ----------
    robot : a robot of up to 39 joints. Longer straight lines take minutes to compile, and fit no cache of instructions.

    Returns
    -------
    robot : the same to everything else. Results may differ in the last digits from those of the robot that was given,
        and are NaN for the same states.

    Raises
    ------
    ArgumentError
        No robot, or one with too many joints.

    Examples
    --------
    >>> import rne
    >>> arm = rne.specialize(rne.load("models/planar2/robot.dh.toml"))
    >>> rne.inverse_dynamics(arm, [0.0, 0.0], gravity=[0.0, -9.81, 0.0]).round(3)
    array([19.62 ,  4.905])
    """
    check_robot(robot)
    joints = len(robot.links.joints)
    if joints > MOST:
        raise ArgumentError(
            f"robot: {robot.name} has {joints} joints; code of its own is for up to {MOST}, as longer straight lines "
            "take minutes to compile and fit no cache of instructions. The robot as it is runs in loops"
        )
    special = Robot(robot.tree, robot.joint_names)
    if robot.n:
        object.__setattr__(special, "_own", _own(special))
    return special


def _own(robot: Robot) -> Own:
    own, joints = Own(), len(robot.links.joints)
    follows = robot.n < joints
    known: dict[str, tuple[tuple[dict[str, Entry], ...], tuple[int, ...]]] = {
        "inverse_dynamics": ((INVERSE_DYNAMICS_ONE, INVERSE_DYNAMICS), (SPRINGS,)),
        "gravity_vector": ((GRAVITY_ONE, GRAVITY), ()),
        "mass_matrix": ((MASS_MATRIX_ONE, MASS_MATRIX), (WITH_ROTORS,)),
    }
    if not follows:
        known["forward_dynamics"] = ((FORWARD_DYNAMICS_ONE["aba"], FORWARD_DYNAMICS["aba"]), (SPRINGS,))
    for name, (by_precision, flags) in known.items():
        wanted = reached(robot, name)
        for precision in ("float64", "float32"):
            traced = Functions(robot, single=precision == "float32", of_joints=True).trace(name)
            found = carrying(traced.program, wanted)
            one, many = (entries[precision] for entries in by_precision)
            for entry, line in ((one, Line(*found, joints)), (many, _of_many(found, joints, precision))):
                own[entry, flags] = own_entry(name, entry, line, robot.n, follows)
    return own


def _of_many(one: Program, joints: int, precision: str) -> Line:
    """Return the line of a batch, which on its way makes the sines of the next states.

    They are the sines of the kernels, traced. Both go on side by side, spread evenly: most of the time one operation
    waits for another, and the processor looks only some hundred operations ahead.
    """
    graph = Graph()
    sincos = Twins(recording())("simd.sincos", "_sincos64" if precision == "float64" else "_sincos32")
    counts = sorted({node[2] for node in one.nodes if node[0] == INPUT and node[1] in ("sin", "cos")})
    pairs = [sincos(graph.input("next", joint)) for joint in counts]
    made = program(graph, [number for pair in pairs for number in pair], Conditions(graph.beyond))
    streams, nodes = (one.nodes, made.nodes), []
    places: tuple[list[int], list[int]] = ([], [])
    for k in _side_by_side(len(one.nodes), len(made.nodes), 4 * len(counts)):
        nodes.append(with_operands(streams[k][len(places[k])], places[k].__getitem__))
        places[k].append(len(nodes) - 1)
    first, second = places
    ends = [second[place] for place in made.outputs]
    return Line(
        tuple(nodes),
        tuple(first[place] for place in one.outputs),
        tuple(first[place] for place in one.conditions),
        joints,
        tuple(zip(counts, ends[::2], ends[1::2], strict=True)),
        tuple(second[place] for place in made.conditions),
    )


def _side_by_side(long: int, short: int, pieces: int) -> Iterator[int]:
    """Yield which of two streams goes on, in so many pieces of each."""
    for k in range(max(pieces, 1)):
        for stream, length in enumerate((long, short)):
            for _ in range(length * k // max(pieces, 1), length * (k + 1) // max(pieces, 1)):
                yield stream
