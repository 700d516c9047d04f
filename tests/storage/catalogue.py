"""Write the catalogue that PostgreSQL is compared with: ``python -m tests.storage.catalogue``.

With a URL, from a schema that is created in that empty database.
"""

import json
import sys
from pathlib import Path

from tests.postgres import PostgresServer, start_bundled
from tests.world.files import KEYS

from chainteller.storage.database import connect
from chainteller.storage.schema import catalogue, ddl

FILE = Path(catalogue.__file__).with_name(catalogue._FILE)


def written(url: str) -> str:
    """The catalogue of a schema that this build creates, as the file has it."""
    database = connect(url, KEYS)
    ddl.create(database)
    with database.read() as connection:
        found = catalogue.postgres_catalogue(connection)
    database.close()
    return json.dumps(found, indent=0, sort_keys=True, ensure_ascii=True) + "\n"


def main() -> None:
    if sys.argv[1:]:
        FILE.write_text(written(sys.argv[1]), encoding="utf-8")
        return
    bundled = start_bundled()
    try:
        FILE.write_text(written(PostgresServer(bundled.url).fresh()), encoding="utf-8")
    finally:
        bundled.remove()
    sys.stdout.write(f"{FILE.name} written; read what changed\n")


if __name__ == "__main__":
    main()
