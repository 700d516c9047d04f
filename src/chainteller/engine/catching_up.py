"""Seal what the released build (66d1173) wrote beside this one; part of ``db upgrade``."""

from sqlalchemy import text

from chainteller.domain.actors import Actor
from chainteller.engine.checks import seals, unsealed
from chainteller.engine.checks.breaches import Breach
from chainteller.engine.context import EngineContext
from chainteller.engine.unit_of_work import UnitOfWork, act
from chainteller.engine.verification import verify
from chainteller.storage import maintenance, removals, sealing
from chainteller.storage.rows import DEPLOYMENT, Seal

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
    act(context, _ACTOR, _reseal)
    maintenance.seal_rows(context.database)
    breaches = verify(context.database)
    if breaches:
        act(context, _ACTOR, lambda tx: _list(tx, breaches))
    return breaches


def _reseal(tx: UnitOfWork) -> None:
    if tx.context.database.is_postgres:
        tx.connection.execute(text("SET LOCAL statement_timeout = 0"))
    archived = removals.by_organisation(tx.connection, removals.ENTRIES)
    books = seals.Books(is_partial=bool(archived))
    for _ in seals.read_logs(tx.connection, books, {}):
        pass  # what is wrong with the log itself is for verify to say
    theirs = unsealed.of_released_build(tx.connection, seals.compare(tx.connection, books))
    stories = seals.stories_of(tx.connection, theirs).by_row
    for each in theirs:
        name = each.table.name
        organisation, sealed = stories[name, each.key].organisation, books.seals[name].get(each.key)
        key = sealing.form(each.table).primary_key(each.key)
        if each.what == unsealed.DELETED:
            tx.rows.keep(each.table, organisation, Seal(name, each.key, None, {}, sealed))
        elif each.what == unsealed.CHANGED and key is not None:
            tx.rows.reseal(each.table, key, organisation, sealed)


def _list(tx: UnitOfWork, breaches: tuple[Breach, ...]) -> None:
    listed = [str(each) for each in breaches[:_MOST_LISTED]]
    tx.note("found_at_upgrade", count=len(breaches), breaches=listed)
