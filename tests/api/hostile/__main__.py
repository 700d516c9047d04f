"""A key holder beside thousands of hostile connections.

``python -m tests.api.hostile [--connections 5000] [--sources 50] [--seconds 600]`` starts a server
process on a SQLite file and the attack in a process of its own. Meanwhile a key holder of another
organisation asks, over a connection that it keeps and over new ones. It prints the share of the
key holder's requests that were answered, how long they took, and the server's memory.
"""

import argparse
import http.client
import json
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from tests.world.bank import build, sqlite_url
from tests.world.serving import ServerProcess

PAUSE_S = 0.02
TIMEOUT_S = 30.0
_MEMORY_EVERY_S = 2.0
LAST_IN_LINE = ("nice", "-n", "5")
"""The attack comes from other machines in life, and doesn't take the server's processor."""


@dataclass
class Found:
    """What the key holder saw; times in seconds, memory in KiB at regular moments."""

    answered: list[float] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    memory: list[int] = field(default_factory=list)
    opened: dict[str, int] = field(default_factory=dict)
    worked_s: float = 0.0
    starved_s: float = 0.0
    """How long the server's main thread could have run and got no processor: a busy machine."""

    @property
    def share(self) -> float:
        return len(self.answered) / max(1, len(self.answered) + len(self.failed))

    def percentile(self, part: float) -> float:
        ordered = sorted(self.answered)
        return ordered[min(len(ordered) - 1, int(len(ordered) * part))]

    def shown(self) -> str:
        first, last = self.memory[len(self.memory) // 4], self.memory[-1]
        return (
            f"requests {len(self.answered) + len(self.failed)}  answered {self.share:.3%}\n"
            f"p50 {self.percentile(0.5) * 1000:.1f} ms  p99 {self.percentile(0.99) * 1000:.1f} ms"
            f"  slowest {max(self.answered) * 1000:.0f} ms\n"
            f"memory after a quarter {first / 1024:.0f} MiB, at the end {last / 1024:.0f} MiB,"
            f" most {max(self.memory) / 1024:.0f} MiB\n"
            f"server: {self.worked_s:.1f} s of processor time, {self.starved_s:.1f} s without one\n"
            f"hostile connections opened {sum(self.opened.values())}: {self.opened}\n"
            f"failures {self.failed[:5]}"
        )


def besiege(
    connections: int, sources: int, seconds: float, folder: Path, *, same_address: bool = False
) -> Found:
    """Attack a new server and use it meanwhile."""
    url = sqlite_url(folder)
    world = build(url)
    hostile, mine = world.key(), world.key(organisation="customer")
    world.engine.close()
    server = ServerProcess(url)
    target = server.address.removeprefix("http://")
    command = [*LAST_IN_LINE, sys.executable, "-m", "tests.api.hostile.attack"]
    arguments = [target, hostile, str(connections), str(sources), str(seconds)]
    found = Found()
    source = "127.0.0.10" if same_address else "127.0.0.1"
    try:
        attacker = subprocess.Popen([*command, *arguments], stdout=subprocess.PIPE, text=True)
        _use(found, target, mine, source, server.process.pid, seconds)
        schedule = Path(f"/proc/{server.process.pid}/schedstat").read_text(encoding="ascii")
        found.worked_s, found.starved_s = (int(each) / 1e9 for each in schedule.split()[:2])
        told, _ = attacker.communicate(timeout=60)
        found.opened = json.loads(told)
    finally:
        server.kill()
    return found


def _use(found: Found, target: str, key: str, source: str, pid: int, seconds: float) -> None:
    kept = http.client.HTTPConnection(target, timeout=TIMEOUT_S, source_address=(source, 0))
    ends, next_memory = time.monotonic() + seconds, 0.0
    number = 0
    while time.monotonic() < ends:
        number += 1
        fresh = number % 2 == 0
        connection = (
            http.client.HTTPConnection(target, timeout=TIMEOUT_S, source_address=(source, 0))
            if fresh
            else kept
        )
        started = time.monotonic()
        try:
            connection.request(
                "GET", "/trading/markets", headers={"Authorization": f"Bearer {key}"}
            )
            reply = connection.getresponse()
            reply.read()
            if reply.status == 200:
                found.answered.append(time.monotonic() - started)
            else:
                found.failed.append(str(reply.status))
        except (OSError, http.client.HTTPException) as fault:
            found.failed.append(type(fault).__name__ + (" (new)" if fresh else " (kept)"))
            connection.close()
        if fresh:
            connection.close()
        if time.monotonic() >= next_memory:
            next_memory = time.monotonic() + _MEMORY_EVERY_S
            found.memory.append(_resident(pid))
        time.sleep(PAUSE_S)  # the pace of a key holder
    kept.close()


def _resident(pid: int) -> int:
    """The resident memory of a process, in KiB."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    line = next(line for line in status.splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1])


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.api.hostile")
    parser.add_argument("--connections", type=int, default=5_000)
    parser.add_argument("--sources", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument(
        "--same-address", action="store_true", help="the key holder shares an attacker's address"
    )
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = besiege(
            chosen.connections,
            chosen.sources,
            chosen.seconds,
            Path(folder),
            same_address=chosen.same_address,
        )
    sys.stdout.write(found.shown() + "\n")


if __name__ == "__main__":
    main()
