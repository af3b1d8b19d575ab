"""Dry friction and rigid stops of all joints at once: a linear complementarity problem with bounds.

With A x = b + f, A a mass matrix and x accelerations (or velocities at the end of a step), the force f of each joint
that may stick lies between -up and down. It holds the joint, x = 0, where it can; otherwise it is at a bound, against
the motion. A rigid stop is a bound that is infinite on one side. For a positive definite A there is exactly one
solution.

Source: Júdice, Pires, "A block principal pivoting algorithm for large-scale strictly monotone linear complementarity
problems", Computers & Operations Research 21 (1994): all joints in a wrong mode change it at once, and one by one
(Murty 1974) once that does not lessen their number, which ends after finitely many steps.
"""

from __future__ import annotations

from rne.kernels.cholesky import factor, solve
from rne.kernels.jit import internal
from rne.kernels.simd.pack import out_of_line

# Modes of a joint, floats like all scratch. FREE joints have neither dry friction nor a stop.
STUCK, PLUS, MINUS, FREE = 0.0, 1.0, -1.0, 2.0

# Holding forces exceed their bound by rounding without a consequence.
_SLACK = 1e-13
# Changes of all wrong modes at once that may not lessen their number.
_PATIENCE = 8


@internal
def solve_held(A, rhs, modes, bounds, room, x):
    """Solve A x = rhs for the joints that are not stuck; x of the others is zero. Returns 0 unless A is singular.

    bounds : (n,) upper bounds of the diagonal entries, as for `cholesky.factor`. room : (B (n, n), spare (2, n),
    y (1, n)) scratch.
    """
    out_of_line()
    B, spare, y = room
    n = x.shape[0]
    for i in range(n):
        held = modes[i] == STUCK
        spare[1, i] = 0.0 if held else bounds[i]
        y[0, i] = 0.0 if held else rhs[i]
        for j in range(i + 1):
            if held or modes[j] == STUCK:
                B[i, j] = 1.0 if i == j else 0.0
            else:
                B[i, j] = A[i, j]
    singular = factor(B, spare, n)
    solve(B, y, n)
    for i in range(n):
        x[i] = 0.0 if modes[i] == STUCK else y[0, i]
    return singular


@internal
def dry_force(mode, up, down):
    """Force of friction on a joint that slides."""
    if mode == PLUS:
        return -up
    return down if mode == MINUS else 0.0


@internal
def holding_forces(A, rhs, modes, x, forces):
    """Fill `forces` with those that hold the stuck joints; the others become zero."""
    out_of_line()
    n = x.shape[0]
    for i in range(n):
        forces[i] = 0.0
        if modes[i] == STUCK:
            force = -rhs[i]
            for j in range(n):
                force += A[i, j] * x[j]
            forces[i] = force


@internal
def find_modes(A, rhs, limits, modes, resting, bounds, room, vectors):
    """Find x, and the modes of the joints where `resting` is not zero. Returns 0 unless A is singular.

    limits : (up (n,), down (n,)). vectors : (x, forces, full), (n,) each; `full` is scratch.
    """
    out_of_line()
    up, down = limits
    x, forces, full = vectors
    n = x.shape[0]
    fewest, patience = n + 1, _PATIENCE
    for _ in range(20 * n + 20):
        for i in range(n):
            full[i] = rhs[i] + dry_force(modes[i], up[i], down[i])
        singular = solve_held(A, full, modes, bounds, room, x)
        if singular != 0:
            return singular
        holding_forces(A, rhs, modes, x, forces)
        wrong, last = 0, -1
        for i in range(n):
            if resting[i] != 0.0 and _right(modes[i], x[i], forces[i], up[i], down[i]) != modes[i]:
                wrong, last = wrong + 1, i
        if wrong == 0:
            return 0
        if wrong < fewest:
            fewest, patience = wrong, _PATIENCE
        else:
            patience -= 1
        for i in range(n):
            if resting[i] != 0.0 and (patience > 0 or i == last):
                modes[i] = _right(modes[i], x[i], forces[i], up[i], down[i])
    return 0


@internal
def _right(mode, x, force, up, down):
    """Return the mode in which a joint belongs."""
    if mode == STUCK:
        if force < -up - _SLACK * up:
            return PLUS
        return MINUS if force > down + _SLACK * down else STUCK
    return STUCK if mode * x < 0.0 else mode
