"""Query challenges, their attempts and claims."""

from sqlalchemy import Connection, exists, func, select

from chainteller.domain.challenges import ChallengeStatus, challenge_status, claim_status
from chainteller.service.models.counterparties import Challenge, OwnershipClaim
from chainteller.service.models.pages import ListQuery
from chainteller.storage.columns import Record
from chainteller.storage.pages import Counted, Extra, Listing
from chainteller.storage.rows import Finder
from chainteller.storage.wallet_tables import WalletTables
from chainteller.storage.wallets import is_shared, level_of

_T = WalletTables.challenge
_A = WalletTables.attempt
_C = WalletTables.counterparty
_M = WalletTables.claim
_L = WalletTables.link
_B = WalletTables.blockchain_account
_S = WalletTables.small_transfer
_IS_TO_SIGN = ~exists().where(_S.c.challenge_id == _T.c.id).correlate(_T)
"""Whether a challenge asks for a signature; others ask for a small transfer."""
_WITH_ADDRESS = (
    select(_T, _C.c.network, _C.c.address, _C.c.canonical)
    .join(_C, _C.c.id == _T.c.counterparty_id)
    .where(_IS_TO_SIGN)
)
find = Finder(_T, "organisation_id", "id", rows=_WITH_ADDRESS)
"""A challenge, with the network and address of its counterparty."""
find_claim = Finder(
    _M,
    "organisation_id",
    "id",
    rows=select(
        _M,
        _C.c.network,
        _C.c.address,
        _C.c.canonical,
        _T.c.text,
        is_shared(_M.c.counterparty_id, _T.c.customer_id).label("shared"),
    )
    .join(_C, _C.c.id == _M.c.counterparty_id)
    .join(_T, _T.c.id == _M.c.challenge_id),
)
"""A claim, with its text, the network and address of its counterparty, and whether another
customer has verified that."""
_LISTED = Listing(_T, "blockchain_account_id", rows=_WITH_ADDRESS)
_STRANGERS = ("UNKNOWN_SIGNER", "SAME_STRANGER_TWICE")


def page(
    connection: Connection, account_id: str, query: ListQuery, now: int
) -> tuple[tuple[Challenge, ...], Counted]:
    to_sign = Extra("to_sign", _IS_TO_SIGN)
    rows, total = _LISTED.page(connection, (account_id,), query, to_sign)
    return tuple(to_model(row, now) for row in rows), total


def newest_of_others(
    connection: Connection, customer_id: str, counterparty_id: str, now: int, limit: int
) -> list[Record]:
    """The newest open challenge of each other counterparty of a customer, newest first."""
    newest = (
        select(func.max(_T.c.created))
        .where(
            _T.c.customer_id == customer_id,
            _T.c.counterparty_id != counterparty_id,
            _T.c.status == ChallengeStatus.OPEN,
            _T.c.expires >= now,
            _IS_TO_SIGN,
        )
        .group_by(_T.c.counterparty_id)
    )
    return list(
        connection.execute(
            _WITH_ADDRESS.where(
                _T.c.customer_id == customer_id,
                _T.c.counterparty_id != counterparty_id,
                _T.c.created.in_(newest),
            )
            .order_by(_T.c.created.desc(), _T.c.id.desc())
            .limit(limit)
        )
    )


def earlier(connection: Connection, challenge: Record, limit: int) -> list[Record]:
    """Other challenges of the same customer for the same counterparty, newest first."""
    return list(
        connection.execute(
            _WITH_ADDRESS.where(
                _T.c.customer_id == challenge.customer_id,
                _T.c.counterparty_id == challenge.counterparty_id,
                _T.c.id != challenge.id,
            )
            .order_by(_T.c.created.desc(), _T.c.id.desc())
            .limit(limit)
        )
    )


def addresses_of_customer(
    connection: Connection, customer_id: str, besides: str, limit: int
) -> list[Record]:
    """Counterparties challenged or linked on the accounts of one bank customer."""
    challenged = select(_T.c.counterparty_id).where(_T.c.customer_id == customer_id)
    linked = (
        select(_L.c.counterparty_id)
        .join(_B, _B.c.id == _L.c.blockchain_account_id)
        .where(_B.c.customer_id == customer_id)
    )
    return list(
        connection.execute(
            select(_C)
            .where(_C.c.id.in_(challenged.union(linked)), _C.c.id != besides)
            .order_by(_C.c.created.desc(), _C.c.id.desc())
            .limit(limit)
        )
    )


def earlier_strangers(connection: Connection, challenge: Record) -> tuple[str, ...]:
    """Unknown signers recovered from refused signatures of the counterparty's other challenges.

    If the same unknown signer appears for two different messages, it isn't an accident.
    """
    found = connection.execute(
        select(_A.c.recovered_address)
        .join(_T, _T.c.id == _A.c.challenge_id)
        .where(
            _T.c.counterparty_id == challenge.counterparty_id,
            _T.c.customer_id == challenge.customer_id,
            _T.c.id != challenge.id,
            _A.c.finding.in_(_STRANGERS),
            _A.c.recovered_address.is_not(None),
        )
        .distinct()
    )
    return tuple(found.scalars())


def to_model(row: Record, now: int) -> Challenge:
    return Challenge(
        id=row.id,
        challenge=row.text,
        expires=row.expires,
        network=row.network,
        address=row.address,
        counterparty_id=row.counterparty_id,
        blockchain_account_id=row.blockchain_account_id,
        status=challenge_status(row.status, now=now, expires=row.expires),
        attempts=row.attempts,
        created=row.created,
    )


def claim_model(row: Record, now: int) -> OwnershipClaim:
    return OwnershipClaim(
        id=row.id,
        blockchain_account_id=row.blockchain_account_id,
        counterparty_id=row.counterparty_id,
        challenge_id=row.challenge_id,
        network=row.network,
        address=row.address,
        method=row.method,
        level=level_of(row.method, row.level),
        scheme=row.scheme,
        status=claim_status(row.status, now=now, expires=row.expires),
        created=row.created,
        expires=row.expires,
        linked_at=row.linked_at,
        shared=row.shared,
    )


def claim_with_proof(row: Record, now: int) -> OwnershipClaim:
    """A claim with the text, signature and signer that it takes to check it elsewhere."""
    proof = {"text": row.text, "signature": row.signature, "signer": row.signer}
    return claim_model(row, now).model_copy(update=proof)
