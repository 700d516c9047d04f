"""Who writes when: the order of concurrent clients, and deaths at a commit.

These are the database's own writers. On SQLite both are by plan: what is added decides when each
thread may queue its unit and whether the process dies at a commit, so that the same plan gives the
same interleaving. On PostgreSQL the server decides, and what is added says what it was.
"""

import threading
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any, NamedTuple, TypeVar

from tests.world.waiting import PATIENCE_S

from chainteller.service.errors import ServiceError
from chainteller.storage.db.group_commit import Commit, Keep, Unit, Writers
from chainteller.storage.db.joint_writes import JointWriters
from chainteller.storage.db.query import Session, Shared

Result = TypeVar("Result")
_GATHERS_S = 0.02
"""How long a group waits for those who are expected."""


class Killed(BaseException):
    """The process is gone; nothing after this line was done by it."""


@dataclass(eq=False)
class Ran:
    """One unit of a concurrent client, in the order in which units ran."""

    client: int
    is_refusal: bool
    committed: bool = False


@dataclass(eq=False)
class _Client:
    number: int
    may_queue: threading.Event = field(default_factory=threading.Event)
    waits: bool = False
    over: bool = False
    units: int = 0


class _Mortal:
    """``dies`` is where the next commit ends the process: "before" or "after" it, or "" nowhere.
    ``ran`` has the units of concurrent clients in the order in which they count."""

    def __init__(self) -> None:
        self.dies = ""
        self.died = ""
        self.ran: list[Ran] = []
        self._mine = threading.local()
        self._changed = threading.Condition()
        self._open: list[Ran] = []

    def mortal(self, commit: Commit) -> Commit:
        """A commit at which the process may die."""

        def committing(connection: Session, number: str | None) -> None:
            if self.dies == "before":
                self._die()
            commit(connection, number)
            for entry in self._open:
                entry.committed = True
            self._open.clear()
            if self.dies == "after":
                self._die()

        return committing

    def _die(self) -> None:
        self.died, self.dies = self.dies, ""
        raise Killed

    def _started(self, acts: Sequence[Callable[[], Any]]) -> "_Running":
        """Threads that each run an act as a client."""
        self.ran.clear()
        self._open.clear()
        clients = [_Client(number) for number in range(len(acts))]
        results: list[Any] = [None] * len(acts)

        def body(client: _Client) -> None:
            self._mine.client = client
            try:
                results[client.number] = acts[client.number]()
            except BaseException as error:  # noqa: BLE001 - the main thread judges it
                results[client.number] = error
            finally:
                with self._changed:
                    client.over = True
                    self._changed.notify_all()

        threads = [threading.Thread(target=body, args=(each,), daemon=True) for each in clients]
        for thread in threads:
            thread.start()
        return _Running(clients, threads, results)


class _Running(NamedTuple):
    clients: list[_Client]
    threads: list[threading.Thread]
    results: list[Any]

    def ended(self) -> list[Any]:
        for thread in self.threads:
            thread.join(PATIENCE_S)
            assert not thread.is_alive(), "a concurrent client doesn't end"
        return self.results


class Turns(_Mortal, Writers):
    """The writers of a file."""

    def __init__(self, begin: Callable[[], AbstractContextManager[Session]]) -> None:
        _Mortal.__init__(self)
        Writers.__init__(self, begin)

    def run(self, unit: Unit[Result], commit: Commit, among: str = "") -> Result:
        client: _Client | None = getattr(self._mine, "client", None)
        if client is None:
            return super().run(unit, self.mortal(commit), among)
        client.units += 1
        is_refusal = client.units > 1
        with self._changed:
            client.waits = True
            self._changed.notify_all()
        client.may_queue.wait(PATIENCE_S)
        client.may_queue.clear()

        def noted(connection: Session, keep: Keep) -> Result:
            entry = Ran(client.number, is_refusal)
            self.ran.append(entry)
            self._open.append(entry)
            return unit(connection, keep)

        return super().run(noted, self.mortal(commit), among)

    def together(
        self, acts: Sequence[Callable[[], Any]], shuffle: Callable[[list[int]], None]
    ) -> list[Any]:
        """Run acts at once, each in a thread; ``shuffle`` decides the order of each round's writes.

        All threads come to their next write, then all queue in that order behind a write that is
        under way; so they share commits as concurrent requests do.
        """
        running = self._started(acts)
        clients = running.clients
        while self._all_waiting(clients):
            waiting = [client.number for client in clients if client.waits]
            shuffle(waiting)
            self._round([clients[number] for number in waiting])
        return running.ended()

    def _all_waiting(self, clients: list[_Client]) -> bool:
        """Wait until every client is at its next write or over; whether any is at a write."""
        with self._changed:
            calm = self._changed.wait_for(
                lambda: all(each.waits or each.over for each in clients), PATIENCE_S
            )
        assert calm, "a concurrent client neither writes nor ends"
        return any(each.waits for each in clients)

    def _round(self, clients: list[_Client]) -> None:
        """Queue the clients behind a write that does nothing, then let it end."""
        begun, may_end = threading.Event(), threading.Event()

        def first(_connection: Session, _keep: Keep) -> None:
            begun.set()
            may_end.wait(PATIENCE_S)

        gate = threading.Thread(target=Writers.run, args=(self, first, lambda _: None))
        gate.start()
        assert begun.wait(PATIENCE_S)
        for place, client in enumerate(clients, start=1):
            client.waits = False
            client.may_queue.set()
            while len(self._queue) < place and not client.over:
                threading.Event().wait(0.0002)
        may_end.set()
        gate.join(PATIENCE_S)


class JointTurns(_Mortal, JointWriters):
    """The writers of a server's database, each of which ``ran`` when it was kept, or was refused
    while it still had what it had locked."""

    def __init__(
        self, begin: Callable[[], AbstractContextManager[Session]], shared: Shared
    ) -> None:
        _Mortal.__init__(self)
        JointWriters.__init__(self, begin, shared)

    def run(self, unit: Unit[Result], commit: Commit, among: str = "") -> Result:
        client: _Client | None = getattr(self._mine, "client", None)
        if client is None:
            return super().run(unit, self.mortal(commit), among)
        client.units += 1
        entry = Ran(client.number, is_refusal=client.units > 1)

        def noted(connection: Session, keep: Keep) -> Result:
            self._note(entry, is_there=False)  # it runs again

            def kept(number: str | None) -> None:
                self._note(entry)
                keep(number)

            try:
                value = unit(connection, kept)
            except ServiceError:
                self._note(entry)
                raise
            if entry not in self.ran:
                self._note(entry)
            return value

        return super().run(noted, self.mortal(commit), among)

    def _note(self, entry: Ran, *, is_there: bool = True) -> None:
        with self._changed:
            self.ran[:] = [each for each in self.ran if each is not entry]
            self.ran += [entry] if is_there else []

    def together(
        self, acts: Sequence[Callable[[], Any]], shuffle: Callable[[list[int]], None]
    ) -> list[Any]:
        """Run acts at once, each in a thread; all that write for one organisation come into one
        group, so far as they can."""
        order = [*range(len(acts))]
        shuffle(order)
        for turns in self._turns.values():
            turns._expected, turns._until = len(acts), time.monotonic() + _GATHERS_S
        results = self._started([acts[number] for number in order]).ended()
        for each in self.ran:
            each.client = order[each.client]
        return [result for _, result in sorted(zip(order, results, strict=True), key=itemgetter(0))]
