"""Notes of the team about customers and their records."""

from chainteller.service.models.base import RequestModel, Timestamp, WireModel


class Note(WireModel):
    """What somebody noted about the record ``subject``, for all who serve the customer. An erased
    note has no ``content``."""

    type: str = "note"
    id: str
    subject: str
    trading_account_id: str | None = None
    created: Timestamp
    author: str
    content: str | None = None
    erased_at: Timestamp | None = None
    erased_by: str | None = None


class AddNote(RequestModel):
    """``subject`` is the id of a customer, an account, a trade, a transfer, a quote, a wallet or a
    decision, or the name of a market. ``content`` is one line of up to 500 characters."""

    subject: str
    content: str
