"""Springs and dampers between the joints of a DH table."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import partial

from rne.errors import listed, shown
from rne.model.checks import check_damper
from rne.model.tree import Coupling, Joint
from rne.model.values import as_sequence
from rne.read.dh.fields import Fields
from rne.read.dh.toml import Places

KEYS = ("joints", "stiffness", "viscous", "rest", "ratio")


def read_couplings(table: Fields, joints: Sequence[Joint], places: Places) -> tuple[Coupling, ...]:
    """Read the couplings of a table; report what is wrong with them."""
    if not table.has("couplings"):
        return ()
    entries = as_sequence(table.values["couplings"])
    if entries is None:
        table.spot("couplings").error("couplings is not a list of tables with keys and values")
        return ()
    known = {joint.name: None for joint in joints}
    return tuple(_read_coupling(entry, number, table, known, places) for number, entry in enumerate(entries, 1))


def _read_coupling(values: object, number: int, table: Fields, known: Collection[str], places: Places) -> Coupling:
    line_of = partial(places.entry, "couplings", number - 1)
    coupling = Fields(values if isinstance(values, Mapping) else {}, f"coupling {number}", table.findings, line_of)
    if not isinstance(values, Mapping):
        coupling.spot("").error(f"{shown(values)} is not a table of keys and values")
        return Coupling("", "")
    coupling.reject_unknown(KEYS)
    first, second = _read_joints(coupling, known)
    if not coupling.has("stiffness", "viscous") and set(values) <= set(KEYS):  # a key written wrong is reported already
        coupling.spot("").error("neither 'stiffness' nor 'viscous' is there; nothing would act between the joints")
    stiffness, viscous, rest, ratio = (coupling.number(key, 1.0 if key == "ratio" else 0.0) for key in KEYS[1:])
    if viscous < 0:
        check_damper(viscous, coupling.spot("viscous"))
    if ratio == 0:
        coupling.spot("ratio").error("ratio = 0 leaves the second joint out; give the first a spring of its own")
    return Coupling(first, second, stiffness, viscous, rest, ratio)


def _read_joints(coupling: Fields, known: Collection[str]) -> tuple[str, str]:
    names = as_sequence(coupling.values.get("joints")) or []
    if len(names) != 2 or not all(isinstance(name, str) for name in names) or names[0] == names[1]:
        given = f"joints = {shown(coupling.values['joints'])} is" if coupling.has("joints") else "'joints' is missing,"
        coupling.spot("joints").error(f"{given} not the names of two joints")
        return "", ""
    for name in names:
        if name not in known:
            hint = coupling.findings.hint(str(name), known) or f"; there are {listed(known)}"
            coupling.spot("joints").error(f"no joint is named {name!r}{hint}")
    return str(names[0]), str(names[1])
