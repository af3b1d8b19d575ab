"""What a robot shows of itself: its page as text, and as HTML in notebooks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from rne.model.drive import Drive
from rne.model.tree import Body, Coupling, Joint, Mimic, Tree
from rne.tables import Column, Part, html_of, text_of, typed

if TYPE_CHECKING:
    from rne.model.robot import Robot


class Showing:
    """A robot that can be printed: `str` is its page, with joints, limits, drives, links and states."""

    __slots__ = ()

    tree: Tree

    def __str__(self: Robot) -> str:  # type: ignore[misc]
        """Return the page of the robot: tables of joints, drives, couplings, links and states."""
        blocks = (f"{title}\n{text_of(part)}" if title else text_of(part) for title, part in sections(self))
        return "\n\n".join([repr(self), *blocks])

    if not TYPE_CHECKING:  # or else every attribute would pass

        def __getattr__(self, name: str) -> None:
            """Say what to use in place of an attribute that robots do not have, such as those of other libraries."""
            message = f"a robot has no attribute {name!r}"
            if not name.startswith("_"):  # private names are queried by tools, of every object
                from rne.names import advice_on_robot

                message += advice_on_robot(name, [known for known in dir(type(self)) if not known.startswith("_")])
            raise AttributeError(message, name=name, obj=self)

    def _repr_html_(self: Robot) -> str:  # type: ignore[misc]
        blocks = (html_of(title) + html_of(part) for title, part in sections(self))
        return html_of(repr(self)) + "".join(blocks)


def sections(robot: Robot) -> list[tuple[str, Part]]:
    """Return the titles and the tables of the page of a robot, with units in the headings."""
    gravity = " ".join(f"{g:.6g}" for g in robot.gravity)
    head = f"source      {robot.tree.source}\ngravity     {gravity} m/s^2\ntotal mass  {robot.total_mass:.6g} kg"
    found: list[tuple[str, Part]] = [("", head)]
    moving = [joint for joint in robot.tree.joints if joint.movable]
    if moving:
        found.append(("JOINTS (q: index in the state)", _joints(robot, moving)))
    if driven := [joint for joint in moving if joint.drive != Drive()]:
        found.append(("DRIVES (on the joint side, except for the rotor inertia)", _drives(driven)))
    if robot.tree.couplings:
        title = "COUPLINGS (springs and dampers between joints, deflection first - ratio * second - rest)"
        found.append((title, _couplings(robot.tree.couplings)))
    title = "LINKS (center of mass in the axes of the link; principal moments about it)"
    found.append((title, _links(robot)))
    if robot.tree.states:
        found.append(("STATES (rad, m)", _states(robot)))
    return found


def _joints(robot: Robot, joints: Iterable[Joint]) -> list[Column]:
    place = {name: k for k, name in enumerate(robot.position_names)}
    titles = ["q", "joint", "kind", "lower [rad, m]", "upper [rad, m]", "velocity [rad/s, m/s]"]
    titles += ["effort [N m, N]", "follows"]
    rows = []
    for joint in joints:
        limits = joint.limits
        bounds = [limits.lower, limits.upper, limits.velocity, limits.effort]
        rows.append([place.get(joint.name), joint.name, joint.kind, *bounds, _relation(joint.mimic)])
    return typed(titles, rows)


def _relation(mimic: Mimic | None) -> str | None:
    if mimic is None:
        return None
    offset = f" {'-' if mimic.offset < 0 else '+'} {abs(mimic.offset):.6g}" if mimic.offset else ""
    return f"{mimic.ratio:.6g} * {mimic.leader}{offset}"


def _drives(joints: Iterable[Joint]) -> list[Column]:
    titles = ["joint", "rotor inertia [kg m^2]", "gear ratio", "reflected [kg m^2, kg]", "viscous [N m s, N s/m]"]
    titles += ["Coulomb + [N m, N]", "Coulomb - [N m, N]", "stiffness [N m, N/m]", "rest [rad, m]"]
    rows = []
    for joint in joints:
        d = joint.drive
        friction = [d.viscous, d.coulomb_plus, d.coulomb_minus]
        spring = [d.stiffness, d.rest] if d.stiffness else [None, None]
        rows.append([joint.name, d.rotor_inertia, d.gear_ratio, d.reflected_inertia, *friction, *spring])
    return typed(titles, rows)


def _couplings(couplings: Iterable[Coupling]) -> list[Column]:
    titles = ["first", "second", "ratio", "stiffness [N m, N/m]", "rest [rad, m]", "viscous [N m s, N s/m]"]
    return typed(titles, [[c.first, c.second, c.ratio, c.stiffness, c.rest, c.viscous] for c in couplings])


def _links(robot: Robot) -> list[Column]:
    titles = ["link", "carried by", "mass [kg]", "com x [m]", "y", "z", "I1 [kg m^2]", "I2", "I3"]
    rows = []
    for body, joint, carrier in carried(robot):
        numbers = [body.mass, *body.com, *principal_moments(body)] if body.has_inertial else [None] * 7
        rows.append([body.name, f"joint {joint}" if joint else f"fixed on {carrier}" if carrier else "base", *numbers])
    return typed(titles, rows)


def carried(robot: Robot) -> list[tuple[Body, str | None, str | None]]:
    """Return each body with the joint that moves it, or with the moving body or base to which it is fixed."""
    above = {joint.child: joint for joint in robot.tree.joints}
    carried = []
    for body in robot.tree.bodies:
        carrier = body.name
        while carrier in above and not above[carrier].movable:
            carrier = above[carrier].parent
        moves = carrier == body.name and carrier in above
        carried.append((body, above[carrier].name if moves else None, None if carrier == body.name else carrier))
    return carried


def _states(robot: Robot) -> list[Column]:
    columns = [robot.state(name)[0].tolist() for name in robot.state_names]
    return typed(["joint", *robot.state_names], list(zip(robot.position_names, *columns, strict=True)))


def principal_moments(body: Body) -> list[float]:
    """Return the principal moments of inertia about the center of mass, kg m^2."""
    return [float(moment) for moment in np.linalg.eigvalsh(np.array(body.inertia))]
