"""What is recorded of a call, from whoever makes it to the rows that it reads and writes."""

import threading
from pathlib import Path

import pytest
from tests.api.conftest import Caller
from tests.telemetry.collector import Collector, Span
from tests.telemetry.conftest import request_lines, sending
from tests.world.bank import World, build
from tests.world.serving import deployment, served
from tests.world.waiting import PATIENCE_S

from chainteller.domain.actors import Actor
from chainteller.domain.clock import SECOND
from chainteller.engine.upkeep import due
from chainteller.remote.client import RemoteService
from chainteller.service.errors import NotFound
from chainteller.service.interface import Service
from chainteller.service.models.accounts import OpenTradingAccount
from chainteller.service.models.funding import Currency, DepositRequest, WithdrawalRequest
from chainteller.telemetry import tracing

TRACE, CALLER = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"


def named(spans: list[Span], *words: str) -> list[Span]:
    return [each for each in spans if all(word in each.name for word in words)]


def open_account(service: Service, bank_account: str) -> str:
    asked = OpenTradingAccount(bank_account_id=bank_account, bank_account_type="checking")
    return service.open_trading_account(asked).value.id


def test_a_call_is_one_trace_from_the_client_to_the_rows(
    own_postgres_bank: str, collector: Collector
) -> None:
    world = build(own_postgres_bank)
    with sending(collector), served(deployment(world)) as address:
        service = RemoteService(address, world.key())
        service.capabilities()
        with tracing.span("accounts.new"):
            account = open_account(service, "DDA-1")
        with tracing.span("accounts.open"):
            service.trading_account(account)
        service.close()
    spans = collector.trace(until="accounts.new")
    (action,) = named(spans, "accounts.new")
    (client,) = [each for each in named(spans, "POST /trading-accounts") if each.kind == "client"]
    (server,) = [each for each in named(spans, "POST /trading-accounts") if each.kind == "server"]
    statements = [each for each in spans if "db.system.name" in each.attributes]
    assert not action.parent_id
    assert client.parent_id == action.span_id
    assert server.parent_id == client.span_id
    assert {each.parent_id for each in statements} == {server.span_id}
    assert len(spans) == 3 + len(statements)
    assert {each.kind for each in statements} == {"client"}
    assert any("INSERT trading_account" in each.name for each in statements)
    assert statements[-1].name.endswith("COMMIT")
    assert client.attributes["server.port"] == int(address.rpartition(":")[2])
    assert server.attributes | {"client.address": "", "chainteller.request_id": ""} == {
        "http.request.method": "POST",
        "http.response.status_code": 201,
        "http.route": "/trading-accounts",
        "url.path": "/trading-accounts",
        "url.scheme": "http",
        "network.protocol.version": "1.1",
        "client.address": "",
        "chainteller.operation": "createTradingAccount",
        "chainteller.organisation": "default",
        "chainteller.key_id": server.attributes["chainteller.key_id"],
        "chainteller.request_id": "",
    }
    read, *_ = [
        each
        for each in collector.trace(until="accounts.open")
        if "db.query.text" in each.attributes
    ]
    assert read.attributes["db.system.name"] == "postgresql"
    assert read.attributes["db.response.returned_rows"] == 2
    assert read.attributes["db.namespace"] in own_postgres_bank
    assert account not in str(collector.spans)


def test_a_callers_trace_goes_on_and_tells_nothing_of_customers(
    world: World, collector: Collector, log_file: Path
) -> None:
    """Ids in paths, and the links of customers, are left out."""
    with sending(collector), served(deployment(world)) as address:
        call = Caller(address, world.key())
        header = {"traceparent": f"00-{TRACE}-{CALLER}-01", "tracestate": "canary=canary"}
        call("GET", "/trading-accounts?filter[query]=canary", headers=header)
        call("GET", "/trading-accounts/canary/canary", headers=header)
        call("GET", "/trading-accounts", headers={"traceparent": f"00-{TRACE}-{CALLER}-00"})
        call("GET", "/healthz", headers=header)
        request_lines(log_file, 4)
    found = [each for each in collector.spans if each.trace_id == TRACE]
    servers = [each for each in found if each.kind == "server"]
    assert [(each.name, each.parent_id) for each in servers] == [
        ("GET /trading-accounts", CALLER),
        ("GET", CALLER),
    ]
    assert [each.attributes["http.response.status_code"] for each in servers] == [200, 404]
    assert not any(each.is_error for each in servers)
    assert b"canary" not in collector.raw
    lines = [each for each in collector.lines if each.trace_id == TRACE]
    assert {each.span_id for each in servers} <= {each.span_id for each in lines}


def test_each_try_of_a_failing_call_is_a_span_of_its_own(
    world: World, collector: Collector
) -> None:
    with sending(collector), served(deployment(world)) as address:
        service = RemoteService(address, world.key())
        with pytest.raises(NotFound), tracing.span("trades.show"):
            service.trade("TDA_9VF5AC0VHEYRMV43F3CQB7", "TRD_9VF5AC0VHEYRMV43F3CQB7")
        service.close()
    spans = collector.trace(until="trades.show")
    failed = [each for each in spans if each.kind == "client" and "url.full" in each.attributes]
    assert failed[-1].is_error
    assert failed[-1].attributes["error.type"] == "NOT_FOUND"
    (action,) = named(spans, "trades.show")
    assert action.attributes["error.type"] == "NotFound"
    (server,) = [each for each in spans if each.kind == "server" and each.is_error is False][-1:]
    assert server.attributes["http.response.status_code"] == 404


def test_writes_that_share_a_commit_stay_in_their_own_traces(
    world: World, collector: Collector
) -> None:
    engine = world.engine.acting_as(Actor(name="op01"))
    everybody = threading.Barrier(4, timeout=PATIENCE_S)

    def write(number: int) -> None:
        everybody.wait()
        with tracing.span(f"write {number}"):
            open_account(engine, f"DDA-{number}")

    with sending(collector):
        threads = [threading.Thread(target=write, args=(number,)) for number in (1, 3, 5, 7)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
    for number in (1, 3, 5, 7):
        spans = collector.trace(until=f"write {number}")
        assert len(named(spans, "INSERT trading_account")) == 1


def test_due_work_is_a_trace_and_what_nobody_asked_for_is_none(
    world: World, collector: Collector
) -> None:
    service = world.engine.acting_as(Actor(name="op01"))
    account = open_account(service, "DDA-1")
    token = Currency(type="deposit-token-currency", id="DPT_USD")
    service.deposit(account, DepositRequest(amount="10.00", currency=token))
    service.withdraw(account, WithdrawalRequest(amount="1.00", currency=token))
    assert world.clock is not None
    world.clock.advance(60 * SECOND)
    with sending(collector):
        service.deposits(account)
        due.run(world.context, 10)
    roots = [each for each in collector.spans if not each.parent_id]
    assert [each.name for each in roots] == ["withdrawal.send", "due work"]
