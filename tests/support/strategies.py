"""Random robots and states: for hypothesis (`trees`, `states`), for a numpy generator (`random_tree`), as URDF text.

All numbers are whole hundredths (or a quarter turn, or what a rotation makes of them), so a failing example shrinks to
something that can be read and typed in. Every choice is made by one function `integer(low, high)` that prefers `low`;
the plainest tree it can lead to is a chain of revolute joints about z.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from xml.sax.saxutils import quoteattr

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from rne.check import IDENTITY, ZERO, Matrix, Vector
from rne.model.tree import Body, Coupling, Drive, Joint, Limits, Mimic, Pose, Tree

Array = NDArray[np.float64]
Integer = Callable[[int, int], int]

FAR = 1e30  # written to URDF where a limit is infinite but the format demands a number


# -------------------------------------------------------------------------------------------------------- strategies


def trees(min_joints: int = 1, max_joints: int = 12, **features: float | bool) -> st.SearchStrategy[Tree]:
    """Random trees with that many movable joints (followers included); `features` as in `random_tree`."""

    @st.composite
    def build(draw: st.DrawFn) -> Tree:
        def integer(low: int, high: int) -> int:
            return draw(st.integers(low, high)) if low < high else low

        return _grow(integer, integer(min_joints, max_joints), **features)  # type: ignore[arg-type]

    return build()


def states(n: int) -> st.SearchStrategy[tuple[Array, Array, Array]]:
    """Positions (within two turns), velocities and accelerations, `n` of each."""

    def vector(bound: int) -> st.SearchStrategy[Array]:
        numbers = st.lists(st.integers(-bound, bound), min_size=n, max_size=n)
        return numbers.map(lambda hundredths: np.array(hundredths, dtype=float) / 100.0)

    return st.tuples(vector(1257), vector(300), vector(500))


def robots(min_joints: int = 1, max_joints: int = 12, **features: float | bool) -> st.SearchStrategy[tuple]:
    """Tuples `(tree, q, qd, qdd)` whose arrays fit the coordinates of the tree."""

    def with_state(tree: Tree) -> st.SearchStrategy[tuple]:
        n = sum(joint.movable and joint.mimic is None for joint in tree.joints)
        return st.tuples(st.just(tree), states(n)).map(lambda pair: (pair[0], *pair[1]))

    return trees(min_joints, max_joints, **features).flatmap(with_state)


def wrenches(tree: Tree) -> st.SearchStrategy[dict[str, Array]]:
    """External wrenches on one to three bodies, the root among them at times."""
    wrench = st.lists(st.integers(-2000, 2000), min_size=6, max_size=6).map(lambda w: np.array(w, dtype=float) / 100.0)
    return st.dictionaries(st.sampled_from([body.name for body in tree.bodies]), wrench, min_size=1, max_size=3)


def random_tree(rng: np.random.Generator, joints: int, **features: float | bool) -> Tree:
    """Make a random tree with that many movable joints, for benchmarks and long chains.

    Features, with the chance where it is one
    -----------------------------------------
    branching=0.3 : that a body hangs on any earlier body, not on the last; 0 gives one chain.
    prismatic=0.3, fixed=0.25 : that a joint is prismatic; that a fixed joint stands before it or behind the last.
    mimic=0.15 : that a joint follows another (also a follower, a deeper joint, or one declared later).
    massless=0.15 : that a body has no inertial. `heavy_tips=True` never leaves an end of the tree without mass.
    skew=0.6 : that an axis, a placement or an inertia is turned freely and not by quarter turns.
    couplings=0 : that a joint has a spring and a damper to another one, or two of them.
    degenerate=0 : that a body is a point, a rod or a plate (a principal moment that is the sum of the others, or zero).
    rotors=True, friction=True, shuffle=True, tilt=True : rotor inertias with gear ratios of either sign; viscous and
    Coulomb friction (`one_sided=True`: other for negative velocity, which URDF cannot say); file order, names and
    tree order unrelated; gravity in any direction.
    """
    return _grow(lambda low, high: int(rng.integers(low, high + 1)), joints, **features)  # type: ignore[arg-type]


# ----------------------------------------------------------------------------------------------------------- growing


def _grow(
    integer: Integer,
    joints: int,
    *,
    branching: float = 0.3,
    prismatic: float = 0.3,
    fixed: float = 0.25,
    mimic: float = 0.15,
    massless: float = 0.15,
    heavy_tips: bool = False,
    skew: float = 0.6,
    degenerate: float = 0.0,
    couplings: float = 0.0,
    rotors: bool = True,
    friction: bool = True,
    one_sided: bool = False,
    shuffle: bool = True,
    tilt: bool = True,
) -> Tree:
    def chance(p: float) -> bool:
        return p > 0 and integer(0, 99) >= 100 - round(100 * p)

    kinds: list[str] = []
    while sum(kind != "fixed" for kind in kinds) < joints:
        kinds.append("fixed" if chance(fixed) else "prismatic" if chance(prismatic) else "revolute")
    while chance(fixed):
        kinds.append("fixed")

    n = len(kinds)
    parents = [integer(0, i) if chance(branching) else i for i in range(n)]
    followers = _followers(integer, chance, [i for i in range(n) if kinds[i] != "fixed"], mimic)
    order = _permutation(integer, n) if shuffle else list(range(n))
    label = _permutation(integer, n) if shuffle else list(range(n))
    body_names = ["base", *(f"link{label[i]}" for i in range(n))]
    joint_names = [f"joint{label[i]}" for i in range(n)]

    bodies = []
    for i, name in enumerate(body_names):
        bare = chance(massless) and not (heavy_tips and i > 0 and i not in parents)
        bodies.append(Body(name, has_inertial=False) if bare else _body(integer, chance, name, skew, degenerate))
    made = [
        Joint(
            name=joint_names[i],
            kind=kind,
            parent=body_names[parents[i]],
            child=body_names[i + 1],
            origin=Pose(_rotation(integer, chance, skew), _vector(integer, 60)),
            axis=_axis(integer, chance, skew) if kind != "fixed" else (0.0, 0.0, 1.0),
            limits=_limits(integer, kind),
            drive=_drive(integer, chance, rotors, friction, one_sided) if kind != "fixed" else Drive(),
            mimic=_mimic(integer, joint_names[followers[i]]) if i in followers else None,
        )
        for i, kind in enumerate(kinds)
    ]
    gravity = _vector(integer, 1200) if tilt else (0.0, 0.0, -9.81)
    body_order = [0, *(i + 1 for i in order)] if not chance(0.5) else [*(i + 1 for i in order), 0]
    movable = [joint_names[i] for i in range(n) if kinds[i] != "fixed"]
    pairs = _pairs(integer, chance, movable, couplings) if len(movable) > 1 else []
    between = tuple(_coupling(integer, *pair) for pair in pairs)
    joints_of = tuple(made[i] for i in order)
    return Tree("random", tuple(bodies[i] for i in body_order), joints_of, gravity, couplings=between)


def _followers(integer: Integer, chance: Callable[[float], bool], movable: list[int], mimic: float) -> dict[int, int]:
    """Joint -> its leader; leaders stand on one side of their followers, so there is no ring and a leader is left."""
    line = movable[::-1] if mimic and chance(0.5) else movable
    return {joint: line[integer(0, k - 1)] for k, joint in enumerate(line) if k > 0 and chance(mimic)}


def _permutation(integer: Integer, n: int) -> list[int]:
    items = list(range(n))
    for i in range(n - 1):
        j = i + integer(0, n - 1 - i)
        items[i], items[j] = items[j], items[i]
    return items


def _hundredths(integer: Integer, bound: int) -> float:
    return integer(-bound, bound) / 100.0


def _vector(integer: Integer, bound: int) -> Vector:
    return _hundredths(integer, bound), _hundredths(integer, bound), _hundredths(integer, bound)


def _rotation(integer: Integer, chance: Callable[[float], bool], skew: float) -> Matrix:
    if chance(skew):
        return matrix_from_rpy(_vector(integer, 314))
    quarters = (integer(0, 3), integer(0, 3), integer(0, 3)) if chance(0.5) else (0, 0, 0)
    return matrix_from_rpy((quarters[0] * math.pi / 2, quarters[1] * math.pi / 2, quarters[2] * math.pi / 2))


def _axis(integer: Integer, chance: Callable[[float], bool], skew: float) -> Vector:
    if chance(skew):
        x, y, z = _vector(integer, 100)
        length = math.hypot(x, y, z)
        if length > 0.0:
            return x / length, y / length, z / length
    sign = -1.0 if integer(0, 1) else 1.0
    return ((0.0, 0.0, sign), (0.0, sign, 0.0), (sign, 0.0, 0.0))[integer(0, 2)]


def _body(integer: Integer, chance: Callable[[float], bool], name: str, skew: float, degenerate: float) -> Body:
    """Make a body from three second moments of mass, not negative; their pairwise sums are the principal moments."""
    moments = np.array([integer(1, 200), integer(1, 200), integer(1, 200)]) / 2000.0
    if chance(degenerate):
        moments = moments * [integer(0, 1), integer(0, 1), integer(0, 1)]
    R = np.array(_rotation(integer, chance, skew))
    inertia = R @ np.diag(moments.sum() - moments) @ R.T
    return Body(name, integer(1, 500) / 100.0, _vector(integer, 30), as_matrix((inertia + inertia.T) / 2.0))


def _limits(integer: Integer, kind: str) -> Limits:
    """Limits that URDF can hold: a continuous joint has none of position, the others have all four."""
    if kind == "fixed":
        return Limits()
    bounds = (-integer(0, 300) / 100.0, integer(0, 300) / 100.0)
    if kind == "revolute" and integer(0, 2) == 2:
        bounds = (-math.inf, math.inf)
    return Limits(*bounds, velocity=integer(1, 2000) / 100.0, effort=integer(1, 20000) / 100.0)


def _drive(integer: Integer, chance: Callable[[float], bool], rotors: bool, friction: bool, one_sided: bool) -> Drive:
    rotor = (0.0, 1.0)
    if rotors and chance(0.5):
        rotor = (integer(1, 200) * 1e-6, float(integer(1, 150) * (-1) ** integer(0, 1)))
    if not (friction and chance(0.5)):
        return Drive(*rotor)
    viscous, plus = integer(0, 200) / 100.0, integer(0, 200) / 100.0
    return Drive(*rotor, viscous, plus, integer(0, 200) / 100.0 if one_sided else plus)


def _pairs(
    integer: Integer, chance: Callable[[float], bool], movable: list[str], couplings: float
) -> list[tuple[str, str]]:
    pairs = []
    for k, name in enumerate(movable):
        others = movable[:k] + movable[k + 1 :]
        pairs += [(name, others[integer(0, len(others) - 1)]) for _ in range(2) if chance(couplings)]
    return pairs


def _coupling(integer: Integer, first: str, second: str) -> Coupling:
    ratio = (1.0, -1.0, integer(1, 250) / 100.0)[integer(0, 2)]
    return Coupling(first, second, float(integer(-20, 100)), integer(0, 200) / 100.0, _hundredths(integer, 100), ratio)


def _mimic(integer: Integer, leader: str) -> Mimic:
    ratio = (1.0, -1.0, _hundredths(integer, 250))[integer(0, 2)]
    return Mimic(leader, ratio, _hundredths(integer, 100))


# --------------------------------------------------------------------------------------------------------- rotations


def as_matrix(R: Array) -> Matrix:
    """Turn a numpy matrix into the nested tuples of `rne.model.tree`."""
    (a, b, c) = ((float(x), float(y), float(z)) for x, y, z in R)
    return a, b, c


def matrix_from_rpy(rpy: Vector) -> Matrix:
    """`Rz(yaw) Ry(pitch) Rx(roll)`: URDF's fixed axes x, y, z."""
    (sr, sp, sy), (cr, cp, cy) = map(math.sin, rpy), map(math.cos, rpy)
    return (
        (cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr),
        (sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr),
        (-sp, cp * sr, cp * cr),
    )


def rpy_from_matrix(R: Matrix) -> Vector:
    """Angles that give the matrix back to rounding, near a pitch of a quarter turn too.

    There yaw and roll are badly determined one by one; taking the roll from the matrix after its yaw has been undone
    lets the two errors cancel.
    """
    yaw = math.atan2(R[1][0], R[0][0])
    c, s = math.cos(yaw), math.sin(yaw)
    pitch = math.atan2(-R[2][0], c * R[0][0] + s * R[1][0])
    roll = math.atan2(s * R[0][2] - c * R[1][2], c * R[1][1] - s * R[0][1])
    return roll, pitch, yaw


# -------------------------------------------------------------------------------------------------------------- URDF


def to_urdf(tree: Tree) -> str:
    """Write the tree as URDF text.

    What URDF has no place for is left out: gravity, rotors, springs, and Coulomb friction for negative velocity.
    """
    lines = [f"<robot name={quoteattr(tree.name)}>"]
    for body in tree.bodies:
        lines.append(f"  <link name={quoteattr(body.name)}>")
        if body.has_inertial:
            (xx, xy, xz), (_, yy, yz), (_, _, zz) = body.inertia
            lines += [
                f'    <inertial><origin xyz="{_numbers(body.com)}" rpy="0 0 0"/><mass value="{body.mass!r}"/>',
                f'      <inertia ixx="{xx!r}" ixy="{xy!r}" ixz="{xz!r}" iyy="{yy!r}" iyz="{yz!r}" izz="{zz!r}"/>',
                "    </inertial>",
            ]
        lines.append("  </link>")
    for joint in tree.joints:
        lines += _joint_lines(joint)
    return "\n".join([*lines, "</robot>", ""])


def _joint_lines(joint: Joint) -> list[str]:
    lim, drive = joint.limits, joint.drive
    endless = joint.kind == "revolute" and math.isinf(lim.lower) and math.isinf(lim.upper)
    rpy = ZERO if joint.origin.rotation == IDENTITY else rpy_from_matrix(joint.origin.rotation)
    lines = [
        f'  <joint name={quoteattr(joint.name)} type="{"continuous" if endless else joint.kind}">',
        f"    <parent link={quoteattr(joint.parent)}/><child link={quoteattr(joint.child)}/>",
        f'    <origin xyz="{_numbers(joint.origin.position)}" rpy="{_numbers(rpy)}"/>',
    ]
    if joint.movable:
        position = "" if endless else f'lower="{_finite(lim.lower)}" upper="{_finite(lim.upper)}" '
        lines += [
            f'    <axis xyz="{_numbers(joint.axis)}"/>',
            f'    <limit {position}velocity="{_finite(lim.velocity)}" effort="{_finite(lim.effort)}"/>',
        ]
        if drive.viscous or drive.coulomb_plus:
            lines.append(f'    <dynamics damping="{drive.viscous!r}" friction="{drive.coulomb_plus!r}"/>')
    if joint.mimic is not None:
        leader, ratio, offset = quoteattr(joint.mimic.leader), joint.mimic.ratio, joint.mimic.offset
        lines.append(f'    <mimic joint={leader} multiplier="{ratio!r}" offset="{offset!r}"/>')
    return [*lines, "  </joint>"]


def _numbers(values: Vector) -> str:
    return " ".join(repr(float(x)) for x in values)


def _finite(x: float) -> str:
    return repr(float(max(-FAR, min(FAR, x))))
