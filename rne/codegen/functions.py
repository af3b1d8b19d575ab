"""What can be traced of a robot: functions by the names they have in `rne`, each a straight line of operations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from rne.check import unknown_name
from rne.codegen.graph import Graph, Number, recording
from rne.codegen.program import Program, program
from rne.codegen.tracing import Inputs, Tracer, beside, cleaned, near_whole
from rne.codegen.twins import Twins
from rne.errors import ArgumentError, UnknownNameError, listed
from rne.model.link_table import table_of_numbers
from rne.model.robot import Robot
from rne.model.tree import Body, Joint, Pose

PAYLOAD = ("mass", "cx", "cy", "cz", "ixx", "ixy", "ixz", "iyy", "iyz", "izz")
"""What a payload at run time is: mass, center of mass in the axes of its frame, inertia about the center of mass."""


class Traced(NamedTuple):
    """A function of one robot.

    Attributes
    ----------
    name : as in `rne`, with the frame behind a colon.
    arguments : names and sizes of what it takes, in order.
    result : name of what it returns.
    shape : of the result.
    program : what it does.
    """

    name: str
    arguments: tuple[tuple[str, int], ...]
    result: str
    shape: tuple[int, ...]
    program: Program

    @property
    def inverts(self) -> bool:
        """Whether it inverts the mass matrix, and tells whether that is singular."""
        return self.name.startswith("forward_dynamics")


class Parameters(NamedTuple):
    """What is given at run time besides the state.

    Attributes
    ----------
    gravity : whether the acceleration of free fall is.
    payload : the frame that carries a payload; None for no payload.
    """

    gravity: bool = False
    payload: str | None = None

    @property
    def arguments(self) -> tuple[tuple[str, int], ...]:
        """Names and sizes of the arguments."""
        gravity = (("gravity", 3),) if self.gravity else ()
        return gravity if self.payload is None else (*gravity, ("payload", len(PAYLOAD)))

    def felt(self, function: str) -> Parameters:
        """Return those that a function depends on."""
        heavy = function not in _WEIGHTLESS["gravity"], function not in _WEIGHTLESS["payload"]
        return Parameters(self.gravity and heavy[0], self.payload if heavy[1] else None)


NONE = Parameters()


def parameters_of(robot: Robot, given: Any) -> Parameters:
    """Settle which parameters are given at run time.

    Raises
    ------
    ArgumentError, UnknownNameError
        They are no such names, or the robot does not have the frame of the payload.
    """
    if isinstance(given, str) or not isinstance(given, Sequence) or not all(isinstance(x, str) for x in given):
        raise ArgumentError(
            f"parameters: wanted some of 'gravity', 'payload' and 'payload:FRAME' in a tuple, got {given!r}"
        )
    gravity, payload = False, None
    for name in given:
        kind, _, frame = name.partition(":")
        if name == "gravity":
            gravity = True
        elif kind == "payload" and payload is None:
            payload = frame or _tip(robot)
            if payload not in robot.links.frames:
                raise unknown_name("parameters", "frame", payload, robot.links.frames)
        else:
            raise unknown_name("parameters", "parameter", name, ("gravity", "payload", "payload:FRAME"))
    return Parameters(gravity, payload)


def _tip(robot: Robot) -> str:
    try:
        return robot._tip()
    except ArgumentError as error:
        told = str(error).removeprefix("frame: ")
        raise ArgumentError(f"parameters: {told} as 'payload:FRAME'") from None


class Functions:
    """The functions of a robot, ready to be traced.

    Parameters
    ----------
    robot : the robot.
    parameters : what is given at run time.
    friction : whether inverse and forward dynamics count the friction of the joints.
    single : whether the code is for float32.
    of_joints : whether q, qd, qdd and the torques are those of the joints, with sines and cosines given, as kernels for
        batches work on them; torques of forward dynamics then come as qdd.
    """

    def __init__(
        self,
        robot: Robot,
        parameters: Parameters = NONE,
        *,
        friction: bool = False,
        single: bool = False,
        of_joints: bool = False,
    ) -> None:
        self.robot = robot
        self.parameters = parameters
        self.friction = friction
        self.single = single
        self.of_joints = of_joints

    def trace(self, name: str) -> Traced:
        """Trace a function.

        Raises
        ------
        UnknownNameError
            There is none of that name, or the robot does not have the frame.
        """
        function, frame = self._settle(name)
        graph, parameters = Graph(), self.parameters.felt(function)
        state = _State(self, graph, parameters)
        takes, result, shape = _KNOWN[function]
        found = _run(function, frame, state, self)
        outputs, suspect = found if isinstance(found, tuple) else (found, 0)
        flat = np.asarray(outputs, object).ravel().tolist()
        n = self.robot.n
        known = tuple((argument, n) for argument in takes)
        sizes = {"n": n, "P": len(flat) // n if n else 0}
        return Traced(
            name,
            known + parameters.arguments,
            result,
            tuple(sizes.get(size, size) for size in shape),
            program(graph, flat, suspect),
        )

    def _settle(self, name: str) -> tuple[str, str]:
        function, colon, frame = name.partition(":") if isinstance(name, str) else ("", "", "")
        if function not in _KNOWN or bool(colon) != (function in _OF_FRAMES):
            known = [f"{known}:FRAME" if known in _OF_FRAMES else known for known in _KNOWN]
            raise UnknownNameError(f"functions: no function is named {name!r}; there are {listed(known)}")
        if colon and frame not in self.robot.links.frames:
            raise unknown_name("functions", "frame", frame, self.robot.links.frames)
        return function, frame

    def table(self, graph: Graph, parameters: Parameters) -> Any:
        """Return the link table with parameters as inputs of a graph.

        A payload moves the frames of slides, which are at the center of mass of what slides. The table of a function
        that needs no payload has to be without it: sites of frames stand in the axes of the robot without payload.
        """
        table = cleaned(self.robot.links.table)
        if parameters == NONE:
            return table
        graph.rounding, graph.guarded = 1e-15, True
        tree = self.robot.tree
        if parameters.gravity:
            pull: Any = tuple(graph.input("gravity", k) for k in range(3))
            tree = replace(tree, gravity=pull)
        if parameters.payload is not None:
            m, x, y, z, ixx, ixy, ixz, iyy, iyz, izz = (graph.input("payload", k) for k in range(len(PAYLOAD)))
            name = "\0payload"  # no file has it
            inertia = ((ixx, ixy, ixz), (ixy, iyy, iyz), (ixz, iyz, izz))
            body: Any = Body(name, m, (x, y, z), inertia)  # type: ignore[arg-type]
            joint = Joint(name, "fixed", parameters.payload, name, Pose(), (0.0, 0.0, 1.0))
            tree = replace(tree, bodies=(*tree.bodies, body), joints=(*tree.joints, joint))
        symbols = table_of_numbers(tree, self.robot.joint_names)
        graph.rounding, graph.guarded = 0.0, False
        return beside(symbols, table, lambda x: isinstance(x, Number) and graph.value(x.id) is None)


class _State:
    """Arguments of the functions as numbers of a graph."""

    def __init__(self, functions: Functions, graph: Graph, parameters: Parameters) -> None:
        twins = Twins(recording(functions.single))
        self.graph = graph
        table = functions.table(graph, parameters)
        self.tracer = Tracer(twins, table, graph.const(0.0), of_joints=functions.of_joints)
        self._n = functions.robot.n
        self._of_joints = functions.of_joints

    def row(self, name: str) -> list[Number]:
        return [self.graph.input(name, j) for j in range(self._n)]

    def inputs(self) -> Inputs:
        if self._of_joints:
            names, joints = ("q", "qd", "qdd", "sin", "cos"), range(self.tracer.links)
            return Inputs(*([self.graph.input(name, j) for j in joints] for name in names))
        expanded, graph = self.tracer.expanded, self.graph
        q = expanded(self.row("q"), positions=True)
        qd, qdd = (expanded(self.row(name), positions=False) for name in ("qd", "qdd"))
        sin, cos = ([Number(graph, turn(x.id)) for x in q] for turn in (graph.sin, graph.cos))
        return Inputs(q, qd, qdd, sin, cos)

    def still(self) -> Inputs:
        """Return the inputs without acceleration."""
        inputs = self.inputs()
        return inputs._replace(qdd=[self.graph.const(0.0)] * len(inputs.q))


def _run(function: str, frame: str, state: _State, of: Functions) -> Any:
    """Return the numbers of a result, and of forward dynamics the conditions besides."""
    tracer, links = state.tracer, of.robot.links
    if function == "inverse_dynamics":
        return tracer.inverse_dynamics(state.inputs(), friction=of.friction)
    if function == "bias_vector":
        return tracer.inverse_dynamics(state.still(), springs=False)
    if function == "forward_dynamics":
        tau = state.row("qdd" if of.of_joints else "tau")
        return tracer.forward_dynamics(state.still(), tau, friction=of.friction)
    if function == "inverse_dynamics_derivatives":
        return tracer.inverse_dynamics_derivatives(state.inputs(), friction=of.friction)
    if function == "forward_dynamics_derivatives":
        return tracer.forward_dynamics_derivatives(state.still(), state.row("tau"), friction=of.friction)
    if function == "inverse_dynamics_vjp":
        return tracer.inverse_dynamics_vjp(state.inputs(), state.row("weights"), friction=of.friction)
    if function == "regressor":
        return tracer.regressor(state.inputs(), near_whole(links.joint_sites["local"]), friction=of.friction)
    if function in _OF_FRAMES:
        return getattr(tracer, function)(state.inputs(), near_whole(links.frames[frame].sites["world"]))
    return getattr(tracer, function)(state.inputs())


_KNOWN: dict[str, tuple[tuple[str, ...], str, tuple[Any, ...]]] = {
    "inverse_dynamics": (("q", "qd", "qdd"), "tau", ("n",)),
    "forward_dynamics": (("q", "qd", "tau"), "qdd", ("n",)),
    "gravity_vector": (("q",), "g", ("n",)),
    "bias_vector": (("q", "qd"), "bias", ("n",)),
    "mass_matrix": (("q",), "M", ("n", "n")),
    "coriolis_matrix": (("q", "qd"), "C", ("n", "n")),
    "christoffel": (("q",), "D", ("n", "n", "n")),
    "regressor": (("q", "qd", "qdd"), "Y", ("n", "P")),
    "inverse_dynamics_derivatives": (("q", "qd", "qdd"), "dtau", (3, "n", "n")),
    "forward_dynamics_derivatives": (("q", "qd", "tau"), "dqdd", (3, "n", "n")),
    "inverse_dynamics_vjp": (("q", "qd", "qdd", "weights"), "gradient", (3, "n")),
    "gravity_derivative": (("q",), "dg", ("n", "n")),
    "forward_kinematics": (("q",), "pose", (4, 4)),
    "jacobian": (("q",), "J", (6, "n")),
}
"""By name: the arguments of the state, name and shape of the result."""
_OF_FRAMES = ("forward_kinematics", "jacobian")
_WEIGHTLESS = {
    "gravity": (*_OF_FRAMES, "mass_matrix", "coriolis_matrix", "christoffel"),
    "payload": (*_OF_FRAMES, "regressor"),
}
"""By parameter: functions that do not depend on it."""
