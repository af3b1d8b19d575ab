"""Rules of the kernels: short lists of parameters, and columns of the table that nobody else knows."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

RNE = Path(__file__).parents[2] / "rne"
KERNELS = sorted((RNE / "kernels").rglob("*.py"))
OTHERS = sorted(set(RNE.rglob("*.py")) - set(KERNELS))
MOST = 9

# What others may know of the layout: what is asked of a kernel, and when a batch is worth a thread.
ASKED = {"FRICTION", "INVERSE", "SPRINGS", "WITH_ROTORS", "WORTH_A_THREAD"}
# Who writes the tables, and who runs the kernels on other numbers.
WRITERS = {"codegen/tracing.py", "codegen/trigonometry.py", "model/frames.py", "model/link_table.py"}


def names_of(paths):
    return [str(path.relative_to(RNE)) for path in paths]


def functions(path):
    return [node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.FunctionDef)]


@pytest.mark.parametrize("path", KERNELS, ids=names_of(KERNELS))
def test_no_kernel_has_more_than_nine_parameters(path):
    for function in functions(path):
        arguments = function.args
        count = len(arguments.posonlyargs) + len(arguments.args) + len(arguments.kwonlyargs)
        assert count <= MOST, f"{function.name}: {count} parameters"


def test_the_kernels_are_looked_at():
    """Both rules would hold of nothing."""
    assert sum(len(functions(path)) for path in KERNELS) > 100
    assert set(names_of(OTHERS)) >= WRITERS


@pytest.mark.parametrize("path", OTHERS, ids=names_of(OTHERS))
def test_columns_are_the_business_of_those_who_write_them(path):
    if str(path.relative_to(RNE)) in WRITERS:
        return
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module == "rne.kernels":
            assert "layout" not in {alias.name for alias in node.names}
        if isinstance(node, ast.ImportFrom) and node.module == "rne.kernels.layout":
            assert {alias.name for alias in node.names} <= ASKED
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute):
            assert node.value.attr not in ("table", "table32"), f"line {node.lineno}: ask the link table by name"
