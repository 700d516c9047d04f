"""A ``Service`` that records every write in the workspace: saved, sent, answered.

Wraps any implementation. Without a given idempotency key it makes one; the key is on disk before
the request leaves, so that a request in doubt can be sent again under the same key (``resend``)
and is then found, not repeated.
"""

import contextlib
import sqlite3
from collections.abc import Callable
from typing import Any

from pydantic import BaseModel

from chainteller.domain.randomness import Randomness, SystemRandomness
from chainteller.service.errors import (
    NotOffered,
    OutcomeUnknown,
    ServiceError,
    ServiceUnreachable,
    TellerError,
)
from chainteller.service.interface import Service
from chainteller.service.models.base import Written
from chainteller.service.writes import WRITES
from chainteller.workspace.store import Kind, SentState, Workspace

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


class Recorder:
    """Records the writes of a service; reads go to the service itself."""

    def __init__(
        self, service: Service, workspace: Workspace, randomness: Randomness | None = None
    ) -> None:
        self.service = service
        self.workspace = workspace
        self._randomness = randomness or SystemRandomness()

    def new_key(self) -> str:
        return self._randomness.bytes(16).hex()

    def write(
        self, operation: str, *arguments: str | BaseModel, key: str | None = None
    ) -> Written[Any]:
        """Call one of ``WRITES`` with its ids and its request, as in ``Service``.

        Raises:
            TellerError: as the operation does; the outcome is recorded first.
            ServiceUnreachable: the request could not be recorded, so it was not sent.
            ValueError: no such operation.
        """
        if operation not in WRITES:
            raise ValueError(f"no such write: {operation}")
        key = key or self.new_key()
        try:
            self.workspace.sending(key, operation, _saved(arguments))
        except sqlite3.Error as fault:
            raise ServiceUnreachable(f"The desk's own record cannot be written: {fault}.") from None
        return self._send(operation, arguments, key)

    def resend(self, key: str) -> Written[Any]:
        """Send a recorded request again with its own key, which returns the first outcome.

        Raises:
            TellerError: as the operation does.
            NotOffered: nothing was recorded under the key.
        """
        recorded = self.workspace.sent_request(key)
        if recorded is None:
            raise NotOffered("No request is recorded under this key.")
        model = WRITES[recorded.operation]
        arguments: list[str | BaseModel] = list(recorded.arguments["ids"])
        if model is not None:
            arguments.append(model.model_validate(recorded.arguments["request"]))
        return self._send(recorded.operation, tuple(arguments), key)

    def _send(
        self, operation: str, arguments: tuple[str | BaseModel, ...], key: str
    ) -> Written[Any]:
        call: Callable[..., Written[Any]] = getattr(self.service, operation)
        try:
            outcome = call(*arguments, idempotency_key=key)
        except TellerError as fault:
            with contextlib.suppress(sqlite3.Error):
                self.workspace.answered(key, _state_after(fault), fault.code)
            raise
        # What happened at the bank counts: a record that cannot be written stays in doubt.
        with contextlib.suppress(sqlite3.Error):
            self._keep(key, outcome.value.id, arguments)
        return outcome

    def _keep(self, key: str, identifier: str, arguments: tuple[str | BaseModel, ...]) -> None:
        self.workspace.answered(key, SentState.DONE, identifier)
        parent = arguments[0] if isinstance(arguments[0], str) else ""
        kind = _KINDS.get(identifier.partition("_")[0], Kind.OTHER)
        self.workspace.remember(identifier, kind, parent)


def _state_after(fault: TellerError) -> SentState:
    if isinstance(fault, OutcomeUnknown):
        return SentState.UNKNOWN
    return SentState.REFUSED if isinstance(fault, ServiceError) else SentState.NOT_SENT


def _saved(arguments: tuple[str | BaseModel, ...]) -> dict[str, Any]:
    """The arguments needed to send a request again; a signature is no secret."""
    requests = [part for part in arguments if isinstance(part, BaseModel)]
    return {
        "ids": [part for part in arguments if isinstance(part, str)],
        "request": requests[0].model_dump(by_alias=True, exclude_none=True) if requests else None,
    }
