"""What is asked of a database, on whichever connection."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from chainteller.storage.database import Database
from chainteller.storage.db.postgres import PostgresSession
from chainteller.storage.db.sqlite import SqliteSession


@contextmanager
def statements(database: Database) -> Iterator[list[tuple[str, Any]]]:
    """The statements that run meanwhile, with their values."""
    told: list[tuple[str, Any]] = []
    run_on_file, run_on_server = SqliteSession._run, PostgresSession.run

    def of_file(self: SqliteSession, form: Any, values: Any) -> Any:
        told.append((form.sql, [_sent(values[name]) for name in form.names]))
        return run_on_file(self, form, values)

    def of_server(self: PostgresSession, steps: Any) -> Any:
        told.extend(
            (step.sql, dict(zip(step.what.names, step.values, strict=True)))
            for step in steps
            if not isinstance(step.what, str)
        )
        return run_on_server(self, steps)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SqliteSession, "_run", of_file)
        patch.setattr(PostgresSession, "run", of_server)
        yield told


def _sent(value: Any) -> Any:
    return json.dumps(value) if isinstance(value, list) else value
