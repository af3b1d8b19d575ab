"""Logs as machines write them: units, times, joints by name. Right answers come from the motion behind each file."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

import rne
from rne.files import Differentiated, Results, Trajectory, joined, seconds

T = np.arange(400) / 250.0
ORDER = ("pitch", "reach", "roll", "shoulder", "turret", "yaw")  # not that of the robot


def motion_of(robot, t=T):
    """Sines and their derivatives, within the limits of the robot."""
    rate = 1 + np.arange(robot.n) / 3
    phase = np.outer(t, rate)
    return 0.2 * np.sin(phase), 0.2 * rate * np.cos(phase), -0.2 * rate**2 * np.sin(phase)


def table_of(robot, order=None, form="position_{}", q=None):
    q = motion_of(robot)[0] if q is None else q
    names = list(robot.joint_names)
    return {form.format(k if order else joint): q[:, names.index(joint)] for k, joint in enumerate(order or names)}


def write(path, columns):
    parquet.write_table(pa.table(columns), path)
    return path


def read(path, robot, **options):
    with Trajectory(path, robot, **options) as motion:
        return motion, joined(list(motion))


def since_first(chunk):
    t = seconds("m", chunk.t, origin=chunk.t[0])
    return t - t[0]


def csv_of(columns, separator=","):
    rows = zip(*([str(x) for x in column] for column in columns.values()), strict=True)
    return "\n".join([separator.join(columns), *map(separator.join, rows)]) + "\n"


def test_units_become_si(robot, tmp_path) -> None:
    q, qd, qdd = motion_of(robot)
    angle = np.array([robot.joint(name).kind == "revolute" for name in robot.joint_names])
    assert 0 < angle.sum() < robot.n
    columns = {f"q_{j}": q[:, k] * (180 / np.pi if angle[k] else 1e3) for k, j in enumerate(robot.joint_names)}
    columns |= {f"qd_{j}": qd[:, k] * (30 / np.pi if angle[k] else 1) for k, j in enumerate(robot.joint_names)}
    columns |= {f"tau_{j}": qdd[:, k] / (k + 1) for k, j in enumerate(robot.joint_names)}
    path = write(tmp_path / "m.parquet", columns)
    gains = ",".join(str(k + 1) for k in range(robot.n))
    units = {"q": "deg,mm", "qd": "rpm", "tau": f"A:{gains}"}
    got = read(path, robot, quantities=["q", "qd", "tau"], units=units)[1].arrays
    for key, wanted in (("q", q), ("qd", qd), ("tau", qdd)):
        np.testing.assert_allclose(got[key], wanted, rtol=1e-14, atol=1e-17)
    each = ",".join("deg" if is_angle else "mm" for is_angle in angle)
    np.testing.assert_array_equal(read(path, robot, quantities=["q"], units={"q": each})[1].arrays["q"], got["q"])
    share = {"tau": "%:" + ",".join(str(100 * (k + 1)) for k in range(robot.n))}
    np.testing.assert_allclose(
        read(path, robot, quantities=["q", "tau"], units=share)[1].arrays["tau"], qdd, rtol=1e-14, atol=1e-17
    )


def test_gains_stand_in_the_order_of_joints(robot, tmp_path) -> None:
    q, qd, _ = motion_of(robot)
    joints, names = ["gripper", *ORDER], list(robot.joint_names)
    gain = dict(zip(joints, range(3, 10), strict=True))
    angle = {name: robot.joint(name).kind == "revolute" for name in names}
    columns = {f"p{k}": q[:, names.index(j)] * (180 / np.pi if angle[j] else 1e3) for k, j in enumerate(joints) if k}
    columns |= {f"i{k}": qd[:, names.index(j)] / gain[j] for k, j in enumerate(joints) if k}
    path = write(tmp_path / "m.parquet", columns)
    units = {
        "q": ",".join("deg" if angle.get(j, True) else "mm" for j in joints),
        "tau": f"A:{','.join(str(gain[j]) for j in joints)}",
    }
    options = {"quantities": ["q", "tau"], "rename": {"q": "p{0}", "tau": "i{0}"}, "joints": joints}
    got = read(path, robot, units=units, **options)[1].arrays
    np.testing.assert_allclose(got["q"], q, rtol=1e-14, atol=1e-17)
    np.testing.assert_allclose(got["tau"], qd, rtol=1e-14, atol=1e-17)
    with pytest.raises(rne.ArgumentError, match=r"wanted 1 or 7 numbers after A: \(gripper, pitch"):
        read(path, robot, units={"tau": "A:1,2,3,4,5,6"}, **options)


@pytest.mark.parametrize(
    ("units", "told"),
    [
        ({"q": "furlong"}, "wanted of rad, deg"),
        ({"q": "deg,deg"}, "wanted one unit, or 6"),
        ({"q": "mm,mm,mm,mm,mm,mm"}, "turret is an angle"),
        ({"tau": "A"}, "wanted A:GAIN"),
        ({"tau": "A:1,2"}, "wanted 1 or 6 numbers"),
        ({"x": "deg"}, "wanted a mapping from q, qd, qdd or tau"),
    ],
)
def test_units_refused(robot, motion, tmp_path, units, told) -> None:
    path = write(tmp_path / "m.parquet", motion)
    with pytest.raises(rne.ArgumentError, match=told):
        Trajectory(path, robot, units=units)


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("kind", ["csv", "parquet", "float"])
def test_units_of_time_survive_a_conversion(robot, tmp_path, unit, kind) -> None:
    """What is written of times since 1970 is read back as the same steps, to the last nanosecond."""
    size = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[unit]
    counts = 1_700_000_000 * size + np.arange(400) * max(1, size // 250)
    q = motion_of(robot)[0]
    names = [f"q_{joint}" for joint in robot.joint_names]
    t = counts.astype(float) if kind == "float" else counts
    columns = {"stamp": t, **{name: q[:, k] for k, name in enumerate(names)}}
    path = tmp_path / ("m.csv" if kind == "csv" else "m.parquet")
    path.write_text(csv_of(columns)) if kind == "csv" else write(path, columns)
    motion, chunk = read(path, robot, rename={"t": "stamp"}, time_unit=unit)
    steps = (counts - counts[0]) / size
    rounding = 5e-7 if kind == "float" else 0  # a float has no more of seconds since 1970
    np.testing.assert_allclose(since_first(chunk), steps, rtol=0, atol=rounding)
    for suffix in ("csv", "parquet", "arrow"):
        again = tmp_path / f"again.{suffix}"
        with Results(again, {"q": names}, time=motion.time_type) as results:
            results.write(chunk.t, {"q": chunk.arrays["q"]})
        copy = read(again, robot)[1]
        np.testing.assert_allclose(since_first(copy), steps, rtol=0, atol=rounding)


def test_durations_and_clocks(robot, tmp_path) -> None:
    durations = pa.array([1, -2_500_000_000, None, 10**18 + 7], pa.duration("ns"))
    names = {"q": [f"q_{joint}" for joint in robot.joint_names]}
    with Results(tmp_path / "m.csv", names, time=durations.type) as results:
        results.write(durations, {"q": np.zeros((4, robot.n))})
    lines = (tmp_path / "m.csv").read_text().splitlines()
    assert [line.split(",")[0] for line in lines[1:]] == ["0.000000001", "-2.5", "nan", "1000000000.000000007"]
    clocks = pa.array(["0 days 00:00:00.010000", "1 days 02:03:04", "-1 days +23:59:59.5", "00:01:01.25"])
    assert seconds("m", clocks).tolist() == [0.01, 93784.0, -0.5, 61.25]


def test_times_in_two_columns(robot, tmp_path) -> None:
    nanoseconds = 1_700_000_000_900_000_000 + np.arange(400) * 4_000_000  # passes a whole second
    columns = {"stamp.sec": nanoseconds // 10**9, "stamp.nanosec": nanoseconds % 10**9, **table_of(robot, form="q_{}")}
    wanted = np.arange(400) / 250
    for path in (write(tmp_path / "m.parquet", columns), tmp_path / "m.csv"):
        if path.suffix == ".csv":
            path.write_text(csv_of(columns))
        chunk = read(path, robot, rename={"t": "stamp.sec+stamp.nanosec"}, chunk=7)[1]
        np.testing.assert_array_equal(seconds("m", chunk.t, origin=chunk.t[0]), wanted)
        with pytest.raises(rne.FileError, match=r"nanoseconds within each second alone.*t=stamp.sec\+stamp.nanosec"):
            Trajectory(path, robot, rename={"t": "stamp.nanosec"})
    alone = {**columns, "stamp.sec": columns["stamp.sec"].astype(float)}
    for path in (write(tmp_path / "m.parquet", alone), tmp_path / "m.csv"):
        with Trajectory(path, robot, rename={"t": "stamp.sec"}) as motion:
            with pytest.raises(rne.FileError, match=r"whole seconds alone.*'t=stamp.sec\+stamp.nanosec'"):
                next(iter(Differentiated(motion).pieces()))
            list(motion)
            assert "--columns 't=stamp.sec+stamp.nanosec'" in " ".join(motion.doubts())
    del alone["stamp.nanosec"]
    motion = read(write(tmp_path / "m.parquet", alone), robot, rename={"t": "stamp.sec"})[0]
    assert "column 'stamp.sec' is too coarse" in " ".join(motion.doubts())
    columns["stamp.nanosec"] = np.where(np.arange(400) == 11, 10**9, columns["stamp.nanosec"])
    with pytest.raises(rne.FileError, match="row 12: 1000000000 nanoseconds are not a fraction of a second"):
        read(write(tmp_path / "m.parquet", columns), robot, rename={"t": "stamp.sec+stamp.nanosec"})


def names_beside(robot, order=ORDER):
    q = motion_of(robot)[0]
    names = list(robot.joint_names)
    columns = {"%time": 1_700_000_000_000_000_000 + np.arange(400) * 4_000_000}
    columns |= {f"field.name{k}": [joint] * 400 for k, joint in enumerate(order)}
    return columns | {f"field.position{k}": q[:, names.index(joint)] for k, joint in enumerate(order)}


@pytest.mark.parametrize("suffix", ["csv", "parquet", "arrow"])
@pytest.mark.parametrize("rename", [None, {"q": "field.position{0}", "t": "%time"}])
def test_joints_by_the_names_in_the_file(robot, tmp_path, suffix, rename) -> None:
    path = tmp_path / f"m.{suffix}"
    if suffix == "csv":
        path.write_text(csv_of(names_beside(robot)))
    elif suffix == "arrow":
        with pa.OSFile(str(path), "w") as file, pa.ipc.new_file(file, pa.table(names_beside(robot)).schema) as writer:
            writer.write_table(pa.table(names_beside(robot)))
    else:
        write(path, names_beside(robot))
    motion, chunk = read(path, robot, rename=rename, chunk=33)
    np.testing.assert_array_equal(chunk.arrays["q"], motion_of(robot)[0])
    np.testing.assert_array_equal(seconds("m", chunk.t, origin=chunk.t[0]), T)
    assert any("joints by the names in the columns field.name0" in remark for remark in motion.columns.remarks)


def test_names_that_change_on_the_way_are_refused(robot, tmp_path) -> None:
    columns = names_beside(robot)
    columns["field.name2"] = [*columns["field.name2"][:300], *["yaw"] * 100]
    path = tmp_path / "m.csv"
    path.write_text(csv_of(columns))
    with pytest.raises(
        rne.FileError, match=r"row 301: column 'field.name2': joint 'yaw' stands where the first row has 'roll'"
    ):
        read(path, robot, chunk=50)


def test_numbers_against_names_elsewhere(robot, tmp_path) -> None:
    """Numbers follow the order of the robot; where the file shows another, it must be said which counts."""
    columns = table_of(robot, ORDER) | table_of(robot, form="effort_{}")
    efforts = {f"effort_{joint}": columns[f"effort_{joint}"] for joint in ORDER}
    columns = {key: column for key, column in columns.items() if key not in efforts} | efforts
    path = write(tmp_path / "m.parquet", columns)
    with pytest.raises(rne.FileError, match=f"in the order {', '.join(ORDER)}.*--joints {','.join(ORDER)}"):
        Trajectory(path, robot, rename={"q": "position_{0}"})
    got = read(path, robot, rename={"q": "position_{0}"}, joints=ORDER)[1].arrays["q"]
    np.testing.assert_array_equal(got, motion_of(robot)[0])
    more = read(path, robot, rename={"q": [f"position_{k}" for k in range(6)]}, joints=ORDER)[1].arrays["q"]
    np.testing.assert_array_equal(more, got)
    listed = ",".join(f"position_{ORDER.index(joint)}" for joint in robot.joint_names)
    np.testing.assert_array_equal(read(path, robot, rename={"q": listed})[1].arrays["q"], got)
    with pytest.raises(rne.ArgumentError, match=r"joints of .* that are not named: yaw"):
        Trajectory(path, robot, rename={"q": "position_{0}"}, joints=ORDER[:-1])
    with pytest.raises(rne.ArgumentError, match="q: wanted 6 columns"):
        Trajectory(path, robot, rename={"q": "position_0,position_1"})


def test_missing_columns_tell_the_pattern_that_fits(robot, tmp_path) -> None:
    columns = {"header.stamp.sec": [1.0] * 400, "header.stamp.nanosec": [1.0] * 400}
    columns |= table_of(robot, form="effort_{}") | table_of(robot, ORDER, "desired_position[{}]")
    columns |= table_of(robot, ORDER, "actual_position[{}]")
    with pytest.raises(rne.FileError) as caught:
        Trajectory(write(tmp_path / "m.parquet", columns), robot)
    told = str(caught.value)
    assert "--columns 't=header.stamp.sec+header.stamp.nanosec'" in told
    assert "--columns 'q=actual_position[{0}]'" in told
    assert "effort_" not in told.partition("; try ")[2]
    alone = {f"effort_{joint}": T for joint in robot.joint_names}
    with pytest.raises(rne.FileError) as caught:
        Trajectory(write(tmp_path / "m.parquet", alone), robot)
    assert "did you mean" not in str(caught.value)
    assert "; try" not in str(caught.value)


def test_columns_twice_that_nobody_asked_for(robot, tmp_path) -> None:
    columns = table_of(robot, form="q_{}")
    path = tmp_path / "m.csv"
    path.write_text(csv_of({"a": T, **columns}).replace("a,", "b,b,", 1).replace("\n0", "\n9,0"))
    text = csv_of({"a": T, "c": T, **columns}).splitlines()
    path.write_text("\n".join([text[0].replace("a,c", "b,b"), *text[1:]]))
    np.testing.assert_allclose(read(path, robot)[1].arrays["q"], motion_of(robot)[0])
    path.write_text("\n".join([text[0].replace("a,c", "b,q_roll"), *text[1:]]))
    with pytest.raises(rne.FileError, match="duplicate columns: q_roll"):
        Trajectory(path, robot)


def test_wrenches_by_other_names(robot, tmp_path) -> None:
    frame = robot.frame_names[-1]
    wrench = np.random.default_rng(0).normal(size=(400, 6))
    columns = table_of(robot, form="q_{}") | {
        f"ft_{part}": wrench[:, k] for k, part in enumerate(("fx", "fy", "fz", "mx", "my", "mz"))
    }
    path = write(tmp_path / "m.parquet", columns)
    for pattern in ("ft_{axis}", "ft_fx,ft_fy,ft_fz,ft_mx,ft_my,ft_mz"):
        chunk = read(path, robot, rename={f"f_ext:{frame}": pattern})[1]
        np.testing.assert_array_equal(chunk.wrenches[frame], wrench)
    with pytest.raises(rne.UnknownNameError, match="no frame is named 'nowhere'"):
        Trajectory(path, robot, rename={"f_ext:nowhere": "ft_{axis}"})
    with pytest.raises(rne.ArgumentError, match="wanted six columns"):
        Trajectory(path, robot, rename={f"f_ext:{frame}": "ft_fx,ft_fy"})


def test_hints_where_units_look_wrong(robot, tmp_path) -> None:
    q, qd, _ = motion_of(robot)
    names = robot.joint_names

    def doubts(q, qd, t, **options):
        columns = (
            {"t": t}
            | {f"q_{j}": q[:, k] for k, j in enumerate(names)}
            | {f"qd_{j}": qd[:, k] for k, j in enumerate(names)}
        )
        with Trajectory(write(tmp_path / "m.parquet", columns), robot, **options) as motion:
            list(motion)
            return " ".join(motion.doubts(True))

    angle = np.array([robot.joint(name).kind == "revolute" for name in names])
    degrees = np.where(angle, 180 / np.pi, 1.0)
    assert doubts(q, qd, T) == ""
    assert "--time-unit ms" in doubts(q, qd, T * 1e3)
    assert "--time-unit us" in doubts(q, qd, T * 1e6)
    assert doubts(q, qd, (T * 1e3).round().astype(int), time_unit="ms") == ""
    assert "--unit q=deg" in doubts(8 * q * degrees, 8 * qd, T)
    assert "--unit qd=deg/s" in doubts(q, qd * 180 / np.pi, T)
    assert "--unit qd=rpm" in doubts(q, qd * 30 / np.pi, T)
    assert doubts(q, qd * 30 / np.pi * angle + qd * ~angle, T, units={"qd": "rpm"}) == ""
    for factor in (-1, -2, 2):
        assert f"d(q)/dt is {1 / factor:.3g} times qd" in doubts(q, factor * qd, T)
    noise = 1e-4 * np.random.default_rng(1).normal(size=q.shape)
    assert doubts(q + noise, qd, T) == ""
    assert "odd for a log" in doubts(q, 0 * qd, T * 1e3)
