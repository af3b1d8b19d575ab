"""Chromium without a screen, driven by its own protocol: enough to open a page, look at it, and click."""

from __future__ import annotations

import base64
import io
import json
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image
from websockets.sync.client import ClientConnection, connect

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
PATIENCE = 60.0  # seconds until a wait has failed; two busy cores that draw in software are slow

FLAGS = (
    "--headless=new",
    "--no-sandbox",  # as root, in a container
    "--no-first-run",
    "--disable-background-networking",
    "--disable-dev-shm-usage",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--window-size=1000,700",
    "--remote-debugging-port=0",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1",  # a robot has no internet
)


def wait_for(found: Callable[[], Any], what: str) -> Any:
    """Return the first true value of `found`; fail if none comes."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        value = found()
        if isinstance(value, np.ndarray) or value:
            return value
        time.sleep(0.1)
    raise AssertionError(f"{what}: not within {PATIENCE:.0f} s")


class Page:
    """A page of the browser."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket, self._count = socket, 0

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Call a method of the DevTools protocol."""
        self._count += 1
        self._socket.send(json.dumps({"id": self._count, "method": method, "params": parameters}))
        while True:
            answer = json.loads(self._socket.recv(timeout=PATIENCE))
            if answer.get("id") == self._count:  # the rest are events
                assert "error" not in answer, answer
                return answer["result"]

    def run(self, script: str) -> Any:
        """Return the value of a script."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def picture(self) -> np.ndarray:
        """Return what is to be seen, (rows, columns, 3), 0 to 255."""
        data = base64.b64decode(self.call("Page.captureScreenshot")["data"])
        return np.asarray(Image.open(io.BytesIO(data)).convert("RGB")).astype(int)


@contextmanager
def opened(url: str, profile: Path) -> Iterator[Page]:
    """Open a page in a browser of its own, which ends with the block."""
    assert CHROMIUM
    errors = subprocess.DEVNULL
    with subprocess.Popen(
        [CHROMIUM, *FLAGS, f"--user-data-dir={profile}", url], stdout=errors, stderr=errors
    ) as browser:
        try:
            told = profile / "DevToolsActivePort"
            port = wait_for(lambda: told.is_file() and told.read_text().split("\n")[0], "the browser starts")
            with connect(_target(int(port), url), max_size=None, proxy=None) as socket:
                yield Page(socket)
        finally:
            browser.terminate()
            try:
                browser.wait(10)
            except subprocess.TimeoutExpired:
                browser.kill()


def _target(port: int, url: str) -> str:
    from urllib.request import ProxyHandler, build_opener

    def page() -> str | None:
        with build_opener(ProxyHandler({})).open(f"http://127.0.0.1:{port}/json", timeout=PATIENCE) as answer:
            targets = json.load(answer)
        return next((t["webSocketDebuggerUrl"] for t in targets if t["url"].startswith(url)), None)

    return wait_for(page, "the page opens")
