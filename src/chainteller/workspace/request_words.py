"""A recorded request in words, as a noun with its amount and record: for what waits, questions, and
the handover note.
"""

from collections.abc import Mapping
from typing import Any

from chainteller.domain.assets import base_symbol
from chainteller.records.formats import currency_name, grouped, money, transferred
from chainteller.records.trades import is_trade
from chainteller.records.transfers import direction, target
from chainteller.service import operations as op
from chainteller.service.models.quotes import Quote
from chainteller.service.models.trades import Transaction
from chainteller.workspace import records
from chainteller.workspace.store import SentRequest, Workspace


def asked_of(request: SentRequest) -> Mapping[str, Any]:
    """The body of a request."""
    return request.arguments.get("request") or {}


def id_of(request: SentRequest, place: int) -> str:
    """An id in the address of a request; empty where there is none."""
    ids = request.arguments.get("ids") or ()
    return str(ids[place]) if place < len(ids) else ""


def words_of(workspace: Workspace, request: SentRequest, record: Transaction | None = None) -> str:
    """A request, whatever came of it; ``record`` is the trade or transfer that it's about, where
    that is known.
    """
    asked, first, second = asked_of(request), id_of(request, 0), id_of(request, 1)
    about = f" ({_record_words(record)})" if record is not None else ""
    control = asked.get("control")
    words = {
        op.DEPOSIT.name: f"deposit of {_moved(asked, record)}",
        op.WITHDRAW.name: f"withdrawal of {_moved(asked, record)}",
        op.EXECUTE_QUOTE.name: f"order {_order(workspace, first, record)}",
        op.CANCEL_TRADE.name: f"cancellation of trade {second}{about}",
        op.CANCEL_WITHDRAWAL.name: f"cancellation of withdrawal {second}{about}",
        op.CREATE_QUOTE.name: f"quote for {asked.get('side')} {first} {asked.get('amount')}",
        op.OPEN_TRADING_ACCOUNT.name: f"trading account for bank account "
        f"{asked.get('bankAccountId')}",
        op.OPEN_BLOCKCHAIN_ACCOUNT.name: f"blockchain account on {asked.get('network')}",
        op.REGISTER_COUNTERPARTY.name: f"registration of wallet {asked.get('address')}",
        op.LINK_COUNTERPARTY.name: f"link of wallet {asked.get('address')}",
        op.CREATE_CHALLENGE.name: f"message to sign for wallet {asked.get('counterpartyId')}",
        op.SUBMIT_CLAIM.name: f"signature of message {asked.get('challengeId')}",
        op.REQUIRE_REVERIFICATION.name: f"new verification of wallet {second} required",
        op.OPEN_DECISION.name: f"{control} set on the account"
        if control
        else f"closing of market {asked.get('subject')}",
        op.APPROVE_DECISION.name: f"approval of decision {first}",
        op.REFUSE_DECISION.name: f"refusal of decision {first}",
    }
    return words.get(request.operation, request.operation.replace("_", " "))


def _moved(asked: Mapping[str, Any], record: Transaction | None) -> str:
    """An amount, and a withdrawal's target: ``250.00 USD to DDA-1001``."""
    if record is not None and not is_trade(record):
        return _record_words(record)
    currency = asked.get("currency") or {}
    unit = currency_name(*(str(currency.get(each) or "") for each in ("type", "symbol", "id")))
    wallet = (asked.get("destination") or {}).get("counterpartyId")
    amount = f"{grouped(str(asked.get('amount') or '-'))} {unit}".rstrip()
    return f"{amount} to {wallet}" if wallet else amount


def _order(workspace: Workspace, quote_id: str, record: Transaction | None) -> str:
    """``to buy 0.5 SOL at 163.94 USD``, or what its quote is about, as far as it's known here."""
    if record is not None:
        return f"to {_record_words(record)}"
    quote = records.one(workspace, Quote, quote_id)
    if quote is None:
        return f"for quote {quote_id}"
    sold = quote.asset_sold
    return f"to {quote.side} {quote.market_name} for {sold.amount} {sold.symbol} ({quote_id})"


def _record_words(record: Transaction) -> str:
    if is_trade(record):
        asset, price = base_symbol(record.market), money(record.price, "USD")
        return f"{record.side} {grouped(record.amount)} {asset} at {price}"
    to = target(record) if direction(record) == "withdrawal" else ""
    return f"{transferred(record)}{f' to {to}' if to else ''}"
