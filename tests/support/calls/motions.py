"""Calls of what is about motions: trajectories, simulation, control, recordings."""

from __future__ import annotations

import functools
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

import rne
from calls.bad import ENDS, FLAG, ROBOT, STATE, WRENCH, N, no_count, no_number, no_times
from calls.call import MOTION, Call, Q, T, call_of

PANDA = rne.load("models/panda/robot.urdf")
RECORDED = "models/panda/trajectory.csv"
CHUNK = rne.files.Chunk(0, None, {"q": np.ones((2, N))})
SERVO = rne.control.computed_torque(ROBOT, kp=100.0, kd=20.0, goal=np.zeros(N))
CONTROLLED = rne.simulate(ROBOT, Q, t=T, tau=SERVO)
PATH = (T, *MOTION.values())

GAIN = [*(value for value in STATE if not isinstance(value, float)), -1.0, np.nan, np.inf, np.full(N, -1.0), "1", 1j]
PATHS = [
    "path", 3, object(), {}, T, (T, MOTION["q"]), (*PATH, T), (T[:-1], *PATH[1:]), (T[::-1], *PATH[1:]), (T, Q, Q),
    *((T, MOTION["q"], value) for value in STATE if value is not None),
    *((T, value, MOTION["qd"]) for value in STATE),
    *((value, *PATH[1:]) for value in no_times(None, 1.0)),
]  # fmt: skip
CONTROL = {"kp": [None, *GAIN], "kd": GAIN, "ki": GAIN, "goal": [None, *STATE], "path": PATHS}


@functools.wraps(rne.files.Trajectory)
def trajectory(**arguments: Any) -> rne.files.Chunk:
    with rne.files.Trajectory(**arguments) as motion:
        return rne.files.joined(list(motion))


@functools.wraps(rne.files.Differentiated)
def differentiated(motion: Any, **arguments: Any) -> tuple[str, ...]:
    """A trajectory is read but once, so each call has its own."""
    if motion != RECORDED:
        return rne.files.Differentiated(motion, **arguments).missing
    with rne.files.Trajectory(motion, PANDA, quantities=["q", "qd"]) as recorded:
        return rne.files.Differentiated(recorded, **arguments).missing


@functools.wraps(rne.files.Results)
def results(path: Any, columns: Any, **arguments: Any) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / path if path == "a.csv" else path
        with rne.files.Results(file, columns, **arguments) as file_of_results:
            file_of_results.write(None, {"tau": np.ones((2, 1))})
        return file.read_bytes()


@functools.wraps(rne.files.in_order)
def in_order(**arguments: Any) -> list[Any]:
    return list(rne.files.in_order(**arguments))


SOURCES = {
    "quantities": [None, 3, "torque", ["q", "torque"], [3], [None], [], object()],
    "wrenches": [None, 3, ["hand"], [3], object()],
    "rename": [3, ["q"], {"torque": "{joint}"}, {"q": "position"}, {"q": 3}, {3: "{joint}"}, {"t": 3}],
    "joints": [3, "turret", ["turret"], [3], object()],
    "units": [3, "deg", ["deg"], {"q": "furlong"}, {"q": 3}, {"t": "ms"}, {"tau": "A"}],
    "time_unit": ["minutes", 3, b"ms", ["ms"]],
    "header": [3, "a,b", [3], object()],
    "fill": ["nearest", 3, True],
    "topic": [3, "/joint_states", ["/joint_states"]],
    "chunk": [value for value in no_count(1) if value is not None],
    "format": ["text", "", 3, b"csv", ["csv"], object()],
}

SIGNAL = rne.Signal(T, MOTION["q"])


@functools.wraps(rne.files.signals)
def signals(motion: Any, **arguments: Any) -> list[Any]:
    """A trajectory is read but once, so each call has its own."""
    if motion != RECORDED:
        return [rne.files.signals(motion, **arguments)]
    with rne.files.Trajectory(motion, PANDA, quantities=["q", "qd"]) as recorded:
        return [signal.values for signal in rne.files.signals(recorded, **arguments).values()]


MOTIONS: tuple[Call, ...] = (
    call_of(
        rne.Signal,
        {
            "t": no_times(None, 1.0, T[::-1], T[:-1], []),
            "values": [None, 3, "text", T, MOTION["q"][1:], np.full((len(T), 2), np.nan), object()],
            "interpolation": ["cubic", "", None, 3, ["linear"]],
        },
        t=T,
        values=MOTION["q"],
    ),
    call_of(SIGNAL, {"t": ["text", None, object(), [1j]]}, t=[0.0, 0.1]),
    call_of(signals, {"motion": [None, 3, "log.csv", CHUNK], "interpolation": ["cubic", "", None, 3]}, motion=RECORDED),
    call_of(
        rne.SampledController,
        {
            "controller": [None, 3, "pid", T, object()],
            "rate": no_number(0.0, -1.0),
            "delay": no_number(-1.0),
            "saturate": ["yes", None, 0.0, np.nan, [-1.0], np.ones((2, 2)), object()],
            "position_resolution": ["fine", None, -1.0, np.nan, np.inf, np.ones((2, 2)), object()],
            "velocity_resolution": ["fine", None, -1.0, np.nan, np.inf, np.ones((2, 2)), object()],
            "initial": ["zero", object(), [1j]],
        },
        controller=SERVO,
        rate=100.0,
    ),
    *(
        call_of(getattr(rne.control, name), CONTROL, kp=np.full(N, 100.0), kd=np.full(N, 20.0), goal=np.zeros(N))
        for name in ("computed_torque", "feedforward", "pd_gravity")
    ),
    call_of(
        rne.control.pid,
        CONTROL | {"derivative": ["speed", "", None, 3, ["error"], b"error", np.array(["error", "measurement"])]},
        kp=100.0,
        ki=np.full(N, 1.0),
        goal=np.zeros(N),
    ),
    call_of(rne.control.feedforward, CONTROL | {"goal": [Q], "path": [None, *PATHS]}, kp=1.0, kd=1.0, path=PATH),
    call_of(CONTROLLED.tracking, {"band": no_number(0.0, -1.0)}),
    call_of(
        rne.energy_drift,
        {
            "motion": [None, 3, "text", Q, MOTION, rne.simulate(PANDA, np.zeros(8), t=[0.0, 1e-3])],
            "tau": [
                *(value for value in STATE if value is not range),
                np.ones((len(T) - 2, N)),
                lambda t, q, qd: "text",
                lambda t, q, qd: q[..., :-1],
            ],
        },
        motion=CONTROLLED,
    ),
    call_of(
        rne.simulate,
        {
            "q0": [None, *STATE],
            "qd0": STATE,
            "t": [],
            "tau": [
                rne.control.pid(PANDA, kp=1.0, goal=np.zeros(8)),
                rne.Signal([0.0], [[1.0]]),
            ],
            "step": [],
            "f_ext": [],
            "gravity": [],
            "progress": [],
        },
        q0=Q,
        t=T,
        tau=SERVO,
    ),
    call_of(
        rne.differentiate,
        {
            "robot": [3, "robot", {}],
            "t": no_times(None, 1.0, T[::-1], T[:-1], []),
            "q": [
                None,
                "text",
                {},
                1.0,
                [[1.0], [1.0, 2.0]],
                1j * T,
                T > 0,
                T[:-1],
                np.ones((5, 2, 2)),
                ["1"] * 5,
                np.ma.masked_array(T, mask=T > 0.1),
            ],
            "tau": ["text", {}, 1.0, [[1.0], [1.0, 2.0]], 1j * T, T[:-1], np.ones((5, 2, 2)), np.ones((len(T), N + 1))],
            "cutoff": [0.0, -1.0, "5", 1j, np.nan, [1.0, 2.0], 5.0, object()],
            "window": [0, 2, -1, 4, 3, 5.0, True, "5", np.nan, [5], object()],
            "degree": [1, 0, -1, 2.0, True, "2", np.nan, [2], 5, object()],
            "gap": [value for value in no_number(0.0, -1.0) if value is not None and value != np.inf],
        },
        t=T,
        q=MOTION["q"],
        window=5,
        degree=3,
    ),
    call_of(
        rne.quintic_duration,
        ENDS
        | {
            "velocity_limit": [*ENDS["velocity_limit"], 0.0, -1.0, np.inf],
            "acceleration_limit": [*ENDS["acceleration_limit"], 0.0, -1.0],
        },
        q0=[0.0, 1.0],
        q1=[1.0, 2.0],
        velocity_limit=1.0,
    ),
    call_of(
        rne.trapezoidal_duration,
        ENDS
        | {
            "velocity_limit": [*ENDS["velocity_limit"], 0.0, -1.0],
            "acceleration_limit": [*ENDS["acceleration_limit"], 0.0, -1.0, np.inf],
        },
        q0=[0.0, 1.0],
        q1=[1.0, 2.0],
        velocity_limit=1.0,
        acceleration_limit=1.0,
    ),
    call_of(
        trajectory,
        SOURCES | {"path": [None, 3, b"a.csv", ["a.csv"]], "name": [3, b"text", ["text"]]},
        path=RECORDED,
        robot=PANDA,
        chunk=1000,
    ),
    call_of(
        differentiated,
        {
            "motion": [None, 3, "a.csv", MOTION],
            "cutoff": [0.0, "5", 5.0],
            "window": [4, 5.0, "5"],
            "degree": [1, 2.0, "2"],
            "unwrap": [3, "panda_joint1", ["nowhere"], [3], ["panda_finger_joint1"]],
            "torques": FLAG,
        },
        motion=RECORDED,
        window=5,
        degree=3,
    ),
    call_of(
        results,
        {
            "path": [None, 3, b"a.csv", ["a.csv"]],
            "columns": [None, 3, "tau", ["tau"], {"tau": "tau_turret"}, {"tau": 3}, {"tau": [3]}, {3: ["tau"]}],
            "time": ["float64", 3, float],
            "format": SOURCES["format"],
        },
        path="a.csv",
        columns={"tau": ["tau_turret"]},
    ),
    call_of(
        in_order,
        {"work": [None, 3, "abs"], "items": [None, 3], "threads": no_count(0)},
        work=abs,
        items=[-1, 2, -3],
        threads=1,
    ),
    call_of(rne.files.joined, {"chunks": [None, 3, [], [3], CHUNK]}, chunks=[CHUNK, CHUNK]),
    call_of(
        rne.files.seconds,
        {
            "where": [],
            "t": [None, 3, "0", pa.array(["a"]), pa.array([True]), pa.array([[1.0]])],
            "first": [],
            "origin": [3],
        },
        where="a.csv",
        t=pa.array(["0.0", "0.5"]),
    ),
    call_of(rne.motor_sizing, {"t": no_times([0.0, 0.0], [0.0], 1.0, [1.0, 0.0], T[::-1], T[:-1])}, **MOTION, t=T),
    call_of(
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
            "f_ext": [3, "hand", [WRENCH], {"nowhere": WRENCH}, {"hand": np.ones(5)}, {"hand": lambda t: "text"}],
            "gravity": [3, "down", np.ones(2), [np.nan, 0.0, 0.0], lambda t: [1.0], object()],
            "progress": [3, "bar", [print]],
        },
        q0=Q,
        t=[0.0, 0.01],
        step=1e-2,
    ),
    call_of(
        rne.verify,
        {"samples": [0, -1, 1.5, True, "3", None, np.nan], "seed": [-1, 1.5, True, "3", None, np.nan]},
        samples=1,
    ),
    call_of(
        rne.quintic,
        ENDS | {"t": no_times(None), "duration": no_number(0.0, -1.0)},
        q0=[0.0, 1.0],
        q1=[1.0, 2.0],
        duration=1.0,
        t=0.5,
    ),
    call_of(
        rne.trapezoidal,
        ENDS
        | {
            "t": no_times(None),
            "velocity_limit": [*ENDS["velocity_limit"], 0.0, -1.0],
            "acceleration_limit": [*ENDS["q0"], 0.0, -1.0, np.inf],
        },
        q0=[0.0, 1.0],
        q1=[1.0, 2.0],
        t=0.5,
        velocity_limit=1.0,
        acceleration_limit=1.0,
    ),
)
