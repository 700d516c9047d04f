"""Price feed replayed from a file of ``market,at,price`` rows (CSV with that header, UTF-8).

``at`` is an ISO 8601 timestamp with a zone, ``price`` USD per unit with at most six decimals;
each market's rows are in order of time. Between rows the last price holds and goes stale. Rows
before the file's last day (UTC) are its history: a replay opens at the first row of that day, so
that yesterday's price is known.
"""

import csv
import io
import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from chainteller.domain.clock import midnight_before, parse_instant
from chainteller.domain.prices import PricePoint, sampled
from chainteller.given_files import read_bytes

_HEADER = ["market", "at", "price"]
_PRICE = re.compile(r"([0-9]{1,12})(?:\.([0-9]{1,6}))?", re.ASCII)
_MARKET = re.compile(r"[a-z0-9]{1,16}-usd", re.ASCII)

_MOST_BYTES = 64 * 1024 * 1024
"""Of a file: a price of each minute of six markets for half a year."""

Series = Mapping[str, Sequence[PricePoint]]


class ReplayPrices:
    """A price feed from recorded prices; stale prices and jumps may halt its markets."""

    checks_staleness = True

    def __init__(self, series: Series, *, opens_at: int | None = None) -> None:
        """Replay ``series``.

        Args:
            series: each market's prices, oldest first, at the times of the recording.
            opens_at: when the replay of the recording's last day begins; by default, the
                recording's own times apply.
        """
        shift = 0 if opens_at is None else opens_at - _opening(series)
        self._series = {
            market: tuple(PricePoint(point.mid_micros, point.at + shift) for point in points)
            for market, points in series.items()
        }
        self._times = {
            market: tuple(point.at for point in points) for market, points in self._series.items()
        }

    @classmethod
    def from_path(cls, path: Path, *, opens_at: int | None = None) -> "ReplayPrices":
        """Read a file.

        Raises:
            OSError: the file can't be read.
            ValueError: it isn't a price file; the message names file and line.
        """
        return cls(read_prices(path), opens_at=opens_at)

    def answers_at_once(self) -> bool:
        return True

    def price(self, market: str, at: int) -> PricePoint | None:
        """The newest price at or before ``at``; None before the first and for an unknown market."""
        following = bisect_right(self._times.get(market, ()), at)
        return self._series[market][following - 1] if following else None

    def samples(self, market: str, start: int, end: int, step: int) -> tuple[PricePoint, ...]:
        """Prices at each step; a price older than a step and a minute is left out."""
        return sampled(partial(self.price, market), start, end, step)


def read_prices(path: Path) -> Series:
    """Read a price file; raises as ``ReplayPrices.from_path`` does."""
    series: dict[str, list[PricePoint]] = {}
    line = 0
    try:
        content = io.BytesIO(read_bytes(path, _MOST_BYTES))
        with io.TextIOWrapper(content, encoding="utf-8", newline="") as file:
            for line, row in enumerate(csv.reader(file, strict=True), start=1):
                _take(row, series, is_header=line == 1)
    except UnicodeDecodeError:
        raise ValueError(f"{path}, line {line + 1}: not a text file in UTF-8") from None
    except csv.Error as error:
        raise ValueError(f"{path}, line {line + 1}: {error}") from None
    except ValueError as error:
        raise ValueError(f"{path}, line {line}: {error}") from None
    if not series:
        raise ValueError(f"{path}, line {line + 1}: no prices")
    return series


def _take(row: list[str], series: dict[str, list[PricePoint]], *, is_header: bool) -> None:
    if is_header:
        if row != _HEADER:
            raise ValueError(f"the header is {','.join(_HEADER)}")
        return
    market, point = _read_row(row)
    points = series.setdefault(market, [])
    if points and points[-1].at >= point.at:
        raise ValueError(f"{market} has a later row before this one")
    points.append(point)


def _read_row(row: list[str]) -> tuple[str, PricePoint]:
    if len(row) != len(_HEADER):
        raise ValueError(f"{len(_HEADER)} columns are needed: {','.join(_HEADER)}")
    market, at, price = row
    if not _MARKET.fullmatch(market):
        raise ValueError("market: a name such as sol-usd")
    try:
        instant = parse_instant(at)
    except ValueError:
        raise ValueError("at: a timestamp such as 2026-11-20T12:00:00Z") from None
    match = _PRICE.fullmatch(price)
    micros = int(match[1] + (match[2] or "").ljust(6, "0")) if match else 0
    if not micros:
        raise ValueError("price: a positive decimal number such as 205.10")
    return market, PricePoint(micros, instant)


def _opening(series: Series) -> int:
    last_day = midnight_before(max(points[-1].at for points in series.values()))
    return min(point.at for points in series.values() for point in points if point.at >= last_day)
