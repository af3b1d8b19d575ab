"""Rigid-body dynamics of robot arms and trees by recursive Newton-Euler, batched at SIMD speed.

Conventions
-----------
State
    `q, qd, qdd, tau` have one coordinate a movable joint (a continuous joint is one angle), in the order in which the
    movable joints stand in the file; `robot.joint_names` tells it. SI units, radians.
Batches
    The batch axes come first: (..., n) gives (..., n), matrices (..., n, n). `qd` and `qdd` broadcast against `q`; None
    means zero. Lists, integers, float32 and strided arrays are accepted; float32 throughout gives float32. A NaN in one
    sample never touches another.
Gravity
    `gravity` is the acceleration of free fall in base axes, [0, 0, -9.81] by default. `gravity_vector(q)` is the torque
    that holds the robot still against it: tau = M qdd + C qd + g + springs + friction - J^T w.
Wrenches
    [fx, fy, fz, mx, my, mz], acting on the robot at the origin of a named frame, in world axes or in its own.
Drives
    The reflected rotor inertia, gear_ratio**2 * rotor_inertia, and springs, also between joints, are part of the
    dynamics. Friction is added on request. Wherever a function has these flags, `rotors` is True and `friction` False
    by default.
Inertia
    Of a tensor, and in files, ixy is - integral of x y dm; a pseudo-inertia has + integral of x y dm in that place.
Mimic joints
    A coordinate reduction, q_j = ratio * q_i + offset, and so tau = G^T tau_full.
DH tables
    Name their convention, standard or modified; center of mass and inertia are in the link's own frame, the inertia
    about the center of mass; drives are given on the motor side.
"""

from typing import Any

import lazy_loader

# The names stand in __init__.pyi alone, and what they name is imported when it is first asked for (SPEC 1 of Scientific
# Python): `import rne` takes no time, and loading a robot none of that of numba.
_load, _, _names = lazy_loader.attach_stub(__name__, __file__)
__all__ = sorted({*_names} - {"dask"})  # a star would hide the library


def __getattr__(name: str) -> Any:
    """Import a public name that is not there yet, and keep it."""
    if name in _names:
        return _load(name)
    if name == "__version__":
        from importlib.metadata import version

        return version(__name__)
    message = f"module 'rne' has no attribute {name!r}"
    if not name.startswith("_"):  # what programs ask of every module
        from rne.names import advice

        message += advice(name, _names)
    raise AttributeError(message, name=name)


def __dir__() -> list[str]:
    """Names that are there, and those that would be."""
    return sorted({*globals(), *_names})
