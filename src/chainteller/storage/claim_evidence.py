"""Read ownership claims with every row that they must agree with."""

from collections.abc import Iterator
from typing import Any

from sqlalchemy import Column, Connection, Label, Select, bindparam, func, select

from chainteller.domain.challenges import ClaimStatus
from chainteller.domain.limits import DestinationClass
from chainteller.domain.second_method import ArrivalFinding
from chainteller.storage import epochs
from chainteller.storage.columns import Record
from chainteller.storage.tables import Tables
from chainteller.storage.wallet_tables import WalletTables

_CLAIM = WalletTables.claim
_CHALLENGE = WalletTables.challenge
_ATTEMPT = WalletTables.attempt
_WALLET = WalletTables.counterparty
_CUSTODY = WalletTables.blockchain_account
_LINK = WalletTables.link
_BODY = WalletTables.evidence
_SMALL = WalletTables.small_transfer
_ARRIVAL = WalletTables.arrival
_ACCOUNT = Tables.trading_account
_CUSTOMER = Tables.customer
_TRANSFER = Tables.transfer
_OTHER = _CLAIM.alias("other")
_BATCH = 1_000


def _labelled(prefix: str, columns: tuple[Column[Any], ...]) -> Iterator[Label[Any]]:
    return (column.label(f"{prefix}_{column.name}") for column in columns)


_LINKED = (
    _OTHER.c.blockchain_account_id == _CLAIM.c.blockchain_account_id,
    _OTHER.c.counterparty_id == _CLAIM.c.counterparty_id,
    _OTHER.c.status == ClaimStatus.LINKED,
)
_EPOCH, _ENTRY = Tables.entry.alias("epoch"), Tables.entry.alias("made")
_MADE = (
    select(func.min(_ENTRY.c.number))
    .where(
        _ENTRY.c.object == _CHALLENGE.c.id,
        _ENTRY.c.organisation_id == _ACCOUNT.c.organisation_id,
    )
    .correlate(_CHALLENGE, _ACCOUNT)
    .scalar_subquery()
)
"""The first entry about the claim's challenge."""
_EVIDENCE: Select[Any] = (
    select(
        *_labelled("claim", tuple(_CLAIM.c)),
        *_labelled("challenge", tuple(_CHALLENGE.c)),
        *_labelled("wallet", tuple(_WALLET.c)),
        *_labelled("custody", tuple(_CUSTODY.c)),
        *_labelled("link", tuple(_LINK.c)),
        *_labelled("small", tuple(_SMALL.c)),
        _ACCOUNT.c.organisation_id.label("account_organisation_id"),
        _ACCOUNT.c.customer_id.label("account_customer_id"),
        _ACCOUNT.c.bank_account_id.label("account_bank_account_id"),
        _CUSTOMER.c.reference.label("customer_reference"),
        _BODY.c.body.label("evidence_body"),
        select(func.count())
        .select_from(_ARRIVAL)
        .where(
            _ARRIVAL.c.challenge_id == _CHALLENGE.c.id,
            _ARRIVAL.c.hash == _CLAIM.c.signature,
            _ARRIVAL.c.finding == ArrivalFinding.EXACT,
        )
        .scalar_subquery()
        .label("arrivals_found"),
        select(func.count())
        .select_from(_ATTEMPT)
        .where(_ATTEMPT.c.challenge_id == _CHALLENGE.c.id)
        .scalar_subquery()
        .label("attempts_made"),
        select(func.count())
        .where(*_LINKED, _OTHER.c.id == _LINK.c.claim_id)
        .scalar_subquery()
        .label("rests_on_claims"),
        select(func.count())
        .where(*_LINKED, _OTHER.c.linked_at == _LINK.c.first_linked_at)
        .scalar_subquery()
        .label("first_linked_claims"),
        select(_TRANSFER.c.created)
        .where(
            _TRANSFER.c.trading_account_id == _CUSTODY.c.trading_account_id,
            _TRANSFER.c.direction == "withdrawal",
            _TRANSFER.c.blockchain_account_id == _CLAIM.c.blockchain_account_id,
            _TRANSFER.c.counterparty_id == _CLAIM.c.counterparty_id,
            _TRANSFER.c.destination_class == DestinationClass.VERIFIED,
        )
        .order_by(_TRANSFER.c.ordinal.desc())
        .limit(1)
        .scalar_subquery()
        .label("last_paid"),
        select(func.count())
        .where(
            _EPOCH.c.object == epochs.SUBJECT,
            _EPOCH.c.organisation_id == _ACCOUNT.c.organisation_id,
            _EPOCH.c.action == epochs.ACCEPTED,
            _EPOCH.c.number > func.coalesce(_MADE, 0),
        )
        .scalar_subquery()
        .label("epochs_since"),
    )
    .select_from(_CLAIM)
    .outerjoin(_CHALLENGE, _CHALLENGE.c.id == _CLAIM.c.challenge_id)
    .outerjoin(_WALLET, _WALLET.c.id == _CLAIM.c.counterparty_id)
    .outerjoin(_CUSTODY, _CUSTODY.c.id == _CLAIM.c.blockchain_account_id)
    .outerjoin(_ACCOUNT, _ACCOUNT.c.id == _CUSTODY.c.trading_account_id)
    .outerjoin(_BODY, _BODY.c.claim_id == _CLAIM.c.id)
    .outerjoin(_SMALL, _SMALL.c.challenge_id == _CLAIM.c.challenge_id)
    .outerjoin(_CUSTOMER, _CUSTOMER.c.id == _CUSTODY.c.customer_id)
    .outerjoin(
        _LINK,
        (_LINK.c.blockchain_account_id == _CLAIM.c.blockchain_account_id)
        & (_LINK.c.counterparty_id == _CLAIM.c.counterparty_id),
    )
)
_ONE = _EVIDENCE.where(_CLAIM.c.id == bindparam("b_claim"))
_LINKED_CLAIM = (
    select(_CLAIM.c.id)
    .where(
        _CLAIM.c.blockchain_account_id == bindparam("b_account"),
        _CLAIM.c.counterparty_id == bindparam("b_counterparty"),
        _CLAIM.c.status == ClaimStatus.LINKED,
    )
    .order_by(_CLAIM.c.linked_at.desc())
    .limit(1)
)


def find(connection: Connection, claim_id: str) -> Record | None:
    """A claim with its evidence.

    Its columns are those of the claim, its challenge, its wallet (the counterparty), the custody
    (the blockchain account) and the link of the two, each with that prefix, ``small_…`` of the
    small transfer that the challenge asked for, ``account_…`` of the trading account,
    ``customer_reference``, and ``evidence_body``, what a chain answered. Of a missing row they are
    None. ``arrivals_found`` counts the exact transfers that arrived with the claim's hash.

    ``attempts_made`` counts the challenge's refused signatures, ``rests_on_claims`` the pair's
    linked claims that the link names (one), and ``first_linked_claims`` those that were linked when
    the link was first made. ``last_paid`` is when the newest withdrawal to the pair as a verified
    wallet was requested. ``epochs_since`` counts how often the clock was put right since the
    challenge was made.
    """
    found: Record | None = connection.execute(_ONE, {"b_claim": claim_id}).first()
    return found


def every(connection: Connection) -> Iterator[Record]:
    """Every claim of the database with its evidence, by id."""
    statement = _EVIDENCE.order_by(_CLAIM.c.id)
    return iter(connection.execute(statement, execution_options={"yield_per": _BATCH}))


def linked_claim(connection: Connection, account_id: str, counterparty_id: str) -> str | None:
    """The id of the newest claim that was linked for a blockchain account and a wallet."""
    pair = {"b_account": account_id, "b_counterparty": counterparty_id}
    found: str | None = connection.execute(_LINKED_CLAIM, pair).scalar()
    return found
