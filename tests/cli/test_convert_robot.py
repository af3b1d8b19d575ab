"""`rne convert` without a trajectory writes the robot itself."""

from __future__ import annotations

import numpy as np
import pytest
from trajectories import Run

import rne

PUMA = "models/puma560/robot.dh.toml"
pytestmark = pytest.mark.filterwarnings("ignore:.*the inertia is not zero but the mass is")


@pytest.mark.parametrize("suffix", ["urdf", "dh.toml", "xml"])
def test_the_robot_is_written_as_the_suffix_says(run: Run, tmp_path, suffix):
    out = tmp_path / f"puma.{suffix}"
    result = run("convert", PUMA, "--payload", "2,0,0,0.1", "--lock", "joint1=0.3", "-o", out)
    assert result.exit_code == 0, result.stderr
    assert result.stdout == ""
    if suffix == "xml":
        mujoco = pytest.importorskip("mujoco")
        assert mujoco.MjModel.from_xml_path(str(out)).nv == 5
        return
    puma = rne.load(PUMA, lock={"joint1": 0.3}).with_payload(2.0, [0, 0, 0.1])
    q = np.linspace(-1, 1, 5)
    again = rne.load(out, extensions=suffix == "urdf")
    assert np.allclose(rne.gravity_vector(again, q), rne.gravity_vector(puma, q), rtol=0, atol=1e-12)


def test_what_is_lost_is_a_warning_on_stderr(run: Run, tmp_path):
    result = run("convert", PUMA, "-o", tmp_path / "puma.urdf")
    assert "warning: " in result.stderr
    assert "rotor inertias are in the <transmission> of Drake" in result.stderr


def test_the_convention_may_be_chosen(run: Run, tmp_path):
    out = tmp_path / "puma.toml"
    assert run("convert", PUMA, "--convention", "standard", "-o", out).exit_code == 0
    assert 'convention = "standard"' in out.read_text(encoding="utf-8")


def test_a_base_pose_is_written_along(run: Run, tmp_path):
    out = tmp_path / "puma.urdf"
    run("convert", PUMA, "--base", "0,0,2,3.141592653589793,0,0", "-o", out)
    hung = rne.load(PUMA, base={"xyz": [0, 0, 2], "rpy": [np.pi, 0, 0]})
    q = np.full(6, 0.2)
    again = rne.load(out, extensions=True)
    assert np.allclose(rne.gravity_vector(again, q), rne.gravity_vector(hung, q), rtol=0, atol=1e-12)
    upright = rne.load(PUMA)
    assert np.abs(rne.gravity_vector(hung, q) + rne.gravity_vector(upright, q)).max() < 1e-12


def test_robot_and_trajectory_are_told_apart(run: Run, tmp_path):
    result = run("convert", PUMA, "-o", tmp_path / "out.csv")
    assert result.exit_code == 2
    assert "without TRAJECTORY the robot is written" in result.stderr
    result = run("convert", PUMA, "motion.csv", "-o", tmp_path / "out.urdf")
    assert result.exit_code == 2
    assert "is the name of a robot file" in result.stderr
