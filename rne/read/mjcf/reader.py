"""MJCF: the robot description of MuJoCo.

MuJoCo itself reads and compiles the file: includes, defaults, angles in degrees, orientations of every kind and the
inertias of shapes are its own work (extra `mujoco`). Read from the compiled model are bodies, hinges and slides, sites,
gravity, rotors, friction, springs, equalities of joints, fixed tendons and keyframes.
"""

from __future__ import annotations

import os
from dataclasses import replace

import numpy as np

from rne.check import ZERO
from rne.errors import listed
from rne.model.checks import check_passive, note_weightless
from rne.model.edits import locked
from rne.model.findings import Findings
from rne.model.states import State
from rne.model.structure import check_structure, parents_first
from rne.model.tree import Tree
from rne.read.files import file_name, read_bytes
from rne.read.mjcf.bodies import read_bodies
from rne.read.mjcf.compiled import Compiled, compile_mjcf, root_of
from rne.read.mjcf.couplings import followers, with_tendons
from rne.read.mjcf.drives import KINDS
from rne.read.mjcf.free_root import base_state, check_free_root, free_root
from rne.read.mjcf.names import Names, quoted
from rne.read.poses import as_vector

ROOT = "mujoco"
NAMELESS = "robot"
_OTHER_ROOTS = {
    "robot": "this is URDF; rne.load_urdf reads it",
    "mujocoinclude": "this is a part that MJCF files include; load the file that does so",
    "": "not XML; the outermost element of MJCF is <mujoco>",
}


def read_mjcf(path_or_text: str | bytes | os.PathLike[str], *, strict: bool = True) -> Tree:
    """Read an MJCF file or text.

    Parameters
    ----------
    path_or_text : a path, or the document itself: text that contains ``<``, or bytes. A text has no folder, and can
        name other files by absolute paths only.
    strict : whether doubts are errors: free joints of some bodies, equalities that are no mimic joints, and tendons
        that act on the torques and are no springs or dampers between joints. If False they are left out, with a note.

    Returns
    -------
    Tree
        The root is the world, or a body with a free joint that carries all others. Bodies and joints are in the order
        of the file, and positions of joints are those of MuJoCo (`qpos`).

    Raises
    ------
    ModelError
        The file cannot be read, MuJoCo refuses it, or it has what is not supported; holds all problems found.
    MissingExtraError
        The extra is not installed.

    Examples
    --------
    >>> tree = read_mjcf('''<mujoco model="pendulum">
    ...   <worldbody>
    ...     <body name="bob">
    ...       <joint name="swing" axis="0 1 0" armature="0.01"/> <geom size="0.05" pos="0 0 -0.5" mass="2"/>
    ...     </body>
    ...   </worldbody>
    ... </mujoco>''')
    >>> tree.bodies[1].mass, tree.joints[0].name
    (2.0, 'swing')
    """
    if isinstance(path_or_text, bytes) or (isinstance(path_or_text, str) and "<" in path_or_text):
        findings, path = Findings("<mjcf>", strict), None
        data = path_or_text if isinstance(path_or_text, bytes) else path_or_text.encode("utf-8", "surrogatepass")
    else:
        path = file_name(path_or_text, "the text of an MJCF file begins with <", "path_or_text")
        findings = Findings(path, strict)
        data = read_bytes(findings)
    return _read(path, data, findings)


def is_mjcf(data: bytes) -> bool:
    """Whether an XML document is MJCF, by its outermost element."""
    return root_of(data)[0] == ROOT


def _read(path: str | None, data: bytes, findings: Findings) -> Tree:
    tag, _ = root_of(data)
    if tag != ROOT:
        findings.at(f"<{tag}>" if tag else "").fail(_OTHER_ROOTS.get(tag, "the outermost element of MJCF is <mujoco>"))
    compiled = compile_mjcf(path, data, findings)
    model, names = compiled.model, Names(compiled.model)
    bodies, joints = read_bodies(compiled, names, findings)
    mimics, held = followers(compiled, names, findings)
    joints = [replace(joint, mimic=mimics.get(joint.name)) for joint in joints]
    joints, couplings = with_tendons(compiled, joints, names, findings)
    check_free_root(compiled, names, findings)
    _note_unread(compiled, names, findings)
    check_structure(bodies, joints, findings)
    check_passive(joints, couplings, findings)
    if not findings.errors:
        note_weightless(parents_first(bodies, joints), bodies, findings)
    gravity = ZERO if "gravity" in compiled.disabled else as_vector(model.opt.gravity)
    floating = free_root(model) is not None
    tree = Tree(
        compiled.name or NAMELESS,
        tuple(bodies),
        tuple(joints),
        gravity,
        findings.where,
        findings.close(),
        couplings,
        states=_states(compiled, names),
        floating=floating,
    )
    return locked(tree, held)


def _note_unread(compiled: Compiled, names: Names, findings: Findings) -> None:
    """Report what acts on the robot in MuJoCo, and not here."""
    model = compiled.model
    floating = [names.bodies[k] for k in np.flatnonzero(model.body_gravcomp)]
    if floating:
        findings.at("").note(
            f"gravcomp of {listed(map(repr, floating))} is not read: MuJoCo takes the weight off these bodies, here the"
            " torques carry it"
        )
    if model.opt.density or model.opt.viscosity:
        findings.at("<option>").note("density and viscosity are not read: there is no air or water here")
    if model.nflex:
        findings.at("<flex>").doubt("flexible bodies are not supported; their forces are left out")
    plugins = [names.bodies[k] for k in np.flatnonzero(model.body_plugin >= 0)]
    if plugins:
        findings.at("").note(f"plugins of {quoted(plugins)} are not read; their forces are left out")


def _states(compiled: Compiled, names: Names) -> tuple[State, ...]:
    """Return the keyframes."""
    model, states = compiled.model, []
    movable = [j for j in range(model.njnt) if model.jnt_type[j] in KINDS]
    floats = free_root(model) is not None
    for k in range(model.nkey):
        q, qd = model.key_qpos[k], model.key_qvel[k]
        pose, motion = base_state(q, qd) if floats else ((), ())
        states.append(
            State(
                model.key(k).name or f"key{k}",
                (*pose, *((names.joints[j], float(q[model.jnt_qposadr[j]])) for j in movable)),
                (*motion, *((names.joints[j], float(qd[model.jnt_dofadr[j]])) for j in movable)),
            )
        )
    return tuple(states)
