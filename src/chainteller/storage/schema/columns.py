"""What tables are declared with: their base, and column types that store exact values on both
databases."""

import re
from collections.abc import Callable
from typing import Any

from sqlalchemy import BigInteger, Column, Numeric, String, Table, Text
from sqlalchemy.engine import Dialect
from sqlalchemy.orm import declared_attr
from sqlalchemy.types import TypeDecorator, TypeEngine
from sqlmodel import SQLModel

_INNER_CAPITAL = re.compile(r"(?<!^)(?=[A-Z])")


class Declared(SQLModel):
    """What declares a table, which is named after its class: ``LedgerAccountRow`` declares
    ``ledger_account``."""

    @declared_attr.directive
    def __tablename__(cls) -> str:  # noqa: N805 - SQLAlchemy's
        return _INNER_CAPITAL.sub("_", cls.__name__.removesuffix("Row")).lower()


class Atoms(TypeDecorator[int]):
    """A large integer: NUMERIC(38, 0) on PostgreSQL, decimal text on SQLite.

    SQLite's INTEGER ends at 9.22 ETH in wei and its NUMERIC is a float. Text doesn't sort by value,
    so no query orders or sums by such a column.
    """

    impl = Text
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        if dialect.name == "postgresql":
            return dialect.type_descriptor(Numeric(38, 0))
        return dialect.type_descriptor(Text())

    def process_bind_param(self, value: int | None, dialect: Dialect) -> Any:
        if value is None:
            return None
        if type(value) is not int:
            raise TypeError(f"atoms are whole numbers, not {type(value).__name__}")
        return value if dialect.name == "postgresql" else str(value)

    def result_processor(self, dialect: Dialect, coltype: object) -> Callable[[Any], int | None]:  # noqa: ARG002 - SQLAlchemy's signature
        return _whole_number


def _whole_number(value: Any) -> int | None:
    return None if value is None else int(value)


Instant = BigInteger
"""Microseconds since the epoch."""

Key = String(64)
"""An identifier or another short ASCII text."""

Word = String(64).with_variant(String(64, collation="C"), "postgresql")
"""A folded word, compared byte by byte."""

SearchKey = String(128).with_variant(String(128, collation="C"), "postgresql")
"""An id or an address without separators, compared byte by byte."""

_UNSEALED = "unsealed"


def unsealed(reason: str) -> dict[str, Any]:
    """Declare that a column, or a whole table, is not covered by the seals of its rows, and why.

    Two reasons are good: it decides nothing, or another check recomputes it.
    """
    return {"info": {_UNSEALED: reason}}


def reason_unsealed(declared: Column[Any] | Table) -> str | None:
    """Why a column or a table is not sealed; None if it is."""
    reason: str | None = declared.info.get(_UNSEALED)
    return reason
