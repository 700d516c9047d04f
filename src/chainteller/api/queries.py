"""Query strings: ``page``, ``limit``, ``filter[...]``, ``sort`` and other declared parameters."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, TypeVar
from urllib.parse import quote, urlencode

from chainteller.api.reading import QueryText, flag, whole_number
from chainteller.domain.clock import LAST_INSTANT, format_instant, parse_instant
from chainteller.service.errors import ValidationFailed
from chainteller.service.models.base import WireModel
from chainteller.service.models.pages import EventsQuery, Page
from chainteller.service.models.records import EventPage
from chainteller.service.operations import LIMIT, PAGE, Kind, Operation, Parameter

Item = TypeVar("Item")
_REMEMBERED = 128


@lru_cache(_REMEMBERED)
def read_query(operation: Operation[Any], query: QueryText) -> WireModel | None:
    """Convert parameters to the operation's query; cached per parameters object.

    Raises:
        ValidationFailed: a value is invalid, or a filter is unknown, or any parameter of a call
            beyond the specification.
    """
    known = {name for each in _parameters(operation) for name in each.names}
    if operation.feature is not None:
        query.refuse_unknown(known)
    if operation.query is None:
        return None
    if operation.refuses_unknown_filters:
        query.refuse_unknown(known, only_filters=True)
    values = {each.field: _value(each, query) for each in operation.parameters}
    return operation.query.model(
        **{name: value for name, value in values.items() if value is not None}
    )


def _parameters(operation: Operation[Any]) -> Iterator[Parameter]:
    """What a query string may have; pages are cut of a whole list."""
    yield from operation.parameters
    if operation.is_whole:
        yield from (PAGE, LIMIT)


def cut(found: Page[Item], query: QueryText) -> Page[Item]:
    """Cut the requested page from a list that the engine returns completely; by default, all.

    Raises:
        ValidationFailed: the page or limit is invalid.
    """
    page, limit = _value(PAGE, query), _value(LIMIT, query)
    if page is None and limit is None:
        return found
    return found.cut(page or PAGE.schema["default"], limit or LIMIT.schema["default"])


def next_page(
    operation: Operation[Any], answer: Any, asked: WireModel | None, query: QueryText
) -> str | None:
    """The ``Link`` to the page after ``answer`` (RFC 8288); None if it is the last, or no page.

    The target is relative to the request's own address, whatever path a proxy put in front of it.
    """
    if isinstance(answer, EventPage):
        # Fewer events than were asked for are the newest ones: there is nothing to read yet.
        is_full = isinstance(asked, EventsQuery) and len(answer.data) >= asked.limit
        moved, following = "after", answer.next
    elif isinstance(answer, Page):
        shown = answer.pagination
        is_full = bool(answer.data) and shown.page * shown.limit < shown.total
        moved, following = PAGE.field, shown.page + 1
    else:
        return None
    if not is_full:
        return None
    return f'<?{_without(operation, query, moved)}{moved}={following}>; rel="next"'


@lru_cache(_REMEMBERED)
def _without(operation: Operation[Any], query: QueryText, moved: str) -> str:
    """The declared parameters of a query string, without the one of the field ``moved``."""
    kept = [
        (name, text)
        for each in _parameters(operation)
        for name in each.names
        if each.field != moved and (text := query.get(name)) is not None
    ]
    return urlencode([*kept, ("", "")], quote_via=quote)[:-1]


def _value(parameter: Parameter, query: QueryText) -> Any:
    """The value of a parameter's field; None if it isn't given."""
    text, schema = query.get(*parameter.names), parameter.schema
    if text is None:
        return None
    match parameter.kind:
        case Kind.TEXT:
            return _checked(parameter, text)
        case Kind.TIMESTAMP:
            return _timestamp(parameter.name, text)
        case Kind.FLAG:
            return flag(parameter.name, text)
        case Kind.NAMES:
            return tuple(name.strip() for name in text.split(",") if name.strip())
        case Kind.WHOLE_NUMBER:
            number = whole_number(parameter.name, text, schema["minimum"], schema.get("maximum"))
            return number if parameter.most is None else min(number, parameter.most)


def _checked(parameter: Parameter, text: str) -> str:
    """A filter for nothing would find everything; a search for nothing is meant to."""
    name, allowed = parameter.name, parameter.schema.get("enum")
    if allowed is not None and text not in allowed:
        raise ValidationFailed.of(name, f"One of: {', '.join(allowed)}.")
    if not text and parameter.is_filter and parameter.field != "text":
        raise ValidationFailed.of(name, "Give a value, or leave the filter out.")
    return text


def _timestamp(name: str, text: str) -> str:
    try:
        instant = parse_instant(text.replace(" ", "+"))
        return format_instant(min(max(instant, 0), LAST_INSTANT))
    except ValueError:
        raise ValidationFailed.of(name, "A timestamp such as 2026-11-20T12:00:00Z.") from None
