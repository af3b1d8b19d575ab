"""`rne info`: the content of a robot file, as tables or as JSON."""

from __future__ import annotations

import json
import math
from typing import Any

import click

from rne.cli.options import examples, show, takes_robot
from rne.model.robot import Robot
from rne.model.showing import carried, principal_moments
from rne.model.tree import Joint


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
    return "\n\n".join([str(robot), *(["\n".join(["WARNINGS", *notes])] if notes else [])])


def _data(robot: Robot, notes: list[str]) -> dict[str, Any]:
    return {
        "name": robot.name,
        "source": robot.tree.source,
        "gravity": robot.gravity.tolist(),
        "total_mass": robot.total_mass,
        "floating": robot.floating,
        "positions": list(robot.position_names),
        "coordinates": list(robot.coordinate_names),
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
                "principal_moments": principal_moments(body),
            }
            for body, joint, carrier in carried(robot)
        ],
        "states": {state.name: {"q": dict(state.q), "qd": dict(state.qd)} for state in robot.tree.states},
        "warnings": notes,
    }


def _joint_data(joint: Joint) -> dict[str, Any]:
    limits = {name: value if math.isfinite(value) else None for name, value in vars(joint.limits).items()}
    data = {"name": joint.name, "kind": joint.kind, "parent": joint.parent, "child": joint.child}
    return data | {"limits": limits, "mimic": joint.mimic and vars(joint.mimic), "drive": vars(joint.drive)}
