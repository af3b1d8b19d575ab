"""Names of the parts of a compiled model: those of the file, and made ones where it gives none."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


class Names:
    """Names of all bodies, joints and sites, each used once among links and once among joints."""

    def __init__(self, model: Any) -> None:
        self.bodies = [model.body(k).name or f"body{k}" for k in range(model.nbody)]
        self.joints = [model.joint(k).name or f"joint{k}" for k in range(model.njnt)]
        _make_unique(self.bodies)
        _make_unique(self.joints)
        self._links = set(self.bodies)
        self._joints = set(self.joints)

    def link(self, name: str) -> str:
        """Return a name for one more link: this one, or with a number behind it."""
        return _free(name, self._links)

    def joint(self, name: str) -> str:
        """Return a name for one more joint."""
        return _free(name, self._joints)

    def site(self, name: str) -> str:
        """Return the name of the frame of a site, which may be called like a body."""
        return self.link(f"{name}_site" if name in self._links else name)


def _make_unique(names: list[str]) -> None:
    """Change made names that the file has, too."""
    taken: set[str] = set()
    for k, name in enumerate(names):
        names[k] = _free(name, taken)


def _free(name: str, taken: set[str]) -> str:
    found, count = name, 1
    while found in taken:
        count += 1
        found = f"{name}_{count}"
    taken.add(found)
    return found


def quoted(names: Iterable[str]) -> str:
    """Return names for a message."""
    return ", ".join(map(repr, names))
