"""Webhooks: endpoints that are sent events."""

import click

from chainteller.cli.error_output import Exit, say
from chainteller.cli.lists import Output, output_options
from chainteller.cli.open_services import service, writing
from chainteller.cli.options import group, options
from chainteller.cli.output import answer, document, line, record
from chainteller.cli.single_calls import add_change, add_show
from chainteller.records.webhooks import WEBHOOK
from chainteller.service import operations as op
from chainteller.service.models.webhooks import (
    CreateWebhook,
    ReplayEvents,
    RotateSecret,
    Webhook,
    WebhookWithSecret,
)

_one = click.argument("webhook_id", metavar="ID")


@group("webhooks")
def webhooks() -> None:
    """Endpoints that are sent events: create, test, rotate, replay."""


@webhooks.command(
    "create",
    calls=[op.CREATE_WEBHOOK],
    example=(
        "webhooks create https://hooks.bank.example/teller",
        "webhooks create https://hooks.bank.example/teller --type 'trade.*'",
    ),
)
@click.argument("endpoint", metavar="URL")
@click.option(
    "--type",
    "types",
    multiple=True,
    metavar="T",
    help="Send events of this type alone, such as trade.settled or trade.*; can be repeated.",
)
def create(endpoint: str, types: tuple[str, ...]) -> None:
    """Send events from now on to an endpoint, and print its secret once, alone on stdout."""
    with writing() as bank:
        asked = CreateWebhook(url=endpoint, types=types)
        made = bank.create_webhook(asked).value
    say(f"webhook {made.id} gets {', '.join(made.types) or 'all events'}")
    _show(made)


@webhooks.command("list", calls=[op.WEBHOOKS], example="webhooks list")
@output_options(WEBHOOK)
def list_webhooks(output: Output[Webhook]) -> None:
    """List endpoints, newest first; their secrets aren't shown."""
    with service() as bank:
        found = bank.webhooks()
    nothing = "no webhooks; make one: chainteller webhooks create URL"
    output.write(found, found.data, nothing=nothing)


add_show(
    webhooks,
    op.WEBHOOK,
    WEBHOOK,
    "Show an endpoint: how far it has the events, and why it fails or is paused.",
    example="webhooks show WHK_...",
)


@webhooks.command("test", calls=[op.TEST_WEBHOOK], example="webhooks test WHK_...")
@_one
def test(webhook_id: str) -> int:
    """Send a test event now; ends with 1 if it isn't accepted."""
    with writing() as bank:
        found = bank.test_webhook(webhook_id).value
    if options().json:
        document(found)
    else:
        what = "accepted" if found.accepted else "not accepted"
        line(f"{what}: {found.answer} after {found.milliseconds} ms")
    return Exit.DONE if found.accepted else Exit.REFUSED


add_change(
    webhooks,
    "pause",
    op.PAUSE_WEBHOOK,
    WEBHOOK,
    "Let the events for an endpoint wait.",
    example="webhooks pause WHK_...",
)


add_change(
    webhooks,
    "resume",
    op.RESUME_WEBHOOK,
    WEBHOOK,
    "Send what waited and what follows; tries a failing endpoint at once.",
    example="webhooks resume WHK_...",
)


@webhooks.command(
    "rotate", calls=[op.ROTATE_WEBHOOK], example="webhooks rotate WHK_... --overlap 1h"
)
@_one
@click.option("--overlap", default="24h", metavar="24h", help="How long the old secret signs, too.")
def rotate(webhook_id: str, overlap: str) -> None:
    """Make another secret and print it once, alone on stdout."""
    with writing() as bank:
        asked = RotateSecret(overlap=overlap)
        made = bank.rotate_webhook(webhook_id, asked).value
    _show(made)


@webhooks.command(
    "replay", calls=[op.REPLAY_WEBHOOK], example="webhooks replay WHK_... --after 1200"
)
@_one
@click.option(
    "--after",
    type=click.IntRange(0, op.LAST_CURSOR),
    required=True,
    metavar="N",
    help="Those after this event's number.",
)
def replay(webhook_id: str, after: int) -> None:
    """Send the events after a cursor again, with the ids that they had."""
    with writing() as bank:
        asked = ReplayEvents(after=after)
        found = bank.replay_webhook(webhook_id, asked).value
    record(found, WEBHOOK)


@webhooks.command("delete", calls=[op.DELETE_WEBHOOK], example="webhooks delete WHK_...")
@_one
def delete(webhook_id: str) -> None:
    """Send an endpoint no more events, and forget it."""
    with writing() as bank:
        found = bank.delete_webhook(webhook_id).value
    answer(found, f"webhook {found.id} is deleted")


def _show(made: WebhookWithSecret) -> None:
    """Print the secret of a first answer."""
    if made.secret is None:
        say(f"The secret was shown before. Make another: chainteller webhooks rotate {made.id}")
    else:
        say("It is shown once.")
    if options().json:
        document(made)
    elif made.secret is not None:
        line(made.secret)


COMMANDS = (webhooks,)
