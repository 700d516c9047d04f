"""Transfer view: rows, detail, timeline and summary of a deposit or withdrawal as lines."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from chainteller.domain.transfers import DEPOSIT_TYPE, WITHDRAWAL_TYPE, TransferStatus
from chainteller.records.formats import Piece, transferred
from chainteller.records.transfers import (
    WITHDRAWAL,
    direction,
    due_of,
    next_of,
    steps_of,
    target,
    transfer_fields,
)
from chainteller.tui import answer
from chainteller.tui.widgets.lines import Line, cut, line
from chainteller.tui.widgets.paged_list import Column
from chainteller.tui.widgets.record_lines import RecordColumns, fact_lines

if TYPE_CHECKING:
    from chainteller.service.models.funding import Transfer
    from chainteller.service.models.records import AuditRow

LIST = RecordColumns(
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
    key=lambda transfer: transfer.key,
)
COLUMNS_OF_ALL = LIST.of_all()
REQUESTED_HERE, NEWEST = "requested here only", "newest 100 each"
"""Which transfers are listed where the deployment doesn't list all: the desk's own, or one
account's.
"""
SHOWN: tuple[tuple[str, dict[str, str]], ...] = (
    ("", {}),
    ("deposits", {"type": DEPOSIT_TYPE}),
    ("withdrawals", {"type": WITHDRAWAL_TYPE}),
    *((str(each), {"status": str(each)}) for each in TransferStatus),
)
"""What ``f`` shows, one after the other."""
_NO_ID = "id not provided"
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


def now_lines(transfer: "Transfer", now: int, width: int, *, can_cancel: bool) -> list[Line]:
    """What it is, how far it is, and what can still be done; ``can_cancel`` says whether this
    desk may cancel withdrawals here."""
    status = transfer_fields(transfer)["status"].line(transfer, now)
    following = next_of(transfer, can_cancel=can_cancel)
    what = direction(transfer).upper()
    return answer.now_lines(what, transferred(transfer), status, following, width)


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
    to = target(transfer) if direction(transfer) == "withdrawal" else ""
    without = {"status", *(("trading_account_id",) if customer is None else ())}
    without |= {"bank_account_id"} if to == transfer.bank_account_id else set()
    rows += fact_lines(transfer_fields(transfer), transfer, now, without)
    rows += _whole("to", to, width)
    rows += _whole("transaction", transfer.network_tx_hash or "", width)
    rows.append(line(("transfer", "muted"), right=(transfer.id or _NO_ID,)))
    rows += [line(), *answer.step_lines(transfer, steps_of(transfer, trail), width)]
    due = due_of(transfer)
    if due is not None:
        key = ((f"  {due.key}", "key"),) if due.key else ()
        rows.append(line(("next      ", "muted"), due.words, *key))
    return rows


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
