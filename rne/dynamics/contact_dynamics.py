"""Motion of a robot whose frames are held by rigid contacts: accelerations, and velocities after an impact."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rne.batch.arguments import Batch, Floats, as_table, settle
from rne.batch.threads import launch
from rne.check import check_choice, numbers
from rne.dynamics.contact_sets import (
    SLICE,
    Contacts,
    Pushed,
    as_contacts,
    nothing,
    shaped,
    times,
    widened,
    wrench_table,
)
from rne.dynamics.forward_dynamics import with_pushed_torques
from rne.dynamics.mass_matrix import sorted_out
from rne.dynamics.singular import SINGULAR
from rne.dynamics.stabilization import stabilized
from rne.errors import ArgumentError, shown
from rne.kernels.contact import IMPACT, PARTS
from rne.kernels.entries import CONTACT
from rne.model.robot import Robot
from rne.tables import Part, Report, cells, of_many, titled, worst

_SINGULAR = ("raise", "nan")
_INPUTS = ("q", "qd", "tau", "wanted")


@dataclass(frozen=True, eq=False, repr=False)
class ContactMotion(Pushed, Report):
    """Motion under rigid contacts, as `contact_forward_dynamics` returns it.

    Attributes
    ----------
    qdd : (..., n) accelerations, rad/s^2 or m/s^2.
    wrenches : (..., contacts, 6) [force; moment] on the robot at the origins of the frames in world axes, N and N m.
    remainder : (..., contacts, 6) acceleration of the held directions that no wrench removes, in the axes of the
        contacts: zero, unless contacts contradict each other.
    names : the frames.
    coordinate_names : those of the robot.

    Examples
    --------
    >>> import rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> rne.contact_forward_dynamics(arm, [0.0, 1.0], contacts={"link2": [1]}).names
    ('link2',)
    """

    qdd: Floats
    wrenches: Floats
    remainder: Floats
    names: tuple[str, ...]
    coordinate_names: tuple[str, ...]

    def _parts(self) -> list[Part]:
        qdd = {"coordinate": list(self.coordinate_names), "qdd": cells(worst(self.qdd))}
        return [*of_many(self.qdd.shape[:-1]), titled(qdd), "", wrench_table(self.names, self.wrenches)]


@dataclass(frozen=True, eq=False, repr=False)
class ContactImpulse(Report):
    """Velocities after a rigid impact, as `contact_impulse` returns them.

    Attributes
    ----------
    qd : (..., n) velocities after the impact, rad/s or m/s.
    impulses : (..., contacts, 6) time integrals of the wrenches on the robot, at the origins of the frames in world
        axes, N s and N m s.
    remainder : (..., contacts, 6) velocity of the held directions that no impulse removes, in the axes of the contacts.
    names : the frames.
    coordinate_names : those of the robot.

    Examples
    --------
    >>> import rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> rne.contact_impulse(arm, [0.0, 1.0], [1.0, 0.0], {"link2": [1]}).qd.round(3)
    array([ 0.33, -0.94])
    """

    qd: Floats
    impulses: Floats
    remainder: Floats
    names: tuple[str, ...]
    coordinate_names: tuple[str, ...]

    def _parts(self) -> list[Part]:
        qd = {"coordinate": list(self.coordinate_names), "qd": cells(worst(self.qd))}
        return [*of_many(self.qd.shape[:-1]), titled(qd), "", wrench_table(self.names, self.impulses)]


def contact_forward_dynamics(
    robot: Robot,
    q: ArrayLike,
    qd: ArrayLike | None = None,
    tau: ArrayLike | None = None,
    contacts: Mapping[str, Any] | Sequence[str] = (),
    *,
    gravity: ArrayLike | None = None,
    f_ext: Mapping[str, Any] | None = None,
    gains: ArrayLike = (0.0, 0.0),
    targets: Mapping[str, ArrayLike] | None = None,
    singular: str = "raise",
    threads: int | None = None,
) -> ContactMotion:
    """Accelerations and contact wrenches of a robot of which some frames are held still by rigid contacts.

    Solves M qdd + C qd + g + springs = tau + J^T w with J qdd + Jd qd = 0 for the rows J of the held directions: by
    Gauss's principle, the acceleration closest to that without contacts, in the metric M (Featherstone 2008, section
    8.3; Udwadia and Kalaba, Proc. Royal Society A 439, 1992). Contacts hold in both directions: a foot is not released
    when the ground would have to pull, and does not slip.

    Contacts that repeat each other have no unique wrenches; the smallest are returned (least sum of squares, N and
    N m). Contacts that contradict each other are met as closely as possible, and `remainder` shows what is left. The
    accelerations are unique in both cases. Proximal methods (Carpentier, Budhiraja and Mansard, RSS 2021) converge to
    the same. Directions count as repeated where singular values of J M^(-1/2) are below 1e-12 of the largest.

    Parameters
    ----------
    robot : the robot, on a fixed or a floating base.
    q : (..., nq) positions.
    qd, tau : (..., n) velocities and torques; zero if None. Leading axes broadcast against each other. Friction of the
        joints is left out: subtract `friction_torque` from `tau`.
    contacts : by frame name what is held: "point", the three translations; "surface", translations and rotations; or
        rows of the Jacobian, such as [2]. Directions are along world axes, or, given as a pair ``("point", "local")``,
        along the axes of the frame, with which they turn: a wheel with ``([1], "local")`` does not slip sideways.
        A list of names means point contacts. The velocity in held directions should be zero, and stays as it is.
    gravity, f_ext, threads : as for `inverse_dynamics`.
    gains : (kp, kd) in 1/s^2 and 1/s of Baumgarte's stabilization: the held directions accelerate by
        -kp e - kd v, with their deviation e from `targets` and velocity v. kd = 2 sqrt(kp) is critically damped.
    targets : by frame name (..., 4, 4) the pose where it is held, as `forward_kinematics` returned it, if kp is not
        zero. Of rotations, e is the sine of the angle times the axis (Luh, Walker, Paul 1980).
    singular : what to return where the mass matrix is singular: "raise" an error, or "nan".

    Returns
    -------
    motion : with fields `qdd` (..., n), `wrenches` and `remainder` (..., contacts, 6), and `names`; `motion.f_ext` has
        the wrenches by name. float32 if all arrays are float32, calculated in float64. NaN stays in its sample.

    Raises
    ------
    ArgumentError
        An argument has the wrong shape, type or value.
    UnknownNameError
        `contacts`, `targets` or `f_ext` names a frame the robot does not have.
    SingularError
        The mass matrix is singular, as for `mass_matrix_inverse`.

    Examples
    --------
    A pendulum of two rods hangs with its tip on a vertical wall, which holds it sideways:

    >>> import rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> motion = rne.contact_forward_dynamics(arm, [-1.0, -1.0], contacts={"link2": [0]})
    >>> motion.qdd.round(3)
    array([-8.795, 16.933])
    >>> bool(abs(rne.frame_acceleration(arm, [-1.0, -1.0], None, motion.qdd, "link2")[0]) < 1e-12)
    True
    """
    check_choice("singular", singular, _SINGULAR)
    chosen = as_contacts(robot, contacts)
    given = settle(robot, {"q": q, "qd": qd, "tau": tau}, f_ext, floating=True)
    batch = with_pushed_torques(robot, widened(given), threads)
    wanted = stabilized(robot, chosen, batch, gains, targets, threads)
    table = as_table(robot, "float64", gravity)
    found = _held(robot, chosen, batch, (batch.rows["tau"], wanted), table, 0, singular, threads)
    qdd, wrenches, rest = (shaped(x, given) for x in found)
    return ContactMotion(qdd, wrenches, rest, chosen.names, robot.coordinate_names)


def contact_impulse(
    robot: Robot,
    q: ArrayLike,
    qd: ArrayLike,
    contacts: Mapping[str, Any] | Sequence[str],
    *,
    restitution: float = 0.0,
    singular: str = "raise",
    threads: int | None = None,
) -> ContactImpulse:
    """Velocities after a rigid impact of some frames, such as a foot that lands: M (qd+ - qd) = J^T p.

    The held directions rebound with the velocity J qd+ = -e J qd (Newton's law of restitution); all other forces are
    finite and have no effect in the instant of an impact. With e = 0, the loss of kinetic energy is the kinetic energy
    of qd+ - qd (Carnot's theorem).

    Parameters
    ----------
    robot : the robot, on a fixed or a floating base.
    q, qd : (..., nq) and (..., n) positions and velocities before the impact.
    contacts : as for `contact_forward_dynamics`, which lists the errors. Frames already at rest on the ground belong to
        them, too.
    restitution : coefficient e, from 0 (no rebound) to 1 (no loss of energy).
    singular, threads : as for `contact_forward_dynamics`.

    Returns
    -------
    impact : with fields `qd` (..., n), `impulses` and `remainder` (..., contacts, 6), and `names`.

    Raises
    ------
    ArgumentError
        An argument has the wrong shape, type or value.

    Examples
    --------
    A beam of 2 kg that falls flat, and is caught at one end:

    >>> import numpy as np, rne
    >>> beam = rne.Inertia.box(2.0, [1.0, 0.1, 0.1])
    >>> builder = rne.TreeBuilder("beam", base="middle").add("body", parent="middle", inertia=beam)
    >>> builder = builder.add("end", parent="middle", xyz=[0.5, 0, 0])
    >>> robot = builder.robot(floating=True)
    >>> impact = rne.contact_impulse(robot, rne.neutral(robot), [0, 0, -1.0, 0, 0, 0], {"end": [2]})
    >>> impact.qd[[2, 4]].round(3), impact.impulses[:, 2].round(3)
    (array([-0.748, -1.496]), array([0.504]))
    """
    check_choice("singular", singular, _SINGULAR)
    chosen = as_contacts(robot, contacts)
    if qd is None:
        raise ArgumentError("qd: wanted an array, got None")
    e = float(numbers("restitution", restitution, ()))
    if not 0 <= e <= 1:
        raise ArgumentError(f"restitution: wanted a number from 0 to 1, got {shown(restitution)}")
    given = settle(robot, {"q": q, "qd": qd}, floating=True)
    batch = widened(given)
    before = batch.rows["qd"]
    wanted = nothing(chosen, batch)
    if e:
        wanted = -e * times(chosen.jacobian(robot, batch.rows["q"], threads), before)
    found = _held(robot, chosen, batch, (before, wanted), robot.links.table, IMPACT, singular, threads)
    after, impulses, rest = (shaped(x, given) for x in found)
    return ContactImpulse(after, impulses, rest, chosen.names, robot.coordinate_names)


def _held(
    robot: Robot,
    chosen: Contacts,
    batch: Batch,
    more: tuple[Floats, Floats],
    table: Floats,
    kind: int,
    singular: str,
    threads: int | None,
) -> tuple[Floats, Floats, Floats]:
    """Return accelerations (samples, n), wrenches in world axes, and what is left, (samples, contacts, 6).

    more : torques, and the wanted accelerations in the held directions; of an impact, velocities before and after.
    kind : 0 or IMPACT.
    """
    batch = batch._replace(rows=batch.rows | {"tau": more[0], "wanted": more[1]})
    held, n = len(chosen.directions), robot.n
    found, remainder = np.empty((batch.samples, n + held)), np.zeros((batch.samples, len(chosen.names), 6))
    weak, repeated = np.zeros((2, batch.samples), np.uint8)
    places = chosen.sites, chosen.directions
    launch(CONTACT, robot, batch, _INPUTS, found, threads, table, *places, kind, weak, repeated)
    if repeated.any():
        again = np.flatnonzero(repeated)
        for first in range(0, len(again), SLICE):
            part = again[first : first + SLICE]
            few = Batch(part.shape, "float64", {name: batch.rows[name][part] for name in _INPUTS})
            system = np.empty((len(part), (2 + held + n) * n + held))
            launch(CONTACT, robot, few, _INPUTS, system, threads, table, *places, kind | PARTS, weak[part], weak[part])
            found[part], rest = _least(system, n, held)
            remainder[part] = chosen.spread(rest)
    if weak.any():
        _, lost, _ = sorted_out(robot, batch, weak, singular)
        found[lost] = np.nan
    remainder[np.isnan(found.sum(axis=1))] = np.nan
    wrenches = chosen.in_world(robot, batch.rows["q"], chosen.spread(found[:, n:]), threads)
    return found[:, :n], wrenches, remainder


@np.errstate(all="ignore")  # of singular mass matrices, which are replaced
def _least(system: Floats, n: int, held: int) -> tuple[Floats, Floats]:
    """Return results (samples, n + held) of least squares, and what is left (samples, held).

    With M^-1 = T T^T, the change T z has the smallest kinetic energy if z is the smallest that solves J T z = b; forces
    w with z = (J T)^T w cause it. Singular values of J T have twice the digits of the eigenvalues of J M^-1 J^T.
    """
    x, b, d, A, T = np.split(system, np.cumsum([n, held, n, held * n]), axis=1)
    root = np.sqrt(d)[:, None, :]
    A, T = A.reshape(len(A), held, n) * root, np.swapaxes(T.reshape(len(T), n, n), 1, 2) / root
    z, w = np.full(x.shape, np.nan), np.full(b.shape, np.nan)
    sound = np.isfinite(system).all(axis=1) & (d > 0).all(axis=1)
    inverse = np.linalg.pinv(A[sound], rcond=SINGULAR)
    z[sound] = times(inverse, b[sound])
    w[sound] = times(np.swapaxes(inverse, 1, 2), z[sound])
    return np.concatenate([x + times(T, z), w], axis=1), times(A, z) - b
