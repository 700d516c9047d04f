"""Strict parsing of a request: body, query and idempotency key."""

import asyncio
import hmac
import json
import re
from collections.abc import Collection
from functools import cached_property
from typing import Any

from starlette.requests import ClientDisconnect, Request

from chainteller.domain.json_depth import is_nested_deeper
from chainteller.domain.signed_requests import content_digest
from chainteller.service.errors import (
    FieldError,
    MalformedRequest,
    PayloadTooLarge,
    Unauthorized,
    UnsupportedMediaType,
    ValidationFailed,
)

MAXIMUM_BODY_BYTES = 64 * 1024
BODY_DEADLINE_S = 10.0
MAXIMUM_DEPTH = 32
_MOST_DIGITS = 40
"""Of a whole number; Python's own limit is told in Python's words."""

_MEDIA_TYPE = re.compile(r"application/json(\s*;\s*charset=\"?utf-8\"?)?\s*", re.IGNORECASE)
_LARGEST = 10**40
_DIGITS_OF_MANY = 3
"""A page or a limit with so many digits takes noticeable time."""
_IDEMPOTENCY_KEY = re.compile(r"[\x21-\x7e]{1,255}", re.ASCII)


async def read_document(
    request: Request, media_type: str | None, digest: str | None = None
) -> object:
    """Read the JSON document in a request's body; ``digest`` is the ``Content-Digest`` that an
    agent signed.

    Raises:
        Unauthorized: the body isn't the one that was signed.
        UnsupportedMediaType: the body isn't application/json, or is compressed.
        PayloadTooLarge: it has more than 64 KiB.
        MalformedRequest: it isn't one JSON document in UTF-8, or didn't arrive in time.
    """
    if media_type is None or not _MEDIA_TYPE.fullmatch(media_type):
        raise UnsupportedMediaType(
            "The body must be application/json.", {"allowed": ["application/json"]}
        )
    if request.headers.get("content-encoding", "identity").strip().lower() not in {"", "identity"}:
        raise UnsupportedMediaType("Send the body uncompressed.", {"allowed": ["identity"]})
    body = await _body(request)
    if digest is not None and not hmac.compare_digest(digest, content_digest(body)):
        raise Unauthorized("SIGNATURE_INVALID")
    return parse_json(body)


async def _body(request: Request) -> bytes:
    declared = request.headers.get("content-length", "")
    if declared.isdecimal() and int(declared[:20]) > MAXIMUM_BODY_BYTES:
        raise _too_large()
    body = bytearray()
    try:
        async with asyncio.timeout(BODY_DEADLINE_S):
            async for chunk in request.stream():
                body += chunk
                if len(body) > MAXIMUM_BODY_BYTES:
                    raise _too_large()
    except TimeoutError:
        raise MalformedRequest(
            f"The body did not arrive within {BODY_DEADLINE_S:.0f} seconds.",
            {"position": len(body)},
        ) from None
    except ClientDisconnect:
        raise MalformedRequest("The body is incomplete.", {"position": len(body)}) from None
    return bytes(body)


def _too_large() -> PayloadTooLarge:
    return PayloadTooLarge(
        f"The body is larger than {MAXIMUM_BODY_BYTES} bytes.", {"limit": MAXIMUM_BODY_BYTES}
    )


def parse_json(body: bytes) -> object:
    """Parse strict JSON (RFC 8259): UTF-8 without BOM, NaN, endless numbers, duplicate keys or
    deep nesting.

    Raises:
        MalformedRequest: ``position`` is the offset of the error.
    """
    if is_nested_deeper(body, MAXIMUM_DEPTH):
        raise MalformedRequest("The body is nested too deeply.", {"position": 0})
    try:
        text = body.decode("utf-8")
        document: object = json.loads(
            text,
            object_pairs_hook=_no_key_twice,
            parse_constant=_no_constant,
            parse_int=_no_endless_number,
        )
    except UnicodeDecodeError as fault:
        raise MalformedRequest("The body is not UTF-8.", {"position": fault.start}) from None
    except json.JSONDecodeError as fault:
        raise MalformedRequest("The body is not JSON.", {"position": fault.pos}) from None
    except ValueError as fault:
        raise MalformedRequest(f"The body is not JSON: {fault}.", {"position": 0}) from None
    return document


def _no_key_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    document = dict(pairs)
    if len(document) != len(pairs):
        raise ValueError("a key appears twice")
    return document


def _no_endless_number(digits: str) -> int:
    if len(digits) > _MOST_DIGITS:
        raise ValueError("a number has too many digits")
    return int(digits)


def _no_constant(_name: str) -> object:
    raise ValueError("NaN and Infinity are no JSON numbers")


def idempotency_key(header: str | None) -> str | None:
    """Read the idempotency key, without the quotes of an RFC 9651 string.

    Raises:
        ValidationFailed: the key isn't 1 to 255 visible ASCII characters.
    """
    if header is None:
        return None
    key = header[1:-1] if len(header) > 2 and header[0] == header[-1] == '"' else header
    if not _IDEMPOTENCY_KEY.fullmatch(key):
        raise ValidationFailed.of("Idempotency-Key", "1 to 255 visible ASCII characters.")
    return key


class QueryText:
    """The parameters of a query string, each at most once."""

    def __init__(self, pairs: list[tuple[str, str]]) -> None:
        self._values = dict(pairs)
        if len(self._values) != len(pairs):
            names = [name for name, _ in pairs]
            twice = sorted({name for name in names if names.count(name) > 1})
            raise ValidationFailed(
                tuple(FieldError(_shown(n), "REPEATED", "Send it only once.") for n in twice)
            )

    @cached_property
    def reaches_far(self) -> bool:
        """Whether an answer may need many rows: by a filter, or for a late or a large page."""
        return any(
            name.startswith(("filter", "query"))
            or (name.startswith(("page", "limit")) and len(value) >= _DIGITS_OF_MANY)
            for name, value in self._values.items()
        )

    def get(self, *names: str) -> str | None:
        """The value under one of several names for the same thing.

        Raises:
            ValidationFailed: two of the names have different values.
        """
        found = [self._values[name] for name in names if name in self._values]
        if len(set(found)) > 1:
            raise ValidationFailed.of(names[0], f"Differs from {names[1]}.", "CONTRADICTION")
        return found[0] if found else None

    def refuse_unknown(self, known: Collection[str], *, only_filters: bool = False) -> None:
        """Refuse unsupported parameters; ignoring a filter would return everything.

        Raises:
            ValidationFailed: a parameter, or a ``filter[...]``, isn't among the ``known``.
        """
        strange = (name for name in self._values if name not in known)
        found = sorted(name for name in strange if _is_filter(name) or not only_filters)
        if found:
            raise ValidationFailed(tuple(_unknown(name, known) for name in found))


def _is_filter(name: str) -> bool:
    return name.startswith("filter[")


def _unknown(name: str, known: Collection[str]) -> FieldError:
    """The error for a parameter, with those that are known instead."""
    code, kind = (
        ("UNKNOWN_FILTER", "Filters") if _is_filter(name) else ("UNKNOWN_PARAMETER", "Parameters")
    )
    alike = sorted(each for each in known if _is_filter(each) == _is_filter(name))
    return FieldError(_shown(name), code, f"{kind} here: {', '.join(alike) or 'none'}.")


def flag(name: str, text: str) -> bool:
    """Parse a boolean. Raises ValidationFailed: it is neither true nor false."""
    if text not in {"true", "false"}:
        raise ValidationFailed.of(name, "Either true or false.")
    return text == "true"


def whole_number(name: str, text: str, low: int, high: int | None = None) -> int:
    """Parse an integer. Raises ValidationFailed: it isn't one, or is out of bounds."""
    readable = re.fullmatch(r"-?[0-9]{1,40}", text, re.ASCII)
    if not readable or not low <= int(text) <= (_LARGEST if high is None else high):
        bounds = f"from {low}" if high is None else f"from {low} to {high}"
        raise ValidationFailed.of(name, f"A whole number {bounds}.")
    return int(text)


def _shown(name: str) -> str:
    """Shorten a parameter's name to printable ASCII, for error bodies."""
    return "".join(c if c.isascii() and c.isprintable() else "?" for c in name[:60])
