"""Rows before the engine: they are shown at once, and what is typed then waits for the engine."""

import asyncio
import threading

from tests.tui.conftest import Bench, seen, settle

from chainteller.storage.first_page import first_accounts
from chainteller.tui.app import Console
from chainteller.tui.start import StartedDesk


async def test_keys_typed_over_the_first_rows_wait_for_the_engine(bench: Bench) -> None:
    account = bench.open(1, deposit="100.00")
    file = bench.world.bank.database.path
    assert file is not None
    go = threading.Event()

    def start() -> StartedDesk:
        go.wait(20)
        return StartedDesk(bench.service, "test bank", bench.service.capabilities())

    look = bench.console(glimpse=lambda rows: first_accounts(file, rows)).desk.look
    app = Console(start, look)
    async with app.run_test(size=(100, 30)) as pilot:
        for _ in range(200):
            await asyncio.sleep(0.02)
            if account.bank_account_id in seen(app):
                break
        assert account.bank_account_id in seen(app)
        assert app.desk.started is None
        app.simulate_key("d")
        await asyncio.sleep(0.1)
        assert "deposit into" not in seen(app)
        go.set()
        await settle(pilot)
        for _ in range(200):
            await asyncio.sleep(0.02)
            if "deposit into" in seen(app):
                break
        assert "deposit into" in seen(app)
