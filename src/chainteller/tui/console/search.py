"""Search: what an id, an address or a few letters stand for, and where it is shown."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from chainteller.records.formats import RECORD_ID, transferred
from chainteller.records.transfers import direction, target
from chainteller.service.errors import NotFound, NotOffered, TellerError
from chainteller.service.models.trades import TRADE_TYPE
from chainteller.tui import lazy
from chainteller.tui.desk import Desk
from chainteller.tui.failures import explain
from chainteller.tui.queries import query
from chainteller.tui.service_calls import call_service

if TYPE_CHECKING:
    from textual.screen import Screen

    from chainteller.service.interface import Service
    from chainteller.service.models.funding import Transfer

_MOST_HITS = 5
_LEAST_LETTERS = 3


@dataclass(frozen=True, slots=True)
class Found:
    """Where something is shown: the screen and what its ``find`` is given."""

    place: str
    text: str
    label: str = ""
    account_id: str = ""


def wanted_id(pasted: str) -> str:
    """The id or address in a paste; empty for anything else."""
    text = pasted.strip()
    return text if RECORD_ID.fullmatch(text) or lazy.is_address(text) else ""


async def find_record(desk: Desk, text: str) -> Found | None:
    """Where to go for an id, an address, a bank account or a customer's name.

    Selects its account. Returns None when there is nothing to show, which is told.
    """
    try:
        found = await call_service(locate, desk.service, text)
        if found.account_id:
            account = await call_service(desk.service.trading_account, found.account_id)
            desk.customer.serve(account)
    except TellerError as error:
        failure = explain(error)
        desk.notify(f"{failure.code}  {text}", "bad", failure.detail)
        return None
    if found.place == "trades":
        desk.customer.trade_to_show = found.text
    return found


def show_found(screen: "Screen[Any]", found: Found) -> None:
    """Let the screen of the record show it; Trades goes to its selected trade by itself."""
    show = getattr(screen, "find", None)
    if show is not None and found.place != "trades":
        show(found.text)


def locate(service: "Service", text: str) -> Found:
    """Where an id leads. Runs in a thread; raises NotFound for a transaction of no account."""
    if text.startswith("TDA_"):
        return Found("accounts", service.trading_account(text).id)
    if text.startswith("TXN_"):
        return _transaction(service, text)
    if text.startswith(("BCA_", "CPT_", "CHG_", "CLM_")):
        return Found("wallets", text)
    if text.startswith("QTE_"):
        return Found("quote", text)
    if lazy.is_address(text):
        return _wallet(service, text)
    return Found("accounts", text)


def _wallet(service: "Service", address: str) -> Found:
    for row in service.counterparties(query(text=address, limit=1)).data:
        return Found("wallets", row.id)
    raise NotFound("wallet", address)


def _transaction(service: "Service", transaction_id: str) -> Found:
    """A trade, or a transfer; each is shown on its own screen, with its account served."""
    try:
        found = service.transaction_by_id(transaction_id)
    except NotOffered:
        return _searched_transaction(service, transaction_id)
    place = "trades" if found.type == TRADE_TYPE else "transfers"
    return Found(place, transaction_id, account_id=found.trading_account_id or "")


def _searched_transaction(service: "Service", transaction_id: str) -> Found:
    """A trade of one of the newest, or of the account that the audit trail names."""
    account_id = next(iter(_accounts_of(service, transaction_id)), "")
    if not account_id:
        raise NotFound("transaction", transaction_id)
    try:
        service.trade(account_id, transaction_id)
    except NotFound:
        return Found("transfers", transaction_id, account_id=account_id)
    return Found("trades", transaction_id, account_id=account_id)


def _accounts_of(service: "Service", transaction_id: str) -> Iterator[str]:
    try:
        recent = service.all_trades(query(limit=100)).data
        yield from (row.trading_account_id or "" for row in recent if row.id == transaction_id)
    except NotOffered:
        pass
    try:
        rows = service.audit(query(text=transaction_id, limit=20)).data
    except NotOffered:
        return
    for row in rows:
        yield from (value for value in row.inputs.values() if str(value).startswith("TDA_"))


def search(service: "Service", text: str) -> list[Found]:
    """What matches a few letters: accounts by customer or bank account, wallets by address, and
    transfers by any of these, their amount or their id.
    """
    if len(text) < _LEAST_LETTERS:
        return []
    return [*_accounts(service, text), *_wallets(service, text), *_transfers(service, text)]


def _accounts(service: "Service", text: str) -> list[Found]:
    try:
        rows = service.trading_accounts(query(text=text, limit=_MOST_HITS)).data
    except TellerError:
        return []
    return [
        Found("accounts", row.id, f"{row.customer_name or row.id}  {row.bank_account_id}  {row.id}")
        for row in rows
    ]


def _wallets(service: "Service", text: str) -> list[Found]:
    try:
        rows = service.counterparties(query(text=text, limit=_MOST_HITS)).data
    except TellerError:
        return []
    return [Found("wallets", row.id, f"wallet {row.address}") for row in rows]


def _transfers(service: "Service", text: str) -> list[Found]:
    """The newest first."""
    try:
        rows = service.all_transfers(query(text=text, limit=_MOST_HITS)).data
    except TellerError:
        return []
    return [Found("transfers", row.id, _transfer_label(row)) for row in rows]


def _transfer_label(transfer: "Transfer") -> str:
    to = target(transfer) if direction(transfer) == "withdrawal" else ""
    where = f" to {to}" if to else f" from {transfer.bank_account_id or '-'}"
    state = transfer.status if transfer.as_of is None else f"was {transfer.status}"
    return f"{direction(transfer)} {transferred(transfer)}{where}  {state}  {transfer.id}"
