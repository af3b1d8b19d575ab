"""Calls of what makes robots and bodies, and changes them."""

from __future__ import annotations

import numpy as np
from own_robots import ARM, arm

import rne
from calls.bad import (
    BAD,
    NAMES,
    PSEUDO,
    ROBOT,
    ROTATION,
    SIZE,
    UNEVEN,
    VECTOR,
    N,
    no_number,
    no_numbers,
)
from calls.call import BODY, Call, call_of
from rne.model.tree import Body

ROWS = [{"name": name, "joint": "revolute", "a": 1.0, "mass": 2.0} for name in ("one", "two")]
MATRIX = [*no_numbers(N), *no_numbers(N * N), np.triu(np.ones((N, N))), np.eye(N + 1), np.eye(N)[None], np.eye(N) > 0]
PLANAR = "models/planar2/robot.dh.toml"

BODY_CALLS: tuple[Call, ...] = (
    call_of(
        rne.load,
        {
            "path": [None, 3, b"a.urdf", ["a.urdf"], "", "a.json", "none.urdf", ARM],
            "args": [["a"], "a", 3, {"a": 1}],
            "packages": [["a"], "a", 3, {"a": 1}, {1: "."}, {"a": "none"}],
        },
        path=PLANAR,
    ),
    call_of(
        rne.load_urdf,
        {"path_or_text": [None, 3, b"a.urdf", ["a.urdf"], "", "none.urdf", "<a/>", bytearray(b"<robot/>")]},
        path_or_text=ARM,
    ),
    call_of(
        rne.load_dh,
        {"path": [None, 3, b"a.toml", ["a.toml"], "", "none.toml", ARM]},
        path=PLANAR,
    ),
    call_of(
        rne.from_dh,
        {
            "rows": [
                None,
                [],
                {},
                "rows",
                3,
                [3],
                [None],
                [{}],
                [{"joint": "revolute", "mass": "2"}],
                [{"joint": "revolute", 3: 1}],
            ],
            "name": ["", " ", 3, b"name", ["name"]],
            "convention": ["Standard", "", None, 3, ["standard"], b"standard"],
            "base": [
                "text",
                3,
                [1, 2, 3],
                np.eye(3),
                np.eye(4) * 2,
                {"xyz": 1},
                {"rpy": [0, 0]},
                {"position": [0, 0, 0]},
                np.eye(4) * 1j,
            ],
            "couplings": [
                "shoulder",
                3,
                {},
                ["elbow"],
                [None],
                [{}],
                [{"joints": ["one", "nowhere"], "stiffness": 1.0}],
                [{"joints": ["one"], "stiffness": 1.0}],
                [{"joints": ["one", "two"]}],
                [{"joints": ["one", "two"], "stifness": 1.0}],
                [{"joints": ["one", "two"], "stiffness": 1.0, "ratio": 0.0}],
                *(
                    [{"joints": ["one", "two"], "stiffness": 1.0, key: value}]
                    for key in ("stiffness", "viscous", "rest", "ratio")
                    for value in ["1", None, [1.0], True, 1j, np.nan, np.inf, *([-1.0] if key == "viscous" else [])]
                ),
            ],
        },
        rows=ROWS,
        convention="standard",
        couplings=[{"joints": ["one", "two"], "stiffness": 1.0}],
    ),
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
    call_of(ROBOT.with_dampers, {"viscous": [None, *MATRIX, -np.eye(N), np.full(N, -1.0)]}, viscous=np.eye(N)),
    call_of(
        ROBOT.with_parameters,
        {"pi": [None, *no_numbers(10 * N), -np.ones(10 * N)]},
        pi=rne.parameters(ROBOT),
    ),
    call_of(rne.parameters),
    call_of(rne.parameter_names),
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
