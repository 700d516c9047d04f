"""One write: the only place that commits.

The effect, its audit row, its events and its idempotency record are one commit. A refusal rolls
the effect back, commits one audit row (with whatever the refusal itself must remember, such as
an attempt counter) and raises.
"""

import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

import stamina
from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from chainteller.domain.actors import DEFAULT_ORGANISATION, WORKER, Actor
from chainteller.domain.clock import format_instant
from chainteller.domain.ids import Prefix, new_id, plausible
from chainteller.domain.rules import Rule, rule_of
from chainteller.engine import timekeeping
from chainteller.engine.context import EngineContext
from chainteller.engine.pasted_secrets import is_secret, require_no_secret
from chainteller.service.errors import (
    IdempotencyInProgress,
    IdempotencyKeyReused,
    ServiceError,
    ServiceUnavailable,
    ValidationFailed,
)
from chainteller.service.models.base import WireModel, Written
from chainteller.service.operations import Call
from chainteller.storage import accounts, chain, commits, idempotency, jobs, numbering, wallets
from chainteller.storage.epochs import MOVED
from chainteller.storage.faults import (
    LOCK_TIMED_OUT,
    explain,
    is_lost,
    is_transient,
    sqlstate,
)
from chainteller.storage.groups import Keep
from chainteller.storage.log import Stamp
from chainteller.storage.numbering import OnRecord
from chainteller.storage.rows import Writer

Model = TypeVar("Model", bound=WireModel)
Result = TypeVar("Result")
_Rows = Sequence[Mapping[str, Any]]
TRIES = 5
_SECRET_INPUTS = frozenset({"completed_challenge", "statement"})
_HARMLESS = re.compile(r"[A-Za-z0-9@._:-]{1,32}", re.ASCII)
_MAXIMUM_KEY_LENGTH = 255
_MAXIMUM_ACTOR_LENGTH = 128


def _fingerprint(call: Call[Written[Model]]) -> str:
    # Escaped to ASCII, because a request's text may hold what UTF-8 cannot.
    body = call.request.model_dump(by_alias=True) if call.request else {}
    return hashlib.sha256(json.dumps([call.ids, body]).encode()).hexdigest()


def _inputs(call: Call[Written[Model]]) -> dict[str, Any]:
    return {} if call.request is None else audited_inputs(call.request)


def audited_inputs(request: WireModel) -> dict[str, Any]:
    """What the audit trail keeps of a request that was done: never a signature, nor what a customer
    states in their own words."""
    return request.model_dump(by_alias=True, exclude=set(_SECRET_INPUTS), exclude_none=True)


@dataclass(slots=True)
class UnitOfWork:
    """A write under way. ``now`` is read once, after the rows that decide were locked."""

    context: EngineContext
    connection: Connection
    actor: Actor
    keep: Keep
    rows: Writer
    """Through which everything is written, so that it is sealed."""
    balances: dict[tuple[str, str], tuple[int, int]] = field(default_factory=dict)
    """Ledger accounts read under lock in this write: (code, asset) to (balance, version)."""
    bank_postings: list[dict[str, Any]] = field(default_factory=list)
    """Postings to the bank's own accounts, which are numbered with what is put on record."""
    created: bool = True
    audited_object: str = ""
    audited_account: str | None = None
    """The trading account that was locked for this write: its trail shows what was done."""
    timeless: bool = False
    """Whether it may be done while time is uncertain: it neither pays, prices nor expires."""
    _time: timekeeping.Reading | None = None
    _now: int | None = None
    _audit: list[dict[str, Any]] = field(default_factory=list)
    _events: list["_Event"] = field(default_factory=list)
    _notes: list[dict[str, Any]] = field(default_factory=list)
    _when_refused: Callable[["UnitOfWork"], None] | None = None
    _rule: Rule | None = None

    @property
    def time(self) -> timekeeping.Reading:
        """What time it is, read once. Raises ClockUncertain."""
        if self._time is None:
            self._time = timekeeping.read(self.context.time, self.connection)
            self._store_anchor(self._time)
        if self._time.doubt is not None and not self.timeless:
            raise self._time.refusal()
        return self._time

    @property
    def now(self) -> int:
        """The instant of this write; in an epoch, never before any that was committed earlier.

        Raises:
            ClockUncertain: the write depends on what time it is.
        """
        if self._now is None:
            self._now = self.time.now
        return self._now

    def _store_anchor(self, reading: timekeeping.Reading) -> None:
        """Share the anchor, and note where time went ahead of elapsed time, before anything is
        stamped with it."""
        ahead = timekeeping.store(self.context.time, self.rows, reading)
        if ahead:
            told: dict[str, object] = {
                "clock": format_instant(reading.clock),
                "microseconds": ahead,
                "afterEvent": chain.head(self.connection).event_seq,
            }
            self._audit.append(
                chain.audit_row(MOVED, "clock", told)
                | {
                    "at": reading.now,
                    "organisation_id": DEFAULT_ORGANISATION,
                    "actor": WORKER.name,
                    "trading_account_id": None,
                }
            )

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
        event_id = self.new_id(Prefix.EVENT)
        self._events.append(_Event(event_id, event_type, resource, data, self.now, self.actor))

    def audit(
        self,
        action: str,
        subject: str,
        inputs: Mapping[str, Any] | None = None,
        *,
        error: str | None = None,
    ) -> None:
        """Record what was done or refused in the audit trail."""
        self._audit.append(
            chain.audit_row(action, subject, inputs or {}, error)
            | {
                "at": self.now,
                "organisation_id": self.organisation_id,
                "actor": self.actor.name[:_MAXIMUM_ACTOR_LENGTH],
                "trading_account_id": self.audited_account,
            }
        )

    def note(self, op: str, **fields: object) -> None:
        """Put something on record that belongs to no organisation, in the deployment's log alone:
        an upgrade, a clock that was set, a key of the checkpoints."""
        self._notes.append({"op": op, **fields})

    def schedule(self, kind: str, reference: str, run_at: int) -> None:
        jobs.schedule(self.rows, kind, reference, run_at)

    def under_rule(self) -> None:
        """Note that the settings in force decided; the entry names their version."""
        self._rule = rule_of(self.context.options)

    def when_refused(self, remember: Callable[["UnitOfWork"], None]) -> None:
        """What a refusal of this write leaves behind, in the refusal's own commit."""
        self._when_refused = remember

    def remember_refusal_in(self, record: "UnitOfWork") -> None:
        if self._when_refused is not None:
            self._when_refused(record)

    def commit(self) -> None:
        """Raises ClockUncertain: the clock was set since ``now`` was read."""
        if self._time is not None and not self.timeless:
            timekeeping.require_steady(self.context.time, self._time)
        events = [self._event_row(event) for event in self._events]
        for row in self._audit:
            row["trading_account_id"] = row["trading_account_id"] or self.audited_account
        self.keep(self._append(self._audit, events, self._now))

    def put_on_record(self, audit: _Rows, events: _Rows, at: int) -> None:
        """Append rows of the past, which have their own instants up to ``at``, and seal what was
        written so far."""
        self._append(audit, events, at)
        numbering.lock_head(self.connection)

    def _append(self, audit: _Rows, events: _Rows, at: int | None) -> str | None:
        notes, postings = self._notes, self.bank_postings
        if not (audit or events or notes or postings or self.rows.seals):
            return None
        actor = self.actor
        stamp = Stamp(
            actor.organisation,
            self.now if at is None else at,
            actor.name[:_MAXIMUM_ACTOR_LENGTH],
            actor.key_id,
            self._rule,
        )
        return numbering.append(self.rows, OnRecord(stamp, audit, events, notes, postings))

    def _event_row(self, event: "_Event") -> dict[str, Any]:
        """The event with its actor and the trading account that this write was about."""
        actor, data = event.actor, event.data
        if self.audited_account is not None:
            data = {"tradingAccountId": self.audited_account} | data
        name = None if actor.is_worker else actor.name[:_MAXIMUM_ACTOR_LENGTH]
        row = chain.event_row(event.id, event.type, event.resource, data, name)
        return row | {"at": event.at, "organisation_id": actor.organisation}


class _Event(NamedTuple):
    """An event of a write under way; the account that it's about is known when that commits."""

    id: str
    type: str
    resource: str
    data: dict[str, Any]
    at: int
    actor: Actor


def now(context: EngineContext, connection: Connection) -> int:
    """The present instant as far as it's known; in an epoch, never before an earlier write's."""
    return timekeeping.read(context.time, connection).now


def write(
    context: EngineContext,
    actor: Actor,
    call: Call[Written[Model]],
    work: Callable[[UnitOfWork], Model],
    *,
    timeless: bool = False,
) -> Written[Model]:
    """Run ``work`` as one transaction, once per idempotency key.

    Raises:
        ClockUncertain: time is uncertain, and the operation is not ``timeless``.
        ServiceError: whatever ``work`` refuses, after the refusal was recorded.
        ServiceUnavailable: the database cannot be used; nothing was changed.
    """
    key = _checked_key(call.key)
    refusal: list[tuple[ServiceError, UnitOfWork]] = []

    def unit(transaction: UnitOfWork) -> Written[Model] | None:
        transaction.timeless = timeless
        try:
            return _attempt(transaction, call, key, work)
        except ServiceUnavailable:
            raise
        except ServiceError as error:
            refusal[:] = [(error, transaction)]
            return None

    written = _in_transaction(context, actor, unit)
    if written is not None:
        return written
    error, refused = refusal[0]
    _in_transaction(context, actor, lambda record: _record_refusal(record, call, error, refused))
    raise error


def _in_transaction(
    context: EngineContext, actor: Actor, unit: Callable[[UnitOfWork], Result]
) -> Result:
    """Run a unit that commits what it did. It runs again from its start after a deadlock, a lock
    that took too long or a connection lost before the commit; it has no effect outside.

    Raises:
        ServiceUnavailable: the database cannot be used.
    """
    try:
        for attempt in stamina.retry_context(
            on=_may_succeed_again, attempts=TRIES, wait_initial=0.01, wait_max=0.2, timeout=8
        ):
            with attempt:
                return commits.transact(
                    context.database,
                    lambda connection, keep: unit(
                        UnitOfWork(context, connection, actor, keep, Writer(connection))
                    ),
                )
    except (DBAPIError, PoolTimeout) as error:
        raise explain(error) from error
    raise AssertionError("unreachable: the last attempt returns or raises")


def _may_succeed_again(error: Exception) -> bool:
    return isinstance(error, DBAPIError) and (is_transient(error) or is_lost(error))


def _attempt(
    transaction: UnitOfWork,
    call: Call[Written[Model]],
    key: str | None,
    work: Callable[[UnitOfWork], Model],
) -> Written[Model]:
    claimed: dict[str, object] = {}
    if key is not None:
        claimed = {
            "organisation_id": transaction.organisation_id,
            "operation": call.operation.name,
            "key": key,
            "fingerprint": _fingerprint(call),
            "at": 0,
        }
        if not _claim(transaction, key, claimed):
            return _replay(transaction, call, key)
    result = work(transaction)
    transaction.audited_account = transaction.audited_account or _account(transaction, call)
    transaction.audit(
        call.operation.name, transaction.audited_object or _subject(call), _inputs(call)
    )
    if claimed:
        idempotency.finish(
            transaction.rows,
            claimed | {"at": transaction.now},
            result.to_short_json(),
            created=transaction.created,
        )
    transaction.commit()
    return Written(result, created=transaction.created)


def _claim(transaction: UnitOfWork, key: str, row: dict[str, object]) -> bool:
    """Take the key; a duplicate waits here for the first request, but not for ever."""
    try:
        return idempotency.claim(transaction.rows, row)
    except DBAPIError as error:
        if sqlstate(error) != LOCK_TIMED_OUT:
            raise
        raise _in_progress(key) from error


def _in_progress(key: str) -> IdempotencyInProgress:
    return IdempotencyInProgress(
        "The first request with this key is still being answered.", {"key": key}
    )


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


def _replay(transaction: UnitOfWork, call: Call[Written[Model]], key: str) -> Written[Model]:
    first = idempotency.find(
        transaction.connection, transaction.organisation_id, call.operation.name, key
    )
    if first is None or first.body is None:
        raise _in_progress(key)
    if first.fingerprint != _fingerprint(call):
        raise IdempotencyKeyReused(
            "This idempotency key was used for another request.",
            {"key": key, "firstUsedAt": format_instant(first.at)},
        )
    value = call.operation.response.model_validate_json(first.body)
    return Written(value, created=first.created_record, replayed=True)


def _record_refusal(
    record: UnitOfWork, call: Call[Written[Model]], error: ServiceError, refused: UnitOfWork
) -> None:
    """Commit what a refused write leaves: one audit row and what it must remember.

    Of the inputs only short words are kept, and no secret in a wrong field.
    """
    harmless = {
        name: value
        for name, value in _inputs(call).items()
        if isinstance(value, str) and _is_harmless(value)
    }
    record.timeless = True
    refused.remember_refusal_in(record)
    subject = _subject(call)
    record.audited_account = refused.audited_account or _account(record, call)
    shown = subject if _is_harmless(subject) else ""
    record.audit(call.operation.name, shown, harmless, error=error.code)
    record.commit()


def _is_harmless(text: str) -> bool:
    return _HARMLESS.fullmatch(text) is not None and not is_secret(text)


def _checked_key(key: str | None) -> str | None:
    """The key without the quotes of a structured header; 1 to 255 visible ASCII characters that are
    no wallet's secret."""
    if key is None:
        return None
    bare = key[1:-1] if len(key) > 2 and key[0] == key[-1] == '"' else key
    if not 1 <= len(bare) <= _MAXIMUM_KEY_LENGTH or not all("!" <= sign <= "~" for sign in bare):
        raise ValidationFailed.of("Idempotency-Key", "1 to 255 visible ASCII characters")
    require_no_secret("Idempotency-Key", bare, may_be_hash=True)
    return bare


def work_unit(context: EngineContext, actor: Actor, work: Callable[[UnitOfWork], bool]) -> bool:
    """Run one piece of the service's own due work; ``work`` says whether there was any.

    Raises:
        ServiceUnavailable: the database cannot be used; nothing was changed.
    """

    def unit(transaction: UnitOfWork) -> bool:
        done = work(transaction)
        if done:
            transaction.commit()
        return done

    return _in_transaction(context, actor, unit)


def act(
    context: EngineContext,
    actor: Actor,
    work: Callable[[UnitOfWork], None],
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
