"""Records created from this workspace, for deployments that can't list them.

They are kept as the deployment answered them, with the changes made from here since; changes made
by others are unknown.
"""

import contextlib
from collections.abc import Mapping, Sequence
from typing import TypeVar

from pydantic import ValidationError
from pydantic_core import PydanticSerializationError

from chainteller.service.models.counterparties import (
    BlockchainAccount,
    Challenge,
    ClaimRequest,
    Counterparty,
)
from chainteller.service.models.pages import ListQuery, Page
from chainteller.service.models.quotes import Quote
from chainteller.service.models.trades import Trade
from chainteller.workspace.store import Kind, Workspace

Identified = Quote | Challenge | BlockchainAccount | Counterparty
Record = TypeVar("Record", Quote, Challenge, BlockchainAccount, Counterparty)
_KINDS: Mapping[type[Identified], Kind] = {
    Quote: Kind.QUOTE,
    Challenge: Kind.CHALLENGE,
    BlockchainAccount: Kind.BLOCKCHAIN_ACCOUNT,
    Counterparty: Kind.COUNTERPARTY,
}


def keep(workspace: Workspace, value: object, given: Sequence[object]) -> None:
    """Store the answer of a write, or its effect on a stored record.

    ``given`` are the write's ids and its request.
    """
    if isinstance(value, Quote):
        _store(workspace, value.trading_account_id or "", value)
    elif isinstance(value, Challenge):
        account = value.blockchain_account_id or _text(given)
        _store(workspace, account, value)
    elif isinstance(value, BlockchainAccount):
        keep_blockchain_account(workspace, value)
    elif isinstance(value, Counterparty):
        _store(workspace, "", value)
    elif isinstance(value, Trade) and value.quote_id:
        _mend(workspace, Quote, value.quote_id, trade_id=value.id, status="executed")
    for part in given:
        if isinstance(part, ClaimRequest):
            _mend(workspace, Challenge, part.challenge_id, status="used")


def keep_blockchain_account(workspace: Workspace, account: BlockchainAccount) -> None:
    _store(workspace, account.trading_account_id, account)


def listed(
    workspace: Workspace, model: type[Record], query: ListQuery, parent: str | None = None
) -> Page[Record]:
    """Stored records, the last seen first; ``text`` is searched for in the whole record."""
    wanted = (query.text or "").lower()
    rows = tuple(
        record
        for each in workspace.known(_KINDS[model], parent or None)
        if wanted in each.label.lower() and (record := _read(model, each.label)) is not None
    )
    return Page.whole(rows).cut(query.page, query.limit)


def one(workspace: Workspace, model: type[Record], identifier: str) -> Record | None:
    """A stored record, or None."""
    known = workspace.known_object(identifier, _KINDS[model])
    return _read(model, known.label) if known is not None else None


def _mend(workspace: Workspace, model: type[Record], identifier: str, **fields: str) -> None:
    record = one(workspace, model, identifier)
    if record is not None:
        _store(workspace, "", record.model_copy(update=dict(fields)))


def _store(workspace: Workspace, parent: str, record: Identified) -> None:
    """Store a record; an empty ``parent`` keeps the stored one.

    A record with a lone surrogate, which only a faulty deployment sends, has no JSON and is not
    stored.
    """
    with contextlib.suppress(PydanticSerializationError):
        workspace.remember(record.id, _KINDS[type(record)], parent, record.to_json())


def _read(model: type[Record], label: str) -> Record | None:
    """Read a stored record; None where an earlier version stored no fields."""
    try:
        return model.model_validate_json(label)
    except ValidationError:
        return None


def _text(given: Sequence[object]) -> str:
    return next((part for part in given if isinstance(part, str)), "")
