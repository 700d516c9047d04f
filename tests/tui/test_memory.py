"""Memory: a console that has ended is freed, also while another one runs in the same process."""

import asyncio
import gc
import weakref

from tests.tui.conftest import Bench, settle

from chainteller.tui.console.app import Console


async def _ended(bench: Bench) -> "weakref.ref[Console]":
    app = bench.console()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
    return weakref.ref(app)


async def test_a_console_that_has_ended_is_freed(bench: Bench) -> None:
    # The process's threads for calls start with the first console and keep its standard error.
    await asyncio.create_task(_ended(bench))
    second = await asyncio.create_task(_ended(bench))
    await asyncio.create_task(_ended(bench))
    gc.collect()
    assert second() is None
