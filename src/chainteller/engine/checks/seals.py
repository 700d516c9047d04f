"""Invariants 20 and 21: every row is as the log sealed it, and the log is as its heads say.

One pass over the log collects the last seal of every row, and compares it with what the next write
of the row found; one pass over each table compares the rows. Only when something is wrong, the log
is read once more for who wrote the row last, when, and what.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sqlalchemy import Connection, Table

from chainteller import garbage
from chainteller.domain.clock import format_instant
from chainteller.domain.merkle import EMPTY_ROOT, Tree
from chainteller.engine.checks.breaches import WRITERS_KEY, Breach, Breaches
from chainteller.service.errors import WriterKeyMissing
from chainteller.storage import catalogue, inspection, log, marks, removals, sealing
from chainteller.storage import clock as clock_rows
from chainteller.storage.archives import Past
from chainteller.storage.columns import Record
from chainteller.storage.log import DEPLOYMENT, Head
from chainteller.storage.removals import AUDITS, ENTRIES
from chainteller.storage.tables import Tables

CHANGED, INSERTED, DELETED = "changed", "inserted without an entry", "deleted"
PUT_BACK = "put back after it was removed"
_MOST = 1_000
"""Rows that are looked into; the rest is counted."""
_TOGETHER = 4_096
_TABLES = {table.name: table for table in sealing.sealed_tables()}

Seals = dict[str, dict[str, str | None]]
"""Table to key to the row's last seal; None for a row that was removed."""


class Place(NamedTuple):
    """An entry: whose log it's in, and its id."""

    organisation: str
    entry_id: str


class Wrong(NamedTuple):
    """A row that is not as it was sealed; ``what`` happened to it. ``over`` is the entry that
    sealed it again as it was found, if one did."""

    table: Table
    key: str
    what: str
    over: Place | None = None


@dataclass(slots=True)
class Books:
    """What the log says, as far as it was read.

    ``heads`` are those that the entries give.
    """

    clock: Record | None = None
    """What the head and the clock's row say about time; None where one is missing."""
    past: Past = field(default_factory=Past)
    """What is archived."""
    is_partial: bool = False
    """Whether the seals of earlier entries aren't known."""
    seals: Seals = field(default_factory=lambda: defaultdict(dict))
    heads: dict[str, Head] = field(default_factory=dict)
    last_at: int = 0
    """The newest instant of an entry, which is that of the newest write in the first epoch."""
    has_newest: bool = False
    """Whether an entry has the instant that the head calls the newest."""
    written_over: list[Wrong] = field(default_factory=list)
    """Rows that an entry found otherwise than they were sealed."""

    def note_instant(self, at: int) -> None:
        """Note when an entry was written."""
        self.last_at = max(self.last_at, at)
        self.has_newest |= self.clock is not None and at == self.clock.last_at


def check(
    connection: Connection, since: Mapping[str, Head] | None = None, past: Past | None = None
) -> Breaches:
    """20 and 21.

    Args:
        connection: reads one snapshot.
        past: the archives. Without them, rows that were last written in archived entries aren't
            compared.
        since: heads that are known to be good. Up to these, the leaf hashes must give the head's
            root, but bodies aren't hashed and rows that were last written there aren't compared.
    """
    past = past or Past()
    is_partial = any(head.size for head in (since or {}).values())
    is_partial |= not past.is_known and bool(removals.by_organisation(connection, ENTRIES))
    books = Books(clock_rows.find(connection), past, is_partial)
    with garbage.paused():  # millions of short-lived lists, and no cycles
        yield from list(read_logs(connection, books, since or {}))
        wrong = [
            each for table in sealing.sealed_tables() for each in _compare(connection, table, books)
        ]
    wrong += books.written_over
    if wrong:
        yield from _explained(connection, wrong, past)
    yield from _newest(books)


def _newest(books: Books) -> Breaches:
    """The head's newest instant, before which nothing of this epoch is dated."""
    clock = books.clock
    if clock is None or clock.last_at is None:
        return  # a row of the clock or of the head that was deleted is named already
    last_at, newest_at = clock.last_at, books.last_at
    if clock.epoch and last_at >= clock.began_at and books.has_newest:
        newest_at = last_at  # an earlier epoch may have stamped what is later
    if not books.is_partial and last_at != newest_at:
        at, newest = format_instant(last_at), format_instant(newest_at)
        yield Breach(21, f"the newest write was at {newest}, but the head says {at}", "head bank")


def catalogue_stands(connection: Connection) -> Breaches:
    """21: tables, indexes, triggers and all else are what this build creates."""
    for problem in catalogue.problems(connection):
        yield Breach(21, problem, "catalogue")


# 21: the log


def read_logs(connection: Connection, books: Books, since: Mapping[str, Head]) -> Breaches:
    """Read every log into ``books``; what is wrong with its entries and heads."""
    states = {row.organisation_id: row for row in inspection.logs(connection)}
    organisations = {*states, *inspection.organisations_of_entries(connection)}
    # The deployment's log comes first: what it says of a row is older than what another says.
    for organisation in sorted(organisations, key=lambda name: (name != DEPLOYMENT, name)):
        known = since.get(organisation)
        yield from _read_log(connection, organisation, books, known)
        yield from _as_its_head(organisation, books.heads[organisation], states.get(organisation))
    yield from _as_marked(connection, states.values())
    for organisation, head in since.items():
        found = books.heads.get(organisation, Head(organisation, 0, EMPTY_ROOT))
        if found.size < head.size:
            what = f"it had {head.size} entries at the checkpoint and has {found.size}"
            yield Breach(21, what, f"log {organisation}")


def _as_its_head(organisation: str, found: Head, state: Record | None) -> Breaches:
    """Compare what a log's row says of it with its entries."""
    if state is None:
        yield Breach(21, "its head is missing", f"log {organisation}")
    elif (state.size, state.root) != (found.size, found.root.hex()):
        what = f"the head says {state.size} entries with root {state.root}, but the entries"
        what += f" give {found.size} with root {found.root.hex()}"
        yield Breach(21, what, f"log {organisation}")
    elif not _holds(state.size, state.peaks, found.root):
        yield Breach(21, "its subtrees do not give its root", f"log {organisation}")


def _as_marked(connection: Connection, states: Iterable[Record]) -> Breaches:
    """Check the marks of the logs with the writer's key, where their writers have one."""
    marker = marks.of(connection)
    if marker is None:
        return
    try:
        unmarked = [each for each in states if each.size and not marker.holds(connection, each)]
    except WriterKeyMissing as error:
        yield Breach(21, f"marks weren't checked: {error.message}", WRITERS_KEY)
        return
    for each in unmarked:
        what = "its newest entries were written without the writer's key"
        yield Breach(21, what, f"log {each.organisation_id}")


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
    for number, entry_id, leaf, body, file in books.past.entries(connection, organisation):
        expected += 1
        if number != expected:
            missing = f"entry {expected} of {organisation}"
            yield Breach(21, "an entry was removed, added or renumbered", missing)
            expected = number or expected
        if expected > trusted and body is not None:
            leaves.append(log.leaf_of(body))
            place = Place(organisation, entry_id)
            problem = _take(books, place, body)
            if leaves[-1] != leaf:
                problem = "its contents do not match its hash"
            if problem:
                where = f"entry {number} of {organisation}"
                yield Breach(21, problem, f"{where} in {file}" if file else where)
        else:
            leaves.append(leaf)
        if len(leaves) == _TOGETHER or expected == trusted:
            tree = tree.append(leaves)
            leaves.clear()
            yield from _as_known(tree, known)
    tree = tree.append(leaves)
    yield from _as_archived(connection, organisation)
    books.heads[organisation] = Head(organisation, tree.size, tree.root)


def _as_archived(connection: Connection, organisation: str) -> Breaches:
    """Compare what the database keeps of archived entries with what it says of them."""
    archived = removals.newest(connection, organisation, ENTRIES)
    leaves = removals.archived_leaves(connection, organisation, 0, archived.upto)
    try:
        is_same = Tree().append(leaves) == Tree.unpacked(archived.upto, archived.found)
    except ValueError:
        is_same = False
    if not is_same:
        yield Breach(21, "the hashes of its archived entries were altered", f"log {organisation}")


def _as_known(tree: Tree, known: Head | None) -> Breaches:
    """Compare a head with the one that is known to be good, once the log is as long."""
    if known is not None and tree.size == known.size and tree.root != known.root:
        what = "its beginning is not what the checkpoint says"
        yield Breach(21, what, f"log {known.organisation_id}")


def _take(books: Books, place: Place, body: bytes) -> str:
    """Note an entry's seals, and what it found; returns what is wrong with it."""
    try:
        found = log.read(body)
        if (found["log"], found["id"]) != (place.organisation, place.entry_id):
            return "it names another entry or log"
        books.note_instant(found["at"])
        for row in found["rows"]:
            known, key = books.seals[row[0]], row[1]
            if known.get(key) != (row[4] if len(row) > 4 else None):
                _note_written_over(books, place, row)
            known[key] = row[2]
    except (ValueError, KeyError, TypeError, IndexError):
        return "it cannot be read"
    return ""


def _note_written_over(books: Books, place: Place, row: list[Any]) -> None:
    """Note a row that an entry found otherwise than the entries before it had left it."""
    name, key = row[0], row[1]
    table, known = _TABLES.get(name), books.seals[name]
    if table is None or (books.is_partial and key not in known):
        return
    what = CHANGED
    if known.get(key) is None:
        what = PUT_BACK if key in known else INSERTED
    elif len(row) < 5:
        what = DELETED
    books.written_over.append(Wrong(table, key, what, place))


# 20: the rows


def _compare(connection: Connection, table: Table, books: Books) -> Iterator[Wrong]:
    """Rows of a table that are not as they were sealed."""
    sealed, seal = books.seals.get(table.name, {}), sealing.seal
    present = set()
    for key, salt, text in books.past.sealed_rows(connection, table):
        present.add(key)
        expected = sealed.get(key)
        if expected is None:
            if key in sealed:
                yield Wrong(table, key, PUT_BACK)
            elif not books.is_partial:
                yield Wrong(table, key, INSERTED)
        elif seal(salt, text) != expected:
            yield Wrong(table, key, CHANGED)
    archived = _archived_rows(connection, table, books)
    gone = (key for key, expected in sealed.items() if expected is not None and key not in present)
    yield from (Wrong(table, key, DELETED) for key in gone if not archived or int(key) > archived)


def _archived_rows(connection: Connection, table: Table, books: Books) -> int:
    """Up to which number rows of a table are in archives that aren't at hand."""
    if table is not Tables.audit or books.past.is_known:
        return 0
    return removals.newest(connection, DEPLOYMENT, AUDITS).upto


# What happened to a row


@dataclass(slots=True)
class Story:
    """The last entry that wrote a row, and the values that the log carries of the row."""

    written: str = ""
    values: dict[str, Any] = field(default_factory=dict)


@dataclass(slots=True)
class Stories:
    """What the log says of some rows, by table and key.

    ``written_over`` has for each of them that an entry found otherwise than it was sealed: who had
    written it last, and who wrote over it.
    """

    by_row: dict[tuple[str, str], Story]
    written_over: dict[Wrong, tuple[str, str]] = field(default_factory=dict)

    def take(self, found: Any, by: str, over: Mapping[tuple[str, str], Wrong]) -> None:
        """Note what an entry says.

        Args:
            found: its body.
            by: its writer, instant and number.
            over: the rows that it found otherwise than they were sealed.
        """
        for name, key, _, *more in found["rows"]:
            story = self.by_row.get((name, key))
            if story is None:
                continue
            if (name, key) in over:
                self.written_over[over[name, key]] = story.written, by
            story.written = by
            story.values.update(more[0] if more else {})


def _explained(connection: Connection, wrong: list[Wrong], past: Past) -> Breaches:
    stories = _stories_of(connection, wrong, past)
    for each in wrong[:_MOST]:
        story = stories.by_row[each.table.name, each.key]
        what, written = each.what, story.written
        if each.what == CHANGED:
            columns = _changed_columns(connection, each, story)
            what = f"changed ({', '.join(columns)})" if columns else "changed"
        over = ""
        if each.over is not None:
            written, over = stories.written_over.get(each, (written, ""))
        if written:
            what = f"{what}; last written by {written}"
        if over:
            what = f"{what}; then written over by {over}"
        yield Breach(20, what, f"{each.table.name} {each.key}")
    if len(wrong) > _MOST:
        yield Breach(20, f"and {len(wrong) - _MOST} more rows", "rows")


def _stories_of(connection: Connection, wrong: Iterable[Wrong], past: Past) -> Stories:
    """What the log says of some rows."""
    sought = list(wrong)
    stories = Stories({(each.table.name, each.key): Story() for each in sought})
    over: dict[Place, dict[tuple[str, str], Wrong]] = defaultdict(dict)
    for each in sought:
        if each.over is not None:
            over[each.over][each.table.name, each.key] = each
    for organisation in inspection.organisations_of_entries(connection):
        for number, entry_id, _, body, _ in past.entries(connection, organisation):
            if body is None:
                continue
            try:
                found = log.read(body)
                by = f"{found['by']} at {format_instant(found['at'])}"
                by = f"{by} (entry {number} of {organisation})"
                stories.take(found, by, over.get(Place(organisation, entry_id), {}))
            except (ValueError, KeyError, TypeError, IndexError):
                continue  # named by 21
    return stories


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
