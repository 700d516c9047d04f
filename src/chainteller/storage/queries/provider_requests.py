"""Query the requests that a gateway's provider was sent, and what they hold."""

import json
from collections.abc import Iterable

from chainteller.domain.assets import ASSETS_BY_KEY, Asset
from chainteller.domain.provider_requests import OUTSIDE
from chainteller.domain.transfers import LEFT, MAY_HOLD, Direction, TransferStatus
from chainteller.storage.db import records
from chainteller.storage.db.query import Query, Session, Value, quoted
from chainteller.storage.db.sources import Finder, Source
from chainteller.storage.queries.trades import hold_parts

IS_OWN = "told IS NULL"
"""The bank's own quotes, trades and transfers: those of a gateway are as its provider said, which
keeps their books, settles, credits and pays by itself."""
_OUTSIDE = f"status IN ({quoted(OUTSIDE)})"
IS_HERE = f"{IS_OWN} AND id NOT IN (SELECT id FROM provider_request WHERE {_OUTSIDE})"
"""As ``IS_OWN``, of what no other system of the bank has been sent: a request to one has the id of
its record."""
find = Finder(records.ProviderRequest, "id")
find_by_key = Finder(records.ProviderRequest, "organisation_id", "operation", "key")
find_made = Finder(records.ProviderRequest, "organisation_id", "subject")
"""The request that made a record."""
_HELD = Query(
    "SELECT hold AS value FROM transfer WHERE trading_account_id = :account "
    f"AND direction = '{Direction.WITHDRAWAL}' "
    f"AND status IN ({quoted(MAY_HOLD)})",
    Value,
)
_WAS_ASKED = Query(
    "SELECT 1 AS value FROM provider_request WHERE organisation_id = :organisation "
    "AND operation IN :operations LIMIT 1",
    Value,
)
_NOT_PAID = frozenset(TransferStatus) - LEFT - {TransferStatus.PROCESSING}


def is_under_way(connection: Session, record_id: str) -> bool:
    """Whether another system of the bank may carry out what a record asks for, or has done so."""
    row = find(connection, record_id)
    return row is not None and row.status in OUTSIDE


def was_asked(connection: Session, organisation_id: str, operations: Iterable[str]) -> bool:
    """Whether another system was ever sent a request of one of these kinds."""
    return _WAS_ASKED.exists(connection, organisation_id, list(operations))


newest_like = (
    Source(records.ProviderRequest)
    .where(
        "organisation_id = :organisation AND fingerprint = :fingerprint "
        "ORDER BY created DESC, id DESC LIMIT 1"
    )
    .first
)
"""The last request with the same contents, whatever its key."""
unsettled = (
    Source(records.ProviderRequest)
    .where(f"organisation_id = :organisation AND {_OUTSIDE} ORDER BY created")
    .rows
)
"""Requests whose outcome isn't known."""

without_trade = (
    Source(records.ProviderRequest)
    .where(
        "organisation_id = :organisation AND subject IS NULL AND operation = 'execute_quote' "
        "AND status = 'done' AND updated >= :since ORDER BY updated LIMIT :most"
    )
    .rows
)
"""Executions of which a person has said since then that they were carried out, without a trade."""


def held(connection: Session, account_id: str) -> dict[Asset, int]:
    """What withdrawals of an account hold that wait here or whose outcome isn't known."""
    found: dict[Asset, int] = {}
    for text in _HELD.values(connection, account_id):
        for part in hold_parts(text):
            found[part.asset] = found.get(part.asset, 0) + part.atoms
    return found


paid_to_bank = Query(
    "SELECT id AS value FROM transfer WHERE trading_account_id = :account "
    f"AND direction = '{Direction.WITHDRAWAL}' AND status NOT IN ({quoted(_NOT_PAID)}) LIMIT 1",
    Value,
).value
"""A withdrawal of the account through here that the provider carried out, if there's one."""
_LINKED = Query(
    "SELECT call AS value FROM provider_request WHERE organisation_id = :organisation "
    "AND subject = :subject AND operation = 'link_counterparty' AND status = 'done'",
    Value,
)


def linked(connection: Session, organisation_id: str, subject: str) -> set[str]:
    """The blockchain accounts for which a wallet was linked through here."""
    calls = _LINKED.values(connection, organisation_id, subject)
    return {json.loads(each)["ids"][0] for each in calls}


def asset_of(symbol: str, network: str) -> Asset | None:
    """The asset that a provider names, if this version knows it."""
    return ASSETS_BY_KEY.get(f"{symbol.upper()}@{network.lower()}")
