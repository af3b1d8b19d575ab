"""What holds without the library: the functions are those of `rne.autograd`, and say what they take."""

from __future__ import annotations

import inspect

import pytest

import rne.jax
import rne.torch
from rne.autograd import functions


@pytest.mark.parametrize("module", [rne.jax, rne.torch])
def test_all_functions_are_there(module):
    own = [value for value in vars(functions).values() if inspect.isfunction(value) and value.__doc__]
    public = [
        f for f in own if f.__module__ == functions.__name__ and f.__name__[0] != "_" and f is not functions.bound
    ]
    assert module.__all__ == sorted(f.__name__ for f in public)
    for function in public:
        found = getattr(module, function.__name__)
        assert found.__doc__ == function.__doc__
        assert list(inspect.signature(found).parameters) == list(inspect.signature(function).parameters)[1:]
        for name in inspect.signature(found).parameters:
            assert f"{name} :" in found.__doc__ or f"{name}, " in found.__doc__ or f", {name} " in found.__doc__, name
