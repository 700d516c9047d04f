"""What customers are told: plain words, complete, and nothing of ours in it."""

import re
import string
import time
import tomllib
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from chainteller.domain.trades import TradeStatus
from chainteller.domain.transfers import DEPOSIT_TRANSITIONS, WITHDRAWAL_TRANSITIONS
from chainteller.records.formats import both_times
from chainteller.service import errors
from chainteller.service.error_codes import ERRORS
from chainteller.service.models.accounts import TradingAccount
from chainteller.service.models.funding import Transfer, TransferCurrency
from chainteller.service.models.quotes import AssetAmount
from chainteller.service.models.trades import Trade
from chainteller.tui.customer_texts import CustomerTexts
from chainteller.tui.failures import BANK_FUNDS, TO_ASK_AGAIN, TO_TRADE, TO_WITHDRAW, explain

FILE = Path(__file__).parents[2] / "sample_data" / "customer_texts.toml"
TEXTS = {
    f"{group}.{name}": " ".join(text.split())
    for group, texts in tomllib.loads(FILE.read_text()).items()
    for name, text in texts.items()
}
CODE = re.compile(
    r"\b[A-Z]{2,}(_[A-Z]+)+\b|\b(TDA|TXN|QTE|CPT|CHG|CLM|BCA|CUS|DDA)\b|API|HTTP|\bbps\b|KYC"
    r"|idempoten|counterparty|challenge\b|ledger|backend|JSON|timeout|null",
    re.IGNORECASE,
)
MONEY = {"amount", "gives", "gets", "price", "fee"}
"""Filled with amount and currency together (``records.formats.money``)."""
TIMES = {"created", "completed_at", "settled_at", "cancelled_at", "expires", "until", "at", "now"}
WORDS = {"bank", "side", "asset", "network", "end", "currency", "recipient", "link"}
INTERNAL = {
    "METHOD_NOT_ALLOWED",
    "UNSUPPORTED_MEDIA_TYPE",
    "PAYLOAD_TOO_LARGE",
    "MALFORMED_REQUEST",
    "CASE_REQUIRED",
    "ROLE_REQUIRED",
    "CHECKPOINT_REFUSED",
    "CANNOT_LISTEN",
    "AUDIT_CONTRADICTED",
    "WITNESS_FAILED",
    "SIGNING_KEYS_UNUSABLE",
    "SIGN_IN_REQUIRED",
}
"""A desk never sends what these refuse, or it's a matter of the bank and no customer's business;
``INTERNAL_ERROR``'s text stands in for them."""


@pytest.mark.parametrize("name", sorted(TEXTS))
def test_a_text_is_plain_words(name: str) -> None:
    text = TEXTS[name]
    assert not CODE.search(re.sub(r"\{\w+\}", "", text))
    assert text.endswith((".", "?"))
    assert len(text) < 400
    assert max(len(word) for word in text.split()) < 20
    assert not re.search(r"\d", re.sub(r"\{\w+\}", "", text))


@pytest.mark.parametrize("name", sorted(TEXTS))
def test_every_amount_has_its_currency_and_every_name_is_known(name: str) -> None:
    text = TEXTS[name]
    names = {field for _, field, _, _ in string.Formatter().parse(text) if field}
    bare = {field for field in ("available", "required") if f"{{{field}}}" in text}
    if name.startswith("account."):
        bare.discard("available")
    assert all(f"{{{field}}} {{currency}}" in text for field in bare)
    assert names <= MONEY | TIMES | WORDS | {"available", "required"}


def test_every_state_has_its_text() -> None:
    wanted = {f"trade.{status}" for status in TradeStatus}
    wanted |= {f"deposit.{status}" for status in DEPOSIT_TRANSITIONS}
    wanted |= {f"withdrawal.{status}" for status in WITHDRAWAL_TRANSITIONS}
    wanted |= {f"account.{control}" for control in ("FROZEN", "SELL_ONLY", "DORMANT", "CLOSED")}
    wanted |= {f"quote.{state}" for state in ("live", "expired", "executed", "unknown")}
    wanted |= {"account.open", "market.open", "market.closed", "market.closed_until"}
    assert wanted <= set(TEXTS)


def _below(kind: type[errors.ClientError]) -> set[type[errors.ClientError]]:
    return {each for child in kind.__subclasses__() for each in (child, *_below(child))}


def test_every_refusal_has_its_text_and_no_text_is_for_a_code_that_does_not_exist() -> None:
    told = {name.partition(".")[2] for name in TEXTS if name.startswith("refusal.")}
    told -= {BANK_FUNDS, TO_ASK_AGAIN, TO_TRADE, TO_WITHDRAW}
    of_the_desk = {kind.code for kind in _below(errors.ClientError)}
    assert (set(ERRORS) | of_the_desk) - told == INTERNAL
    assert told <= set(ERRORS) | of_the_desk


@pytest.mark.parametrize(
    "code",
    ["OUTCOME_UNKNOWN", "OUTCOME_MISMATCH", "PROVIDER_UNANSWERED", "IDEMPOTENCY_IN_PROGRESS",
     "INTERNAL_ERROR", "VALIDATION_ERROR"],
)  # fmt: skip
def test_what_any_request_may_be_refused_with_calls_none_an_order(code: str) -> None:
    assert "request" in TEXTS[f"refusal.{code}"]
    assert "order" not in TEXTS[f"refusal.{code}"]


@pytest.mark.parametrize(
    ("currency", "doing", "told_as"),
    [
        ("USD", "execution", BANK_FUNDS),
        ("SOL", "execution", TO_TRADE),
        ("USD", "withdrawal", TO_WITHDRAW),
        ("SOL", "withdrawal", TO_WITHDRAW),
    ],
)
def test_whose_money_is_short_is_told(currency: str, doing: str, told_as: str) -> None:
    """A bank account is never short of what a customer sells."""
    failure = explain(errors.InsufficientFunds("1.00", "2.00", currency), doing)
    assert failure.told_as == told_as
    assert ("bank account" in failure.sentences) == (told_as == BANK_FUNDS)


@pytest.fixture
def tokyo(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def test_times_are_given_in_utc_and_local_time(tokyo: None) -> None:
    moment = datetime(2026, 11, 20, 12, 9, tzinfo=UTC)
    assert both_times(moment) == "20 November 2026, 12:09 UTC (21:09 local)"


def test_a_deposit_is_told_with_amount_currency_and_time(tokyo: None) -> None:
    moment = datetime(2026, 11, 20, 12, 9, tzinfo=UTC)
    transfer = Transfer(
        type="deposit-transaction",
        id="TXN_1",
        status="completed",
        amount="1000.00",
        currency=TransferCurrency(type="deposit-token-currency", symbol="BUSD1"),
        completed_at=moment,
    )
    told = CustomerTexts.load(FILE).of_transfer(transfer, "Example Bank")
    assert "1,000.00 USD arrived on " in told
    assert told.endswith("20 November 2026, 12:09 UTC (21:09 local).")
    assert "TXN" not in told


@pytest.mark.parametrize("status", TradeStatus)
def test_a_sale_is_told_as_a_sale(status: TradeStatus) -> None:
    moment = datetime(2026, 11, 20, 12, 9, tzinfo=UTC)
    trade = Trade(
        id="TXN_1",
        status=status,
        market="sol-usd",
        side="sell",
        price="205.33",
        amount="2.5",
        created=moment,
        updated=moment,
        asset_sold=AssetAmount(symbol="SOL", network="solana", amount="2.5"),
        asset_bought=AssetAmount(symbol="USD", network="fiat", amount="510.76"),
        settled_at=moment,
        cancelled_at=moment,
    )
    told = CustomerTexts.load(FILE).of_trade(trade, "Example Bank")
    assert "to sell 2.5 SOL" in told or "to sell SOL" in told
    assert "sell SOL for" not in told
    assert "paid 2.5 SOL" not in told
    assert "your money is available" not in told
    assert ("205.33 USD per SOL" in told) == ("205.33" in told)


@pytest.mark.parametrize(("power", "said"), [("0.00", "no money to buy"), ("0.05", "0.05 USD")])
def test_nobody_is_offered_to_buy_for_nothing(power: str, said: str) -> None:
    account = TradingAccount(
        id="TDA_1",
        bank_account_id="DDA-1",
        bank_account_type="checking",
        buying_power=power,
        controls=[],
    )
    told = CustomerTexts.load(FILE).of_account(account, datetime(2026, 11, 20, tzinfo=UTC), "Bank")
    assert said in told
    assert ("for up to" in told) == (power != "0.00")


def test_an_unknown_control_or_refusal_still_has_words() -> None:
    texts = CustomerTexts.load(FILE)
    account = cast("Any", SimpleNamespace(controls=("NEW_KIND",), buying_power="1.00"))
    assert texts.of_account(account, datetime(2026, 11, 20, tzinfo=UTC), "B")
    assert texts.of_refusal("SOMETHING_NEW", {}, "B") == TEXTS["refusal.INTERNAL_ERROR"]


def test_no_text_about_a_restriction_says_that_it_cannot_be_lifted() -> None:
    """F lifts it, for those who may."""
    about = {name for name in TEXTS if name.startswith("account.")} | {"refusal.ACCOUNT_RESTRICTED"}
    assert [name for name in about if "from here" in TEXTS[name]] == []
