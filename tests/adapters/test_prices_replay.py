import itertools
from pathlib import Path

import pytest

from chainteller.adapters.prices_replay import ReplayPrices, read_prices
from chainteller.domain.assets import MARKETS
from chainteller.domain.clock import DAY, HOUR, MINUTE, SECOND, parse_instant
from chainteller.domain.prices import HALT_MOVE_PERCENT, STALE_AFTER_S, PricePoint
from chainteller.engine.core.ports import PriceFeed

SHIPPED = Path(__file__).parents[2] / "sample_data" / "prices"
OPENING = parse_instant("2026-11-18T08:00:00Z")
NOW = parse_instant("2027-02-03T04:05:06.700000Z")
HEADER = "market,at,price\n"


def write(folder: Path, text: str) -> Path:
    path = folder / "prices.csv"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture
def small(tmp_path: Path) -> Path:
    return write(
        tmp_path,
        HEADER
        + "sol-usd,2026-11-17T08:00:00Z,190.00\n"
        + "sol-usd,2026-11-18T08:00:00Z,200.00\n"
        + "sol-usd,2026-11-18T08:00:30Z,200.5\n"
        + "btc-usd,2026-11-18T08:00:00Z,100000\n",
    )


def test_the_last_price_holds_until_the_next(small: Path) -> None:
    feed: PriceFeed = ReplayPrices.from_path(small)
    assert feed.checks_staleness is True
    assert feed.price("sol-usd", OPENING) == PricePoint(200_000_000, OPENING)
    assert feed.price("sol-usd", OPENING + 30 * SECOND - 1) == PricePoint(200_000_000, OPENING)
    later = OPENING + 30 * SECOND
    assert feed.price("sol-usd", later) == PricePoint(200_500_000, later)
    assert feed.price("sol-usd", later + 5 * HOUR) == PricePoint(200_500_000, later)


def test_there_is_no_price_before_the_first_nor_for_a_strange_market(small: Path) -> None:
    feed = ReplayPrices.from_path(small)
    assert feed.price("btc-usd", OPENING - 1) is None
    assert feed.price("eth-usd", OPENING) is None


def test_an_old_file_opens_now_with_yesterdays_price(small: Path) -> None:
    feed = ReplayPrices.from_path(small, opens_at=NOW)
    assert feed.price("sol-usd", NOW) == PricePoint(200_000_000, NOW)
    assert feed.price("sol-usd", NOW - 1) == PricePoint(190_000_000, NOW - DAY)


def test_samples_leave_gaps_out(small: Path) -> None:
    feed = ReplayPrices.from_path(small)
    samples = feed.samples("sol-usd", OPENING - MINUTE, OPENING + 4 * MINUTE, MINUTE)
    assert [sample.mid_micros for sample in samples] == [200_000_000, 200_500_000]


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ("", 1, "no prices"),
        (HEADER, 2, "no prices"),
        ("at,market,price\n", 1, "header"),
        (HEADER + "sol-usd,2026-11-18T08:00:00Z\n", 2, "columns"),
        (HEADER + "SOL,2026-11-18T08:00:00Z,1.00\n", 2, "market"),
        (HEADER + "sol-usd,yesterday,1.00\n", 2, "at"),
        (HEADER + "sol-usd,2026-11-18T08:00:00,1.00\n", 2, "at"),
        (HEADER + "sol-usd,2026-13-18T08:00:00Z,1.00\n", 2, "at"),
        (HEADER + "sol-usd,2026-11-18T08:00:00Z,0.00\n", 2, "price"),
        (HEADER + "sol-usd,2026-11-18T08:00:00Z,-1\n", 2, "price"),
        (HEADER + "sol-usd,2026-11-18T08:00:00Z,1e3\n", 2, "price"),
        (HEADER + "sol-usd,2026-11-18T08:00:00Z,1.1234567\n", 2, "price"),
        (HEADER + "sol-usd,2026-11-18T08:00:00Z,1\n" * 2, 3, "later row"),
        (HEADER + 'sol-usd,2026-11-18T08:00:00Z,"1', 2, "end of data"),
    ],
)
def test_a_bad_file_is_refused_by_name_and_line(
    tmp_path: Path, text: str, line: int, problem: str
) -> None:
    path = write(tmp_path, text)
    with pytest.raises(ValueError, match=problem) as refusal:
        read_prices(path)
    assert str(refusal.value).startswith(f"{path}, line {line}: ")


def test_a_file_that_is_no_text_is_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "prices.csv"
    path.write_bytes(b"market,at,price\n\xff\xfe\x00")
    with pytest.raises(ValueError, match="UTF-8"):
        read_prices(path)


@pytest.mark.parametrize("path", sorted(SHIPPED.glob("*.csv")), ids=lambda path: path.stem)
def test_a_shipped_file_prices_every_market_when_it_opens(path: Path) -> None:
    feed = ReplayPrices.from_path(path, opens_at=NOW)
    for market in MARKETS:
        today, yesterday = feed.price(market.name, NOW), feed.price(market.name, NOW - DAY)
        assert today is not None
        assert today.at == NOW
        assert yesterday is not None


def _halting(points: list[PricePoint]) -> bool:
    return any(
        abs(after.mid_micros - before.mid_micros) * 100 > before.mid_micros * HALT_MOVE_PERCENT
        and after.at - before.at <= MINUTE
        for before, after in itertools.pairwise(points)
    )


def _stale(points: list[PricePoint]) -> bool:
    return any(
        after.at - before.at > STALE_AFTER_S * SECOND
        for before, after in itertools.pairwise(points)
    )


def _morning(name: str, market: str) -> list[PricePoint]:
    return [point for point in read_prices(SHIPPED / name)[market] if point.at >= OPENING]


def test_the_calm_morning_has_no_gap_and_no_jump() -> None:
    for market in MARKETS:
        points = _morning("calm-morning.csv", market.name)
        assert len(points) >= 300
        assert not _stale(points)
        assert not _halting(points)


def test_the_troubled_morning_has_a_gap_in_sol_and_a_jump_in_btc() -> None:
    assert _stale(_morning("troubled-morning.csv", "sol-usd"))
    assert _halting(_morning("troubled-morning.csv", "btc-usd"))
    eth = _morning("troubled-morning.csv", "eth-usd")
    assert not _stale(eth)
    assert not _halting(eth)
