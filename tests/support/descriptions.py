"""A standard DH table written down again in modified DH and as URDF, by nothing of rne.

In modified DH, alpha and a belong to the next row and the bodies move to a frame before them; in URDF, every row is a
joint about z followed by a fixed joint to the frame at the far end of the link, in which the standard table gives the
body. Inertias are 3x3.
"""

from __future__ import annotations

import math

import numpy as np


def rx(angle):
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[1, 0, 0], [0, c, -s], [0, s, c]])


def modified_rows(rows):
    """Rx(alpha i-1) Tx(a i-1) Rz(theta i) Tz(d i) leads to a frame that lies before Tx(a i) Rx(alpha i)."""
    alpha, a, result = 0.0, 0.0, []
    for row in rows:
        R = rx(row["alpha"])
        com = R @ row["com"] + [row["a"], 0, 0]
        inertia = R @ row["inertia"] @ R.T
        result.append(row | {"alpha": alpha, "a": a, "com": com.tolist(), "inertia": inertia.tolist()})
        alpha, a = row["alpha"], row["a"]
    return result


def urdf(rows):
    parts, before = ['<robot name="same"><link name="end-1"/>'], "end-1"
    for k, row in enumerate(rows):
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = row["inertia"]
        com = " ".join(map(repr, row["com"]))
        kind = "continuous" if row["joint"] == "revolute" else "prismatic"
        parts.append(
            f'<link name="start{k}"/><link name="end{k}"><inertial><mass value="{row["mass"]!r}"/>'
            f'<origin xyz="{com}"/><inertia ixx="{xx!r}" ixy="{xy!r}" ixz="{xz!r}" iyy="{yy!r}" iyz="{yz!r}"'
            f' izz="{zz!r}"/></inertial></link>'
            f'<joint name="{row["name"]}" type="{kind}"><parent link="{before}"/><child link="start{k}"/>'
            f'<origin xyz="0 0 {row["d"]!r}" rpy="0 0 {row["theta"]!r}"/><axis xyz="0 0 1"/></joint>'
            f'<joint name="along{k}" type="fixed"><parent link="start{k}"/><child link="end{k}"/>'
            f'<origin xyz="{row["a"]!r} 0 0" rpy="{row["alpha"]!r} 0 0"/></joint>'
        )
        before = f"end{k}"
    return "".join([*parts, "</robot>"])
