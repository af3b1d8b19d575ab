"""Calls of what loads robots from files, texts and rows."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from own_robots import ARM

import rne
from calls.call import Call, call_of

ROWS = [{"name": name, "joint": "revolute", "a": 1.0, "mass": 2.0} for name in ("one", "two")]
BASES = [
    "text",
    3,
    [1, 2, 3],
    np.eye(3),
    np.eye(4) * 2,
    {},
    {"xyz": 1},
    {"rpy": [0, 0]},
    {"position": [0, 0, 0]},
    np.eye(4) * 1j,
]
NO_POSES = [base for base in BASES if not isinstance(base, dict) or base]
PLANAR = "models/planar2/robot.dh.toml"
PLAIN = rne.load(PLANAR)
SRDF = Path(__file__).with_name("arm.srdf")

LOADING: tuple[Call, ...] = (
    call_of(
        rne.load,
        {
            "path": [None, 3, b"a.urdf", ["a.urdf"], "", "a.json", "none.urdf", ARM],
            "args": [["a"], "a", 3, {"a": 1}],
            "base": BASES,
            "packages": [["a"], "a", 3, {"a": 1}, {1: "."}, {"a": "none"}],
        },
        path=PLANAR,
    ),
    call_of(
        rne.load_urdf,
        {
            "path_or_text": [None, 3, b"a.urdf", ["a.urdf"], "", "none.urdf", "<a/>", bytearray(b"<robot/>")],
            "base": BASES,
        },
        path_or_text=ARM,
    ),
    call_of(
        rne.load_mjcf,
        {
            "path_or_text": [None, 3, b"a.xml", ["a.xml"], "", "none.xml", "<a/>", bytearray(b"<mujoco/>"), ARM],
            "base": BASES,
        },
        path_or_text=PLAIN.to_mjcf(),
    ),
    call_of(rne.load_states, {"path": [None, 3, b"a.srdf", ["a.srdf"], "", "none.srdf", PLANAR, ARM]}, path=SRDF),
    call_of(
        rne.load_dh,
        {"path": [None, 3, b"a.toml", ["a.toml"], "", "none.toml", ARM], "base": BASES},
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
            "base": NO_POSES,
            "tool": NO_POSES,
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
)
