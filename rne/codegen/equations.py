"""Equations of motion in symbols: the public function and what it returns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rne.check import check_choice, check_flag
from rne.codegen.tracing import Inputs, Tracer, cleaned, exact_table
from rne.codegen.twins import Twins
from rne.errors import ArgumentError, needing, shown
from rne.model.floating import refuse_floating
from rne.model.link_table import compile_tree, table_of_numbers
from rne.model.robot import Robot
from rne.model.tree import Tree

SMALL = 3
"""Joints of a robot in numbers whose equations are written out."""


@dataclass(frozen=True, eq=False, repr=False)
class Equations:
    """Equations of motion, M qdd + C qd + g + springs + friction = tau, as `equations` returns them.

    Parameters
    ----------
    M, C, g, tau : sympy matrices
        Mass matrix (n, n) with the rotors, Coriolis matrix (n, n) of Christoffel symbols, gravity (n, 1) and torques
        (n, 1). Where `assignments` are not empty, in terms of what these assign.
    q, qd, qdd : tuples of symbols
        Positions q1, q2, ..., velocities qd1, ... and accelerations qdd1, ...
    dtau_dq, dtau_dqd : sympy matrices (n, n), or None
        Derivatives of the torques by positions and velocities, if asked for; M is that by accelerations.
    assignments : tuple of pairs
        Straight-line code: symbol and expression, each of earlier ones; empty where the equations are written out.
    coefficients : dict
        D11, D12, ... of the mass matrix, D111, D112, ... (D112 = D121, the Christoffel symbols), and D1, ... of
        gravity, by name, where the equations are written out.

    Examples
    --------
    >>> import rne
    >>> row = {"joint": "revolute", "a": "l", "mass": "m"}
    >>> pendulum = rne.equations([row], convention="standard", gravity=[0, "-g", 0])
    >>> pendulum.tau[0]
    g*l*m*cos(q1) + l**2*m*qdd1
    >>> pendulum.subs({"m": 2, "l": 0.5, "g": 9.81, "q1": 0, "qdd1": 1}).tau[0].evalf(5)
    10.310
    """

    M: Any
    C: Any
    g: Any
    tau: Any
    q: tuple[Any, ...]
    qd: tuple[Any, ...]
    qdd: tuple[Any, ...]
    coefficients: Mapping[str, Any] = field(default_factory=dict)
    assignments: tuple[tuple[Any, Any], ...] = ()
    dtau_dq: Any = None
    dtau_dqd: Any = None

    @property
    def _matrices(self) -> dict[str, Any]:
        names = ("M", "C", "g", "tau", "dtau_dq", "dtau_dqd")
        return {name: getattr(self, name) for name in names if getattr(self, name) is not None}

    def subs(self, values: Mapping[Any, Any]) -> Equations:
        """Return the equations with values or expressions in place of symbols.

        Parameters
        ----------
        values : by symbol or name.

        Returns
        -------
        equations : Equations, without assignments.

        Raises
        ------
        ArgumentError
            No mapping, or a name that is no symbol.

        Examples
        --------
        >>> import rne
        >>> arm = rne.equations(rne.load("models/planar2/robot.dh.toml"))
        >>> arm.subs({"q2": 0}).M[1, 1].evalf(4)
        0.3333
        """
        import sympy

        if not isinstance(values, Mapping) or not all(isinstance(x, (str, sympy.Symbol)) for x in values):
            raise ArgumentError(f"values: wanted a mapping from symbols or names to values, got {shown(values)}")
        parts = [*(expression for _, expression in self.assignments), *self._matrices.values()]
        symbols = {str(symbol): symbol for part in parts for symbol in part.free_symbols}  # with what they assume
        known: dict[Any, Any] = {symbols.get(str(name), sympy.Symbol(str(name))): x for name, x in values.items()}
        for symbol, expression in self.assignments:
            known[symbol] = expression.xreplace(
                {s: sympy.sympify(known[s]) for s in expression.free_symbols & known.keys()}
            )
        found = {name: matrix.subs(known) for name, matrix in self._matrices.items()}
        coefficients = {name: expression.subs(known) for name, expression in self.coefficients.items()}
        return Equations(**found, q=self.q, qd=self.qd, qdd=self.qdd, coefficients=coefficients)

    def python(self, name: str = "dynamics") -> str:
        """Return a function of Python that calculates M, C, g, tau and the derivatives that there are, with numpy.

        Parameters
        ----------
        name : of the function. It takes q, qd, qdd and, by name, the other symbols.

        Returns
        -------
        code : text of the function.

        Raises
        ------
        ArgumentError
            The name is none in Python.

        Examples
        --------
        >>> import rne
        >>> code = rne.equations(rne.load("models/planar2/robot.dh.toml")).python()
        >>> exec(code)
        >>> dynamics([0, 0], [0, 0], [0, 0])[0].round(3)
        array([[2.667, 0.833],
               [0.833, 0.333]])
        """
        import sympy

        if not isinstance(name, str) or not name.isidentifier():
            raise ArgumentError(f"name: wanted a name in Python, got {shown(name)}")
        state = {str(s) for row in (self.q, self.qd, self.qdd) for s in row}
        assigned = {str(symbol) for symbol, _ in self.assignments}
        others = sorted({str(s) for m in self._matrices.values() for s in m.free_symbols} - state - assigned)
        write = sympy.printing.pycode
        head = ", ".join(["q", "qd", "qdd", *(["*", *others] if others else [])])
        lines = ["import math", "", "import numpy as np", "", "", f"def {name}({head}):"]
        for row in ("q", "qd", "qdd"):
            symbols = getattr(self, row)
            lines.append(f"    {', '.join(map(str, symbols))}, = {row}")
        lines += [f"    {symbol} = {write(expression)}" for symbol, expression in self.assignments]
        lines.append("    return (")
        for matrix in self._matrices.values():
            rows = [", ".join(write(x) for x in matrix.row(i)) for i in range(matrix.rows)]
            square = matrix.cols == matrix.rows and matrix is not self.g and matrix is not self.tau
            text = ", ".join(f"[{row}]" for row in rows) if square else ", ".join(rows)
            lines.append(f"        np.array([{text}], dtype=float),")
        return "\n".join([*lines, "    )", ""])

    def latex(self) -> str:
        r"""Return the equations in LaTeX, one aligned line an entry.

        Returns
        -------
        text : an ``align*`` environment.

        Examples
        --------
        >>> import rne
        >>> row = {"joint": "prismatic", "mass": "m"}
        >>> cart = rne.equations([row], convention="standard", gravity=[0, 0, "-g"])
        >>> print(cart.latex())
        \begin{align*}
        D_{11} &= m \\
        D_{1} &= g m \\
        \tau_{1} &= g m + m \ddot{q}_{1}
        \end{align*}
        """
        import sympy

        names = {
            symbol: f"{letter}_{{{k}}}"
            for letter, row in (("q", self.q), (r"\dot{q}", self.qd), (r"\ddot{q}", self.qdd))
            for k, symbol in enumerate(row, 1)
        }

        def write(expression: Any) -> str:
            return str(sympy.latex(expression, symbol_names=names))

        lines = [f"{write(symbol)} &= {write(expression)}" for symbol, expression in self.assignments]
        if self.coefficients:
            shown_ones = {name: x for name, x in self.coefficients.items() if x != 0 and _is_first(name)}
            lines += [f"D_{{{name[1:]}}} &= {write(x)}" for name, x in shown_ones.items()]
        lines += [f"\\tau_{{{k}}} &= {write(x)}" for k, x in enumerate(self.tau, 1)]
        return "\\begin{align*}\n" + " \\\\\n".join(lines) + "\n\\end{align*}"

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {self.latex()}$".replace("align*", "aligned")

    def __str__(self) -> str:
        lines = [f"{symbol} = {expression}" for symbol, expression in self.assignments]
        lines += [f"{name} = {x}" for name, x in self.coefficients.items() if x != 0 and _is_first(name)]
        return "\n".join([*lines, *(f"tau{k} = {x}" for k, x in enumerate(self.tau, 1))])

    def __repr__(self) -> str:
        return f"Equations of {len(self.q)} joints"


def _is_first(name: str) -> bool:
    """Tell whether a coefficient comes before those of the same value: D12 before D21, D112 before D121."""
    indices = name[1:].split("_") if "_" in name else list(name[1:])
    numbers = [int(k) for k in indices]
    return numbers == sorted(numbers) if len(numbers) == 2 else len(numbers) < 3 or numbers[1] <= numbers[2]


def equations(
    robot_or_rows: Robot | Sequence[Mapping[str, Any]],
    *,
    convention: str | None = None,
    gravity: ArrayLike | Sequence[Any] | None = None,
    base: Any = None,
    friction: bool = False,
    derivatives: bool = False,
) -> Equations:
    """Equations of motion in symbols: mass matrix, Coriolis matrix, gravity and torques.

    The kernels of rne run on polynomials in sines, cosines and parameters. Robots of DH rows with symbols, and robots
    of up to three joints, are written out as textbooks do, with sums of angles and masses gathered; larger robots
    become straight-line expressions. Extra `sympy`.

    Parameters
    ----------
    robot_or_rows : a robot, or rows of a DH table as for `rne.from_dh`, in which lengths, masses, centers of mass,
        inertias, rotor inertias, friction and springs may be symbols: sympy expressions, or formulas such as "l1" and
        "-l1/2". Angles and gear ratios are numbers.
    convention : "standard" or "modified", of rows.
    gravity : (3,) acceleration of free fall in base axes, m/s^2, which may hold symbols where there are rows; that of
        the robot, or [0, 0, -9.81], if None.
    base : pose of the DH base frame in the world, of rows, as for `rne.from_dh`.
    friction : whether tau counts the friction of the joints.
    derivatives : whether to add the derivatives of tau by q and qd, `dtau_dq` and `dtau_dqd`.

    Returns
    -------
    equations : Equations with M, C, g, tau, and ``latex()``, ``python()`` and ``subs(values)``.

    Raises
    ------
    ArgumentError, ModelError
        An argument has the wrong type or value; the rows make no robot.
    MissingExtraError
        sympy is not installed.

    Examples
    --------
    >>> import rne
    >>> rows = [{"joint": "revolute", "a": f"d{k}", "mass": f"m{k}"} for k in (1, 2)]
    >>> two = rne.equations(rows, convention="standard", gravity=[0, "-g", 0])
    >>> two.coefficients["D122"], two.coefficients["D2"]
    (-d1*d2*m2*sin(q2), d2*g*m2*cos(q1 + q2))
    >>> rne.equations(rows[:1], convention="standard", gravity=[0, "-g", 0], derivatives=True).dtau_dq[0]
    -d1*g*m1*sin(q1)
    """
    with needing("sympy", "equations need"):
        import sympy  # noqa: F401
    check_flag("friction", friction)
    check_flag("derivatives", derivatives)
    if isinstance(robot_or_rows, Robot):
        from rne.codegen.straight_equations import straight

        refuse_floating(robot_or_rows.tree)
        for name, value in (("convention", convention), ("base", base)):
            if value is not None:
                raise ArgumentError(f"{name}: is for rows of a DH table; the robot has its own")
        robot = robot_or_rows if gravity is None else robot_or_rows.with_gravity(gravity)
        if not robot.n:
            raise ArgumentError(f"robot_or_rows: {robot.name} has no joint that moves")
        small = len(robot.links.joints) <= SMALL and robot.n == len(robot.links.joints)
        small = small and not (friction and robot.links.curved)
        return (
            _of_numbers(robot, friction, derivatives) if small else Equations(**straight(robot, friction, derivatives))
        )
    rows = robot_or_rows
    if isinstance(rows, str) or not isinstance(rows, Sequence) or not all(isinstance(row, Mapping) for row in rows):
        raise ArgumentError(f"robot_or_rows: wanted a Robot or the rows of a DH table, got {shown(rows)}")
    if convention is None:
        raise ArgumentError("convention: wanted 'standard' or 'modified' for the rows of a DH table")
    check_choice("convention", convention, ("standard", "modified"))
    return _of_rows(robot_or_rows, convention, gravity, base, friction, derivatives)


def _of_rows(rows: Any, convention: str, gravity: Any, base: Any, friction: bool, derivatives: bool) -> Equations:
    from rne.codegen.symbolic_rows import symbolic_rows, symbols_of, with_numbers
    from rne.codegen.trigonometry import Ring

    given = symbolic_rows(rows, convention, gravity, base)
    order = compile_tree(given.tree).coordinates
    symbols = sorted(symbols_of(given), key=str)
    taken = {f"{kind}{k}" for kind in ("q", "qd", "qdd") for k in range(1, len(order) + 1)}
    if doubled := sorted({str(symbol) for symbol in symbols} & taken):
        raise ArgumentError(f"robot_or_rows: {doubled[0]} is the name of a coordinate or rate; give the symbol another")
    ring = Ring(symbols, len(order))
    tree: Tree = with_numbers(given, convention, ring.number)
    return _written_out(ring, table_of_numbers(tree, order), given.masses, friction, derivatives)


def _of_numbers(robot: Robot, friction: bool, derivatives: bool) -> Equations:
    from rne.codegen.trigonometry import Ring

    return _written_out(Ring((), robot.n), cleaned(robot.links.table), (), friction, derivatives)


def _written_out(ring: Any, table: Any, masses: Any, friction: bool, derivatives: bool) -> Equations:
    import sympy

    from rne.codegen.trigonometry import Textbook, angles, exact_operations

    n = ring.joints
    tracer = Tracer(Twins(exact_operations()), exact_table(table, ring.number), ring.number(0.0))
    q, qd, qdd = ([ring.generator(f"{kind}{j}") for j in range(n)] for kind in ("q", "qd", "qdd"))
    sin, cos = angles(ring, table)
    moved, *rates = (tracer.expanded(x, positions=x is q) for x in (q, qd, qdd))
    inputs = Inputs(moved, rates[0], rates[1], sin, cos)
    state = tuple(tuple(sympy.symbols(f"{kind}1:{n + 1}")) for kind in ("q", "qd", "qdd"))
    book = Textbook(ring, state, masses)

    def matrix(numbers: Any) -> Any:
        flat = np.array(numbers, object).reshape(n, -1)
        return sympy.Matrix([[book.expression(ring.number(x)) for x in row] for row in flat])

    M, C = matrix(tracer.mass_matrix(inputs)), matrix(tracer.coriolis_matrix(inputs))
    g, tau = matrix(tracer.gravity_vector(inputs)), matrix(tracer.inverse_dynamics(inputs, friction=friction))
    D, join, ones = tracer.christoffel(inputs), "" if n < 10 else "_", range(1, n + 1)
    coefficients = {f"D{i}{join}{j}": M[i - 1, j - 1] for i in ones for j in ones}
    for i, j, k in product(ones, repeat=3):
        coefficients[f"D{i}{join}{j}{join}{k}"] = book.expression(ring.number(D[i - 1, j - 1, k - 1]))
    coefficients |= {f"D{i}": g[i - 1] for i in ones}
    found = Equations(M, C, g, tau, state[0], state[1], state[2], coefficients)
    if not derivatives:
        return found
    by_q, by_qd, _ = tracer.inverse_dynamics_derivatives(inputs, friction=friction)
    return replace(found, dtau_dq=matrix(by_q), dtau_dqd=matrix(by_qd))
