"""Bodies and masses that do not fit their neighbors, and slides in millimeters."""

from __future__ import annotations

import numpy as np
import pytest

import rne


def codes(robot: rne.Robot) -> dict[str, list[str]]:
    """Elements of the warnings by code."""
    found: dict[str, list[str]] = {}
    for finding in rne.diagnose(robot, samples=3).findings:
        if finding.severity == "warning":
            found.setdefault(finding.code, []).append(finding.element)
    return found


LIMITS = rne.Limits(-1.0, 1.0, 2.0, 50.0)


def chain(masses=(4.0, 3.0, 2.0), sizes=(0.1, 0.1, 0.1), centers=(0.2, 0.2, 0.2), step=0.4) -> rne.Robot:
    """An arm of cylinders, each at the end of the one before."""
    builder = rne.TreeBuilder("chain")
    for k, (mass, size, center) in enumerate(zip(masses, sizes, centers, strict=True), 1):
        body = rne.Inertia.cylinder(mass, radius=size, length=2 * size).shifted([center, 0.0, 0.0])
        builder.add(f"link{k}", "revolute", xyz=[step, 0, 0], axis=[0, k % 2, 1], inertia=body, limits=LIMITS)
    return builder.robot()


def test_a_sound_chain_is_not_suspected():
    assert codes(chain()) == {}
    assert codes(chain(sizes=(0.4, 0.4, 0.4), centers=(0.6, 0.6, 0.8))) == {}  # wide, with long tools


def test_an_inertia_that_reaches_beyond_the_neighbors():
    """A hand of 2 m on links of 5 cm; the whole robot reaches further than that."""
    lean = chain(sizes=(0.02, 0.02, 0.02), centers=(0.0, 0.0, 0.0), step=0.05)
    assert codes(lean) == {}
    long = rne.TreeBuilder("crane")
    rod = rne.Inertia.rod(2.0, 0.05)
    long.add("mast", "revolute", xyz=[0, 0, 3.0], axis=[0, 1, 0], inertia=rne.Inertia.rod(50.0, 3.0), limits=LIMITS)
    long.add("boom", "revolute", xyz=[0, 0, 3.0], inertia=rne.Inertia.rod(50.0, 3.0), limits=LIMITS)
    for k in range(3):
        long.add(f"small{k}", "revolute", xyz=[0.05, 0, 0], axis=[k % 2, 1, 0], inertia=rod, limits=LIMITS)
    long.add("hand", "revolute", xyz=[0.05, 0, 0], inertia=rne.Inertia.rod(2.0, 2.0), limits=LIMITS)
    assert codes(long.robot()) == {"inertia-beyond-neighbors": ["link 'hand'"]}


def test_a_center_of_mass_beyond_the_neighbors():
    assert codes(chain(centers=(0.2, 0.2, 1.9))) == {"com-beyond-neighbors": ["link 'link3'"]}


@pytest.mark.parametrize(
    ("masses", "elements"),
    [
        ((4.0, 900.0, 2.0), ["joint 'link2_joint'"]),
        ((4.0, 0.004, 3.0), ["joint 'link2_joint'"]),
        ((4.0, 700.0, 4.0), []),
        ((4.0, 3.0, 0.004), []),  # a light tip does no harm
    ],
)
def test_a_mass_out_of_proportion(masses, elements):
    assert codes(chain(masses=masses)).get("mass-neighbors", []) == elements


def test_masses_of_joints_that_are_told_already_are_not_told_twice():
    found = codes(chain(masses=(4.0, 0.0004, 2.0)))
    assert found["mass-ratio"] == ["joint 'link3_joint'"]
    assert "mass-neighbors" not in found


@pytest.mark.parametrize(
    ("limits", "told"),
    [
        ((-0.1, 0.8), False),
        ((-5.0, 5.0), False),  # a rail
        ((0.0, 250.0), True),
        ((-40.0, 0.0), True),
        ((-1e9, 1e9), False),  # stands for none
    ],
)
def test_a_slide_in_millimeters(limits, told):
    builder = rne.TreeBuilder("lift")
    body = rne.Inertia.rod(3.0, 0.3)
    builder.add("carriage", "prismatic", inertia=body, limits=rne.Limits(*limits, 1.0, 100.0))
    builder.add("arm", "revolute", xyz=[0.5, 0, 0], axis=[0, 1, 0], inertia=body, limits=LIMITS)
    found = codes(builder.robot())
    assert found.get("unit-length", []) == (["joint 'carriage_joint'"] if told else [])


def test_a_slide_that_is_far_too_long_for_the_rest():
    hand = rne.TreeBuilder("hand")
    body = rne.Inertia.box(0.2, [0.02, 0.02, 0.04])
    hand.add("palm", "revolute", xyz=[0, 0, 0.05], inertia=body, limits=LIMITS)
    hand.add("finger", "prismatic", xyz=[0, 0.02, 0.04], inertia=body, limits=rne.Limits(0.0, 8.0, 1.0, 10.0))
    assert codes(hand.robot())["unit-length"] == ["joint 'finger_joint'"]


def test_bolted_links_count_as_one():
    """A light bracket between heavy links moves with one of them."""
    builder = rne.TreeBuilder("bracket")
    heavy, light = rne.Inertia.rod(5.0, 0.3), rne.Inertia.rod(0.001, 0.05)
    builder.add("upper", "revolute", xyz=[0, 0, 0.3], axis=[0, 1, 0], inertia=heavy, limits=LIMITS)
    builder.add("bracket", xyz=[0.3, 0, 0], inertia=light)
    builder.add("lower", "revolute", xyz=[0.1, 0, 0], axis=[0, 1, 0], inertia=heavy, limits=LIMITS)
    robot = builder.robot()
    assert codes(robot) == {}
    assert np.isfinite(robot.total_mass)
