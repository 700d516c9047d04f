"""Statements of accounts: checked, then written as text, CSV, JSON or PDF.

The deployment makes a statement; it is added up here again before anything of it is shown.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING

from chainteller.domain.assets import DEPOSIT_TOKEN_USD, base_symbol
from chainteller.domain.clock import format_moment
from chainteller.domain.untrusted import printable_json
from chainteller.records.fields import asset_name
from chainteller.records.formats import exact, grouped
from chainteller.records.spreadsheets import csv_text
from chainteller.service.errors import ReplyMismatch, ReplyUnusable
from chainteller.service.interface import Service
from chainteller.service.models.statements import (
    MovementEvent,
    Statement,
    StatementAmount,
    StatementBalance,
    StatementMovement,
)
from chainteller.service.models.trades import TRADE_TYPE
from chainteller.workspace.documents import Column, Document, Table
from chainteller.workspace.forms import written

if TYPE_CHECKING:
    from chainteller.service.models.accounts import Token

_MIDNIGHT = (0, 0, 0, 0)


def statement_of(
    service: Service, account_id: str, from_time: str | None, to_time: str | None
) -> Statement:
    """Fetch a statement and add it up.

    Raises:
        NotOffered: the deployment makes no statements.
        StatementUnbalanced: the deployment refuses, because the account's books don't agree.
        ReplyUnusable: the statement contradicts itself, or is another account's.
    """
    found = service.statement(account_id, from_time=from_time, to_time=to_time)
    if found.trading_account_id != account_id:
        raise ReplyMismatch(f"The statement is that of {found.trading_account_id}.")
    problem = next(contradictions(found), "")
    if problem:
        raise ReplyUnusable(f"The statement doesn't add up, so it isn't shown: {problem}")
    return found


def contradictions(statement: Statement) -> Iterator[str]:
    """What of a statement doesn't add up, in sentences; nothing where all of it does."""
    with exact():
        sums = _Sums({_name(each.token): Decimal(each.opening) for each in statement.balances})
        for movement in statement.movements:
            if not statement.from_time <= movement.at < statement.to_time:
                yield f"{movement.transaction_id} is outside the period."
            yield from sums.add(movement)
        for balance in statement.balances:
            yield from sums.compare(balance)
        if set(sums.running) - {_name(each.token) for each in statement.balances}:
            yield "a movement of an asset without a balance."
        if sums.owed(statement.opening_owed_usd) != Decimal(statement.closing_owed_usd or "0"):
            yield "what is owed."
        if sums.fees != {_name(each.token): Decimal(each.amount) for each in statement.fees}:
            yield "the fees."


class _Sums:
    """Running sums of a statement, by the names of assets; ``running`` begins as the opening."""

    def __init__(self, running: dict[str, Decimal]) -> None:
        self.running = running
        self.fees: dict[str, Decimal] = defaultdict(Decimal)
        self._owed = Decimal(0)
        self._credits: dict[str, Decimal] = defaultdict(Decimal)
        self._debits: dict[str, Decimal] = defaultdict(Decimal)

    def add(self, movement: StatementMovement) -> Iterator[str]:
        """What of a movement contradicts those before it."""
        if movement.fee is not None:
            self.fees[_name(movement.fee.token)] += Decimal(movement.fee.amount)
        self._owed += Decimal(movement.owed_change_usd or "0")
        for change in movement.changes:
            name, amount = _name(change.token), Decimal(change.amount)
            self.running[name] = self.running.get(name, Decimal(0)) + amount
            (self._credits if amount > 0 else self._debits)[name] += abs(amount)
            if self.running[name] != Decimal(change.balance):
                yield f"the balance of {name} after {movement.transaction_id}."

    def owed(self, opening: str | None) -> Decimal:
        """What is owed after all movements."""
        return Decimal(opening or "0") + self._owed

    def compare(self, balance: StatementBalance) -> Iterator[str]:
        """What of a balance contradicts the movements."""
        name, closing = _name(balance.token), Decimal(balance.closing)
        parts = (balance.available, balance.held, balance.incoming)
        if self.running[name] != closing or sum(map(Decimal, parts)) != closing:
            yield f"the closing balance of {name}."
        moved = (self._credits[name], self._debits[name])
        if moved != (Decimal(balance.credits), Decimal(balance.debits)):
            yield f"the totals of {name}."


# -- forms ----------------------------------------------------------------------------------------


def render(found: Statement, form: str) -> str | bytes:
    """Write a statement in one of ``FORMS``; only a PDF is bytes. Raises PdfUnavailable: the extra
    for PDF isn't installed."""
    if form == "json":
        return printable_json(found.to_json()) + "\n"
    return _csv(found) if form == "csv" else written(_document(found), form)


def _document(found: Statement) -> Document:
    return Document(
        "Statement of account",
        [
            ("bank", found.bank),
            ("customer", found.customer_name),
            ("reference", found.customer_reference),
            ("bank account", f"{found.bank_account_id} ({found.bank_account_type})"),
            ("trading account", found.trading_account_id),
            ("period", _period(found)),
            ("made at", _moment(found.as_of)),
        ],
        [
            Table(
                "Balances",
                _BALANCES,
                [
                    (
                        _name(each.token),
                        grouped(each.opening),
                        grouped(each.credits),
                        grouped(each.debits),
                        grouped(each.closing),
                    )
                    for each in found.balances
                ],
                "No balances.",
            ),
            Table("Movements", _MOVEMENTS, list(_movements(found)), "No movements."),
            *_fees(found.fees),
        ],
        list(_notes(found)),
        subject=found.trading_account_id,
        made_at=found.as_of,
    )


_BALANCES = (
    Column("ASSET", 26),
    Column("OPENING", 26, is_amount=True),
    Column("IN", 26, is_amount=True),
    Column("OUT", 26, is_amount=True),
    Column("CLOSING", 26, is_amount=True),
)
_MOVEMENTS = (
    Column("DATE (UTC)", 24),
    Column("WHAT", 44),
    Column("ASSET", 19),
    Column("AMOUNT", 26, is_amount=True),
    Column("BALANCE", 26, is_amount=True),
)
_FEE_COLUMNS = (Column("ASSET", 26), Column("TOTAL", 26, is_amount=True))


def _movements(found: Statement) -> Iterator[tuple[str, ...]]:
    for movement in found.movements:
        changes = movement.changes
        yield (
            f"{movement.at:%Y-%m-%d %H:%M:%S}",
            "\n".join(_what(movement)),
            "\n".join(_name(each.token) for each in changes),
            "\n".join(_signed(each.amount) for each in changes),
            "\n".join(grouped(each.balance) for each in changes),
        )


def _what(movement: StatementMovement) -> Iterator[str]:
    yield _event(movement)
    if movement.price is not None:
        yield f"price {grouped(movement.price)} USD"
    if movement.fee is not None:
        yield f"fee {grouped(movement.fee.amount)} {_name(movement.fee.token)}, included"
    if movement.owed_change_usd is not None:
        change = movement.owed_change_usd
        is_repaid = change.startswith("-")
        done = "repaid to the bank" if is_repaid else "owed to the bank"
        yield f"{grouped(change.removeprefix('-'))} USD {done}"
    if movement.address:
        yield f"wallet {movement.address}"
    yield movement.transaction_id
    if movement.quote_id:
        yield movement.quote_id
    if movement.network_tx_hash:
        yield f"transaction {movement.network_tx_hash}"


def _event(movement: StatementMovement) -> str:
    """What happened, in the customer's words; an event that isn't known here stands as it came."""
    if movement.type == TRADE_TYPE and movement.event == MovementEvent.FILL:
        done = {"buy": "Bought", "sell": "Sold"}.get(movement.side or "", "Traded")
        return f"{done} {base_symbol(movement.market or '')}"
    is_to_wallet = movement.counterparty_id or movement.address
    bank_account = movement.bank_account_id or "the bank account"
    target = "a wallet" if is_to_wallet else bank_account
    known: dict[str, str] = {
        MovementEvent.DEPOSIT: f"Deposit from {bank_account}",
        MovementEvent.DEPOSIT_RETURN: f"Deposit returned to {bank_account}",
        MovementEvent.SENT: f"Withdrawal to {target}",
        MovementEvent.RETURN: f"Withdrawal to {target} returned",
        MovementEvent.FAILED: f"Withdrawal to {target} failed and returned",
    }
    return known.get(movement.event, movement.event)


def _fees(fees: Iterable[StatementAmount]) -> list[Table]:
    rows = [(_name(each.token), grouped(each.amount)) for each in fees]
    return [Table("Fees, included in the movements", _FEE_COLUMNS, rows)] if rows else []


def _notes(found: Statement) -> Iterator[str]:
    for each in found.balances:
        for amount, why in ((each.held, "on hold"), (each.incoming, "not yet settled")):
            if amount.strip("0."):
                name = _name(each.token)
                yield f"Of the closing balance, {grouped(amount)} {name} is {why}."
    for when, owed in _debts(found):
        amount = f"{grouped(owed)} USD"
        yield f"At the {when}, the customer owed the bank {amount} for deposits taken back."
    if any(each.token.network == DEPOSIT_TOKEN_USD.network for each in found.balances):
        yield f"{DEPOSIT_TOKEN_USD.symbol} is the bank's own deposit token for US dollars."
    yield "For each asset: the opening balance plus in minus out is the closing balance (checked)."


def _debts(found: Statement) -> Iterator[tuple[str, str]]:
    """What the customer owed the bank at the beginning and at the end, where it's anything."""
    for when, owed in (("beginning", found.opening_owed_usd), ("end", found.closing_owed_usd)):
        if owed is not None and owed.strip("0."):
            yield when, owed


def _period(found: Statement) -> str:
    """``2026-11-01 to 2026-11-30 (UTC)``: whole days where it begins and ends at midnight."""
    last = found.to_time
    ended = _moment(last)
    if _is_midnight(last) and last > found.from_time:
        ended = str((last - timedelta(microseconds=1)).date())
    began = str(found.from_time.date()) if _is_midnight(found.from_time) else ""
    return f"{began or _moment(found.from_time)} to {ended} (UTC)"


def _is_midnight(moment: datetime) -> bool:
    return (moment.hour, moment.minute, moment.second, moment.microsecond) == _MIDNIGHT


def _moment(moment: datetime) -> str:
    return f"{moment:%Y-%m-%dT%H:%M:%SZ}"


def _name(token: "Token") -> str:
    return asset_name(token.symbol, token.network)


def _signed(amount: str) -> str:
    return grouped(amount) if amount.startswith("-") else f"+{grouped(amount)}"


_TITLES = (
    "KIND", "AT", "EVENT", "TRANSACTION", "QUOTE", "MARKET", "SIDE", "PRICE USD", "ASSET",
    "NETWORK", "AMOUNT", "BALANCE", "FEE", "FEE ASSET", "BANK ACCOUNT", "WALLET", "ADDRESS",
    "NETWORK TRANSACTION", "ACCOUNT", "CUSTOMER", "REFERENCE", "BANK", "OWED USD",
)  # fmt: skip


def _csv(found: Statement) -> str:
    """One line for each opening balance, movement of an asset, closing balance and fee.

    The fee of a movement stands in its first line alone, so that the column adds up.
    """
    whose = {
        "ACCOUNT": found.trading_account_id,
        "CUSTOMER": found.customer_name,
        "REFERENCE": found.customer_reference,
        "BANK": found.bank,
        "BANK ACCOUNT": found.bank_account_id,
    }
    rows = [
        *(_balance_row("opening", found.from_time, each.token, each.opening)
          for each in found.balances),
        *(row for movement in found.movements for row in _movement_rows(movement)),
        *(_balance_row("closing", found.to_time, each.token, each.closing)
          for each in found.balances),
        *(
            {"KIND": f"owed at the {when}", "OWED USD": owed}
            for when, owed in _debts(found)
        ),
        *(
            {"KIND": "fees", "FEE": each.amount, "FEE ASSET": each.token.symbol}
            for each in found.fees
        ),
    ]  # fmt: skip
    lines = [[(whose | row).get(title, "") for title in _TITLES] for row in rows]
    return csv_text([_TITLES, *lines])


def _balance_row(kind: str, at: datetime, token: "Token", balance: str) -> dict[str, str]:
    place = {"ASSET": token.symbol, "NETWORK": token.network}
    return {"KIND": kind, "AT": format_moment(at), "BALANCE": balance, **place}


def _movement_rows(movement: StatementMovement) -> Iterator[dict[str, str]]:
    fee = movement.fee
    common = {
        "KIND": "movement",
        "AT": format_moment(movement.at),
        "EVENT": movement.event,
        "TRANSACTION": movement.transaction_id,
        "QUOTE": movement.quote_id or "",
        "MARKET": movement.market or "",
        "SIDE": movement.side or "",
        "PRICE USD": movement.price or "",
        "WALLET": movement.counterparty_id or "",
        "ADDRESS": movement.address or "",
        "NETWORK TRANSACTION": movement.network_tx_hash or "",
    }
    owed = movement.owed_change_usd or ""
    if not movement.changes:
        yield common | {"OWED USD": owed}
    for number, change in enumerate(movement.changes):
        shown = fee if number == 0 else None
        yield common | {
            "ASSET": change.token.symbol,
            "NETWORK": change.token.network,
            "AMOUNT": change.amount,
            "BALANCE": change.balance,
            "FEE": shown.amount if shown else "",
            "FEE ASSET": shown.token.symbol if shown else "",
            "OWED USD": owed if number == 0 else "",
        }
