"""The program of one example: its source, with plain `print` in place of the sheet of the gallery."""

from __future__ import annotations

import ast
import inspect
import textwrap

from rne.examples.registry import Example

_GALLERY = ("__future__", "rne.examples")
"""Modules that a program does without."""


def program(entry: Example) -> str:
    r"""Return an example as a program of its own, which needs rne, numpy and at times scipy.

    It prints each quantity by the formula of the course and by `rne`. The figure, if there is one, is a comment, since
    it needs matplotlib.

    Examples
    --------
    >>> from rne import examples
    >>> print(program(examples.find("rod_pendulum")).split("\n\n")[-1])  # doctest: +ELLIPSIS
    rod = rne.load_model("rod_pendulum")
    M, L, g = 3.0, 1.2, 9.81
    (th,), (w,), (a,) = q, qd, qdd = [0.7], [-1.1], [2.5]
    print("theta from the horizontal.")
    print("I = M L^2/3:", M * L**2 / 3, rne.mass_matrix(rod, q))
    ...
    """
    module = inspect.getmodule(entry.show)
    assert module is not None
    source = _without_sheets(inspect.getsource(module), entry.name)
    tree = ast.parse(source)
    (function,) = (node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == entry.name)
    lines = source.splitlines()
    # Without docstring and return.
    body = textwrap.dedent("\n".join(lines[function.body[1].lineno - 1 : function.body[-1].lineno - 1])).strip("\n")
    imports = [_text(lines, node) for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    if "import numpy as np" not in imports:
        imports.insert(0, "import numpy as np")
    others = {name: _text(lines, node) for node in tree.body for name in _defined(node)}
    needed: list[str] = []
    text = body
    for name in reversed(others):  # what stands above is needed by what is below
        if name in _names(text) and others[name] not in needed:
            needed.insert(0, others[name])
            text += "\n" + others[name]
    used = [line for line in imports if any(name in _names(text) for name in _imported(line)) or line.endswith("np")]
    title = f'"""{entry.title}\n\nEach line shows a quantity by the formula of the course, and by rne.\n"""'
    return "\n\n".join([title, "\n".join(used), *needed, body])


def _text(lines: list[str], node: ast.stmt) -> str:
    return "\n".join(lines[node.lineno - 1 : node.end_lineno])


def _defined(node: ast.stmt) -> list[str]:
    """Return the names that a statement of a module defines, except imports and examples."""
    if isinstance(node, ast.FunctionDef):
        return [] if node.decorator_list else [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return [target.id for target in targets if isinstance(target, ast.Name)]


def _names(text: str) -> set[str]:
    return {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}


def _imported(line: str) -> list[str]:
    (node,) = ast.parse(line).body
    assert isinstance(node, ast.Import | ast.ImportFrom)
    return [(alias.asname or alias.name).partition(".")[0] for alias in node.names]


def _without_sheets(source: str, name: str) -> str:
    """Return the source of a module with `print` in place of sheets, and without the imports of the gallery."""
    changes: list[tuple[ast.stmt, str]] = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(_GALLERY):
            changes.append((node, ""))
        elif isinstance(node, ast.Assign | ast.Expr) and isinstance(node.value, ast.Call):
            new = _written(source, node.value, name)
            changes += [] if new is None else [(node, new)]
    text = source.encode().splitlines(keepends=True)
    starts = [sum(map(len, text[:k])) for k in range(len(text) + 1)]
    whole = b"".join(text)
    for node, new in sorted(changes, key=lambda change: change[0].lineno, reverse=True):
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        start, end = starts[node.lineno - 1] + node.col_offset, starts[node.end_lineno - 1] + node.end_col_offset
        whole = whole[:start] + new.encode() + whole[end:]
    return whole.decode().replace("sheet: Sheet, ", "").replace("(sheet, ", "(")


def _written(source: str, call: ast.Call, name: str) -> str | None:
    """Return the statement that takes the place of a call of a sheet; None for other calls."""
    what = call.args[:1]
    given = {keyword.arg: keyword.value for keyword in call.keywords}
    match call.func:
        case ast.Name("Sheet") | ast.Attribute(ast.Name("sheet"), "say"):
            return f"print({_segment(source, *what)})" if what else ""
        case ast.Attribute(ast.Name("sheet"), "row" | "rows_of"):
            course, ours = (_value(source, node) for node in call.args[1:3])
            return f"print({_label(source, *what)}, {course}, {ours})"
        case ast.Attribute(ast.Name("sheet"), "misprint"):
            printed, right, ours = (_value(source, given[key]) for key in ("printed", "right", "rne"))
            return f'print({_label(source, *what)}, {right}, {ours}, "misprinted as", {printed})'
        case ast.Attribute(ast.Name("sheet"), "plot"):
            assert isinstance(what[0], ast.Lambda)
            return f'# rne.plot.save({_segment(source, what[0].body)}, "{name}.svg")  # needs the extra plot'
    return None


def _segment(source: str, node: ast.expr) -> str:
    return ast.get_source_segment(source, node) or ""


def _label(source: str, node: ast.expr) -> str:
    """Return the name of a quantity as text with a colon, or the expression that gives it."""
    parts = node.elts if isinstance(node, ast.List) else [node]
    words = [str(part.value) for part in parts if isinstance(part, ast.Constant)]
    return f'"{", ".join(words)}:"' if len(words) == len(parts) else _segment(source, node)


def _value(source: str, node: ast.expr) -> str:
    """Return an expression, and of a list the array, which prints its numbers as numbers."""
    text = _segment(source, node)
    return f"np.array({text})" if isinstance(node, ast.List | ast.ListComp | ast.Tuple) else text
