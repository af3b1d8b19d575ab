"""Algorithms of the kernels run on other numbers: table, state, scratch and results as the kernels want them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rne.codegen.twins import Twins
from rne.kernels import layout as at

Array = NDArray[Any]

_ANGLES = slice(at.COS_TURN, at.SIN_TURN + 1), slice(at.COS_ALPHA, at.SIN_OFFSET + 1)
_LIKE = (
    slice(at.PX, at.PZ + 1),
    slice(at.HX, at.HY + 1),
    slice(at.XX, at.YZ + 1),
    slice(at.FULL_HX, at.FULL_HZ + 1),
    slice(at.FULL_XX, at.FULL_YZ + 1),
)
_ROUNDING = 1e-15


def cleaned(table: Array) -> Array:
    """Return a table of floats without what rounding alone left in it, such as the cosine of a quarter turn.

    Of an angle the sine and cosine, beside one; of lengths and moments what is 1e-15 of the largest in the robot.
    """
    table = np.array(table, np.float64)
    rows = table[1 : 1 + int(table[0, at.LINKS])]
    for columns in _ANGLES:
        rows[:, columns] = near_whole(rows[:, columns])
    for columns in _LIKE:
        block = rows[:, columns]
        block[np.abs(block) < _ROUNDING * np.abs(block).max(initial=0.0)] = 0.0
    return table


def near_whole(values: Array) -> Array:
    """Return floats with 0, 1 and -1 for what is as good as one of them."""
    values = np.array(values, np.float64)
    values[np.abs(values) < _ROUNDING] = 0.0
    near = np.abs(np.abs(values) - 1.0) < _ROUNDING
    values[near] = np.sign(values[near])
    return values


def beside(table: Array, numbers: Array, counts: Callable[[Any], bool]) -> Array:
    """Return a table of numbers of any kind whose other entries are those of a table of floats of the same robot.

    counts : tells whether an entry is such a number, and no constant.
    """
    return np.where(np.frompyfunc(counts, 1, 1)(table).astype(bool), table, numbers.astype(object))


def exact_table(table: Array, number: Callable[[Any], Any]) -> Array:
    """Return a table whose entries that are calculated with are numbers of another kind; structure stays in floats."""
    exact = np.array(table, object)
    exact[0, at.GRAVITY : at.GRAVITY + 3] = [number(x) for x in table[0, at.GRAVITY : at.GRAVITY + 3]]
    for row in exact[1:]:
        for column in (*range(at.COS_TURN, at.HAS_TURN), *range(at.PX, at.LEADER), at.BOUND):
            row[column] = number(row[column])
    links = int(table[0, at.LINKS])
    for row, given in zip(exact[links + 1 :], table[links + 1 :], strict=True):
        row[[at.FIRST, at.SECOND]] = given[[at.FIRST, at.SECOND]]
    return exact


class Table:
    """A table as kernels index it, of Python numbers: comparing and calculating with those of numpy takes longer."""

    def __init__(self, rows: Array) -> None:
        self._rows = rows.tolist()
        self.shape = rows.shape

    def __getitem__(self, key: tuple[int, int]) -> Any:
        return self._rows[key[0]][key[1]]


class Inputs(NamedTuple):
    """What a state is made of, a number for each joint (not coordinate): positions with sine and cosine, rates, rest.

    Attributes
    ----------
    q, qd, qdd : numbers (joints,); torques stand in `qdd` for forward dynamics.
    sin, cos : of the positions.
    """

    q: Sequence[Any]
    qd: Sequence[Any]
    qdd: Sequence[Any]
    sin: Sequence[Any]
    cos: Sequence[Any]


class Tracer:
    """The kernels over one table and one kind of number.

    Parameters
    ----------
    twins : the kernels over these numbers.
    table : (1 + links + couplings, WIDTH), floats or such numbers.
    zero : the number zero.
    of_joints : whether torques are to be those of the joints, and not of the coordinates.
    """

    def __init__(self, twins: Twins, table: Array, zero: Any, *, of_joints: bool = False) -> None:
        self._twins = twins
        self._table = Table(table)
        self._zero = zero
        self._of_joints = of_joints
        self.links = int(self._table[0, at.LINKS])
        self.coordinates = int(self._table[0, at.COORDINATES])
        self.follows = bool(self._table[0, at.MIMIC])

    def _zeros(self, *shape: int) -> Array:
        zeros = np.empty(shape, object)
        zeros[...] = self._zero
        return zeros

    def _work(self, columns: int) -> Array:
        return self._zeros(self.links + 1, columns)

    def _constant(self, module: str, name: str) -> int:
        return int(self._twins.constant(module, name))

    def expanded(self, x: Sequence[Any], *, positions: bool) -> list[Any]:
        """Return the numbers of the joints from those of the coordinates."""
        if not self.follows:
            return list(x)
        joints = [self._zero] * self.links
        self._twins("coordinates", "expand")(self._table, x, joints, 1.0 if positions else 0.0)
        return joints

    def _state(self, inputs: Inputs) -> Array:
        state = self._zeros(at.STATE, max(self.links, 1))
        for k, row in zip((at.Q, at.QD, at.QDD, at.SIN_Q, at.COS_Q), inputs, strict=True):
            state[k, : self.links] = row
        return state

    def _stored(self, state: Array) -> list[Any]:
        joints = list(state[at.TAU, : self.links])
        if self._of_joints or not self.follows:
            return joints
        tau = [self._zero] * self.coordinates
        self._twins("coordinates", "reduce")(self._table, joints, tau)
        return tau

    def inverse_dynamics(self, inputs: Inputs, *, friction: bool = False, springs: bool = True) -> list[Any]:
        """Return the torques (n,) of a motion."""
        state = self._state(inputs)
        run = self._twins("inverse_dynamics", "recursion")
        loads = _loads(friction) if springs else 0
        run(self._table, state, self._work(self._constant("inverse_dynamics", "WORK")), loads)
        return self._stored(state)

    def gravity_vector(self, inputs: Inputs) -> list[Any]:
        """Return the torques (n,) that hold the robot still."""
        state = self._state(inputs)
        run = self._twins("gravity", "recursion")
        run(self._table, state, self._work(self._constant("gravity", "WORK")))
        return self._stored(state)

    def mass_matrix(self, inputs: Inputs, *, rotors: bool = True) -> Array:
        """Return the mass matrix (n, n)."""
        state, mass = self._state(inputs), self._zeros(self.coordinates, self.coordinates)
        work = self._work(self._constant("mass_matrix", "WORK"))
        self._twins("mass_matrix", "turns")(self._table, state, work)
        self._twins("mass_matrix", "recursion")(self._table, state, work, mass, at.WITH_ROTORS if rotors else 0)
        return mass

    def forward_dynamics(self, inputs: Inputs, tau: Sequence[Any], *, friction: bool = False) -> tuple[list[Any], Any]:
        """Return accelerations (n,), and of what the number is that tells whether the mass matrix is singular.

        tau : (n,), of the coordinates.
        """
        n = self.coordinates
        if not self.follows:
            state = self._state(inputs._replace(qdd=tau))
            work = self._work(self._constant("forward_dynamics", "WORK"))
            suspect = self._twins("forward_dynamics", "articulated")(
                self._table, state, work, self._zeros(6, 6), self._zeros(2, 6), _loads(friction)
            )
            return list(state[at.TAU, :n]), suspect
        state, mass, x = self._state(inputs), self._zeros(n, n), self._zeros(2, n)
        x[0] = tau
        work = self._work(self._constant("mass_matrix", "WORK"))
        suspect = self._twins("forward_dynamics", "by_matrix")(self._table, state, work, mass, x, _loads(friction))
        return list(x[0]), suspect

    def coriolis_matrix(self, inputs: Inputs) -> Array:
        """Return the Coriolis matrix (n, n)."""
        state, C = self._state(inputs), self._zeros(self.coordinates, self.coordinates)
        work = self._work(self._constant("coriolis_matrix", "WORK"))
        self._twins("coriolis_matrix", "recursion")(self._table, state, work, C)
        return C

    def forward_kinematics(self, inputs: Inputs, site: Array) -> Array:
        """Return the pose (4, 4) of a site, as `rne.model.frames` describes it."""
        out = self._zeros(1, 16)
        work = self._work(self._constant("placement", "PLACEMENT"))
        self._twins("poses", "recursion")(self._table, Table(site), self._state(inputs), work, out)
        return out.reshape(4, 4)

    def jacobian(self, inputs: Inputs, site: Array) -> Array:
        """Return the Jacobian (6, n) of a site."""
        out = self._zeros(1, 6 * self.coordinates)
        work = self._work(self._constant("placement", "PLACEMENT"))
        self._twins("jacobian", "recursion")(self._table, Table(site), self._state(inputs), work, out)
        return out.reshape(6, self.coordinates)

    def regressor(self, inputs: Inputs, joints: Array, *, rotors: bool = True, friction: bool = False) -> Array:
        """Return the regressor (n, P) about the frames of the joints, of which `joints` is the table of sites."""
        columns = self._twins("regressor", "columns_of")(self._table, rotors, friction)
        out = self._zeros(1, self.coordinates * columns)
        work = self._work(self._constant("velocities", "MOTION"))
        run = self._twins("regressor", "recursion")
        run(self._table, Table(joints), self._state(inputs), work, out, rotors, friction)
        return out.reshape(self.coordinates, columns)

    def christoffel(self, inputs: Inputs) -> Array:
        """Return the Christoffel symbols (n, n, n)."""
        D = self._zeros(*(self.coordinates,) * 3)
        work = self._work(self._constant("christoffel", "WORK"))
        self._twins("christoffel", "recursion")(self._table, self._state(inputs), work, D)
        return D

    def inverse_dynamics_derivatives(self, inputs: Inputs, *, friction: bool = False) -> Array:
        """Return the derivatives (3, n, n) of the torques by q, qd and qdd."""
        n = self.coordinates
        D, work = self._zeros(3 * n, n), self._work(self._constant("derivatives", "WORK"))
        self._twins("derivatives", "recursion")(self._table, self._state(inputs), work, D, _loads(friction))
        return D.reshape(3, n, n)

    def forward_dynamics_derivatives(
        self, inputs: Inputs, tau: Sequence[Any], *, friction: bool = False
    ) -> tuple[Array, Any]:
        """Return the derivatives (3, n, n) of accelerations by q, qd and tau, and what `forward_dynamics` does besides.

        tau : (n,), of the coordinates.
        """
        n = self.coordinates
        D, mass, x, pattern = self._zeros(3 * n, n), self._zeros(n, n), self._zeros(2, n), np.zeros((2 * n, n + 1))
        x[0] = tau
        self._twins("sparsity", "fill_pattern")(self._table, pattern)
        run, work = self._twins("forward_derivatives", "recursion"), self._work(self._constant("derivatives", "WORK"))
        suspect = run(self._table, self._state(inputs), work, (mass, x, pattern), D, _loads(friction))
        return D.reshape(3, n, n), suspect

    def inverse_dynamics_vjp(self, inputs: Inputs, weights: Sequence[Any], *, friction: bool = False) -> Array:
        """Return the gradient (3, n) of weighted torques by q, qd and qdd.

        weights : (n,), of the coordinates.
        """
        state, out = self._state(inputs), self._zeros(1, 3 * self.coordinates)
        state[at.TAU, : self.links] = self.expanded(weights, positions=False)
        work = self._work(self._constant("derivative_product", "WORK"))
        self._twins("derivative_product", "recursion")(self._table, state, work, out, _loads(friction))
        return out.reshape(3, self.coordinates)

    def gravity_derivative(self, inputs: Inputs) -> Array:
        """Return the derivative (n, n) of the gravity vector by q."""
        G = self._zeros(self.coordinates, self.coordinates)
        work = self._work(self._constant("gravity_derivative", "WORK"))
        self._twins("gravity_derivative", "recursion")(self._table, self._state(inputs), work, G)
        return G


def _loads(friction: bool) -> int:
    return at.SPRINGS | at.FRICTION if friction else at.SPRINGS
