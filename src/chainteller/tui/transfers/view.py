"""Transfer view: rows, detail, timeline and summary of a deposit or withdrawal as lines."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from chainteller.domain.decisions import UNCONFIRMED_HELD, is_by_person
from chainteller.domain.transfers import DEPOSIT_TYPE, WITHDRAWAL_TYPE, TransferStatus
from chainteller.records.formats import Piece, clock_time, short_address, transferred
from chainteller.records.transfers import (
    WITHDRAWAL,
    direction,
    target,
    transfer_fields,
    why_not_cancelled,
)
from chainteller.tui import answer
from chainteller.tui.dialogs.boxes import cut, wrapped
from chainteller.tui.titles import work_title
from chainteller.tui.transfers.filter import Wanted
from chainteller.tui.widgets.lines import Line, heading, line
from chainteller.tui.widgets.paged_list import Column, Row
from chainteller.tui.widgets.record_lines import RecordColumns, fact_lines

if TYPE_CHECKING:
    from datetime import datetime

    from chainteller.service.models.accounts import TradingAccount
    from chainteller.service.models.funding import Transfer
    from chainteller.service.models.records import AuditRow

_LIST = RecordColumns(
    WITHDRAWAL,
    {
        "id": Column("TRANSFER", 14, rank=2, whole=26),
        "trading_account_id": Column("", 0, tone="muted", whole=26),
        "created": Column("", 8, rank=1),
        "type": Column("", 8),
        "amount": Column("", 14, "right", most=34),
        "destination": Column("TO", 12, rank=3, grows=True, tone="muted", whole=64),
        "status": Column("", 14, grows=True, most=28),
    },
)
COLUMNS = _LIST.columns
COLUMNS_OF_ALL = (
    _LIST.columns[0]._replace(rank=4),
    _LIST.columns[1]._replace(width=14, rank=1),
    *_LIST.columns[2:],
)
REQUESTED_HERE, NEWEST = "requested here only", "newest 100 each"
"""Which transfers are listed where the deployment doesn't list all: the desk's own, or one
account's.
"""
SHOWN: tuple[tuple[str, Wanted], ...] = (
    ("", Wanted()),
    ("deposits", Wanted(type=DEPOSIT_TYPE)),
    ("withdrawals", Wanted(type=WITHDRAWAL_TYPE)),
    *((str(each), Wanted(status=str(each))) for each in TransferStatus),
)
"""What ``f`` shows, one after the other."""
_NO_ID = "id not provided"
_KEPT = (
    "This deployment doesn't list transfers. You see its answer to the request from here; "
    "what happened since isn't known."
)


def title(
    account: "TradingAccount | None",
    only: str,
    order: str,
    total: int,
    *,
    all_accounts: bool,
    part: str,
) -> Line:
    """``account`` is the customer being served; ``only`` is the filter in words; ``part`` says
    which transfers are listed, where that isn't all of them.
    """
    other = "one account" if all_accounts else "all"
    switch = f"  0: {other}" if account and not part else ""
    notes = (f"  {part}" if part else "", "warn"), (switch, "muted")
    listed, counted = None if all_accounts else account, f"{total:,}   order: {order} "
    return work_title("TRANSFERS", listed, only, *notes, right=((counted, "muted"),))


_CLEAR = ("esc", "key"), (" clear the filter", "muted")


def empty_text(only: str, *, all_accounts: bool, part: str) -> tuple[Piece, ...]:
    """What an empty list says instead of rows; it names the next key."""
    if part == REQUESTED_HERE and not only:
        return (("This deployment can't list transfers, and none was requested here.", "muted"),)
    if only and not all_accounts:
        others = ("0", "key"), (" look in all accounts   ", "muted")
        return ("No matches in this account   ", "muted"), *others, *_CLEAR
    if only:
        return ("No matches   ", "muted"), *_CLEAR
    return ("No deposits or withdrawals yet.  ", ""), ("1", "key"), (" accounts", "muted")


def transfer_row(transfer: "Transfer", now: int) -> Row:
    return _LIST.row(transfer.key, transfer, now)


def now_lines(transfer: "Transfer", now: int, width: int, *, can_cancel: bool) -> list[Line]:
    """What it is, how far it is, and what can still be done; ``can_cancel`` says whether this
    desk may cancel withdrawals here."""
    status = transfer_fields(transfer)["status"].line(transfer, now)
    return [
        line((direction(transfer).upper(), "strong"), right=((transferred(transfer), "strong"),)),
        *answer.now_lines(status, *_what_next(transfer, width, can_cancel=can_cancel)),
    ]


def detail(
    transfer: "Transfer", customer: str | None, trail: Sequence["AuditRow"], now: int, width: int
) -> list[Line]:
    """The facts of a transfer and its steps, its id last.

    Args:
        transfer: the deposit or withdrawal.
        customer: the customer's name; empty where it isn't known, None where the title has it, with
            the account.
        trail: its rows of the audit trail, oldest first; empty where there are none.
        now: microseconds since the epoch.
        width: cells of a line.
    """
    rows = [line(("customer", "muted"), right=(customer,))] if customer else []
    without = {"status", *(("trading_account_id",) if customer is None else ())}
    rows += fact_lines(transfer_fields(transfer), transfer, now, without)
    rows += _whole("to", target(transfer) if direction(transfer) == "withdrawal" else "", width)
    rows += _whole("transaction", transfer.network_tx_hash or "", width)
    rows.append(line(("transfer", "muted"), right=(transfer.id or _NO_ID,)))
    return [*rows, line(), *_timeline(transfer, trail, width)]


def _whole(label: str, text: str, width: int) -> list[Line]:
    """An address or a hash: in equal parts where it is too long for one line, never cut."""
    if not text:
        return []
    room = width - len(label) - 2
    count = -(-len(text) // room)
    size = -(-len(text) // count)
    return [
        line((label if number == 0 else "", "muted"), right=(part,))
        for number, part in enumerate(cut(text, size))
    ]


# -- timeline --------------------------------------------------------------------------------------

_WAITING = frozenset({TransferStatus.PROCESSING, TransferStatus.REVIEWING})
_BY_HAND = frozenset({"cancel_withdrawal"})
"""What the audit trail calls a step that an agent made."""
_TONES = {"completed": "good", "sent": "accent", "failed": "bad", "rejected": "bad"}


def _timeline(transfer: "Transfer", trail: Sequence["AuditRow"], width: int) -> list[Line]:
    day = f"{transfer.created:%Y-%m-%d} UTC" if transfer.created is not None else ""
    rows = [heading("TIMELINE", day)]
    for moment, words, tone in _steps(transfer, trail):
        at = clock_time(moment) if moment is not None else "-"
        for number, part in enumerate(wrapped(words, width - 10)):
            shown = f"{at:<10}" if number == 0 else " " * 10
            rows.append(line((shown, "muted"), (part, tone)))
    if transfer.failure_reason is not None:
        reason = transfer.failure_reason
        rows.append(line(("reason    ", "muted"), (reason.code, "bad")))
        rows += [line(f"          {row}") for row in wrapped(reason.message, width - 10)[:6]]
    return [*rows, *(_expected(transfer) if transfer.as_of is None else ())]


_UNCHECKED = "held: the wallet couldn't be checked; C cancels it"


def _expected(transfer: "Transfer") -> list[Line]:
    if transfer.review is None or transfer.status != TransferStatus.REVIEWING:
        return []
    eta = transfer.review.eta
    if eta is None:
        return [line(("next      ", "muted"), _UNCHECKED)]
    at = f"{eta:%d %b %H:%M:%S}"
    if is_by_person(transfer.review.reason):
        return [line(("next      ", "muted"), f"decision by {eta:%d %b %H:%M}  ", ("7", "key"))]
    then = "refused" if transfer.review.reason == UNCONFIRMED_HELD else "sent"
    return [line(("next      ", "muted"), f"held until {at}, then {then}")]


def _steps(
    transfer: "Transfer", trail: Sequence["AuditRow"]
) -> Iterator[tuple["datetime | None", str, str]]:
    """(when, what happened, tone), by the audit trail or by the record's own times."""
    if transfer.as_of is not None:
        yield transfer.created, "requested from this console", ""
        yield transfer.as_of, f"answered: {transfer.status}", "muted"
        return
    for row in trail:
        yield row.at, *_audited(transfer, row)
    if not trail:
        yield transfer.created, _happened(transfer, "requested"), ""
    reached = {row.action.rpartition(".")[2] for row in trail if not row.error}
    if transfer.status not in _WAITING and not reached & {transfer.status, *_BY_HAND}:
        moment = transfer.completed_at or transfer.updated
        yield moment, _happened(transfer, transfer.status), _TONES.get(transfer.status, "")


def _audited(transfer: "Transfer", row: "AuditRow") -> tuple[str, str]:
    if row.error:
        return f"{row.action.replace('_', ' ')} refused for {row.actor}: {row.error}", "bad"
    if row.action in {"deposit", "withdraw"}:
        return _happened(transfer, f"requested by {row.actor}"), ""
    if row.action == "cancel_withdrawal":
        return _happened(transfer, "cancelled", f"cancelled by {row.actor}"), ""
    step = row.action.rpartition(".")[2]
    if step == TransferStatus.PROCESSING:
        return "the hold has ended", ""
    return _happened(transfer, step), _TONES.get(step, "")


def _happened(transfer: "Transfer", step: str, words: str = "") -> str:
    """The step, and what became of the withdrawal's hold with it."""
    hold = ""
    if direction(transfer) == "withdrawal":
        if step.startswith("requested"):
            hold = ": the money is on hold"
        elif step in {TransferStatus.CANCELLED, TransferStatus.REJECTED}:
            hold = ": the hold was released"
        elif step == TransferStatus.SENT:
            hold = ": the money was paid out"
        elif step in {TransferStatus.FAILED, TransferStatus.RETURNED}:
            hold = ": the money is back in the account"
    return f"{words or step}{hold}"


def _what_next(transfer: "Transfer", width: int, *, can_cancel: bool) -> tuple[str, int, str, str]:
    """What can be done, with its key and its tone."""
    if transfer.as_of is not None:
        return _KEPT, width, "", "warn"
    why = why_not_cancelled(transfer)
    if not why and can_cancel:
        return "Can be cancelled until it's sent", width, "C", ""
    return _sentence(why or "can't be cancelled from this console"), width, "", "muted"


def _sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}."


# -- in little room --------------------------------------------------------------------------------


def summary(transfer: "Transfer", customer: str, now: int) -> list[Line]:
    """Two lines under the list, where the detail does not fit."""
    fields = transfer_fields(transfer)
    to = target(transfer) if direction(transfer) == "withdrawal" else ""
    where = f" to {short_address(to)}" if to else ""
    whose = customer or transfer.trading_account_id or ""
    return [
        line(
            (f" {transfer.id or _NO_ID}  ", "strong"),
            fields["status"].line(transfer, now),
            right=(f"{transferred(transfer)} ",),
        ),
        line((f" {direction(transfer)}{where}   {whose}   enter: detail", "muted")),
    ]
