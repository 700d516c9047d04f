"""One write: the only place that commits.

The effect, its entries in the log and its idempotency record are one commit. A refusal rolls
the effect back, commits one entry (with whatever the refusal itself must remember, such as
an attempt counter) and raises.
"""

import hashlib
import json
import re
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple, TypeVar

from chainteller.domain.actors import WORKER, Actor
from chainteller.domain.clock import format_instant
from chainteller.domain.ids import Prefix, new_id, plausible
from chainteller.domain.pasted_secrets import find_secret
from chainteller.domain.policy import CASE_FORM, CasePolicy, CaseWanted
from chainteller.domain.rules import Rule
from chainteller.engine.core import timekeeping
from chainteller.engine.core.context import EngineContext
from chainteller.service.errors import (
    BooksDisputed,
    CaseRequired,
    IdempotencyInProgress,
    IdempotencyKeyReused,
    ServiceError,
    ServiceUnavailable,
    ValidationFailed,
)
from chainteller.service.models.base import WireModel, Written
from chainteller.service.operations import Call, Write
from chainteller.service.told import as_answered
from chainteller.storage.db.errors import DatabaseError
from chainteller.storage.db.faults import (
    LOCK_TIMED_OUT,
    explain,
    is_lost,
    is_transient,
    sqlstate,
    unavailable,
)
from chainteller.storage.db.group_commit import Keep
from chainteller.storage.db.query import Record, Session
from chainteller.storage.db.records import Tables
from chainteller.storage.log import append
from chainteller.storage.log.entry import Act, Posted, Stamp, Told
from chainteller.storage.log.rows import DEPLOYMENT, Writer
from chainteller.storage.log.sealing import Seal
from chainteller.storage.log.verified_state import Followed
from chainteller.storage.queries import accounts, idempotency, jobs, organisations, wallets
from chainteller.storage.queries.clock import FinderWithTime
from chainteller.storage.queries.epochs import MOVED, SUBJECT

Model = TypeVar("Model", bound=WireModel)
Result = TypeVar("Result")
TRIES = 5
_FIRST_PAUSE_S = 0.01
_MOST_S = 8
"""How long a write is tried again."""
_UNTOLD_INPUTS = frozenset({"completed_challenge", "statement", "content", "lines"})
_HARMLESS = re.compile(r"[A-Za-z0-9@._:-]{1,32}", re.ASCII)
_MAXIMUM_KEY_LENGTH = 255
_MAXIMUM_ACTOR_LENGTH = 128
WORK = "work"
"""The action of an entry that only says what was written."""


def fingerprint(call: Call[Written[Model]]) -> str:
    """What a request asks for, without its key."""
    # Escaped to ASCII, because a request's text may hold what UTF-8 cannot.
    body = call.request.model_dump(by_alias=True) if call.request else {}
    return hashlib.sha256(json.dumps([call.ids, body]).encode()).hexdigest()


def audited_inputs(request: WireModel | None) -> dict[str, Any]:
    """What the audit trail keeps of a request that was done: never a signature, what a customer
    states in their own words, what a note says, nor the customers of an import. Rows have what may
    be erased."""
    if request is None:
        return {}
    return request.model_dump(by_alias=True, exclude=set(_UNTOLD_INPUTS), exclude_none=True)


@dataclass(slots=True)
class UnitOfWork:
    """A write under way. ``now`` is read once, after the rows that decide were locked."""

    context: EngineContext
    connection: Session
    actor: Actor
    keep: Keep
    rows: Writer
    """Through which everything is written, so that it is sealed."""
    balances: dict[tuple[str, str], tuple[int, int]] = field(default_factory=dict)
    """Ledger accounts read under lock in this write: (code, asset) to (balance, version)."""
    locked_accounts: set[str] = field(default_factory=set)
    """Trading accounts of which ``balances`` has all."""
    journals: list[Posted] = field(default_factory=list)
    """What was posted and no entry says yet."""
    created: bool = True
    """Whether the record is new, of an operation that creates one."""
    audited_object: str = ""
    audited_account: str | None = None
    """The trading account that was locked for this write: its trail shows what was done."""
    case_id: str = ""
    """The bank's number of the case that it's for."""
    timeless: bool = False
    """Whether it may be done while time is uncertain: it neither pays, prices nor expires."""
    marks_provider: str = ""
    """The address of the provider that this write puts the database in front of."""
    _time: timekeeping.Reading | None = None
    _now: int | None = None
    _followed: Followed | None = None
    _acts: dict[str, list[Act]] = field(default_factory=dict)
    """What was done, by log."""
    _events: dict[str, list[Told]] = field(default_factory=dict)
    """Events that no act has yet, by log."""
    remember_refused: Callable[["UnitOfWork"], None] | None = None
    refused_about: str = ""
    _rule: Rule | None = None

    @property
    def time(self) -> timekeeping.Reading:
        """What time it is, read once. Raises ClockUncertain."""
        found = self._time or self._take_time(timekeeping.read(self.context.time, self.connection))
        if found.doubt is not None and not self.timeless:
            raise found.refusal()
        return found

    @property
    def now(self) -> int:
        """The instant of this write; in an epoch, never before any that was committed earlier.
        Raises ClockUncertain: the write depends on what time it is."""
        if self._now is None:
            self._now = self.time.now
        return self._now

    @property
    def followed(self) -> Followed:
        """What the logs say, read once. Raises WriterKeyMissing."""
        if self._followed is None:
            state = self.context.state
            self._followed = state.follow(self.connection, self.organisation_id)
        return self._followed

    def row_with_time(self, find: FinderWithTime, **values: str) -> Record | None:
        """A row, and the time in the same statement."""
        row, reading = timekeeping.read_with(self.context.time, self.connection, find, **values)
        if reading is not None:
            self._take_time(reading)
        return row

    def _take_time(self, reading: timekeeping.Reading) -> timekeeping.Reading:
        """Share the anchor, and note where time went ahead of elapsed time, before anything is
        stamped with it."""
        self._time = reading
        ahead = timekeeping.store(self.context.time, self.rows, reading)
        if ahead:
            told = {"clock": format_instant(reading.clock), "microseconds": ahead}
            for name in organisations.everything(self.connection):
                self._add(Act(MOVED, WORKER.name, SUBJECT, inputs=told), name)
            self._add(Act(MOVED, WORKER.name, SUBJECT, inputs=told), DEPLOYMENT)
        return reading

    def time_ahead(self) -> None:
        """Read the time in the round trip of the next statement, after the rows it locks."""
        timekeeping.read_ahead(self.context.time, self.connection)

    def begin_epoch(self, instant: int) -> None:
        """Go on at an instant that may be before those of earlier writes."""
        self._now = instant

    @property
    def organisation_id(self) -> str:
        return self.actor.organisation

    def new_id(self, prefix: Prefix) -> str:
        return new_id(prefix, self.context.randomness)

    def after(self, delay_s: float) -> int:
        return self.now + round(delay_s * 1_000_000)

    def event(self, event_type: str, resource: str, **data: object) -> None:
        """Tell a change; ``data`` carries wire names and no secrets."""
        self._events.setdefault(self.organisation_id, []).append(Told(event_type, resource, data))

    def audit(
        self,
        action: str,
        subject: str,
        inputs: Mapping[str, Any] | None = None,
        *,
        error: str | None = None,
    ) -> None:
        """Put on record what was done or refused, with the events that no other act has told."""
        shown = subject if plausible(subject) else ""
        act = Act(action, self.name, shown, self.audited_account, inputs or {}, error)
        self._add(act, self.organisation_id)

    @property
    def is_told(self) -> bool:
        """Whether something is on record already that this write did."""
        return bool(self._acts or self._events)

    def report(self, acts: Iterable[Act]) -> None:
        """Put acts on record that are only reported now, with their own instants."""
        self._acts.setdefault(self.organisation_id, []).extend(acts)

    def note(self, action: str, subject: str = "", /, **fields: object) -> None:
        """Put something on record that belongs to no organisation, in the deployment's log alone:
        a removal, an archive."""
        self._add(Act(action, self.name, subject, inputs=fields), DEPLOYMENT)

    def _add(self, act: Act, log: str) -> None:
        told = tuple(self._events.pop(log, ()))
        self._acts.setdefault(log, []).append(act._replace(events=told))

    @property
    def name(self) -> str:
        """Who acts, as far as rows and entries have room for it."""
        return self.actor.name[:_MAXIMUM_ACTOR_LENGTH]

    def schedule(self, kind: str, reference: str, run_at: int) -> None:
        jobs.schedule(self.rows, kind, reference, run_at)

    def under_rule(self) -> None:
        """Note that the settings in force decided; the entry names their version."""
        self._rule = self.context.rule

    def when_refused(self, remember: Callable[["UnitOfWork"], None], about: str = "") -> None:
        """What a refusal of this write leaves behind, in the refusal's own commit, and the record
        that this is about, if it isn't the one that the call names."""
        self.remember_refused, self.refused_about = remember, about

    def commit_refusal(self, record: "UnitOfWork") -> None:
        """Commit what a refusal of this write leaves behind, and nothing else."""
        if self.remember_refused is not None:
            self.remember_refused(record)
        record.commit()

    def commit(self) -> None:
        """Raises ClockUncertain: the clock was set since ``now`` was read. ServiceUnavailable:
        OTHER_PROVIDER, the database isn't the gateway's, or the bank's, that this process is."""
        if self._time is not None and not self.timeless:
            timekeeping.require_steady(self.context.time, self._time)
        if not (self._acts or self._events or self.rows.seals or self.journals):
            self.keep(None)
            return
        at, own = self.now, self.organisation_id
        end = append.lock(self.connection, own)
        provider = self.context.provider
        mine = self.marks_provider or ("" if provider is None else provider.address)
        if end.provider != mine:
            raise _of_another_provider(end.provider, mine)
        rule_id = self._rule.id if self._rule else ""
        stamp = Stamp(self.actor.key_id, rule_id, self.actor.agent_id, self.case_id)
        append.append(self.rows, {own: end}, self._whole_acts(), at, stamp)
        self.keep(end.transaction)

    def _whole_acts(self) -> dict[str, list[Act]]:
        """The acts by log. A row's seal is in the last act about the row, by which it's found, else
        in the last one of its log, as are the events and journals that no other one has."""
        if self._rule is not None:
            self._store_rule(self._rule)
        own, acts, events = self.organisation_id, self._acts, self._events
        seals: dict[str, list[Seal]] = {}
        for name, found in self.rows.take().items():
            seals.setdefault(name or own, []).extend(found.values())
        main = next((each[-1].action for each in acts.values()), WORK)
        for name in {*acts, *events, *seals, *([own] if self.journals else ())}:
            mine = acts.setdefault(name, [])
            if not mine:
                told = next(iter(events.get(name, ())), Told(main, "", {}))
                mine.append(Act(told.type, self.name, told.resource))
            last, journals = mine[-1], self.journals if name == own else ()
            mine[-1] = last._replace(
                events=(*last.events, *events.get(name, ())),
                journals=(*last.journals, *journals),
            )
            acts[name] = _with_seals(mine, seals.get(name, ()))
        if own in acts:
            acts[own] = [_about(each, each.account or self.audited_account) for each in acts[own]]
        return acts

    def _store_rule(self, rule: Rule) -> None:
        """Store a version of the settings, if it's new. One that another write has stored is
        remembered."""
        known = self.context.database.known_rules
        if rule.id not in known:
            row = {"id": rule.id, "body": rule.body, "since": self.now}
            if not self.rows.insert_if_new(Tables.rule, row):
                known.add(rule.id)


def _of_another_provider(stored: str, mine: str) -> ServiceUnavailable:
    """A gateway writes to its own database alone, and a bank's server to no gateway's: it may have
    been opened while the database couldn't say whose it is."""
    stored, mine = (f"in front of {each}" if each else "the bank's own" for each in (stored, mine))
    return unavailable(
        "OTHER_PROVIDER",
        f"The database is {stored}; this process was started for one that is {mine}. "
        "Nothing was changed.",
        "Start it again. If that changes nothing, run: chainteller db verify.",
    )


def _with_seals(acts: list[Act], seals: Iterable[Seal]) -> list[Act]:
    """Acts with the seals of what was written."""
    if len(acts) == 1:
        return [acts[0]._replace(rows=(*acts[0].rows, *seals))]
    rows: list[list[Seal]] = [[] for _ in acts]
    places = {each.object: at for at, each in enumerate(acts) if each.object}
    for seal in seals:
        rows[max(places.get(each, -1) for each in seal.key.split(" "))].append(seal)
    return [each._replace(rows=(*each.rows, *rows[at])) for at, each in enumerate(acts)]


def _about(act: Act, account: str | None) -> Act:
    """An act in the trail of a trading account, which its events name."""
    if account is None:
        return act
    named = {"tradingAccountId": account}
    told = tuple(each._replace(data=named | dict(each.data)) for each in act.events)
    return act._replace(account=account, events=told)


def now(context: EngineContext, connection: Session) -> int:
    """The present instant as far as it's known; in an epoch, never before an earlier write's."""
    return timekeeping.read(context.time, connection).now


def write(
    context: EngineContext,
    actor: Actor,
    call: Call[Written[Model]],
    work: Callable[..., Model],
    *arguments: Any,
    timeless: bool = False,
    is_begun: bool = False,
) -> Written[Model]:
    """Run ``work`` with a unit of work and the arguments as one transaction, once per idempotency
    key. Whatever the policy wants of a case now, one that ``is_begun`` is finished.

    Raises:
        ClockUncertain: time is uncertain, and the operation is not ``timeless``.
        CaseRequired: a person does it, and the policy wants a case.
        ServiceError: whatever ``work`` refuses, after the refusal was recorded.
        ServiceUnavailable: the database cannot be used; nothing was changed.
    """
    key = checked_key(call.key)
    if not is_begun:
        check_case(context.options.policy.case, actor, call)
    found = _in_transaction(
        context,
        actor,
        partial(_attempt, call, key, work, arguments),
        actor.organisation,
        timeless=timeless,
        case_id=call.case_id,
    )
    if isinstance(found, Written):
        return found
    answer = _in_transaction(
        context, actor, partial(_refuse, call, key, found), timeless=True, case_id=call.case_id
    )
    if isinstance(answer, ServiceError):
        raise answer
    return answer


class _Refused(NamedTuple):
    """Why a write was refused, and what it was."""

    error: ServiceError
    transaction: UnitOfWork


def _in_transaction(
    context: EngineContext,
    actor: Actor,
    unit: Callable[[UnitOfWork], Result],
    among: str = "",
    **known: Any,
) -> Result:
    """Run a unit that commits what it did, on PostgreSQL together with others ``among`` those of an
    organisation. It runs again from its start after a deadlock, a lock that took too long or a
    connection lost before the commit; it has no effect outside. ``known`` is what its
    ``UnitOfWork`` says from the beginning.

    Raises:
        ServiceUnavailable: the database cannot be used.
    """

    def run(connection: Session, keep: Keep) -> Result:
        return unit(UnitOfWork(context, connection, actor, keep, Writer(connection), **known))

    until = time.monotonic() + _MOST_S
    for attempt in range(TRIES):
        try:
            return context.database.transact(run, among)
        except DatabaseError as error:
            may_succeed = is_transient(error) or is_lost(error)
            if not may_succeed or attempt == TRIES - 1 or time.monotonic() > until:
                raise explain(error) from error
        time.sleep(_FIRST_PAUSE_S * 2**attempt)
    raise AssertionError("unreachable: the last attempt returns or raises")


def _attempt(
    call: Call[Written[Model]],
    key: str | None,
    work: Callable[..., Model],
    arguments: tuple[Any, ...],
    transaction: UnitOfWork,
) -> Written[Model] | _Refused:
    """Do the work, and keep its outcome under the key unless that has one already: then nothing of
    this counts (``_refuse``). So a key costs no read, and no wait before the work."""
    try:
        result = work(transaction, *arguments)
        is_created = transaction.created and call.operation.creates is not None
        transaction.audited_account = transaction.audited_account or _account(transaction, call)
        if key is not None:
            outcome = {
                "organisation_id": transaction.organisation_id,
                "operation": call.operation.name,
                "key": key,
                "fingerprint": fingerprint(call),
                "created_record": is_created,
                "body": idempotency.body_of(result.to_short_json()),
                "at": transaction.now,
            }
            transaction.rows.insert_once(Tables.idempotency, outcome, in_progress(key))
        subject = transaction.audited_object or _subject(call)
        transaction.audit(call.operation.name, subject, audited_inputs(call.request))
        try:
            transaction.commit()
        except DatabaseError as error:  # a repetition waits for the first one, but not for ever
            if key is None or sqlstate(error) != LOCK_TIMED_OUT:
                raise
            raise in_progress(key) from error
    except ServiceUnavailable:
        raise
    except ServiceError as error:
        return _Refused(error, transaction)
    return Written(result, created=is_created)


def in_progress(key: str) -> IdempotencyInProgress:
    return IdempotencyInProgress("The first request with this key has no answer yet.", {"key": key})


def _subject(call: Call[Written[Model]]) -> str:
    return call.ids[-1] if call.ids else ""


def _account(transaction: UnitOfWork, call: Call[Written[Model]]) -> str | None:
    """The trading account named in a write's body, else first in its path, itself or by a
    blockchain account of it."""
    named = getattr(call.request, "trading_account_id", None) or (call.ids[0] if call.ids else "")
    if not plausible(named):
        return None
    connection, organisation_id = transaction.connection, transaction.organisation_id
    if named.startswith(f"{Prefix.TRADING_ACCOUNT}_"):
        own = accounts.find(connection, organisation_id, named)
        return None if own is None else str(own.id)
    if named.startswith(f"{Prefix.BLOCKCHAIN_ACCOUNT}_"):
        custody = wallets.find_account(connection, organisation_id, named)
        return None if custody is None else str(custody.trading_account_id)
    return None


def _refuse(
    call: Call[Written[Model]], key: str | None, refused: _Refused, record: UnitOfWork
) -> Written[Model] | ServiceError:
    """The answer to a refused write: what its key was answered first, else why it's refused."""
    error, transaction = refused
    first = _answered_first(record.connection, record.organisation_id, call, key)
    if isinstance(first, Written):
        return first
    if first is not None:  # nothing of what was begun counts, so it isn't about that either
        error, transaction = first, record
    elif transaction.remember_refused is not None:
        transaction.remember_refused(record)
    _record_refusal(record, call, error, transaction)
    return error


def repeated(
    context: EngineContext, actor: Actor, call: Call[Written[Model]]
) -> Written[Model] | None:
    """What a write was answered first under its key, also while nothing can be done; None where it
    wasn't, or nothing can be read."""
    key = checked_key(call.key)
    with suppress(ServiceUnavailable), context.database.read() as connection:
        first = _answered_first(connection, actor.organisation, call, key)
        return first if isinstance(first, Written) else None
    return None


def _answered_first(
    connection: Session, organisation_id: str, call: Call[Written[Model]], key: str | None
) -> Written[Model] | IdempotencyKeyReused | None:
    """What a key was answered first, or the refusal of a key of another request; None where the
    key is new. Raises BooksDisputed: somebody altered the answer, and it can't be read."""
    if key is None:
        return None
    first = idempotency.find(connection, organisation_id, call.operation.name, key)
    if first is None:
        return None
    if first.fingerprint != fingerprint(call):
        return IdempotencyKeyReused(
            "This idempotency key was used for another request.",
            {"key": key, "firstUsedAt": format_instant(first.at)},
        )
    try:
        value = as_answered(call.operation.response, idempotency.answer_of(first))
    except ValueError:
        raise BooksDisputed(
            "Nothing was done: the answer that is kept under this key was altered."
        ) from None
    return Written(value, created=first.created_record, replayed=True)


def _record_refusal(
    record: UnitOfWork, call: Call[Written[Model]], error: ServiceError, refused: UnitOfWork
) -> None:
    """Commit what a refused write leaves: one entry and what it must remember.

    Of the inputs only short words are kept, and no secret in a wrong field.
    """
    harmless = {
        name: value
        for name, value in audited_inputs(call.request).items()
        if isinstance(value, str) and _is_harmless(value)
    }
    subject = refused.refused_about or _subject(call)
    record.audited_account = refused.audited_account or _account(record, call)
    shown = subject if _is_harmless(subject) else ""
    record.audit(call.operation.name, shown, harmless, error=error.code)
    record.commit()


def _is_harmless(text: str) -> bool:
    return _HARMLESS.fullmatch(text) is not None and find_secret(text) is None


def check_case(policy: CasePolicy, actor: Actor, call: Call[Any]) -> None:
    """Raises CaseRequired, or ValidationFailed for a case of another form."""
    if call.case_id:
        if not policy.accepts(call.case_id):
            form = f"as the policy says: {policy.pattern}" if policy.pattern else CASE_FORM
            raise ValidationFailed.of("case", form)
        return
    wanted = policy.wanted is CaseWanted.REQUIRED and actor.is_person
    if wanted and isinstance(call.operation, Write) and call.operation.section.has_case:
        raise CaseRequired


def checked_key(key: str | None) -> str | None:
    """The key without the quotes of a structured header; 1 to 255 visible ASCII characters."""
    if key is None:
        return None
    bare = key[1:-1] if len(key) > 2 and key[0] == key[-1] == '"' else key
    is_visible = bare.isascii() and bare.isprintable() and " " not in bare
    if not 1 <= len(bare) <= _MAXIMUM_KEY_LENGTH or not is_visible:
        raise ValidationFailed.of("Idempotency-Key", "1 to 255 visible ASCII characters")
    return bare


def work_unit(context: EngineContext, actor: Actor, work: Callable[[UnitOfWork], bool]) -> bool:
    """Run one piece of the service's own due work; ``work`` says whether there was any.

    Raises:
        ServiceError: what ``work`` refuses; what that must remember is committed.
        ServiceUnavailable: the database cannot be used; nothing was changed.
    """

    def unit(transaction: UnitOfWork) -> bool | _Refused:
        try:
            done = work(transaction)
        except ServiceError as error:
            if transaction.remember_refused is None:
                raise
            return _Refused(error, transaction)
        if done:
            transaction.commit()
        return done

    found = _in_transaction(context, actor, unit)
    if isinstance(found, bool):
        return found
    error, refused = found
    _in_transaction(context, refused.actor, refused.commit_refusal, timeless=True)
    raise error


def act(
    context: EngineContext,
    actor: Actor,
    work: Callable[[UnitOfWork], object],
    *,
    timeless: bool = False,
) -> None:
    """Run and commit ``work`` as the service's own. Raises as ``work_unit``, and ClockUncertain
    where it reads the time and isn't ``timeless``."""

    def unit(transaction: UnitOfWork) -> bool:
        transaction.timeless = timeless
        work(transaction)
        return True

    work_unit(context, actor, unit)
