"""Records that this desk made, kept whole: a deployment that lists none can be helped out.

They are as the deployment answered them then, with what this desk did to them since. What others
did to them is not known here.
"""

import contextlib
from collections.abc import Sequence
from typing import TypeVar

from pydantic import ValidationError
from pydantic_core import PydanticSerializationError

from chainteller.service.models.counterparties import (
    BlockchainAccount,
    Challenge,
    ClaimRequest,
    Counterparty,
)
from chainteller.service.models.pages import ListQuery, Page, Pagination
from chainteller.service.models.quotes import Quote
from chainteller.service.models.trades import Trade
from chainteller.workspace.store import Workspace

Identified = Quote | Challenge | BlockchainAccount | Counterparty
Record = TypeVar("Record", Quote, Challenge, BlockchainAccount, Counterparty)
QUOTE, WALLET, CHALLENGE = "quote", "counterparty", "challenge"
BLOCKCHAIN_ACCOUNT = "blockchain-account"
_MOST = 1000


def keep(workspace: Workspace, value: object, given: Sequence[object]) -> None:
    """Keep what a write answered, or what it did to a record that is kept; ``given`` are the
    write's ids and its request.
    """
    if isinstance(value, Quote):
        _store(workspace, QUOTE, value.trading_account_id or "", value)
    elif isinstance(value, Challenge):
        account = value.blockchain_account_id or _text(given)
        _store(workspace, CHALLENGE, account, value)
    elif isinstance(value, BlockchainAccount):
        keep_blockchain_account(workspace, value)
    elif isinstance(value, Counterparty):
        _store(workspace, WALLET, "", value)
    elif isinstance(value, Trade) and value.quote_id:
        _mend(workspace, QUOTE, Quote, value.quote_id, trade_id=value.id, status="executed")
    for part in given:
        if isinstance(part, ClaimRequest):
            _mend(workspace, CHALLENGE, Challenge, part.challenge_id, status="used")


def keep_blockchain_account(workspace: Workspace, account: BlockchainAccount) -> None:
    _store(workspace, BLOCKCHAIN_ACCOUNT, account.trading_account_id, account)


def listed(
    workspace: Workspace,
    kind: str,
    model: type[Record],
    query: ListQuery,
    parent: str | None = None,
) -> Page[Record]:
    """Kept records, the last seen first; ``text`` is looked for in the whole record."""
    wanted = (query.text or "").lower()
    rows = [
        record
        for each in workspace.known(kind, parent or None, _MOST)
        if wanted in each.label.lower() and (record := _read(model, each.label)) is not None
    ]
    start = (query.page - 1) * query.limit
    seen = Pagination(total=len(rows), page=query.page, limit=query.limit)
    return Page(data=tuple(rows[start : start + query.limit]), pagination=seen)


def one(workspace: Workspace, kind: str, model: type[Record], identifier: str) -> Record | None:
    """A kept record, or None."""
    for each in workspace.known(kind, None, _MOST):
        if each.id == identifier:
            return _read(model, each.label)
    return None


def _mend(
    workspace: Workspace, kind: str, model: type[Record], identifier: str, **fields: str
) -> None:
    for each in workspace.known(kind, None, _MOST):
        record = _read(model, each.label) if each.id == identifier else None
        if record is not None:
            changed = record.model_copy(update=dict(fields))
            _store(workspace, kind, each.parent, changed)


def _store(workspace: Workspace, kind: str, parent: str, record: Identified) -> None:
    """Half a character, which only a faulty deployment sends, has no JSON: that one is not kept."""
    with contextlib.suppress(PydanticSerializationError):
        workspace.remember(record.id, kind, parent, record.to_json())


def _read(model: type[Record], label: str) -> Record | None:
    """None for one that an earlier version kept without its fields."""
    try:
        return model.model_validate_json(label)
    except ValidationError:
        return None


def _text(given: Sequence[object]) -> str:
    return next((part for part in given if isinstance(part, str)), "")
