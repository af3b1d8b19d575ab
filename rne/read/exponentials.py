"""Robots from the product of exponentials, as in the textbook of Lynch and Park."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rne.bodies.inertia import Inertia
from rne.check import check_choice, numbers, real_array
from rne.errors import ArgumentError, shown
from rne.model.robot import Robot
from rne.read.builder import TreeBuilder, as_text
from rne.read.loading import make_robot
from rne.read.poses import as_pose
from rne.read.screws import moved

Array = NDArray[np.float64]

UNEVEN = 1e-9
"""Tolerated difference of entries of a spatial inertia that should be equal, relative to the largest."""


def from_screws(
    M: ArrayLike,
    S: ArrayLike,
    inertias: Iterable[Inertia | ArrayLike],
    *,
    names: Sequence[str] | None = None,
    name: str = "robot",
    frame: str = "space",
    base: Any = None,
    lock: Mapping[str, float] | None = None,
    joints: Sequence[str] | None = None,
    gravity: ArrayLike | None = None,
    floating: bool | None = None,
    strict: bool = True,
) -> Robot:
    """Make a robot of the product of exponentials: T(q) = exp([S_1] q_1) ... exp([S_n] q_n) M.

    Parameters
    ----------
    M : the frames at q = 0. Either (n, 4, 4), or (n + 1, 4, 4) with that of the tool: the frames of the links, each in
        that of the link before, as `Mlist` of Lynch and Park. Or (4, 4), that of the tool in the base; the frames of
        the links then lie in that of the base at q = 0.
    S : (6, n) screws [w, v] as columns, as `Slist`. A pitch is allowed; if a screw is not of
        unit length, the joint moves by q times its length.
    inertias : of the links, in their frames: `Inertia`, or 6x6 spatial inertias [[I, m c^], [-m c^, m 1]], as `Glist`.
    names : of the joints; joint1 and so on, if None.
    name : of the robot.
    frame : "space", or "body" if S holds the screws in the frame of the tool, as `Blist`.
    base, lock, joints, gravity, floating, strict : as for `load`, which lists errors and warnings.

    Returns
    -------
    Robot
        With links link1 and so on, and the frame "tool" if M has one.

    Raises
    ------
    ArgumentError
        Shapes that do not match, or values that are not poses, screws or inertias.

    Source
    ------
    Lynch and Park, Modern Robotics (2017), sections 4.1 and 8.3.

    Examples
    --------
    >>> import numpy as np
    >>> import rne
    >>> S = np.transpose([[0, 0, 1, 0, 0, 0], [0, 0, 1, 0, -0.5, 0]])
    >>> tool = np.eye(4)
    >>> tool[0, 3] = 1.0
    >>> arm = rne.from_screws(tool, S, [rne.Inertia.point(1.0, [0.5, 0, 0]), rne.Inertia.point(1.0, [1.0, 0, 0])])
    >>> rne.mass_matrix(arm, [0.0, 0.0])
    array([[1.25, 0.5 ],
           [0.5 , 0.25]])
    """
    screws = real_array("S", S).astype(float)
    if screws.ndim != 2 or screws.shape[0] != 6 or not np.isfinite(screws).all():
        raise ArgumentError(f"S: wanted finite numbers of shape (6, n), one screw per column, got shape {screws.shape}")
    n = screws.shape[1]
    places, tool = _places(M, n)
    check_choice("frame", frame, ("space", "body"))
    if isinstance(inertias, str | bytes | Mapping | Inertia) or not isinstance(inertias, Iterable):
        raise ArgumentError(f"inertias: wanted one for each of {n} links, got {shown(inertias)}")
    bodies = [_inertia(f"inertias[{k}]", given) for k, given in enumerate(inertias)]
    called = [f"joint{k}" for k in range(1, n + 1)] if names is None else _names(names)
    for argument, got in (("inertias", len(bodies)), ("names", len(called))):
        if got != n:
            raise ArgumentError(f"{argument}: wanted one for each of {n} screws, got {got}")
    home = np.eye(4)
    if frame == "body":
        if tool is None:
            raise ArgumentError("frame: screws of the body need the frame of the tool, which M does not have")
        for place in [*places, tool]:
            home = home @ place
        screws = np.transpose([moved(screw, home[:3, :3], home[:3, 3]) for screw in screws.T])
        home = np.eye(4)
    builder = TreeBuilder(name)
    for k, (screw, place, body, joint) in enumerate(zip(screws.T, places, bodies, called, strict=True), 1):
        turn = home[:3, :3].T
        seen = moved(screw, turn, -turn @ home[:3, 3])
        if not screw.any():
            raise ArgumentError(f"S: column {k - 1} is all zeros; a screw [w, v] is wanted")
        builder.add(f"link{k}", name=joint, pose=place, screw=seen, inertia=body)
        home = home @ place
    if tool is not None:
        builder.add("tool", name="tool_joint", pose=tool)
    return make_robot(builder.tree(strict=strict), base, lock, joints, gravity, floating)


def _places(M: ArrayLike, n: int) -> tuple[list[Array], Array | None]:
    """Return the frames of the links, each in that before, and that of the tool in that of the last link."""
    full = real_array("M", M).astype(float)
    if full.shape == (4, 4):
        places = [np.eye(4)] * n + [full]
    elif full.shape in ((n, 4, 4), (n + 1, 4, 4)):
        places = list(full)
    else:
        wanted = f"(4, 4), ({n}, 4, 4) or ({n + 1}, 4, 4)"
        raise ArgumentError(f"M: wanted poses of shape {wanted} for {n} screws, got shape {full.shape}")
    for k, place in enumerate(places):
        pose, places[k] = as_pose("M" if full.ndim == 2 else f"M[{k}]", place), np.eye(4)
        places[k][:3, :3], places[k][:3, 3] = pose.rotation, pose.position
    return places[:n], places[n] if len(places) > n else None


def _inertia(argument: str, given: Inertia | ArrayLike) -> Inertia:
    if isinstance(given, Inertia):
        return given
    G = numbers(argument, given, (6, 6))
    mass = float(G[3, 3])
    first = np.array([G[2, 4], G[0, 5], G[1, 3]])  # of m c^ = [[0, -z, y], [z, 0, -x], [-y, x, 0]]
    cross = np.array([[0, -first[2], first[1]], [first[2], 0, -first[0]], [-first[1], first[0], 0]])
    whole = np.block([[G[:3, :3], cross], [-cross, mass * np.eye(3)]])
    if np.abs(G - whole).max() > UNEVEN * np.abs(G).max():
        raise ArgumentError(f"{argument}: wanted a spatial inertia [[I, m c^], [-m c^, m 1]], got {shown(G.tolist())}")
    if mass == 0 and first.any():
        raise ArgumentError(f"{argument}: first moments {first.tolist()} without a mass have no center")
    com = first / mass if mass else np.zeros(3)
    about = G[:3, :3] - mass * (com @ com * np.eye(3) - np.outer(com, com))
    return Inertia(mass, com, about)


def _names(names: Sequence[str]) -> list[str]:
    if isinstance(names, str | bytes | set | frozenset) or not isinstance(names, Iterable):
        raise ArgumentError(f"names: wanted a list of names, got {shown(names)}")
    return [as_text("names", given) for given in names]
