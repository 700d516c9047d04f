"""Check a withdrawal before it is sent: against its hold in the ledger, its account and its wallet.

The ledger is append-only, so the journal of the hold says what was accepted, for whom and when.

In the end, every row that decides is compared with the log: the withdrawal, what is held, its
account, the settings that it was allowed by, and a wallet with its proof.
"""

from collections.abc import Mapping
from typing import NamedTuple

from chainteller.domain.actors import DEFAULT_ORGANISATION, Actor
from chainteller.domain.assets import ASSETS_BY_KEY, CASH_EQUIVALENTS
from chainteller.domain.challenges import is_verified
from chainteller.domain.decisions import UNVERIFIED_HELD, DecisionStatus
from chainteller.domain.evidence import VerificationMethod
from chainteller.domain.ledger import JournalKind, owner
from chainteller.domain.limits import UNVERIFIED_HOLD, DestinationClass
from chainteller.domain.money import Amount, atoms_of_cents, ceil_div
from chainteller.domain.preconditions import Control
from chainteller.domain.transfers import Direction, TransferStatus
from chainteller.engine.core.breaches import UNREADABLE
from chainteller.engine.core.outcome import AuditEntry, Event, Outcome
from chainteller.engine.core.unit_of_work import UnitOfWork
from chainteller.engine.operations import claim_proofs, currencies
from chainteller.engine.operations.claim_proofs import Contradiction, Contradictions
from chainteller.engine.operations.destinations import level_with_limits
from chainteller.service.errors import ClaimUnverifiable
from chainteller.storage.db.query import Record, Session
from chainteller.storage.db.records import Tables
from chainteller.storage.log import views
from chainteller.storage.log.last_writes import Kept
from chainteller.storage.log.verified_state import Followed
from chainteller.storage.queries import (
    accounts,
    claim_evidence,
    decisions,
    providers,
    trades,
    transfers,
    wallets,
)

PAYOUT_REFUSED = "payout.refused"
"""The action of the audit entry, and the type of the event, that a refused payout leaves."""
VERIFICATION_ENDED = "VERIFICATION_ENDED"
"""The code of a withdrawal that failed because its wallet isn't verified any more."""
ACCOUNT_FROZEN = "ACCOUNT_FROZEN"
"""The code of a withdrawal that failed because its account was frozen."""
HOLD_MISSING = "HOLD_MISSING"
"""The code of the alarm for a withdrawal in ``processing`` for which nothing is held."""


class Hold(NamedTuple):
    """What the ledger holds for a withdrawal: in whose log, the account, the amounts, and since
    when."""

    organisation_id: str
    account_id: str
    parts: tuple[Amount, ...]
    at: int


class Due(NamedTuple):
    """A withdrawal that is due to be sent, with the account that its funds are held for.

    ``withdrawal`` is None where its row can't be read, ``hold`` where the ledger has none.
    """

    withdrawal: Record | None
    account: Record
    hold: Hold | None


class Refused(NamedTuple):
    """Why a withdrawal isn't sent. ``reason`` and ``claim_id`` are those of a contradiction."""

    code: str
    message: str
    reason: str | None = None
    claim_id: str | None = None


def locked(tx: UnitOfWork, withdrawal_id: str) -> Due | None:
    """A withdrawal to be sent, locked after its account; None where it ended before.

    The ledger names the account and the organisation, which this write then acts for.

    Raises:
        AssertionError: the account doesn't exist.
    """
    named, _ = _hold(tx.connection, withdrawal_id)
    stated = transfers.account_of(tx.connection, withdrawal_id)
    account_id = named.account_id if named is not None else str(stated)
    account = accounts.find_any(tx.connection, account_id, lock=True)
    if account is None:
        raise AssertionError(f"{account_id} vanished")
    organisation_id = account.organisation_id if named is None else named.organisation_id
    tx.actor = Actor(organisation_id, tx.actor.name)
    tx.audited_account = account.id
    hold, has_ended = _hold(tx.connection, withdrawal_id)  # it may have ended meanwhile
    try:
        row = transfers.find_any(tx.connection, withdrawal_id, lock=True)
    except UNREADABLE:
        row = None
    is_sent_or_ended = row is not None and row.status != TransferStatus.PROCESSING
    if is_sent_or_ended and (has_ended or hold is None):
        return None
    return Due(row, account, hold)


def _hold(connection: Session, withdrawal_id: str) -> tuple[Hold | None, bool]:
    """The hold that stands, and whether it was released or paid."""
    found = views.journals_of(connection, withdrawal_id)
    kinds = {each.kind for each in found}
    if kinds != {JournalKind.HOLD}:
        return None, bool(kinds)
    posted = found[0].posted
    held = [leg for leg in posted.legs if leg.change > 0] if posted is not None else []
    if posted is None or not held:
        return None, False
    (account_id,) = {owner(leg.code) for leg in held}
    parts = tuple(Amount(leg.change, ASSETS_BY_KEY[leg.asset]) for leg in held)
    return Hold(found[0].organisation_id, account_id, parts, posted.at), False


def refused(tx: UnitOfWork, due: Due, followed: Followed) -> Refused | None:
    """Why a withdrawal must not be sent, whatever its rows hold; None where everything agrees, also
    with the logs as they were ``followed``."""
    withdrawal, account, hold = due
    if withdrawal is None:
        return _contradicted(_UNREADABLE)
    if hold is None:
        return Refused(HOLD_MISSING, "Nothing is held for the withdrawal.")
    try:
        found = next(_own(tx.connection, withdrawal, account, hold), None)
        if found is not None:
            return _contradicted(found)
        wallet = None
        if withdrawal.counterparty_id is not None:
            wallet = _of_wallet(tx, withdrawal, account)
        said = _of_log(tx, withdrawal, account, followed) if wallet is None else None
    except UNREADABLE:
        return _contradicted(_UNREADABLE)
    if wallet is not None or said is not None:
        return wallet if said is None else _contradicted(said)
    return FROZEN if account.control == Control.FROZEN else None


FROZEN = Refused(ACCOUNT_FROZEN, "The account was frozen before the withdrawal was sent.")
_TOO_NEW = Contradiction(
    "WITHDRAWAL", "The wallet couldn't receive anything when it was requested."
)
_UNREADABLE = Contradiction("UNREADABLE", "The withdrawal holds a value that can't be read.")


def _contradicted(found: Contradiction) -> Refused:
    return Refused(ClaimUnverifiable.code, found.explanation, found.reason)


def alarm(withdrawal_id: str, due: Due, refused: Refused) -> Outcome:
    """The audit entry and the event of a withdrawal that isn't sent."""
    found = {
        "withdrawalId": withdrawal_id,
        "counterpartyId": getattr(due.withdrawal, "counterparty_id", None),
        "blockchainAccountId": getattr(due.withdrawal, "blockchain_account_id", None),
        "claimId": refused.claim_id,
        "reason": refused.reason,
    }
    return _alarm(withdrawal_id, due.account.id, found, refused.code)


def alarm_of_request(account_id: str, error: ClaimUnverifiable) -> Outcome:
    """As ``alarm``, for a withdrawal that isn't accepted: the entry is about the wallet."""
    names = ("counterpartyId", "blockchainAccountId", "claimId", "reason")
    found = {name: error.details[name] for name in names}
    return _alarm(str(found["counterpartyId"]), account_id, found, error.code)


def _alarm(subject: str, account_id: str, found: Mapping[str, object], code: str) -> Outcome:
    """The event is about the account: a withdrawal's own events are the steps that it took."""
    told = {"tradingAccountId": account_id, "code": code}
    told |= {name: value for name, value in found.items() if isinstance(value, str)}
    return Outcome(
        subject,
        events=(Event(PAYOUT_REFUSED, account_id, told),),
        audit=(AuditEntry(PAYOUT_REFUSED, subject, told, code),),
    )


def _of_log(
    tx: UnitOfWork, withdrawal: Record, account: Record, followed: Followed
) -> Contradiction | None:
    """What decides the withdrawal is as the logs say, and so are the account's balances."""
    rows = [Kept(Tables.transfer, withdrawal.id), Kept(Tables.trading_account, account.id)]
    if withdrawal.review_reason is not None:
        decision = decisions.newest(tx.connection, withdrawal.organisation_id, withdrawal.id)
        if decision is not None:
            rows.append(Kept(Tables.decision, decision.id))
    if withdrawal.counterparty_id is not None:
        pair = (withdrawal.blockchain_account_id, withdrawal.counterparty_id)
        rows.append(Kept(Tables.blockchain_account, pair[0]))
        rows += _rows_of_wallet(tx.connection, *pair)
    if withdrawal.rule_id is not None:
        rows.append(Kept(Tables.rule, withdrawal.rule_id))
    found = followed.contradicted(rows, account.id)
    if not found and views.about(tx.connection, DEFAULT_ORGANISATION, providers.SUBJECT):
        found = "the database is a gateway's, whose provider pays"
    return Contradiction("LOG", f"The log says otherwise: {found}.") if found else None


def _rows_of_wallet(connection: Session, account_id: str, wallet_id: str) -> list[Kept]:
    """A wallet with its link and what that rests on: of a derived address, also the wallet that
    signed for its key."""
    rows = [Kept(Tables.counterparty, wallet_id)]
    link = wallets.find_link(connection, account_id, wallet_id)
    claim = claim_evidence.find(connection, link.claim_id) if link is not None else None
    if claim is None:
        return rows
    rows.append(Kept(Tables.link, f"{account_id} {wallet_id}"))
    rows.append(Kept(Tables.claim, claim.claim_id))
    rows.append(Kept(Tables.challenge, claim.challenge_id))
    if claim.claim_method == VerificationMethod.DERIVATION:
        anchor = (claim.anchor_blockchain_account_id, claim.anchor_counterparty_id)
        rows += _rows_of_wallet(connection, *anchor)
    return rows


def _own(connection: Session, withdrawal: Record, account: Record, hold: Hold) -> Contradictions:
    """What the withdrawal's own cells contradict: its hold, its account or each other."""
    owned = (withdrawal.organisation_id, withdrawal.trading_account_id, withdrawal.bank_account_id)
    if owned != (account.organisation_id, account.id, account.bank_account_id):
        yield Contradiction("WITHDRAWAL", "The withdrawal isn't of the account that holds funds.")
    state = (withdrawal.direction, withdrawal.status)
    if state != (Direction.WITHDRAWAL, TransferStatus.PROCESSING):
        yield Contradiction("WITHDRAWAL", "The withdrawal's funds are held, its status differs.")
    ended = ("completed_at", "failure_code", "failure_message", "network_tx_hash")
    if any(getattr(withdrawal, name) is not None for name in ended):
        yield Contradiction("WITHDRAWAL", "The withdrawal has an outcome and wasn't sent.")
    yield from _amount(withdrawal, hold)
    yield from _destination(withdrawal)
    yield from _waited(connection, withdrawal, hold)
    numbers = withdrawal.ordinal, withdrawal.transaction_ordinal
    known = account.withdrawal_count, account.transaction_count
    is_given = all(1 <= number <= newest for number, newest in zip(numbers, known, strict=True))
    if not is_given or transfers.of_ordinal(connection, account.id, numbers[1]) != [withdrawal.id]:
        yield Contradiction("WITHDRAWAL", "The withdrawal has another number than it was given.")


def _waited(connection: Session, withdrawal: Record, hold: Hold) -> Contradictions:
    """It was held until its time, or until somebody approved it."""
    steps, waited = 1, withdrawal.updated == hold.at
    if withdrawal.review_reason is not None:
        steps = 2
        found = decisions.newest(connection, withdrawal.organisation_id, withdrawal.id)
        if found is None:
            is_held = withdrawal.review_reason == UNVERIFIED_HELD
            waited = is_held and withdrawal.updated >= withdrawal.review_eta
        else:
            decided = (DecisionStatus.APPROVED, withdrawal.updated)
            is_by_two = not found.needs_two or found.first_by not in (None, found.decided_by)
            waited = (found.status, found.decided_at) == decided and is_by_two
    if (withdrawal.created, withdrawal.version) != (hold.at, steps) or not waited:
        yield Contradiction("WITHDRAWAL", "The withdrawal's times aren't those of its hold.")


def _amount(withdrawal: Record, hold: Hold) -> Contradictions:
    parts = trades.hold_parts(withdrawal.hold)
    if set(parts) != set(hold.parts) or withdrawal.hold != trades.hold_text(parts):
        yield _NOT_HELD
    asset = ASSETS_BY_KEY[withdrawal.asset]
    kinds = {(each.type, each.id, f"{each.symbol}@{each.network}") for each in currencies.offers()}
    if (withdrawal.currency_type, withdrawal.currency_id, withdrawal.asset) not in kinds:
        yield Contradiction("WITHDRAWAL", "The withdrawal's currency isn't that of its asset.")
    cent = atoms_of_cents(1, asset) if asset in CASH_EQUIVALENTS else None
    if cent is not None and withdrawal.notional_cents != ceil_div(withdrawal.amount, cent):
        yield Contradiction("WITHDRAWAL", "The withdrawal's amount isn't what its limits counted.")
    if withdrawal.counterparty_id is None:
        cents = sum(part.atoms // atoms_of_cents(1, part.asset) for part in hold.parts)
        is_held = cents == withdrawal.notional_cents
    else:
        is_held = hold.parts == (Amount(withdrawal.amount, asset),)
    if not is_held or withdrawal.fee != 0:
        yield _NOT_HELD


_NOT_HELD = Contradiction("WITHDRAWAL", "The withdrawal's amount isn't the one that is held.")


def _destination(withdrawal: Record) -> Contradictions:
    kind = DestinationClass(withdrawal.destination_class)
    wallet = (withdrawal.counterparty_id, withdrawal.blockchain_account_id, withdrawal.address)
    named = {part is not None for part in wallet}
    if named != {kind is not DestinationClass.OWN_BANK}:
        yield Contradiction("WITHDRAWAL", "The withdrawal's destination isn't of its class.")
    if withdrawal.evidence_level is not None and kind is not DestinationClass.VERIFIED:
        yield Contradiction("WITHDRAWAL", "The withdrawal's level of evidence isn't of its class.")
    review = {withdrawal.review_reason is not None, withdrawal.review_eta is not None}
    if len(review) > 1 or (kind is DestinationClass.UNVERIFIED and review != {True}):
        yield Contradiction("WITHDRAWAL", "The withdrawal's review isn't that of its class.")


def _of_wallet(tx: UnitOfWork, withdrawal: Record, account: Record) -> Refused | None:
    """Check the wallet and its claim again."""
    organisation_id = account.organisation_id
    wallet = wallets.find_counterparty(tx.connection, organisation_id, withdrawal.counterparty_id)
    custody = wallets.find_account(tx.connection, organisation_id, withdrawal.blockchain_account_id)
    if wallet is None or custody is None or custody.trading_account_id != account.id:
        return _contradicted(Contradiction("LINK", "The account can't pay the wallet."))
    on = ASSETS_BY_KEY[withdrawal.asset].network
    if (wallet.address, wallet.network) != (withdrawal.address, on):
        return _contradicted(Contradiction("ADDRESS", "The address isn't the wallet's."))
    try:
        link = claim_proofs.of_wallet(tx.connection, custody, wallet)
    except ClaimUnverifiable as error:
        details = error.details
        return Refused(error.code, error.message, details["reason"], details["claimId"])
    if withdrawal.destination_class != DestinationClass.VERIFIED:
        is_new = 0 <= withdrawal.created - wallet.created < UNVERIFIED_HOLD
        return _contradicted(_TOO_NEW) if is_new else None
    if link is None:
        return _contradicted(Contradiction("LINK", "The wallet was never verified."))
    as_requested = link.verified_at <= withdrawal.created
    if as_requested and level_with_limits(link) != withdrawal.evidence_level:
        message = "The withdrawal's level of evidence isn't that of the wallet's claim."
        return _contradicted(Contradiction("WITHDRAWAL", message))
    if not is_verified(wallets.link_status(link, tx.now)):
        message = "The wallet's verification ended before the withdrawal was sent."
        return Refused(VERIFICATION_ENDED, message)
    return None
