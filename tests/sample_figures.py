"""Distributions of the sample bank, as a table.

Run: python -m tests.sample_figures [SEED]
"""

import statistics
import sys
import tempfile
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from tests.world.samples import load, new_bank, rows

from chainteller.domain.clock import SECOND
from chainteller.engine.core.context import EngineContext

Line = tuple[str, str]
_COUNTS = {
    "accounts by control": "SELECT coalesce(control, '-') k, count(*) n FROM trading_account",
    "deposits by status": "SELECT status k, count(*) n FROM transfer WHERE direction = 'deposit'",
    "withdrawals by status": (
        "SELECT status k, count(*) n FROM transfer WHERE direction = 'withdrawal'"
    ),
    "trades by status": "SELECT status k, count(*) n FROM trade",
    "quotes by status": "SELECT status k, count(*) n FROM quote",
    "wallets by network": "SELECT network k, count(*) n FROM counterparty",
    "messages to sign by status": "SELECT status k, count(*) n FROM challenge",
    "withdrawals by class": (
        "SELECT destination_class k, count(*) n FROM transfer WHERE direction = 'withdrawal'"
    ),
}
_AMOUNTS = {
    "bank accounts, USD": "SELECT balance v FROM bank_account",
    "orders, USD": "SELECT usd_leg_cents v FROM quote WHERE trade_id IS NOT NULL",
    "deposits and withdrawals, USD": "SELECT notional_cents v FROM transfer",
}
_SHARED = (
    "SELECT counterparty_id FROM link GROUP BY 1 HAVING count(DISTINCT blockchain_account_id) > 1"
)
_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


def figures(bank: EngineContext) -> Iterator[Line]:
    """What there is, by kind, with amounts as quantiles."""
    customers = rows(bank, "SELECT count(*) n FROM customer")[0].n
    with_wallet = rows(bank, "SELECT count(DISTINCT customer_id) n FROM challenge")[0].n
    yield "customers", str(customers)
    yield "with a wallet to verify", f"{with_wallet} ({100 * with_wallet // customers} %)"
    yield "wallets verified by two", str(len(rows(bank, _SHARED)))
    for name, query in _COUNTS.items():
        found = rows(bank, f"{query} GROUP BY 1 ORDER BY 2 DESC")
        yield name, ", ".join(f"{row.k} {row.n}" for row in found)
    for name, query in _AMOUNTS.items():
        yield name, _quantiles([int(row.v) / 100 for row in rows(bank, query)])
    for name, table in (("orders", "trade"), ("deposits and withdrawals", "transfer")):
        yield f"{name} by weekday", _weekdays(bank, table)
    yield "deposits on pay-days", _pay_days(bank)


def _quantiles(values: Sequence[float]) -> str:
    cuts = statistics.quantiles(values, n=20)
    marks = {"least": min(values), "5 %": cuts[0], "25 %": cuts[4], "median": cuts[9]}
    marks |= {"75 %": cuts[14], "95 %": cuts[18], "most": max(values)}
    return ", ".join(f"{name} {value:,.2f}" for name, value in marks.items())


def _instants(bank: EngineContext, table: str, where: str = "") -> list[datetime]:
    found = rows(bank, f"SELECT created FROM {table} {where}")  # noqa: S608 - our own table names
    return [datetime.fromtimestamp(row.created // SECOND, UTC) for row in found]


def _weekdays(bank: EngineContext, table: str) -> str:
    days = [instant.weekday() for instant in _instants(bank, table)]
    return ", ".join(f"{name} {days.count(place)}" for place, name in enumerate(_DAYS))


def _pay_days(bank: EngineContext) -> str:
    found = _instants(bank, "transfer", "WHERE direction = 'deposit'")
    paid = sum(instant.day in {1, 15} or instant.day >= 28 for instant in found)
    return f"{paid} of {len(found)} on the 1st, the 15th or after the 27th"


def main(seed: str) -> None:
    """Load the bank of a seed, and print its figures."""
    with tempfile.TemporaryDirectory() as folder:
        bank = new_bank(Path(folder))
        load(bank, seed)
        for name, text in figures(bank):
            sys.stdout.write(f"{name:<32} {text}\n")
        bank.database.close()


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "42")
