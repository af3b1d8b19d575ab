"""Equalities and tendons of a compiled model: followers, held joints, springs and dampers between joints.

An equality of two joints, y - y0 = a0 + a1 (x - x0) with the positions at reference, is a mimic joint, and so is one
that keeps the length of a fixed tendon over two joints. A fixed tendon has the length L = sum of c_i q_i. Its spring
k (L - L0)^2 / 2 and its damper are sums over joints and pairs of joints: with x = q - rest,
k (c^T x)^2 = sum of s_i x_i^2 - sum over pairs of k c_i c_j (x_i - x_j)^2, where s_i = k c_i sum of c_j.

Source: MuJoCo, XML reference, `equality/joint`, `tendon/fixed`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from rne.model.drive import Drive
from rne.model.findings import Findings, Spot
from rne.model.tree import Coupling, Joint, Mimic
from rne.read.mjcf.compiled import Compiled
from rne.read.mjcf.drives import actuators, has, of_actuator
from rne.read.mjcf.names import Names

CONNECT, WELD, JOINT, TENDON = range(4)
"""Kinds of equalities, `mjtEq`."""
WRAPS_JOINT = 1
"""What a fixed tendon is made of, `mjtWrap`."""
ON_TENDON = 3
"""Transmission of actuators on a tendon, `mjtTrn`."""
HOLDS = {
    CONNECT: "holds two bodies together at a point",
    WELD: "holds two bodies together",
    TENDON: "holds a tendon that is not a fixed one over two joints",
}


def followers(compiled: Compiled, names: Names, findings: Findings) -> tuple[dict[str, Mimic], dict[str, float]]:
    """Return what joints follow, and the positions of those that are held, by name."""
    model = compiled.model
    mimics: dict[str, Mimic] = {}
    held: dict[str, float] = {}
    for e in range(model.neq):
        if not model.eq_active0[e] or "equality" in compiled.disabled:
            continue
        spot = findings.at(f"equality {model.equality(e).name or e!r}")
        if model.eq_type[e] == JOINT:
            _read_joint(model, e, names, spot, mimics, held)
        elif model.eq_type[e] == TENDON and _is_of_two_joints(model, e):
            _read_tendon(model, e, names, spot, mimics, held)
        elif not _holds_nothing(model, e):
            what = HOLDS.get(int(model.eq_type[e]), "is of a kind that is not known here")
            spot.doubt(f"it {what}, which is not supported; it is left out")
    return mimics, held


def _read_joint(model: Any, e: int, names: Names, spot: Spot, mimics: dict[str, Mimic], held: dict[str, float]) -> None:
    first, second = int(model.eq_obj1id[e]), int(model.eq_obj2id[e])
    name, start = names.joints[first], float(model.qpos0[model.jnt_qposadr[first]])
    offset, ratio, *higher = model.eq_data[e, :5].tolist()
    if name in mimics or name in held:
        _tell_again(name, spot)
    elif second < 0:
        held[name] = start + offset
    elif any(higher):
        spot.doubt(
            f"joint {name!r} follows {names.joints[second]!r} by a polynomial of degree"
            f" {max(k for k, c in enumerate(higher, 2) if c)}; only the first degree is supported, it is left"
            " independent"
        )
    else:
        leader_start = float(model.qpos0[model.jnt_qposadr[second]])
        mimics[name] = Mimic(names.joints[second], ratio, start + offset - ratio * leader_start)


def _tell_again(name: str, spot: Spot) -> None:
    spot.doubt(f"joint {name!r} follows another by an equality before; this one is left out")


def _is_of_two_joints(model: Any, e: int) -> bool:
    """Whether the equality keeps the length of a fixed tendon over two joints, whatever the others do."""
    wraps = _wraps(model, int(model.eq_obj1id[e]))
    fixed = all(model.wrap_type[w] == WRAPS_JOINT and model.wrap_prm[w] for w in wraps)
    return len(wraps) == 2 and fixed and model.eq_obj2id[e] < 0


def _read_tendon(
    model: Any, e: int, names: Names, spot: Spot, mimics: dict[str, Mimic], held: dict[str, float]
) -> None:
    """Read c1 q1 + c2 q2 = constant: the second joint follows the first, or that the second if it follows already."""
    tendon = int(model.eq_obj1id[e])
    length = float(model.tendon_length0[tendon] + model.eq_data[e, 0])
    (leader, c), (follower, d) = (
        (names.joints[int(model.wrap_objid[w])], float(model.wrap_prm[w])) for w in _wraps(model, tendon)
    )
    if follower in mimics or follower in held:
        (leader, c), (follower, d) = (follower, d), (leader, c)
    if follower in mimics or follower in held:
        _tell_again(follower, spot)
    else:
        mimics[follower] = Mimic(leader, -c / d, length / d)


def _wraps(model: Any, t: int) -> range:
    """Return the numbers of the parts of a tendon."""
    first = int(model.tendon_adr[t])
    return range(first, first + int(model.tendon_num[t]))


def _holds_nothing(model: Any, e: int) -> bool:
    """Whether bodies are held that cannot move, or that a program moves (mocap)."""
    if model.eq_type[e] not in (CONNECT, WELD):
        return False
    ends = (int(model.eq_obj1id[e]), int(model.eq_obj2id[e]))
    bodies = [int(model.site_bodyid[end]) for end in ends] if _at_sites(model, e) else list(ends)
    roots = [int(model.body_weldid[body]) for body in bodies]
    return roots[0] == roots[1] or any(model.body_mocapid[body] >= 0 for body in bodies + roots)


def _at_sites(model: Any, e: int) -> bool:
    return bool(model.eq_objtype[e] == 6)  # mjOBJ_SITE


@dataclass(frozen=True)
class _Tendon:
    """A fixed tendon as a sum over joints, with what it adds to the dynamics."""

    joints: list[int]
    factors: list[float]
    stiffness: float
    viscous: float
    rest: float
    friction: float
    armature: float


def with_tendons(
    compiled: Compiled, joints: list[Joint], names: Names, findings: Findings
) -> tuple[list[Joint], tuple[Coupling, ...]]:
    """Return the joints with the springs and dampers of tendons on one joint, and the couplings of all others."""
    drives = {joint.name: joint.drive for joint in joints}
    couplings: list[Coupling] = []
    for t in range(compiled.model.ntendon):
        spot = findings.at(f"tendon {compiled.model.tendon(t).name or t!r}")
        tendon = _tendon(compiled, t, spot)
        if tendon is None:
            continue
        called = [names.joints[j] for j in tendon.joints]
        if len(called) == 1:
            drives[called[0]] = _with_tendon(drives[called[0]], tendon)
        elif len(called) == 2:
            couplings.append(_pair(called, tendon))
        elif called:
            for name, drive in _own(called, tendon):
                drives[name] = _with_spring(drives[name], *drive)
            couplings += _pairs(called, tendon)
    return [replace(joint, drive=drives[joint.name]) for joint in joints], tuple(couplings)


def _tendon(compiled: Compiled, t: int, spot: Spot) -> _Tendon | None:
    """Return a tendon that acts on joints, None for others; report what of it cannot be read."""
    model, disabled = compiled.model, compiled.disabled
    stiffness = 0.0 if "spring" in disabled else float(model.tendon_stiffness[t])
    viscous, armature = float(model.tendon_damping[t]), float(model.tendon_armature[t])
    for a in actuators(model, ON_TENDON, t):
        square = float(model.actuator_gear[a, 0]) ** 2
        armature += square * of_actuator(model, "armature", a)
        viscous += square * of_actuator(model, "damping", a)
    viscous = 0.0 if "damper" in disabled else viscous
    friction = 0.0 if "frictionloss" in disabled else float(model.tendon_frictionloss[t])
    acting = {"spring": stiffness, "damper": viscous, "friction": friction, "armature": armature}
    acting |= dict.fromkeys(_not_linear(compiled, t), 1.0)
    what = [name for name, value in acting.items() if value]
    if not what:
        return None
    wraps = _wraps(model, t)
    if any(model.wrap_type[w] != WRAPS_JOINT for w in wraps):
        spot.doubt(f"its {_and(what)} would act along a path in space, which is not supported; left out")
        return None
    pairs = [(int(model.wrap_objid[w]), float(model.wrap_prm[w])) for w in wraps if model.wrap_prm[w]]
    lower, upper = model.tendon_lengthspring[t].tolist()
    lost = [name for name in what if name.startswith("nonlinear")]
    if stiffness and lower != upper:
        lost.append("spring, which is slack over a range,")
        stiffness = 0.0
    if len(pairs) > 1:
        lost += [name for name in ("friction", "armature") if acting[name]]
    if lost:
        spot.doubt(f"its {_and(lost)} cannot be read; left out")
    numbers, factors = [j for j, _ in pairs], [c for _, c in pairs]
    return _Tendon(numbers, factors, stiffness, viscous, lower, friction, armature)


def _not_linear(compiled: Compiled, t: int) -> Iterator[str]:
    keys = {"spring": ("tendon_stiffnesspoly", "tendon_springyield"), "damper": ("tendon_dampingpoly",)}
    for what, properties in keys.items():
        if what not in compiled.disabled and any(has(compiled.model, key, t) for key in properties):
            yield f"nonlinear {what}"


def _and(words: list[str]) -> str:
    return " and ".join(words)


def _with_tendon(drive: Drive, tendon: _Tendon) -> Drive:
    """Return a drive with a tendon on this joint alone."""
    (factor,) = tendon.factors
    square = factor * factor
    if tendon.armature:
        drive = replace(drive, rotor_inertia=drive.reflected_inertia + square * tendon.armature, gear_ratio=1.0)
    friction = abs(factor) * tendon.friction
    plus, minus = drive.coulomb_plus + friction, drive.coulomb_minus + friction
    drive = replace(drive, coulomb_plus=plus, coulomb_minus=minus)
    return _with_spring(drive, square * tendon.stiffness, square * tendon.viscous, tendon.rest / factor)


def _with_spring(drive: Drive, stiffness: float, viscous: float, rest: float) -> Drive:
    """Return a drive with one more spring and damper."""
    whole = drive.stiffness + stiffness
    if stiffness and whole:
        rest = (drive.stiffness * drive.rest + stiffness * rest) / whole
        drive = replace(drive, stiffness=whole, rest=rest)
    return replace(drive, viscous=drive.viscous + viscous)


def _pair(called: list[str], tendon: _Tendon) -> Coupling:
    c, d = tendon.factors
    square = c * c
    first, second = called
    return Coupling(first, second, square * tendon.stiffness, square * tendon.viscous, tendon.rest / c, -d / c)


def _own(called: list[str], tendon: _Tendon) -> Iterator[tuple[str, tuple[float, float, float]]]:
    """Yield the springs and dampers of single joints: stiffness, viscous, rest."""
    c, total = tendon.factors, sum(tendon.factors)
    for k, name in enumerate(called):
        share = c[k] * total
        yield name, (share * tendon.stiffness, share * tendon.viscous, tendon.rest / c[0] if k == 0 else 0.0)


def _pairs(called: list[str], tendon: _Tendon) -> Iterator[Coupling]:
    """Yield the springs and dampers between two joints; the rest length is that of the first joint."""
    c = tendon.factors
    for i, first in enumerate(called):
        for j in range(i + 1, len(called)):
            share = -c[i] * c[j]
            rest = tendon.rest / c[0] if i == 0 else 0.0
            yield Coupling(first, called[j], share * tendon.stiffness, share * tendon.viscous, rest)
