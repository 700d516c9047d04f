"""Deposits and withdrawals: every transition, the limits, and what the bank takes back."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlalchemy import text, update
from tests.refusals import details, refusal
from tests.world.customers import CustomerSeed
from tests.world.engines import DPT, START, USDC_SOLANA, World, make_world
from tests.world.waiting import until

from chainteller.domain.actors import Actor
from chainteller.domain.clock import DAY, SECOND, format_instant
from chainteller.domain.limits import DestinationClass
from chainteller.domain.options import EngineOptions
from chainteller.engine.core.unit_of_work import UnitOfWork, work_unit
from chainteller.engine.operations import deposits, payouts
from chainteller.engine.verification.full_pass import verify
from chainteller.service.models.funding import Destination, WithdrawalRequest
from chainteller.storage.schema.wallet_tables import Tables

_WAITING = (
    "SELECT count(*) FROM pg_stat_activity "
    "WHERE datname = current_database() AND wait_event_type = 'Lock'"
)


def operate(world: World, work: object, *arguments: str) -> None:
    """Run one of the engine's own pieces of work, as the core bank's message would."""
    assert callable(work)

    def run(tx: UnitOfWork) -> bool:
        work(tx, *arguments)
        return True

    work_unit(world.context, Actor(name="core"), run)


def step(world: World, seconds: float) -> None:
    world.clock.advance(round(seconds * SECOND))
    world.engine.run_due()


def slow(tmp_path: Path, **options: object) -> World:
    world = make_world(tmp_path / "bank.db", options=EngineOptions(**options))  # type: ignore[arg-type]  # names checked by the dataclass
    world.open()
    return world


def test_a_deposit_is_there_at_once(empty_world: World) -> None:
    empty_world.open()
    deposit = empty_world.deposit("100.00", USDC_SOLANA)
    assert (deposit.status, deposit.type) == ("completed", "deposit-transaction")
    assert (deposit.currency.symbol, deposit.currency.network) == ("USDC", "solana")
    assert empty_world.balances() == {"USDC@solana": ("100.00", "0.00", "0.00")}
    assert empty_world.bank_balance() == "999900.00"


@pytest.mark.parametrize(("early", "status"), [(1, "processing"), (0, "completed")])
def test_a_delayed_deposit_completes_at_its_microsecond(
    tmp_path: Path, early: int, status: str
) -> None:
    world = slow(tmp_path, deposit_delay_s=30)
    deposit = world.deposit("100.00")
    assert (deposit.status, world.balances()) == ("processing", {})
    assert world.bank_balance() == "999900.00"
    assert verify(world.database) == ()
    world.clock.set(START + 30 * SECOND - early)
    world.engine.run_due()
    assert world.engine.deposit_record(world.account, deposit.id).status == status
    assert verify(world.database) == ()


def test_a_deposit_that_the_core_refuses_is_credited_back(tmp_path: Path) -> None:
    world = slow(tmp_path, deposit_delay_s=30)
    deposit = world.deposit("100.00")
    operate(world, deposits.fail, deposit.id, "CORE_REFUSED", "No.")
    failed = world.engine.deposit_record(world.account, deposit.id)
    assert failed.status == "failed"
    assert world.bank_balance() == "1000000.00"
    step(world, 60)
    assert world.engine.deposit_record(world.account, deposit.id) == failed
    assert verify(world.database) == ()


@pytest.mark.parametrize(("cents", "refused"), [(999, True), (1000, False), (1001, False)])
def test_a_deposit_takes_no_more_than_the_bank_account_holds(
    tmp_path: Path, cents: int, refused: bool
) -> None:
    world = make_world(tmp_path / "bank.db", customers=(CustomerSeed(balance_cents=cents),))
    world.open()
    if not refused:
        assert world.deposit("10.00").status == "completed"
        return
    error = refusal(world.deposit, "10.00")
    assert error.code == "INSUFFICIENT_FUNDS"
    assert "bank account" in error.message
    assert details(error) == {"available": "9.99", "required": "10.00", "currency": "USD"}
    assert world.engine.deposits(world.account).pagination.total == 0


def test_a_claw_back_takes_what_is_there_and_freezes_the_account(world: World) -> None:
    deposit = world.engine.deposits(world.account).data[0]
    operate(world, deposits.claw_back, deposit.id, "unpaid")
    assert world.engine.deposit_record(world.account, deposit.id).status == "returned"
    assert world.balances() == {}
    assert world.bank_balance() == "1000000.00"
    assert world.engine.trading_account(world.account).controls == ("FROZEN",)
    error = refusal(world.deposit, "1.00")
    assert details(error) == {"control": "FROZEN", "reasonCode": "DEPOSIT_RETURNED"}
    assert verify(world.database) == ()


def test_a_claw_back_of_spent_money_is_owed_by_the_customer(world: World) -> None:
    """Even when the core is owed more than the bank ever had there."""
    deposit = world.engine.deposits(world.account).data[0]
    world.buy("4900.00")
    world.settle()
    operate(world, deposits.claw_back, deposit.id, "unpaid")
    with world.database.read() as connection:
        found = connection.execute(
            text("SELECT code, balance FROM ledger_account WHERE asset = 'USD@fiat'")
        )
        books = {str(row[0]): int(row[1]) for row in found}
    assert books[f"customer:{world.account}:owed"] == 490_000
    assert books["core"] < 0
    assert world.engine.trading_account(world.account).owed_usd == "4900.00"
    assert verify(world.database) == ()


def test_what_a_customer_owes_is_repaid_by_the_next_deposits(tmp_path: Path) -> None:
    """First of all; the rest can be used. A deposit that repaid can be taken back as well."""
    world = slow(tmp_path, deposit_delay_s=30, settle_delay_s=0, fill_delay_s=0)
    spent = world.deposit("100.00")
    step(world, 30)
    world.buy("70.00")
    step(world, 10)
    first = world.deposit("60.00")
    step(world, 1)
    second = world.deposit("25.00", USDC_SOLANA)
    operate(world, deposits.claw_back, spent.id, "unpaid")
    assert world.engine.trading_account(world.account).owed_usd == "70.00"
    (found,) = world.engine.find(world.account).data
    assert found.title == "DDA-1 trading account, owes 70.00 USD, Customer 1"
    step(world, 29)
    step(world, 1)
    account = world.engine.trading_account(world.account)
    assert (account.owed_usd, account.buying_power) == ("0.00", "15.00")
    assert world.engine.statement(world.account).closing_owed_usd == "0.00"
    moved = world.engine.statement(world.account).movements
    assert [(each.transaction_id, each.owed_change_usd) for each in moved[-3:]] == [
        (spent.id, "70.00"), (first.id, "-60.00"), (second.id, "-10.00")
    ]  # fmt: skip
    assert [[each.amount for each in move.changes] for move in moved[-2:]] == [[], ["15.00"]]
    operate(world, deposits.claw_back, first.id, "unpaid")
    assert world.engine.trading_account(world.account).owed_usd == "60.00"
    assert verify(world.database) == ()


def test_a_withdrawal_is_held_sent_and_credited(world: World) -> None:
    withdrawal = world.withdraw("100.00")
    assert (withdrawal.status, withdrawal.cancellable) == ("processing", True)
    assert world.balances() == {"BUSD1@bank": ("4900.00", "100.00", "0.00")}
    step(world, 5)
    assert world.engine.withdrawal_record(world.account, withdrawal.id).status == "sent"
    assert world.balances() == {"BUSD1@bank": ("4900.00", "0.00", "0.00")}
    step(world, 5)
    done = world.engine.withdrawal_record(world.account, withdrawal.id)
    assert (done.status, done.completed_at is not None) == ("completed", True)
    assert world.bank_balance() == "995100.00"
    assert verify(world.database) == ()


@pytest.mark.parametrize(("amount", "refused"), [("5000.00", False), ("5000.01", True)])
def test_no_more_leaves_than_is_there(world: World, amount: str, refused: bool) -> None:
    if not refused:
        assert world.withdraw(amount).status == "processing"
        return
    error = refusal(world.withdraw, amount)
    assert details(error) == {"available": "5000.00", "required": "5000.01", "currency": "USD"}


def test_the_named_currency_pays_first_and_others_at_par(world: World) -> None:
    world.deposit("10.00", USDC_SOLANA)
    withdrawal = world.withdraw("15.00", USDC_SOLANA)
    assert world.balances() == {
        "USDC@solana": ("0.00", "10.00", "0.00"),
        "BUSD1@bank": ("4995.00", "5.00", "0.00"),
    }
    world.engine.cancel_withdrawal(world.account, withdrawal.id)
    assert world.balances() == {
        "USDC@solana": ("10.00", "0.00", "0.00"),
        "BUSD1@bank": ("5000.00", "0.00", "0.00"),
    }


def test_proceeds_of_a_sale_leave_in_any_currency(world: World) -> None:
    bought = world.buy("5000.00").amount
    world.settle()
    world.execute(world.quote(bought, "sell"))
    world.settle()
    usd = world.balances()["USD@fiat"][0]
    assert world.withdraw(usd, DPT).status == "processing"
    assert world.balances()["USD@fiat"] == ("0.00", usd, "0.00")


def test_cancelling_a_withdrawal_frees_its_limit_and_may_be_repeated(world: World) -> None:
    withdrawal = world.withdraw("100.00")
    assert world.engine.limits(world.account).data[1].used == "100.00"
    cancelled = world.engine.cancel_withdrawal(world.account, withdrawal.id)
    assert world.engine.cancel_withdrawal(world.account, withdrawal.id).value == cancelled.value
    assert world.engine.limits(world.account).data[1].used == "0.00"
    step(world, 60)
    ended = world.engine.withdrawal_record(world.account, withdrawal.id)
    assert ended.status == "cancelled"
    assert verify(world.database) == ()


@pytest.mark.parametrize(("seconds", "status"), [((5,), "sent"), ((5, 5), "completed")])
def test_a_sent_withdrawal_cannot_be_cancelled(
    world: World, seconds: tuple[int, ...], status: str
) -> None:
    withdrawal = world.withdraw("100.00")
    for each in seconds:
        step(world, each)
    error = refusal(world.engine.cancel_withdrawal, world.account, withdrawal.id)
    assert error.code == "WITHDRAWAL_NOT_CANCELLABLE"
    executed = format_instant(START + 10 * SECOND) if status == "completed" else None
    assert details(error) == {
        "withdrawalId": withdrawal.id,
        "status": status,
        "executedAt": executed,
    }


@pytest.mark.parametrize("steps", [0, 1])
def test_a_failed_withdrawal_comes_back(world: World, steps: int) -> None:
    withdrawal = world.withdraw("100.00")
    for _ in range(steps):
        step(world, 5)
    operate(world, payouts.fail, withdrawal.id, "BANK_REFUSED", "Closed.")
    failed = world.engine.withdrawal_record(world.account, withdrawal.id)
    assert failed.status == "failed"
    assert world.balances() == {"BUSD1@bank": ("5000.00", "0.00", "0.00")}
    step(world, 60)
    assert world.engine.withdrawal_record(world.account, withdrawal.id) == failed
    assert world.engine.limits(world.account).data[1].used == "0.00"
    assert verify(world.database) == ()


def test_a_withdrawal_that_ends_beside_its_sending_is_not_sent(own_postgres_bank: str) -> None:
    """The worker has read what is held, and waits for the account."""
    world = make_world(own_postgres_bank, options=EngineOptions(withdrawal_delay_s=0))
    world.open()
    world.deposit("100.00")
    withdrawal = world.withdraw("40.00")

    def waits() -> object:
        with world.database.read() as connection:
            return connection.execute(text(_WAITING)).scalar()

    with ThreadPoolExecutor(1) as pool:

        def end(tx: UnitOfWork) -> bool:
            payouts.fail(tx, withdrawal.id, "NO_ACCOUNT", "The account is closed.")
            if not sending:
                sending.append(pool.submit(world.engine.run_due))
                until(waits)
            return True

        sending: list[Future[int]] = []
        work_unit(world.context, Actor(name="core"), end)
        assert sending[0].result() == 1
    assert world.engine.withdrawal_record(world.account, withdrawal.id).status == "failed"
    assert world.balances() == {"BUSD1@bank": ("100.00", "0.00", "0.00")}
    assert verify(world.database) == ()
    world.close()


def test_a_bounced_withdrawal_is_returned(world: World) -> None:
    withdrawal = world.withdraw("100.00")
    step(world, 5)
    step(world, 5)
    operate(world, payouts.bounce, withdrawal.id, "no such account")
    assert world.engine.withdrawal_record(world.account, withdrawal.id).status == "returned"
    assert world.balances() == {"BUSD1@bank": ("5000.00", "0.00", "0.00")}
    assert world.bank_balance() == "995000.00"
    assert verify(world.database) == ()


def test_a_bounce_overdraws_a_bank_account_that_was_emptied_and_it_funds_nothing(
    world: World,
) -> None:
    withdrawal = world.withdraw("100.00")
    step(world, 5)
    step(world, 5)
    world.deposit(world.bank_balance())
    operate(world, payouts.bounce, withdrawal.id, "no such account")
    assert world.bank_balance() == "-100.00"
    assert world.balances() == {"BUSD1@bank": ("1000100.00", "0.00", "0.00")}
    assert verify(world.database) == ()
    refused = refusal(world.deposit, "1.00")
    assert (refused.code, details(refused)["available"]) == ("INSUFFICIENT_FUNDS", "0.00")
    world.withdraw("101.00")
    step(world, 5)
    step(world, 5)
    world.deposit("1.00")
    assert world.bank_balance() == "0.00"


LIMITED = EngineOptions(limits={DestinationClass.OWN_BANK: (10_000, 15_000, 20_000)})


@pytest.fixture
def limited(tmp_path: Path) -> World:
    """100.00 a time, 150.00 a day, 200.00 in thirty days."""
    world = make_world(tmp_path / "bank.db", options=LIMITED)
    world.open()
    world.deposit("1000.00")
    return world


def test_a_single_withdrawal_is_bounded_with_the_bound_allowed(limited: World) -> None:
    error = refusal(limited.withdraw, "100.01")
    assert error.code == "LIMIT_EXCEEDED"
    assert details(error) == {
        "ruleId": "own-bank-account:per-transaction",
        "scope": "withdrawal",
        "destinationClass": "own-bank-account",
        "period": 0,
        "limit": "100.00",
        "used": "0.00",
        "requested": "100.01",
        "remaining": "100.00",
        "resetsAt": None,
    }
    assert limited.withdraw("100.00").status == "processing"
    events = [each.type for each in limited.engine.events().data]
    assert events.count("limit.exceeded") == 1


@pytest.mark.parametrize(("late", "refused"), [(-1, True), (0, False), (1, False)])
def test_a_window_frees_up_exactly_one_period_later(
    limited: World, late: int, refused: bool
) -> None:
    limited.withdraw("100.00")
    limited.clock.set(START + DAY + late)
    if not refused:
        assert limited.withdraw("51.00").status == "processing"
        return
    error = refusal(limited.withdraw, "51.00")
    assert details(error) == {
        "ruleId": "own-bank-account:24h",
        "scope": "withdrawal",
        "destinationClass": "own-bank-account",
        "period": 86_400,
        "limit": "150.00",
        "used": "100.00",
        "requested": "51.00",
        "remaining": "50.00",
        "resetsAt": format_instant(START + DAY),
    }
    assert limited.withdraw("50.00").status == "processing"


def test_the_long_window_outlasts_the_short_one(limited: World) -> None:
    limited.withdraw("100.00")
    limited.clock.advance(2 * DAY)
    limited.withdraw("100.00")
    limited.clock.advance(2 * DAY)
    error = refusal(limited.withdraw, "0.01")
    assert error.details["ruleId"] == "own-bank-account:30d"
    limited.clock.set(START + 30 * DAY)
    assert limited.withdraw("100.00").status == "processing"
    assert verify(limited.database) == ()


def test_what_a_refusal_says_may_be_withdrawn_may_be(limited: World) -> None:
    """However much was asked for."""
    limited.withdraw("100.00")
    error = refusal(limited.withdraw, "1000.00")
    assert error.suggestion == (
        f"The limit allows 50.00 USD now; more from {format_instant(START + DAY)}."
    )
    assert limited.withdraw("50.00").status == "processing"


def test_a_destination_that_is_not_there_is_not_found(world: World) -> None:
    request = WithdrawalRequest(
        amount="1.00",
        currency=USDC_SOLANA,
        destination=Destination(
            type="counterparty",
            counterparty_id="CPT_UNKNOWN",
            blockchain_account_id="BCA_UNKNOWN",
        ),
    )
    assert refusal(world.engine.withdraw, world.account, request).code == "NOT_FOUND"


CONTROLS: dict[str, set[str]] = {
    "FROZEN": set(),
    "DORMANT": set(),
    "CLOSED": set(),
    "UNHEARD_OF": set(),
    "SELL_ONLY": {"sell", "withdraw"},
}


@pytest.mark.parametrize("where", ["trading_account", "customer"])
def test_a_control_leaves_only_its_own_acts(world: World, where: str) -> None:
    world.buy("1000.00")
    world.settle()
    quotes = {side: world.quote("1", side) for side in ("buy", "sell")}
    acts: dict[str, Callable[[], object]] = {
        "buy": lambda: world.execute(quotes["buy"]),
        "sell": lambda: world.execute(quotes["sell"]),
        "deposit": lambda: world.deposit("1.00"),
        "withdraw": lambda: world.withdraw("1.00"),
        "bound quote": lambda: world.quote(trading_account_id=world.account),
    }
    for control, allowed in CONTROLS.items():
        with world.database.write() as connection:
            table = getattr(Tables, where)
            connection.execute(update(table).values(control=control, control_reason="REVIEW"))
            connection.commit()
        for name, act in acts.items():
            if name in allowed:
                act()
                continue
            error = refusal(act)
            assert error.code == "ACCOUNT_RESTRICTED", name
            assert details(error) == {"control": control, "reasonCode": "REVIEW"}


@pytest.mark.parametrize(
    ("column", "value", "expected"),
    [
        (
            "terms_version",
            "2025-01",
            (
                "TERMS_NOT_ACCEPTED",
                {"termsVersion": "2026-01", "acceptedVersion": "2025-01"},
            ),
        ),
        (
            "kyc_level",
            "basic",
            (
                "KYC_REQUIRED",
                {
                    "requiredLevel": "enhanced",
                    "currentLevel": "basic",
                    "missing": ["enhanced-due-diligence"],
                },
            ),
        ),
    ],
)
def test_preconditions_hold_at_every_act(
    world: World, column: str, value: str, expected: tuple[str, dict[str, object]]
) -> None:
    quote = world.quote()
    with world.database.write() as connection:
        connection.execute(update(Tables.customer).values({column: value}))
        connection.commit()
    acts: list[Callable[[], object]] = [
        lambda: world.deposit("1.00"),
        lambda: world.execute(quote),
        lambda: world.quote(trading_account_id=world.account),
    ]
    for act in acts:
        error = refusal(act)
        assert (error.code, details(error)) == expected
