"""Every bad form of an amount, an id and a name: a named error, and nothing changed."""

from collections.abc import Callable

import pytest
from tests.refusals import details, refusal
from tests.world.engines import DPT, USDC_SOLANA, World

from chainteller.engine.verification.full_pass import verify
from chainteller.service.errors import ValidationFailed
from chainteller.service.models.accounts import OpenTradingAccount
from chainteller.service.models.base import RequestModel, read_request
from chainteller.service.models.funding import Currency, DepositRequest, WithdrawalRequest
from chainteller.service.models.pages import ListQuery
from chainteller.service.models.quotes import ExecuteRequest, QuoteRequest

BAD_AMOUNTS = {
    "negative": "-5.00",
    "zero": "0",
    "zero with decimals": "0.00",
    "exponent": "1e2",
    "NaN": "NaN",
    "infinity": "Infinity",
    "40 digits": "1" * 40,
    "blank": " ",
    "empty": "",
    "leading blank": " 5.00",
    "trailing blank": "5.00 ",
    "comma": "5,00",
    "Arabic digits": "\u0661\u0660\u0660",
    "sign": "+5.00",
    "currency sign": "$5.00",
    "NUL": "5\x00",
    "hexadecimal": "0x5",
}
TOO_PRECISE = {"deposit": "5.001", "withdrawal": "5.001", "quote": "5.001"}
ACTS: dict[str, Callable[[World, str], object]] = {
    "deposit": lambda world, amount: world.deposit(amount),
    "withdrawal": lambda world, amount: world.withdraw(amount),
    "quote": lambda world, amount: world.quote(amount),
}


def fingerprint(world: World) -> object:
    return world.balances(), world.bank_balance(), world.engine.transactions(world.account)


@pytest.mark.parametrize("act", ACTS)
@pytest.mark.parametrize("form", BAD_AMOUNTS)
def test_refuses_a_malformed_amount_and_repeats_none_of_it(
    world: World, act: str, form: str
) -> None:
    before = fingerprint(world)
    error = refusal(ACTS[act], world, BAD_AMOUNTS[form])
    assert error.code == "VALIDATION_ERROR"
    assert [found["field"] for found in error.details["errors"]] == ["amount"]
    assert BAD_AMOUNTS[form].strip() == "" or BAD_AMOUNTS[form] not in str(
        [found["code"] for found in error.details["errors"]]
    )
    assert fingerprint(world) == before


@pytest.mark.parametrize("act", ACTS)
def test_refuses_more_decimals_than_can_be_carried(world: World, act: str) -> None:
    before = fingerprint(world)
    error = refusal(ACTS[act], world, TOO_PRECISE[act])
    assert error.code == "EXCEEDS_PRECISION"
    assert details(error)["field"] == "amount"
    assert details(error)["maxDecimals"] == 2
    assert fingerprint(world) == before


def test_precision_is_that_of_the_asset_sold(world: World) -> None:
    error = refusal(world.quote, "1.0000000001", "sell")
    assert details(error) == {"field": "amount", "asset": "SOL", "maxDecimals": 9}
    assert world.quote("1.000000001", "sell").asset_sold.amount == "1.000000001"


@pytest.mark.parametrize("currency", [DPT, USDC_SOLANA])
def test_money_from_and_to_the_bank_has_whole_cents(world: World, currency: Currency) -> None:
    assert refusal(world.deposit, "1.005", currency).code == "EXCEEDS_PRECISION"
    assert refusal(world.withdraw, "1.005", currency).code == "EXCEEDS_PRECISION"


@pytest.mark.parametrize("amount", [5, 5.0, None, True, ["5"], {"value": "5"}])
@pytest.mark.parametrize("model", [DepositRequest, WithdrawalRequest, QuoteRequest])
def test_a_body_whose_amount_is_no_text_is_refused(
    amount: object, model: type[RequestModel]
) -> None:
    currency = {"type": "deposit-token-currency", "id": "DPT_USD"}
    more = {"side": "buy"} if model is QuoteRequest else {"currency": currency}
    with pytest.raises(ValidationFailed) as refused:
        read_request(model, {"amount": amount, **more})
    assert [found["field"] for found in refused.value.details["errors"]] == ["amount"]


def test_missing_and_unknown_fields_are_named() -> None:
    with pytest.raises(ValidationFailed) as refused:
        read_request(DepositRequest, {"amuont": "5.00"})
    found = {(each["field"], each["code"]) for each in refused.value.details["errors"]}
    assert found == {
        ("amount", "REQUIRED"),
        ("currency", "REQUIRED"),
        ("amuont", "UNKNOWN_FIELD"),
    }


IMPOSSIBLE_IDS = [
    "TDA_UNKNOWN",
    "QTE_7Q2M",
    "",
    " ",
    "../../etc/passwd",
    "TDA_" + "X" * 200,
    "TDA_\u0661",
    "tda_'; DROP TABLE trade; --",
    "\x00",
    "\ud800",
]


@pytest.mark.parametrize("identifier", IMPOSSIBLE_IDS)
def test_an_id_that_does_not_exist_is_not_found_whatever_its_form(
    world: World, identifier: str
) -> None:
    engine = world.engine
    quote = world.quote()
    acts: list[Callable[[], object]] = [
        lambda: engine.trading_account(identifier),
        lambda: engine.token_balances(identifier),
        lambda: engine.limits(identifier),
        lambda: engine.deposit(identifier, DepositRequest(amount="1.00", currency=DPT)),
        lambda: engine.withdraw(identifier, WithdrawalRequest(amount="1.00", currency=DPT)),
        lambda: engine.quote(identifier),
        lambda: engine.execute_quote(identifier, ExecuteRequest(trading_account_id=world.account)),
        lambda: engine.execute_quote(quote.id, ExecuteRequest(trading_account_id=identifier)),
        lambda: engine.trade(world.account, identifier),
        lambda: engine.cancel_trade(world.account, identifier),
        lambda: engine.cancel_withdrawal(world.account, identifier),
        lambda: engine.deposit_record(world.account, identifier),
        lambda: engine.withdrawal_record(world.account, identifier),
        lambda: engine.transaction(world.account, identifier),
        lambda: engine.open_trading_account(
            OpenTradingAccount(bank_account_id=identifier, bank_account_type="checking")
        ),
        lambda: world.quote(trading_account_id=identifier),
    ]
    for act in acts:
        assert refusal(act).code == "NOT_FOUND"
    assert verify(world.database) == ()


def test_text_that_is_no_unicode_is_refused_under_a_key_too(world: World) -> None:
    request = DepositRequest(amount="\ud800", currency=DPT)
    error = refusal(world.engine.deposit, world.account, request, idempotency_key="k")
    assert error.code == "VALIDATION_ERROR"


def test_an_id_of_another_kind_is_not_found(world: World) -> None:
    quote, trade = world.quote(), world.buy("10.00")
    deposit = world.deposit("1.00")
    assert refusal(world.engine.quote, trade.id).code == "NOT_FOUND"
    assert refusal(world.engine.trade, world.account, quote.id).code == "NOT_FOUND"
    assert refusal(world.engine.trade, world.account, deposit.id).code == "NOT_FOUND"
    assert refusal(world.engine.withdrawal_record, world.account, deposit.id).code == "NOT_FOUND"


@pytest.mark.parametrize("name", ["doge-usd", "SOL-USD", "sol", "", "sol-usd ", "\x00"])
def test_an_unknown_market_names_the_known_ones(world: World, name: str) -> None:
    error = refusal(world.quote, "10.00", market=name)
    assert (error.code, error.status) == ("UNSUPPORTED_MARKET", 404)
    assert error.details["supported"] == ["sol-usd", "btc-usd", "eth-usd"]


@pytest.mark.parametrize("side", ["banana", "", "b", "buysell", "\u0131"])
def test_a_side_is_buy_or_sell(world: World, side: str) -> None:
    error = refusal(world.quote, "10.00", side)
    assert (error.code, error.details["errors"][0]["field"]) == ("VALIDATION_ERROR", "side")


def test_sides_are_read_in_any_case(world: World) -> None:
    assert world.quote("10.00", "BUY").side == "buy"


def test_amount_of_is_sold_or_bought(world: World) -> None:
    error = refusal(world.quote, "10.00", amount_of="spent")
    assert error.details["errors"][0]["field"] == "amountOf"


@pytest.mark.parametrize(
    ("currency", "code"),
    [
        (Currency(type="deposit-token-currency", id="DPT_EUR"), "UNSUPPORTED_CURRENCY"),
        (Currency(type="deposit-token-currency"), "VALIDATION_ERROR"),
        (
            Currency(type="stablecoin-currency", symbol="USDT", network="solana"),
            "UNSUPPORTED_CURRENCY",
        ),
        (
            Currency(type="stablecoin-currency", symbol="USDC", network="bitcoin"),
            "UNSUPPORTED_NETWORK",
        ),
        (Currency(type="stablecoin-currency", symbol="USDC"), "VALIDATION_ERROR"),
        (
            Currency(type="stablecoin-currency", symbol="USDC", network="solana", id="DPT_USD"),
            "VALIDATION_ERROR",
        ),
        (
            Currency(type="crypto-currency", symbol="BTC", network="bitcoin"),
            "UNSUPPORTED_CURRENCY",
        ),
    ],
)
def test_a_currency_that_is_not_offered_is_named(
    world: World, currency: Currency, code: str
) -> None:
    assert refusal(world.deposit, "1.00", currency).code == code
    assert refusal(world.withdraw, "1.00", currency).code == code


@pytest.mark.parametrize(
    ("query", "field"),
    [
        (ListQuery(page=0), "page"),
        (ListQuery(page=-1), "page"),
        (ListQuery(page=2**53), "page"),
        (ListQuery(limit=0), "limit"),
        (ListQuery(sort="price"), "sort"),
        (ListQuery(created_gte="yesterday"), "filter[created][gte]"),
        (ListQuery(created_lt="2026-13-01T00:00:00Z"), "filter[created][lt]"),
    ],
)
def test_a_list_that_cannot_be_is_refused(world: World, query: ListQuery, field: str) -> None:
    error = refusal(world.engine.trades, world.account, query)
    assert error.details["errors"][0]["field"] == field


def test_a_page_past_the_end_is_empty_with_the_true_total(world: World) -> None:
    world.buy("10.00")
    for query in (ListQuery(page=7), ListQuery(page=7, status="processing")):
        page = world.engine.trades(world.account, query)
        assert (page.data, page.pagination.total, page.pagination.page) == ((), 1, 7)
    last = ListQuery(page=2**53 - 1, limit=100)
    assert world.engine.trades(world.account, last).data == ()
    assert world.engine.transactions(world.account, last).data == ()


def test_a_limit_above_the_maximum_is_coerced_and_echoed(world: World) -> None:
    assert world.engine.trades(world.account, ListQuery(limit=5_000)).pagination.limit == 100


@pytest.mark.parametrize("text", ["%", "_", "\\", "'", "\x00", "\ud800", "x" * 5_000, "\u202e"])
def test_odd_search_text_finds_nothing_and_breaks_nothing(world: World, text: str) -> None:
    for found in (
        world.engine.trading_accounts(ListQuery(text=text)),
        world.engine.customers(ListQuery(text=text)),
    ):
        assert found.pagination.total in (0, 1)
