"""Write the statements that create the tables: ``python -m tests.storage.schema_text``."""

from pathlib import Path

from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.schema import CreateIndex, CreateTable

from chainteller.storage.db.query import POSTGRESQL, SQLITE
from chainteller.storage.schema import ddl
from chainteller.storage.schema.wallet_tables import declared

_DIALECTS = {
    SQLITE: sqlite.dialect(),
    POSTGRESQL: postgresql.dialect(),  # type: ignore[no-untyped-call]
}


def written(dialect: str) -> list[str]:
    """The statements for a database."""
    spoken, found = _DIALECTS[dialect], []
    for table in declared():
        found.append(str(CreateTable(table).compile(dialect=spoken)))
        indexes = sorted(table.indexes, key=lambda each: str(each.name))
        found += [str(CreateIndex(index).compile(dialect=spoken)) for index in indexes]
    lines = (each.strip().replace("\t", "  ").splitlines() for each in found)
    return ["\n".join(line.rstrip() for line in each) for each in lines]


if __name__ == "__main__":
    file = Path(ddl.__file__).with_name("schema.sql")
    file.write_text(";\n\n".join(written(POSTGRESQL)) + ";\n", encoding="utf-8")
