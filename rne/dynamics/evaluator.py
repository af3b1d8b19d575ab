"""Dynamics with preallocated arrays for control loops: the only class with mutable state."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rne.batch.arguments import as_frame, as_loads, as_table, check_robot
from rne.dynamics.derivatives import AccelerationDerivatives, TorqueDerivatives
from rne.errors import ArgumentError, SingularError, UnknownNameError, listed
from rne.kernels.entries import EVALUATE
from rne.kernels.evaluate import (
    ACCELERATIONS,
    BIAS,
    JACOBIAN,
    LOADS,
    MASS,
    QD,
    QDD,
    SITE,
    TABLE,
    TAU,
    TORQUES,
    WORDS,
    ZEROS,
    G,
    Q,
)  # fmt: skip
from rne.model.floating import NEUTRAL
from rne.model.robot import Robot

Array = NDArray[np.float64]

_METHODS = tuple(EVALUATE)
_inverse_dynamics, _forward_dynamics, _gravity_vector, _bias_vector, _mass_matrix, _jacobian, *_more = (
    EVALUATE[name] for name in _METHODS
)
_torque_derivatives, _acceleration_derivatives = _more


class Address(NamedTuple):
    """Addresses of compiled code and state of an evaluator, for callers in other languages.

    Parameters
    ----------
    function : address of an ``int64_t f(int64_t state)``.
    state : its argument.

    Examples
    --------
    >>> import rne
    >>> function, state = rne.Evaluator(rne.load("models/planar2/robot.dh.toml")).address
    """

    function: int
    state: int


class Evaluator:
    """Dynamics of one robot for a control loop: preallocated arrays, no allocation and no checks in a call.

    Write the state into its arrays and call a method. Each method fills and returns the same array of the evaluator,
    so a result is valid until the method is called again; copy it to keep it. Several evaluators of a robot are
    independent; each may be used by one thread at a time.

    Parameters
    ----------
    robot : the robot.
    gravity : (3,) acceleration of free fall in base axes, in world axes if the base floats, m/s^2; that of the robot if
        None.
    friction : whether inverse and forward dynamics include joint friction.

    Attributes
    ----------
    robot : Robot
        The robot.
    q, qd, qdd, tau : ndarray
        (n,) positions, velocities, accelerations and torques, zero at first; (nq,) positions of a robot whose base
        floats, which begin with the pose ``0 0 0, 0 0 0 1``. Write into them: ``evaluator.q[:] = q``.

    Raises
    ------
    ArgumentError
        An argument has the wrong type or value; later, an attempt to replace an array.

    Examples
    --------
    >>> import rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> evaluator = rne.Evaluator(arm)
    >>> evaluator.q[:] = 0.1, 0.5
    >>> evaluator.qd[:] = 1.0, 0.0
    >>> tau = evaluator.inverse_dynamics()
    >>> bool((tau == rne.inverse_dynamics(arm, [0.1, 0.5], [1.0, 0.0])).all()), tau is evaluator.tau
    (True, True)
    """

    __slots__ = (
        "_accelerations", "_arrays", "_bias", "_given", "_gravity", "_jacobians", "_mass", "_state", "_torques",
        "_words", "q", "qd", "qdd", "robot", "tau",
    )  # fmt: skip

    robot: Robot
    q: Array
    qd: Array
    qdd: Array
    tau: Array
    _accelerations: AccelerationDerivatives
    _arrays: dict[str, Array | NDArray[np.int64]]
    _given: tuple[ArrayLike | None, bool]
    _gravity: Array
    _bias: Array
    _mass: Array
    _jacobians: dict[str, tuple[Array, int]]
    _state: int
    _torques: TorqueDerivatives
    _words: NDArray[np.int64]

    def __init__(self, robot: Robot, *, gravity: ArrayLike | None = None, friction: bool = False) -> None:
        check_robot(robot, floating=True)
        loads, table = as_loads(friction), as_table(robot, "float64", gravity)
        n = robot.n
        q, (qd, qdd, tau, g, bias, zeros) = np.zeros(robot.nq), np.zeros((6, n))
        if robot.floating:
            q[: len(NEUTRAL)] = NEUTRAL
        mass, torques, accelerations = np.zeros((n, n)), np.zeros((3, n, n)), np.zeros((3, n, n))
        words = np.zeros(WORDS, np.int64)
        places = {
            TABLE: table, Q: q, QD: qd, QDD: qdd, TAU: tau, G: g, BIAS: bias, MASS: mass, ZEROS: zeros,
            TORQUES: torques, ACCELERATIONS: accelerations,
        }  # fmt: skip
        for place, array in places.items():
            words[place] = array.ctypes.data
        words[LOADS] = loads
        values = {
            "robot": robot, "q": q, "qd": qd, "qdd": qdd, "tau": tau, "_words": words, "_state": words.ctypes.data,
            "_gravity": g, "_bias": bias, "_mass": mass, "_arrays": {"table": table, "zeros": zeros}, "_jacobians": {},
            "_given": (gravity, friction), "_torques": TorqueDerivatives(*torques),
            "_accelerations": AccelerationDerivatives(*accelerations),
        }  # fmt: skip
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: object) -> None:
        """Refuse to replace an array, which compiled code uses; ``evaluator.q += dq`` works in place."""
        if name not in self.__slots__ or value is not getattr(self, name):
            raise ArgumentError(f"{name}: an Evaluator keeps its arrays; write into them, evaluator.{name}[:] = ...")

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle and copy robot, options and the four arrays."""
        return _restored, (self.robot, *self._given, self.q, self.qd, self.qdd, self.tau)

    def __repr__(self) -> str:
        """Return a one-line summary."""
        return f"Evaluator of {self.robot}"

    def inverse_dynamics(self) -> Array:
        """Fill and return `tau` from q, qd and qdd, as `rne.inverse_dynamics` does."""
        _inverse_dynamics.call(self._state)
        return self.tau

    def forward_dynamics(self) -> Array:
        """Fill and return `qdd` from q, qd and tau, as `rne.forward_dynamics` does.

        Raises
        ------
        SingularError
            The mass matrix is singular.
        """
        if _forward_dynamics.call(self._state):
            raise SingularError("the mass matrix is singular; rne.forward_dynamics names the joint")
        return self.qdd

    def gravity_vector(self) -> Array:
        """Return the torques (n,) that hold the robot still at q, as `rne.gravity_vector` does."""
        _gravity_vector.call(self._state)
        return self._gravity

    def bias_vector(self) -> Array:
        """Return the torques (n,) of q and qd without acceleration, as `rne.bias_vector` does."""
        _bias_vector.call(self._state)
        return self._bias

    def mass_matrix(self) -> Array:
        """Return the mass matrix (n, n) at q, as `rne.mass_matrix` does."""
        _mass_matrix.call(self._state)
        return self._mass

    def inverse_dynamics_derivatives(self) -> TorqueDerivatives:
        """Return the derivatives of the torques of q, qd and qdd, as `rne.inverse_dynamics_derivatives` does."""
        _torque_derivatives.call(self._state)
        return self._torques

    def forward_dynamics_derivatives(self) -> AccelerationDerivatives:
        """Return the derivatives of the accelerations of q, qd and tau, as `rne.forward_dynamics_derivatives` does.

        Raises
        ------
        SingularError
            The mass matrix is singular.
        """
        if _acceleration_derivatives.call(self._state):
            raise SingularError("the mass matrix is singular; rne.forward_dynamics_derivatives names the joint")
        return self._accelerations

    def jacobian(self, frame: str) -> Array:
        """Return the Jacobian (6, n) of a frame at q, as `rne.jacobian` does with ``axes="world"``.

        The first call for a frame allocates its array.

        Raises
        ------
        UnknownNameError
            The robot does not have the frame.
        """
        try:
            J, words = self._jacobians[frame]
        except (KeyError, TypeError):
            J, words = self._make_jacobian(frame)
        _jacobian.call(words)
        return J

    def _make_jacobian(self, frame: str) -> tuple[Array, int]:
        site = as_frame(self.robot, frame).sites["world"]
        words, J = self._words.copy(), np.zeros((6, self.robot.n))
        words[SITE], words[JACOBIAN] = site.ctypes.data, J.ctypes.data
        self._arrays[f"words of {frame}"], self._arrays[f"site of {frame}"] = words, site
        self._jacobians[frame] = J, words.ctypes.data
        return self._jacobians[frame]

    @property
    def address(self) -> Address:
        """Addresses of compiled inverse dynamics and of its state; see `address_of`."""
        return self.address_of("inverse_dynamics")

    def address_of(self, method: str, frame: str | None = None) -> Address:
        """Return the addresses of the compiled code of a method and of the state of this evaluator.

        The function is ``int64_t f(int64_t state)``, needs no Python and no lock, and fills the same array as the
        method; it returns 1 if a mass matrix is singular and 0 otherwise. Keep the evaluator alive while it is used.

        Parameters
        ----------
        method : name of a method that calculates, such as "forward_dynamics" or "jacobian".
        frame : the frame of the Jacobian.

        Raises
        ------
        UnknownNameError, ArgumentError
            An unknown method or frame, or a frame for a method other than "jacobian".

        Examples
        --------
        >>> import ctypes, rne
        >>> evaluator = rne.Evaluator(rne.load("models/planar2/robot.dh.toml"))
        >>> function, state = evaluator.address_of("gravity_vector")
        >>> f = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(function)
        >>> f(state)
        0
        """
        if not isinstance(method, str) or method not in _METHODS:
            raise UnknownNameError(f"method: no method is named {method!r}; there are {listed(_METHODS)}")
        if (frame is not None) != (method == "jacobian"):
            wanted = "the name of a frame for 'jacobian'" if frame is None else f"None for {method!r}"
            raise ArgumentError(f"frame: wanted {wanted}, got {frame!r}")
        state = self._state
        if frame is not None:
            self.jacobian(frame)
            state = self._jacobians[frame][1]
        return Address(EVALUATE[method].address(), state)


def _restored(robot: Robot, gravity: Any, friction: bool, *state: Array) -> Evaluator:
    evaluator = Evaluator(robot, gravity=gravity, friction=friction)
    for array, numbers in zip((evaluator.q, evaluator.qd, evaluator.qdd, evaluator.tau), state, strict=True):
        array[:] = numbers
    return evaluator
