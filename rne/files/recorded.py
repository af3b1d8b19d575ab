"""Logs as functions of time, for simulations."""

from __future__ import annotations

from rne.errors import ArgumentError, FileError, shown
from rne.files.chunk import joined
from rne.files.times import seconds
from rne.files.trajectory import Trajectory
from rne.trajectory.signal import Signal


def signals(motion: Trajectory, interpolation: str = "zero-order") -> dict[str, Signal]:
    r"""Read a whole file as functions of time, for `rne.simulate`.

    Parameters
    ----------
    motion : an open file, with the column t. What it is asked for (`quantities`, `wrenches`) becomes signals.
    interpolation : between the rows, as for `rne.Signal`.

    Returns
    -------
    signals : by quantity ("tau", ...) and by frame of a wrench; their times begin with zero at the first row.

    Raises
    ------
    FileError
        There is no column t, no row, or a quantity is missing; times do not increase, or numbers are not finite.
    ArgumentError
        An argument is of the wrong kind.

    Examples
    --------
    >>> import io, rne
    >>> arm = rne.load_model("planar2")
    >>> log = io.BytesIO(b"t,tau_shoulder,tau_elbow\n5.0,1.0,0.0\n5.5,2.0,0.5\n")
    >>> with rne.files.Trajectory(log, arm, quantities=["tau"], format="csv") as motion:
    ...     torques = rne.files.signals(motion)["tau"]
    >>> torques
    Signal of width 2 at 2 times from 0 to 0.5 s, zero-order
    >>> rne.simulate(arm, [0.1, 0.2], t=[0.0, 0.25, 0.5], tau=torques).tau[:, 0]
    array([1., 1., 2.])
    """
    if not isinstance(motion, Trajectory):
        raise ArgumentError(f"motion: wanted a Trajectory, got {shown(motion)}")
    if motion.columns.time is None:
        raise FileError(f"{motion.where}: without a column t this is no function of time")
    if motion.columns.missing:
        raise FileError(f"{motion.where}: no columns of {', '.join(motion.columns.missing)}")
    chunk = joined([read() for read in motion.pieces()])
    if not chunk.rows:
        raise FileError(f"{motion.name}: there are no rows")
    assert chunk.t is not None
    t = seconds(motion.where, chunk.t, origin=chunk.t[0])
    t = t - t[0]
    found = {}
    for name, values in (*chunk.arrays.items(), *chunk.wrenches.items()):
        try:
            found[name] = Signal(t, values, interpolation)
        except ArgumentError as error:
            if str(error).startswith("interpolation"):
                raise
            raise FileError(f"{motion.name}: {name}: {error}") from None
    return found
