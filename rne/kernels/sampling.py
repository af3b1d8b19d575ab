"""Controllers in discrete time: a zero-order hold with dead time, quantized measurement and saturation.

At each sampling instant the controller is asked once; its torques act from the dead time later on, until the next ones
do. The integral of a control law is a sum, I(k + 1) = I(k) + period e(k).

Source: Åström, Wittenmark, "Computer-Controlled Systems" (3rd ed., 1997), sections 2.3 and 8.3.
"""

from __future__ import annotations

import numpy as np

from rne.kernels.actuation import torques
from rne.kernels.jit import inline, inline_allocating, internal
from rne.kernels.simd.pack import out_of_line

# What happens at a time: the row of the paths, or -1; the row of the torques; whether the controller is asked, and
# whether torques arrive.
OUT, HELD, ASKS, ARRIVES = range(4)
EVENTS = 4


@inline
def _quantized(x, resolution):
    return np.floor(x / resolution + 0.5) * resolution if resolution > 0.0 else x


@inline_allocating
def begin(sampled, rows, n, given, ending):
    """Set the torques of the beginning; return scratch of `command`: commands, (asked, arrived), and what is measured.

    sampled : (period, 0 for a controller in continuous time; resolutions (nq,) and (n,) of positions and velocities,
    0 for none; largest torques (n,); torques (n,) of the beginning; most commands that are under way).
    """
    period, resolutions, _, _, initial, slots = sampled
    if period > 0.0:
        for i in range(given.shape[0]):
            given[i] = ending[i] = initial[i % n]
    m = rows * n
    return np.empty((slots, m)), np.zeros(2, np.intp), np.empty(rows * resolutions.shape[0]), np.empty(m), np.zeros(m)


@internal
def command(when, events, k, motion, drive, law, block, sampled, queue):
    """Ask the controller if time k is a sampling instant, and change the torques that act if new ones arrive at it.

    when : (time, how far behind it a reference is evaluated). motion : (q, qd, integral), of which the integral
    changes, one number for each joint. drive, law : for `torques`; of the torques in the drive, those that come first
    are the ones that act. block : (first simulation, rows).
    """
    out_of_line()
    period, resolutions, speeds, largest, _, slots = sampled
    commands, count, q, qd, rate = queue
    given = drive[3]
    first, rows = block
    n, nq = speeds.shape[0], resolutions.shape[0]
    if events[ASKS, k] != 0:
        for row in range(rows):
            for j in range(nq):
                q[row * nq + j] = _quantized(motion[0][row * nq + j], resolutions[j])
            for j in range(n):
                qd[row * n + j] = _quantized(motion[1][row * n + j], speeds[j])
        tau = commands[count[0] % slots]
        torques(drive, law, first, rows, when[0], when[0] + when[1], (q, qd, motion[2], rate), tau)
        for row in range(rows):
            for j in range(n):
                i = row * n + j
                tau[i] = min(max(tau[i], -largest[j]), largest[j]) if tau[i] == tau[i] else tau[i]
        if law is not None:
            for i in range(motion[2].shape[0]):
                motion[2][i] += period * rate[i]
        count[0] += 1
    if events[ARRIVES, k] != 0:
        for i in range(rows * n):
            given[i] = commands[count[1] % slots, i]
        count[1] += 1
