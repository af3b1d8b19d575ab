"""Friction laws: more columns for the torque of each joint, and the choice among them by held-out error.

Sources: Stribeck and viscous friction, Armstrong-Hélouvry, Dupont, Canudas de Wit, "A survey of models, analysis tools
and compensation methods for the control of machines with friction", Automatica 30 (1994); the rule of
standard errors, Breiman, Friedman, Olshen, Stone, "Classification and regression trees" (1984).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rne.dynamics.inverse_dynamics import inverse_dynamics
from rne.identification.equations import BaseEquations, Index, State
from rne.identification.moments import Moments
from rne.model.parameters import OF_FRICTION
from rne.model.robot import Robot

Array = NDArray[np.float64]

# Of the smooth sign and of the Stribeck effect, relative to the largest velocity.
SPEEDS = (0.003, 0.01, 0.02, 0.05, 0.1, 0.2, 0.4)
FOLDS = 8  # stretches of the samples, each of which is predicted from the others
ERRORS = 2  # standard errors of the differences between stretches, within which fewer terms are preferred
COST = 0.05  # share of the least held-out squares that a law without Coulomb friction may cost
NOT_IN_DRIVES = ("load", "root")  # terms that a robot cannot have: they have to be better by that share
ROUNDING = 1e-14  # eigenvalue of normal equations with unit diagonal that is rounding
SWEEPS = 3  # over the joints, whose laws are chosen one after the other
STANDARD = OF_FRICTION  # columns of the regressor
EXTRA = (
    "offset",
    *(f"tanh {speed:g}" for speed in SPEEDS),
    *(f"stribeck {speed:g}" for speed in SPEEDS),
    "quadratic",
    "cubic",
    "root",
    "load",
)


class Law(NamedTuple):
    """A law: its name and the terms that it consists of."""

    name: str
    terms: tuple[str, ...]


def _laws() -> tuple[Law, ...]:
    laws = [Law("none", ()), Law("viscous", ("viscous",)), Law("viscous, Coulomb", STANDARD)]
    choices: tuple[tuple[str, tuple[str, ...]], ...] = (("", ()), (", load", ("load",)))
    for more, terms in choices:
        if terms:
            laws.append(Law(f"viscous, Coulomb{more}", (*STANDARD, *terms)))
        for speed in SPEEDS:
            laws.append(Law(f"viscous, smooth Coulomb{more}", ("viscous", "offset", f"tanh {speed:g}", *terms)))
            laws.append(Law(f"viscous, Coulomb, Stribeck{more}", (*STANDARD, f"stribeck {speed:g}", *terms)))
    laws.append(Law("viscous, Coulomb, root", (*STANDARD, "root")))
    laws.append(Law("odd polynomial, Coulomb", (*STANDARD, "quadratic", "cubic")))
    for speed in SPEEDS:
        smooth = ("viscous", "offset", f"tanh {speed:g}", "quadratic", "cubic")
        laws.append(Law("odd polynomial, smooth Coulomb", smooth))
    return tuple(laws)


LAWS = _laws()


@dataclass(frozen=True)
class FrictionLaw:
    """The friction law of one joint, as chosen by held-out error.

    With v the velocity relative to `speed`, the terms are: viscous, the velocity itself; coulomb_plus and
    coulomb_minus, 1 and -1 for positive and for negative velocity; offset, 1; tanh s, tanh(v / s); stribeck s,
    sign(v) exp(-abs(v) / s); quadratic, v abs(v); cubic, v^3; root, sign(v) sqrt(abs(v)); load, sign(v) times the size
    of the torque of the given robot without friction.

    Attributes
    ----------
    joint : name of the joint.
    name : name of the law.
    speed : largest velocity in the samples from which the scales of the terms follow, rad/s or m/s.
    terms, coefficients, sd : the terms with their coefficients and standard deviations: N m s/rad or N s/m for viscous,
        1 for load, N m or N for all others.
    error, plain_error : RMS of the held-out residual of the joint with this law, and with viscous and Coulomb
        friction.

    Examples
    --------
    >>> import numpy as np, rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> q, qd, qdd = np.random.default_rng(0).normal(size=(3, 200, 2))
    >>> tau = rne.inverse_dynamics(arm, q, qd, qdd) + 0.5 * qd + 2.0 * np.sign(qd)
    >>> tau += 0.1 * np.random.default_rng(1).normal(size=tau.shape)
    >>> found = rne.identify(arm, q, qd, qdd, tau, friction="select")
    >>> [law.name for law in found.laws]
    ['viscous, Coulomb', 'viscous, Coulomb']
    """

    joint: str
    name: str
    speed: float
    terms: tuple[str, ...]
    coefficients: tuple[float, ...]
    sd: tuple[float, ...]
    error: float
    plain_error: float


@dataclass(frozen=True, eq=False)
class LawEquations:
    """The equations of base parameters, with the additional terms of friction laws for each joint; see `Equations`.

    Attributes
    ----------
    plain : the equations of the base parameters alone.
    speed : (n,) velocities that the terms are relative to.
    """

    plain: BaseEquations
    speed: Array
    names: tuple[str, ...]
    given: Array
    prior: Array
    index: tuple[Index, ...]

    @property
    def robot(self) -> Robot:
        """The given robot."""
        return self.plain.robot

    def scaled(self, qd: Array) -> LawEquations:
        """Return the equations with terms relative to the largest of these velocities."""
        speed = np.abs(qd).max(axis=0, initial=0.0)
        return replace(self, speed=np.where(speed > 0, speed, 1.0))

    def torque(self, state: State) -> Array:
        """Torques (samples, n) of the given robot."""
        return self.plain.torque(state)

    def columns(self, state: State) -> list[Array]:
        """Columns of each joint: those of the base parameters, then those of the terms, and one more."""
        terms = terms_of(self.robot, state, self.speed)
        plain = self.plain.columns(state)
        return [np.concatenate([Z[:, :-1], terms[:, j], Z[:, -1:]], axis=1) for j, Z in enumerate(plain)]

    def extra(self, joint: int) -> Index:
        """Return the places of the terms of a joint among the parameters."""
        first = len(self.plain.given) + joint * len(EXTRA)
        return np.arange(first, first + len(EXTRA))

    def places(self, joint: int) -> dict[str, int]:
        """Return the places of all terms of a joint among the parameters, by name."""
        base, name = self.plain.base, self.robot.joint_names[joint]
        kept = [base.names[k] for k in base.independent]
        found = {term: kept.index(f"{term}_{name}") for term in STANDARD if f"{term}_{name}" in kept}
        return found | dict(zip(EXTRA, self.extra(joint).tolist(), strict=True))


def law_equations(plain: BaseEquations) -> LawEquations:
    """Return the equations of base parameters, friction included, with the terms of all laws."""
    n, count = plain.robot.n, len(plain.given)
    more = n * len(EXTRA)
    names = [f"{term}_{joint}" for joint in plain.robot.joint_names for term in EXTRA]
    prior = np.zeros((count + more, count + more))
    prior[:count, :count] = plain.prior
    size = max(float(np.diagonal(plain.prior).max()), 1.0)
    prior[np.arange(count, count + more), np.arange(count, count + more)] = size
    index = tuple(np.append(X, count + j * len(EXTRA) + np.arange(len(EXTRA))) for j, X in enumerate(plain.index))
    given = np.append(plain.given, np.zeros(more))
    return LawEquations(plain, np.ones(n), (*plain.names, *names), given, prior, index)


def terms_of(robot: Robot, state: State, speed: Array) -> Array:
    """Return the terms `EXTRA` of all joints, (samples, n, terms)."""
    qd = state[1]
    v = qd / speed
    sign, size = np.sign(v), np.abs(v)
    load = sign * np.abs(inverse_dynamics(robot, *state, threads=1))
    smooth = [np.tanh(v / s) for s in SPEEDS]
    stribeck = [sign * np.exp(-size / s) for s in SPEEDS]
    return np.stack([np.ones_like(v), *smooth, *stribeck, v * size, v**3, sign * np.sqrt(size), load], axis=2)


class Choice(NamedTuple):
    """The laws that were chosen, and their held-out mean squares beside those of viscous and Coulomb friction."""

    laws: list[Law]
    errors: Array
    plain_errors: Array


def chosen(moments: Moments, equations: LawEquations, center: Array, sd: Array) -> Choice:
    """Choose the law of each joint by its held-out error.

    It is the law with the fewest terms within two standard errors of the least error. Laws with fewer terms than
    viscous and Coulomb friction must also be within five percent of it, and laws that no `Drive` has must be better by
    five percent than all others. Each of some stretches of the samples is
    predicted from the others. `center` is where the moments are centered, relative to the given values; `sd` (n,) are
    the standard deviations of the torques.
    """
    n, count = equations.robot.n, len(equations.given)
    parts = moments.merged(FOLDS)
    normals = [moments.normal(part, sd**-2.0, count) for part in parts]
    A, g = np.sum([A for A, _ in normals], axis=0), np.sum([g for _, g in normals], axis=0)
    loose = np.diag(1.0 / np.diagonal(equations.prior))
    zero = -center - equations.given  # where no term is, seen from the center
    places = [equations.places(j) for j in range(n)]
    laws = [LAWS[2]] * n
    rigid = np.setdiff1d(np.arange(count), np.concatenate([list(place.values()) for place in places]))
    errors, plain_errors = np.zeros(n), np.zeros(n)
    for _ in range(SWEEPS):
        before = list(laws)
        for j in range(n):
            others = [places[i][term] for i in range(n) if i != j for term in laws[i].terms if term in places[i]]
            rest = np.sort(np.append(rigid, np.array(others, np.intp)))
            pool = np.array(list(places[j].values()), np.intp)
            off = np.setdiff1d(np.arange(count), np.concatenate([rest, pool]))
            tables = [
                _reduced(moments, part, A - B + loose, g - h - loose @ center, rest, pool, off, zero, j)
                for part, (B, h) in zip(parts, normals, strict=True)
            ]
            laws[j], errors[j], plain_errors[j] = _best(tables, list(places[j]), moments.samples)
        if laws == before:
            break
    return Choice(laws, errors, plain_errors)


def selected(equations: LawEquations, laws: Sequence[Law]) -> Index:
    """Return the parameters that stay: all but the terms of friction that the laws do not have."""
    out: set[int] = set()
    for j, law in enumerate(laws):
        places = equations.places(j)
        out |= set(places.values()) - {places[term] for term in law.terms if term in places}
    return np.setdiff1d(np.arange(len(equations.given)), np.array(sorted(out), np.intp))


def standard(moments: Moments, equations: LawEquations, center: Array, vector: Array) -> Array:
    """Return base parameters (b,) with the viscous and Coulomb friction that is nearest to that of the chosen laws.

    `vector` holds all parameters. With the bodies as they are, the standard terms of a joint are fitted to its torque.
    """
    count = len(equations.plain.given)
    found = vector[:count].copy()
    gram = moments.of_joints(moments.total())
    for j in range(equations.robot.n):
        places = equations.places(j)
        own = [places[term] for term in STANDARD if term in places]
        start = vector - equations.given - center
        start[[*places.values()]] = -(equations.given + center)[[*places.values()]]
        columns = list(equations.index[j])
        at = [columns.index(place) for place in own]
        G = gram[j]
        left = G[at, -1] - G[at, :-1] @ start[columns]
        found[own] = np.linalg.lstsq(G[np.ix_(at, at)], left, rcond=1e-10)[0]
    return found


_Table = tuple[Array, Array, Array]


def _reduced(
    moments: Moments,
    part: Array,
    A: Array,
    g: Array,
    rest: Index,
    pool: Index,
    off: Index,
    zero: Array,
    joint: int,
) -> _Table:
    """Eliminate all but the terms of a joint: return their normal equations, and their squares on the part left out.

    Terms count from zero, not from where the moments are centered.
    """
    fixed = np.zeros(len(zero))
    fixed[off], fixed[pool] = zero[off], zero[pool]
    g = g - A @ fixed
    M = _solved(A[np.ix_(rest, rest)], np.column_stack([A[np.ix_(rest, pool)], g[rest]]))
    normal = A[np.ix_(pool, pool)] - A[np.ix_(pool, rest)] @ M[:, :-1]
    right = g[pool] - A[np.ix_(pool, rest)] @ M[:, -1]
    P = np.zeros((len(zero), len(pool) + 1))
    P[rest, :-1], P[rest, -1] = M[:, :-1], -M[:, -1]
    P[pool, np.arange(len(pool))] = -1.0
    P[:, -1] -= fixed
    columns = moments.index[joint]
    rows = np.vstack([P[columns], np.append(np.zeros(len(pool)), 1.0)])
    return normal, right, rows.T @ moments.of_joints(part)[joint] @ rows


def _solved(A: Array, b: Array) -> Array:
    """Solve normal equations; those that a few samples leave singular have the solution of least length."""
    diagonal = np.diagonal(A)
    length = np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
    scaled, right = A / np.outer(length, length), (b.T / length).T
    try:
        np.linalg.cholesky(scaled - ROUNDING * np.eye(len(A)))
        found = np.linalg.solve(scaled, right)
    except np.linalg.LinAlgError:
        found = np.linalg.lstsq(scaled, right, rcond=ROUNDING)[0]
    return np.asarray((found.T / length).T)


def _opposes(values: dict[str, float]) -> bool:
    """Return whether smooth Coulomb or Stribeck friction opposes slow motion; a fit may find that it does not."""
    least = min(values.get("coulomb_plus", 0.0), values.get("coulomb_minus", 0.0))
    extra = [(term.partition(" ")[0], value) for term, value in values.items()]
    return all(value >= 0 for name, value in extra if name == "tanh") and all(
        value + least >= 0 for name, value in extra if name == "stribeck"
    )


def _best(tables: list[_Table], terms: list[str], samples: int) -> tuple[Law, float, float]:
    """Return the law that the rule chooses, and mean squares of it and of viscous and Coulomb friction."""
    found: list[Array] = []
    for law in LAWS:
        at = np.array([terms.index(term) for term in law.terms if term in terms], np.intp)
        squares, sizes = [], []
        for normal, right, table in tables:
            sizes.append(_solved(normal[np.ix_(at, at)], right[at]))
            z = np.append(sizes[-1], 1.0)
            both = np.append(at, len(terms))
            squares.append(max(float(z @ table[np.ix_(both, both)] @ z), 0.0))
        mean = dict(zip((terms[k] for k in at), np.mean(sizes, axis=0).tolist(), strict=True))
        found.append(np.array(squares) if _opposes(mean) else np.full(len(tables), np.inf))
    totals = np.array([squares.sum() for squares in found])
    outside = np.array([not set(NOT_IN_DRIVES).isdisjoint(law.terms) for law in LAWS])
    totals[outside & (totals > (1 - COST) * totals[~outside].min())] = np.inf
    best = int(np.argmin(totals))
    number = len(tables)
    several = number > 1
    spread = [
        float(np.std(squares - found[best], ddof=1)) * np.sqrt(number) if several and np.isfinite(squares[0]) else 0.0
        for squares in found
    ]
    most = [
        min(ERRORS * deviation, COST * totals[best] if len(law.terms) < len(STANDARD) else np.inf) + 1e-9 * totals[best]
        for law, deviation in zip(LAWS, spread, strict=True)
    ]
    near = [k for k in range(len(LAWS)) if totals[k] - totals[best] <= most[k]]
    chosen = min(near, key=lambda k: (len(LAWS[k].terms), totals[k]))
    return LAWS[chosen], float(totals[chosen]) / max(samples, 1), float(totals[2]) / max(samples, 1)
