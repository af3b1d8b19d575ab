"""Frames held by rigid contacts: forward dynamics, and velocities after an impact.

With M = L^T D L and Y = J L^-1, the mobility J M^-1 J^T of the held directions is Y D^-1 Y^T: half a solution for each
direction (Featherstone 2008, section 8.3, with the factors of section 6.5). Contacts that repeat each other have a
singular mobility: the caller then asks for the parts of the system, and uses singular values.
"""

from __future__ import annotations

from collections.abc import Callable

from rne.kernels import forward_dynamics, jacobian, mass_matrix
from rne.kernels.algebra.vec import cross, subtract, turn
from rne.kernels.cholesky import factor, mark, solve, solve_rest, solve_transposed
from rne.kernels.coordinates import joint_sines, load_many
from rne.kernels.frame_motion import acceleration_of, velocity_of
from rne.kernels.jit import inline
from rne.kernels.layout import COORDINATES, SITE_OWN_AXES, SPRINGS, WITH_ROTORS, Q
from rne.kernels.placement import axes_of, placements
from rne.kernels.scratch import many_states
from rne.kernels.simd.num import all_zero, fma, like
from rne.kernels.simd.pack import pack_floats
from rne.kernels.simd.rows import put
from rne.kernels.simd.tile import load_tile, store_tile
from rne.kernels.velocities import MOTION, accelerations, velocities

WORK = max(mass_matrix.WORK, MOTION)

# What to calculate; the argument `kind` is a sum of these.
IMPACT, PARTS = 1, 2

# A pivot of the mobility below this fraction of its diagonal entry is left to the caller. Relative to `factor`, which
# takes 1e-15 of a bound.
_BOUND = 1e-6 / 1e-15


@inline
def drift(sites, m, work, out, first):
    """Fill six numbers of row 0 of `out` with the rate of the velocity of site m at qdd = 0, after `accelerations`.

    Own axes turn with the site: the rate of a component is that of the vector, less w x v.
    """
    a, wd = acceleration_of(sites, m, work)
    if sites[m, SITE_OWN_AXES] != 0.0:
        v, w = velocity_of(sites, m, work)
        R = axes_of(sites, m, work)
        a, wd = turn(subtract(a, cross(w, v)), R), turn(wd, R)
    put(out, 0, first, a)
    put(out, 0, first + 3, wd)


@inline
def directions(table, sites, rows, state, work, J, sides, spare, kind):
    """Fill J (held, n); unless in an impact, subtract the drift of the directions from row 0 of `sides` (2, held).

    spare : (1, 6 n + 6) scratch.
    """
    n = int(table[0, COORDINATES])
    placements(table, state, work)
    if kind & IMPACT == 0:
        velocities(table, state, work)
        accelerations(table, state, work, 0.0, 0.0, 0.0)
    last = -1
    for a in range(rows.shape[0]):
        m = rows[a] // 6
        k = rows[a] - 6 * m
        if m != last:
            jacobian.fill(table, sites, m, work, spare)
            if kind & IMPACT == 0:
                drift(sites, m, work, spare, 6 * n)
            last = m
        for j in range(n):
            J[a, j] = spare[0, k * n + j]
        if kind & IMPACT == 0:
            sides[0, a] = sides[0, a] - spare[0, 6 * n + k]


@inline
def project(mass, Y, mobility, sides, x, n):
    """Replace the Jacobian in Y (held, n) by J L^-1, and fill the lower triangle of `mobility` (held, held).

    mass : factors. J x is subtracted from row 0 of `sides`, and row 1 becomes bounds of the pivots.
    """
    for a in range(Y.shape[0]):
        for j in range(n):
            sides[0, a] = fma(-Y[a, j], x[0, j], sides[0, a])
        solve_transposed(mass, Y, a, n)
        for b in range(a + 1):
            mobility[a, b] = like(sides[0, a], 0.0)
        for k in range(n):
            if all_zero(Y[a, k]):
                continue
            y = Y[a, k] * mass[k, k]
            for b in range(a + 1):
                mobility[a, b] = fma(y, Y[b, k], mobility[a, b])
        sides[1, a] = mobility[a, a] * like(sides[0, a], _BOUND)


@inline
def hold(mass, Y, mobility, sides, x, result, n):
    """Fill row 0 of `result` with x + M^-1 J^T w, and the forces w along the held directions.

    Returns one bit per lane: whether a direction may repeat others.
    """
    held = Y.shape[0]
    suspect = factor(mobility, sides, held)
    solve(mobility, sides, held)
    for k in range(n):
        result[0, k] = like(x[0, 0], 0.0)
        for a in range(held):
            result[0, k] = fma(sides[0, a], Y[a, k], result[0, k])
    solve_rest(mass, result, 0, n)
    for k in range(n):
        result[0, k] = x[0, k] + result[0, k]
    for a in range(held):
        result[0, n + a] = sides[0, a]
    return suspect


@inline
def store_parts(mass, Y, sides, x, result, n):
    """Fill row 0 of `result` with x, the wanted change of J x, 1 / D, J L^-1 row by row, and L^-1 D^-1 by columns."""
    held = Y.shape[0]
    for a in range(held):
        result[0, n + a] = sides[0, a]
        for k in range(n):
            result[0, 2 * n + held + a * n + k] = Y[a, k]
    for k in range(n):
        result[0, k], result[0, n + held + k] = x[0, k], mass[k, k]
    for k in range(n):
        first = 2 * n + held + held * n + k * n
        for j in range(n):
            x[0, j] = like(mass[k, k], 0.0)
        x[0, k] = like(mass[k, k], 1.0)
        solve_rest(mass, x, 0, n)
        for j in range(n):
            result[0, first + j] = x[0, j]


@inline
def _impact(table, state, work, mass, x, n):
    """Factor the mass matrix. Returns one bit per lane: whether it is singular."""
    mass_matrix.turns(table, state, work)
    mass_matrix.recursion(table, state, work, mass, WITH_ROTORS)
    mass_matrix.bounds(table, x)
    return factor(mass, x, n)


def make_many(stamp: str) -> Callable[..., None]:
    """Make the entry for batches.

    `addresses` holds address and row stride in bytes of q, qd, tau, what is wanted of the held directions, and the
    results: qdd, then the forces along the held directions; or what `store_parts` stores. Of an impact, the velocities
    are in place of tau, what is wanted are velocities, and the results are velocities and impulses.

    sites : where the frames are. rows : (held,) six times the number of a site plus the row of its Jacobian. kind : 0,
    or a sum of IMPACT and PARTS. singular, repeated : one number per sample; set to 1 where the mass matrix is
    singular, or a direction may repeat others.
    """

    def contact_many(table, first, stop, addresses, sites, rows, kind, singular, repeated):
        stamp  # noqa: B018  part of the cache key
        n, held = int(table[0, COORDINATES]), rows.shape[0]
        samples = pack_floats(table, 1)
        numbers = n + held
        if kind & PARTS:
            numbers += n + held * n + n * n
        ends = n * n, n * n + held * n, n * n + held * n + held * held
        more = ends[2] + 2 * held, ends[2] + 2 * held + 6 * n + 6
        state, work, x, _, out = many_states(table, WORK, 0, more[1] + numbers)
        mass = out[0, : ends[0]].reshape((n, n))
        Y = out[0, ends[0] : ends[1]].reshape((held, n))
        mobility = out[0, ends[1] : ends[2]].reshape((held, held))
        sides = out[0, ends[2] : more[0]].reshape((2, held))
        spare = out[0, more[0] : more[1]].reshape((1, 6 * n + 6))
        result = out[0, more[1] :].reshape((1, numbers))
        for row in range(first, stop, samples):
            count = min(samples, stop - row)
            load_many(table, state, x, Q, 2, addresses, row, stop - 1)
            load_tile(x, 0, addresses[4], addresses[5], row, stop - 1, n)
            load_tile(sides, 0, addresses[6], addresses[7], row, stop - 1, held)
            joint_sines(table, state)
            if kind & IMPACT:
                bits = _impact(table, state, work, mass, x, n)
            else:
                bits = forward_dynamics.by_matrix(table, state, work, mass, x, SPRINGS)
            mark(singular, bits, row, count)
            directions(table, sites, rows, state, work, Y, sides, spare, kind)
            project(mass, Y, mobility, sides, x, n)
            if kind & PARTS:
                store_parts(mass, Y, sides, x, result, n)
            else:
                mark(repeated, hold(mass, Y, mobility, sides, x, result, n), row, count)
            store_tile(result, 0, addresses[8], addresses[9], row, stop - 1, numbers)

    return contact_many
