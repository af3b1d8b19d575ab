"""The physical checks that all formats share."""

import numpy as np
import pytest

from rne.model.checks import check_body, check_drive, check_limits, check_passive
from rne.model.findings import Findings
from rne.model.tree import Body, Drive, Joint, Limits


def found(thing, check) -> tuple[str, str]:
    findings = Findings("here")
    check(thing, findings.at("it"))
    return "\n".join(map(str, findings.errors + findings.doubts)), "\n".join(map(str, findings.notes))


def check_drive_alone(drive, spot):
    """Check the drive of a joint without neighbors."""
    check_drive(drive, spot)
    check_passive([Joint("j", "revolute", "base", "b", drive=drive)], (), spot.findings)


def body(*moments: float, mass: float = 1.0, turn: float = 0.0) -> Body:
    c, s = np.cos(turn), np.sin(turn)
    rotation = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
    inertia = rotation @ np.diag(moments) @ rotation.T
    return Body("b", mass, (0.0, 0.0, 0.0), tuple(map(tuple, inertia.tolist())))


@pytest.mark.parametrize(
    "sound",
    [
        body(1, 1, 1),
        body(0, 0, 0),  # a point
        body(0, 1, 1, turn=0.7),  # a rod
        body(1, 2, 3, turn=0.3),  # a plate, on the edge of the triangle inequality
        body(1, 2, 3.005),  # a plate in three digits
        body(-1e-20, 0, 1e-20),  # zeros with noise
        body(0, 0, 0, mass=0),
    ],
)
def test_sound_bodies(sound):
    assert found(sound, check_body) == ("", "")


@pytest.mark.parametrize(
    ("impossible", "wanted"),
    [
        (body(1, 1, 1, mass=-1), "mass -1 kg is negative"),
        (body(-0.1, 1, 1, turn=0.4), "not positive semidefinite"),
        (body(-1e-3, 1, 1), "not positive semidefinite"),
        (body(-0.1, 1, 1, mass=0), "not positive semidefinite"),
        (body(1, 1, 1, mass=float("nan")), "not finite"),
        (body(1, 1, 1, mass=float("inf")), "not finite"),
        (body(1e150, 1e150, 1e150), "beyond 1e+12"),
    ],
)
def test_impossible_bodies(impossible, wanted):
    assert wanted in found(impossible, check_body)[0]


@pytest.mark.parametrize(
    ("odd", "wanted"),
    [
        (body(1, 1, 3), "exceeds the sum of the other two"),
        (body(1, 2, 3.1, turn=1.0), "exceeds the sum of the other two"),
        (body(1, 1, 1, mass=0), "inertia is not zero but the mass is"),
        (body(-4e-8, 4e-8, 9e-8, mass=1e-6), "not positive semidefinite"),  # a stand-in of 1 mg
    ],
)
def test_odd_bodies(odd, wanted):
    errors, notes = found(odd, check_body)
    assert errors == ""
    assert wanted in notes


@pytest.mark.parametrize(
    ("drive", "wanted"),
    [
        (Drive(rotor_inertia=-1), "rotor inertia -1 is negative"),
        (Drive(viscous=-1), "viscous friction -1 is negative"),
        (Drive(coulomb_minus=-1), "Coulomb friction -1 is negative"),
        (Drive(gear_ratio=0), "gear ratio is 0"),
        (Drive(gear_ratio=1e200), "finite square"),
        (Drive(viscous=float("inf")), "beyond 1e+12"),
        (Drive(stiffness=float("nan")), "beyond 1e+12"),
        (Drive(stiffness=-1), "stiffness -1 is negative"),
    ],
)
def test_impossible_drives(drive, wanted):
    assert wanted in found(drive, check_drive_alone)[0]


def test_sound_drive():
    assert found(Drive(1, -50, 1, 1, 2, 3, -4), check_drive) == ("", "")


@pytest.mark.parametrize("sound", [Limits(), Limits(-1.0, 1.0, 2.0, 3.0), Limits(0.5, 0.5, 0.0, 0.0)])
def test_sound_limits(sound):
    """Zero is a limit: many files have it where nothing is known."""
    assert found(sound, check_limits) == ("", "")


@pytest.mark.parametrize(
    ("odd", "wanted"),
    [
        (Limits(1.0, 0.5), "the lower limit 1 is above the upper limit 0.5"),
        (Limits(velocity=-1.0), "the velocity limit -1 is negative"),
        (Limits(effort=-2.0), "the effort limit -2 is negative"),
    ],
)
def test_odd_limits(odd, wanted):
    errors, notes = found(odd, check_limits)
    assert errors == ""
    assert wanted in notes


def test_a_drive_without_anything_is_sound():
    assert found(Drive(), check_drive_alone) == ("", "")
