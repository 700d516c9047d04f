"""Write the statements of ``storage.file_reads``: ``python -m tests.storage.statements``."""

import json
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple, cast

from chainteller.service.models.pages import ListQuery
from chainteller.storage.db.query import NONE, SQLITE, Dialect, Query, Session, Values
from chainteller.storage.log import ledger
from chainteller.storage.queries import accounts, clock, jobs
from chainteller.storage.queries.file_reads import STATEMENTS

_LIMIT = 37
_MANY = 1_000_000
_ORGANISATION, _ACCOUNT = "{organisation}", "{account}"


class _Row(NamedTuple):
    last_at: int = _MANY


class _Answers:
    """The answer to a count is that there are many records, to anything else that it's empty."""

    def scalar_one(self) -> int:
        return _MANY

    scalar = scalar_one

    def one(self) -> _Row:
        return _Row()

    first = one

    def all(self) -> list[Any]:
        return []

    def __iter__(self) -> Iterator[Any]:
        return iter(())


class _Recorder:
    """A session that notes what it's given."""

    dialect = Dialect(SQLITE)

    def __init__(self) -> None:
        self.recorded: list[dict[str, Any]] = []

    def ahead(self, query: Query, given: Values) -> None:
        """Nothing is sent ahead on SQLite."""

    def execute(self, query: Query, given: Values = NONE) -> _Answers:
        form = query.form(SQLITE)
        values = ["{limit}" if value == _LIMIT else value for value in form.values(given)]
        columns = [*query.row._fields]
        self.recorded.append({"sql": form.sql, "values": values, "columns": columns})
        return _Answers()


def _recorded(use: Callable[[Session], object]) -> list[dict[str, Any]]:
    recorder = _Recorder()
    use(cast("Session", recorder))
    return recorder.recorded


def _page(query: ListQuery, connection: Session) -> object:
    return accounts.page(connection, _ORGANISATION, query)


def statements() -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for sort in ("-created", "-lastActivity"):
        query = ListQuery(limit=_LIMIT, sort=None if sort == "-created" else sort)
        total, rows = _recorded(partial(_page, query))
        found |= {f"accounts {sort} total": total, f"accounts {sort}": rows}
    (found["balances"],) = _recorded(lambda connection: ledger.of_account(connection, _ACCOUNT))
    (found["clock"],) = _recorded(lambda connection: clock.read(connection, server_clock=False))
    (found["next due"],) = _recorded(jobs.next_due)
    return found


def text() -> str:
    return json.dumps(statements(), indent=1) + "\n"


if __name__ == "__main__":
    STATEMENTS.write_text(text(), encoding="utf-8")
