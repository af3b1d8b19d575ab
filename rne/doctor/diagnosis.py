"""From a robot, or a file that may be none, to what is doubtful about it."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from rne.check import check_flag, whole_number
from rne.doctor import bodies, conditioning, joints
from rne.doctor.report import Diagnosis, Finding, in_order
from rne.errors import ArgumentError, ModelError, ModelWarning, Problem
from rne.model.robot import Robot
from rne.read.loading import load
from rne.read.urdf.geometry import Geometry, read_geometry

SAMPLES, SEED = 200, 0


def diagnose(
    robot_or_path: Robot | str | os.PathLike[str], *, samples: int = SAMPLES, seed: int = SEED, **options: Any
) -> Diagnosis:
    """Tell what is wrong or doubtful about a robot: structure, bodies, joints, units, condition of the mass matrix.

    A file with errors is no exception here: they are findings, together with all that the rest of the file shows.

    Parameters
    ----------
    robot_or_path : a robot; or a file, of which the shapes are then read as well, and the inertias held against them.
    samples, seed : of the random postures at which the condition of the mass matrix is taken.
    options : for a file, as for `load`; with ``strict=False``, physical doubts are warnings.

    Returns
    -------
    Diagnosis
        ``ok`` tells whether there is no error, ``findings`` the details, ``str(...)`` a page.

    Raises
    ------
    ArgumentError
        Neither a robot nor a path, options with a robot, or numbers out of range.

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
            raise ArgumentError(f"{', '.join(options)}: only a file is loaded with options; change the robot itself")
        return _examined(robot_or_path, list(robot_or_path.tree.notes), [], (), samples, seed)
    if not isinstance(robot_or_path, str | os.PathLike):
        raise ArgumentError(f"robot_or_path: wanted a Robot or a path, got {type(robot_or_path).__name__}")
    robot, errors, notes = _loaded(robot_or_path, options)
    if robot is None:
        findings = in_order([_said(problem, "error") for problem in errors])
        return Diagnosis("", os.fspath(robot_or_path), findings)
    return _examined(robot, notes, errors, _shapes(robot_or_path), samples, seed)


def _loaded(path: str | os.PathLike[str], options: dict[str, Any]) -> tuple[Robot | None, list[Problem], list[Problem]]:
    """Load a file; if strict loading refuses it, what is only physically doubtful is still a robot to look at."""
    errors: dict[Problem, None] = {}  # in order, each once
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
    return read_geometry(path) if os.fspath(path).lower().endswith((".urdf", ".xml")) else ()


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
            what = f"{ignored.element} stands there {times} and is not used"
            yield Finding("info", "ignored", "", what, line=ignored.lines[0])
        if condition is not None:
            yield from conditioning.examine(condition, samples)

    with np.errstate(over="ignore", invalid="ignore"):  # shapes of any size, masses of none: beyond all bounds will do
        condition = conditioning.condition_numbers(robot, samples, seed) if robot.n else None
        return Diagnosis(robot.name, robot.tree.source, in_order(findings()), condition)


_NEAREST = "`rne check ROBOT --fix OUT.urdf` writes the nearest inertia that a body can have; better, measure it again"
_FIXES = {
    "inertia-indefinite": _NEAREST,
    "inertia-triangle": _NEAREST,
    "inertia-without-mass": "give the mass, or take the inertia away",
    "mass-negative": "give the mass in kg, without a sign",
    "massless": "give a link beyond the joint mass and inertia, or make the joint fixed",
    "unit-length": "divide millimeters by 1000; if the robot is that large, nothing",
    "limit-inverted": "let lower and upper change places",
}


def _said(problem: Problem, severity: str) -> Finding:
    """What a reader says; if no fix stands here, it names the way to mend it in the same breath."""
    fix = _FIXES.get(problem.code, "")
    return Finding(severity, problem.code, problem.element, problem.what, fix, problem.line)
