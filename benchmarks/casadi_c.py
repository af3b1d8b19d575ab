"""The strongest scalar rival: straight-line C code for one robot alone, written by CasADi and compiled by gcc.

The expressions are built from rne's own link table, so that the rival has the same short frames and regrouped bodies,
and CasADi drops every product with a zero and everything that occurs twice.
"""

from __future__ import annotations

import ctypes
import subprocess
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import NDArray

import rne
from rne.kernels import layout as at

Array = NDArray[np.float64]

GCC = ["gcc", "-O3", "-march=native", "-ffast-math", "-shared", "-fPIC"]

_LOOP = """
void batch(long long samples, const double* q, const double* qd, const double* qdd, double* tau) {
  double work[%(work)d];
  for (long long k = 0; k < samples; k++) {
    const double* arg[%(arg)d] = {q + %(n)d * k, qd + %(n)d * k, qdd + %(n)d * k};
    double* res[%(res)d] = {tau + %(n)d * k};
    sample(arg, res, 0, work, 0);
  }
}
"""


@cache
def inverse_dynamics(robot: rne.Robot) -> Callable[[Array, Array, Array], Array]:
    """Torques of a batch of states, one a row."""
    q, qd, qdd = (ca.SX.sym(name, robot.n) for name in ("q", "qd", "qdd"))
    sample = ca.Function("sample", [q, qd, qdd], [ca.cse(_torques(robot.links.table, q, qd, qdd))])
    batch = _compile(sample, robot.n).batch
    batch.restype = None
    batch.argtypes = [ctypes.c_longlong, *(np.ctypeslib.ndpointer(np.float64, 2, flags="C"),) * 4]

    def run(q: Array, qd: Array, qdd: Array) -> Array:
        tau = np.empty_like(q)
        batch(len(q), q, qd, qdd, tau)
        return tau

    return run


def _compile(sample: Any, n: int) -> ctypes.CDLL:
    """The function and a loop over samples, from C to a loaded library."""
    sizes = {"n": n, "arg": sample.sz_arg(), "res": sample.sz_res(), "work": sample.sz_w() + 1}
    code = ca.CodeGenerator("sample.c")
    code.add(sample)
    with tempfile.TemporaryDirectory() as folder:
        source, library = Path(folder, "sample.c"), Path(folder, "sample.so")
        source.write_text(code.dump() + _LOOP % sizes)
        subprocess.run([*GCC, str(source), "-o", str(library), "-lm"], check=True)
        return ctypes.CDLL(str(library))


def _torques(table: Array, q: Any, qd: Any, qdd: Any) -> Any:
    """Newton-Euler in link frames, symbolically; the columns of the table are told in `rne.kernels.layout`."""
    table = np.where(np.abs(table) < 1e-15, 0.0, table)  # the cosine of a quarter turn
    links = int(table[0, at.LINKS])
    z = ca.SX([0, 0, 1])
    rest = ca.SX.zeros(3)
    w, wd, a = [rest], [rest], [-ca.SX(table[0, at.GRAVITY : at.GRAVITY + 3])]
    R, p = [ca.SX.eye(3)], [rest]
    f, n = [rest], [rest]
    for row in table[1 : links + 1]:
        up, j = int(row[at.PARENT]), int(row[at.COORDINATE])
        turns = row[at.KIND] == at.REVOLUTE
        R_i = (
            _rz(row[at.COS_TURN], row[at.SIN_TURN])
            @ _rx(row[at.COS_ALPHA], row[at.SIN_ALPHA])
            @ _rz(row[at.COS_OFFSET], row[at.SIN_OFFSET])
        )
        p_i = ca.SX(row[at.PX : at.PX + 3])
        if turns:
            R_i = R_i @ _rz(ca.cos(q[j]), ca.sin(q[j]))
        else:
            p_i = p_i + R_i @ z * q[j]
        R.append(R_i)
        p.append(p_i)
        w_i, wd_i, a_i = R_i.T @ w[up], R_i.T @ wd[up], R_i.T @ (a[up] + _motion(w[up], wd[up]) @ p_i)
        if turns:
            wd_i = wd_i + ca.cross(w_i, z * qd[j]) + z * qdd[j]
            w_i = w_i + z * qd[j]
        else:
            a_i = a_i + 2 * ca.cross(w_i, z * qd[j]) + z * qdd[j]
        w.append(w_i)
        wd.append(wd_i)
        a.append(a_i)
        A, h = _motion(w_i, wd_i), ca.SX([row[at.HX], row[at.HY], 0])
        f.append(row[at.MASS] * a_i + A @ h)
        n.append(_axial(A @ _second_moments(row)) + ca.cross(h, a_i))

    tau = ca.SX.zeros(q.shape[0])
    for i in range(links, 0, -1):
        row = table[i]
        up, j = int(row[at.PARENT]), int(row[at.COORDINATE])
        tau[j] = (n[i] if row[at.KIND] == at.REVOLUTE else f[i])[2] + row[at.ROTOR] * qdd[j]
        if up:
            force = R[i] @ f[i]
            f[up] = f[up] + force
            n[up] = n[up] + R[i] @ n[i] + ca.cross(p[i], force)
    return tau


def _second_moments(row: Array) -> Any:
    xx, yy, xy, xz, yz = (row[k] for k in (at.XX, at.YY, at.XY, at.XZ, at.YZ))
    return ca.SX(np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, 0.0]]))


def _motion(w: Any, wd: Any) -> Any:
    """[wd]x + [w]x [w]x."""
    return ca.skew(wd) + ca.skew(w) @ ca.skew(w)


def _axial(B: Any) -> Any:
    """Moment of the points of a body, the integral of r x (A r) dm, from B = A S."""
    return ca.vertcat(B[2, 1] - B[1, 2], B[0, 2] - B[2, 0], B[1, 0] - B[0, 1])


def _rz(c: Any, s: Any) -> Any:
    return ca.blockcat([[c, -s, 0], [s, c, 0], [0, 0, 1]])


def _rx(c: Any, s: Any) -> Any:
    return ca.blockcat([[1, 0, 0], [0, c, -s], [0, s, c]])
