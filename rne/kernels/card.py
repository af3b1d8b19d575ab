"""The card: what compiled code needs to know about a robot and this process, as an array of words. No numba here."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
from numpy.typing import NDArray

# The words: address and size of the table; number of coordinates; address of an array of zeros; bytes per number; the
# addresses of four Python objects: the type of arrays, the dtype of the card, the dtype of doubles, and None; the
# address of the function by which numpy creates an array; numbers in q and in qd.
# COORDINATES is -1 if the base floats: an entry that is not written for such robots looks for arrays of this length,
# finds none, and refuses the call. Entries that are, use POSITIONS and RATES.
TABLE, NUMBERS, COORDINATES, ZEROS, ITEMSIZE, ARRAY, FLOATS, DOUBLES, NONE, NEW, POSITIONS, RATES = range(12)

_EMPTY = 184  # index of PyArray_Empty in numpy's C API, which is stable
_DOUBLE, _SINGLE = np.dtype(np.float64), np.dtype(np.float32)
_PROCESS = id(np.ndarray), id(_DOUBLE), id(None)


def _numpy_function(index: int) -> int:
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    interface = pointer(np._core._multiarray_umath._ARRAY_API, None)
    return int(ctypes.cast(interface, ctypes.POINTER(ctypes.c_void_p))[index] or 0)


_MAKE_EMPTY = _numpy_function(_EMPTY)


def make_cards(table: NDArray[Any], table32: NDArray[Any], positions: int, rates: int) -> dict[str, NDArray[Any]]:
    """Return the cards of a robot for calls in either precision, and the zeros used in place of None.

    Parameters
    ----------
    table, table32 : the link tables. The caller must keep them and everything returned alive.
    positions, rates : how many numbers q and qd of the robot have.
    """
    zeros = np.zeros(max(rates, 6))  # a wrench is six numbers
    cards = [_card(t, positions, rates, zeros) for t in (table, table32)]
    return {"_card": cards[0], "_card32": cards[1], "_zeros": zeros}


def _card(table: NDArray[Any], positions: int, rates: int, zeros: NDArray[np.float64]) -> NDArray[np.intp]:
    array, double, none = _PROCESS
    floats = double if table.dtype is _DOUBLE else id(_SINGLE)
    coordinates = rates if positions == rates else -1
    numbers = [table.ctypes.data, table.size, coordinates, zeros.ctypes.data, table.itemsize]
    card = np.array([*numbers, array, floats, double, none, _MAKE_EMPTY, positions, rates], np.intp)
    card.flags.writeable = False
    return card
