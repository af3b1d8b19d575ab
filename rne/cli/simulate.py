"""`rne simulate`: a motion from torques or from a controller, as a trajectory file."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

import rne
from rne.cli.motion import Job, takes_motion
from rne.cli.options import examples, show, takes_robot
from rne.cli.stream import bar, motion_of, opened
from rne.errors import FileError
from rne.model.floating import columns_of, names_of, of_joints
from rne.model.robot import Robot

Array = NDArray[np.float64]

LAWS = ("pid", "pd_gravity", "feedforward", "computed_torque")


def _each(_: click.Context, parameter: click.Parameter, text: str | None) -> Any:
    """Parse one number, or several with commas, one per joint, or JOINT=NUMBER with commas."""
    if text is None:
        return None
    parts = [part.strip() for part in text.split(",")]
    try:
        if all("=" in part for part in parts):
            return {name.strip(): float(value) for name, _, value in (part.rpartition("=") for part in parts)}
        return float(parts[0]) if len(parts) == 1 else [float(part) for part in parts]
    except ValueError:
        raise click.BadParameter(f"wanted {parameter.metavar}, got {text!r}", param=parameter) from None


def _numbers(*names: str, text: str) -> Callable[..., Any]:
    return click.option(*names, metavar="NUMBERS", callback=_each, help=text)


_CONTROL = (
    click.option(
        "--controller",
        metavar="LAW",
        help=f"Controller in place of torques: {', '.join(LAWS)} of rne.control, or FILE.py:FUNCTION, which is called "
        "with t, q, qd and returns the torques.",
    ),
    _numbers("--goal", text="Posture that the controller holds: one number per joint, or JOINT=NUMBER, with commas."),
    click.option("--path", type=click.Path(), help="Trajectory that the controller follows, in place of --goal."),
    _numbers("--kp", text="Gains of the error: one number, or one per joint."),
    _numbers("--ki", text="Gains of its integral; zero by default."),
    _numbers("--kd", text="Gains of its rate; zero by default."),
    click.option("--rate", type=float, help="Sampling rate of the controller, Hz; in continuous time by default."),
    click.option("--delay", type=float, help="Dead time of the sampled controller, s."),
    click.option("--saturate", is_flag=True, help="Limit the torques of the controller to the effort limits."),
    _numbers("--position-resolution", text="Step of the positions that a sampled controller measures (rad, m)."),
    _numbers("--velocity-resolution", text="Step of the velocities that a sampled controller measures (rad/s, m/s)."),
)
_RUN = (
    _numbers("--q0", text="Start: one number per joint, or JOINT=NUMBER; that of LOG or --path by default, or zero. "
             "A base that floats has its pose in front, or base_x=NUMBER to base_qw; at the origin by default."),
    _numbers("--qd0", text="Velocities of the start, as --q0; of a base that floats base_vx to base_wz."),
    click.option("--duration", type=float, help="Duration, s; by default that of LOG or of --path, or 1."),
    click.option("--output-rate", type=float, default=100.0, show_default=True, help="Rows of OUT per second."),
    click.option("--interpolation", type=click.Choice(("zero-order", "linear")), default="zero-order",
                 show_default=True, help="Of the torques and wrenches between the rows of LOG."),
    click.option("--method", type=click.Choice(("rk4", "euler", "adaptive")), default="rk4", show_default=True,
                 help="Method of integration."),
    click.option("--step", type=float, help="Largest step, s; 0.001 by default, or unlimited for adaptive."),
    click.option("--rtol", type=float, help="Relative tolerance of adaptive steps."),
    click.option("--atol", type=float, help="Absolute tolerance of adaptive steps."),
    click.option("--restitution", type=float, help="Rigid joint stops, which give back this part of the speed."),
    click.option("--stop-stiffness", type=float, help="Soft joint stops at the limits: stiffness, N m/rad or N/m."),
    click.option("--stop-damping", type=float, help="Damping of soft joint stops, N m s/rad or N s/m."),
    click.option("-o", "--output", metavar="OUT", required=True, help="Trajectory file to write."),
)  # fmt: skip


def _with(*parameters: Callable[..., Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        for parameter in reversed(parameters):
            command = parameter(command)
        return command

    return decorate


@click.command(
    "simulate",
    short_help="Simulate a motion.",
    epilog=examples(
        "rne simulate panda.urdf --torques torques.csv --friction -o motion.csv",
        "rne simulate panda.urdf --q0 0,-0.8,0,-2.4,0,1.6,0.8,0.02 --duration 2 --restitution 0.3 -o fall.csv",
        "rne simulate ur5e --controller computed_torque --kp 100 --kd 20 --goal 0,-1,1,0,0,0 --rate 500 -o servo.csv",
        "rne simulate anymal.urdf --floating --gravity 0,0,0 --qd0 base_vx=0.1,base_wz=2 -o tumbling.csv",
        "rne view ur5e servo.csv",
    ),
)
@takes_robot
@takes_motion(
    output=None,
    option="Torques over time, in the columns t and tau_<joint>, with the wrenches of --wrench; with --controller, "
    "the wrenches alone.",
)
@_with(*_CONTROL, *_RUN)
def simulate(robot: Robot, job: Job, **options: Any) -> None:
    """Simulate the motion of a robot from its torques, or under a controller.

    Without --torques and --controller it moves freely. OUT has the columns t, q_<joint>, qd_<joint>, qdd_<joint> and
    tau_<joint>, and is read by `rne view`, `rne plot` and the other commands. A table says what happened, and which
    limits were passed. A base that floats has its columns q_base_x, qd_base_vx and so on, in LOG as in OUT; nothing but
    LOG, or a function, pushes it.
    """
    given = {name: value for name, value in options.items() if value is not None}
    log, start = _read(robot, job, given)
    path = _path(robot, given.pop("path", None))
    ends = [signal.t[-1] for signal in log.values()] + ([path[0][-1]] if path else [])
    duration, rate = given.pop("duration", max(ends, default=1.0)), given.pop("output_rate")
    for name, number in (("duration", duration), ("output-rate", rate)):
        if not (np.isfinite(number) and number > 0):
            raise click.UsageError(f"--{name}: wanted a positive number, got {number}")
    if path and "q" not in start:
        start = {"q": path[1][0], "qd": path[2][0]}
    q0 = _state(robot, "q0", given.pop("q0", start.get("q", {})))
    qd0 = _state(robot, "qd0", given.pop("qd0", start.get("qd", {})))
    tau = _controller(robot, given, path) or log.get("tau")
    f_ext = {frame: (log[frame], axes) for frame, axes in job.wrenches.items()} or None
    stops = _stops(given)
    count = max(round(duration * rate), 1)
    t = np.arange(count + 1) * (duration / count)
    with bar() as progress:
        motion = rne.simulate(
            robot, q0, qd0, t, tau=tau, f_ext=f_ext, friction=job.friction, stops=stops, progress=progress, **given
        )
    at_times = {frame: (signal(t), axes) for frame, (signal, axes) in f_ext.items()} if f_ext else None
    qdd = rne.forward_dynamics(
        robot, motion.q, motion.qd, motion.tau, friction=job.friction, f_ext=at_times, singular="nan"
    )
    _write(robot, job.output, t, {"q": motion.q, "qd": motion.qd, "qdd": qdd, "tau": motion.tau})
    show(str(motion))
    if not motion.limits:
        show(str(motion.limits))


def _read(robot: Robot, job: Job, given: dict[str, Any]) -> tuple[dict[str, rne.Signal], dict[str, Array]]:
    """Return the signals of LOG, and the state at its beginning where it has one."""
    interpolation, controlled = given.pop("interpolation"), "controller" in given
    if not job.trajectory:
        if job.wrenches:
            raise click.UsageError("--wrench: wanted a LOG with its columns, see --torques")
        return {}, {}
    if controlled and not job.wrenches:
        raise click.UsageError("--torques and --controller: wanted one of the two, or --wrench")
    wanted = [] if controlled else ["tau"]
    if job.trajectory != "-":
        with motion_of(robot, job, wanted) as motion:
            names = motion.columns.names
        there = [key for key in ("q", "qd") if key in job.rename or columns_of(robot, key)[0] in names]
        wanted = [*(there if "q" in there else []), *wanted]
    with opened(robot, job, wanted, zero=False) as (motion, _):
        log = rne.files.signals(motion, interpolation)
    start: dict[str, Array] = {key: log.pop(key).values[0] for key in ("q", "qd") if key in log}
    return log, start


def _path(robot: Robot, path: str | None) -> tuple[Array, ...] | None:
    """Return times, positions, velocities and accelerations of a trajectory to follow."""
    if path is None:
        return None
    with rne.files.Trajectory(path, robot) as motion:
        if "qd" in motion.columns.missing:
            raise FileError(f"{motion.where}: a controller follows q and qd; write qd with rne convert --differentiate")
        found = rne.files.signals(motion)
    return (found["q"].t, *(found[key].values for key in ("q", "qd", "qdd") if key in found))


def _controller(robot: Robot, given: dict[str, Any], path: Any) -> Any:
    """Return the controller of the options, or None, and take them out of `given`."""
    name, goal = given.pop("controller", None), given.pop("goal", None)
    gains = {key: given.pop(key) for key in ("kp", "ki", "kd") if key in given}
    saturate = given.pop("saturate")
    sampling = ("rate", "delay", "position_resolution", "velocity_resolution")
    sampled = {key: given.pop(key) for key in sampling if key in given}
    if name is None:
        if gains or sampled or saturate or path or goal is not None:
            raise click.UsageError("gains, goals and sampling are those of a controller; wanted --controller")
        return None
    if sampled and "rate" not in sampled:
        raise click.UsageError("--delay and resolutions are those of a sampled controller; wanted --rate")
    law: Any
    if name in LAWS:
        if "kp" not in gains:
            raise click.UsageError(f"--controller {name}: wanted --kp")
        gains = {key: _values(robot, key, value) for key, value in gains.items()}
        if name != "pid":
            gains.setdefault("kd", np.zeros(len(robot.joint_names)))
        along = path and (path[0], *(of_joints(robot, part) for part in path[1:]))
        reference = {"path": along} if path else {"goal": None if goal is None else _values(robot, "goal", goal)}
        law = getattr(rne.control, name)(robot, **gains, **reference, saturate=saturate)
    else:
        law = _function(name)
        if gains or path or goal is not None:
            raise click.UsageError(f"--controller {name}: a function has no gains, goal and path of the command line")
        if saturate and not sampled:
            raise click.UsageError("--saturate: for a function, wanted --rate too")
    if not sampled:
        return law
    resolutions = {key: _values(robot, key, value) for key, value in sampled.items() if key.endswith("resolution")}
    return rne.SampledController(law, **{**sampled, **resolutions}, saturate=saturate)


def _function(text: str) -> Any:
    """Import a function from FILE.py:FUNCTION."""
    file, _, name = text.rpartition(":")
    if not file.endswith(".py") or not name:
        raise click.UsageError(f"--controller: wanted one of {', '.join(LAWS)} or FILE.py:FUNCTION, got {text!r}")
    spec = importlib.util.spec_from_file_location("rne_controller", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    if not callable(getattr(module, name, None)):
        raise FileError(f"{file}: there is no function {name!r}")
    return getattr(module, name)


def _stops(given: dict[str, Any]) -> dict[str, float] | None:
    keys = {"restitution": "restitution", "stop_stiffness": "stiffness", "stop_damping": "damping"}
    stops = {name: given.pop(key) for key, name in keys.items() if key in given}
    if "damping" in stops and "stiffness" not in stops:
        raise click.UsageError("--stop-damping: wanted --stop-stiffness too")
    if "restitution" in stops and len(stops) > 1:
        raise click.UsageError("--restitution and --stop-stiffness: wanted one of the two")
    return stops or None


def _state(robot: Robot, name: str, value: Any) -> Array:
    """Return positions q0 or velocities qd0: what is not named is zero, and a base that floats at the origin."""
    names, state = names_of(robot, name.removesuffix("0")), rne.neutral(robot) if name == "q0" else np.zeros(robot.n)
    if not isinstance(value, dict):
        array = np.asarray(value, dtype=np.float64)
        if robot.floating and array.shape == state.shape:
            return array
        of_joints(robot, state)[:] = _values(robot, name, array)
        return state
    for key, number in value.items():
        if key not in names:
            robot.joint(key)  # an error if there is none
            raise click.UsageError(f"--{name}: joint {key!r} follows another one")
        state[names.index(key)] = number
    return state


def _values(robot: Robot, name: str, value: Any) -> Array:
    """Return one number per joint; joints that are not named are zero."""
    joints = len(robot.joint_names)
    if isinstance(value, dict):
        for joint in value:
            robot.joint(joint)
        return np.array([value.get(joint, 0.0) for joint in robot.joint_names])
    array = np.asarray(value, dtype=np.float64)
    if array.shape not in ((), (joints,)) or not joints:
        option = name.replace("_", "-")
        raise click.UsageError(f"--{option}: wanted one number per joint, {joints}; got {array.size}")
    return np.broadcast_to(array, (joints,)).copy()


def _write(robot: Robot, output: str, t: Array, arrays: dict[str, Array]) -> None:
    from rne.files.extra import pa

    columns = {key: columns_of(robot, key) for key in arrays}
    with rne.files.Results(output, columns, time=pa.float64()) as results:
        results.write(pa.array(t), arrays)
