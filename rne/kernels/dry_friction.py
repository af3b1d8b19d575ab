"""Motion with friction and joint stops while no joint changes its mode, for one simulation at a time.

A joint sticks, or it slides in one direction under constant dry friction, or it touches a stop; the motion is then
smooth. A step of `additive` is implicit in the damping. What ends a mode is in `events`.
"""

from __future__ import annotations

import numpy as np

from rne.kernels import base
from rne.kernels import mass_matrix as composite
from rne.kernels.actuation import total_torques
from rne.kernels.additive import EXPLICIT, GAMMA, IMPLICIT, NODES, STAGES, WEIGHTS
from rne.kernels.complementarity import FREE, MINUS, PLUS, STUCK, dry_force, find_modes, solve_held
from rne.kernels.control import ALMOST_REST
from rne.kernels.flight import normalize, position_rates
from rne.kernels.jit import inline, internal
from rne.kernels.joint_friction import curved_slope
from rne.kernels.layout import COORDINATES, CURVED, LEADER, LINKS, RATIO
from rne.kernels.mass_and_bias import BIAS, MASS
from rne.kernels.simd.pack import address_of, as_floats, out_of_line

# Rows of the limits of a simulation: dry friction against positive and negative motion, N m; positions of the stops;
# restitution of rigid stops; stiffness and damping of soft ones, for which the restitution is NaN.
UP, DOWN, LOWER, UPPER, RESTITUTION, STIFFNESS, DAMPING = range(7)
LIMITS = 7

# A reference may jump where two steps meet. At its ends a step evaluates it inside, by this fraction of the step.
EDGE = 1e-6


@inline
def room_size(n, w):
    """Number of floats of scratch for one simulation of n coordinates and w positions and integrals."""
    return STAGES * (w + 2 * n) + 3 * n * n + 20 * n + 3 * w + 1


@inline
def room_in(table, buffer, w):
    """Arrays of stages, of solutions, of matrices, of vectors, of the state, of modes, and of a step.

    The last are its end, margins, velocities that a controller sees, and slopes of friction.

    w : number of positions and integrals. For `internal` functions only: the views share the reference of `buffer`,
    which a function that counts would drop.
    """
    n, positions = int(table[0, COORDINATES]), base.positions(table)
    stages, matrices = STAGES * w, STAGES * (w + 2 * n)
    rows = matrices + 3 * n * n
    v, place = as_floats(buffer, rows, 19, n), rows + 19 * n
    q, more = as_floats(buffer, place, 1, positions)[0], place + n + 1
    integrals = as_floats(buffer, more, 2, w - positions)
    out = as_floats(buffer, more + 2 * (w - positions), 1, w + n)
    return (
        (
            as_floats(buffer, 0, STAGES, w),
            as_floats(buffer, stages, STAGES, n),
            as_floats(buffer, stages + STAGES * n, STAGES, n),
        ),
        (as_floats(buffer, matrices, n, n), v[:2], v[2:3]),
        (
            as_floats(buffer, matrices + n * n, 1, n * n)[0],
            v[3],
            as_floats(buffer, matrices + 2 * n * n, n, n),
            v[4],
        ),
        (v[5], v[6], v[7]),
        (q, v[8], integrals[0], integrals[1], v[9], v[10]),
        (v[11], v[12], v[13], v[14:16]),
        (out[0], v[16], v[17], v[18]),
    )


@internal
def fill_bounds(table, buffer, w):
    """Fill the upper bounds of the diagonal of the mass matrix."""
    out_of_line()
    room = room_in(table, buffer, w)
    spare, bounds = room[1][1], room[2][3]
    composite.bounds(table, spare)
    for j in range(bounds.shape[0]):
        bounds[j] = spare[1, j]


@inline
def at_stop(q, limits, j):
    """Return 1 at or beyond the upper stop, -1 at or beyond the lower one, otherwise 0."""
    return 1 if q >= limits[UPPER, j] else -1 if q <= limits[LOWER, j] else 0


@inline
def is_rigid(limits, j):
    """Return whether the stops of a joint are rigid."""
    return limits[RESTITUTION, j] >= 0.0


@inline
def _add_stop_springs(limits, contacts, q, rhs):
    more = q.shape[0] - rhs.shape[0]
    for j in range(rhs.shape[0]):
        if contacts[j] != 0.0:
            stop = limits[UPPER, j] if contacts[j] > 0.0 else limits[LOWER, j]
            rhs[j] -= limits[STIFFNESS, j] * (q[j + more] - stop)


@inline
def damping_of(D, limits, contacts, i, j):
    """Entry of the damping matrix, with that of a soft stop in contact."""
    extra = limits[DAMPING, j] if i == j and contacts[j] != 0.0 else 0.0
    return D[i, j] + extra


@internal
def fill_slopes(table, y, room):
    """Fill the slopes of curved friction at the beginning of a step, in which the step is implicit like in the damping.

    Where friction falls with the velocity, there is nothing to damp.
    """
    slopes = room[6][3]
    n = slopes.shape[0]
    w = y.shape[0] - n
    for j in range(n):
        slopes[j] = 0.0
    for i in range(1, int(table[0, LINKS]) + 1):
        if table[i, CURVED] != 0.0:
            j, ratio = int(table[i, LEADER]), table[i, RATIO]
            slopes[j] += max(curved_slope(table, i, ratio * y[w + j]), 0.0) * ratio * ratio


@internal
def before_stage(stage, h, y, dynamics, room):
    """Set the state of a stage, with the velocity implicit in the damping; returns 0 unless a matrix is singular."""
    out_of_line()
    table, one, D, limits, damped = dynamics
    (rates, outer, damper), solving, (mass, bias, A, bounds), (x, _, full), (q, qd, integral, _, _, _), modes, _ = room
    n, positions = qd.shape[0], q.shape[0]
    w = rates.shape[1]
    for j in range(w):
        total = 0.0
        for k in range(stage):
            total += EXPLICIT[stage, k] * rates[k, j]
        if j < positions:
            q[j] = y[j] + h * total
        else:
            integral[j - positions] = y[j] + h * total
    if base.floats(table):
        normalize(q)
    for j in range(n):
        total = 0.0
        for k in range(stage):
            total += EXPLICIT[stage, k] * outer[k, j] + IMPLICIT[stage, k] * damper[k, j]
        qd[j] = y[w + j] + h * total
        damper[stage, j] = 0.0
    if not damped:
        return 0
    one(address_of(table), q, qd, mass, bias, MASS)
    ahead = 0.0 if stage == 0 else GAMMA * h
    for i in range(n):
        full[i] = 0.0
        for j in range(n):
            d = damping_of(D, limits, modes[1], i, j)
            full[i] -= d * qd[j]
            A[i, j] = mass[i * n + j] + ahead * d
        full[i] -= room[6][3][i] * qd[i]
        A[i, i] += ahead * room[6][3][i]
    singular = solve_held(A, full, modes[0], bounds, solving, x)
    for j in range(n):
        damper[stage, j] = x[j]
        qd[j] += ahead * x[j]
    return singular


@internal
def after_stage(stage, dynamics, room):
    """Store the rates of a stage, whose torques are known; returns 0 unless the mass matrix is singular."""
    out_of_line()
    table, one, _, limits, damped = dynamics
    (rates, outer, _), solving, (mass, bias, A, bounds), (x, _, full), state, modes, _ = room
    q, qd, _, rate, tau, _ = state
    n, positions = qd.shape[0], q.shape[0]
    one(address_of(table), q, qd, mass, bias, BIAS if damped else MASS | BIAS)
    for i in range(n):
        full[i] = tau[i] - bias[i] + dry_force(modes[0][i], limits[UP, i], limits[DOWN, i])
        full[i] += room[6][3][i] * qd[i]  # `before_stage` has taken it off
        for j in range(n):
            A[i, j] = mass[i * n + j]
    _add_stop_springs(limits, modes[1], q, full)
    singular = solve_held(A, full, modes[0], bounds, solving, x)
    for j in range(n):
        outer[stage, j] = x[j]
        rates[stage, j] = qd[j]
    if base.floats(table):
        position_rates(q, qd, rates[stage])
    for j in range(rate.shape[0]):
        rates[stage, positions + j] = rate[j]
    return singular


@inline
def end_attempt(table, h, y, room):
    """Set the end of a step from `y`, both (positions, integrals, velocities)."""
    out = room[6][0]
    rates, outer, damper = room[0]
    n, w = outer.shape[1], rates.shape[1]
    for j in range(w):
        total = 0.0
        for k in range(STAGES):
            total += WEIGHTS[k] * rates[k, j]
        out[j] = y[j] + h * total
    if base.floats(table):
        normalize(out)
    for j in range(n):
        total = 0.0
        for k in range(STAGES):
            total += WEIGHTS[k] * (outer[k, j] + damper[k, j])
        out[w + j] = y[w + j] + h * total


@inline
def fill_seen(room):
    """Set the velocities for a controller: those of sliding joints keep their sign until an event.

    One that compensates friction sees in which direction a joint begins to slide, and no jump where a step that is
    too long leads it beyond its stop.
    """
    qd, now, velocities = room[4][1], room[5][0], room[6][2]
    for j in range(qd.shape[0]):
        velocities[j] = qd[j]
        if now[j] == PLUS and qd[j] < ALMOST_REST:
            velocities[j] = ALMOST_REST
        elif now[j] == MINUS and qd[j] > -ALMOST_REST:
            velocities[j] = -ALMOST_REST


@internal
def attempt(row, t, h, y, dynamics, drive, law, room):
    """Make a step in which no joint changes its mode; returns 0 unless a matrix is singular."""
    out_of_line()
    q, _, integral, rate, tau, _ = room[4]
    for stage in range(STAGES):
        if before_stage(stage, h, y, dynamics, room) != 0:
            return 1
        at = t + NODES[stage] * h
        near = at + (EDGE * h if stage == 0 else -EDGE * h if stage == STAGES - 1 else 0.0)
        fill_seen(room)
        total_torques(drive, law, row, 1, at, near, (q, room[6][2], integral, rate), tau)
        if after_stage(stage, dynamics, room) != 0:
            return 1
    end_attempt(dynamics[0], h, y, room)
    return 0


@inline
def fill_system(tau, qd, friction, contacts, matrices, right):
    """Fill the mass matrix A, and the torques `right` without dry friction and the springs of stops.

    friction : (damping, limits). contacts : of soft stops, (n,). matrices : (mass, bias, A, bounds).
    """
    D, limits = friction
    mass, bias, A, _ = matrices
    n = right.shape[0]
    for i in range(n):
        right[i] = tau[i] - bias[i]
        for j in range(n):
            right[i] -= damping_of(D, limits, contacts, i, j) * qd[j]
            A[i, j] = mass[i * n + j]


@internal
def forces_at(row, t, near, y, dynamics, drive, law, room):
    """Fill A with the mass matrix, and `right` with the torques without dry friction, at the state `y`."""
    out_of_line()
    table, one, D, limits, _ = dynamics
    _, _, matrices, _, (q, qd, integral, rate, tau, right), modes, _ = room
    n, positions = qd.shape[0], q.shape[0]
    w = y.shape[0] - n
    for j in range(positions):
        q[j] = y[j]
    for j in range(n):
        qd[j] = y[w + j]
    for j in range(w - positions):
        integral[j] = y[positions + j]
    fill_seen(room)
    total_torques(drive, law, row, 1, t, near, (q, room[6][2], integral, rate), tau)
    one(address_of(table), q, qd, matrices[0], matrices[1], MASS | BIAS)
    fill_system(tau, qd, (D, limits), modes[1], matrices, right)
    _add_stop_springs(limits, modes[1], q, right)


@inline
def set_modes(y, limits, modes, w, more):
    """Set the modes of moving joints, and what holds the joints at rest; returns whether there are any.

    w : positions and integrals in `y`. more : positions that there are besides one for each coordinate.
    """
    now, _, resting, reach = modes
    n = now.shape[0]
    found = False
    for j in range(n):
        v = y[w + j]
        up, down = limits[UP, j], limits[DOWN, j]
        dry = up > 0.0 or down > 0.0
        resting[j] = 0.0
        reach[0, j], reach[1, j] = up, down
        stop = at_stop(y[j + more], limits, j) if is_rigid(limits, j) else 0
        if v != 0.0 or not (dry or stop != 0):
            now[j] = (PLUS if v > 0.0 else MINUS if v < 0.0 else FREE) if dry else FREE
        else:
            resting[j], now[j], found = 1.0, STUCK, True
            if stop > 0:
                reach[0, j] = np.inf
            if stop < 0:
                reach[1, j] = np.inf
    return found


@internal
def resolve(row, t, near, y, dynamics, drive, law, room):
    """Find the modes of all joints at a state; returns 0 unless the mass matrix is singular."""
    _, _, _, limits, _ = dynamics
    _, solving, (_, _, A, bounds), vectors, (q, _, _, _, _, right), modes, _ = room
    n = modes[0].shape[0]
    if not set_modes(y, limits, modes, y.shape[0] - n, q.shape[0] - n):
        return 0
    forces_at(row, t, near, y, dynamics, drive, law, room)
    return find_modes(A, right, (modes[3][0], modes[3][1]), modes[0], modes[2], bounds, solving, vectors)
