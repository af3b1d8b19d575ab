"""Torques as bars, in HTML."""

from __future__ import annotations

import html

import numpy as np
from numpy.typing import NDArray

from rne.model.floating import of_joints
from rne.model.robot import Robot

Array = NDArray[np.float64]

WITHIN, BEYOND = "#0072b2", "#d55e00"  # distinguishable with every kind of color vision (Okabe and Ito)

_LEAST = 0.01
"""Smallest torque or force for the full scale of a bar, since smaller values are shown as 0.00."""

_ROW = (
    '<div style="display:flex;justify-content:space-between;gap:1em;margin-top:.35em">'
    '<span style="overflow:hidden;text-overflow:ellipsis;white-space:nowrap">{name}</span>'
    '<span style="white-space:nowrap;font-variant-numeric:tabular-nums">{told}</span></div>'
    '<div class="torque-bar" title="{title}" style="position:relative;height:.6em;border-radius:2px;'
    'background:rgba(128,128,128,.22)">'
    '<div style="position:absolute;top:0;bottom:0;left:{left:.2f}%;width:{width:.2f}%;background:{color}"></div>'
    '<div style="position:absolute;top:-.15em;bottom:-.15em;left:calc(50% - .5px);width:1px;'
    'background:currentColor"></div></div>'
)


def full_scale(robot: Robot, peaks: Array) -> Array:
    """Return the torque that fills half a bar, one for each joint.

    This is the effort limit of the joint. Joints without a limit share one scale for torques and one for forces, the
    largest of their peaks, so that their bars can be compared.

    Parameters
    ----------
    robot : the robot, for the limits and kinds of the joints.
    peaks : (n,) largest finite torque of each joint.
    """
    scale, peaks = of_joints(robot, robot.effort_limit), of_joints(robot, peaks)
    free = ~np.isfinite(scale) | (scale <= 0)
    kinds = np.array([robot.joint(name).kind for name in robot.joint_names])
    for kind in set(kinds[free]):
        alike = free & (kinds == kind)
        scale[alike] = max(peaks[alike].max(), _LEAST)
    return scale


def torque_bars(robot: Robot, tau: Array, scale: Array) -> str:
    """Return the torques of one state as HTML: one bar per joint, from the middle to the side of its sign.

    Parameters
    ----------
    robot : the robot, for the names and limits of the joints.
    tau : (n,) torques; NaN is shown as text without a bar, infinity fills its side. A base that floats has no bars.
    scale : of the joints, torques that fill half a bar; a larger torque is cut off there, and marked by color and text.
    """
    rows = []
    limits = of_joints(robot, robot.effort_limit)
    for name, value, full, limit in zip(robot.joint_names, of_joints(robot, tau), scale, limits, strict=True):
        unit = "N m" if robot.joint(name).kind == "revolute" else "N"
        length = 0.0 if np.isnan(value) else 50 * min(abs(value) / full, 1.0)
        over = abs(value) > limit or np.isinf(value)
        told = "not a number" if np.isnan(value) else f"{number(value)} {unit}"
        bound = f" / {limit:g}" if np.isfinite(limit) else ""
        title = f"limit {limit:g} {unit}" if bound else f"no limit; a full bar is {full:.3g} {unit}"
        rows.append(
            _ROW.format(
                name=html.escape(name),
                told=("beyond limit: " if over and bound else "") + told + bound,
                title=html.escape(title),
                left=50 - length if value < 0 else 50,
                width=length,
                color=BEYOND if over else WITHIN,
            )
        )
    body = "".join(rows) or "no movable joints"
    return f'<div style="padding:0 .75em .6em;font-size:.8em">{body}</div>'


def number(value: float) -> str:
    """Return a torque as short text, with a typographic minus sign so that the digits stay aligned."""
    return f"{value:z.2f}".replace("-", "\u2212").replace("inf", "\u221e")
