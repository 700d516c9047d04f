"""What another deployment said, passed on as it said it."""

import json
from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple, TypeVar

from chainteller.service.models.base import WireModel

Record = TypeVar("Record", bound=WireModel)
_BODY = "_told"


class Told(NamedTuple):
    """The answer to a call, and the body that it came in; of a list, each record has its own."""

    value: Any
    body: str = "{}"
    created: bool = False


def passed(record: Record, body: str) -> Record:
    """The record, written as ``body`` says it; the record adds what that leaves out."""
    kind = _passing(type(record))
    found: Record = kind.model_construct(record.model_fields_set, **dict(record))
    found.__dict__[_BODY] = body
    return found


def as_answered(kind: type[Record], body: str) -> Record:
    """A record as it was answered first: our own, of which the short form was kept, or what another
    deployment said."""
    record = kind.model_validate_json(body)
    return record if record.to_short_json() == body else passed(record, body)


def plain(record: Record) -> Record:
    """The record as one of our own, which is written from its fields."""
    if _BODY not in record.__dict__:
        return record
    kind: type[Record] = type(record).__mro__[1]
    return kind(**dict(record))


def merged(record: Record, body: str, **own: object) -> Record:
    """The record with the values that ``body`` has for its fields, except its ``own`` ones. Raises
    ValueError: the body has a value that no such record can have."""
    known = record.model_dump(by_alias=True, mode="json")
    found: Mapping[str, Any] = json.loads(body)
    said = {name: value for name, value in found.items() if value is not None}
    return type(record).model_validate({**known, **said, **own})


@cache
def _passing(kind: type[Any]) -> Any:
    """The model of records that are written as another deployment said them."""

    def to_json(self: WireModel) -> str:
        body: str = self.__dict__[_BODY]
        said = json.loads(body)
        own = json.loads(kind.to_short_json(self))
        added = {name: value for name, value in own.items() if name not in said}
        return json.dumps(said | added) if added else body

    own = {"to_json": to_json, "to_short_json": to_json, "__module__": __name__}
    return type(kind.__name__, (kind,), own)
