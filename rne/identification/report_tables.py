"""Lines and tables of the report of an identification."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rne.tables import Part, percent, titled

if TYPE_CHECKING:
    from rne.identification.report import Identification


def parts(found: Identification) -> list[Part]:
    """Return the lines and tables that the report shows."""
    beta = {
        "": [str(k + 1) for k in range(len(found.base))],
        "value": [f"{b:.5g}" for b in found.beta],
        "sd": ["-" if math.isnan(s) else f"{s:.2g}" for s in found.sd],
        "sd %": ["-" if not math.isfinite(s) else f"{100 * s:.2g}" for s in found.relative_sd],
        "given": [f"{g:.5g}" for g in found.base.values()],
        "base parameter": found.base.expressions,
    }
    torques: dict[str, Any] = {"joint": found.base.robot.joint_names}
    rows = {
        "torque": found.torque,
        "as given": found.prior_residual,
        "found": found.residual,
        "consistent": found.physical_residual,
        "noise": found.noise,
    }
    torques |= {title: tuple(f"{value:.5g}" for value in values) for title, values in rows.items()}
    torques["found %"] = tuple(percent(found.relative))
    torques["autocorrelation"] = tuple(f"{value:.2f}" for value in found.autocorrelation)
    above = f"RMS of torques and residuals, {found.samples} samples"
    tables: list[Part] = [
        titled(beta, left=["base parameter"]),
        *unknown_noise(found.sd),
        *_hidden(found),
        above,
        titled(torques),
    ]
    return [_head(found), *tables, *_friction(found), *_delay(found), _verdict(found)]


def _friction(found: Identification) -> list[Part]:
    if not found.laws:
        return []
    rows = {
        "joint": [law.joint for law in found.laws],
        "held out": [f"{law.error:.4g}" for law in found.laws],
        "plain": [f"{law.plain_error:.4g}" for law in found.laws],
        "law": [law.name for law in found.laws],
        "terms": [
            ", ".join(f"{value:.4g} {term}" for term, value in zip(law.terms, law.coefficients, strict=True)) or "-"
            for law in found.laws
        ],
    }
    above = "friction laws, and RMS of held-out residuals with them and with viscous and Coulomb friction"
    return [above, titled(rows, left=["law", "terms"])]


def _delay(found: Identification) -> list[Part]:
    left = found.delay
    if left is None or not (left.certain or found.lag):
        return []
    out = f"a delay of {1e3 * found.lag:.3g} ms was taken out; " if found.lag else ""
    return [
        f"{out}torques lag positions by {1e3 * left.common:.2g} ms, standard deviation {1e3 * left.common_sd:.2g} ms; "
        f"by joint {', '.join(f'{1e3 * x:.2g}' for x in left.each)} ms"
    ]


def _head(found: Identification) -> str:
    return f"{found.base.robot.name}: {len(found.base)} base parameters, condition number {found.condition:.3g}"


def share_of(torque: NDArray[np.float64], residual: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return residuals (n,) relative to measured torques; NaN for a joint without torque."""
    return np.asarray(residual / np.where(torque > 0, torque, np.nan))


def unknown_noise(sd: NDArray[np.float64]) -> list[Part]:
    """Return what the report says if there are too few samples for standard deviations."""
    if not len(sd) or not np.isnan(sd).all():
        return []
    return ["no standard deviations: no more measured torques than parameters, so that any noise is fitted, too"]


def _hidden(found: Identification) -> list[Part]:
    if not found.unexcited:
        return []
    became = {
        "fix": "kept as given",
        "drop": "taken as zero",
        "ridge": "drawn towards the given robot",
    }[found.choice]
    return [f"not shown by the motion, {became}: {'; '.join(found.unexcited)}"]


def _verdict(found: Identification) -> str:
    bad = ", ".join(found.unphysical)
    if not bad:
        return "parameters are physically consistent; found.robot has them"
    friction = "" if found.base.friction else ", friction=True"
    return (
        f"parameters are not physically consistent: {bad}; found.robot has the most likely consistent ones "
        f"(pi_physical). Richer motion{friction} or weights that fit the noise may help"
    )
