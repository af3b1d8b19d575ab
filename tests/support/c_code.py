"""Exported C: compiled by all compilers that are there without a warning, its own test run, its functions called."""

from __future__ import annotations

import ctypes
import shutil
import subprocess

import numpy as np
import pytest

STRICT = ["-Wall", "-Wextra", "-Wconversion", "-pedantic", "-Werror"]
COMPILERS = [
    pytest.param([c, *mode, *STRICT], id=f"{c} {mode[-1]}")
    for c, mode in (
        ("gcc", ["-std=c99"]), ("clang", ["-std=c99"]),
        ("g++", ["-x", "c++", "-std=c++17"]), ("clang++", ["-x", "c++", "-std=c++17"]),
    )
    if shutil.which(c)
]  # fmt: skip
ALL = (
    "inverse_dynamics", "forward_dynamics", "gravity_vector", "bias_vector", "mass_matrix", "coriolis_matrix",
    "christoffel", "regressor", "inverse_dynamics_derivatives", "forward_dynamics_derivatives", "inverse_dynamics_vjp",
    "gravity_derivative",
)  # fmt: skip


def passes(paths, compiler, *flags):
    """Compile the source and its test and run it; return what it says."""
    program = paths[0].with_name("program")
    command = [*compiler, *flags, str(paths[1]), str(paths[2]), "-o", str(program), "-lm"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    ran = subprocess.run([str(program)], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout
    assert ran.stdout.endswith("passed\n")
    return ran.stdout


def library(paths):
    path = paths[0].with_suffix(".so")
    subprocess.run([*COMPILERS[0].values[0], "-O1", "-shared", "-fPIC", str(paths[1]), "-o", path, "-lm"], check=True)
    return ctypes.CDLL(str(path))


def call(function, shape, *arguments, real=ctypes.c_double):
    out = (real * int(np.prod(shape)))()
    status = function(*((real * len(x))(*x) for x in arguments), out)
    return np.array(out).reshape(shape), status
