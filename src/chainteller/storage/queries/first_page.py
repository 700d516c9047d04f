"""Read the first accounts of a SQLite database before the engine and the models are imported.

When the engine is loaded, it reads the same rows again, with all computed values.
"""

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from chainteller.domain.actors import DEFAULT_ORGANISATION
from chainteller.domain.assets import USD, Asset
from chainteller.domain.clock import to_datetime
from chainteller.domain.ledger import Bucket, buying_power
from chainteller.domain.money import format_cents
from chainteller.storage.db.errors import DatabaseError
from chainteller.storage.db.query import Record, Session, Shared, Value, built
from chainteller.storage.db.sqlite import SqliteSessions
from chainteller.storage.log import ledger
from chainteller.storage.queries import accounts
from chainteller.storage.revision import State, sqlite_state


class AccountAtAGlance(NamedTuple):
    """The values in a row of the list; None if not known yet."""

    id: str
    bank_account_id: str
    bank_account_type: str
    customer_name: str
    controls: tuple[str, ...]
    buying_power: str
    owed_usd: str
    last_activity: datetime
    last_activity_type: str
    crypto_value_usd: str | None = None


class _Newest(NamedTuple):
    """The first page by last activity."""

    limit: int
    page: int = 1
    sort: str = "-lastActivity"
    text: str | None = None
    bank_account_id: str | None = None
    created_gte: str | None = None
    created_lt: str | None = None


def first_accounts(path: Path, limit: int) -> tuple[Sequence[AccountAtAGlance], int] | None:
    """The accounts with the latest activity, and the total number of accounts.

    Returns None if the file is missing, damaged or of another version; the engine reports it later.
    """
    if not path.is_file():
        return None
    try:
        with _reading(path) as session:
            if sqlite_state(lambda text: _scalar(session, text)) is not State.CURRENT:
                return None
            rows, counted = accounts.page(session, DEFAULT_ORGANISATION, _Newest(limit))
            return [_glance(row, ledger.sub_balances(row)) for row in rows], counted.total
    except (DatabaseError, ValueError):
        return None


@contextmanager
def _reading(path: Path) -> Iterator[Session]:
    sessions = SqliteSessions(path, Shared(), lambda _: None, waits=False)
    with closing(sessions.pool), closing(sessions.reading()) as session:
        yield session


def _scalar(session: Session, text: str) -> object:
    return session.execute(built(text, Value)).scalar()


def _glance(row: Record, balances: dict[Bucket, dict[Asset, int]]) -> AccountAtAGlance:
    controls = dict.fromkeys(word for word in (row.control, row.customer_control) if word)
    return AccountAtAGlance(
        id=row.id,
        bank_account_id=row.bank_account_id,
        bank_account_type=row.bank_account_type,
        customer_name=row.customer_name,
        controls=tuple(controls),
        buying_power=format_cents(buying_power(balances[Bucket.AVAILABLE])),
        owed_usd=format_cents(balances[Bucket.OWED].get(USD, 0)),
        last_activity=to_datetime(row.last_activity),
        last_activity_type=row.last_activity_type,
    )
