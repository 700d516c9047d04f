"""Read the first accounts of a SQLite database with ``sqlite3`` alone.

The models take longer to import than the whole first frame. When the engine is loaded, it reads
the same rows again, with all computed values.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from chainteller.domain.actors import DEFAULT_ORGANISATION
from chainteller.domain.assets import USD, Asset
from chainteller.domain.clock import to_datetime
from chainteller.domain.ledger import Bucket, buying_power
from chainteller.domain.money import format_cents
from chainteller.sqlite import sqlite3
from chainteller.storage.queries import file_reads


@dataclass(frozen=True, slots=True)
class AccountAtAGlance:
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


def first_accounts(path: Path, limit: int) -> tuple[Sequence[AccountAtAGlance], int] | None:
    """The accounts with the latest activity, and the total number of accounts.

    Returns None if the file is missing, damaged or of another version; the engine reports it later.
    """
    try:
        with file_reads.reading(path) as reader:
            if reader is None:
                return None
            rows, total = reader.accounts(DEFAULT_ORGANISATION, "-lastActivity", limit)
            return [_glance(row, reader.balances(row.id)) for row in rows], total
    except (sqlite3.Error, ValueError):
        return None


def _glance(row: Any, balances: dict[Bucket, dict[Asset, int]]) -> AccountAtAGlance:
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
