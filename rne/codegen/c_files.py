"""The files of an export to C: header, source, a test of its own, and a CMakeLists."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rne.codegen.c_source import Writer, boxed, quoted
from rne.codegen.functions import Traced
from rne.model.robot import Robot

Array = NDArray[np.float64]


class Case(NamedTuple):
    """What a function is tested with.

    Attributes
    ----------
    traced : the function.
    arguments : (cases, size) each, in order.
    results : (cases, size), as rne calculates them.
    tolerance : largest error, as a part of the largest number.
    """

    traced: Traced
    arguments: list[Array]
    results: Array
    tolerance: float


def header(writer: Writer, robot: Robot, functions: Sequence[Traced], version: str) -> str:
    """Return the header."""
    p, guard = writer.prefix, f"{writer.prefix.upper()}_H"
    lines = [
        *boxed(_about(writer, robot, version)),
        f"#ifndef {guard}",
        f"#define {guard}",
        "",
        "#ifdef __cplusplus",
        'extern "C" {',
        "#endif",
        "",
        f"#define {p.upper()}_N {robot.n} /* coordinates */",
        "",
        "/* Names of the coordinates, in the order of q. */",
        f"extern const char *const {p}_joint_names[{max(robot.n, 1)}];",
    ]
    for name, what in _LIMITS.items():
        lines += ["", f"/* {what} */", f"extern const {writer.real} {p}_{name}[{max(robot.n, 1)}];"]
    for traced in functions:
        lines += ["", *writer.comment(traced), f"{writer.declaration(traced)};"]
    lines += ["", "#ifdef __cplusplus", "}", "#endif", "", f"#endif /* {guard} */", ""]
    return "\n".join(lines)


_LIMITS = {
    "lower_limit": "Lower position limits, rad or m; -HUGE_VAL where there is none.",
    "upper_limit": "Upper position limits, rad or m; HUGE_VAL where there is none.",
    "velocity_limit": "Velocity limits, rad/s or m/s.",
    "effort_limit": "Torque or force limits, N m or N.",
}


def _about(writer: Writer, robot: Robot, version: str) -> list[str]:
    gravity = ", ".join(f"{g:g}" for g in robot.gravity.tolist())
    return [
        f"{_plain(repr(robot))}",
        f"Written by rne {version}. SI units and radians, {writer.real}; gravity ({gravity}) m/s^2 in base axes.",
        "No memory is allocated and none is kept: the functions depend on their arguments alone.",
    ]


def _plain(text: str) -> str:
    return "".join(c if " " <= c <= "~" else "_" for c in text).replace("*/", "* /").replace("/*", "/ *")


def source(writer: Writer, robot: Robot, functions: Sequence[Traced], version: str) -> str:
    """Return the source."""
    p, names = writer.prefix, [quoted(name) for name in robot.joint_names]
    lines = [
        *boxed(_about(writer, robot, version)),
        f'#include "{p}.h"',
        "",
        "#include <math.h>",
        "",
        *writer.multiply_adds(),
        "",
        f"const char *const {p}_joint_names[{max(robot.n, 1)}] = {{{', '.join(names) or '0'}}};",
    ]
    lines += [_table(writer, f"{p}_{name}", getattr(robot, name)) for name in _LIMITS]
    for traced in functions:
        lines += ["", *writer.function(traced)]
    return "\n".join([*lines, ""])


def _table(writer: Writer, name: str, values: Array) -> str:
    huge = "HUGE_VALF" if writer.real == "float" else "HUGE_VAL"
    cells = [writer.literal(x) if np.isfinite(x) else huge if x > 0 else f"-{huge}" for x in values.tolist()]
    return f"const {writer.real} {name}[{max(len(values), 1)}] = {{{', '.join(cells) or writer.literal(0.0)}}};"


def test(writer: Writer, cases: Sequence[Case]) -> str:
    """Return a program that holds the functions against numbers of rne and tells the largest error."""
    p, real = writer.prefix, writer.real
    lines = [
        *boxed(["Holds the functions against numbers of rne; returns 0 if all agree."]),
        f'#include "{p}.h"',
        "",
        "#include <math.h>",
        "#include <stdio.h>",
        "",
        f"static int compare(const char *name, const {real} *got, const {real} *want, int count, {real} tolerance)",
        "{",
        "    int k;",
        f"    {real} largest = {writer.literal(0.0)}, error = {writer.literal(0.0)};",
        "    for (k = 0; k < count; k++) {",
        f"        const {real} off = {_abs(real)}(got[k] - want[k]), here = {_abs(real)}(want[k]);",
        "        if (here > largest) largest = here;",
        "        if (!(off <= error)) error = off;",
        "    }",
        f"    if (largest < {writer.literal(1e-3)}) largest = {writer.literal(1e-3)};",
        '    printf("%-40s largest error %.1e of the largest number\\n", name, (double)(error / largest));',
        "    return !(error <= tolerance * largest);",
        "}",
        "",
        "int main(void)",
        "{",
        "    int failures = 0;",
    ]
    for case in cases:
        lines += _compared(writer, case)
    lines += ['    puts(failures ? "FAILED" : "passed");', "    return failures ? 1 : 0;", "}", ""]
    return "\n".join(lines)


def _abs(real: str) -> str:
    return "fabsf" if real == "float" else "fabs"


def _compared(writer: Writer, case: Case) -> list[str]:
    traced, real, count = case.traced, writer.real, len(case.results)
    size, tolerance = case.results.shape[1], writer.literal(case.tolerance)
    lines = ["    {"]
    for (name, width), values in zip(traced.arguments, case.arguments, strict=True):
        lines += _rows(writer, f"static const {real} {name}[{count}][{width}]", values)
    lines += _rows(writer, f"static const {real} want[{count * size}]", case.results.reshape(1, -1))
    takes = ", ".join([*(f"{name}[k]" for name, _ in traced.arguments), f"got + {size} * k"])
    call = f"{writer.name(traced)}({takes})"
    if traced.inverts:
        call = f"failures += {call}"
    return [
        *lines,
        f"        static {real} got[{count * size}];",
        "        int k;",
        f"        for (k = 0; k < {count}; k++) {call};",
        f"        failures += compare({quoted(traced.name)}, got, want, {count * size}, {tolerance});",
        "    }",
    ]


def _rows(writer: Writer, head: str, values: Array) -> list[str]:
    rows = [", ".join(writer.literal(x) for x in row) for row in values.tolist()]
    if len(rows) == 1 and "][" not in head:
        return [f"        {head} = {{", f"            {rows[0]}", "        };"]
    return [f"        {head} = {{", *(f"            {{{row}}}," for row in rows), "        };"]


def cmake(prefix: str) -> str:
    """Return a CMakeLists with a library and its test."""
    return f"""cmake_minimum_required(VERSION 3.10)
project({prefix} C)

set(CMAKE_C_STANDARD 99)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

add_library({prefix} STATIC {prefix}.c)
target_include_directories({prefix} PUBLIC ${{CMAKE_CURRENT_SOURCE_DIR}})
if(UNIX)
  target_link_libraries({prefix} PUBLIC m)
endif()

enable_testing()
add_executable({prefix}_test test.c)
target_link_libraries({prefix}_test {prefix})
add_test(NAME {prefix} COMMAND {prefix}_test)
"""
