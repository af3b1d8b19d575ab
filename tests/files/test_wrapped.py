"""Angles that wrap: unwrapped before differentiation, filled the short way round, or refused."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

import rne
from rne.files import Differentiated, Trajectory, joined


def write(path, columns):
    parquet.write_table(pa.table(columns), path)
    return path


def read(path, robot, **options):
    with Trajectory(path, robot, **options) as motion:
        return motion, joined(list(motion))


@pytest.fixture
def spinner() -> rne.Robot:
    """A continuous joint and a limited one."""
    inertia = '<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/>'
    link = f'<inertial><origin xyz="0.2 0.1 0"/><mass value="1"/>{inertia}</inertial>'
    return rne.load_urdf(
        f"""<robot name="spinner"><link name="base"/><link name="a">{link}</link><link name="b">{link}</link>
        <joint name="spin" type="continuous"><parent link="base"/><child link="a"/><axis xyz="0 0 1"/></joint>
        <joint name="swing" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 1 0"/>
        <limit lower="-7" upper="7" effort="9" velocity="9"/></joint></robot>"""
    )


def wrapped(angle):
    return (angle + np.pi) % (2 * np.pi) - np.pi


@pytest.mark.parametrize("chunk", [None, 1, 7, 100])
def test_continuous_joints_are_unwrapped_before_differentiation(spinner, tmp_path, chunk) -> None:
    t = np.arange(2000) / 200
    spin, swing = 3 * t + 0.5 * np.sin(t), 0.1 * np.cos(t)
    spin_missing = np.where(np.arange(2000) % 50 == 3, np.nan, spin)  # a jump may hide behind a NaN
    path = write(tmp_path / "m.parquet", {"t": t, "q_spin": wrapped(spin), "q_swing": swing})
    with Trajectory(path, spinner, chunk=chunk) as motion:
        made = Differentiated(motion)
        got = joined([read() for read in made.pieces()]).arrays
        assert made.turns == {"spin": int(np.count_nonzero(abs(np.diff(wrapped(spin))) > 3))}
    np.testing.assert_allclose(got["q"][:, 0], rne.differentiate(t, np.column_stack([spin, swing])).q[:, 0], atol=1e-9)
    np.testing.assert_allclose(got["q"][:, 0], spin, atol=1e-6)
    np.testing.assert_allclose(got["qd"][:, 0], 3 + 0.5 * np.cos(t), atol=1e-6)
    np.testing.assert_allclose(got["qdd"][20:-20, 0], -0.5 * np.sin(t)[20:-20], atol=1e-4)
    write(path, {"t": t, "q_spin": wrapped(spin_missing), "q_swing": swing})
    with Trajectory(path, spinner, chunk=chunk) as motion:
        q = joined([read() for read in Differentiated(motion).pieces()]).arrays["q"][:, 0]
    np.testing.assert_allclose(q[~np.isnan(q)], spin[~np.isnan(q)], atol=1e-6)
    assert np.isnan(q).sum() == 40


def test_a_jump_of_a_joint_that_is_not_continuous_is_refused(spinner, tmp_path) -> None:
    t = np.arange(600) / 200
    columns = {"t": t, "q_spin": t, "q_swing": wrapped(2 * t)}
    path = write(tmp_path / "m.parquet", columns)
    row = int(np.argmax(abs(np.diff(columns["q_swing"])) > 3)) + 2

    def derivatives(**options):
        with Trajectory(path, spinner) as motion:
            return joined([read() for read in Differentiated(motion, **options).pieces()]).arrays

    with pytest.raises(rne.FileError, match=f"row {row}: q of swing jumps by -6.* --unwrap swing"):
        derivatives()
    np.testing.assert_allclose(derivatives(unwrap=["swing"])["qd"][:, 1], 2, atol=1e-9)
    assert abs(derivatives(unwrap=[])["qd"][:, 1]).max() > 100
    with pytest.raises(rne.UnknownNameError, match="unwrap: no coordinate is named 'sway'"):
        derivatives(unwrap=["sway"])


@pytest.mark.parametrize("chunk", [None, 1, 13])
def test_filling_goes_the_short_way_round(spinner, tmp_path, chunk) -> None:
    t = np.cumsum(np.random.default_rng(0).uniform(0.002, 0.008, 2000))
    spin, swing = -3 * t, 2 * t  # linear, so that filling is exact
    lost = (np.arange(2000) % 7 == 3) | (np.arange(2000) % 7 == 4)

    def columns(swing):
        made = {"t": t, "q_spin": wrapped(spin), "q_swing": swing}
        return made | {key: np.where(lost, np.nan, made[key]) for key in ("q_spin", "q_swing")}

    q = read(write(tmp_path / "m.parquet", columns(0.1 * swing)), spinner, fill="linear", chunk=chunk)[1].arrays["q"]
    assert abs(wrapped(q[:-7, 0] - spin[:-7])).max() < 1e-12
    assert abs(np.diff(wrapped(spin))[lost[1:] | lost[:-1]]).max() > 6  # it did wrap meanwhile
    path = write(tmp_path / "m.parquet", columns(wrapped(swing)))

    def made(**options):
        with Trajectory(path, spinner, fill="linear", chunk=chunk) as motion:
            return joined([read() for read in Differentiated(motion, **options).pieces()]).arrays

    np.testing.assert_allclose(made(unwrap=["swing"])["q"][:-7], np.column_stack([spin, swing])[:-7], atol=1e-6)
    assert abs(made(unwrap=[])["qd"][:-7, 0]).max() > 100
    with pytest.raises(rne.FileError, match=r"q of swing jumps by -6.*nearly a turn, across rows.*--unwrap swing"):
        read(path, spinner, fill="linear", chunk=chunk)
