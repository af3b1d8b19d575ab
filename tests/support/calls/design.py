"""Calls of what helps to design and to identify: parameters, significance, the doctor, plots, the viewer."""

from __future__ import annotations

import functools
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import rne
from calls.bad import DTYPES, FLAG, ROBOT, SEVERAL, STATE, THREADS, VECTOR, N, no_count, no_number, no_numbers, no_times
from calls.call import MOTION, Call, T, call_of

Q, QD, QDD_OF_MANY = np.random.default_rng(1).normal(size=(3, 30, N))
MEASURED = {"q": Q, "qd": QD, "qdd": QDD_OF_MANY, "tau": rne.inverse_dynamics(ROBOT, Q, QD, QDD_OF_MANY)}
STIFF = ROBOT.with_locked(dict.fromkeys(ROBOT.joint_names, 0.0))
SMALL = rne.load("models/planar2/robot.dh.toml")
EQUATIONS = rne.equations(SMALL)
BASE = rne.base_parameters(ROBOT)
FOUND = rne.identify(ROBOT, **MEASURED)
IDENTIFYING = {
    "noise": ["guessed", "", *no_numbers(N), np.zeros(N), np.full(N, -1.0)],
    "unexcited": ["keep", "", None, 3, ["fix"], True],
    "delay": ["guessed", *(value for value in no_number() if value is not None)],
    "huber": [value for value in no_number(0.0, -1.0) if value is not None],
}
LOG = tuple(np.concatenate([x, x, x]) for x in (Q, QD, QDD_OF_MANY, MEASURED["tau"]))
NO_LOGS = [None, 3, "log", LOG[:2], (*LOG[:3], None), (*LOG[:3], LOG[3][:, :1]), (*LOG[:3], LOG[3] * np.nan)]
PLAN = rne.excitation(BASE, harmonics=1, samples=8, tries=1, velocity_limit=np.ones(N))
SIGNIFICANCE = rne.significance(ROBOT, **MOTION)
TAU = rne.inverse_dynamics(ROBOT, **MOTION)
NO_ORDER = no_times(T[::-1], T[:-1], 1.0)
DRAWN = [None, *STATE]


@functools.wraps(rne.plot.save)
def save(figure: Any, path: Any, **arguments: Any) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / path if path == "a.svg" else path
        rne.plot.save(figure, file, **arguments)
        return file.read_bytes()


@functools.wraps(rne.view)
def view(**arguments: Any) -> Any:
    viewer = rne.view(**arguments)
    viewer.stop()
    return viewer._motion


@functools.wraps(rne.specialize)
def specialize(robot: Any) -> Any:
    return rne.mass_matrix(rne.specialize(robot), Q)


@functools.wraps(rne.export_c)
def export_c(folder: Any, **arguments: Any) -> list[bytes]:
    with tempfile.TemporaryDirectory() as place:
        target = Path(place) / folder if folder == "c" else folder
        return [path.read_bytes() for path in rne.export_c(folder=target, **arguments)]


FIGURES = {
    "friction": {"report": [None, TAU, "text"]},
    "identification": {"report": [None, TAU, "text"]},
    "breakdown": {"parts": [None, TAU, {"gravity": TAU}]},
    "energy": {"q": DRAWN, "qd": DRAWN},
    "inertia": {"q": DRAWN, "over": [0, -1, N + 1, "nowhere", None, 1.5, True, ["turret"]], "free": SEVERAL},
    "phase": {"q": DRAWN, "qd": DRAWN},
    "power": {"qd": DRAWN, "tau": DRAWN},
    "significance": {"report": [None, TAU, "text"]},
    "sizing": {"report": [None, TAU, "text"]},
    "states": {"q": DRAWN, "qd": DRAWN},
    "residual": {"measured": DRAWN, "model": DRAWN},
    "torques": {"tau": DRAWN},
    "tracking": {"reference": DRAWN, "q": DRAWN},
}
SWEEP = np.sort(MOTION["q"], axis=0)
DRAWN_OF = {
    "breakdown": {"t": T, "parts": rne.torque_breakdown(ROBOT, **MOTION)},
    "friction": {"report": FOUND},
    "identification": {"report": FOUND},
    "energy": {"t": T, "q": MOTION["q"], "qd": MOTION["qd"], "tau": TAU},
    "inertia": {"q": SWEEP, "over": "turret"},
    "phase": {"q": MOTION["q"], "qd": MOTION["qd"]},
    "power": {"t": T, "qd": MOTION["qd"], "tau": TAU},
    "significance": {"report": SIGNIFICANCE},
    "sizing": {"report": rne.motor_sizing(ROBOT, **MOTION)},
    "states": {"t": T, "q": MOTION["q"], "qd": MOTION["qd"]},
    "residual": {"t": T, "measured": TAU + 1.0, "model": TAU},
    "torques": {"t": T, "tau": TAU},
    "tracking": {"t": T, "reference": MOTION["q"] + 0.1, "q": MOTION["q"], "tau": TAU},
}

DESIGN: tuple[Call, ...] = (
    call_of(
        rne.significance,
        {
            "drop": ["nothing", 3, object(), ["nothing"], ["D99"], [3], [None], [["D12"]]],
            "below": [value for value in no_number() if value is not None],
        },
        **MOTION,
        drop=["coriolis", "D12"],
    ),
    call_of(rne.residual, {"tau": [None, *STATE], "t": NO_ORDER}, **MOTION, tau=TAU, t=T),
    call_of(
        rne.Residual.joined,
        {"parts": [None, 3, [], [3], [None]]},
        parts=[rne.residual(ROBOT, **MOTION, tau=TAU)] * 2,
    ),
    call_of(rne.base_parameters, {"tolerance": no_number(0.0, -1.0, 1.0)}),
    call_of(BASE.values, {"pi": no_numbers(len(BASE.names))}, pi=rne.parameters(ROBOT)),
    call_of(BASE.regressor, {"gravity": VECTOR, "threads": THREADS}),
    call_of(
        rne.identify,
        {
            **{name: [None, *STATE, np.where(value > 1, np.nan, value)] for name, value in MEASURED.items()},
            **IDENTIFYING,
        },
        **MEASURED,
        noise=np.ones(N),
        huber=2.0,
    ),
    call_of(
        rne.Identifier,
        {**IDENTIFYING, "reference": [None, 3, "found", BASE]},
        noise=np.ones(N),
        huber=2.0,
        reference=FOUND,
    ),
    call_of(
        rne.identify_payload,
        {
            **{name: [*STATE, np.where(value > 1, np.nan, value)] for name, value in MEASURED.items()},
            "q": [None, *STATE],
            "tau": [None, *STATE],
            "noise": IDENTIFYING["noise"],
        },
        **MEASURED,
    ),
    call_of(
        rne.identify_gains,
        {"loaded": [None, 3, rne.load_model("panda")], "log": NO_LOGS, "loaded_log": NO_LOGS},
        loaded=ROBOT.with_payload(1.0),
        log=(*LOG[:3], rne.inverse_dynamics(ROBOT, *LOG[:3])),
        loaded_log=(*LOG[:3], rne.inverse_dynamics(ROBOT.with_payload(1.0), *LOG[:3])),
    ),
    call_of(FOUND.interval, {"level": no_number(0.0, 1.0, -1.0)}),
    call_of(FOUND.torques, {"qd": STATE, "qdd": STATE}),
    call_of(FOUND.friction, {"qd": STATE, "qdd": STATE}),
    call_of(FOUND.validate, {name: [None, *STATE] for name in MEASURED}, **MEASURED),
    call_of(
        rne.excitation,
        {
            "base": [
                None,
                3,
                ROBOT,
                "text",
                rne.base_parameters(ROBOT.with_locked(dict.fromkeys(ROBOT.joint_names, 0.0))),
            ],
            "period": no_number(0.0, -1.0),
            "harmonics": no_count(1),
            "samples": no_count(4),
            "tries": no_count(1),
            "criterion": ["trace", "", None, 3, ["condition"]],
            "allowed": [True, 3, "no", [len]],
            "velocity_limit": [*no_numbers(N), np.zeros(N), np.full(N, -1.0)],
        },
        base=BASE,
        harmonics=1,
        samples=8,
        tries=2,
        velocity_limit=np.ones(N),
    ),
    call_of(PLAN.at, {"t": no_times(None, 1.0)}, t=T),
    call_of(
        rne.diagnose,
        {"robot_or_path": [None, 3, b"a.urdf", ["a.urdf"], ROBOT.tree], "strict": [True], "lock": [{}]},
        robot_or_path=ROBOT,
        samples=3,
    ),
    call_of(
        rne.diagnose,
        {"robot_or_path": [], "strict": FLAG, "gravity": VECTOR, "lock": [["elbow"], 3, {"nowhere": 0.0}]},
        robot_or_path="models/planar2/robot.dh.toml",
        samples=3,
    ),
    call_of(rne.diagnose(ROBOT, samples=3).count, {"severity": ["bad", "", None, 3, ["error"]]}, severity="error"),
    call_of(rne.torque_breakdown(ROBOT, Q).share),
    *(call_of(getattr(rne.plot, name), {"t": NO_ORDER, **bad}, **DRAWN_OF[name]) for name, bad in FIGURES.items()),
    call_of(specialize),
    call_of(
        rne.equations,
        {
            "robot_or_rows": [None, 3, "arm.urdf", {}, [3], STIFF],
            "convention": ["standard", "modified", 3],
            "gravity": VECTOR,
            "base": [np.eye(4)],
        },
        robot_or_rows=SMALL,
    ),
    call_of(
        rne.equations,
        {
            "robot_or_rows": [None, 3, "rows", [], {}, [3], [{}], [{"joint": "revolute", "a": "l("}]],
            "convention": [None, "Standard", "", 3, ["standard"]],
            "gravity": [3, "g", [0, 1], ["g", 0], [0, 0, "g("], [0, 0, None]],
            "base": ["text", 3, np.eye(3)],
        },
        robot_or_rows=[{"joint": "revolute", "a": "l", "mass": "m"}],
        convention="standard",
    ),
    call_of(EQUATIONS.subs, {"values": [None, 3, "q1", ["q1"], {3: 1.0}]}, values={"q1": 0.5}),
    call_of(EQUATIONS.python, {"name": ["", "2", "a b", None, 3, ["f"]]}, name="f"),
    call_of(EQUATIONS.latex),
    call_of(
        export_c,
        {
            "folder": [None, 3, b"c", ["c"], "", object()],
            "functions": ["mass_matrix", [], None, 3, ["nothing"], [3], [None], ["jacobian"], ["jacobian:nowhere"]],
            "name": ["", " ", "2arm", "an arm", "double", "ärm", 3, b"arm", ["arm"]],
            "dtype": DTYPES,
            "parameters": ["gravity", None, 3, ["mass"], [3], [None], ["payload:nowhere"], ["payload"] * 2],
        },
        folder="c",
        functions=["mass_matrix", "jacobian:hand"],
        parameters=["gravity", "payload:hand"],
    ),
    call_of(
        save,
        {
            "figure": [None, 3, "text", TAU],
            "path": [None, 3, b"a.svg", ["a.svg"], "", "a", "a.jpeg", object()],
            "dpi": no_number(0.0, -1.0),
        },
        figure=rne.plot.torques(ROBOT, T, TAU),
        path="a.svg",
    ),
    call_of(
        view,
        {
            "q": STATE,
            "t": NO_ORDER,
            "tau": [*STATE],
            "host": [None, 3, "", b"localhost", ["localhost"], "no such host"],
            "port": [-1, 70_000, 1.5, True, "8080", None, np.nan, [8080]],
        },
        **{name: rows.tolist() for name, rows in MOTION.items()},  # a server takes its time: no layouts
        t=T.tolist(),
        port=0,
        browser=False,
    ),
)
