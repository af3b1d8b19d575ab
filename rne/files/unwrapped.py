"""Positions that jump by a turn where a log wraps its angles: made continuous, or refused, before differentiation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rne.check import unknown_name
from rne.errors import ArgumentError, FileError, shown
from rne.files.chunk import Chunk
from rne.model.robot import Robot

TURN = 2 * math.pi
NEAR = 0.5  # rad; a step that differs from a turn by less is a jump

Unwrap = Sequence[str] | None


class Unwrapper:
    """Takes the jumps by a turn out of positions, chunk by chunk, in their order.

    Parameters
    ----------
    robot : defines which joints are continuous: revolute ones without position limits.
    joints : names of those to unwrap besides; an empty sequence unwraps none, and refuses no jump; None unwraps the
        continuous ones and refuses jumps of nearly a turn of the others.

    Attributes
    ----------
    turns : by joint, how many jumps were taken out.
    names : of the numbers in q.
    floating : whether the base floats.
    taken, refused : (nq,) of which joints jumps are taken out, and of which they are refused.

    Raises
    ------
    ArgumentError, UnknownNameError
        A name is not that of a revolute joint of the robot.

    References
    ----------
    Steps of more than half a turn are taken as the shorter ones the other way round (Itoh, Applied Optics 21 (1982)
    2470).
    """

    def __init__(self, robot: Robot, joints: Unwrap = None) -> None:
        names = robot.joint_names
        if joints is not None and (
            isinstance(joints, str) or not isinstance(joints, Sequence) or not all(isinstance(j, str) for j in joints)
        ):
            raise ArgumentError(f"unwrap: wanted names of joints, or None, got {shown(joints)}")
        for name in joints or ():
            if name not in names:
                raise unknown_name("unwrap", "coordinate", name, names)
            if robot.joint(name).kind != "revolute":
                raise ArgumentError(f"unwrap: {name} is {robot.joint(name).kind}; only angles have turns")
        self.floating = robot.floating
        self.names = robot.position_names  # what the base has of them does not wrap
        angular = np.array([name in names and robot.joint(name).kind == "revolute" for name in self.names])
        continuous = angular & np.isinf(robot.lower_limit) & np.isinf(robot.upper_limit)
        asked = np.array([name in (joints or ()) for name in self.names])
        nothing = joints is not None and not joints
        self.taken = np.zeros(robot.nq, bool) if nothing else continuous | asked
        self.refused = np.zeros(robot.nq, bool) if nothing else angular & ~self.taken
        self._last: NDArray[Any] = np.full(robot.nq, np.nan)
        self._step = np.zeros(robot.nq)
        self._offset = np.zeros(robot.nq)
        self.turns: dict[str, int] = {}

    def __call__(self, where: str, chunk: Chunk) -> Chunk:
        """Return the next chunk with its positions made continuous.

        Raises
        ------
        FileError
            Positions of a joint that is not unwrapped jump by nearly a turn.
        """
        q = chunk.arrays["q"]
        if not len(q):
            return chunk
        with np.errstate(invalid="ignore"):
            steps = np.diff(q, axis=0, prepend=self._last[None].astype(q.dtype))
            far = abs(steps) > math.pi
        for k in np.flatnonzero(self.refused & far.any(axis=0)):
            # A log that wraps goes in small steps elsewhere; what is far from its neighbours everywhere does not wrap.
            before = np.concatenate([self._step[k : k + 1], steps[:-1, k]])
            jumps = np.flatnonzero((abs(abs(steps[:, k]) - TURN) < NEAR) & ~(abs(before) >= NEAR))
            if jumps.size:
                row, name = chunk.first + int(jumps[0]) + 1, self.names[k]
                raise FileError(
                    f"{where}: row {row}: q of {name} jumps by {steps[jumps[0], k]:.4g} rad, nearly a turn; if the log "
                    f"wraps its angles, say --unwrap {name}, and if not, --unwrap none"
                )
        made = None
        for k in np.flatnonzero(self.taken):
            column = q[:, k]
            if np.isnan(column).any() or np.isnan(self._last[k]):
                known = np.flatnonzero(np.isfinite(column))
                before = column[known[:1]] if np.isnan(self._last[k]) else self._last[k : k + 1]
                step = np.zeros(len(q))
                step[known] = np.diff(column[known], prepend=before.astype(q.dtype))
            else:
                step = steps[:, k]
            turns = np.where(abs(step) > math.pi, np.rint(step / TURN), 0.0)
            total = self._offset[k] - TURN * np.cumsum(turns)
            if total.any():
                made = q.copy() if made is None else made
                made[:, k] = column + total
            if count := int(np.count_nonzero(turns)):
                self.turns[self.names[k]] = self.turns.get(self.names[k], 0) + count
            self._offset[k] = total[-1]
        self._keep_last(q)
        self._step = steps[-1].astype(np.float64)
        return chunk if made is None else replace(chunk, arrays={**chunk.arrays, "q": made})

    def _keep_last(self, q: NDArray[Any]) -> None:
        for k in range(q.shape[1]):
            known = np.flatnonzero(np.isfinite(q[:, k]))
            if known.size:
                self._last[k] = q[known[-1], k]
