"""Exact numbers for the kernels: polynomials in sines, cosines, rates and parameters, and how textbooks write them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import sympy
from sympy.polys.polyerrors import ExactQuotientFailed

from rne.codegen.tracing import near_whole
from rne.errors import ArgumentError
from rne.kernels import layout as at

ROUNDING = 1e-14
"""Distance from a whole number that is taken for rounding, as in the cosine of a quarter turn."""

WHOLE = 1000
"""Largest denominator of a number that is written as a fraction."""

MOST_TURNS = 8
"""Largest ratio of a follower whose sine and cosine are written out in those of its leader."""


class Ring:
    """Polynomials over rational functions of the parameters.

    Parameters
    ----------
    parameters : symbols.
    joints : how many.

    Attributes
    ----------
    names : of what a monomial is made: sines, cosines, signs of rates, positions, rates, accelerations of the joints.
    """

    def __init__(self, parameters: Sequence[sympy.Symbol], joints: int) -> None:
        self.names = [f"{kind}{j}" for kind in ("s", "c", "sign", "q", "qd", "qdd") for j in range(joints)]
        self.joints = joints
        self.domain = sympy.QQ.frac_field(*parameters) if parameters else sympy.QQ
        dummies = [sympy.Dummy(name) for name in self.names]  # which are no parameters of the same name
        self._ring = sympy.polys.rings.PolyRing(dummies, self.domain)
        self._generators = dict(zip(self.names, self._ring.gens, strict=True))
        self.rates = {self._generators[f"qd{j}"]: j for j in range(joints)}

    def generator(self, name: str) -> Term:
        """Return a sine, cosine, position, rate or acceleration."""
        return Term(self, self._generators[name])

    def number(self, value: Any) -> Term:
        """Return a float, or a sympy expression in the parameters, as a polynomial."""
        if isinstance(value, Term):
            return value
        if isinstance(value, sympy.Expr):
            return Term(self, self._ring.ground_new(self.domain.from_sympy(sympy.nsimplify(value, rational=True))))
        return Term(self, self._ring.ground_new(self.domain.convert(_exact(float(value)))))


def _exact(value: float) -> Any:
    if abs(value - round(value)) < ROUNDING and abs(value) < 1e3:
        return sympy.QQ(round(value))
    fraction = Fraction(repr(value))
    return sympy.QQ(fraction.numerator, fraction.denominator)


class Term:
    """A polynomial as a number of the kernels: it combines with floats."""

    __slots__ = ("poly", "ring")

    def __init__(self, ring: Ring, poly: Any) -> None:
        self.ring = ring
        self.poly = poly

    def _with(self, other: Any, operation: Any) -> Any:
        if isinstance(other, np.ndarray):
            return NotImplemented
        return Term(self.ring, operation(self.poly, self.ring.number(other).poly))

    def __add__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: a + b)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: a - b)

    def __rsub__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: b - a)

    def __mul__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: a * b)

    __rmul__ = __mul__

    def __neg__(self) -> Term:
        return Term(self.ring, -self.poly)

    def __pow__(self, power: int) -> Term:
        return Term(self.ring, self.poly**power)

    def __truediv__(self, other: Any) -> Any:
        return self._with(other, _quotient)

    def __bool__(self) -> bool:
        """Tell whether it is other than zero."""
        return bool(self.poly)


def _quotient(a: Any, b: Any) -> Any:
    """Return a / b for b free of the state, such as a mass."""
    if not b.is_ground:
        raise ExactQuotientFailed(a, b)
    return a.mul_ground(1 / b.coeff(1))


def _sign(number: Term) -> Term:
    """Return the sign of a rate, or of a multiple of one, as that of a follower is."""
    ring = number.ring
    [(_, factor)] = number.poly.terms()
    sign = ring.generator(f"sign{ring.rates[number.poly.mul_ground(1 / factor)]}")
    return sign if ring.domain.to_sympy(factor) > 0 else -sign


def exact_operations() -> dict[str, Any]:
    """Return what takes the place of the operations that kernels do on floats and packs."""

    def by_sign(number: Term, plus: Any, minus: Any) -> Term:
        ring = number.ring
        plus, minus = ring.number(plus), ring.number(minus)
        if not plus and not minus:
            return ring.number(0.0)
        sign = _sign(number)
        found: Term = (plus * (sign * sign + sign) + minus * (sign * sign - sign)) / 2
        return found

    def exp(_: Term) -> Term:
        raise ArgumentError(
            "friction: smooth Coulomb and Stribeck friction are no polynomials in the rates, and cannot be written out "
            "for rows with symbols; leave smoothing and stribeck out, or take numbers, rne.from_dh(rows, ...)"
        )

    return {
        "exp": exp,
        "fma": lambda a, b, c: a * b + c,
        "like": lambda number, value: number.ring.number(value) if isinstance(number, Term) else value,
        "by_sign": by_sign,
    }


def angles(ring: Ring, table: Any) -> tuple[list[Term], list[Term]]:
    """Return sine and cosine of each joint, of followers by those of their leaders.

    Raises
    ------
    ArgumentError
        A follower turns by no whole multiple of the angle of its leader.
    """
    sines, cosines = [], []
    for row in table[1 : 1 + int(table[0, at.LINKS])]:
        ratio, shift = float(row[at.RATIO]), float(row[at.SHIFT])
        s, c = ring.number(0.0), ring.number(1.0)
        if row[at.KIND] == at.REVOLUTE:
            if ratio != round(ratio) or abs(ratio) > MOST_TURNS:
                raise ArgumentError(
                    f"robot_or_rows: a joint that turns by {ratio:g} times the angle of another has no equations in "
                    f"sines and cosines of that angle that could be written out; wanted is a whole number up to "
                    f"{MOST_TURNS}, or a robot in numbers, rne.equations(rne.from_dh(rows, ...))"
                )
            leader = int(row[at.LEADER])
            s1, c1 = ring.generator(f"s{leader}"), ring.generator(f"c{leader}")
            for _ in range(abs(int(ratio))):
                s, c = s * c1 + c * s1, c * c1 - s * s1
            s = -s if ratio < 0 else s
            s0, c0 = near_whole(np.array([np.sin(shift), np.cos(shift)]))
            s, c = s * c0 + c * s0, c * c0 - s * s0
        sines.append(s)
        cosines.append(c)
    return sines, cosines


Wave = tuple[int, ...]


class Textbook:
    """Writes polynomials as textbooks do: sums of angles in place of products of sines, masses gathered.

    Parameters
    ----------
    ring : of the polynomials.
    q, qd, qdd : symbols of the joints.
    masses : parameters that are gathered as factors, as in (m1 + m2) l1**2.
    """

    def __init__(self, ring: Ring, state: Sequence[Sequence[sympy.Symbol]], masses: Iterable[sympy.Symbol]) -> None:
        self._ring = ring
        self._q, self._qd, self._qdd = state
        self._masses = set(masses)

    def expression(self, term: Term) -> sympy.Expr:
        """Return a polynomial as an expression."""
        joints = self._ring.joints
        gathered: dict[tuple[Any, ...], dict[tuple[Wave, bool], Any]] = {}
        for exponents, coefficient in term.poly.terms():
            sines, cosines, rest = exponents[:joints], exponents[joints : 2 * joints], exponents[2 * joints :]
            waves = gathered.setdefault(rest, {})
            for wave, factor in _waves(sines, cosines).items():
                waves[wave] = waves.get(wave, self._ring.domain.zero) + coefficient * factor
        parts = []
        for rest, waves in sorted(gathered.items(), key=lambda item: [-x for x in item[0]]):
            sums = [self._coefficient(c) * self._wave(wave) for wave, c in sorted(waves.items()) if c]
            parts.append(sympy.Add(*sums) * self._rest(rest))
        return sympy.Add(*parts)

    def _wave(self, wave: tuple[Wave, bool]) -> sympy.Expr:
        angle = sympy.Add(*(k * q for k, q in zip(wave[0], self._q, strict=True)))
        return sympy.sin(angle) if wave[1] else sympy.cos(angle)

    def _rest(self, exponents: tuple[int, ...]) -> sympy.Expr:
        signs = [sympy.sign(qd) for qd in self._qd]
        return sympy.Mul(*(x**k for x, k in zip([*signs, *self._q, *self._qd, *self._qdd], exponents, strict=True)))

    def _coefficient(self, value: Any) -> sympy.Expr:
        """Gather the masses of each product of lengths."""
        expression = self._ring.domain.to_sympy(value)
        if expression.is_Rational and expression.q > WHOLE:
            return sympy.Float(expression, 15)
        others = sorted(expression.free_symbols - self._masses, key=str)
        if not expression.is_polynomial(*expression.free_symbols) or not others:
            return sympy.factor_terms(expression)
        terms = sympy.Poly(expression, *others).terms()
        return sympy.Add(*(c * sympy.Mul(*(x**k for x, k in zip(others, e, strict=True))) for e, c in terms))


def _waves(sines: Sequence[int], cosines: Sequence[int]) -> Mapping[tuple[Wave, bool], Any]:
    """Return a product of powers of sines and cosines as a sum over waves: multiples of the angles, and whether sine.

    By exponentials: with z = exp(i q), s = (z - 1 / z) / 2i and c = (z + 1 / z) / 2.
    """
    found: dict[Wave, Any] = {(): sympy.QQ(1)}
    for s, c in zip(sines, cosines, strict=True):
        powers: dict[int, Any] = {0: sympy.QQ(1)}
        for minus in [True] * s + [False] * c:
            after: dict[int, Any] = {}
            for k, value in powers.items():
                after[k + 1] = after.get(k + 1, 0) + value / 2
                after[k - 1] = after.get(k - 1, 0) + (-value if minus else value) / 2
            powers = after
        found = {(*wave, k): a * b for wave, a in found.items() for k, b in powers.items() if b}
    turns = sum(sines) % 4  # the power of 1 / i
    waves: dict[tuple[Wave, bool], Any] = {}
    for wave, value in found.items():
        # Real part of value * (-i)**turns * exp(i wave q): the other half is its conjugate.
        sine, sign = turns % 2 == 1, (1, 1, -1, -1)[turns]
        first = next((k for k in wave if k), 0)
        if not first and sine:
            continue
        if first < 0:
            wave, sign = tuple(-k for k in wave), -sign if sine else sign
        waves[wave, sine] = waves.get((wave, sine), 0) + sign * value
    return waves
