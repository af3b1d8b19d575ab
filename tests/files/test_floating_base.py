"""Trajectories of robots whose base floats: columns by name, quaternions, derivatives, in all ways they are read."""

from __future__ import annotations

import io

import numpy as np
import pytest
from checks import assert_near

import rne
from rne.model.floating import columns_of

BODY = """<link name="{0}"><inertial><mass value="2"/><inertia ixx=".1" iyy=".2" izz=".25" ixy="0" ixz="0" iyz="0"/>
</inertial></link>"""
JOINT = '<joint name="turn" type="continuous"><parent link="hull"/><child link="arm"/><axis xyz="0 1 0"/></joint>'
ROBOT = rne.load_urdf(f'<robot name="flyer">{BODY.format("hull")}{BODY.format("arm")}{JOINT}</robot>', floating=True)
STEPS = 400


def motion():
    """A flight of two seconds, as it is calculated."""
    qd = [0.3, -0.2, 0.1, 2.0, 3.0, -1.0, 4.0]
    return rne.simulate(ROBOT, rne.neutral(ROBOT), qd, np.linspace(0, 2, STEPS), tau=[0, 0, 39.24, 0, 0, 0, 0.1])


MOTION = motion()


def text(columns, values, **more):
    """A CSV of columns by name."""
    table = {**dict(zip(columns, values.T, strict=True)), **more}
    rows = np.column_stack(list(table.values()))
    lines = "\n".join(",".join("" if np.isnan(x) else repr(float(x)) for x in row) for row in rows)
    return io.BytesIO(f"{','.join(table)}\n{lines}\n".encode())


def read(stream, **options):
    with rne.files.Trajectory(stream, ROBOT, quantities=("q", "qd", "qdd", "tau"), **options) as file:
        return rne.files.joined(list(file))


def test_columns_are_found_by_name_in_any_order():
    """The scalar of a quaternion in front, as in MuJoCo, is known by its name."""
    names = ["q_base_qw", *[c for c in columns_of(ROBOT, "q") if c != "q_base_qw"]]
    q = MOTION.q[:, [6, 0, 1, 2, 3, 4, 5, 7]]
    chunk = read(text([*names, *columns_of(ROBOT, "qd")], np.hstack([q, MOTION.qd])))
    np.testing.assert_array_equal(chunk.arrays["q"], MOTION.q)
    np.testing.assert_array_equal(chunk.arrays["qd"], MOTION.qd)


@pytest.mark.parametrize("kind", ["csv", "npz", "npy", "parquet"])
def test_what_is_written_is_read(tmp_path, kind):
    path = tmp_path / f"motion.{kind}"
    arrays = {"q": MOTION.q, "qd": MOTION.qd}
    with rne.files.Results(path, {key: columns_of(ROBOT, key) for key in arrays}) as results:
        results.write(None, arrays)
    chunk = read(path)
    for key, array in arrays.items():
        np.testing.assert_array_equal(chunk.arrays[key], array)


def test_patterns_and_units():
    names = [f"pos:{name}" for name in ROBOT.position_names]
    q = MOTION.q.copy()
    q[:, 7] = np.degrees(q[:, 7])
    chunk = read(text(names, q), rename={"q": "pos:{joint}"}, units={"q": "deg"})
    assert_near(chunk.arrays["q"], MOTION.q, 1e-14)
    names = [*columns_of(ROBOT, "q")[:7], "axis1"]
    chunk = read(text(names, MOTION.q), rename={"q": "axis{1}"})
    np.testing.assert_array_equal(chunk.arrays["q"], MOTION.q)
    listed = ["x", "y", "z", "i", "j", "k", "w", "turn"]
    chunk = read(text(listed, MOTION.q), rename={"q": listed})
    np.testing.assert_array_equal(chunk.arrays["q"], MOTION.q)


def test_what_is_no_pose_is_refused_with_row_and_columns():
    q = MOTION.q.copy()
    q[17, 3:7] *= 1.002
    with pytest.raises(rne.FileError, match=r"row 18: columns 'q_base_qx' to 'q_base_qw'.*of length 1\.002"):
        read(text(columns_of(ROBOT, "q"), q))
    q[17, 3:7] /= 1.0015
    read(text(columns_of(ROBOT, "q"), q))
    with pytest.raises(rne.FileError, match=r"line 1.*missing columns: q_base_qy|:1: missing columns: q_base_qy"):
        read(text([c for c in columns_of(ROBOT, "q") if c != "q_base_qy"], np.delete(q, 4, axis=1)))
    fixed = rne.load_urdf(f'<robot name="arm">{BODY.format("hull")}{BODY.format("arm")}{JOINT}</robot>')
    with pytest.raises(rne.FileError, match=r"columns of a base that floats: q_base_x.*--floating"):
        rne.files.Trajectory(text(columns_of(ROBOT, "q"), MOTION.q), fixed)


@pytest.mark.parametrize("chunk", [None, 37])
def test_derivatives_are_in_the_axes_of_the_base(chunk):
    """Signs of the quaternions jump in the file; forces are those that were applied."""
    q = MOTION.q.copy()
    q[np.random.default_rng(2).random(STEPS) < 0.4, 3:7] *= -1
    stream = text(columns_of(ROBOT, "q"), q, t=MOTION.t)
    with rne.files.Trajectory(stream, ROBOT, chunk=chunk) as file:
        made = rne.files.joined([part() for part in rne.files.Differentiated(file).pieces()])
    inside = slice(60, -60)
    assert_near(made.arrays["qd"][inside], MOTION.qd[inside], 1e-6)
    tau = rne.inverse_dynamics(ROBOT, *(made.arrays[key][inside] for key in ("q", "qd", "qdd")))
    assert_near(tau, MOTION.tau[inside], 1e-4)
    whole = rne.differentiate(MOTION.t, q, robot=ROBOT)
    assert_near(made.arrays["qdd"][inside], whole.qdd[inside], 1e-9)


def test_accelerations_from_velocities():
    qdd = rne.forward_dynamics(ROBOT, MOTION.q, MOTION.qd, MOTION.tau)
    columns = [*columns_of(ROBOT, "q"), *columns_of(ROBOT, "qd"), *columns_of(ROBOT, "tau")]
    stream = text(columns, np.hstack([MOTION.q, MOTION.qd, MOTION.tau]), t=MOTION.t)
    with rne.files.Trajectory(stream, ROBOT, quantities=("q", "qd", "qdd", "tau")) as file:
        source = rne.files.Differentiated(file)
        made = rne.files.joined([part() for part in source.pieces()])
    inside = slice(60, -60)
    assert_near(made.arrays["qdd"][inside], qdd[inside], 1e-4)
    assert_near(made.arrays["tau"][inside], MOTION.tau[inside], 1e-6)
    assert source.torque_noise() is None or source.torque_noise().shape == (7,)


@pytest.mark.parametrize(("fill", "tolerance"), [("last", 0.08), ("linear", 1e-3)])
def test_gaps_are_filled_with_quaternions(fill, tolerance):
    q = MOTION.q.copy()
    q[1::2, 3:7] *= -1
    q[100:103, 4] = np.nan
    q[200, 3:7] = np.nan
    chunk = read(text(columns_of(ROBOT, "q"), q, t=MOTION.t), fill=fill)
    found = chunk.arrays["q"]
    assert_near(np.linalg.norm(found[:, 3:7], axis=1), np.ones(STEPS), 1e-12)
    turned = np.abs(np.einsum("ij,ij->i", found[:, 3:7], MOTION.q[:, 3:7]))
    assert 2 * np.arccos(min(turned.min(), 1.0)) < tolerance
