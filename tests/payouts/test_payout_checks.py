"""Each condition of ``payout_checks`` alone keeps a withdrawal from being sent.

One cell is changed after the withdrawal was accepted. The failure's words name the condition, so
that none can go unnoticed because another one refuses too.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from sqlalchemy import select, text
from tests.payouts.bank import (
    CLAIM,
    LINK,
    SOL,
    TRANSFER,
    WALLET,
    Pair,
    PayoutBank,
    make_bank,
)
from tests.tampering.altering import unguarded
from tests.world.engines import DPT
from tests.world.files import sealed
from tests.world.logs import entries
from tests.world.told import statements

from chainteller.domain.actors import DEFAULT_ORGANISATION
from chainteller.domain.challenges import DORMANCY
from chainteller.domain.clock import DAY, HOUR, MINUTE, SECOND
from chainteller.engine.forwarding.marking import BEGAN
from chainteller.engine.operations import transfers
from chainteller.service.models.counterparties import RegisterCounterparty, ReverificationRequest
from chainteller.service.models.funding import Destination, WithdrawalRequest
from chainteller.storage.log import append
from chainteller.storage.log.entry import Act, Stamp
from chainteller.storage.log.rows import Writer
from chainteller.storage.queries import jobs
from chainteller.storage.queries.providers import SUBJECT
from chainteller.storage.schema.wallet_tables import Tables

_UNVERIFIED = "DRpbCBMxVnDK7maPM5tGv6MvB3v1sRMC86PZ8okm21hy"


@pytest.fixture(scope="module")
def one_bank(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PayoutBank]:
    made = make_bank(tmp_path_factory.mktemp("payout-checks") / "bank.db")
    yield made
    made.world.close()


@pytest.fixture
def bank(one_bank: PayoutBank) -> PayoutBank:
    """The bank of the module; each test leaves it as sound as it was."""
    one_bank.begin()
    return one_bank


def solana(bank: PayoutBank) -> Pair:
    return bank.payable[0]


def to_wallet(bank: PayoutBank) -> str:
    """A withdrawal of a stablecoin to a verified wallet."""
    return bank.request(solana(bank)).id


def after_others(bank: PayoutBank) -> str:
    """A withdrawal with a number that none of its account's three deposits has."""
    return [to_wallet(bank) for _ in range(4)][-1]


def of_crypto(bank: PayoutBank) -> str:
    """A withdrawal of a crypto asset, whose worth isn't compared."""
    pair = solana(bank)
    destination = Destination(
        type="counterparty",
        counterparty_id=pair.wallet_id,
        blockchain_account_id=pair.custody_id,
    )
    request = WithdrawalRequest(amount="0.01", currency=SOL, destination=destination)
    return bank.world.engine.withdraw(pair.account_id, request).value.id


def to_bank(bank: PayoutBank) -> str:
    return bank.world.withdraw("5.00", DPT, solana(bank).account_id).id


def reviewed(bank: PayoutBank, late: int = 0) -> str:
    """A withdrawal to an unverified wallet whose review has ended, and was passed ``late``."""
    pair = solana(bank)
    wallet = bank.world.engine.register_counterparty(
        RegisterCounterparty(address=_UNVERIFIED, network="solana")
    ).value
    bank.pass_time(DAY + HOUR)
    destination = Destination(
        type="counterparty", counterparty_id=wallet.id, blockchain_account_id=pair.custody_id
    )
    request = WithdrawalRequest(amount="0.01", currency=SOL, destination=destination)
    requested = bank.world.engine.withdraw(pair.account_id, request).value.id
    bank.pass_time(2 * HOUR + late)
    assert bank.cell(TRANSFER, {"id": requested}, "status") == "processing"
    return requested


class Case(NamedTuple):
    """One cell of a withdrawal, how it's changed, and what the failure then says."""

    column: str
    change: Callable[[Any], Any]
    said: str
    request: Callable[[PayoutBank], str] = to_wallet
    reason: str = "WITHDRAWAL"

    def name(self) -> str:
        return f"{CASES.index(self)} {self.column}"


OWNER = "The withdrawal isn't of the account that holds funds."
STATUS = "The withdrawal's funds are held, its status differs."
OUTCOME = "The withdrawal has an outcome and wasn't sent."
AMOUNT = "The withdrawal's amount isn't the one that is held."
CURRENCY = "The withdrawal's currency isn't that of its asset."
COUNTED = "The withdrawal's amount isn't what its limits counted."
CLASS = "The withdrawal's destination isn't of its class."
LEVEL_OF_CLASS = "The withdrawal's level of evidence isn't of its class."
REVIEW = "The withdrawal's review isn't that of its class."
TIMES = "The withdrawal's times aren't those of its hold."
NUMBER = "The withdrawal has another number than it was given."
LEVEL_OF_CLAIM = "The withdrawal's level of evidence isn't that of the wallet's claim."
ADDRESS = "The address isn't the wallet's."
LINK_OF = "The account can't pay the wallet."
UNREADABLE = "The withdrawal holds a value that can't be read."
CASES = [
    Case("organisation_id", lambda _: "other", OWNER),
    Case("trading_account_id", lambda _: "TDA_OTHER", OWNER),
    Case("bank_account_id", lambda _: "DDA-2", OWNER),
    Case("direction", lambda _: "deposit", STATUS, request=after_others),
    Case("status", lambda _: "sent", STATUS),
    Case("status", lambda _: "reviewing", STATUS),
    Case("completed_at", lambda _: 1, OUTCOME),
    Case("failure_code", lambda _: "RETURNED", OUTCOME),
    Case("failure_message", lambda _: "Returned.", OUTCOME),
    Case("network_tx_hash", lambda _: "0x1", OUTCOME),
    Case("hold", lambda hold: hold.replace("5000000", "5000001"), AMOUNT),
    Case("hold", lambda hold: hold.replace(" ", "  "), AMOUNT),
    Case("amount", lambda atoms: int(atoms) + 1, AMOUNT, of_crypto),
    Case("fee", lambda _: 1, AMOUNT),
    Case("fee", lambda _: 1, AMOUNT, to_bank),
    Case("asset", lambda _: "USDC@ethereum", AMOUNT),
    Case("asset", lambda _: "SOL@solana", CURRENCY),
    Case("currency_type", lambda _: "crypto-currency", CURRENCY),
    Case("currency_id", lambda _: "DPT_USD", CURRENCY),
    Case("amount", lambda atoms: int(atoms) * 2, COUNTED),
    Case("notional_cents", lambda cents: cents + 1, COUNTED),
    Case("notional_cents", lambda cents: cents + 1, COUNTED, to_bank),
    Case("counterparty_id", lambda _: None, CLASS),
    Case("blockchain_account_id", lambda _: None, CLASS),
    Case("address", lambda _: None, CLASS),
    Case("address", lambda _: _UNVERIFIED, CLASS, to_bank),
    Case("destination_class", lambda _: "own-bank-account", CLASS),
    Case("evidence_level", lambda _: "high", LEVEL_OF_CLASS, to_bank),
    Case("review_reason", lambda _: "UNVERIFIED_DESTINATION", REVIEW),
    Case("review_eta", lambda _: 1, REVIEW),
    Case("review_reason", lambda _: None, REVIEW, reviewed),
    Case("review_eta", lambda _: None, REVIEW, reviewed),
    Case("destination_class", lambda _: "unverified-counterparty", REVIEW),
    Case("created", lambda at: at + 1, TIMES),
    Case("created", lambda at: at - 1, TIMES),
    Case("updated", lambda at: at - 1, TIMES),
    Case("version", lambda version: version + 1, TIMES),
    Case("version", lambda version: version - 1, TIMES, reviewed),
    Case("updated", lambda at: at - HOUR * 3, TIMES, reviewed),
    Case("review_eta", lambda at: at + HOUR, TIMES, reviewed),
    Case("ordinal", lambda _: 0, NUMBER),
    Case("ordinal", lambda _: 10_000, NUMBER),
    Case("transaction_ordinal", lambda _: 0, NUMBER),
    Case("transaction_ordinal", lambda _: 10_000, NUMBER),
    Case("transaction_ordinal", lambda _: 1, NUMBER),
    Case("evidence_level", lambda _: "medium", LEVEL_OF_CLAIM),
    Case("address", lambda _: _UNVERIFIED, ADDRESS, reason="ADDRESS"),
    Case("counterparty_id", lambda _: "CPT_NONE", LINK_OF, reason="LINK"),
    Case("blockchain_account_id", lambda _: "BCA_NONE", LINK_OF, reason="LINK"),
    Case("hold", lambda _: "x", UNREADABLE, reason="UNREADABLE"),
    Case("destination_class", lambda _: "x", UNREADABLE, reason="UNREADABLE"),
]


def refusals(bank: PayoutBank, withdrawal_id: str) -> list[tuple[str | None, object]]:
    """The code and the reason of each alarm about a withdrawal."""
    return [
        (each.error, (each.inputs or {}).get("reason"))
        for each in bank.audited("payout.refused")
        if each.object == withdrawal_id
    ]


def require_failed(bank: PayoutBank, withdrawal_id: str, code: str, message: str) -> None:
    """It wasn't paid, its hold was given back, and it says why."""
    here = {"id": withdrawal_id}
    assert not bank.is_paid(withdrawal_id)
    told = tuple(bank.cell(TRANSFER, here, name) for name in ("failure_code", "failure_message"))
    assert (bank.cell(TRANSFER, here, "status"), *told) == ("failed", code, message)
    journal = Tables.journal
    with bank.world.database.read() as connection:
        kinds = connection.execute(
            select(journal.c.kind).where(journal.c.record == withdrawal_id)
        ).scalars()
        assert set(kinds) == {"hold", "release"}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name())
def test_a_withdrawal_is_not_sent_whose_cell_was_changed(bank: PayoutBank, case: Case) -> None:
    withdrawal_id = case.request(bank)
    here = {"id": withdrawal_id}
    before = bank.cell(TRANSFER, here, case.column)
    bank.write(TRANSFER, here, case.column, case.change(before))
    bank.pass_time(MINUTE)
    require_failed(bank, withdrawal_id, "CLAIM_UNVERIFIABLE", case.said)
    assert refusals(bank, withdrawal_id) == [("CLAIM_UNVERIFIABLE", case.reason)]
    if case.column != "status":
        bank.write(TRANSFER, here, case.column, before)


@pytest.mark.parametrize("late", [0, HOUR])
def test_a_withdrawal_that_was_reviewed_is_sent(bank: PayoutBank, late: int) -> None:
    withdrawal_id = reviewed(bank, late)
    bank.pass_time(MINUTE)
    assert bank.is_paid(withdrawal_id)
    assert refusals(bank, withdrawal_id) == []


def offer(bank: PayoutBank, account_id: str) -> None:
    for _ in range(80):
        bank.world.quote("10.00", trading_account_id=account_id)


def trade(bank: PayoutBank, account_id: str) -> None:
    for _ in range(20):
        bank.world.execute(bank.world.quote("10.00"), account_id)
    bank.world.settle()


@pytest.mark.parametrize("grow", [offer, trade])
def test_how_much_of_the_log_a_payout_reads_does_not_depend_on_the_length_of_its_accounts_trail(
    bank: PayoutBank, grow: Callable[[PayoutBank, str], None]
) -> None:
    pair = solana(bank)

    def reads() -> int:
        with statements(bank.world.database) as told:
            withdrawal = bank.request(pair)
            bank.pass_time(MINUTE)
        assert bank.is_paid(withdrawal.id)
        bank.pass_time(2 * HOUR)
        return sum("FROM entry" in sql and "trading_account_id = " in sql for sql, _ in told)

    reads()
    before = reads()
    grow(bank, pair.account_id)
    bank.pass_time(2 * HOUR)
    assert 0 < reads() <= before
    offered = entries(bank.world.database, action="create_quote")
    assert {name for each in offered for name, *_ in each.rows} == {"quote"}
    assert not any(each.journals for each in offered)


def test_a_withdrawal_whose_amount_is_no_number_is_not_sent_and_stays_as_it_is(
    bank: PayoutBank,
) -> None:
    withdrawal_id = to_wallet(bank)
    with bank.scrambled("transfer", withdrawal_id, "amount"):
        bank.pass_time(MINUTE)
    assert not bank.is_paid(withdrawal_id)
    assert refusals(bank, withdrawal_id) == [("CLAIM_UNVERIFIABLE", "UNREADABLE")]
    assert bank.cell(TRANSFER, {"id": withdrawal_id}, "status") == "processing"
    bank.world.engine.cancel_withdrawal(solana(bank).account_id, withdrawal_id)


def test_a_payment_to_the_bank_is_compared_with_its_hold_also_where_its_own_cells_agree(
    bank: PayoutBank,
) -> None:
    withdrawal_id = to_bank(bank)
    here = {"id": withdrawal_id}
    amount, cents = (bank.cell(TRANSFER, here, name) for name in ("amount", "notional_cents"))
    with (
        bank.changed(TRANSFER, here, "amount", 2 * int(amount)),
        bank.changed(TRANSFER, here, "notional_cents", 2 * cents),
    ):
        bank.pass_time(MINUTE)
    require_failed(bank, withdrawal_id, "CLAIM_UNVERIFIABLE", AMOUNT)


def test_the_custody_of_another_account_does_not_pay(bank: PayoutBank) -> None:
    withdrawal_id = to_wallet(bank)
    (other, *_) = [each for each in bank.pairs if each.account_id != solana(bank).account_id]
    with bank.changed(TRANSFER, {"id": withdrawal_id}, "blockchain_account_id", other.custody_id):
        bank.pass_time(MINUTE)
    require_failed(bank, withdrawal_id, "CLAIM_UNVERIFIABLE", LINK_OF)
    assert refusals(bank, withdrawal_id) == [("CLAIM_UNVERIFIABLE", "LINK")]


def test_a_wallet_of_another_network_is_not_paid(bank: PayoutBank) -> None:
    withdrawal_id = to_wallet(bank)
    pair = solana(bank)
    with bank.changed(WALLET, pair.key(WALLET), "network", "ethereum"):
        bank.pass_time(MINUTE)
    require_failed(bank, withdrawal_id, "CLAIM_UNVERIFIABLE", ADDRESS)


def test_a_wallet_that_was_never_verified_is_not_paid_as_a_verified_one(bank: PayoutBank) -> None:
    withdrawal_id = to_wallet(bank)
    other = bank.world.engine.register_counterparty(
        RegisterCounterparty(address=_UNVERIFIED, network="solana")
    ).value
    here = {"id": withdrawal_id}
    with (
        bank.changed(TRANSFER, here, "counterparty_id", other.id),
        bank.changed(TRANSFER, here, "address", other.address),
    ):
        bank.pass_time(MINUTE)
    require_failed(bank, withdrawal_id, "CLAIM_UNVERIFIABLE", "The wallet was never verified.")
    assert refusals(bank, withdrawal_id) == [("CLAIM_UNVERIFIABLE", "LINK")]


def test_a_claim_that_was_changed_while_its_withdrawal_waited_pays_nothing(
    bank: PayoutBank,
) -> None:
    withdrawal_id = to_wallet(bank)
    pair = solana(bank)
    with bank.changed(CLAIM, pair.key(CLAIM), "signature", "00" * 64):
        bank.pass_time(MINUTE)
    said = "The wallet's verification can't be confirmed. "
    said += "The wallet's key didn't sign the stored text."
    require_failed(bank, withdrawal_id, "CLAIM_UNVERIFIABLE", said)
    assert refusals(bank, withdrawal_id) == [("CLAIM_UNVERIFIABLE", "SIGNATURE")]


@pytest.fixture
def fresh(tmp_path: Path) -> Iterator[PayoutBank]:
    """A bank of one test, which leaves it damaged or in another year."""
    made = make_bank(tmp_path / "bank.db", size=1)
    made.begin()
    yield made
    made.world.close()


@pytest.mark.parametrize("late", [0, 1])
def test_a_verification_that_expires_while_its_withdrawal_waits_pays_nothing(
    fresh: PayoutBank, late: int
) -> None:
    """It pays in its last instant, and not after it."""
    expires = fresh.cell(LINK, solana(fresh).key(LINK), "expires")
    while expires - fresh.world.clock.now() > DORMANCY:
        fresh.pass_time(DORMANCY // 2)
        to_wallet(fresh)
    fresh.world.clock.set(expires - 5 * SECOND)
    withdrawal_id = to_wallet(fresh)
    fresh.world.clock.set(expires + late)
    fresh.world.engine.run_due()
    if not late:
        assert fresh.is_paid(withdrawal_id)
        return
    said = "The wallet's verification ended before the withdrawal was sent."
    require_failed(fresh, withdrawal_id, "VERIFICATION_ENDED", said)
    assert refusals(fresh, withdrawal_id) == [("VERIFICATION_ENDED", None)]
    assert fresh.breaches() == []


def test_nothing_is_paid_from_a_gateways_database_whose_row_of_the_provider_is_gone(
    fresh: PayoutBank,
) -> None:
    with fresh.world.database.write() as connection:
        acts = {DEFAULT_ORGANISATION: [Act(BEGAN, "test", SUBJECT)]}
        append.append(Writer(connection), {}, acts, fresh.world.clock.now(), Stamp())
        connection.commit()
    withdrawal_id = to_wallet(fresh)
    fresh.pass_time(MINUTE)
    said = "The log says otherwise: the database is a gateway's, whose provider pays."
    require_failed(fresh, withdrawal_id, "CLAIM_UNVERIFIABLE", said)


@pytest.mark.parametrize("writes", [1, 3])
def test_a_row_that_an_honest_write_sealed_as_it_was_altered_pays_nothing(
    fresh: PayoutBank, writes: int
) -> None:
    """The request for a withdrawal notes that the wallet's link was used, and so seals the link."""
    pair = solana(fresh)
    fresh.world.engine.require_reverification(
        pair.custody_id, pair.wallet_id, ReverificationRequest(reason="SUSPICIOUS_ACTIVITY")
    )
    for column in ("revoked_at", "revoked_reason"):
        fresh.write(LINK, pair.key(LINK), column, None)
    requested, *_ = reversed([fresh.request(pair) for _ in range(writes)])
    assert requested.destination is not None
    assert requested.destination.verified
    fresh.pass_time(MINUTE)
    link = f"link {pair.custody_id} {pair.wallet_id} was altered after entry"
    found = fresh.world.engine.withdrawal_record(pair.account_id, requested.id)
    assert not fresh.is_paid(requested.id)
    assert found.failure_reason is not None
    assert link in found.failure_reason.message


@pytest.mark.parametrize(
    "damage",
    [
        "DELETE FROM journal WHERE record = :id",
        "DELETE FROM entry WHERE (organisation_id, number) IN"
        " (SELECT organisation_id, number FROM journal WHERE record = :id)",
        "UPDATE journal SET number = number - 1 WHERE record = :id",
        "INSERT INTO journal (record, kind, organisation_id, number)"
        " SELECT record, 'release', organisation_id, number FROM journal WHERE record = :id",
    ],
)
def test_a_withdrawal_without_a_hold_is_not_sent_and_stays_as_it_is(
    fresh: PayoutBank, damage: str
) -> None:
    withdrawal_id = to_wallet(fresh)
    with unguarded(fresh.world) as connection:
        assert connection.execute(text(damage), {"id": withdrawal_id}).rowcount
        connection.commit()
    fresh.pass_time(MINUTE)
    assert not fresh.is_paid(withdrawal_id)
    assert refusals(fresh, withdrawal_id) == [("HOLD_MISSING", None)]
    assert fresh.cell(TRANSFER, {"id": withdrawal_id}, "status") == "processing"
    (event,) = fresh.events("payout.refused")
    assert event.resource == solana(fresh).account_id


def test_a_withdrawal_whose_hold_lost_its_entry_waits_for_who_clears_it(fresh: PayoutBank) -> None:
    withdrawal_id = to_wallet(fresh)
    hold = "(SELECT organisation_id, number FROM journal WHERE record = :id)"
    with unguarded(fresh.world) as connection:
        damage = f"UPDATE entry SET body = NULL WHERE (organisation_id, number) IN {hold}"  # noqa: S608
        assert connection.execute(text(damage), {"id": withdrawal_id}).rowcount
        connection.commit()
    for _ in range(2):
        fresh.pass_time(MINUTE)
    (dispute,) = fresh.world.engine.disputes().data
    assert "has no contents, and no archive took them" in dispute.what
    assert fresh.cell(TRANSFER, {"id": withdrawal_id}, "status") == "processing"
    assert refusals(fresh, withdrawal_id) == []


def test_a_withdrawal_of_an_account_that_vanished_is_not_sent(fresh: PayoutBank) -> None:
    withdrawal_id, account_id = to_wallet(fresh), solana(fresh).account_id
    with unguarded(fresh.world) as connection:
        connection.execute(text("DELETE FROM trading_account"))
        connection.commit()
    with pytest.raises(AssertionError, match=f"{account_id} vanished"):
        fresh.pass_time(MINUTE)
    assert not fresh.is_paid(withdrawal_id)


def test_a_withdrawal_that_was_sent_or_ended_is_left_alone(fresh: PayoutBank) -> None:
    sent, cancelled = to_wallet(fresh), to_wallet(fresh)
    fresh.world.engine.cancel_withdrawal(solana(fresh).account_id, cancelled)
    fresh.pass_time(MINUTE)
    before = {each: fresh.cell(TRANSFER, {"id": each}, "version") for each in (sent, cancelled)}
    with sealed(fresh.world.database) as rows:
        for each in before:
            jobs.schedule(rows, transfers.SEND, each, 1)
    fresh.world.engine.run_due()
    after = {each: fresh.cell(TRANSFER, {"id": each}, "version") for each in (sent, cancelled)}
    assert (after, fresh.audited("payout.refused")) == (before, [])
