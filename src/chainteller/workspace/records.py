"""Records created from this workspace, for deployments that can't list them.

They are kept as the deployment answered them, with the changes made from here since; changes made
by others are unknown.
"""

import contextlib
from collections.abc import Mapping, Sequence
from typing import TypeVar

from pydantic import ValidationError
from pydantic_core import PydanticSerializationError

from chainteller.domain.clock import to_datetime
from chainteller.domain.transfers import (
    DEPOSIT_TYPE,
    LEAST_OF_ID,
    WITHDRAWAL_TYPE,
    TransferStatus,
)
from chainteller.records.formats import same_amount
from chainteller.service.models.accounts import TradingAccount
from chainteller.service.models.counterparties import (
    BlockchainAccount,
    Challenge,
    ClaimRequest,
    Counterparty,
    LinkRequest,
    OwnershipClaim,
)
from chainteller.service.models.funding import (
    DepositRequest,
    KeptTransfer,
    Transfer,
    TransferDestination,
    WithdrawalRequest,
)
from chainteller.service.models.pages import ListQuery, Page
from chainteller.service.models.quotes import ExecuteRequest, Quote, QuoteRequest
from chainteller.service.models.trades import Trade
from chainteller.workspace.store import Kind, Workspace

Identified = (
    Quote | Challenge | BlockchainAccount | Counterparty | OwnershipClaim | KeptTransfer | Trade
)
Record = TypeVar(
    "Record",
    Quote,
    Challenge,
    BlockchainAccount,
    Counterparty,
    OwnershipClaim,
    KeptTransfer,
    Trade,
)
_KINDS: Mapping[type[Identified], Kind] = {
    Quote: Kind.QUOTE,
    Challenge: Kind.CHALLENGE,
    BlockchainAccount: Kind.BLOCKCHAIN_ACCOUNT,
    Counterparty: Kind.COUNTERPARTY,
    OwnershipClaim: Kind.CLAIM,
    KeptTransfer: Kind.TRANSACTION,
    Trade: Kind.TRANSACTION,
}
_PARENTS: Mapping[type[Identified], str] = {
    Quote: "trading_account_id",
    Challenge: "blockchain_account_id",
    BlockchainAccount: "trading_account_id",
    Counterparty: "",
    OwnershipClaim: "challenge_id",
    KeptTransfer: "trading_account_id",
    Trade: "trading_account_id",
}
"""The field with the id of the record that one is listed under."""
LINKED = "linked"
"""The status of a claim with which a wallet was linked from here."""


def keep(workspace: Workspace, value: object, given: Sequence[object], key: str = "") -> None:
    """Store the answer of a write, or its effect on a stored record.

    ``given`` are the write's ids and its request; ``key`` identifies a deposit or withdrawal that
    the deployment gave no id.
    """
    if isinstance(value, TradingAccount):
        label = f"{value.bank_account_id} {value.bank_account_type}"
        workspace.remember(value.id, Kind.TRADING_ACCOUNT, label=label)
    elif isinstance(value, Transfer):
        if value.id or key:
            _store(workspace, _text(given), _kept_transfer(workspace, value, given, key))
    elif isinstance(value, Identified) and value.id:
        owner = _owner(value, given)
        if isinstance(value, Quote):
            value = value.model_copy(update={"trading_account_id": owner or None})
        _store(workspace, owner, value)
    _mend_used(workspace, value, given)


def _owner(value: Identified, given: Sequence[object]) -> str:
    """The id of the record that one is listed under; from the request where the answer is silent.

    Not every deployment repeats it.
    """
    told = getattr(value, _PARENTS[type(value)], None)
    if told:
        return str(told)
    if isinstance(value, Challenge):
        return _text(given)
    asked = next((part for part in given if isinstance(part, (QuoteRequest, ExecuteRequest))), None)
    return (asked.trading_account_id or "") if asked is not None else ""


def _mend_used(workspace: Workspace, value: object, given: Sequence[object]) -> None:
    """Note the challenge, the claim or the quote that a write used up."""
    for part in given:
        if isinstance(part, ClaimRequest):
            _mend(workspace, Challenge, part.challenge_id, status="used")
        elif isinstance(part, LinkRequest):
            _mend(workspace, OwnershipClaim, part.ownership_claim_id, status=LINKED)
        elif isinstance(part, ExecuteRequest) and isinstance(value, Trade):
            _mend(workspace, Quote, _text(given), trade_id=value.id, status="executed")


def claim_of(workspace: Workspace, challenge_id: str) -> OwnershipClaim | None:
    """The claim that a challenge became from here, unless a wallet was linked with it."""
    found = listed(workspace, OwnershipClaim, ListQuery(), challenge_id).data
    return found[0] if found and found[0].status != LINKED else None


def _kept_transfer(
    workspace: Workspace, transfer: Transfer, given: Sequence[object], key: str
) -> KeptTransfer:
    """The answer, with what the request says of it where the answer doesn't."""
    now = to_datetime(workspace.now())
    known = {
        "trading_account_id": transfer.trading_account_id or _text(given),
        "created": transfer.created or now,
        "updated": transfer.updated or now,
        "answered_at": now,
        "request_key": key,
    }
    if transfer.status == TransferStatus.COMPLETED:
        known["completed_at"] = transfer.completed_at or now
    for request in given:
        if isinstance(request, DepositRequest):
            known["type"] = DEPOSIT_TYPE
        elif isinstance(request, WithdrawalRequest):
            known["type"] = WITHDRAWAL_TYPE
            if transfer.destination is None and request.destination is not None:
                fields = request.destination.model_dump()
                known["destination"] = TransferDestination.model_validate(fields)
    return KeptTransfer.model_validate({**transfer.model_dump(), **known})


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


def transfers(workspace: Workspace, account_id: str | None) -> list[KeptTransfer]:
    """Stored deposits and withdrawals of an account, or of all."""
    known = workspace.known(Kind.TRANSACTION, account_id)
    rows = (_read(KeptTransfer, each.label) for each in known)
    return [row for row in rows if row is not None]


def searched(rows: Sequence[Transfer], query: ListQuery) -> Page[Transfer]:
    """Deposits and withdrawals, filtered and ordered as a deployment does it."""
    words = (query.text or "").lower().split()
    found = [
        row
        for row in rows
        if query.type in {None, row.type}
        and query.takes("status", row.status)
        and all(_has(row, word) for word in words)
    ]
    oldest = to_datetime(0)
    found.sort(key=lambda each: each.created or oldest, reverse=query.sort != "created")
    return Page.whole(tuple(found)).cut(query.page, query.limit)


def _has(transfer: Transfer, word: str) -> bool:
    """Whether a transfer has this word: its amount, or part of an id or of an address."""
    if same_amount(transfer.amount, word) or len(word) < LEAST_OF_ID:
        return same_amount(transfer.amount, word)
    target = transfer.destination
    texts = [transfer.id, transfer.trading_account_id, transfer.bank_account_id]
    if target is not None:
        texts += [target.address, target.counterparty_id, target.bank_account_id]
    begin, _, end = word.partition("..")
    found = (text.lower().partition(begin)[2] for text in texts if text and begin in text.lower())
    return any(end in rest for rest in found)


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
        name = record.key if isinstance(record, KeptTransfer) else record.id
        workspace.remember(name, _KINDS[type(record)], parent, record.to_json())


def _read(model: type[Record], label: str) -> Record | None:
    """Read a stored record; None where its JSON isn't one of this model."""
    try:
        return model.model_validate_json(label)
    except ValidationError:
        return None


def _text(given: Sequence[object]) -> str:
    return next((part for part in given if isinstance(part, str)), "")
