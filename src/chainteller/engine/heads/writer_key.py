"""The writer's key, without which nobody writes to the log: where it is, and another one."""

from chainteller.domain.actors import Actor
from chainteller.engine.core.context import EngineContext
from chainteller.engine.core.unit_of_work import UnitOfWork, act
from chainteller.engine.heads.signed_heads import make_heads
from chainteller.engine.operations import disputes
from chainteller.service.errors import WriterKeyMissing
from chainteller.storage.log import marks
from chainteller.storage.log.moved import DATABASE
from chainteller.storage.log.rows import DEPLOYMENT

REPLACED = "writer_key_replaced"


def described(context: EngineContext) -> dict[str, str]:
    """Where the key is, and what names it without telling it. Never raises WriterKeyMissing."""
    with context.database.read() as connection:
        marker = marks.of(connection)
        place = marker.place(connection)
        try:
            return {"writer key": f"{place} ({marker.identity(connection)})"}
        except WriterKeyMissing as error:
            return {"writer key": f"{place}: {error.message}"}


def replace(context: EngineContext, actor: Actor, reason: str) -> str:
    """Start another key, after a signed head where heads are signed; returns what names it.

    The logs are marked as they are, and their heads kept: verify the books first.

    Raises:
        ValidationFailed: the reason is empty, too long or a secret.
        WriterKeyMissing: the key can't be written or read.
        ServiceUnavailable: the database can't be used.
    """
    told = disputes.checked_reason(reason)
    make_heads(context)
    named: list[str] = []

    def work(tx: UnitOfWork) -> None:
        marker = marks.of(tx.connection)
        marker.replace(tx.connection)
        named[:] = [marker.identity(tx.connection)]
        tx.audit(REPLACED, DATABASE, {"reason": told, "key": named[0]})

    act(context, Actor(DEPLOYMENT, actor.name), work)
    context.accept_logs()
    return named[0]
