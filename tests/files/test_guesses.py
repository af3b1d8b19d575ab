"""What the columns may be: each option that a message suggests reads the file, and gives the motion behind it."""

from __future__ import annotations

import re
import shlex

import numpy as np
import pytest

import rne
from rne.files import Trajectory, joined

DEGREE = "\N{DEGREE SIGN}"
ROWS = 40
Q = 0.3 * np.sin(np.outer(np.arange(ROWS) / 250.0, 1 + np.arange(6)))
UR = ("shoulder_pan", "shoulder_lift", "elbow", "wrist_1", "wrist_2", "wrist_3")


@pytest.fixture(scope="module")
def ur() -> rne.Robot:
    return rne.load_model("ur5e")


def written(path, names, separator=",", encoding="utf-8", q=Q, t=("t",)):
    rows = np.column_stack([np.arange(ROWS) / 250.0, q]) if t else q
    lines = [separator.join([*t, *names]), *(separator.join(f"{x:.17g}" for x in row) for row in rows)]
    path.write_bytes("\n".join(lines).encode(encoding))
    return path


def suggested(path, robot) -> str:
    with pytest.raises(rne.FileError) as caught:
        Trajectory(path, robot)
    return str(caught.value).partition("; try ")[2]


def options(text: str) -> dict:
    """Arguments of `Trajectory` for the options of a message."""
    found: dict = {"rename": {}, "units": {}}
    words = shlex.split(text)
    for option, value in zip(words[::2], words[1::2], strict=True):
        if option == "--time-unit":
            found["time_unit"] = value
        else:
            key, _, what = value.partition("=")
            found[{"--columns": "rename", "--unit": "units"}[option]][key] = what
    return found


@pytest.mark.parametrize(
    ("names", "told"),
    [
        ([f"J{k}" for k in range(1, 7)], "--columns 'q=J{1}'"),
        ([f"theta{k}" for k in range(6)], "--columns 'q=theta{0}'"),
        ([f"data[{k}].pos" for k in range(6)], "--columns 'q=data[{0}].pos'"),
        ([f"{name}_joint" for name in UR[::-1]], "--columns 'q={joint}'"),
        (UR, f"--columns 'q={','.join(UR)}'"),
        (UR[::-1], f"--columns 'q={','.join(UR)}'"),
        ([f"Wrist{k}Pos" for k in (1, 2, 3)] + ["elbowPos", "ShoulderLiftPos", "ShoulderPanPos"], None),
    ],
)
def test_what_is_suggested_reads_the_file(names, told, ur, tmp_path):
    order = (
        [next(k for k, u in enumerate(UR) if _same(u, name)) for name in names] if "lbow" in str(names) else range(6)
    )
    path = written(tmp_path / "m.csv", names, q=Q[:, list(order)])
    text = suggested(path, ur)
    assert told is None or text == told
    with Trajectory(path, ur, **options(text)) as motion:
        np.testing.assert_array_equal(joined(list(motion)).arrays["q"], Q)


def _same(name: str, other: str) -> bool:
    return re.sub("[^a-z0-9]", "", name) in re.sub("[^a-z0-9]", "", other.lower())


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252"])
@pytest.mark.parametrize("form", [f"Achse {{}} [{DEGREE}]", "axis{}_deg", "J{} (degrees)"])
def test_units_in_names_are_suggested_and_asked_for(form, encoding, ur, tmp_path):
    """A pendant of Windows writes its degree sign in the code of Windows."""
    names = [form.format(k) for k in range(1, 7)]
    path = written(tmp_path / "m.csv", names, ";", encoding, np.degrees(Q), ("Zeit [ms]",))
    text = suggested(path, ur)
    column = form.format("{1}")
    assert text == f"--columns 't=Zeit [ms]' --columns 'q={column}' --time-unit ms --unit q=deg"
    with Trajectory(path, ur, **options(text)) as motion:
        np.testing.assert_allclose(joined(list(motion)).arrays["q"], Q, rtol=0, atol=1e-15)
        assert not motion.doubts()
        assert not any("SI units" in remark for remark in motion.columns.remarks)
    with Trajectory(path, ur, rename={"q": column}) as motion:
        asked = [remark for remark in motion.columns.remarks if "SI units" in remark]
    assert asked == [
        f"warning: columns such as {names[0]!r} are read in SI units; if they are in deg, say --unit q=deg"
    ]


@pytest.mark.parametrize(
    "names",
    [
        [f"temperature_{k}" for k in range(6)],  # no positions
        [f"current{k}" for k in range(6)],
        [f"j{k}" for k in range(7)],  # another robot
        ["wrist", "wrist", "wrist", "elbow", "shoulder", "shoulder"],  # which is which?
    ],
)
def test_nothing_is_suggested_that_may_be_wrong(names, ur, tmp_path):
    q = np.column_stack([Q, Q])[:, : len(names)]
    assert suggested(written(tmp_path / "m.csv", names, q=q), ur) == ""


@pytest.mark.parametrize(
    ("form", "count", "told"),
    [("q{}", 7, "'q{0}' has 7 columns, and ur5e 6 coordinates"), ("temperature{}", 7, ""), ("q{}", 1, "")],
)
def test_positions_of_another_robot_are_counted(form, count, told, ur, tmp_path):
    path = written(tmp_path / "m.csv", [form.format(k) for k in range(count)], q=np.column_stack([Q, Q])[:, :count])
    with pytest.raises(rne.FileError) as caught:
        Trajectory(path, ur)
    assert str(caught.value).endswith(told or f"'{form.format(count - 1)}'")


def test_rates_beside_names_of_joints(ur, tmp_path):
    names = [f"{name} {kind}" for kind in ("angle (deg)", "speed (rpm)") for name in UR]
    path = written(tmp_path / "m.csv", names, q=np.column_stack([np.degrees(Q), Q * 30 / np.pi]))
    found = options(suggested(path, ur))
    assert found["units"] == {"q": "deg", "qd": "rpm"}
    with Trajectory(path, ur, quantities=["q", "qd"], **found) as motion:
        arrays = joined(list(motion)).arrays
    np.testing.assert_allclose(arrays["q"], Q, rtol=0, atol=1e-15)
    np.testing.assert_allclose(arrays["qd"], Q, rtol=0, atol=1e-15)


def test_a_first_column_that_falls_is_no_time(ur, tmp_path):
    """Seven columns without names: t and six joints, or seven joints."""
    path = tmp_path / "m.txt"
    np.savetxt(path, np.column_stack([Q[::-1, 0], Q]))
    with Trajectory(path, ur) as motion:
        list(motion)
        told = motion.doubts()
    falls = int((np.diff(Q[::-1, 0]) < 0).sum())
    assert falls > 10
    assert f"warning: times fall in {falls} of {ROWS - 1} rows; is this the column of the times?" in told
