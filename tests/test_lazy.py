"""Public names come from the stubs, and are the objects that their modules define."""

import importlib

import pytest

from rne.lazy import attach


@pytest.mark.parametrize("package", ["rne", "rne.doctor", "rne.files", "rne.lagrange", "rne.plot"])
def test_every_name_of_the_stub_is_there(package):
    get, names, listed = attach(package)
    assert listed
    assert set(listed) <= set(names())
    for name in listed:
        if name != "dask":
            assert get(name) is getattr(importlib.import_module(package), name)


def test_a_package_without_a_stub_is_an_error():
    with pytest.raises(FileNotFoundError):
        attach("rne.model")
