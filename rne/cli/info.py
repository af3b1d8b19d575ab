"""`rne info`: the content of a robot file, as tables or as JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from typing import Any

import click
import numpy as np

from rne.cli.options import examples, show, takes_robot
from rne.model.robot import Robot
from rne.model.tree import Body, Coupling, Drive, Joint, Mimic
from rne.tables import table


@click.command(
    epilog=examples(
        "rne info panda.urdf",
        "rne info panda.urdf --lock panda_finger_joint1=0.02 --json",
    )
)
@takes_robot
@click.option("--json", "as_json", is_flag=True, help="Print JSON, with null for missing limits.")
def info(robot: Robot, notes: list[str], as_json: bool) -> None:
    """Show joints, limits, drives, masses and warnings of a robot."""
    show(json.dumps(_data(robot, notes), indent=2, allow_nan=False) if as_json else _page(robot, notes))


def _page(robot: Robot, notes: list[str]) -> str:
    sections = [
        str(robot),
        f"source      {robot.tree.source}\n"
        f"gravity     {' '.join(f'{g:.6g}' for g in robot.gravity)} m/s^2\n"
        f"total mass  {robot.total_mass:.6g} kg",
    ]
    moving = [joint for joint in robot.tree.joints if joint.movable]
    if moving:
        sections.append("JOINTS (q: index in the state)\n" + _joints(robot, moving))
    if driven := [joint for joint in moving if joint.drive != Drive()]:
        sections.append("DRIVES (on the joint side, except for the rotor inertia)\n" + _drives(driven))
    if robot.tree.couplings:
        title = "COUPLINGS (springs and dampers between joints, deflection first - ratio * second - rest)\n"
        sections.append(title + _couplings(robot.tree.couplings))
    sections.append("LINKS (center of mass in the axes of the link; principal moments about it)\n" + _links(robot))
    if robot.tree.states:
        sections.append("STATES (rad, m)\n" + _states(robot))
    if notes:
        sections.append("\n".join(["WARNINGS", *notes]))
    return "\n\n".join(sections)


def _joints(robot: Robot, joints: Iterable[Joint]) -> str:
    place = {name: k for k, name in enumerate(robot.joint_names)}
    titles = ["q", "joint", "kind", "lower [rad, m]", "upper [rad, m]", "velocity [rad/s, m/s]"]
    titles += ["effort [N m, N]", "follows"]
    rows = []
    for joint in joints:
        limits = joint.limits
        bounds = [limits.lower, limits.upper, limits.velocity, limits.effort]
        rows.append([place.get(joint.name), joint.name, joint.kind, *bounds, _relation(joint.mimic)])
    return table(titles, rows)


def _relation(mimic: Mimic | None) -> str | None:
    if mimic is None:
        return None
    offset = f" {'-' if mimic.offset < 0 else '+'} {abs(mimic.offset):.6g}" if mimic.offset else ""
    return f"{mimic.ratio:.6g} * {mimic.leader}{offset}"


def _drives(joints: Iterable[Joint]) -> str:
    titles = ["joint", "rotor inertia [kg m^2]", "gear ratio", "reflected [kg m^2, kg]", "viscous [N m s, N s/m]"]
    titles += ["Coulomb + [N m, N]", "Coulomb - [N m, N]", "stiffness [N m, N/m]", "rest [rad, m]"]
    rows = []
    for joint in joints:
        d = joint.drive
        friction = [d.viscous, d.coulomb_plus, d.coulomb_minus]
        spring = [d.stiffness, d.rest] if d.stiffness else [None, None]
        rows.append([joint.name, d.rotor_inertia, d.gear_ratio, d.reflected_inertia, *friction, *spring])
    return table(titles, rows)


def _couplings(couplings: Iterable[Coupling]) -> str:
    titles = ["first", "second", "ratio", "stiffness [N m, N/m]", "rest [rad, m]", "viscous [N m s, N s/m]"]
    return table(titles, [[c.first, c.second, c.ratio, c.stiffness, c.rest, c.viscous] for c in couplings])


def _links(robot: Robot) -> str:
    titles = ["link", "carried by", "mass [kg]", "com x [m]", "y", "z", "I1 [kg m^2]", "I2", "I3"]
    rows = []
    for body, joint, carrier in _carried(robot):
        numbers = [body.mass, *body.com, *_principal_moments(body)] if body.has_inertial else [None] * 7
        rows.append([body.name, f"joint {joint}" if joint else f"fixed on {carrier}" if carrier else "base", *numbers])
    return table(titles, rows)


def _carried(robot: Robot) -> list[tuple[Body, str | None, str | None]]:
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


def _states(robot: Robot) -> str:
    columns = [robot.state(name)[0].tolist() for name in robot.state_names]
    return table(["joint", *robot.state_names], list(zip(robot.joint_names, *columns, strict=True)))


def _principal_moments(body: Body) -> list[float]:
    return [float(moment) for moment in np.linalg.eigvalsh(np.array(body.inertia))]


def _data(robot: Robot, notes: list[str]) -> dict[str, Any]:
    return {
        "name": robot.name,
        "source": robot.tree.source,
        "gravity": robot.gravity.tolist(),
        "total_mass": robot.total_mass,
        "coordinates": list(robot.joint_names),
        "joints": [_joint_data(joint) for joint in robot.tree.joints],
        "couplings": [vars(coupling) for coupling in robot.tree.couplings],
        "links": [
            {
                "name": body.name,
                "joint": joint,
                "fixed_on": carrier,
                "mass": body.mass,
                "com": body.com,
                "inertia": body.inertia,
                "first_moment": body.first_moment,
                "principal_moments": _principal_moments(body),
            }
            for body, joint, carrier in _carried(robot)
        ],
        "states": {state.name: {"q": dict(state.q), "qd": dict(state.qd)} for state in robot.tree.states},
        "warnings": notes,
    }


def _joint_data(joint: Joint) -> dict[str, Any]:
    limits = {name: value if math.isfinite(value) else None for name, value in vars(joint.limits).items()}
    data = {"name": joint.name, "kind": joint.kind, "parent": joint.parent, "child": joint.child}
    return data | {"limits": limits, "mimic": joint.mimic and vars(joint.mimic), "drive": vars(joint.drive)}
