"""Write the row classes of the tables: ``python -m tests.storage.row_classes``.

``ruff format`` then gives the module its form.
"""

from pathlib import Path

from sqlalchemy import Boolean, Column, Integer, Table

from chainteller.storage.db import records
from chainteller.storage.db.table import SALT
from chainteller.storage.schema.columns import Atoms, reason_unsealed
from chainteller.storage.schema.tables import Tables
from chainteller.storage.schema.wallet_tables import WalletTables, declared

HEADING = '''"""The tables and their rows, as statements return them.

Generated from the declarations of the tables: ``python -m tests.storage.row_classes``.
"""

from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

from chainteller.storage.db.query import Atoms, table_of
from chainteller.storage.db.table import Table
'''


def written() -> str:
    """The module, from the tables, before it is formatted."""
    tables = sorted(declared(), key=lambda each: str(each.name))
    classes, names = [], []
    for table in tables:
        names.append(_class_of(table))
        fields = "\n".join(f"    {column.name}: {_kind(column)}" for column in table.columns)
        classes.append(f"class {_class_of(table)}(NamedTuple):\n{fields}\n")
    listed = "".join(f"        {name},\n" for name in names)
    known = vars(Tables) | vars(WalletTables)
    called = {id(found): name for name, found in known.items() if isinstance(found, Table)}
    shapes = "".join(
        f"    {called[id(each)]}: ClassVar[Table] = {_shape(each)}\n" for each in declared()
    )
    ordered = "".join(f"    Tables.{called[id(each)]},\n" for each in declared())
    ending = (
        "BY_TABLE: Mapping[str, Any] = {\n    table_of(each): each\n    for each in (\n"
        f"{listed}    )\n}}\n\n\n"
        f'class Tables:\n    """The tables, by what the program calls them."""\n\n{shapes}\n\n'
        f"ALL = (\n{ordered})\n"
        '"""Each table after those that it refers to."""\n'
    )
    return "\n\n".join([HEADING, *classes, ending])


def _class_of(table: Table) -> str:
    return "".join(part.capitalize() for part in str(table.name).split("_"))


def _kind(column: Column[object]) -> str:
    kind = "Atoms" if isinstance(column.type, Atoms) else column.type.python_type.__name__
    kind = "str" if kind == "object" else kind
    return f"{kind} | None" if column.nullable else kind


def _shape(table: Table) -> str:
    columns = list(table.columns)
    told = [f"record={_class_of(table)}", f"key={tuple(each.name for each in table.primary_key)!r}"]
    if reason_unsealed(table) is None:
        sealed = [each.name for each in columns if each.name != SALT]
        covered = [name for name in sealed if reason_unsealed(table.c[name]) is None]
        told.append(f"sealed={tuple(covered)!r}")
    for name, kind in (("numbers", Integer), ("atoms", Atoms), ("booleans", Boolean)):
        found = [each.name for each in columns if isinstance(each.type, kind)]
        if found:
            told.append(f"{name}=frozenset({tuple(found)!r})")
    return f"Table({', '.join(told)})"


if __name__ == "__main__":
    Path(records.__file__).write_text(written(), encoding="utf-8")
