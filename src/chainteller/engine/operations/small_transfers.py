"""Small transfers: proof of a wallet that can't sign, by an exact amount that it sends to itself.

A small transfer is a challenge that isn't answered by a signature. The chain is asked before a
write begins; the write decides on the locked challenge, and records each transfer once. One that
is exact completes the challenge with a claim, as a signature does. An address that may be a
service's is refused when it's asked for, and again when a transfer arrives: a statement gives it to
a person.
"""

import logging
from collections.abc import Sequence

from chainteller.domain.actors import WORKER, Actor
from chainteller.domain.assets import ASSETS_BY_KEY, Asset
from chainteller.domain.canonical import canonical
from chainteller.domain.challenges import ChallengeStatus, expiry
from chainteller.domain.evidence import AddressCode, VerificationMethod
from chainteller.domain.ids import Prefix
from chainteller.domain.money import Amount
from chainteller.domain.options import Quota
from chainteller.domain.second_method import (
    DEFAULT_VALIDITY_S,
    MAXIMUM_ARRIVALS,
    MAXIMUM_VALIDITY_S,
    MINIMUM_VALIDITY_S,
    OTHER_CUSTOMERS,
    SCHEME,
    UNSUITABLE,
    WATCH,
    WATCHED_AFTER,
    ArrivalFinding,
    ArrivalsUnavailable,
    Awaited,
    Seen,
    Unsuitable,
    asset_on,
    draw_amount,
    judge,
    networks,
    next_look,
)
from chainteller.engine.core import outcome, preconditions, reading
from chainteller.engine.core.context import EngineContext
from chainteller.engine.core.outcome import AuditEntry, Event, Insert, Job, Moment, Outcome
from chainteller.engine.core.table import lists, reads_in_context, writes
from chainteller.engine.core.unit_of_work import UnitOfWork, now, work_unit
from chainteller.engine.operations import (
    blockchain_accounts,
    claims,
    counterparties,
    trades,
)
from chainteller.service import operations
from chainteller.service.errors import (
    ArrivalsUnwatched,
    Conflict,
    NetworkMismatch,
    UnsupportedNetwork,
    ValidationFailed,
)
from chainteller.service.models.counterparties import SmallTransfer, SmallTransferRequest
from chainteller.storage.db.query import Record, Session
from chainteller.storage.db.records import Tables
from chainteller.storage.queries import jobs, small_transfers, wallets
from chainteller.wallets.listed import service_at
from chainteller.wallets.networks import NETWORKS
from chainteller.wallets.proof import Proof
from chainteller.wallets.texts import Request, transfer_text

RESOURCE = "small transfer"
ARRIVED = "small_transfer.arrived"
"""The action of the audit entry, and the type of the event, of each transfer that is recorded."""
_log = logging.getLogger(__name__)


@writes(operations.CREATE_SMALL_TRANSFER)
def create(tx: UnitOfWork, account_id: str, request: SmallTransferRequest) -> SmallTransfer:
    """One at a time for each wallet and account, so that no transfer counts for two."""
    if tx.context.arrivals is None:
        raise ArrivalsUnwatched("This deployment doesn't watch chains for small transfers.")
    valid_s = _validity_s(request)
    account = blockchain_accounts.find(tx.connection, tx.organisation_id, account_id)
    wallet = counterparties.find(tx.connection, tx.organisation_id, request.counterparty_id)
    asset = _asset(account, wallet)
    _require_suitable(tx.connection, wallet, account.customer_id)
    small_transfers.lock_account(tx.connection, account.id)
    _require_none_waiting(tx, account.id, wallet.id)
    preconditions.require_room(tx, Quota.CHALLENGES)
    customer, _ = wallets.owner(tx.connection, account.id)
    amount = draw_amount(asset, tx.context.randomness)
    decided = decide_request(account, wallet, customer, amount, outcome.moment(tx), valid_s)
    outcome.apply(tx, decided)
    return _shown(tx.connection, tx.organisation_id, decided.subject, tx.now)


def _validity_s(request: SmallTransferRequest) -> int:
    given_s = request.valid_seconds
    if given_s is None:
        return DEFAULT_VALIDITY_S
    if not MINIMUM_VALIDITY_S <= given_s <= MAXIMUM_VALIDITY_S:
        message = f"{MINIMUM_VALIDITY_S} to {MAXIMUM_VALIDITY_S} seconds"
        raise ValidationFailed.of("validSeconds", message)
    return given_s


def _asset(account: Record, wallet: Record) -> Asset:
    """What the wallet is to send: its network's own coin. Raises NetworkMismatch,
    UnsupportedNetwork."""
    if wallet.network != account.network:
        raise NetworkMismatch(
            "The wallet is on another network than the blockchain account.",
            {"expected": account.network, "actual": wallet.network},
        )
    asset = asset_on(wallet.network)
    if asset is None:
        raise UnsupportedNetwork(
            "Small transfers aren't offered on this network.",
            {"network": wallet.network, "supported": list(networks())},
        )
    return asset


def _require_suitable(connection: Session, wallet: Record, customer_id: str) -> None:
    """Raises Conflict: a transfer from the address would prove nothing."""
    found = unsuitable(connection, wallet, customer_id)
    if found is not None:
        raise Conflict.over(
            "counterparty",
            wallet.id,
            found.value,
            "A small transfer from this address would prove nothing.",
            UNSUITABLE[found],
        )


def unsuitable(connection: Session, wallet: Record, customer_id: str) -> Unsuitable | None:
    """Why a transfer from the wallet would prove nothing, as far as the bank knows by itself.

    ``wallet`` is a counterparty, or a small transfer, which has the same fields of its wallet.
    """
    if wallet.code == AddressCode.CONTRACT:
        return Unsuitable.CONTRACT_WALLET
    address = counterparties.stored_address(wallet)
    if service_at(address):
        return Unsuitable.KNOWN_SERVICE
    family = address.network.family
    others = small_transfers.other_customers(
        connection,
        customer_id,
        wallet.organisation_id,
        (each.name for each in NETWORKS if each.family is family),
        wallet.canonical,
    )
    return Unsuitable.MANY_CUSTOMERS if others >= OTHER_CUSTOMERS else None


def _require_none_waiting(tx: UnitOfWork, account_id: str, wallet_id: str) -> None:
    waiting = small_transfers.waiting(tx.connection, account_id, wallet_id, tx.now)
    if waiting is not None:
        raise Conflict.over(
            RESOURCE,
            waiting,
            "SMALL_TRANSFER_WAITING",
            "A small transfer from this wallet is already waiting.",
            "Use that one, or wait until it has expired.",
        )


def decide_request(
    account: Record, wallet: Record, customer: str, amount: Amount, moment: Moment, valid_s: int
) -> Outcome:
    """A challenge that a transfer of ``amount`` answers, within ``valid_s`` seconds."""
    challenge_id, deadline = moment.new_id(Prefix.CHALLENGE), expiry(moment.now, valid_s)
    asked = Awaited(amount, wallet.canonical, moment.now, deadline)
    request = Request.of(asked, customer, challenge_id)
    text = transfer_text(moment.options.bank_name, counterparties.stored_address(wallet), request)
    challenge = {
        "id": challenge_id,
        "organisation_id": moment.organisation_id,
        "blockchain_account_id": account.id,
        "counterparty_id": wallet.id,
        "customer_id": account.customer_id,
        "text": text,
        "status": ChallengeStatus.OPEN.value,
        "attempts": 0,
        "created": moment.now,
        "expires": deadline + WATCHED_AFTER,
    }
    small = {
        "challenge_id": challenge_id,
        "organisation_id": moment.organisation_id,
        "asset": amount.asset.key,
        "amount": amount.atoms,
        "deadline": deadline,
    }
    told = {"blockchainAccountId": account.id, "counterpartyId": wallet.id}
    return Outcome(
        challenge_id,
        rows=(
            Insert(Tables.challenge, (challenge,)),
            Insert(Tables.small_transfer, (small,)),
        ),
        events=(Event("small_transfer.created", challenge_id, told),),
        jobs=(Job(WATCH, challenge_id, next_look(moment.now, moment.now)),),
    )


@reads_in_context(operations.SMALL_TRANSFER_BY_ID)
def show(
    context: EngineContext, connection: Session, organisation_id: str, small_transfer_id: str
) -> SmallTransfer:
    """A small transfer by its id alone; another organisation's is as unknown as none."""
    return _shown(connection, organisation_id, small_transfer_id, now(context, connection))


def _shown(connection: Session, organisation_id: str, found_id: str, at: int) -> SmallTransfer:
    row = reading.row_by_id(small_transfers.find, connection, RESOURCE, organisation_id, found_id)
    arrived = small_transfers.arrivals(connection, (row.id,))[row.id]
    return small_transfers.to_model(row, arrived, at)


lists(operations.SMALL_TRANSFERS, small_transfers.page, of=blockchain_accounts.find, is_timed=True)


# -- watching ------------------------------------------------------------------------------------


def awaited(row: Record) -> Awaited:
    return Awaited(
        Amount(row.amount, ASSETS_BY_KEY[row.asset]),
        row.canonical,
        row.created,
        row.deadline,
    )


def watch(context: EngineContext, small_transfer_id: str) -> None:
    """Look for arrivals of a small transfer that is due to be looked for, and decide on them."""
    with context.database.read() as connection:
        row = small_transfers.find_any(connection, small_transfer_id)
    found: Sequence[Seen] | None = None
    if row is not None and row.status == ChallengeStatus.OPEN and context.arrivals is not None:
        try:
            found = context.arrivals.since(awaited(row))
        except ArrivalsUnavailable as error:
            _log.warning("arrivals for %s can't be read: %s", small_transfer_id, error)
    work_unit(context, Actor(name=WORKER.name), lambda tx: _look(tx, small_transfer_id, found))


def _look(tx: UnitOfWork, small_transfer_id: str, found: Sequence[Seen] | None) -> bool:
    """Decide on what arrived (None: it isn't known), and look again later while that can help."""
    row = small_transfers.find_any(tx.connection, small_transfer_id, lock=True)
    if row is None:
        return False
    tx.actor = Actor(row.organisation_id, WORKER.name)
    tx.audited_account = row.trading_account_id
    is_over = tx.now > row.expires
    if row.status == ChallengeStatus.OPEN and not is_over:
        recorded = small_transfers.arrivals(tx.connection, (row.id,))[row.id]
        known = {each.hash for each in recorded}
        doubt = unsuitable(tx.connection, row, row.customer_id) if found else None
        new = [
            each if doubt is None else each._replace(service=doubt.value)
            for each in found or ()
            if each.hash not in known
        ]
        decided = decide_arrivals(row, new, len(known), outcome.moment(tx))
        for each in decided:
            outcome.apply(tx, each)
        if not any(_makes_claim(each) for each in decided):
            jobs.postpone(tx.rows, WATCH, row.id, next_look(row.created, tx.now))
            return True
    jobs.remove(tx.rows, WATCH, row.id)
    if not tx.is_told:
        tx.audit(trades.DROPPED, row.id, {"kind": WATCH})
    return True


def _makes_claim(decided: Outcome) -> bool:
    return any(isinstance(each, Insert) and each.table is Tables.claim for each in decided.rows)


def decide_arrivals(
    row: Record, new: Sequence[Seen], recorded: int, moment: Moment
) -> list[Outcome]:
    """Record transfers that arrived, the oldest first; the exact one completes the challenge.

    Wrong ones are recorded up to a number, so that nobody fills the records with dust.
    """
    decided: list[Outcome] = []
    for seen in sorted(new, key=lambda each: (each.arrived, each.hash)):
        finding = judge(awaited(row), seen, moment.now)
        if finding is ArrivalFinding.EXACT:
            decided.append(_recorded(row, seen, finding, moment.now))
            proof = Proof(SCHEME, seen.hash, row.address)
            body = canonical(seen.evidence())
            accepted = claims.Accepted(proof, VerificationMethod.TRANSFER, body)
            decided.append(claims.decide_acceptance(row, accepted, moment))
            break
        if finding is not None and recorded + len(decided) < MAXIMUM_ARRIVALS:
            decided.append(_recorded(row, seen, finding, moment.now))
    return decided


def _recorded(row: Record, seen: Seen, finding: ArrivalFinding, at: int) -> Outcome:
    arrival = {
        "challenge_id": row.id,
        "hash": seen.hash,
        "organisation_id": row.organisation_id,
        "sender": seen.sender,
        "asset": seen.asset,
        "amount": seen.atoms,
        "arrived": seen.arrived,
        "seen": at,
        "finding": finding.value,
    }
    told = {"finding": finding.value, "counterpartyId": row.counterparty_id}
    return Outcome(
        row.id,
        rows=(Insert(Tables.small_transfer_arrival, (arrival,)),),
        events=(Event(ARRIVED, row.id, told),),
        audit=(AuditEntry(ARRIVED, row.id, told),),
    )
