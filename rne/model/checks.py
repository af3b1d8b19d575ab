"""Physical checks, common to all file formats."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from rne.bodies import physical
from rne.model.drive import Drive
from rne.model.findings import Findings, Spot
from rne.model.mimics import resolved_mimics
from rne.model.passivity import DAMPERS, SPRINGS, active
from rne.model.tree import Body, Coupling, Joint, Limits

FAR = 50.0
"""Length (m) beyond which millimeters were likely taken for meters."""
SLOWEST = 1e-6
"""Least velocity (rad/s or m/s) of smooth Coulomb and of Stribeck friction."""
LARGEST = 1e12
"""Magnitude in SI units up to which masses, lengths and moments multiply without overflow in single precision."""
STAND_IN_MASS, STAND_IN_MOMENT = 1e-5, 1e-7
"""Mass (kg) and negative moment (kg m^2) up to which an impossible link is treated as a placeholder."""
NOTED = (physical.TRIANGLE, physical.INERTIA_WITHOUT_MASS)
"""Faults of bodies that are notes even in strict mode."""


def check_body(body: Body, spot: Spot) -> None:
    """Report a physically impossible mass or inertia.

    The severities follow the 69 URDF files of example-robot-data 6.0. PR2, ANYmal, HyQ, Go1 and Allegro violate the
    triangle inequality; refusing them would refuse robots in everyday use, so it is a note, and so is inertia without
    mass. Negative principal moments are rare. The antennas of TIAGo are placeholders of 1 mg with -4e-8 kg m^2, which
    have no noticeable effect. The three links of romeo_laas_small with -2e-3 kg m^2 and worse are real errors and are
    refused.
    """
    if not is_measurable(body, spot):
        return
    for fault in physical.faults(body.mass, body.com, body.inertia, body.first_moment):
        noted = fault.code in NOTED
        if fault.code == physical.INDEFINITE:
            noted = 0 <= body.mass <= STAND_IN_MASS and fault.size <= STAND_IN_MOMENT
        report = spot.note if noted else spot.doubt
        report(fault.what, fault.code)


def is_measurable(body: Body, spot: Spot) -> bool:
    """Whether mass, center of mass and inertia are finite and not too large; report it if not."""
    inertia = (x for row in body.inertia for x in row)
    sound = all(abs(x) < LARGEST for x in (body.mass, *body.com, *inertia, *body.first_moment))  # NaN fails as well
    if not sound:
        spot.error(f"mass, center of mass or inertia is not finite or beyond {LARGEST:g} in SI units")
    return sound


def note_far(name: str, length: float, spot: Spot) -> None:
    """Note a length that no robot has and that is likely in millimeters."""
    if FAR < abs(length) < LARGEST:
        spot.note(f"{name} is {length:g} m; lengths are in meters, divide millimeters by 1000", "unit-length")


def check_place(joint: Joint, spot: Spot) -> None:
    """Report a joint position, or a ratio or offset of a mimic joint, that would make moments of inertia overflow."""
    if not all(abs(x) < LARGEST for x in joint.origin.position):
        spot.error(f"the position of the joint is beyond {LARGEST:g} m; lengths are in meters")
    mimic = joint.mimic
    if mimic is not None and not max(abs(mimic.ratio), abs(mimic.offset)) < LARGEST:
        spot.error(f"the multiplier or offset of the mimic joint is beyond {LARGEST:g}")


def check_limits(limits: Limits, spot: Spot) -> None:
    """Report limits in the wrong order, and negative limits of velocity or effort."""
    if limits.lower > limits.upper:
        what = f"the lower limit {limits.lower:g} is above the upper limit {limits.upper:g}"
        spot.note(f"{what}; no function of the dynamics uses them", "limit-inverted")
    for name, bound in ("velocity", limits.velocity), ("effort", limits.effort):
        if bound < 0:
            spot.note(f"the {name} limit {bound:g} is negative; give its magnitude")


def check_drive(drive: Drive, spot: Spot) -> None:
    """Report a drive that would generate energy, or whose numbers are zero, infinite or too large."""
    ratio = drive.gear_ratio
    if ratio == 0 or not math.isfinite(ratio * ratio):
        spot.error(f"the gear ratio is {ratio:g}; it must be nonzero and have a finite square")
        return
    felt = [drive.rotor_inertia * ratio * ratio, drive.viscous, drive.coulomb_plus, drive.coulomb_minus]
    felt += [drive.offset, drive.stribeck, drive.quadratic, drive.cubic]
    if not all(abs(x) < LARGEST for x in (*felt, drive.stiffness, drive.rest)):
        spot.error(f"the rotor inertia, friction, spring or rest position at the joint is beyond {LARGEST:g}")
        return
    if drive.rotor_inertia < 0:
        spot.doubt(f"the rotor inertia {drive.rotor_inertia:g} is negative")
    if drive.stiffness < 0:
        spot.negative(SPRINGS, f"the stiffness {drive.stiffness:g} is negative; a spring acts toward its rest position")
    check_damper(drive.viscous, spot)
    if min(drive.coulomb_plus, drive.coulomb_minus) < 0:
        worst = min(drive.coulomb_plus, drive.coulomb_minus)
        spot.doubt(f"the Coulomb friction {worst:g} is negative; give its magnitude, friction opposes motion")
    for fault in faults_of_curves(drive):
        spot.error(fault)
    if drive.cubic < 0 or (drive.cubic == 0 and drive.quadratic < 0):
        spot.note(
            f"the polynomial of friction, quadratic {drive.quadratic:g} and cubic {drive.cubic:g}, drives the joint "
            "at high velocities; use it only where it was identified"
        )


def faults_of_curves(drive: Drive) -> Iterator[str]:
    """Yield what is wrong with the velocities of smooth Coulomb and of Stribeck friction, and with its size."""
    for name, needed in (("smoothing", False), ("stribeck_velocity", drive.stribeck != 0)):
        value = getattr(drive, name)
        if not (value == 0 and not needed) and not SLOWEST <= value < LARGEST:
            wanted = f"a velocity of {SLOWEST:g} or more" + ("" if needed else ", or zero")
            yield f"{name} = {value:g}: wanted {wanted}, rad/s or m/s"
    least = min(drive.coulomb_plus, drive.coulomb_minus) + drive.stribeck
    if drive.stribeck and least < 0:
        yield f"stribeck = {drive.stribeck:g}: friction at rest would be {least:g} with Coulomb; wanted 0 or more"


def check_damper(viscous: float, spot: Spot) -> None:
    """Report viscous friction, of a joint or a coupling, that would generate energy."""
    if viscous < 0:
        spot.negative(DAMPERS, f"the viscous friction {viscous:g} is negative; friction opposes motion")


def check_passive(joints: Sequence[Joint], couplings: Sequence[Coupling], findings: Findings) -> None:
    """Report negative springs and dampers, unless those of the robot together are passive.

    The structure of the robot must have been checked before.
    """
    if findings.errors and (couplings or any(joint.mimic for joint in joints)):
        return  # with errors in the structure, it is unknown which of them act together
    for quantity in (DAMPERS, SPRINGS):
        said = [(spot, what) for kind, spot, what in findings.negative if kind == quantity]
        if said and active(joints, couplings, quantity) is not None:
            for spot, what in said:
                spot.doubt(what)


def note_weightless(ordered: Sequence[Joint], bodies: Sequence[Body], findings: Findings) -> None:
    """Note joints that move no mass, in their bodies, rotors or mimic joints.

    Parameters
    ----------
    ordered : the joints of a valid tree, parents first.
    bodies : its bodies.
    findings : receives the notes.
    """
    carrying = {body.name for body in bodies if body.mass or np.any(body.inertia) or np.any(body.first_moment)}
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
                f"; as a mimic joint of {joint.mimic.leader!r} it does no harm, but add mass and inertia if it has any"
            )
        else:
            followers = ", nor do its mimic joints" if joint.name in led else ""
            what += f"{followers}; forward dynamics is singular, add mass and inertia"
        findings.at(f"joint {joint.name!r}", joint.line).note(what, "massless")
