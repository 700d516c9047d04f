"""A wall clock that is set: what the bank refuses, what goes on, and what is put right."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import text
from tests.clock.banks import OPTIONS, Bank
from tests.clock.machine import MachineClock
from tests.tampering.bank import NAMES, prove_wallet
from tests.webhooks.receiving import receiving
from tests.world.bank import build, sqlite_url
from tests.world.engines import USDC_ETHEREUM, USDC_SOLANA
from tests.world.logs import entries

from chainteller.adapters.webhook_http import HttpWebhooks
from chainteller.domain.actors import Actor
from chainteller.domain.agents import public_key_text
from chainteller.domain.clock import DAY, HOUR, SECOND, format_instant, from_datetime
from chainteller.domain.evidence import EvidenceLevel
from chainteller.domain.limits import DestinationClass, Spent
from chainteller.domain.policy import Needing, Policy, TwoPersons
from chainteller.domain.webhooks import WebhookHosts
from chainteller.engine.core import timekeeping
from chainteller.engine.core.unit_of_work import UnitOfWork, act
from chainteller.engine.deployment import EmbeddedDeployment
from chainteller.engine.operations import limits
from chainteller.engine.operations.claim_proofs import Rechecked, recheck
from chainteller.engine.operations.keys import ApiKeys
from chainteller.engine.upkeep import archiving, upkeep
from chainteller.engine.upkeep.deliveries import Deliverer
from chainteller.engine.verification.full_pass import verify
from chainteller.service.deployment import DeploymentOptions
from chainteller.service.errors import ClockUncertain, DestinationOnHold, QuoteExpired
from chainteller.service.models.agents import ApproveAgent, EnrolAgent
from chainteller.service.models.counterparties import (
    OpenBlockchainAccount,
    RegisterCounterparty,
    ReverificationRequest,
)
from chainteller.service.models.decisions import Approval, OpenDecision
from chainteller.service.models.funding import (
    DepositRequest,
    Destination,
    WithdrawalRequest,
)
from chainteller.service.models.quotes import ExecuteRequest
from chainteller.service.models.webhooks import CreateWebhook, RotateSecret
from chainteller.storage.database import Database
from chainteller.storage.log.rows import DEPLOYMENT
from chainteller.storage.queries import organisations

HOUR_S, DAY_S, YEAR_S = 3_600, 86_400, 366 * 86_400
WALLET = "DRpbCBMxVnDK7maPM5tGv6MvB3v1sRMC86PZ8okm21hy"


@pytest.fixture
def bank(tmp_path: Path) -> Bank:
    return Bank(sqlite_url(tmp_path))


def sql(database: Database, statement: str) -> object:
    with database.read() as connection:
        return connection.execute(text(statement)).scalar()


@pytest.mark.parametrize("step", [-10 * YEAR_S, -DAY_S, -6, 6, DAY_S, 10 * YEAR_S])
def test_a_step_stops_what_prices_and_pays_until_it_is_settled(bank: Bank, step: int) -> None:
    quote = bank.quote()
    bank.machine.step(step)
    reasons = {"CLOCK_BEHIND", "CLOCK_NOT_SET"} if step < 0 else {"CLOCK_AHEAD"}
    for refused in (bank.quote, lambda: bank.execute(quote), bank.withdraw, bank.deposit):
        with pytest.raises(ClockUncertain) as error:
            refused()
        assert error.value.details["reason"] in reasons
        assert "clock accept" in error.value.suggestion
    assert bank.engine.quote(quote).status == "open"
    with pytest.raises(ClockUncertain):
        bank.engine.run_due()
    bank.machine.step(-step)
    assert bank.execute(quote)


def test_a_key_is_answered_as_first_while_time_is_uncertain(bank: Bank) -> None:
    """Whoever got no answer would take a refusal for one, and ask again under another key."""
    quote, asked = bank.quote(), ExecuteRequest(trading_account_id=bank.account)
    first = bank.engine.execute_quote(quote, asked, idempotency_key="once")
    bank.machine.step(HOUR_S)
    again = bank.engine.execute_quote(quote, asked, idempotency_key="once")
    assert (again.value, again.replayed) == (first.value, True)
    with pytest.raises(ClockUncertain):
        bank.engine.execute_quote(quote, asked, idempotency_key="new")


@pytest.mark.parametrize("step", [-5, -1, 1, 5])
def test_a_small_step_changes_nothing(bank: Bank, step: int) -> None:
    before = bank.engine.now()
    bank.machine.step(step)
    bank.machine.passes(3)
    assert bank.tick() == ""
    assert bank.engine.now() == before + 3_000_000


def test_a_step_back_does_not_lengthen_a_quote(bank: Bank) -> None:
    """Issue 13, finding 4: with the clock an hour back, a quote of 5 s executed after 7 s."""
    late, in_time = bank.quote(), bank.quote()
    bank.machine.step(-4)
    bank.machine.passes(4.9)
    assert bank.execute(in_time)
    bank.machine.passes(0.2)
    with pytest.raises(QuoteExpired):
        bank.execute(late)
    bank.restart()
    with pytest.raises(QuoteExpired):
        bank.execute(late)


def test_a_restart_goes_on_with_the_time_that_really_passed(bank: Bank) -> None:
    quote = bank.quote()
    bank.stop()
    bank.machine.step(-4)
    bank.machine.passes(5.1)
    assert bank.start() == ""
    with pytest.raises(QuoteExpired):
        bank.execute(quote)


@pytest.mark.parametrize("reboot", [False, True])
def test_a_clock_ahead_is_accepted_at_the_start_and_one_behind_is_not(
    bank: Bank, *, reboot: bool
) -> None:
    bank.stop()
    if reboot:
        bank.machine.reboot()
    bank.machine.step(DAY_S)
    assert bank.start() == ""
    assert bank.engine.now() == bank.machine.true + DAY_S * 1_000_000
    assert bank.quote()
    bank.stop()
    if reboot:
        bank.machine.reboot()
    bank.machine.step(-DAY_S)
    assert bank.start() == "CLOCK_BEHIND"
    with pytest.raises(ClockUncertain):
        bank.quote()


def test_a_doubt_survives_a_restart_and_a_reboot(bank: Bank) -> None:
    bank.machine.step(HOUR_S)
    assert bank.tick() == "CLOCK_AHEAD"
    assert bank.restart() == "CLOCK_AHEAD"
    bank.stop()
    bank.machine.reboot()
    assert bank.start() == "CLOCK_AHEAD"
    assert bank.accept() is not None
    assert bank.restart() == ""


def test_time_in_doubt_from_the_start_goes_on_and_a_clock_that_is_set_right_is_taken(
    bank: Bank,
) -> None:
    """Nothing links the present to the records, and the clock is behind them."""
    bank.machine.passes(60)
    bank.tick()
    bank.stop()
    bank.machine.reboot()
    bank.machine.step(-HOUR_S)
    assert bank.start() == "CLOCK_BEHIND"
    before = bank.engine.now()
    bank.machine.passes(9)
    assert bank.engine.now() == before + 9_000_000
    assert timekeeping.estimate(bank.context.clock, bank.context.keeper) == before + 9_000_000
    bank.machine.step(HOUR_S + 30)
    assert bank.tick() == ""
    assert bank.engine.now() == bank.machine.true + 30_000_000


def test_doubt_is_told_once_when_it_begins_and_once_when_it_ends(bank: Bank) -> None:
    for _ in range(2):
        bank.machine.step(-HOUR_S)
        for _ in range(3):
            assert bank.tick() == "CLOCK_BEHIND"
        bank.restart()
        bank.machine.step(HOUR_S)
        for _ in range(3):
            assert bank.tick() == ""
    assert len(bank.entries("clock_uncertain")) == len(bank.entries("clock_certain")) == 2
    assert bank.told() == ["clock.uncertain", "clock.certain"] * 2


def test_every_organisation_hears_of_it(bank: Bank) -> None:
    bank.machine.step(-HOUR_S)
    bank.tick()
    with bank.context.database.read() as connection:
        names = organisations.everything(connection)
    assert len(names) == 2
    for name in (*names, DEPLOYMENT):
        (found,) = entries(bank.context.database, name, "clock_uncertain")
        told = [] if name == DEPLOYMENT else ["clock.uncertain"]
        assert [each.type for each in found.events] == told


def test_what_neither_pays_nor_prices_goes_on(bank: Bank) -> None:
    key = bank.key()
    trade = bank.execute(bank.quote())
    bank.machine.step(-HOUR_S)
    assert bank.engine.cancel_trade(bank.account, trade).value.status == "cancelled"
    opened = OpenBlockchainAccount(network="ethereum", trading_account_id=bank.account)
    assert bank.engine.open_blockchain_account(opened).value.id
    ApiKeys(bank.context).revoke(key.split("_")[2][:8])
    assert bank.use(key) == "UNAUTHORIZED REVOKED"
    with pytest.raises(ClockUncertain):
        bank.key()


def test_a_new_epoch_begins_with_the_clock_and_nothing_is_stuck(bank: Bank) -> None:
    """Issue 13, finding 4: after one write with the clock a day ahead, nothing settled."""
    bank.stop()
    bank.machine.step(DAY_S)
    bank.start()
    trade, quote = bank.execute(bank.quote()), bank.quote()
    payout = bank.withdraw()
    key, lasting = bank.key("3s"), bank.key("90d")
    bank.stop()
    bank.machine.step(-DAY_S)
    bank.machine.passes(1)
    bank.start()
    assert bank.use(key) == "valid"
    begun = bank.accept()
    assert begun is not None
    assert begun.number == 1
    assert begun.before - begun.began_at == DAY_S * 1_000_000
    assert begun.stamped.entries >= 5
    with pytest.raises(QuoteExpired):
        bank.execute(quote)
    assert bank.use(key) == "valid"
    for _ in range(4):
        bank.machine.passes(2)
        bank.work()
    assert bank.trade(trade) == "settled"
    assert bank.engine.withdrawal_record(bank.account, payout.id).status == "completed"
    assert bank.use(key) == "UNAUTHORIZED EXPIRED"
    assert bank.use(lasting) == "valid"
    bank.machine.passes(91 * DAY_S)
    assert bank.use(lasting) == "UNAUTHORIZED EXPIRED"
    assert verify(bank.context.database) == ()
    (entry,) = bank.entries("accept_clock")
    assert str(entry["oldTime"]) > str(entry["newTime"])
    assert entry["entriesBetween"] == begun.stamped.entries
    with pytest.raises(QuoteExpired):
        bank.execute(quote)


def test_a_decision_that_was_put_right_with_the_clock_is_as_the_log_says(bank: Bank) -> None:
    """Its deadline moved in an entry that is about the clock."""
    until = format_instant(bank.engine.now() + 2 * DAY)
    asked = OpenDecision(
        kind="control", subject=bank.account, control="FROZEN", reason="OTHER", until=until
    )
    decision = bank.engine.open_decision(asked).value
    bank.stop()
    bank.machine.step(-DAY_S)
    bank.machine.passes(1)
    bank.start()
    assert bank.accept() is not None
    assert bank.engine.approve_decision(decision.id, Approval()).value.status == "approved"
    assert verify(bank.context.database) == ()


def test_the_times_of_different_epochs_are_not_compared(bank: Bank) -> None:
    """A trade that is created in one epoch and settled in the next one raises no alarm, and one
    that is out of order within an epoch does."""
    bank.stop()
    bank.machine.step(DAY_S)
    bank.start()
    trade = bank.execute(bank.quote())
    bank.machine.step(-DAY_S)
    assert bank.accept() is not None
    for _ in range(4):
        bank.machine.passes(2)
        bank.work()
    later = bank.execute(bank.quote())
    for _ in range(4):
        bank.machine.passes(2)
        bank.work()
    assert bank.trade(trade) == bank.trade(later) == "settled"
    created, settled = (
        sql(bank.context.database, f"SELECT {name} FROM trade WHERE id = '{trade}'")  # noqa: S608 - our own names
        for name in ("created", "settled_at")
    )
    assert isinstance(created, int)
    assert isinstance(settled, int)
    assert created > settled
    assert verify(bank.context.database) == ()
    with bank.context.database.write() as connection:
        connection.execute(
            text("UPDATE trade SET executed_at = settled_at + 1 WHERE id = :id"), {"id": later}
        )
        connection.commit()
    assert {each.invariant for each in verify(bank.context.database)} == {9, 20}


def test_what_an_earlier_epoch_put_right_is_not_put_right_again(bank: Bank) -> None:
    """Nor does a clock that was accepted by mistake cost the keys that were made before."""
    old = bank.key("2h")
    bank.stop()
    bank.machine.step(DAY_S)
    bank.start()
    wrong = bank.key("2h")
    bank.machine.step(-DAY_S)
    first = bank.accept()
    assert first is not None
    assert first.stamped.entries > 0
    for _ in range(2):
        bank.machine.step(HOUR_S)
        bank.tick()
        assert bank.accept() is not None
        bank.machine.step(-HOUR_S)
        bank.tick()
        again = bank.accept()
        assert again is not None
        assert again.stamped.entries <= 4
    bank.machine.passes(2 * HOUR_S - 16)
    assert bank.use(old) == bank.use(wrong) == "valid"
    bank.machine.passes(16)
    assert bank.use(old) == bank.use(wrong) == "UNAUTHORIZED EXPIRED"


def test_a_time_that_is_put_right_in_two_steps(bank: Bank) -> None:
    """The first clock that is accepted is still two hours ahead."""
    bank.stop()
    bank.machine.step(DAY_S)
    bank.start()
    key = bank.key("2h")
    bank.stop()
    bank.machine.step(HOUR_S)
    bank.start()
    for step in (-23 * HOUR_S, -2 * HOUR_S):
        bank.machine.step(step)
        assert bank.accept() is not None
    bank.machine.passes(2 * HOUR_S - 1)
    assert bank.use(key) == "valid"
    bank.machine.passes(1)
    assert bank.use(key) == "UNAUTHORIZED EXPIRED"


@pytest.mark.parametrize(
    "change", ["epoch = 0", "epoch = 2", "began_at = began_at - 1", "doubt = 'CLOCK_AHEAD'"]
)
def test_an_altered_epoch_or_doubt_is_found(bank: Bank, change: str) -> None:
    bank.machine.step(-HOUR_S)
    bank.tick()
    bank.accept()
    assert verify(bank.context.database) == ()
    with bank.context.database.write() as connection:
        connection.execute(text(f"UPDATE clock SET {change}"))  # noqa: S608 - our own words
        connection.commit()
    named = {each.where for each in verify(bank.context.database)}
    assert {"clock", "clock bank"} <= named <= {"clock", "clock bank", "head bank"}


@pytest.mark.parametrize("column", ["anchor_at", "anchor_elapsed"])
@pytest.mark.parametrize("by_s", [-2 * DAY_S, -60, 60, 2 * DAY_S])
def test_an_altered_anchor_stops_no_process_that_has_its_own(
    bank: Bank, column: str, by_s: int
) -> None:
    anchor = "SELECT anchor_at - anchor_elapsed FROM clock"
    before = sql(bank.context.database, anchor)
    for go_on in (bank.deposit, bank.tick):
        with bank.context.database.write() as connection:
            change = f"UPDATE clock SET {column} = {column} + {by_s * 1_000_000}"  # noqa: S608 - our own words
            connection.execute(text(change))
            connection.commit()
        assert sql(bank.context.database, anchor) != before
        go_on()
        assert sql(bank.context.database, anchor) == before
    assert bank.entries("clock_ahead") == bank.entries("clock_uncertain") == []


def test_a_key_never_lives_longer_than_it_was_meant_to(bank: Bank) -> None:
    before = bank.key("2h")
    bank.stop()
    bank.machine.step(10 * YEAR_S)
    bank.start()
    assert bank.use(before) == "UNAUTHORIZED EXPIRED"
    short, revoked = bank.key("3s"), bank.key()
    keys = ApiKeys(bank.context)
    keys.revoke(revoked.split("_")[2][:8])
    old = bank.key()
    keys.rotate(old.split("_")[2][:8], "1h")
    bank.machine.step(-10 * YEAR_S)
    bank.machine.passes(2)
    assert bank.use(before) == "CLOCK_UNCERTAIN CLOCK_BEHIND"
    assert bank.accept() is not None
    assert bank.use(revoked) == "UNAUTHORIZED REVOKED"
    assert bank.use(short) == bank.use(old) == bank.use(before) == "valid"
    bank.machine.passes(1.1)
    assert bank.use(short) == "UNAUTHORIZED EXPIRED"
    bank.machine.passes(HOUR_S)
    assert bank.use(old) == "UNAUTHORIZED REVOKED"
    bank.machine.passes(HOUR_S)
    assert bank.use(before) == "UNAUTHORIZED EXPIRED"


def test_people_and_endpoints_wait_no_longer_than_they_were_meant_to(tmp_path: Path) -> None:
    """After a time with the clock ten years ahead."""
    policy = Policy(two=TwoPersons(always=frozenset({Needing.LIFT})))
    options = replace(OPTIONS, policy=policy, webhook_hosts=("http://127.0.0.1",))
    bank = Bank(sqlite_url(tmp_path), options)
    bank.stop()
    bank.machine.step(10 * YEAR_S)
    bank.start()
    enrolled = EnrolAgent(name="anna", public_key=public_key_text(bytes(32)))
    agent = bank.engine.enrol_agent(enrolled).value.id
    bank.engine.approve_agent(agent, ApproveAgent(expires="2h"))
    asked = OpenDecision(kind="control", subject=bank.account, control="FROZEN", reason="OTHER")
    decision = bank.engine.open_decision(asked).value.id
    anna, ben = (bank.engine.acting_as(Actor(name=name)) for name in ("anna", "ben"))
    anna.take_decision(decision)
    assert anna.approve_decision(decision, Approval()).value.status == "open"
    endpoint = bank.engine.create_webhook(CreateWebhook(url="http://127.0.0.1:1/")).value.id
    bank.engine.rotate_webhook(endpoint, RotateSecret(overlap="24h"))
    sender = HttpWebhooks(WebhookHosts(options.webhook_hosts))
    asyncio.run(Deliverer(bank.context, sender).deliver_due())
    assert bank.engine.webhook(endpoint).attempts == 1
    bank.stop()
    bank.machine.step(-10 * YEAR_S)
    bank.start()
    assert bank.accept() is not None
    now = bank.engine.now()
    (known,) = bank.engine.agents().data
    assert known.expires is not None
    assert from_datetime(known.expires) <= now + 2 * HOUR
    assert ben.take_decision(decision).value.holder == "ben"
    assert ben.approve_decision(decision, Approval()).value.status == "open"
    assert anna.approve_decision(decision, Approval()).value.status == "approved"
    known_endpoint = bank.engine.webhook(endpoint)
    assert known_endpoint.overlap_until is not None
    assert from_datetime(known_endpoint.overlap_until) <= now + DAY
    asyncio.run(Deliverer(bank.context, sender).deliver_due())
    assert bank.engine.webhook(endpoint).attempts == 2
    assert verify(bank.context.database) == ()


def test_a_hold_and_a_limit_begin_with_the_epoch(bank: Bank) -> None:
    """Both were stamped ten years ahead; they last as long as they would have from the start."""
    bank.stop()
    bank.machine.step(10 * YEAR_S)
    bank.start()
    destination = _new_wallet(bank)
    bank.withdraw("50.00")
    bank.machine.step(-10 * YEAR_S)
    begun = bank.accept()
    assert begun is not None
    bank.machine.passes(HOUR_S)
    assert _used_in_a_day(bank) == {"0.00", "50.00"}
    with pytest.raises(DestinationOnHold) as refused:
        bank.engine.withdraw(bank.account, destination)
    assert refused.value.details["availableAt"] == format_instant(begun.began_at + DAY)
    bank.machine.passes(DAY_S)
    assert _used_in_a_day(bank) == {"0.00"}
    assert bank.engine.withdraw(bank.account, destination).value.status == "reviewing"


def test_a_limit_of_a_level_begins_with_the_epoch(bank: Bank) -> None:
    bank.stop()
    bank.machine.step(10 * YEAR_S)
    bank.start()
    bank.withdraw("50.00")
    with bank.context.database.write() as connection:
        values = {"class": DestinationClass.VERIFIED.value, "level": EvidenceLevel.MEDIUM.value}
        connection.execute(
            text("UPDATE transfer SET destination_class = :class, evidence_level = :level"), values
        )
        connection.commit()
    bank.machine.step(-10 * YEAR_S)
    begun = bank.accept()
    assert begun is not None
    used = list[Spent]()

    def load(tx: UnitOfWork) -> None:
        used.extend(limits.load_used(tx, bank.account, EvidenceLevel.MEDIUM))

    act(bank.context, Actor(), load)
    assert {each.level: each.at for each in used} == {
        None: begun.began_at,
        EvidenceLevel.MEDIUM: begun.began_at,
    }


def test_a_wallet_that_had_to_be_verified_again_is_verified_in_the_next_epoch(bank: Bank) -> None:
    bank.stop()
    bank.machine.step(10 * YEAR_S)
    bank.start()
    bank.engine.deposit(bank.account, DepositRequest(amount="90.00", currency=USDC_ETHEREUM))
    prove_wallet(bank.engine, bank.account, NAMES[0])
    (custody,) = bank.engine.blockchain_accounts().data
    (wallet,) = bank.engine.linked_counterparties(custody.id).data
    again = ReverificationRequest(reason="AGENT_REQUEST")
    bank.engine.require_reverification(custody.id, wallet.id, again)
    bank.machine.step(-10 * YEAR_S)
    assert bank.accept() is not None
    prove_wallet(bank.engine, bank.account, NAMES[0], custody.id)
    (wallet,) = bank.engine.linked_counterparties(custody.id).data
    assert wallet.verification is not None
    assert wallet.verification.status == "current"


def test_a_wallet_may_be_paid_before_it_is_verified_again_in_the_next_epoch(bank: Bank) -> None:
    """The payout is earlier than the first link by their times, and later in truth."""
    bank.stop()
    bank.machine.step(DAY_S)
    bank.start()
    bank.engine.deposit(bank.account, DepositRequest(amount="90.00", currency=USDC_ETHEREUM))
    prove_wallet(bank.engine, bank.account, NAMES[0])
    (custody,) = bank.engine.blockchain_accounts().data
    (wallet,) = bank.engine.linked_counterparties(custody.id).data
    bank.machine.step(-DAY_S)
    assert bank.accept() is not None
    to = Destination(
        type="counterparty", counterparty_id=wallet.id, blockchain_account_id=custody.id
    )
    asked = WithdrawalRequest(amount="40.00", currency=USDC_ETHEREUM, destination=to)
    bank.engine.withdraw(bank.account, asked)
    bank.machine.passes(2)
    prove_wallet(bank.engine, bank.account, NAMES[0], custody.id)
    assert verify(bank.context.database) == ()


def test_whoever_asked_for_a_withdrawal_is_the_first_of_two_in_the_next_epoch(
    tmp_path: Path,
) -> None:
    two = TwoPersons(0, HOUR_S, frozenset())
    bank = Bank(sqlite_url(tmp_path), replace(OPTIONS, policy=Policy(two=two)))
    bank.stop()
    bank.machine.step(DAY_S)
    bank.start()
    bank.withdraw("50.00")
    (decision,) = bank.engine.decisions().data
    bank.machine.step(-DAY_S)
    assert bank.accept() is not None
    ben = bank.engine.acting_as(Actor(name="ben"))
    decided = ben.approve_decision(decision.id, Approval()).value
    assert (decided.first_by, decided.decided_by) == (decision.first_by, "ben")


def test_webhooks_are_signed_with_the_time_of_the_bank(tmp_path: Path) -> None:
    hosts = ("http://127.0.0.1",)
    bank = Bank(sqlite_url(tmp_path), replace(OPTIONS, webhook_hosts=hosts))
    with receiving() as receiver:
        bank.engine.create_webhook(CreateWebhook(url=receiver.url))
        bank.machine.step(4)  # too little for a doubt
        sender = HttpWebhooks(WebhookHosts(hosts))
        asyncio.run(Deliverer(bank.context, sender).deliver_due())
    assert {each.timestamp_s for each in receiver.received} == {bank.machine.true // SECOND}


def test_a_review_ends_as_long_after_its_request_as_it_was_meant_to(bank: Bank) -> None:
    """It was requested while the clock was ten years ahead; its job and its end are put right."""
    destination = _new_wallet(bank)
    bank.machine.passes(DAY_S)
    bank.stop()
    bank.machine.step(10 * YEAR_S)
    bank.start()
    requested = bank.engine.withdraw(bank.account, destination).value.id
    bank.machine.passes(HOUR_S)
    bank.machine.step(-10 * YEAR_S)
    assert bank.accept() is not None
    assert verify(bank.context.database) == ()

    def status() -> str:
        return bank.engine.withdrawal_record(bank.account, requested).status

    bank.machine.passes(HOUR_S - 1)
    bank.work()
    assert status() == "reviewing"
    bank.machine.passes(2)
    bank.work()
    assert status() == "processing"
    bank.machine.passes(2)
    bank.work()
    assert status() == "sent"
    assert bank.entries("work.put_back") == []
    assert verify(bank.context.database) == ()


def test_the_times_of_a_claim_are_compared_unless_the_clock_was_set_since_it_began(
    bank: Bank,
) -> None:
    """A verification may end early only where the clock was put right while it was made or held."""
    bank.engine.deposit(bank.account, DepositRequest(amount="90.00", currency=USDC_ETHEREUM))
    prove_wallet(bank.engine, bank.account, NAMES[0])
    bank.machine.step(HOUR_S)
    bank.tick()
    assert bank.accept() is not None
    prove_wallet(bank.engine, bank.account, NAMES[1])
    old, new = _rechecked(bank)
    assert (old.found, new.found) == (None, None)
    with bank.context.database.write() as connection:
        connection.execute(text("UPDATE link SET expires = expires - 1"))
        connection.commit()
    old, new = _rechecked(bank)
    assert old.found is None
    assert new.found is not None
    assert new.found.reason == "EXPIRY"


def _rechecked(bank: Bank) -> list[Rechecked]:
    """Every claim, oldest first."""
    with bank.context.database.read() as connection:
        return sorted(recheck(connection), key=lambda each: each.evidence.claim_created)


def _new_wallet(bank: Bank) -> WithdrawalRequest:
    """A withdrawal to a wallet that was registered just now."""
    asked = DepositRequest(amount="100.00", currency=USDC_SOLANA)
    bank.engine.deposit(bank.account, asked)
    opened = OpenBlockchainAccount(network="solana", trading_account_id=bank.account)
    custody = bank.engine.open_blockchain_account(opened).value.id
    registered = bank.engine.register_counterparty(
        RegisterCounterparty(address=WALLET, network="solana")
    )
    wallet = Destination(
        type="counterparty",
        counterparty_id=registered.value.id,
        blockchain_account_id=custody,
    )
    return WithdrawalRequest(amount="40.00", currency=USDC_SOLANA, destination=wallet)


def _used_in_a_day(bank: Bank) -> set[str]:
    rows = bank.engine.limits(bank.account).data
    return {str(each.used) for each in rows if each.period_seconds == DAY_S}


def test_a_reboot_forgets_at_most_a_minute(bank: Bank) -> None:
    """The newest record is old, but a running server notes the time every minute."""
    for _ in range(20):
        bank.machine.passes(30)
        bank.work()
    bank.stop()
    bank.machine.reboot()
    bank.machine.step(-120)
    assert bank.start() == "CLOCK_BEHIND"
    bank.machine.step(120)
    assert bank.tick() == ""


@pytest.mark.parametrize(
    ("year", "reason"), [(1970, "CLOCK_NOT_SET"), (2262, "CLOCK_OUT_OF_RANGE")]
)
def test_a_clock_of_another_age_is_named_and_never_accepted(
    bank: Bank, year: int, reason: str
) -> None:
    for restart in (False, True):
        wrong = (year - 2026) * 365.25 * DAY_S
        bank.machine.step(wrong)
        assert (bank.restart() if restart else bank.tick()) == reason
        with pytest.raises(ClockUncertain) as refused:
            bank.accept()
        assert refused.value.details["reason"] == reason
        assert bank.engine.trading_account(bank.account).id
        bank.machine.step(-wrong)
        assert bank.tick() == ""
    assert bank.entries("accept_clock") == []


def test_a_new_bank_waits_for_a_clock_that_is_set(tmp_path: Path) -> None:
    bank = Bank(sqlite_url(tmp_path))
    bank.stop()
    bank.machine.reboot()
    bank.machine.wrong = -bank.machine.true
    assert bank.start() == "CLOCK_NOT_SET"
    bank.machine.wrong = 0
    assert bank.tick() == ""
    assert bank.quote()


def test_a_clock_that_jumps_within_a_transaction_leaves_nothing(bank: Bank) -> None:
    for step in (-HOUR_S, HOUR_S):
        bank.machine.jump, bank.machine.jump_after = step * 1_000_000, 2
        with pytest.raises(ClockUncertain) as refused:
            bank.quote()
        assert refused.value.details["reason"] == "CLOCK_JUMPED"
        assert sql(bank.context.database, "SELECT count(*) FROM quote") == 0
        bank.machine.step(-step)
    assert bank.execute(bank.quote())


def test_health_names_the_clock_while_it_is_wrong(bank: Bank) -> None:
    deployment = EmbeddedDeployment(bank.engine, DeploymentOptions("0.0.test"))
    assert deployment.health().checks == {"database": "ok"}
    bank.machine.step(-HOUR_S)
    health = deployment.health()
    assert not health.ready
    assert health.checks == {"database": "ok", "clock": "CLOCK_BEHIND"}


def test_processes_without_a_common_elapsed_time_keep_their_own(tmp_path: Path) -> None:
    bank = Bank(sqlite_url(tmp_path))
    bank.machine.linked = False
    bank.restart()
    other = build(bank.url, clock=MachineClock(bank.machine), options=bank.options)
    quote = bank.quote()
    bank.machine.step(-HOUR_S)
    bank.machine.passes(1)
    assert bank.tick() == "CLOCK_BEHIND"
    with pytest.raises(ClockUncertain):
        other.engine.run_due()
    assert bank.accept() is not None
    assert bank.tick() == ""
    assert other.engine.now() == bank.engine.now()
    with pytest.raises(QuoteExpired):
        bank.execute(quote)
    other.engine.close()


def test_a_few_seconds_taken_over_from_a_record_are_put_right_as_well(bank: Bank) -> None:
    with bank.context.database.write() as connection:
        connection.execute(text("UPDATE log SET last_at = last_at + 4000000"))
        connection.commit()
    key = bank.key("3s")
    bank.tick()
    bank.machine.step(-2)
    assert bank.tick() == "CLOCK_BEHIND"
    assert bank.accept() is not None
    bank.machine.passes(2.9)
    assert bank.use(key) == "valid"
    bank.machine.passes(0.1)
    assert bank.use(key) == "UNAUTHORIZED EXPIRED"


def test_what_is_old_goes_though_an_epoch_of_the_future_ended_among_it(
    bank: Bank, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Records were begun in a wrong time two years ahead, and ended in the right one."""
    bank.stop()
    bank.machine.step(2 * YEAR_S)
    assert bank.start() == ""
    monkeypatch.setattr(upkeep, "AT_ONCE", 2)
    monkeypatch.setattr(archiving, "AT_ONCE", 2)
    trade = bank.execute(bank.quote())
    bank.withdraw()
    bank.machine.step(-2 * YEAR_S)
    assert bank.tick() == "CLOCK_BEHIND"
    assert bank.accept() is not None
    bank.machine.passes(60)
    bank.work()
    bank.withdraw("11.00")
    bank.machine.passes(401 * DAY_S)
    for _ in range(3):
        bank.work()
        bank.machine.passes(60)
    assert bank.trade(trade) == "settled"
    list(upkeep.round_of_steps(bank.context))
    page = bank.engine.events(0)
    assert page.reset
    assert all(each.at.year == 2027 for each in page.data)
    assert verify(bank.context.database) == ()
    kept = "SELECT count(*) FROM entry WHERE action = 'withdraw' AND body IS NOT NULL"
    assert sql(bank.context.database, kept) == 2
    assert sum(archiving.archive(bank.context, tmp_path / "audit.archive", 400))
    assert sql(bank.context.database, kept) == 1  # the account's balances rest on the newest one
    assert verify(bank.context.database) == ()
    assert bank.restart() == ""
