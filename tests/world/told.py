"""What is asked of a database, on whichever connection."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from tests.world.core import CoreForm

from chainteller.storage.database import Database
from chainteller.storage.db.query import Form, Values


@contextmanager
def statements(database: Database) -> Iterator[list[tuple[str, Any]]]:
    """The statements that run meanwhile, with their values: a session takes those of a statement
    right before it runs."""
    told: list[tuple[str, Any]] = []

    def telling(values_of: Any) -> Any:
        def tell(self: Form | CoreForm, given: Values) -> list[Any]:
            values: list[Any] = values_of(self, given)
            named = dict(zip(self.names, values, strict=True))
            told.append((self.sql, named if database.is_postgres else (*values,)))
            return values

        return tell

    with pytest.MonkeyPatch.context() as patch:
        for kind in (CoreForm, Form):
            patch.setattr(kind, "values", telling(kind.values))
        yield told
