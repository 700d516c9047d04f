"""Invariants 1 to 3, 8, 16 and 21: the log is whole, and what it says adds up.

One pass over every log hashes each entry again and checks its mark. It collects what the tables are
then compared with: the last seal of every row, every balance, which entry posted each journal, and
of each record the account, the statuses that it went through and a sum over its journals.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from sys import intern
from typing import Any, NamedTuple

from chainteller.domain.canonical import canonical
from chainteller.domain.clock import format_instant
from chainteller.domain.ledger import CUSTOMER_PREFIX, is_debit_normal, owner
from chainteller.domain.merkle import Tree
from chainteller.engine.core.breaches import OTHER_KEY, WRITERS_KEY, Breach, Breaches
from chainteller.service.errors import WriterKeyMissing
from chainteller.storage.db.query import Session
from chainteller.storage.db.table import Table
from chainteller.storage.log import (
    append,
    entry,
    last_writes,
    marks,
    moved,
    sealing,
    views,
    writer_keys,
)
from chainteller.storage.log.entry import Entry, Posted
from chainteller.storage.log.moved import Told
from chainteller.storage.log.rows import DEPLOYMENT, LASTING
from chainteller.storage.upkeep import archives, inspection
from chainteller.storage.upkeep.archives import Past
from chainteller.storage.upkeep.inspection import StoredEntry
from chainteller.witnessing.checkpoints import Head

CHANGED, INSERTED, DELETED = "changed", "inserted without an entry", "deleted"
PUT_BACK = "put back after it was removed"
CLOCK = "clock"
_NOT_MARKED = "its mark doesn't hold: nobody with the writer's key wrote it here"
_TOGETHER = 4_096
_TABLES = {table.name: table for table in sealing.sealed_tables()}
_LASTING = {table.name for table in LASTING}
_WHOLE = 2**128

Account = tuple[str, str, str]
"""A ledger account: code, asset and organisation."""
Problem = tuple[int, str]
"""Which invariant an entry breaks, and how."""
_NONE: Problem = (0, "")


class Place(NamedTuple):
    """An entry: whose log it's in, and its number."""

    organisation: str
    number: int


class Wrong(NamedTuple):
    """A row that is not as it was sealed; ``what`` happened to it. ``over`` is the entry that
    sealed it again as it was found, if one did."""

    table: Table
    key: str
    what: str
    over: Place | None = None


class Balance(NamedTuple):
    """Amount and version of a ledger account."""

    atoms: int = 0
    version: int = 0


@dataclass(slots=True)
class History:
    """What the log says of a record: its trading account, the statuses of its events one after
    another, and the sum over its journals."""

    account: str | None = None
    path: str = ""
    journals: int = 0


@dataclass(slots=True)
class Books:
    """What the logs say, as far as they were read."""

    past: Past = field(default_factory=Past)
    """What is archived."""
    is_partial: bool = False
    """Whether the bodies of earlier entries aren't known."""
    seals: dict[str, dict[str, str | None]] = field(default_factory=lambda: defaultdict(dict))
    """Table to key to the row's last seal; None for a row that was removed."""
    kept: set[tuple[str, ...]] = field(default_factory=set)
    """Rows and balances of which an entry of archived time is the last one that is known: an
    archive may have a later one."""
    written_over: list[Wrong] = field(default_factory=list)
    """Rows that an entry found otherwise than they were sealed."""
    balances: dict[Account, Balance] = field(default_factory=dict)
    records: dict[str, History] = field(default_factory=lambda: defaultdict(History))
    journals: int = 0
    """The sum over all journals and the entries that posted them."""
    clock: list[Entry] = field(default_factory=list)
    """What the deployment's log says of the clock."""
    archived: dict[str, list[Told]] = field(default_factory=lambda: defaultdict(list))
    """By log, where the bodies of its oldest entries are, as the deployment's log says."""
    heads: dict[str, Head] = field(default_factory=dict)
    begins: "Mapping[str, End]" = field(default_factory=dict)
    """How the logs ended from which on they were read; nothing where that was their beginning."""


def read(connection: Session, past: Past) -> tuple[Books, list[Breach]]:
    """Read every log: what they say, and what is wrong with them."""
    states = {row.organisation_id: row for row in inspection.logs(connection)}
    is_archived = any(state.moved for state in states.values())
    books = Books(past, is_archived and not past.is_known)
    marker, found, _ = _marker(connection)
    organisations = {*states, *inspection.organisations_of_entries(connection)}
    # The deployment's log comes first: what it says of a row is older than what another says.
    for organisation in sorted(organisations, key=lambda name: (name != DEPLOYMENT, name)):
        reader = _LogReader(books, organisation, marker)
        if not past.is_known:
            reader.archived = _archived(connection, states.get(organisation), marker)
        found += reader.read(connection)
        found += reader.compare(states.get(organisation))
    return books, found + list(_archives(connection, books))


class End(NamedTuple):
    """How a log ended at a moment when nothing was wrong with it: its size, the mark and the
    instant of its last entry, and what names the key that made the mark."""

    size: int = 0
    mark: bytes = b""
    at: int = 0
    key: str = ""


Breathe = Callable[[], object]
"""Is called between rows, and may wait."""


def end_at(connection: Session, organisation: str, number: int) -> End:
    """How a log ended with an entry."""
    row = views.entry_row(connection, organisation, number)
    return End() if row is None else End(number, row.mark, row.at, marks.of(connection).name)


def read_since(
    connection: Session, ends: Mapping[str, End], breathe: Breathe
) -> tuple[Books, list[Breach], dict[str, End]]:
    """Read what was written to every log after an end of it, or all of a log without one: what it
    says, what is wrong with it, and how the logs end now. ``breathe`` is called after each
    entry."""
    states = {row.organisation_id: row for row in inspection.logs(connection)}
    books, reached = Books(begins=ends, is_partial=True), dict[str, End]()
    marker, found, is_marked = _marker(connection)
    if not is_marked:  # it isn't read again below
        found.append(Breach(21, _NOT_MARKED, f"entry 1 of {DEPLOYMENT}"))
    for organisation in sorted({*states, *ends}, key=lambda name: (name != DEPLOYMENT, name)):
        begin = ends.get(organisation, End())
        if marker is not None and begin.key != marker.name:  # the key was replaced meanwhile
            begin = end_at(connection, organisation, begin.size)
        reader = _LogReader(books, organisation, marker, begin)
        reader.archived = _archived(connection, states.get(organisation), marker)
        for each in reader.read(connection, breathe):
            found.append(each)
        found += reader.compare_end(states.get(organisation))
        reached[organisation] = reader.end
    return books, found, reached


def _archived(connection: Session, state: Any, marker: marks.Marker | None) -> Told:
    """What an archive took last of a log. Without a key, its own row says it."""
    if state is None or not state.archived or marker is None:
        archived, size = (0, 0) if state is None else (state.archived, state.size)
        return Told(0, archived, "", size if archived else 0)
    return last_writes.archived(connection, state.organisation_id)


def _archives(connection: Session, books: Books) -> Breaches:
    """21: the table of archives is what the deployment's log says."""
    told = {
        (name, each._replace(size=0)) for name, parts in books.archived.items() for each in parts
    }
    stored = set(archives.stored(connection))
    for name, part in sorted(told ^ stored, key=str):
        what = "an archive of which the log says nothing"
        if (name, part) in told:
            what = f"the log says that {part.name} has the entries up to {part.upto}"
        yield Breach(21, what, f"archive {name} {part.first}")


def _marker(connection: Session) -> tuple[marks.Marker | None, list[Breach], bool]:
    """What compares marks, what is wrong with its key, and whether the first entry has its mark."""
    marker = marks.of(connection)
    try:
        return marker, [], marker.refresh(connection)
    except WriterKeyMissing as error:
        where = OTHER_KEY if error.details["reason"] == writer_keys.OTHER_KEY else WRITERS_KEY
        return None, [Breach(21, f"marks weren't checked: {error.message}", where)], True


class _LogReader:
    """Reads one log into the books."""

    def __init__(
        self,
        books: Books,
        organisation: str,
        marker: marks.Marker | None,
        begin: "End | None" = None,
    ) -> None:
        begin = begin or End()
        self._books = books
        self._organisation = organisation
        self._marker = marker
        self._begin = begin.size
        self.archived = Told(0, 0, "")
        """Where an archive has bodies that aren't known. Of those that stayed, only what the newest
        one says of a row or a balance is taken."""
        self._connection: Session | None = None
        self._last, self._mark, self._last_at, _ = begin
        self._moved = 0
        self._last_moved = 0
        self._tree = Tree()
        self._leaves: list[bytes] = []

    @property
    def end(self) -> "End":
        """How the log ends, as far as it was read."""
        key = "" if self._marker is None else self._marker.name
        return End(self._last, self._mark, self._last_at, key)

    def read(self, connection: Session, breathe: "Breathe" = lambda: None) -> Breaches:
        self._connection = connection
        every = self._books.past.entries(connection, self._organisation, self._begin)
        for stored, file, other in every:
            breathe()
            expected = self._last + 1
            invariant, problem = self._problem(stored, expected)
            if problem:
                where = f"entry {expected} of {self._organisation}"
                yield Breach(invariant, problem, f"{where} in {file}" if file else where)
            elif other:
                where = f"entry {expected} of {self._organisation} in {other}"
                yield Breach(21, "the database has it otherwise", where)
            if stored.body is None or file:
                self._moved, self._last_moved = self._moved + 1, expected
            self._mark, self._last_at = stored.mark, stored.at
            self._leaves.append(stored.leaf)
            if len(self._leaves) == _TOGETHER:
                self._grow()
        self._grow()
        self._books.heads[self._organisation] = Head(self._tree.size, self._tree.root)

    def _grow(self) -> None:
        self._tree = self._tree.append(self._leaves)
        self._leaves.clear()

    def _problem(self, stored: StoredEntry, expected: int) -> Problem:
        """What is wrong with the entry that follows, which it takes in."""
        self._last = stored.number or expected
        if stored.number != expected:
            return 21, "it was removed, added or renumbered"
        if stored.at < self._last_at and stored.action not in append.GOES_BACK:
            return 21, "its time is before that of the entry before it"
        if self._marker is not None:
            mark = self._marker.mark(self._organisation, expected, stored.leaf, self._mark)
            if mark != stored.mark:
                return 21, _NOT_MARKED
        if stored.body is None:
            return _NONE
        if entry.leaf_of(stored.body) != stored.leaf:
            return 21, "its contents do not match its hash"
        try:
            return self._take(stored, entry.read(stored.number, stored.body))
        except (ValueError, KeyError, TypeError, IndexError):
            return 21, "it cannot be read"

    def _take(self, stored: StoredEntry, found: Entry) -> Problem:
        told = (found.log, found.at, found.action, found.object, found.account, found.case_id)
        case_id = stored.case_id or ""
        columns = (stored.at, stored.action, stored.object, stored.account, case_id)
        problems: list[Problem] = []
        if told != (self._organisation, *columns):
            problems.append((21, "its columns aren't what it says"))
        if found.number <= self.archived.upto:
            self._take_kept(found)
            return next(iter(problems), _NONE)
        place = Place(self._organisation, found.number)
        for row in found.rows:
            self._take_seal(place, row)
        for posted in found.journals:
            problems.append(self._take_journal(place, posted, found.account))  # noqa: PERF401 - it changes the books
        for told_event in found.events:
            self._take_event(told_event.type, told_event.resource)
        if found.error is None and "_" in found.object:
            record = self._books.records[found.object]
            record.account = found.account or record.account
        if self._organisation == DEPLOYMENT:
            self._take_of_deployment(found)
        return next((each for each in problems if each != _NONE), _NONE)

    def _take_kept(self, found: Entry) -> None:
        for name, key, made, *_ in found.rows:
            if name in _LASTING:
                self._books.seals[name][key] = made
                self._books.kept.add((name, key))
        for posted in found.journals:
            for leg in posted.legs:
                if owner(leg.code):
                    balance = Balance(leg.after or 0, leg.version or 0)
                    account = (leg.code, leg.asset, self._organisation)
                    self._books.balances[account] = balance
                    self._books.kept.add(account)
            self._books.records[posted.record].journals += digest_of(posted.kind, posted.legs)
        if self._organisation == DEPLOYMENT:
            self._take_of_deployment(found)

    def _take_of_deployment(self, found: Entry) -> None:
        if found.object == CLOCK:
            self._books.clock.append(found)
        archived = moved.told_by(found)
        if archived is None:
            return
        name, part = archived
        known = self._books.archived[name]
        if known and (known[-1].name, known[-1].upto) == (part.name, part.first - 1):
            part = part._replace(first=known.pop().first)
        known.append(part)

    def _take_seal(self, place: Place, row: list[Any]) -> None:
        known, key = self._books.seals[row[0]], row[1]
        is_certain = self._is_certain(place, (row[0], key))
        if is_certain and known.get(key) != (row[4] if len(row) > 4 else None):
            self._note_written_over(place, row)
        known[key] = row[2]

    def _is_certain(self, place: Place, key: tuple[str, ...]) -> bool:
        """Whether what is known of a row or a balance is what an entry found, which is the last
        word on it from now on. When an archive took entries, the newest one of each stayed."""
        is_certain = place.number > self.archived.size or key not in self._books.kept
        self._books.kept.discard(key)
        return is_certain

    def _note_written_over(self, place: Place, row: list[Any]) -> None:
        """Note a row that an entry found otherwise than the entries before it had left it."""
        name, key = row[0], row[1]
        table, known = _TABLES.get(name), self._books.seals[name]
        if table is None or (self._books.is_partial and key not in known):
            return
        what = CHANGED
        if known.get(key) is None:
            what = PUT_BACK if key in known else INSERTED
        elif len(row) < 5:
            what = DELETED
        self._books.written_over.append(Wrong(table, key, what, place))

    def _take_event(self, kind: str, resource: str) -> None:
        word, _, status = kind.partition(".")
        if word in ("trade", "deposit", "withdrawal"):
            record = self._books.records[resource]
            record.path = intern(f"{record.path}>{status}" if record.path else status)

    def _take_journal(self, place: Place, posted: Posted, account: str | None) -> Problem:
        """1, 2 and 3: a journal balances, and a customer's balances follow one another."""
        name, sums = f"{posted.record}:{posted.kind}", dict[str, int]()
        if not posted.legs:
            return 1, f"the journal {name} has no postings"
        for leg in posted.legs:
            debit = leg.change if is_debit_normal(leg.code) else -leg.change
            sums[leg.asset] = sums.get(leg.asset, 0) + debit
            key = (leg.code, leg.asset, place.organisation)
            known = self._books.balances.get(key) or self._posted_before(key, leg.version)
            atoms, version = known or Balance()
            after = Balance(atoms + leg.change, version + 1)
            self._books.balances[key] = after
            is_certain = self._is_certain(place, key)
            if not leg.code.startswith(CUSTOMER_PREFIX):
                continue
            if owner(leg.code) != account:
                return 16, f"the journal {name} moves a balance of another account"
            if leg != leg._replace(version=after.version, after=after.atoms):
                if is_certain and (known is not None or place.number > self.archived.size):
                    return 3, f"the journal {name} doesn't go on from the balance of {leg.code}"
                self._books.balances[key] = Balance(leg.after or 0, leg.version or 0)
        if any(sums.values()):
            return 1, f"the journal {name} is out of balance"
        self._books.journals += digest_of_place(posted.record, posted.kind, place)
        self._books.records[posted.record].journals += digest_of(posted.kind, posted.legs)
        return _NONE

    def _posted_before(self, key: Account, version: int | None) -> Balance | None:
        """A customer's balance where the log was begun to be read, of which a posting made this
        version; None where there's none, or an archive has it."""
        code, asset, organisation = key
        if self._connection is None or not self._begin or version in (None, 1):
            return None
        earlier = views.posted_before(self._connection, organisation, owner(code), self._begin)
        for posted in earlier:
            for leg in reversed(posted.legs):
                if (leg.code, leg.asset) == (code, asset):
                    return Balance(leg.after or 0, leg.version or 0)
        return None

    def compare(self, state: Any) -> Breaches:
        """21: the row of the log says how it ends."""
        where = f"log {self._organisation}"
        if state is None:
            yield Breach(21, "its end is missing", where)
            return
        archived = max((each.upto for each in self._books.archived[self._organisation]), default=0)
        if self._last_moved > archived:
            yield Breach(
                21,
                "it has no contents, and no archive took them",
                f"entry {self._last_moved} of {self._organisation}",
            )
        if state.archived != archived:
            what = f"its row says that its entries up to {state.archived} were archived, but the "
            what += f"deployment's log says up to {archived}"
            yield Breach(21, what, where)
        told = (state.size, state.mark, state.moved)
        if told != (self._tree.size, self._mark, self._moved):
            what = f"its row says {state.size} entries, of which {state.moved} are archived, but "
            what += f"{self._tree.size} are there, and {self._moved} archived; or another mark"
            yield Breach(21, what, where)
        elif state.size and self._marker is not None and state.marked_with != self._marker.name:
            yield Breach(21, "its row names another key than the writer's", where)
        elif state.last_at != self._last_at:
            newest, said = format_instant(self._last_at), state.last_at
            said = format_instant(said) if isinstance(said, int) else said
            yield Breach(21, f"its newest entry is of {newest}, but its row says {said}", where)

    def compare_end(self, state: Any) -> Breaches:
        """21: the row of the log says how it ends; of a log that was read from an end of it."""
        where = f"log {self._organisation}"
        if state is None:
            yield Breach(21, "its end is missing", where)
            return
        if self._last_moved > state.archived:
            entry = f"entry {self._last_moved} of {self._organisation}"
            yield Breach(21, "it has no contents, and no archive took them", entry)
        if (state.size, state.mark, state.last_at) != self.end[:3]:
            what = f"its row says {state.size} entries, but {self._last} are there; or another mark"
            yield Breach(21, f"{what} or time", where)


def digest_of(kind: str, legs: Iterable[Any]) -> int:
    """A number for a journal's kind and legs, in any order; sums of them can be compared."""
    told = sorted([leg.code, leg.asset, leg.change] for leg in legs)
    return _number(canonical({"kind": kind, "legs": told}))


def digest_of_place(record: str, kind: str, place: Place) -> int:
    return _number(f"{record} {kind} {place.organisation} {place.number}")


def _number(told: str) -> int:
    return int.from_bytes(blake2b(told.encode(), digest_size=16).digest(), "big")


def same(one: int, other: int) -> bool:
    """Whether two sums of numbers are equal."""
    return (one - other) % _WHOLE == 0


def entries_of(connection: Session, books: Books) -> Iterator[Entry]:
    """Every entry of what was read whose body is known, the deployment's log first."""
    names = inspection.organisations_of_entries(connection)
    for organisation in sorted(names, key=lambda name: (name != DEPLOYMENT, name)):
        begin = books.begins.get(organisation, End()).size
        for stored, _, _ in books.past.entries(connection, organisation, begin):
            try:
                if stored.body:
                    yield entry.read(stored.number, stored.body)
            except (ValueError, KeyError, TypeError, IndexError):
                continue  # named by 21
