"""The gallery: every example agrees with its course, says what it should, and works where there is no repository."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
from checks import assert_near
from scipy.special import ellipk

import rne
from rne.examples import EXAMPLES, Example, Sheet, find, run

ROOT = Path(__file__).parents[2]
LECTURES = ROOT / "models" / "lectures"


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_course_and_rne_agree(name):
    sheet = run(name)
    assert sheet.ok, str(sheet)
    assert "DIFFERS" not in str(sheet)


def values(name: str) -> dict[str, np.ndarray]:
    return {row.what: row.rne for row in run(name).rows}


@pytest.mark.parametrize("name", EXAMPLES)
def test_pictures_can_be_drawn(name):
    sheet = run(name)
    if sheet.picture is not None:
        figure = sheet.picture()
        assert any(ax.lines or ax.patches or ax.images or ax.collections for ax in figure.axes)


def by_closed_form() -> list[str]:
    """Examples whose course column is a formula with numbers of its own; the spatial ones compare two calculations."""
    spatial = {"four_link", "rrp_arm", "stanford_arm", "differential_vectors", "four_link_statics", "least_torque"}
    return [name for name, entry in EXAMPLES.items() if entry.systems and name not in spatial]


@pytest.mark.parametrize("name", by_closed_form())
def test_another_robot_would_not_agree(name, monkeypatch):
    """A gram more at the end of every arm: no example is a tautology."""

    right = rne.load_model

    def heavier(system: str) -> rne.Robot:
        robot = right(system)
        return robot.with_payload(1e-3, frame=robot.tree.bodies[-1].name)

    monkeypatch.setattr(rne, "load_model", heavier)
    try:
        agrees = run(name).ok
    except ValueError:  # a body more than the course has
        agrees = False
    assert not agrees


@pytest.mark.parametrize(
    "name", sorted(set(EXAMPLES) - set(by_closed_form()) - {"inertia_of_shapes", "composite_body"})
)
def test_another_calculation_would_not_agree(name, monkeypatch):
    for function in ("gravity_vector", "inverse_dynamics", "free_body_wrench", "transform_wrench"):
        right = getattr(rne, function)
        monkeypatch.setattr(rne, function, lambda *a, right=right, **k: 1.000001 * np.asarray(right(*a, **k)))
    assert not run(name).ok


# --------------------------------------------------- numbers that somebody else wrote down, or worked out


def test_published_numbers():
    """Tables 3.1 to 3.3 with the entries put right that the slide's own formula refutes; example 6-4."""
    tables = {
        "Table 3.1": ([6, 2, 1, 6, 2], [4, 1, 1, 4, 3], [2, 0, 1, 2, 2], [4, 1, 1, 4, 3]),
        "Table 3.2": ([18, 8, 4, 18, 2], [10, 4, 4, 10, 6], [2, 0, 4, 2, 2], [10, 4, 4, 10, 6]),
    }
    rows = run("locked_and_free_inertia").rows
    for ours, wanted in zip(rows, [row for table in tables.values() for row in table], strict=False):
        assert_near(ours.rne, wanted)
    last = [row.rne for row in rows[8:16]]
    assert_near(last[::2], [[402, 200, 100], [202, 100, 100], [2, 0, 100], [202, 100, 100]])
    assert_near(last[1::2], [[402, 2], [202, 102], [2, 2], [202, 102]])
    assert [row.mark for row in rows].count("= misprinted") == 3
    assert_near(values("motor_sizing")["peak torque"], 226.0)


def test_period_of_a_large_swing():
    """By the elliptic integral of scipy; its parameter is m = k^2."""
    T = 4 * np.sqrt(0.52 / (2.5 * 9.81 * 0.4)) * ellipk(0.5)
    assert f"= {T:.6f} s" in str(run("pendulum_period"))
    swing = rne.simulate(rne.load_model("one_dof_arm"), [0.0], t=[0.0, T])
    np.testing.assert_allclose(swing.q[1], 0.0, atol=1e-8)


def test_misprints_are_told_and_put_right():
    """Where the courses misprint: the printed value is another, and the right one is that of rne."""
    told = {name: [row for row in run(name).rows if row.printed is not None] for name in EXAMPLES}
    assert {name: len(rows) for name, rows in told.items() if rows} == {
        "two_link_point_mass": 5,  # (3.16), (3.9), (3.10), (3.12), (3.13)
        "locked_and_free_inertia": 3,  # one posture of table 3.1, two of table 3.2
        "two_link_r1r2": 1,  # Ek2
        "two_link_payload": 3,  # A_c2,x A_c2,y A_pl,y
    }
    for rows in told.values():
        for row in rows:
            assert row.difference < 1e-11
            assert np.abs(row.printed - row.course).max() > 1e-3


# --------------------------------------------------------------------------------------------------------- the sheet


def test_a_sheet_tells_what_differs():
    sheet = Sheet()
    assert not sheet.ok  # nothing compared is nothing shown
    sheet.row("same", [1.0, 1e-13], [1.0, 0.0])
    assert sheet.ok
    sheet.row("other", 1.0, 1.0 + 1e-10)
    assert not sheet.ok
    assert [row.mark for row in sheet.rows] == ["=", "DIFFERS"]


@pytest.mark.parametrize("ours", [np.nan, 2.0, -1.0])
def test_what_is_wrong_is_not_ok(ours):
    sheet = Sheet()
    sheet.row("x", 1.0, ours)
    sheet.rows_of("y z", [1.0, 3.0], [1.0, ours])
    sheet.misprint("u", printed=5.0, right=1.0, rne=ours)
    assert [row.ok for row in sheet.rows] == [False, True, False, False]


def test_a_misprint_must_be_one():
    sheet = Sheet()
    sheet.misprint("x", printed=1.0, right=1.0, rne=1.0)
    assert not sheet.ok


def test_small_numbers_are_measured_by_themselves():
    sheet = Sheet()
    sheet.row("1e-6", 1e-6, 1e-6 + 1e-15)
    assert not sheet.ok


def test_shapes_must_fit():
    with pytest.raises(ValueError, match="shape"):
        Sheet().row("x", [1.0, 2.0], 1.0)
    with pytest.raises(ValueError, match=r"shorter|longer"):
        Sheet().rows_of("x y", [1.0, 2.0, 3.0], [1.0, 2.0, 3.0])


# --------------------------------------------------------------------------------------------------- names, page, files

PAGE = (LECTURES / "README.md").read_text(encoding="utf-8")


def table(title: str) -> list[list[str]]:
    """Cells of the table below a heading of the page, without its head."""
    section = PAGE[PAGE.index(f"## {title}\n") :].split("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines[2:]]


def of_courses() -> list[Example]:
    """Return the examples but those that belong to a guide of the documentation."""
    return [entry for entry in EXAMPLES.values() if not entry.source.startswith("guide ")]


def quoted(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def test_every_system_is_shown_and_the_page_says_where():
    shown = {system: [] for system in sorted(path.name for path in LECTURES.iterdir() if path.is_dir())}
    for entry in of_courses():
        for system in entry.systems:
            shown[system].append(entry.name)
    assert all(shown.values())
    assert {quoted(row[0])[0]: quoted(row[4]) for row in table("Systems")} == shown


def test_the_examples_load_the_systems_that_they_say(monkeypatch):
    loaded: list[str] = []
    right = rne.load_model
    monkeypatch.setattr(rne, "load_model", lambda name: loaded.append(name) or right(name))
    for entry in EXAMPLES.values():
        loaded.clear()
        entry.show()
        assert set(loaded) == set(entry.systems), entry.name


def test_the_page_has_every_row_and_every_example():
    rows = table("What the courses teach, row by row")
    counts = {"A": 9, "B": 5, "C": 12, "D": 10, "E": 6, "F": 17}
    assert [row[0] for row in rows] == [f"{letter}{k}" for letter, count in counts.items() for k in range(1, count + 1)]
    named = {name for row in rows for name in quoted(row[3])}
    assert named == {entry.name for entry in of_courses()}
    without = [row[0] for row in rows if not row[3]]
    assert without == ["F15", "F17"]  # named by the courses, without a formula


def test_what_the_page_calls_by_name_is_there():
    """Names in the columns about rne: of functions, of what they return, and of the keys of robot files."""
    cells = [row[4] for row in table("What the courses teach, row by row")] + [row[1] for row in table("Symbols")]
    names = [re.match(r"[A-Za-z_][\w.]*", text) for cell in cells for text in quoted(cell)]
    known = {
        *rne.__all__,
        *rne.lagrange.__all__,
        *dir(rne.Inertia),
        *dir(rne.Robot),
        *(f.name for f in fields(rne.Drive)),
    }
    known |= {"q", "qd", "qdd", "tau", "sum", "a", "coulomb", "f_ext", "friction"}  # of calls, of DH tables
    assert len(names) > 100
    for name in (found.group() for found in names if found):
        head, *rest = name.removeprefix("rne.").split(".")
        assert head in known, name
        if rest:
            owner = getattr(rne, head)
            assert rest[0] in {*dir(owner), *getattr(owner, "__dataclass_fields__", ())}, name


def test_the_page_tells_every_misprint():
    """In the examples that print them, and more where words are wrong and not numbers."""
    told = {name for row in table("Misprints") for name in quoted(row[3])}
    marked = {name for name in EXAMPLES if any(row.printed is not None for row in run(name).rows)}
    assert marked <= told <= set(EXAMPLES)


def test_titles_fit_a_line():
    for entry in EXAMPLES.values():
        assert entry.source.startswith(("L", "guide "))
        assert len(entry.title) <= 100
        assert entry.title.endswith(".")


def test_unknown_names_are_refused():
    with pytest.raises(rne.UnknownNameError, match="did you mean 'rod_pendulum'"):
        find("rod_pendulums")


def test_the_robots_come_along_with_the_package(tmp_path):
    """A copy of what a wheel holds, away from the repository."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wheel = settings["tool"]["hatch"]["build"]["targets"]["wheel"]
    for package in wheel["packages"]:
        shutil.copytree(ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    for source, target in wheel["force-include"].items():
        shutil.copytree(ROOT / source, tmp_path / target)
    code = (
        "import rne; from rne.examples import run; print(rne.model_path('rp_arm')); print(run('inertia_of_shapes').ok)"
    )
    command = [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(tmp_path)!r}); {code}"]
    out = subprocess.run(command, check=True, capture_output=True, text=True, cwd=tmp_path, timeout=60).stdout
    path, ok = out.splitlines()
    assert Path(path).is_relative_to(tmp_path)
    assert ok == "True"
