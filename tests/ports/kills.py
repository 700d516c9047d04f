"""Kill and stop a server and the bank's other systems at random, and compare the books of both:
``python -m tests.ports.kills FOLDER [RUNS [SEED [SECONDS [DATABASE]]]]``.

In each run, clients make deposits, withdrawals to the bank and to a verified wallet, and trades,
and repeat what isn't answered with the same key. One deposit is made by a command, which is killed
as well and run again with its key. SECONDS are as in ``tests.gateway.kills``. The
server's database is a SQLite file, or the empty one of PostgreSQL whose URL is given, or a new one
for ``postgresql``. Then both databases are read without any code of the server: what the server
calls done was carried out once, what it calls failed or cancelled wasn't, what was carried out is
done or unknown in the server's books, and the core bank's balance is what these add up to.
"""

import contextlib
import json
import os
import random  # noqa: TID251 - faults, from a seed
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import psycopg
from tests.gateway.kills import (
    PATIENCE_S,
    SET_UP_S,
    TOKEN,
    Program,
    deposit_command,
    free_port,
    make_runs,
    read,
    required,
    run_killed,
)
from tests.postgres import PostgresServer, start_bundled

from chainteller.wallets.simulated import SampleWallet, sample_wallets

_CLIENTS = 6
_FIRST_CENTS = 1_000_000
_FAULTS = ("kill server", "kill bank", "stop bank", "kill both")
_ROOT = Path(__file__).parents[2]
_CONFIG = """
[ports]
core_bank = "http://127.0.0.1:{port}/core-bank"
custody = "http://127.0.0.1:{port}/custody"
screening = "http://127.0.0.1:{port}/screening"
venue = "http://127.0.0.1:{port}/venue"
{keys}
[gateway]
settle_after_s = 2
[engine]
fill_delay_s = 0
settle_delay_s = 0
withdrawal_delay_s = 0
[service]
rate_limits = "off"
"""
_SYSTEMS = ("core_bank", "custody", "screening", "venue")


@dataclass
class Trial:
    """A server and the bank's systems in a folder, and the clients of a run."""

    folder: Path
    seed: int
    database: str = ""
    asked: Counter[str] = field(default_factory=Counter)
    made: int = 0
    patience_s: float = SET_UP_S

    def __post_init__(self) -> None:
        self.random = random.Random(self.seed)  # noqa: S311 - faults
        self.up, self.up_since = threading.Event(), time.monotonic()
        self.up.set()
        home, ports = self.folder / "home", (free_port(), free_port())
        home.mkdir(parents=True)
        key = self.folder / "key"
        key.touch(0o600)
        key.write_text("secret")
        keys = "\n".join(f'{each}_key_file = "{key}"' for each in _SYSTEMS)
        (home / "config.toml").write_text(_CONFIG.format(port=ports[0], keys=keys))
        example = str(Path(__file__).with_name("bank.py"))
        self.bank = Program(
            [sys.executable, example, str(self.folder / "other.db"), str(ports[0]), "secret"],
            ports[0], dict(os.environ), self.folder / "other.log",
        )  # fmt: skip
        self.environment = os.environ | {"CHAINTELLER_HOME": str(home)}
        if self.database:
            self.environment["CHAINTELLER_DATABASE"] = self.database
        serve = [sys.executable, "-m", "chainteller", "serve", "--log", "-", "--port"]
        self.server = Program(
            [*serve, str(ports[1])], ports[1], self.environment, self.folder / "server.log"
        )
        self.bank.start()
        self.server.start()
        self.address = f"http://127.0.0.1:{ports[1]}"
        self.key = self._run("keys", "create", "--name", "system").strip()
        opened = {"bankAccountId": "ACC-1", "bankAccountType": "checking"}
        self.account = str(self.set_up("/trading-accounts", "open", opened))
        self.fund(40_000)
        self.wallet = self._verified_wallet()
        self.patience_s = PATIENCE_S

    def _run(self, *arguments: str, stdin: str = "", is_judged: bool = True) -> str:
        command = [sys.executable, "-m", "chainteller", *arguments]
        found = subprocess.run(
            command,
            env=self.environment,
            input=stdin,
            capture_output=True,
            text=True,
            check=is_judged,
        )
        return found.stdout

    def fund(self, cents: int) -> None:
        for currency in (TOKEN, _USDC):
            self.deposit(cents, currency)
        self.settle()

    def deposit(self, cents: int, currency: Any) -> None:
        self.made += 1
        body = {"amount": _amount(cents), "currency": currency}
        path = f"/trading-accounts/{self.account}/deposits"
        self.asked[self.call("POST", path, f"d{self.made}", body).get("status", "refused")] += 1

    def _verified_wallet(self) -> dict[str, str]:
        sample = _sample()
        body = {"tradingAccountId": self.account, "network": "ethereum"}
        custody = self.set_up("/blockchain-accounts", "bca", body)
        wallet = {"address": sample.address.display, "network": "ethereum"}
        found = self.set_up("/counterparties", "cpt", wallet)
        below = f"/blockchain-accounts/{custody}/1P-counterparty-ownership"
        asked = required(self.call("POST", f"{below}-challenges", "chg", {"counterpartyId": found}))
        signature = self._run(
            "wallets", "sign", "--sample", sample.name, stdin=json.dumps(asked)
        ).strip()
        claim = {
            "challengeId": asked["id"], "completedChallenge": signature, "counterpartyId": found
        }  # fmt: skip
        proof = self.set_up(f"{below}-claims", "clm", claim)
        linked = {**wallet, "ownershipClaimId": proof}
        required(self.call("POST", f"/blockchain-accounts/{custody}/counterparties", "lnk", linked))
        return {"type": "counterparty", "counterpartyId": found, "blockchainAccountId": custody}

    # -- clients ----------------------------------------------------------------------------------

    def set_up(self, path: str, key: str, body: Any) -> str:
        """The id of a record that every run needs."""
        return str(required(self.call("POST", path, key, body))["id"])

    def _is_late(self, began: float) -> bool:
        """Whether both programs were up for long enough to answer."""
        return self.up.is_set() and time.monotonic() > max(began, self.up_since) + self.patience_s

    def call(self, method: str, path: str, key: str, body: Any = None) -> Any:
        """Repeat a request with its key until it has an answer that says something."""
        headers = {"Authorization": f"Bearer {self.key}", "Idempotency-Key": key}
        began = time.monotonic()
        while True:
            with contextlib.suppress(httpx.HTTPError):
                reply = httpx.request(
                    method, self.address + path, json=body, headers=headers, timeout=15
                )
                told = reply.json()
                if told.get("error") not in ("SERVICE_UNAVAILABLE", "IDEMPOTENCY_IN_PROGRESS"):
                    return told
            if self._is_late(began):
                return {"error": "NO_ANSWER"}
            time.sleep(0.3)

    def run_command(self, number: int, seconds: float) -> None:
        """Make a deposit by a command that is killed, and run again until it has an answer."""
        command = deposit_command(self.address, self.account, _amount(500 + number), f"c{number}")
        secret = self.environment | {"CHAINTELLER_API_KEY": self.key}
        self.asked[f"command: {run_killed(command, secret, seconds, self._is_late)}"] += 1

    def carry_out(self, kind: str, number: int) -> None:
        cents, path = 500 + number, f"/trading-accounts/{self.account}/withdrawals"
        key, body = f"{kind}{number}", {"amount": _amount(cents), "currency": TOKEN}
        if kind == "deposit":
            self.deposit(cents, TOKEN)
            return
        if kind == "trade":
            quote = {"amount": _amount(cents), "side": "buy"}
            quotes = self.call("POST", "/trading/markets/sol-usd/quotes?side=buy", f"q{key}", quote)
            if "data" not in quotes:
                return
            path = f"/trading/quotes/{quotes['data'][0]['id']}"
            body = {"tradingAccountId": self.account}
        elif kind == "wallet":
            body |= {"currency": _USDC, "destination": self.wallet}
        told = self.call("POST", path, key, body)
        self.asked[told.get("status") or told["error"]] += 1

    # -- a run ------------------------------------------------------------------------------------

    def run(self) -> str:
        clients = []
        for _ in range(_CLIENTS):
            self.made += 1
            kind = self.random.choice(("deposit", "bank", "wallet", "trade"))
            clients.append(threading.Thread(target=self.carry_out, args=(kind, self.made)))
        self.made += 1
        killed_after_s = self.random.uniform(0.4, 2.5)
        command = threading.Thread(target=self.run_command, args=(self.made, killed_after_s))
        clients.append(command)
        fault = self.random.choice(_FAULTS)
        for client in clients:
            client.start()
        time.sleep(self.random.uniform(0, 1.5))
        self.up.clear()
        if fault == "stop bank":
            self.bank.signal(signal.SIGSTOP)
            time.sleep(self.random.choice((0.5, 2, 7)))
            self.bank.signal(signal.SIGCONT)
        killed = [
            each
            for each, name in ((self.bank, "bank"), (self.server, "server"))
            if fault in (f"kill {name}", "kill both")
        ]
        for each in killed:
            each.kill()
        for each in killed:
            each.start()
        self.up_since = time.monotonic()
        self.up.set()
        for client in clients:
            client.join()
        return fault

    def settle(self) -> None:
        """Wait until nothing is under way any more."""
        until = time.monotonic() + 120
        while time.monotonic() < until and self._under_way():
            time.sleep(0.3)

    def _under_way(self) -> int:
        with read_own(self.folder, self.database) as own:
            rows = own.execute(
                "SELECT count(*) FROM (SELECT status FROM provider_request UNION ALL "
                "SELECT status FROM transfer UNION ALL SELECT status FROM trade) "
                "WHERE status IN ('sending', 'processing', 'sent', 'executed')"
            )
            return int(next(iter(rows))[0])

    def end(self) -> str:
        for program in (self.server, self.bank):
            program.signal(signal.SIGTERM)
            if program.process is not None:
                program.process.wait(30)
        return self._run("db", "verify", "--json", is_judged=False)


_USDC = {"type": "stablecoin-currency", "symbol": "USDC", "network": "ethereum"}


def _sample() -> SampleWallet:
    wallets = sample_wallets(_ROOT / "sample_data" / "wallets.toml")
    return next(each for each in wallets if each.name == "erin-ethereum")


def _amount(cents: int) -> str:
    return f"{cents // 100}.{cents % 100:02}"


def read_own(folder: Path, database: str) -> AbstractContextManager[Any]:
    """A connection to the server's database."""
    return psycopg.connect(database) if database else read(folder / "home" / "data" / "bank.db")


def compare(folder: Path, database: str) -> Counter[str]:
    """Compare the books of both sides."""
    with read_own(folder, database) as own:
        ours = dict(
            own.execute("SELECT id, status FROM transfer UNION SELECT id, status FROM trade")
        )
        cents = dict(own.execute("SELECT id, notional_cents FROM transfer").fetchall())
    with read(folder / "other.db") as other:
        theirs = other.execute("SELECT key, kind, answer FROM request").fetchall()
        (balance,) = other.execute("SELECT cents FROM account WHERE id = 'ACC-1'").fetchone()
    done: dict[str, str] = {}
    found: Counter[str] = Counter()
    expected = _FIRST_CENTS
    for key, kind, text in theirs:
        record, status = key.partition(".")[0], json.loads(text)["status"]
        found["carried out twice"] += record in done
        if status != "refused":
            done[record] = kind
            sign = {"debits": -1, "credits": 1}.get(kind, 0)
            expected += sign * int(cents.get(record, 0))
        ending = ours.get(record, "missing")
        carried_out = ending in ("completed", "settled", "unknown")
        found["lost: done there, not here"] += status != "refused" and not carried_out
    for record, status in ours.items():
        found[f"here: {status}"] += 1
        found["booked here, not done there"] += (
            status in ("completed", "settled", "executed", "sent") and record not in done
        )
    found["cents that the core bank's balance is off"] = abs(balance - expected)
    return found


WRONG = (
    "carried out twice",
    "lost: done there, not here",
    "booked here, not done there",
    "cents that the core bank's balance is off",
)


def main(
    folder: str, runs: str = "20", seed: str = "1", seconds: str = "inf", database: str = ""
) -> int:
    if database == "postgresql":
        server = start_bundled()
        try:
            return main(folder, runs, seed, seconds, PostgresServer(server.url).fresh())
        finally:
            server.remove()
    began = time.monotonic()
    trial = Trial(Path(folder), int(seed), database)
    faults = make_runs(trial.run, int(runs), began + float(seconds))
    trial.settle()
    verified = trial.end()
    found = compare(trial.folder, database)
    told = {
        "seed": int(seed),
        "runs": faults.total(),
        "faults": faults,
        "answers": trial.asked,
        "seconds": round(time.monotonic() - began),
        "found": dict(sorted(found.items())),
        "verify": json.loads(verified),
    }
    sys.stdout.write(json.dumps(told, indent=2) + "\n")
    return 1 if any(found[each] for each in WRONG) or not told["verify"]["ok"] else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
