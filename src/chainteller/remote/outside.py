"""Core bank, custody, screening and venue over HTTP, as docs/reference/ports.md describes it."""

import json
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlsplit

from chainteller.domain.json_depth import parse_json
from chainteller.domain.outside import Answer, NotCarriedOut, Step, Unanswered, read_answer
from chainteller.domain.simulated import Part
from chainteller.remote.transport import (
    UNCLEAR,
    NotSent,
    OfProcess,
    Outgoing,
    Reply,
    Transport,
    TransportFault,
)
from chainteller.service.errors import ServiceUnavailable, TellerError

DEADLINE_S = 5.0
PAUSE_S = 10.0
"""How long a system that failed isn't called again, so that other due work isn't kept waiting."""
_ANSWERED = frozenset({200, 201, 202})


class HttpPort:
    """Calls one of the bank's systems; threads may share it, and each process connects by itself.
    ``api_key`` finds its key when it's first called, and raises SettingsInvalid, a TellerError."""

    def __init__(
        self,
        part: Part,
        address: str,
        api_key: Callable[[], str],
        *,
        deadline_s: float = DEADLINE_S,
        pause_s: float = PAUSE_S,
    ) -> None:
        self._part, self._address, self._api_key = part, address, api_key
        self._deadline_s, self._pause_s = deadline_s, pause_s
        self._lock = threading.Lock()
        self._transport = OfProcess(self._connected)
        self._silent_until, self._fault = 0.0, ""

    def carry_out(self, step: Step, key: str, body: Mapping[str, str]) -> Answer:
        """Send a request, or ask again what became of it. Raises NotCarriedOut, Unanswered,
        AnswerUnusable."""
        headers = {"Content-Type": "application/json", "Idempotency-Key": key}
        sent = Outgoing("POST", step.path, headers=headers, body=json.dumps(dict(body)).encode())
        try:
            reply = self._send(sent)
        except NotSent as fault:
            raise NotCarriedOut(str(fault)) from None
        except TransportFault as fault:
            raise Unanswered(str(fault)) from None
        if reply.status in _ANSWERED:
            return read_answer(_parsed(reply), key, body["amount"])
        self._pause(said := f"it answered with HTTP status {reply.status}")
        if 400 <= reply.status < 500 and reply.status not in UNCLEAR:
            raise NotCarriedOut(said)
        raise Unanswered(said)

    def read(self, path: str, query: Mapping[str, str]) -> Any:
        """The JSON that a question is answered with. Raises ServiceUnavailable: the system has no
        usable answer."""
        try:
            reply = self._send(Outgoing("GET", path, tuple(query.items())))
        except TransportFault as fault:
            raise self.unavailable(str(fault)) from None
        if reply.status not in _ANSWERED:
            self._pause(said := f"it answered with HTTP status {reply.status}")
            raise self.unavailable(said)
        try:
            return _parsed(reply)
        except Unanswered as fault:
            raise self.unavailable(str(fault)) from None

    def unavailable(self, why: str) -> ServiceUnavailable:
        """The error of a call that needs this system's answer."""
        reason = f"{self._part.name}_UNAVAILABLE"
        return ServiceUnavailable(f"The {self._part} can't be asked: {why}.", {"reason": reason})

    def close(self) -> None:
        self._transport.close()

    def _send(self, request: Outgoing) -> Reply:
        """Raises TransportFault."""
        with self._lock:
            if time.monotonic() < self._silent_until:
                raise NotSent(f"{self._fault} a moment ago, and isn't called again yet")
        try:
            return self._transport.get().send(request)
        except TransportFault as fault:
            self._pause(str(fault))
            raise

    def _pause(self, said: str) -> None:
        host = urlsplit(self._address).hostname
        with self._lock:
            self._fault = f"{host} failed ({said})"
            self._silent_until = time.monotonic() + self._pause_s

    def _connected(self) -> Transport:
        try:
            key = self._api_key()
        except TellerError as error:
            raise NotSent(str(error)) from None
        return Transport(self._address, key, deadline_s=self._deadline_s)


def _parsed(reply: Reply) -> Any:
    """Raises Unanswered."""
    try:
        return parse_json(reply.body)
    except ValueError:
        raise Unanswered("its answer isn't JSON") from None
