"""What is asked of a database, on whichever connection."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from sqlalchemy import event

from chainteller.storage.compiled import Compiled
from chainteller.storage.database import Database
from chainteller.storage.db.query import Form, Values


@contextmanager
def statements(database: Database) -> Iterator[list[tuple[str, Any]]]:
    """The statements that run meanwhile, with their values, as SQLAlchemy hands them to the driver.

    A plain connection takes the values of a statement right before it runs.
    """
    told: list[tuple[str, Any]] = []

    def tell(_: object, __: object, statement: str, values: Any, *___: object) -> None:
        told.append((statement, values))

    def telling(values_of: Any) -> Any:
        def tell_plain(self: Compiled | Form, given: Values) -> list[Any]:
            values: list[Any] = values_of(self, given)
            named = dict(zip(self.names, values, strict=True))
            told.append((self.sql, named if database.is_postgres else (*values,)))
            return values

        return tell_plain

    with pytest.MonkeyPatch.context() as patch:
        for kind in (Compiled, Form):
            patch.setattr(kind, "values", telling(kind.values))
        event.listen(database.engine, "before_cursor_execute", tell)
        yield told
        event.remove(database.engine, "before_cursor_execute", tell)
