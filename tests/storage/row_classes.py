"""Write the row classes of the tables: ``python -m tests.storage.row_classes``.

``ruff format`` then gives the module its form.
"""

from pathlib import Path

from sqlalchemy import Column, Table

from chainteller.storage.db import records
from chainteller.storage.db.table import SALT
from chainteller.storage.schema.columns import Atoms, reason_unsealed
from chainteller.storage.schema.tables import Tables
from chainteller.storage.schema.wallet_tables import WalletTables, declared

HEADING = '''"""The tables and their rows, as statements return them.

Generated from the declarations of the tables: ``python -m tests.storage.row_classes``.
"""

from typing import NamedTuple

from chainteller.storage.db.query import Atoms
from chainteller.storage.db.table import Table
'''


def written() -> str:
    """The module, from the tables, before it is formatted."""
    tables = sorted(declared(), key=lambda each: str(each.name))
    classes = []
    for table in tables:
        fields = "\n".join(f"    {column.name}: {_kind(column)}" for column in table.columns)
        classes.append(f"class {_class_of(table)}(NamedTuple):\n{fields}\n")
    known = vars(Tables) | vars(WalletTables)
    called = {id(found): name for name, found in known.items() if isinstance(found, Table)}
    shapes = "".join(f"    {called[id(each)]} = {_shape(each)}\n" for each in declared())
    ending = (
        'class Tables:\n    """The tables by what the program calls them, each after those that it '
        f'needs."""\n\n{shapes}\n\n'
        "ALL = tuple(each for each in vars(Tables).values() if isinstance(each, Table))\n"
    )
    return "\n\n".join([HEADING, *classes, ending])


def _class_of(table: Table) -> str:
    return "".join(part.capitalize() for part in str(table.name).split("_"))


def _kind(column: Column[object]) -> str:
    kind = "Atoms" if isinstance(column.type, Atoms) else column.type.python_type.__name__
    kind = "str" if kind == "object" else kind
    return f"{kind} | None" if column.nullable else kind


def _shape(table: Table) -> str:
    told = [_class_of(table), *(repr(each.name) for each in table.primary_key)]
    if reason_unsealed(table) is None:
        names = [each.name for each in table.columns if each.name != SALT]
        unsealed = tuple(name for name in names if reason_unsealed(table.c[name]) is not None)
        told += [f"unsealed={unsealed!r}"] if unsealed else []
    return f"Table({', '.join(told)})"


if __name__ == "__main__":
    Path(records.__file__).write_text(written(), encoding="utf-8")
