"""A bank's database as the released build (66d1173, revision 0002) left it; see ``make.py``."""

from contextlib import closing
from pathlib import Path

from chainteller.sqlite import sqlite3
from chainteller.storage.database import connect, sqlite_path

_FOLDER = Path(__file__).parent
FIRST_CUSTOMER = "DDA-1"


def restore(url: str) -> None:
    """Make the database at a URL where there is none yet."""
    path = sqlite_path(url)
    if path is not None:
        with closing(sqlite3.connect(path, isolation_level=None)) as file:
            file.executescript((_FOLDER / "sqlite.sql").read_text())
        return
    database = connect(url)
    with database.write() as connection:
        connection.exec_driver_sql((_FOLDER / "postgresql.sql").read_text())
        connection.commit()
    database.close()


def write_beside(url: str) -> None:
    """Change the rows that a server of the released build changes in a day, as it does."""
    database = connect(url)
    with database.write() as connection:
        for statement in (_FOLDER / "beside.sql").read_text().splitlines():
            assert connection.exec_driver_sql(statement).rowcount == 1, statement
        connection.commit()
    database.close()
