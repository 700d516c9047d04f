"""The box with the words for the customer follows the record that it's about."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise, permutations
from typing import Any, TypeVar

import pytest
from tests.tui.conftest import Bench, press, seen, settle, until
from textual.pilot import Pilot

from chainteller.domain.trades import TradeStatus
from chainteller.domain.transfers import TransferStatus
from chainteller.service.layers import Next, layered
from chainteller.service.models.funding import Currency, Transfer, WithdrawalRequest
from chainteller.service.models.pages import Page
from chainteller.service.models.quotes import ExecuteRequest, QuoteRequest
from chainteller.service.models.trades import Trade
from chainteller.service.operations import Call
from chainteller.tui.console.app import Console
from chainteller.tui.dialogs.live_text import LiveText
from chainteller.tui.trades.screen import TradesScreen
from chainteller.tui.widgets.lines import Lines

Answer = TypeVar("Answer")
Kind = type[Trade] | type[Transfer]


@dataclass
class Showing:
    """A layer under which every record of a kind has a status."""

    kind: Kind
    status: str

    def __call__(self, call: Call[Answer], onward: Next) -> Answer:
        found: Any = onward(call)
        if isinstance(found, self.kind):
            found = self._changed(found)
        elif isinstance(found, Page) and all(isinstance(each, self.kind) for each in found.data):
            found = found.model_copy(update={"data": tuple(map(self._changed, found.data))})
        return found  # type: ignore[no-any-return]  # as it came, or of the same model

    def _changed(self, record: Any) -> Any:
        return record.model_copy(update={"status": self.status})


def bought(bench: Bench) -> None:
    account = bench.open(1, deposit="500.00")
    asked = QuoteRequest(amount="50.00", side="buy", trading_account_id=account.id)
    quote = bench.service.create_quote("sol-usd", asked).value
    bench.service.execute_quote(quote.id, ExecuteRequest(trading_account_id=account.id))


def withdrawn(bench: Bench) -> None:
    account = bench.open(1, deposit="500.00")
    currency = Currency(type="deposit-token-currency", id="DPT_USD")
    bench.service.withdraw(account.id, WithdrawalRequest(amount="50.00", currency=currency))


async def changed(pilot: Pilot[None]) -> None:
    app = pilot.app
    assert isinstance(app, Console)
    app.desk.on_change.publish(("trade.updated",))
    await settle(pilot)


CASES: list[tuple[Kind, Sequence[str], str, Callable[[Bench], None]]] = [
    (Trade, tuple(TradeStatus), "4", bought),
    (Transfer, tuple(TransferStatus), "6", withdrawn),
]


@pytest.mark.parametrize("every_pair", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("kind", "statuses", "key", "arrange"), CASES, ids=["trades", "transfers"])
async def test_from_one_state_to_another_only_what_is_true_is_said(
    bench: Bench,
    kind: Kind,
    statuses: Sequence[str],
    key: str,
    arrange: Callable[[Bench], None],
    every_pair: bool,
) -> None:
    arrange(bench)
    layer = Showing(kind, statuses[0])
    app = bench.console(layered(bench.service, layer))
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, key)
        texts: dict[str, str] = {}
        for status in statuses:
            layer.status = status
            await changed(pilot)
            texts[status] = app.screen.customer_text()  # type: ignore[attr-defined]  # a desk's screen
        assert len(set(texts.values())) > 2
        for before, after in permutations(statuses, 2) if every_pair else pairwise(statuses):
            if not texts[before] or not texts[after] or texts[before] == texts[after]:
                continue
            layer.status = before
            await changed(pilot)
            await press(pilot, "t")
            box = app.screen
            assert isinstance(box, LiveText)
            assert "SAY NOW" not in seen(app)
            layer.status = after
            await changed(pilot)
            box._look()
            await settle(pilot)
            false, _, true = _body(app).partition("SAY NOW")
            assert _words(texts[after]) in _words(true)
            assert _words(texts[before]) not in _words(true)
            assert _words(f"no longer true {texts[before]}") in _words(false)
            await press(pilot, "t")
            await until(lambda: app.clipboard == texts[after])  # noqa: B023 - it's awaited here
            told = [each.text for each in app.desk.customer.told]
            assert told[-2:] == [texts[before], texts[after]]
            await press(pilot, "escape")


async def test_it_closes_when_another_record_is_selected(bench: Bench) -> None:
    bought(bench)
    account = bench.service.trading_accounts().data[0]
    asked = QuoteRequest(amount="60.00", side="buy", trading_account_id=account.id)
    quote = bench.service.create_quote("sol-usd", asked).value
    bench.service.execute_quote(quote.id, ExecuteRequest(trading_account_id=account.id))
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "4", "t")
        assert isinstance(app.screen, LiveText)
        behind = app.screen_stack[-2]
        assert isinstance(behind, TradesScreen)
        behind.move_cursor(1)
        await until(lambda: app.screen is behind)


def _body(app: Console) -> str:
    """The text of the box, line by line."""
    return app.screen.query_one(Lines).plain_text


def _words(text: str) -> str:
    return " ".join(text.split())
