"""Rows that decide something, compared with the log before it's done.

Only what somebody with the writer's key wrote may be sent, booked or decided.
"""

from chainteller.engine.core.breaches import UNREADABLE, Breach
from chainteller.engine.core.unit_of_work import UnitOfWork
from chainteller.engine.operations import disputes
from chainteller.service.errors import BooksDisputed
from chainteller.storage.db.query import Session
from chainteller.storage.log import last_writes
from chainteller.storage.log.last_writes import Kept, Trail


class Altered(BooksDisputed):
    """What would be sent or decided isn't as the log says: nothing of it is done."""

    def __init__(self, breach: Breach) -> None:
        super().__init__("Nothing was done: the database says otherwise than its log.")
        self.breach = breach


def require_as_logged(
    connection: Session, organisation_id: str, rows: tuple[Kept, ...], account_id: str = ""
) -> None:
    """Compare rows with the entries that last wrote them, in the transaction that reads them. The
    first row is the place of a breach; the trail of ``account_id`` has entries about the others,
    too.

    Raises:
        Altered: a row isn't as the log says.
    """
    objects = tuple(dict.fromkeys(name for each in rows for name in each.key.split()))
    try:
        trail = Trail(organisation_id, account_id, objects)
        said = last_writes.contradicted(connection, trail, rows)
    except UNREADABLE:
        said = "a value can't be read"
    if said:
        where = f"{rows[0].table.name} {rows[0].key}"
        raise Altered(Breach(20, f"not done: {said}", where, organisation_id))


def require_decided_as_logged(
    tx: UnitOfWork, rows: tuple[Kept, ...], account_id: str | None = None
) -> None:
    """As ``require_as_logged``, of what a person decides; the refusal opens the dispute."""
    try:
        require_as_logged(tx.connection, tx.organisation_id, rows, account_id or "")
    except Altered as found:
        breach = found.breach
        tx.when_refused(lambda last: disputes.open_in(last, (breach,)))
        raise
