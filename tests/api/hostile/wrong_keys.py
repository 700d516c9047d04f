"""Wrong keys from the address that valid ones come from, as behind a proxy, and a restart between.

``python -m tests.api.hostile.wrong_keys [--seconds 600] [--guessers 60]`` starts a server process
on a SQLite file. Guessers send one wrong key after the other; meanwhile holders of valid keys, old
ones and new ones, ask from the same address. Half-way the server is killed and started again.
"""

import argparse
import http.client
import secrets
import tempfile
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from tests.world.bank import World, build, sqlite_url
from tests.world.serving import ServerProcess

HOLDERS = 3
PAUSE_S = 0.05
TIMEOUT_S = 10.0
AS_IN_LIFE = ("1", "", "0", "on")
"""One process, with rates, and wrong keys that cost time."""


@dataclass
class Found:
    """Statuses of the replies to valid and to wrong keys. ``unreached`` counts what valid keys
    asked while the server was away, ``slowest_s`` is their longest wait."""

    valid: Counter[int] = field(default_factory=Counter)
    wrong: Counter[int] = field(default_factory=Counter)
    unreached: int = 0
    slowest_s: float = 0.0

    @property
    def refused(self) -> int:
        """How many requests with a valid key got anything but 200."""
        return self.valid.total() - self.valid[200]

    def shown(self) -> str:
        return (
            f"valid keys: {dict(self.valid)}, refused {self.refused}, slowest "
            f"{self.slowest_s * 1000:.0f} ms, not reached during the restart {self.unreached}\n"
            f"wrong keys: {dict(self.wrong)}"
        )


class _Attempts:
    """Everybody who asks, each in a thread of its own."""

    def __init__(self, address: str, world: World) -> None:
        self.found = Found()
        self.is_away = False
        self._address = address.removeprefix("http://")
        self._world = world
        self._over = threading.Event()
        self._threads: list[threading.Thread] = []

    def begin(self, guessers: int) -> None:
        known = [self._world.key() for _ in range(HOLDERS)]
        whats = [(self._hold, each) for each in known] + [(self._guess, "")] * guessers
        for what, key in whats:
            self._threads.append(threading.Thread(target=what, args=(key,), daemon=True))
        for each in self._threads:
            each.start()

    def end(self) -> None:
        self._over.set()
        for each in self._threads:
            each.join(2 * TIMEOUT_S)

    def ask_with_new_key(self) -> None:
        self._ask_as_holder(self._world.key())

    def _hold(self, key: str) -> None:
        while not self._over.wait(PAUSE_S):
            self._ask_as_holder(key)

    def _ask_as_holder(self, key: str) -> None:
        was_away, started = self.is_away, time.monotonic()
        try:
            self.found.valid[self._status(key)] += 1
        except (OSError, http.client.HTTPException):
            if not (was_away or self.is_away):
                self.found.valid[0] += 1
            self.found.unreached += 1
        else:
            self.found.slowest_s = max(self.found.slowest_s, time.monotonic() - started)

    def _guess(self, _key: str) -> None:
        while not self._over.is_set():
            try:
                self.found.wrong[self._status(f"chainteller_live_{secrets.token_hex(20)}")] += 1
            except (OSError, http.client.HTTPException):
                self._over.wait(PAUSE_S)

    def _status(self, key: str) -> int:
        connection = http.client.HTTPConnection(self._address, timeout=TIMEOUT_S)
        try:
            headers = {"Authorization": f"Bearer {key}"}
            connection.request("GET", "/capabilities", headers=headers)
            return connection.getresponse().status
        finally:
            connection.close()


def guess(guessers: int, seconds: float, folder: Path) -> Found:
    """Let guessers and holders of keys ask for some time, with a restart half-way."""
    database = sqlite_url(folder)
    world = build(database)
    server = ServerProcess(database, "0", *AS_IN_LIFE)
    attempts = _Attempts(server.address, world)
    attempts.begin(guessers)
    try:
        for is_last in (False, True):
            ends = time.monotonic() + seconds / 2
            while time.monotonic() < ends:
                attempts.ask_with_new_key()
                time.sleep(min(1.0, seconds / 10))
            if not is_last:
                attempts.is_away = True
                server.kill()
                server = ServerProcess(database, server.address.rpartition(":")[2], *AS_IN_LIFE)
                attempts.is_away = False
    finally:
        attempts.end()
        server.kill()
        world.engine.close()
    return attempts.found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--guessers", type=int, default=60)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        print(guess(chosen.guessers, chosen.seconds, Path(folder)).shown())  # noqa: T201 - a program


if __name__ == "__main__":
    main()
