"""What a call in the registry is, and what most of them are made with."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

import rne
from calls.bad import BAD, ROBOT, N, no_outs

Q, QD, QDD = np.random.default_rng(0).normal(size=(3, N))
T = np.linspace(0.0, 0.4, 5)
# Samples of a motion, for what is not calculated sample by sample.
MOTION = {"q": Q + np.sin(5 * T)[:, None], "qd": np.cos(5 * T)[:, None] * QD, "qdd": np.sin(5 * T)[:, None] * QDD}
BODY = rne.Inertia(2.0, [0.1, 0.2, 0.3], np.diag([1.0, 2.0, 2.5]))


@dataclass(frozen=True)
class Call:
    """A public function, good arguments by name, and bad values where they are not those of `BAD`."""

    function: Callable[..., Any]
    good: dict[str, Any]
    bad: dict[str, list[Any]]
    title: str

    def __call__(self, **changes: Any) -> Any:
        """Make the good call, with some arguments changed."""
        return self.function(**self.good | changes)

    def bad_values(self) -> Iterator[tuple[str, Any]]:
        """Yield every argument with every value that must be refused."""
        parameters = inspect.signature(self.function).parameters
        names = [name for name in parameters if name != "options"]
        if "options" in parameters:  # which go on to another function
            names += [name for name in self.bad if name not in names]
        for name in names:
            for value in self.bad[name] if name in self.bad else BAD[name]:
                yield name, value


def call_of(function: Callable[..., Any], bad: dict[str, list[Any]] | None = None, /, **good: Any) -> Call:
    """Return the call of a function; robot, state and frame are known."""
    names = inspect.signature(function).parameters
    given = {"robot": ROBOT, "q": Q, "qd": QD, "qdd": QDD, "frame": "hand"}
    good = {name: value for name, value in given.items() if name in names} | good
    known = dict(bad or {})
    if "out" in names:
        result = function(**good)
        known["out"] = no_outs(np.shape(result))
    title = getattr(function, "__qualname__", str(function))
    home = function.__module__.split(".")
    topics = {"lagrange", "control", "plot", "files"}
    prefix = f"{home[1]}." if len(home) > 1 and home[1] in topics else ""
    return Call(function, good, known, prefix + title)
