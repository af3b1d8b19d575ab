"""The report of a solution: what `rne.Identifier.solve` returns."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rne.identification.accumulator import Accumulator
from rne.identification.base_parameters import BaseParameters
from rne.identification.fit import Fit
from rne.identification.friction_laws import Choice, FrictionLaw, LawEquations, standard
from rne.identification.moments import TORQUE_SQUARES, WEIGHTS, Moments
from rne.identification.report import Identification
from rne.identification.short_logs import SHORT, autoregressive
from rne.identification.solved import Solved

Array = NDArray[np.float64]


def identification_of(
    base: BaseParameters,
    data: Accumulator,
    solution: Fit,
    moments: Moments,
    center: Array,
    plain: Fit | None = None,
    choice: Choice | None = None,
) -> Identification:
    """Return the report on a solution with its uncertainty.

    With friction laws, `plain` is the solution with viscous and Coulomb friction, which states their uncertainty.
    """
    equations, count = data.equations, len(base)
    given, samples, total = equations.given, moments.samples, moments.total()
    weights = np.maximum(
        np.sum(moments.sums, axis=0)[:, WEIGHTS] if data.huber else np.full(base.robot.n, samples), 1.0
    )

    def rms(change: Array) -> Array:
        return np.asarray(np.sqrt(moments.squares(total, change - center) / weights))

    change = center + solution.change
    change[solution.weak] = np.where(data.unexcited == "fix", 0.0, change[solution.weak])  # exactly
    solution = _of_short_log(data, solution, change)
    plain = _of_short_log(data, plain, center + plain.change) if plain is not None else None
    covariance, prior = solution.covariance[:count, :count].copy(), np.diagonal(equations.prior)
    inflation, freedom = solution.inflation[:count].copy(), solution.freedom[:count].copy()
    kept, weak = solution.kept, solution.weak
    vector = given + change
    beta = vector[:count].copy()
    laws: tuple[FrictionLaw, ...] = ()
    if plain is not None and choice is not None and isinstance(equations, LawEquations):
        laws = _laws(equations, choice, solution, vector)
        beta = standard(moments, equations, center, vector)
        of_friction = sorted({k for j in range(base.robot.n) for k in equations.places(j).values() if k < count})
        covariance[of_friction], covariance[:, of_friction] = 0.0, 0.0
        block = np.ix_(of_friction, of_friction)
        covariance[block] = plain.covariance[block]
        inflation[of_friction], freedom[of_friction] = plain.inflation[of_friction], plain.freedom[of_friction]
        kept = np.union1d(np.setdiff1d(kept, of_friction), np.intersect1d(plain.kept, of_friction))
        weak = np.union1d(np.setdiff1d(weak, of_friction), np.intersect1d(plain.weak, of_friction))
    out = np.setdiff1d(np.arange(count), kept)
    loose = covariance.copy()  # for the projection: what is not known may move by its plausible size
    loose[out, out] = prior[out]
    if not solution.known:
        covariance[:] = np.nan
    covariance[out], covariance[:, out] = np.nan, np.nan
    grams = tuple(matrix.copy() for matrix in moments.of_joints(total))
    solved = Solved(equations, vector, loose, data.kept(), grams, center, weights, tuple(choice.laws) if choice else ())
    return Identification(
        base=base,
        beta=beta,
        sd=np.sqrt(np.diagonal(covariance)),
        covariance=covariance,
        inflation=inflation,
        freedom=freedom,
        unexcited=tuple(base.expressions[k] for k in weak if k < count),
        choice=data.unexcited,
        condition=solution.condition,
        samples=samples,
        torque=np.sqrt(np.sum(moments.sums, axis=0)[:, TORQUE_SQUARES] / samples),
        residual=rms(change),
        prior_residual=rms(np.zeros(len(given))),
        noise=solution.sd,
        autocorrelation=_autocorrelation(data, change),
        _solved=solved,
        laws=laws,
        lag=data.lag,
    )


def _of_short_log(data: Accumulator, solution: Fit, change: Array) -> Fit:
    """Return the solution of a short log with variances under autoregressive noise where these are larger."""
    if data.samples > SHORT or data.samples <= solution.kept.size or not solution.correlated:
        return solution
    wanted = autoregressive(data.kept(), data.equations, change, solution)
    more = np.sqrt(np.maximum(wanted / solution.inflation, 1.0))
    covariance = solution.covariance * np.outer(more, more)
    return replace(solution, covariance=covariance, inflation=solution.inflation * more**2)


def _laws(equations: LawEquations, choice: Choice, solution: Fit, vector: Array) -> tuple[FrictionLaw, ...]:
    """Return the laws that were chosen, with their coefficients."""
    found = []
    sd = np.sqrt(np.diagonal(solution.covariance))
    sd[np.setdiff1d(np.arange(len(sd)), solution.kept)] = np.nan
    for j, law in enumerate(choice.laws):
        places = equations.places(j)
        terms = tuple(term for term in law.terms if term in places)
        at = [places[term] for term in terms]
        errors = (float(np.sqrt(squares[j])) for squares in (choice.errors, choice.plain_errors))
        values = tuple(vector[at].tolist()), tuple(sd[at].tolist())
        name, speed = equations.robot.joint_names[j], float(equations.speed[j])
        found.append(FrictionLaw(name, law.name, speed, terms, *values, *errors))
    return tuple(found)


def _autocorrelation(data: Accumulator, change: Array) -> Array:
    """Return the correlation (n,) of residuals of successive samples, among the samples that were kept."""
    q, qd, qdd, tau = data.kept()
    rest = tau - data.equations.torque((q, qd, qdd))
    for j, Z in enumerate(data.equations.columns((q, qd, qdd))):
        rest[:, j] -= Z[:, :-1] @ change[data.equations.index[j]]
    rest = rest - rest.mean(axis=0)
    power = np.sum(rest**2, axis=0)
    return np.asarray(np.sum(rest[1:] * rest[:-1], axis=0) / np.where(power > 0, power, 1.0))
