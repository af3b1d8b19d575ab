"""Joint control: feedback of the error, its rate and its integral, with or without model-based terms.

Sources: Craig, "Introduction to Robotics" (3rd ed., 2005), sections 9.9 and 10.3 to 10.5; Siciliano, Sciavicco,
Villani, Oriolo, "Robotics: Modelling, Planning and Control" (2009), sections 8.3 and 8.5; Åström, Hägglund, "Advanced
PID Control" (2006), section 3.5, on windup. One formula covers them: with a reference r, the error e = r - q and

    u = kp e + ki (integral of e) + kd e'

the torque is u, or u + model(q, 0, 0), or u + model(r, r', r''), or model(q, qd, r'' + u), where model is inverse
dynamics. It is passed as a pointer to its entry, like forward dynamics in `simulation`.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rne.kernels.jit import inline, inline_allocating
from rne.kernels.simd.pack import address_of

# What the model adds to the feedback.
NOTHING, GRAVITY, FEEDFORWARD, COMPUTED = range(4)

# Rows of the gains; the last is the largest torque.
KP, KI, KD, LIMIT = range(4)

# Velocity of a joint that begins to slide, m/s or rad/s: it has a sign, and is otherwise zero.
ALMOST_REST = 1e-300

# Scratch for each coordinate of each simulation: q, qd, qdd for the model, and the torque that it returns.
ASKED = 4


@inline
def _piece(breaks, t, near):
    """Return the piece of a path at the time `near`, the fraction of it that has elapsed at t, and 1 / its duration.

    Before and after the path the fraction is 0 or 1, and the last number is zero.
    """
    low, high = 0, breaks.shape[0] - 2
    if near < breaks[0]:
        return low, 0.0, 0.0
    if near > breaks[high + 1]:
        return high, 1.0, 0.0
    while low < high:
        middle = (low + high + 1) // 2
        if near < breaks[middle]:
            high = middle - 1
        else:
            low = middle
    pace = 1.0 / (breaks[low + 1] - breaks[low])
    return low, (t - breaks[low]) * pace, pace


@inline
def _moving(rate, acceleration):
    """Velocity for the model: of a joint at rest, one whose sign is that in which it shall start, against friction."""
    if rate != 0.0 or acceleration == 0.0:
        return rate
    return ALMOST_REST if acceleration > 0.0 else -ALMOST_REST


@inline
def _ask_model(model, one, many, asked, addresses, rows, loads):
    """Write inverse dynamics of the first three quarters of `asked` to the last; `many` uses `addresses`."""
    if many is not None:
        many(model, 0, rows, addresses, loads)
    if one is not None:
        m = asked.shape[0] // ASKED
        one(address_of(model), asked[:m], asked[m : 2 * m], asked[2 * m : 3 * m], asked[3 * m :], loads)


@inline
def torques(law, first, t, near, motion, tau, asked, addresses):
    """Fill `tau` and the rate of the integral of the error, (rows * n) each, of simulations from `first` on.

    near : a time close to t that selects the piece of the reference where two pieces meet.
    motion : (q, qd, integral, rate), (rows * n) each. asked, addresses : as `scratch` returns them.
    Of a robot whose base floats, q, qd and tau have numbers of the base in front of the n joints, which alone have
    torques.
    law : (model; inverse dynamics for one state, and for batches, one of them None; its loads; gains (samples, 4, n);
    breaks (K,) of the reference in time; its pieces (samples, K - 1, 6, n), polynomials in the elapsed fraction; what
    the model adds; whether only the measured velocity is fed back).
    The integral does not grow while the torque is at its limit and the error has the same sign.
    """
    model, one, many, loads, gains, breaks, pieces, kind, on_measurement = law
    q, qd, integral, rate = motion
    n = gains.shape[2]
    m = integral.shape[0]
    rows = m // max(n, 1)
    nq, nv = q.shape[0] // max(rows, 1), tau.shape[0] // max(rows, 1)
    for j in range(tau.shape[0]):
        tau[j] = 0.0
    k, u, pace = _piece(breaks, t, near)
    for row in range(rows):
        s = first + row
        for j in range(n):
            c0, c1, c2 = pieces[s, k, 0, j], pieces[s, k, 1, j], pieces[s, k, 2, j]
            c3, c4, c5 = pieces[s, k, 3, j], pieces[s, k, 4, j], pieces[s, k, 5, j]
            r = c0 + u * (c1 + u * (c2 + u * (c3 + u * (c4 + u * c5))))
            rd = pace * (c1 + u * (2 * c2 + u * (3 * c3 + u * (4 * c4 + u * (5 * c5)))))
            rdd = pace * pace * (2 * c2 + u * (6 * c3 + u * (12 * c4 + u * (20 * c5))))
            i, v = row * n + j, (row + 1) * nv - n + j
            position, velocity = q[(row + 1) * nq - n + j], qd[v]
            e = r - position
            ed = -velocity if on_measurement else rd - velocity
            feedback = gains[s, KP, j] * e + gains[s, KI, j] * integral[i] + gains[s, KD, j] * ed
            rate[i], tau[v] = e, feedback
            if kind == COMPUTED:
                wanted = rdd + feedback
                asked[i], asked[m + i], asked[2 * m + i], tau[v] = position, _moving(velocity, wanted), wanted, 0.0
            elif kind == FEEDFORWARD:
                asked[i], asked[m + i], asked[2 * m + i] = r, _moving(rd, rdd), rdd
            else:
                asked[i], asked[m + i], asked[2 * m + i] = position, 0.0, 0.0
    if kind != NOTHING:
        _ask_model(model, one, many, asked, addresses, rows, loads)
    for row in range(rows):
        for j in range(n):
            i, v, limit = row * n + j, (row + 1) * nv - n + j, gains[first + row, LIMIT, j]
            if kind != NOTHING:
                tau[v] += asked[3 * m + i]
            if tau[v] > limit:
                tau[v], rate[i] = limit, min(rate[i], 0.0)
            elif tau[v] < -limit:
                tau[v], rate[i] = -limit, max(rate[i], 0.0)


@inline
def integrals(law, rows):
    """Number of integrals of the errors of `rows` simulations: one for each joint."""
    return rows * law[4].shape[2]


@inline_allocating
def scratch(rows, n):
    """Scratch of `torques`: `asked`, and address and row stride in bytes of each of its parts."""
    m = rows * n
    asked, addresses = np.empty(ASKED * m), np.empty(2 * ASKED, np.intp)
    for part in range(ASKED):
        addresses[2 * part], addresses[2 * part + 1] = address_of(asked) + 8 * m * part, 8 * n
    return asked, addresses


def make_one(stamp: str) -> Callable[..., None]:
    """Make the entry for one state of one simulation, for integrators in Python."""

    def control_one(law, sample, t, q, qd, integral, rate, tau):
        stamp  # noqa: B018  part of the cache key
        asked, addresses = scratch(1, integral.shape[0])
        torques(law, sample, t, t, (q, qd, integral, rate), tau, asked, addresses)

    return control_one
