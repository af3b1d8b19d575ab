"""Impossible inertias in DH tables are replaced in the text, however they are written there."""

from __future__ import annotations

import subprocess
import sys
import tomllib

import numpy as np
import pytest

import rne
from rne.bodies.physical import nearest_inertia
from rne.doctor import repair_inertias

BAD = np.array([[0.02, 0.001, 0.0], [0.001, 0.02, 0.0], [0.0, 0.0, 0.2]])
HEAD = """# An arm; its second inertia is impossible: [[9, 9, 9]]
name = "arm"
convention = "modified"  # Craig

[[rows]]
joint = "revolute"
mass = 2.0
com = [0.1, 0.0, 0.0]
inertia = [[0.1, 0.0, 0.0], [0.0, 0.1, 0.0], [0.0, 0.0, 0.15]]  # sound

[[rows]]
joint = "revolute"
a = 0.5
mass = 1.0
"""
TAIL = """
lower = -1.0
[[rows]]
joint = "prismatic"
mass = 0.5
inertia = { ixx = 0.01, iyy = 0.01, izz = 0.01 }
"""
WAYS = {
    "rows": "inertia = [[0.02, 0.001, 0], [0.001, 0.02, 0.0], [0.0, 0.0, 2e-1]]  # [ measured",
    "rows on lines": "inertia = [\n  [0.02, 0.001, 0.0],  # 1 ] 2\n  [0.001, 0.02, 0.0],\n  [0.0, 0.0, 0.20],\n]",
    "names": "inertia = { ixx = 0.02, iyy = 0.02, izz = 0.2, ixy = 0.001 }",
    "quoted names": '"inertia" = 3',
    "a table behind": "",
    "dotted": "inertia.ixx = 0.02\ninertia.iyy = 0.02\ninertia.izz = 0.2\ninertia.ixy = 0.001",
}


def written(tmp_path, text):
    path = tmp_path / "arm.dh.toml"
    path.write_bytes(text.encode())
    return path


@pytest.mark.parametrize("way", ["rows", "rows on lines", "names"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_only_the_numbers_change(tmp_path, way, newline):
    text = (HEAD + WAYS[way] + TAIL).replace("\n", newline)
    path = written(tmp_path, text)
    with pytest.warns(rne.ModelWarning, match="row 2"):
        rne.load(path)
    data, (repair,) = repair_inertias(path)
    assert repair.link == "link2"
    assert text.splitlines()[repair.line - 1].startswith("inertia =")
    before, after = tomllib.loads(text), tomllib.loads(data.decode())
    changed = after["rows"][1].pop("inertia")
    assert before["rows"][1].pop("inertia") != changed
    assert after == before
    path.write_bytes(data)
    robot = rne.load(path)  # without a warning
    np.testing.assert_array_equal(robot.tree.bodies[2].inertia, nearest_inertia(BAD))
    assert repair_inertias(path) == (data, ())
    assert data.decode().count("#") == text.count("#")


def test_a_table_of_the_six_numbers(tmp_path):
    tail = TAIL.replace("lower = -1.0\n", "")
    inner = "lower = -1.0\n[rows.inertia]\nixx = 0.02\niyy = 0.02\nizz = 0.2  # too much\nixy = 0.001\n"
    path = written(tmp_path, HEAD + inner + tail)
    data, (repair,) = repair_inertias(path)
    path.write_bytes(data)
    np.testing.assert_array_equal(rne.load(path).tree.bodies[2].inertia, nearest_inertia(BAD))
    assert repair.before == (0.02, 0.02, 0.2, 0.001, 0.0, 0.0)
    assert "  # too much" in data.decode()


def test_products_that_are_missing_are_added(tmp_path):
    """An indefinite tensor whose products are not in the file gets them, if they become other than zero."""
    text = HEAD + "inertia = { ixx = 0.02, iyy = 0.02, izz = 0.2, ixz = 0.1, iyz = -0.15 }" + TAIL
    path = written(tmp_path, text)
    with pytest.raises(rne.ModelError, match="row 2"):
        rne.load(path)
    data, (repair,) = repair_inertias(path)
    path.write_bytes(data)
    found = np.array(rne.load(path).tree.bodies[2].inertia)
    np.testing.assert_array_equal(found, [[repair.after[k] for k in row] for row in ((0, 3, 4), (3, 1, 5), (4, 5, 2))])
    assert "ixy = " in data.decode()


def test_an_inertia_about_the_origin_is_repaired_about_the_center_of_mass(tmp_path):
    """With first moments the numbers of the row are about the origin of its frame."""
    shift = np.diag([0.0, 0.25, 0.25])  # of 1 kg at 0.5 m along x
    rows = (BAD + shift).tolist()
    path = written(tmp_path, f"{HEAD}first_moment = [0.5, 0.0, 0.0]\ninertia = {rows}{TAIL}")
    data, _ = repair_inertias(path)
    path.write_bytes(data)
    body = rne.load(path).tree.bodies[2]
    np.testing.assert_allclose(body.inertia, nearest_inertia(BAD), atol=1e-15)
    np.testing.assert_allclose(body.com, [0.5, 0.0, 0.0])


def test_sound_tables_stay_as_they_are():
    for name in ("puma560", "scara", "stanford", "planar2"):
        path = f"models/{name}/robot.dh.toml"
        with open(path, "rb") as file:
            assert repair_inertias(path) == (file.read(), ())


@pytest.mark.parametrize(
    "text",
    [
        'convention = "standard"\nrows = [{ joint = "revolute", mass = 1.0, inertia = [[1,0,0],[0,1,0],[0,0,9]] }]',
        HEAD + WAYS["dotted"] + TAIL,
    ],
)
def test_what_is_not_found_in_the_text_is_refused(tmp_path, text):
    with pytest.raises(rne.FileError, match=r"arm\.dh\.toml: row [12]: "):
        repair_inertias(written(tmp_path, text))


def test_mjcf_files_are_refused(tmp_path):
    path = tmp_path / "robot.xml"
    path.write_text(rne.load("models/planar2/robot.dh.toml").to_mjcf())
    with pytest.raises(rne.FileError, match="only the inertias of URDF files and DH tables can be repaired"):
        repair_inertias(path)


def test_the_command_line_mends_a_table(tmp_path):
    path, out = written(tmp_path, HEAD + WAYS["names"] + TAIL), tmp_path / "mended.dh.toml"
    command = [sys.executable, "-m", "rne", "check", str(path), "--fix", str(out)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert "link 'link2': inertia changed by" in done.stderr
    assert "1 inertia corrected" in done.stderr
    assert rne.load(out).n == 3
