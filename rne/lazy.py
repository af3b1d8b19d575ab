"""The public names of a package, as its stub lists them, imported when they are first used; also from a zip file."""

from __future__ import annotations

import ast
import importlib.resources
from collections.abc import Callable
from typing import Any

import lazy_loader

Attached = tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]


def attach(package: str) -> Attached:
    """Return `__getattr__`, `__dir__` and `__all__` of a package from the imports in its `__init__.pyi`.

    Like `lazy_loader.attach_stub`, which needs the stub to be a file on disk.
    """
    stub = importlib.resources.files(package).joinpath("__init__.pyi").read_text(encoding="utf-8")
    modules: set[str] = set()
    names: dict[str, list[str]] = {}
    for node in ast.parse(stub).body:
        if isinstance(node, ast.ImportFrom) and node.level == 1:
            found = [alias.name for alias in node.names]
            if node.module is None:
                modules.update(found)
            else:
                names.setdefault(node.module, []).extend(found)
    attached: Attached = lazy_loader.attach(package, modules, names)
    return attached
