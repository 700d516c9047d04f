"""Webhooks: endpoints that are sent events."""

import click

from chainteller.cli.error_output import Exit, say
from chainteller.cli.lists import Output, output_options
from chainteller.cli.open_services import service, writing
from chainteller.cli.options import TellerGroup, example, idempotent, options
from chainteller.cli.output import document, line, record
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


@click.group("webhooks", cls=TellerGroup)
def webhooks() -> None:
    """Endpoints that are sent events: create, test, rotate, replay."""


@webhooks.command(
    "create",
    calls=[op.CREATE_WEBHOOK],
    epilog=example(
        "chainteller webhooks create https://hooks.bank.example/teller",
        "chainteller webhooks create https://hooks.bank.example/teller --type 'trade.*'",
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
@idempotent
def create(endpoint: str, types: tuple[str, ...], idempotency_key: str | None) -> None:
    """Send events from now on to an endpoint, and print its secret once, alone on stdout."""
    with writing() as bank:
        asked = CreateWebhook(url=endpoint, types=types)
        made = bank.create_webhook(asked, idempotency_key=idempotency_key).value
    say(f"webhook {made.id} gets {', '.join(made.types) or 'all events'}")
    _show(made)


@webhooks.command("list", calls=[op.WEBHOOKS], epilog=example("chainteller webhooks list"))
@output_options(WEBHOOK)
def list_webhooks(output: Output[Webhook]) -> None:
    """List endpoints, newest first; their secrets aren't shown."""
    with service() as bank:
        found = bank.webhooks()
    nothing = "no webhooks; make one: chainteller webhooks create URL"
    output.write(found, found.data, nothing=nothing)


@webhooks.command("show", calls=[op.WEBHOOK], epilog=example("chainteller webhooks show WHK_..."))
@_one
def show(webhook_id: str) -> None:
    """Show an endpoint: how far it has the events, and why it fails or is paused."""
    with service() as bank:
        record(bank.webhook(webhook_id), WEBHOOK)


@webhooks.command(
    "test", calls=[op.TEST_WEBHOOK], epilog=example("chainteller webhooks test WHK_...")
)
@_one
@idempotent
def test(webhook_id: str, idempotency_key: str | None) -> int:
    """Send a test event now; ends with 1 if it isn't accepted."""
    with writing() as bank:
        found = bank.test_webhook(webhook_id, idempotency_key=idempotency_key).value
    if options().json:
        document(found)
    else:
        what = "accepted" if found.accepted else "not accepted"
        line(f"{what}: {found.answer} after {found.milliseconds} ms")
    return Exit.DONE if found.accepted else Exit.REFUSED


@webhooks.command(
    "pause", calls=[op.PAUSE_WEBHOOK], epilog=example("chainteller webhooks pause WHK_...")
)
@_one
@idempotent
def pause(webhook_id: str, idempotency_key: str | None) -> None:
    """Let the events for an endpoint wait."""
    with writing() as bank:
        record(bank.pause_webhook(webhook_id, idempotency_key=idempotency_key).value, WEBHOOK)


@webhooks.command(
    "resume", calls=[op.RESUME_WEBHOOK], epilog=example("chainteller webhooks resume WHK_...")
)
@_one
@idempotent
def resume(webhook_id: str, idempotency_key: str | None) -> None:
    """Send what waited and what follows; tries a failing endpoint at once."""
    with writing() as bank:
        record(bank.resume_webhook(webhook_id, idempotency_key=idempotency_key).value, WEBHOOK)


@webhooks.command(
    "rotate",
    calls=[op.ROTATE_WEBHOOK],
    epilog=example("chainteller webhooks rotate WHK_... --overlap 1h"),
)
@_one
@click.option("--overlap", default="24h", metavar="24h", help="How long the old secret signs, too.")
@idempotent
def rotate(webhook_id: str, overlap: str, idempotency_key: str | None) -> None:
    """Make another secret and print it once, alone on stdout."""
    with writing() as bank:
        asked = RotateSecret(overlap=overlap)
        made = bank.rotate_webhook(webhook_id, asked, idempotency_key=idempotency_key).value
    _show(made)


@webhooks.command(
    "replay",
    calls=[op.REPLAY_WEBHOOK],
    epilog=example("chainteller webhooks replay WHK_... --after 1200"),
)
@_one
@click.option(
    "--after",
    type=click.IntRange(0, op.LAST_CURSOR),
    required=True,
    metavar="N",
    help="Those after this event's number.",
)
@idempotent
def replay(webhook_id: str, after: int, idempotency_key: str | None) -> None:
    """Send the events after a cursor again, with the ids that they had."""
    with writing() as bank:
        asked = ReplayEvents(after=after)
        found = bank.replay_webhook(webhook_id, asked, idempotency_key=idempotency_key).value
    record(found, WEBHOOK)


@webhooks.command(
    "delete", calls=[op.DELETE_WEBHOOK], epilog=example("chainteller webhooks delete WHK_...")
)
@_one
@idempotent
def delete(webhook_id: str, idempotency_key: str | None) -> None:
    """Send an endpoint no more events, and forget it."""
    with writing() as bank:
        found = bank.delete_webhook(webhook_id, idempotency_key=idempotency_key).value
    if options().json:
        document(found)
    else:
        line(f"webhook {found.id} is deleted")


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
