"""Store the outcomes of writes under their idempotency keys."""

from chainteller.storage.db import records
from chainteller.storage.db.query import Record
from chainteller.storage.db.records import Tables
from chainteller.storage.db.sources import Finder
from chainteller.storage.log import entry
from chainteller.storage.log.rows import Writer

_T = Tables.idempotency
find = Finder(records.Idempotency, "organisation_id", "operation", "key")
_KEY = "organisation_id, operation, key"
_OLD = f"({_KEY}) IN (SELECT {_KEY} FROM idempotency WHERE at < :before ORDER BY at LIMIT :most)"


def body_of(answer: str) -> bytes:
    """The stored form of an answer in JSON: that of an entry's body."""
    return entry.pack(answer.encode())


def answer_of(row: Record) -> str:
    """The answer that a row keeps. Raises ValueError with the row's place: it isn't what
    ``body_of`` made."""
    try:
        return entry.unpack(row.body).decode()
    except ValueError:
        place = f"{_T.name} {row.organisation_id} {row.operation} {row.key}"
        raise ValueError(place) from None


def purge(rows: Writer, before: int, most: int) -> list[str]:
    """Remove at most ``most`` keys that were used before an instant; what was removed."""
    return rows.delete(_T, _OLD, {"before": before, "most": most})
