"""Receipts of trades, deposits and withdrawals: one rendering for console and command line, so that
both give the same bytes.

A receipt holds what the deployment answers and nothing of the moment at which it is printed, apart
from its audit head: the hash of the newest audit entry, which proves the record outside the
database.
"""

import json
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from functools import partial
from typing import TypeVar

from chainteller.domain.assets import CASH_EQUIVALENTS, USD
from chainteller.domain.clock import format_moment
from chainteller.domain.trades import FILLED
from chainteller.domain.transfers import TransferStatus
from chainteller.records.accounts import ACCOUNT, CUSTOMER, UNKNOWN
from chainteller.records.audit import AUDIT_ROW
from chainteller.records.formats import exact
from chainteller.records.spreadsheets import csv_text
from chainteller.records.trades import QUOTE, is_trade
from chainteller.records.transactions import fields_of
from chainteller.records.transfers import direction
from chainteller.service.errors import (
    Forbidden,
    NotFound,
    NotOffered,
    ReplyUnusable,
    ValidationFailed,
)
from chainteller.service.interface import Service
from chainteller.service.models.accounts import Customer, TradingAccount
from chainteller.service.models.base import WireModel
from chainteller.service.models.pages import ListQuery
from chainteller.service.models.quotes import Quote
from chainteller.service.models.records import AuditRow
from chainteller.service.models.statements import Statement
from chainteller.service.models.trades import Trade, Transaction
from chainteller.workspace.documents import Document
from chainteller.workspace.forms import written
from chainteller.workspace.statements import statement_of

Found = TypeVar("Found")
_WHOSE = ("bank", "customer", "reference", "bank account")
"""First in a text; in a table, new columns come last."""
_CASH = frozenset(asset.key for asset in CASH_EQUIVALENTS)
_NOT_HERE = (NotFound, NotOffered, Forbidden)


@dataclass(frozen=True, slots=True)
class Receipt:
    """A trade, deposit or withdrawal and what belongs to it; None or empty where the deployment
    does not offer it.

    ``bank`` is the name of the bank. ``audit`` are the record's own rows, oldest first; ``head``
    is the chain's newest hash.
    """

    record: Transaction
    account: TradingAccount | None
    customer: Customer | None
    bank: str
    quote: Quote | None
    audit: tuple[AuditRow, ...]
    head: str | None


def receipt_of(service: Service, account_id: str, record_id: str, bank_name: str = "") -> Receipt:
    """Fetch a trade, deposit or withdrawal with its customer, its quote and its audit rows.

    ``bank_name`` is for a deployment that doesn't tell its own.

    Raises:
        NotFound: the account has no such record.
        StatementUnbalanced: the account's books don't agree with each other.
        ReplyUnusable: the movements in the books aren't those of the record.
    """
    record = _record(service, account_id, record_id)
    account = _offered(lambda: service.trading_account(account_id))
    rows, head = _audit(service, record_id)
    quote_id = record.quote_id if isinstance(record, Trade) else None
    _require_booked(service, account_id, record)
    deployment = _offered(service.capabilities)
    return Receipt(
        record=record,
        account=account,
        customer=_customer(service, account) if account is not None else None,
        bank=(deployment.name if deployment is not None else "") or bank_name,
        quote=_offered(lambda: service.quote(quote_id)) if quote_id else None,
        audit=rows,
        head=head,
    )


def _record(service: Service, account_id: str, record_id: str) -> Transaction:
    """The specification itself has trades only."""
    try:
        return service.transaction(account_id, record_id)
    except NotOffered:
        return service.trade(account_id, record_id)


def _require_booked(service: Service, account_id: str, record: Transaction) -> None:
    """Compare the record with its movements, where there is a statement of them."""
    booked = _booked(service, account_id, record)
    if booked is None:
        return
    found: dict[str, Decimal] = defaultdict(Decimal)
    with exact():
        for movement in booked.movements:
            if movement.transaction_id != record.id:
                continue
            found[USD.symbol] -= Decimal(movement.owed_change_usd or "0")
            for change in movement.changes:
                found[_worth(change.token.symbol, change.token.network)] += Decimal(change.amount)
        problem = any(found[name] != amount for name, amount in _due(record).items())
    if problem:
        raise ReplyUnusable(f"The ledger's movements aren't those of {record.id}.")


def _booked(service: Service, account_id: str, record: Transaction) -> Statement | None:
    """The statement of the time in which a record moved; None where the deployment makes none, or
    has archived the postings."""
    first, last = record.created, record.updated
    if first is None or last is None:
        return None
    from_time, to_time = format_moment(first), format_moment(last + timedelta(microseconds=1))
    try:
        return _offered(partial(statement_of, service, account_id, from_time, to_time))
    except ValidationFailed as refused:
        if not refused.has("ARCHIVED"):
            raise
        return None


def _due(record: Transaction) -> dict[str, Decimal]:
    """What a record that was carried out moved of each asset; of others nothing is said.

    Dollars and what is worth one each are one asset here: a purchase may be paid with several, and
    a deposit repays what is owed first.
    """
    if is_trade(record):
        sold, bought = record.asset_sold, record.asset_bought
        if record.status not in FILLED or sold is None or bought is None:
            return {}
        return {
            _worth(sold.symbol, sold.network): -Decimal(sold.amount),
            _worth(bought.symbol, bought.network): Decimal(bought.amount),
        }
    currency, amount = record.currency, Decimal(record.amount)
    if record.status != TransferStatus.COMPLETED or not currency.symbol:
        return {}
    name = _worth(currency.symbol, currency.network or "")
    if direction(record) == "deposit":
        return {name: amount}
    return {name: -amount - Decimal(record.fee or 0)}


def _worth(symbol: str, network: str) -> str:
    key = f"{symbol}@{network}"
    return USD.symbol if key in _CASH else key


def _customer(service: Service, account: TradingAccount) -> Customer | None:
    asked = ListQuery(text=account.bank_account_id, limit=100)
    found = _offered(lambda: service.customers(asked).data) or ()
    return next((each for each in found if each.id == account.customer_id), None)


def _offered(find: Callable[[], Found]) -> Found | None:
    try:
        return find()
    except _NOT_HERE:
        return None


def _audit(service: Service, record_id: str) -> tuple[tuple[AuditRow, ...], str | None]:
    try:
        newest = service.audit(ListQuery(limit=1)).data
        rows = service.audit(ListQuery(text=record_id, limit=100)).data
    except (NotOffered, Forbidden):
        return (), None
    return rows[::-1], newest[0].hash if newest else None


def render(receipt: Receipt, form: str) -> str | bytes:
    """Write the receipt in one of ``FORMS``; only a PDF is bytes. Raises PdfUnavailable: the extra
    for PDF isn't installed."""
    if form == "json":
        return _json(receipt)
    rows = _rows(receipt)
    if form == "csv":
        return csv_text(zip(*rows, strict=True))
    whose = [(name, value) for label in _WHOSE for name, value in rows if name == label]
    rest = [row for row in rows if row not in whose]
    record = receipt.record
    made = Document(
        f"Receipt of a {_kind(record)}",
        [*whose, *rest],
        subject=record.id,
        made_at=record.updated or record.created,
    )
    return written(made, form)


def _kind(record: Transaction) -> str:
    return "trade" if is_trade(record) else direction(record)


def _json(receipt: Receipt) -> str:
    account, customer = receipt.account, receipt.customer
    body = {
        "receipt": 1,
        _kind(receipt.record): _wire(receipt.record),
        "bank": receipt.bank or None,
        "customer": account
        and {
            "id": account.customer_id,
            "name": account.customer_name,
            "reference": customer and customer.reference,
        },
        "bankAccount": {"id": account.bank_account_id, "type": account.bank_account_type}
        if account is not None and account.bank_account_id != UNKNOWN
        else None,
        "quote": _wire(receipt.quote),
        "audit": {"head": receipt.head, "rows": [_wire(row) for row in receipt.audit]},
    }
    return json.dumps(body, ensure_ascii=False, indent=2) + "\n"


def _wire(record: WireModel | None) -> object:
    return None if record is None else json.loads(record.to_json())


def _rows(receipt: Receipt) -> list[tuple[str, str]]:
    """(label, value) of each row; what belongs to the record fills in what it doesn't tell."""
    record, account, quote, audit = receipt.record, receipt.account, receipt.quote, receipt.audit
    known = fields_of(record).receipt(record)
    rows = dict(known)
    for label, text in (
        *(QUOTE.receipt(quote) if quote else ()),
        *(ACCOUNT.receipt(account) if account else ()),
        *(AUDIT_ROW.receipt(audit[-1]) if audit else ()),
        ("audit head", receipt.head or ""),
        ("reference", CUSTOMER["reference"].exact(receipt.customer) if receipt.customer else ""),
        ("bank", receipt.bank),
    ):
        rows[label] = rows.get(label) or ("" if text == UNKNOWN else text)
    return list(rows.items())
