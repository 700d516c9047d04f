"""Query webhooks: their endpoints, and how far each has its organisation's events."""

from typing import Any

from chainteller.domain.webhooks import WebhookStatus
from chainteller.service.models.webhooks import Webhook
from chainteller.storage.db import records
from chainteller.storage.db.query import Query, Record, Session, row_of
from chainteller.storage.db.records import Tables
from chainteller.storage.db.sources import Finder, Source
from chainteller.storage.log.entry import EVENTS_PER_ACT
from chainteller.storage.log.rows import Writer

_T = Tables.webhook
_ROWS = Source(records.Webhook)
_WITH_SIZE: Any = {"size": ("log.size", int)}
find = Finder(records.Webhook, "organisation_id", "id")
find_any = Finder(records.Webhook, "id")
_RENEW = Query(
    "UPDATE webhook SET held_until = :until WHERE held_by = :holder AND held_until IS NOT NULL"
)
_COUNTS = Query(
    "SELECT count(*) AS total, count(paused_at) AS paused, "
    "sum(CASE WHEN paused_at IS NULL AND failing_since IS NOT NULL THEN 1 ELSE 0 END) AS failing "
    "FROM webhook",
    row_of("total", "paused", "failing"),
)
_OLDEST_UNSENT = Query(
    "SELECT min(entry.at) AS oldest FROM webhook JOIN entry "
    "ON entry.organisation_id = webhook.organisation_id "
    f"AND entry.number = (webhook.sent_upto + 1) / {EVENTS_PER_ACT} "
    "WHERE webhook.paused_at IS NULL",
    row_of("oldest"),
)
listed = _ROWS.where("organisation_id = :organisation ORDER BY created DESC, id").rows
"""An organisation's endpoints, the newest first."""
at_work = (
    Source(
        records.Webhook, "JOIN log ON log.organisation_id = webhook.organisation_id", **_WITH_SIZE
    )
    .where("webhook.paused_at IS NULL ORDER BY webhook.id")
    .rows
)
"""All endpoints that aren't paused, with how many entries their organisations' logs have
(``size``)."""


def renew(connection: Session, holder: str, until: int) -> None:
    """Hold for longer what a server holds."""
    _RENEW.run(connection, until, holder)


def update(rows: Writer, found: Record, **values: object) -> None:
    """Change an endpoint as it was read under lock."""
    rows.update(_T, {"id": found.id}, values, before=found)


def delete(rows: Writer, webhook_id: str) -> None:
    rows.delete(_T, "id = :id", {"id": webhook_id})


def counts(connection: Session) -> dict[str, int]:
    """How many endpoints there are, by status."""
    row = connection.execute(_COUNTS).one()
    paused, failing = row.paused, int(row.failing or 0)
    return {
        WebhookStatus.ACTIVE: row.total - paused - failing,
        WebhookStatus.FAILING: failing,
        WebhookStatus.PAUSED: paused,
    }


def oldest_unsent(connection: Session) -> int | None:
    """The instant of the oldest entry that an endpoint at work doesn't have."""
    found: int | None = connection.execute(_OLDEST_UNSENT).one().oldest
    return found


def status(row: Record) -> WebhookStatus:
    if row.paused_at is not None:
        return WebhookStatus.PAUSED
    return WebhookStatus.ACTIVE if row.failing_since is None else WebhookStatus.FAILING


def fields_of(row: Record) -> dict[str, Any]:
    """The fields of a wire model."""
    return {
        "id": row.id,
        "url": row.url,
        "types": tuple(row.types.split()),
        "status": status(row),
        "created": row.created,
        "created_by": row.created_by,
        "cursor": row.sent_upto,
        "delivered_at": row.delivered_at,
        "answer": row.answer,
        "failing_since": row.failing_since,
        "attempts": row.attempts,
        "next_attempt": row.next_at,
        "paused_at": row.paused_at,
        "paused_reason": row.paused_reason,
        "overlap_until": row.overlap_until,
    }


def to_model(row: Record) -> Webhook:
    return Webhook(**fields_of(row))
