"""What a customer may be told about a whole account: how it stands and what is under way."""

from typing import TYPE_CHECKING

from chainteller.domain.clock import to_datetime
from chainteller.tui.customer_texts import CustomerTexts
from chainteller.tui.queries import AccountSheet, Gap

if TYPE_CHECKING:
    from chainteller.service.models.trades import Transaction

_FINAL = frozenset({"completed", "settled", "cancelled"})


def about_account(texts: CustomerTexts, sheet: AccountSheet, now: int, bank: str) -> str:
    """The account's state, then the newest happening and whatever is not over yet."""
    told = [texts.of_account(sheet.account, to_datetime(now), bank)]
    if not isinstance(sheet.activity, Gap):
        told += [
            of_transaction(texts, row, bank)
            for place, row in enumerate(sheet.activity)
            if place == 0 or row.status not in _FINAL
        ][:3]
    return "\n\n".join(text for text in told if text)


def of_transaction(texts: CustomerTexts, row: "Transaction", bank: str) -> str:
    from chainteller.service.models.trades import Trade  # noqa: PLC0415 - after the first frame

    return texts.of_trade(row, bank) if isinstance(row, Trade) else texts.of_transfer(row, bank)
