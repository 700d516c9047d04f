"""Receipts of trades: one rendering for console and command line, so that both give the same bytes.

A receipt holds what the deployment says and nothing of the moment it is printed; its audit head
is the newest link of the audit chain then, a witness that is good outside the database.
"""

import csv
import io
import json
from dataclasses import dataclass
from datetime import datetime

from chainteller.domain.clock import format_instant, from_datetime
from chainteller.domain.untrusted import printable, spreadsheet_cell
from chainteller.service.errors import NotFound, NotOffered
from chainteller.service.interface import Service
from chainteller.service.models.base import WireModel
from chainteller.service.models.pages import ListQuery
from chainteller.service.models.quotes import AssetAmount, Quote
from chainteller.service.models.records import AuditRow
from chainteller.service.models.trades import Trade


@dataclass(frozen=True, slots=True)
class Receipt:
    """``audit`` are the trade's own rows, oldest first; ``head`` is the chain's newest hash.

    What a deployment does not offer is None or empty.
    """

    trade: Trade
    quote: Quote | None
    audit: tuple[AuditRow, ...]
    head: str | None


def receipt_of(service: Service, account_id: str, trade_id: str) -> Receipt:
    """Gather all that belongs to a trade.

    Raises:
        NotFound: no such trade of the account.
    """
    trade = service.trade(account_id, trade_id)
    rows, head = _audit(service, trade_id)
    return Receipt(trade, _quote(service, trade.quote_id), rows, head)


def _quote(service: Service, quote_id: str | None) -> Quote | None:
    try:
        return service.quote(quote_id) if quote_id else None
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
    """The receipt as ``text``, ``json`` or ``csv``; ends with a line feed."""
    if form == "json":
        return _json(receipt)
    rows = _fields(receipt)
    if form == "csv":
        return _csv(rows)
    width = max(len(name) for name, _ in rows)
    shown = [f"{name:<{width}}  {printable(value)}" for name, value in rows if value]
    title = "RECEIPT OF A TRADE"
    return "\n".join([title, "=" * len(title), *shown]) + "\n"


def _json(receipt: Receipt) -> str:
    body = {
        "receipt": 1,
        "trade": _wire(receipt.trade),
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


def _fields(receipt: Receipt) -> list[tuple[str, str]]:
    trade, quote = receipt.trade, receipt.quote
    fees = trade.fees or (quote.fees if quote else None)
    own = receipt.audit[-1] if receipt.audit else None
    reason = trade.failure_reason
    return [
        ("trade", trade.id),
        ("status", trade.status),
        ("account", trade.trading_account_id or ""),
        ("market", trade.market),
        ("side", trade.side),
        ("price", f"{trade.price} USD"),
        ("customer gives", _amount(trade.asset_sold)),
        ("customer gets", _amount(trade.asset_bought)),
        ("fee flat", f"{fees.flat} {fees.currency or 'USD'}" if fees else ""),
        ("fee basis points", str(fees.bps) if fees else ""),
        ("fee total", f"{fees.total} {fees.currency or 'USD'}" if fees and fees.total else ""),
        ("quote", trade.quote_id or ""),
        ("quoted", _at(quote.created) if quote else ""),
        ("quote good until", _at(quote.expires) if quote else ""),
        ("created", _at(trade.created)),
        ("executed", _at(trade.executed_at)),
        ("settled", _at(trade.settled_at)),
        ("cancelled", _at(trade.cancelled_at)),
        ("failure", f"{reason.code}: {reason.message}" if reason else ""),
        ("audit row", f"{own.seq}" if own else ""),
        ("audit hash", own.hash if own else ""),
        ("audit head", receipt.head or ""),
    ]


def _amount(asset: AssetAmount | None) -> str:
    return f"{asset.amount} {asset.symbol} on {asset.network}" if asset else ""


def _at(moment: datetime | None) -> str:
    return format_instant(from_datetime(moment)) if moment else ""
