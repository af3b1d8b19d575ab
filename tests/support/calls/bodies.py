"""Calls of what makes robots and bodies, and changes them."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
from own_robots import arm

import rne
from calls.bad import (
    BAD,
    NAMES,
    PSEUDO,
    ROBOT,
    ROTATION,
    SEVERAL,
    SIZE,
    UNEVEN,
    VECTOR,
    N,
    no_number,
    no_numbers,
)
from calls.call import BODY, Call, call_of
from calls.loading import BASES, PLAIN
from rne.model.tree import Body

MATRIX = [*no_numbers(N), *no_numbers(N * N), np.triu(np.ones((N, N))), np.eye(N + 1), np.eye(N)[None], np.eye(N) > 0]
PATHS = [3, b"a.urdf", ["a.urdf"], "", "a.json", "none"]
EVALUATOR = rne.Evaluator(ROBOT)
STATED = PLAIN.with_states({"home": [0.1, 0.2]})
BODY_OF_A_LINK = Body("link", 1.0)


def fresh(method: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method of a builder of two joints that is made anew for each call."""

    @functools.wraps(method)
    def call(**arguments: Any) -> Any:
        builder = rne.TreeBuilder("arm").add("a", "revolute", name="one", inertia=BODY)
        return method(builder.add("b", "revolute", name="two", inertia=BODY), **arguments)

    signature = inspect.signature(method)
    call.__signature__ = signature.replace(parameters=list(signature.parameters.values())[1:])  # type: ignore[attr-defined]
    return call


BODY_CALLS: tuple[Call, ...] = (
    call_of(rne.Robot, {"tree": [None, "arm.urdf", 3, ROBOT, ROBOT.links]}, tree=arm().tree),
    call_of(ROBOT.joint, {"name": NAMES}, name="turret"),
    call_of(ROBOT.with_gravity, {"gravity": [None, *VECTOR]}, gravity=[0.0, 0.0, -1.0]),
    call_of(
        ROBOT.with_payload,
        {"mass": SIZE, "com": [None, *VECTOR], "frame": [name for name in NAMES if name is not None]},
        mass=1.0,
        inertia=np.eye(3),
        frame="hand",
    ),
    call_of(ROBOT.without_body, {"name": NAMES}, name="hand"),
    call_of(ROBOT.scaled_mass, {"factor": no_number(0.0, -1.0), "links": SEVERAL}, factor=1.2, links=["hand"]),
    call_of(
        ROBOT.with_tool,
        {
            "tool": [None, 3, "hand", np.eye(3), ROBOT.tree],
            "frame": [name for name in NAMES if name is not None],
            "position": [None, *VECTOR],
            "rotation": [*ROTATION, 2 * np.eye(3), -np.eye(3)],
            "replacing": [name for name in NAMES if name is not None],
            "name": ["", " ", 3, b"name", ["name"]],
        },
        tool=BODY,
        frame="hand",
        name="drill",
    ),
    call_of(ROBOT.to_urdf, {"path": PATHS}),
    call_of(PLAIN.to_mjcf, {"path": PATHS}),
    call_of(
        PLAIN.to_dh,
        {"path": PATHS, "convention": ["Modified", "", None, 3, ["standard"]]},
        convention="standard",
    ),
    call_of(
        rne.TreeBuilder,
        {"base": ["", " ", None, 3, b"name", ["name"]]},
        name="arm",
    ),
    call_of(
        fresh(rne.TreeBuilder.add),
        {
            "link": ["", " ", None, 3, b"name", ["name"], "base"],
            "name": ["", " ", 3, b"name", ["name"]],
            "joint": ["Revolute", "", 3, ["revolute"], b"fixed"],
            "parent": [name for name in NAMES if name is not None],
            "pose": [pose for pose in BASES if pose is not None],
            "xyz": [*VECTOR],
            "rpy": [*VECTOR],
            "axis": [*VECTOR, [0, 0, 0]],
            "screw": no_numbers(6),
            "inertia": [3, np.eye(3), "body"],
            "drive": [3, {"viscous": 1.0}],
            "limits": [3, (0.0, 1.0)],
            "mimic": [3, "turret"],
        },
        link="link",
    ),
    call_of(
        fresh(rne.TreeBuilder.couple),
        {
            "first": NAMES,
            "second": NAMES,
            **{key: no_number() for key in ("stiffness", "viscous", "rest", "ratio")},
        },
        first="one",
        second="two",
        stiffness=1.0,
    ),
    call_of(fresh(rne.TreeBuilder.tree)),
    call_of(
        fresh(rne.TreeBuilder.robot),
        {
            "base": BASES,
            "joints": [["one"], ["one", "one"], "one", 3],
            "lock": [["one"], "one", 3, {"nowhere": 0.0}, {"one": np.nan}],
        },
    ),
    call_of(BODY_OF_A_LINK.to_inertia),
    call_of(rne.model_path, {"name": ["pandas", "", None, 3, b"panda", ["panda"]]}, name="panda"),
    call_of(
        rne.load_model,
        {
            "name": ["pandas", "", None, 3, b"panda", ["panda"]],
            "options": [],
        },
        name="planar2",
    ),
    call_of(
        rne.from_screws,
        {
            "M": ["text", None, np.eye(3), np.eye(4) * 2, np.eye(4) * 1j, [np.eye(4)] * 4],
            "S": ["text", None, np.eye(6)[0], np.zeros((6, 2)), np.ones((2, 6)), np.eye(6) * 1j],
            "inertias": [None, 3, "text", [], [BODY], [BODY, 3], [BODY, np.eye(5)], {"a": BODY}],
            "names": ["ab", 3, ["one"], ["one", 2], {"one", "two"}],
            "frame": ["Space", "", None, 3, ["space"]],
            "base": BASES,
            "joints": [["joint1"], ["joint1", "joint1"], "joint1", 3],
            "lock": [["joint1"], "joint1", 3, {"nowhere": 0.0}, {"joint1": np.nan}],
        },
        frame="space",
        M=np.eye(4),
        S=np.eye(6)[:, :2],
        inertias=[BODY, BODY],
    ),
    call_of(
        ROBOT.with_frame,
        {
            "name": ["", None, 3, b"name", ["name"], "hand"],
            "frame": [name for name in NAMES if name is not None],
            "position": [None, *VECTOR],
            "rotation": [*ROTATION, 2 * np.eye(3), -np.eye(3)],
        },
        name="tip",
        position=np.ones(3),
        frame="hand",
    ),
    call_of(ROBOT.with_locked, {"values": [None, *BAD["lock"]]}, values={"turret": 0.1}),
    call_of(
        ROBOT.with_drives,
        {
            "drives": [
                None,
                ["turret"],
                "turret",
                3,
                {"nowhere": rne.Drive()},
                {3: rne.Drive()},
                {"turret": None},
                {"turret": {"viscous": 1.0}},
                *(
                    {"turret": rne.Drive(**{key: value})}
                    for key in (
                        "rotor_inertia",
                        "gear_ratio",
                        "viscous",
                        "coulomb_plus",
                        "coulomb_minus",
                        "stiffness",
                        "rest",
                    )
                    for value in no_number(
                        *([] if key in ("gear_ratio", "rest") else [-1.0]), *([0.0] if key == "gear_ratio" else [])
                    )
                ),
            ]
        },
        drives={"turret": rne.Drive(viscous=1.0)},
    ),
    call_of(
        ROBOT.with_springs,
        {"stiffness": [None, *MATRIX], "rest": no_numbers(N)},
        stiffness=np.eye(N) - 0.1,
        rest=np.ones(N),
    ),
    call_of(
        ROBOT.with_states,
        {
            "states": [
                None,
                ["home"],
                "home",
                3,
                {3: np.zeros(N)},
                {"": np.zeros(N)},
                {"home": {"nowhere": 0.0}},
                *({"home": value} for value in no_numbers(N)[:3]),
                *({"home": {"turret": value}} for value in no_number()),
            ]
        },
        states={"home": np.ones(N), "bent": {"turret": 0.5}},
    ),
    call_of(STATED.state, {"name": [None, 3, "", "nowhere", b"home"]}, name="home"),
    call_of(ROBOT.with_dampers, {"viscous": [None, *MATRIX, -np.eye(N), np.full(N, -1.0)]}, viscous=np.eye(N)),
    call_of(
        ROBOT.with_parameters,
        {"pi": [None, *no_numbers(10 * N), -np.ones(10 * N)]},
        pi=rne.parameters(ROBOT),
    ),
    call_of(rne.parameters),
    call_of(rne.parameter_names),
    call_of(rne.Evaluator),
    *(
        call_of(getattr(EVALUATOR, name))
        for name in (
            "inverse_dynamics",
            "forward_dynamics",
            "gravity_vector",
            "bias_vector",
            "mass_matrix",
            "jacobian",
            "inverse_dynamics_derivatives",
            "forward_dynamics_derivatives",
        )
    ),
    call_of(EVALUATOR.address_of, method="jacobian"),
    call_of(rne.Inertia, {"tensor": BAD["inertia"], "com": [None, *VECTOR]}, mass=1.0),
    call_of(rne.Inertia.point, {"at": [None, *VECTOR]}, mass=1.0),
    call_of(
        rne.Inertia.rod,
        {"length": SIZE, "axis": [None, *VECTOR, [0, 0, 0]], "about": ["tip", "", None, 3]},
        mass=1.0,
        length=1.0,
    ),
    call_of(rne.Inertia.box, {"size": [None, *VECTOR, [1, 1, -1]]}, mass=1.0, size=[1, 2, 3]),
    call_of(
        rne.Inertia.cylinder,
        {"radius": SIZE, "length": SIZE, "axis": [None, *VECTOR, [0, 0, 0]], "inner": [*SIZE, 2.0]},
        mass=1.0,
        radius=1.0,
        length=1.0,
    ),
    call_of(rne.Inertia.sphere, {"radius": SIZE, "inner": [*SIZE, 2.0]}, mass=1.0, radius=1.0),
    call_of(rne.Inertia.from_pseudo, {"pseudo": PSEUDO}, pseudo=BODY.pseudo),
    call_of(
        Body.from_inertia,
        {"name": [None, 3, "", " ", b"link"], "inertia": [None, 3, np.eye(3), ROBOT]},
        name="link",
        inertia=BODY,
    ),
    call_of(BODY.at, {"rotation": [*ROTATION, 2 * np.eye(3), -np.eye(3)], "position": [None, *VECTOR]}),
    call_of(BODY.shifted, {"by": [None, *VECTOR]}, by=np.ones(3)),
    call_of(BODY.about, {"point": [None, *VECTOR]}, point=np.ones(3)),
    call_of(BODY.principal),
    call_of(
        BODY.angular_momentum,
        {"w": UNEVEN, "v": UNEVEN, "about": [None, *VECTOR]},
        w=np.ones((3, 3)),
        v=np.ones((3, 3)),
    ),
)
