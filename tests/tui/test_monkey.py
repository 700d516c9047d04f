"""Keys and window sizes at random: nothing that is typed or dragged may end the console."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.tui.conftest import Bench, make_bench, settle
from textual.events import Resize
from textual.geometry import Size

from chainteller.domain.randomness import SeededRandomness, below
from chainteller.service.models.quotes import ExecuteRequest, QuoteRequest
from chainteller.tui.app import Console

KEYS = (
    *"12345", *"0bsdwxXCynmprtcevzofaq+/:?!hjkl.", *"123456789", "enter", "escape", "tab",
    "shift+tab", "up", "down", "left", "right", "pageup", "pagedown", "home", "end", "backspace",
    "delete", "ctrl+p", "ctrl+f", "f1", "f9", "space", "ctrl+a", "ctrl+u", "ctrl+w", "ctrl+c",
)  # fmt: skip
SIZES = ((1, 1), (2, 2), (40, 1), (1, 40), (59, 15), (60, 16), (80, 24), (110, 30), (300, 100))
PLAIN = {"plus": "+", "/": "slash", ":": "colon", "?": "question_mark", "!": "exclamation_mark"}
BATCH = 20


@pytest.fixture
def peopled(tmp_path: Path) -> Iterator[Bench]:
    for bench in make_bench(tmp_path):
        for number in range(1, 8):
            bench.open(number, deposit="500.00")
        yield bench


def _trade(bench: Bench) -> None:
    """Money moves and the worker has work while keys are hit."""
    (account, *_) = bench.service.trading_accounts().data
    asked = QuoteRequest(amount="1.00", side="buy", trading_account_id=account.id)
    quote = bench.service.create_quote("sol-usd", asked).value
    bench.service.execute_quote(quote.id, ExecuteRequest(trading_account_id=account.id))


def _resize(app: Console, chosen: int, randomness: SeededRandomness) -> None:
    width, height = (
        SIZES[chosen]
        if chosen < len(SIZES)
        else (
            1 + below(randomness, 300),
            1 + below(randomness, 100),
        )
    )
    assert app._driver is not None
    app._driver._size = (width, height)
    app.post_message(Resize(Size(width, height), Size(width, height)))


async def _play(bench: Bench, seed: str, keys: int, resizes: int) -> int:
    """How many keys were hit before the console ended by itself; ``keys`` when it never did."""
    randomness = SeededRandomness(f"monkey {seed}")
    app = bench.console(poll_interval_s=0.2)
    every = max(1, keys // BATCH // resizes)
    async with app.run_test(size=(100, 30), notifications=True, tooltips=True) as pilot:
        await settle(pilot)
        leave, app.exit = app.exit, _stay  # type: ignore[method-assign]  # the palette can quit
        for batch in range(keys // BATCH):
            for _ in range(BATCH):
                key = KEYS[below(randomness, len(KEYS))]
                app.simulate_key(PLAIN.get(key, key))
            if batch % every == 0:
                _resize(app, below(randomness, 2 * len(SIZES)), randomness)
            if batch % 40 == 0:
                _trade(bench)
                bench.world.advance(11)
            await asyncio.sleep(0)
            await pilot._wait_for_screen(timeout=30)
            assert app.is_running, f"{app._exception!r} after {batch * BATCH} keys"
        assert app._exception is None
        leave()
    return keys


def _stay(*_: object, **__: object) -> None:
    """A monkey finds ``quit`` in the palette sooner or later; that is no fault."""


async def test_random_keys_and_sizes_never_end_the_console(peopled: Bench) -> None:
    assert await _play(peopled, "quick", keys=400, resizes=20) == 400


@pytest.mark.slow
@pytest.mark.parametrize("seed", ["1", "2", "3", "4", "5"])
async def test_a_long_storm_of_keys_and_sizes_never_ends_the_console(
    peopled: Bench, seed: str
) -> None:
    assert await _play(peopled, seed, keys=20_000, resizes=500) == 20_000
