"""Rigid-body dynamics of robot arms and trees by recursive Newton-Euler, batched at SIMD speed.

Conventions
-----------
State
    `q, qd, qdd, tau` have one coordinate per movable joint (a continuous joint is one angle), in the order of the
    movable joints in the file, which is also that of `robot.joint_names`. SI units, radians.
Floating base
    With ``floating=True``, q begins with position and unit quaternion of the base in the world, [x y z, qx qy qz qw];
    qd with its linear and angular velocity in its own axes; qdd with their time derivatives; tau with force and moment
    on it in its own axes. q then has `robot.nq` numbers, one more than the `robot.n` of the others.
Batches
    The batch axes come first: (..., n) gives (..., n), matrices (..., n, n). `qd` and `qdd` broadcast against `q`; None
    means zero. Lists, integers, float32 and strided arrays are accepted; if all inputs are float32, so is the result.
    A NaN in one sample never affects another sample.
Gravity
    `gravity` is the acceleration of free fall in base axes, [0, 0, -9.81] by default. `gravity_vector(q)` is the torque
    that holds the robot at rest: tau = M qdd + C qd + g + springs + friction - J^T w.
Wrenches
    [fx, fy, fz, mx, my, mz], acting on the robot at the origin of a named frame, in world axes or in frame axes.
Drives
    The reflected rotor inertia, gear_ratio**2 * rotor_inertia, and springs, including those between joints, are part of
    the dynamics. Friction is added on request. Where a function has these flags, the defaults are ``rotors=True`` and
    ``friction=False``.
Inertia
    In tensors and files, ixy is - integral of x y dm; a pseudo-inertia has + integral of x y dm in its place.
Mimic joints
    A coordinate reduction, q_j = ratio * q_i + offset, and therefore tau = G^T tau_full.
DH tables
    A table states its convention, standard or modified. Center of mass and inertia are given in the frame of the link,
    the inertia about the center of mass, and drives on the motor side.
"""

from typing import Any

from rne.lazy import attach

# The public names are declared only in __init__.pyi, and are imported on first use (SPEC 1 of Scientific Python), so
# that `import rne` is fast and loading a robot does not import numba.
_load, _, _names = attach(__name__)
__all__ = sorted({*_names} - {"dask", "jax", "torch"})  # a star import would shadow the libraries


def __getattr__(name: str) -> Any:
    """Import a public name on first use, and keep it."""
    if name in _names:
        return _load(name)
    if name == "__version__":
        from importlib.metadata import version

        return version(__name__)
    message = f"module 'rne' has no attribute {name!r}"
    if not name.startswith("_"):  # private names are queried by tools, of every module
        from rne.names import advice

        message += advice(name, _names)
    raise AttributeError(message, name=name)


def __dir__() -> list[str]:
    """Names that are already imported, and all public names."""
    return sorted({*globals(), *_names})
