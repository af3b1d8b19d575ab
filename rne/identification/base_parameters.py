"""Base parameters: the combinations of the parameters of a robot that its joint torques determine.

Some parameters of a body have no effect on any joint torque, and others act only in combination with parameters of
other bodies (Gautier, Khalil 1990). Which ones depends on the kinematics alone, and is found here numerically from the
regressor at random states.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rne.batch.arguments import check_robot
from rne.check import numbers
from rne.dynamics.configuration import integrate, neutral
from rne.errors import ArgumentError
from rne.identification.regressor import parameter_names, parameters, regressor
from rne.model.parameters import OF_BODY
from rne.model.robot import Robot
from rne.tables import Part, Report, titled

Array = NDArray[np.float64]

TOLERANCE = 1e-5
"""Relative size below which a column, or its component orthogonal to the columns kept before it, counts as zero.

Angles in files are often rounded to six digits; deviations of this size from a right angle must not yield parameters.
"""
CLEAR = 0.1  # largest allowed ratio of the largest dropped to the smallest kept singular value
NOISE = 1e-9  # coefficients below this, for columns of length 1, are rounding
SEED = 20_260
# Earlier entries are kept in preference to later ones, which yields the combinations of Gautier and Khalil: for a link
# that rotates about its z axis, mx, my, Izz, Ixx and the products remain; mass, mz and Iyy move to the parent links.
_PREFERENCE = [OF_BODY.index(name) for name in ("mx", "my", "mz", "Izz", "Ixy", "Ixz", "Iyz", "Ixx", "Iyy", "m")]


@dataclass(frozen=True, eq=False, repr=False)
class BaseParameters(Report):
    """Base parameters beta = K pi of a robot, with Y pi = Y[:, independent] beta.

    Printing lists the combinations; `len` returns their number.

    Attributes
    ----------
    robot : the robot, with the gravity of the call.
    names : P names of the parameters pi, as returned by `rne.parameter_names`.
    independent : (b,) indices of the columns of the regressor that are kept: for each combination, the parameter with
        coefficient 1.
    K : (b, P) matrix of the combinations.
    kept, dropped : smallest singular value that is kept and largest that is dropped, relative to the largest, of the
        regressor at random states with columns scaled to length 1; the latter includes dropped, nearly zero columns.
    rotors, friction : whether pi includes these parameters.

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
        """The combinations as text, such as "Izz_shoulder + Izz_elbow + 0.16 m_elbow"."""
        return tuple(self._expression(k) for k in range(len(self)))

    @property
    def unfelt(self) -> tuple[str, ...]:
        """Names of the parameters that no torque depends on."""
        return tuple(name for name, column in zip(self.names, self.K.T, strict=True) if not column.any())

    def values(self, pi: ArrayLike | None = None) -> Array:
        """Base parameters beta = K pi, (b,), from parameters (P,); from those of the robot if None.

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
        """Regressor (..., n, b) of the base parameters; options as in `rne.regressor`."""
        Y = regressor(self.robot, q, qd, qdd, rotors=self.rotors, friction=self.friction, **options)
        return Y[..., self.independent]

    def _expression(self, k: int) -> str:
        first = self.independent[k]
        others = [i for i in np.flatnonzero(self.K[k]) if i != first]
        terms = [_term(self.K[k, i], self.names[i]) for i in (first, *others)]
        return "".join(terms).removeprefix(" + ")

    def _page(self) -> str:
        width = len(str(len(self)))
        lines = [f"{k:{width}}  {text}" for k, text in enumerate(self.expressions, start=1)]
        head, *tail = self._about()
        return "\n".join([head, *lines, *tail])

    def _parts(self) -> list[Part]:
        head, *tail = self._about()
        numbers = [str(k + 1) for k in range(len(self))]
        return [head, titled({"": numbers, "base parameter": self.expressions}, left=["base parameter"]), *tail]

    def _about(self) -> tuple[str, str, str]:
        head = f"{self.robot.name}: {len(self)} base parameters of {len(self.names)} parameters"
        felt = f"without effect: {', '.join(self.unfelt) or 'none'}"
        gap = f"relative singular values: smallest kept {self.kept:.1e}, largest dropped {self.dropped:.1e}"
        return head, felt, gap


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
    """Base parameters: the independent combinations of parameters that determine the torques of a robot.

    The columns of the regressor at random states (the same in every call) are scaled to length 1 and examined from the
    base to the tips; a column that is not a linear combination of those before it is kept (Gautier 1991, by orthogonal
    decomposition). The singular values must show a clear gap after the number of columns kept.

    Parameters
    ----------
    robot : the robot. The result depends on its kinematics, not on its masses.
    gravity : (3,) acceleration of free fall in base axes, m/s^2; that of the robot if None. Its direction matters: with
        a vertical first axis, the first moments about it have no effect.
    rotors, friction : whether to include the parameters of the drives, as in `regressor`.
    tolerance : relative size below which a column, or its component orthogonal to the columns before it, counts as
        zero. With a tolerance below the rounding of the angles in a file, almost parallel axes count as not parallel.

    Returns
    -------
    BaseParameters

    Raises
    ------
    ArgumentError
        An argument has the wrong shape, type or value, or the singular values show no clear gap at the tolerance.

    Examples
    --------
    >>> import rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> rne.base_parameters(arm, rotors=False).expressions
    ('mx_shoulder + m_elbow', 'my_shoulder', 'Izz_shoulder + m_elbow', 'mx_elbow', 'my_elbow', 'Izz_elbow')
    """
    check_robot(robot, floating=True)
    limit = float(numbers("tolerance", tolerance, ()))
    if not 0 < limit < 1:
        raise ArgumentError(f"tolerance: wanted a number between 0 and 1, got {tolerance!r}")
    if gravity is not None:
        robot = robot.with_gravity(gravity)
    names = parameter_names(robot, rotors=rotors, friction=friction)
    rng, columns = np.random.default_rng(SEED), len(names)
    samples = max(60, -(-4 * columns // max(robot.n, 1)))
    # Speeds of rad/s and m/s: gravity, centrifugal and inertial forces are of similar magnitude.
    q, qd, qdd = rng.uniform(-1, 1, (3, samples, robot.n)) * np.array([np.pi, 2.0, 4.0])[:, None, None]
    if robot.floating:
        q = integrate(robot, neutral(robot), q)
    Y = regressor(robot, q, qd, qdd, rotors=rotors, friction=friction)
    triangle = np.asarray(
        np.linalg.qr(Y.reshape(samples * robot.n, columns), mode="r")
    )  # has the same column norms and dependencies as Y
    scaled, length, short = _scaled(triangle, limit)
    independent = _independent(scaled, [i for i in _order(robot, columns) if length[i]], limit)
    singular = np.linalg.svd(scaled[:, length > 0], compute_uv=False)
    singular = np.append(singular, 0.0) / (singular[0] if singular.size else 1.0)
    count = len(independent)
    kept, dropped = (singular[count - 1] if count else 1.0), max(singular[count], short)
    if dropped > CLEAR * kept:
        what = f"smallest kept {kept:.1e}, largest dropped {dropped:.1e}"
        raise ArgumentError(f"tolerance: at {limit:g} the singular values show no clear gap ({what}); try another one")
    K = np.zeros((count, columns))
    others = np.flatnonzero(length)
    K[:, others] = _combinations(scaled, independent, others)
    K[:, others] *= length[others] / length[independent][:, None]
    K[:, independent] = np.eye(count)
    for array in (independent, K):
        array.flags.writeable = False
    return BaseParameters(robot, names, independent, K, float(kept), float(dropped), bool(rotors), bool(friction))


def _order(robot: Robot, columns: int) -> list[int]:
    """Return columns in the order of preference: bodies, drives of coordinates, drives of mimic joints.

    So friction of a mimic joint goes to the terms of the joint that leads it, whatever the sign of its ratio.
    """
    joints = robot.links.joints
    bodies = len(OF_BODY) * (robot.floating + len(joints))
    follows = [joint not in robot.joint_names for joint in joints]
    drives = sorted(range(bodies, columns), key=lambda k: follows[(k - bodies) % len(joints)])
    return [first + k for first in range(0, bodies, len(OF_BODY)) for k in _PREFERENCE] + drives


def _scaled(R: Array, limit: float) -> tuple[Array, Array, float]:
    """Scale columns to length 1, nearly zero ones to zero; return their lengths and the largest of the latter."""
    length = np.linalg.norm(R, axis=0)
    part = length / length.max(initial=np.finfo(float).tiny)
    felt = part > limit
    length = np.where(felt, length, 0.0)
    return np.where(felt, R / np.where(felt, length, 1.0), 0.0), length, float(part[~felt].max(initial=0.0))


def _independent(scaled: Array, order: list[int], limit: float) -> NDArray[np.intp]:
    """Return, sorted, the columns that are not linear combinations of those before them in `order`."""
    basis, found = np.empty_like(scaled, order="F"), list[int]()
    for i in order:
        rest, before = scaled[:, i], basis[:, : len(found)]
        for _ in range(2):  # one pass leaves too much rounding error
            rest = rest - before @ (before.T @ rest)
        size = np.linalg.norm(rest)
        if size > limit:
            basis[:, len(found)] = rest / size
            found.append(i)
    return np.array(sorted(found), np.intp)


def _combinations(scaled: Array, independent: NDArray[np.intp], others: NDArray[np.intp]) -> Array:
    """Return X with scaled[:, others] = scaled[:, independent] X, entries at rounding level set to zero."""
    X = np.linalg.lstsq(scaled[:, independent], scaled[:, others], rcond=None)[0]
    return np.where(np.abs(X) < NOISE, 0.0, X)
