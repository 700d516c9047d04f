"""The provider behind a gateway: the specification's calls alone, with each answer as it came.

A provider is never asked for its capabilities, because that isn't one of the specification's calls.
"""

import json
import threading
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from chainteller.remote.client import RemoteService
from chainteller.remote.connection import Connection
from chainteller.remote.sending import Sender, parsed
from chainteller.remote.transport import (
    DEADLINE_S,
    OfProcess,
    Outgoing,
    Reply,
    TransportFault,
)
from chainteller.service.errors import (
    Forbidden,
    NotOffered,
    ServiceError,
    ServiceUnavailable,
    ServiceUnreachable,
    TellerError,
    Unauthorized,
    ValidationFailed,
)
from chainteller.service.models.base import WireModel, Written
from chainteller.service.models.pages import Page
from chainteller.service.models.records import Capabilities
from chainteller.service.operations import IDEMPOTENCY, Call
from chainteller.service.told import Told, passed

_BRIEF_S = 2.0
"""Shorter than a console waits for the answer that this is part of."""


class Provider:
    """Calls a provider; threads may share it, and each process has connections of its own.
    ``api_key`` finds its key when it's first called, and raises SettingsInvalid, a TellerError."""

    def __init__(
        self, address: str, api_key: Callable[[], str], *, honours_keys: bool = False
    ) -> None:
        self.address = address
        self.honours_keys = honours_keys
        self._api_key = api_key
        self._client = OfProcess(self._connected)
        self._brief = OfProcess(partial(self._connected, deadline_s=_BRIEF_S))

    def ask(self, call: Call[Any], *, briefly: bool = False) -> Told:
        """Send a call, once unless the provider honours keys; ``briefly`` doesn't wait long for an
        answer that the caller can do without.

        Raises:
            ServiceError: the provider refused, with the HTTP status that it answered.
            ServiceUnavailable: nothing was sent, or the provider didn't accept the gateway's key.
            OutcomeUnknown: it was sent, and what became of it isn't known.
            ClientError: a read has no usable answer.
        """
        client = (self._brief if briefly else self._client).get()
        client.replies.begin()
        try:
            answer = client.call(call)
        except (Unauthorized, Forbidden) as refusal:
            raise _key_refused(refusal) from None
        except ServiceError as refusal:
            status = client.replies.last_status or refusal.status
            if status == Unauthorized.status:  # the caller's key is right, whatever the code is
                raise _key_refused(refusal) from None
            refusal.status = status  # type: ignore[misc]  # the provider decides this one's
            raise
        except NotOffered as fault:  # nothing was sent, and nothing is going to change that
            raise ValidationFailed.of(fault.feature, "The provider doesn't offer it.") from None
        except ServiceUnreachable as fault:
            raise _unavailable(f"The provider: {fault.message}", "PROVIDER_UNREACHABLE") from None
        return client.replies.told(call, answer)

    def require_key(self) -> None:
        """Raises SettingsInvalid: there is no API key for the provider."""
        self._api_key()

    def close(self) -> None:
        self._client.close()
        self._brief.close()

    def _connected(self, deadline_s: float = DEADLINE_S) -> "_Client":
        try:
            key = self._api_key()
        except TellerError as error:
            raise _unavailable(str(error), "PROVIDER_KEY") from None
        return _Client(self.address, key, deadline_s, honours_keys=self.honours_keys)


def _key_refused(refusal: ServiceError) -> ServiceUnavailable:
    said = f"The provider didn't accept the gateway's API key: {refusal.message}"
    return _unavailable(said, "PROVIDER_KEY")


def _unavailable(said: str, reason: str) -> ServiceUnavailable:
    return ServiceUnavailable(said, {"reason": reason})


class _Replies(threading.local):
    """The replies to the call that a thread is making."""

    def __init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        self.found: list[Reply] = []

    @property
    def last_status(self) -> int:
        return self.found[-1].status if self.found else 0

    def told(self, call: Call[Any], answer: Any) -> Told:
        """An answer with what the provider said, which every part of it is written as; one that
        is found in a list is written as we write it."""
        value = answer.value if isinstance(answer, Written) else answer
        if isinstance(value, Page):
            return Told(_page(value, [_body(each) for each in self.found]))
        body = _body(self.found[0])
        if getattr(call.operation, "is_enveloped", False):
            body = body["data"][0]
        elif "data" in body:
            body = {}
        return Told(value, json.dumps(body), created=getattr(answer, "created", False))


def _page(page: Page[Any], bodies: list[Mapping[str, Any]]) -> Page[Any]:
    """A page whose records are written as the provider wrote them: those with an id by it."""
    rows = [row for body in bodies for row in body.get("data", ()) if isinstance(row, dict)]
    by_id = {row["id"]: row for row in rows if isinstance(row.get("id"), str)}
    data: list[WireModel] = []
    for place, record in enumerate(page.data):
        identifier = getattr(record, "id", None)
        found = by_id.get(identifier) if identifier else None
        if found is None and len(rows) == len(page.data):
            found = rows[place]
        data.append(record if found is None else passed(record, json.dumps(found)))
    return page.model_copy(update={"data": tuple(data)})


def _body(reply: Reply) -> dict[str, Any]:
    try:
        body = parsed(dict[str, Any], reply.body)
    except ValueError:
        return {}
    return dict(body)


class _Sender(Sender):
    """Keeps the replies to the call of each thread."""

    def __init__(self, transport: Any, replies: _Replies) -> None:
        super().__init__(transport)
        self._replies = replies

    def _answered(self, request: Outgoing, attempts: int) -> Reply:
        try:
            reply = super()._answered(request, attempts)
        except TransportFault:
            self._replies.begin()
            raise
        self._replies.found.append(reply)
        return reply


class _Client(RemoteService):
    """A client that knows what the provider offers, and doesn't ask."""

    def __init__(
        self, address: str, api_key: str, deadline_s: float, *, honours_keys: bool
    ) -> None:
        super().__init__(address, api_key, deadline_s=deadline_s)
        self.replies = _Replies()
        features = (IDEMPOTENCY,) if honours_keys else ()
        sender = _Sender(self._transport, self.replies)
        self.connection = Connection(sender, Capabilities(features=features))
