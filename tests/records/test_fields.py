"""The field lists: they agree with their models, and every interface shows what they say."""

import json
import string
import subprocess
import sys
import tomllib
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.records.reference import LISTS, problems, reference
from tests.world.waiting import PATIENCE_S

from chainteller.domain.clock import from_datetime
from chainteller.records.accounts import ACCOUNT, CUSTOMER
from chainteller.records.fields import TEXT, Field, FieldList, FieldsInvalid
from chainteller.records.markets import MARKET
from chainteller.records.trades import QUOTE, TRADE
from chainteller.records.transfers import DEPOSIT, WITHDRAWAL, transfer_fields
from chainteller.records.wallets import CHALLENGE, SMALL_TRANSFER, WALLET
from chainteller.service.models.accounts import BankAccount, Customer, TradingAccount
from chainteller.service.models.base import WireModel
from chainteller.service.models.funding import Transfer, TransferCurrency
from chainteller.service.models.quotes import AssetAmount, Fees
from chainteller.service.models.trades import Trade
from chainteller.tui import exports
from chainteller.tui.widgets.paged_list import Column
from chainteller.tui.widgets.record_lines import RecordColumns, fact_lines

ROOT = Path(__file__).parents[2]
CREATED = datetime(2026, 11, 20, 12, 9, tzinfo=UTC)
NOW = from_datetime(CREATED) + 90_000_000
SOLD = Trade(
    id="TXN_1",
    status="processing",
    market="sol-usd",
    side="sell",
    price="201.30",
    amount="12.5",
    created=CREATED,
    updated=CREATED,
    asset_sold=AssetAmount(symbol="SOL", network="solana", amount="12.5"),
    asset_bought=AssetAmount(symbol="USD", network="fiat", amount="2506.25"),
    fees=Fees(flat="0.50", bps=10, total="3.00", currency="USD"),
)


class Held(WireModel):
    id: str
    amount: str


@pytest.mark.parametrize("fields", LISTS, ids=lambda fields: fields.kind)
def test_a_field_list_agrees_with_its_model(fields: FieldList[Any]) -> None:
    assert problems(fields) == []


def test_a_field_of_nothing_and_a_forgotten_attribute_are_told_in_a_sentence() -> None:
    fields: FieldList[Held] = FieldList(
        "held",
        "-",
        (Field("venue", "venue", TEXT), Field("id", "id", TEXT)),
        wire_only=("gone",),
    )
    assert problems(fields, Held) == [
        "held: the field 'venue' reads 'venue', which Held does not have",
        "held: 'gone' is for programs alone, but Held does not have it",
        "held: Held has 'amount', which is in no field and not in wire_only",
    ]


def test_a_list_refuses_a_column_that_is_no_field_and_a_name_used_twice() -> None:
    one: Field[Held] = Field("id", "id", TEXT)
    with pytest.raises(FieldsInvalid, match="held: there is no field 'venue'"):
        FieldList("held", "-", (one,), table=("id", "venue"))
    with pytest.raises(FieldsInvalid, match="held: declared twice: id"):
        FieldList("held", "-", (one, one))
    with pytest.raises(FieldsInvalid, match="trade: there is no field 'venue'"):
        RecordColumns(TRADE, {"venue": Column("", 4)})


def test_the_reference_is_the_generated_one() -> None:
    written = (ROOT / "docs" / "reference" / "records.md").read_text(encoding="utf-8")
    again = "python -m tests.records.reference > docs/reference/records.md"
    assert written == reference(), f"out of date: {again}"


def test_the_lists_of_the_console_load_no_models() -> None:
    code = (
        "import sys, chainteller.records.accounts, chainteller.records.trades\n"
        "print([name for name in sys.modules if 'pydantic' in name or 'service' in name])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=PATIENCE_S, check=True
    )
    assert done.stdout.strip() == "[]"


def test_every_value_of_a_customers_text_is_a_field_that_may_be_told() -> None:
    texts = tomllib.loads((ROOT / "sample_data" / "customer_texts.toml").read_text())
    given = {"account": {"bank", "now"}}
    lists: dict[str, FieldList[Any]] = {
        "trade": TRADE,
        "quote": QUOTE,
        "deposit": DEPOSIT,
        "withdrawal": WITHDRAWAL,
        "market": MARKET,
        "account": ACCOUNT,
        "wallet": WALLET,
    }
    challenge = {field.spoken_as for field in CHALLENGE.fields}
    given["wallet"] = (
        {"bank", "link"} | challenge | {field.spoken_as for field in SMALL_TRANSFER.fields}
    )
    for group, fields in lists.items():
        told = {field.spoken_as for field in fields.fields} | given.get(group, {"bank"})
        for name, text in texts[group].items():
            used = {value for _, value, _, _ in string.Formatter().parse(text) if value}
            assert used <= told, f"{group}.{name}"


def test_amounts_are_grouped_on_screen_exact_elsewhere_and_name_a_chain_only() -> None:
    bought = TRADE["asset_bought"]
    assert bought.line(SOLD, NOW) == ("2,506.25 USD", "good")
    assert bought.plain(SOLD) == bought.exact(SOLD) == "2506.25 USD"
    assert bought.spoken(SOLD) == "2,506.25 USD"
    assert TRADE["asset_sold"].exact(SOLD) == "12.5 SOL on solana"
    assert TRADE["price"].plain(SOLD) == "201.30 USD"
    assert TRADE["price"].column(SOLD) == "201.30"


def test_times_are_to_the_second_for_commands_exact_in_receipts_and_short_in_lists() -> None:
    created = TRADE["created"]
    assert created.plain(SOLD) == "2026-11-20T12:09:00Z"
    assert created.exact(SOLD) == "2026-11-20T12:09:00.000000Z"
    assert created.cell(SOLD, NOW)[0] == "12:09:00"


def test_an_open_trade_tells_how_long_it_waits_and_an_ended_one_does_not() -> None:
    assert TRADE["status"].line(SOLD, NOW)[0] == "[>] processing 1m30s SLOW"
    assert TRADE["status"].cell(SOLD, NOW)[0] == "[>] processing 1m SLOW"
    ended = SOLD.model_copy(update={"status": "settled"})
    assert TRADE["status"].line(ended, NOW)[0] == "[ok] settled"


def test_what_is_unknown_is_left_out_but_keeps_its_place_in_lists_and_receipts() -> None:
    assert "quote" not in dict(TRADE.facts(SOLD))
    assert dict(TRADE.receipt(SOLD))["quote"] == ""
    assert TRADE["quote_id"].cell(SOLD, NOW) == ("-", "")
    shown = "\n".join(line.plain for line in fact_lines(TRADE, SOLD, NOW))
    assert "pays  12.5 SOL" in shown
    assert "quote" not in shown


def test_no_more_is_told_to_a_customer_than_what_is_marked_for_it() -> None:
    assert TRADE.spoken(SOLD) == {
        "asset": "SOL",
        "side": "sell",
        "price": "201.30 USD",
        "gives": "12.5 SOL",
        "gets": "2,506.25 USD",
        "fee": "3.00 USD",
        "created": TRADE["created"].spoken(SOLD),
    }


def test_a_deposit_token_is_dollars_to_people() -> None:
    transfer = Transfer(
        type="deposit-transaction",
        id="TXN_2",
        status="completed",
        amount="1000.00",
        currency=TransferCurrency(type="deposit-token-currency", symbol="BUSD1", network="bank"),
    )
    assert transfer_fields(transfer) is DEPOSIT
    assert DEPOSIT.spoken(transfer) == {"amount": "1,000.00 USD"}
    assert ("deposit", "TXN_2") in DEPOSIT.facts(transfer)
    withdrawal = transfer.model_copy(update={"type": "withdrawal-transaction"})
    assert transfer_fields(withdrawal) is WITHDRAWAL


def test_private_names_and_amounts_are_told_apart() -> None:
    account = TradingAccount(
        id="TDA_1",
        bank_account_id="DDA-1",
        bank_account_type="checking",
        customer_name="Ada Example",
        buying_power="12.50",
    )
    assert ACCOUNT.private_names(account) == ["Ada Example"]
    assert ACCOUNT.private_amounts(account) == ["12.50"]
    assert set(TRADE.private_amounts(SOLD)) == {"12.5", "2506.25", "3.00"}
    bank_account = BankAccount(id="DDA-1", type="checking", balance="7.00", trading_account_id=None)
    customer = Customer(
        id="CUS_1",
        name="Ada Example",
        reference="1",
        kyc_level="basic",
        terms_accepted=True,
        controls=(),
        bank_accounts=(bank_account,),
    )
    assert CUSTOMER.private_names(customer) == ["Ada Example"]
    assert CUSTOMER.private_amounts(customer) == ["7.00"]


class Matched(Trade):
    """A trade with one more field."""

    venue_reference: str | None = None


def test_a_new_field_is_in_every_interface_with_its_model_and_its_list_alone() -> None:
    fields: FieldList[Matched] = FieldList(
        TRADE.kind,
        "-",
        (
            *TRADE.fields,
            Field("venue_reference", "venue reference", TEXT, spoken="venue"),
        ),
        wire_only=TRADE.wire_only,
    )
    trade = Matched.model_validate({**SOLD.model_dump(), "venue_reference": "VEN-1"})
    shown = [line.plain for line in fact_lines(fields, trade, NOW)]
    assert problems(fields, Matched) == []
    assert shown[-1] == "venue reference  VEN-1"
    assert fields.facts(trade)[-1] == fields.receipt(trade)[-1] == ("venue reference", "VEN-1")
    assert fields.spoken(trade)["venue"] == "VEN-1"
    assert json.loads(trade.to_json())["venueReference"] == "VEN-1"
    assert "venueReference,VEN-1" in exports.record_csv(trade).splitlines()
    columns = RecordColumns(fields, {"venue_reference": Column("", 9, tone="muted")})
    assert columns.columns[0].title == "VENUE REFERENCE"
    assert columns.cells(trade, NOW) == (("VEN-1", "muted"),)
