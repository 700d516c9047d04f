"""Read the first accounts of a SQLite database with ``sqlite3`` alone.

SQLAlchemy takes longer to import than the whole first frame. When the engine is loaded, it reads
the same rows again, with all computed values.
"""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from chainteller.domain.actors import DEFAULT_ORGANISATION
from chainteller.domain.assets import ASSETS_BY_KEY, Asset
from chainteller.domain.clock import to_datetime
from chainteller.domain.ledger import Bucket, buying_power, customer
from chainteller.domain.money import format_cents
from chainteller.storage.revision import State, sqlite_state

_ACCOUNTS = """
SELECT t.id, t.bank_account_id, t.bank_account_type, t.control, c.control, c.name,
       t.last_activity, t.last_activity_type
FROM trading_account t JOIN customer c ON c.id = t.customer_id
WHERE t.organisation_id = ?
ORDER BY t.last_activity DESC, t.id DESC LIMIT ?
"""


@dataclass(frozen=True, slots=True)
class AccountAtAGlance:
    """The values in a row of the list; None if not known yet."""

    id: str
    bank_account_id: str
    bank_account_type: str
    customer_name: str
    controls: tuple[str, ...]
    buying_power: str
    last_activity: datetime
    last_activity_type: str
    crypto_value_usd: str | None = None


def first_accounts(path: Path, limit: int) -> tuple[Sequence[AccountAtAGlance], int] | None:
    """The accounts with the latest activity, and the total number of accounts.

    Returns None if the file is missing, damaged or of another version; the engine reports it later.
    """
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as found:
            state = sqlite_state(lambda query: found.execute(query).fetchone()[0])
            if state is not State.CURRENT:
                return None
            rows = found.execute(_ACCOUNTS, (DEFAULT_ORGANISATION, limit)).fetchall()
            total = found.execute(
                "SELECT count(*) FROM trading_account WHERE organisation_id = ?",
                (DEFAULT_ORGANISATION,),
            ).fetchone()[0]
            return [_glance(row, _available(found, row[0])) for row in rows], total
    except (sqlite3.Error, ValueError):
        return None


def _available(found: sqlite3.Connection, account_id: str) -> dict[Asset, int]:
    rows = found.execute(
        "SELECT asset, balance FROM ledger_account WHERE code = ?",
        (customer(account_id, Bucket.AVAILABLE),),
    )
    return {ASSETS_BY_KEY[asset]: int(balance) for asset, balance in rows if asset in ASSETS_BY_KEY}


def _glance(row: Sequence[str | int | None], available: dict[Asset, int]) -> AccountAtAGlance:
    account_id, bank_account, kind, control, of_customer, name, at, activity = row
    controls = dict.fromkeys(str(word) for word in (control, of_customer) if word)
    return AccountAtAGlance(
        id=str(account_id),
        bank_account_id=str(bank_account),
        bank_account_type=str(kind),
        customer_name=str(name),
        controls=tuple(controls),
        buying_power=format_cents(buying_power(available)),
        last_activity=to_datetime(int(at or 0)),
        last_activity_type=str(activity or ""),
    )
