"""Query small transfers with their challenges, and what arrived for them."""

from collections.abc import Iterable, Mapping

from chainteller.domain.assets import ASSETS_BY_KEY
from chainteller.domain.evidence import METHODS, VerificationMethod
from chainteller.domain.money import format_atoms
from chainteller.domain.second_method import (
    EXPLANATIONS,
    ArrivalFinding,
    small_transfer_status,
)
from chainteller.service.models.counterparties import Arrival, SmallTransfer
from chainteller.service.models.pages import ListQuery
from chainteller.storage.db import records
from chainteller.storage.db.query import Query, Record, Session, Value
from chainteller.storage.db.sources import Finder, Source
from chainteller.storage.lists.pages import Counted, Listing

_WHOLE = Source(
    records.Challenge,
    "JOIN small_transfer ON small_transfer.challenge_id = challenge.id "
    "JOIN counterparty ON counterparty.id = challenge.counterparty_id "
    "JOIN blockchain_account ON blockchain_account.id = challenge.blockchain_account_id",
    asset="small_transfer.asset",
    amount="small_transfer.amount",
    deadline="small_transfer.deadline",
    network="counterparty.network",
    address="counterparty.address",
    canonical="counterparty.canonical",
    code="counterparty.code",
    trading_account_id="blockchain_account.trading_account_id",
)
find = Finder(_WHOLE, "organisation_id", "id")
"""A small transfer: its challenge, asset, amount and deadline, the network, address and code of its
wallet, and its trading account."""
find_any = Finder(_WHOLE, "id")
"""As ``find``, of any organisation."""
_LISTED = Listing(
    _WHOLE,
    "blockchain_account_id",
    condition="EXISTS (SELECT 1 FROM small_transfer AS asked "
    "WHERE asked.challenge_id = challenge.id)",
)
_ARRIVED = Source(records.SmallTransferArrival).where("challenge_id IN :ids ORDER BY arrived, hash")
_WAITING = Query(
    "SELECT challenge.id AS value FROM challenge "
    "JOIN small_transfer ON small_transfer.challenge_id = challenge.id "
    "WHERE challenge.blockchain_account_id = :account "
    "AND challenge.counterparty_id = :counterparty AND challenge.status = 'open' "
    "AND small_transfer.deadline >= :now AND NOT EXISTS (SELECT 1 FROM link "
    "WHERE link.blockchain_account_id = challenge.blockchain_account_id "
    "AND link.counterparty_id = challenge.counterparty_id "
    "AND link.revoked_at > challenge.created) LIMIT 1",
    Value,
)
_OTHER_CUSTOMERS = Query(
    "SELECT count(DISTINCT challenge.customer_id) AS value FROM counterparty "
    "JOIN challenge ON challenge.counterparty_id = counterparty.id "
    "WHERE counterparty.organisation_id = :organisation AND counterparty.network IN :networks "
    "AND counterparty.canonical = :canonical AND challenge.customer_id <> :customer",
    Value,
)


def waiting(connection: Session, account_id: str, counterparty_id: str, now: int) -> str | None:
    """The id of the pair's small transfer that may still arrive in time, and then verify."""
    found: str | None = _WAITING.value(connection, account_id, counterparty_id, now)
    return found


def other_customers(
    connection: Session,
    customer_id: str,
    organisation_id: str,
    networks: Iterable[str],
    canonical: str,
) -> int:
    """How many customers but one were asked to prove an address, on some networks."""
    found: int = (
        _OTHER_CUSTOMERS.value(connection, organisation_id, [*networks], canonical, customer_id)
        or 0
    )
    return found


lock_account = Query(
    "SELECT id AS value FROM blockchain_account WHERE id = :id FOR NO KEY UPDATE", Value
).run
"""Wait until no other write asks for a small transfer to the blockchain account."""


def arrivals(connection: Session, ids: Iterable[str]) -> Mapping[str, list[Record]]:
    """What arrived for each of some small transfers, oldest first."""
    found: dict[str, list[Record]] = {each: [] for each in ids}
    for row in _ARRIVED.rows(connection, list(found)) if found else ():
        found[row.challenge_id].append(row)
    return found


def page(
    connection: Session, account_id: str, query: ListQuery, now: int
) -> tuple[tuple[SmallTransfer, ...], Counted]:
    rows, total = _LISTED.page(connection, (account_id,), query)
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
        recipient=row.address,
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
