"""Seal rows that have no seal yet: those that are older than the log, and those that the released
build wrote beside this one.

Batches of one table and key range are sealed as found, each in a transaction and an entry of its
own. A sealed row has a salt, so this can be interrupted and resumed.
"""

from collections.abc import Callable, Mapping
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Table,
    and_,
    func,
    literal,
    null,
    or_,
    select,
    update,
)
from sqlalchemy import bindparam as parameter
from sqlalchemy import literal_column as expression

from chainteller.storage import log, numbering, sealing
from chainteller.storage.columns import SALT
from chainteller.storage.rows import DEPLOYMENT, Seal, Writer
from chainteller.storage.tables import Tables
from chainteller.storage.wallet_tables import WalletTables

_BATCH = 500
_ACTOR = "chainteller"
_LINK, _JOB = WalletTables.link, Tables.job
_ORGANISATION: Mapping[Table, Callable[[], ColumnElement[Any]]] = {
    _LINK: lambda: (
        select(WalletTables.blockchain_account.c.organisation_id)
        .where(WalletTables.blockchain_account.c.id == _LINK.c.blockchain_account_id)
        .scalar_subquery()
    ),
    _JOB: lambda: func.coalesce(
        select(Tables.trade.c.organisation_id)
        .where(Tables.trade.c.id == _JOB.c.reference)
        .scalar_subquery(),
        select(Tables.transfer.c.organisation_id)
        .where(Tables.transfer.c.id == _JOB.c.reference)
        .scalar_subquery(),
        select(WalletTables.challenge.c.organisation_id)
        .where(WalletTables.challenge.c.id == _JOB.c.reference)
        .scalar_subquery(),
    ),
}
"""Whose log keeps a row that doesn't name its organisation, but may be written again."""


def seal_next(
    connection: Connection, table: Table, after: Mapping[str, Any] | None, newest: int
) -> tuple[Mapping[str, Any] | None, int]:
    """Seal the next rows of a table after a key, but no audit row above the number ``newest``; the
    caller commits.

    Returns:
        The last key (None at the end) and how many rows were sealed.
    """
    form = sealing.form(table)
    dialect = connection.dialect.name
    keys = [table.c[name] for name in form.key_names]
    found = connection.execute(
        select(
            *keys,
            _organisation(table).label("organisation"),
            expression(form.sql_key(dialect)).label("sealed_key"),
            expression(form.sql_text(dialect)).label("sealed_text"),
        )
        .where(table.c[SALT].is_(None), _after(keys, after), *_up_to(table, newest))
        .order_by(*keys)
        .limit(_BATCH)
        .with_for_update(of=table)
    ).all()
    if not found:
        return None, 0
    salts = [sealing.new_salt(table) for _ in found]
    connection.execute(
        update(table)
        .where(*(key == parameter(f"b_{key.name}") for key in keys))
        .values({SALT: parameter("v_salt")}),
        [
            {"v_salt": salt} | {f"b_{key.name}": row[at] for at, key in enumerate(keys)}
            for salt, row in zip(salts, found, strict=True)
        ],
    )
    rows = Writer(connection)
    top = numbering.lock_head(connection)  # as late as servers do: every write of theirs needs it
    for salt, row in zip(salts, found, strict=True):
        text = row.sealed_text if isinstance(row.sealed_text, bytes) else row.sealed_text.encode()
        rows.keep(
            table,
            row.organisation,
            Seal(table.name, row.sealed_key, sealing.seal(salt, text), {}),
        )
    act = {
        "op": "seal_rows",
        "table": table.name,
        "from": found[0].sealed_key,
        "to": found[-1].sealed_key,
        "rows": len(found),
    }
    log.append(rows, log.Stamp(DEPLOYMENT, top.last_at, _ACTOR, after=top.audit_seq), [act])
    return {key.name: found[-1][at] for at, key in enumerate(keys)}, len(found)


def _organisation(table: Table) -> ColumnElement[Any]:
    named = sealing.form(table).organisation
    if named:
        return table.c[named]
    return _ORGANISATION[table]() if table in _ORGANISATION else null()


def _up_to(table: Table, newest: int) -> list[ColumnElement[bool]]:
    """What the released build writes meanwhile is on record in later audit rows. While these have
    no seal, they speak for rows that it changed after they were sealed."""
    return [table.c.seq <= newest] if table is Tables.audit else []


def _after(keys: list[Any], after: Mapping[str, Any] | None) -> ColumnElement[bool]:
    """Keys in their order after one of them."""
    if after is None:
        return literal(value=True)
    beyond = []
    for at, key in enumerate(keys):
        same = [earlier == after[earlier.name] for earlier in keys[:at]]
        beyond.append(and_(*same, key > after[key.name]))
    return or_(*beyond)
