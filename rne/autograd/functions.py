"""The functions of `rne.torch` and `rne.jax`, written once for the arrays of any library that differentiates."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from rne.autograd.models import Model, columns_of
from rne.autograd.operations import Accelerations, Native, Operation, Poses, PotentialEnergy, Torques
from rne.batch.arguments import as_shape, check_robot
from rne.check import check_flag, numbers
from rne.dynamics.kinematics import frames_named
from rne.errors import ArgumentError
from rne.model.robot import Robot


class Library(Protocol):
    """What a library that differentiates has to offer."""

    def arrays(self, values: Mapping[str, Any]) -> dict[str, Native]:
        """Convert to arrays of the library, all of one precision, float32 or float64."""

    def broadcast(self, array: Native, shape: tuple[int, ...]) -> Native:
        """Repeat an array along axes."""

    def call(self, operation: Operation, *arrays: Native) -> Native:
        """Call an operation, so that its result can be differentiated."""


def inverse_dynamics(
    library: Library,
    robot: Robot,
    q: Native,
    qd: Native | None = None,
    qdd: Native | None = None,
    *,
    parameters: Native | None = None,
    gravity: ArrayLike | None = None,
    friction: bool = False,
) -> Native:
    """Torques of a motion.

    Parameters
    ----------
    robot : the robot.
    q, qd, qdd : (..., n) positions, velocities and accelerations; the last two are zero if None.
    parameters : (..., P) parameters of bodies and drives as `rne.parameters` returns them; those of the robot if None.
        Leading axes broadcast against those of q. They need not be physical.
    gravity : (3,) acceleration of free fall in base axes, m/s^2, a constant; that of the robot if None.
    friction : whether to include friction. Coulomb friction has no derivative by the velocity, at rest, too.

    Returns
    -------
    tau : (..., n) N m or N.
    """
    model = _model(robot, gravity, friction)
    state, pi = _settled(library, robot, {"q": q, "qd": qd, "qdd": qdd}, parameters)
    return library.call(Torques(model), *state, *pi)


def forward_dynamics(
    library: Library,
    robot: Robot,
    q: Native,
    qd: Native | None = None,
    tau: Native | None = None,
    *,
    parameters: Native | None = None,
    gravity: ArrayLike | None = None,
    friction: bool = False,
) -> Native:
    """Accelerations that torques cause.

    Parameters
    ----------
    robot : the robot.
    q, qd, tau : (..., n) positions, velocities and torques; the last two are zero if None.
    parameters, gravity, friction : as for `inverse_dynamics`.

    Returns
    -------
    qdd : (..., n) rad/s^2 or m/s^2.

    Raises
    ------
    SingularError
        The mass matrix is singular.
    """
    model = _model(robot, gravity, friction)
    state, pi = _settled(library, robot, {"q": q, "qd": qd, "tau": tau}, parameters)
    return library.call(Accelerations(model), *state, *pi)


def mass_matrix_product(
    library: Library, robot: Robot, q: Native, v: Native, *, parameters: Native | None = None
) -> Native:
    """Mass matrix times a vector, in O(n).

    Parameters
    ----------
    robot : the robot.
    q : (..., n) positions.
    v : (..., n) the vector, such as velocities, for momenta, or accelerations.
    parameters : as for `inverse_dynamics`.

    Returns
    -------
    p : (..., n) M(q) v.
    """
    model = _model(robot, None, False)
    if v is None:
        raise ArgumentError("v: wanted an array, got None")
    (q, v), pi = _settled(library, robot, {"q": q, "v": v}, parameters)
    return library.call(Torques(model.inertial), q, q * 0, v, *pi)


def kinetic_energy(
    library: Library, robot: Robot, q: Native, qd: Native, *, parameters: Native | None = None
) -> Native:
    """Kinetic energy, with that of the rotors.

    Parameters
    ----------
    robot : the robot.
    q, qd : (..., n) positions and velocities.
    parameters : as for `inverse_dynamics`.

    Returns
    -------
    K : (...) J.
    """
    check_robot(robot)
    if qd is None:
        raise ArgumentError("qd: wanted an array, got None")
    (q, qd), pi = _settled(library, robot, {"q": q, "qd": qd}, parameters)
    momentum = library.call(Torques(Model(robot).inertial), q, q * 0, qd, *pi)
    return (qd * momentum).sum(-1) / 2


def potential_energy(
    library: Library,
    robot: Robot,
    q: Native,
    *,
    parameters: Native | None = None,
    gravity: ArrayLike | None = None,
) -> Native:
    """Potential energy of gravity and springs.

    Parameters
    ----------
    robot : the robot.
    q : (..., n) positions.
    parameters, gravity : as for `inverse_dynamics`.

    Returns
    -------
    P : (...) J.
    """
    model = _model(robot, gravity, False)
    state, pi = _settled(library, robot, {"q": q}, parameters)
    return library.call(PotentialEnergy(model), *state, *pi)[..., 0]


def forward_kinematics(library: Library, robot: Robot, q: Native, frames: str | Sequence[str] | None = None) -> Any:
    """Poses of frames, as homogeneous matrices in the frame of the base.

    Parameters
    ----------
    robot : the robot.
    q : (..., n) positions.
    frames : name of one frame, or several; all of `robot.frame_names` if None.

    Returns
    -------
    T : (..., 4, 4) for one name; a dict of them by name for several.
    """
    check_robot(robot)
    distinct = tuple(dict.fromkeys(frames_named(robot, frames)))
    (q,), _ = _settled(library, robot, {"q": q}, None)
    shape = tuple(q.shape[:-1])
    poses = library.call(Poses(Model(robot), distinct), q).reshape((*shape, len(distinct), 4, 4))
    return (
        poses[..., 0, :, :]
        if isinstance(frames, str)
        else {name: poses[..., k, :, :] for k, name in enumerate(distinct)}
    )


FUNCTIONS: tuple[Callable[..., Any], ...] = (
    forward_dynamics,
    forward_kinematics,
    inverse_dynamics,
    kinetic_energy,
    mass_matrix_product,
    potential_energy,
)


def bound(function: Callable[..., Any], library: Library, module: str) -> Callable[..., Any]:
    """Return a function of a library, with a signature that does not show it."""

    def call(*args: Any, **options: Any) -> Any:
        return function(library, *args, **options)

    own = inspect.signature(function)
    call.__signature__ = own.replace(parameters=list(own.parameters.values())[1:], return_annotation=Any)  # type: ignore[attr-defined]
    call.__name__ = call.__qualname__ = function.__name__
    call.__module__, call.__doc__ = module, function.__doc__
    return call


def _model(robot: Robot, gravity: ArrayLike | None, friction: bool) -> Model:
    check_robot(robot)
    check_flag("friction", friction)
    given = None if gravity is None else tuple(numbers("gravity", gravity, (3,)).tolist())
    return Model(robot, given, bool(friction))


def _settled(
    library: Library, robot: Robot, state: Mapping[str, Native | None], parameters: Native | None
) -> tuple[list[Native], list[Native]]:
    """Return the state, one array after the other, with the same axes, and the parameters with as many axes."""
    first = next(iter(state))
    if state[first] is None:
        raise ArgumentError(f"{first}: wanted an array, got None")
    known = {name: value for name, value in {**state, "parameters": parameters}.items() if value is not None}
    arrays = library.arrays(known)
    pi = arrays.pop("parameters", None)
    lead = as_shape(robot, {name: tuple(x.shape) for name, x in arrays.items()})
    if pi is not None:
        if pi.ndim < 1:
            raise ArgumentError("parameters: wanted an array of shape (P,) or (..., P), got a number")
        columns_of(robot, pi.shape[-1])
        own = tuple(pi.shape[:-1])
        pi = pi.reshape((1,) * (len(lead) - len(own)) + tuple(pi.shape))
        lead = (1,) * (len(own) - len(lead)) + lead
        try:
            np.broadcast_shapes(lead, pi.shape[:-1])
        except ValueError:
            raise ArgumentError(
                f"leading axes do not broadcast against each other: {lead} of the state, parameters {own}"
            ) from None
    zero = arrays[first] * 0
    settled = [library.broadcast(arrays.get(name, zero), (*lead, robot.n)) for name in state]
    return settled, [] if pi is None else [pi]
