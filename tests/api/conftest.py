"""A server on a real port and a caller that shows exactly what came back."""

import contextlib
import http.client
import json
import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.world.bank import World, build, sqlite_url
from tests.world.serving import deployment, served
from tests.world.waiting import PATIENCE_S

from chainteller.api.logs import send_logs_to

DEADLINES = (
    "protocol.HEAD_DEADLINE_S", "protocol.KEEP_ALIVE_S", "protocol.LINGER_S", "protocol.STALL_S",
    "reading.BODY_DEADLINE_S", "tls.HEAD_DEADLINE_S",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def code(self) -> str:
        """The error's code; the body has exactly the three fields of the specification."""
        document = self.json
        assert set(document) == {"error", "message", "details"}
        assert isinstance(document["details"], dict)
        code: str = document["error"]
        return code


@dataclass(slots=True)
class Caller:
    """Calls one server; ``key`` None sends no Authorization."""

    address: str
    key: str | None

    def __call__(
        self,
        method: str,
        path: str,
        document: object = None,
        *,
        body: bytes | None = None,
        headers: dict[str, str] | None = None,
        key: str | None = "",
    ) -> Answer:
        sent = dict(headers or {})
        chosen = self.key if key == "" else key
        if chosen is not None:
            sent.setdefault("Authorization", f"Bearer {chosen}")
        if document is not None:
            body = json.dumps(document).encode()
            sent.setdefault("Content-Type", "application/json")
        connection = http.client.HTTPConnection(
            self.address.removeprefix("http://"), timeout=PATIENCE_S
        )
        try:
            # A refusal may come, and the connection end, while the body is still being sent.
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                connection.request(method, path, body=body, headers=sent)
            reply = connection.getresponse()
            named = {name.lower(): value for name, value in reply.getheaders()}
            return Answer(reply.status, named, reply.read())
        finally:
            connection.close()

    def account(self, number: int = 1) -> str:
        """The id of a new trading account with 5,000.00 USD."""
        kind = "checking" if number % 2 else "savings"
        made = self(
            "POST",
            "/trading-accounts",
            {"bankAccountId": f"DDA-{number}", "bankAccountType": kind},
        )
        account: str = made.json["id"]
        currency = {"type": "deposit-token-currency", "id": "DPT_USD"}
        deposit = {"amount": "5000.00", "currency": currency}
        assert self("POST", f"/trading-accounts/{account}/deposits", deposit).status == 201
        return account

    def quote(self) -> str:
        body = {"amount": "100.00", "side": "buy"}
        made = self("POST", "/trading/markets/sol-usd/quotes?side=buy", body)
        quote: str = made.json["data"][0]["id"]
        return quote


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    world = build(sqlite_url(tmp_path))
    yield world
    world.engine.close()


@pytest.fixture
def call(world: World) -> Iterator[Caller]:
    with served(deployment(world)) as address:
        yield Caller(address, world.key())


@pytest.fixture
def log_file(tmp_path: Path) -> Iterator[Path]:
    names = ("chainteller", "uvicorn", "uvicorn.access")
    before = [(logging.getLogger(name), dict(vars(logging.getLogger(name)))) for name in names]
    path = tmp_path / "service.log"
    send_logs_to(path)
    yield path
    for handler in logging.getLogger("chainteller").handlers:
        handler.close()
    for logger, state in before:
        vars(logger).update(state)
        logger.manager._clear_cache()  # type: ignore[attr-defined]  # levels are cached by it


@pytest.fixture
def only_deadline(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Makes one deadline of a connection short, and all others longer than a test waits."""

    def shorten(name: str) -> None:
        for each in DEADLINES:
            seconds = 0.2 if each == name else 10 * PATIENCE_S
            monkeypatch.setattr(f"chainteller.api.{each}", seconds)

    return shorten
