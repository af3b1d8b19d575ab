"""Pictures in files: every plot of 1, 2, 7 and 30 joints, whole files, the same bytes, and nothing of pyplot."""

from __future__ import annotations

import pickle
import subprocess
import sys

import numpy as np
import pytest
from checks import random_robot, random_states

import rne

HEADS = {".png": b"\x89PNG\r\n\x1a\n", ".svg": b"<?xml", ".pdf": b"%PDF-"}


def robot_of(joints: int) -> rne.Robot:
    if joints == 2:
        return rne.load("models/planar2/robot.dh.toml")
    return rne.load("models/iiwa14/robot.urdf") if joints == 7 else random_robot(3, joints, mimic=0.0)


def plots(robot: rne.Robot, samples: int = 30):
    """Make every plot, each when it is called."""
    t = np.linspace(0.0, 1.0, samples)
    q, qd, qdd = random_states(robot.n, samples)
    tau = rne.inverse_dynamics(robot, q, qd, qdd)
    tau[7:9] = np.nan
    return {
        "residual": lambda: rne.plot.residual(robot, t, tau + 0.1, tau),
        "torques": lambda: rne.plot.torques(robot, t, tau),
        "states": lambda: rne.plot.states(robot, t, q, qd),
        "power": lambda: rne.plot.power(robot, t, qd, tau),
        "energy": lambda: rne.plot.energy(robot, t, q, qd, tau),
        "tracking": lambda: rne.plot.tracking(robot, t, q + 0.1, q, tau),
        "phase": lambda: rne.plot.phase(robot, q, qd),
        "inertia": lambda: rne.plot.inertia(robot, np.sort(q, axis=0), over=1),
        "breakdown": lambda: rne.plot.breakdown(robot, t, rne.torque_breakdown(robot, q, qd, qdd)),
        "sizing": lambda: rne.plot.sizing(rne.motor_sizing(robot, q, qd, qdd, t=t)),
        "identification": lambda: rne.plot.identification(identified(robot, q, qd, qdd)),
        "friction": lambda: rne.plot.friction(identified(robot, q, qd, qdd)),
        "significance": lambda: rne.plot.significance(rne.significance(robot, q, qd, qdd, below=0.01)),
    }


def identified(robot, q, qd, qdd):
    return rne.identify(robot, q, qd, qdd, rne.inverse_dynamics(robot, q, qd, qdd, friction=True) + 0.1, friction=True)


@pytest.mark.parametrize("joints", [1, 2, 7, 30])
def test_plots_are_written(joints, tmp_path):
    """Warnings are errors: no panel is squeezed to nothing, no letter is missing.

    Figures of one joint are written as every kind of file, larger ones as one, in turn; of 30 joints one of each
    layout.
    """
    all_of_them = plots(robot_of(joints))
    assert {*all_of_them, "save"} == set(rne.plot.__all__)
    names = ["torques", "breakdown", "significance"] if joints == 30 else list(all_of_them)
    for k, name in enumerate(names):
        figure = all_of_them[name]()
        for suffix in list(HEADS) if joints == 1 else [list(HEADS)[k % 3]]:
            path = tmp_path / f"{name}{suffix}"
            rne.plot.save(figure, path, dpi=40)
            assert path.read_bytes().startswith(HEADS[suffix])


def simple():
    robot = rne.load("models/planar2/robot.dh.toml")
    return rne.plot.torques(robot, [0.0, 1.0, 2.0], [[1.0, 2.0], [3.0, 4.0], [2.0, 2.0]])


@pytest.mark.parametrize("suffix", HEADS)
def test_the_same_figure_is_the_same_bytes_without_a_date(suffix, tmp_path):
    one, two = tmp_path / f"one{suffix}", tmp_path / f"two{suffix.upper()}"
    rne.plot.save(simple(), str(one))
    rne.plot.save(simple(), two)
    assert one.read_bytes() == two.read_bytes()
    assert b"CreationDate" not in one.read_bytes()
    assert b"<dc:date>" not in one.read_bytes()


def test_more_dots_make_a_larger_picture(tmp_path):
    for dpi in (50, 100):
        rne.plot.save(simple(), tmp_path / f"{dpi}.png", dpi=dpi)
    small, large = ((tmp_path / f"{dpi}.png").read_bytes()[16:24] for dpi in (50, 100))
    sizes = [[int.from_bytes(head[at : at + 4]) for at in (0, 4)] for head in (small, large)]
    assert sizes[1] == [2 * side for side in sizes[0]]
    assert sizes[0][0] == 450


@pytest.mark.parametrize("name", ["picture.jpg", "picture", "picture.svgz"])
def test_an_unknown_suffix_tells_the_known_ones(name, tmp_path):
    with pytest.raises(rne.FileError, match=r"unknown image format .* wanted \.pdf, \.png or \.svg"):
        rne.plot.save(simple(), tmp_path / name)
    with pytest.raises(rne.ArgumentError, match="figure: wanted a matplotlib Figure, got list"):
        rne.plot.save([], tmp_path / "picture.png")
    with pytest.raises(rne.ArgumentError, match="path: wanted a path, got NoneType"):
        rne.plot.save(simple(), None)
    with pytest.raises(rne.ArgumentError, match="dpi: wanted a positive number, got 0"):
        rne.plot.save(simple(), tmp_path / "picture.png", dpi=0)
    assert not list(tmp_path.iterdir())


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch):
    path = tmp_path / "picture.svg"
    path.write_text("the old one")
    figure = simple()

    def half(stream, **_):
        stream.write(b"<?xml")
        raise OSError("disk full")

    monkeypatch.setattr(figure, "savefig", half)
    with pytest.raises(OSError, match="disk full"):
        rne.plot.save(figure, path)
    assert [(each.name, each.read_text()) for each in tmp_path.iterdir()] == [("picture.svg", "the old one")]


def test_labels_of_panels_below_each_other_are_in_line():
    robot = rne.load("models/iiwa14/robot.urdf")
    tau = np.ones((3, 7)) * [1e-3, 12345.0, 1.0, 20.0, 1e-3, 300.0, -1.5]
    figure = rne.plot.torques(robot, None, tau)
    figure.draw_without_rendering()
    columns: dict[int, list[float]] = {}
    for ax in figure.axes:
        column = ax.get_subplotspec().colspan.start
        columns.setdefault(column, []).append(ax.yaxis.label.get_window_extent().x0)
    assert len(columns) == 2
    for places in columns.values():
        assert len(places) >= 3
        assert np.ptp(places) < 0.5  # pixels


def test_notebooks_show_figures_without_being_told():
    """By the rules of IPython, which asks an object for its pictures; pyplot and its backends are not there."""
    formatter = pytest.importorskip("IPython.core.formatters").DisplayFormatter()
    bundle, _ = formatter.format(simple())
    assert bundle["image/png"].startswith(HEADS[".png"]) or bundle["image/png"].startswith("iVBORw0KGgo")
    assert pickle.loads(pickle.dumps(simple())).axes[0].get_ylabel() == "torque (N m)"


def test_a_missing_matplotlib_is_told_by_the_name_of_the_extra(monkeypatch):
    robot = rne.load("models/planar2/robot.dh.toml")
    monkeypatch.delitem(sys.modules, "rne.plot.figure", raising=False)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(rne.RneError, match=r"needs matplotlib.*pip install 'rne\[plot\]'"):
        rne.plot.torques(robot, None, [[1.0, 2.0]])


CODE = """
import sys, rne
robot = rne.load("models/planar2/robot.dh.toml")
assert not any(name.startswith(("matplotlib", "rne.plot")) for name in sys.modules)
rne.plot
assert not any(name.startswith("matplotlib") for name in sys.modules)
figure = rne.plot.torques(robot, [0.0, 1.0], [[1.0, 2.0], [3.0, 4.0]])
import matplotlib
before = matplotlib.rcParams.copy()
for suffix in ("png", "svg", "pdf"):
    rne.plot.save(figure, f"{sys.argv[1]}/picture.{suffix}")
assert matplotlib.rcParams.copy() == before
assert "matplotlib.pyplot" not in sys.modules
"""


def test_matplotlib_waits_until_it_is_needed_and_pyplot_is_left_alone(tmp_path):
    subprocess.run([sys.executable, "-c", CODE, str(tmp_path)], check=True)


def test_a_power_of_ten_stands_beside_the_title_not_under_it():
    robot = rne.from_dh([{"joint": "revolute", "mass": 1.0, "name": "a_long_name"}], convention="standard")
    figure = rne.plot.torques(robot, [0.0, 1.0], [[-2e-6], [3e-6]])
    figure.draw_without_rendering()
    (ax,) = figure.axes
    power = ax.yaxis.get_offset_text()
    [title] = [part for part in ax.get_children() if getattr(part, "get_text", str)() == "a_long_name"]
    assert power.get_text()
    assert power.get_fontsize() == ax.yaxis.get_ticklabels()[0].get_fontsize()
    assert power.get_window_extent().x1 <= title.get_window_extent().x0
    assert power.get_window_extent().x0 > figure.bbox.x0


def test_names_are_written_as_they_are_long_ones_by_their_ends(tmp_path):
    name = "a_$very$_long_name_of_a_maker_of_robots_and_of_the_left_arm_joint_1"
    robot = rne.from_dh([{"joint": "revolute", "mass": 1.0, "name": name}] * 1, convention="standard", name="$x")
    figure = rne.plot.tracking(robot, None, [[1.0]], [[2.0]], [[3.0]])
    title = figure.axes[0].get_title(loc="left")
    head, tail = title.split("…")
    assert name.startswith(head)
    assert name.endswith(tail)
    assert 15 < len(title) < 40
    rne.plot.save(figure, tmp_path / "picture.png")
