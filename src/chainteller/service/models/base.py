"""The wire's vocabulary: frozen models, camelCase on the wire, snake_case in Python."""

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from typing import Annotated, Any, Generic, TypeVar, get_args, get_type_hints

# Looking for plugins reads the metadata of every installed distribution.
os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    FailFast,
    GetJsonSchemaHandler,
    PlainSerializer,
    ValidationError,
    WithJsonSchema,
)
from pydantic.alias_generators import to_camel
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from chainteller.domain.clock import format_moment, to_datetime
from chainteller.service.errors import FIELD_REQUIRED, FieldError, ValidationFailed

Value = TypeVar("Value")
Model = TypeVar("Model", bound=BaseModel)


_WITHOUT_ZONE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9:]{5,8}(\.[0-9]+)?", re.ASCII)


def _to_datetime(value: object) -> object:
    if type(value) is int:
        return to_datetime(value)
    is_bare = isinstance(value, str) and _WITHOUT_ZONE.fullmatch(value)
    return f"{value}Z" if is_bare else value


def _in_utc(moment: datetime) -> datetime:
    """Screens and commands write the digits of a time as UTC."""
    try:
        return moment if moment.tzinfo is UTC else moment.astimezone(UTC)
    except OverflowError:
        raise ValueError("a time before the year 1 or after 9999") from None


Many = Annotated[tuple[Value, ...], FailFast()]
"""The first wrong item is enough to refuse a list: errors about each would fill the memory."""
Timestamp = Annotated[
    AwareDatetime,
    BeforeValidator(_to_datetime),
    AfterValidator(_in_utc),
    PlainSerializer(format_moment, return_type=str),
    WithJsonSchema({"type": "string", "format": "date-time"}),
]
"""ISO 8601 UTC, always with six digits; the engine hands in microseconds since the epoch. One
without a zone is UTC, as all are (specification 2)."""


@dataclass(frozen=True, slots=True)
class _DecimalText:
    """Marks texts that hold a decimal number. The engine writes them; of others they are checked
    when they arrive (``check_amounts``), so that the engine's own pages cost nothing more.
    """

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        return {**handler(schema), "pattern": f"^{_DECIMAL.pattern}$"}


@dataclass(frozen=True)
class OneOf:
    """Marks texts with the values that this version knows, and the name of these values.

    They are described in the schemas and not checked: another deployment may know more. The engine
    refuses what it doesn't know itself, with an error of its own.
    """

    name: str
    values: Iterable[str]

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        return {**handler(schema), "title": self.name, "enum": [str(each) for each in self.values]}


_DECIMAL_TEXT = _DecimalText()
Amount = Annotated[str, _DECIMAL_TEXT]
"""An amount or a price: decimal text of up to 38 digits and 18 decimals."""
_DECIMAL = re.compile(r"-?[0-9]{1,38}(\.[0-9]{1,18})?", re.ASCII)


class WireModel(BaseModel):
    """What a deployment answers. Unknown fields of a newer deployment are ignored.

    A model doesn't change, so it keeps its JSON; its copies (``model_copy``) don't.
    """

    __slots__ = ("_json",)

    model_config = ConfigDict(
        frozen=True,
        alias_generator=to_camel,
        populate_by_name=True,
        extra="ignore",
        defer_build=True,  # most processes use few of the models
    )

    def to_json(self) -> str:
        try:
            text: str = _KEPT.__get__(self)
        except AttributeError:
            text = self.model_dump_json(by_alias=True)
            _KEPT.__set__(self, text)
        return text

    def to_short_json(self) -> str:
        """Without the fields that have their defaults; reading it gives the same model."""
        return self.model_dump_json(by_alias=True, exclude_defaults=True)


class AccountRecord(WireModel):
    """A record that belongs to a trading account; whose it is, is checked (``ownership.py``)."""


class SharedRecord(AccountRecord):
    """One that may belong to several trading accounts: a wallet is registered once."""


_KEPT: Any = WireModel.__dict__["_json"]
"""The slot: pydantic's look-up of an attribute that is missing takes as long as a small model."""


class WireList(WireModel, Generic[Value]):
    """Records, and what is said of all of them; the JSON of the records is theirs."""

    data: Many[Value]

    def to_json(self) -> str:
        records: tuple[Any, ...] = self.data
        texts = ",".join([each.to_json() for each in records])
        rest = self.model_dump_json(by_alias=True, exclude={"data"})
        return f'{{"data":[{texts}],{rest[1:]}'


class AmountUnreadable(ValueError):
    """The field named holds no decimal number."""


def check_amounts(value: object) -> None:
    """Raise AmountUnreadable for an amount in a reply that isn't decimal text."""
    parts = value if isinstance(value, tuple) else (value,)
    for part in parts:
        if isinstance(part, WireModel):
            _check_model(part)


def _check_model(model: WireModel) -> None:
    amounts, others = _fields_of(type(model))
    for name in amounts:
        text = getattr(model, name)
        if text is not None and not _DECIMAL.fullmatch(text):
            raise AmountUnreadable(to_camel(name))
    for name in others:
        check_amounts(getattr(model, name))


@cache
def _fields_of(model: type[WireModel]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The fields that hold amounts, and those that may hold models."""
    hints = get_type_hints(model, include_extras=True)
    fields = {name: hints[name] for name in model.model_fields}
    amounts = tuple(name for name, hint in fields.items() if _is_amount(hint))
    return amounts, tuple(name for name in fields if name not in amounts)


def _is_amount(hint: object) -> bool:
    """Whether a type is ``Amount``, or may be."""
    marks: tuple[object, ...] = getattr(hint, "__metadata__", ())
    return _DECIMAL_TEXT in marks or any(map(_is_amount, get_args(hint)))


class RequestModel(WireModel):
    """What a client sends. Unknown fields are refused."""

    model_config = ConfigDict(extra="forbid")


@dataclass(frozen=True, slots=True)
class Written(Generic[Value]):
    """The outcome of a write: the record, whether this call made it, whether it is a replay.

    ``created`` decides between HTTP 201 and 200; ``replayed`` is ``Idempotent-Replayed: true``.
    """

    value: Value
    created: bool = True
    replayed: bool = False


_CODES: Mapping[str, str] = {"missing": "REQUIRED", "extra_forbidden": "UNKNOWN_FIELD"}
_AN_OBJECT = "Send an object in braces."
_ANOTHER = "Send another value."
_WORDS: Mapping[str, str] = {
    "missing": FIELD_REQUIRED,
    "extra_forbidden": "There is no such field.",
    "string_type": "Send a string in quotes.",
    "bool_type": "Send true or false.",
    "int_type": "Send a whole number without quotes.",
    "model_type": _AN_OBJECT,
    "model_attributes_type": _AN_OBJECT,
    "dict_type": _AN_OBJECT,
    "tuple_type": "Send an array in brackets.",
    "literal_error": "Send {expected}.",
    "greater_than_equal": "Send {ge} or more.",
    "less_than_equal": "Send {le} or less.",
}
"""In place of words that only a programmer in Python would understand, by pydantic's type."""


def read_request(model: type[Model], body: object) -> Model:
    """Validate a request's body. Raises ValidationFailed: naming each field; the input itself is
    never repeated."""
    try:
        return model.model_validate(body, by_alias=True, by_name=False)
    except ValidationError as error:
        raise ValidationFailed(field_errors(error)) from None


def field_errors(error: ValidationError) -> tuple[FieldError, ...]:
    """Pydantic's findings in words of our own, without the input."""
    return tuple(
        FieldError(
            field=".".join(str(part) for part in found["loc"]) or "body",
            code=_CODES.get(found["type"], "INVALID"),
            message=_WORDS.get(found["type"], _ANOTHER).format_map(found.get("ctx", {})),
        )
        for found in error.errors(include_url=False, include_input=False)
    )
