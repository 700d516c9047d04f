"""Record every write before it is sent, and settle those that weren't answered.

A write without an idempotency key gets one. The key is on disk before the request leaves. Where the
deployment knows idempotency keys, an unanswered request is sent again with its key, which returns
the first outcome. Elsewhere a recorded request is never sent twice: its outcome is searched for
(``outcomes.py``).
"""

import contextlib
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeVar

from chainteller.domain.clock import HOUR, format_instant
from chainteller.domain.randomness import SystemRandomness
from chainteller.service import operations as op
from chainteller.service.entered_secrets import require_clean
from chainteller.service.error_codes import ALREADY, is_conclusive
from chainteller.service.errors import (
    Conflict,
    IdempotencyKeyReused,
    NotDone,
    NotOffered,
    NotRecorded,
    OutcomeUnknown,
    ReplyMismatch,
    ServiceError,
    TellerError,
)
from chainteller.service.interface import Service
from chainteller.service.layers import Layered, Next
from chainteller.service.models.base import WireModel, Written
from chainteller.service.models.quotes import ExecuteRequest, Quote, QuoteRequest
from chainteller.service.models.trades import Trade
from chainteller.service.operations import IDEMPOTENCY, Call
from chainteller.sqlite import sqlite3
from chainteller.workspace import records
from chainteller.workspace.outcomes import Fate, Outcome, find_outcome, moves_nothing
from chainteller.workspace.store import (
    IN_DOUBT,
    SIGNATURE,
    Kind,
    SentRequest,
    SentState,
    Workspace,
    digest_of,
)
from chainteller.workspace.terms import require_asked, require_terms

Answer = TypeVar("Answer")

RESENT_WITHIN = 23 * HOUR
"""How long a request may be sent again: deployments forget their keys after a day."""
_MAY_BE_DONE = (*IN_DOUBT, SentState.DONE)
_REPLAYED = "It had already gone through."
_SENT_NOW = "It hadn't arrived. It has gone through now."
_KINDS = {
    "TDA": Kind.TRADING_ACCOUNT,
    "QTE": Kind.QUOTE,
    "TXN": Kind.TRANSACTION,
    "CPT": Kind.COUNTERPARTY,
    "CHG": Kind.CHALLENGE,
    "CLM": Kind.CLAIM,
    "BCA": Kind.BLOCKCHAIN_ACCOUNT,
}
"""Kinds of records by the prefix of their ids."""


class Recording:
    """A layer that keeps a record of every write, and refuses replies with other terms.

    Reads pass; the quotes among them are remembered for their execution.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._randomness = SystemRandomness()
        self._looked_up: dict[str, Quote] = {}

    def __call__(self, call: Call[Answer], onward: Next) -> Answer:
        """Record a write, then send it.

        Raises:
            SecretEntered: a text of it is a wallet secret; it was neither kept nor sent.
            NotRecorded: the request could not be recorded, or would be forgotten by a deployment
                without idempotency keys and by this machine; it was not sent.
            IdempotencyKeyReused: the key belongs to another request without an answer.
            ReplyMismatch: the quote that was answered is another one than was asked for.
            OutcomeMismatch: the trade that was answered has other terms than its quote.
            OutcomeUnknown: as sent; or it was sent before, without an answer, to a deployment
                that doesn't know its idempotency key, and its record can't be found.
        """
        if not call.operation.writes:
            shown = onward(call)
            if isinstance(shown, Quote):
                self._looked_up[shown.id] = shown
            return shown
        require_clean(call)
        key = call.key or self._randomness.bytes(16).hex()
        try:
            self._require_kept(call, onward)
            earlier = self._workspace.sent_request(key) if call.key else None
            if earlier is not None and earlier.state in _MAY_BE_DONE:
                _require_same(earlier, call)
                is_safe = self._is_fresh(earlier) and _knows_keys(onward)
                if not is_safe and not _may_repeat(earlier):
                    return self._found(earlier, call, onward)
            self._workspace.sending(key, call.operation.name, _saved(call))
        except sqlite3.Error as fault:
            raise NotRecorded(f"The console's own record can't be saved: {fault}.") from None
        is_repeated = earlier is not None and earlier.state in IN_DOUBT
        return self.send(replace(call, key=key), key, onward, is_repeated=is_repeated)

    def _require_kept(self, call: Call[Any], onward: Next) -> None:
        """Raises NotRecorded: nobody could tell later that the request was sent before."""
        is_safe = self._workspace.is_kept or call.operation.is_harmless
        if not is_safe and not _knows_keys(onward):
            raise NotRecorded("The console's own record has no file that it can write.")

    def send(
        self, call: Call[Answer], key: str, onward: Next, *, is_repeated: bool = False
    ) -> Answer:
        """Send a write that is recorded, and record its outcome.

        ``is_repeated``: an earlier attempt wasn't answered; it stays in doubt until an answer says
        what became of it.
        """
        try:
            answer = onward(call)
            self._require_terms(call, answer, key)
        except TellerError as fault:
            if isinstance(fault, OutcomeUnknown):
                fault.is_harmless = call.operation.is_harmless
            is_open = is_repeated and not is_conclusive(fault)
            state = SentState.UNKNOWN if is_open else _state_after(fault)
            with contextlib.suppress(sqlite3.Error):
                self._workspace.answered(key, state, fault.code)
            raise
        # What happened at the bank counts: a record that cannot be written stays in doubt.
        with contextlib.suppress(sqlite3.Error):
            if isinstance(answer, Written):
                self._keep(key, answer.value, call.ids[0] if call.ids else "")
                records.keep(self._workspace, answer.value, call.arguments, key)
        return answer

    def settle(self, key: str, service: Service) -> Outcome:
        """Find out what became of a recorded request; see ``Recorder.settle``."""
        recorded = self._workspace.sent_request(key)
        if recorded is None:
            raise NotOffered("No request is recorded under this key.")
        if self._is_fresh(recorded) and _is_whole(recorded.arguments) and _knows_keys(service.call):
            try:
                written = self.send(_call_of(recorded), key, service.call, is_repeated=True)
            except ServiceError as refusal:
                if isinstance(refusal, ALREADY):
                    return self._search(recorded, service)
                if not is_conclusive(refusal):
                    raise
                return Outcome(Fate.NOT_DONE, f"{refusal.code}: {refusal.message}")
            text = _REPLAYED if written.replayed else _SENT_NOW
            return Outcome(Fate.DONE, text, (written.value,), replayed=written.replayed)
        return self._search(recorded, service)

    def _is_fresh(self, earlier: SentRequest) -> bool:
        """Whether a deployment that knows keys still has the request's."""
        return self._workspace.now() - earlier.sent_at < RESENT_WITHIN

    def _search(self, recorded: SentRequest, service: Service) -> Outcome:
        outcome = find_outcome(service, self._workspace, recorded)
        if outcome.fate is Fate.DONE and recorded.operation == op.EXECUTE_QUOTE.name:
            self._require_quoted(outcome.records[0], recorded.arguments["ids"][0], recorded.key)
        with contextlib.suppress(sqlite3.Error):
            if outcome.fate is Fate.DONE:
                found = outcome.records[0]
                self._keep(recorded.key, found, "")
                records.keep(self._workspace, found, _call_of(recorded).arguments, recorded.key)
            elif outcome.fate is Fate.NOT_DONE:
                self._workspace.answered(recorded.key, SentState.REFUSED, "NOT_DONE")
        return outcome

    def _found(self, earlier: SentRequest, call: Call[Answer], onward: Next) -> Answer:
        """The record of a write that was sent before, instead of sending it a second time."""
        outcome = self._search(earlier, _Below(onward))
        if outcome.fate is Fate.DONE and isinstance(outcome.records[0], call.operation.response):
            answer: Any = Written(outcome.records[0], created=False, replayed=True)
            found: Answer = answer
            return found
        if outcome.fate is Fate.NOT_DONE:
            raise NotDone(f"The earlier request wasn't carried out. {outcome.text}")
        if earlier.state is SentState.DONE:
            told = f"it was accepted as {earlier.answer}" if earlier.answer else "it was accepted"
            step = "Use a new idempotency key for a new request."
            raise Conflict(f"Not sent again: {told}.", {"suggestion": step})
        raise OutcomeUnknown(f"Not sent again. {outcome.text}", earlier.key)

    def _require_terms(self, call: Call[Any], answer: object, key: str) -> None:
        """Raises ReplyMismatch or OutcomeMismatch: a quote or trade has other terms than asked."""
        record = answer.value if isinstance(answer, Written) else None
        if isinstance(record, Quote) and isinstance(call.request, QuoteRequest):
            require_asked(record, call.ids[0], call.request)
        elif isinstance(call.request, ExecuteRequest):
            self._require_quoted(record, call.ids[0], key)

    def _require_quoted(self, record: object, quote_id: str, key: str) -> None:
        """Raises OutcomeMismatch: a trade has other terms than its quote, where that is known."""
        quote = records.one(self._workspace, Quote, quote_id) or self._looked_up.get(quote_id)
        if quote is not None and isinstance(record, Trade):
            require_terms(record, quote, key)

    def _keep(self, key: str, record: WireModel, parent: str) -> None:
        identifier = str(getattr(record, "id", ""))
        self._workspace.answered(key, SentState.DONE, identifier)
        if not identifier:  # a deposit or withdrawal that the deployment doesn't name
            return
        kind = _KINDS.get(identifier.partition("_")[0], Kind.OTHER)
        self._workspace.remember(identifier, kind, parent)


class _Below(Service):
    """The service below a layer."""

    def __init__(self, onward: Next) -> None:
        self._onward = onward

    def call(self, call: Call[Answer]) -> Answer:
        return self._onward(call)


class Recorder(Layered):
    """A service whose writes are recorded, with the records; ``key`` is that of the first one,
    unless it has its own."""

    __slots__ = ("_key", "_recording", "service", "workspace")

    def __init__(self, service: Service, workspace: Workspace, key: str | None = None) -> None:
        self.service, self.workspace, self._key = service, workspace, key
        self._recording = Recording(workspace)
        super().__init__(self._recording, service)

    def call(self, call: Call[Answer]) -> Answer:
        if call.operation.writes:
            call, self._key = replace(call, key=call.key or self._key), None
        return super().call(call)

    def settle(self, key: str) -> Outcome:
        """Find out what became of a recorded request that wasn't answered.

        With idempotency keys the request is sent again under its own key, up to ``RESENT_WITHIN``
        after the first time. Without them, or where it was a signature, its outcome is searched
        for, and nothing is sent.

        Raises:
            NotOffered: nothing was recorded under the key.
            TellerError: there is still no answer that says what became of it.
        """
        return self._recording.settle(key, self.service)


def _knows_keys(onward: Next) -> bool:
    """Whether the deployment offers idempotency keys. Raises TellerError if it can't be asked."""
    return IDEMPOTENCY in onward(Call(op.CAPABILITIES)).features


def _may_repeat(earlier: SentRequest) -> bool:
    return moves_nothing(earlier) and earlier.state is not SentState.DONE


def _require_same(earlier: SentRequest, call: Call[Any]) -> None:
    if (earlier.operation, earlier.arguments) != (call.operation.name, _saved(call)):
        raise IdempotencyKeyReused(
            "This idempotency key was used for another request.",
            {"key": earlier.key, "firstUsedAt": format_instant(earlier.sent_at)},
        )


def _call_of(recorded: SentRequest) -> Call[Written[Any]]:
    operation = op.WRITES[recorded.operation]
    request = None
    if operation.request is not None:
        request = operation.request.model_validate(recorded.arguments["request"])
    return Call(operation, tuple(recorded.arguments["ids"]), request, key=recorded.key)


def _state_after(fault: TellerError) -> SentState:
    if isinstance(fault, OutcomeUnknown | ReplyMismatch):
        return SentState.UNKNOWN
    return SentState.REFUSED if isinstance(fault, ServiceError) else SentState.NOT_SENT


def _saved(call: Call[Any]) -> dict[str, Any]:
    """What is kept of a write: all that is needed to send it again, except a signature."""
    body = _body(call)
    if body is not None and SIGNATURE in body:
        body[SIGNATURE] = digest_of(body[SIGNATURE])
    return {"ids": list(call.ids), "request": body}


def _is_whole(arguments: Mapping[str, Any]) -> bool:
    """Whether a saved write can be sent again from what was kept."""
    return not isinstance((arguments.get("request") or {}).get(SIGNATURE), Mapping)


def _body(call: Call[Any]) -> dict[str, Any] | None:
    request = call.request
    return request.model_dump(mode="json", by_alias=True, exclude_none=True) if request else None
