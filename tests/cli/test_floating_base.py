"""A base that floats on the command line: trajectories with its columns; shown, fixed on request, or refused."""

from __future__ import annotations

import json

import numpy as np
import pytest
from trajectories import Run, as_csv

import rne
from rne.model.floating import columns_of

ARM = """<link name="base"><inertial><mass value="3"/><inertia ixx=".1" iyy=".2" izz=".2" ixy="0" ixz="0" iyz="0"/>
</inertial></link><link name="arm"><inertial><origin xyz="0.2 0 0"/><mass value="1"/>
<inertia ixx=".01" iyy=".02" izz=".02" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="turn" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/></joint>"""
ROOT = """<link name="world"/><joint name="free" type="floating"><parent link="world"/><child link="base"/></joint>"""


@pytest.fixture
def flyer(tmp_path):
    path = tmp_path / "flyer.urdf"
    path.write_text(f'<robot name="flyer">{ROOT}{ARM}</robot>')
    return str(path)


@pytest.fixture
def motion(tmp_path):
    path = tmp_path / "motion.csv"
    path.write_text("q_turn\n0.1\n0.2\n")
    return str(path)


def test_info_says_so(run: Run, flyer) -> None:
    assert "flyer: 1 joint (1 revolute) on a floating base, 4 kg" in run("info", flyer).stdout
    assert "floating" not in run("info", flyer, "--fixed").stdout.splitlines()[0]


@pytest.fixture
def flight(flyer, tmp_path):
    """A flight in a file, and as it was calculated; quaternions with the scalar in front, as MuJoCo has them."""
    robot = rne.load(flyer)
    tau = [0, 0, 39.24, 0, 0.1, 0, 0.2]
    motion = rne.simulate(robot, rne.neutral(robot), [0.3, 0, 0, 1, 2, 0.5, 1], np.linspace(0, 1, 201), tau=tau)
    qdd = rne.forward_dynamics(robot, motion.q, motion.qd, motion.tau)
    groups = {"q": motion.q, "qd": motion.qd, "qdd": qdd, "tau": motion.tau}
    names = [name for key in groups for name in columns_of(robot, key)]
    table = np.hstack([motion.t[:, None], *groups.values()])
    names.insert(3, names.pop(6))
    table = table[:, [0, 1, 2, 3, 7, 4, 5, 6, *range(8, table.shape[1])]]
    path = tmp_path / "flight.csv"
    path.write_text(as_csv(table, ("t", *names)))
    return path, robot, motion, qdd


def rows(text):
    names, *lines = text.splitlines()
    return names.split(","), np.array([[float(x) for x in line.split(",")] for line in lines])


def test_torques_and_accelerations_of_a_flight(run: Run, flyer, flight) -> None:
    path, robot, motion, qdd = flight
    torques = run("id", flyer, str(path))
    names, found = rows(torques.stdout)
    assert names == ["t", *columns_of(robot, "tau")]
    assert np.abs(found[:, 1:] - motion.tau).max() < 1e-10
    assert "base_vz 39.24 N, base_wx" in torques.stderr
    names, found = rows(run("fd", flyer, str(path)).stdout)
    assert names == ["t", *columns_of(robot, "qdd")]
    assert np.abs(found[:, 1:] - qdd).max() < 1e-9


def test_poses_alone_are_differentiated(run: Run, flyer, flight, tmp_path) -> None:
    path, robot, motion, _ = flight
    poses = tmp_path / "poses.csv"
    poses.write_text(as_csv(np.column_stack([motion.t, motion.q]), ("t", *columns_of(robot, "q"))))
    result = run("id", flyer, str(poses), "--differentiate")
    _, found = rows(result.stdout)
    assert np.abs(found[40:-40, 1:] - motion.tau[40:-40]).max() < 1e-2
    assert "cutoff: base_x" in result.stderr
    copy = tmp_path / "copy.npz"
    assert run("convert", flyer, str(path), "-o", str(copy)).exit_code == 0
    assert np.load(copy)["q"].shape == (201, 8)


def test_what_is_no_pose_is_refused(run: Run, flyer, flight, tmp_path) -> None:
    _, robot, motion, _ = flight
    q, poses = motion.q.copy(), tmp_path / "poses.csv"
    q[4, 3:7] *= 1.01
    poses.write_text(as_csv(q, tuple(columns_of(robot, "q"))))
    result = run("id", flyer, str(poses))
    assert result.exit_code != 0
    assert "row 5: columns 'q_base_qx' to 'q_base_qw'" in result.stderr
    poses.write_text(as_csv(q[:, [0, 1, 2, 3, 4, 5, 7]], (*columns_of(robot, "q")[:6], "q_turn")))
    assert "missing columns: q_base_qw" in run("id", flyer, str(poses)).stderr
    assert "columns of a base that floats" in run("id", flyer, str(poses), "--fixed").stderr


def test_other_commands_take_it(run: Run, flyer, flight, tmp_path) -> None:
    path = str(flight[0])
    assert run("check", flyer).exit_code == 0
    assert json.loads(run("info", flyer, "--json").stdout)["positions"][6] == "base_qw"
    assert "base_vz" in run("residual", flyer, path).stdout
    for kind in ("torque", "power", "energy", "phase", "residual"):
        assert run("plot", flyer, path, "--kind", kind, "-o", str(tmp_path / f"{kind}.svg")).exit_code == 0
    assert run("convert", flyer, "-o", str(tmp_path / "flyer.xml")).exit_code == 0
    assert "on a floating base" in run("info", str(tmp_path / "flyer.xml")).stdout


def test_a_simulation_is_read_by_the_others(run: Run, flyer, tmp_path, monkeypatch) -> None:
    robot, log, out = rne.load(flyer), tmp_path / "log.csv", tmp_path / "motion.csv"
    t = np.linspace(0, 0.5, 6)
    values = np.column_stack(
        [t, np.outer(np.cos(3 * t), [1, 0, 39.24, 0, 0.1, 0, 0.2]), np.outer(t, [0, 1, 0, 0, 0, 1])]
    )
    wrench = [f"{part}_arm" for part in ("fx", "fy", "fz", "mx", "my", "mz")]
    gap = values.copy()
    gap[2, 3], values[2, 3] = np.nan, (values[1, 3] + values[3, 3]) / 2
    log.write_text(as_csv(gap, ("t", *columns_of(robot, "tau"), *wrench)).replace("nan", ""))
    start = ["--q0", "base_z=0.5,turn=0.3", "--qd0", "base_vx=0.1,base_wz=2"]
    wrenches = ["--wrench", "arm", "--fill", "linear"]
    result = run("simulate", flyer, "--torques", log, *wrenches, *start, "--output-rate", "400", "-o", out)
    assert result.exit_code == 0, result.stderr
    wanted = rne.simulate(
        robot, [0, 0, 0.5, 0, 0, 0, 1, 0.3], [0.1, 0, 0, 0, 0, 2, 0], np.linspace(0, 0.5, 201),
        tau=rne.Signal(t, values[:, 1:8]), f_ext={"arm": rne.Signal(t, values[:, 8:])},
    )  # fmt: skip
    names, found = rows(out.read_text())
    assert names == ["t", *(name for key in ("q", "qd", "qdd", "tau") for name in columns_of(robot, key))]
    np.testing.assert_allclose(found[:, 1:9], wanted.q, rtol=0, atol=1e-12)
    np.testing.assert_allclose(found[:, 9:16], wanted.qd, rtol=0, atol=1e-12)
    assert run("plot", flyer, str(out), "-o", str(tmp_path / "motion.svg")).exit_code == 0
    seen = []
    monkeypatch.setattr("rne.viewer.page.Viewer.wait", lambda viewer: seen.append(viewer))
    assert run("view", flyer, str(out), "--no-browser", "--port", "0").exit_code == 0
    np.testing.assert_allclose(seen[0]._motion.q, wanted.q, rtol=0, atol=1e-12)


def test_a_controller_follows_the_joints_of_a_simulated_path(run: Run, flyer, tmp_path) -> None:
    """The law pushes the joints alone; an arm that floats on request, and one number for each of its joints."""
    path, out, robot = tmp_path / "path.csv", tmp_path / "motion.csv", rne.load(flyer)
    assert run("simulate", flyer, "--q0", "0.2", "--qd0", "turn=0.4", "-o", str(path)).exit_code == 0
    law = ["--controller", "pid", "--kp", "5", "--kd", "1", "--rate", "50", "--saturate"]
    assert run("simulate", flyer, *law, "--path", str(path), "-o", str(out)).exit_code == 0
    _, found = rows(out.read_text())
    free = rne.simulate(robot, [0, 0, 0, 0, 0, 0, 1, 0.2], [0, 0, 0, 0, 0, 0, 0.4], np.linspace(0, 1, 101))
    np.testing.assert_allclose(found[:, 1:9], free.q, rtol=0, atol=1e-3)
    for wrong, said in (
        (["--q0", "1,2,3"], "--q0: wanted one number per joint, 1; got 3"),
        (["--q0", "base_qz=0.5"], "q0: wanted a unit quaternion"),
        (["--controller", "pd_gravity", "--kp", "1", "--goal", "0"], "the base of 'flyer' floats"),
    ):
        assert said in run("simulate", flyer, *wrong, "-o", str(out)).stderr


@pytest.mark.parametrize("command", [["bench"], ["excite", "-o", "never.csv"]])
def test_commands_refuse_it(run: Run, flyer, flight, command) -> None:
    name, *more = command
    result = run(name, flyer, *(str(flight[0]) if word == "FLIGHT" else word for word in more))
    assert result.exit_code != 0
    assert "the base of 'flyer' floats" in result.stderr


def test_check(run: Run, flyer) -> None:
    result = run("check", flyer, "--verify", "--samples", "3")
    assert result.exit_code == 0
    assert "verified: every identity holds" in result.stdout
    assert "base_vx" in run("check", flyer, "--verify", "--samples", "3", "--json").stdout


def test_torques_of_the_fixed_robot(run: Run, flyer, motion) -> None:
    result = run("id", flyer, motion, "--fixed")
    assert result.exit_code == 0
    assert float(result.stdout.splitlines()[1]) == pytest.approx(-0.2 * 9.81 * 0.995004165, rel=1e-6)


def test_an_arm_that_floats_on_request(run: Run, tmp_path) -> None:
    path = tmp_path / "arm.urdf"
    path.write_text(f'<robot name="arm">{ARM}</robot>')
    assert "on a floating base" in run("info", str(path), "--floating").stdout
