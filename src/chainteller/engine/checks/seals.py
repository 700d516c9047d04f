"""Invariants 20 and 21: every row is as the log sealed it, and the log is as its heads say.

One pass over the log collects the last seal of every row; one pass over each table compares. Only
when something is wrong, the log is read once more for who wrote the row last, when, and what.
"""

import gc
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from sqlalchemy import Connection, Table
from sqlalchemy.exc import NoResultFound

from chainteller.domain.clock import format_instant
from chainteller.domain.merkle import EMPTY_ROOT, Tree
from chainteller.engine.checks import unsealed
from chainteller.engine.checks.breaches import Breach, Breaches
from chainteller.engine.checks.unsealed import CHANGED, DELETED, INSERTED, PUT_BACK, Wrong
from chainteller.storage import clock as clock_rows
from chainteller.storage import guards, inspection, sealing
from chainteller.storage.log import DEPLOYMENT, Head

_MOST = 1_000
"""Rows that are looked into; the rest is counted."""
_TOGETHER = 4_096

Seals = dict[str, dict[str, str | None]]
"""Table to key to the row's last seal; None for a row that was removed."""


@dataclass(slots=True)
class Books:
    """What the log says, as far as it was read.

    ``heads`` are those that the entries give; ``audit_hashes`` are the audit rows, by
    organisation, that are older than the log and stand in it as their hashes.
    """

    seals: Seals = field(default_factory=lambda: defaultdict(dict))
    heads: dict[str, Head] = field(default_factory=dict)
    audit_hashes: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    last_at: int = 0
    """The newest instant of an entry, which is that of the newest write in the first epoch."""
    instants: set[int] = field(default_factory=set)
    """Those of all entries."""
    skipped: dict[str, int] = field(default_factory=dict)
    """How many entries of each log were taken as a checkpoint vouches for them."""


def check(connection: Connection, since: Mapping[str, Head] | None = None) -> Breaches:
    """20 and 21.

    Args:
        connection: reads one snapshot.
        since: heads that are known to be good. Up to these, the leaf hashes must give the head's
            root, but bodies aren't hashed and rows that were last written there aren't compared.
    """
    books = Books()
    with _without_collections():
        yield from list(read_logs(connection, books, since or {}))
        wrong = compare(connection, books)
    others = unsealed.of_released_build(connection, wrong)
    yield from _explained(connection, [each for each in wrong if each not in others])
    if not others:
        yield from _newest(connection, books)


@contextmanager
def _without_collections() -> Iterator[None]:
    """Millions of short-lived lists make Python look for cycles all the time; there are none."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def compare(connection: Connection, books: Books) -> list[Wrong]:
    """Every row that is not as it was sealed."""
    return [
        each for table in sealing.sealed_tables() for each in _compare(connection, table, books)
    ]


def _newest(connection: Connection, books: Books) -> Breaches:
    """The head's newest instant, before which nothing of this epoch is dated."""
    try:
        clock = clock_rows.read(connection, server_clock=False)
    except NoResultFound:
        return  # a row that was deleted is named with the others
    last_at, newest_at = clock.last_at, books.last_at
    if clock.epoch and last_at >= clock.began_at and last_at in books.instants:
        newest_at = last_at  # an earlier epoch may have stamped what is later
    if not any(books.skipped.values()) and last_at != newest_at:
        at, newest = format_instant(last_at), format_instant(newest_at)
        yield Breach(21, f"the newest write was at {newest}, but the head says {at}", "head bank")


def guards_stand(connection: Connection) -> Breaches:
    """21: what SQL itself is to refuse, it still refuses."""
    for problem in guards.problems(connection):
        yield Breach(21, problem, "guards")


# 21: the log


def read_logs(connection: Connection, books: Books, since: Mapping[str, Head]) -> Breaches:
    """Read every log into ``books``; what is wrong with its entries and heads."""
    states = {row.organisation_id: row for row in inspection.logs(connection)}
    organisations = {*states, *inspection.organisations_of_entries(connection)}
    # The deployment's log comes first: what it says of a row is older than what another says.
    for organisation in sorted(organisations, key=lambda name: (name != DEPLOYMENT, name)):
        known = since.get(organisation)
        yield from _read_log(connection, organisation, books, known)
        found, state = books.heads[organisation], states.get(organisation)
        if state is None:
            yield Breach(21, "its head is missing", f"log {organisation}")
        elif (state.size, state.root) != (found.size, found.root.hex()):
            what = f"the head says {state.size} entries with root {state.root}, but the entries"
            what += f" give {found.size} with root {found.root.hex()}"
            yield Breach(21, what, f"log {organisation}")
        elif not _holds(state.size, state.peaks, found.root):
            yield Breach(21, "its subtrees do not give its root", f"log {organisation}")
    for organisation, head in since.items():
        found = books.heads.get(organisation, Head(organisation, 0, EMPTY_ROOT))
        if found.size < head.size:
            what = f"it had {head.size} entries at the checkpoint and has {found.size}"
            yield Breach(21, what, f"log {organisation}")


def _holds(size: int, peaks: str, root: bytes) -> bool:
    try:
        return Tree.unpacked(size, peaks).root == root
    except ValueError:
        return False


def _read_log(
    connection: Connection, organisation: str, books: Books, known: Head | None
) -> Breaches:
    """Hash the entries of one log again, in their order, and collect their seals."""
    tree, leaves, expected = Tree(), [], 0
    trusted = known.size if known is not None else 0
    for number, entry_id, leaf, body in inspection.entries(connection, organisation):
        expected += 1
        if number != expected:
            missing = f"entry {expected} of {organisation}"
            yield Breach(21, "an entry was removed, added or renumbered", missing)
            expected = number or expected
        if expected > trusted:
            leaves.append(sha256(b"\x00" + body).digest())
            problem = _take(books, organisation, entry_id, body)
            if leaves[-1].hex() != leaf:
                problem = "its contents do not match its hash"
            if problem:
                yield Breach(21, problem, f"entry {number} of {organisation}")
        else:
            leaves.append(_bytes(leaf))
        if len(leaves) == _TOGETHER or expected == trusted:
            tree = tree.append(leaves)
            leaves.clear()
            yield from _as_known(tree, known)
    tree = tree.append(leaves)
    books.heads[organisation] = Head(organisation, tree.size, tree.root)
    books.skipped[organisation] = min(trusted, tree.size)


def _as_known(tree: Tree, known: Head | None) -> Breaches:
    """Compare a head with the one that is known to be good, once the log is as long."""
    if known is not None and tree.size == known.size and tree.root != known.root:
        what = "its beginning is not what the checkpoint says"
        yield Breach(21, what, f"log {known.organisation_id}")


def _bytes(leaf: object) -> bytes:
    try:
        return bytes.fromhex(str(leaf))
    except ValueError:
        return b""


def _take(books: Books, organisation: str, entry_id: str, body: bytes) -> str:
    """Note an entry's seals; returns what is wrong with it."""
    if body[:1] != b"{":
        books.audit_hashes[organisation].append(body.decode("ascii", "replace"))
        return ""
    try:
        found = json.loads(body)
        if (found["id"], found["log"]) != (entry_id, organisation):
            return "it names another entry or log"
        books.last_at = max(books.last_at, found["at"])
        books.instants.add(found["at"])
        seals = books.seals
        for row in found["rows"]:
            seals[row[0]][row[1]] = row[2]
    except (ValueError, KeyError, TypeError, IndexError):
        return "it cannot be read"
    return ""


# 20: the rows


def _compare(connection: Connection, table: Table, books: Books) -> Iterator[Wrong]:
    """Rows of a table that are not as they were sealed."""
    sealed, seal = books.seals.get(table.name, {}), sealing.seal
    partial = any(books.skipped.values())
    present = set()
    for key, salt, text in inspection.sealed_rows(connection, table):
        present.add(key)
        expected = sealed.get(key)
        if expected is None:
            if key in sealed:
                yield Wrong(table, key, PUT_BACK)
            elif not partial:
                yield Wrong(table, key, INSERTED)
        elif seal(salt, text) != expected:
            yield Wrong(table, key, CHANGED)
    for key, expected in sealed.items():
        if expected is not None and key not in present:
            yield Wrong(table, key, DELETED)


# What happened to a row


@dataclass(slots=True)
class Story:
    """The last entry that wrote a row, in whose log, and the values that the log carries of it."""

    written: str = ""
    organisation: str = ""
    values: dict[str, Any] = field(default_factory=dict)


def _explained(connection: Connection, wrong: list[Wrong]) -> Breaches:
    if not wrong:
        return
    looked_into = wrong[:_MOST]
    stories = stories_of(connection, looked_into)
    for each in looked_into:
        story = stories.get((each.table.name, each.key), Story())
        what = each.what
        if each.what == CHANGED:
            columns = _changed_columns(connection, each, story)
            what = f"changed ({', '.join(columns)})" if columns else "changed"
        if story.written:
            what = f"{what}; last written by {story.written}"
        yield Breach(20, what, f"{each.table.name} {each.key}")
    if len(wrong) > _MOST:
        yield Breach(20, f"and {len(wrong) - _MOST} more rows", "rows")


def stories_of(connection: Connection, wrong: Iterable[Wrong]) -> dict[tuple[str, str], Story]:
    """What the log says of some rows, by table and key."""
    sought = {(each.table.name, each.key): Story() for each in wrong}
    for organisation in inspection.organisations_of_entries(connection):
        for number, _, _, body in inspection.entries(connection, organisation):
            try:
                found = json.loads(body) if body[:1] == b"{" else {"rows": []}
                for row in found["rows"]:
                    story = sought.get((row[0], row[1]))
                    if story is not None:
                        at = format_instant(found["at"])
                        story.organisation = organisation
                        story.written = f"{found['by']} at {at} (entry {number} of {organisation})"
                        story.values.update(row[3] if len(row) > 3 else {})
            except (ValueError, KeyError, TypeError, IndexError):
                continue  # named by 21
    return sought


def _changed_columns(connection: Connection, wrong: Wrong, story: Story) -> list[str]:
    """The columns that the log carries with another value than the row has."""
    if not story.values:
        return []
    row = inspection.row_by_key(connection, wrong.table, wrong.key)
    if row is None:
        return []
    return [
        f"{name} was {value}, is {row[name]}"
        for name, value in story.values.items()
        if name in row and row[name] != value
    ]
