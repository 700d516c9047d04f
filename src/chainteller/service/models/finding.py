"""What a search of everything finds."""

from chainteller.service.models.base import Timestamp, WireModel


class FindQuery(WireModel):
    """``text`` is whatever somebody typed, said or pasted."""

    text: str = ""


class Found(WireModel):
    """A record that matches.

    ``kind`` is customer, bank-account, trading-account, trade, deposit, withdrawal, quote,
    counterparty or blockchain-account. ``title`` is one line about the record, ``matched`` what of
    it was found, and ``score`` how well it matches, up to 100. ``name`` and ``reference`` are the
    customer's.
    """

    kind: str
    id: str
    title: str
    matched: str
    score: int
    name: str | None = None
    reference: str | None = None
    customer_id: str | None = None
    bank_account_id: str | None = None
    trading_account_id: str | None = None
    status: str | None = None
    created: Timestamp | None = None
