"""Trajectories and results in files of any size, streamed in constant memory: CSV, Parquet, Arrow, NPY and NPZ.

`Trajectory` reads states by the names of a robot's joints, `Results` writes what comes of them, and `in_order` puts
threads between the two. Needs pyarrow (``pip install 'rne[files]'``).

Examples
--------
>>> import os, tempfile
>>> import rne
>>> panda = rne.load("models/panda/robot.urdf")
>>> names = {"tau": [f"tau_{joint}" for joint in panda.joint_names]}
>>> path = os.path.join(tempfile.mkdtemp(), "torques.parquet")
>>> with (
...     rne.files.Trajectory("models/panda/trajectory.csv", panda) as motion,
...     rne.files.Results(path, names, time=motion.time_type) as results,
... ):
...     for chunk in motion:
...         results.write(chunk.t, {"tau": rne.inverse_dynamics(panda, **chunk.arrays)})
"""

from rne.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__)
