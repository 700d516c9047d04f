"""Seals: one keyed hash of a row's cells, which the log's entries keep.

A sealed row's cells are written down as one text: for each sealed column in the order of its
declaration ``<bytes>:<value>``, or ``-`` for NULL, without the last NULLs. The seal is BLAKE2b of
that text, keyed with the row's salt: while a row has low-entropy or personal data, its seal shows
nothing of it, and once the row and its salt are erased, nothing can be tried out against the seal.

Both databases can write the text themselves, so that a whole table is read back as two short
columns.
"""

from base64 import urlsafe_b64encode
from binascii import b2a_base64
from collections.abc import Mapping
from functools import cache
from hashlib import blake2b
from typing import Any, NamedTuple

from chainteller.domain.randomness import Randomness
from chainteller.storage.db.query import POSTGRESQL
from chainteller.storage.db.records import ALL, Tables
from chainteller.storage.db.table import Table

_SIZE, _KEPT = 24, 16
"""Bytes of the hash, and those of them that are a seal: it must be impossible to find another row
with the same seal, and the salts are not for anybody to choose before the engine writes."""
_LETTERS = 22
_SALT_BYTES = 12
_NO_SALT = "-"
"""Stands for a salt where a row needs none."""
_CARRIED: Mapping[Table, tuple[str, ...]] = {
    Tables.organisation: ("name", "fee_flat_cents", "fee_bps", "fee_minimum_cents"),
    Tables.trading_account: ("control",),
    Tables.quote: (
        "trading_account_id", "market", "side", "status", "price_cents", "sold", "bought",
        "fee_cents", "expires", "trade_id",
    ),
    Tables.trade: (
        "trading_account_id", "quote_id", "market", "side", "status", "price_cents", "amount",
        "sold", "bought", "fee_cents", "failure_code",
    ),
    Tables.transfer: (
        "trading_account_id", "direction", "status", "amount", "asset", "fee", "notional_cents",
        "destination_class", "counterparty_id", "blockchain_account_id", "failure_code", "rule_id",
        "evidence_level",
    ),
    Tables.api_key: ("organisation_id", "scopes", "expires", "revoked_at", "replaced_by"),
    Tables.agent: ("public_key", "roles", "approved_at", "expires", "revoked_at"),
    Tables.webhook: ("url", "types", "generation", "paused_at", "paused_reason"),
    Tables.market_control: ("reason", "until"),
    Tables.decision: (
        "kind", "subject", "control", "reason", "due", "at_deadline", "status", "outcome",
        "rule_id", "needs_two", "digest", "to_role", "escalated_at",
    ),
    Tables.note: ("subject", "erased_at"),
    Tables.rule: ("body",),
    Tables.claim: ("status", "scheme", "method", "expires", "level"),
    Tables.small_transfer: ("asset", "amount", "deadline"),
    Tables.small_transfer_arrival: ("asset", "amount", "arrived", "finding"),
    Tables.ownership_statement: ("reason", "level", "status"),
    Tables.challenge: ("status", "attempts", "expires"),
    Tables.link: ("claim_id", "expires", "revoked_at", "revoked_reason"),
}  # fmt: skip
"""Columns whose values stand in the entry too: the terms of what was decided. No personal data,
which may have to be erased, and no secrets."""


_IMPERSONAL = frozenset(table.name for table in (Tables.quote, Tables.trade, Tables.job))
"""Tables of numbers and ids, from which nobody is erased. A salt would hide nothing: whoever sees a
seal sees the row too. Nor can anybody prepare two rows with the same seal, for each has an id that
the engine draws."""


class Seal(NamedTuple):
    """What an entry says of a row after a write: its seal, None if the row was removed.

    ``before`` is the seal of the row's cells as the write found them: None if there was no such
    row, ``UNSEALED`` if the row had no seal. In an honest database it's the seal that the log
    has of the row.
    """

    table: str
    key: str
    seal: str | None
    values: Mapping[str, Any]
    before: str | None = None


def sealed_tables() -> list[Table]:
    return [table for table in ALL if table.sealed]


def new_salt(table: Table, randomness: Randomness) -> str:
    """A new row's salt, of 96 random bits where the row may say something of a person."""
    if table.name in _IMPERSONAL:
        return _NO_SALT
    return urlsafe_b64encode(randomness.bytes(_SALT_BYTES)).decode()


def is_secret(table: str) -> bool:
    """Whether nobody can guess the seals of a table's rows."""
    return table not in _IMPERSONAL


def seal(salt: str | None, text: bytes) -> str:
    """The seal of a row's cells: 16 bytes in base64. A row without a salt has no key.

    A salt that no build writes, too long or no text, gives a seal too, which is no row's.
    """
    keyed = blake2b(text, digest_size=_SIZE, key=str(salt).encode()[:64] if salt else b"")
    return b2a_base64(keyed.digest()[:_KEPT], newline=False)[:_LETTERS].decode()


class Form:
    """How the rows of one table are keyed and written down."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.key_names = table.key
        self.names = table.sealed
        self.carried = _CARRIED.get(table, ())
        self.organisation = "organisation_id" if "organisation_id" in table.columns else None
        self._sealed = frozenset(self.names)

    def key(self, row: Mapping[str, Any]) -> str:
        """The primary key as one text; no part of a key has a space."""
        if len(self.key_names) == 1:
            return str(row[self.key_names[0]])
        return " ".join([str(row[name]) for name in self.key_names])

    def primary_key(self, key: str) -> dict[str, Any] | None:
        """The columns of a key that ``key`` wrote; None if it can't be one."""
        parts = key.split(" ")
        if len(parts) != len(self.key_names):
            return None
        found: dict[str, Any] = {}
        for name, part in zip(self.key_names, parts, strict=True):
            is_number = name in self.table.numbers
            if is_number and not part.lstrip("-").isdecimal():
                return None
            found[name] = int(part) if is_number else part
        return found

    def text(self, row: Mapping[str, Any]) -> bytes:
        """The sealed cells of a row that has all of them; one that is left out is NULL."""
        parts = []
        for value in map(row.get, self.names):
            if value is None:
                parts.append("-")
                continue
            kind = value.__class__
            if kind is bytes:
                parts.append(f"{len(value)}#{value.hex()}")
                continue
            text = value if kind is str else str(value) if kind is int else _as_text(value)
            size = len(text) if text.isascii() else len(text.encode())
            parts.append(f"{size}:{text}")
        return "".join(parts).rstrip("-").encode()

    def values(self, written: Mapping[str, Any]) -> dict[str, Any]:
        """The carried values among those that were written."""
        return {name: written[name] for name in self.carried if name in written}

    def covers(self, names: Mapping[str, Any]) -> bool:
        """Whether writing these columns changes a seal."""
        return not self._sealed.isdisjoint(names)

    def sql_key(self, dialect: str) -> str:
        parts = [self._as_text(name, dialect) for name in self.key_names]
        return " || ' ' || ".join(parts) if len(parts) > 1 else f"{parts[0]} || ''"

    def sql_text(self, dialect: str) -> str:
        """``text`` as an SQL expression. On SQLite, a value that a column should not be able to
        hold (a blob, or a text in place of one) changes it."""
        parts = [self._written(name, dialect) for name in self.names]
        found = f"rtrim({' || '.join(parts)}, '-')"
        if dialect == POSTGRESQL:
            return found
        odd = " OR ".join(
            f"typeof(\"{name}\") {'<>' if name in self.table.binary else '='} 'blob'"
            for name in self.names
        )
        return f"CAST(CASE WHEN {odd} THEN '!' ELSE '' END || {found} AS BLOB)"

    def sql_bytes(self, dialect: str) -> str:
        """As ``sql_text``, as bytes."""
        found = self.sql_text(dialect)
        return f"convert_to({found}, 'UTF8')" if dialect == POSTGRESQL else found

    def _written(self, name: str, dialect: str) -> str:
        is_postgres = dialect == POSTGRESQL
        if name in self.table.binary:
            octets = f"encode(\"{name}\", 'hex')" if is_postgres else f'lower(hex("{name}"))'
            return f"coalesce(length(\"{name}\") || '#' || {octets}, '-')"
        value = self._as_text(name, dialect)
        size = f"octet_length({value})" if is_postgres else f"length(CAST({value} AS BLOB))"
        return f"coalesce({size} || ':' || {value}, '-')"

    def _as_text(self, name: str, dialect: str) -> str:
        if dialect != POSTGRESQL:
            return f'"{name}"'
        return f'"{name}"::int::text' if name in self.table.booleans else f'"{name}"::text'


def _as_text(value: Any) -> str:
    """A value that is neither a text nor a number. One that a column can't hold rightly is told
    apart from all that it may. Raises TypeError: no database gives such a value."""
    if isinstance(value, int):
        return str(int(value))
    if isinstance(value, str):
        return str(value)
    if isinstance(value, float):
        return f"!{value!r}"
    raise TypeError(f"a cell of {type(value).__name__}")


@cache
def form(table: Table) -> Form:
    return Form(table)
