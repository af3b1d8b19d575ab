"""Torques as bars, in HTML."""

from __future__ import annotations

import html

import numpy as np
from numpy.typing import NDArray

from rne.model.robot import Robot

Array = NDArray[np.float64]

WITHIN, BEYOND = "#0072b2", "#d55e00"  # colors that everyone can tell apart (Okabe and Ito)

_LEAST = 0.01
"""Torque or force that fills half a bar if nothing larger is there; less is shown as 0.00."""

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
    """Return the torque that fills half a bar, (n,).

    It is the limit of the joint. Joints without one share a scale, so that their bars can be compared: the largest of
    their peaks, of torques and of forces each.

    Parameters
    ----------
    robot : limits and kinds of the joints.
    peaks : (n,) largest finite torque of each joint.
    """
    free = ~np.isfinite(robot.effort_limit) | (robot.effort_limit <= 0)
    scale = robot.effort_limit
    kinds = np.array([robot.joint(name).kind for name in robot.joint_names])
    for kind in set(kinds[free]):
        alike = free & (kinds == kind)
        scale[alike] = max(peaks[alike].max(), _LEAST)
    return scale


def torque_bars(robot: Robot, tau: Array, scale: Array) -> str:
    """Return the torques of one state as HTML: a bar a joint, from the middle to the side of its sign.

    Parameters
    ----------
    robot : names and limits of the joints.
    tau : (n,) torques; NaN is told and has no bar, an infinite one fills its side.
    scale : (n,) what fills half a bar; a bar beyond it ends there, in another color and with a word.
    """
    rows = []
    for name, value, full, limit in zip(robot.joint_names, tau, scale, robot.effort_limit, strict=True):
        unit = "N m" if robot.joint(name).kind == "revolute" else "N"
        length = 0.0 if np.isnan(value) else 50 * min(abs(value) / full, 1.0)
        over = abs(value) > limit or np.isinf(value)
        told = "no number" if np.isnan(value) else f"{number(value)} {unit}"
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
    body = "".join(rows) or "no joint moves"
    return f'<div style="padding:0 .75em .6em;font-size:.8em">{body}</div>'


def number(value: float) -> str:
    """Return a torque in a few characters, with a true minus sign so that columns of digits stay in place."""
    return f"{value:z.2f}".replace("-", "\u2212").replace("inf", "\u221e")
