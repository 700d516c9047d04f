"""A process that deposits until it is refused, if asked without root's rights."""

import os
import signal
import sys
import tempfile
from pathlib import Path

from tests.world.files import KEYS

from chainteller.adapters.prices_simulated import SimulatedPrices
from chainteller.adapters.venue_simulated import SimulatedVenue
from chainteller.domain.clock import SystemClock
from chainteller.domain.randomness import SystemRandomness
from chainteller.engine.engine import Engine, EngineContext
from chainteller.service.errors import ServiceUnavailable
from chainteller.service.models.funding import Currency, DepositRequest
from chainteller.storage.database import open_database
from chainteller.storage.upkeep import maintenance

NOBODY = 65_534


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main(path: str, account: str) -> None:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    request = DepositRequest(
        amount="1.00", currency=Currency(type="deposit-token-currency", id="DPT_USD")
    )
    report = maintenance.check(f"sqlite:///{path}")
    say(f"healthy: {report.healthy}, {report.journal_mode}")
    database = open_database(f"sqlite:///{path}", KEYS)
    try:
        database.require_writable()
    except ServiceUnavailable as error:
        say(f"not ready: {error.details['reason']}")
    engine = Engine(
        EngineContext(
            database, SystemClock(), SystemRandomness(), SimulatedPrices("1"), SimulatedVenue("1")
        )
    )
    try:
        for _ in range(1_000):
            engine.deposit(account, request)
            say("done")
    except ServiceUnavailable as error:
        say(str(error.details["reason"]))
    engine.token_balances(account)
    engine.deposits(account)
    say("reads go on")
    if os.geteuid() == NOBODY:
        with tempfile.TemporaryDirectory() as folder:
            maintenance.backup(database, Path(folder) / "copy.db")
        say("backed up")


if __name__ == "__main__":
    if sys.argv[3:] == ["as-nobody"]:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
    main(sys.argv[1], sys.argv[2])
