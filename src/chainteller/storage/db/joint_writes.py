"""Group commit on PostgreSQL: concurrent writes of an organisation share a transaction.

All writes of an organisation lock the end of its log until they commit, and each by itself would
have it for a round trip. So units that arrive while others write form the next group: one
transaction on one connection. Each unit runs on its own thread, and where all of them wait for
results, what they ask goes to the database in one round trip: what they read, then what they write
with the end of the log, then their entries with the commit.

It is as if each had a transaction of its own. Nothing is written before all have read, so none
sees what another one wrote; and no row is locked for two of them. A unit that reads after it wrote,
or wants a row that another one has locked, runs alone. So do all if the database refuses anything.
"""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from typing import Any, NoReturn, TypeVar, cast

from chainteller.storage.db.errors import DatabaseError
from chainteller.storage.db.group_commit import MOST_TOGETHER, Begin, Commit, Unit
from chainteller.storage.db.pipeline import Step
from chainteller.storage.db.pipelined import PipelinedSession
from chainteller.storage.db.query import Form, Found, Shared, Statement, Values
from chainteller.storage.db.records import Tables

Result = TypeVar("Result")
_LINGER = 1 / 16
"""For how much of the time that a group took the next one waits for those who were in it."""
_MOST_S = 3.0
"""How long a unit waits for others of its group that send nothing."""
_PATIENCE_S = 1.0
"""How long the next group waits for one that takes its time, as where a row is locked for long."""
_NOTHING = Found((), 0)


class _Apart(Exception):
    """The unit can't be part of the group; nothing of it was done."""


class JointWriters:
    """The writers of one PostgreSQL database in this process. ``begin`` opens a write transaction,
    rolled back unless it is committed; ``shared`` is what its sessions share."""

    def __init__(self, begin: Begin, shared: Shared) -> None:
        self._begin = begin
        self._shared = shared
        self._turns: dict[str, _Turns] = {}

    def run(self, unit: Unit[Result], commit: Commit, among: str) -> Result:
        """Run a unit; returns its result or raises its error, after the commit.

        Args:
            among: the organisation whose units may share the commit; empty for one that runs alone.

        Raises:
            DatabaseError: the commit failed; nothing was changed.
            ServiceUnavailable: the database can't be used.
        """
        if among:
            turns = self._turns.setdefault(among, _Turns(self._begin, self._shared))
            with suppress(_Apart), turns.joined() as group:
                if group.size > 1:
                    return group.run(unit, commit)
                return self._alone(unit, commit)
        return self._alone(unit, commit)

    def _alone(self, unit: Unit[Result], commit: Commit) -> Result:
        with self._begin() as session:
            return unit(session, partial(commit, session))


class _Turns:
    """The groups of one organisation, one after the other unless one takes long."""

    def __init__(self, begin: Begin, shared: Shared) -> None:
        self._begin, self._shared = begin, shared
        self._changed = threading.Condition()
        self._forming: _Group | None = None
        self._running: _Group | None = None
        self._expected = 0
        """How many the next group waits for, until ``_until``."""
        self._until = 0.0

    @contextmanager
    def joined(self) -> Iterator["_Group"]:
        """The group that this thread is in, when its turn has come. Raises _Apart: it's full."""
        group = self._joined()
        try:
            yield group
        finally:
            self._leave(group)

    def _joined(self) -> "_Group":
        with self._changed:
            if self._forming is None:
                self._forming = _Group(self._begin, self._shared)
            group = self._forming
            if group.size == MOST_TOGETHER:
                raise _Apart
            group.size += 1
            if group.size == self._expected:
                self._changed.notify_all()
            while group is self._forming:
                left = self._begins(group) - time.monotonic()
                if left > 0:
                    self._changed.wait(left)
                else:
                    self._forming, self._running = None, group
                    group.start()
                    self._changed.notify_all()
        return group

    def _begins(self, group: "_Group") -> float:
        """When a group's turn comes, as far as is known now."""
        if self._running is not None:
            return self._running.started + _PATIENCE_S
        return self._until if group.size < self._expected else 0.0

    def _leave(self, group: "_Group") -> None:
        with self._changed:
            group.present -= 1
            if not group.present:
                now, following = time.monotonic(), self._forming
                if self._running is group:
                    self._running = None
                self._expected = group.size + (following.size if following else 0)
                self._until = now + (now - group.started) * _LINGER
                self._changed.notify_all()


class _Group:
    """Units that are written together, each by its own thread."""

    def __init__(self, begin: Begin, shared: Shared) -> None:
        self.size = self.present = 0
        """How many they are, and how many haven't left."""
        self.started = 0.0
        self.shared = shared
        self._begin = begin
        self._transaction = ExitStack()
        self._session: PipelinedSession | None = None
        self._changed = threading.Condition()
        self._working = 0
        """How many threads don't wait; the last one that has to sends what all of them ask."""
        self._asking: list[_Member] = []
        self._locked: dict[tuple[Any, ...], _Member] = {}
        """Who has locked a row."""
        self._lines: dict[str, list[_Member]] = {}
        """Who has the end of a log, and who waits for it."""
        self._left: dict[str, object] = {}
        self._kept: list[_Member] = []
        self._commit: Commit
        self._is_decided = False
        self._failed: BaseException | None = None

    def start(self) -> None:
        self.present = self._working = self.size
        self.started = time.monotonic()

    def run(self, unit: Unit[Result], commit: Commit) -> Result:
        """As ``JointWriters.run``. Raises _Apart."""
        member, self._commit = _Member(self), commit
        error: BaseException | None = None
        value: Any = None
        try:
            value = unit(member, member.keep)
        except BaseException as raised:  # noqa: BLE001 - raised when it's known whether it counts
            error = raised
        with self._changed:
            self._end(member, is_kept=member.is_kept and error is None)
            if not isinstance(error, _Apart):
                self._until(lambda: self._is_decided)
                error = self._failed or error
        if error is not None:
            raise error
        result: Result = value
        return result

    def answers(self, member: "_Member", steps: Sequence[Step]) -> list[Found]:
        """What the database answers to a member's steps. Raises _Apart."""
        with self._changed:
            member.steps = steps
            self._asking.append(member)
            self._wait(lambda: member not in self._asking)
            if member.is_late:
                raise _Apart
            return member.found

    def turn(self, member: "_Member", name: str) -> object:
        """Wait until the members before this one are done with the end of a log; what the last of
        them left, or None. Raises _Apart."""
        with self._changed:
            line = self._lines.setdefault(name, [])
            if member not in line:
                line.append(member)
            if line[0] is not member:
                self._wait(lambda: line[0] is member)
            return self._left.get(name)

    def leave(self, name: str, what: object) -> None:
        self._left[name] = what

    @property
    def session(self) -> PipelinedSession:
        """The transaction of all, begun when it's first needed."""
        with self._changed:
            if self._session is None:
                begun = self._transaction.enter_context(self._begin())
                self._session = cast("PipelinedSession", begun)
            return self._session

    def _wait(self, until: Callable[[], bool]) -> None:
        self._working -= 1
        self._go_on()
        self._until(lambda: self._is_decided or until())
        if self._is_decided:
            raise _Apart

    def _until(self, holds: Callable[[], bool]) -> None:
        if not self._changed.wait_for(holds, _MOST_S):
            self._fail(_Apart())

    def _end(self, member: "_Member", *, is_kept: bool) -> None:
        if is_kept:
            self._kept.append(member)
        elif member.is_at_end:  # it's written already
            self._fail(_Apart())
        for line in self._lines.values():
            if member in line:
                is_next = line[0] is member and len(line) > 1
                line.remove(member)
                self._working += is_next
        self._working -= 1
        self._go_on()
        self._changed.notify_all()

    def _go_on(self) -> None:
        """Do what all wait for, if they do."""
        while not (self._working or self._is_decided):
            try:
                if self._asking:
                    self._ask([each for each in self._asking if not each.is_at_end] or self._asking)
                elif any(self._lines.values()):
                    self._fail(_Apart())  # they wait for one another
                else:
                    self._decide()
            except DatabaseError:
                self._fail(_Apart())
            except BaseException as error:
                self._fail(error)
                raise

    def _ask(self, asking: Sequence["_Member"]) -> None:
        """Send in one round trip what some ask. Who finds a row that another one has locked isn't
        answered."""
        is_at_end = asking[0].is_at_end
        sent = [(each, at, step) for each in asking for at, step in enumerate(each.steps)]
        # In an order that is the same in every process: what reads the time comes after the locks,
        # and the ends of the logs after all else that is locked.
        sent.sort(key=lambda asked: (bool(_locks(asked[2])) is is_at_end, _named(asked[2])))
        for each in asking:
            each.found = [_NOTHING] * len(each.steps)
        found = self.session.run([step for _, _, step in sent])
        for (each, at, step), answer in zip(sent, found, strict=True):
            if not is_at_end and any(
                self._locked.setdefault(row, each) is not each for row in _rows(step, answer)
            ):
                each.is_late = True
            each.found[at] = answer
        self._asking = [each for each in self._asking if each not in asking]
        self._working += len(asking)
        self._changed.notify_all()

    def _decide(self) -> None:
        """Commit what was kept."""
        if self._session is not None and self._kept:
            self._session.waiting = [step for each in self._kept for step in each.waiting]
            numbers = (each.transaction for each in self._kept)
            self._commit(self._session, next(filter(None, numbers), None))
        self._over()

    def _fail(self, error: BaseException) -> None:
        self._failed = error
        self._over()

    def _over(self) -> None:
        self._is_decided = True
        self._transaction.close()
        self._changed.notify_all()


class _Member(PipelinedSession):
    """A unit's part of the transaction that its group shares. Raises _Apart."""

    def __init__(self, group: _Group) -> None:
        super().__init__(group.shared)
        self._group = group
        self.steps: Sequence[Step] = ()
        self.found: list[Found] = []
        self.is_late = False
        """Whether it wants a row that another one has locked."""
        self.is_at_end = False
        """Whether it only writes any more."""
        self.is_kept = False
        self.transaction: str | None = None

    def keep(self, number: str | None) -> None:
        self.is_kept, self.transaction = True, number

    def last(self, name: str, query: Statement, values: Values) -> Any:
        self.is_at_end = True
        self.ahead_of_turn.clear()
        row = self.execute(query, values).first()
        left = self._group.turn(self, name)
        return row if left is None else left

    def run_alone(self) -> None:
        raise _Apart

    def leave(self, name: str, what: object) -> None:
        self._group.leave(name, what)

    @property
    def server(self) -> dict[str, str | int]:
        return self._group.session.server

    def run(self, steps: Sequence[Step]) -> list[Found]:
        reads = all(isinstance(each.what, Form) and not each.what.writes for each in steps)
        if not (reads or self.is_at_end):
            raise _Apart
        return self._group.answers(self, steps)

    def stream(self, *_: object, **__: object) -> NoReturn:
        raise _Apart

    @property
    def driver(self) -> NoReturn:
        raise _Apart

    def commit(self) -> NoReturn:
        raise _Apart

    rollback = commit

    def close(self) -> None:
        """The group does that."""


def _locks(step: Step) -> str:
    """The table whose rows a step locks, if it locks any."""
    return step.what.locks if isinstance(step.what, Form) else ""


def _named(step: Step) -> list[str]:
    """What names the rows that a step locks, beside their organisation."""
    form = step.what
    if not _locks(step) or isinstance(form, str):
        return []
    given = zip(form.names, step.values, strict=True)
    return [str(value) for name, value in given if not name.startswith("organisation")]


def _rows(step: Step, found: Found) -> Iterator[tuple[Any, ...]]:
    """The rows that a step has locked, by their table's key, or as they are if it wasn't read."""
    table = _locks(step)
    if table:
        key = getattr(Tables, table).key
        for row in found.rows:
            named = row._asdict()
            yield table, *(map(named.__getitem__, key) if named.keys() >= {*key} else row)
