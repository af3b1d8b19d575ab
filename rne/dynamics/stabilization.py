"""Baumgarte's stabilization of held frames: accelerations that take them back where they belong."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from rne.batch.arguments import Batch, Floats
from rne.check import are_rotations, numbers, real_array
from rne.dynamics.contact_sets import Contacts, nothing, rotated, times
from rne.dynamics.kinematics import forward_kinematics
from rne.errors import ArgumentError, shown
from rne.model.robot import Robot


def stabilized(
    robot: Robot,
    chosen: Contacts,
    batch: Batch,
    gains: ArrayLike,
    targets: Mapping[str, ArrayLike] | None,
    threads: int | None,
) -> Floats:
    """Return the accelerations (samples, held) of the held directions: -kp e - kd v.

    Raises
    ------
    ArgumentError
        Gains and targets are not as `contact_forward_dynamics` describes them.
    """
    kp, kd = numbers("gains", gains, (2,)).tolist()
    if kp < 0 or kd < 0:
        raise ArgumentError(f"gains: wanted kp and kd that are not negative, got {shown(gains)}")
    poses = _poses(targets, chosen, batch.shape, kp)
    q, wanted = batch.rows["q"], nothing(chosen, batch)
    if kd:
        wanted = -kd * times(chosen.jacobian(robot, q, threads), batch.rows["qd"])
    if kp:
        wanted = wanted - kp * chosen.gather(_deviations(robot, q, chosen, poses, threads))
    return wanted


def _poses(
    targets: Mapping[str, ArrayLike] | None, chosen: Contacts, shape: tuple[int, ...], kp: float
) -> dict[str, Floats]:
    """Return the poses (samples or 1, 4, 4) where frames are held, by name."""
    if targets is None:
        targets = {}
    if not isinstance(targets, Mapping):
        raise ArgumentError(f"targets: wanted a mapping from frame name to pose, got {shown(targets)}")
    found = {}
    for name, value in targets.items():
        if name not in chosen.names:
            raise ArgumentError(f"targets: {shown(name)} is not among the contacts {', '.join(chosen.names)}")
        pose = real_array(f"targets[{name!r}]", value).astype(np.float64, copy=False)
        if pose.shape[-2:] != (4, 4):
            raise ArgumentError(f"targets[{name!r}]: wanted shape (..., 4, 4), got {pose.shape}")
        if not are_rotations(pose[..., :3, :3]).all() or (pose[..., 3, :] != (0, 0, 0, 1)).any():
            raise ArgumentError(f"targets[{name!r}]: wanted poses, with a rotation and the last row 0, 0, 0, 1")
        if pose.ndim > 2:
            try:
                pose = np.broadcast_to(pose, (*shape, 4, 4))
            except ValueError:
                raise ArgumentError(
                    f"targets[{name!r}]: {pose.shape} does not broadcast against states of shape {shape}"
                ) from None
        found[name] = pose.reshape(-1, 4, 4)
    if kp and set(found) != set(chosen.names):
        missing = next(name for name in chosen.names if name not in found)
        raise ArgumentError(f"gains: kp needs a pose for each contact, and targets has none of {missing!r}")
    if found and not kp:
        raise ArgumentError("gains: targets have no effect without kp, which is zero")
    return found


def _deviations(robot: Robot, q: Floats, chosen: Contacts, poses: dict[str, Floats], threads: int | None) -> Floats:
    """Return the deviation (samples, contacts, 6) of each frame from its pose, in the axes of the contact."""
    e = np.empty((len(q), len(chosen.names), 6))
    for k, (name, axes) in enumerate(zip(chosen.names, chosen.axes, strict=True)):
        T, wanted = forward_kinematics(robot, q, name, threads=threads), poses[name]
        e[:, k, :3] = T[:, :3, 3] - wanted[:, :3, 3]
        e[:, k, 3:] = 0.5 * np.cross(wanted[:, :3, :3], T[:, :3, :3], axis=1).sum(axis=2)
        if axes == "local":
            e[:, k] = rotated(np.swapaxes(T[:, :3, :3], 1, 2), e[:, k])
    return e
