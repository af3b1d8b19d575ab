"""Arguments that carry names: the torques of every form are those of the plain array in the order of the joints."""

from __future__ import annotations

import collections
import datetime

import numpy as np
import own_robots
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import xarray as xr

import rne
from rne.batch.named import time_array

ROBOT = rne.load_urdf(own_robots.ARM)
NAMES = list(ROBOT.joint_names)
ORDER = [NAMES[k] for k in np.random.default_rng(1).permutation(len(NAMES))]
Q = np.random.default_rng(0).normal(size=(5, ROBOT.n))
MADE_UP = [f"f{k}" for k in range(ROBOT.n)]
PARTS = ("fx", "fy", "fz", "mx", "my", "mz")


def columns(q=Q):
    assert ORDER != NAMES
    return {name: np.array(q[..., NAMES.index(name)]) for name in ORDER}


def structured(names=ORDER, q=None):
    table = np.zeros(len(Q), [(name, float) for name in names])
    for name, column in (columns() if q is None else q).items():
        table[name] = column
    return table


def frame():
    return pd.DataFrame(columns())


FORMS = {
    "dict": columns,
    "named tuple": lambda: collections.namedtuple("State", ORDER)(**columns()),
    "structured array": structured,
    "record array": lambda: structured().view(np.recarray),
    "structured array without names": lambda: structured(MADE_UP, dict(zip(MADE_UP, Q.T, strict=True))),
    "pandas": frame,
    "pandas with nulls": lambda: frame().astype("Float64"),
    "pandas of arrow": lambda: frame().convert_dtypes(dtype_backend="pyarrow"),
    "pandas of two levels": lambda: pd.concat({"position": frame()}, axis=1),
    "pandas with the quantity": lambda: frame().add_prefix("q_"),
    "pandas without names": lambda: pd.DataFrame(Q),
    "polars": lambda: pl.DataFrame(columns()),
    "polars, lazy": lambda: pl.LazyFrame(columns()),
    "polars structures": lambda: pl.DataFrame(columns()).to_struct(),
    "polars without names": lambda: pl.DataFrame(Q),
    "pyarrow": lambda: pa.table(columns()),
    "pyarrow batch": lambda: pa.RecordBatch.from_pydict({k: pa.array(v) for k, v in columns().items()}),
    "pyarrow structures": lambda: pa.table(columns()).to_struct_array(),
    "xarray": lambda: xr.DataArray(np.stack([*columns().values()]), dims=("joint", "time"), coords={"joint": ORDER}),
    "xarray set": lambda: xr.Dataset({name: ("time", column) for name, column in columns().items()}),
    "xarray without names": lambda: xr.DataArray(Q),
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_tables(form) -> None:
    wanted = rne.gravity_vector(ROBOT, Q)
    np.testing.assert_array_equal(rne.gravity_vector(ROBOT, FORMS[form]()), wanted)
    np.testing.assert_array_equal(rne.inverse_dynamics(ROBOT, FORMS[form](), qd=Q), rne.inverse_dynamics(ROBOT, Q, Q))


ROWS = {
    "dict": lambda row: columns(row),
    "Series": lambda row: pd.Series({k: float(v) for k, v in columns(row).items()}),
    "Series without names": lambda row: pd.Series(row),
    "row of a structured array": lambda row: structured()[0],
    "polars without names": lambda row: pl.Series(row),
    "pyarrow without names": lambda row: pa.array(row),
    "xarray": lambda row: xr.DataArray([*columns(row).values()], coords={"joint": ORDER}),
}


@pytest.mark.parametrize("form", ROWS)
def test_single_states(form) -> None:
    np.testing.assert_array_equal(rne.mass_matrix(ROBOT, ROWS[form](Q[0])), rne.mass_matrix(ROBOT, Q[0]))


def test_the_two_orders_differ_where_they_should() -> None:
    """The numbers of the acceptance case: gravity of a double pendulum, by hand."""
    links = "".join(
        f'<link name="l{k}"><inertial><origin xyz="{x} 0 0"/><mass value="{m}"/>'
        '<inertia ixx="0.01" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial></link>'
        for k, x, m in ((1, 0.2, 2), (2, 0.15, 1))
    )
    joint = (
        '<joint name="{}" type="revolute"><origin xyz="{} 0 0"/><parent link="{}"/><child link="{}"/>'
        '<axis xyz="0 1 0"/><limit lower="-3" upper="3" effort="50" velocity="5"/></joint>'
    )
    joints = joint.format("shoulder", 0, "base", "l1") + joint.format("elbow", 0.4, "l1", "l2")
    robot = rne.load_urdf(f'<robot name="two"><link name="base"/>{links}{joints}</robot>')
    shoulder = -9.81 * (2 * 0.2 * np.cos(0.1) + 0.4 * np.cos(0.1) + 0.15 * np.cos(0.4))
    assert abs(shoulder + 9.164) < 1e-3
    for q in ({"elbow": 0.3, "shoulder": 0.1}, pd.Series({"elbow": 0.3, "shoulder": 0.1})):
        assert abs(rne.gravity_vector(robot, q)[0] - shoulder) < 1e-12


def test_refusals_name_what_is_wrong() -> None:
    bad = {
        "not among them are wrist": frame().rename(columns={ORDER[0]: "wrist"}),
        "not among them are t": frame().assign(t=1.0),
        f"missing are {ORDER[1]}": {name: x for name, x in columns().items() if name != ORDER[1]},
        "duplicate names": pd.concat([frame(), frame()], axis=1),
        "wanted real numbers": frame().assign(**{ORDER[0]: "text"}),
        "not among them are qd_": frame().add_prefix("qd_"),
    }
    for told, value in bad.items():
        with pytest.raises(rne.ArgumentError, match=f"^q: .*{told}"):
            rne.gravity_vector(ROBOT, value)


def test_nulls_are_nan_and_float32_stays() -> None:
    table = frame().astype("Float64")
    table.loc[2, ORDER[0]] = pd.NA
    rows = np.isnan(rne.gravity_vector(ROBOT, table)).any(axis=1)
    assert rows.tolist() == [False, False, True, False, False]
    assert rne.gravity_vector(ROBOT, frame().astype(np.float32)).dtype == np.float32
    assert rne.gravity_vector(ROBOT, frame().round().astype("Int64")).dtype == np.float64


def test_wrenches_by_their_parts() -> None:
    frame_name = ROBOT.frame_names[-1]
    wrench = np.random.default_rng(2).normal(size=(5, 6))
    turned = pd.DataFrame(wrench, columns=PARTS)[list(PARTS[::-1])]
    wanted = rne.static_torque(ROBOT, Q, {frame_name: wrench})
    np.testing.assert_array_equal(rne.static_torque(ROBOT, Q, {frame_name: turned}), wanted)
    with pytest.raises(rne.ArgumentError, match=r"f_ext\['.*'\]: .*missing are fz"):
        rne.static_torque(ROBOT, Q, {frame_name: turned.rename(columns={"fz": "force"})})


def test_times_of_all_kinds() -> None:
    stamps = pd.date_range("2030-01-01", periods=3, freq="10ms")
    forms = [
        stamps, stamps.to_series(), pd.Series(stamps.tz_localize("Europe/Berlin")), stamps - stamps[0],
        pd.Series(stamps - stamps[0]).astype("duration[ns][pyarrow]"),
        pd.Series(stamps).astype("timestamp[ns][pyarrow]"),
        pl.Series(stamps.to_numpy()), pa.array(stamps), xr.DataArray(stamps), stamps.to_numpy(),
        list(stamps.to_pydatetime()), [datetime.timedelta(milliseconds=10 * k) for k in range(3)],
        pd.Series([0, 0.01, 0.02], dtype="Float64"), [0, 0.01, 0.02],
    ]  # fmt: skip
    for form in forms:
        np.testing.assert_allclose(time_array("t", form), [0, 0.01, 0.02], rtol=1e-15)
    missing = time_array("t", np.array(["NaT", "2030-01-01T00:00:00", "2030-01-01T00:00:02"], "M8[s]"))
    np.testing.assert_array_equal(missing, [np.nan, 0, 2])
    with pytest.raises(rne.ArgumentError, match="t: wanted real numbers"):
        time_array("t", ["noon"])
    q = np.zeros(ROBOT.n)
    by_stamps = rne.simulate(ROBOT, q, t=stamps, tau=q)
    np.testing.assert_array_equal(by_stamps.q, rne.simulate(ROBOT, q, t=[0, 0.01, 0.02], tau=q).q)
