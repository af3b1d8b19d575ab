"""The C that rne writes for one robot, compiled by gcc with a loop over samples."""

from __future__ import annotations

import ctypes
import subprocess
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import rne

Array = NDArray[np.float64]
Batch = Callable[[Array, Array, Array], Array]

GCC = ["gcc", "-O3", "-march=native", "-ffast-math", "-fPIC"]

_LOOP = """
void batch(long long samples, const double* q, const double* qd, const double* qdd, double* tau) {
  for (long long k = 0; k < samples; k++)
    arm_inverse_dynamics(q + %(n)d * k, qd + %(n)d * k, qdd + %(n)d * k, tau + %(n)d * k);
}
"""


@cache
def inverse_dynamics(robot: rne.Robot) -> Batch:
    """Torques of a batch of states, one per row."""
    with tempfile.TemporaryDirectory() as folder:
        paths = rne.export_c(robot, folder, ["inverse_dynamics"], name="arm")
        code = paths[1].read_text().replace('#include "arm.h"\n', paths[0].read_text())
        return compiled(code + _LOOP % {"n": robot.n})


def compiled(code: str) -> Batch:
    """Compile code that has a function `batch`, and return it."""
    with tempfile.TemporaryDirectory() as folder:
        source, object_file, library = (Path(folder, f"sample.{suffix}") for suffix in ("c", "o", "so"))
        source.write_text(code)
        subprocess.run([*GCC, "-c", str(source), "-o", str(object_file)], check=True)
        # Linked with -ffast-math, a library switches denormal numbers off for the whole process that loads it.
        subprocess.run(["gcc", "-shared", str(object_file), "-o", str(library), "-lm"], check=True)
        batch = ctypes.CDLL(str(library)).batch
    batch.restype = None
    batch.argtypes = [ctypes.c_longlong, *(np.ctypeslib.ndpointer(np.float64, 2, flags="C"),) * 4]

    def run(q: Array, qd: Array, qdd: Array) -> Array:
        tau = np.empty_like(q)
        batch(len(q), q, qd, qdd, tau)
        return tau

    return run
