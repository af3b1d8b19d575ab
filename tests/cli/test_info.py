"""`rne info`: everything that the file says, for people and for machines."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import numpy as np
import pytest
from trajectories import Run

import rne
from rne.cli import main
from rne.model.tree import Drive
from rne.read import read

MODELS = Path(__file__).parents[2] / "models"


def lines_of(text: str, section: str) -> list[list[str]]:
    """Cells of the table in a section."""
    block = next(block for block in text.split("\n\n") if block.startswith(section))
    return [line.replace("  ", "\t").split("\t") for line in block.splitlines()[1:]]


def cells(text: str, section: str) -> dict[str, list[str]]:
    """Rows of a table by their first or second word, without blanks."""
    rows = [[cell.strip() for cell in line if cell.strip()] for line in lines_of(text, section)]
    return {row[1] if section == "JOINTS" else row[0]: row for row in rows}


def test_a_robot_that_comes_with_rne_by_name(run: Run, tmp_path, monkeypatch) -> None:
    """A file or folder of that name comes first."""
    monkeypatch.chdir(tmp_path)
    assert run("info", "panda").stdout == run("info", rne.model_path("panda")).stdout
    assert run("info", "pandas").stderr.startswith("pandas: the suffix ''")
    (tmp_path / "panda").mkdir()
    result = run("info", "panda")
    assert result.exit_code == 1
    assert "rne.load_model('panda') is a robot that comes with rne" in result.stderr


def test_the_page(run: Run, robot_file) -> None:
    result = run("info", robot_file)
    assert result.exit_code == 0
    assert result.stderr == ""
    text = result.stdout
    assert text.startswith("arm: 2 joints (1 revolute, 1 prismatic, 1 mimicking), 3.75 kg\n")
    assert f"source      {robot_file}\n" in text
    assert "gravity     0 0 -9.81 m/s^2\n" in text
    assert "total mass  3.75 kg\n" in text
    joints = cells(text, "JOINTS")
    assert joints["turn"] == ["0", "turn", "revolute", "-1", "2", "3", "4", "-"]
    assert joints["slide"] == ["1", "slide", "prismatic", "0", "0.5", "1", "100", "-"]
    assert joints["flap"] == ["-", "flap", "revolute", "-", "-", "-", "-", "-2 * turn + 0.5"]
    assert "mount" not in joints
    drives = cells(text, "DRIVES")
    assert drives["turn"] == ["turn", "0", "1", "0", "0.5", "0.25", "0.25"]
    assert "slide" not in drives
    links = cells(text, "LINKS")
    assert links["base"] == ["base", "base", *["-"] * 7]
    assert links["upper"] == ["upper", "joint turn", "2", "0.1", "0", "0.2", "0.1", "0.2", "0.3"]
    assert links["tool"][:3] == ["tool", "fixed on slider", "0.25"]
    assert "WARNINGS\n" in text
    assert "joint 'flap': neither" in text.split("WARNINGS\n")[1]


def test_couplings_are_shown(run: Run) -> None:
    cart = MODELS / "lectures" / "cart_spring_damper_moving" / "robot.dh.toml"
    assert cells(run("info", cart).stdout, "COUPLINGS")["x1"] == ["x1", "x0", "1", "50", "0", "3"]
    (coupling,) = json.loads(run("info", cart, "--json").stdout)["couplings"]
    assert (coupling["first"], coupling["second"], coupling["stiffness"]) == ("x1", "x0", 50)


def test_columns_are_aligned_and_plain(run: Run, robot_file) -> None:
    text = run("info", robot_file).stdout
    assert text.isascii()
    block = next(block for block in text.split("\n\n") if block.startswith("JOINTS")).splitlines()[1:]
    end = block[0].index("upper [rad, m]") + len("upper [rad, m]")
    assert [line[end - 3 : end] for line in block[1:]] == ["  2", "0.5", "  -"]


def test_json(run: Run, robot_file) -> None:
    result = run("info", robot_file, "--json")
    data = json.loads(result.stdout, parse_constant=pytest.fail)
    assert result.stderr == ""
    assert (data["name"], data["source"], data["gravity"]) == ("arm", str(robot_file), [0, 0, -9.81])
    assert (data["total_mass"], data["coordinates"]) == (3.75, ["turn", "slide"])
    joints = {joint["name"]: joint for joint in data["joints"]}
    assert list(joints) == ["turn", "slide", "mount", "flap"]
    assert joints["turn"]["limits"] == {"lower": -1, "upper": 2, "velocity": 3, "effort": 4}
    assert joints["turn"]["mimic"] is None
    assert joints["turn"]["drive"]["viscous"] == 0.5
    assert joints["flap"]["limits"]["upper"] is None
    assert joints["flap"]["mimic"] == {"leader": "turn", "ratio": -2, "offset": 0.5}
    links = {link["name"]: link for link in data["links"]}
    assert (links["tool"]["fixed_on"], links["tool"]["joint"]) == ("slider", None)
    assert (links["upper"]["fixed_on"], links["upper"]["joint"]) == (None, "turn")
    np.testing.assert_allclose(links["upper"]["principal_moments"], [0.1, 0.2, 0.3])
    assert links["upper"]["inertia"][0] == [0.3, 0, 0]
    assert len(data["warnings"]) == 1


def test_options_change_the_robot(run: Run, robot_file) -> None:
    options = ["--lock", "turn=1", "--gravity", "0,-9.81,0", "--payload", "1.25", "--payload-frame", "tool"]
    data = json.loads(run("info", robot_file, "--json", *options).stdout)
    assert (data["coordinates"], data["total_mass"], data["gravity"]) == (["slide"], 5, [0, -9.81, 0])
    links = {link["name"]: link for link in data["links"]}
    assert links["upper"]["fixed_on"] == "base"
    assert links["payload_1"]["fixed_on"] == "slider"


def test_no_strict(run: Run, tmp_path) -> None:
    path = tmp_path / "odd.urdf"
    odd = '<inertia ixx="1" iyy="1" izz="-5" ixy="0" ixz="0" iyz="0"/>'
    joint = '<joint name="j" type="continuous"><parent link="b"/><child link="c"/></joint>'
    body = f'<link name="c"><inertial><mass value="1"/>{odd}</inertial></link>'
    path.write_text(f'<robot name="odd"><link name="b"/>{body}{joint}</robot>')
    refused = run("info", path)
    assert refused.exit_code == 1
    assert refused.stderr.startswith(f"{path}:1: ")
    assert refused.stdout == ""
    assert run("info", path, "--strict").stderr == refused.stderr
    taken = run("info", path, "--no-strict")
    assert taken.exit_code == 0
    assert "WARNINGS" in taken.stdout


def test_a_robot_without_joints_has_no_table_of_them(run: Run, tmp_path) -> None:
    path = tmp_path / "block.urdf"
    path.write_text('<robot name="block"><link name="base"/></robot>')
    text = run("info", path).stdout
    assert "JOINTS" not in text
    assert "LINKS" in text


@pytest.mark.parametrize("name", sorted(str(path.parent.relative_to(MODELS)) for path in MODELS.rglob("robot.*")))
def test_all_models(run: Run, name) -> None:
    path = next(MODELS.joinpath(name).glob("robot.*"))
    page, data = run("info", path), run("info", path, "--json")
    assert page.exit_code == data.exit_code == 0
    told = json.loads(data.stdout)
    assert all(joint in page.stdout for joint in told["coordinates"])
    driven = any(joint.drive != Drive() for joint in read(path).joints)
    assert ("DRIVES" in page.stdout) == driven
    assert driven or name not in ("puma560", "scara", "stanford")


def test_names_that_the_terminal_cannot_show(tmp_path, monkeypatch) -> None:
    path = tmp_path / "arm.urdf"
    path.write_text('<robot name="br\u00e4\u20ac"><link name="base"/></robot>', encoding="utf-8")
    screen = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", screen)
    main(["info", str(path)], standalone_mode=False)
    screen.flush()
    assert screen.buffer.getvalue().startswith(b"br\\xe4\\u20ac: 0 joints")


def test_no_robot_is_2(run: Run) -> None:
    assert run("info").exit_code == 2


def test_states_of_a_mujoco_file(run: Run, tmp_path) -> None:
    path = tmp_path / "arm.xml"
    rne.load("models/planar2/robot.dh.toml").with_states({"home": [0.1, 0.2], "bent": {"elbow": -1.5}}).to_mjcf(path)
    page = run("info", path).stdout
    rows = page[page.index("STATES (rad, m)") :].splitlines()[1:4]
    assert [row.split() for row in rows] == [
        ["joint", "home", "bent"], ["shoulder", "0.1", "0"], ["elbow", "0.2", "-1.5"]
    ]  # fmt: skip
    states = json.loads(run("info", path, "--json").stdout)["states"]
    assert states["home"] == {"q": {"shoulder": 0.1, "elbow": 0.2}, "qd": {"shoulder": 0.0, "elbow": 0.0}}
