"""API keys of the HTTP service: create, list, revoke, rotate. They work on the database."""

import click

from chainteller.cli.administration import api_keys, judged
from chainteller.cli.error_output import say
from chainteller.cli.options import TellerGroup, example, options
from chainteller.cli.output import Column, document, line, table
from chainteller.domain.actors import SCOPES

_SCOPE_HELP = f"What it may do, may be repeated: {', '.join(SCOPES)}. Without it: all but admin."


@click.group("keys", cls=TellerGroup)
def keys() -> None:
    """API keys: create, list, revoke, rotate."""


@keys.command(
    "create",
    epilog=example(
        "chainteller keys create --name branch-7",
        "chainteller keys create --name audit --scope events:read --expires 90d",
    ),
)
@click.option("--name", required=True, help="What the audit trail shows.")
@click.option("--scope", "scopes", multiple=True, metavar="S", help=_SCOPE_HELP)
@click.option("--organisation", default="default", metavar="O", help="Whose records it opens.")
@click.option("--expires", metavar="90d", help="How long it is valid; without it, until revoked.")
def create(name: str, scopes: tuple[str, ...], organisation: str, expires: str | None) -> None:
    """Make a key and print it, once, alone on stdout."""
    with api_keys() as found, judged():
        made = found.create(name, scopes, organisation, expires)
    say(f"key {made.key_id} of {organisation}; it is shown once, only its hash is stored")
    line(made.text)


def _columns() -> list[Column[dict[str, object]]]:
    return [
        ("KEY", lambda each: each["id"]),
        ("NAME", lambda each: each["name"]),
        ("ORGANISATION", lambda each: each["organisation"]),
        ("STATUS", lambda each: each["status"]),
        ("EXPIRES", lambda each: each["expires"]),
        ("LAST USED", lambda each: each["lastUsedAt"]),
        ("SCOPES", lambda each: each["scopes"]),
    ]


@keys.command("list", epilog=example("chainteller keys list"))
def list_keys() -> None:
    """List keys; their secrets are not kept."""
    with api_keys() as found:
        rows = found.listed()
    if options().json:
        document({"data": rows})
    elif rows:
        table(rows, _columns())
    else:
        line("no keys; make one: chainteller keys create --name NAME")


@keys.command("revoke", epilog=example("chainteller keys revoke 4fT9aX2c"))
@click.argument("key_id", metavar="ID")
def revoke(key_id: str) -> None:
    """End a key at once."""
    with api_keys() as found:
        found.revoke(key_id)
    if options().json:
        document({"id": key_id, "status": "revoked"})
    else:
        line(f"key {key_id} is revoked")


@keys.command("rotate", epilog=example("chainteller keys rotate 4fT9aX2c --overlap 1h"))
@click.argument("key_id", metavar="ID")
@click.option("--overlap", default="24h", metavar="24h", help="How long the old one still holds.")
def rotate(key_id: str, overlap: str) -> None:
    """Make a key in another's place and print it, once, alone on stdout."""
    with api_keys() as found, judged():
        made = found.rotate(key_id, overlap)
    say(f"key {made.key_id} takes the place of {key_id}, which holds for {overlap} more")
    line(made.text)


COMMANDS = (keys,)
