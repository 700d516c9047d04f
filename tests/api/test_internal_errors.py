"""An internal error is one plain refusal outside and one log line without values."""

import json
import logging
import queue
from collections.abc import Callable, Iterator
from logging.handlers import QueueHandler
from typing import Any, TypeVar

import pytest
from tests.api.conftest import Caller
from tests.world.serving import served
from tests.world.waiting import PATIENCE_S

from chainteller.api.logs import JsonLines
from chainteller.domain.actors import SCOPES, Actor
from chainteller.domain.signed_requests import Signed
from chainteller.service.deployment import DeploymentOptions, Figure, Health, Principal
from chainteller.service.errors import ServiceUnreachable
from chainteller.service.interface import Service
from chainteller.service.models.counterparties import PageSignature, SigningPage
from chainteller.service.operations import MARKETS, Call, Operation

Answer = TypeVar("Answer")


class Faulty(Service):
    def call(self, call: Call[Answer]) -> Answer:
        if call.operation is MARKETS:
            raise ServiceUnreachable("somewhere behind")
        canary = f"canary-{call.ids}"
        raise ZeroDivisionError(canary)


class Broken:
    """A deployment with a fault in it."""

    options = DeploymentOptions("0", rate_limits=False)

    def authenticate(self, api_key: str) -> Principal:  # noqa: ARG002 - any key will do
        return Principal(Actor(), frozenset(SCOPES))

    def authenticate_agent(self, principal: Principal, signed: Signed) -> Principal:  # noqa: ARG002
        return principal

    def recognise_agent(self, principal: Principal, signed: Signed) -> Principal:  # noqa: ARG002
        return principal

    def recognise(self, api_key: str) -> Principal | None:  # noqa: ARG002 - none is known
        return None

    def agent_holds(self, *actor: object) -> bool:  # noqa: ARG002 - as above
        return True

    def note_look(self, *look: object) -> None:  # noqa: ARG002 - as above
        return

    def acting_as(self, actor: Actor) -> Service:  # noqa: ARG002 - whoever it is
        return Faulty()

    async def at_once(
        self,
        actor: Actor,
        operation: Operation[Any],  # noqa: ARG002 - whatever is asked
        work: Callable[[Service], Answer],
    ) -> Answer | None:
        return work(self.acting_as(actor))

    def note_refusal(self, *refused: object) -> None:  # noqa: ARG002 - it keeps no trail
        return

    def newest_event(self) -> int:
        return 0

    def signing_page(self, token: str) -> SigningPage:
        raise NotImplementedError

    def take_signature(self, token: str, sent: PageSignature) -> SigningPage:
        raise NotImplementedError

    def servers(self) -> int:
        return 1

    def health(self) -> Health:
        return Health(ready=True)

    def figures(self) -> tuple[Figure, ...]:
        return ()

    def process_figures(self) -> tuple[Figure, ...]:
        return ()

    def start(self) -> None:
        return

    def stop(self) -> None:
        return


@pytest.fixture
def call() -> Iterator[Caller]:
    with served(Broken()) as address:
        yield Caller(address, "any")


@pytest.fixture
def heard() -> Iterator["queue.Queue[logging.LogRecord]"]:
    """The lines of level error that the service logs."""
    lines: queue.Queue[logging.LogRecord] = queue.Queue()
    handler = QueueHandler(lines)
    handler.setLevel(logging.ERROR)
    handler.prepare = lambda record: record  # type: ignore[method-assign]  # the traceback stays
    logger = logging.getLogger("chainteller.api")
    logger.addHandler(handler)
    yield lines
    logger.removeHandler(handler)


def test_it_is_an_internal_error_with_the_request_id(
    call: Caller, heard: "queue.Queue[logging.LogRecord]"
) -> None:
    answer = call("GET", "/trading-accounts/TDA_1", headers={"X-Request-Id": "find-me"})
    assert (answer.status, answer.code) == (500, "INTERNAL_ERROR")
    assert answer.json["details"] == {"requestId": "find-me"}
    assert b"canary" not in answer.body
    record = heard.get(timeout=PATIENCE_S)
    line = json.loads(JsonLines().format(record))
    assert (line["exception"], line["requestId"]) == ("ZeroDivisionError", "find-me")
    assert "canary" not in json.dumps(line)
    assert any("test_internal_errors.py" in frame for frame in line["traceback"])


def test_a_fault_behind_the_service_is_unavailable(call: Caller) -> None:
    answer = call("GET", "/trading/markets")
    assert (answer.status, answer.code) == (503, "SERVICE_UNAVAILABLE")
    assert answer.json["details"]["reason"] == "UNREACHABLE"
