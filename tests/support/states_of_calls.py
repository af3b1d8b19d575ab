"""Calls of functions of a state: which they are, their arguments, and the arrays of what they return."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
from calls import CALLS, Call

import rne

STATE_NAMES = ("q", "qd", "qdd", "tau")
OF_A_STATE = [
    call
    for call in CALLS
    if "robot" in call.good and any(np.ndim(call.good.get(name)) == 1 for name in ("q", "qd", "tau"))
    if not call.title.startswith(("lagrange.", "plot."))
]


def parts(result: Any) -> list[np.ndarray]:
    if isinstance(result, dict):
        return [part for value in result.values() for part in parts(value)]
    if isinstance(result, tuple | list):
        return [part for value in result for part in parts(value)]
    if hasattr(result, "__dataclass_fields__"):
        return parts({name: value for name, value in vars(result).items() if not isinstance(value, str | rne.Robot)})
    return [np.asarray(result)] if isinstance(result, np.ndarray | np.number | float) else []


def names_of(call: Call) -> list[str]:
    return [
        name
        for name in inspect.signature(call.function).parameters
        if name in STATE_NAMES and call.good.get(name) is not None
    ]
