"""Serve a spec-only deployment: ``python -m tests.spec_only FOLDER [PORT [QUOTE_WINDOW_S]]``.

It runs until it is interrupted, on the machine's clock, with the sample bank accounts DDA-1 to
DDA-20 in ``FOLDER/bank.db``. The first line says its address, the second an API key, the third a
blockchain account of DDA-1's trading account, which nobody can open through the specification.
"""

import signal
import sys
import threading
from pathlib import Path

from tests.spec_only.server import SpecOnlyApp
from tests.world.bank import build, sqlite_url
from tests.world.serving import deployment

from chainteller.api.listening import Address, url_of
from chainteller.api.server import Server
from chainteller.domain.clock import SystemClock
from chainteller.domain.options import EngineOptions
from chainteller.service.interface import Service
from chainteller.service.models.accounts import OpenTradingAccount
from chainteller.service.models.counterparties import OpenBlockchainAccount


def main(folder: str, port: str = "0", window_s: str = "300") -> int:
    Path(folder).mkdir(parents=True, exist_ok=True)
    options = EngineOptions(
        rate_limits=False, fill_delay_s=2, settle_delay_s=2, quote_window_s=float(window_s)
    )
    world = build(sqlite_url(Path(folder)), clock=SystemClock(), options=options)
    behind = deployment(world)
    listener, key = Address(port=int(port)).listen(), world.key()
    lines = [url_of(listener), key, _blockchain_account(world.engine)]
    announced = threading.Event()

    def announce() -> None:
        if not announced.is_set():
            sys.stdout.write("\n".join(lines) + "\n")
            sys.stdout.flush()
            announced.set()

    app = SpecOnlyApp(behind)
    server = Server(app, announce)
    behind.start()
    try:
        server.run([listener])
    finally:
        app.threads.shutdown(wait=False, cancel_futures=True)
        behind.stop()
    return 130 if server.ended_by == signal.SIGINT else 0


def _blockchain_account(bank: Service) -> str:
    found = bank.blockchain_accounts().data
    if found:
        return found[-1].id
    opened = OpenTradingAccount(bank_account_id="DDA-1", bank_account_type="checking")
    owner = bank.open_trading_account(opened).value.id
    asked = OpenBlockchainAccount(trading_account_id=owner, network="ethereum")
    return bank.open_blockchain_account(asked).value.id


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
