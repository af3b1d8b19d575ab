"""`rne id` on long files against pyarrow alone, in whole processes: `python -m benchmarks.files --folder /big/disk`.

The rival reads the same file with pyarrow and writes either all columns ("rewrite"), or as many columns as there are
torques, without dictionary encoding ("write as many"): the least that any program has to do. All take turns. The
results are the shortest wall and CPU times, and the peak memory.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks import ROOT

PANDA = ROOT / "models" / "panda" / "robot.urdf"
LOCKED = "panda_finger_joint1"

MAKE = """
import sys
import numpy as np, pyarrow as pa
from pyarrow import csv, parquet

path, samples = sys.argv[1], int(sys.argv[2])
writer = None
for start in range(0, samples, 1 << 18):
    t = np.arange(start, min(samples, start + (1 << 18))) / 1000
    columns = {"t": t}
    for d in range(3):
        for k in range(7):
            middle = {3: -2.0, 5: 1.5}.get(k, 0.0) if d == 0 else 0.0
            wave = (np.sin, np.cos, lambda x: -np.sin(x))[d]((0.3 + k / 10) * t + k)
            columns[f"q{'d' * d}_panda_joint{k + 1}"] = middle + 0.3 * (0.3 + k / 10) ** d * wave
    table = pa.table(columns)
    if writer is None:
        make = csv.CSVWriter if path.endswith(".csv") else parquet.ParquetWriter
        writer = make(path, table.schema)
    writer.write_table(table)
writer.close()
"""

ALONE = """
import sys
import pyarrow
from pyarrow import csv, parquet

source, target, what = sys.argv[1:]
if source.endswith(".csv"):
    batches = csv.open_csv(source)
    schema = batches.schema
else:
    file = parquet.ParquetFile(source)
    batches, schema = file.iter_batches(), file.schema_arrow
names = schema.names if what == "rewrite" else ["t", *(name for name in schema.names if name.startswith("qdd"))]
options = {} if what == "rewrite" or source.endswith(".csv") else {"use_dictionary": False}
writer = None
for batch in batches:
    batch = batch.select(names)
    if writer is None:
        make = csv.CSVWriter if target.endswith(".csv") else parquet.ParquetWriter
        writer = make(target, batch.schema, **options)
        waiting, rows = [], 0
    waiting.append(batch)
    rows += batch.num_rows
    if rows >= 1 << 18:  # row groups of fair size, as rne writes them
        writer.write_table(pyarrow.Table.from_batches(waiting))
        waiting, rows = [], 0
if waiting:
    writer.write_table(pyarrow.Table.from_batches(waiting))
writer.close()
"""


def ours(source: Path, target: Path, *options: str) -> list[str]:
    """The command line of `rne id`."""
    command = [sys.executable, "-m", "rne", "id", str(PANDA), "--lock", f"{LOCKED}=0"]
    return [*command, str(source), "-o", str(target), *options]


def alone(source: Path, target: Path, what: str) -> list[str]:
    """The command line of pyarrow alone."""
    return [sys.executable, "-c", ALONE, str(source), str(target), what]


def spent(command: Sequence[str]) -> tuple[float, float, float]:
    """Wall time (s), CPU time (s) and peak memory (MiB) of a process."""
    start = time.perf_counter()
    process = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    wall = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{command} ended with {process.returncode}")
    return wall, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def compare(folder: Path, kind: str, samples: int, turns: int) -> None:
    """Run all in turns on one file, and print a line for each."""
    source, target = folder / f"motion.{kind}", folder / f"result.{kind}"
    subprocess.run([sys.executable, "-c", MAKE, str(source), str(samples)], check=True)
    commands = {
        "rne id": ours(source, target),
        "rne id --threads 1": ours(source, target, "--threads", "1"),
        "rne id --float32": ours(source, target, "--float32"),
        "pyarrow, rewrite": alone(source, target, "rewrite"),
        "pyarrow, write as many": alone(source, target, "as many"),
    }
    times: dict[str, list[tuple[float, float, float]]] = {name: [] for name in commands}
    for _ in range(turns):
        for name, command in commands.items():
            times[name].append(spent(command))
            target.unlink()
    base = [min(column) for column in zip(*times["pyarrow, rewrite"], strict=True)]
    print(f"\n{kind}, {samples:,} samples{' ' * 12}wall      CPU   memory   of rewriting: wall   CPU")
    for name, runs in times.items():
        wall, cpu, _ = (min(column) for column in zip(*runs, strict=True))
        memory = max(run[2] for run in runs)
        print(f"  {name:<26}{wall:8.2f} s {cpu:6.2f} s {memory:5.0f} MiB {wall / base[0]:17.2f} {cpu / base[1]:6.2f}")
    source.unlink()


def memory(folder: Path, counts: Sequence[int]) -> None:
    """Print the peak memory of `rne id` for short and long files."""
    for samples in counts:
        source, target = folder / "motion.parquet", folder / "result.parquet"
        subprocess.run([sys.executable, "-c", MAKE, str(source), str(samples)], check=True)
        wall, _, most = spent(ours(source, target))
        print(f"  {samples:>12,} samples: {most:5.0f} MiB, {wall:.1f} s")
        source.unlink()
        target.unlink()


def main() -> None:
    """Run the benchmark according to the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, help="folder with space: 170 bytes per sample in Parquet, 430 in CSV")
    parser.add_argument("--parquet", type=float, default=1e7, help="samples")
    parser.add_argument("--csv", type=float, default=1e6, help="samples")
    parser.add_argument("--memory", type=float, nargs="*", default=[1e6, 5e7], help="samples")
    parser.add_argument("--turns", type=int, default=3)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=given.folder) as folder:
        for kind, samples in (("parquet", given.parquet), ("csv", given.csv)):
            if samples:
                compare(Path(folder), kind, int(samples), given.turns)
        print("\npeak memory of rne id")
        memory(Path(folder), [int(samples) for samples in given.memory])


if __name__ == "__main__":
    main()
