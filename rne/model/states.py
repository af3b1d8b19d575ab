"""Named states: positions and velocities that a file keeps under a name, such as the keyframes of MJCF."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rne.check import unknown_name

if TYPE_CHECKING:
    from rne.model.tree import Tree

Array = NDArray[np.float64]


@dataclass(frozen=True)
class State:
    """A named state of a robot.

    Parameters
    ----------
    name : of the state.
    q : pairs of the name of a joint and its position, rad or m.
    qd : pairs of the name of a joint and its velocity, rad/s or m/s.

    Examples
    --------
    >>> import rne
    >>> rne.State("home", (("shoulder", 0.5), ("elbow", -1.0))).q[1]
    ('elbow', -1.0)
    """

    name: str
    q: tuple[tuple[str, float], ...]
    qd: tuple[tuple[str, float], ...] = ()


class Stated:
    """A robot that may have named states."""

    __slots__ = ()

    tree: Tree
    joint_names: tuple[str, ...]

    @property
    def state_names(self) -> tuple[str, ...]:
        """Names of the states that the file keeps, such as the keyframes of MJCF."""
        return tuple(state.name for state in self.tree.states)

    def state(self, name: str) -> tuple[Array, Array]:
        """Return positions and velocities of a named state, such as a keyframe of MJCF.

        Parameters
        ----------
        name : one of `state_names`.

        Returns
        -------
        q, qd : (n,) arrays, rad or m, and their rates; zero for a coordinate that the state does not name.

        Raises
        ------
        UnknownNameError
            There is no such state.

        Examples
        --------
        >>> import dataclasses, rne
        >>> tree = rne.load("models/planar2/robot.dh.toml").tree
        >>> bent = rne.State("bent", (("shoulder", 0.5), ("elbow", -1.0)))
        >>> arm = rne.Robot(dataclasses.replace(tree, states=(bent,)))
        >>> rne.gravity_vector(arm, arm.state("bent")[0]).shape
        (2,)
        """
        known = {state.name: state for state in self.tree.states}
        if not isinstance(name, str) or name not in known:
            raise unknown_name("name", "state", name, known)
        q, qd = dict(known[name].q), dict(known[name].qd)
        coordinates = self.joint_names
        return np.array([q.get(c, 0.0) for c in coordinates]), np.array([qd.get(c, 0.0) for c in coordinates])
