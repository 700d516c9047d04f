"""What a log says, entry by entry, and logs that somebody wrote again."""

import json
from base64 import urlsafe_b64encode
from collections.abc import Callable
from hashlib import sha256
from typing import Any

from sqlalchemy import select, update

from chainteller.domain.actors import DEFAULT_ORGANISATION
from chainteller.domain.canonical import canonical
from chainteller.storage.database import Database
from chainteller.storage.log import entry, marks
from chainteller.storage.log.entry import Entry, opened
from chainteller.storage.schema import guards
from chainteller.storage.schema.wallet_tables import Tables


def entries(
    database: Database, organisation: str = DEFAULT_ORGANISATION, action: str = ""
) -> list[Entry]:
    """The entries of a log whose bodies are there, or those with one action; the oldest first."""
    table = Tables.entry
    mine = select(table).where(table.c.organisation_id == organisation, table.c.body.is_not(None))
    if action:
        mine = mine.where(table.c.action == action)
    with database.read() as connection:
        rows = connection.execute(mine.order_by(table.c.number)).all()
    return [opened(row.number, row.body) for row in rows]


def rewrite(
    database: Database, change: Callable[..., object], organisation: str = DEFAULT_ORGANISATION
) -> int:
    """Write a log again, as only somebody can who has the writer's key; how many entries changed.

    ``change`` gets the three lines of each entry and may alter them.
    """
    table, log, mark, changed = Tables.entry, Tables.log, b"", 0
    with database.write() as connection:
        guards.drop(connection)
        marker = marks.of(connection)
        marker.require(connection)
        mine = table.c.organisation_id == organisation
        for row in connection.execute(select(table).where(mine).order_by(table.c.number)).all():
            body, values = b"", {"leaf": row.leaf}
            if row.body is not None:
                before = entry.unpack(row.body)
                body = _changed(before, change)
                changed += body != before
                values = {"leaf": entry.leaf_of(body), "body": entry.pack(body)} | _columns(body)
            mark = marker.mark(organisation, row.number, values["leaf"], mark)
            here = update(table).where(mine, table.c.number == row.number)
            connection.execute(here.values(mark=mark, **values))
        connection.execute(
            update(log).where(log.c.organisation_id == organisation).values(mark=mark)
        )
        guards.create(connection)
        connection.commit()
    return changed


def _changed(body: bytes, change: Callable[..., object]) -> bytes:
    first, second, third = map(json.loads, body.split(b"\n"))
    change(first, second, third)
    lines = [canonical(each).encode() for each in (second, third)]
    hashes = [urlsafe_b64encode(sha256(each).digest()).decode().rstrip("=") for each in lines]
    first |= {"rows": hashes[0], "inputs": hashes[1]}
    return b"\n".join((canonical(first).encode(), *lines))


def _columns(body: bytes) -> dict[str, Any]:
    first = json.loads(body.split(b"\n")[0])
    named = {name: first[name] for name in ("at", "action", "object")}
    return named | {"trading_account_id": first.get("account")}
