"""The rule of which bodies can exist, by its properties, and that all who ask go by it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rne
from rne.bodies.physical import (
    INDEFINITE,
    INERTIA_WITHOUT_MASS,
    MASS_NEGATIVE,
    MOMENT_ROUNDING,
    MOMENT_WITHOUT_MASS,
    TRIANGLE,
    TRIANGLE_ROUNDING,
    about_center,
    faults,
    nearest_inertia,
    refusal,
)

SEEDS = st.integers(0, 2**32 - 1)
SIZES = st.sampled_from([1e-6, 1e-3, 1.0, 1e3])


def points(seed: int, count: int, size: float) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.uniform(0.01, 1.0, count) * 10.0 ** rng.uniform(-4, 3), size * rng.normal(size=(count, 3))


def moments_about(origin, masses, places) -> np.ndarray:
    """Inertia tensor of points by its definition."""
    tensor = np.zeros((3, 3))
    for m, r in zip(masses, places - origin, strict=True):
        tensor += m * (r @ r * np.eye(3) - np.outer(r, r))
    return tensor


def turn(seed: int) -> np.ndarray:
    Q, R = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))
    return Q * np.sign(np.diag(R))


def codes(*body) -> list[str]:
    return [fault.code for fault in faults(*body)]


@given(SEEDS, st.integers(1, 6), SIZES, st.floats(0.0, 100.0))
def test_what_is_made_of_point_masses_can_exist(seed, count, size, away):
    """One point is a point, two are a rod, three a plate: all on the boundary; far from the origin as well."""
    masses, places = points(seed, count, size)
    places += away * np.ones(3)
    com = masses @ places / masses.sum()
    assert faults(masses.sum(), com, moments_about(com, masses, places)) == ()
    about_origin = moments_about(np.zeros(3), masses, places)
    center, tensor, rest = about_center(masses.sum(), masses @ places, about_origin)
    assert not rest.any()
    np.testing.assert_allclose(center, com, rtol=1e-12, atol=1e-12 * size)
    assert faults(masses.sum(), center, tensor) == ()
    assert rne.Inertia(masses.sum(), center, tensor).is_physical


@given(SEEDS, st.sampled_from([1e-3, 1.0, 1e3]), st.floats(0.1, 1.0))
def test_ten_tolerances_beyond_the_triangle_inequality_are_told(seed, size, share):
    """The largest moment of a plate is the sum of the others; half a tolerance more is rounding, ten are not."""
    Q, a = turn(seed), size**2
    b = a * share
    for steps, wanted in ((-10, []), (0.5, []), (10, [TRIANGLE])):
        largest = (a + b) / (1 - steps * TRIANGLE_ROUNDING)
        assert codes(1.0, np.zeros(3), Q @ np.diag([a, b, largest]) @ Q.T) == wanted


def test_within_a_micrometer_moments_are_noise():
    assert codes(1.0, np.zeros(3), 0.4e-12 * np.diag([-1.0, 0.0, 1.0])) == []
    assert codes(1.0, np.zeros(3), 9e-12 * np.diag([-1.0, 0.0, 1.0])) == [INDEFINITE]


@given(SEEDS, st.sampled_from([1e-3, 1.0, 1e3]))
def test_ten_tolerances_below_zero_are_told(seed, size):
    """A rod has no moment about itself; half a tolerance less is rounding, ten are not."""
    Q = turn(seed)
    for steps, wanted in ((-10, []), (0.5, []), (10, [INDEFINITE])):
        moments = size**2 * np.array([-steps * MOMENT_ROUNDING, 1.0, 1.0])
        assert codes(size**2 * 1e-6, np.zeros(3), Q @ np.diag(moments) @ Q.T) == wanted


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ((-1e-300, np.zeros(3), np.zeros((3, 3))), [MASS_NEGATIVE]),
        ((0.0, np.zeros(3), np.zeros((3, 3))), []),
        ((0.0, np.ones(3), np.zeros((3, 3))), []),  # a place of nothing is nothing
        ((0.0, np.zeros(3), np.eye(3)), [INERTIA_WITHOUT_MASS]),
        ((0.0, np.zeros(3), np.zeros((3, 3)), [0.0, 1e-9, 0.0]), [MOMENT_WITHOUT_MASS]),
        ((0.0, np.zeros(3), np.eye(3), [1.0, 0.0, 0.0]), [MOMENT_WITHOUT_MASS, INERTIA_WITHOUT_MASS]),
        ((-1.0, np.zeros(3), np.diag([-1.0, 1.0, 1.0])), [MASS_NEGATIVE, INDEFINITE]),
        # Moments about the origin, mass not at the origin: m |com|^2 = 4 is more than the inertia has.
        ((1.0, np.zeros(3), 3 * np.eye(3), [2.0, 0.0, 0.0]), [INDEFINITE]),
        ((1.0, np.zeros(3), np.diag([0.0, 4.0, 4.0]), [2.0, 0.0, 0.0]), []),
    ],
)
def test_each_fault_is_told(body, wanted):
    assert codes(*body) == wanted
    first = [code for code in wanted if code != INERTIA_WITHOUT_MASS]
    fault = refusal(*body)
    assert (fault is None) == (not first)
    assert fault is None or fault.code == first[0]


@given(SEEDS)
def test_the_rule_is_that_of_the_pseudo_inertia(seed):
    """Wensing, Kim, Slotine 2018: a body exists if its 4x4 pseudo-inertia is positive semidefinite."""
    rng = np.random.default_rng(seed)
    half = rng.normal(size=(3, 3))
    body = rne.Inertia(rng.uniform(0.1, 3.0), rng.normal(size=3), half + half.T + rng.uniform(0, 4) * np.eye(3))
    lowest = np.linalg.eigvalsh(body.pseudo)[0]
    if abs(lowest) > 0.02 * np.abs(body.pseudo).max():  # far from the boundary, where there is no tolerance
        assert body.is_physical == (lowest > 0)


def test_impossible_moments_stay_about_the_origin():
    """A mass that is all but regrouped away has its center of mass far off, and moments about it no digits."""
    tensor, first = np.diag([0.2, 0.3, 0.4]), np.array([0.1, 0.2, 0.3])
    for mass in (0.0, 1e-18, -1e-18):
        com, inertia, rest = about_center(mass, first, tensor)
        assert not com.any()
        np.testing.assert_array_equal(inertia, tensor)
        np.testing.assert_array_equal(rest, first)


@given(SEEDS)
def test_the_nearest_inertia_can_exist(seed):
    half = np.random.default_rng(seed).normal(size=(3, 3))
    assert faults(1.0, np.zeros(3), nearest_inertia(half + half.T)) == ()


# ------------------------------------------------------------------------------------- the same rule for all who ask

URDF = """<robot name="r"><link name="base"/><link name="arm"><inertial><mass value="{0}"/>
  <inertia ixx="{1}" iyy="{2}" izz="{3}" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="j" type="continuous"><parent link="base"/><child link="arm"/></joint></robot>"""
SOUND = rne.load_urdf(URDF.format(1.0, 1.0, 1.0, 1.0))


@pytest.mark.parametrize(
    ("moments", "fault"),
    [
        ((1.0, 1.0, 2.0015), None),
        ((0.123, 0.456, 0.580), None),
        ((0.123, 0.456, 0.600), TRIANGLE),
        ((-1e-7, 1.0, 1.0), None),
        ((-1e-5, 1.0, 1.0), INDEFINITE),
    ],
)
def test_all_callers_agree(moments, fault, recwarn):
    tensor = np.diag(moments)
    text = URDF.format(1.0, *moments)
    robot = rne.load_urdf(text, strict=False)
    assert [note.code for note in robot.tree.notes] == ([fault] if fault else [])
    assert rne.Inertia(1.0, tensor=tensor).is_physical == (fault is None)
    row = [1.0, 0.0, 0.0, 0.0, *tensor[np.triu_indices(3)]]
    said = {finding.code for finding in rne.diagnose(SOUND.with_parameters(row, strict=False)).findings}
    assert said & {TRIANGLE, INDEFINITE} == ({fault} if fault else set())
    assert {finding.code for finding in rne.diagnose(robot).findings} & {TRIANGLE, INDEFINITE} == (
        {fault} if fault else set()
    )
    rows = [{"joint": "revolute", "mass": 1.0, "inertia": tensor.tolist()}]
    notes = rne.from_dh(rows, convention="standard", strict=False).tree.notes
    assert [note.code for note in notes] == ([fault] if fault else [])
    assert rne.load_urdf(text, strict=False).with_parameters(row).n == 1  # what it has already, it may keep
    if fault is None:
        assert rne.load_urdf(text).n == 1
        SOUND.with_parameters(row)
        SOUND.with_payload(1.0, inertia=tensor)
        return
    if fault == INDEFINITE:
        with pytest.raises(rne.ModelError, match="semidefinite"):
            rne.load_urdf(text)
    with pytest.raises(rne.ArgumentError, match=r"pi: the numbers .* of joint 'j' are .*principal moments"):
        SOUND.with_parameters(row)
    with pytest.raises(rne.ArgumentError, match=r"inertia: the principal moments .* are not physical"):
        SOUND.with_payload(1.0, inertia=tensor)


def test_the_doctor_goes_by_what_a_robot_is_now(recwarn):
    """Notes of a file are not repeated once the body that they are about is another."""
    robot = rne.load_urdf(URDF.format(1.0, 1.0, 1.0, 3.0))
    assert TRIANGLE in {finding.code for finding in rne.diagnose(robot).findings}
    mended = robot.with_parameters(rne.parameters(SOUND))
    assert TRIANGLE not in {finding.code for finding in rne.diagnose(mended).findings}
