"""Balance history: an account's balances over time, reconstructed and drawn.

The current balances are followed backwards through the account's newest transactions. A series
that doesn't add up isn't drawn. Dollars and tokens that are worth one dollar are a single series,
because a payment may draw on any of them. A deposit that is taken back takes at most what is left
of its token. Its record doesn't say how much that was: only an account's whole course tells it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING

from chainteller.domain.clock import from_datetime, to_datetime
from chainteller.domain.transfers import DEPOSIT_TYPE, TransferStatus
from chainteller.records.formats import grouped
from chainteller.records.trades import is_trade
from chainteller.service.errors import TellerError
from chainteller.tui.charts import Sample, step_blocks
from chainteller.tui.queries import USD_LIKE, AccountSheet, Gap, query
from chainteller.tui.widgets.lines import Line, heading, line

if TYPE_CHECKING:
    from chainteller.service.interface import Service
    from chainteller.service.models.accounts import TokenBalance
    from chainteller.service.models.funding import Transfer
    from chainteller.service.models.trades import Trade, Transaction

NEWEST = 100
"""Transactions that are read: one page, whatever the account's age."""
CASH = "USD"
LEAST_WIDTH = 44
"""Columns that a chart needs."""
_MOST_ROWS = 4
_CREDITED = frozenset({TransferStatus.COMPLETED, TransferStatus.RETURNED})
_PAID_OUT = _CREDITED | {TransferStatus.SENT}


@dataclass(frozen=True, slots=True)
class Series:
    """One asset's balance: ``before`` until the first step, each step's value from its time on."""

    asset: str
    before: Decimal
    steps: tuple[Sample, ...]

    @property
    def now(self) -> Decimal:
        return self.steps[-1][1] if self.steps else self.before


@dataclass(frozen=True, slots=True)
class History:
    """Balances over time.

    Attributes:
        since: Where the series begin, in microseconds.
        complete: Whether the account's first transaction is among those read.
        incomplete: Assets whose series doesn't add up.
    """

    series: tuple[Series, ...]
    since: int
    complete: bool
    incomplete: tuple[str, ...] = ()


def read_history(
    service: "Service", account_id: str, balances: "Sequence[TokenBalance]"
) -> History | None:
    """Read the newest transactions and follow the balances back.

    None when they can't be read, there are none, or an amount isn't a number.
    """
    try:
        found = service.transactions(account_id, query(limit=NEWEST))
        return history(balances, found.data, complete=found.pagination.total <= len(found.data))
    except (TellerError, ArithmeticError):
        return None


def history(
    balances: "Sequence[TokenBalance]", transactions: "Sequence[Transaction]", *, complete: bool
) -> History | None:
    """Series of all assets, from their current balances and the newest transactions."""
    changes = sorted(change for row in transactions for change in _changes(row))
    if not changes:
        return None
    taken_back = [change for row in transactions for change in _taken_back(row)]
    held = _held_now(balances)
    complete_series, incomplete = [], []
    for asset in sorted({*held, *(asset for _, asset, _ in changes)}, key=_order):
        own, taken = _only(asset, changes), _only(asset, taken_back)
        series = _series(asset, held.get(asset, Decimal(0)), own)
        if complete and len(taken) == 1 and 0 < series.before <= -taken[0][1]:
            at, amount = taken[0]
            own[own.index(taken[0])] = at, amount + series.before
            series = _series(asset, series.now, own)
        adds_up = series.before == 0 if complete else not taken and _never_negative(series)
        if adds_up:
            complete_series.append(series)
        else:
            incomplete.append(asset)
    return History(tuple(complete_series), changes[0][0], complete, tuple(incomplete))


def _only(asset: str, changes: "Iterable[_Change]") -> list[tuple[int, Decimal]]:
    return [(at, amount) for at, name, amount in changes if name == asset]


def _order(asset: str) -> tuple[bool, str]:
    return asset != CASH, asset


def _asset(symbol: str) -> str:
    return CASH if symbol in USD_LIKE else symbol


def _held_now(balances: "Iterable[TokenBalance]") -> dict[str, Decimal]:
    held: dict[str, Decimal] = {}
    for row in balances:
        asset = _asset(row.token.symbol)
        held[asset] = held.get(asset, Decimal(0)) + _number(row.total or row.amount)
    return held


def _number(amount: str) -> Decimal:
    """Raises ArithmeticError for what is no finite number."""
    number = Decimal(amount)
    if not number.is_finite():
        raise InvalidOperation
    return number


def _series(asset: str, now: Decimal, changes: Sequence[tuple[int, Decimal]]) -> Series:
    value, steps = now, []
    for at, amount in reversed(changes):
        steps.append((at, value))
        value -= amount
    return Series(asset, value, tuple(reversed(steps)))


def _never_negative(series: Series) -> bool:
    return series.before >= 0 and all(value >= 0 for _, value in series.steps)


_Change = tuple[int, str, Decimal]


def _changes(row: "Transaction") -> list[_Change]:
    """What a transaction moved and when; nothing for one that hasn't been or won't be executed."""
    return _of_trade(row) if is_trade(row) else _of_transfer(row)


def _of_trade(row: "Trade") -> list[_Change]:
    at, bought, sold = row.executed_at, row.asset_bought, row.asset_sold
    if at is None or bought is None or sold is None:
        return []
    moment = from_datetime(at)
    return [
        (moment, _asset(bought.symbol), _number(bought.amount)),
        (moment, _asset(sold.symbol), -_number(sold.amount)),
    ]


def _of_transfer(row: "Transfer") -> list[_Change]:
    symbol, amount = row.currency.symbol or CASH, _number(row.amount)
    returned = row.updated if row.status == TransferStatus.RETURNED else None
    if row.type == DEPOSIT_TYPE:
        done = row.completed_at if row.status in _CREDITED else None
    else:
        done, amount = (
            (row.completed_at or row.updated) if row.status in _PAID_OUT else None,
            -amount,
        )
    return [*_moved(done, symbol, amount), *_moved(returned, symbol, -amount)]


def _taken_back(row: "Transaction") -> list[_Change]:
    """A returned deposit's last change, as if its whole amount had still been there."""
    if is_trade(row) or row.type != DEPOSIT_TYPE or row.status != TransferStatus.RETURNED:
        return []
    return _of_transfer(row)[-1:]


def _moved(at: datetime | None, symbol: str, amount: Decimal) -> list[_Change]:
    return [(from_datetime(at), _asset(symbol), amount)] if at is not None else []


# -- the chart -------------------------------------------------------------------------------------


def chart_lines(history: History, now: int, width: int, rows: int) -> list[Line]:
    """Each asset's balance over time in ``rows`` lines of its own scale, then the time below."""
    amounts = [grouped(f"{series.now:f}") for series in history.series]
    longest = max(map(len, amounts), default=0)
    cells = max(10, min(width - 6 - longest - 1, 96))
    since = to_datetime(history.since)
    told = "" if history.complete else "newest transactions only"
    shown = [line(), heading("BALANCES OVER TIME", told)]
    for series, amount in zip(history.series, amounts, strict=True):
        if series is not history.series[0]:
            shown.append(line())
        blocks = step_blocks(series.before, series.steps, history.since, now, cells, rows)
        for place, row in enumerate(blocks):
            last = place == len(blocks) - 1
            name = series.asset if last else ""
            behind = f" {amount}" if last else ""
            shown.append(line((f"{name:<6}", ""), (row, "accent"), right=((behind, "muted"),)))
    began = f"{since:%d %b %H:%M}"
    shown.append(line((f"{' ' * 6}{began}{'now':>{max(4, cells - len(began))}}", "muted")))
    if history.incomplete:
        which = ", ".join(history.incomplete)
        shown.append(line((f"not shown because the transactions are incomplete: {which}", "muted")))
    return shown


def chart_rows(sheet: AccountSheet, spare: int) -> int:
    """Lines for each asset that fit into ``spare`` lines; 0 when there is nothing to draw or no
    room for it.
    """
    if isinstance(sheet.balances, Gap) or isinstance(sheet.activity, Gap) or not sheet.activity:
        return 0
    assets = max(1, len({_asset(row.token.symbol) for row in sheet.balances}))
    return max(0, min(_MOST_ROWS, (spare - 2) // assets - 1))
