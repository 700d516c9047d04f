"""The desk's own record of every write: saved, sent, answered.

Without a given idempotency key a write gets one; the key is on disk before the request leaves, so
that a request in doubt can be sent again under the same key (``resend``) and is then found, not
repeated.
"""

import contextlib
import sqlite3
from dataclasses import replace
from typing import Any, TypeVar

from chainteller.domain.randomness import SystemRandomness
from chainteller.service.errors import (
    NotOffered,
    OutcomeUnknown,
    ServiceError,
    ServiceUnreachable,
    TellerError,
)
from chainteller.service.interface import Service
from chainteller.service.layers import Layered, Next
from chainteller.service.models.base import Written
from chainteller.service.operations import WRITES, Call
from chainteller.workspace.store import Kind, SentState, Workspace

Answer = TypeVar("Answer")

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
    """A layer that keeps a record of every write; reads pass."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._randomness = SystemRandomness()

    def __call__(self, call: Call[Answer], onward: Next) -> Answer:
        """Record a write, then send it.

        Raises:
            ServiceUnreachable: the request could not be recorded, so it was not sent.
        """
        if not call.operation.writes:
            return onward(call)
        key = call.key or self._randomness.bytes(16).hex()
        try:
            self._workspace.sending(key, call.operation.name, _saved(call))
        except sqlite3.Error as fault:
            raise ServiceUnreachable(f"The desk's own record cannot be written: {fault}.") from None
        return self.send(replace(call, key=key), key, onward)

    def send(self, call: Call[Answer], key: str, onward: Next) -> Answer:
        """Send a write that is recorded, and record its outcome."""
        try:
            answer = onward(call)
        except TellerError as fault:
            with contextlib.suppress(sqlite3.Error):
                self._workspace.answered(key, _state_after(fault), fault.code)
            raise
        # What happened at the bank counts: a record that cannot be written stays in doubt.
        with contextlib.suppress(sqlite3.Error):
            if isinstance(answer, Written):
                self._keep(key, str(answer.value.id), call.ids[0] if call.ids else "")
        return answer

    def _keep(self, key: str, identifier: str, parent: str) -> None:
        self._workspace.answered(key, SentState.DONE, identifier)
        kind = _KINDS.get(identifier.partition("_")[0], Kind.OTHER)
        self._workspace.remember(identifier, kind, parent)


class Recorder(Layered):
    """A service whose writes are recorded, with the records."""

    __slots__ = ("_recording", "service", "workspace")

    def __init__(self, service: Service, workspace: Workspace) -> None:
        self.service, self.workspace = service, workspace
        self._recording = Recording(workspace)
        super().__init__(self._recording, service)

    def resend(self, key: str) -> Written[Any]:
        """Send a recorded request again with its own key, which returns the first outcome.

        Raises:
            TellerError: as the operation does.
            NotOffered: nothing was recorded under the key.
        """
        recorded = self.workspace.sent_request(key)
        if recorded is None:
            raise NotOffered("No request is recorded under this key.")
        operation = WRITES[recorded.operation]
        request = None
        if operation.request is not None:
            request = operation.request.model_validate(recorded.arguments["request"])
        call = Call(operation, tuple(recorded.arguments["ids"]), request, key=key)
        return self._recording.send(call, key, self.service.call)


def _state_after(fault: TellerError) -> SentState:
    if isinstance(fault, OutcomeUnknown):
        return SentState.UNKNOWN
    return SentState.REFUSED if isinstance(fault, ServiceError) else SentState.NOT_SENT


def _saved(call: Call[Any]) -> dict[str, Any]:
    """What is needed to send it again; a completed challenge is a signature, no secret."""
    request = call.request
    return {
        "ids": list(call.ids),
        "request": request.model_dump(by_alias=True, exclude_none=True) if request else None,
    }
