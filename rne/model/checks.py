"""Physical checks, the same for every file format."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from rne.model.findings import Findings, Spot
from rne.model.passivity import DAMPERS, SPRINGS, active
from rne.model.tree import Body, Coupling, Drive, Joint, Limits, resolved_mimics

# What is forgiven as rounding or as a stand-in. Measured over the 69 URDF files of example-robot-data 6.0:
# - 32 links in 13 files break the triangle inequality, mostly by 20 to 100 % of the largest moment; PR2, ANYmal, HyQ,
#   Go1 and Allegro are among them. Refusing them would refuse robots that people load every day, so it is a note.
#   Numbers of three digits can break it by 0.15 %; that is rounding and not worth a word.
# - Negative principal moments are rare. iCub's are -5e-20 kg m^2 beside a mass of 0.5 kg: zeros with noise. TIAGo's
#   antennas are stand-ins of 1 mg with -4e-8 kg m^2 and cannot be felt. The three links of romeo_laas_small with
#   -2e-3 kg m^2 and worse are true faults, and the only ones refused.
TRIANGLE_ROUNDING = 2e-3
"""Excess of the largest principal moment over the sum of the others, as a part of the largest."""
MOMENT_ROUNDING = 1e-6
"""Negative principal moment, as a part of the largest."""
POINT_RADIUS = 1e-6
"""Radius of gyration (m) below which a body is a point and its moments are noise."""
FAR = 50.0
"""Length (m) beyond which millimeters were likely taken for meters."""
LARGEST = 1e12
"""Size in SI units up to which masses, lengths and moments can be multiplied without overflow in single precision."""
STAND_IN_MASS, STAND_IN_MOMENT = 1e-5, 1e-7
"""Mass (kg) and negative moment (kg m^2) up to which an impossible link is taken for a stand-in."""


def check_body(body: Body, spot: Spot) -> None:
    """Report a mass or inertia that no body can have."""
    if not is_measurable(body, spot):
        return
    if body.mass < 0:
        spot.doubt(f"the mass {body.mass:g} kg is negative; no body has that", "mass-negative")
    smallest, middle, largest = np.linalg.eigvalsh(body.inertia).tolist()
    moments = f"principal moments {smallest:.4g}, {middle:.4g}, {largest:.4g} kg m^2"
    size = max(-smallest, largest)
    noise = abs(body.mass) * POINT_RADIUS**2
    if -smallest > MOMENT_ROUNDING * size + noise:
        stand_in = 0 <= body.mass <= STAND_IN_MASS and -smallest <= STAND_IN_MOMENT
        report = spot.note if stand_in else spot.doubt
        what = f"the inertia is not positive semidefinite ({moments}); check the signs and the products of inertia"
        report(what, "inertia-indefinite")
    elif largest - middle - smallest > TRIANGLE_ROUNDING * size + noise:
        what = f"no body has this inertia: its largest moment exceeds the sum of the other two ({moments})"
        spot.note(what, "inertia-triangle")
    if body.mass == 0 and size > 0:
        spot.note("the inertia is not zero but the mass is", "inertia-without-mass")


def is_measurable(body: Body, spot: Spot) -> bool:
    """Whether mass, centre and inertia are numbers that can be calculated with; report it if not."""
    inertia = (x for row in body.inertia for x in row)
    sound = all(abs(x) < LARGEST for x in (body.mass, *body.com, *inertia))  # NaN fails as well
    if not sound:
        spot.error(f"mass, centre of mass or inertia is not finite or beyond {LARGEST:g} in SI units")
    return sound


def note_far(name: str, length: float, spot: Spot) -> None:
    """Note a length that no robot has and that is likely in millimeters."""
    if FAR < abs(length) < LARGEST:
        spot.note(f"{name} is {length:g} m; lengths are in meters, divide millimeters by 1000", "unit-length")


def check_place(joint: Joint, spot: Spot) -> None:
    """Report a joint so far from its parent that moments of inertia would overflow, or that follows so steeply."""
    if not all(abs(x) < LARGEST for x in joint.origin.position):
        spot.error(f"the position of the joint is beyond {LARGEST:g} m; lengths are in metres")
    mimic = joint.mimic
    if mimic is not None and not max(abs(mimic.ratio), abs(mimic.offset)) < LARGEST:
        spot.error(f"the multiplier or offset of the mimic joint is beyond {LARGEST:g}")


def check_limits(limits: Limits, spot: Spot) -> None:
    """Report bounds that leave a joint no room."""
    if limits.lower > limits.upper:
        what = f"the lower limit {limits.lower:g} is above the upper limit {limits.upper:g}"
        spot.note(f"{what}; no function of the dynamics uses them", "limit-inverted")
    for name, bound in ("velocity", limits.velocity), ("effort", limits.effort):
        if bound < 0:
            spot.note(f"the {name} limit {bound:g} is negative; a size is wanted")


def check_drive(drive: Drive, spot: Spot) -> None:
    """Report a drive that would feed energy in, or that no number can hold."""
    ratio = drive.gear_ratio
    if ratio == 0 or not math.isfinite(ratio * ratio):
        spot.error(f"the gear ratio is {ratio:g}; a number other than zero, with a finite square, is wanted")
        return
    felt = [drive.rotor_inertia * ratio * ratio, drive.viscous, drive.coulomb_plus, drive.coulomb_minus]
    if not all(abs(x) < LARGEST for x in (*felt, drive.stiffness, drive.rest)):
        spot.error(f"the rotor inertia, friction, spring or rest position at the joint is beyond {LARGEST:g}")
        return
    if drive.rotor_inertia < 0:
        spot.doubt(f"the rotor inertia {drive.rotor_inertia:g} is negative")
    if drive.stiffness < 0:
        spot.negative(
            SPRINGS, f"the stiffness {drive.stiffness:g} is negative; a spring pulls back to its rest position"
        )
    check_damper(drive.viscous, spot)
    if min(drive.coulomb_plus, drive.coulomb_minus) < 0:
        worst = min(drive.coulomb_plus, drive.coulomb_minus)
        spot.doubt(f"the Coulomb friction {worst:g} is negative; its size is wanted, friction opposes motion")


def check_damper(viscous: float, spot: Spot) -> None:
    """Report viscous friction, of a joint or a coupling, that would feed energy in."""
    if viscous < 0:
        spot.negative(DAMPERS, f"the viscous friction {viscous:g} is negative; friction opposes motion")


def check_passive(joints: Sequence[Joint], couplings: Sequence[Coupling], findings: Findings) -> None:
    """Report negative springs and dampers unless those of the robot together are passive all the same.

    To be called once its structure has been checked.
    """
    if findings.errors and (couplings or any(joint.mimic for joint in joints)):
        return  # what acts together with what cannot be told
    for quantity in (DAMPERS, SPRINGS):
        said = [(spot, what) for kind, spot, what in findings.negative if kind == quantity]
        if said and active(joints, couplings, quantity) is not None:
            for spot, what in said:
                spot.doubt(what)


def note_weightless(ordered: Sequence[Joint], bodies: Sequence[Body], findings: Findings) -> None:
    """Note coordinates that move no mass, by their joint, by those that follow it, or in a rotor; and such followers.

    Parameters
    ----------
    ordered : the joints of a sound tree, parents first.
    bodies : its bodies.
    findings : where the notes go.
    """
    carrying = {body.name for body in bodies if body.mass or np.any(body.inertia)}
    for joint in reversed(ordered):
        if joint.child in carrying:
            carrying.add(joint.parent)
    moving = {joint.name for joint in ordered if joint.child in carrying or joint.drive.reflected_inertia}
    mimics = resolved_mimics(ordered)
    leading = {mimic.leader for name, mimic in mimics.items() if name in moving and mimic.ratio}
    led = {mimic.leader for name, mimic in mimics.items() if name != mimic.leader}
    for joint in ordered:
        if not joint.movable or joint.name in moving or joint.name in leading:
            continue
        what = f"neither {joint.child!r} nor anything beyond it has mass, so the joint moves none"
        if joint.mimic is not None:
            what += (
                f"; it follows {joint.mimic.leader!r}, so that does no harm, but give it mass and inertia if it has any"
            )
        else:
            followers = ", nor does any that follows it" if joint.name in led else ""
            what += f"{followers}; forward dynamics is singular, give it mass and inertia"
        findings.at(f"joint {joint.name!r}", joint.line).note(what, "massless")
