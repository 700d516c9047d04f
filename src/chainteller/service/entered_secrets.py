"""No call carries a wallet's secret: each of its texts is judged before it is kept, logged or sent.

The engine, the client of a deployment and the record of sent requests ask here, whoever calls.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from chainteller.domain.pasted_secrets import HEX_KEY_KIND, Digits, find_secret
from chainteller.service.errors import SecretEntered, ValidationFailed

if TYPE_CHECKING:
    from chainteller.service.operations import Call

MEANINGS: Mapping[str, Digits] = {
    "completedChallenge": Digits.SIGNATURE,
    "text": Digits.HASH,
    "idempotency key": Digits.DIGEST,
    "pageTokenHash": Digits.DIGEST,
}
"""What 64 hex digits are in the texts of a call, by name; a key everywhere else."""
_NAMES = {"completedChallenge": "signature", "text": "search text"}
JUDGED_BY_ENGINE = frozenset({"completedChallenge", "address"})
"""What the engine refuses with a diagnosis of its own, which asks the same recogniser."""


def require_no_secret(what: str, text: str, digits: Digits = Digits.KEY) -> None:
    """Raises SecretEntered; ``what`` names the text."""
    kind = find_secret(text, digits)
    if kind is not None:
        raise SecretEntered(what, kind, may_be_hash=kind == HEX_KEY_KIND)


def require_clean(call: "Call[Any]") -> None:
    """Check a call before it leaves this machine. Raises SecretEntered."""
    for name, text in _texts(call):
        require_no_secret(_NAMES.get(name, name), text, MEANINGS.get(name, Digits.KEY))


def refuse_secret(field_name: str, text: str) -> None:
    """Raises ValidationFailed (SECRET_PASTED) where a text looks like a wallet's secret."""
    if find_secret(text) is not None:
        raise ValidationFailed.of(field_name, SecretEntered.ADVICE, "SECRET_PASTED")


def refuse_secrets(call: "Call[Any]") -> None:
    """Check a call where it arrived. Raises ValidationFailed (SECRET_PASTED)."""
    for name, text in _texts(call):
        if name in JUDGED_BY_ENGINE:
            continue
        if find_secret(text, MEANINGS.get(name, Digits.KEY)) is not None:
            raise ValidationFailed.of(name, SecretEntered.ADVICE, "SECRET_PASTED")


def _strings_of(name: str, value: Any) -> Iterator[tuple[str, str]]:
    """Every text in a field, with the name of the innermost field."""
    if isinstance(value, str):
        yield name, value
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _strings_of(name, each)
    elif given := getattr(value, "model_fields_set", None):  # other fields have our own defaults
        kind: type = type(value)
        for inner, alias in _fields(kind):
            if inner in given:
                yield from _strings_of(alias, getattr(value, inner))


@cache
def _fields(kind: Any) -> tuple[tuple[str, str], ...]:
    """The fields of a model with their names on the wire."""
    return tuple((name, field.alias or name) for name, field in kind.model_fields.items())


def _texts(call: "Call[Any]") -> Iterator[tuple[str, str]]:
    if call.key is not None:
        yield "idempotency key", call.key
    if call.case_id:
        yield "case", call.case_id
    for identifier in call.ids:
        yield "id", identifier
    for asked in (call.request, call.query):
        if asked is not None:
            yield from _strings_of("", asked)
