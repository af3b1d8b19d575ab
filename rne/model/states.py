"""Named states: positions and velocities that a file keeps under a name, such as the keyframes of MJCF."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rne.check import numbers, unknown_name
from rne.errors import ArgumentError, shown
from rne.model.floating import NEUTRAL, OF_POSITION

if TYPE_CHECKING:
    from collections.abc import Sequence

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
    position_names: Any
    coordinate_names: Any

    if TYPE_CHECKING:

        def __init__(self, tree: Tree, joints: Sequence[str] | None = None) -> None: ...

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
        q, qd : (nq,) and (n,) arrays, rad or m, and their rates; zero for a coordinate that the state does not name. A
            base that floats stands at the origin unless the state names its numbers, as in `position_names`.

        Raises
        ------
        UnknownNameError
            There is no such state.

        Examples
        --------
        >>> import rne
        >>> arm = rne.load("models/planar2/robot.dh.toml").with_states({"bent": {"elbow": -1.0}})
        >>> arm.state("bent")[0]
        array([ 0., -1.])
        """
        known = {state.name: state for state in self.tree.states}
        if not isinstance(name, str) or name not in known:
            raise unknown_name("name", "state", name, known)
        q, qd = dict(known[name].q), dict(known[name].qd)
        neutral = dict(zip(OF_POSITION, NEUTRAL, strict=True))
        positions = [q.get(name, neutral.get(name, 0.0)) for name in self.position_names]
        return np.array(positions), np.array([qd.get(name, 0.0) for name in self.coordinate_names])

    def with_states(self, states: Mapping[str, Mapping[str, float] | ArrayLike]) -> Self:
        """Return the robot with more named states; one that is there already is replaced.

        Parameters
        ----------
        states : positions by name of the state: (nq,) numbers in the order of `position_names`, or a mapping from
            names of joints to positions, rad or m; joints that it does not name stand at zero. `rne.load_states` reads
            them from SRDF files.

        Raises
        ------
        UnknownNameError, ArgumentError
            A joint that the robot does not have, or positions that are no finite numbers.

        Examples
        --------
        >>> import rne
        >>> arm = rne.load("models/planar2/robot.dh.toml").with_states({"home": [0.5, -1.0]})
        >>> arm.state_names
        ('home',)
        """
        if not isinstance(states, Mapping):
            raise ArgumentError(f"states: wanted a mapping from name to positions, got {type(states).__name__}")
        made = {state.name: state for state in self.tree.states}
        for name, given in states.items():
            if not isinstance(name, str) or not name.strip():
                raise ArgumentError(f"states: wanted a text with something in it as a name, got {shown(name)}")
            made[name] = State(name, self._positions(f"states[{name!r}]", given))
        return type(self)(replace(self.tree, states=tuple(made.values())), self.joint_names)

    def _positions(self, argument: str, given: Mapping[str, float] | ArrayLike) -> tuple[tuple[str, float], ...]:
        if not isinstance(given, Mapping):
            values = numbers(argument, given, (len(self.position_names),)).tolist()
            return tuple(zip(self.position_names, values, strict=True))
        known = {*self.position_names, *(joint.name for joint in self.tree.joints)}
        for joint in given:
            if joint not in known:
                raise unknown_name(argument, "joint", joint, self.joint_names)
        return tuple((joint, float(numbers(f"{argument}[{joint!r}]", at, ()))) for joint, at in given.items())
