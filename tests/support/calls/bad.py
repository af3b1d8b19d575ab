"""What must be refused: values that are no such argument, by the name of the argument.

The other files here have a good call of every public function; `test_arguments.py` spoils one argument after the other.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from own_robots import arm

import rne

ROBOT = arm(lock={"pitch": 0.1, "yaw": 0.2})
N = ROBOT.n
WRENCH = np.arange(6.0)


def no_numbers(count: int, finite: bool = True) -> list[Any]:
    """No row of so many real numbers."""
    whole = np.ones(count)
    return [
        "text",
        b"text",
        object(),
        {},
        {1.0},
        range,
        np.array("2020-01-01", "M8[D]"),
        ["1"] * count,
        [None] * count,
        [True] * count,
        [1j] * count,
        [object()] * count,
        [10**400] * count,
        [[1.0], [1.0, 2.0]],
        whole.astype("m8[s]"),
        np.ma.masked_array(whole, mask=np.arange(count) == 0),
        np.ones(count + 1),
        np.ones(count - 1),
        np.ones((count, 1)) if count > 1 else np.ones((1, 2)),
        1.0 if count > 1 else [],
        *([[np.nan] * count, [np.inf] * count, np.ones((2, count))] if finite else []),
    ]


def no_number(*others: Any) -> list[Any]:
    """No finite number."""
    return [
        "1", None, object(), {}, [1.0], np.ones(1), np.ones((1, 1)), True, np.True_, 1j, np.nan, np.inf, -np.inf,
        10**400, np.ma.masked_array(1.0, mask=True), *others,
    ]  # fmt: skip


def no_count(least: int) -> list[Any]:
    """No whole number of `least` or more."""
    return [least - 1, -1, least + 0.5, float(least + 100), True, "3", None, np.nan, np.inf, [3], 3j, object()]


ROBOTS = [None, "arm.urdf", 3, ROBOT.tree, ROBOT.links, rne.Robot]
FLAG = ["no", "yes", "", 1, 0, 1.0, None, [], [True], np.array([True, False])]
THREADS = [0, -1, True, False, 1.5, "2", "two", np.nan, np.inf, [1], np.ones(2), {}, 1j, object()]
NAMES = ["nowhere", "", None, 3, ["hand"], b"hand", ("hand", "tool"), object(), np.array(["hand", "tool"])]
AXES = ["base", "World", "", None, 3, ["world"], np.array(["world", "local"]), object()]
STATE = no_numbers(N, finite=False)
VECTOR = no_numbers(3)
ROW_NUMBERS = [
    [],
    [6],
    [-1],
    [0, 0],
    [1.5],
    [True],
    [0, None],
    ["0"],
    "01",
    3,
    [[0, 1]],
    np.array([0.5]),
    {0: 1},
    object(),
]
WRENCHES = [
    "hand", [WRENCH], [("hand", WRENCH)], 3, {"nowhere": WRENCH}, {3: WRENCH}, {None: WRENCH},
    {"hand": (WRENCH, "base")}, {"hand": (WRENCH, "local", 1)}, {"hand": None}, {("hand",): WRENCH},
    *({"hand": value} for value in no_numbers(6, finite=False)),
]  # fmt: skip
SEVERAL = ["turret", 3, object(), ["nowhere"], [0], [-1], [N + 1], [True], [1.5], [None], [["turret"]], [b"turret"]]
"""No names or numbers of joints."""
CONTACTS = [
    None, "hand", 3, object(), ["nowhere"], [3], ["hand", "hand"], {"nowhere": "point"}, {3: "point"}, {"hand": "line"},
    {"hand": None}, {"hand": ("point", "base")}, {"hand": ("point", "local", 1)}, {"hand": 3}, [["hand"]],
    *({"hand": rows} for rows in ([], [6], [-1], [0, 0], [1.5], [True], ["0"], "01", [[0, 1]], {0: 1}, object())),
]  # fmt: skip
NO_GAINS = [*no_numbers(2), [-1.0, 0.0], [0.0, -1.0], [1.0, 0.0]]
TARGETS = [
    "hand", [np.eye(4)], 3, {"nowhere": np.eye(4)}, {"tool": np.eye(4)}, {3: np.eye(4)}, {"hand": np.eye(3)},
    {"hand": None}, {"hand": "pose"}, {"hand": np.eye(4) * 1j}, {"hand": np.ones((2, 4, 4))}, {"hand": np.eye(4)},
]  # fmt: skip


def no_weights(count: int) -> list[Any]:
    """No number that is a weight, and no row of them."""
    row = [1.0] * count
    return [
        "1", None, object(), True, 1j, np.nan, np.inf, 10**400, ["1"] * count, [None] * count, [-1.0] * count,
        [*row, 1.0], [row], np.ma.masked_array(row, mask=[True] * count),
    ]  # fmt: skip


WEIGHTS = [0.0, -1.0, [1.0] * 6, *no_weights(6), {"nowhere": 1.0}, *({"hand": bad} for bad in [0.0, *no_weights(6)])]
METHODS = ["fast", "AUTO", "", None, 3, ["auto"], object()]
DTYPES = ["float16", int, "double precision", 3, object(), [np.float64], complex]


def no_outs(shape: tuple[int, ...]) -> list[Any]:
    frozen = np.empty(shape)
    frozen.flags.writeable = False
    return [
        [0.0] * N, "out", 3, object(), np.empty(shape, np.float32), np.empty(shape, np.int64), np.empty(shape, complex),
        np.empty(shape, object), np.empty((*shape, 1)), np.empty((2, *shape)), frozen,
        np.ma.masked_array(np.empty(shape), mask=np.ones(shape, bool)), np.empty(shape).tolist() or [],
        *(np.empty([n + (k == axis) for k, n in enumerate(shape)]) for axis in range(len(shape))),
    ]  # fmt: skip


FLAGS = (
    "browser", "derivatives", "extensions", "friction", "per_body", "per_link", "products", "rotors", "saturate",
    "single", "springs", "strict",
)  # fmt: skip
BAD: dict[str, list[Any]] = {
    "robot": ROBOTS,
    "q": [None, *STATE],
    "qd": STATE,
    "qdd": STATE,
    "tau": STATE,
    "gravity": VECTOR,
    "point": VECTOR,
    "f_ext": WRENCHES,
    "frame": NAMES,
    "axes": AXES,
    "origin": ["base", "Child", "", None, 3, ["child"], np.array(["child", "parent"]), object()],
    "samples": no_count(1),
    "seed": no_count(0),
    "threads": THREADS,
    "method": METHODS,
    "singular": ["zero", "RAISE", "", None, 3, ["nan"], object()],
    "rtol": [value for value in no_number(0.0, -1.0, 1.0) if value is not None],
    "atol": [value for value in no_number(0.0, -1.0, 1.0) if value is not None],
    "max_steps": no_count(1),
    "stops": [
        "rigid", 3, [1.0], {}, {"bounce": 1.0}, {"restitution": 1.0, "stiffness": 1.0}, {"damping": 1.0}, object(),
        {"restitution": 1.5}, {"restitution": -0.1}, {"stiffness": 0.0}, {"stiffness": 1.0, "damping": -1.0},
        *({"restitution": value} for value in no_numbers(N) if not isinstance(value, float)),
    ],
    "dtype": DTYPES,
    **dict.fromkeys(FLAGS, FLAG),
    "floating": [flag for flag in FLAG if flag is not None],
    "mass": no_number(),
    "com": VECTOR,
    "inertia": [
        "text", np.eye(2), np.ones(3), np.full((3, 3), np.nan), np.eye(3) * 1j, np.eye(3) > 0, [[1, 2], [3]], 1.0,
        np.ma.masked_array(np.eye(3), mask=np.eye(3)), np.eye(3)[None], [[1, 2, 3], [4, 5, 6], [7, 8, 9]],
    ],
    "name": ["", " ", None, 3, b"name", ["name"]],
    "lock": [
        ["turret"], "turret", 3, {"nowhere": 0.0}, {3: 0.0}, {None: 0.0},
        *({"turret": value} for value in no_number()),
    ],
    "joints": [
        [], ["turret"], ["turret"] * 6, "turret", 3, [1] * 6, ["nowhere", *ROBOT.joint_names], [None] * 6,
        {"turret": 1}, [["turret"]] * 6, object(),
    ],
}  # fmt: skip
"""By the name of an argument, wherever it has this meaning."""


def no_times(*others: Any) -> list[Any]:
    """No row of finite times."""
    return ["text", [[0.0, 1.0]], [0.0, np.nan], [0.0, np.inf], [0j, 1j], [False, True], ["0", "1"], {}, *others]


ENDS: dict[str, list[Any]] = {
    name: ["text", [[1.0]], [np.nan, 1.0], [1.0, 2.0, 3.0], 1j, [True, False], None, [[1], [1, 2]], {}]
    for name in ("q0", "q1", "qd0", "qd1", "qdd0", "qdd1", "velocity_limit", "acceleration_limit")
}
"""Of motions of two joints."""
ROTATION = ["text", np.eye(2), np.eye(3) * 1j, np.eye(3) > 0, [[1, 2], [3]], 1.0, None, {}]
VECTORS = ["text", None, 1.0, [1.0], np.ones(4), [1j] * 3, [True] * 3, ["1"] * 3, [[1.0], [1.0, 2.0]], {}]
UNEVEN = [*VECTORS, np.ones((2, 3))]  # where the others are three
SIZE = no_number(-1.0)
PSEUDO = ["text", None, np.eye(3), np.eye(4) * np.nan, np.eye(4) * 1j, np.eye(4) > 0, np.triu(np.ones((4, 4)))]
BODIES = [None, 3, rne.Inertia(1.0), "hand"]
