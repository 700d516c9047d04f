"""No payout after one cell was changed in the chain from the signed text to the withdrawal.

``PAYOUT_SEEDS`` (1) names the seeds of the slow form, each with 500 changes on each database.
"""

import os
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import cycle
from random import Random  # noqa: TID251 - changes that can be made again from a seed
from typing import Any

import pytest
from sqlalchemy import Table
from sqlalchemy.exc import DataError, IntegrityError
from sqlalchemy.sql.sqltypes import Boolean, Integer
from tests.payouts.bank import CHALLENGE, CLAIM, LINK, TRANSFER, WALLET, Pair, PayoutBank, make_bank
from tests.refusals import details, refusal
from tests.wallets.customers import customers
from tests.world.files import sealed

from chainteller.domain.clock import DAY, HOUR, MINUTE, SECOND
from chainteller.engine.operations import transfers
from chainteller.engine.operations.claim_proofs import Rechecked, recheck
from chainteller.engine.verification.full_pass import verify_claims
from chainteller.service.errors import ClaimUnverifiable, ServiceError
from chainteller.service.models.counterparties import LinkRequest, ReverificationRequest
from chainteller.storage.db.errors import DatabaseError
from chainteller.storage.db.table import SALT
from chainteller.storage.queries import jobs
from chainteller.storage.schema.columns import Atoms

SEEDS = os.environ.get("PAYOUT_SEEDS", "1").split()
CHANGES = 500
_IMPOSSIBLE = (IntegrityError, DataError, DatabaseError)
"""What the database refuses to store, whoever asks."""
WORDS = (
    "open", "used", "locked", "valid", "linked", "expired", "processing", "reviewing", "sent",
    "completed", "cancelled", "failed", "deposit", "withdrawal", "signature", "document", "eip191",
    "own-bank-account", "unverified-counterparty", "VerifiedCounterparty1P", "ethereum", "base",
    "AGENT_REQUEST", "UNVERIFIED_DESTINATION", "default", "",
)  # fmt: skip
NOT_COMPARED = {
    **{
        (each, SALT): "the key of the row's seal, which the log notices"
        for each in (CHALLENGE, CLAIM, WALLET, LINK, TRANSFER)
    },
    (CHALLENGE, "created"): "no other row repeats it; the text names the expiry",
    **{
        (CHALLENGE, each): "of a signing page, by whose text no claim here was made"
        for each in ("page_token", "page_text", "page_signature", "page_sent")
    },
    (WALLET, "created"): "no other row repeats it; it decides the hold of unverified wallets",
    (WALLET, "code"): "what a chain had at the address is told to people; nothing is decided by it",
    (WALLET, "code_block"): "as ``code``",
    (TRANSFER, "notional_cents"): "the price of a crypto asset at the request isn't kept",
    (
        TRANSFER,
        "rule_id",
    ): "says which settings judged its limits; nothing is decided by it any more",
}
"""Columns whose changes the rows themselves don't show, and why; the seals of the audit log do."""

ABSENT = {
    (CLAIM, "level"): "a claim of an earlier build has none, which means the level of a signature"
}
"""Columns whose absence says what their value says, and why."""


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def one_bank(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[PayoutBank]:
    if request.param == "postgres":
        made = make_bank(request.getfixturevalue("postgres_server").fresh())
    else:
        made = make_bank(tmp_path_factory.mktemp("payouts") / "bank.db")
    yield made
    made.world.close()


@pytest.fixture
def bank(one_bank: PayoutBank) -> PayoutBank:
    """The bank of the module; each test leaves it as sound as it was."""
    one_bank.begin()
    return one_bank


def columns(table: Table) -> list[str]:
    return [each.name for each in table.columns if (table, each.name) not in NOT_COMPARED]


def another(bank: PayoutBank, table: Table, column: str, before: Any, chance: Random) -> Any:
    """Some other value for a cell: another row's, or one that differs a little or a lot."""
    others = [each for each in bank.values(table, column) if each != before]
    if isinstance(table.c[column].type, Boolean):
        others += [True, False]
    elif isinstance(table.c[column].type, Integer | Atoms) or isinstance(before, int):
        known = before or 0
        steps = (1, -1, SECOND, -SECOND, MINUTE, DAY, -DAY, 400 * DAY)
        others += [known + step for step in steps] + [0, known * 10 + 1]
    else:
        others += [word for word in WORDS if word or before]
        others += [] if not before else [_altered(str(before), chance), str(before)[:-1]]
    if table.c[column].nullable and (table, column) not in ABSENT:
        others.append(None)
    return chance.choice([each for each in others if each != before])


def _altered(value: str, chance: Random) -> str:
    at = chance.randrange(len(value))
    letters = [each for each in "0123456789abcdefXYZ" if each != value[at]]
    return value[:at] + chance.choice(letters) + value[at + 1 :]


def is_proof_itself(table: Table, column: str, pair: Pair) -> bool:
    """A Bitcoin signature's header has twelve values that mean the same signature."""
    return (table, column, pair.network) == (CLAIM, "signature", "bitcoin")


def change_before(bank: PayoutBank, chance: Random, table: Table, column: str) -> str:
    """Change a cell, request a payout, and let everything happen that could pay it."""
    pair = chance.choice(bank.payable)
    key = pair.key(table)
    before = bank.cell(table, key, column)
    value = another(bank, table, column, before, chance)
    if is_proof_itself(table, column, pair):
        value = before[2:]
    try:
        with bank.changed(table, key, column, value):
            try:
                requested = bank.request(pair, chance)
            except ServiceError as error:
                return f"refused {error.code}"
            bank.pass_time(3 * HOUR)
            bank.pass_time(MINUTE)
            assert not bank.is_paid(requested.id), (table.name, column, before, value)
            return "accepted, not paid"
    except _IMPOSSIBLE:
        return "impossible"


def change_between(bank: PayoutBank, chance: Random, table: Table, column: str) -> str:
    """Change a cell after a payout was accepted, and let everything happen that could pay it."""
    pair = chance.choice(bank.payable)
    requested = bank.request(pair, chance)
    key = {"id": requested.id} if table is TRANSFER else pair.key(table)
    before = bank.cell(table, key, column)
    value = another(bank, table, column, before, chance)
    if is_proof_itself(table, column, pair):
        value = before[2:]
    what = (table.name, column, before, value)
    try:
        bank.write(table, key, column, value)
    except _IMPOSSIBLE:
        bank.world.engine.cancel_withdrawal(pair.account_id, requested.id)
        return "impossible"
    bank.pass_time(MINUTE)
    bank.pass_time(3 * HOUR)
    moved = {**key, column: value} if column in key else key
    paid = bank.is_paid(requested.id) or (table is TRANSFER and bank.is_paid(str(value)))
    assert not paid, what
    status = bank.cell(TRANSFER, moved if table is TRANSFER else {"id": requested.id}, "status")
    if (table, column) != (TRANSFER, "status"):
        bank.write(table, moved, column, before)
    if status == "processing":  # its row was out of reach
        bank.world.engine.cancel_withdrawal(pair.account_id, requested.id)
    return str(status)


def pay_honestly(bank: PayoutBank, pair: Pair) -> None:
    bank.clear_disputes()
    """A test that can't pay proves nothing."""
    requested = bank.request(pair)
    assert requested.destination is not None
    assert (requested.status, requested.destination.verified) == ("processing", True)
    bank.pass_time(MINUTE)
    bank.pass_time(MINUTE)
    assert bank.is_paid(requested.id)
    found = bank.world.engine.withdrawal_record(pair.account_id, requested.id)
    assert found.status == "completed"


def every_change() -> list[tuple[Callable[[PayoutBank, Random, Table, str], str], Table, str]]:
    """Every cell of the chain, before the request and before sending."""
    before = (CHALLENGE, CLAIM, WALLET, LINK)
    return [
        (change, table, column)
        for change, tables in ((change_before, before), (change_between, (*before, TRANSFER)))
        for table in tables
        for column in columns(table)
    ]


def run(bank: PayoutBank, seed: str, changes: int) -> Counter[str]:
    """Change every cell in turn, in the order of the seed, and begin again."""
    chance = Random(f"payouts {seed}")  # noqa: S311 - not for secrets
    turns = every_change()
    chance.shuffle(turns)
    outcomes: Counter[str] = Counter()
    for pair in bank.payable:
        pay_honestly(bank, pair)
    for change, table, column in cycle(turns):
        bank.clear_disputes()
        outcomes[change(bank, chance, table, column)] += 1
        if outcomes.total() - outcomes["impossible"] >= changes:
            break
        if chance.random() < 0.1:
            pay_honestly(bank, chance.choice(bank.payable))
    for pair in bank.payable:
        pay_honestly(bank, pair)
    return outcomes


def redirect(bank: PayoutBank, pair: Pair) -> tuple[str, str]:
    """The address of another wallet of the network, with its canonical form."""
    stranger = customers("solana")[2].registered
    assert pair.network == "solana"
    return stranger.display, stranger.canonical


def test_a_redirected_wallet_is_refused_with_an_alarm(bank: PayoutBank) -> None:
    pair = bank.payable[0]
    display, canonical = redirect(bank, pair)
    with (
        bank.changed(WALLET, pair.key(WALLET), "canonical", canonical + "x"),
        bank.changed(WALLET, pair.key(WALLET), "address", display),
    ):
        error = refusal(bank.request, pair)
        breaches = bank.breaches()
        assert {each.invariant for each in breaches} == {
            15,
            22,
        }  # 22: it is found by the former address
        assert pair.claim_id in str(breaches)
    assert (type(error), error.status) == (ClaimUnverifiable, 422)
    assert details(error) == {
        "counterpartyId": pair.wallet_id,
        "blockchainAccountId": pair.custody_id,
        "claimId": pair.claim_id,
        "reason": "ADDRESS",
    }
    (alarm,) = bank.audited("payout.refused")
    assert (alarm.object, alarm.error) == (pair.wallet_id, error.code)
    assert alarm.account == pair.account_id
    assert (alarm.inputs or {})["claimId"] == pair.claim_id
    assert len(bank.events("payout.refused")) == 1
    assert bank.breaches() == []
    pay_honestly(bank, pair)


def test_a_wallet_redirected_after_the_request_gets_nothing(bank: PayoutBank) -> None:
    pair = bank.payable[0]
    before = bank.world.balances(pair.account_id)
    requested = bank.request(pair)
    display, _ = redirect(bank, pair)
    with bank.changed(TRANSFER, {"id": requested.id}, "address", display):
        bank.pass_time(MINUTE)
        assert bank.cell(TRANSFER, {"id": requested.id}, "failure_code") == "CLAIM_UNVERIFIABLE"
    found = bank.world.engine.withdrawal_record(pair.account_id, requested.id)
    assert (found.status, found.network_tx_hash) == ("failed", None)
    assert bank.world.balances(pair.account_id) == before
    (alarm,) = bank.audited("payout.refused")
    assert (alarm.object, alarm.account) == (requested.id, pair.account_id)
    assert (alarm.inputs or {})["reason"] == "ADDRESS"
    assert bank.breaches() == []
    pay_honestly(bank, pair)


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("ordinal", 0),
        ("ordinal", 10_000),
        ("transaction_ordinal", 0),
        ("transaction_ordinal", 10_000),
        ("fee", 1),
        ("evidence_level", "medium"),
        ("destination_class", "own-bank-account"),
        ("destination_class", "unverified-counterparty"),
        ("review_reason", "UNVERIFIED_DESTINATION"),
        ("counterparty_id", None),
    ],
)
def test_a_payout_whose_row_contradicts_itself_is_not_made(
    bank: PayoutBank, column: str, value: object
) -> None:
    pair = bank.payable[0]
    requested = bank.request(pair)
    with bank.changed(TRANSFER, {"id": requested.id}, column, value):
        bank.pass_time(MINUTE)
        assert not bank.is_paid(requested.id)
        assert bank.cell(TRANSFER, {"id": requested.id}, "failure_code") == "CLAIM_UNVERIFIABLE"
    (reason,) = (
        (each.inputs or {})["reason"]
        for each in bank.audited("payout.refused")
        if each.object == requested.id
    )
    assert reason == "WITHDRAWAL"
    pay_honestly(bank, pair)


def test_a_verification_that_ends_before_sending_releases_the_hold(bank: PayoutBank) -> None:
    pair = bank.payable[0]
    before = bank.world.balances(pair.account_id)
    requested = bank.request(pair)
    bank.world.engine.require_reverification(
        pair.custody_id, pair.wallet_id, ReverificationRequest(reason="SANCTIONS_HIT")
    )
    bank.pass_time(MINUTE)
    found = bank.world.engine.withdrawal_record(pair.account_id, requested.id)
    assert found.failure_reason is not None
    assert (found.status, found.failure_reason.code) == ("failed", "VERIFICATION_ENDED")
    assert bank.world.balances(pair.account_id) == before
    assert [each.error for each in bank.audited("payout.refused")] == ["VERIFICATION_ENDED"]
    bank.verify_again(pair, customers("solana")[0])
    pay_honestly(bank, pair)
    assert bank.breaches() == []


def test_a_payout_whose_cells_cannot_be_read_is_not_made(bank: PayoutBank) -> None:
    if bank.world.database.is_postgres:
        pytest.skip("PostgreSQL stores no text in a column of numbers")
    pair = bank.payable[0]
    requested = bank.request(pair)
    with bank.scrambled("transfer", requested.id, "amount"):
        bank.pass_time(MINUTE)
    assert not bank.is_paid(requested.id)
    (alarm,) = bank.audited("payout.refused")
    assert (alarm.inputs or {})["reason"] == "UNREADABLE"
    bank.world.engine.cancel_withdrawal(pair.account_id, requested.id)
    for table, row_id, column in (
        ("claim", pair.claim_id, "linked_at"),
        ("challenge", pair.challenge_id, "expires"),
    ):
        with bank.scrambled(table, row_id, column):
            assert refusal(bank.request, pair).code == "CLAIM_UNVERIFIABLE"


def test_a_claim_by_a_method_of_a_later_build_is_named(bank: PayoutBank) -> None:
    pair = bank.payable[0]
    with bank.changed(CLAIM, pair.key(CLAIM), "method", "bank-letter"):
        error = refusal(bank.request, pair)
        assert (error.code, details(error)["reason"]) == ("CLAIM_UNVERIFIABLE", "METHOD")
        report = verify_claims(bank.world.database)
    assert report.checked == len(bank.values(CLAIM, "id")) > len(bank.pairs)
    assert ["METHOD" in each.what for each in report.breaches] == [True]
    assert verify_claims(bank.world.database).breaches == ()


FACTS: list[tuple[Table, str, Callable[[Any], Any], str]] = [
    (CLAIM, "method", lambda _: "document", "METHOD"),
    (CLAIM, "scheme", lambda _: "ed25519-offchain-v1", "SIGNATURE"),
    (CLAIM, "signer", lambda signer: signer.lower(), "SIGNATURE"),
    (CLAIM, "signature", lambda signature: signature.upper(), "SIGNATURE"),
    (CLAIM, "signature", lambda signature: signature[:-2] + "00", "SIGNATURE"),
    (CLAIM, "created", lambda at: at + 1, "EXPIRY"),
    (CLAIM, "expires", lambda at: at + 1, "EXPIRY"),
    (CLAIM, "linked_at", lambda at: at + 1, "LINK"),
    (CLAIM, "linked_at", lambda _: None, "LINK"),
    (CLAIM, "status", lambda _: "valid", "LINK"),
    (CHALLENGE, "text", lambda text: text.replace("Example", "Another"), "SIGNATURE"),
    (CHALLENGE, "text", lambda text: text.replace("valid until 2", "valid until 3"), "TEXT"),
    (CHALLENGE, "expires", lambda at: at + SECOND, "TEXT"),
    (CHALLENGE, "expires", lambda at: at + 1, "TEXT"),
    (CHALLENGE, "used_at", lambda at: at - 1, "EXPIRY"),
    (CHALLENGE, "status", lambda _: "locked", "CHALLENGE"),
    (CHALLENGE, "attempts", lambda attempts: attempts + 1, "CHALLENGE"),
    (CHALLENGE, "claim_id", lambda _: None, "CHALLENGE"),
    (CHALLENGE, "customer_id", lambda _: "CUS_DDA-2", "CUSTOMER"),
    (CHALLENGE, "organisation_id", lambda _: "other", "CUSTOMER"),
    (WALLET, "address", lambda address: address[:-1] + "z", "ADDRESS"),
    (WALLET, "canonical", lambda canonical: canonical + "1", "ADDRESS"),
    (WALLET, "kind", lambda _: "evm", "ADDRESS"),
    (WALLET, "network", lambda _: "solana-devnet", "TEXT"),
    (LINK, "claim_id", lambda _: "CLM_NOBODY", "MISSING"),
    (LINK, "first_linked_at", lambda at: at + 1, "LINK"),
    (LINK, "verified_at", lambda at: at + 1, "LINK"),
    (LINK, "expires", lambda at: at + 1, "EXPIRY"),
    (LINK, "last_used_at", lambda at: at + 1, "LINK"),
    (LINK, "last_used_at", lambda at: at - 1, "LINK"),
    (LINK, "policy_version", lambda version: version + 1, "LINK"),
    (LINK, "revoked_reason", lambda _: "SANCTIONS_HIT", "LINK"),
    (LINK, "revoked_at", lambda _: 1, "LINK"),
]
"""A column, how its value is changed, and the reason for which a payout is then refused."""


def test_each_fact_of_a_claim_is_compared(bank: PayoutBank) -> None:
    pair = bank.payable[0]
    pay_honestly(bank, pair)
    for table, column, change, reason in FACTS:
        key = pair.key(table)
        value = change(bank.cell(table, key, column))
        with bank.changed(table, key, column, value):
            error = refusal(bank.request, pair)
            found = (error.code, error.details.get("reason"))
            assert found == ("CLAIM_UNVERIFIABLE", reason), (table.name, column)
    pay_honestly(bank, pair)


@pytest.mark.parametrize(
    ("column", "value", "reason"),
    [("method", "bank-letter", "METHOD"), ("signature", "00" * 64, "SIGNATURE")],
)
def test_a_claim_that_cannot_be_verified_again_is_not_linked(
    bank: PayoutBank, column: str, value: str, reason: str
) -> None:
    pair = bank.payable[0]
    _, claim_id = bank.claim(pair.custody_id, pair.wallet_id, customers("solana")[0])
    claim = bank.world.engine.claim_by_id(claim_id)
    link = LinkRequest(
        address=str(claim.address), network=pair.network, ownership_claim_id=claim_id
    )
    with bank.changed(CLAIM, {"id": claim_id}, column, value):
        error = refusal(bank.world.engine.link_counterparty, pair.custody_id, link)
        assert (error.code, details(error)["reason"]) == ("CLAIM_UNVERIFIABLE", reason)
    assert bank.world.engine.claim_by_id(claim_id).status == "valid"
    pay_honestly(bank, pair)


def test_a_recheck_tells_the_level_and_what_is_checked(bank: PayoutBank) -> None:
    pair = bank.payable[0]
    for method, level in (("signature", "high"), ("bank-letter", None)):
        with (
            bank.changed(CLAIM, {"id": pair.claim_id}, "method", method),
            bank.world.database.read() as connection,
        ):
            told = [Rechecked(*each).to_wire() for each in recheck(connection)]
        (found,) = [each for each in told if each["id"] == pair.claim_id]
        assert (found["method"], found["level"]) == (method, level)
        assert (found["checked"] is None) == (level is None)
        assert found["holds"] is (level is not None)


def test_work_on_a_missing_record_is_a_finding_and_stops_nothing(bank: PayoutBank) -> None:
    pair = bank.payable[0]
    with sealed(bank.world.database) as rows:
        jobs.schedule(rows, transfers.SEND, "TXN_NOBODY", 1)
    assert [str(each) for each in bank.breaches()] == [
        "invariant 8: work is scheduled on a record that is missing (withdrawal.send TXN_NOBODY)"
    ]
    pay_honestly(bank, pair)
    (found,) = bank.audited("work.orphaned")
    assert (found.object, found.error) == ("TXN_NOBODY", "NOT_FOUND")
    assert bank.breaches() == []


def test_nothing_is_paid_after_one_cell_was_changed(bank: PayoutBank) -> None:
    outcomes = run(bank, "quick", 25)
    assert outcomes["refused CLAIM_UNVERIFIABLE"] > 0
    assert outcomes["failed"] > 0


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_nothing_is_paid_after_any_of_500_changes(bank: PayoutBank, seed: str) -> None:
    assert 3 * len(every_change()) < CHANGES
    outcomes = run(bank, seed, CHANGES)
    print(seed, dict(outcomes))  # noqa: T201 - the figures of the proof
    assert outcomes["refused CLAIM_UNVERIFIABLE"] > CHANGES / 4
    assert outcomes["failed"] > CHANGES / 5
