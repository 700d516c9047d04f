"""Webhooks: endpoints that are sent an organisation's events."""

from typing import Annotated

from pydantic import Field, StrictInt

from chainteller.domain.webhooks import PauseReason, WebhookStatus
from chainteller.service.models.base import Many, OneOf, RequestModel, Timestamp, WireModel


class Webhook(WireModel):
    """An endpoint. It has accepted every event up to ``cursor`` that it wants.

    ``types`` are those of the events that it's sent; none stands for all. ``answer`` is what came
    of the newest attempt: a status of HTTP, or why there is none. ``attempts`` are those since
    ``failing_since`` that failed. Until ``overlap_until``, the former secret signs, too.
    """

    type: str = "webhook"
    id: str
    url: str
    types: Many[str] = ()
    status: Annotated[str, OneOf("WebhookStatus", WebhookStatus)]
    created: Timestamp
    created_by: str
    cursor: int
    delivered_at: Timestamp | None = None
    answer: str | None = None
    failing_since: Timestamp | None = None
    attempts: int = 0
    next_attempt: Timestamp | None = None
    paused_at: Timestamp | None = None
    paused_reason: Annotated[str, OneOf("WebhookPauseReason", PauseReason)] | None = None
    overlap_until: Timestamp | None = None


class WebhookWithSecret(Webhook):
    """An endpoint with its new secret, which only the first answer to a request shows."""

    secret: str | None = Field(default=None, exclude_if=lambda value: value is None)

    def to_short_json(self) -> str:
        """What is kept under an idempotency key: never the secret."""
        return self.model_dump_json(by_alias=True, exclude_defaults=True, exclude={"secret"})


class WebhookTest(WireModel):
    """What came of a test event: ``answer`` is a status of HTTP, or why there is none."""

    type: str = "webhook-test"
    webhook: str
    accepted: bool
    answer: str
    milliseconds: int


class CreateWebhook(RequestModel):
    """``url`` is HTTPS, of a host that the operator allows. ``types`` are types of events, or all
    types of a record (``trade.*``); none stands for all."""

    url: str
    types: Many[str] = ()


class RotateSecret(RequestModel):
    """``overlap`` is a duration such as ``24h``, at most ``7d``, in which the former secret signs,
    too; ``0`` ends it at once."""

    overlap: str = "24h"


class ReplayEvents(RequestModel):
    """``after`` is a cursor of the organisation's events; those after it are sent again."""

    after: StrictInt = Field(ge=0, le=2**53 - 1)
