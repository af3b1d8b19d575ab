"""The page as a person sees it, in Chromium without a screen."""

from __future__ import annotations

import json
import re

import numpy as np
import pinocchio as pin
import pytest
from browser import CHROMIUM, Page, opened, wait_for
from models_at_hand import MODELS, urdf_model, urdf_path

import rne

pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here (Debian: apt-get install chromium)"),
    pytest.mark.filterwarnings("ignore::rne.ModelWarning"),
]


def test_a_trajectory_is_played(tmp_path):
    path = urdf_path("panda")
    robot, model = rne.load(path), urdf_model(path)
    rows = np.loadtxt(MODELS / "panda" / "trajectory.csv", delimiter=",", skiprows=1)
    t, q, qd, qdd = rows[:, 0], *np.split(rows[:, 1:], 3, axis=1)
    with rne.view(robot, q, qd, qdd, t=t, port=0, browser=False) as viewer, opened(viewer.url, tmp_path) as page:
        pictures = []
        for second in (1.0, 6.0):
            viewer.seek(second)
            k = int(np.flatnonzero(t <= second)[-1])
            wanted = pin.rnea(model, model.createData(), q[k], qd[k], qdd[k]) / model.effortLimit
            wait_for(lambda wanted=wanted: same(bars(page), wanted), "the bars show the torques")
            pictures.append(settled(page))
        for picture in pictures:
            assert sharp(picture) > 1000, "a robot and a floor have edges"
            assert golden(picture) > 3000, "the ellipsoids"
        moved = np.abs(pictures[0] - pictures[1]).max(axis=2) > 30
        width = canvas(page)
        assert moved[:, :width].sum() > 3000, "the robot moves"
        assert moved[:, width:].sum() > 300, "the bars move"

        click(page, "button", "Play")
        wait_for(lambda: told(page) > 6.0, "the motion goes on")
        click(page, "button", "Pause")
        wait_for(lambda: not viewer._playing, "the motion stops")
        click(page, "label", "Ellipsoids")
        wait_for(lambda: golden(page.picture()) < 300, "the ellipsoids go")


def test_a_robot_is_moved_by_hand(tmp_path):
    path = urdf_path("iiwa14")
    robot, model = rne.load(path), urdf_model(path)
    with rne.view(robot, port=0, browser=False) as viewer, opened(viewer.url, tmp_path) as page:
        wait_for(lambda: len(bars(page)) == robot.n, "the page is there")
        page.run("document.querySelectorAll('[role=slider]')[1].focus()")
        for kind in ("rawKeyDown", "keyUp"):
            page.call("Input.dispatchKeyEvent", type=kind, key="End", code="End", windowsVirtualKeyCode=35)
        q = pin.neutral(model)
        q[1] = model.upperPositionLimit[1]
        wanted = pin.computeGeneralizedGravity(model, model.createData(), q) / model.effortLimit
        assert abs(wanted[1]) > 0.1
        wait_for(lambda: same(bars(page), wanted, 2e-3), "the torques against gravity")
        data = model.createData()
        pin.framesForwardKinematics(model, data, q)
        tip = model.frames[model.nframes - 1].name
        np.testing.assert_allclose(
            dict(zip(viewer._stage._scene.frames, viewer._stage._frames, strict=True))[tip].position,
            data.oMf[model.getFrameId(tip)].translation,
            atol=1e-6,
        )


def bars(page: Page) -> np.ndarray:
    """Torques as parts of what fills half a bar, as drawn."""
    script = """JSON.stringify([...document.querySelectorAll('.torque-bar')].map(bar => {
        const [all, part] = [bar, bar.firstElementChild].map(e => e.getBoundingClientRect());
        return [(part.left - all.left) / all.width, (part.right - all.left) / all.width];
    }))"""
    ends = 2 * np.array(json.loads(page.run(script))).reshape(-1, 2) - 1
    return np.where(np.abs(ends[:, 0]) > np.abs(ends[:, 1]), ends[:, 0], ends[:, 1])


def same(found: np.ndarray, wanted: np.ndarray, tolerance: float = 1e-3) -> bool:
    return found.shape == wanted.shape and bool(np.abs(found - np.clip(wanted, -1, 1)).max() < tolerance)


def settled(page: Page) -> np.ndarray:
    """Return a picture that no longer changes."""
    last = [np.zeros(0)]

    def still() -> np.ndarray | None:
        before, last[0] = last[0], page.picture()
        drawn = before.shape == last[0].shape and sharp(last[0]) > 1000
        return last[0] if drawn and np.array_equal(before, last[0]) else None

    return wait_for(still, "the picture comes to rest")


def canvas(page: Page) -> int:
    """Columns of the picture that are the scene."""
    return int(page.run("document.querySelector('canvas').getBoundingClientRect().width"))


def sharp(picture: np.ndarray) -> int:
    """Number of pixels left of the middle that differ from the next."""
    half = picture[:, : picture.shape[1] // 2]
    return int((np.abs(np.diff(half, axis=1)).max(axis=2) > 20).sum())


def golden(picture: np.ndarray) -> int:
    """Number of pixels with the color of the ellipsoids: much more red than blue, and green between."""
    red, green, blue = np.moveaxis(picture[160:, : picture.shape[1] * 2 // 3], 2, 0)  # above, the page has its notes
    return int(((red - blue > 50) & (red > green) & (green - blue > 15)).sum())


def told(page: Page) -> float:
    """The time that the page tells."""
    found = re.search(r"t = ([\d.]+) s, sample", page.run("document.body.innerText"))
    return float(found.group(1)) if found else -1.0


def click(page: Page, kind: str, text: str) -> None:
    """Click what has this text."""
    script = f"""[...document.querySelectorAll({kind!r})].filter(e => e.innerText.trim() == {text!r}).map(
        e => (e.control || e).click()).length"""
    wait_for(lambda: page.run(script) == 1, f"{text} can be clicked")
