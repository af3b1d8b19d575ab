"""Derivatives of the plain twin by complex steps: exact to rounding, since nothing is subtracted.

Squire and Trapp, "Using complex variables to estimate derivatives of real functions", SIAM Review 40 (1998).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import reference
from numpy.typing import NDArray

from rne.model.tree import Tree

Array = NDArray[Any]
STEP = 1e-30


def by_complex_steps(function: Callable[[Array], Array], x: Array) -> Array:
    """Derivative (..., n) of a function of a vector (n,)."""
    columns = [np.imag(function(x + 1j * STEP * unit)) / STEP for unit in np.eye(len(x))]
    return np.stack(columns, axis=-1)


def torque(tree: Tree, q: Array, qd: Array, qdd: Array, *, f_ext: Any = None, **options: Any) -> Array:
    """Inverse dynamics with springs; `f_ext` may hold pairs (wrench, "local")."""
    turned = {}
    for body, wrench in (f_ext or {}).items():
        if isinstance(wrench, tuple):
            R = reference.motions(tree, q)[body].R
            wrench = np.concatenate([R @ wrench[0][:3], R @ wrench[0][3:]])
        turned[body] = wrench
    return reference.inverse_dynamics(tree, q, qd, qdd, f_ext=turned, **options) + reference.spring_torque(tree, q)


def torque_derivatives(tree: Tree, q: Array, qd: Array, qdd: Array, **options: Any) -> Array:
    """Derivatives (3, n, n) of the torques by q, qd and qdd."""
    return np.array(
        [
            by_complex_steps(lambda x: torque(tree, x, qd, qdd, **options), q),
            by_complex_steps(lambda x: torque(tree, q, x, qdd, **options), qd),
            by_complex_steps(lambda x: torque(tree, q, qd, x, **options), qdd),
        ]
    )
