"""Part A of the specification: opening, funding, quoting, executing, cancelling, withdrawing."""

import pytest
from tests.contract.conftest import Place

from chainteller.records.formats import short_id
from chainteller.service.errors import (
    Conflict,
    ExceedsPrecision,
    InsufficientFunds,
    KycRequired,
    NotFound,
    QuoteAccountMismatch,
    QuoteAlreadyUsed,
    QuoteExpired,
    ServiceError,
    TermsNotAccepted,
    TradeNotCancellable,
    UnsupportedAccountType,
    UnsupportedMarket,
    ValidationFailed,
)
from chainteller.service.interface import Service
from chainteller.service.models.accounts import OpenTradingAccount, TradingAccount
from chainteller.service.models.funding import Currency, DepositRequest, WithdrawalRequest
from chainteller.service.models.pages import ListQuery
from chainteller.service.models.quotes import ExecuteRequest, Quote, QuoteRequest

TOKEN = Currency(type="deposit-token-currency", id="DPT_USD")
USDC = Currency(type="stablecoin-currency", symbol="USDC", network="solana")


def opened(service: Service, number: int = 1, kind: str = "checking") -> TradingAccount:
    request = OpenTradingAccount(bank_account_id=f"DDA-{number}", bank_account_type=kind)
    return service.open_trading_account(request).value


def funded(service: Service, amount: str = "5000.00") -> TradingAccount:
    account = opened(service)
    service.deposit(account.id, DepositRequest(amount=amount, currency=TOKEN))
    return account


def quoted(service: Service, amount: str = "1000.00", side: str = "buy") -> Quote:
    return service.create_quote("sol-usd", QuoteRequest(amount=amount, side=side)).value


def executed_at(service: Service, quote: Quote, account: TradingAccount) -> str:
    request = ExecuteRequest(trading_account_id=account.id)
    return service.execute_quote(quote.id, request).value.id


def test_opens_a_trading_account_for_a_bank_account(service: Service) -> None:
    written = service.open_trading_account(
        OpenTradingAccount(bank_account_id="DDA-1", bank_account_type="checking")
    )
    assert written.created
    assert not written.replayed
    assert written.value.id.startswith("TDA_")
    assert service.trading_account(written.value.id).bank_account_id == "DDA-1"


@pytest.mark.parametrize(
    ("bank_account", "kind", "error"),
    [
        ("DDA-404", "checking", NotFound),
        ("ODA-1", "checking", NotFound),
        ("DDA-1", "savings", UnsupportedAccountType),
        ("DDA-98", "savings", TermsNotAccepted),
        ("DDA-99", "checking", KycRequired),
    ],
)
def test_refuses_to_open_what_may_not_trade(
    service: Service, bank_account: str, kind: str, error: type[ServiceError]
) -> None:
    with pytest.raises(error):
        service.open_trading_account(
            OpenTradingAccount(bank_account_id=bank_account, bank_account_type=kind)
        )


def test_names_the_open_account_of_a_bank_account(service: Service) -> None:
    account = opened(service)
    with pytest.raises(Conflict) as refused:
        opened(service)
    assert refused.value.details["id"] == account.id


def test_a_deposit_can_be_traded_at_once(service: Service) -> None:
    account = opened(service)
    deposit = service.deposit(account.id, DepositRequest(amount="250.00", currency=USDC)).value
    assert deposit.status == "completed"
    assert service.deposit_record(account.id, deposit.id) == deposit
    balances = {b.token.symbol: b.amount for b in service.token_balances(account.id).data}
    assert balances == {"USDC": "250.00"}


@pytest.mark.parametrize(
    ("amount", "error"),
    [
        ("0", ValidationFailed),
        ("-1", ValidationFailed),
        ("1e3", ValidationFailed),
        (" 1", ValidationFailed),
        ("", ValidationFailed),
        ("٣", ValidationFailed),
        ("1" * 39, ValidationFailed),
        ("1.001", ExceedsPrecision),
        ("99999999.00", InsufficientFunds),
    ],
)
def test_refuses_amounts_that_cannot_be(
    service: Service, amount: str, error: type[ServiceError]
) -> None:
    account = opened(service)
    with pytest.raises(error):
        service.deposit(account.id, DepositRequest(amount=amount, currency=TOKEN))


def test_a_quote_is_executed_settles_and_pays(place: Place) -> None:
    service = place.service
    account = funded(service)
    quote = quoted(service)
    trade = service.execute_quote(quote.id, ExecuteRequest(trading_account_id=account.id)).value
    assert (trade.status, trade.price, trade.quote_id) == ("processing", quote.price, quote.id)
    place.world.advance(11)
    assert service.trade(account.id, trade.id).status == "executed"
    place.world.advance(21)
    settled = service.trade(account.id, trade.id)
    assert settled.status == "settled"
    balances = {b.token.symbol: b.amount for b in service.token_balances(account.id).data}
    assert balances["SOL"] == quote.asset_bought.amount
    assert balances["BUSD1"] == "4000.00"


def test_executes_a_quote_once(service: Service) -> None:
    account, quote = funded(service), quoted(service)
    first = executed_at(service, quote, account)
    with pytest.raises(QuoteAlreadyUsed) as refused:
        executed_at(service, quote, account)
    assert refused.value.details["tradeId"] == first


def test_refuses_an_expired_quote(place: Place) -> None:
    account, quote = funded(place.service), quoted(place.service)
    place.world.advance(300)
    place.world.advance(0.000001)
    with pytest.raises(QuoteExpired) as refused:
        executed_at(place.service, quote, account)
    assert refused.value.details["quoteId"] == quote.id
    assert "suggestion" in refused.value.details


def test_refuses_a_quote_bound_to_another_account(service: Service) -> None:
    account, other = funded(service), opened(service, 3)
    request = QuoteRequest(amount="100.00", side="buy", trading_account_id=other.id)
    quote = service.create_quote("sol-usd", request).value
    with pytest.raises(QuoteAccountMismatch):
        executed_at(service, quote, account)


def test_refuses_to_execute_without_funds(service: Service) -> None:
    account, quote = funded(service, "10.00"), quoted(service)
    with pytest.raises(InsufficientFunds) as refused:
        executed_at(service, quote, account)
    assert refused.value.details["available"] == "10.00"
    assert refused.value.details["required"] == "1000.00"
    assert refused.value.details["currency"] == "USD"


def test_a_cancelled_trade_gives_everything_back_and_is_answered_again(service: Service) -> None:
    account = funded(service)
    before = service.token_balances(account.id)
    trade_id = executed_at(service, quoted(service), account)
    cancelled = service.cancel_trade(account.id, trade_id).value
    assert cancelled.status == "cancelled"
    assert service.cancel_trade(account.id, trade_id).value == cancelled
    assert service.token_balances(account.id) == before


def test_refuses_to_cancel_what_has_executed(place: Place) -> None:
    account = funded(place.service)
    trade_id = executed_at(place.service, quoted(place.service), account)
    place.world.advance(11)
    with pytest.raises(TradeNotCancellable) as refused:
        place.service.cancel_trade(account.id, trade_id)
    assert refused.value.details["status"] == "executed"


def test_a_withdrawal_to_the_bank_goes_out(place: Place) -> None:
    service = place.service
    account = funded(service)
    request = WithdrawalRequest(amount="100.00", currency=TOKEN)
    withdrawal = service.withdraw(account.id, request).value
    assert withdrawal.status == "processing"
    place.world.advance(60)
    place.world.advance(60)
    assert service.withdrawal_record(account.id, withdrawal.id).status == "completed"


def test_a_withdrawal_can_be_cancelled_before_it_leaves(service: Service) -> None:
    account = funded(service)
    before = service.token_balances(account.id)
    request = WithdrawalRequest(amount="100.00", currency=TOKEN)
    withdrawal = service.withdraw(account.id, request).value
    assert service.cancel_withdrawal(account.id, withdrawal.id).value.status == "cancelled"
    assert service.token_balances(account.id) == before


def test_markets_can_be_picked_by_name_and_unknown_ones_are_absent(service: Service) -> None:
    assert {m.market_name for m in service.markets().data} == {"sol-usd", "btc-usd", "eth-usd"}
    picked = service.markets(("btc-usd", "no-such"))
    assert [market.market_name for market in picked.data] == ["btc-usd"]
    assert service.market("btc-usd") == picked.data[0]
    assert len(service.prices("btc-usd").data) > 100
    for call in (service.market, service.prices):
        with pytest.raises(UnsupportedMarket):
            call("no-such")


def test_a_quote_takes_either_case_and_answers_in_lower(service: Service) -> None:
    assert quoted(service, side="BUY").side == "buy"
    with pytest.raises(ValidationFailed):
        quoted(service, side="hold")


@pytest.mark.parametrize(
    "strange", ["TDA_0000000000000000000000", "nonsense", "a/b", "..", "%2e", "x" * 300, "ö", " "]
)
def test_an_impossible_id_is_not_found_like_an_unknown_one(service: Service, strange: str) -> None:
    with pytest.raises(NotFound):
        service.trading_account(strange)
    with pytest.raises(NotFound):
        service.token_balances(strange)
    with pytest.raises(NotFound):
        service.quote(strange)
    with pytest.raises(NotFound):
        service.deposit(strange, DepositRequest(amount="1.00", currency=TOKEN))


def test_lists_are_paged_newest_first(place: Place) -> None:
    service = place.service
    account = opened(service)
    made = []
    for number in range(5):
        place.world.advance(1)
        request = DepositRequest(amount=f"{number + 1}.00", currency=TOKEN)
        made.append(service.deposit(account.id, request).value.id)
    page = service.deposits(account.id, ListQuery(page=2, limit=2))
    assert [deposit.id for deposit in page.data] == [made[2], made[1]]
    assert (page.pagination.total, page.pagination.page, page.pagination.limit) == (5, 2, 2)
    past = service.deposits(account.id, ListQuery(page=9, limit=2))
    assert (past.data, past.pagination.total) == ((), 5)
    oldest = service.deposits(account.id, ListQuery(sort="created", limit=1))
    assert oldest.data[0].id == made[0]
    assert service.deposits(account.id, ListQuery(limit=500)).pagination.limit == 100


@pytest.mark.parametrize(
    "query", [ListQuery(page=0), ListQuery(limit=0), ListQuery(sort="amount"), ListQuery(page=-1)]
)
def test_refuses_a_page_that_cannot_be(service: Service, query: ListQuery) -> None:
    account = opened(service)
    with pytest.raises(ValidationFailed):
        service.deposits(account.id, query)
    with pytest.raises(ValidationFailed):
        service.trading_accounts(query)


def test_filters_narrow_a_list(service: Service) -> None:
    account = funded(service)
    kept = executed_at(service, quoted(service), account)
    dropped = executed_at(service, quoted(service), account)
    service.cancel_trade(account.id, dropped)
    processing = service.trades(account.id, ListQuery(status="processing"))
    assert [trade.id for trade in processing.data] == [kept]
    assert service.trades(account.id, ListQuery(market="btc-usd")).data == ()
    assert len(service.all_trades(ListQuery(side="buy")).data) == 2
    assert {t.id for t in service.transactions(account.id).data} >= {kept, dropped}
    assert service.transaction(account.id, kept) == service.trade(account.id, kept)


def test_every_kind_of_transaction_is_found_by_its_id_alone(service: Service) -> None:
    account, other = funded(service), opened(service, 3)
    deposited = service.deposit(other.id, DepositRequest(amount="9.00", currency=TOKEN)).value
    traded = executed_at(service, quoted(service), account)
    withdrawn = service.withdraw(other.id, WithdrawalRequest(amount="1.00", currency=TOKEN)).value
    assert service.transaction_by_id(traded) == service.trade(account.id, traded)
    for moved in (withdrawn, deposited):
        assert service.transaction_by_id(moved.id) == service.transaction(other.id, moved.id)
    for unknown in ("TXN_NOBODY", account.id, "no id at all"):
        with pytest.raises(NotFound):
            service.transaction_by_id(unknown)


def test_transfers_of_all_accounts_are_found_by_what_an_agent_types(service: Service) -> None:
    one, other = funded(service), opened(service, 7)
    big = service.deposit(other.id, DepositRequest(amount="1234.50", currency=TOKEN)).value
    small = service.deposit(other.id, DepositRequest(amount="12.00", currency=TOKEN)).value
    out = service.withdraw(other.id, WithdrawalRequest(amount="12.00", currency=TOKEN)).value

    def found(text: str, **more: str) -> set[str]:
        asked = ListQuery.model_validate({"text": text, **more})
        return {each.id for each in service.all_transfers(asked).data}

    everything = service.all_transfers()
    assert everything.pagination.total == len(everything.data) == 4
    oldest_first = service.all_transfers(ListQuery(sort="created")).data
    assert [each.id for each in oldest_first] == [each.id for each in everything.data][::-1]
    assert found("1,234.50") == found("1234.5") == {big.id}
    assert found("12") == found("12.00 customer 7") == {small.id, out.id}
    assert found("12", type="withdrawal-transaction") == {out.id}
    for text in (big.id, big.id.lower(), short_id(big.id), big.id[-6:]):
        assert found(text) == {big.id}
    for text in ("DDA-7", "dda-7", "Customer 7", "REF-DDA-7", other.id):
        assert found(text) == {big.id, small.id, out.id}
    assert found("", trading_account_id=one.id) == {service.deposits(one.id).data[0].id}
    assert found("", status="completed") >= {big.id, small.id}
    for text in ("12.00 customer 8", "%", "_", "..", "12.000000000000000000001", "\\"):
        assert found(text) == set()
    with pytest.raises(ValidationFailed):
        service.all_transfers(ListQuery(type="trade-execution-transaction"))


def test_accounts_and_customers_are_found_by_what_an_agent_types(service: Service) -> None:
    account = opened(service, 7)
    found = service.trading_accounts(ListQuery(text="Customer 7"))
    assert [each.id for each in found.data] == [account.id]
    by_bank = service.trading_accounts(ListQuery(bank_account_id="DDA-7"))
    assert [each.id for each in by_bank.data] == [account.id]
    [customer] = service.customers(ListQuery(text="REF-DDA-7")).data
    assert customer.bank_accounts[0].trading_account_id == account.id


def test_limits_name_every_class_of_destination(service: Service) -> None:
    account = opened(service)
    assert {rule.period_seconds for rule in service.limits(account.id).data} >= {0, 86_400}


def test_foreign_records_are_not_found(place: Place) -> None:
    account = funded(place.service)
    trade_id = executed_at(place.service, quoted(place.service), account)
    deposit_id = place.service.deposits(account.id).data[0].id
    quote = quoted(place.service)
    foreign = place.stranger
    for call in (
        lambda: foreign.trading_account(account.id),
        lambda: foreign.token_balances(account.id),
        lambda: foreign.limits(account.id),
        lambda: foreign.trades(account.id),
        lambda: foreign.trade(account.id, trade_id),
        lambda: foreign.transaction_by_id(trade_id),
        lambda: foreign.transaction_by_id(deposit_id),
        lambda: foreign.cancel_trade(account.id, trade_id),
        lambda: foreign.quote(quote.id),
        lambda: foreign.execute_quote(quote.id, ExecuteRequest(trading_account_id=account.id)),
        lambda: foreign.deposit(account.id, DepositRequest(amount="1.00", currency=TOKEN)),
    ):
        with pytest.raises(NotFound):
            call()
    assert foreign.trading_accounts().data == ()
    assert foreign.all_trades().data == ()
    assert foreign.all_transfers().data == ()
    assert foreign.all_transfers(ListQuery(text=deposit_id)).data == ()
    assert foreign.quotes().data == ()
    seen = foreign.audit(ListQuery(text=account.id)).data
    assert {row.organisation for row in seen} == {"other"}
    assert all(event.resource != account.id for event in foreign.events().data)
    assert foreign.audit(ListQuery(trading_account_id=account.id)).data == ()
