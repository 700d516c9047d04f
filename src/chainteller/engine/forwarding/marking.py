"""Making a database a gateway's, in front of one provider."""

from functools import partial

from chainteller.domain.actors import DEFAULT_ORGANISATION, Actor
from chainteller.engine.core.context import EngineContext
from chainteller.engine.core.unit_of_work import UnitOfWork, act
from chainteller.service.errors import Conflict, WriterKeyMissing
from chainteller.storage.db.query import Session
from chainteller.storage.db.records import Tables
from chainteller.storage.log import last_writes
from chainteller.storage.log.last_writes import Kept, Trail
from chainteller.storage.queries import providers

BEGAN = "gateway.began"
"""The action of the entry that says which provider a database is in front of."""
_ROW = Kept(Tables.provider, DEFAULT_ORGANISATION)


def mark(context: EngineContext, actor: Actor, address: str) -> None:
    """Make an empty database a gateway's; nothing changes where it's that provider's already.

    Raises:
        Conflict: it's another provider's, or has accounts of the bank itself.
    """
    act(context, actor, partial(_mark, address=address))


def _mark(tx: UnitOfWork, address: str) -> None:
    row = providers.find(tx.connection, DEFAULT_ORGANISATION, lock=True)
    if row is not None and row.address == address:
        return
    if row is not None:
        told = f"This database is in front of {row.address}."
        step = "Start with --for and that address, or use another database."
        raise Conflict.over("database", row.address, "OTHER_PROVIDER", told, step)
    if providers.has_accounts(tx.connection):
        told = "This database has accounts of the bank itself."
        step = "Use another database for the gateway."
        raise Conflict.over("database", "", "OWN_RECORDS", told, step)
    tx.marks_provider = address
    values = {"organisation_id": DEFAULT_ORGANISATION, "address": address, "since": tx.now}
    tx.rows.insert(Tables.provider, [values])
    tx.audit(BEGAN, providers.SUBJECT, {"provider": address})


def is_as_logged(connection: Session) -> bool:
    """Whether the log says so, too: an altered row would send requests, and the API key with
    them, to somebody else. Without the writer's key nothing is written, and it isn't compared."""
    trail = Trail(DEFAULT_ORGANISATION, "", (providers.SUBJECT,))
    try:
        return not last_writes.contradicted(connection, trail, _ROW)
    except WriterKeyMissing:
        return True
