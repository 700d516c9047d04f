"""The tables as they are declared, for statements of tests, and what seals don't cover of them."""

from collections.abc import Iterator

from sqlalchemy import Table

from chainteller.storage.db import records, table
from chainteller.storage.log import sealing
from chainteller.storage.log.sealing import Form
from chainteller.storage.schema.columns import reason_unsealed
from chainteller.storage.schema.wallet_tables import declared

_SHAPES = {each.name: each for each in records.ALL}


def sealed_tables() -> list[Table]:
    return [each for each in declared() if reason_unsealed(each) is None]


def exemptions() -> Iterator[tuple[str, str, str]]:
    """Everything that seals don't cover: table, column (``*`` for all of them) and the reason."""
    for each in declared():
        whole = reason_unsealed(each)
        if whole is not None:
            yield each.name, "*", whole
            continue
        for column in each.columns:
            reason = reason_unsealed(column)
            if reason is not None:
                yield each.name, column.name, reason


def shape(declaration: Table) -> table.Table:
    """A table as the program's own statements know it."""
    return _SHAPES[str(declaration.name)]


def form(declaration: Table) -> Form:
    """How the rows of a table are keyed and sealed."""
    return sealing.form(shape(declaration))
