"""The page of the viewer: the robot, its torques, and the controls."""

from __future__ import annotations

import atexit
import contextlib
import errno
import html
import io
import socket
import threading
import time
from collections.abc import Callable
from functools import partial
from http.client import HTTPConnection
from typing import Any

import numpy as np
import viser
from numpy.typing import ArrayLike, NDArray

from rne.batch.coordinates import check_pose
from rne.check import numbers
from rne.dynamics.configuration import neutral
from rne.dynamics.inverse_dynamics import gravity_vector
from rne.errors import ArgumentError
from rne.model.floating import of_joints
from rne.model.robot import Robot
from rne.model.sampling import position_range
from rne.viewer.bars import full_scale, torque_bars
from rne.viewer.playback import Motion, largest
from rne.viewer.scene import describe
from rne.viewer.stage import PARTS, Stage

Array = NDArray[np.float64]

_FRAME = 1 / 30  # seconds between two frames
_LOOKS = 50  # least number of states of a motion, if it has so many, by which the camera is placed
_PORTS = 100  # number of ports that are tried
_SPEEDS = ("0.1", "0.25", "0.5", "1", "2", "5", "10")


class Viewer:
    """A page that shows a robot, as returned by `rne.view`. It is served until `stop`, or the end of the program.

    Parameters
    ----------
    robot : the robot.
    motion : the motion to play; None for a robot with sliders.
    host, port : address and port to listen on; port 0 selects any free port.

    Attributes
    ----------
    url : str
        The address of the page.
    notes : tuple of str
        What cannot be shown, such as missing meshes.

    Examples
    --------
    >>> import rne
    >>> with rne.view(rne.load("models/planar2/robot.dh.toml"), port=0, browser=False) as viewer:
    ...     viewer.move([0.3, -0.5])
    """

    def __init__(self, robot: Robot, motion: Motion | None, *, host: str, port: int) -> None:
        self._robot, self._motion = robot, motion
        self._lock = threading.RLock()
        self._stopped = threading.Event()
        self._playing, self._speed = motion is not None and len(motion.t) > 1, 1.0
        self._time = 0.0 if motion is None else float(motion.t[0])
        self._low, self._high = position_range(robot)
        states = self._some_states()
        self._q = states[0]
        self._peaks = np.zeros(robot.n) if motion is None else motion.peaks
        free = _free_port(host, port)
        with _silence():
            self._server = viser.ViserServer(host, free, label=robot.name, verbose=False)
        self.url = f"http://{'localhost' if host in ('127.0.0.1', '0.0.0.0') else host}:{self._server.get_port()}"
        atexit.register(self.stop)  # runs before the handler of viser, which prints
        try:
            _knock(host, self._server.get_port())
            self._server.gui.configure_theme(show_logo=False, show_share_button=False, control_width="large")
            self._server.gui.main_panel.dock_right()
            self._stage = Stage(self._server, robot, describe(robot), states)
            self.notes = tuple(self._stage.notes)
            if motion is not None:
                self._add_player(motion)
            with self._server.gui.add_folder("Torques" if motion else "Torques against gravity"):
                self._bars = self._server.gui.add_html("")  # above the sliders, of which there may be many
            self._add_switches()
            if motion is None:
                self._add_sliders()
            self._draw()
        except BaseException:
            self.stop()
            raise
        self._thread = threading.Thread(target=self._run, name="rne-viewer", daemon=True)
        self._thread.start()

    # ------------------------------------------------------------------------------------------------- public methods

    def play(self) -> None:
        """Play the motion, from the beginning if it is at its end."""
        motion = self._played()
        with self._lock:
            if self._time >= motion.t[-1]:
                self._time = float(motion.t[0])
            self._playing = True

    def pause(self) -> None:
        """Pause the motion."""
        self._played()
        with self._lock:
            self._playing = False
            self._draw()

    def seek(self, t: float) -> None:
        """Go to a time (s) of the motion, and pause it there.

        Raises
        ------
        ArgumentError
            There is no motion, or the time is not a finite number.
        """
        motion = self._played()
        wanted = float(numbers("t", t, ()))
        with self._lock:
            self._playing = False
            self._time = min(max(wanted, float(motion.t[0])), float(motion.t[-1]))
            self._draw()

    def move(self, q: ArrayLike) -> None:
        """Move a robot without a motion to q (nq,), rad or m, and show the torques that hold it there.

        Raises
        ------
        ArgumentError
            The robot plays a motion, or `q` does not fit the robot.
        """
        if self._motion is not None:
            raise ArgumentError("the robot plays a motion; call rne.view without a motion to move the robot")
        wanted = numbers("q", q, (self._robot.nq,))
        if self._robot.floating:
            check_pose("q", wanted)
        with self._lock:
            self._q = wanted
            self._draw()
            for slider, value in zip(self._sliders, of_joints(self._robot, wanted), strict=True):
                slider.value = min(max(float(value), slider.min), slider.max)

    def wait(self) -> None:
        """Wait until the page is stopped, by another thread or by Ctrl-C."""
        while not self._stopped.wait(1.0):
            pass

    def stop(self) -> None:
        """Close the page and release the port; further calls have no effect."""
        if self._stopped.is_set():
            return
        self._stopped.set()
        atexit.unregister(self.stop)
        thread = getattr(self, "_thread", None)
        if thread is not None:
            thread.join()
        with _silence():
            self._server.stop()

    def __enter__(self) -> Viewer:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def __repr__(self) -> str:
        """Return the name of the robot and the address of the page."""
        return f"{self._robot.name}: {'stopped' if self._stopped.is_set() else self.url}"

    def _repr_html_(self) -> str:
        """Show the page in a notebook, as long as it is served."""
        if self._stopped.is_set():
            return "<p>The viewer is stopped.</p>"
        return f'<iframe src="{html.escape(self.url)}" width="100%" height="600" style="border:0"></iframe>'

    # ------------------------------------------------------------------------------------------------------- controls

    def _add_player(self, motion: Motion) -> None:
        gui, first, last = self._server.gui, float(motion.t[0]), float(motion.t[-1])
        self._button = gui.add_button("Pause", icon=viser.Icon.PLAYER_PAUSE)
        self._slider = gui.add_slider("Time [s]", first, last, max((last - first) / 1000, 1e-6), first)
        speed = gui.add_dropdown("Speed", _SPEEDS, initial_value="1")
        self._readout = gui.add_markdown("")

        self._button.on_click(lambda _: self._toggle())
        self._slider.on_update(partial(self._dragged, then=self.seek))
        speed.on_update(lambda event: setattr(self, "_speed", float(event.target.value)))

    def _toggle(self) -> None:
        with self._lock:
            if self._playing:
                self.pause()
            else:
                self.play()

    def _add_sliders(self) -> None:
        self._sliders = []
        with self._server.gui.add_folder("Joints [rad, m]"):
            for k, name in enumerate(self._robot.joint_names, self._robot.nq - len(self._robot.joint_names)):
                low, high = float(self._low[k]), float(self._high[k])
                slider = self._server.gui.add_slider(name, low, high, 0.001, float(self._q[k]))
                slider.on_update(partial(self._dragged, then=partial(self._bend, k)))
                self._sliders.append(slider)

    def _bend(self, k: int, value: float) -> None:
        with self._lock:
            self._q = self._q.copy()
            self._q[k] = value
            self._draw()

    def _dragged(self, event: Any, then: Callable[[float], None]) -> None:
        """Follow a slider, if the user moved it and not this program."""
        if event.client is not None:
            then(event.target.value)

    def _add_switches(self) -> None:
        with self._server.gui.add_folder("Show"):
            for part in PARTS:
                if self._stage.has(part):
                    switch = self._server.gui.add_checkbox(part.capitalize(), part in self._stage.shown)
                    switch.on_update(partial(self._switch, part))

    def _switch(self, part: str, event: Any) -> None:
        with self._lock:
            self._stage.show(part, event.target.value)

    # --------------------------------------------------------------------------------------------------------- display

    def _run(self) -> None:
        last = time.monotonic()
        while not self._stopped.wait(_FRAME):
            now = time.monotonic()
            with self._lock:
                if self._playing and self._motion is not None:
                    first, end = self._motion.t[0], self._motion.t[-1]
                    self._time += (now - last) * self._speed
                    if self._time > end:
                        self._time = float(first)
                    self._draw()
            last = now

    def _draw(self) -> None:
        """Show the state: the current sample of the motion, or the posture set by the sliders."""
        with self._server.atomic():
            if self._motion is None:
                tau = gravity_vector(self._robot, self._q)
                self._peaks = largest(np.abs([self._peaks, tau]))
                self._stage.move(self._q)
            else:
                k = self._motion.at(self._time)
                q, tau = self._motion.q[k], self._motion.tau[k]
                there = bool(np.isfinite(q).all())
                if there:
                    self._stage.move(q)
                self._tell(k, there)
            self._bars.content = torque_bars(self._robot, tau, full_scale(self._robot, self._peaks))

    def _tell(self, k: int, there: bool) -> None:
        count = len(self._motion.t) if self._motion else 0
        missing = "" if there else "; it has positions that are not numbers, the robot keeps its posture"
        self._readout.content = f"t = {self._time:.3f} s, sample {k + 1} of {count}{missing}"
        self._slider.value = self._time
        self._button.label = "Pause" if self._playing else "Play"
        self._button.icon = viser.Icon.PLAYER_PAUSE if self._playing else viser.Icon.PLAYER_PLAY

    def _some_states(self) -> Array:
        """Return some positions that the robot will take, (some, nq), the initial one first."""
        if self._motion is not None:
            whole = self._motion.q[np.isfinite(self._motion.q).all(axis=1)]
            if len(whole):
                some: Array = whole[:: max(1, len(whole) // _LOOKS)]
                return some
        return np.clip(neutral(self._robot)[None], self._low, self._high)

    def _played(self) -> Motion:
        if self._motion is None:
            raise ArgumentError("there is no motion to play: pass the positions q of a motion to rne.view")
        return self._motion


def _silence() -> contextlib.AbstractContextManager[object]:
    """Suppress the output that viser prints at start and end regardless of its settings."""
    return contextlib.redirect_stdout(io.StringIO())


def _free_port(host: str, port: int) -> int:
    """Return the first free port; without one, viser would wait forever."""
    last = port + 1 if port == 0 else min(port + _PORTS, 2**16)
    problem: OSError | None = None
    for candidate in range(port, last):
        try:
            with socket.create_server((host, candidate)):
                return candidate
        except OSError as error:
            problem = error
            if error.errno not in (errno.EADDRINUSE, errno.EACCES):
                break
    raise ArgumentError(f"host, port: cannot listen on {host}:{port}: {problem}") from problem


def _knock(host: str, port: int) -> None:
    """Request the page once.

    Browsers open connections in advance that they may never use, and websockets logs each of them as an error with a
    traceback. Viser suppresses this from the first request on.
    """
    connection = HTTPConnection("127.0.0.1" if host == "0.0.0.0" else host, port, timeout=10)
    with contextlib.suppress(OSError), contextlib.closing(connection):
        connection.request("GET", "/")
        connection.getresponse().read()
