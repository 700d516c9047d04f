"""Rows that decide something, compared with the log before it's done; and logs, with the heads that
were kept of them, before another system is asked for anything.

Only what somebody with the writer's key wrote may be sent, booked or decided.
"""

from collections.abc import Collection, Iterator
from typing import NoReturn

from chainteller.engine.core.breaches import UNREADABLE, Breach, of_heads
from chainteller.engine.core.context import EngineContext
from chainteller.engine.core.kept_heads import HEADS_NOT_KEPT
from chainteller.engine.core.unit_of_work import UnitOfWork
from chainteller.engine.operations import disputes
from chainteller.service.errors import BooksDisputed, ServiceUnavailable
from chainteller.storage.db.records import Tables
from chainteller.storage.log import last_writes
from chainteller.storage.log.entry import Entry
from chainteller.storage.log.last_writes import Kept, Trail
from chainteller.storage.log.verified_state import MOST, Followed


class Altered(BooksDisputed):
    """What would be sent or decided isn't as the log says: nothing of it is done. What is ``wrong``
    has no dispute yet."""

    def __init__(self, wrong: tuple[Breach, ...] = ()) -> None:
        super().__init__("Nothing was done: the database says otherwise than its log.")
        self.wrong = wrong


def require_as_logged(
    tx: UnitOfWork, rows: tuple[Kept, ...], account_id: str | None = None
) -> None:
    """Compare rows with the log, in the transaction that reads them; entries about them are in the
    trail of ``account_id``, too. The refusal opens the dispute. Raises Altered: one isn't as it
    says."""
    breach = difference(tx.followed, rows, account_id)
    if breach is not None:
        refuse_altered(tx, breach)


def is_transfer_logged(followed: Followed, account_id: str, transfer_id: str) -> bool:
    """Whether the log has a transfer as it is: an earlier payment that somebody made up is none."""
    return difference(followed, (Kept(Tables.transfer, transfer_id),), account_id) is None


def is_or_was_kept(tx: UnitOfWork, row: Kept, account_id: str | None) -> bool:
    """Whether there's a row, or an entry wrote it: any of a log that was read to its end, or one in
    its own trail or the account's."""
    trail = Trail(tx.organisation_id, account_id or "", (row.key,))
    try:
        return (
            last_writes.seal_of(tx.connection, *row) is not None
            or tx.followed.said(row) is not None
            or last_writes.is_written(tx.connection, trail, row)
        )
    except UNREADABLE:
        return True


def followed(tx: UnitOfWork) -> Followed:
    """The logs of a write, followed to their ends by what it sees, before money leaves.

    Raises:
        Altered: one was altered, or doesn't go on from its kept head.
        ServiceUnavailable: HEADS_NOT_KEPT, LOG_UNREAD.
    """
    found = tx.context.state.follow(tx.connection, tx.organisation_id, MOST)
    if wrong := _wrong(tx.context, found):
        raise Altered(wrong)
    _require_kept(tx.context)
    found.require_whole()
    return found


def require_heads(context: EngineContext, organisation_id: str) -> None:
    """Keep the head of the log before another system is asked for anything. So the log has what is
    asked for, and neither an older log nor one without its newest entries asks for it.

    Raises:
        Altered: the log doesn't go on from its kept head; the dispute is open.
        ServiceUnavailable: the head can't be kept.
    """
    with context.database.read(patient=True) as connection:
        found = context.state.follow(connection, organisation_id, MOST)
    if wrong := _wrong(context, found):
        disputes.open_for(context, wrong)
        raise Altered
    _require_kept(context)


def _wrong(context: EngineContext, found: Followed) -> tuple[Breach, ...]:
    """What is wrong with two logs that were followed, and with all logs that don't go on from their
    kept heads, if one of the two doesn't. The heads of the others are kept as they are now."""
    wrong, kept = found.wrong, context.kept
    if kept is not None:
        others = kept.follow(context.database)
        if kept.disputed(found.organisation):
            wrong = {**wrong, **others}
    return of_heads(wrong)


def _require_kept(context: EngineContext) -> None:
    if context.kept is not None and context.kept.unkept:
        raise ServiceUnavailable(context.kept.unkept, {"reason": HEADS_NOT_KEPT})


LINKED, WALLET_LINKED = "counterparty.linked", "wallet_linked"
"""The event of a link, and a gateway's action where its provider has linked a wallet."""


def require_links_as_logged(tx: UnitOfWork, subject: str, accounts: Collection[str]) -> None:
    """The log names no blockchain account that linked a wallet but those that rows name: one that
    is gone would be a customer less who has verified it. ``subject`` is what the entries are about.

    Raises:
        Altered: it names another one.
    """
    try:
        told = last_writes.told_about(tx.connection, tx.organisation_id, subject)
        missing = {account for each in told for account in _linked_by(each)} - set(accounts)
    except UNREADABLE:
        refuse_altered(
            tx, Breach(20, "not done: an entry was altered", subject, tx.organisation_id)
        )
    if missing:
        said = f"not done: no row has the link of {min(missing)}, which the log has"
        refuse_altered(tx, Breach(20, said, subject, tx.organisation_id))


def _linked_by(told: Entry) -> Iterator[str]:
    """The blockchain accounts for which an entry says that a wallet was linked; one whose inputs
    were erased doesn't say."""
    if told.action == WALLET_LINKED and told.inputs:
        yield told.inputs["blockchainAccountId"]
    yield from (each.data["blockchainAccountId"] for each in told.events if each.type == LINKED)


def require_newest(
    tx: UnitOfWork, account_id: str, row: Kept, statuses: Collection[str] = ()
) -> None:
    """A row of an account, or its own, is as the newest entry about it says, if that gives it one
    of the statuses, or none. Raises Altered."""
    of = tx.organisation_id
    trail = Trail(of, account_id, () if row.key == account_id else (row.key,))
    try:
        said = last_writes.newest_contradicted(tx.connection, trail, row, statuses)
    except UNREADABLE:
        said = "a value can't be read"
    if said:
        refuse_altered(tx, Breach(20, f"not done: {said}", row.place, of))


def refuse_altered(tx: UnitOfWork, breach: Breach) -> NoReturn:
    """Raises Altered, and opens the dispute with the refusal."""
    tx.when_refused(lambda last: disputes.open_in(last, (breach,)))
    raise Altered


def difference(
    followed: Followed, rows: tuple[Kept, ...], account_id: str | None = None, *others: str
) -> Breach | None:
    """As ``require_as_logged``, for whoever has no write that could be refused. The entries about
    ``others`` write the rows, too.

    The whole log decides where it has been read, and else, or about rows that it's not read for,
    the entries that are found.
    """
    names = (*(name for each in rows for name in each.key.split()), *others)
    of = followed.organisation
    trail = Trail(of, account_id or "", tuple(dict.fromkeys(names)))
    for each in rows:
        try:
            said = followed.row_contradicted(each)
            if said is None:
                said = last_writes.contradicted(followed.connection, trail, each)
        except UNREADABLE:
            said = "a value can't be read"
        if said:
            return Breach(20, f"not done: {said}", each.place, of)
    return None
