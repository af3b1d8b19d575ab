"""Arguments settled once: types, shapes, broadcasting, memory layout. Kernels never check."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rne.batch.coordinates import check_pose, meaning, width_of
from rne.batch.named import as_arrays, wrench_array
from rne.check import check_flag, numbers, unknown_name
from rne.errors import ArgumentError, shown
from rne.kernels.layout import FRICTION, SPRINGS
from rne.model.floating import OF_POSITIONS, refuse_floating
from rne.model.frames import AXES, Frame, sites_of
from rne.model.robot import Robot

Floats = NDArray[Any]


F8 = np.dtype(np.float64)
"""The one object that is the type of all ordinary arrays of doubles: a single call is made for these alone.

What a numba dispatcher learns from an array of a subclass of `ndarray`, anywhere in the process, it applies to arrays
of foreign byte order as well (seen with numba 0.68): it would take one for doubles, and calculate with the garbage.
"""


NOWHERE = sites_of([], "world")


class Batch(NamedTuple):
    """Arguments of one call as the kernels take them.

    Attributes
    ----------
    shape : the broadcast leading axes; () for a single state.
    dtype : "float64", or "float32" where every array argument came in it.
    rows : by argument name, an array (samples, width) with contiguous rows.
    sites : where the wrenches act, (m, SITE_WIDTH) in float64, as `rne.kernels.static_torque` wants it.
    wrenches : names of their arguments, m of them.
    """

    shape: tuple[int, ...]
    dtype: str
    rows: dict[str, Floats]
    sites: Floats = NOWHERE
    wrenches: tuple[str, ...] = ()

    @property
    def samples(self) -> int:
        """Number of samples."""
        return math.prod(self.shape)

    def with_joined(self, name: str, parts: tuple[str, ...]) -> Batch:
        """Return the batch with some arguments side by side in one, for kernels that take any number of them."""
        none = np.empty((self.samples, 0), self.dtype)
        joined = np.concatenate([none, *(self.rows[part] for part in parts)], axis=1)
        return self._replace(rows={**self.rows, name: joined})


def check_robot(robot: object, *, floating: bool = False) -> None:
    """Refuse anything but a Robot, and a base that floats unless the function supports it.

    Every public function that takes a robot comes here, or to `settle`, before it calculates: so the default refuses.

    Raises
    ------
    ArgumentError
        It is something else, or its base floats.
    """
    if not isinstance(robot, Robot):
        raise ArgumentError(f"robot: wanted a Robot, as rne.load returns it, got {type(robot).__name__}")
    if not floating:
        refuse_floating(robot.tree)


def settle(
    robot: Robot,
    state: Mapping[str, ArrayLike | None],
    f_ext: Mapping[str, Any] | None = None,
    *,
    floating: bool = False,
) -> Batch:
    """Settle the arguments of a function of a state: the robot, the state, and the wrenches that act.

    Parameters
    ----------
    robot : is checked to be one.
    state : by argument name, (..., n) each; the first may not be None, the others are zero then.
    f_ext : as for `as_wrenches`; None for none.
    floating : whether the function supports a base that floats.

    Raises
    ------
    UnknownNameError, ArgumentError
        As `check_robot`, `as_wrenches` and `as_batch` do.
    """
    check_robot(robot, floating=floating)
    sites, wrenches = (NOWHERE, {}) if f_ext is None else as_wrenches(robot, f_ext)
    widths = dict.fromkeys(wrenches, 6)
    batch = as_batch(robot, {**state, **wrenches}, required=next(iter(state)), widths=widths)
    if robot.floating and not batch.shape:
        for name in OF_POSITIONS & batch.rows.keys():
            check_pose(name, batch.rows[name][0])
    return batch._replace(sites=sites, wrenches=tuple(wrenches))


def as_batch(
    robot: Robot, values: Mapping[str, ArrayLike | None], *, required: str, widths: Mapping[str, int] | None = None
) -> Batch:
    """Settle arguments of shape (..., n), or (..., nq) for positions; None stands for zeros.

    Parameters
    ----------
    robot : defines n and nq.
    values : by argument name; their leading axes are broadcast against each other.
    required : the argument that may not be None.
    widths : other lengths of the last axis, by argument name.

    Raises
    ------
    ArgumentError
        A value holds no real numbers, has the wrong last axis, or does not broadcast.
    """
    first = values[required]
    if first is None:
        raise ArgumentError(f"{required}: wanted an array, got None")
    if type(first) is np.ndarray and first.ndim == 2 and first.shape[1] == robot.n == robot.nq:
        # The common batch, all of one kind, has nothing to settle; a small one would spend most of its time on that.
        # One shape fits all only where all are of one width: a wrench has six numbers, whatever q has.
        shape, kind = first.shape, first.dtype
        plain = [v for v in values.values() if type(v) is np.ndarray and v.shape == shape and v.dtype is kind]
        uniform = len(plain) == len(values) and (not widths or all(width == robot.n for width in widths.values()))
        if uniform and kind.char in _NAMES and kind.isnative and all(v.flags.carray for v in plain):
            return Batch(shape[:1], _NAMES[kind.char], values)  # type: ignore[arg-type]
    arrays = as_arrays(robot, values, widths or ())
    shape = as_shape(robot, {name: array.shape for name, array in arrays.items()}, widths)
    dtype = "float32" if all(array.dtype.itemsize == 4 for array in arrays.values()) else "float64"
    width = {name: width_of(robot, name) for name in values} | dict(widths or {})
    rows = {name: _as_rows(arrays.get(name, _ZERO), shape, width[name], dtype) for name in values}
    return Batch(shape, dtype, rows)


def as_shape(
    robot: Robot, shapes: Mapping[str, tuple[int, ...]], widths: Mapping[str, int] | None = None
) -> tuple[int, ...]:
    """Settle the shapes of arguments (..., n): return the leading axes that they broadcast to.

    Parameters
    ----------
    robot : defines n.
    shapes : by argument name.
    widths : other lengths of the last axis, by argument name.

    Raises
    ------
    ArgumentError
        A shape has the wrong last axis, or they do not broadcast.
    """
    others = widths or {}
    for name, shape in shapes.items():
        width = others.get(name, width_of(robot, name))
        if not shape or shape[-1] != width:
            what = f"(..., {width})"
            if name not in others:
                what += f", {meaning(robot, name)}"
            turned = "; samples come first: is it to be transposed?" if len(shape) == 2 and shape[0] == width else ""
            raise ArgumentError(f"{name}: wanted shape {what}; got {shape}{turned}")
    try:
        return np.broadcast_shapes(*(shape[:-1] for shape in shapes.values()))
    except ValueError:
        given = ", ".join(f"{name} {shape}" for name, shape in shapes.items())
        raise ArgumentError(f"leading axes do not broadcast against each other: {given}") from None


_ZERO = np.zeros(1)
_NAMES = {"d": "float64", "f": "float32"}


def _as_rows(array: Floats, shape: tuple[int, ...], width: int, dtype: str) -> Floats:
    """Return (samples, width) with contiguous rows, in place if that can be: rows may be anywhere, and repeat."""
    array = array.astype(dtype, copy=False)
    if array.shape != (*shape, width):
        array = np.broadcast_to(array, (*shape, width))
    count = math.prod(shape)
    if array.ndim != 2:
        array = array.reshape(count, width)
    if (width > 1 and array.strides[1] != array.itemsize) or not array.flags.aligned:
        array = np.require(array, requirements=["C", "A"])
    return array


def as_result(out: Floats | None, shape: tuple[int, ...], batch: Batch) -> Floats:
    """Return the array to fill: `out` itself if it can be filled in place, otherwise a new one of its shape.

    Raises
    ------
    ArgumentError
        `out` is not a writeable array with the shape and dtype of the result.
    """
    dtype = batch.dtype
    if out is None:
        return np.empty(shape, dtype)
    if isinstance(out, np.ma.MaskedArray):
        raise ArgumentError("out: a masked array would go on hiding what is written; wanted a plain one")
    if not isinstance(out, np.ndarray) or out.shape != shape or out.dtype != dtype:
        given = f"{out.dtype} {out.shape}" if isinstance(out, np.ndarray) else type(out).__name__
        raise ArgumentError(f"out: wanted a {dtype} array of shape {shape}, got {given}")
    if not out.flags.writeable:
        raise ArgumentError("out: the array is read-only")
    if not out.flags.c_contiguous and _overlaps_itself(out):
        raise ArgumentError("out: several of its entries share their memory")
    if not out.flags.c_contiguous or not out.flags.aligned or not out.dtype.isnative:
        return np.empty(shape, dtype)
    if any(np.may_share_memory(out, array) for array in batch.rows.values()):
        return np.empty(shape, dtype)
    return out if type(out) is np.ndarray else out.view(np.ndarray)


def _overlaps_itself(array: Floats) -> bool:
    """Return whether entries share memory, as in repeated or sliding views; slices of arrays never do."""
    reach = array.itemsize
    for step, size in sorted((abs(step), size) for step, size in zip(array.strides, array.shape, strict=True)):
        if step < reach and size > 1:
            return array.size > 0
        reach += step * (size - 1)
    return False


def finish(result: Floats, out: Floats | None) -> Floats:
    """Return the filled result, in `out` where the caller gave one."""
    if out is None or out is result:
        return result
    out[...] = result
    return out


def read_only(array: Floats) -> Floats:
    """Make an array read-only, as the entries want their tables."""
    array.flags.writeable = False
    return array


def as_loads(friction: bool) -> int:
    """Return the loads of the joints as kernels want them: springs always, friction if asked for by a boolean."""
    check_flag("friction", friction)
    return SPRINGS | FRICTION if friction else SPRINGS


def as_table(robot: Robot, dtype: str, gravity: ArrayLike | None = None) -> Floats:
    """Return the table of the robot in the precision of the call, with the gravity of the call.

    Raises
    ------
    ArgumentError
        Gravity is not three finite numbers.
    """
    table: Floats = robot.links.table if dtype == "float64" else robot.links.table32
    return table if gravity is None else robot.links.with_gravity(table, numbers("gravity", gravity, (3,)))


def check_axes(argument: str, axes: object) -> None:
    """Refuse all axes but "world" and "local".

    Raises
    ------
    ArgumentError
        They are something else.
    """
    if not isinstance(axes, str) or axes not in AXES:
        raise ArgumentError(f"{argument}: wanted the axes 'world' or 'local', got {shown(axes)}")


def as_frame(robot: Robot, name: object, argument: str = "frame") -> Frame:
    """Return the frame of a name.

    Raises
    ------
    UnknownNameError
        The robot does not have it.
    """
    if not isinstance(name, str) or name not in robot.links.frames:
        raise unknown_name(argument, "frame", name, robot.links.frames)
    return robot.links.frames[name]


def as_site(robot: Robot, frame: str, axes: str, point: ArrayLike | None) -> Floats:
    """Settle a point of the robot.

    Parameters
    ----------
    frame : its name.
    axes : those of the result, "world" or "local".
    point : (3,) in the axes of the frame, m; its origin if None.

    Returns
    -------
    site : (1, SITE_WIDTH), read-only, as the kernels want it.

    Raises
    ------
    UnknownNameError, ArgumentError
        An unknown frame, unknown axes, or a point that is not three finite numbers.
    """
    check_axes("axes", axes)
    found = as_frame(robot, frame)
    return (found if point is None else found.moved(numbers("point", point, (3,)))).sites[axes]


def with_axes(wrench: Any) -> tuple[Any, str]:
    """Return a wrench and the axes it is given in: a pair names them, anything else is in world axes."""
    if isinstance(wrench, tuple) and len(wrench) == 2 and isinstance(wrench[1], str):
        return wrench
    return wrench, "world"


def as_wrenches(robot: Robot, f_ext: Mapping[str, Any]) -> tuple[Floats, dict[str, Floats]]:
    """Settle external wrenches.

    Parameters
    ----------
    robot : knows the frames.
    f_ext : by frame name, a wrench (..., 6) [fx, fy, fz, mx, my, mz] (N, N m) acting on the robot at the origin of the
        frame, in world axes; or a pair of it and the axes, "world" or "local".

    Returns
    -------
    sites : (m, SITE_WIDTH) where each acts, as `rne.kernels.static_torque` wants it.
    wrenches : by name, each an array (..., 6).

    Raises
    ------
    UnknownNameError, ArgumentError
        An unknown frame, unknown axes, or a wrench that is not six numbers.
    """
    if not isinstance(f_ext, Mapping):
        raise ArgumentError(f"f_ext: wanted a mapping from frame name to wrench, got {type(f_ext).__name__}")
    sites, wrenches = [sites_of([], "world")], {}
    for name, value in f_ext.items():
        argument = f"f_ext[{name!r}]"
        frame = as_frame(robot, name, "f_ext")
        value, axes = with_axes(value)
        check_axes(argument, axes)
        sites.append(frame.sites[axes])
        wrenches[argument] = wrench_array(argument, value)
    return np.concatenate(sites), wrenches
