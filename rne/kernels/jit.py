"""How kernels are compiled: decorators, options, and the stamp that invalidates the cache on disk when sources change.

Numba's cache detects a change in the file of the compiled function, but not in helpers in other files (numba issue
1833). Every cached function here is therefore made by a factory that closes over `STAMP`, a hash of all kernel sources;
numba includes closed-over values in the cache key.
"""

from __future__ import annotations

import hashlib
import importlib.resources
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numba
from numba.core.errors import NumbaError

from rne.errors import RneError
from rne.kernels.cache import EntryCache, say_uncached

# No fast-math. Multiply-adds are written explicitly as `fma`, so a result does not depend on which operations the
# compiler contracts in which build: single, batched and inlined calls agree to the last bit.
_OPTIONS: dict[str, Any] = {"error_model": "numpy", "nogil": True}

# Always inlined by LLVM: the small algebra, and everything that takes or returns a pack, because packs are passed to a
# real call through memory. Without reference counting (`_nrt`): the caller holds the arrays, and counting them in a
# helper that branches costs a call in the innermost loop, which doubled the time of a batch.
inline = numba.njit(forceinline=True, _nrt=False, no_cpython_wrapper=True, no_cfunc_wrapper=True, **_OPTIONS)

# Also inlined, but may allocate or return arrays.
inline_allocating = numba.njit(forceinline=True, _nrt=True, no_cpython_wrapper=True, no_cfunc_wrapper=True, **_OPTIONS)

# Compiled as a function of its own, for each combination of argument types; may allocate.
function = numba.njit(_nrt=True, no_cfunc_wrapper=True, **_OPTIONS)

# The same without reference counting: for functions of floats that allocate nothing, and for what few robots need of an
# inlined function. Numba passes options on to what a function calls, so it has to be said that these are not.
borrowing = numba.njit(forceinline=False, _nrt=False, no_cfunc_wrapper=True, **_OPTIONS)

# The same for functions that only compiled code calls. Wrappers for Python of arguments with many arrays, and counting
# their references, took a minute to compile.
internal = numba.njit(forceinline=False, _nrt=False, no_cpython_wrapper=True, no_cfunc_wrapper=True, **_OPTIONS)


# What a compiled function raises for argument types it was not compiled for.
REFUSED = (TypeError, AttributeError, NumbaError)


def is_compiled(call: Any) -> bool:
    """Return whether something is a function that numba compiles."""
    return isinstance(call, numba.core.dispatcher.Dispatcher)


def _sources(folder: Any, inside: str) -> Iterator[tuple[str, bytes]]:
    for entry in sorted(folder.iterdir(), key=lambda f: f.name):
        if entry.name.endswith(".py"):
            yield inside + entry.name, entry.read_bytes()
        elif entry.is_dir() and entry.name != "__pycache__":
            yield from _sources(entry, f"{inside}{entry.name}/")


def _stamp() -> str:
    """Hash all sources of this package and its folders; also works in a zip file."""
    digest = hashlib.sha256()
    for name, source in _sources(importlib.resources.files("rne.kernels"), ""):
        digest.update(name.encode() + b"\0" + source)
    return digest.hexdigest()


STAMP = _stamp()


class Entry:
    """A function that Python calls: compiled on first use for one explicit signature, and cached on disk.

    Parameters
    ----------
    factory : takes the stamp and returns the plain Python function, which must mention the stamp.
    sig : its numba signature.
    batch : whether it works on batches, releases the GIL and may allocate. A function of one state does none of this,
        which saves 45 ns per call, and 130 ns for counting references to its arguments.
    direct : whether it is called without the dispatcher of numba, which determines the types of arguments; that saves
        45 ns per call and 20 ns per argument. Either it takes Python objects and inspects them itself
        (`rne.kernels.objects`), or the caller guarantees the types.

    Attributes
    ----------
    signature, batch : as given.
    call : the function, which is compiled on the first call. An attribute, because a method would cost 50 ns per call.
    """

    __slots__ = ("_direct", "_dispatcher", "_factory", "_lock", "batch", "call", "signature")

    def __init__(
        self, factory: Callable[[str], Callable[..., Any]], sig: Any, *, batch: bool, direct: bool = False
    ) -> None:
        self._direct = direct
        self._dispatcher: Any = None
        self._factory = factory
        self.signature = sig
        self.batch = batch
        self._lock = threading.Lock()
        self.call: Callable[..., Any] = self._first_call

    def compiled(self) -> Any:
        """Return the function as numba knows it, without calling it, to pass it to another entry as a pointer."""
        with self._lock:
            if self.call == self._first_call:
                self._dispatcher = _compile(self._factory(STAMP), self.signature, self.batch)
                self.call = self._dispatcher.get_overload(self.signature) if self._direct else self._dispatcher
        return self._dispatcher

    def address(self) -> int:
        """Return the address of the machine code with the C calling convention; for functions of integers only."""
        (result,) = self.compiled().overloads.values()
        return int(result.library.get_pointer_to_function(result.fndesc.llvm_cfunc_wrapper_name))

    def _first_call(self, *args: Any) -> Any:
        self.compiled()
        return self.call(*args)


def _compile(python_function: Callable[..., Any], sig: Any, batch: bool) -> Any:
    if numba.config.DISABLE_JIT:
        raise RneError(
            "NUMBA_DISABLE_JIT is set, but these functions only work compiled; unset it (rne.lagrange needs no numba)"
        )
    compiled = numba.njit(**{**_OPTIONS, "nogil": batch, "_nrt": batch})(python_function)
    try:
        compiled._cache = EntryCache(python_function, STAMP)
    except RuntimeError as error:
        if "cannot cache" not in str(error):
            raise
        say_uncached(str(error))
    compiled.compile(sig)
    compiled.disable_compile()
    return compiled
