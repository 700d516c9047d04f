"""Endpoints that are sent events."""

from chainteller.service import errors
from chainteller.service.models.pages import Page
from chainteller.service.models.webhooks import (
    CreateWebhook,
    ReplayEvents,
    RotateSecret,
    Webhook,
    WebhookTest,
    WebhookWithSecret,
)
from chainteller.service.operations.declaring import WEBHOOKS_FEATURE, Read, Section, Write

_HOOKS = Section("Webhooks", "admin", "admin", WEBHOOKS_FEATURE, has_case=False)
_WEBHOOK = "/webhooks/{webhookId}"
WEBHOOKS = Read(
    _HOOKS,
    "webhooks",
    "GET /webhooks",
    "List the endpoints that are sent events, newest first",
    Page[Webhook],
    is_whole=True,
)
WEBHOOK = Read(
    _HOOKS, "webhook", f"GET {_WEBHOOK}", "Show an endpoint, and how far it has the events", Webhook
)
CREATE_WEBHOOK = Write(
    _HOOKS,
    "create_webhook",
    "POST /webhooks",
    "Send events from now on to an endpoint; its secret is shown once",
    WebhookWithSecret,
    request=CreateWebhook,
    creates=_WEBHOOK,
    errors=(errors.QuotaExceeded,),
)
DELETE_WEBHOOK = Write(
    _HOOKS,
    "delete_webhook",
    f"DELETE {_WEBHOOK}",
    "Send an endpoint no more events, and forget it",
    Webhook,
)
PAUSE_WEBHOOK = Write(
    _HOOKS,
    "pause_webhook",
    f"POST {_WEBHOOK}/pauses",
    "Let the events for an endpoint wait",
    Webhook,
)
RESUME_WEBHOOK = Write(
    _HOOKS,
    "resume_webhook",
    f"POST {_WEBHOOK}/resumptions",
    "Send what waited and what follows; a failing endpoint is tried at once",
    Webhook,
)
ROTATE_WEBHOOK = Write(
    _HOOKS,
    "rotate_webhook",
    f"POST {_WEBHOOK}/secrets",
    "Make another secret, shown once; both sign for a while",
    WebhookWithSecret,
    request=RotateSecret,
)
REPLAY_WEBHOOK = Write(
    _HOOKS,
    "replay_webhook",
    f"POST {_WEBHOOK}/replays",
    "Send the events after a cursor again, with the ids that they had",
    Webhook,
    request=ReplayEvents,
)
TEST_WEBHOOK = Write(
    _HOOKS,
    "test_webhook",
    f"POST {_WEBHOOK}/tests",
    "Send a test event now and say what came of it",
    WebhookTest,
)
