"""Many trajectories into a folder: what is complete is not done again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from rne.atomic_write import replacing
from rne.errors import ArgumentError
from rne.model.robot import Robot

_RECORD = ".rne-results.json"
_PACKED = (".gz", ".zst", ".bz2", ".lz4")
_WRITTEN = (".csv", ".parquet", ".pq", ".arrow", ".feather", ".npy", ".npz")


class Folder:
    """A folder of results, one a trajectory, all made by the same robot and options.

    Each file takes its place when it is complete; so one that is there, and not older than its trajectory, is complete,
    however the run that made it ended.

    Parameters
    ----------
    path : of the folder; it is made where it is not there.
    robot, options : what the results depend on; a record in the folder shows whether they are the same as before.
    """

    def __init__(self, path: str, robot: Robot, options: Mapping[str, Any]) -> None:
        self._path = Path(path)
        self._path.mkdir(parents=True, exist_ok=True)
        text = json.dumps([robot.joint_names, sorted(options.items())], default=str)
        mark = hashlib.sha256(robot.links.table.tobytes() + text.encode()).hexdigest()
        record = self._path / _RECORD
        if record.exists():
            try:
                before = json.loads(record.read_text()).get("made_by")
            except (json.JSONDecodeError, UnicodeDecodeError, AttributeError):
                before = None
            if before != mark:
                raise ArgumentError(
                    f"{path}: holds results of another robot or other options; name another folder, or empty this one"
                )
        else:
            with replacing(str(record)) as stream:
                stream.write(json.dumps({"made_by": mark}).encode())

    def outputs(self, trajectories: tuple[str, ...], suffix: str | None) -> list[tuple[str, Path]]:
        """Return the trajectories, each with the file for its results.

        Parameters
        ----------
        trajectories : their paths.
        suffix : of the results; None for that of the trajectory, or Parquet where it is not written.

        Raises
        ------
        ArgumentError
            Two would be written into one file.
        """
        pairs = [(trajectory, self._path / self._named(Path(trajectory), suffix)) for trajectory in trajectories]
        first: dict[Path, str] = {}
        for trajectory, output in pairs:
            other = first.setdefault(output, trajectory)
            if other != trajectory:
                raise ArgumentError(f"{output}: would hold the results of both {other} and {trajectory}")
            if output.exists() and output.samefile(trajectory):
                raise ArgumentError(f"{output}: the output would take the place of a trajectory")
        return pairs

    @staticmethod
    def _named(trajectory: Path, suffix: str | None) -> str:
        suffixes = [s.lower() for s in trajectory.suffixes[-2:]]
        packed = suffixes[-1:] and suffixes[-1] in _PACKED
        name = trajectory.name.removesuffix(trajectory.suffix) if packed else trajectory.name
        stem = Path(name).stem
        if suffix is not None:
            return stem + suffix
        own = Path(name).suffix
        if own.lower() not in _WRITTEN:
            return stem + (".csv" if packed else ".parquet")
        return trajectory.name

    @staticmethod
    def open_ones(pairs: list[tuple[str, Path]]) -> Iterator[tuple[str, Path]]:
        """Yield what is still to be done."""
        for trajectory, output in pairs:
            done = output.is_file() and output.stat().st_mtime >= Path(trajectory).stat().st_mtime
            if not done:
                yield trajectory, output
