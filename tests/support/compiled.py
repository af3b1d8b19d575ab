"""Everything that is compiled, and how several processes share the work."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rne.kernels import entries
from rne.kernels.jit import Entry


def all_entries() -> dict[str, Entry]:
    """Every public entry, by its name and the keys of the tables in which it is."""

    def below(name: str, value: Any) -> Iterator[tuple[str, Entry]]:
        if isinstance(value, Entry):
            yield name, value
        elif isinstance(value, dict):
            for key, more in value.items():
                yield from below(f"{name}.{key}", more)

    return dict(entry for name, value in vars(entries).items() if name[0] != "_" for entry in below(name, value))


def compile_beside_others(index: int, count: int) -> None:
    """Compile all entries, as one of `count` processes that do so at the same time.

    Each begins at another place and finds in the cache what the others have compiled. Otherwise the workers of
    pytest-xdist, which come to the same tests at the same time, would compile everything once each.
    """
    found = list(all_entries().values())
    first = index * len(found) // count
    for entry in found[first:] + found[:first]:
        entry.compiled()
