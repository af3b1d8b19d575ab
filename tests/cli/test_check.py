"""`rne check`: sound files pass, and the exit code tells scripts which do not."""

from __future__ import annotations

import json

import numpy as np
import pytest
from trajectories import Run

import rne
from rne.verification import identities


def test_a_file_with_a_warning_is_sound(run: Run, robot_file) -> None:
    result = run("check", robot_file)
    assert (result.exit_code, result.stderr) == (0, "")
    title, findings = result.stdout.split("\n\n")
    head, source = title.splitlines()
    assert head == "arm: 2 joints (1 revolute, 1 prismatic, 1 mimicking), 3.75 kg"
    assert source.split() == ["source", str(robot_file)]
    assert findings == f"FINDINGS\n{rne.diagnose(robot_file)}\n"
    assert "warning  line 15: joint 'flap': " in findings
    assert run("check", robot_file, "--fail-on", "warning").exit_code == 1


def test_nothing_to_warn_of(run: Run) -> None:
    result = run("check", "models/planar2/robot.dh.toml", "--fail-on", "warning")
    assert result.exit_code == 0
    assert result.stdout.splitlines()[-1].startswith("0 errors, 0 warnings, ")


def test_errors_are_findings(run: Run, tmp_path) -> None:
    path = tmp_path / "odd.urdf"
    joint = '<joint name="j" type="fixed"><parent link="b"/><child link="c"/></joint>'
    path.write_text(f'<robot name="odd">\n<link name="b"/>\n{joint}\n</robot>')
    for options in ([], ["--verify"]):
        result = run("check", path, *options)
        assert (result.exit_code, result.stderr) == (1, "")
        assert result.stdout.startswith(f"no robot\nsource  {path}\n\nFINDINGS\nerror    line 3: ")
        assert ("not verified" in result.stdout) == bool(options)
    result = run("check", path, "--json")
    data = json.loads(result.stdout)
    assert (result.exit_code, data["ok"], data["name"], data["condition"], data["dynamics"]) == (
        1,
        False,
        "",
        None,
        None,
    )
    (finding,) = data["findings"]
    assert (finding["severity"], finding["line"]) == ("error", 3)


def test_doubts_are_errors_or_warnings(run: Run, tmp_path) -> None:
    path = tmp_path / "odd.urdf"
    odd = '<inertia ixx="1" iyy="1" izz="-5" ixy="0" ixz="0" iyz="0"/>'
    joint = '<joint name="j" type="continuous"><parent link="b"/><child link="c"/></joint>'
    body = f'<link name="c"><inertial><mass value="1"/>{odd}</inertial></link>'
    path.write_text(f'<robot name="odd"><link name="b"/>{body}{joint}</robot>')
    for options in ([], ["--strict"]):
        refused = run("check", path, *options)
        assert (refused.exit_code, refused.stderr) == (1, "")
        assert "FINDINGS\nerror    line 1: link 'c': " in refused.stdout
    taken = run("check", path, "--no-strict")
    assert taken.exit_code == 0
    assert "FINDINGS\nwarning  line 1: link 'c': " in taken.stdout


def test_mending(run: Run, robot_file, tmp_path) -> None:
    text = robot_file.read_text()
    robot_file.write_text(text.replace('izz="0.1" ixy', 'izz="0.9" ixy', 1))
    out = tmp_path / "mended.urdf"
    result = run("check", robot_file, "--fix", out)
    assert result.exit_code == 0
    assert result.stderr.splitlines()[0].startswith(f"{robot_file}:4: link 'upper': inertia changed by ")
    assert result.stderr.splitlines()[1] == f"{out}: 1 inertia corrected"
    codes = [finding.code for finding in rne.diagnose(out).findings]
    assert "inertia-triangle" not in codes
    assert "inertia-triangle" in result.stdout
    assert run("check", out, "--fix", tmp_path / "again.urdf").stderr.endswith(": 0 inertias corrected\n")
    assert (tmp_path / "again.urdf").read_bytes() == out.read_bytes()
    itself = run("check", robot_file, "--fix", robot_file)
    assert (itself.exit_code, itself.stdout) == (2, "")
    other = run("check", "models/planar2/robot.dh.toml", "--fix", out)
    assert (other.exit_code, other.stdout) == (2, "")
    assert "OUT is the same kind of file as ROBOT; let it end in .toml" in other.stderr
    table = tmp_path / "same.dh.toml"
    assert run("check", "models/planar2/robot.dh.toml", "--fix", table).exit_code == 0
    with open("models/planar2/robot.dh.toml", "rb") as file:
        assert table.read_bytes() == file.read()


def test_verified(run: Run, robot_file, robot) -> None:
    result = run("check", robot_file, "--verify")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.split("\n\n")[-1] == f"DYNAMICS\n{rne.verify(robot)}\n"
    assert result.stdout.endswith("verified: every identity holds\n")


def test_states_are_as_asked_for(run: Run, robot_file, robot) -> None:
    result = run("check", robot_file, "--verify", "--samples", 7, "--seed", 3)
    assert result.stdout.endswith(f"DYNAMICS\n{rne.verify(robot, samples=7, seed=3)}\n")


def test_options_change_the_robot_that_is_verified(run: Run, robot_file) -> None:
    options = ["--lock", "turn=1", "--payload", "1.25", "--payload-frame", "tool"]
    text = run("check", robot_file, "--verify", *options).stdout
    assert text.startswith("arm: 1 joint")
    assert "turn" not in text.split("DYNAMICS")[1]


def test_json(run: Run, robot_file, robot) -> None:
    data = json.loads(run("check", robot_file, "--json").stdout)
    assert (data["name"], data["source"], data["ok"], data["dynamics"]) == ("arm", str(robot_file), True, None)
    assert [finding["severity"] for finding in data["findings"]].count("warning") == 1
    assert 1 <= data["condition"]["median"] <= data["condition"]["largest"]

    data = json.loads(run("check", robot_file, "--json", "--verify", "--samples", 5).stdout, parse_constant=pytest.fail)
    dynamics, report = data["dynamics"], rne.verify(robot, samples=5)
    assert (data["ok"], dynamics["ok"], dynamics["samples"], dynamics["seed"]) == (True, True, 5, 0)
    assert dynamics["checks"] == [vars(check) for check in report.checks]


@pytest.mark.parametrize("wrong", [2.0, np.nan])
def test_a_broken_identity_is_1(run: Run, robot_file, monkeypatch, wrong) -> None:
    right = identities.gravity_vector
    monkeypatch.setattr(identities, "gravity_vector", lambda *given: right(*given) * [1, wrong])
    page = run("check", robot_file, "--verify", "--samples", 5)
    assert (page.exit_code, page.stderr) == (1, "")
    verdict = page.stdout.splitlines()[-1]
    assert verdict.startswith("NOT verified, broken: ")
    assert "gravity is gradient of potential energy (slide)" in verdict

    result = run("check", robot_file, "--verify", "--samples", 5, "--json")
    data = json.loads(result.stdout, parse_constant=pytest.fail)
    assert (result.exit_code, data["ok"], data["dynamics"]["ok"]) == (1, False, False)
    broken = {check["name"]: check for check in data["dynamics"]["checks"] if not check["passed"]}
    assert len(broken) == 2
    assert all((check["deviation"] is None) == np.isnan(wrong) for check in broken.values())
    assert broken["gravity is gradient of potential energy"]["joint"] == "slide"


def test_a_joint_without_inertia_is_1(run: Run, tmp_path) -> None:
    path = tmp_path / "haunted.urdf"
    joint = '<joint name="wrist" type="continuous"><parent link="base"/><child link="ghost"/></joint>'
    path.write_text(f'<robot name="haunted"><link name="base"/><link name="ghost"/>{joint}</robot>')
    assert run("check", path).exit_code == 0
    result = run("check", path, "--verify")
    assert result.exit_code == 1
    assert result.stdout.endswith("broken: mass matrix is positive definite (wrist)\n")


@pytest.mark.parametrize(
    "options",
    [["--samples", 5], ["--seed", 0], ["--verify", "--samples", 0], ["--verify", "--seed", -1], ["--verify", "--x"]],
)
def test_wrong_usage_is_2(run: Run, robot_file, options) -> None:
    result = run("check", robot_file, *options)
    assert (result.exit_code, result.stdout) == (2, "")
