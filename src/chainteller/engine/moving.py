"""Move an organisation into another database, while others go on in both.

It's closed here, written there in one transaction, and leaves. Whoever writes its row there first
holds its place: only then is it copied, or, after a failure, opened here again. So it's never open
in both, and a move that was killed goes on when it runs again.
"""

from contextlib import suppress
from dataclasses import dataclass, replace

from sqlalchemy import Connection, select
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from chainteller.domain.actors import DEFAULT_ORGANISATION, Actor
from chainteller.domain.clock import SECOND
from chainteller.domain.timekeeping import TOLERANCE
from chainteller.engine import timekeeping
from chainteller.engine.context import EngineContext
from chainteller.engine.notary import derived_deployment
from chainteller.engine.unit_of_work import UnitOfWork, act, now
from chainteller.service.errors import ServiceUnavailable
from chainteller.storage import jobs, log, moving, residence, sequencer
from chainteller.storage.columns import Record
from chainteller.storage.database import Database
from chainteller.storage.faults import explain, unavailable
from chainteller.storage.log import Head, Stamp
from chainteller.storage.moving import Moved
from chainteller.storage.tables import Tables

CLOSED, OPENED, LEFT = "move_organisation", "keep_organisation", "organisation_left"
"""The audit actions of a move that begins and of one that was given up, and the act in the
deployment's log of one that is done."""


@dataclass(frozen=True, slots=True)
class Move:
    """A move of one organisation.

    Args:
        context: the engine on the database where it is.
        actor: who moves it.
        organisation_id: which one.
        target: the database where it is to be, with a current schema.
        place: the address of that database, without a password.
    """

    context: EngineContext
    actor: Actor
    organisation_id: str
    target: Database
    place: str

    def run(self) -> Moved:
        """Move it; after a kill, go on.

        Returns:
            What was written; no rows if only the end was left to do.

        Raises:
            ServiceUnavailable: it can't be moved; it's open here as before. If the destination
                can't be reached any more, or the process is killed, it stays closed here until the
                move runs again.
        """
        with self.target.read() as connection:
            target = derived_deployment(connection)
        departure = self._departure()
        if departure is None:
            self._require_possible()
            act(self.context, self._own_actor, lambda tx: self._close(tx, target))
        elif departure.target != target:
            raise self._is_elsewhere(departure)
        elif departure.size is not None:
            head = self._arrived()
            if head is None:
                raise self._is_elsewhere(departure)
            return Moved(0, head)
        try:
            act(self.context, self.actor, lambda tx: jobs.put_off(tx.connection, self._name))
            head = self._arrived()
            moved = self._copy() if head is None else Moved(0, head)
        except BaseException as error:
            self._open_again()
            if isinstance(error, DBAPIError | PoolTimeout):
                raise explain(error) from error
            raise
        act(self.context, self.actor, lambda tx: self._leave(tx, moved.head))
        return moved

    @property
    def _name(self) -> str:
        return self.organisation_id

    @property
    def _own_actor(self) -> Actor:
        return Actor(self._name, self.actor.name)

    def _departure(self) -> Record | None:
        with self.context.database.read() as connection:
            return residence.find(connection, self._name)

    def _is_elsewhere(self, departure: Record) -> ServiceUnavailable:
        has_left = departure.size is not None
        return unavailable(
            residence.LEFT if has_left else residence.LEAVING,
            f"{self._name} {'has moved' if has_left else 'is moving'} to {departure.place}. "
            "Nothing was changed.",
            "It's there now." if has_left else f"Name that one: --to {departure.place}.",
        )

    def _require_possible(self) -> None:
        if self._name == DEFAULT_ORGANISATION:
            raise moving.unmovable(
                moving.HOLDS,
                f"Every database has an organisation {DEFAULT_ORGANISATION} of its own.",
                "Copy the whole database instead: chainteller db copy TO_URL.",
            )
        try:
            with self.context.database.read(patient=True) as source:
                moving.require_movable(source, self._name)
                with self.target.read(patient=True) as target:
                    self._require_same_time(source, target)
                    moving.require_room(source, target, self._name)
            self.target.require_writable()
        except (DBAPIError, PoolTimeout) as error:
            raise explain(error) from error

    def _require_same_time(self, source: Connection, target: Connection) -> None:
        there = replace(self.context, database=self.target, keeper=timekeeping.Timekeeper())
        found = timekeeping.read(there.time, target)
        if found.doubt is not None:
            raise found.refusal()
        ahead = found.now - now(self.context, source)
        if abs(ahead) > TOLERANCE:
            raise moving.unmovable(
                "CLOCKS_DIFFER",
                f"It is {abs(ahead) / SECOND:.0f} s {'later' if ahead > 0 else 'earlier'} there.",
                "Set the clocks right: chainteller clock show.",
            )

    def _close(self, tx: UnitOfWork, target: str) -> None:
        residence.hold(tx.connection, self._name)
        residence.close(tx.rows, self._name, target, self.place, tx.now)
        tx.audit(CLOSED, self._name, {"to": target})
        tx.note(CLOSED, object=self._name, to=target)

    def _arrived(self) -> Head | None:
        """The head with which it's in the destination; None if it isn't there.

        Raises:
            ServiceUnavailable: HOLDS_ORGANISATION, what is there didn't come from here.
        """
        with self.context.database.read() as source, self.target.read() as target:
            came = residence.arrival(target, self._name)
            if came is None:
                return None
            origin, head = derived_deployment(source), log.head(source, self._name)
            left = residence.find(source, self._name)
            size, root = head.size, head.root.hex()
            if left is not None and left.size is not None:
                size, root = left.size, left.root
            if (came.origin, came.size, came.root) != (origin, size, root):
                moving.require_absent(target, self._name)
            return Head(self._name, size, bytes.fromhex(root))

    def _copy(self) -> Moved:
        with self.target.write() as writing:
            rows = moving.take_place(writing, self._row())
            # From here on nobody else copies it or opens it again.
            # All that it has put on record is committed; others' writes needn't be waited for.
            sequencer.catch_up(self.context.database, patient=True)
            with self.context.database.read(patient=True) as reading:
                self._require_closed(reading)
                moving.require_numbered(reading, self._name)
                stamp = Stamp(self._name, now(self.context, reading), self.actor.name)
                moved = moving.receive(reading, rows, stamp, derived_deployment(reading))
            writing.commit()
        return moved

    def _row(self) -> Record:
        organisation = Tables.organisation
        with self.context.database.read() as connection:
            mine = select(organisation).where(organisation.c.id == self._name)
            return connection.execute(mine).one()

    def _require_closed(self, connection: Connection) -> None:
        departure = residence.find(connection, self._name)
        if departure is None or departure.size is not None:
            raise unavailable(
                "STORAGE_CHANGED",
                f"Another move of {self._name} has ended meanwhile.",
                "Look where it is, and run this again: chainteller db move.",
            )

    def _open_again(self) -> None:
        """Open it here, if the destination can be asked and hasn't got it."""
        with suppress(ServiceUnavailable, DBAPIError, PoolTimeout), self.target.write() as place:
            try:
                moving.take_place(place, self._row())
            except ServiceUnavailable as error:
                if error.details.get("reason") != moving.HOLDS or self._is_there():
                    return
            departure = self._departure()
            if departure is not None and departure.size is None:
                act(self.context, self._own_actor, self._reopen)

    def _is_there(self) -> bool:
        """Whether the destination has it from here; also where that can't be found out."""
        try:
            return self._arrived() is not None
        except ServiceUnavailable as error:
            return error.details.get("reason") != moving.HOLDS

    def _reopen(self, tx: UnitOfWork) -> None:
        residence.reopen(tx.rows, self._name)
        jobs.go_on(tx.connection, self._name)
        tx.audit(OPENED, self._name)
        tx.note(OPENED, object=self._name)

    def _leave(self, tx: UnitOfWork, head: Head) -> None:
        residence.leave(tx.rows, self._name, head.size, head.root)
        tx.note(LEFT, object=self._name, size=head.size, root=head.root.hex())
