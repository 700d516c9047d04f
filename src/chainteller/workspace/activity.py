"""An account's activity on a deployment without statements, and what isn't known of it."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING

from chainteller.domain.clock import to_datetime
from chainteller.domain.periods import parse_bound
from chainteller.records.fields import asset_name
from chainteller.records.formats import grouped
from chainteller.records.spreadsheets import csv_text
from chainteller.records.trades import is_trade
from chainteller.records.transactions import TRANSACTION
from chainteller.service.errors import NotOffered, ValidationFailed
from chainteller.service.interface import Service
from chainteller.service.models.pages import ListQuery
from chainteller.service.models.trades import Trade, Transaction
from chainteller.service.paging import every
from chainteller.workspace.documents import Column, Document, Table

if TYPE_CHECKING:
    from chainteller.service.models.accounts import TokenBalance


@dataclass(frozen=True, slots=True)
class Activity:
    """What a deployment without statements tells of an account: its transactions of a period, and
    its balances now. ``has_transfers`` is whether deposits and withdrawals are among them."""

    account_id: str
    bank: str
    from_time: str | None
    to_time: str | None
    transactions: tuple[Transaction, ...]
    balances: "tuple[TokenBalance, ...]"
    has_transfers: bool


def activity_of(
    service: Service,
    account_id: str,
    from_time: str | None,
    to_time: str | None,
    bank_name: str = "",
) -> Activity:
    """What is known of a period where no statements are made.

    Raises:
        ValidationFailed: a bound of the period is neither a day nor a timestamp.
        TellerError: as the calls that the specification has.
    """
    first, last = _bound("from", from_time), _bound("to", to_time)
    found: list[Transaction] = []
    has_transfers = True
    try:
        found += every(partial(service.transactions, account_id), ListQuery())
    except NotOffered:
        trades: Iterator[Trade] = every(partial(service.trades, account_id), ListQuery())
        found += trades
        has_transfers = False
    shown = tuple(
        sorted(
            (each for each in found if _is_within(each, first, last)),
            key=lambda each: each.created or datetime.min.replace(tzinfo=UTC),
        )
    )
    return Activity(
        account_id,
        bank_name,
        from_time,
        to_time,
        shown,
        service.token_balances(account_id).data,
        has_transfers,
    )


def _bound(name: str, text: str | None) -> datetime | None:
    try:
        return to_datetime(parse_bound(text, is_end=name == "to")) if text is not None else None
    except ValueError as error:
        raise ValidationFailed.of(name, str(error)) from None


def _is_within(transaction: Transaction, first: datetime | None, last: datetime | None) -> bool:
    at = transaction.created
    if at is None:
        return first is None and last is None
    return (first is None or first <= at) and (last is None or at < last)


def document(found: Activity) -> Document:
    """What is known, with what isn't."""
    missing = "the balances at the beginning and the end of the period, and the customer"
    if not found.has_transfers:
        missing = f"deposits and withdrawals, {missing}"
    return Document(
        "Account activity (no statement)",
        [
            ("bank", found.bank),
            ("trading account", found.account_id),
            ("from", found.from_time or "the beginning"),
            ("to", found.to_time or "now"),
        ],
        [
            Table(
                "Balances now, available",
                (Column("ASSET", 26), Column("AVAILABLE", 26, is_amount=True)),
                [
                    (asset_name(each.token.symbol, each.token.network), grouped(each.amount))
                    for each in found.balances
                ],
                "No balances.",
            ),
            Table(
                "Transactions" if found.has_transfers else "Trades",
                _TRANSACTIONS,
                [
                    (
                        f"{each.created:%Y-%m-%d %H:%M:%S}" if each.created else "",
                        f"{_transaction(each)}\n{each.id}",
                        each.status,
                        TRANSACTION["amount"].plain(each),
                        grouped(each.price) if is_trade(each) else "",
                    )
                    for each in found.transactions
                ],
                "None in this period.",
            ),
        ],
        [
            f"Not known here: {missing}. This deployment doesn't tell them,",
            "so this list can't be reconciled and isn't a statement of account.",
        ],
        subject=found.account_id,
    )


_TRANSACTIONS = (
    Column("DATE (UTC)", 20),
    Column("WHAT", 40),
    Column("STATUS", 16),
    Column("AMOUNT", 30, is_amount=True),
    Column("PRICE USD", 20, is_amount=True),
)


def _transaction(each: Transaction) -> str:
    return f"{each.side} {each.market}" if is_trade(each) else TRANSACTION["type"].plain(each)


def as_csv(found: Activity) -> str:
    columns = TRANSACTION.fields
    titles = [*(each.heading for each in columns), "NOTE"]
    note = "no statement: balances and other transactions aren't known"
    rows = [[*(each.csv(row) for each in columns), note] for row in found.transactions]
    return csv_text([titles, *rows])
