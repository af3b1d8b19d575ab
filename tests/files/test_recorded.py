"""Files as functions of time."""

from __future__ import annotations

import io

import numpy as np
import own_robots
import pytest

import rne

ARM = own_robots.gripper()
TAU = [f"tau_{joint}" for joint in ARM.joint_names]
WRENCH = [f"{part}_palm" for part in ("fx", "fy", "fz", "mx", "my", "mz")]


def read(columns: list[str], rows: list[list[float]], interpolation: str = "zero-order", **asked) -> dict:
    text = "\n".join([",".join(columns), *(",".join(map(repr, row)) for row in rows)])
    with rne.files.Trajectory(io.BytesIO(text.encode()), ARM, format="csv", **asked) as motion:
        return rne.files.signals(motion, interpolation)


def test_torques_without_positions():
    """From the first row on, in the order of the joints and in SI units; mNm are of those that turn."""
    columns = ["t", *reversed(TAU)]
    rows = [[7.5 + k, *(10.0 * j + k for j in range(len(TAU)))] for k in range(3)]
    found = read(columns, rows, quantities=["tau"], units={"tau": "mNm"}, interpolation="linear")
    assert list(found) == ["tau"]
    assert found["tau"].t.tolist() == [0.0, 1.0, 2.0]
    kinds = [ARM.joint(joint).kind for joint in ARM.joint_names]
    wanted = np.array([row[:0:-1] for row in rows]) * [1e-3 if kind == "revolute" else 1.0 for kind in kinds]
    np.testing.assert_allclose(found["tau"].values, wanted, rtol=1e-15)
    assert found["tau"].interpolation == "linear"


def test_wrenches_alone_and_with_torques():
    rows = [[0.1 * k, *(k + j for j in range(len(TAU) + 6))] for k in range(2)]
    found = read(["t", *TAU, *WRENCH], rows, quantities=["tau"], wrenches=["palm"])
    assert list(found) == ["tau", "palm"]
    assert found["palm"].values.tolist() == [row[1 + len(TAU) :] for row in rows]
    alone = read(["t", *WRENCH], [[row[0], *row[1 + len(TAU) :]] for row in rows], quantities=[], wrenches=["palm"])
    assert (alone["palm"].values == found["palm"].values).all()


@pytest.mark.parametrize(
    ("columns", "rows", "asked", "said"),
    [
        (TAU, [[1.0] * len(TAU)], {"quantities": ["tau"]}, "without a column t"),
        (["t", *TAU], [], {"quantities": ["tau"]}, "there are no rows"),
        (
            ["t", *TAU],
            [[0.0, *[1.0] * len(TAU)]] * 2,
            {"quantities": ["tau"]},
            "tau: t: wanted finite times, each later",
        ),
        (["t", *TAU], [[0.0, *[float("nan")] * len(TAU)]], {"quantities": ["tau"]}, "tau: values: wanted finite"),
        (["t", *TAU], [[0.0, *[1.0] * len(TAU)]], {"quantities": ["tau", "qd"]}, "no columns of qd"),
        (["t", "force"], [[0.0, 1.0]], {"quantities": ["tau"]}, "missing columns"),
    ],
)
def test_what_is_refused(columns, rows, asked, said):
    with pytest.raises(rne.FileError, match=said):
        read(columns, rows, **asked)
