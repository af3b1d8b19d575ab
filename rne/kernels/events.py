"""One step of one simulation with friction and joint stops.

Between events every joint keeps its mode: it sticks, or it slides in one direction under constant dry friction, or it
touches a stop. The motion is then smooth, and a step of `additive`, which is implicit in the damping, keeps its order.
An event ends it: a sliding joint comes to rest, a holding force reaches its bound, a stop is met. Its time is found by
repeating the step with other lengths; then `complementarity` finds the modes of all joints at rest together, and the
rest of the step follows. Where too many events meet, and in the method of first order, a step finds the velocities at
its end by the same problem, with impulses in place of forces; that step always exists, and friction only takes energy.

Sources: Acary, Brogliato, "Numerical Methods for Nonsmooth Dynamical Systems" (2008), chapters 8 (events) and 10
(impulses); Brogliato, "Nonsmooth Mechanics" (2016), section 5.1, on restitution.
"""

from __future__ import annotations

import numpy as np

from rne.kernels import base
from rne.kernels.complementarity import FREE, MINUS, PLUS, STUCK, dry_force, find_modes, holding_forces, solve_held
from rne.kernels.dry_friction import (
    DAMPING,
    DOWN,
    EDGE,
    LOWER,
    RESTITUTION,
    STIFFNESS,
    UP,
    UPPER,
    at_stop,
    attempt,
    damping_of,
    fill_slopes,
    forces_at,
    is_rigid,
    resolve,
    room_in,
    set_modes,
)
from rne.kernels.flight import normalize, position_rates
from rne.kernels.jit import inline, internal
from rne.kernels.mass_and_bias import MASS
from rne.kernels.simd.pack import address_of, out_of_line

# Events in one step before it is finished by impulses, for each joint, and besides.
_EVENTS_EACH, _EVENTS = 2, 8
_SEARCHES = 80
# Rebounds in one step before a stop lets a joint rest.
_REBOUNDS = 8


@inline
def _contact_margin(limits, j, q, v, contact):
    """Negative if a soft stop should be in the other state: its force may only push."""
    upper = q - limits[UPPER, j]
    lower = limits[LOWER, j] - q
    if contact != 0.0:
        depth, speed = (upper, v) if contact > 0.0 else (lower, -v)
        return limits[STIFFNESS, j] * depth + limits[DAMPING, j] * speed
    depth, speed = (upper, v) if upper > lower else (lower, -v)
    return -min(limits[STIFFNESS, j] * depth, limits[STIFFNESS, j] * depth + limits[DAMPING, j] * speed)


@inline
def _stop_margin(limits, j, before, q, v):
    """Negative if a joint has met a rigid stop from inside, or turned towards it outside."""
    upper = limits[UPPER, j] - q
    lower = q - limits[LOWER, j]
    if before >= limits[UPPER, j]:
        upper = max(upper, -v)
    if before <= limits[LOWER, j]:
        lower = max(lower, v)
    return min(upper, lower)


@internal
def smallest_margin(row, when, y, out, dynamics, drive, law, room):
    """Return the smallest margin to an event at the state `out`, negative beyond one; fills those of the joints.

    when : its time, and one close to it, inside the step.
    """
    out_of_line()
    t, near = when
    joint_margins = room[6][1]
    _, _, _, limits, _ = dynamics
    _, solving, (_, _, A, bounds), (x, forces, full), (q, _, _, _, _, right), modes, _ = room
    now, contacts, _, reach = modes
    n = now.shape[0]
    w, more = y.shape[0] - n, q.shape[0] - n
    holding = False
    for j in range(n):
        v, margin = out[w + j], np.inf
        if now[j] == STUCK:
            holding = True
        elif now[j] != FREE:
            margin = now[j] * v
        if now[j] != STUCK and is_rigid(limits, j):
            margin = min(margin, _stop_margin(limits, j, y[j + more], out[j + more], v))
        if limits[STIFFNESS, j] > 0.0:
            margin = min(margin, _contact_margin(limits, j, out[j + more], v, contacts[j]))
        joint_margins[j] = margin
    if holding:
        forces_at(row, t, near, out, dynamics, drive, law, room)
        for j in range(n):
            full[j] = right[j] + dry_force(now[j], limits[UP, j], limits[DOWN, j])
        if solve_held(A, full, now, bounds, solving, x) == 0:
            holding_forces(A, right, now, x, forces)
            for j in range(n):
                if now[j] == STUCK:
                    slack = 1e-12 * (min(reach[0, j], reach[1, j]) + abs(forces[j]))
                    joint_margins[j] = slack + min(forces[j] + reach[0, j], reach[1, j] - forces[j])
    smallest = np.inf
    for j in range(n):
        if not joint_margins[j] >= smallest:
            smallest = joint_margins[j]
    return smallest


@internal
def _impact(y, dynamics, room, rebounding):
    """Let joints that run into a rigid stop rebound; returns 1 if the mass matrix is singular, -1 if any rebounded."""
    out_of_line()
    table, one, _, limits, _ = dynamics
    _, solving, (mass, bias, A, bounds), vectors, (q, qd, _, _, _, right), modes, _ = room
    now, _, resting, reach = modes
    n, positions = qd.shape[0], q.shape[0]
    w, more = y.shape[0] - n, positions - n
    hit = False
    for j in range(positions):
        q[j] = y[j]
    for j in range(n):
        qd[j] = y[w + j]
        reach[0, j], reach[1, j], resting[j], now[j] = 0.0, 0.0, 0.0, FREE
        stop = at_stop(q[j + more], limits, j) if is_rigid(limits, j) else 0
        if stop != 0 and stop * qd[j] >= 0.0:
            hit = hit or qd[j] != 0.0
            resting[j], now[j] = 1.0, STUCK
            reach[0 if stop > 0 else 1, j] = np.inf
    if not hit:
        return 0
    one(address_of(table), q, qd, mass, bias, MASS)
    back = vectors[0]
    for j in range(n):
        back[j] = limits[RESTITUTION, j] * qd[j] if resting[j] != 0.0 and rebounding else 0.0
    for i in range(n):
        right[i] = 0.0
        for j in range(n):
            A[i, j] = mass[i * n + j]
            right[i] += A[i, j] * (qd[j] + back[j])
    for j in range(n):
        bias[j] = back[j]
    if find_modes(A, right, (reach[0], reach[1]), now, resting, bounds, solving, vectors) != 0:
        return 1
    for j in range(n):
        y[w + j] = vectors[0][j] - bias[j]
    return -1


@internal
def _impulses(row, t, h, y, dynamics, drive, law, room):
    """Make a step of first order with impulses of friction and stops; returns 0 unless a matrix is singular."""
    out_of_line()
    table, _, D, limits, _ = dynamics
    (rates, _, _), solving, (mass, _, A, bounds), vectors, (q, qd, _, rate, _, right), modes, _ = room
    now, contacts, resting, reach = modes
    n, positions = qd.shape[0], q.shape[0]
    w = y.shape[0] - n
    fill_slopes(table, y, room)
    set_modes(y, limits, modes, w, positions - n)
    forces_at(row, t, t + EDGE * h, y, dynamics, drive, law, room)
    for i in range(n):
        k = limits[STIFFNESS, i] if contacts[i] != 0.0 else 0.0
        right[i] *= h
        for j in range(n):
            d = damping_of(D, limits, contacts, i, j)
            right[i] += (mass[i * n + j] + h * d) * qd[j]
            A[i, j] += h * d
        right[i] += h * room[6][3][i] * qd[i]
        A[i, i] += h * room[6][3][i] + h * h * k  # the spring of a soft stop, implicit, too
        reach[0, i], reach[1, i] = h * reach[0, i], h * reach[1, i]
        if now[i] == PLUS or now[i] == MINUS:
            resting[i] = 1.0
    if find_modes(A, right, (reach[0], reach[1]), now, resting, bounds, solving, vectors) != 0:
        return 1
    for j in range(n):
        y[w + j] = rates[0, j] = vectors[0][j]
    if base.floats(table):
        position_rates(q, vectors[0], rates[0])
    for j in range(positions):
        y[j] += h * rates[0, j]
    if base.floats(table):
        normalize(y)
    for j in range(w - positions):
        y[positions + j] += h * rate[j]
    return 0


@inline
def _set_contacts(y, limits, contacts, w, more):
    """Find the soft stops that push: joints beyond them, or about to be, whose spring and damper do not pull."""
    for j in range(contacts.shape[0]):
        contacts[j] = 0.0
        if limits[STIFFNESS, j] > 0.0:
            v = y[w + j]
            upper, lower = y[j + more] - limits[UPPER, j], limits[LOWER, j] - y[j + more]
            side, depth, speed = (1.0, upper, v) if upper > lower else (-1.0, lower, -v)
            pushes = limits[STIFFNESS, j] * depth + limits[DAMPING, j] * speed >= 0.0
            if (depth > 0.0 or (depth == 0.0 and speed > 0.0)) and pushes:
                contacts[j] = side


@internal
def begin(row, when, y, dynamics, drive, law, room, rebounding):
    """Let stops and dry friction act on a state; returns 1 if a matrix is singular, -1 if a joint rebounded, or 0.

    when : its time, and one close to it, inside the step.
    """
    out_of_line()
    table, _, _, limits, _ = dynamics
    n = room[5][0].shape[0]
    struck = _impact(y, dynamics, room, rebounding)
    fill_slopes(table, y, room)
    _set_contacts(y, limits, room[5][1], y.shape[0] - n, room[4][0].shape[0] - n)
    if struck > 0 or resolve(row, when[0], when[1], y, dynamics, drive, law, room) != 0:
        return 1
    return struck


@internal
def _locate(row, t, step, y, dynamics, drive, law, room):
    """Find the first event in a step; returns its time after t.

    step : its length, and the negative margin at its end.

    By the Illinois variant of false position (Dowell, Jarratt 1971). Sets the end of the step just beyond the event.
    """
    out_of_line()
    h, margin = step
    out = room[6][0]
    low, high, g_low, g_high = 0.0, h, 0.0, margin
    side, scale, ended = 0, -margin, h
    last, weight_low, weight_high = margin, 1.0, 1.0
    g_low = smallest_margin(row, (t, t + EDGE * h), y, y, dynamics, drive, law, room)
    for k in range(_SEARCHES):
        if high - low <= 1e-13 * h or (k > 0 and -g_high <= 1e-14 * scale):
            break
        middle = low + 0.5 * (high - low)
        if g_low > 0.0 and k % 4 != 3:
            a, b = weight_low * g_low, -weight_high * g_high
            middle = low + (high - low) * a / (a + b)
            if not low < middle < high:
                middle = low + 0.5 * (high - low)
        if attempt(row, t, middle, y, dynamics, drive, law, room) != 0:
            return -1.0
        ended = middle
        last = smallest_margin(row, (t + middle, t + middle - EDGE * h), y, out, dynamics, drive, law, room)
        if last < 0.0:
            high, g_high, weight_high = middle, last, 1.0
            weight_low = 0.5 * weight_low if side < 0 else 1.0
            side = -1
        else:
            low, g_low, weight_low = middle, last, 1.0
            weight_high = 0.5 * weight_high if side > 0 else 1.0
            side = 1
    if ended != high and attempt(row, t, high, y, dynamics, drive, law, room) != 0:
        return -1.0
    smallest_margin(row, (t + high, t + high - EDGE * h), y, out, dynamics, drive, law, room)
    return high


@inline
def _come_to_rest(y, out, limits, room):
    """Set the velocities of joints that stopped to zero, and those that met a rigid stop to its position."""
    now, margins = room[5][0], room[6][1]
    n = now.shape[0]
    w, more = y.shape[0] - n, room[4][0].shape[0] - n
    for j in range(n):
        if margins[j] <= 0.0 and now[j] != STUCK:
            k = j + more
            if now[j] != FREE and now[j] * out[w + j] <= 0.0:
                out[w + j] = 0.0
            if is_rigid(limits, j):
                if out[k] > limits[UPPER, j] >= y[k]:
                    out[k] = limits[UPPER, j]
                if out[k] < limits[LOWER, j] <= y[k]:
                    out[k] = limits[LOWER, j]


@internal
def by_impulses(row, t, h, y, dynamics, drive, law, buffer):
    """Advance `y` by one step of first order; returns 0 unless a matrix is singular."""
    out_of_line()
    table, _, _, limits, _ = dynamics
    n = limits.shape[1]
    room = room_in(table, buffer, y.shape[0] - n)
    start, contacts, more = room[6][1], room[5][1], room[4][0].shape[0] - n
    _set_contacts(y, limits, contacts, y.shape[0] - n, more)
    for j in range(n):
        start[j] = y[j + more]
    if _impact(y, dynamics, room, h >= 0.0) > 0 or _impulses(row, t, h, y, dynamics, drive, law, room) != 0:
        return 1
    for j in range(n):
        if is_rigid(limits, j):
            if y[j + more] > limits[UPPER, j] >= start[j]:
                y[j + more] = limits[UPPER, j]
            if y[j + more] < limits[LOWER, j] <= start[j]:
                y[j + more] = limits[LOWER, j]
    return 1 if _impact(y, dynamics, room, h >= 0.0) > 0 else 0


@internal
def by_events(row, t, h, y, dynamics, drive, law, buffer):
    """Advance `y` by one step of fourth order, from event to event; returns 0 unless a matrix is singular."""
    out_of_line()
    table, _, _, limits, _ = dynamics
    n = limits.shape[1]
    w = y.shape[0] - n
    room = room_in(table, buffer, w)
    out = room[6][0]
    left, events, rebounds = h, 0, 0
    while left > 0.0:
        struck = begin(row, (t, t + EDGE * left), y, dynamics, drive, law, room, rebounds < _REBOUNDS)
        if struck > 0:
            return 1
        if struck < 0:
            rebounds += 1
        if attempt(row, t, left, y, dynamics, drive, law, room) != 0:
            return 1
        margin = smallest_margin(row, (t + left, t + left - EDGE * left), y, out, dynamics, drive, law, room)
        done = left
        if margin < 0.0:
            events += 1
            if events > _EVENTS_EACH * n + _EVENTS:
                return by_impulses(row, t, left, y, dynamics, drive, law, buffer)
            done = _locate(row, t, (left, margin), y, dynamics, drive, law, room)
            if done < 0.0:
                return 1
            _come_to_rest(y, out, limits, room)
        for j in range(w + n):
            y[j] = out[j]
        t += done
        left = left - done if margin < 0.0 else 0.0
    return 0
