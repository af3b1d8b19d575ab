"""The center of mass of a robot, its velocity and Jacobian."""

from __future__ import annotations

from numpy.typing import ArrayLike

from rne.batch.arguments import Floats, as_result, as_table, check_robot, finish, settle
from rne.batch.quick import UNFIT, Algorithm, alone, quick
from rne.batch.threads import launch
from rne.errors import ArgumentError
from rne.kernels.center_of_mass import JACOBIAN, POSITION, VELOCITY
from rne.kernels.entries import CENTER_OF_MASS, CENTER_OF_MASS_ONE
from rne.model.robot import Robot

_CENTER_OF_MASS = Algorithm(CENTER_OF_MASS_ONE, CENTER_OF_MASS, states=2, floating=True)
_one = CENTER_OF_MASS_ONE["float64"]


def center_of_mass(robot: Robot, q: ArrayLike, *, out: Floats | None = None, threads: int | None = None) -> Floats:
    """Center of mass of the whole robot, whose mass is `robot.total_mass`.

    The base and everything fixed to it are included; Pinocchio excludes them.

    Parameters
    ----------
    robot : the robot.
    q : (..., n) positions, rad or m.
    out, threads : as for `inverse_dynamics`, which lists the errors.

    Returns
    -------
    c : (..., 3) in base axes from the origin of the base, or in those of the world from its origin if the base floats,
        m.

    Raises
    ------
    ArgumentError
        An argument has the wrong shape, type or value, or the robot has no mass.

    Examples
    --------
    >>> import rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> rne.center_of_mass(arm, [0.0, 0.0])
    array([1., 0., 0.])
    """
    return _center_of_mass(robot, q, None, out, threads, POSITION)


def center_of_mass_velocity(
    robot: Robot, q: ArrayLike, qd: ArrayLike, *, out: Floats | None = None, threads: int | None = None
) -> Floats:
    """Velocity of the center of mass of the whole robot; times `robot.total_mass` it is the linear momentum.

    Parameters
    ----------
    robot : the robot.
    q, qd : (..., n) positions and velocities.
    out, threads : as for `inverse_dynamics`, which lists the errors.

    Returns
    -------
    v : (..., 3) in base axes, or those of the world if the base floats, m/s.

    Examples
    --------
    >>> import rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> rne.center_of_mass_velocity(arm, [0.0, 0.0], [1.0, 0.0])
    array([0., 1., 0.])
    """
    return _center_of_mass(robot, q, qd, out, threads, VELOCITY)


def center_of_mass_jacobian(
    robot: Robot, q: ArrayLike, *, out: Floats | None = None, threads: int | None = None
) -> Floats:
    """Jacobian of the center of mass: J qd is its velocity; minus J^T m g is the gravity vector.

    Parameters
    ----------
    robot : the robot.
    q : (..., n) positions, rad or m.
    out, threads : as for `inverse_dynamics`, which lists the errors.

    Returns
    -------
    J : (..., 3, n) in base axes, or those of the world if the base floats, m per rad or m per m.

    Examples
    --------
    >>> import rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> rne.center_of_mass_jacobian(arm, [0.0, 0.0])[1]
    array([1.  , 0.25])
    """
    return _center_of_mass(robot, q, None, out, threads, JACOBIAN)


def _center_of_mass(
    robot: Robot, q: ArrayLike, qd: ArrayLike | None, out: Floats | None, threads: int | None, what: int
) -> Floats:
    try:
        c: Floats | None = None
        if threads is None or alone(threads):
            c = _one.call(robot._card, q, qd, out, what)
        if c is None:
            tail = (3, robot.n) if what == JACOBIAN else (3,)
            c = quick(_CENTER_OF_MASS, robot, (q, qd), tail, out, threads, flags=(what,))
        if c is not None and c.size and c.item(0) == c.item(0):  # NaN may be due to a robot without mass
            return c
    except UNFIT:
        pass
    check_robot(robot, floating=True)
    if robot.total_mass == 0:
        raise ArgumentError(f"robot: {robot.name} has no mass, and so no center of mass")
    batch = settle(robot, {"q": q, "qd": qd}, floating=True)
    result = as_result(out, (*batch.shape, 3, robot.n) if what == JACOBIAN else (*batch.shape, 3), batch)
    table = as_table(robot, batch.dtype)
    launch(CENTER_OF_MASS[batch.dtype], robot, batch, ("q", "qd"), result, threads, table, what)
    return finish(result, out)
