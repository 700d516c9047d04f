"""Nothing that names a customer or opens a wallet reaches a log line, a span or a metric."""

import contextlib
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

from tests.api.conftest import Caller
from tests.telemetry.collector import Collector
from tests.telemetry.conftest import request_lines, sending
from tests.world.bank import World
from tests.world.serving import deployment, served

from chainteller.api.app import App
from chainteller.domain.actors import Actor
from chainteller.engine.deployment import EmbeddedDeployment
from chainteller.remote.client import RemoteService
from chainteller.service.errors import TellerError
from chainteller.service.interface import Service
from chainteller.service.models.accounts import OpenTradingAccount
from chainteller.service.models.pages import ListQuery
from chainteller.service.operations import OPERATIONS, SHOW_TRADE, Call
from chainteller.telemetry import tracing

Answer = TypeVar("Answer")

NAME, NUMBER = "Zdenka Planted", "DE89370400440532013000"
PHRASE = "legal winner thank year wave sausage worth useful legal winner thank yellow"
KEY = f"chainteller_live_A1b2C3d4_{'PLANTED' * 7}"
PLANTED = (NAME, NUMBER, PHRASE, KEY)
PARTS = ("Planted", "PLANTED", "DE8937040044", "sausage")


class Failing(EmbeddedDeployment):
    """A bank whose trades can't be shown, for a reason that names a customer."""

    def acting_as(self, actor: Actor) -> Service:
        return Unable(super().acting_as(actor))


class Unable(Service):
    def __init__(self, inner: Service) -> None:
        self._inner = inner

    def call(self, call: Call[Answer]) -> Answer:
        if call.operation is SHOW_TRADE:
            raise ZeroDivisionError(" ".join(PLANTED))
        return self._inner.call(call)


def send_everywhere(call: Caller, planted: str) -> None:
    """Each operation with the text as every id, in the query, the body and the headers. A request's
    id is logged by design: clients are told to put nothing of a customer into it.
    """
    printable = quote(planted)
    headers = {
        "X-Request-Id": "" if planted == NUMBER else planted,
        "User-Agent": planted,
        "traceparent": planted,
        "tracestate": f"bank={planted}",
        "baggage": f"customer={printable}",
        "Chainteller-Case": planted,
        "Cookie": planted,
        "Referer": planted,
    }
    for operation in OPERATIONS:
        for endpoint in operation.endpoints:
            path = endpoint.path.format_map(dict.fromkeys(operation.path_names, printable))
            fields = () if operation.request is None else operation.request.model_fields
            body = dict.fromkeys((*fields, "customerName"), planted) if fields else None
            query = f"?filter[query]={printable}&{printable}={printable}"
            key = {"Idempotency-Key": printable[:200]} if operation.takes_key else {}
            call(endpoint.method, path + ("" if body else query), body, headers=headers | key)
    call("GET", f"/sign/{printable}")
    call("GET", f"/{printable}")
    call("GET", "/capabilities", key=printable)
    call("GET", "/capabilities", headers={"Host": printable})


def send_from_client(address: str, key: str) -> None:
    service = RemoteService(address, key)
    for planted in PLANTED:
        for ask in (
            lambda text: service.trading_accounts(ListQuery(text=text)),
            service.find,
            lambda text: service.trading_account(quote(text)),
            lambda text: service.open_trading_account(
                OpenTradingAccount(bank_account_id=text, bank_account_type="checking")
            ),
        ):
            with tracing.span("accounts.find"), contextlib.suppress(TellerError):
                ask(planted)
    service.close()


def test_nothing_planted_is_in_a_line_a_span_or_a_metric(
    world: World, collector: Collector, log_file: Path
) -> None:
    apps: list[App] = []

    class Kept(App):
        def __init__(self, behind: Any) -> None:
            super().__init__(behind)
            apps.append(self)

    behind = Failing(world.engine, deployment(world).options)
    with sending(collector) as sent, served(behind, kind=Kept) as address:
        call = Caller(address, world.key())
        account = call.account()
        customer = call("GET", f"/trading-accounts/{account}").json["customerName"]
        for planted in PLANTED:
            send_everywhere(call, planted)
        send_from_client(address, world.key())
        sent.send_metrics(apps[0].operating.families)
        asked = sum(
            sample.value
            for family in apps[0].metrics.families(())
            for sample in family.samples
            if sample.name == "chainteller_http_requests_total"
        )
        request_lines(log_file, int(asked))
    assert len(collector.spans) > len(OPERATIONS) * len(PLANTED)
    assert '"event": "unforeseen"' in log_file.read_text()
    for told in (log_file.read_bytes(), collector.raw):
        for part in (*PARTS, customer, account):
            assert part.encode() not in told, part
