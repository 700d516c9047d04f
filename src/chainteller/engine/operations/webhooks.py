"""Webhooks: the endpoints that an organisation's events are sent to, and their secrets.

A secret is derived from the writer's key, which isn't in the database: whoever has the database or
a backup can't sign. Another writer's key makes other secrets; an endpoint whose secret was made
with the former one waits until it's rotated.
"""

import asyncio
import time

from chainteller.domain.clock import DAY, SECOND
from chainteller.domain.event_types import PATTERNS
from chainteller.domain.ids import Prefix, new_id
from chainteller.domain.keys import MAXIMUM_OVERLAP
from chainteller.domain.options import Quota
from chainteller.domain.spelling import nearest
from chainteller.domain.webhooks import (
    Answer,
    PauseReason,
    Unsent,
    WebhookHosts,
    secret_text,
    sign,
    target_of,
)
from chainteller.engine.core import preconditions, reading
from chainteller.engine.core.context import EngineContext
from chainteller.engine.core.table import reads, writes
from chainteller.engine.core.unit_of_work import UnitOfWork, now
from chainteller.engine.operations import disputes, logged_rows
from chainteller.service import operations
from chainteller.service.errors import ValidationFailed
from chainteller.service.models.pages import Page
from chainteller.service.models.records import Event
from chainteller.service.models.webhooks import (
    CreateWebhook,
    ReplayEvents,
    RotateSecret,
    Webhook,
    WebhookTest,
    WebhookWithSecret,
)
from chainteller.storage.db.query import Record, Session
from chainteller.storage.db.records import Tables
from chainteller.storage.log import marks, rows, views
from chainteller.storage.log.entry import EVENTS_PER_ACT, seq_of
from chainteller.storage.log.last_writes import Kept
from chainteller.storage.queries import webhooks

RESOURCE = "webhook"
"""Endpoints of an organisation."""
TEST_TYPE = "webhook.test"
TEST_WITHIN_S = 8.0
"""Less than callers of this service wait for an answer, so that they get one."""
_PURPOSE = b"webhook"
_MOST_TYPES = 50
_FRESH = {"attempts": 0, "failing_since": None, "next_at": None}
"""Of an endpoint that is to be tried at once."""
_UNHELD = {"held_by": None, "held_until": None}


@reads(operations.WEBHOOKS)
def page(connection: Session, organisation_id: str) -> Page[Webhook]:
    found = webhooks.listed(connection, organisation_id)
    return Page[Webhook].whole(tuple(map(webhooks.to_model, found)))


@reads(operations.WEBHOOK)
def one(connection: Session, organisation_id: str, webhook_id: str) -> Webhook:
    """Raises NotFound."""
    found = reading.row_by_id(webhooks.find, connection, RESOURCE, organisation_id, webhook_id)
    return webhooks.to_model(found)


@writes(operations.CREATE_WEBHOOK, timeless=True)
def create(tx: UnitOfWork, request: CreateWebhook) -> WebhookWithSecret:
    """An endpoint that gets what happens from now on.

    Raises:
        ValidationFailed: the URL or a type can't be, or the operator doesn't allow the host.
        QuotaExceeded.
    """
    url, types = _checked_url(tx.context, request.url), _checked_types(request.types)
    preconditions.require_room(tx, Quota.WEBHOOKS)
    marker = marks.of(tx.connection)
    size = views.head(tx.connection, tx.organisation_id).size
    row = {
        "id": new_id(Prefix.WEBHOOK, tx.context.randomness),
        "organisation_id": tx.organisation_id,
        "url": url,
        "types": " ".join(types),
        "created": tx.now,
        "created_by": tx.name,
        "made_with": marker.identity(tx.connection),
        "generation": 1,
        "sent_upto": seq_of(size, EVENTS_PER_ACT - 1),
        "ahead": "",
        **_FRESH,
        **_UNHELD,
    }
    tx.rows.insert(Tables.webhook, [row])
    made = rows.record(Tables.webhook, row)
    tx.audited_object = made.id
    tx.event("webhook.created", made.id)
    return _with_secret(tx, made)


@writes(operations.DELETE_WEBHOOK, timeless=True)
def delete(tx: UnitOfWork, webhook_id: str) -> Webhook:
    """Forget an endpoint. Raises NotFound."""
    found = _locked(tx, webhook_id)
    webhooks.delete(tx.rows, found.id)
    tx.event("webhook.deleted", found.id)
    return webhooks.to_model(found)


@writes(operations.PAUSE_WEBHOOK, timeless=True)
def pause(tx: UnitOfWork, webhook_id: str) -> Webhook:
    """Let events wait; pausing again changes nothing. Raises NotFound."""
    found = _locked(tx, webhook_id)
    if found.paused_at is not None:
        return webhooks.to_model(found)
    return webhooks.to_model(put_on_hold(tx, found, PauseReason.OPERATOR))


def put_on_hold(tx: UnitOfWork, found: Record, reason: PauseReason, **values: object) -> Record:
    """Pause a locked endpoint; its events wait."""
    tx.event("webhook.paused", found.id, reason=reason.value)
    paused = {"paused_at": tx.now, "paused_reason": reason.value, "next_at": None}
    return _changed(tx, found, **values | paused)


@writes(operations.RESUME_WEBHOOK, timeless=True)
def resume(tx: UnitOfWork, webhook_id: str) -> Webhook:
    """Go on where the endpoint stopped, or try a failing one at once. Raises NotFound."""
    found = _locked(tx, webhook_id)
    if found.paused_at is None:
        return webhooks.to_model(_changed(tx, found, next_at=None))
    tx.event("webhook.resumed", found.id)
    return webhooks.to_model(_changed(tx, found, paused_at=None, paused_reason=None, **_FRESH))


@writes(operations.ROTATE_WEBHOOK, timeless=True)
def rotate(tx: UnitOfWork, webhook_id: str, request: RotateSecret) -> WebhookWithSecret:
    """Another secret; the former one signs, too, for a while.

    Raises:
        NotFound.
        ValidationFailed: no duration, or one of more than seven days.
    """
    kept = 0 if request.overlap == "0" else reading.duration("overlap", request.overlap)
    if kept > MAXIMUM_OVERLAP:
        raise ValidationFailed.of("overlap", "At most 7d.")
    found = _locked(tx, webhook_id)
    name = marks.of(tx.connection).identity(tx.connection)
    changed = _changed(
        tx,
        found,
        generation=found.generation + 1,
        made_with=name,
        overlap_until=tx.now + kept if kept and found.made_with == name else None,
        **_FRESH,
    )
    tx.event("webhook.rotated", found.id)
    return _with_secret(tx, changed)


@writes(operations.REPLAY_WEBHOOK, timeless=True)
def replay(tx: UnitOfWork, webhook_id: str, request: ReplayEvents) -> Webhook:
    """Send the events after a cursor again.

    Raises:
        NotFound.
        ValidationFailed: the cursor is ahead of the log, or events after it aren't kept.
    """
    found = _locked(tx, webhook_id)
    _, _, is_reset = events_after(tx.context, tx.connection, found, request.after, 1)
    if is_reset:
        told = "Give a cursor of this log whose following events are still kept."
        raise ValidationFailed.of("after", told)
    values = {"sent_upto": request.after, "ahead": "", **_UNHELD, **_FRESH}
    tx.event("webhook.replayed", found.id, after=request.after)
    return webhooks.to_model(_changed(tx, found, **values))


def _sent_test(context: EngineContext, organisation_id: str, webhook_id: str) -> WebhookTest:
    """Send a test event. Raises NotFound."""
    with context.database.read() as connection:
        at = now(context, connection)
        found = reading.row_by_id(webhooks.find, connection, RESOURCE, organisation_id, webhook_id)
        secrets = secrets_of(connection, found, at)
        followed = context.state.follow(connection, organisation_id)
        breach = logged_rows.difference(followed, (Kept(Tables.webhook, found.id),))
    event = Event(
        seq=found.sent_upto,
        id=new_id(Prefix.EVENT, context.randomness),
        type=TEST_TYPE,
        at=at,
        resource=found.id,
        data={},
    )
    began = time.monotonic()
    answer = Answer(unsent=Unsent.ENDPOINT_ALTERED)
    if breach is not None:
        disputes.open_for(context, (breach,))
    else:
        answer = asyncio.run(_deliver(context, found.url, event, secrets, at))
    return WebhookTest(
        webhook=found.id,
        accepted=answer.is_accepted,
        answer=str(answer),
        milliseconds=round((time.monotonic() - began) * 1_000),
    )


@writes(operations.TEST_WEBHOOK, _sent_test, timeless=True)
def test(tx: UnitOfWork, webhook_id: str, sent: WebhookTest) -> WebhookTest:
    """Put a test on record. Raises NotFound."""
    tx.audited_object = webhook_id
    return sent


async def _deliver(
    context: EngineContext, url: str, event: Event, secrets: tuple[bytes, ...], at: int
) -> Answer:
    if context.webhooks is None:
        return Answer(unsent=Unsent.HOST_NOT_ALLOWED)
    if not secrets:
        return Answer(unsent=Unsent.SECRET_LOST)
    try:
        async with (
            asyncio.timeout(TEST_WITHIN_S),
            context.webhooks.line(target_of(url)) as line,
        ):
            return await line.post(*message(event, secrets, at))
    except TimeoutError:
        return Answer(unsent=Unsent.TIMED_OUT)


# What deliveries need, too


def message(event: Event, secrets: tuple[bytes, ...], at: int) -> tuple[dict[str, str], bytes]:
    """The headers and the body of an event, signed with each of the secrets at an instant."""
    body, timestamp_s = event.to_json().encode(), at // SECOND
    headers = {
        "webhook-id": event.id,
        "webhook-timestamp": str(timestamp_s),
        "webhook-signature": " ".join(
            sign(secret, event.id, timestamp_s, body) for secret in secrets
        ),
    }
    return headers, body


def secrets_of(connection: Session, row: Record, at: int) -> tuple[bytes, ...]:
    """The secrets that sign for an endpoint at an instant, the newest first; none where they were
    made with another writer's key. Raises WriterKeyMissing."""
    marker = marks.of(connection)
    if marker.identity(connection) != row.made_with:
        return ()
    has_former = row.overlap_until is not None and at < row.overlap_until
    generations = (row.generation, row.generation - 1) if has_former else (row.generation,)
    return tuple(marker.derive(_PURPOSE, f"{row.id} {each}") for each in generations)


def events_after(
    context: EngineContext, connection: Session, row: Record, after: int, limit: int
) -> tuple[tuple[Event, ...], int, bool]:
    """The events of an endpoint's organisation after a cursor; as ``views.events_after``."""
    at = now(context, connection)
    age = views.Age(at - context.options.keep_events_days * DAY, at)
    return views.events_after(connection, row.organisation_id, after, limit, age)


def _locked(tx: UnitOfWork, webhook_id: str) -> Record:
    tx.audited_object = webhook_id
    of = tx.organisation_id
    return reading.row_by_id(webhooks.find, tx.connection, RESOURCE, of, webhook_id, lock=True)


def _changed(tx: UnitOfWork, found: Record, **values: object) -> Record:
    webhooks.update(tx.rows, found, **values)
    changed: Record = found._replace(**values)
    return changed


def _with_secret(tx: UnitOfWork, row: Record) -> WebhookWithSecret:
    newest = secrets_of(tx.connection, row, tx.now)[0]
    return WebhookWithSecret(**webhooks.fields_of(row), secret=secret_text(newest))


def _checked_url(context: EngineContext, url: str) -> str:
    try:
        target = target_of(url)
    except ValueError as error:
        raise ValidationFailed.of("url", str(error)) from None
    refusal = WebhookHosts(context.options.webhook_hosts).refusal(target)
    if refusal is not None:
        raise ValidationFailed.of("url", refusal, "HOST_NOT_ALLOWED")
    return url


def _checked_types(types: tuple[str, ...]) -> tuple[str, ...]:
    unknown = next((each for each in types if each not in PATTERNS), None)
    if unknown is not None or len(types) > _MOST_TYPES:
        meant = nearest(unknown or "", sorted(PATTERNS)) or "trade.settled, or trade.* for all"
        said = f"A type of an event, such as {meant}; at most {_MOST_TYPES} of them."
        raise ValidationFailed.of("types", said)
    return tuple(dict.fromkeys(types))
