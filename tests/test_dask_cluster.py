"""Work on a cluster of processes, of which one is killed half-way: the recipe of docs/cluster.md, and arrays."""

from __future__ import annotations

import logging
import os
import re
import runpy
import signal
import sys
from pathlib import Path

import dask
import dask.array as da
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from checks import assert_same_bits, random_states
from cluster import OneDies
from distributed import Client, LocalCluster
from own_robots import arm

import rne
import rne.dask

ROOT = Path(__file__).parents[1]
RECIPES = re.findall(r"```python\n(.*?)```", (ROOT / "docs/cluster.md").read_text(encoding="utf-8"), re.DOTALL)
MODEL = ROOT / "models" / "planar2" / "robot.dh.toml"
ROBOT = rne.load(MODEL)
FILES = 16


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """Three processes of one thread each; they are gone afterwards, whatever happened."""
    options = {"processes": True, "dashboard_address": None, "silence_logs": logging.CRITICAL, "memory_limit": 0}
    folder = tmp_path_factory.mktemp("workers")
    with (
        dask.config.set({"distributed.comm.timeouts.connect": "20s"}),
        LocalCluster(n_workers=3, threads_per_worker=1, local_directory=folder, **options) as cluster,
    ):
        yield cluster


@pytest.fixture
def client(cluster):
    with Client(cluster, set_as_default=False) as client:
        yield client


def too_late(*_):
    raise TimeoutError("the cluster has not come to an end")


@pytest.fixture
def one_dies(client, tmp_path):
    """One of the workers dies after three tasks; if nobody has died by the end, the test has shown nothing."""
    before = set(client.run(os.getpid).values())
    assert len(before) == 3
    grave = tmp_path / "grave"
    client.register_plugin(OneDies(grave, after=3), name=str(grave))
    signal.signal(signal.SIGALRM, too_late)
    signal.alarm(300)
    yield
    signal.alarm(0)
    assert int(grave.read_text()) in before
    client.unregister_worker_plugin(str(grave))
    client.wait_for_workers(3, timeout=30)  # the nanny starts another
    after = set(client.run(os.getpid).values())
    assert len(before - after) == 1


def motions(folder: Path) -> np.ndarray:
    """Write a data set of some files of different lengths; return its times and states (rows, 1 + 3 n)."""
    folder.mkdir()
    groups = [f"{kind}_{joint}" for kind in ("q", "qd", "qdd") for joint in ROBOT.joint_names]
    rows = np.random.default_rng(7).normal(size=(4000, 1 + len(groups)))
    for k, part in enumerate(np.array_split(rows, [20 * j * (j + 3) // 3 for j in range(1, FILES)])):
        pq.write_table(pa.table(dict(zip(["t", *groups], part.T, strict=True))), folder / f"part.{k}.parquet")
    return rows


def test_from_parquet_to_parquet_though_a_worker_dies(cluster, one_dies, tmp_path, monkeypatch):
    rows = motions(tmp_path / "motions")
    script = tmp_path / "torques.py"
    script.write_text(RECIPES[0], encoding="utf-8")
    arguments = [script, MODEL, tmp_path / "motions", tmp_path / "torques", cluster.scheduler_address]
    monkeypatch.setattr(sys, "argv", [str(argument) for argument in arguments])
    runpy.run_path(str(script), run_name="__main__")
    files = sorted((tmp_path / "torques").glob("*.parquet"), key=lambda path: int(path.stem.split(".")[1]))
    assert len(files) == FILES
    tables = [pq.read_table(file) for file in files]
    assert tables[0].column_names == ["t", *(f"tau_{joint}" for joint in ROBOT.joint_names)]
    got = np.concatenate([np.stack([column.to_numpy() for column in table.columns], axis=1) for table in tables])
    tau = rne.inverse_dynamics(ROBOT, *np.split(rows[:, 1:], 3, axis=1))
    assert_same_bits(got, np.column_stack([rows[:, 0], tau]))


def test_wrong_columns_are_told_at_once(tmp_path):
    motions(tmp_path / "motions")
    recipe = {"__name__": "recipe"}
    exec(compile(RECIPES[0], "docs/cluster.md", "exec"), recipe)
    other = rne.from_dh([{"joint": "revolute", "name": "ankle", "mass": 1.0}], convention="standard")
    with pytest.raises(KeyError, match="q_ankle"):
        recipe["run"](other, str(tmp_path / "motions"), str(tmp_path / "torques"))
    assert not (tmp_path / "torques").exists()


def test_arrays_though_a_worker_dies(client, one_dies):
    robot = arm()
    q, qd, tau = random_states(robot.n, 6000, seed=9)
    lazy = [da.from_array(x, chunks=(100, robot.n)) for x in (q, qd, tau)]
    qdd = rne.dask.forward_dynamics(robot, *lazy, f_ext={"tool": [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]})
    again = rne.dask.inverse_dynamics(robot, *lazy[:2], qdd)
    got = client.gather(client.compute([qdd, again]))
    wanted = rne.forward_dynamics(robot, q, qd, tau, f_ext={"tool": [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]})
    assert_same_bits(got[0], wanted)
    assert_same_bits(got[1], rne.inverse_dynamics(robot, q, qd, wanted))


def test_the_other_recipe_runs(monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    names: dict[str, object] = {}
    exec(compile(RECIPES[1], "docs/cluster.md", "exec"), names)
    q, qd = (x.compute() for x in (names["q"], names["qd"]))
    power = np.abs(rne.inverse_dynamics(ROBOT, q, qd) * qd).sum(axis=-1)
    assert float(capsys.readouterr().out) == power.max()
