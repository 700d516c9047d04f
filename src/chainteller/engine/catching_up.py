"""Seal what the released build (66d1173) wrote beside this one; part of ``db upgrade``."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from sqlalchemy import Connection, Table

from chainteller.domain.actors import Actor
from chainteller.engine.checks import seals, unsealed
from chainteller.engine.checks.breaches import Breach
from chainteller.engine.context import EngineContext
from chainteller.engine.unit_of_work import UnitOfWork, act
from chainteller.engine.verification import verify
from chainteller.storage import chain, maintenance, removals, sealing, sequencer
from chainteller.storage.rows import DEPLOYMENT, Seal, cells_of

_ACTOR = Actor(DEPLOYMENT, "chainteller")
_MOST_LISTED = 200


def seal_as_found(context: EngineContext) -> tuple[Breach, ...]:
    """Seal rows that the released build changed, added or removed, as they are; then list what
    is wrong with the database, in an entry too.

    Rows that somebody else altered are not sealed again.

    Returns:
        Every breach, as ``verify``.

    Raises:
        ServiceUnavailable: the database cannot be used.
    """
    with sequencer.numbered_snapshot(context.database) as connection:
        newest = chain.head(connection).audit_seq
        left = list(_left_by_released_build(connection))
    act(context, _ACTOR, lambda tx: _reseal(tx, left))
    sequencer.catch_up(context.database, patient=True)  # before the audit rows are sealed
    maintenance.seal_rows(context.database, newest)
    breaches = verify(context.database)
    if breaches:
        act(context, _ACTOR, lambda tx: _list(tx, breaches))
    return breaches


class _Left(NamedTuple):
    """A row as the released build left it: its key in its table and in entries, its cells, whose
    log has its seal, and that seal. Without a key it was removed."""

    table: Table
    key: Mapping[str, Any] | None
    name: str
    cells: bytes
    organisation: str | None
    sealed: str | None


def _left_by_released_build(connection: Connection) -> Iterator[_Left]:
    archived = removals.by_organisation(connection, removals.ENTRIES)
    books = seals.Books(is_partial=bool(archived))
    for _ in seals.read_logs(connection, books, {}):
        pass  # what is wrong with the log itself is for verify to say
    theirs = unsealed.of_released_build(connection, seals.compare(connection, books))
    stories = seals.stories_of(connection, theirs).by_row
    for each in theirs:
        table, name = each.table, each.table.name
        organisation, sealed = stories[name, each.key].organisation, books.seals[name].get(each.key)
        key = sealing.form(table).primary_key(each.key)
        if each.what == unsealed.DELETED:
            yield _Left(table, None, each.key, b"", organisation, sealed)
        elif each.what == unsealed.CHANGED and key is not None:
            cells = cells_of(connection, table, key) or b""
            yield _Left(table, key, each.key, cells, organisation, sealed)


def _reseal(tx: UnitOfWork, left: Iterable[_Left]) -> None:
    """Seal them as they are, but not what anybody has written since."""
    for row in left:
        if row.key is None:
            gone = Seal(row.table.name, row.name, None, {}, row.sealed)
            tx.rows.keep(row.table, row.organisation, gone)
        else:
            tx.rows.reseal(row.table, row.key, row.organisation, row.sealed, row.cells)


def _list(tx: UnitOfWork, breaches: tuple[Breach, ...]) -> None:
    listed = [str(each) for each in breaches[:_MOST_LISTED]]
    tx.note("found_at_upgrade", count=len(breaches), breaches=listed)
