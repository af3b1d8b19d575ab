"""Plots over time: torques and states with their limits, power, energy, tracking."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from rne.batch.arguments import Floats
from rne.dynamics.energy import kinetic_energy, potential_energy
from rne.errors import ArgumentError
from rne.model.robot import Robot
from rne.plot.page import (
    BLACK,
    BLUE,
    GRAY,
    GREEN,
    ORANGE,
    PURPLE,
    Page,
    as_motion,
    by_coordinate,
    legend,
    name_axes,
    units,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def torques(robot: Robot, t: ArrayLike | None, tau: ArrayLike) -> Figure:
    """Plot the torque of each joint over time, with its effort limits.

    Samples beyond a limit are marked and counted. A limit more than ten times the largest torque is not drawn, but
    written beside the name. Long motions are drawn by their envelope, which keeps the extremes.

    Parameters
    ----------
    robot : the robot; `robot.effort_limit` has the limits.
    t : (T,) times, s, not decreasing; None to plot over the sample number.
    tau : (T, n) torques, N m or N, for example of `rne.inverse_dynamics`; NaN and infinity are gaps.

    Returns
    -------
    figure : matplotlib.figure.Figure with one panel per joint.

    Raises
    ------
    ArgumentError
        An argument has the wrong shape, type or value.
    MissingExtraError
        matplotlib is not installed.

    Examples
    --------
    >>> import rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> figure = rne.plot.torques(arm, [0.0, 1.0], rne.inverse_dynamics(arm, [[0.0, 0.0], [0.2, 0.1]]))
    >>> [ax.get_ylabel() for ax in figure.axes]
    ['torque (N m)', 'torque (N m)']
    """
    motion = as_motion(robot, t, True, tau=tau)
    page = Page(f"{robot.name}: torques", robot.n, x_label=motion.label)
    for k, ((ax,), unit, effort) in enumerate(zip(page.cells, units(robot), robot.effort_limit, strict=True)):
        page.against(ax, robot.coordinate_names[k], motion.x, motion.rows["tau"][:, k], -effort, effort)
        name_axes(ax, y=unit.effort)
    return legend(page.figure)


def states(robot: Robot, t: ArrayLike | None, q: ArrayLike, qd: ArrayLike) -> Figure:
    """Plot position and velocity of each joint over time, with their limits, drawn as in `torques`.

    Of a base that floats, the position is drawn beside the linear velocity, and the vector of the quaternion beside the
    angular velocity.

    Parameters
    ----------
    robot : the robot; `lower_limit`, `upper_limit` and `velocity_limit` have the limits.
    t : as for `torques`.
    q, qd : (T, n) positions, rad or m, and velocities.

    Returns
    -------
    figure : matplotlib.figure.Figure with a panel of positions and one of velocities for each joint.

    Raises
    ------
    ArgumentError, MissingExtraError
        As for `torques`.

    Examples
    --------
    >>> import numpy as np, rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> motion = rne.simulate(arm, [0.5, 0.0], t=np.linspace(0, 1, 101))
    >>> figure = rne.plot.states(arm, motion.t, motion.q, motion.qd)
    >>> [ax.get_ylabel() for ax in figure.axes[:2]]
    ['angle (rad)', 'velocity (rad/s)']
    """
    motion = as_motion(robot, t, True, q=q, qd=qd)
    page = Page(f"{robot.name}: positions and velocities", robot.n, across=2, x_label=motion.label)
    positions, *limits, names = (
        by_coordinate(robot, x)
        for x in (motion.rows["q"], robot.lower_limit, robot.upper_limit, np.array(robot.position_names))
    )
    bounds = zip(*limits, robot.velocity_limit, strict=True)
    for k, ((left, right), unit, (lower, upper, speed)) in enumerate(
        zip(page.cells, units(robot), bounds, strict=True)
    ):
        page.against(left, names[k], motion.x, positions[:, k], lower, upper)
        page.against(right, robot.coordinate_names[k], motion.x, motion.rows["qd"][:, k], -speed, speed)
        name_axes(left, y=unit.position)
        name_axes(right, y=unit.velocity)
    return legend(page.figure)


def power(robot: Robot, t: ArrayLike | None, qd: ArrayLike, tau: ArrayLike) -> Figure:
    """Plot the mechanical power tau qd of each joint and of all joints over time, and their total work.

    Negative power is returned by the joint: the motor brakes.

    Parameters
    ----------
    robot : the robot.
    t : as for `torques`. Without times, the work is not plotted.
    qd, tau : (T, n) velocities and torques.

    Returns
    -------
    figure : matplotlib.figure.Figure with one panel per joint, one for the sum if there are several joints, and one for
        the work since the start, integrated by the trapezoidal rule up to the first gap.

    Raises
    ------
    ArgumentError, MissingExtraError
        As for `torques`.

    Examples
    --------
    >>> import rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> figure = rne.plot.power(arm, [0.0, 1.0], [[0.0, 0.0], [1.0, 0.0]], [[5.0, 1.0], [5.0, 1.0]])
    >>> figure.axes[-1].get_lines()[0].get_ydata()
    array([0. , 2.5])
    """
    motion = as_motion(robot, t, True, qd=qd, tau=tau)
    each = motion.rows["tau"] * motion.rows["qd"]
    total = each.sum(axis=1)
    lines = dict(zip(robot.coordinate_names, each.T, strict=True)) if robot.n > 1 else {}
    drawn = [*lines.items(), ("all joints" if robot.n != 1 else robot.coordinate_names[0], total)]
    page = Page(f"{robot.name}: mechanical power", len(drawn) + motion.timed, x_label=motion.label)
    for (ax,), (name, values) in zip(page.cells, drawn, strict=False):
        ax.axhline(0.0, color=GRAY, linewidth=0.6)
        page.line(ax, motion.x, values, color=BLUE)
        page.head(ax, name)
        name_axes(ax, y="power (W)")
    if motion.timed:
        (ax,) = page.cells[-1]
        page.line(ax, motion.x, _since_start(motion.x, total), color=GREEN)
        page.head(ax, "work of all joints")
        name_axes(ax, y="work (J)")
    return page.figure


def energy(
    robot: Robot,
    t: ArrayLike | None,
    q: ArrayLike,
    qd: ArrayLike,
    tau: ArrayLike | None = None,
    *,
    gravity: ArrayLike | None = None,
) -> Figure:
    """Plot kinetic, potential and total energy over time, and the change of the total, which is drift if undriven.

    Parameters
    ----------
    robot : the robot.
    t : as for `torques`.
    q, qd : (T, n) positions and velocities.
    tau : (T, n) torques. If given, their work is plotted with the change of energy, and so is the difference of the
        two: the losses by friction, and the error of an integration. Requires times.
    gravity : (3,) acceleration of free fall in base axes, m/s^2; None means the gravity of the robot.

    Returns
    -------
    figure : matplotlib.figure.Figure with two panels.

    Raises
    ------
    ArgumentError, MissingExtraError
        As for `torques`.

    Examples
    --------
    >>> import numpy as np, rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> motion = rne.simulate(arm, [0.5, 0.0], t=np.linspace(0, 1, 101))
    >>> figure = rne.plot.energy(arm, motion.t, motion.q, motion.qd)
    >>> drift = figure.axes[1].get_lines()[0].get_ydata()
    >>> bool(abs(drift).max() < 1e-8)
    True
    """
    motion = as_motion(robot, t, True, q=q, qd=qd, **({} if tau is None else {"tau": tau}))
    if tau is not None and not motion.timed:
        raise ArgumentError("tau: the work of the torques requires the times t, got None")
    q, qd = motion.rows["q"], motion.rows["qd"]
    kinetic, potential = kinetic_energy(robot, q, qd), potential_energy(robot, q, gravity=gravity)
    total = kinetic + potential
    change = total - total[:1]
    page = Page(f"{robot.name}: energy", 2, x_label=motion.label)
    (above,), (below,) = page.cells
    page.line(above, motion.x, kinetic, color=BLUE, linestyle="--", label="kinetic")
    page.line(above, motion.x, potential, color=ORANGE, linestyle="-.", label="potential")
    page.line(above, motion.x, total, color=BLACK, label="total")
    page.head(above, "energy")
    page.line(below, motion.x, change, color=BLACK, label="total")
    page.head(below, "change since the start")
    if tau is not None:
        work = _since_start(motion.x, (motion.rows["tau"] * qd).sum(axis=1))
        page.line(below, motion.x, work, color=GREEN, linestyle="--", label="work of the torques")
        page.line(below, motion.x, change - work, color=PURPLE, linestyle=":", label="total without this work")
    for ax in (above, below):
        name_axes(ax, y="energy (J)")
    return legend(page.figure)


def tracking(
    robot: Robot, t: ArrayLike | None, reference: ArrayLike, q: ArrayLike, tau: ArrayLike | None = None
) -> Figure:
    """Plot a motion with its reference, the tracking error, and the torques with their limits.

    Parameters
    ----------
    robot : the robot.
    t : as for `torques`.
    reference, q : (T, n) desired and actual positions, rad or m. The error is reference - q.
    tau : (T, n) torques; None omits their panels.

    Returns
    -------
    figure : matplotlib.figure.Figure with panels for position, error and torque of each joint.

    Raises
    ------
    ArgumentError, MissingExtraError
        As for `torques`.

    Examples
    --------
    >>> import numpy as np, rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> servo = rne.control.computed_torque(arm, kp=100.0, kd=20.0, goal=[0.5, 0.2])
    >>> run = rne.simulate(arm, [0.0, 0.0], t=np.linspace(0, 2, 201), tau=servo)
    >>> figure = rne.plot.tracking(arm, run.t, run.q_ref, run.q, run.tau)
    >>> figure.axes[1].get_lines()[-1].get_ydata()[[0, -1]].round(6)
    array([0.5, 0. ])
    """
    motion = as_motion(robot, t, False, reference=reference, q=q, **({} if tau is None else {"tau": tau}))
    page = Page(f"{robot.name}: tracking", robot.n, across=2 if tau is None else 3, x_label=motion.label)
    for k, (panels, unit, effort) in enumerate(zip(page.cells, units(robot), robot.effort_limit, strict=True)):
        name, (wanted, reached) = robot.joint_names[k], (motion.rows[row][:, k] for row in ("reference", "q"))
        page.line(panels[0], motion.x, wanted, color=ORANGE, linestyle="--", label="reference", zorder=3)
        page.line(panels[0], motion.x, reached, color=BLACK, label="actual")
        panels[1].axhline(0.0, color=GRAY, linewidth=0.6)
        page.line(panels[1], motion.x, wanted - reached, color=PURPLE, label="error: reference - actual")
        page.head(panels[0], name)
        page.head(panels[1], name)
        name_axes(panels[0], y=unit.position)
        name_axes(panels[1], y=unit.position.replace("angle", "error").replace("position", "error"))
        if tau is not None:
            page.against(panels[2], name, motion.x, motion.rows["tau"][:, k], -effort, effort)
            name_axes(panels[2], y=unit.effort)
    return legend(page.figure)


def residual(robot: Robot, t: ArrayLike | None, measured: ArrayLike, model: ArrayLike) -> Figure:
    """Plot measured torques over those of the model, with the residual below: measured - model.

    Parameters
    ----------
    robot : the robot.
    t : as for `torques`.
    measured, model : (T, n) torques, N m or N.

    Returns
    -------
    figure : matplotlib.figure.Figure with two panels for each joint.

    Raises
    ------
    ArgumentError, MissingExtraError
        As for `torques`.

    Examples
    --------
    >>> import numpy as np, rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> model = rne.gravity_vector(arm, [[0.0, 0.0], [0.2, 0.1]])
    >>> figure = rne.plot.residual(arm, [0.0, 1.0], model + 0.5, model)
    >>> figure.axes[1].get_lines()[-1].get_ydata()
    array([0.5, 0.5])
    """
    motion = as_motion(robot, t, True, measured=measured, model=model)
    page = Page(f"{robot.name}: residuals", robot.n, across=2, x_label=motion.label, stacked=True)
    for k, ((above, below), unit) in enumerate(zip(page.cells, units(robot), strict=True)):
        one, other = motion.rows["measured"][:, k], motion.rows["model"][:, k]
        page.line(above, motion.x, one, color=ORANGE, label="measured")
        page.line(above, motion.x, other, color=BLACK, linestyle="--", label="model", zorder=3)
        below.axhline(0.0, color=GRAY, linewidth=0.6)
        page.line(below, motion.x, one - other, color=PURPLE, label="residual: measured - model")
        page.head(above, robot.coordinate_names[k])
        name_axes(above, y=unit.effort)
        name_axes(below, y="residual")
    return legend(page.figure)


def _since_start(t: Floats, rate: Floats) -> Floats:
    """Return the integral of a rate from the start to each time, by the trapezoidal rule."""
    parts = np.diff(t) * (rate[1:] + rate[:-1]) / 2
    sums: Floats = np.concatenate([np.zeros(min(len(t), 1)), np.cumsum(parts)])
    return sums
