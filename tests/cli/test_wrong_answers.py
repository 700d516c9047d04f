"""Commands on a deployment that answers wrongly: each fault is named, nothing untrue is printed.

The answers of one call are wrong; the command that sends this call is run.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from starlette.types import Receive, Scope, Send
from tests.cli.conftest import Teller
from tests.spec_only.place import spec_only_server
from tests.spec_only.server import SpecOnlyApp
from tests.spec_only.specification import SpecifiedCall
from tests.spec_only.wrong_answers import CALLS, FORTY_DIGITS, PASSED_ON, SILENT, WRONG, wrong
from tests.tui.wallet_case import ADDRESSES
from tests.world.bank import World, build, sqlite_url
from tests.world.serving import deployment, served

from chainteller.api.app import App
from chainteller.service.models.accounts import OpenTradingAccount
from chainteller.service.models.quotes import QuoteRequest

UNTRUE = ("SOMEBODY", FORTY_DIGITS, "999,999,999,999", "It works!", "TDA_OTHER", "CPT_OTHER")


@dataclass
class Desk:
    """Commands in this process on a spec-only deployment, with a trade to ask about."""

    world: World
    app: SpecOnlyApp
    run: Teller
    account: str
    trade: str

    def trades(self) -> int:
        return self.world.engine.trades(self.account).pagination.total


@pytest.fixture
def desk(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch, teller: Teller
) -> Iterator[Desk]:
    world = build(sqlite_url(tmp_path))
    with spec_only_server(world) as (address, app):
        monkeypatch.setenv("CHAINTELLER_API_KEY", world.key())
        monkeypatch.setenv("CHAINTELLER_URL", address)
        opened = teller("accounts", "open", "DDA-1", "--type", "checking", "--json")
        account = opened.body["id"]
        teller("deposit", account, "5000")
        made = teller(*_buying(account), "--json")
        yield Desk(world, app, teller, account, made.body["id"])
    world.engine.close()


def _buying(account: str) -> tuple[str, ...]:
    return ("trade", "buy", "sol-usd", "--spend", "10", "--account", account, "--yes")


def _register(_desk: Desk) -> tuple[str, ...]:
    return ("wallets", "register", ADDRESSES["bob-ethereum"], "--network", "ethereum")


QUOTE, EXECUTE = "POST /trading/markets/{}/quotes", "POST /trading/quotes/{}"
COMMANDS: Mapping[str, Callable[[Desk], tuple[str, ...]]] = {
    "POST /trading-accounts": lambda _: ("accounts", "open", "DDA-2", "--type", "savings"),
    "POST /trading-accounts/{}/deposits": lambda desk: ("deposit", desk.account, "5"),
    "POST /trading-accounts/{}/withdrawals": lambda desk: ("withdraw", desk.account, "5", "--yes"),
    "GET /trading-accounts/{}/token-balances": lambda desk: ("accounts", "balances", desk.account),
    "GET /trading/markets": lambda _: ("markets",),
    QUOTE: lambda desk: _buying(desk.account),
    EXECUTE: lambda desk: _buying(desk.account),
    "GET /trading-accounts/{}/trades": lambda desk: ("trades", "list", desk.account),
    "GET /trading-accounts/{}/trades/{}": lambda desk: ("trades", "show", desk.account, desk.trade),
    "POST /trading-accounts/{}/trades/{}/cancellations": lambda desk: (
        "trades", "cancel", desk.account, desk.trade
    ),
    "POST /counterparties": _register,
}  # fmt: skip
FAULTS = [each for each in WRONG if each != SILENT]


def _cases() -> list[object]:
    """All are slow but those of one fault for each call, in turn."""
    return [
        pytest.param(name, fault, marks=() if place == turn % len(FAULTS) else pytest.mark.slow)
        for turn, name in enumerate(COMMANDS)
        for place, fault in enumerate(FAULTS)
    ]


@pytest.mark.forms(3)
@pytest.mark.parametrize(("name", "fault"), _cases())
def test_a_wrong_answer_is_named_and_prints_nothing_untrue(
    desk: Desk, name: str, fault: str
) -> None:
    desk.app.distort = wrong(fault, CALLS[name])
    done = desk.run(*COMMANDS[name](desk))
    said = done.out + done.err
    if name in PASSED_ON.get(fault, ()):
        return
    assert [each for each in UNTRUE if each in said] == []
    assert done.out == ""
    code, named = (4, "OUTCOME_UNKNOWN") if name.startswith("POST") else (1, "REPLY_UNUSABLE")
    assert done.code == code
    assert done.err.count(f"{named}: ") == 1


def test_a_lost_quote_is_asked_for_again_as_a_new_one(desk: Desk) -> None:
    """It moves nothing, and a deployment that forgets keys answers with another one."""
    desk.app.distort = wrong("HTML", CALLS[QUOTE])
    words = ("quote", "sol-usd", "buy", "10", "--account", desk.account)
    done = desk.run(*words)
    assert done.code == 4
    assert f"Next: chainteller {' '.join(words)}\n" in done.err
    assert "--idempotency-key" not in done.err
    assert "second time" not in done.err


# -- terms -----------------------------------------------------------------------------------------


def _spoil(desk: Desk, name: str, change: Callable[[Any], Any]) -> None:
    def distort(call: SpecifiedCall, _status: int, body: Any) -> bytes:
        return json.dumps(change(body) if call is CALLS[name] else body).encode()

    desk.app.distort = distort


def _of_first(body: Any, **fields: object) -> Any:
    return body | {"data": [body["data"][0] | fields]}


def test_a_quote_for_another_amount_is_not_executed(desk: Desk) -> None:
    sold = {"symbol": "USD", "network": "fiat", "amount": "1000.00"}
    _spoil(desk, QUOTE, lambda body: _of_first(body, assetSold=sold))
    before = desk.trades()
    done = desk.run(*_buying(desk.account))
    assert done.code == 1
    assert "REPLY_MISMATCH: The quote is for buy sol-usd 1,000.00 USD, not for buy" in done.err
    assert done.out == ""
    assert desk.trades() == before


OTHER_TERMS = {"price": "1.00", "amount": "60.0", "market": "btc-usd", "side": "sell"}


@pytest.mark.parametrize("name", OTHER_TERMS)
@pytest.mark.parametrize("in_one_line", [True, False])
def test_a_trade_with_other_terms_than_its_quote_is_named(
    desk: Desk, name: str, *, in_one_line: bool
) -> None:
    """Also where the quote was asked for by an earlier command."""
    words = _buying(desk.account)
    if not in_one_line:
        asked = ("quote", "sol-usd", "buy", "10", "--account", desk.account, "--json")
        words = ("execute", desk.run(*asked).body["data"][0]["id"], "--account", desk.account)
    _spoil(desk, EXECUTE, lambda body: body | {name: OTHER_TERMS[name]})
    done = desk.run(*words)
    assert done.code == 4
    assert "OUTCOME_MISMATCH: It was sent, and the reply is about" in done.err
    assert "--idempotency-key" in done.err
    assert done.out == ""


# -- another account's records ---------------------------------------------------------------------


class DeafToFilters(App):
    """Our own service, which ignores what a list is asked to be filtered by."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await super().__call__({**scope, "query_string": b""}, receive, send)


def test_a_list_with_quotes_of_another_account_is_refused(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch, teller: Teller
) -> None:
    world = build(sqlite_url(tmp_path))
    mine, other = (
        world.engine.open_trading_account(
            OpenTradingAccount(bank_account_id=bank_account_id, bank_account_type=kind)
        ).value.id
        for bank_account_id, kind in (("DDA-1", "checking"), ("DDA-2", "savings"))
    )
    asked = QuoteRequest(amount="100.00", side="buy", trading_account_id=other)
    quote_id = world.engine.create_quote("sol-usd", asked).value.id
    with served(deployment(world), kind=DeafToFilters) as address:
        monkeypatch.setenv("CHAINTELLER_API_KEY", world.key())
        monkeypatch.setenv("CHAINTELLER_URL", address)
        assert quote_id in teller("quotes", "list").out
        listed = teller("quotes", "list", mine)
    world.engine.close()
    assert listed.code == 1
    assert (
        f"REPLY_MISMATCH: The reply is about quote {quote_id} of {other}, not {mine}." in listed.err
    )
    assert listed.out == ""
