"""Kinetic and potential energy, for `rne.jit`."""

from __future__ import annotations

from rne.kernels import energies
from rne.kernels.jit import function
from rne.kernels.user.checks import check_positions, check_rates


@function
def kinetic_energy(model, q, qd, rotors=True):
    """Return the kinetic energy.

    Parameters
    ----------
    model : as `rne.jit.model` returns it.
    q, qd : (n,) positions and velocities.
    rotors : whether to include the reflected inertias of the rotors.

    Returns
    -------
    K : kinetic energy, J.

    Examples
    --------
    >>> import numpy as np, rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> round(rne.jit.kinetic_energy(rne.jit.model(arm), np.zeros(2), np.array([1.0, 0.0])), 4)
    1.3333
    """
    check_positions(model, q)
    check_rates(model, qd)
    return energies.one(model, q, qd, 1, 1 if rotors else 0)


@function
def potential_energy(model, q, springs=True):
    """Return the potential energy of gravity, which is zero at the origin of the base, and of the joint springs.

    Parameters
    ----------
    model : as `rne.jit.model` returns it.
    q : (n,) positions.
    springs : whether to include the springs.

    Returns
    -------
    P : potential energy, J.

    Examples
    --------
    >>> import numpy as np, rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> round(rne.jit.potential_energy(rne.jit.model(arm), np.array([np.pi / 2, 0.0])), 6)
    19.62
    """
    check_positions(model, q)
    return energies.one(model, q, q, 0, 1 if springs else 0)
