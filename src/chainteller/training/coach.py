"""The coach: stands where the service stands and sees every act with its outcome.

It is handed to the console, or to a player of written steps, in place of the bank.
"""

from collections.abc import Callable, Mapping
from typing import Any, Protocol, cast

from chainteller.service.errors import TellerError
from chainteller.service.interface import Service
from chainteller.service.models.base import Written
from chainteller.service.models.counterparties import ClaimRequest, RegisterCounterparty
from chainteller.training.moments import DONE, OBSERVED
from chainteller.wallets.pasted_secrets import find_secret

WITHHELD = "(a secret; withheld)"


class Listener(Protocol):
    """Who is told of the acts."""

    def perform(self, name: str, args: tuple[Any, ...], key: str | None) -> Any:
        """Carry the act out and remember it; returns or raises what the bank does."""


class Coach:
    """Acts go to the listener, looking around goes straight to the bank with its faults."""

    def __init__(self, inner: Service, listener: Listener) -> None:
        self._inner = inner
        self._listener = listener

    @classmethod
    def over(cls, inner: Service, listener: Listener) -> Service:
        return cast(Service, cls(inner, listener))

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name not in OBSERVED:
            found: Callable[..., Any] = getattr(self._inner, name)
            return found

        def act(*args: Any, idempotency_key: str | None = None) -> Any:
            return self._listener.perform(name, args, idempotency_key)

        return act


def outcome_of(call: Callable[[], Any]) -> tuple[str, str, Any, TellerError | None]:
    """(outcome, what it was about, the answer, the error) of an act."""
    try:
        answer = call()
    except TellerError as error:
        return error.code, error.message, None, error
    value = answer.value if isinstance(answer, Written) else answer
    return DONE, str(getattr(value, "id", "")), answer, None


def inputs_of(args: tuple[Any, ...]) -> list[Any]:
    """An act's arguments for the log: ids as they are, requests as ``{model: body}``.

    A secret that somebody pasted is not kept.
    """
    return [_input(each) for each in args]


def _input(value: Any) -> Any:
    if isinstance(value, str):
        return value
    body: dict[str, Any] = value.model_dump(mode="json", by_alias=True, exclude_none=True)
    field = _SECRET_PRONE.get(type(value))
    if field is not None and find_secret(str(body[field])):
        body[field] = WITHHELD
    return {type(value).__name__: body}


_SECRET_PRONE: Mapping[type, str] = {
    ClaimRequest: "completedChallenge",
    RegisterCounterparty: "address",
}
