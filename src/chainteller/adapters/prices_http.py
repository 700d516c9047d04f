"""Price feed from a public exchange (Coinbase Exchange or Kraken), polled in the background.

Formats: Coinbase Exchange ``GET /products/BTC-USD/ticker`` and ``/candles``, Kraken
``GET /0/public/Ticker`` and ``/0/public/OHLC``. Both are untrusted: replies are bounded, numbers
are read as exact decimals and invalid values are dropped, so that the price goes stale and the
market halts.
"""

import threading
import time
from bisect import bisect_right, insort
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import partial
from typing import Any

import httpx

from chainteller.adapters.price_sources import pairs_at
from chainteller.authorities import authorities
from chainteller.domain.assets import MARKETS
from chainteller.domain.clock import DAY, HOUR, MINUTE, SECOND, Clock, SystemClock
from chainteller.domain.json_depth import NestedTooDeeply, parse_json
from chainteller.domain.prices import PricePoint, sampled

POLL_S = 5.0
REPLY_DEADLINE_S = 5.0
FIRST_PRICE_WAIT_S = 6.0
MAXIMUM_REPLY_BYTES = 1024 * 1024
KEPT = 2 * DAY
_HIGHEST_MICROS = 10**15

Read = Callable[[str, Mapping[str, str]], Any]
"""Requests a path with a query and returns the JSON document."""


class PriceUnusable(ValueError):
    """The exchange's reply has no usable price."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """An exchange's address and formats; ``pairs`` maps our markets to its names."""

    name: str
    address: str
    pairs: Mapping[str, str]
    ticker: Callable[[Read, str], int]
    history: Callable[[Read, str], list[PricePoint]]


def micros(value: object) -> int:
    """Convert USD to millionths, floored. Raises PriceUnusable: no positive finite number."""
    if isinstance(value, bool) or not isinstance(value, str | int | Decimal):
        raise PriceUnusable("a price is missing")
    try:
        exact = Decimal(value)
        number = int(exact * 1_000_000) if exact.is_finite() and abs(exact.adjusted()) < 30 else 0
    except InvalidOperation:
        raise PriceUnusable("a price is no number") from None
    if not 0 < number < _HIGHEST_MICROS:
        raise PriceUnusable("a price is out of bounds")
    return number


def _mid(bid: object, ask: object) -> int:
    low, high = micros(bid), micros(ask)
    if low > high:
        raise PriceUnusable("the bid is above the ask")
    return (low + high) // 2


def _coinbase_ticker(read: Read, pair: str) -> int:
    ticker = read(f"/products/{pair}/ticker", {})
    return _mid(ticker["bid"], ticker["ask"])


def _coinbase_history(read: Read, pair: str) -> list[PricePoint]:
    """Candles are ``[time, low, high, open, close, volume]``, newest first."""
    candles = read(f"/products/{pair}/candles", {"granularity": "3600"})
    return [PricePoint(micros(candle[3]), int(candle[0]) * SECOND) for candle in candles]


def _kraken_ticker(read: Read, pair: str) -> int:
    ticker = _kraken_result(read("/0/public/Ticker", {"pair": pair}))
    return _mid(ticker["b"][0], ticker["a"][0])


def _kraken_history(read: Read, pair: str) -> list[PricePoint]:
    """Candles are ``[time, open, high, low, close, vwap, volume, count]``, oldest first."""
    candles = _kraken_result(read("/0/public/OHLC", {"pair": pair, "interval": "60"}))
    return [PricePoint(micros(candle[1]), int(candle[0]) * SECOND) for candle in candles]


def _kraken_result(document: Any) -> Any:
    if document["error"]:
        raise PriceUnusable("the exchange reports an error")
    named = {name: value for name, value in document["result"].items() if name != "last"}
    if len(named) != 1:
        raise PriceUnusable("the exchange answers for another pair")
    return next(iter(named.values()))


EXCHANGES: Mapping[str, Exchange] = {
    "coinbase": Exchange(
        "coinbase",
        "https://api.exchange.coinbase.com",
        pairs_at("coinbase"),
        _coinbase_ticker,
        _coinbase_history,
    ),
    "kraken": Exchange(
        "kraken",
        "https://api.kraken.com",
        pairs_at("kraken"),
        _kraken_ticker,
        _kraken_history,
    ),
}
"""By the NAME in ``engine.price_feed = "http:NAME"``."""


class HttpPrices:
    """A price feed that polls one of ``EXCHANGES`` every few seconds, from its first use until
    closed; at another ``address`` that speaks its format (tests, a caching proxy), if one is
    given."""

    checks_staleness = True

    def __init__(
        self,
        exchange: Exchange,
        clock: Clock | None = None,
        *,
        address: str | None = None,
        poll_s: float = POLL_S,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self._exchange = exchange
        self._clock = clock or SystemClock()
        self._address = address or exchange.address
        self._poll_s = poll_s
        self._headers = {"Accept-Encoding": "identity", **(headers or {})}
        self._points: dict[str, list[PricePoint]] = {market: [] for market in exchange.pairs}
        self._lock = threading.Lock()
        self._polled = threading.Event()
        self._ending = threading.Event()
        self._thread: threading.Thread | None = None

    def answers_at_once(self) -> bool:
        """Whether the first poll is done; starts it if necessary."""
        if not self._polled.is_set():
            self._start()
        return self._polled.is_set()

    def price(self, market: str, at: int) -> PricePoint | None:
        """The newest price at or before ``at``. The first call waits for the first poll."""
        if not self._polled.is_set():
            self._start()
            self._polled.wait(FIRST_PRICE_WAIT_S)
        with self._lock:
            points = self._points.get(market, [])
            following = bisect_right(points, at, key=_at)
            return points[following - 1] if following else None

    def samples(self, market: str, start: int, end: int, step: int) -> tuple[PricePoint, ...]:
        """Prices at each step; a price older than a step and a minute is left out."""
        return sampled(partial(self.price, market), start, end, step)

    def close(self) -> None:
        """End the polling."""
        self._ending.set()
        if self._thread is not None:
            self._thread.join(timeout=REPLY_DEADLINE_S)

    def poll_once(self, client: httpx.Client) -> None:
        """Poll every market; one that fails keeps its last price, which then goes stale."""

        def read(path: str, query: Mapping[str, str]) -> Any:
            return _document(client, self._address + path, query)

        for market, pair in self._exchange.pairs.items():
            try:
                points = [] if self._points[market] else self._exchange.history(read, pair)
                mid = self._exchange.ticker(read, pair)
            except (httpx.HTTPError, OSError, ValueError, LookupError, TypeError):
                continue
            self._take(market, points, PricePoint(mid, self._clock.now()))

    def _take(self, market: str, history: list[PricePoint], newest: PricePoint) -> None:
        with self._lock:
            points = self._points[market]
            for point in (*history, newest):
                if point.at <= newest.at:
                    insort(points, point, key=_at)
            self._points[market] = _thinned(points, newest.at)

    def _start(self) -> None:
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="prices", daemon=True)
                self._thread.start()

    def _run(self) -> None:
        timeout = httpx.Timeout(REPLY_DEADLINE_S)
        with httpx.Client(
            timeout=timeout,
            trust_env=False,
            verify=authorities(),
            headers=self._headers,
        ) as client:
            while not self._ending.is_set():
                self.poll_once(client)
                self._polled.set()
                self._ending.wait(self._poll_s)


def _at(point: PricePoint) -> int:
    return point.at


def _thinned(points: list[PricePoint], now: int) -> list[PricePoint]:
    """Keep all points of the last hour, one a minute before that, none older than two days."""
    kept: list[PricePoint] = []
    for point in points:
        if point.at < now - KEPT:
            continue
        recent = point.at >= now - HOUR
        if recent or not kept or point.at - kept[-1].at >= MINUTE:
            kept.append(point)
    return kept


def _document(client: httpx.Client, address: str, query: Mapping[str, str]) -> Any:
    """Fetch a bounded JSON reply, with numbers as exact decimals. Raises PriceUnusable: too large,
    too slow, compressed, no success or no JSON."""
    ends = time.monotonic() + REPLY_DEADLINE_S
    body = bytearray()
    with client.stream("GET", address, params=dict(query)) as reply:
        if reply.status_code != 200 or reply.headers.get("content-encoding"):
            raise PriceUnusable(f"status {reply.status_code}")
        for chunk in reply.iter_raw():
            body += chunk
            if len(body) > MAXIMUM_REPLY_BYTES or time.monotonic() > ends:
                raise PriceUnusable("the reply is too large or too slow")
    try:
        return parse_json(body, parse_float=Decimal)
    except NestedTooDeeply:
        raise PriceUnusable("the reply is nested too deeply") from None


def venue_prices(address: str, api_key: str, clock: Clock | None = None) -> HttpPrices:
    """The feed for ``engine.price_feed = "venue"``: bid and ask of the venue that fills trades.

    A venue tells no history: its first price also counts for whoever has waited for it.
    """
    on_time = clock or SystemClock()

    def ticker(read: Read, market: str) -> int:
        told = read("/prices", {"market": market})
        return _mid(told["bid"], told["ask"])

    def history(read: Read, market: str) -> list[PricePoint]:
        asked_at = on_time.now() - round(FIRST_PRICE_WAIT_S * SECOND)
        return [PricePoint(ticker(read, market), asked_at)]

    markets = {market.name: market.name for market in MARKETS}
    venue = Exchange("venue", address, markets, ticker, history)
    return HttpPrices(venue, on_time, headers={"Authorization": f"Bearer {api_key}"})


def http_prices(name: str, clock: Clock | None = None) -> HttpPrices:
    """Create the feed for ``engine.price_feed = "http:NAME"``; ``clock`` stamps the prices. Raises
    ValueError: no such exchange."""
    exchange = EXCHANGES.get(name)
    if exchange is None:
        raise ValueError(f"http prices come from: {', '.join(EXCHANGES)}")
    return HttpPrices(exchange, clock)
