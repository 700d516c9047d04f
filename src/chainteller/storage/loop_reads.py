"""Short reads of PostgreSQL on an event loop, which goes on while the database works.

A read is ordinary code, which runs in a greenlet: where it waits for the database, the greenlet
gives way to the loop. To switch to a thread and back costs more than such a read takes, and threads
compete for the interpreter (``benchmarks/service.py``).
"""

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from contextvars import copy_context
from typing import Any, NoReturn, TypeVar, cast

from greenlet import getcurrent, greenlet
from psycopg import Error
from psycopg.waiting import Ready, Wait
from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from chainteller.storage.compiled import Step
from chainteller.storage.database import Answer, Database
from chainteller.storage.faults import NotAtOnce, explain
from chainteller.storage.pipeline import Answers
from chainteller.storage.plain import session_of
from chainteller.storage.plain_reads import read_on
from chainteller.storage.postgres import READING

MOST = 8
"""Connections of one loop; a read that finds none free waits for one in a thread."""
_ROLLBACK = Step("ROLLBACK")
Result = TypeVar("Result")


class _OnLoop:
    """A connection whose waits are an event loop's."""

    def __init__(self, inner: Connection, loop: asyncio.AbstractEventLoop) -> None:
        driver: Any = inner.connection.driver_connection
        self.inner = inner
        self.session = session_of(inner)
        self.is_lost = False
        self._socket: int = driver.fileno()
        self._ready: asyncio.Future[Ready] | None = None
        self._loop = loop
        self._waited = self.session.wait

    def listen(self) -> None:
        """Let the loop tell when something arrives. Raises NotImplementedError where it can't."""
        self._loop.add_reader(self._socket, self._tell, Ready.R)
        self.session.wait = self._wait

    def close(self) -> None:
        """Give the connection back, or give it up if it's lost or in the middle of something."""
        with suppress(RuntimeError, ValueError):  # the loop is closed, or the socket is
            self._loop.remove_reader(self._socket)
        self.session.wait = self._waited
        if not self.inner.invalidated and (self.is_lost or self.session.is_in_transaction):
            self.inner.invalidate()
        self.inner.close()

    def _tell(self, ready: Ready) -> None:
        if self._ready is not None and not self._ready.done():
            self._ready.set_result(ready)
        elif self._ready is None:
            self.is_lost = True  # the server says something unasked: that it ends
            self._loop.remove_reader(self._socket)

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


class LoopReads(Database):
    """Reads of an open PostgreSQL database on one event loop, within ``run``. It can't write."""

    def __init__(self, database: Database) -> None:
        super().__init__(database.engine, None)
        self._free: list[_OnLoop] = []
        self._all: set[_OnLoop] = set()
        self._most = MOST
        self._opening: asyncio.Task[None] | None = None
        self._is_closed = False
        self._closing = threading.Lock()

    async def run(self, work: Callable[[], Result]) -> Result:
        """Call ``work``, which may ``ask``.

        Raises:
            NotAtOnce: no connection is free, or one was lost. In a thread, the same read waits for
                one, or tells what is wrong.
        """
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

    def ask(self, reader: object, read: Callable[[Connection], Answer]) -> Answer:
        """As ``Database.ask``."""
        connection = self._taken()
        try:
            return read_on(connection.inner, READING, self.endings(reader), read)
        except DBAPIError as error:
            connection.is_lost = error.connection_invalidated
            raise NotAtOnce if connection.is_lost else explain(error) from error
        except BaseException as error:
            connection.is_lost = not isinstance(error, Exception)
            raise
        finally:
            self._put_back(connection)

    def write(self) -> NoReturn:
        raise AssertionError("reads on a loop write nothing")

    def close(self) -> None:
        """Give back every connection, also one that a thread is opening when the loop has ended."""
        with self._closing:
            self._is_closed = True
        self._free.clear()
        while self._all:
            self._all.pop().close()

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
        """Let the next read have a connection, once its transaction is over."""
        if not connection.is_lost and connection.session.is_in_transaction:
            try:
                connection.session.run([_ROLLBACK])
            except Error:
                connection.is_lost = True
        if not connection.is_lost:
            self._free.append(connection)
            return
        self._all.discard(connection)
        connection.close()

    async def _open(self) -> None:
        """Open another connection, in a thread because that waits."""
        try:
            loop = asyncio.get_running_loop()
            connection = await loop.run_in_executor(None, self._connected, loop)
        except (DBAPIError, PoolTimeout, Error, NotAtOnce):
            return  # reads in threads tell what is wrong
        finally:
            self._opening = None
        try:
            connection.listen()
        except NotImplementedError:  # as on Windows: every read is made in a thread
            connection.is_lost, self._most = True, 0
        self._put_back(connection)

    def _connected(self, loop: asyncio.AbstractEventLoop) -> _OnLoop:
        inner = self.engine.connect().execution_options(plain=True)
        try:
            inner.begin()
            connection = _OnLoop(inner, loop)
        except BaseException:
            inner.invalidate()
            inner.close()
            raise
        with self._closing:
            if not self._is_closed:
                self._all.add(connection)
                return connection
        connection.is_lost = True  # to everybody
        connection.close()
        raise NotAtOnce
