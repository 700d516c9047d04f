"""Write the dictionary with which entries are compressed: what they say again and again.

``python -m tests.log.dictionary FILE``. It's part of the stored form of entries: a new one needs a
new form (``storage/log/entry.py``).
"""

import re
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

from sqlalchemy import select
from tests.world.engines import World, make_world
from tests.world.samples import load, new_bank

from chainteller.storage.database import Database
from chainteller.storage.log import entry
from chainteller.storage.schema.tables import Tables

MOST = 8_000
_VARYING = re.compile(
    r"[0-9A-HJKMNP-TV-Z]{22}(?![0-9A-Za-z])|[A-Za-z0-9+/_-]{43}(?=\")|(?<=\")[A-Za-z0-9+/]{22}(?=\")"
    r"|(?<=\")[A-Za-z0-9_-]{16}(?=\")|[0-9a-f]{24,}|(?<=\")\d{5,}(?=\")|\d{12,}"
)
_OFTEN = 12
"""Bodies of live writes count more often than those of the sample bank."""


def bodies(database: Database) -> list[tuple[str, str]]:
    """Action and body of every entry."""
    with database.read() as connection:
        rows = connection.execute(select(Tables.entry.c.action, Tables.entry.c.body)).all()
    return [(row.action, entry.unpack(row.body).decode()) for row in rows if len(row.body) < 9_000]


def live(world: World) -> None:
    """What agents do all day."""
    world.open()
    for number in range(6):
        world.deposit("500.00")
        world.execute(world.quote("100.00"), key=f"buy-{number}")
        world.settle()
        world.execute(world.quote("0.1", "sell"), key=f"sell-{number}")
        world.withdraw()
        world.settle()


def dictionary(found: list[tuple[str, str]]) -> bytes:
    """The masked bodies, one of each shape, the most frequent last."""
    shapes: dict[str, int] = defaultdict(int)
    for _, body in found:
        shapes[_VARYING.sub("", body)] += 1
    by_use = sorted(shapes, key=lambda shape: shapes[shape], reverse=True)
    kept: list[str] = []
    seen: set[str] = set()
    for shape in by_use:
        parts = [part for part in re.split(r"(?<=[,\]}])", shape) if part not in seen]
        seen.update(parts)
        kept.append("".join(parts) if shapes[shape] < _OFTEN else shape)
    text, total = [], 0
    for shape in kept:
        total += len(shape)
        if total > MOST:
            break
        text.append(shape)
    return "".join(reversed(text)).encode()


def main() -> None:
    folder = Path(tempfile.mkdtemp())
    world = make_world(folder / "bank.db")
    live(world)
    found = bodies(world.database) * _OFTEN
    world.close()
    bank = new_bank(Path(tempfile.mkdtemp()))
    load(bank)
    found += bodies(bank.database)
    Path(sys.argv[1]).write_bytes(dictionary(found))


if __name__ == "__main__":
    main()
