"""Identification of many samples: memory, and time against that of the regressor alone.

`python -m benchmarks.identification` takes 10 million samples of a Panda, made chunk by chunk as from a file.
"""

from __future__ import annotations

import argparse
import resource
import time

import numpy as np

import rne
from rne.identification.equations import base_equations

CHUNK = 8192


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=10_000_000)
    arguments = parser.parse_args()
    panda = rne.load_model("panda", lock={"panda_finger_joint1": 0.0})
    rng = np.random.default_rng(0)
    q, qd, qdd = rng.normal(size=(3, CHUNK, panda.n))
    tau = rne.inverse_dynamics(panda.with_payload(1.0, frame="panda_hand"), q, qd, qdd) + rng.normal(size=q.shape)
    identifier = rne.Identifier(panda)
    base = rne.base_parameters(panda)
    identifier.update(q, qd, qdd, tau)
    Y = np.empty((CHUNK, panda.n, len(base.names)))
    rne.regressor(panda, q, qd, qdd, out=Y)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    spent, alone, fresh = 0.0, 0.0, 0.0
    for _ in range(arguments.samples // CHUNK):
        start = time.perf_counter()
        identifier.update(q, qd, qdd, tau)
        spent += time.perf_counter() - start
    for _ in range(100):  # by turns, in memory that is there already, and in new memory as a caller has it
        start = time.perf_counter()
        rne.regressor(panda, q, qd, qdd, out=Y)
        alone += time.perf_counter() - start
        start = time.perf_counter()
        rne.regressor(panda, q, qd, qdd)
        fresh += time.perf_counter() - start
    found = identifier.solve()
    done = identifier.samples - CHUNK
    print(
        f"{identifier.samples:,} samples, residual {found.residual.max():.3f}, {len(base_equations(base).given)} values"
    )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"memory: {peak / 1024:.0f} MB, {before / 1024:.0f} MB of it before")
    each = 1e6 / (100 * CHUNK)
    print(f"identification {1e6 * spent / done:.2f} us a sample")
    print(f"regressor {alone * each:.2f} us a sample into memory that is there, {fresh * each:.2f} into a new array")


if __name__ == "__main__":
    main()
