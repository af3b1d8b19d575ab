"""The joint torques, one part per coefficient of the equations of motion."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rne.analysis.coefficients import coefficients, symbol
from rne.analysis.torque_breakdown import OF_THE_MODEL, rotor_torque, spring_torque
from rne.dynamics.inverse_dynamics import friction_torque, inverse_dynamics
from rne.errors import ArgumentError, UnknownNameError
from rne.model.robot import Robot

Array = NDArray[np.float64]


class Catalog(NamedTuple):
    """Parts of the torques (n, p): the same kinds, in the same order, for every joint."""

    names: NDArray[Any]
    term: NDArray[np.intp]  # indices into OF_THE_MODEL


def catalog_of(n: int) -> Catalog:
    """List all parts in the order of `parts_of_torque`."""
    pairs = list(zip(*np.triu_indices(n), strict=True))
    kinds = ["coupling"] * n + ["rotor"] + ["centripetal" if j == k else "coriolis" for j, k in pairs]
    kinds += ["gravity", "spring", "friction"]
    names = [
        [symbol(i, j) for j in range(n)]
        + [symbol(i, letter="Ia")]
        + [symbol(i, j, k) for j, k in pairs]
        + [symbol(i), symbol(i, letter="spring"), symbol(i, letter="friction")]
        for i in range(n)
    ]
    term = np.tile([OF_THE_MODEL.index(kind) for kind in kinds], (n, 1))
    term[np.arange(n), np.arange(n)] = OF_THE_MODEL.index("effective")
    return Catalog(np.array(names).reshape(n, len(kinds)), term)


def chosen(catalog: Catalog, drop: Iterable[str]) -> NDArray[np.bool_]:
    """Mark the parts (n, p) to be dropped."""
    n = len(catalog.names)
    places = {name: at for at, name in np.ndenumerate(catalog.names)}
    for i, j, k in np.ndindex(n, n, n):  # one entry holds both mixed terms, under either name
        places[symbol(i, j, k)] = places[symbol(i, min(j, k), max(j, k))]
    gone = np.zeros(catalog.names.shape, bool)
    if not isinstance(drop, Iterable):
        raise ArgumentError(f"drop: wanted names of terms and coefficients, got {drop!r}")
    for name in [drop] if isinstance(drop, str) else drop:
        if not isinstance(name, str):
            raise UnknownNameError(f"drop: no term or coefficient is named {name!r}")
        if name in OF_THE_MODEL:
            gone |= catalog.term == OF_THE_MODEL.index(name)
        elif name in places:
            gone[places[name]] = True
        else:
            known = f"there are {', '.join(OF_THE_MODEL)}"
            such = f"and coefficients such as {', '.join(catalog.names[:1, -4:].ravel())}"
            raise UnknownNameError(f"drop: no term or coefficient is named {name!r}; {known}, {such}")
    return gone


def parts_of_torque(
    robot: Robot, states: Sequence[Array], gravity: ArrayLike | None, friction: bool, threads: int | None
) -> tuple[Array, Array]:
    """All parts (samples, n, p) of the torques, and the torques (samples, n), of q, qd and qdd (samples, n)."""
    q, qd, qdd = states
    c = coefficients(robot, q, gravity=gravity, threads=threads)
    j, k = np.triu_indices(robot.n)
    both = np.where(j == k, 1.0, 2.0) * qd[:, j] * qd[:, k]
    lost = friction_torque(robot, qd, threads=threads) if friction else np.zeros_like(qd)
    alone = np.stack([c.gravity, spring_torque(robot, q, threads), lost], axis=-1)
    rotor = rotor_torque(robot, qdd)[..., None]
    parts = [c.inertia * qdd[:, None], rotor, c.christoffel[..., j, k] * both[:, None], alone]
    total = inverse_dynamics(robot, q, qd, qdd, gravity=gravity, friction=friction, threads=threads)
    return np.concatenate(parts, axis=-1), total
