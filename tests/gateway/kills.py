"""Kill, stop and slow a gateway and its provider at random, and compare the books of both sides:
``python -m tests.gateway.kills FOLDER [RUNS [SEED [SECONDS]]]``.

In each run, clients make deposits, withdrawals (some of which two persons approve) and trades, each
of its own amount, and repeat what isn't answered with the same key. One deposit is made by a
command, which is killed as well and run again with its key. Once SECONDS have passed since the
start, no further run begins; on a busy machine, what is under way takes up to three minutes more.
Each run is reported on stderr when it has ended. Then the two databases are read with SQLite alone:
what the gateway or a client's answer calls done is at the provider once, what the gateway calls
refused or not done isn't there, and nothing is there twice. What it calls unknown is counted, and
allowed.
"""

import contextlib
import json
import os
import random  # noqa: TID251 - faults, from a seed
import signal
import socket
import sqlite3  # noqa: TID251 - a second opinion, in a process of its own
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

TOKEN = {"type": "deposit-token-currency", "id": "DPT_USD"}
_POLICY = '[two]\nwithdrawal = "100"\n'
_CLIENTS = 6
PATIENCE_S, SET_UP_S = 12, 120
"""How long a client repeats a request, and how long what every run needs may take."""
_TOLD_DONE = ("done", "accepted", "executed", "settled")
"""What a client hears of a request that the provider has."""
_NOWHERE = subprocess.DEVNULL
_ENDINGS = {0: "done", 1: "refused"}
"""What a command's status says; with any other it may be run again."""


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as found:
        return int(found.getsockname()[1])


@dataclass
class Program:
    """A server that is started again after it was killed, on the same port."""

    command: list[str]
    port: int
    environment: dict[str, str]
    log: Path
    process: subprocess.Popen[str] | None = None
    lines: list[str] = field(default_factory=list)

    def start(self, lines: int = 1) -> None:
        self.process = subprocess.Popen(
            self.command, stdout=subprocess.PIPE, stderr=self.log.open("a"), text=True,
            env=self.environment,
        )  # fmt: skip
        stdout = self.process.stdout
        assert stdout is not None
        self.lines = [stdout.readline().strip() for _ in range(lines)]
        assert all(self.lines), self.log.read_text()[-2000:]

    def signal(self, number: int) -> None:
        assert self.process is not None
        self.process.send_signal(number)

    def kill(self) -> None:
        assert self.process is not None
        self.process.kill()
        self.process.wait()


@dataclass
class Wish:
    """What a client asks for once; its amount in cents identifies it in both books."""

    kind: str
    cents: int
    killed_after_s: float | None = None
    """When the command that makes it is killed; None if it isn't made by one."""
    answer: str = ""
    record: str = ""

    @property
    def amount(self) -> str:
        return f"{self.cents // 100}.{self.cents % 100:02}"


class Trial:
    """A gateway and a provider in a folder, and the clients of a run."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder, self.random = folder, random.Random(seed)  # noqa: S311 - faults
        self.made: list[Wish] = []
        self.up, self.up_since = threading.Event(), time.monotonic()
        self.up.set()
        self.next_cents, self.patience_s = 1_000, SET_UP_S
        self._write_settings()
        ports = free_port(), free_port()
        provider = [sys.executable, "-m", "tests.spec_only", str(folder / "provider")]
        home = os.environ | {"CHAINTELLER_HOME": str(folder / "home")}
        self.provider = Program(
            [*provider, str(ports[0]), "5"], ports[0], dict(os.environ), folder / "provider.log"
        )
        self.provider.start(3)
        self._secret("provider.key", self.provider.lines[1])
        serve = [sys.executable, "-m", "chainteller", "serve", "--log", "-", "--port"]
        self.gateway = Program(
            [*serve, str(ports[1]), "--for", f"http://127.0.0.1:{ports[0]}"],
            ports[1],
            home,
            folder / "gateway.log",
        )
        self.gateway.start()
        self.address = f"http://127.0.0.1:{ports[1]}"
        self.home = home
        self.keys = {name: self._key(name, home) for name in ("system", "anna", "ben")}
        opened = {"bankAccountId": "DDA-5", "bankAccountType": "checking"}
        asked = self._call("system", "POST", "/trading-accounts", "open", opened)
        self.account = required(asked)["id"]
        funds = {"amount": "500000.00", "currency": TOKEN}
        path = f"/trading-accounts/{self.account}/deposits"
        required(self._call("system", "POST", path, "fund", funds))
        self.patience_s = PATIENCE_S

    def _write_settings(self) -> None:
        home = self.folder / "home"
        home.mkdir(parents=True)
        (self.folder / "policy.toml").write_text(_POLICY)
        (home / "config.toml").write_text(
            f'[gateway]\nkey_file = "{self.folder}/provider.key"\nsettle_after_s = 12\n'
            f'[engine]\npolicy = "{self.folder}/policy.toml"\nwithdrawal_delay_s = 0\n'
            '[service]\nrate_limits = "off"\n'
        )

    def _secret(self, name: str, text: str) -> None:
        file = self.folder / name
        file.touch(0o600)
        file.write_text(text)

    @staticmethod
    def _key(name: str, home: dict[str, str]) -> str:
        kind = "system" if name == "system" else "desk"
        made = [sys.executable, "-m", "chainteller", "keys", "create", "--name", name]
        found = subprocess.run(
            [*made, "--kind", kind], env=home, capture_output=True, text=True, check=True
        )
        return found.stdout.strip()

    # -- clients ------------------------------------------------------------------------------

    def _send(
        self, who: str, method: str, path: str, key: str, body: dict[str, Any] | None
    ) -> httpx.Response:
        """Repeat a request with its key until it has an answer that says something."""
        headers = {"Authorization": f"Bearer {self.keys[who]}", "Idempotency-Key": key}
        began = time.monotonic()
        while True:
            with contextlib.suppress(httpx.HTTPError):
                reply = httpx.request(
                    method, self.address + path, json=body, headers=headers, timeout=15
                )
                code = reply.json().get("error", "")
                is_open = code in ("SERVICE_UNAVAILABLE", "PROVIDER_UNANSWERED",
                                   "IDEMPOTENCY_IN_PROGRESS", "RATE_LIMITED")  # fmt: skip
                decided = reply.json().get("details", {}).get("decisionId")
                if not is_open or decided or self._is_late(began):
                    return reply
            if self._is_late(began):
                return httpx.Response(599, json={"error": "NO_ANSWER", "details": {}})
            time.sleep(0.3)

    def _is_late(self, began: float) -> bool:
        """Whether both programs were up for long enough to answer."""
        return self.up.is_set() and time.monotonic() > max(began, self.up_since) + self.patience_s

    def _call(self, who: str, method: str, path: str, key: str, body: Any = None) -> Any:
        return self._send(who, method, path, key, body).json()

    def run_command(self, wish: Wish, key: str, seconds: float) -> None:
        """Make a deposit by a command that is killed, and run again until it has an answer."""
        command = deposit_command(self.address, self.account, wish.amount, key)
        secret = self.home | {"CHAINTELLER_API_KEY": self.keys["system"]}
        wish.answer = run_killed(command, secret, seconds, self._is_late)

    def carry_out(self, wish: Wish) -> None:
        home, key = f"/trading-accounts/{self.account}", f"k{wish.kind}{wish.cents}"
        body: dict[str, Any] = {"amount": wish.amount, "currency": TOKEN}
        if wish.killed_after_s is not None:
            self.run_command(wish, key, wish.killed_after_s)
            return
        if wish.kind == "trade":
            quote_path = "/trading/markets/sol-usd/quotes?side=buy"
            asked = {"amount": wish.amount, "side": "buy"}
            quoted = self._call("system", "POST", quote_path, f"q{key}", asked)
            if "data" not in quoted:
                wish.answer = "no quote"
                return
            path = f"/trading/quotes/{quoted['data'][0]['id']}"
            reply = self._send("system", "POST", path, key, {"tradingAccountId": self.account})
        else:
            what = "deposits" if wish.kind == "deposit" else "withdrawals"
            reply = self._send("system", "POST", f"{home}/{what}", key, body)
        told = reply.json()
        wish.answer = told.get("error") or told.get("status", "")
        wish.record = told.get("id", "")
        if wish.answer == "reviewing":
            self._approve(wish)

    def _approve(self, wish: Wish) -> None:
        listed = self._call("system", "GET", "/decisions?filter[status]=open&limit=100", "")
        found = [each["id"] for each in listed["data"] if each["subject"] == wish.record]
        for who in ("anna", "ben") if found else ():
            self._call(who, "POST", f"/decisions/{found[0]}/approvals", f"{who}{wish.cents}", {})

    def wish(self) -> Wish:
        self.next_cents += 1
        kind = self.random.choice(("deposit", "withdrawal", "reviewed", "trade", "trade"))
        more = 20_000 if kind == "reviewed" else 0
        made = Wish("withdrawal" if kind == "reviewed" else kind, self.next_cents + more)
        self.made.append(made)
        return made

    # -- a run --------------------------------------------------------------------------------

    def run(self) -> str:
        wishes = [self.wish() for _ in range(_CLIENTS)]
        self.next_cents += 1
        wishes.append(Wish("deposit", self.next_cents, self.random.uniform(0.4, 2.5)))
        self.made.append(wishes[-1])
        clients = [threading.Thread(target=self.carry_out, args=(each,)) for each in wishes]
        fault = self.random.choice(("kill gateway", "kill provider", "stop provider", "kill both"))
        for client in clients:
            client.start()
            time.sleep(self.random.uniform(0, 0.05))
        time.sleep(self.random.uniform(0, 0.35))
        self.up.clear()
        if fault == "stop provider":
            self.provider.signal(signal.SIGSTOP)
            time.sleep(self.random.choice((0.3, 1, 2, 11)))
            self.provider.signal(signal.SIGCONT)
        if fault in ("kill provider", "kill both"):
            self.provider.kill()
        if fault in ("kill gateway", "kill both"):
            self.gateway.kill()
        if fault in ("kill provider", "kill both"):
            self.provider.start(3)
        if fault in ("kill gateway", "kill both"):
            self.gateway.start()
        self.up_since = time.monotonic()
        self.up.set()
        for client in clients:
            client.join()
        return fault

    def settle(self) -> None:
        """Wait until nothing is under way any more."""
        until = time.monotonic() + 120
        while time.monotonic() < until and self._under_way():
            time.sleep(1)

    def _under_way(self) -> int:
        with read(self.folder / "home" / "data" / "bank.db") as own:
            sending = own.execute("SELECT count(*) FROM provider_request WHERE status='sending'")
            waiting = own.execute(
                "SELECT count(*) FROM transfer WHERE direction='withdrawal' "
                "AND status IN ('processing', 'sent')"
            )
            return int(sending.fetchone()[0]) + int(waiting.fetchone()[0])

    def end(self) -> None:
        for program in (self.gateway, self.provider):
            program.signal(signal.SIGTERM)
            assert program.process is not None
            program.process.wait(30)


def deposit_command(address: str, account: str, amount: str, key: str) -> list[str]:
    command = [sys.executable, "-m", "chainteller", "deposit", account, amount]
    return [*command, "--url", address, "--idempotency-key", key]


def run_killed(
    command: list[str], home: dict[str, str], seconds: float, is_late: Callable[[float], bool]
) -> str:
    """Kill a command after some seconds, and run it again until it has an answer or it's late."""
    first = subprocess.Popen(command, env=home, stdout=_NOWHERE, stderr=_NOWHERE)
    time.sleep(seconds)
    first.kill()
    first.wait()
    began = time.monotonic()
    while not is_late(began):
        ended = subprocess.run(command, env=home, stdout=_NOWHERE, stderr=_NOWHERE, check=False)
        if ended.returncode in _ENDINGS:
            return _ENDINGS[ended.returncode]
    return "no answer"


def required(answer: Any) -> Any:
    """An answer that the runs rest on. Raises RuntimeError where it's an error."""
    if "error" in answer:
        raise RuntimeError(f"The set-up failed: {answer}")
    return answer


def make_runs(run: Callable[[], str], most: int, until: float) -> Counter[str]:
    """Run up to ``most`` times, while it isn't ``until`` yet; how often there was which fault."""
    faults: Counter[str] = Counter()
    while faults.total() < most and time.monotonic() < until:
        began = time.monotonic()
        fault = run()
        faults[fault] += 1
        sys.stderr.write(f"{faults.total()}: {fault}, {time.monotonic() - began:.0f} s\n")
        sys.stderr.flush()
    return faults


@contextlib.contextmanager
def read(file: Path) -> Iterator[sqlite3.Connection]:
    with contextlib.closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as found:
        yield found


def compare(folder: Path, made: list[Wish]) -> Counter[str]:
    """Compare the books of both sides, with SQLite alone."""
    with read(folder / "provider" / "bank.db") as theirs:
        moved = theirs.execute("SELECT direction, amount FROM transfer")
        there = Counter((direction, int(amount)) for direction, amount in moved)
        sold = theirs.execute("SELECT sold FROM trade")
        there += Counter(("trade", int(each)) for (each,) in sold)
    with read(folder / "home" / "data" / "bank.db") as ours:
        rows = ours.execute("SELECT operation, status, call FROM provider_request").fetchall()
        quotes = dict(ours.execute("SELECT id, sold FROM quote").fetchall())
        never = ours.execute(
            "SELECT direction, amount, status FROM transfer WHERE status IN ('reviewing', "
            "'processing', 'rejected', 'cancelled')"
        ).fetchall()
    here: dict[tuple[str, int], str] = {}
    for operation, status, text in rows:
        call = json.loads(text)
        place = _place(operation, call, quotes)
        if place is not None:
            here[place] = status
    here |= {(direction, int(amount)): "not sent" for direction, amount, status in never}
    found: Counter[str] = Counter()
    for wish in made:
        place = wish.kind, wish.cents
        count, status = there[place], here.get(place, "not asked")
        found[f"gateway: {status}"] += 1
        found["executed twice"] += count > 1
        found["answered as done, not there"] += wish.answer in _TOLD_DONE and count == 0
        found["lost: done here, not there"] += status == "done" and count == 0
        found["done there, denied here"] += count > 0 and status in (
            "refused", "notDone", "not sent", "not asked"
        )  # fmt: skip
        found["unknown, done there"] += status == "unknown" and count == 1
        found["settled as an answer says"] += status == "done" and count == 1
    return found


_WRONG = (
    "executed twice",
    "answered as done, not there",
    "lost: done here, not there",
    "done there, denied here",
)


def _place(operation: str, call: Any, quotes: dict[str, str]) -> tuple[str, int] | None:
    if operation in ("deposit", "withdraw"):
        cents = round(float(call["request"]["amount"]) * 100)
        return ("deposit" if operation == "deposit" else "withdrawal"), cents
    if operation == "execute_quote" and call["ids"][0] in quotes:
        return "trade", int(quotes[call["ids"][0]])
    return None


def main(folder: str, runs: str = "20", seed: str = "1", seconds: str = "inf") -> int:
    began = time.monotonic()
    trial = Trial(Path(folder), int(seed))
    faults = make_runs(trial.run, int(runs), began + float(seconds))
    trial.settle()
    found = compare(trial.folder, trial.made)
    trial.end()
    wrong = any(found[each] for each in _WRONG)
    told = {
        "seed": int(seed),
        "runs": faults.total(),
        "requests": len(trial.made),
        "faults": faults,
        "answers": Counter(each.answer for each in trial.made),
        "seconds": round(time.monotonic() - began),
        "found": dict(sorted(found.items())),
    }
    sys.stdout.write(json.dumps(told, indent=2) + "\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
