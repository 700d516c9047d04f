"""The wire's vocabulary: frozen models, camelCase on the wire, snake_case in Python."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Generic, TypeVar

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    FailFast,
    PlainSerializer,
    ValidationError,
)
from pydantic.alias_generators import to_camel

from chainteller.domain.clock import format_moment, to_datetime
from chainteller.service.errors import FieldError, ValidationFailed

Value = TypeVar("Value")
Model = TypeVar("Model", bound=BaseModel)


def _instant_to_datetime(value: object) -> object:
    return to_datetime(value) if type(value) is int else value


Many = Annotated[tuple[Value, ...], FailFast()]
"""The first wrong item is enough to refuse a list: errors about each would fill the memory."""
Timestamp = Annotated[
    datetime,
    BeforeValidator(_instant_to_datetime),
    PlainSerializer(format_moment, return_type=str),
]
"""ISO 8601 UTC, always with six digits; the engine hands in microseconds since the epoch."""


class WireModel(BaseModel):
    """What a deployment answers. Unknown fields of a newer deployment are ignored."""

    model_config = ConfigDict(
        frozen=True, alias_generator=to_camel, populate_by_name=True, extra="ignore"
    )

    def to_json(self) -> str:
        return self.model_dump_json(by_alias=True)


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


def read_request(model: type[Model], body: object) -> Model:
    """Validate a request's body.

    Raises:
        ValidationFailed: naming each field; the input itself is never repeated.
    """
    try:
        return model.model_validate(body, by_alias=True, by_name=False)
    except ValidationError as error:
        raise ValidationFailed(field_errors(error)) from None


def field_errors(error: ValidationError) -> tuple[FieldError, ...]:
    """Pydantic's findings without the input and without its documentation links."""
    return tuple(
        FieldError(
            field=".".join(str(part) for part in found["loc"]) or "body",
            code=_CODES.get(found["type"], "INVALID"),
            message=found["msg"],
        )
        for found in error.errors(include_url=False, include_context=False, include_input=False)
    )
