"""SQLite files of the tests: written, but not forced to the disk."""

import sqlite3

from sqlalchemy import event

from chainteller.storage.database import Database


def skip_syncs(database: Database) -> Database:
    """Stop waiting for the disk at each commit; a test survives no power cut anyway.

    A killed process loses nothing by it. That the product's own connections do wait is checked in
    ``tests/storage/test_faults.py``.
    """
    if database.path is not None:
        database.engine.dispose()  # those that were opened before wait still
        event.listen(database.engine, "connect", _skip)
    return database


def _skip(connection: sqlite3.Connection, _record: object) -> None:
    connection.execute("PRAGMA synchronous=OFF")
