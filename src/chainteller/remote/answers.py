"""Answers of a deployment: checked against the call that they answer, and completed from it.

A deployment need not repeat what a call names, such as the account of a trade. What it does repeat
has to be the same: an answer about another record is refused.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import Any, TypeVar

from pydantic.alias_generators import to_camel

from chainteller.service.models.base import WireModel
from chainteller.service.models.pages import Page
from chainteller.service.operations import (
    ADD_NOTE,
    APPROVE_AGENT,
    APPROVE_DECISION,
    CLEAR_DISPUTE,
    OPEN_DECISION,
    REFUSE_DECISION,
    Call,
    Operation,
    Write,
)

Answer = TypeVar("Answer")

_REWRITTEN = frozenset({"network"})
"""What a deployment may answer in other words: networks have several names."""
_PARTS = frozenset({"type", "id", "symbol"})
"""What says which currency is meant, as the ids do of other records."""
_OTHERWISE = frozenset(
    {
        (CLEAR_DISPUTE, "reason"),
        (APPROVE_DECISION, "answer"),
        (REFUSE_DECISION, "reason"),
        (REFUSE_DECISION, "answer"),
        (OPEN_DECISION, "words"),
        (APPROVE_AGENT, "expires"),
        (ADD_NOTE, "content"),
    }
)
"""Fields of requests whose namesakes in the answer say something else, or say it otherwise."""


@dataclass(frozen=True, slots=True)
class NotShown:
    """The fields of an answer that the specification doesn't show."""

    fields: Mapping[str, Any]


class AnotherRecord(ValueError):
    """An answer about a record that the call doesn't name."""


def complete(call: Call[Any], answer: Answer) -> Answer:
    """Fill the fields of an answer that the call names and the deployment left out. Raises
    AnotherRecord: the answer says something else than the call."""
    named = dict(_named(call))
    if isinstance(answer, Page):
        rows = tuple(_completed(row, named) for row in answer.data)
        page: Answer = answer.model_copy(update={"data": rows})
        return page
    if not isinstance(answer, WireModel):
        return answer
    if _answers_with_its_own(call.operation) and call.ids:
        named["id"] = call.ids[-1]
    record: Answer = _completed(answer, named)
    _require_same_parts(call.request, record)
    return record


def require_same(call: Call[Any], fields: Mapping[str, Any]) -> None:
    """Check an answer that has no model of ours. Raises AnotherRecord."""
    for name, asked in _named(call):
        answered = fields.get(to_camel(name))
        if isinstance(answered, str) and not _is_same(name, answered, asked):
            raise AnotherRecord(f"it is about another record ({name})")


def _require_same_parts(asked: Any, answered: Any) -> None:
    """Check the ids within a request, such as a destination's, and which currency it names. Raises
    AnotherRecord."""
    fields = type(asked).model_fields if isinstance(asked, WireModel) else ()
    for name in fields:
        mine, theirs = getattr(asked, name), getattr(answered, name, None)
        if isinstance(mine, WireModel) and isinstance(theirs, WireModel):
            for part in type(mine).model_fields:
                asked_part, told = getattr(mine, part), getattr(theirs, part, None)
                is_checked = part in _PARTS or part.endswith("_id")
                if is_checked and asked_part and told and not _is_same(part, told, asked_part):
                    raise AnotherRecord(f"it is about another record ({part})")


def _completed(record: Any, named: Mapping[str, str]) -> Any:
    fields = type(record).model_fields
    missing: dict[str, str] = {}
    for name, asked in named.items():
        if name not in fields:
            continue
        answered = getattr(record, name)
        if answered is None:
            missing[name] = asked
        elif not _is_same(name, str(answered), asked):
            raise AnotherRecord(f"it is about another record ({name})")
    return record.model_copy(update=missing) if missing else record


def _named(call: Call[Any]) -> Iterator[tuple[str, str]]:
    """What a call says of its record, by the names of the models' fields."""
    for name, value in zip(call.operation.path_names, call.ids, strict=True):
        yield _field(name), value
        if name == "market":
            yield "market_name", value
    if call.request is not None:
        for name in type(call.request).model_fields:
            value = getattr(call.request, name)
            is_other = (call.operation, name) in _OTHERWISE
            if isinstance(value, str) and not is_other and name not in _REWRITTEN:
                yield name, value


@lru_cache
def _field(name: str) -> str:
    return re.sub(r"[A-Z]", lambda found: f"_{found[0].lower()}", name)


def _answers_with_its_own(operation: Operation[Any]) -> bool:
    """Whether the last id of the path is that of the record answered."""
    if isinstance(operation, Write):
        return operation.creates is None
    return operation.method == "GET" and operation.path.endswith("Id}")


def _is_same(name: str, answered: str, asked: str) -> bool:
    if name == "amount":
        try:
            return Decimal(answered) == Decimal(asked)
        except InvalidOperation:
            return False
    is_id = name == "id" or name.endswith("_id")
    return answered == asked if is_id else answered.casefold() == asked.casefold()
