"""What a search of everything finds."""

from typing import Any

from pydantic import Field

from chainteller.service.models.base import Timestamp, WireModel


def _optional() -> Any:
    return Field(default=None, exclude_if=lambda value: value is None)


class FindQuery(WireModel):
    """``text`` is whatever somebody typed, said or pasted."""

    text: str = ""


class Found(WireModel):
    """A record that matches.

    ``kind`` is customer, bank-account, trading-account, trade, deposit, withdrawal, quote,
    counterparty, blockchain-account or case. ``title`` is one line about the record, ``matched``
    what of it was found, and ``score`` how well it matches, up to 100. Of a case, whoever and
    whatever it was about is found with it, and ``matched`` says who did what last, and when.
    ``name`` and ``reference`` are the customer's. What a kind of record doesn't have is left out.
    """

    kind: str
    id: str
    title: str
    matched: str
    score: int
    name: str | None = _optional()
    reference: str | None = _optional()
    customer_id: str | None = _optional()
    bank_account_id: str | None = _optional()
    trading_account_id: str | None = _optional()
    status: str | None = _optional()
    created: Timestamp | None = _optional()
