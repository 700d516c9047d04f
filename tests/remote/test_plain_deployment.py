"""A deployment that offers the specification and nothing else."""

import contextlib
import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from chainteller.remote.client import RemoteService
from chainteller.service.errors import NotOffered, UnsupportedMarket
from chainteller.service.interface import Service
from chainteller.service.models.pages import ListQuery

_MARKETS = {
    "data": [
        {
            "marketName": "sol-usd",
            "network": "solana",
            "currentPrice": "142.50",
            "yesterdaysPrice": "140.00",
            "at": "2026-11-20T12:00:00Z",
        }
    ],
    "pagination": {"total": 1, "page": 1, "limit": 20},
}
_COUNTERPARTIES = {
    "data": [{"type": "VerifiedCounterparty1P", "id": "CPT_1", "address": "abc"}],
    "pagination": {"total": 1, "page": 1, "limit": 20},
}
_REPLIES = {
    "/trading/markets": _MARKETS,
    "/blockchain-accounts/BCA_1/counterparties": _COUNTERPARTIES,
}


class _Plain(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        found = _REPLIES.get(self.path.partition("?")[0])
        body = b"<html>404</html>" if found is None else json.dumps(found).encode()
        self.send_response(404 if found is None else 200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002, ARG002 - the same
        return


@pytest.fixture
def plain() -> Iterator[RemoteService]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Plain)
    thread = Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    service = RemoteService(f"http://127.0.0.1:{server.server_port}", "any form of key")
    yield service
    service.close()
    server.shutdown()
    server.server_close()
    thread.join(timeout=5)


def test_its_capabilities_are_its_markets_and_nothing_more(plain: RemoteService) -> None:
    offered = plain.capabilities()
    assert (offered.features, offered.markets, offered.networks) == ((), ("sol-usd",), ("solana",))


def test_the_calls_of_the_specification_work(plain: RemoteService) -> None:
    assert plain.markets().data[0].current_price == "142.50"
    assert plain.linked_counterparties("BCA_1").data[0].type == "VerifiedCounterparty1P"


def test_one_market_is_picked_from_the_list(plain: RemoteService) -> None:
    assert plain.market("sol-usd").yesterdays_price == "140.00"
    with pytest.raises(UnsupportedMarket):
        plain.market("doge-usd")


def test_additions_are_not_offered_and_not_asked_for(plain: RemoteService) -> None:
    service: Service = plain
    for call in (
        service.trading_accounts,
        service.customers,
        service.events,
        service.audit,
        lambda: service.audit(ListQuery(trading_account_id="TDA_1")),
        service.quotes,
        service.all_trades,
        lambda: service.trading_account("TDA_1"),
        lambda: service.limits("TDA_1"),
        lambda: service.transactions("TDA_1"),
        lambda: service.deposits("TDA_1", ListQuery(page=2)),
        lambda: service.cancel_withdrawal("TDA_1", "TXN_1"),
        lambda: service.transaction_by_id("TXN_1"),
        lambda: service.claim_by_id("CLM_1"),
        lambda: service.counterparty("CPT_1"),
        lambda: service.blockchain_account("BCA_1"),
        lambda: service.prices("sol-usd"),
        lambda: plain.follow(0, lambda _event: None, lambda _state: None),
    ):
        with contextlib.ExitStack() as stack:
            stack.enter_context(pytest.raises(NotOffered))
            call()
