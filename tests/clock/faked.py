"""Real processes on a faked wall clock: libfaketime reads the offset from a file at each call.

Elapsed time stays real, and so does the machine's clock.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeVar
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from chainteller.domain.actors import SCOPES

_LIBRARIES = tuple(
    folder / "faketime" / "libfaketime.so.1"
    for folder in (
        Path("/usr/lib/x86_64-linux-gnu"),
        Path("/usr/lib/aarch64-linux-gnu"),
        Path("/usr/lib64"),
        Path("/usr/lib"),
        Path("/usr/local/lib"),
    )
)
LIBRARY = next((each for each in _LIBRARIES if each.exists()), None)
T = TypeVar("T")
MISSING = "libfaketime isn't installed"
READY_S = 180.0


class Reply(NamedTuple):
    """``sent`` and ``received`` are on the test's own monotonic clock, in seconds."""

    status: int
    body: Any
    sent: float
    received: float

    @property
    def reason(self) -> str:
        return f"{self.body.get('error')} {self.body.get('details', {}).get('reason', '')}".strip()


class FakedMachine:
    """The wall clock of the processes that it starts; ``offset`` seconds ahead of the real one."""

    def __init__(self, folder: Path, url: str, settings: Mapping[str, str]) -> None:
        self.home = folder
        self.offset = 0.0
        self._file = folder / "offset"
        self.step(0)
        self._environment = os.environ | {
            "CHAINTELLER_HOME": str(folder / "home"),
            "CHAINTELLER_DATABASE": url,
            "CHAINTELLER_SERVICE__RATE_LIMITS": "off",
            "LD_PRELOAD": str(LIBRARY),
            "FAKETIME_TIMESTAMP_FILE": str(self._file),
            "FAKETIME_NO_CACHE": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            "NO_FAKE_STAT": "1",
            **settings,
        }

    def step(self, seconds: float) -> None:
        """Set the wall clock of all its processes ahead, or back."""
        self.offset += seconds
        draft = self._file.with_suffix(".new")
        draft.write_text(f"{self.offset:+.0f}\n", encoding="ascii")
        draft.replace(self._file)

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run one command line."""
        return subprocess.run(
            [sys.executable, "-m", "chainteller", *arguments],
            env=self._environment,
            capture_output=True,
            text=True,
            timeout=READY_S,
            check=False,
        )

    def serve(self) -> "FakedServer":
        return FakedServer(self._environment)

    def key(self, *options: str) -> str:
        made = self.run("keys", "create", "--name", "test", *_SCOPES, *options)
        assert made.returncode == 0, made.stderr
        return made.stdout.strip()


_SCOPES = tuple(word for scope in SCOPES for word in ("--scope", scope))


class FakedServer:
    """``chainteller serve`` as a process; use it as a context manager."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._log = tempfile.TemporaryFile(mode="w+", encoding="utf-8")  # noqa: SIM115 - closed by stop
        self._process = subprocess.Popen(
            [sys.executable, "-m", "chainteller", "serve", "--port", "0", "--log", "-"],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
        )
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        self.address = line.removeprefix("listening on ").strip()
        self.key = ""
        assert self.address, self.log()

    def __enter__(self) -> "FakedServer":
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        if self._process.poll() is None:
            self._process.terminate()
            self._process.wait(READY_S)
        if self._process.stdout is not None:
            self._process.stdout.close()
        self._log.close()

    def log(self) -> str:
        self._log.seek(0)
        return self._log.read()

    def call(self, method: str, path: str, body: object = None, key: str = "") -> Reply:
        headers = {"Authorization": f"Bearer {key or self.key}", "Content-Type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        request = Request(self.address + path, data, headers, method=method)  # noqa: S310 - our own server
        sent = time.monotonic()
        try:
            with urlopen(request, timeout=READY_S) as reply:  # noqa: S310 - as above
                found = reply.status, json.loads(reply.read())
        except HTTPError as refused:
            with refused:
                found = refused.code, json.loads(refused.read())
        return Reply(*found, sent, time.monotonic())

    def ready(self) -> Reply:
        return self.call("GET", "/readyz")

    def quote(self) -> Reply:
        return self.call("POST", "/trading/markets/sol-usd/quotes", _QUOTED)

    def execute(self, quote: Reply, account: str) -> Reply:
        found = quote.body["data"][0]["id"]
        body = {"tradingAccountId": account}
        return self.call("POST", f"/trading/quotes/{found}", body)


_QUOTED = {"amount": "10.00", "side": "buy"}


def until(ask: Callable[[], T], is_wanted: Callable[[T], bool], seconds: float = 20.0) -> T:
    """Ask again until the answer is what is wanted, or the time is over; the last answer."""
    ends = time.monotonic() + seconds
    while not is_wanted(answer := ask()) and time.monotonic() < ends:
        time.sleep(0.05)
    return answer
