"""The mass matrix, its inverse, and what is wrong where there is none: the public functions."""

from __future__ import annotations

import numpy as np
from numpy import empty, ndarray
from numpy.typing import ArrayLike, NDArray

from rne.arrays import F8, Batch, Floats, as_batch, as_result, as_table, check_robot, finish
from rne.errors import SingularError, check_flag
from rne.kernels.entries import MASS_MATRIX, MASS_MATRIX_ONE
from rne.kernels.jit import REFUSED
from rne.kernels.layout import INVERSE, WITH_ROTORS
from rne.many import launch
from rne.robot import Robot

_one = MASS_MATRIX_ONE["float64"]
_NO_MARKS = np.zeros(0, np.uint8)

# A pivot of the factorised mass matrix that is a smaller part of the diagonal entry it started from is rounding, and
# the matrix singular. Rounding leaves some 1e-15; an arm of steel that carries a grain of sand still has 1e-7.
SINGULAR = 1e-12


def mass_matrix(
    robot: Robot, q: ArrayLike, *, rotors: bool = True, out: Floats | None = None, threads: int | None = None
) -> Floats:
    """Mass matrix M(q) of M qdd + C qd + g = tau: all of it, exactly symmetric.

    Composite-rigid-body algorithm (Walker, Orin 1982; Featherstone 2008, section 6.2).

    Parameters
    ----------
    robot : the robot.
    q : (..., n) positions, rad or m, in the order of `robot.joint_names`.
    rotors : whether to add the reflected rotor inertias, which stand on the diagonal.
    out : array to fill and return; its type and shape must be those of the result.
    threads : how many threads share a batch; by default as many as it is worth (see ``RNE_NUM_THREADS``).

    Returns
    -------
    M : (..., n, n) kg m^2, kg m or kg; float32 if `q` is, or else float64. Joints that mimic others are part of the
        entries of their leaders: G^T M G. A sample with NaN or infinity touches no other.

    Raises
    ------
    ArgumentError
        An argument has the wrong shape, type or value.

    Examples
    --------
    >>> import rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> M = rne.mass_matrix(arm, [0.0, 0.5])
    >>> bool((M == M.T).all())
    True
    """
    if rotors is not True:
        check_flag("rotors", rotors)
    if type(q) is ndarray and q.ndim == 1 and q.dtype is F8 and out is None and threads is None:
        # The common single call: the compiled function takes only what fits, and refuses all else before it starts.
        try:
            call, n = _one.call, robot.n
            M = empty((n, n))
            if call(robot._address, q, M, WITH_ROTORS if rotors else 0) == 0:
                return M
        except REFUSED:
            pass
    check_robot(robot)
    batch = as_batch(robot, {"q": q}, required="q")
    result = as_result(out, (*batch.shape, robot.n, robot.n), batch)
    table, kind = as_table(robot, batch.dtype), WITH_ROTORS if rotors else 0
    launch(MASS_MATRIX[batch.dtype], robot, batch, ("q",), result, threads, table, kind, _NO_MARKS)
    return finish(result, out)


def mass_matrix_inverse(
    robot: Robot, q: ArrayLike, *, rotors: bool = True, out: Floats | None = None, threads: int | None = None
) -> Floats:
    """Inverse of the mass matrix, exactly symmetric: the accelerations of all joints for a torque at each.

    By the factors L^T D L of the mass matrix (Featherstone 2008, section 6.5). To turn torques into accelerations,
    `forward_dynamics` is faster.

    Parameters
    ----------
    robot, q, rotors, out, threads : as for `mass_matrix`.

    Returns
    -------
    inverse : (..., n, n) 1 / (kg m^2), 1 / (kg m) or 1 / kg.

    Raises
    ------
    ArgumentError
        An argument has the wrong shape, type or value.
    SingularError
        Some motion of the joints moves no mass: a pivot is below 1e-12 of the diagonal entry it started from.

    Examples
    --------
    >>> import rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> (rne.mass_matrix(arm, [0.0, 0.5]) @ rne.mass_matrix_inverse(arm, [0.0, 0.5])).round(9) + 0.0
    array([[1., 0.],
           [0., 1.]])
    """
    if rotors is not True:
        check_flag("rotors", rotors)
    if type(q) is ndarray and q.ndim == 1 and q.dtype is F8 and out is None and threads is None:
        try:
            call, n = _one.call, robot.n
            inverse = empty((n, n))
            if call(robot._address, q, inverse, WITH_ROTORS | INVERSE if rotors else INVERSE) == 0:
                return inverse
        except REFUSED:
            pass
    check_robot(robot)
    batch = as_batch(robot, {"q": q}, required="q")
    result = as_result(out, (*batch.shape, robot.n, robot.n), batch)
    table, kind = as_table(robot, batch.dtype), WITH_ROTORS | INVERSE if rotors else INVERSE
    marks = np.zeros(batch.samples, np.uint8)
    launch(MASS_MATRIX[batch.dtype], robot, batch, ("q",), result, threads, table, kind, marks)
    refuse_singular(robot, batch, marks, rotors=rotors)
    return finish(result, out)


def refuse_singular(robot: Robot, batch: Batch, marks: NDArray[np.uint8], *, rotors: bool = True) -> None:
    """Look closer, in float64, at the samples that a kernel marked.

    Raises
    ------
    SingularError
        The mass matrix of one is singular; names a joint and the first such sample.
    """
    suspects = np.flatnonzero(marks)
    if not suspects.size:
        return
    weak = _weak_joint(mass_matrix(robot, batch.rows["q"][suspects].astype(np.float64), rotors=rotors))
    found = np.flatnonzero(weak >= 0)
    if not found.size:
        return
    name = robot.joint_names[weak[found[0]]]
    where = ", ".join(str(k) for k in np.unravel_index(suspects[found[0]], batch.shape)) if batch.shape else ""
    raise SingularError(
        f"{f'sample {where}: ' if where else ''}the mass matrix is singular at joint '{name}': it moves without moving "
        "mass, alone or together with others; give its link an inertia or its drive a rotor, or lock it"
    )


def _weak_joint(M: Floats) -> NDArray[np.intp]:
    """Return the joint at which each of the matrices (m, n, n) turns out to be singular, -1 for none, as with NaN."""
    start = np.diagonal(M, axis1=1, axis2=2)
    A, weak = M.copy(), np.full(len(M), -1, np.intp)
    with np.errstate(all="ignore"):
        for k in range(M.shape[1] - 1, -1, -1):
            pivot = A[:, k, k]
            weak[(weak < 0) & (pivot <= SINGULAR * start[:, k])] = k
            row = A[:, k, :k]
            A[:, :k, :k] -= row[:, :, None] * row[:, None, :] / pivot[:, None, None]
    return weak
