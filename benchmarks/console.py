"""How fast the console is, on a real pseudo-terminal: first frame, rows, keys, idle bytes, memory.

Run: python benchmarks/console.py [--starts N] [--database FILE] [--live] [SCENARIO.toml ...]
     python benchmarks/console.py --steps [--beside CHECKOUT] [--starts N]

The programs take turns in one run, so that a noisy machine is noisy for all: quote the ratios of
the minima and of the medians, never the milliseconds. Needs the package pyte (extra ``test``).
"""

import argparse
import fcntl
import os
import pty
import re
import select
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import time
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyte

FOLDER = Path(__file__).parent / "console"
SIZE = (40, 120)
LIMIT_S = 30.0
KEY_LIMIT_S = 0.5
REST_S = 0.05
AGAIN_S = 0.02
KEYS = {"down": "\x1b[B", "up": "\x1b[A", "pagedown": "\x1b[6~", "pageup": "\x1b[5~"}
_STRANGE = re.compile(rb"\x1b\[[<=>][0-9;:]*[a-zA-Z]|\x1b\[\?[0-9;]*\$p|\x1b[P_][^\x1b]*\x1b\\")


@dataclass
class Terminal:
    """A program on a pty; its output is read at once and emulated afterwards."""

    command: list[str]
    home: str
    path: str = os.environ.get("PYTHONPATH", "")
    started: float = 0.0
    written: int = 0
    screen: pyte.Screen = field(default_factory=lambda: pyte.Screen(SIZE[1], SIZE[0]))

    def __post_init__(self) -> None:
        self._stream = pyte.ByteStream(self.screen)
        environment = {
            "PATH": os.environ["PATH"],
            "PYTHONPATH": self.path,
            "TERM": "xterm-256color",
            "COLORTERM": "truecolor",
            "LANG": "C.UTF-8",
            "HOME": self.home,
            "CHAINTELLER_HOME": f"{self.home}/chainteller",
        }
        self.started = time.perf_counter()
        self.pid, self._fd = pty.fork()
        if self.pid == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", *SIZE, 0, 0))
            os.execvpe(self.command[0], self.command, environment)  # noqa: S606 - our own program

    def press(self, key: str) -> float:
        os.write(self._fd, KEYS.get(key, key).encode())
        return time.perf_counter()

    def read(self, seconds: float) -> float | None:
        """One chunk: when it came; None when nothing did."""
        if not select.select([self._fd], [], [], max(0.0, seconds))[0]:
            return None
        try:
            data = os.read(self._fd, 65536)
        except OSError:
            raise RuntimeError(f"{self.command} has ended:\n{self.text()}") from None
        at = time.perf_counter()
        self.written += len(data)
        self._stream.feed(_STRANGE.sub(b"", data))
        return at

    def until(self, wanted: str, limit_s: float = LIMIT_S) -> float:
        """Seconds from the start until ``wanted`` stands on the screen."""
        end = time.perf_counter() + limit_s
        at = time.perf_counter()
        while not re.search(wanted, self.text()):
            if at > end:
                raise TimeoutError(f"{wanted} never came:\n{self.text()}")
            at = self.read(0.5) or time.perf_counter()
        return at - self.started

    def quiet(self, seconds: float) -> None:
        """Read what still comes, for so long."""
        end = time.perf_counter() + seconds
        while (left := end - time.perf_counter()) > 0:
            self.read(left)

    def text(self) -> str:
        return "\n".join(self.screen.display)

    def peak_mib(self) -> float:
        status = Path(f"/proc/{self.pid}/status").read_text()
        return int(re.findall(r"VmHWM:\s+(\d+)", status)[0]) / 1024

    def cpu_ms(self) -> float:
        """Processor time of all threads so far: less noisy than the clock on a busy machine."""
        tasks = Path(f"/proc/{self.pid}/task").iterdir()
        return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e6

    def close(self) -> None:
        os.kill(self.pid, signal.SIGTERM)
        end = time.perf_counter() + 5
        while os.waitpid(self.pid, os.WNOHANG)[0] == 0:
            if time.perf_counter() > end:
                os.kill(self.pid, signal.SIGKILL)
                os.waitpid(self.pid, 0)
                break
            if select.select([self._fd], [], [], 0.01)[0]:
                try:
                    os.read(self._fd, 65536)
                except OSError:
                    time.sleep(0.01)
        os.close(self._fd)


@dataclass(frozen=True)
class Scenario:
    data: dict[str, Any]
    home: str
    database: str

    @property
    def name(self) -> str:
        return str(self.data["name"])

    def open(self) -> Terminal:
        places = {"python": sys.executable, "root": str(FOLDER), "database": self.database}
        return Terminal([word.format(**places) for word in self.data["command"]], self.home)

    def start(self) -> dict[str, float]:
        """Milliseconds to the first frame with anything on it, and to the marker."""
        terminal = self.open()
        try:
            paint = terminal.until(r"\S") * 1000
            cpu = terminal.cpu_ms()
            return {"frame": paint, "frame cpu": cpu, "rows": terminal.until(self.marker) * 1000}
        finally:
            terminal.close()

    def first_key(self) -> tuple[float, float]:
        """Milliseconds to the first frame, and until a key pressed from then on has an effect."""
        terminal = self.open()
        try:
            frame, first = terminal.until(r"\S"), None
            pressed = at = time.perf_counter()
            while at - terminal.started < LIMIT_S:
                at = time.perf_counter()
                if at - pressed > AGAIN_S:
                    pressed = terminal.press("down")
                terminal.read(AGAIN_S / 4)
                cursor = cursor_of(terminal)
                first = first or cursor
                if first and cursor and cursor[0] > first[0]:
                    return frame * 1000, (time.perf_counter() - terminal.started) * 1000
            raise TimeoutError(terminal.text())
        finally:
            terminal.close()

    @property
    def marker(self) -> str:
        return str(self.data["marker"])


def starts(scenarios: list[Scenario], rounds: int) -> None:
    got: dict[str, list[dict[str, float]]] = {scenario.name: [] for scenario in scenarios}
    for scenario in scenarios:
        scenario.start()
    for _ in range(rounds):
        for scenario in scenarios:
            got[scenario.name].append(scenario.start())
    floor = got[scenarios[0].name]
    for name, rows in got.items():
        for what in ("frame", "frame cpu", "rows"):
            base = [row["frame" if what == "rows" else what] for row in floor]
            mine = [row[what] for row in rows]
            least, middle = min(mine) / min(base), statistics.median(mine) / statistics.median(base)
            print(
                f"{name:<8} {what:<10} min {min(mine):7.1f} ms, {least:.2f} x {scenarios[0].name}"
                f"   median {statistics.median(mine):7.1f} ms, {middle:.2f} x"
            )


def first_keys(scenario: Scenario, rounds: int) -> None:
    scenario.first_key()
    found = [scenario.first_key() for _ in range(rounds)]
    frames, keys = zip(*found, strict=True)
    least, middle = min(keys) / min(frames), statistics.median(keys) / statistics.median(frames)
    print(
        f"{scenario.name:<8} first key / first frame: {least:.2f} (minima) {middle:.2f} (medians)"
    )


def cursor_of(terminal: Terminal) -> tuple[int, str] | None:
    """Where the list's cursor stands: its line and the name of its record."""
    for y, row in enumerate(terminal.screen.display):
        shown = row.removeprefix("│")
        if shown.startswith(">"):
            return y, shown[:17]
    return None


def latencies(terminal: Terminal, cycle: list[str], presses: int) -> list[float]:
    """Milliseconds from each key to the bytes that put the cursor on another record.

    Whatever else repaints meanwhile does not end a key's time. A key that moves nothing, at the
    end of a list, is not counted.
    """
    found = []
    for number in range(presses):
        while terminal.read(REST_S) is not None:
            """The last key's picture is still on its way."""
        before = cursor_of(terminal)
        sent = terminal.press(cycle[number % len(cycle)])
        while time.perf_counter() - sent < KEY_LIMIT_S:
            at = terminal.read(0.1)
            if at is not None and cursor_of(terminal) not in {before, None}:
                found.append((at - sent) * 1000)
                break
    return sorted(found)


def live(scenario: Scenario, idle_s: float, presses: int) -> None:
    """After a first start, since the demo has its world made once a day."""
    first = scenario.open()
    try:
        first.until(scenario.marker)
        first.quiet(3)
        print(f"{scenario.name} peak memory of the first start {first.peak_mib():.0f} MiB")
    finally:
        first.close()
    terminal = scenario.open()
    try:
        terminal.until(scenario.marker)
        terminal.quiet(3)
        for place in scenario.data.get("at", []):
            terminal.press(place["screen"])
            terminal.until(place["shows"])
            if "then" in place:
                terminal.press(place["then"])
            terminal.quiet(2)
            before = terminal.written
            terminal.quiet(idle_s)
            rate = (terminal.written - before) / idle_s
            print(f"{scenario.name} {place['shows']:<9} idle {rate:7.0f} B/s")
            for cycle in place.get("cycles", []):
                found = latencies(terminal, cycle, presses)
                if not found:
                    continue
                p50, p99 = statistics.median(found), found[int(len(found) * 0.99)]
                print(
                    f"{scenario.name} {place['shows']:<9} {'/'.join(cycle):<16} p50 {p50:5.1f}"
                    f" p99 {p99:5.1f} ms of {len(found)}"
                )
        print(f"{scenario.name} peak memory of all that {terminal.peak_mib():.0f} MiB")
    finally:
        terminal.close()


Costs = dict[str, list[tuple[float, float]]]
"""Bytes and milliseconds of processor time of each key of a kind."""


def costs(path: str, rounds: int) -> tuple[Costs, float]:
    """What a cursor step on Accounts and a switch of screens cost, and the peak memory in MiB.

    A step that is passing is one of ten in a second, whose record isn't drawn any more. Each other
    key has ``STEP_S`` for all that it leads to; what the demo writes and computes by itself in
    as long a time, just before, is taken off.
    """
    found: Costs = {"cursor step": [], "passing step": [], "switch": []}
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        demo = [sys.executable, "-m", "chainteller", "demo"]
        first = Terminal(demo, home, path)  # the demo has its world made once a day
        first.until(ACCOUNT_ROW, 4 * LIMIT_S)
        first.quiet(3)
        first.close()
        terminal = Terminal(demo, home, path)
        try:
            terminal.until(ACCOUNT_ROW)
            terminal.quiet(4)
            for key in SCREENS_KEYS:
                terminal.press(key)
                terminal.quiet(1)
            for _ in range(rounds):
                for key in SCREENS_KEYS:
                    found["switch"].append(cost(terminal, key))
            for number in range(4 * rounds):
                found["cursor step"].append(cost(terminal, ("down", "up")[number % 8 > 3]))
            for number in range(rounds):
                found["passing step"] += passing(terminal, ("down", "up")[number % 2])
            return found, terminal.peak_mib()
        finally:
            terminal.close()


ACCOUNT_ROW = r"TDA_\S+ .*DDA-"
SCREENS_KEYS = ("2", "3", "4", "5", "6", "1")
STEP_S, _PASSED, _PAUSE_S = 0.8, 10, 0.1
TURNS, STARTING_S, ROUND_S = 2, 20, 18


def cost(terminal: Terminal, key: str) -> tuple[float, float]:
    """Bytes and milliseconds of one key, without those of the same time before it."""
    marks = [(terminal.written, terminal.cpu_ms())]
    for pressed in ("", key):
        if pressed:
            terminal.press(pressed)
        terminal.quiet(STEP_S)
        marks.append((terminal.written, terminal.cpu_ms()))
    (begun, idle), (still, rested), (ended, spent) = marks
    return (ended - still) - (still - begun), (spent - rested) - (rested - idle)


def passing(terminal: Terminal, key: str) -> list[tuple[float, float]]:
    """Bytes and milliseconds of each key of a row, but for the first, which empties the detail."""
    found = []
    for _ in range(_PASSED):
        wrote, spent = terminal.written, terminal.cpu_ms()
        terminal.press(key)
        terminal.quiet(_PAUSE_S)
        found.append((terminal.written - wrote, terminal.cpu_ms() - spent))
    terminal.quiet(STEP_S)
    return found[1:]


def steps(beside: str, rounds: int) -> None:
    """Print the figures of each turn as it ends. What is on the path is there for both programs."""
    paths = {"this": Terminal.path}
    if beside:
        paths["beside"] = os.pathsep.join([f"{beside}/src", Terminal.path])
    for name, path in [*paths.items()] * TURNS:
        print(f"{name:<7} measuring, about {STARTING_S + rounds * ROUND_S // TURNS} s", flush=True)
        found, peak = costs(path, -(-rounds // TURNS))
        for what, keys in found.items():
            wrote, spent = (statistics.median(each) for each in zip(*keys, strict=True))
            print(f"{name:<7} {what:<12} {wrote:6.0f} B {spent:6.1f} ms of {len(keys)}")
        print(f"{name:<7} peak memory after all screens {peak:.0f} MiB", flush=True)


def versions(rounds: int) -> None:
    """``--version`` against a Python that does nothing."""
    got: dict[str, list[float]] = {}
    for _ in range(rounds):
        for name, words in (
            ("bare", ["-c", "pass"]),
            ("version", ["-m", "chainteller", "--version"]),
        ):
            begun = time.perf_counter()
            subprocess.run([sys.executable, *words], check=True, stdout=subprocess.DEVNULL)
            got.setdefault(name, []).append((time.perf_counter() - begun) * 1000)
    least = min(got["version"]) / min(got["bare"])
    middle = statistics.median(got["version"]) / statistics.median(got["bare"])
    print(f"--version / bare python: {least:.2f} (minima) {middle:.2f} (medians)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("scenarios", nargs="*", default=["empty", "demo"])
    parser.add_argument("--starts", type=int, default=10)
    parser.add_argument("--database", default="")
    parser.add_argument("--live", action="store_true", help="also keys, idle bytes and memory")
    parser.add_argument("--steps", action="store_true", help="what a step and a switch cost")
    parser.add_argument("--beside", default="", help="another checkout, for the same")
    parser.add_argument("--idle", type=float, default=10.0, help="seconds")
    parser.add_argument("--presses", type=int, default=200)
    given = parser.parse_args()
    if given.steps:
        steps(given.beside, given.starts)
        return
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        found = [
            Scenario(tomllib.loads((FOLDER / f"{name}.toml").read_text()), home, given.database)
            for name in given.scenarios
        ]
        if given.starts:
            versions(given.starts)
            starts(found, given.starts)
            for scenario in found:
                if "at" in scenario.data:
                    first_keys(scenario, given.starts)
        if given.live:
            for scenario in found:
                if "at" in scenario.data:
                    live(scenario, given.idle, given.presses)


if __name__ == "__main__":
    main()
