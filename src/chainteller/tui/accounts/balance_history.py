"""How an account's balances came to be what they are: steps, told by its own transactions.

Nothing here is asked of a deployment's past: the balances of now are followed backwards through
the newest transactions. What cannot be followed to the end is not drawn rather than guessed.
Dollars and tokens that are worth one are a single course: a payment may draw on any of them.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING

from chainteller.domain.clock import from_datetime
from chainteller.service.errors import TellerError
from chainteller.tui.charts import Sample
from chainteller.tui.queries import USD_LIKE, query

if TYPE_CHECKING:
    from chainteller.service.interface import Service
    from chainteller.service.models.accounts import TokenBalance
    from chainteller.service.models.funding import Transfer
    from chainteller.service.models.trades import Trade, Transaction

NEWEST = 100
"""Transactions that are looked at: one page, whatever the account's age."""
CASH = "USD"
_PAID_OUT = frozenset({"sent", "completed"})


@dataclass(frozen=True, slots=True)
class Course:
    """One asset's balance: ``before`` until the first step, each step's value from its time on."""

    asset: str
    before: Decimal
    steps: tuple[Sample, ...]

    @property
    def now(self) -> Decimal:
        return self.steps[-1][1] if self.steps else self.before


@dataclass(frozen=True, slots=True)
class History:
    """``since`` is where the courses begin, in microseconds; ``complete``: the account's first
    transaction is among those looked at. ``untold`` are assets whose course does not add up.
    """

    courses: tuple[Course, ...]
    since: int
    complete: bool
    untold: tuple[str, ...] = ()


def read_history(
    service: "Service", account_id: str, balances: "Sequence[TokenBalance]"
) -> History | None:
    """Follow the balances back; None where the transactions cannot be had, there are none, or
    what a deployment calls an amount is no number.
    """
    try:
        found = service.transactions(account_id, query(limit=NEWEST))
        return history(balances, found.data, complete=found.pagination.total <= len(found.data))
    except (TellerError, ArithmeticError):
        return None


def history(
    balances: "Sequence[TokenBalance]", transactions: "Sequence[Transaction]", *, complete: bool
) -> History | None:
    """The courses of all assets from their balances of now and the newest transactions."""
    changes = sorted(change for row in transactions for change in _changes(row))
    if not changes:
        return None
    held = _held_now(balances)
    courses, untold = [], []
    for asset in sorted({*held, *(asset for _, asset, _ in changes)}, key=_order):
        own = [(at, amount) for at, name, amount in changes if name == asset]
        course = _course(asset, held.get(asset, Decimal(0)), own)
        adds_up = course.before == 0 if complete else _never_negative(course)
        if adds_up:
            courses.append(course)
        else:
            untold.append(asset)
    return History(tuple(courses), changes[0][0], complete, tuple(untold))


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


def _course(asset: str, now: Decimal, changes: Sequence[tuple[int, Decimal]]) -> Course:
    value, steps = now, []
    for at, amount in reversed(changes):
        steps.append((at, value))
        value -= amount
    return Course(asset, value, tuple(reversed(steps)))


def _never_negative(course: Course) -> bool:
    return course.before >= 0 and all(value >= 0 for _, value in course.steps)


_Change = tuple[int, str, Decimal]


def _changes(row: "Transaction") -> list[_Change]:
    """What a transaction moved, when it moved it: nothing before a trade executes, nothing of
    what came to nothing.
    """
    if row.type == "trade-execution-transaction":
        return _of_trade(row)  # type: ignore[arg-type]  # the type is in its field
    return _of_transfer(row)  # type: ignore[arg-type]  # as above


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
    symbol = row.currency.symbol or CASH
    if row.type == "deposit-transaction":
        done = row.completed_at if row.status == "completed" else None
        return _moved(done, symbol, _number(row.amount))
    done = (row.completed_at or row.updated) if row.status in _PAID_OUT else None
    return _moved(done, symbol, -_number(row.amount))


def _moved(at: datetime | None, symbol: str, amount: Decimal) -> list[_Change]:
    return [(from_datetime(at), _asset(symbol), amount)] if at is not None else []
