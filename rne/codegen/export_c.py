"""A robot as C: the public function."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rne.atomic_write import replacing
from rne.batch.arguments import check_robot
from rne.check import at_home, check_choice, check_flag
from rne.codegen.c_files import Case, cmake, header, source, test
from rne.codegen.c_source import KEYWORDS, Writer, identifier
from rne.codegen.evaluation import evaluate
from rne.codegen.functions import PAYLOAD, Functions, Parameters, Traced, parameters_of
from rne.dynamics.coriolis import christoffel, coriolis_matrix
from rne.dynamics.derivatives import (
    forward_dynamics_derivatives,
    gravity_derivative,
    inverse_dynamics_derivatives,
)
from rne.dynamics.forward_dynamics import forward_dynamics
from rne.dynamics.inverse_dynamics import bias_vector, gravity_vector, inverse_dynamics
from rne.dynamics.kinematics import forward_kinematics, jacobian
from rne.dynamics.mass_matrix import mass_matrix
from rne.dynamics.torque_gradient import inverse_dynamics_vjp
from rne.errors import ArgumentError, shown
from rne.identification.regressor import regressor
from rne.model.robot import Robot
from rne.model.sampling import random_positions

Array = NDArray[np.float64]

_CASES = 8
_DTYPES = ("float64", "float32")


def export_c(
    robot: Robot,
    folder: str | os.PathLike[str],
    functions: Sequence[str] = ("inverse_dynamics", "forward_dynamics", "gravity_vector", "mass_matrix"),
    name: str | None = None,
    dtype: str = "float64",
    parameters: Sequence[str] = (),
    *,
    friction: bool = False,
) -> tuple[Path, ...]:
    """Write a robot as C99: a header, a source, a test with numbers of rne, and a CMakeLists.

    The functions are traced from the kernels of rne with the numbers of this robot, so that nothing is left but
    multiplications and additions: no loop, no allocation, no state, no library but ``math.h``. They compile as C99 and
    as C++ without a warning.

    Parameters
    ----------
    robot : the robot.
    folder : where to write; made if it is not there. Files of these names in it are replaced.
    functions : what to write, by the names in `rne`: "inverse_dynamics", "forward_dynamics", "gravity_vector",
        "bias_vector", "mass_matrix", "coriolis_matrix", "christoffel", "regressor", "inverse_dynamics_derivatives",
        "forward_dynamics_derivatives", "inverse_dynamics_vjp", "gravity_derivative"; and of frames
        "forward_kinematics:FRAME" and "jacobian:FRAME" (in base axes).
    name : prefix of files and functions, a name in C; that of the robot, with "_" for what C does not allow, if None.
    dtype : "float64" for ``double`` or "float32" for ``float``.
    parameters : what the functions are to be given at run time, behind the state: "gravity" (3, m/s^2 in base axes),
        and "payload" or "payload:FRAME" (10: mass, center of mass, ixx, ixy, ixz, iyy, iyz, izz about it, in the axes
        of the frame, by default that of the tip). The arguments in C stand in this order, gravity before payload,
        whatever the order here; a function has those that it depends on.
    friction : whether inverse and forward dynamics, their derivatives, and the regressor count the friction of the
        joints.

    Returns
    -------
    paths : of the four files: NAME.h, NAME.c, test.c, CMakeLists.txt.

    Raises
    ------
    ArgumentError, UnknownNameError
        An argument has the wrong type or value; an unknown function or frame.
    SingularError
        Forward dynamics of a robot some motion of which moves no mass.
    OSError
        The folder cannot be written.

    Examples
    --------
    >>> import rne, tempfile
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     paths = rne.export_c(arm, folder, ["gravity_vector"], name="arm")
    ...     print([path.name for path in paths])
    ...     "void arm_gravity_vector(const double q[2], double g[2]);" in paths[0].read_text()
    ['arm.h', 'arm.c', 'test.c', 'CMakeLists.txt']
    True
    """
    check_robot(robot)
    if not isinstance(folder, (str, os.PathLike)) or not os.fspath(folder):
        raise ArgumentError(f"folder: wanted a path, got {shown(folder)}")
    check_choice("dtype", dtype, _DTYPES)
    check_flag("friction", friction)
    prefix = _prefix(robot, name)
    known = parameters_of(robot, parameters)
    traced = _traced(robot, functions, Functions(robot, known, friction=friction, single=dtype == "float32"))
    writer = Writer(prefix, dtype == "float32")
    cases = [_case(robot, function, known, friction, dtype) for function in traced]
    about = version("rne")
    texts = {
        f"{prefix}.h": header(writer, robot, traced, about),
        f"{prefix}.c": source(writer, robot, traced, about),
        "test.c": test(writer, cases),
        "CMakeLists.txt": cmake(prefix),
    }
    target = Path(at_home(folder))
    target.mkdir(parents=True, exist_ok=True)
    for file, text in texts.items():
        with replacing(str(target / file)) as stream:
            stream.write(text.encode("ascii"))
    return tuple(target / file for file in texts)


def _prefix(robot: Robot, name: object) -> str:
    if name is None:
        made = identifier(robot.name)
        return made if re.match(r"[A-Za-z]", made) and made not in KEYWORDS else f"robot_{made}"
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name) or name in KEYWORDS:
        raise ArgumentError(f"name: wanted a name in C (letters, digits, underscores, no keyword), got {shown(name)}")
    return name


def _traced(robot: Robot, names: object, functions: Functions) -> list[Traced]:
    if isinstance(names, str) or not isinstance(names, Sequence) or not names:
        raise ArgumentError(f"functions: wanted a list of names such as 'inverse_dynamics', got {shown(names)}")
    if robot.n == 0:
        raise ArgumentError(f"robot: {robot.name} has no joint that moves, and so there is nothing to calculate")
    traced: dict[str, Traced] = {}
    for name in names:
        function = functions.trace(name)
        word = identifier(name)
        if word in traced and traced[word].name != name:
            raise ArgumentError(f"functions: {traced[word].name!r} and {name!r} are the same name in C, {word}")
        traced[word] = function
    return list(traced.values())


def _case(robot: Robot, traced: Traced, parameters: Parameters, friction: bool, dtype: str) -> Case:
    """Make the numbers that a function is tested with."""
    rng = np.random.default_rng(1)
    n, given = robot.n, {"q": random_positions(robot, _CASES, rng)}
    for name in ("qd", "qdd", "tau", "weights"):
        given[name] = rng.normal(size=(_CASES, n))
    given["gravity"], given["payload"] = rng.normal(size=(_CASES, 3)) * 5.0, _payloads(rng)
    given = {name: values.astype(dtype) for name, values in given.items()}
    arguments = [given[name] for name, _ in traced.arguments]
    state = [values for values, (name, _) in zip(arguments, traced.arguments, strict=True) if name in _STATE]
    cases = [[row.astype(np.float64) for row in rows] for rows in zip(*state, strict=True)]
    robots = [_changed(robot, parameters, given, k) for k in range(_CASES)]
    exact = np.array([_reference(r, traced.name, friction, c).ravel() for r, c in zip(robots, cases, strict=True)])
    tolerance = 1e-12
    if dtype == "float32":  # as much as the order of the operations may change
        narrow = evaluate(traced.program, {name: a.T for (name, _), a in zip(traced.arguments, arguments, strict=True)})
        tolerance = 1e-5 + 9 * float(np.abs(narrow.T - exact).max() / max(np.abs(exact).max(), 1e-3))
    return Case(traced, [a.astype(np.float64) for a in arguments], exact, tolerance)


_WITH_FRICTION: dict[str, Any] = {
    function.__name__: function
    for function in (
        inverse_dynamics, forward_dynamics, regressor, inverse_dynamics_derivatives, forward_dynamics_derivatives,
        inverse_dynamics_vjp,
    )
}  # fmt: skip
_STATE = ("q", "qd", "qdd", "tau", "weights")


def _payloads(rng: np.random.Generator) -> Array:
    """Draw bodies: boxes of some size and place, turned."""
    bodies = np.empty((_CASES, len(PAYLOAD)))
    for body in bodies:
        mass, turn = rng.uniform(0.1, 2.0), np.linalg.qr(rng.normal(size=(3, 3)))[0]
        x, y, z = rng.uniform(0.05, 0.2, 3) ** 2
        tensor = turn @ np.diag([y + z, x + z, x + y]) @ turn.T * mass / 12
        body[:] = mass, *rng.normal(size=3) * 0.1, *tensor[np.triu_indices(3)]
    return bodies


def _changed(robot: Robot, parameters: Parameters, given: dict[str, Array], k: int) -> Robot:
    """Return the robot with gravity and payload of a case."""
    if parameters.gravity:
        robot = robot.with_gravity(given["gravity"][k].astype(np.float64))
    if parameters.payload is not None:
        mass, *rest = given["payload"][k].astype(np.float64).tolist()
        tensor = np.zeros((3, 3))
        tensor[np.triu_indices(3)] = rest[3:]
        tensor = tensor + tensor.T - np.diag(np.diag(tensor))
        robot = robot.with_payload(mass, rest[:3], tensor, parameters.payload)
    return robot


def _reference(robot: Robot, name: str, friction: bool, state: list[Array]) -> Any:
    """Calculate by the functions of rne what a traced function is to give."""
    function, _, frame = name.partition(":")
    if function in _WITH_FRICTION:
        call: Any = _WITH_FRICTION[function]
        return np.array(call(robot, *state, friction=friction))
    if frame:
        of_frame: Any = {"forward_kinematics": forward_kinematics, "jacobian": jacobian}[function]
        return of_frame(robot, *state, frame)
    plain: Any = {
        "gravity_vector": gravity_vector, "bias_vector": bias_vector, "mass_matrix": mass_matrix,
        "coriolis_matrix": coriolis_matrix, "christoffel": christoffel, "gravity_derivative": gravity_derivative,
    }[function]  # fmt: skip
    return plain(robot, *state)
