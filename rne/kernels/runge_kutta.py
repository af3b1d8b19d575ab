"""One step in time: semi-implicit Euler and the classical Runge-Kutta method, for compiled and for Python loops.

Sources: Hairer, Nørsett, Wanner, "Solving Ordinary Differential Equations I" (1993), section II.1; Hairer, Lubich,
Wanner, "Geometric Numerical Integration" (2006), section I.1.2.
"""

from __future__ import annotations

from rne.kernels.jit import inline

EULER, RK4 = 0, 1

# The classical Runge-Kutta method: the nodes of the stages, and the weights of their rates.
PARTS = (0.0, 0.5, 0.5, 1.0)
WEIGHTS = (1.0, 2.0, 2.0, 1.0)


@inline
def begin_step(state, now, total):
    """Set the first stage to the beginning of the step.

    state : positions, integrals of a control law (integrated like positions, with the same accuracy), velocities.
    now : the same at a stage, followed by rates of integrals and accelerations: the rate of each entry is found as many
    entries further on as there are positions and integrals; for bases that float see `flight`. total : weighted sum of
    the rates, as long as `state`.
    """
    for j in range(state.shape[0]):
        now[j], total[j] = state[j], 0.0


@inline
def end_stage(stage, h, state, now, total):
    """Add the rates of a stage to the sum, and set the next stage."""
    w = now.shape[0] - state.shape[0]
    weight, ahead = WEIGHTS[stage], h * PARTS[min(stage + 1, len(PARTS) - 1)]
    for j in range(state.shape[0]):
        slope = now[w + j]
        total[j] += weight * slope
        now[j] = state[j] + ahead * slope


@inline
def end_step(method, h, state, now, total):
    """Set `state` to the end of the step."""
    w = now.shape[0] - state.shape[0]
    m = state.shape[0] - w
    if method == RK4:
        for j in range(w + m):
            state[j] += h / 6 * total[j]
    else:
        for j in range(m):
            state[w + j] += h * now[2 * w + j]
            state[j] += h * state[w + j]
        for j in range(m, w):
            state[j] += h * total[j]
