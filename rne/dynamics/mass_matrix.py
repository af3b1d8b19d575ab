"""The mass matrix, its inverse, the cause if it is singular, and the effective inertia at a joint."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rne.batch.arguments import Batch, Floats, as_batch, as_result, as_table, check_robot, finish, settle
from rne.batch.quick import UNFIT, Algorithm, Marks, alone, quick
from rne.batch.threads import launch
from rne.check import check_choice, check_flag, several_joints
from rne.dynamics.singular import SINGULAR_CHOICES, correct, find_weak, pseudo_inverse
from rne.kernels.entries import MASS_MATRIX, MASS_MATRIX_ONE
from rne.kernels.layout import INVERSE, WITH_ROTORS
from rne.model.robot import Robot
from rne.tables import Part, Report, cells, of_many, titled, worst

_MASS, _one = Algorithm(MASS_MATRIX_ONE, MASS_MATRIX, floating=True), MASS_MATRIX_ONE["float64"]
_NO_MARKS = np.zeros(0, np.uint8)


class EffectiveInertia(Report, NamedTuple("EffectiveInertia", [("locked", Floats), ("free", Floats)])):
    """Effective inertia at the drive of each joint, as `effective_inertia` returns it.

    Attributes
    ----------
    locked : (..., n) I_L = D_ii, all other joints held; kg m^2, or kg of a prismatic joint.
    free : (..., n) I_f, other joints free of torque; at most `locked`.

    Examples
    --------
    >>> import rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> rne.effective_inertia(arm, [0.0, 0.0]).locked.round(4)
    array([2.6667, 0.3333])
    """

    __slots__ = ()

    def _parts(self) -> list[Part]:
        *many, n = self.locked.shape
        terms = {name: cells(worst(getattr(self, name))) for name in self._fields}
        return [*of_many(tuple(many)), titled({"coordinate": [str(i + 1) for i in range(n)], **terms})]


def mass_matrix(
    robot: Robot, q: ArrayLike, *, rotors: bool = True, out: Floats | None = None, threads: int | None = None
) -> Floats:
    """Mass matrix M(q) of M qdd + C qd + g = tau: both triangles, exactly symmetric.

    Composite-rigid-body algorithm (Walker, Orin 1982; Featherstone 2008, section 6.2).

    Parameters
    ----------
    robot : the robot.
    q : (..., n) positions, rad or m, in the order of `robot.joint_names`.
    rotors : whether to add the reflected rotor inertias, which are added to the diagonal.
    out, threads : as for `inverse_dynamics`.

    Returns
    -------
    M : (..., n, n) kg m^2, kg m or kg; float32 if `q` is, otherwise float64. Mimic joints contribute to the entries of
        their leaders: G^T M G. NaN or infinity in a sample does not affect other samples. In its own, the diagonal
        entry of that joint is NaN, and all entries that depend on its position; the others keep their numbers.

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
    kind = WITH_ROTORS if rotors else 0
    try:
        M: Floats | None = None
        if threads is None or alone(threads):
            one = _one if robot._own is None else robot._own.get((_one, (kind,)), _one)
            M = one.call(robot._card, q, out, kind)
        if M is None:
            M = quick(_MASS, robot, (q,), (robot.n,) * 2, out, threads, flags=(kind,), batch_flags=(_NO_MARKS,))
        if M is not None:
            return M
    except UNFIT:
        pass
    batch = settle(robot, {"q": q}, floating=True)
    result = as_result(out, (*batch.shape, robot.n, robot.n), batch)
    table = as_table(robot, batch.dtype)
    launch(MASS_MATRIX[batch.dtype], robot, batch, ("q",), result, threads, table, kind, _NO_MARKS)
    return finish(result, out)


def mass_matrix_inverse(
    robot: Robot,
    q: ArrayLike,
    *,
    rotors: bool = True,
    singular: str = "raise",
    out: Floats | None = None,
    threads: int | None = None,
) -> Floats:
    """Inverse of the mass matrix, exactly symmetric: column j is the acceleration per unit torque at joint j.

    By the factors L^T D L of the mass matrix (Featherstone 2008, section 6.5). To turn torques into accelerations,
    `forward_dynamics` is faster.

    Parameters
    ----------
    robot, q, rotors, out, threads : as for `mass_matrix`.
    singular : what to return of a singular matrix: "raise" an error, "nan", or the pseudo-inverse ("least_squares").

    Returns
    -------
    inverse : (..., n, n) 1 / (kg m^2), 1 / (kg m) or 1 / kg.

    Raises
    ------
    ArgumentError
        An argument has the wrong shape, type or value.
    SingularError
        The mass matrix is singular: a pivot is below 1e-12 of the diagonal entry it started from, or below 1e-15 of
        the largest possible inertia at the joint, with all bodies beyond it stretched out. The message names a joint,
        the first such sample and their number. Doubtful samples in float32 are calculated in float64; an overflow of
        float32 is then an error, too.

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
    if singular != "raise":
        check_choice("singular", singular, SINGULAR_CHOICES)
    kind = WITH_ROTORS | INVERSE if rotors else INVERSE
    try:
        inverse: Floats | None = None
        if threads is None or alone(threads):
            inverse = _one.call(robot._card, q, out, kind)
        marks = Marks()
        if inverse is None:
            inverse = quick(_MASS, robot, (q,), (robot.n,) * 2, out, threads, flags=(kind,), batch_flags=marks.make)
        if inverse is not None and not marks.any():
            return inverse
    except UNFIT:
        pass
    batch = settle(robot, {"q": q}, floating=True)
    result = as_result(out, (*batch.shape, robot.n, robot.n), batch)
    table = as_table(robot, batch.dtype)
    suspicious = np.zeros(batch.samples, np.uint8)
    launch(MASS_MATRIX[batch.dtype], robot, batch, ("q",), result, threads, table, kind, suspicious)
    suspects, lost, M = sorted_out(robot, batch, suspicious, singular, rotors=rotors)
    if lost.size:
        result.reshape(batch.samples, *M.shape[1:])[lost] = pseudo_inverse(M) if singular == "least_squares" else np.nan
    if suspects.size and batch.dtype == "float32":
        exact = mass_matrix_inverse(robot, batch.rows["q"][suspects].astype(np.float64), rotors=rotors)
        correct(result, suspects, exact, batch)
    return finish(result, out)


def effective_inertia(
    robot: Robot,
    q: ArrayLike,
    *,
    free: Iterable[str | int] | None = None,
    rotors: bool = True,
    singular: str = "raise",
    threads: int | None = None,
) -> EffectiveInertia:
    """Effective inertia at the drive of each joint, with the other joints locked and with them free.

    Torque per acceleration at rest and without gravity (Paul 1981, chapter 6). With the others locked, it is
    I_L = D_ii. With the others free of torque, it is I_f = 1 / (M^-1)_ii, for two joints D11 - D12^2 / D22; in
    general the Schur complement D_ii - D_iF D_FF^-1 D_Fi, with F the free joints other than i.

    Parameters
    ----------
    robot : the robot.
    q : (..., n) positions, rad or m: one posture or any number of them.
    free : the joints that are free, by name or number from 1, unless they are the joint in question; all others are
        locked. All joints are free if None. The six coordinates of a base that floats are the first.
    rotors : whether to include the reflected rotor inertias.
    singular : what to return where the free joints have a singular mass matrix: "raise" an error, "nan", or the inertia
        with the pseudo-inverse of D_FF ("least_squares"), which is that of other joints free to move without mass.
    threads : as for `mass_matrix`.

    Returns
    -------
    inertia : EffectiveInertia with `locked` and `free`, (..., n) each.

    Raises
    ------
    ArgumentError, UnknownNameError
        An argument has the wrong shape, type or value; an unknown joint.
    SingularError
        The mass matrix of the free joints is singular, as for `mass_matrix_inverse`.

    Examples
    --------
    >>> import rne
    >>> arm = rne.load("models/lectures/two_link_point_mass_paul_values/robot.dh.toml")
    >>> locked, free = rne.effective_inertia(arm, [[0.0, 0.0], [0.0, 3.141592653589793]])
    >>> locked.round(6), free.round(6)
    (array([[6., 1.],
           [2., 1.]]), array([[2.        , 0.333333],
           [2.        , 1.        ]]))
    """
    check_robot(robot, floating=True)
    check_choice("singular", singular, SINGULAR_CHOICES)
    chosen = None if free is None else several_joints(robot.coordinate_names, free, "free")
    batch = as_batch(robot, {"q": q}, required="q")
    # In float64, like the search for singular matrices; float32 would round some of them to regular ones.
    given = batch.rows["q"].astype(np.float64, copy=False).reshape(*batch.shape, robot.nq)
    M = mass_matrix(robot, given, rotors=rotors, threads=threads)
    locked = np.diagonal(M, axis1=-2, axis2=-1)
    if chosen is None:
        kept = "raise" if singular == "raise" else "nan"
        inverse = mass_matrix_inverse(robot, given, rotors=rotors, singular=kept, threads=threads)
        felt = 1 / np.diagonal(inverse, axis1=-2, axis2=-1)
        weak = np.isnan(felt).any(axis=-1) & np.isfinite(given).all(axis=-1)
        chosen = list(range(robot.n))
    else:
        k = len(chosen)
        across, block = M[..., chosen], M[..., chosen, :][..., chosen]
        samples = np.arange(batch.samples)
        lost = find_weak(robot, block.reshape(batch.samples, k, k), chosen, batch.shape, samples, singular)
        weak = lost.reshape(batch.shape)
        inverse = np.linalg.inv(np.where(weak[..., None, None], np.eye(k), block))
        felt = locked - (across @ inverse * across).sum(axis=-1)
        felt[..., chosen] = 1 / np.diagonal(inverse, axis1=-2, axis2=-1)
    if weak.any():
        felt[weak] = _felt(M[weak], chosen) if singular == "least_squares" else np.nan
    return EffectiveInertia(locked.astype(batch.dtype), felt.astype(batch.dtype, copy=False))


def _felt(M: Floats, joints: list[int]) -> Floats:
    """Inertia (m, n) felt at each joint while others are free, by pseudo-inverses of parts of M (m, n, n)."""
    felt = np.empty(M.shape[:2])
    for i in range(M.shape[1]):
        others = [j for j in joints if j != i]
        across = M[:, i, others]
        inverse = pseudo_inverse(M[:, others, :][:, :, others])
        felt[:, i] = M[:, i, i] - (across[:, None, :] @ inverse @ across[:, :, None])[:, 0, 0]
    return np.maximum(felt, 0.0)


def reflected_inertia(robot: Robot) -> Floats:
    """Reflected inertia Ia (n,) of the rotors of each coordinate, in float64."""
    links = robot.links
    return np.bincount(links.leaders, weights=links.ratios**2 * links.rotors, minlength=robot.n)


def refuse_singular(robot: Robot, batch: Batch, marks: NDArray[np.uint8], *, rotors: bool = True) -> NDArray[np.intp]:
    """Check the samples that a kernel marked in float64; return them if none is singular.

    Raises
    ------
    SingularError
        The mass matrix of one is singular; names a joint, the first such sample and their number.
    """
    return sorted_out(robot, batch, marks, "raise", rotors=rotors)[0]


def sorted_out(
    robot: Robot, batch: Batch, marks: NDArray[np.uint8], singular: str, *, rotors: bool = True
) -> tuple[NDArray[np.intp], NDArray[np.intp], Floats]:
    """Check the samples that a kernel marked in float64.

    Parameters
    ----------
    robot, batch, marks, rotors : of the call.
    singular : "raise", or one of the other `SINGULAR_CHOICES`.

    Returns
    -------
    regular, singular, M : flat indices of the samples, and the mass matrices of the singular ones.

    Raises
    ------
    SingularError
        A mass matrix is singular, and `singular` is "raise".
    """
    suspects = np.flatnonzero(marks)
    if not suspects.size:
        return suspects, suspects, np.empty((0, robot.n, robot.n))
    M = mass_matrix(robot, batch.rows["q"][suspects].astype(np.float64), rotors=rotors)
    weak = find_weak(robot, M, list(range(robot.n)), batch.shape, suspects, singular)
    return suspects[~weak], suspects[weak], M[weak]
