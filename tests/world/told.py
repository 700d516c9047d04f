"""What is asked of a database, on whichever connection."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from sqlalchemy import event

from chainteller.storage.compiled import Compiled, Values
from chainteller.storage.database import Database


@contextmanager
def statements(database: Database) -> Iterator[list[tuple[str, Any]]]:
    """The statements that run meanwhile, with their values, as SQLAlchemy hands them to the driver.

    A plain connection takes the values of a statement right before it runs.
    """
    told: list[tuple[str, Any]] = []
    values_of = Compiled.values

    def tell(_: object, __: object, statement: str, values: Any, *___: object) -> None:
        told.append((statement, values))

    def tell_plain(self: Compiled, given: Values) -> list[Any]:
        values = values_of(self, given)
        named = dict(zip(self.names, values, strict=True)) if database.is_postgres else (*values,)
        told.append((self.sql, named))
        return values

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Compiled, "values", tell_plain)
        event.listen(database.engine, "before_cursor_execute", tell)
        yield told
        event.remove(database.engine, "before_cursor_execute", tell)
