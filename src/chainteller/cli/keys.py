"""API keys of the HTTP service: create, list, revoke, rotate. They work on the database."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from chainteller.bootstrap import operator
from chainteller.cli.administration import engine, judged
from chainteller.cli.error_output import say
from chainteller.cli.lists import Output, Row, output_options, row_fields
from chainteller.cli.options import group, options
from chainteller.cli.output import answer
from chainteller.domain.actors import DESK, DESK_SCOPES, SCOPES, WITHHELD

if TYPE_CHECKING:
    from chainteller.engine.operations.keys import ApiKeys

_SCOPE_HELP = (
    f"A scope, can be repeated: {', '.join(SCOPES)}. Without it: all but {' and '.join(WITHHELD)}."
)

KEY = row_fields(
    "key",
    id="key",
    name="name",
    organisation="organisation",
    status="status",
    expires="expires",
    lastUsedAt="last used",
    scopes="scopes",
)


@contextmanager
def _api_keys() -> Iterator["ApiKeys"]:
    from chainteller.engine.operations.keys import ApiKeys

    with engine() as found:
        yield ApiKeys(found.context, operator(options().configured.settings))


@group("keys")
def keys() -> None:
    """API keys: create, list, revoke, rotate."""


@keys.command(
    "create",
    changes=True,
    example=(
        "keys create --name branch-7 --kind desk",
        "keys create --name audit --scope events:read --expires 90d",
        "keys create --name machine --expires never",
    ),
)
@click.option("--name", required=True, help="The name shown in the audit trail.")
@click.option(
    "--kind",
    type=click.Choice(["system", "desk"]),
    default="system",
    show_default=True,
    help="A desk's key serves agents: it may decide, and they sign where the policy has roles.",
)
@click.option("--scope", "scopes", multiple=True, metavar="S", help=_SCOPE_HELP)
@click.option("--organisation", default="default", metavar="O", help="Whose records it can read.")
@click.option(
    "--expires", metavar="90d", help="How long it is valid, or never; default: service.key_days."
)
def create(
    name: str, kind: str, scopes: tuple[str, ...], organisation: str, expires: str | None
) -> None:
    """Create a key and print it once, alone on stdout."""
    if kind == DESK:
        scopes = (*scopes, DESK) if scopes else DESK_SCOPES
    lifetime = f"{options().configured.settings.service.key_days}d" if expires is None else expires
    with _api_keys() as found, judged():
        made = found.create(name, scopes, organisation, None if lifetime == "never" else lifetime)
    valid = "until it is revoked" if lifetime == "never" else f"for {lifetime}"
    say(f"key {made.key_id} of {organisation}, valid {valid}")
    say("It is shown once; only its hash is stored.")
    _show(made.key_id, made.text)


@keys.command("list", changes=False, example="keys list --format csv")
@output_options(KEY)
def list_keys(output: Output[Row]) -> None:
    """List keys; their secrets are not kept."""
    with _api_keys() as found:
        rows = found.listed()
    nothing = "no keys; make one: chainteller keys create --name NAME"
    output.write({"data": rows}, rows, nothing=nothing)


@keys.command("revoke", changes=True, example="keys revoke 4fT9aX2c")
@click.argument("key_id", metavar="ID")
def revoke(key_id: str) -> None:
    """Revoke a key at once."""
    with _api_keys() as found:
        found.revoke(key_id)
    answer({"id": key_id, "status": "revoked"}, f"key {key_id} is revoked")


@keys.command("rotate", changes=True, example="keys rotate 4fT9aX2c --overlap 1h")
@click.argument("key_id", metavar="ID")
@click.option("--overlap", default="24h", metavar="24h", help="How long the old key remains valid.")
def rotate(key_id: str, overlap: str) -> None:
    """Replace a key and print the new one once, alone on stdout."""
    with _api_keys() as found, judged():
        made = found.rotate(key_id, overlap)
    say(f"key {made.key_id} replaces {key_id}, which remains valid for another {overlap}")
    _show(made.key_id, made.text)


def _show(key_id: str, text: str) -> None:
    answer({"id": key_id, "key": text}, text)


COMMANDS = (keys,)
