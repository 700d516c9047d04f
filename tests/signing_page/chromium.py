"""A real Chromium, driven over WebDriver (W3C) with the commands of its developer tools."""

import base64
import json
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
from tests.world.waiting import PATIENCE_S

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
_FLAGS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--hide-scrollbars", "--disable-site-isolation-trials",
    "--disable-features=IsolateOrigins,site-per-process",
)  # fmt: skip


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


class Chromium:
    """One browser window with an empty profile."""

    def __init__(self) -> None:
        self._profile = tempfile.TemporaryDirectory(prefix="signing-page-")
        port = free_port()
        self._driver = subprocess.Popen(
            [str(DRIVER), f"--port={port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        self._base = f"http://127.0.0.1:{port}"
        self.wait(lambda: self._call("GET", "/status")["ready"])
        chrome = {
            "binary": CHROMIUM,
            "args": [*_FLAGS, f"--user-data-dir={self._profile.name}"],
        }
        always = {"goog:chromeOptions": chrome, "goog:loggingPrefs": {"performance": "ALL"}}
        made = self._call("POST", "/session", {"capabilities": {"alwaysMatch": always}})
        self._base += f"/session/{made['sessionId']}"

    def close(self) -> None:
        self._call("DELETE", "")
        self._driver.terminate()
        self._driver.wait(PATIENCE_S)
        self._profile.cleanup()

    def _call(self, method: str, path: str, body: object = None) -> Any:
        sent = None if method == "GET" else body or {}
        reply = httpx.request(method, self._base + path, json=sent, timeout=PATIENCE_S)
        assert reply.is_success, reply.text[:500]
        return reply.json()["value"]

    def tools(self, command: str, **parameters: object) -> Any:
        """Run a command of the developer tools."""
        sent = {"cmd": command, "params": parameters}
        return self._call("POST", "/goog/cdp/execute", sent)

    def inject(self, script: str) -> None:
        """Run a script before those of every page, as wallets do."""
        self.tools("Page.addScriptToEvaluateOnNewDocument", source=script)

    def open(self, url: str) -> None:
        self._call("POST", "/url", {"url": url})

    def run(self, script: str, *arguments: object) -> Any:
        return self._call("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def press(self, *keys: str) -> None:
        """Press keys one after another, whatever has the focus."""
        actions = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        self._call(
            "POST", "/actions", {"actions": [{"type": "key", "id": "k", "actions": actions}]}
        )

    def screen(self, width: int, height: int, *, dark: bool, is_phone: bool) -> None:
        self.tools(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=2 if is_phone else 1,
            mobile=is_phone,
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.tools("Emulation.setEmulatedMedia", features=[scheme])

    def picture(self, file: Path) -> None:
        shot = self.tools("Page.captureScreenshot", captureBeyondViewport=True)
        file.write_bytes(base64.b64decode(shot["data"]))

    def requests(self) -> list[str]:
        """The addresses that pages asked for since this was last called."""
        lines = self._call("POST", "/se/log", {"type": "performance"})
        messages = [json.loads(each["message"])["message"] for each in lines]
        return [
            each["params"]["request"]["url"]
            for each in messages
            if each["method"] == "Network.requestWillBeSent"
        ]

    def wait(self, condition: Callable[[], Any]) -> Any:
        """Until something is true; what it is then."""
        until = time.monotonic() + PATIENCE_S
        while True:
            try:
                found = condition()
            except (httpx.TransportError, AssertionError):
                found = None
            if found:
                return found
            if time.monotonic() > until:
                raise AssertionError("it didn't happen in time")
            time.sleep(0.02)
