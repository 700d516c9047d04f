"""One page per customer: all of theirs, nothing of anybody else's."""

from dataclasses import replace
from datetime import UTC, date, datetime
from typing import TypeVar

import pytest
from tests.deployments import SPEC_ONLY
from tests.tui.conftest import Bench, answer, press, seen, settle
from tests.tui.wallet_case import Case
from tests.world.customers import CustomerSeed, add_customers
from tests.world.files import sealed
from textual import events
from textual.pilot import Pilot

from chainteller.domain.ids import short
from chainteller.domain.periods import Days, said_days
from chainteller.service import operations as op
from chainteller.service.layers import Next, layered
from chainteller.service.models.accounts import OpenTradingAccount, TradingAccount
from chainteller.service.models.decisions import Approval, OpenDecision
from chainteller.service.models.funding import Currency, Destination, WithdrawalRequest
from chainteller.service.models.pages import ListQuery
from chainteller.service.models.quotes import ExecuteRequest, QuoteRequest
from chainteller.service.operations import Call
from chainteller.tui.customers.filter import Wanted, wanted
from chainteller.tui.customers.screen import CustomerPage
from chainteller.tui.queries import created_within

Answer = TypeVar("Answer")
SMALL, LARGE, HUGE = (80, 24), (120, 40), (200, 60)


def _two_accounts(bench: Bench) -> tuple[TradingAccount, TradingAccount]:
    seed = CustomerSeed("DDA-500", name="Inês Brandão", reference="KD-5", further=("DDA-501",))
    with sealed(bench.world.engine.context.database) as rows:
        add_customers(rows, [seed])
    return _account(bench, "DDA-500"), _account(bench, "DDA-501")


def _account(bench: Bench, bank_account_id: str) -> TradingAccount:
    asked = OpenTradingAccount(bank_account_id=bank_account_id, bank_account_type="checking")
    return bench.service.open_trading_account(asked).value


def _bought(bench: Bench, account: TradingAccount, amount: str) -> str:
    asked = QuoteRequest(amount=amount, side="buy", trading_account_id=account.id)
    quote = bench.service.create_quote("sol-usd", asked).value
    done = bench.service.execute_quote(quote.id, ExecuteRequest(trading_account_id=account.id))
    return done.value.id


async def _page(pilot: Pilot[None], account: TradingAccount) -> CustomerPage:
    await settle(pilot)
    pilot.app.post_message(events.Paste(account.id))
    await settle(pilot)
    await press(pilot, "P")
    screen = pilot.app.screen
    assert isinstance(screen, CustomerPage)
    return screen


def _told(page: CustomerPage) -> list[str]:
    return ["  ".join(text for text, _ in row.cells) for row in page.paged.rows_held]


@pytest.mark.forms(1)
@pytest.mark.needs("customer-names", "transactions", "audit")
@pytest.mark.parametrize("size", [SMALL, HUGE])
async def test_a_customer_with_two_accounts_has_one_page_and_every_line_opens_its_record(
    bench: Bench, size: tuple[int, int]
) -> None:
    first, second = _two_accounts(bench)
    stranger = bench.open(3, deposit="333.00")
    bench.deposit(first, "500.00")
    bench.world.advance(60)
    bench.deposit(second, "222.00")
    bench.world.advance(60)
    trade = _bought(bench, first, "100.00")
    app = bench.console()
    async with app.run_test(size=size) as pilot:
        page = await _page(pilot, second)
        shown = seen(app)
        assert "Inês Brandão" in shown
        for each in (first, second):
            assert short(each.id) in shown
        rows = _told(page)
        kinds = [row.split()[3] for row in rows]
        assert kinds[0] == "trade", "its quote and its audit rows are in this line"
        assert kinds.count("audit") == 2, "no line but these tells that accounts were opened"
        assert {"quote", "review"}.isdisjoint(kinds)
        await press(pilot, "slash", *"audit trade quote", "enter")
        kinds = [row.split()[3] for row in _told(page)]
        assert kinds.count("quote") == 1
        assert kinds.count("audit") >= 5
        await press(pilot, "slash", "escape")
        assert any("222.00 USD" in row for row in rows)
        assert any("500.00 USD" in row for row in rows)
        assert not any(stranger.id in row or "333.00" in row for row in rows)
        await press(pilot, "S", "down", "enter")
        asked = seen(app).split("STATEMENT", 1)[1]
        assert f"Inês Brandão   {first.id}" in asked, "the second of the two that are listed"
        await press(pilot, "escape")
        await press(pilot, "slash", *"trades", "enter")
        assert len(_told(page)) == 1
        await press(pilot, "enter")
        assert app.current_mode == "trades"
        assert short(trade) in seen(app)
        assert app.desk.customer.account_id == first.id
        await press(pilot, "1")
        assert isinstance(app.screen, CustomerPage), "it's the same customer's"
        await press(pilot, "colon", *"DDA3", "enter")
        assert app.desk.customer.account_id == stranger.id
        assert not isinstance(app.screen, CustomerPage), "another customer is served"
        assert "Inês Brandão" not in seen(app)


@pytest.mark.needs("customers", "audit")
async def test_what_a_deployment_mixes_up_is_never_shown_on_another_customers_page(
    bench: Bench,
) -> None:
    """Records of somebody else in the lists of this customer, and a customer who isn't theirs."""
    account, other = bench.open(1, deposit="500.00"), bench.open(2, deposit="222.22")
    foreign = _bought(bench, other, "111.00")

    def mixed(call: Call[Answer], onward: Next) -> Answer:
        asked = {
            op.QUOTES.name: ListQuery(),
            op.AUDIT.name: ListQuery(limit=100),
            op.CUSTOMERS.name: ListQuery(text="DDA-2"),
        }.get(call.operation.name)
        return onward(call if asked is None else replace(call, query=asked))

    app = bench.console(layered(bench.deployment, mixed))
    async with app.run_test(size=LARGE) as pilot:
        await settle(pilot)
        app.post_message(events.Paste(other.id))
        await settle(pilot)
        page = await _page(pilot, account)
        rows = _told(page)
        assert any("500.00 USD" in row for row in rows)
        assert not any(part in row for part in ("222.22", "111.00", short(foreign)) for row in rows)
        shown = seen(app)
        assert "Customer 2" not in shown
        assert "not found in the core bank" in shown
        assert "REPLY_MISMATCH" in shown, "the list that was mixed up is missing, and says so"


@pytest.mark.needs("challenges")
async def test_a_text_to_sign_is_pending_until_it_is_signed_and_for_its_customer_alone(
    bench: Bench,
) -> None:
    case = Case(bench, "alice-ethereum", "bob-ethereum")
    other = bench.open(2)
    case.claim("bob-ethereum")
    app = bench.console()
    async with app.run_test(size=HUGE) as pilot:
        page = await _page(pilot, bench.service.trading_account(case.trading_account_id))
        pending = str(seen(app)).partition("WAITS")[2]
        assert pending.count("message to sign ethereum") == 1
        await press(pilot, "escape")
        assert page is not await _page(pilot, other)
        assert "message to sign" not in str(seen(app)).partition("WAITS")[2]


@pytest.mark.needs("transactions")
async def test_older_pages_come_while_one_scrolls_in_the_order_of_time(bench: Bench) -> None:
    first, second = _two_accounts(bench)
    for number in range(70):
        bench.deposit((first, second)[number % 3 == 0], f"{100 + number}.00")
        bench.world.advance(7)
    app = bench.console()
    async with app.run_test(size=LARGE) as pilot:
        page = await _page(pilot, first)
        await press(pilot, "f", "f")
        assert len(_told(page)) == 50
        await press(pilot, "end", "end")
        amounts = [row.split("deposit ")[-1].split()[0] for row in _told(page)]
        assert amounts == [f"{100 + number}.00" for number in reversed(range(70))]
        assert page.paged.total == 70


@pytest.mark.needs("customer-names", "transactions")
async def test_what_is_hidden_is_hidden_on_the_page_too(bench: Bench) -> None:
    case = Case(bench, "alice-ethereum")
    account = bench.service.trading_account(case.account.trading_account_id)
    bench.deposit(account, "512.00")
    _bought(bench, account, "123.00")
    app = bench.console()
    async with app.run_test(size=HUGE) as pilot:
        await _page(pilot, account)
        assert "123.00" in seen(app)
        await app.run_action("command('palette.hide')")
        await settle(pilot)
        shown = seen(app)
        assert "•••••" in shown
        for secret in ("512.00", "123.00", "389.00", account.customer_name or "?"):
            assert secret not in shown


@pytest.mark.parametrize("deployment", [SPEC_ONLY], indirect=True)
async def test_on_a_bare_deployment_the_page_claims_nothing_that_it_cannot_know(
    bench: Bench,
) -> None:
    account = bench.open(1, deposit="500.00")
    other = bench.open(2, deposit="222.22")
    trade = _bought(bench, account, "100.00")
    app = bench.console()
    async with app.run_test(size=HUGE) as pilot:
        page = await _page(pilot, account)
        shown = seen(app)
        assert "customer's name not provided" in shown
        assert "further accounts of the customer: not known" in shown
        assert "quotes: not offered" not in shown
        assert "audit: not offered by this deployment" in shown
        assert any(short(trade) in row for row in _told(page))
        assert other.id not in shown
        assert "222.22" not in shown


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("trades dep", Wanted(kinds=frozenset({"trade", "deposit"}))),
        ("transfers", Wanted(kinds=frozenset({"deposit", "withdrawal"}))),
        ("2026-12 sol", Wanted(days=Days(date(2026, 12, 1), date(2026, 12, 31)), words=("sol",))),
        ("2026-02-30 2026-00", Wanted(words=("2026-02-30", "2026-00"))),
        ("1,250.00", Wanted(words=("1,250.00",))),
    ],
)  # fmt: skip
def test_a_typed_filter_is_kinds_days_and_words(typed: str, meant: Wanted) -> None:
    assert wanted(typed, today=date(2026, 12, 24)) == meant


def test_days_and_words_choose_among_entries() -> None:
    at, today = datetime(2026, 11, 20, 23, 59, tzinfo=UTC), date(2026, 12, 24)
    assert wanted("2026-11-20 1250", today=today).shows(at, "deposit 1,250.00 USD")
    assert not wanted("2026-11-21", today=today).shows(at, "deposit")


def test_the_last_day_that_there_is_can_be_typed() -> None:
    at, today = datetime(2026, 11, 20, tzinfo=UTC), date(2026, 11, 20)
    assert not wanted("9999-12-31", today=today).shows(at, "deposit")
    days = said_days("9999-12-31", today).days[0]
    assert created_within(days)["created_gte"] == "9999-12-31T00:00:00Z"


@pytest.mark.needs("customer-names", "transactions")
@pytest.mark.parametrize("size", [SMALL])
async def test_the_customer_is_served_from_the_page_and_every_key_answers(
    bench: Bench, size: tuple[int, int]
) -> None:
    """Buying leads to the trade, also where the page was left open over Trades."""
    account = bench.open(1, deposit="500.00")
    app = bench.console()
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        await press(pilot, "4", "P", "x")
        assert isinstance(app.screen, CustomerPage)
        assert "x does nothing here" in seen(app)
        assert "b buy" in seen(app).splitlines()[-1]
        await press(pilot, "b", *"100", "enter", "X")
        await answer(pilot, "y")
        assert (app.current_mode, len(app.screen_stack)) == ("trades", 1)
        await settle(pilot)
        assert "[>] processing" in seen(app)
        await press(pilot, "P", "w")
        assert app.current_mode == "accounts"
        assert app.screen.field_bar.purpose == "withdraw"
        assert app.desk.customer.account_id == account.id


@pytest.mark.needs("customer-names", "decisions", "audit")
async def test_a_restriction_is_called_one_in_the_timeline(bench: Bench) -> None:
    account = bench.open(1, deposit="10.00")
    asked = OpenDecision(
        kind="control", subject=account.id, control="FROZEN", reason="CUSTOMER_REQUEST"
    )
    opened = bench.service.open_decision(asked).value
    bench.service.approve_decision(opened.id, Approval())
    app = bench.console()
    async with app.run_test(size=HUGE) as pilot:
        rows = _told(await _page(pilot, account))
        assert any("restriction set" in row for row in rows), rows
        assert any("decision approved" in row for row in rows)
        assert not any("_decision" in row or "open decision" in row for row in rows)


@pytest.mark.needs("withdrawals")
async def test_why_a_withdrawal_was_reviewed_is_told_in_words(bench: Bench) -> None:
    case = Case(bench, "alice-ethereum")
    case.fund("400.00")
    account = bench.service.trading_account(case.account.trading_account_id)
    bench.world.advance(25 * 3_600)
    usdc = Currency(type="stablecoin-currency", symbol="USDC", network="ethereum")
    wallet = Destination(
        type="counterparty",
        counterparty_id=case.newest().counterparty_id,
        blockchain_account_id=case.account.id,
    )
    asked = WithdrawalRequest(amount="75.50", currency=usdc, destination=wallet)
    bench.service.withdraw(account.id, asked)
    app = bench.console()
    async with app.run_test(size=HUGE) as pilot:
        page = await _page(pilot, account)
        assert any("unverified destination" in row for row in _told(page))
        assert "REVIEW_" not in "".join(_told(page))
