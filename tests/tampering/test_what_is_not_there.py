"""What is decided by "none", "the first" or a sum isn't decided by rows alone.

Somebody with SQL and no writer's key removes rows that limit somebody, or makes up some that excuse
them.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import text
from tests.refusals import refusal
from tests.tampering.bank import NAMES, archive_all, prove_wallet
from tests.world.customers import CustomerSeed
from tests.world.engines import DPT, USDC_ETHEREUM, USDC_SOLANA, World, make_world

from chainteller.domain.actors import Actor
from chainteller.domain.challenges import SharedWallets
from chainteller.domain.clock import DAY, MINUTE, SECOND
from chainteller.domain.decisions import AtDeadline, ReviewCondition, ReviewLine
from chainteller.domain.options import EngineOptions
from chainteller.domain.policy import Policy
from chainteller.engine.engine import Engine
from chainteller.engine.operations.disputes import clear_any, open_for
from chainteller.engine.operations.keys import ApiKeys
from chainteller.engine.verification.full_pass import recent_ends, verify, verify_since
from chainteller.service.errors import BooksDisputed
from chainteller.service.models.counterparties import OpenBlockchainAccount, RegisterCounterparty
from chainteller.service.models.decisions import Approval
from chainteller.service.models.funding import Destination, WithdrawalRequest
from chainteller.service.models.quotes import ExecuteRequest
from chainteller.storage.db.records import Tables

_FIRST = ReviewLine(ReviewCondition.FIRST_USE, 0, 86_400, AtDeadline.REFUSE)
_WALLET = "DRpbCBMxVnDK7maPM5tGv6MvB3v1sRMC86PZ8okm21hy"
_MADE_OLD = f"UPDATE transfer SET created = created - {31 * DAY}"  # noqa: S608 - our own words
_MOVED = (
    "UPDATE blockchain_account SET customer_id = "
    "(SELECT customer_id FROM trading_account WHERE bank_account_id = 'DDA-1')"
)


@pytest.fixture
def bank(tmp_path: Path) -> Iterator[World]:
    """Two customers with money; the first one's account is ``accounts[0]``."""
    people = [CustomerSeed(f"DDA-{number}", 100_000_00) for number in (1, 2)]
    options = EngineOptions(shared_wallets=SharedWallets.ASK, policy=Policy(review=(_FIRST,)))
    world = make_world(tmp_path / "bank.db", customers=people, options=options)
    for person in people:
        account = world.open(person.bank_account_id)
        for currency in (DPT, USDC_ETHEREUM):
            world.deposit("1000.00", currency, account)
    world.settle()
    yield world
    world.close()


def altered(world: World, *statements: str) -> None:
    with world.database.write() as connection:
        for each in statements:
            connection.execute(text(each))
        connection.commit()


def disputed(world: World) -> list[str]:
    return [each.where for each in world.engine.disputes().data]


def raised(world: World, bucket: str) -> str:
    """The statement that raises a balance of the first account."""
    code = f"customer_{world.account}_{bucket}"
    return f"UPDATE ledger_account SET balance = '500000000' WHERE code LIKE '{code}'"  # noqa: S608 - our own names


@pytest.mark.parametrize("is_bought", [False, True])
def test_money_that_only_the_database_has_is_not_paid(bank: World, *, is_bought: bool) -> None:
    """Also not what was bought for it and sold again, which the log has."""
    altered(bank, raised(bank, "available"))
    if is_bought:
        bank.buy("1500.00")
        bank.settle()
    withdrawal = bank.withdraw("1200.00").id
    bank.settle()
    paid = bank.engine.withdrawal_record(bank.account, withdrawal)
    assert paid.status == "failed"
    assert paid.failure_reason is not None
    assert f"customer:{bank.account}:available" in paid.failure_reason.message


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM transfer WHERE direction = 'withdrawal' AND ordinal = {}",
        "UPDATE transfer SET notional_cents = 1 WHERE direction = 'withdrawal' AND ordinal = {}",
        _MADE_OLD + " WHERE direction = 'withdrawal' AND ordinal = {}",
    ],
)
@pytest.mark.parametrize("number", [1, 2])
@pytest.mark.parametrize("is_archived", [False, True])
def test_no_withdrawal_that_counts_is_hidden_from_the_limits(
    bank: World, tmp_path: Path, statement: str, number: int, *, is_archived: bool
) -> None:
    withdrawals = [bank.withdraw("10.00").id for _ in range(2)]
    bank.settle()
    if is_archived:
        archive_all(bank, tmp_path / "old.archive")
    altered(bank, statement.format(number))
    assert isinstance(refusal(bank.withdraw, "20.00"), BooksDisputed)
    account = f"trading_account {bank.account}"
    altered_row = f"transfer {withdrawals[number - 1]}"
    assert disputed(bank) == [account if "DELETE" in statement else altered_row]


def test_a_first_payment_waits_also_after_an_earlier_one_was_made_up(bank: World) -> None:
    bank.deposit("100.00", USDC_SOLANA)
    chain = bank.engine.open_blockchain_account(
        OpenBlockchainAccount(trading_account_id=bank.account, network="solana")
    ).value.id
    wallet = bank.engine.register_counterparty(
        RegisterCounterparty(address=_WALLET, network="solana")
    ).value.id
    bank.clock.advance(2 * DAY)
    destination = Destination(
        type="counterparty", counterparty_id=wallet, blockchain_account_id=chain
    )
    request = WithdrawalRequest(amount="1.00", currency=USDC_SOLANA, destination=destination)
    for _ in range(2):
        waiting = bank.engine.withdraw(bank.account, request).value
        bank.engine.cancel_withdrawal(bank.account, waiting.id)
    bank.clock.advance(31 * DAY)  # since when it doesn't count against the limits
    paid = "UPDATE transfer SET status = 'completed' WHERE direction = 'withdrawal'"
    altered(bank, f"{paid} AND ordinal = 1")
    waiting = bank.engine.withdraw(bank.account, request).value
    assert waiting.review is not None
    assert waiting.review.reason == ReviewCondition.FIRST_USE.code


@pytest.mark.parametrize(
    ("statement", "place"),
    [
        ("DELETE FROM link", "CPT_"),
        (
            _MOVED,
            "blockchain_account BCA_",
        ),
    ],
)
@pytest.mark.parametrize("is_archived", [False, True])
def test_a_wallet_is_shared_also_when_the_other_link_is_gone(
    bank: World, tmp_path: Path, statement: str, place: str, *, is_archived: bool
) -> None:
    prove_wallet(bank.engine, bank.accounts[1], NAMES[0])
    if is_archived:
        archive_all(bank, tmp_path / "old.archive")
    altered(bank, "PRAGMA foreign_keys = OFF", statement)
    refused = refusal(prove_wallet, bank.engine, bank.account, NAMES[0])
    assert isinstance(refused, BooksDisputed)
    (where,) = disputed(bank)
    assert where.startswith(place)


def test_a_trade_whose_quote_was_altered_is_not_filled(bank: World) -> None:
    quote = bank.quote("100.00")
    altered(bank, f"UPDATE quote SET bought = bought + 1000 WHERE id = '{quote.id}'")  # noqa: S608 - our own names
    trade = bank.execute(quote).id
    bank.clock.advance(MINUTE + SECOND)
    bank.engine.run_due()
    assert bank.engine.trade(bank.account, trade).status == "processing"
    assert disputed(bank) == [f"quote {quote.id}"]


def test_a_trade_whose_quote_was_made_up_is_not_filled(bank: World) -> None:
    """No entry made the quote, which the honest execution found and wrote."""
    quote = bank.quote("100.00")
    made_up = f"{quote.id[:-3]}ABC"
    columns = ", ".join(name for name in Tables.quote.columns if name not in ("id", "bought"))
    altered(
        bank,
        f"INSERT INTO quote (id, bought, {columns}) "  # noqa: S608 - our own names
        f"SELECT '{made_up}', bought * 2, {columns} FROM quote WHERE id = '{quote.id}'",
    )
    trade = bank.execute(quote.model_copy(update={"id": made_up})).id
    bank.clock.advance(MINUTE + SECOND)
    bank.engine.run_due()
    assert bank.engine.trade(bank.account, trade).status == "processing"
    assert disputed(bank) == [f"quote {made_up}"]


def test_a_balance_that_was_made_up_is_named_once_it_was_moved(bank: World) -> None:
    code = f"customer:{bank.account}:available"
    columns = "code, asset, organisation_id, balance, version"
    values = f"'{code}', 'SOL@solana', 'default', '5000000000', 0"
    altered(bank, f"INSERT INTO ledger_account ({columns}) VALUES ({values})")  # noqa: S608 - as above
    begin = recent_ends(bank.database, 1)
    bank.execute(bank.quote("1", "sell"))
    wrong = verify_since(bank.database, begin).breaches
    assert any("doesn't go on from the balance" in each.what for each in wrong), wrong


def test_a_new_wallet_that_somebody_made_older_for_a_moment_is_not_paid(bank: World) -> None:
    """When the withdrawal is sent, the row is as the log says again."""
    bank.deposit("100.00", USDC_SOLANA)
    chain = bank.engine.open_blockchain_account(
        OpenBlockchainAccount(trading_account_id=bank.account, network="solana")
    ).value.id
    wallet = bank.engine.register_counterparty(
        RegisterCounterparty(address=_WALLET, network="solana")
    ).value.id
    by = f"UPDATE counterparty SET created = created {{}} {2 * DAY}"  # noqa: S608 - our own names
    altered(bank, by.format("-"))
    destination = Destination(
        type="counterparty", counterparty_id=wallet, blockchain_account_id=chain
    )
    request = WithdrawalRequest(amount="1.00", currency=USDC_SOLANA, destination=destination)
    waiting = bank.engine.withdraw(bank.account, request).value
    altered(bank, by.format("+"))
    (decision,) = bank.engine.decisions().data
    bank.engine.approve_decision(decision.id, Approval())
    bank.settle()
    paid = bank.engine.withdrawal_record(bank.account, waiting.id)
    assert paid.failure_reason is not None
    assert "couldn't receive anything" in paid.failure_reason.message


def acting_under_an_ended_key(bank: World) -> tuple[Engine, str]:
    """As somebody does who opened it for a moment; it would have expired much later."""
    keys = ApiKeys(bank.context)
    key = keys.create("branch", expires="90d")
    keys.revoke(key.key_id)
    bank.clock.advance(2 * MINUTE)
    return bank.engine.acting_as(Actor(key_id=key.key_id)), key.key_id


def test_nothing_is_paid_that_a_key_has_asked_for_which_had_ended(bank: World) -> None:
    opened, key_id = acting_under_an_ended_key(bank)
    request = WithdrawalRequest(amount="1.00", currency=DPT)
    waiting = opened.withdraw(bank.account, request).value
    bank.settle()
    paid = bank.engine.withdrawal_record(bank.account, waiting.id)
    assert paid.failure_reason is not None
    assert f"API key {key_id} had ended" in paid.failure_reason.message


@pytest.mark.parametrize("what", ["balance", "row"])
def test_what_was_altered_and_written_over_is_paid_once_somebody_cleared_it(
    bank: World, what: str
) -> None:
    row = "UPDATE trading_account SET created = created - 1"
    of_dpt = f"{raised(bank, 'available')} AND asset LIKE '%@bank'"
    altered(bank, row if what == "row" else of_dpt)
    bank.deposit("1.00")
    bank.settle()
    for is_cleared in (False, True):
        withdrawal = bank.withdraw("10.00").id
        bank.settle()
        paid = bank.engine.withdrawal_record(bank.account, withdrawal)
        assert (paid.status == "completed") == is_cleared, paid.failure_reason
        open_for(bank.context, verify(bank.database))
        for each in bank.engine.disputes().data:
            if each.cleared is None:
                clear_any(bank.context, Actor(name="root"), each.id, "looked at")


def test_no_trade_is_filled_that_a_key_has_asked_for_which_had_ended(bank: World) -> None:
    opened, _ = acting_under_an_ended_key(bank)
    request = ExecuteRequest(trading_account_id=bank.account)
    trade = opened.execute_quote(bank.quote("100.00").id, request).value.id
    bank.clock.advance(MINUTE + SECOND)
    bank.engine.run_due()
    assert bank.engine.trade(bank.account, trade).status == "processing"
    assert disputed(bank) == [f"trade {trade}"]
