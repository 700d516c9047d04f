"""Write the dictionary with which entries are compressed: what they say again and again.

``python -m tests.log.dictionary FILE``. It's part of the stored form of entries: a new one needs a
new form (``storage/log/entry.py``).
"""

import re
import sys
import tempfile
from collections import Counter
from pathlib import Path

from tests.world.engines import World, make_world
from tests.world.samples import load, new_bank

from chainteller.storage.database import Database
from chainteller.storage.db.query import Value, built
from chainteller.storage.log import entry

MOST = 8_000
_VARYING = re.compile(
    r"[0-9A-HJKMNP-TV-Z]{22}(?![0-9A-Za-z])|[A-Za-z0-9+/_-]{43}(?=\")|(?<=\")[A-Za-z0-9+/]{22}(?=\")"
    r"|(?<=\"salt\":\")[A-Za-z0-9_-]{16}|[0-9a-f]{24,}|(?<=\")-?\d+(\.\d+)?(?=\")|\d{5,}"
    r"|\d{4}-\d\d-\d\dT[\d:.]+Z|(?<=\"by\":\")[a-z]\.[a-z]+(?=\")"
)
_BODIES = built("SELECT body AS value FROM entry UNION ALL SELECT body FROM idempotency", Value)


def bodies(database: Database) -> list[str]:
    """The body of every entry, and the answer under every key."""
    with database.read() as connection:
        stored = _BODIES.values(connection)
    return [entry.unpack(body).decode() for body in stored if len(body) < 9_000]


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


def dictionary(live: list[str], others: list[str]) -> bytes:
    """The masked bodies, one of each shape: live writes last, the most frequent at the end, and
    before them what the others say beside."""
    shapes = [_VARYING.sub("", body) for body in live]
    kept = [shape for shape, _ in Counter(shapes).most_common()]
    seen = {part for shape in kept for part in _parts(shape)}
    for shape, _ in Counter(_VARYING.sub("", body) for body in others).most_common():
        kept.append("".join(part for part in _parts(shape) if part not in seen))
        seen.update(_parts(shape))
    text, total = [], 0
    for shape in kept:
        total += len(shape)
        if total > MOST:
            break
        text.append(shape)
    return "".join(reversed(text)).encode()


def _parts(shape: str) -> list[str]:
    return re.split(r"(?<=[,\]}])", shape)


def main() -> None:
    folder = Path(tempfile.mkdtemp())
    world = make_world(folder / "bank.db")
    live(world)
    found = bodies(world.database)
    world.close()
    bank = new_bank(Path(tempfile.mkdtemp()))
    load(bank)
    Path(sys.argv[1]).write_bytes(dictionary(found, bodies(bank.database)))


if __name__ == "__main__":
    main()
