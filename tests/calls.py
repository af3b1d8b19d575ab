"""A good call of every public function, and for every argument the values that must be refused (`bad_values.py`).

`test_arguments.py` makes one bad call of each; a public function or argument that is missing here fails it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from bad_values import (
    BAD,
    BODIES,
    ENDS,
    NAMES,
    PSEUDO,
    ROBOT,
    ROTATION,
    ROW_NUMBERS,
    SIZE,
    STATE,
    VECTOR,
    VECTORS,
    WRENCH,
    WRENCHES,
    N,
    no_number,
    no_numbers,
    no_outs,
    no_times,
)
from own_robots import ARM, arm

import rne

Q, QD, QDD = np.random.default_rng(0).normal(size=(3, N))
BODY = rne.Inertia(2.0, [0.1, 0.2, 0.3], np.diag([1.0, 2.0, 2.5]))
ROWS = [{"joint": "revolute", "a": 1.0, "mass": 2.0}]

# ----------------------------------------------------------------------------------------------------- all the calls


@dataclass(frozen=True)
class Call:
    """A public function, good arguments by name, and bad values where they are not those of `BAD`."""

    function: Callable[..., Any]
    good: dict[str, Any]
    bad: dict[str, list[Any]]
    title: str

    def __call__(self, **changes: Any) -> Any:
        """Make the good call, with some arguments changed."""
        return self.function(**self.good | changes)

    def bad_values(self) -> Iterator[tuple[str, Any]]:
        """Yield every argument with every value that must be refused."""
        for name in inspect.signature(self.function).parameters:
            for value in self.bad[name] if name in self.bad else BAD[name]:
                yield name, value


def _call(function: Callable[..., Any], bad: dict[str, list[Any]] | None = None, /, **good: Any) -> Call:
    names = inspect.signature(function).parameters
    given = {"robot": ROBOT, "q": Q, "qd": QD, "qdd": QDD, "frame": "hand"}
    good = {name: value for name, value in given.items() if name in names} | good
    known = dict(bad or {})
    if "out" in names:
        result = function(**good)
        known["out"] = no_outs(np.shape(result))
    title = getattr(function, "__qualname__", str(function))
    home = inspect.getmodule(function)
    prefix = "lagrange." if home is not None and "lagrange" in home.__name__ else ""
    return Call(function, good, known, prefix + title)


PLAIN = (
    "bias_vector",
    "center_of_mass",
    "center_of_mass_jacobian",
    "center_of_mass_velocity",
    "christoffel",
    "coriolis_matrix",
    "coriolis_vector",
    "forward_dynamics",
    "frame_acceleration",
    "frame_velocity",
    "friction_torque",
    "gravity_vector",
    "inverse_dynamics",
    "jacobian",
    "jacobian_dot_qd",
    "joint_wrenches",
    "kinetic_energy",
    "mass_matrix",
    "mass_matrix_inverse",
    "potential_energy",
    "velocity_torques",
    "torque_breakdown",
)

BY_LAGRANGE = (
    "christoffel",
    "coriolis_matrix",
    "coriolis_vector",
    "differential_vectors",
    "friction_torque",
    "gravity_vector",
    "inertia_matrix",
    "inverse_dynamics",
    "kinetic_energy",
    "paul_inertia_matrix",
    "potential_energy",
    "spring_torque",
    "transforms",
)

CALLS: tuple[Call, ...] = (
    *(_call(getattr(rne, name)) for name in PLAIN),
    *(_call(getattr(rne, name), {"rows": ROW_NUMBERS}) for name in ("operational_inertia", "inertia_ellipsoid")),
    _call(rne.static_torque, {"f_ext": [None, *WRENCHES]}, f_ext={"hand": WRENCH}),
    _call(
        rne.forward_kinematics,
        {"frames": ["nowhere", "", 3, b"hand", object(), ["hand", "nowhere"], [3], {}]},
        frames="hand",
    ),
    _call(rne.motor_sizing, {"t": no_times([0.0, 0.0], [0.0], 1.0, [1.0, 0.0])}, q=[Q, Q], t=[0.0, 1.0]),
    _call(
        rne.simulate,
        {
            "q0": [None, *STATE],
            "qd0": STATE,
            "t": no_times([0.0, 0.0], [1.0, 0.0], [], 1.0, None),
            "tau": [
                *(value for value in STATE if not callable(value)),
                lambda t, q, qd: "text",
                lambda t, q, qd: q[:-1],
                lambda t, q, qd: q * 1j,
            ],
            "step": [0, -1e-3, np.nan, "1e-3", True, [1e-3], 1j, object(), 1e-300],
        },
        q0=Q,
        t=[0.0, 0.01],
        step=1e-2,
    ),
    _call(
        rne.verify,
        {"samples": [0, -1, 1.5, True, "3", None, np.nan], "seed": [-1, 1.5, True, "3", None, np.nan]},
        samples=1,
    ),
    _call(
        rne.quintic,
        ENDS | {"t": no_times(None), "duration": no_number(0.0, -1.0)},
        q0=[0.0, 1.0],
        q1=[1.0, 2.0],
        duration=1.0,
        t=0.5,
    ),
    _call(
        rne.trapezoidal,
        ENDS
        | {
            "t": no_times(None),
            "velocity": [*ENDS["velocity"], 0.0, -1.0],
            "acceleration": [*ENDS["q0"], 0.0, -1.0, np.inf],
        },
        q0=[0.0, 1.0],
        q1=[1.0, 2.0],
        t=0.5,
        velocity=1.0,
        acceleration=1.0,
    ),
    _call(
        rne.newton_euler,
        {"inertia": [None, 1.0, np.eye(3), BODY.tensor], "w": VECTORS, "alpha": VECTORS, "acc_com": VECTORS},
        inertia=BODY,
        w=np.ones(3),
        alpha=np.ones(3),
        acc_com=np.ones(3),
    ),
    *(
        _call(
            function,
            {name: [None, *no_numbers(6, finite=False)], "rotation": ROTATION, "position": VECTORS},
            **{name: WRENCH},
            rotation=np.eye(3),
            position=np.ones(3),
        )
        for function, name in ((rne.transform_wrench, "wrench"), (rne.transform_twist, "twist"))
    ),
    _call(
        rne.load,
        {"path": [None, 3, b"a.urdf", ["a.urdf"], "", "a.json", "none.urdf", ARM], "args": [["a"], "a", 3, {"a": 1}]},
        path="models/planar2/robot.dh.toml",
    ),
    _call(
        rne.load_urdf,
        {"path_or_text": [None, 3, b"a.urdf", ["a.urdf"], "", "none.urdf", "<a/>", bytearray(b"<robot/>")]},
        path_or_text=ARM,
    ),
    _call(
        rne.load_dh,
        {"path": [None, 3, b"a.toml", ["a.toml"], "", "none.toml", ARM]},
        path="models/planar2/robot.dh.toml",
    ),
    _call(
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
        },
        rows=ROWS,
        convention="standard",
    ),
    _call(rne.Robot, {"tree": [None, "arm.urdf", 3, ROBOT, ROBOT.links]}, tree=arm().tree),
    _call(ROBOT.joint, {"name": NAMES}, name="turret"),
    _call(ROBOT.with_gravity, {"gravity": [None, *VECTOR]}, gravity=[0.0, 0.0, -1.0]),
    _call(
        ROBOT.with_payload,
        {"mass": SIZE, "com": [None, *VECTOR], "frame": [name for name in NAMES if name is not None]},
        mass=1.0,
        inertia=np.eye(3),
        frame="hand",
    ),
    _call(ROBOT.with_locked, {"values": [None, *BAD["lock"]]}, values={"turret": 0.1}),
    _call(
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
    _call(rne.Inertia, {"tensor": BAD["inertia"], "com": [None, *VECTOR]}, mass=1.0),
    _call(rne.Inertia.point, {"at": [None, *VECTOR]}, mass=1.0),
    _call(
        rne.Inertia.rod,
        {"length": SIZE, "axis": [None, *VECTOR, [0, 0, 0]], "about": ["tip", "", None, 3]},
        mass=1.0,
        length=1.0,
    ),
    _call(rne.Inertia.box, {"size": [None, *VECTOR, [1, 1, -1]]}, mass=1.0, size=[1, 2, 3]),
    _call(
        rne.Inertia.cylinder,
        {"radius": SIZE, "length": SIZE, "axis": [None, *VECTOR, [0, 0, 0]], "inner": [*SIZE, 2.0]},
        mass=1.0,
        radius=1.0,
        length=1.0,
    ),
    _call(rne.Inertia.sphere, {"radius": SIZE, "inner": [*SIZE, 2.0]}, mass=1.0, radius=1.0),
    _call(rne.Inertia.from_pseudo, {"pseudo": PSEUDO}, pseudo=BODY.pseudo),
    _call(rne.Inertia.from_body, {"body": BODIES}, body=ROBOT.tree.bodies[1]),
    _call(BODY.to_body, name="body"),
    _call(BODY.at, {"rotation": [*ROTATION, 2 * np.eye(3), -np.eye(3)], "position": [None, *VECTOR]}),
    _call(BODY.shifted, {"by": [None, *VECTOR]}, by=np.ones(3)),
    _call(BODY.about, {"point": [None, *VECTOR]}, point=np.ones(3)),
    _call(BODY.principal),
    _call(BODY.angular_momentum, {"w": VECTORS, "v": VECTORS, "about": [None, *VECTOR]}, w=np.ones(3)),
    _call(rne.jit.model),
    _call(rne.jit.place),
    _call(
        rne.jit.places,
        {"frames": [None, ["hand"], "hand", 3, {"nowhere": "world"}, {"hand": "base"}, {"hand": None}, {3: "world"}]},
        frames={"hand": "world"},
    ),
    _call(rne.jit.joint_places),
    *(_call(getattr(rne.lagrange, name)) for name in BY_LAGRANGE),
    _call(rne.lagrange.forward_dynamics, tau=QD),
    _call(
        rne.lagrange.inertia_to_pseudo,
        {"com": [None, *VECTOR], "inertia": [None, *BAD["inertia"]]},
        mass=1.0,
        com=np.ones(3),
        inertia=np.eye(3),
    ),
    _call(rne.lagrange.pseudo_inertia, {"body": BODIES}, body=ROBOT.tree.bodies[1]),
    _call(rne.lagrange.pseudo_to_inertia, {"pseudo": PSEUDO}, pseudo=BODY.pseudo),
)
