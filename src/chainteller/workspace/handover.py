"""The handover note: what was requested, done, refused and is pending, for the ticket system.

Built from the record of sent requests, the agent's notes and the current state of one account; no
other customer is named. The console and ``desk --plain`` write the same note.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from chainteller.domain.clock import to_datetime
from chainteller.service.models.accounts import TradingAccount
from chainteller.service.models.trades import Trade, Transaction
from chainteller.workspace.store import SentRequest, SentState, Workspace

_SECOND = 1_000_000
_FINAL = frozenset({"completed", "settled", "cancelled", "failed", "rejected", "returned"})
_FOLLOWED = frozenset({"deposit", "withdraw", "execute_quote"})
"""Operations that continue after the answer: without their record they are listed as sent."""
_NO_NEWS = frozenset({"create_quote"})
"""Operations that change nothing and are left out."""


@dataclass(frozen=True, slots=True)
class Standing:
    """The current state of an account; ``activity`` is None where the deployment has none.
    ``owned`` are the ids of what belongs to it (its blockchain accounts).
    """

    account: TradingAccount
    activity: Sequence[Transaction] | None = None
    owned: frozenset[str] = frozenset()


@dataclass(slots=True)
class _Rows:
    """The note's sections by heading, in order."""

    parts: dict[str, list[str]] = field(
        default_factory=lambda: {
            heading: [] for heading in ("Done", "Under way", "Sent", "Refused", "In doubt")
        }
    )

    def lines(self) -> Iterator[str]:
        for heading, rows in self.parts.items():
            if rows:
                yield f"{heading}:"
                yield from (f"- {row}" for row in rows)


def handover_note(
    workspace: Workspace, standing: Standing | None, *, who: str, since: int, began: int | None
) -> str:
    """Write the note; ``who`` is operator and place, ``since`` and ``began`` are instants."""
    now = workspace.now()
    lasted = f", call of {(now - began) // _SECOND // 60} min" if began is not None else ""
    rows = [f"HANDOVER {to_datetime(now):%Y-%m-%d %H:%M} UTC{lasted}, {who}"]
    if standing is None:
        return "\n".join([*rows, "No account was selected."])
    rows += _account(workspace, standing.account)
    rows += _happened(workspace, standing, since).lines()
    return "\n".join([*rows, *_now(standing)])


def _account(workspace: Workspace, account: TradingAccount) -> list[str]:
    named = f", {account.customer_name}" if account.customer_name else ""
    rows = [f"Account {account.id}, {account.bank_account_type} {account.bank_account_id}{named}"]
    notes = workspace.note(account.id).splitlines()
    return [*rows, *(["Asked:", *(f"- {note}" for note in notes)] if notes else [])]


def _happened(workspace: Workspace, standing: Standing, since: int) -> _Rows:
    """Each request once, under its current outcome."""
    rows, known = _Rows(), {row.id: row for row in standing.activity or ()}
    mine = {standing.account.id, *standing.owned}
    sent = [row for row in workspace.sent_requests(limit=500) if row.sent_at >= since]
    for request in reversed(sent):
        if request.operation in _NO_NEWS or not _is_about(request, mine):
            continue
        at = f"{to_datetime(request.sent_at):%H:%M:%S}Z"
        rows.parts[_heading(request, known)].append(f"{at} {_words(request, known)}")
    return rows


def _is_about(request: SentRequest, mine: set[str]) -> bool:
    asked = request.arguments.get("request") or {}
    named = {*request.arguments.get("ids", ()), request.answer, asked.get("tradingAccountId")}
    return bool(named & mine)


def _heading(request: SentRequest, known: dict[str, Transaction]) -> str:
    if request.state in {SentState.REFUSED, SentState.NOT_SENT}:
        return "Refused"
    if request.state is not SentState.DONE:
        return "In doubt"
    record = known.get(request.answer or "")
    if record is not None:
        return "Done" if record.status in _FINAL else "Under way"
    return "Sent" if request.operation in _FOLLOWED else "Done"


_PLAIN = {
    "open_trading_account": "account opened",
    "cancel_withdrawal": "withdrawal cancelled",
    "cancel_trade": "trade cancelled",
    "open_blockchain_account": "blockchain account opened",
    "create_challenge": "text to sign issued",
    "submit_claim": "wallet ownership proved",
    "link_counterparty": "wallet linked",
    "require_reverification": "verification ended",
}


def _words(request: SentRequest, known: dict[str, Transaction]) -> str:
    """The request in words and, where it is known, its current status."""
    asked = request.arguments.get("request") or {}
    record = known.get(request.answer or "")
    if request.operation == "execute_quote":
        words = _of(record) if record is not None else f"quote {request.arguments['ids'][0]}"
    elif request.operation in {"deposit", "withdraw"}:
        amount = _grouped(str(asked.get("amount") or "-"))
        words = f"{request.operation} {amount} {_unit(asked)}"
        words += f" {record.status}" if record is not None else ""
    else:
        words = _PLAIN.get(request.operation, request.operation.replace("_", " "))
    if request.state is SentState.DONE:
        return f"{words}  {request.answer}"
    ended = request.answer or "no answer"
    return f"{words}  {ended}, key {request.key}" if _unclear(request) else f"{words}  {ended}"


def _unclear(request: SentRequest) -> bool:
    return request.state in {SentState.SENT, SentState.UNKNOWN}


def _unit(asked: dict[str, Any]) -> str:
    currency = asked.get("currency") or {}
    return str(currency.get("symbol") or currency.get("id") or "")


def _of(row: Transaction) -> str:
    if isinstance(row, Trade):
        return f"{row.side} {row.market} {_grouped(row.amount)} {row.status}"
    return f"{row.type.partition('-')[0]} {_grouped(row.amount)} {row.status}"


def _grouped(amount: str) -> str:
    """Separate thousands; text that is no number is returned unchanged."""
    try:
        return f"{Decimal(amount):,f}"
    except ArithmeticError:
        return amount


def _now(standing: Standing) -> list[str]:
    account, rows = standing.account, ["Now:"]
    if account.controls:
        rows.append(f"- restricted: {', '.join(account.controls)}")
    if account.buying_power is not None:
        rows.append(f"- {_grouped(account.buying_power)} USD buying power")
    if standing.activity is None:
        return [*rows, "Next: look at the account; this deployment does not tell its activity"]
    rows += [f"- {_of(row)}  {row.id}" for row in standing.activity[:3]]
    waiting = [row for row in standing.activity if row.status not in _FINAL]
    if waiting:
        return [*rows, *(f"Next: follow {row.id} ({row.status})" for row in waiting)]
    return [*rows, "Next: nothing is under way"]
