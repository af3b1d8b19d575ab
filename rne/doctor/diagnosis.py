"""The diagnosis of a robot, or of a file that may not describe a valid one."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from rne.bodies.physical import (
    CODES,
    INDEFINITE,
    INERTIA_WITHOUT_MASS,
    MASS_NEGATIVE,
    MOMENT_WITHOUT_MASS,
    TRIANGLE,
)
from rne.check import at_home, check_flag, whole_number
from rne.doctor import bodies, conditioning, joints
from rne.doctor.report import Diagnosis, Finding, in_order
from rne.errors import ArgumentError, ModelError, ModelWarning, Problem
from rne.model.robot import Robot
from rne.read import is_mjcf_file
from rne.read.loading import load
from rne.read.urdf.geometry import Geometry, read_geometry

SAMPLES, SEED = 200, 0


def diagnose(
    robot_or_path: Robot | str | os.PathLike[str], *, samples: int = SAMPLES, seed: int = SEED, **options: Any
) -> Diagnosis:
    """Diagnose a robot model: structure, bodies, joints, units, condition of the mass matrix.

    Errors in a file do not raise an exception; they are reported as findings, together with the findings about the
    rest of the file.

    Parameters
    ----------
    robot_or_path : a robot, or the path of a robot file. The shapes of a file are read as well, and the inertias
        compared with them.
    samples, seed : number of random postures at which the condition number is evaluated, and the seed of the generator.
    options : for a file, keyword arguments of `load`; with ``strict=False``, physically doubtful values are warnings.

    Returns
    -------
    Diagnosis
        ``ok`` is True if there is no error, ``findings`` has the details, and ``str(...)`` is a printable page.

    Raises
    ------
    ArgumentError
        `robot_or_path` is neither a robot nor a path, options are given with a robot, or a number is out of range.

    Examples
    --------
    >>> import rne
    >>> diagnosis = rne.diagnose("models/planar2/robot.dh.toml")
    >>> diagnosis.ok, diagnosis.count("warning")
    (True, 0)
    """
    samples, seed = whole_number("samples", samples, 1), whole_number("seed", seed, 0)
    check_flag("strict", options.get("strict", True))
    if isinstance(robot_or_path, Robot):
        if options:
            raise ArgumentError(f"{', '.join(options)}: options apply to a file only; change the robot itself")
        # Bodies may have been changed since the file was read, so its findings about them are out of date.
        notes = [note for note in robot_or_path.tree.notes if note.code not in CODES]
        notes += bodies.impossible(robot_or_path)
        return _examined(robot_or_path, notes, [], (), samples, seed)
    if not isinstance(robot_or_path, str | os.PathLike):
        raise ArgumentError(f"robot_or_path: wanted a Robot or a path, got {type(robot_or_path).__name__}")
    robot, errors, notes = _loaded(robot_or_path, options)
    if robot is None:
        findings = in_order([_said(problem, "error") for problem in errors])
        return Diagnosis("", os.fspath(robot_or_path), findings)
    return _examined(robot, notes, errors, _shapes(robot_or_path), samples, seed)


def _loaded(path: str | os.PathLike[str], options: dict[str, Any]) -> tuple[Robot | None, list[Problem], list[Problem]]:
    """Load a file; if only physically doubtful values make strict loading fail, load it with ``strict=False``."""
    errors: dict[Problem, None] = {}  # ordered, without duplicates
    with warnings.catch_warnings(action="ignore", category=ModelWarning):
        for strict in sorted({options.get("strict", True), False}, reverse=True):
            try:
                robot = load(path, **options | {"strict": strict})
            except ModelError as error:
                errors |= dict.fromkeys(error.problems)
            else:
                return robot, list(errors), [note for note in robot.tree.notes if note not in errors]
    return None, list(errors), []


def _shapes(path: str | os.PathLike[str]) -> Sequence[Geometry]:
    where = at_home(path)
    is_urdf = where.lower().endswith((".urdf", ".xml")) and not is_mjcf_file(where)
    return read_geometry(where) if is_urdf else ()


def _examined(
    robot: Robot,
    notes: Sequence[Problem],
    errors: Sequence[Problem],
    shapes: Sequence[Geometry],
    samples: int,
    seed: int,
) -> Diagnosis:
    def findings() -> Iterator[Finding]:
        yield from (_said(problem, "error") for problem in errors)
        yield from (_said(problem, "warning") for problem in notes)
        yield from bodies.examine(robot, shapes)
        yield from joints.examine(robot)
        for ignored in robot.tree.ignored:
            times = f"{ignored.count} times" if ignored.count > 1 else "once"
            what = f"{ignored.element} appears {times} and is not used"
            yield Finding("info", "ignored", "", what, line=ignored.lines[0])
        if condition is not None:
            yield from conditioning.examine(condition, samples)

    with np.errstate(over="ignore", invalid="ignore"):  # for absurd sizes, an infinite result is good enough
        condition = conditioning.condition_numbers(robot, samples, seed) if robot.n else None
        return Diagnosis(robot.name, robot.tree.source, in_order(findings()), condition)


_NEAREST = "`rne check ROBOT --fix OUT.urdf` writes the nearest physical inertia; better, measure it again"
_FIXES = {
    INDEFINITE: _NEAREST,
    TRIANGLE: _NEAREST,
    INERTIA_WITHOUT_MASS: "give the mass, or remove the inertia",
    MASS_NEGATIVE: "give the mass in kg, without a sign",
    MOMENT_WITHOUT_MASS: "nothing, if these are base parameters; otherwise give the mass",
    "massless": "give a link beyond the joint mass and inertia, or make the joint fixed",
    "unit-length": "divide millimeters by 1000; if the robot is that large, nothing",
    "limit-inverted": "swap lower and upper",
}


def _said(problem: Problem, severity: str) -> Finding:
    """Turn a problem reported by a reader into a finding; without an entry in the table, its text includes the fix."""
    fix = _FIXES.get(problem.code, "")
    return Finding(severity, problem.code, problem.element, problem.what, fix, problem.line)
