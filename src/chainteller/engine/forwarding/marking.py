"""Making a database a gateway's, in front of one provider."""

from functools import partial

from chainteller.domain.actors import DEFAULT_ORGANISATION, Actor
from chainteller.engine.core.context import EngineContext
from chainteller.engine.core.unit_of_work import UnitOfWork, act
from chainteller.service.errors import Conflict
from chainteller.storage.db.records import Tables
from chainteller.storage.queries import providers

BEGAN = "gateway.began"
"""The action of the entry that says which provider a database is in front of."""


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
    values = {"organisation_id": DEFAULT_ORGANISATION, "address": address, "since": tx.now}
    tx.rows.insert(Tables.provider, [values])
    tx.audit(BEGAN, "", {"provider": address})
