"""Frames in contact: which directions of which frames are held, in which axes, and the wrenches that hold them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rne.batch.arguments import (
    NOWHERE,
    Batch,
    Floats,
    as_frame,
    check_axes,
    check_robot,
    read_only,
    with_axes,
)
from rne.check import row_numbers
from rne.dynamics.kinematics import forward_kinematics, jacobian
from rne.errors import ArgumentError, shown
from rne.model.robot import Robot
from rne.tables import Part, cells, titled, worst

KINDS = {"point": (0, 1, 2), "surface": (0, 1, 2, 3, 4, 5)}
"""Held directions by the kind of contact, as rows of the Jacobian: linear, then angular."""
COMPONENTS = ("fx", "fy", "fz", "mx", "my", "mz")


class Contacts(NamedTuple):
    """Frames in contact.

    Attributes
    ----------
    names : of the frames.
    rows : held directions of each, 0 to 5.
    axes : of the directions of each, "world" or "local".
    sites, directions : where the frames are, and of each held direction six times the number of its frame plus its row,
        as `rne.kernels.contact` wants them.
    """

    names: tuple[str, ...]
    rows: tuple[list[int], ...]
    axes: tuple[str, ...]
    sites: Floats
    directions: NDArray[np.intp]

    def spread(self, values: Floats) -> Floats:
        """Return values (samples, held) as (samples, contacts, 6), zero in free directions."""
        found = np.zeros((len(values), 6 * len(self.names)))
        found[:, self.directions] = values
        return found.reshape(len(values), len(self.names), 6)

    def gather(self, values: Floats) -> Floats:
        """Return values (samples, contacts, 6) of the held directions alone, (samples, held)."""
        return values.reshape(len(values), 6 * len(self.names))[:, self.directions]

    def jacobian(self, robot: Robot, q: Floats, threads: int | None) -> Floats:
        """Return the Jacobian (..., held, n) of the held directions."""
        J, first = np.empty((*q.shape[:-1], len(self.directions), robot.n)), 0
        for name, rows, axes in zip(self.names, self.rows, self.axes, strict=True):
            J[..., first : first + len(rows), :] = jacobian(robot, q, name, axes=axes, threads=threads)[..., rows, :]
            first += len(rows)
        return J

    def in_world(self, robot: Robot, q: Floats, wrenches: Floats, threads: int | None) -> Floats:
        """Turn wrenches (samples, contacts, 6) in the axes of the contacts to world axes, in place."""
        for k, (name, axes) in enumerate(zip(self.names, self.axes, strict=True)):
            if axes == "local":
                R = forward_kinematics(robot, q, name, threads=threads)[:, :3, :3]
                wrenches[:, k] = rotated(R, wrenches[:, k])
        return wrenches


class Pushed:
    """Results with contact wrenches."""

    names: tuple[str, ...]
    wrenches: Floats

    @property
    def f_ext(self) -> dict[str, Floats]:
        """The wrenches by frame name, as `inverse_dynamics` and others take them."""
        return {name: self.wrenches[..., k, :] for k, name in enumerate(self.names)}


def rotated(R: Floats, wrenches: Floats) -> Floats:
    """Return wrenches, twists or deviations (k, 6) with both halves rotated by R (k, 3, 3)."""
    halves: Floats = np.einsum("kij,khj->khi", R, wrenches.reshape(len(wrenches), 2, 3))
    return halves.reshape(len(wrenches), 6)


def as_contacts(robot: Robot, contacts: Any) -> Contacts:
    """Settle contacts.

    Parameters
    ----------
    robot : knows the frames.
    contacts : by frame name "point", "surface" or rows of the Jacobian, or a pair of this and the axes; or names of
        frames with point contacts.

    Raises
    ------
    UnknownNameError, ArgumentError
        An unknown frame, unknown axes, or no such kind of contact; or `robot` is none.
    """
    try:  # as a rule, the same contacts come again and again
        pairs = contacts.items() if type(contacts) is dict else ((name, "point") for name in contacts)
        if type(contacts) in (dict, list, tuple) and len(set(contacts)) == len(contacts):
            return _settled(robot, tuple(pairs))
    except TypeError:  # not hashable
        pass
    check_robot(robot, floating=True)
    if isinstance(contacts, list | tuple) and all(isinstance(name, str) for name in contacts):
        raise ArgumentError(f"contacts: wanted each frame once, got {shown(contacts)}")
    if not isinstance(contacts, Mapping):
        raise ArgumentError(
            f"contacts: wanted a list of frames, or a mapping from frame name to 'point' or 'surface', got "
            f"{shown(contacts)}"
        )
    return _settle(robot, tuple(contacts.items()))


def _settle(robot: Robot, contacts: tuple[tuple[Any, Any], ...]) -> Contacts:
    check_robot(robot, floating=True)
    rows, sides, sites = [], [], [NOWHERE]
    for name, given in contacts:
        frame = as_frame(robot, name, "contacts")
        argument = f"contacts[{name!r}]"
        kind, axes = with_axes(given)
        check_axes(argument, axes)
        if isinstance(kind, str) and kind not in KINDS:
            raise ArgumentError(f"{argument}: wanted 'point', 'surface' or rows such as (0, 1, 2), got {shown(kind)}")
        rows.append(list(KINDS[kind]) if isinstance(kind, str) else row_numbers(argument, kind))
        sides.append(axes)
        sites.append(frame.sites[axes])
    directions = np.array([6 * k + row for k, of_one in enumerate(rows) for row in of_one], np.intp)
    names = tuple(name for name, _ in contacts)
    return Contacts(names, tuple(rows), tuple(sides), read_only(np.concatenate(sites)), read_only(directions))


_settled = lru_cache(maxsize=64)(_settle)


def widened(batch: Batch) -> Batch:
    """Return the batch in float64."""
    if batch.dtype == "float64":
        return batch
    return batch._replace(dtype="float64", rows={name: x.astype(np.float64) for name, x in batch.rows.items()})


SLICE = 512
"""Samples whose matrices are made and used together, while they are in the cache."""


def shaped(values: Floats, batch: Batch) -> Floats:
    """Return values (samples, ...) with the leading axes and in the precision of a batch."""
    return values.reshape(*batch.shape, *values.shape[1:]).astype(batch.dtype, copy=False)


def nothing(chosen: Contacts, batch: Batch) -> Floats:
    """Return zeros (samples, held), which may be one row for all."""
    zeros = np.zeros((1, len(chosen.directions)))
    return np.broadcast_to(zeros, (batch.samples, zeros.shape[1])) if batch.shape else zeros


def times(A: Floats, x: Floats) -> Floats:
    """Return the products of matrices (k, m, n) and vectors (k, n)."""
    return (A @ x[..., None])[..., 0]


def wrench_table(names: tuple[str, ...], wrenches: Floats, title: str = "contact") -> Part:
    """Return wrenches (..., contacts, 6) as a table: of many, the largest."""
    many, count = wrenches.shape[:-2], len(names)
    largest = worst(wrenches.reshape(*many, count * 6)).reshape(count, 6)
    return titled({title: list(names), **{name: cells(largest[:, k]) for k, name in enumerate(COMPONENTS)}})
