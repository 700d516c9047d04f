"""Prices of Coinbase Exchange and Kraken, from a local server that speaks their formats."""

import contextlib
import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from chainteller.adapters.prices_http import EXCHANGES, HttpPrices, http_prices
from chainteller.domain.clock import DAY, HOUR, MINUTE, SECOND, ManualClock
from chainteller.domain.prices import PricePoint

NOW = 1_790_000_000 * SECOND
_PAIRS = {"XBTUSD": "XXBTZUSD", "ETHUSD": "XETHZUSD", "SOLUSD": "SOLUSD"}


class Exchange(ThreadingHTTPServer):
    """``bid`` and ``ask`` are what every ticker says; ``broken`` is sent instead of any reply."""

    bid = "205.10"
    ask = "205.30"
    broken: bytes | None = None
    requests = 0

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def reply(self, path: str, query: dict[str, list[str]]) -> bytes:
        hours = [(NOW - age * HOUR) // SECOND for age in range(30)]
        if path.startswith("/products/"):
            if path.endswith("/candles"):
                return _json([[at, 1.5, 300.5, 190.25, 200.0, 12.75] for at in hours])
            return _json({"trade_id": 1, "price": "205.2", "bid": self.bid, "ask": self.ask})
        name = _PAIRS[query["pair"][0]]
        if path == "/0/public/OHLC":
            candles = [[at, "190.25", "300.5", "1.5", "200", "0", "1", 2] for at in hours[::-1]]
            return _json({"error": [], "result": {name: candles, "last": hours[0]}})
        ticker = {"a": [self.ask, "1", "1.000"], "b": [self.bid, "1", "1.000"], "c": ["1", "2"]}
        return _json({"error": [], "result": {name: ticker}})


def _json(document: Any) -> bytes:
    return json.dumps(document).encode()


class _Handler(BaseHTTPRequestHandler):
    server: Exchange

    def do_GET(self) -> None:
        self.server.requests += 1
        parts = urlsplit(self.path)
        body = self.server.broken
        if body is None:
            body = self.server.reply(parts.path, parse_qs(parts.query))
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        with contextlib.suppress(OSError):
            self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002, ARG002 - the same
        return


@pytest.fixture
def exchange() -> Iterator[Exchange]:
    server = Exchange(("127.0.0.1", 0), _Handler)
    thread = Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join(timeout=5)


@pytest.fixture
def client() -> Iterator[httpx.Client]:
    with httpx.Client(trust_env=False) as client:
        yield client


def polled(name: str, exchange: Exchange, client: httpx.Client, clock: ManualClock) -> HttpPrices:
    feed = HttpPrices(EXCHANGES[name], clock, address=exchange.address)
    feed.poll_once(client)
    feed._polled.set()
    return feed


@pytest.mark.parametrize("name", EXCHANGES)
def test_the_price_is_the_middle_of_bid_and_ask(
    name: str, exchange: Exchange, client: httpx.Client
) -> None:
    feed = polled(name, exchange, client, ManualClock(NOW))
    for market in ("btc-usd", "eth-usd", "sol-usd"):
        point = feed.price(market, NOW)
        assert point is not None
        assert (point.mid_micros, point.at) == (205_200_000, NOW)
    assert feed.price("doge-usd", NOW) is None
    assert feed.price("sol-usd", NOW - 40 * HOUR) is None


@pytest.mark.parametrize("name", EXCHANGES)
def test_yesterdays_price_is_there_from_the_first_moment(
    name: str, exchange: Exchange, client: httpx.Client
) -> None:
    feed = polled(name, exchange, client, ManualClock(NOW))
    before = feed.price("sol-usd", NOW - DAY)
    assert before is not None
    assert before.mid_micros == 190_250_000
    assert len(feed.samples("sol-usd", NOW - 2 * HOUR, NOW, HOUR)) == 3


@pytest.mark.parametrize("name", EXCHANGES)
@pytest.mark.parametrize(
    "broken",
    [
        b"",
        b"<html>",
        b"null",
        b"[]",
        b"{}",
        b"[" * 100_000,
        b" " * 2_000_000,
        b"\xff\xfe",
        b'{"error": ["EService:Busy"], "result": {}}',
        b'{"bid": "0", "ask": "0"}',
        b'{"bid": "-1", "ask": "2"}',
        b'{"bid": "9", "ask": "1"}',
        b'{"bid": "NaN", "ask": "NaN"}',
        b'{"bid": "1e400", "ask": "1e400"}',
        b'{"bid": true, "ask": true}',
        b'{"bid": null, "ask": null}',
    ],
)
def test_nonsense_is_left_out_and_the_last_price_grows_old(
    name: str, broken: bytes, exchange: Exchange, client: httpx.Client
) -> None:
    clock = ManualClock(NOW)
    feed = polled(name, exchange, client, clock)
    exchange.broken = broken
    clock.advance(5 * MINUTE)
    feed.poll_once(client)
    point = feed.price("sol-usd", clock.now())
    assert point is not None
    assert (point.mid_micros, point.at) == (205_200_000, NOW)


def test_an_exchange_that_cannot_be_reached_gives_no_price(client: httpx.Client) -> None:
    feed = HttpPrices(EXCHANGES["kraken"], ManualClock(NOW), address="http://127.0.0.1:9")
    feed.poll_once(client)
    feed._polled.set()
    assert feed.price("sol-usd", NOW) is None


def test_numbers_are_read_exactly(exchange: Exchange, client: httpx.Client) -> None:
    exchange.bid = exchange.ask = "97183.123456789"
    feed = polled("coinbase", exchange, client, ManualClock(NOW))
    point = feed.price("btc-usd", NOW)
    assert point is not None
    assert point.mid_micros == 97_183_123_456


def test_two_days_are_kept_and_no_more(exchange: Exchange, client: httpx.Client) -> None:
    clock = ManualClock(NOW)
    feed = polled("kraken", exchange, client, clock)
    for _ in range(4_000):
        clock.advance(90 * SECOND)
        feed._take("sol-usd", [], PricePoint(205_200_000, clock.now()))
    assert 1_900 < len(feed._points["sol-usd"]) < 2_000


def test_it_asks_by_itself_from_the_first_use_until_it_is_closed(exchange: Exchange) -> None:
    feed = HttpPrices(EXCHANGES["coinbase"], address=exchange.address, poll_s=0.01)
    assert exchange.requests == 0
    assert feed.price("sol-usd", NOW + 100 * 365 * DAY) is not None
    feed.close()
    seen = exchange.requests
    assert seen >= 6
    assert exchange.requests == seen


def test_it_says_whether_a_price_has_to_be_waited_for(exchange: Exchange) -> None:
    feed = HttpPrices(EXCHANGES["coinbase"], address=exchange.address)
    assert not feed.answers_at_once()
    assert feed.price("sol-usd", NOW + 100 * 365 * DAY) is not None
    assert feed.answers_at_once()
    feed.close()


def test_only_known_exchanges_are_offered() -> None:
    assert http_prices("kraken").checks_staleness
    with pytest.raises(ValueError, match="coinbase, kraken"):
        http_prices("mtgox")
