"""Base parameters: the combinations of the parameters of a robot that its torques can tell apart.

Much of a body no joint ever feels, and much of it every joint feels like something of another body (Gautier, Khalil
1990). Which, is a matter of the joints alone, and is found here from the regressor at random states.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rne.batch.arguments import check_robot
from rne.check import numbers
from rne.errors import ArgumentError
from rne.identification.regressor import parameter_names, parameters, regressor
from rne.model.parameters import OF_BODY
from rne.model.robot import Robot
from rne.tables import Report

Array = NDArray[np.float64]

TOLERANCE = 1e-5
"""A column that is a smaller part of the longest, or of which others leave a smaller part, counts as nothing.

Angles in files are often rounded to six digits; by how much an angle misses a right one makes no parameter to identify.
"""
CLEAR = 0.1  # the largest dropped singular value is a smaller part of the smallest kept one
NOISE = 1e-9  # a coefficient that is a smaller part of those beside it, in columns of the same length, is rounding
SEED = 20_260
# The first are kept where others would do as well, which gives the combinations of Gautier and Khalil: of a link that
# turns about its z they leave mx, my, Izz, Ixx, the products; mass, mz and Iyy go to the links before it.
_PREFERENCE = [OF_BODY.index(name) for name in ("mx", "my", "mz", "Izz", "Ixy", "Ixz", "Iyz", "Ixx", "Iyy", "m")]


@dataclass(frozen=True, eq=False, repr=False)
class BaseParameters(Report):
    """What the torques of a robot depend on: beta = K pi, with Y pi = Y[:, independent] beta.

    Printed, it is the list of the combinations. `len` tells how many there are.

    Attributes
    ----------
    robot : the robot, with the gravity that was asked for.
    names : P names of the parameters pi, as `rne.parameter_names` tells them.
    independent : (b,) which columns of the regressor are kept; one parameter of each combination, with coefficient 1.
    K : (b, P) the combinations.
    kept, dropped : smallest singular value of the columns at random states that counts, and largest that does not, as
        parts of the largest; columns have length 1, those that are nearly zero are dropped with theirs.
    rotors, friction : whether pi has these parameters.

    Examples
    --------
    >>> import rne
    >>> base = rne.base_parameters(rne.load("models/planar2/robot.dh.toml"), rotors=False)
    >>> len(base), base.values().round(6)
    (6, array([1.5     , 0.      , 1.333333, 0.5     , 0.      , 0.333333]))
    """

    DERIVED: ClassVar = ("expressions", "unfelt")

    robot: Robot
    names: tuple[str, ...]
    independent: NDArray[np.intp]
    K: Array
    kept: float
    dropped: float
    rotors: bool
    friction: bool

    def __len__(self) -> int:
        return len(self.independent)

    @property
    def expressions(self) -> tuple[str, ...]:
        """The combinations in words, such as "Izz_shoulder + Izz_elbow + 0.16 m_elbow"."""
        return tuple(self._expression(k) for k in range(len(self)))

    @property
    def unfelt(self) -> tuple[str, ...]:
        """Names of the parameters that no torque depends on."""
        return tuple(name for name, column in zip(self.names, self.K.T, strict=True) if not column.any())

    def values(self, pi: ArrayLike | None = None) -> Array:
        """Base parameters beta = K pi, (b,), of parameters (P,); of the robot's own if None.

        Raises
        ------
        ArgumentError
            `pi` is not P finite numbers.
        """
        if pi is None:
            pi = parameters(self.robot, rotors=self.rotors, friction=self.friction)
        beta: Array = self.K @ numbers("pi", pi, (len(self.names),))
        return beta

    def regressor(self, q: ArrayLike, qd: ArrayLike | None = None, qdd: ArrayLike | None = None, **options: Any) -> Any:
        """Regressor (..., n, b) of the base parameters: Y beta = Y pi; options as for `rne.regressor`."""
        Y = regressor(self.robot, q, qd, qdd, rotors=self.rotors, friction=self.friction, **options)
        return Y[..., self.independent]

    def _expression(self, k: int) -> str:
        first = self.independent[k]
        others = [i for i in np.flatnonzero(self.K[k]) if i != first]
        terms = [_term(self.K[k, i], self.names[i]) for i in (first, *others)]
        return "".join(terms).removeprefix(" + ")

    def _table(self) -> str:
        width = len(str(len(self)))
        lines = [f"{k:{width}}  {text}" for k, text in enumerate(self.expressions, start=1)]
        head = f"{self.robot.name}: {len(self)} base parameters of {len(self.names)} parameters"
        felt = f"not felt: {', '.join(self.unfelt) or 'none'}"
        gap = f"singular values: {self.kept:.1e} of the largest is kept, {self.dropped:.1e} dropped"
        return "\n".join([head, *lines, felt, gap])


def _term(coefficient: float, name: str) -> str:
    size = f"{abs(coefficient):.6g}"
    return f" {'-' if coefficient < 0 else '+'} {'' if size == '1' else size + ' '}{name}"


def base_parameters(
    robot: Robot,
    *,
    gravity: ArrayLike | None = None,
    rotors: bool = True,
    friction: bool = False,
    tolerance: float = TOLERANCE,
) -> BaseParameters:
    """Combinations of the parameters that the torques of a robot can tell apart, how many there are, and which.

    The columns of the regressor at random states (always the same), brought to length 1, are taken one by one from the
    base to the tips; one that is no combination of those before it is kept (Gautier 1991, by orthogonal
    decomposition). The singular values must have a clear gap after as many.

    Parameters
    ----------
    robot : the robot. Its joints count, and not the masses of its bodies.
    gravity : (3,) acceleration of free fall in base axes, m/s^2; that of the robot if None. Its direction matters:
        about a vertical first axis a first moment is never felt.
    rotors, friction : whether the parameters of the drives are among them, as for `regressor`.
    tolerance : parts of columns that are smaller than this are taken for nothing. Smaller tolerances than the rounding
        of the angles in a file find what a joint feels because its axis is not quite parallel to another.

    Returns
    -------
    BaseParameters

    Raises
    ------
    ArgumentError
        A bad argument; or the singular values have no clear gap at the tolerance.

    Examples
    --------
    >>> import rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> rne.base_parameters(arm, rotors=False).expressions
    ('mx_shoulder + m_elbow', 'my_shoulder', 'Izz_shoulder + m_elbow', 'mx_elbow', 'my_elbow', 'Izz_elbow')
    """
    check_robot(robot)
    limit = float(numbers("tolerance", tolerance, ()))
    if not 0 < limit < 1:
        raise ArgumentError(f"tolerance: wanted a number between 0 and 1, got {tolerance!r}")
    if gravity is not None:
        robot = robot.with_gravity(gravity)
    names = parameter_names(robot, rotors=rotors, friction=friction)
    rng, columns = np.random.default_rng(SEED), len(names)
    samples = max(60, -(-4 * columns // max(robot.n, 1)))
    # Some turns a second and slides of meters: weight, centrifugal and inertia forces are of one size.
    q, qd, qdd = rng.uniform(-1, 1, (3, samples, robot.n)) * np.array([np.pi, 2.0, 4.0])[:, None, None]
    Y = regressor(robot, q, qd, qdd, rotors=rotors, friction=friction)
    triangle = np.asarray(
        np.linalg.qr(Y.reshape(samples * robot.n, columns), mode="r")
    )  # as good as Y for all that follows
    scaled, length, short = _scaled(triangle, limit)
    independent = _independent(scaled, [i for i in _order(robot, columns) if length[i]], limit)
    singular = np.linalg.svd(scaled[:, length > 0], compute_uv=False)
    singular = np.append(singular, 0.0) / (singular[0] if singular.size else 1.0)
    count = len(independent)
    kept, dropped = (singular[count - 1] if count else 1.0), max(singular[count], short)
    if dropped > CLEAR * kept:
        what = f"a part of {kept:.1e} would be kept, one of {dropped:.1e} dropped"
        raise ArgumentError(f"tolerance: at {limit:g} it is not clear what the torques depend on ({what}); try another")
    K = np.zeros((count, columns))
    others = np.flatnonzero(length)
    K[:, others] = _combinations(scaled, independent, others)
    K[:, others] *= length[others] / length[independent][:, None]
    K[:, independent] = np.eye(count)
    for array in (independent, K):
        array.flags.writeable = False
    return BaseParameters(robot, names, independent, K, float(kept), float(dropped), bool(rotors), bool(friction))


def _order(robot: Robot, columns: int) -> list[int]:
    bodies = len(OF_BODY) * len(robot.links.joints)
    return [first + k for first in range(0, bodies, len(OF_BODY)) for k in _PREFERENCE] + list(range(bodies, columns))


def _scaled(R: Array, limit: float) -> tuple[Array, Array, float]:
    """Columns of length 1, or zero if nearly zero; the lengths they had, and the largest of those of the latter."""
    length = np.linalg.norm(R, axis=0)
    part = length / length.max(initial=np.finfo(float).tiny)
    felt = part > limit
    length = np.where(felt, length, 0.0)
    return np.where(felt, R / np.where(felt, length, 1.0), 0.0), length, float(part[~felt].max(initial=0.0))


def _independent(scaled: Array, order: list[int], limit: float) -> NDArray[np.intp]:
    """Return, sorted, the columns that are no combination of those before them in the order."""
    basis, found = np.empty_like(scaled, order="F"), list[int]()
    for i in order:
        rest, before = scaled[:, i], basis[:, : len(found)]
        for _ in range(2):  # once leaves too much rounding
            rest = rest - before @ (before.T @ rest)
        size = np.linalg.norm(rest)
        if size > limit:
            basis[:, len(found)] = rest / size
            found.append(i)
    return np.array(sorted(found), np.intp)


def _combinations(scaled: Array, independent: NDArray[np.intp], others: NDArray[np.intp]) -> Array:
    """Return X with scaled[:, others] = scaled[:, independent] X, without its rounding."""
    X = np.linalg.lstsq(scaled[:, independent], scaled[:, others], rcond=None)[0]
    return np.where(np.abs(X) < NOISE, 0.0, X)
