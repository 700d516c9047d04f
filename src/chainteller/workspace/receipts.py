"""Receipts of trades: one rendering for console and command line, so that both give the same bytes.

A receipt holds what the deployment answers and nothing of the moment at which it is printed, apart
from its audit head: the newest link of the audit chain, which proves the trade outside the
database.
"""

import csv
import io
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from chainteller.domain.untrusted import printable, spreadsheet_cell
from chainteller.records.accounts import ACCOUNT
from chainteller.records.audit import AUDIT_ROW
from chainteller.records.trades import QUOTE, TRADE
from chainteller.service.errors import NotFound, NotOffered
from chainteller.service.interface import Service
from chainteller.service.models.accounts import TradingAccount
from chainteller.service.models.base import WireModel
from chainteller.service.models.pages import ListQuery
from chainteller.service.models.quotes import Quote
from chainteller.service.models.records import AuditRow
from chainteller.service.models.trades import Trade

Found = TypeVar("Found", bound=WireModel)


@dataclass(frozen=True, slots=True)
class Receipt:
    """A trade and what belongs to it; None or empty where the deployment does not offer it.

    ``audit`` are the trade's own rows, oldest first; ``head`` is the chain's newest hash.
    """

    trade: Trade
    account: TradingAccount | None
    quote: Quote | None
    audit: tuple[AuditRow, ...]
    head: str | None


def receipt_of(service: Service, account_id: str, trade_id: str) -> Receipt:
    """Fetch a trade with its account, its quote and its audit rows.

    Raises:
        NotFound: the account has no such trade.
    """
    trade = service.trade(account_id, trade_id)
    rows, head = _audit(service, trade_id)
    account = _offered(service.trading_account, account_id)
    quote = _offered(service.quote, trade.quote_id) if trade.quote_id else None
    return Receipt(trade, account, quote, rows, head)


def _offered(find: Callable[[str], Found], identifier: str) -> Found | None:
    try:
        return find(identifier)
    except (NotFound, NotOffered):
        return None


def _audit(service: Service, trade_id: str) -> tuple[tuple[AuditRow, ...], str | None]:
    try:
        newest = service.audit(ListQuery(limit=1)).data
        rows = service.audit(ListQuery(text=trade_id, limit=100)).data
    except NotOffered:
        return (), None
    return rows[::-1], newest[0].hash if newest else None


def render(receipt: Receipt, form: str) -> str:
    """Write the receipt as ``text``, ``json`` or ``csv``; it ends with a line feed."""
    if form == "json":
        return _json(receipt)
    rows = _rows(receipt)
    if form == "csv":
        return _csv(rows)
    width = max(len(name) for name, _ in rows)
    shown = [f"{name:<{width}}  {printable(value)}" for name, value in rows if value]
    title = "RECEIPT OF A TRADE"
    return "\n".join([title, "=" * len(title), *shown]) + "\n"


def _json(receipt: Receipt) -> str:
    account = receipt.account
    body = {
        "receipt": 1,
        "trade": _wire(receipt.trade),
        "customer": account and {"id": account.customer_id, "name": account.customer_name},
        "bankAccount": account
        and {
            "id": account.bank_account_id,
            "type": account.bank_account_type,
        },
        "quote": _wire(receipt.quote),
        "audit": {"head": receipt.head, "rows": [_wire(row) for row in receipt.audit]},
    }
    return json.dumps(body, ensure_ascii=False, indent=2) + "\n"


def _wire(record: WireModel | None) -> object:
    return None if record is None else json.loads(record.to_json())


def _csv(rows: list[tuple[str, str]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([name for name, _ in rows])
    writer.writerow([spreadsheet_cell(value) for _, value in rows])
    return out.getvalue()


def _rows(receipt: Receipt) -> list[tuple[str, str]]:
    """(label, value) of each row; what the trade does not tell is taken from its quote."""
    account, quote, audit = receipt.account, receipt.quote, receipt.audit
    rows = dict(TRADE.receipt(receipt.trade))
    for label, text in (
        *(QUOTE.receipt(quote) if quote else ()),
        *(ACCOUNT.receipt(account) if account else ()),
        *(AUDIT_ROW.receipt(audit[-1]) if audit else ()),
        ("audit head", receipt.head or ""),
    ):
        rows[label] = rows.get(label) or text
    return list(rows.items())
