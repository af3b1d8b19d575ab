"""Which terms of the equations of motion matter, and the error of dropping the others."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rne.analysis.motor_sizing import part_of
from rne.analysis.torque_breakdown import OF_THE_MODEL
from rne.analysis.torque_parts import catalog_of, chosen, parts_of_torque
from rne.batch.arguments import as_batch, check_robot
from rne.check import check_flag, numbers
from rne.errors import ArgumentError
from rne.model.robot import Robot
from rne.tables import NOISE, Part, Report, cells, percent, titled

Array = NDArray[np.float64]

# Numbers per array in one pass over the states; a few such arrays exist at a time.
_AT_A_TIME = 2_000_000
# Rows in a table of coefficients.
_SHOWN = 20


@dataclass(frozen=True, eq=False, repr=False)
class TorqueParts(Report):
    """Parts of the joint torques, and the error made by leaving each of them out; all arrays are (m,).

    Attributes
    ----------
    names : name of each part.
    joint : index of the joint whose torque contains the part.
    share : mean absolute value over all states, as a fraction of the sum of these means over all coefficients of the
        joint.
    max_error, rms_error : largest absolute value and root mean square of the part, N m or N.
    of_peak : `max_error` as a fraction of the peak torque of the joint.
    of_rms : `rms_error` as a fraction of the RMS torque of the joint.
    of_limit : `max_error` as a fraction of `robot.effort_limit`; 0 where there is no limit.

    Examples
    --------
    >>> import rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> rne.significance(arm, [0.0, 0.0]).terms.names[5]
    'gravity'
    """

    names: tuple[str, ...]
    joint: NDArray[np.intp]
    share: Array
    max_error: Array
    rms_error: Array
    of_peak: Array
    of_rms: Array
    of_limit: Array

    @property
    def ranking(self) -> NDArray[np.intp]:
        """Indices (m,) that sort the parts by `of_peak`, largest first."""
        return np.argsort(-self.of_peak, kind="stable")

    def _parts(self) -> list[Part]:
        shown = {"part": self.names, "joint": [str(k + 1) for k in self.joint], "share": percent(self.share)}
        errors = {"max error": cells(self.max_error), "of peak": percent(self.of_peak)}
        more = {"rms error": cells(self.rms_error), "of rms": percent(self.of_rms)}
        return [titled({**shown, **errors, "of limit": percent(self.of_limit), **more})]


@dataclass(frozen=True, eq=False, repr=False)
class Significance(Report):
    """Significance of each term and coefficient of the equations of motion over a set of states.

    Printing shows tables of the share of each term, the largest coefficients, and the error of the simplified model.

    Attributes
    ----------
    robot : the robot.
    total : (..., n) torques of the full model, N m or N.
    simplified : (..., n) torques of the model without the dropped coefficients, N m or N.
    peak_torque, rms_torque : (n,) largest absolute value and root mean square of `total`.
    terms : TorqueParts
        The eight terms, joint by joint; arrays reshape to (n, 8), one row per joint. In order: D_ii qdd_i
        ("effective"), the sum of D_ij qdd_j over j other than i ("coupling"), Ia_i qdd_i ("rotor"), the sums of
        D_ijj qd_j^2 ("centripetal") and of D_ijk qd_j qd_k over j other than k ("coriolis"), D_i ("gravity"), "spring"
        and "friction".
    coefficients : TorqueParts
        The coefficients, joint by joint, the same number for each: D_ij qdd_j (``D12``), Ia_i qdd_i (``Ia1``),
        D_ijj qd_j^2 (``D122``), 2 D_ijk qd_j qd_k for both mixed terms (``D112``), D_i (``D1``), ``spring1`` and
        ``friction1``.
    dropped : names of the dropped coefficients, in the order of `coefficients`.
    error : TorqueParts
        One entry per joint: `total` minus `simplified`, the sum of all dropped coefficients.

    Examples
    --------
    >>> import numpy as np, rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> motion = rne.quintic([0.0, 0.0], [1.0, 0.5], np.linspace(0.0, 2.0, 201), duration=2.0)
    >>> report = rne.significance(arm, *motion, below=0.01)
    >>> report.dropped
    ('Ia1', 'D111', 'D112', 'D122', 'spring1', 'friction1', 'Ia2', 'D212', 'D222', 'spring2', 'friction2')
    >>> report.kept
    ('D11', 'D12', 'D1', 'D21', 'D22', 'D211', 'D2')
    >>> report.error.of_peak.round(4)
    array([0.0066, 0.    ])
    """

    DERIVED: ClassVar = ("joint_names", "kept")

    robot: Robot
    total: Array
    simplified: Array
    peak_torque: Array
    rms_torque: Array
    terms: TorqueParts
    coefficients: TorqueParts
    dropped: tuple[str, ...]
    error: TorqueParts

    @property
    def joint_names(self) -> tuple[str, ...]:
        """The coordinates, in the order of the joint indices."""
        return self.robot.joint_names

    @property
    def kept(self) -> tuple[str, ...]:
        """Names of the coefficients that the simplified model keeps."""
        gone = set(self.dropped)
        return tuple(name for name in self.coefficients.names if name not in gone)

    def _parts(self) -> list[Part]:
        names = self.joint_names
        units = ["N" if self.robot.joint(name).kind == "prismatic" else "N m" for name in names]
        demand = {"joint": names, "peak": cells(self.peak_torque), "rms": cells(self.rms_torque), "unit": units}
        shares = self.terms.share.reshape(len(names), len(OF_THE_MODEL)).T
        demand |= {
            name: [f"{100 * part:.1f} %" for part in share] for name, share in zip(OF_THE_MODEL, shares, strict=True)
        }
        ranking = self.coefficients.ranking
        ranking = ranking[self.coefficients.max_error[ranking] != 0]
        first = ranking[:_SHOWN]
        ranked: dict[str, Sequence[str]] = {"part": [self.coefficients.names[k] for k in first]}
        ranked |= _error_columns(self.coefficients, first, self.robot)
        parts: list[Part] = [titled(demand), "", titled(ranked)]
        if len(first) < len(ranking):
            parts.append(f"... and {len(ranking) - len(first)} more")
        if self.dropped:
            few, word = min((self.dropped, "without"), (self.kept, "with only"), key=lambda pair: len(pair[0]))
            parts += ["", textwrap.fill(f"{word} {', '.join(few) or 'nothing'}:", 110)]
            parts.append(titled(_error_columns(self.error, np.arange(len(names)), self.robot)))
        return parts


def _error_columns(parts: TorqueParts, which: NDArray[np.intp], robot: Robot) -> dict[str, Sequence[str]]:
    joints = parts.joint[which]
    of_limit = zip(percent(parts.of_limit[which]), robot.effort_limit[joints], strict=True)
    return {
        "joint": [robot.joint_names[k] for k in joints],
        "share": percent(parts.share[which]),
        "max error": cells(parts.max_error[which]),
        "of peak": percent(parts.of_peak[which]),
        "of limit": [cell if limit < np.inf else "-" for cell, limit in of_limit],
        "rms error": cells(parts.rms_error[which]),
        "of rms": percent(parts.of_rms[which]),
    }


def significance(
    robot: Robot,
    q: ArrayLike,
    qd: ArrayLike | None = None,
    qdd: ArrayLike | None = None,
    *,
    drop: Iterable[str] = (),
    below: float | None = None,
    friction: bool = False,
    gravity: ArrayLike | None = None,
    threads: int | None = None,
) -> Significance:
    """Significance of the terms of the equations of motion, and the error of a model without some of them.

    Helps to simplify the full model for real-time control (Paul 1981, chapter 6; Bejczy 1974): for the states of a
    motion, or any set of states, it reports how much each coefficient contributes to the torque of each joint, and the
    error of the torque without it. All states have the same weight, so sample a motion uniformly. External wrenches are
    not part of the model; attach a load with `Robot.with_payload`.

    Parameters
    ----------
    robot : the robot, with its payload.
    q : (..., n) positions, rad or m: the states of a motion, or any set of states.
    qd, qdd : (..., n) velocities and accelerations; zero if None. Leading axes broadcast against each other.
    drop : names of terms ("coupling", "coriolis", ..., of all joints) and of coefficients ("D12" from the torque of
        joint 1, "D112", "Ia1", ...) to leave out; see `Significance`.
    below : also drop every coefficient whose largest error is below this fraction of the peak torque of its joint.
        Errors of dropped coefficients add up; the report holds their combined error.
    friction : whether viscous and Coulomb friction of the joints are part of the model.
    gravity : (3,) acceleration of free fall in base axes, m/s^2; that of the robot if None.
    threads : as in `inverse_dynamics`.

    Returns
    -------
    report : Significance

    Raises
    ------
    ArgumentError
        An argument has the wrong shape, type or value, or there is no state.
    UnknownNameError
        `drop` names an unknown term or coefficient.

    Examples
    --------
    >>> import numpy as np, rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> motion = rne.quintic([0.0, 0.0], [1.0, 0.5], np.linspace(0.0, 2.0, 201), duration=2.0)
    >>> print(rne.significance(arm, *motion, drop=["centripetal", "coriolis"]))
    joint      peak    rms  unit  effective  coupling  rotor  centripetal  coriolis  gravity  spring  friction
    shoulder  24.01  16.75   N m     13.6 %     2.1 %  0.0 %        0.1 %     0.2 %   84.0 %   0.0 %     0.0 %
    elbow     6.328  4.124   N m      3.9 %    18.9 %  0.0 %        1.1 %     0.0 %   76.1 %   0.0 %     0.0 %
    <BLANKLINE>
    part     joint     share  max error  of peak  of limit  rms error    of rms
    D1    shoulder      84 %      19.62   81.7 %         -      15.68    93.6 %
    D2       elbow    76.1 %      4.905   77.5 %         -      3.523    85.4 %
    D21      elbow    18.9 %      1.202     19 %         -     0.8345    20.2 %
    D11   shoulder    13.6 %      3.848     16 %         -      2.701    16.1 %
    D22      elbow     3.9 %     0.2406    3.8 %         -     0.1721    4.17 %
    D12   shoulder     2.1 %     0.6012    2.5 %         -     0.4172    2.49 %
    D211     elbow    1.09 %      0.126   1.99 %         -     0.0633    1.53 %
    D112  shoulder   0.244 %      0.126  0.525 %         -     0.0633   0.378 %
    D122  shoulder  0.0609 %     0.0315  0.131 %         -    0.01582  0.0945 %
    <BLANKLINE>
    without D111, D112, D122, D211, D212, D222:
    joint       share  max error  of peak  of limit  rms error   of rms
    shoulder  0.304 %     0.1575  0.656 %         -    0.07912  0.472 %
    elbow      1.09 %      0.126   1.99 %         -     0.0633   1.53 %
    """
    check_robot(robot)
    check_flag("friction", friction)
    batch = as_batch(robot, {"q": q, "qd": qd, "qdd": qdd}, required="q")
    if batch.samples == 0:
        raise ArgumentError("q: wanted at least one state, got none")
    catalog = catalog_of(robot.n)
    gone = chosen(catalog, drop)
    threshold = 0.0 if below is None else float(numbers("below", below, ()))
    if threshold < 0:
        raise ArgumentError(f"below: wanted zero or more, got {below!r}")
    states = [batch.rows[name].astype(np.float64, copy=False) for name in ("q", "qd", "qdd")]
    step = max(1, _AT_A_TIME // max(1, catalog.term.size))
    slices = [slice(k, k + step) for k in range(0, batch.samples, step)]

    def parts_of(rows: slice) -> tuple[Array, Array]:
        return parts_of_torque(robot, [x[rows] for x in states], gravity, friction, threads)

    total = np.empty((batch.samples, robot.n))
    by_part, by_term, whole = _Sizes(), _Sizes(), _Sizes()
    for rows in slices:
        parts, total[rows] = parts_of(rows)
        by_part.add(parts)
        by_term.add(np.einsum("sip,ipt->sit", parts, catalog.term[..., None] == np.arange(len(OF_THE_MODEL))))
        whole.add(total[rows])
    coefficient_errors = _errors(robot, catalog.names.ravel(), by_part, by_part, whole)
    gone |= coefficient_errors.of_peak.reshape(gone.shape) < threshold

    simplified, lost = total.copy(), _Sizes()
    for rows in slices:
        error = (parts_of(rows)[0] * gone).sum(axis=-1) if gone.any() else np.zeros_like(total[rows])
        simplified[rows] -= error
        lost.add(error)
    shape = (*batch.shape, robot.n)
    return Significance(
        robot,
        total.reshape(shape),
        simplified.reshape(shape),
        peak_torque=whole.largest,
        rms_torque=whole.rms,
        terms=_errors(robot, np.tile(OF_THE_MODEL, robot.n), by_term, by_part, whole),
        coefficients=coefficient_errors,
        dropped=tuple(map(str, catalog.names[gone])),
        error=_errors(robot, np.array(robot.joint_names), lost, by_part, whole),
    )


class _Sizes:
    """Mean absolute value, root mean square and largest absolute value of rows, accumulated block by block."""

    def __init__(self) -> None:
        self.count = 0
        self.sum = self.squares = self.largest = np.zeros(())

    def add(self, rows: Array) -> None:
        sizes = np.abs(rows)
        self.count += len(rows)
        self.sum = self.sum + sizes.sum(axis=0)
        self.squares = self.squares + (rows**2).sum(axis=0)
        self.largest = np.maximum(self.largest, sizes.max(axis=0))

    @property
    def mean(self) -> Array:
        return self.sum / self.count

    @property
    def rms(self) -> Array:
        root: Array = np.sqrt(self.squares / self.count)
        return root


def _errors(robot: Robot, names: NDArray[Any], parts: _Sizes, coefficients: _Sizes, whole: _Sizes) -> TorqueParts:
    """Errors of leaving out parts (n, ...) of the torques, one at a time."""
    joint = np.repeat(np.arange(robot.n), len(names) // max(1, robot.n))
    largest, rms = parts.largest.ravel(), parts.rms.ravel()
    # Where the torque of a joint is mere rounding, its parts must not appear significant.
    peaks, means = (np.maximum(x, NOISE * x.max(initial=0.0))[joint] for x in (whole.largest, whole.rms))
    return TorqueParts(
        tuple(map(str, names)),
        joint,
        share=part_of(parts.mean.ravel(), coefficients.mean.sum(axis=-1)[joint]),
        max_error=largest,
        rms_error=rms,
        of_peak=part_of(largest, peaks),
        of_rms=part_of(rms, means),
        of_limit=part_of(largest, robot.effort_limit[joint]),
    )
