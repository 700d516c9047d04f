"""Write the row classes of the tables: ``python -m tests.storage.row_classes``."""

from pathlib import Path

from sqlalchemy import Column

from chainteller.storage import sealing
from chainteller.storage.columns import Atoms
from chainteller.storage.db import records

HEADING = '''"""The rows of the tables, as statements return them.

Generated from the declarations of the tables: ``python -m tests.storage.row_classes``.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from chainteller.storage.db.query import Atoms, table_of
'''


def written() -> str:
    """The module, from the tables."""
    tables = sorted(sealing.own_tables(), key=lambda each: str(each.name))
    classes, names = [], []
    for table in tables:
        name = "".join(part.capitalize() for part in str(table.name).split("_"))
        names.append(name)
        fields = "\n".join(f"    {column.name}: {_kind(column)}" for column in table.columns)
        classes.append(f"class {name}(NamedTuple):\n{fields}\n")
    listed = "".join(f"        {name},\n" for name in names)
    ending = (
        "BY_TABLE: Mapping[str, Any] = {\n    table_of(each): each\n    for each in (\n"
        f"{listed}    )\n}}\n"
    )
    return "\n\n".join([HEADING, *classes, ending])


def _kind(column: Column[object]) -> str:
    kind = "Atoms" if isinstance(column.type, Atoms) else column.type.python_type.__name__
    kind = "str" if kind == "object" else kind
    return f"{kind} | None" if column.nullable else kind


if __name__ == "__main__":
    Path(records.__file__).write_text(written(), encoding="utf-8")
