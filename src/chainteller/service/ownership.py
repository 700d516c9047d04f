"""Whose records a call is about: refuse requests, and replies, about another account's.

Whether a reply answers its call at all is checked by the client (``remote/answers.py``); only this
knows which records are whose.

``Ownership`` remembers which trading account each record was seen under: the account that the
record names, or else the one that it was asked or made for, which is all that a deployment of the
specification's fields tells of a quote. Which names in a call are those of records is declared in
``operations.py``.
"""

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, NamedTuple, TypeVar

from chainteller.service.errors import (
    OutcomeMismatch,
    RecordOfAnotherAccount,
    ReplyMismatch,
)
from chainteller.service.layers import Layer, Next
from chainteller.service.models.accounts import TradingAccount
from chainteller.service.models.base import AccountRecord, SharedRecord, WireModel, Written
from chainteller.service.operations import ACCOUNT_ID, RECORDS, SHARED_RECORDS, Call

Answer = TypeVar("Answer")


class Named(NamedTuple):
    """A record that a call or another record names: the name in ``RECORDS``, and its id."""

    name: str
    id: str

    def __str__(self) -> str:
        return f"{RECORDS[self.name]} {self.id}"


class Ownership:
    """The trading accounts that records belong to, as far as they were seen."""

    def __init__(self) -> None:
        self._owners: dict[str, frozenset[str]] = {}

    def owner_of(self, record_id: str) -> str:
        """Id of the account that the record belongs to; empty where it's unknown or shared."""
        owners = self._of(record_id)
        return next(iter(owners)) if len(owners) == 1 else ""

    def learn(self, record_id: str, account_id: str, *, shared: bool = False) -> None:
        """Remember a record's account. The first one stays, unless a record can have several."""
        known = self._of(record_id)
        if record_id and account_id and (shared or not known):
            self._owners[record_id] = known | {account_id}

    # -- layers -------------------------------------------------------------------------------

    def check_reply(self, call: Call[Answer], onward: Next) -> Answer:
        """A layer next to the deployment: refuse a reply about another account than was asked.

        Raises:
            ReplyMismatch: the reply to a read is about another account's record.
            OutcomeMismatch: the reply to a write is.
        """
        return self._checked(call, onward, _account_named(call))

    def bind(self, account_of: Callable[[Call[Any]], str]) -> Layer:
        """A layer above all others: refuse requests about records of another account than the one
        that ``account_of`` a call says; empty where it may be any."""

        def layer(call: Call[Answer], onward: Next) -> Answer:
            account_id = account_of(call)
            self.check_request(call, account_id)
            return self._checked(call, onward, account_id or _account_named(call))

        return layer

    def check_request(self, call: Call[Any], account_id: str) -> None:
        """Refuse a call about a record of another account than ``account_id``.

        With an empty ``account_id``, a read may be about any account, but not name one account and
        a record of another; a write may name no record that belongs to anyone.

        Raises:
            RecordOfAnotherAccount: nothing was sent.
        """
        is_write = call.operation.writes
        expected = account_id or ("" if is_write else _account_named(call))
        for named in named_by(call):
            owners = self._owners_of(named)
            if owners and expected not in owners and (expected or is_write):
                raise RecordOfAnotherAccount(str(named), min(owners), expected)

    # -- replies ------------------------------------------------------------------------------

    def _checked(self, call: Call[Answer], onward: Next, account_id: str) -> Answer:
        answer = onward(call)
        expected = account_id or self._owner_named(call)
        found = next(self._contradictions(call, answer, expected), "")
        if found and call.operation.writes:
            raise OutcomeMismatch(f"It was sent, and the reply is about {found}.", call.key or "")
        if found:
            raise ReplyMismatch(f"The reply is about {found}.")
        learned = expected if call.operation.writes else _account_named(call)
        for record in _records(answer):
            self._learn(record, learned or self._owner_named(call))
        return answer

    def _contradictions(self, call: Call[Any], answer: object, expected: str) -> Iterator[str]:
        """Records of a reply that belong to another account than the one asked about, in words."""
        for record in _records(answer):
            is_account = isinstance(record, TradingAccount)
            yield from self._wrong_owner(record, _account_named(call) if is_account else expected)

    def _wrong_owner(self, record: WireModel, expected: str) -> Iterator[str]:
        known = frozenset() if isinstance(record, SharedRecord) else self._of(_id_of(record))
        told = _account_told(record)
        owners = {each for each in (told, expected, *known) if each}
        if len(owners) > 1:
            named = min(owners - {expected})  # a client may have put the account asked for into it
            asked = f", not {expected}" if expected else ""
            yield f"{_kind(record)} {_id_of(record)} of {named}{asked}"

    def _learn(self, record: WireModel, account_id: str) -> None:
        owner = _account_told(record) or account_id
        self.learn(_id_of(record), owner, shared=isinstance(record, SharedRecord))
        for named in _named_in(record):
            if named.name != ACCOUNT_ID:
                self.learn(named.id, owner, shared=named.name in SHARED_RECORDS)

    # -- owners -------------------------------------------------------------------------------

    def _of(self, record_id: str) -> frozenset[str]:
        return self._owners.get(record_id, frozenset())

    def _owners_of(self, named: Named) -> frozenset[str]:
        return frozenset({named.id}) if named.name == ACCOUNT_ID else self._of(named.id)

    def _owner_named(self, call: Call[Any]) -> str:
        """The account that a call is about, by the records that it names."""
        alone = (each for each in named_by(call) if each.name not in SHARED_RECORDS)
        owners = frozenset().union(*map(self._owners_of, alone))
        return next(iter(owners)) if len(owners) == 1 else ""


# -- what calls and records name -------------------------------------------------------------------


def named_by(call: Call[Any]) -> Iterator[Named]:
    """Every record that a call names, in its path, its body and its query."""
    for name, identifier in zip(call.operation.path_names, call.ids, strict=True):
        if name in RECORDS:
            yield Named(name, identifier)
    for part in (call.request, call.query):
        if part is not None:
            yield from _named_in(part)


def _named_in(model: WireModel) -> Iterator[Named]:
    """The records that a model's fields name, also those of the models within it."""
    names, parts = _fields_of(type(model))
    for field, name in names:
        identifier = getattr(model, field)
        if identifier:
            yield Named(name, identifier)
    for field in parts:
        part = getattr(model, field)
        if isinstance(part, WireModel):
            yield from _named_in(part)


@cache
def _fields_of(model: type[WireModel]) -> tuple[tuple[tuple[str, str], ...], tuple[str, ...]]:
    """Fields that name records, with their names on the wire; and all other fields."""
    aliases = {field: str(info.alias) for field, info in model.model_fields.items()}
    names = tuple((field, alias) for field, alias in aliases.items() if alias in RECORDS)
    return names, tuple(field for field, alias in aliases.items() if alias not in RECORDS)


def _account_named(call: Call[Any]) -> str:
    return next((each.id for each in named_by(call) if each.name == ACCOUNT_ID), "")


def _records(answer: object) -> Iterator[WireModel]:
    """The records of a reply that belong to trading accounts."""
    value = answer.value if isinstance(answer, Written) else answer
    for record in getattr(value, "data", ()) or (value,):
        if isinstance(record, AccountRecord):
            yield record


def _id_of(record: WireModel) -> str:
    return str(getattr(record, "id", ""))


def _account_told(record: WireModel) -> str:
    """The account that a record names as its own; empty where it names none."""
    if isinstance(record, TradingAccount):
        return record.id
    return str(getattr(record, "trading_account_id", None) or "")


def _kind(record: WireModel) -> str:
    """``trading account`` for a TradingAccount."""
    name = type(record).__name__
    return "".join(f" {sign.lower()}" if sign.isupper() else sign for sign in name).strip()
