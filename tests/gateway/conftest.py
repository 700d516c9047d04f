"""A gateway on a database of its own, in front of a deployment with the specification's calls."""

import contextlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.responses import JSONResponse
from starlette.types import Message, Receive, Scope, Send
from tests.spec_only.server import SpecOnlyApp
from tests.spec_only.specification import SpecifiedCall
from tests.world.bank import START, World, build, sqlite_url
from tests.world.files import open_fresh
from tests.world.serving import deployment, served
from tests.world.waiting import PATIENCE_S

from chainteller.adapters.prices_simulated import SimulatedPrices
from chainteller.adapters.venue_simulated import SimulatedVenue
from chainteller.domain.actors import Actor
from chainteller.domain.clock import ManualClock
from chainteller.domain.options import EngineOptions
from chainteller.domain.policy import Policy
from chainteller.domain.randomness import SystemRandomness
from chainteller.engine.core.context import EngineContext
from chainteller.engine.core.kept_heads import KeptHeads
from chainteller.engine.engine import Engine
from chainteller.engine.forwarding.marking import mark
from chainteller.remote.provider import Provider
from chainteller.service.deployment import Deployment

OF_DESKS = ("desk", "decisions:write", "accounts:read", "controls:write", "admin")
TOKEN = {"type": "deposit-token-currency", "id": "DPT_USD"}


class Listening(SpecOnlyApp):
    """A provider that notes what it was asked, and can keep silent about what it has done."""

    def __init__(self, behind: Deployment) -> None:
        super().__init__(behind)
        self.asked: list[tuple[str, str]] = []
        self.keys: list[str] = []
        self.traces: list[str] = []
        self.refusal: tuple[int, str] | None = None
        """The HTTP status and the error with which it answers everything."""
        self.failing: tuple[int, str] | None = None
        """As ``refusal``, for writes that it carries out, as behind a proxy that gave up."""
        self.retry_after = ""
        """How long to wait, beside each such answer."""
        self.is_silent = False
        """Whether it never answers."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            self.asked.append((scope["method"], scope["path"]))
            headers = dict(scope["headers"])
            self.keys.append(headers.get(b"idempotency-key", b"").decode())
            self.traces.append(headers.get(b"traceparent", b"").decode())
        while self.is_silent:
            if (await receive())["type"] == "http.disconnect":
                return
        told = self.refusal
        if self.failing is not None and scope["method"] == "POST":
            await super().__call__(scope, receive, _unheard)
            told = self.failing
        if told is not None:
            status, code = told
            body = {"error": code, "message": "Later.", "details": {}}
            headers = {"Retry-After": self.retry_after} if self.retry_after else {}
            await JSONResponse(body, status, headers)(scope, receive, send)
            return
        await super().__call__(scope, receive, send)

    def keep_silent(self, method: str, ending: str) -> None:
        """Carry out what ends like this, and break the answer off."""

        def distort(call: SpecifiedCall, _status: int, body: Any) -> bytes:
            is_wanted = call.method == method and call.path.endswith(ending)
            return b"" if is_wanted else json.dumps(body).encode()

        self.distort = distort

    def break_off(self) -> None:
        """Carry out everything, and break each answer off."""
        self.distort = lambda _call, _status, _body: b""

    def answer_again(self) -> None:
        self.distort = None


async def _unheard(_message: Message) -> None:
    """An answer that nobody gets."""


@dataclass(slots=True)
class Gateway:
    """The gateway and its provider, with a client of each. ``bank`` is the provider's own."""

    bank: World
    own: World
    provider: Listening
    client: httpx.Client
    direct: httpx.Client
    made: list[str] = field(default_factory=list)

    def call(self, method: str, path: str, **body: Any) -> Any:
        return self._sent(self.client, method, path, body)

    def ask_directly(self, method: str, path: str, **body: Any) -> Any:
        return self._sent(self.direct, method, path, body)

    def post(self, path: str, key: str, **body: Any) -> httpx.Response:
        return self.client.post(path, json=body, headers={"Idempotency-Key": key})

    def as_desk(self, name: str) -> httpx.Client:
        """A client with a desk's key, which may decide."""
        key = self.own.key(*OF_DESKS, name=name)
        return httpx.Client(
            base_url=self.client.base_url, headers={"Authorization": f"Bearer {key}"}
        )

    def approve(self, decision_id: str) -> None:
        """By two desks."""
        for name in ("anna", "ben"):
            with self.as_desk(name) as desk:
                approved = desk.post(f"/decisions/{decision_id}/approvals", json={})
                assert approved.status_code == 200, approved.text

    def open_account(self, bank_account: str = "DDA-1", amount: str = "1000.00") -> str:
        kind = "checking" if int(bank_account.partition("-")[2]) % 2 else "savings"
        opened = self.call(
            "POST", "/trading-accounts", bankAccountId=bank_account, bankAccountType=kind
        )["id"]
        self.call("POST", f"/trading-accounts/{opened}/deposits", amount=amount, currency=TOKEN)
        return str(opened)

    def quote(self, amount: str = "100.00") -> str:
        asked = self.call("POST", "/trading/markets/sol-usd/quotes", amount=amount, side="buy")
        return str(asked["data"][0]["id"])

    def advance(self, seconds: float) -> None:
        """Let time pass for both, and the work that is due be done."""
        self.bank.advance(seconds)
        self.own.advance(seconds)

    def balance(self) -> dict[str, str]:
        """What the provider's own books say of every account."""
        return {
            account.id: balance.amount
            for account in self.bank.engine.trading_accounts().data
            for balance in self.bank.engine.token_balances(account.id).data
            if balance.token.symbol == "BUSD1"
        }

    @staticmethod
    def _sent(client: httpx.Client, method: str, path: str, body: dict[str, Any]) -> Any:
        return client.request(method, path, json=body or None).json()


@contextlib.contextmanager
def gateway_before(
    folder: Path,
    policy: Policy | None = None,
    *,
    honours_keys: bool = False,
    url: str = "",
    public_url: str = "",
) -> Iterator[Gateway]:
    """A gateway with a policy, on a SQLite file unless ``url`` names another database, and with
    signing pages at a ``public_url``, until the block ends."""
    for name in ("provider", "own"):
        (folder / name).mkdir()
    bank = build(sqlite_url(folder / "provider"))
    apps: list[Listening] = []

    class Noted(Listening):
        def __init__(self, behind: Deployment) -> None:
            super().__init__(behind)
            apps.append(self)

    with served(deployment(bank), kind=Noted) as address:
        key = bank.key()
        provider = Provider(address, lambda: key, honours_keys=honours_keys)
        options = EngineOptions(
            rate_limits=False,
            withdrawal_delay_s=0,
            policy=policy or Policy(),
            public_url=public_url,
        )
        heads = KeptHeads(lambda _: folder / "kept" / "own.heads")
        own = _own(url or sqlite_url(folder / "own"), provider, options, heads)
        with (
            served(deployment(own)) as front,
            httpx.Client(
                base_url=front, headers={"Authorization": f"Bearer {own.key()}"}, timeout=PATIENCE_S
            ) as client,
            httpx.Client(
                base_url=address, headers={"Authorization": f"Bearer {key}"}, timeout=PATIENCE_S
            ) as direct,
        ):
            yield Gateway(bank, own, apps[0], client, direct)


def _own(url: str, provider: Provider, options: EngineOptions, heads: KeptHeads) -> World:
    clock = ManualClock(START)
    context = EngineContext(
        open_fresh(url),
        clock,
        SystemRandomness(),
        SimulatedPrices("test"),
        SimulatedVenue(),
        options,
        kept=heads,
    )
    mark(context, Actor(name="test"), provider.address)
    return World(Engine(replace(context, provider=provider), Actor(name="test")), clock, options)


@pytest.fixture
def gateway(tmp_path: Path) -> Iterator[Gateway]:
    with gateway_before(tmp_path) as found:
        yield found
