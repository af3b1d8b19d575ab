"""Torques and mass matrix of a tree to fifty digits: the recursion of a textbook in the numbers of mpmath.

Arrays hold `mpf` objects; the floats of tree and state are taken as the exact numbers that they are. World axes, and
bodies with their centers of mass, so that no step is that of the fast code.
"""

from __future__ import annotations

from typing import Any

import mpmath as mp
import numpy as np
from reference import outward, root

from rne.model.tree import Tree

DIGITS = 50


def exact(x: Any) -> np.ndarray:
    """Return an array of mpf."""
    array = np.asarray(x)
    if array.dtype != object:  # mpmath knows Python's numbers, not numpy's
        array = array.astype(np.float64)
    return np.array([mp.mpf(number) for number in array.ravel().tolist()], dtype=object).reshape(array.shape)


def _cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]], dtype=object)


def _turn(axis: np.ndarray, angle: Any) -> np.ndarray:
    x, y, z = axis / mp.sqrt(axis @ axis)
    K = np.array([[mp.mpf(0), -z, y], [z, mp.mpf(0), -x], [-y, x, mp.mpf(0)]], dtype=object)
    return exact(np.eye(3)) + mp.sin(angle) * K + (1 - mp.cos(angle)) * (K @ K)


def inverse_dynamics(tree: Tree, q: Any, qd: Any, qdd: Any) -> np.ndarray:
    """Torques (n,) as mpf, rotors included, no friction; for trees without followers, in the order of the file."""
    with mp.workdps(DIGITS):
        names = [joint.name for joint in tree.joints if joint.movable]
        state = {name: exact([q[k], qd[k], qdd[k]]) for k, name in enumerate(names)}
        zero = exact(np.zeros(3))
        at = {root(tree): (exact(np.eye(3)), zero, zero, zero, -exact(tree.gravity), zero)}  # R, p, w, wd, a, axis
        order = outward(tree)
        for joint in order:
            R, p, w, wd, a, _ = at[joint.parent]
            r = R @ exact(joint.origin.position)
            R = R @ exact(joint.origin.rotation)
            axis = exact(joint.axis)
            z = R @ (axis / mp.sqrt(axis @ axis))
            w_up, rate, slide = w, zero, zero
            if joint.kind == "revolute":
                s, sd, sdd = state[joint.name]
                R, w, wd = R @ _turn(axis, s), w + z * sd, wd + z * sdd + _cross(w, z * sd)
            elif joint.kind == "prismatic":
                s, sd, sdd = state[joint.name]
                r, rate, slide = r + z * s, z * sd, z * sdd
            wd_up = at[joint.parent][3]
            a = a + _cross(wd_up, r) + _cross(w_up, _cross(w_up, r)) + 2 * _cross(w_up, rate) + slide
            at[joint.child] = (R, p + r, w, wd, a, z)
        bodies = {body.name: body for body in tree.bodies}
        loads = {}
        for name, (R, _, w, wd, a, _) in at.items():
            c = R @ exact(bodies[name].com)
            inertia = R @ exact(bodies[name].inertia) @ R.T
            force = bodies[name].mass * (a + _cross(wd, c) + _cross(w, _cross(w, c)))
            loads[name] = (force, inertia @ wd + _cross(w, inertia @ w) + _cross(c, force))
        tau = {}
        for joint in reversed(order):
            force, moment = loads[joint.child]
            z = at[joint.child][5]
            if joint.movable:
                along = z @ (moment if joint.kind == "revolute" else force)
                tau[joint.name] = along + mp.mpf(joint.drive.reflected_inertia) * state[joint.name][2]
            outer_force, outer_moment = loads[joint.parent]
            lever = at[joint.child][1] - at[joint.parent][1]
            loads[joint.parent] = (outer_force + force, outer_moment + moment + _cross(lever, force))
        return np.array([tau[name] for name in names], dtype=object)


def mass_matrix(tree: Tree, q: Any) -> np.ndarray:
    """Mass matrix (n, n) as mpf, column by column."""
    n = len(q)
    rest = inverse_dynamics(tree, q, np.zeros(n), np.zeros(n))
    return np.array([inverse_dynamics(tree, q, np.zeros(n), unit) - rest for unit in np.eye(n)], dtype=object).T


def forward_dynamics(tree: Tree, q: Any, qd: Any, tau: Any) -> np.ndarray:
    """Accelerations (n,) as floats, of which every digit is right."""
    n = len(q)
    with mp.workdps(DIGITS):
        M = mp.matrix(mass_matrix(tree, q).tolist())
        left = exact(tau) - inverse_dynamics(tree, q, qd, np.zeros(n))
        return np.array([float(x) for x in mp.lu_solve(M, mp.matrix(left.tolist()))])
