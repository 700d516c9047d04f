"""Scripted searches in a bank with many customers: how often the right record comes first.

    PYTHONPATH=src:. python benchmarks/finding.py [sqlite] [postgresql] [--customers 100000]

Prints the share of right answers, the times of a search, and each wrong answer with ``--wrong``.
"""

import argparse
import time
from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

from benchmarks.crowded import analyse
from benchmarks.lists import places
from tests.world.engines import START, World, make_world
from tests.world.searches import Search, people, scripted

from chainteller.domain.ids import Prefix, new_id
from chainteller.domain.randomness import SeededRandomness
from chainteller.storage.db.query import Session
from chainteller.storage.db.records import Tables
from chainteller.storage.db.sources import insert
from chainteller.storage.db.table import Table
from chainteller.storage.lists import search

_TRADES = 200
_BATCH = 10_000


class Outcome(NamedTuple):
    """How many searches were right, the wrong ones with what came first, and times in ms: by the
    clock and of this process alone, which other programs disturb less."""

    right: int
    wrong: list[tuple[Search, str]]
    times: list[float]
    processor: list[float]


def percentile(times: list[float], share: float) -> float:
    return sorted(times)[min(len(times) - 1, int(len(times) * share))]


def filled(place: str, count: int, seed: str) -> tuple[World, list[str]]:
    """A bank with so many customers, and the ids of some trades of the first of them."""
    world = make_world(place, customers=())
    found = people(count, seed)
    randomness = SeededRandomness(f"trades {seed}")
    with world.database.write() as connection:
        for start in range(0, count, _BATCH):
            some = found[start : start + _BATCH]
            customers = [
                {
                    "id": each.id,
                    "organisation_id": "default",
                    "name": each.name,
                    "search_name": each.name.casefold(),
                    "reference": each.reference,
                    "kyc_level": "enhanced",
                }
                for each in some
            ]
            banks = [
                {
                    "organisation_id": "default",
                    "id": each.bank_account_id,
                    "customer_id": each.id,
                    "type": "checking",
                    "balance": 100,
                }
                for each in some
            ]
            for table, rows in ((Tables.customer, customers), (Tables.bank_account, banks)):
                for row in rows:
                    _put(connection, table, row)
                search.note(connection, table, rows)
        trades = [new_id(Prefix.TRANSACTION, randomness) for _ in range(_TRADES)]
        account = _account(found[0].id, found[0].bank_account_id)
        _put(connection, Tables.trading_account, account)
        quotes = [_quote(trade) for trade in trades]
        for quote in quotes:
            _put(connection, Tables.quote, quote)
        for at, trade in enumerate(trades, start=1):
            _put(connection, Tables.trade, _trade(trade, at))
        connection.commit()
    analyse(world)
    return world, trades


def _put(connection: Session, table: Table, row: Mapping[str, object]) -> None:
    connection.execute(insert(table.record), {name: row.get(name) for name in table.columns})


def _account(customer_id: str, bank_account_id: str) -> dict[str, object]:
    return {
        "id": "TDA_SEARCHED",
        "organisation_id": "default",
        "bank_account_id": bank_account_id,
        "bank_account_type": "checking",
        "customer_id": customer_id,
        "created": START,
        "last_activity": START,
        "version": 0,
        "trade_count": _TRADES,
        "deposit_count": 0,
        "withdrawal_count": 0,
        "transaction_count": _TRADES,
    }


def _terms() -> dict[str, object]:
    return {
        "organisation_id": "default",
        "trading_account_id": "TDA_SEARCHED",
        "market": "sol-usd",
        "side": "buy",
        "price_cents": 20_000,
        "sold": 500,
        "bought": 25_000_000,
        "fee_cents": 3,
        "fee_flat_cents": 0,
        "fee_bps": 50,
        "created": START,
    }


def _quote(trade: str) -> dict[str, object]:
    own = {
        "id": trade.replace("TXN", "QTE"),
        "status": "executed",
        "usd_leg_cents": 500,
        "mid_micros": 200_000_000,
        "half_spread_bps": 10,
        "hold_premium_bps": 1,
        "window": 300_000_000,
        "expires": START + 300_000_000,
        "trade_id": trade,
    }
    return _terms() | own


def _trade(trade: str, number: int) -> dict[str, object]:
    own = {
        "id": trade,
        "ordinal": number,
        "transaction_ordinal": number,
        "quote_id": trade.replace("TXN", "QTE"),
        "status": "settled",
        "amount": 25_000_000,
        "provider_cents": 490,
        "hold": "[]",
        "updated": START,
        "version": 0,
    }
    return _terms() | own


def searched(world: World, searches: list[Search]) -> Outcome:
    """Run searches; the first one, which loads the words, isn't timed."""
    world.engine.find("somebody")
    right, wrong, times, processor = 0, [], list[float](), list[float]()
    for each in searches:
        began, used = time.perf_counter(), time.process_time()
        found = world.engine.find(each.text).data
        times.append((time.perf_counter() - began) * 1_000)
        processor.append((time.process_time() - used) * 1_000)
        first = found[0] if found else None
        if first is not None and (first.kind, first.id) == (each.kind, each.id):
            right += 1
        else:
            wrong.append((each, "nothing" if first is None else f"{first.title} {first.score}"))
    return Outcome(right, wrong, times, processor)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("databases", nargs="*", default=["sqlite", "postgresql"])
    parser.add_argument("--customers", type=int, default=100_000)
    parser.add_argument("--searches", type=int, default=500)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--wrong", action="store_true")
    parser.add_argument("--url", default="")
    chosen = parser.parse_args()
    for kind in chosen.databases:
        with places(kind, chosen.url) as place:
            world, trades = filled(place(chosen.customers), chosen.customers, chosen.seed)
            found = people(chosen.customers, chosen.seed)
            searches = list(scripted(found, trades, chosen.searches, chosen.seed))
            outcome = searched(world, searches)
            world.close()
        print(
            f"{kind}, {chosen.customers:,} customers: {outcome.right} of {len(searches)} right, "
            f"p50 {percentile(outcome.times, 0.5):.1f} ms, "
            f"p95 {percentile(outcome.times, 0.95):.1f} ms; processor time "
            f"{percentile(outcome.processor, 0.5):.1f}, {percentile(outcome.processor, 0.95):.1f}"
        )
        print("  wrong:", dict(Counter(each.how for each, _ in outcome.wrong)))
        for each, first in outcome.wrong if chosen.wrong else ():
            print(f"  {each.how}: {each.text!r} for {each.id}, first {first}")


if __name__ == "__main__":
    main()
