"""Query small transfers with their challenges, and what arrived for them."""

from collections.abc import Iterable, Mapping

from sqlalchemy import Connection, bindparam, exists, select

from chainteller.domain.assets import ASSETS_BY_KEY
from chainteller.domain.challenges import ChallengeStatus
from chainteller.domain.evidence import METHODS, VerificationMethod
from chainteller.domain.money import format_atoms
from chainteller.domain.second_method import (
    EXPLANATIONS,
    ArrivalFinding,
    small_transfer_status,
)
from chainteller.service.models.counterparties import Arrival, SmallTransfer
from chainteller.service.models.pages import ListQuery
from chainteller.storage.columns import Record
from chainteller.storage.pages import Counted, Extra, Listing
from chainteller.storage.rows import Finder
from chainteller.storage.wallet_tables import WalletTables

_T = WalletTables.challenge
_S = WalletTables.small_transfer
_A = WalletTables.arrival
_C = WalletTables.counterparty
_B = WalletTables.blockchain_account
_WHOLE = (
    select(
        _T,
        _S.c.asset,
        _S.c.amount,
        _S.c.deadline,
        _C.c.network,
        _C.c.address,
        _C.c.canonical,
        _B.c.address.label("recipient"),
        _B.c.trading_account_id,
    )
    .join(_S, _S.c.challenge_id == _T.c.id)
    .join(_C, _C.c.id == _T.c.counterparty_id)
    .join(_B, _B.c.id == _T.c.blockchain_account_id)
)
find = Finder(_T, "organisation_id", "id", rows=_WHOLE)
"""A small transfer: its challenge, asset, amount and deadline, the network and address of its
wallet, and the deposit address (``recipient``) with its trading account."""
find_any = Finder(_T, "id", rows=_WHOLE)
"""As ``find``, of any organisation."""
_LISTED = Listing(_T, "blockchain_account_id", rows=_WHOLE)
_IS_SMALL_TRANSFER = Extra("small", exists().where(_S.c.challenge_id == _T.c.id).correlate(_T))
_ARRIVED = (
    select(_A)
    .where(_A.c.challenge_id.in_(bindparam("b_ids", expanding=True)))
    .order_by(_A.c.arrived, _A.c.hash)
)
_WAITING = (
    select(_T.c.id)
    .join(_S, _S.c.challenge_id == _T.c.id)
    .where(
        _T.c.blockchain_account_id == bindparam("b_account"),
        _T.c.counterparty_id == bindparam("b_counterparty"),
        _T.c.status == ChallengeStatus.OPEN,
        _S.c.deadline >= bindparam("b_now"),
    )
    .limit(1)
)


def waiting(connection: Connection, account_id: str, counterparty_id: str, now: int) -> str | None:
    """The id of the pair's small transfer that may still arrive in time."""
    pair = {"b_account": account_id, "b_counterparty": counterparty_id, "b_now": now}
    found: str | None = connection.execute(_WAITING, pair).scalar()
    return found


def lock_account(connection: Connection, account_id: str) -> None:
    """Wait until no other write asks for a small transfer to the blockchain account."""
    connection.execute(select(_B.c.id).where(_B.c.id == account_id).with_for_update(key_share=True))


def arrivals(connection: Connection, ids: Iterable[str]) -> Mapping[str, list[Record]]:
    """What arrived for each of some small transfers, oldest first."""
    found: dict[str, list[Record]] = {each: [] for each in ids}
    for row in connection.execute(_ARRIVED, {"b_ids": list(found)}) if found else ():
        found[row.challenge_id].append(row)
    return found


def page(
    connection: Connection, account_id: str, query: ListQuery, now: int
) -> tuple[tuple[SmallTransfer, ...], Counted]:
    rows, total = _LISTED.page(connection, (account_id,), query, _IS_SMALL_TRANSFER)
    arrived = arrivals(connection, (row.id for row in rows))
    return tuple(to_model(row, arrived[row.id], now) for row in rows), total


def to_model(row: Record, arrived: Iterable[Record], now: int) -> SmallTransfer:
    asset = ASSETS_BY_KEY[row.asset]
    return SmallTransfer(
        id=row.id,
        blockchain_account_id=row.blockchain_account_id,
        counterparty_id=row.counterparty_id,
        network=row.network,
        status=small_transfer_status(
            is_claimed=row.claim_id is not None, now=now, deadline=row.deadline
        ),
        amount=format_atoms(row.amount, asset),
        symbol=asset.symbol,
        sender=row.address,
        recipient=row.recipient,
        created=row.created,
        expires=row.deadline,
        level=METHODS[VerificationMethod.TRANSFER].level,
        instruction=row.text,
        claim_id=row.claim_id,
        arrivals=tuple(_arrival(each) for each in arrived),
    )


def _arrival(row: Record) -> Arrival:
    asset = ASSETS_BY_KEY[row.asset]
    return Arrival(
        transaction_hash=row.hash,
        sender=row.sender,
        amount=format_atoms(row.amount, asset),
        symbol=asset.symbol,
        arrived_at=row.arrived,
        finding=row.finding,
        explanation=EXPLANATIONS[ArrivalFinding(row.finding)],
    )
