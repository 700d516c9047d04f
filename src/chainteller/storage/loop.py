"""Short reads of PostgreSQL on an event loop, which goes on while the database works.

A read is ordinary code, which runs in a greenlet: where it waits for the database, the greenlet
gives way to the loop. To switch to a thread and back costs more than such a read takes, and threads
compete for the interpreter (``benchmarks/service.py``).
"""

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import copy_context
from typing import Any, NoReturn, TypeVar, cast

from greenlet import getcurrent, greenlet
from psycopg import Error
from psycopg.waiting import Ready, Wait

from chainteller.storage.database import Database
from chainteller.storage.db.errors import DatabaseError
from chainteller.storage.db.faults import NotAtOnce, explain
from chainteller.storage.db.pipeline import Answers, Pipeline
from chainteller.storage.db.pool import Pool, Pooled
from chainteller.storage.db.postgres import READING, PostgresSession, PostgresSessions
from chainteller.storage.db.query import Session

MOST = 8
"""Connections of one loop; a read that finds none free waits for one in a thread."""
Result = TypeVar("Result")


class _OnLoop:
    """A connection whose waits are an event loop's."""

    def __init__(self, taken: Pooled, loop: asyncio.AbstractEventLoop) -> None:
        self.taken = taken
        self.pipeline = taken.statements or Pipeline(taken.driver)
        self.pipeline.settle()
        taken.statements = self.pipeline
        self.is_lost = False
        self._socket: int = taken.driver.fileno()
        self._ready: asyncio.Future[Ready] | None = None
        self._loop = loop

    def listen(self) -> None:
        """Let the loop tell when something arrives. Raises NotImplementedError where it can't."""
        self._loop.add_reader(self._socket, self._tell, Ready.R)
        self.pipeline.wait = self._wait

    def close(self) -> None:
        with suppress(RuntimeError, ValueError):  # the loop is closed, or the socket is
            self._loop.remove_reader(self._socket)

    def _tell(self, ready: Ready) -> None:
        if self._ready is not None and not self._ready.done():
            self._ready.set_result(ready)
        elif self._ready is None and not self._is_owed():
            self.is_lost = True  # the server says something unasked: that it ends
            self._loop.remove_reader(self._socket)

    def _is_owed(self) -> bool:
        try:
            return self.pipeline.take_owed()
        except Error:
            return False

    def _wait(self, answers: Answers) -> list[Any]:
        """Give way to the loop until all has arrived. Called in a greenlet."""
        loop, caller = self._loop, getcurrent().parent
        try:
            wanted = next(answers)
            while True:
                self._ready = loop.create_future()
                if wanted & Wait.W:
                    loop.add_writer(self._socket, self._tell, Ready.W)
                ready = caller.switch(self._ready)
                if wanted & Wait.W:
                    loop.remove_writer(self._socket)
                wanted = answers.send(ready)
        except StopIteration as end:
            results: list[Any] = end.value
            return results
        finally:
            self._ready = None


class _Session(PostgresSession):
    """A read on a loop's connection, which isn't changed for another one if it's lost."""

    def __init__(self, pool: Pool, connection: _OnLoop, shared: Any) -> None:
        super().__init__(pool, shared, READING, taken=connection.taken)
        self._connection = connection

    def close(self) -> None:
        self._connection.is_lost |= not self._ended()


class LoopReads(Database):
    """Reads of an open PostgreSQL database on one event loop, within ``run``. It can't write."""

    def __init__(self, database: Database) -> None:
        super().__init__(database.url, database.sessions, None)
        self._sessions = cast("PostgresSessions", database.sessions)
        self._free: list[_OnLoop] = []
        self._all: set[_OnLoop] = set()
        self._most = MOST
        self._opening: asyncio.Task[None] | None = None
        self._is_closed = False
        self._closing = threading.Lock()

    async def run(self, work: Callable[[], Result]) -> Result:
        """Call ``work``, which may ``read``. Raises NotAtOnce: no connection is free, or one was
        lost. In a thread, the same read waits for one, or tells what is wrong."""
        reading = greenlet(work)
        reading.gr_context = copy_context()
        waits = reading.switch()
        while not reading.dead:
            try:
                ready = await waits
            except BaseException as error:  # noqa: BLE001 - a cancellation ends the read
                waits = reading.throw(error)
            else:
                waits = reading.switch(ready)
        return cast("Result", waits)

    @contextmanager
    def read(self, *, patient: bool = False) -> Iterator[Session]:  # noqa: ARG002 - unused here
        """As ``Database.read``. Raises NotAtOnce."""
        connection = self._taken()
        session = _Session(self._sessions.pool, connection, self._sessions.shared)
        try:
            yield session
        except DatabaseError as error:
            connection.is_lost = error.is_lost
            raise NotAtOnce if error.is_lost else explain(error) from error
        finally:
            session.close()
            self._put_back(connection)

    def write(self, *, is_gated: bool = True) -> NoReturn:  # noqa: ARG002 - unused here
        raise AssertionError("reads on a loop write nothing")

    def close(self) -> None:
        """Give back every connection, also one that a thread is opening when the loop has ended."""
        with self._closing:
            self._is_closed = True
        self._free.clear()
        while self._all:
            self._give_back(self._all.pop())

    def _taken(self) -> _OnLoop:
        """A free connection. Raises NotAtOnce; then there may be one soon."""
        while self._free:
            connection = self._free.pop()
            if not connection.is_lost:
                return connection
            self._put_back(connection)
        if self._opening is None and len(self._all) < self._most:
            self._opening = asyncio.get_running_loop().create_task(self._open())
        raise NotAtOnce

    def _put_back(self, connection: _OnLoop) -> None:
        """Let the next read have a connection."""
        if not connection.is_lost:
            self._free.append(connection)
            return
        self._all.discard(connection)
        self._give_back(connection)

    def _give_back(self, connection: _OnLoop) -> None:
        """Its statements belong to the loop, so nobody else goes on with it."""
        connection.close()
        self._sessions.pool.give_back(connection.taken, is_kept=False)

    async def _open(self) -> None:
        """Take another connection, in a thread because that waits."""
        try:
            loop = asyncio.get_running_loop()
            connection = await loop.run_in_executor(None, self._connected, loop)
        except (DatabaseError, NotAtOnce):
            return  # reads in threads tell what is wrong
        finally:
            self._opening = None
        try:
            connection.listen()
        except NotImplementedError:  # as on Windows: every read is made in a thread
            connection.is_lost, self._most = True, 0
        self._put_back(connection)

    def _connected(self, loop: asyncio.AbstractEventLoop) -> _OnLoop:
        taken = self._sessions.pool.take()
        try:
            connection = _OnLoop(taken, loop)
        except Error:
            self._sessions.pool.give_back(taken, is_lost=True)
            raise NotAtOnce from None
        with self._closing:
            if not self._is_closed:
                self._all.add(connection)
                return connection
        self._give_back(connection)
        raise NotAtOnce
