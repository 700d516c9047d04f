"""Requests that a bank's other systems carry out, and what they answer.

Core bank, custody and venue are called with one shape each (docs/reference/ports.md). A request has
a key, which is the id of the record that it's for and the step. A repeated key is answered with the
same request as it is now, so that a request may be sent again until its outcome is known.
"""

import re
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from enum import StrEnum
from typing import NamedTuple

from chainteller.domain.simulated import Part

MAXIMUM_MESSAGE = 200
_CODE = re.compile(r"[A-Z][A-Z0-9_]{1,39}", re.ASCII)
_REFERENCE = re.compile(r"[!-~]{1,128}", re.ASCII)


class Step(StrEnum):
    """What is asked for: its value ends the request's key."""

    DEBIT = "debit"
    CREDIT = "credit"
    TRANSFER = "transfer"
    ORDER = "order"

    @property
    def part(self) -> Part:
        return _PARTS[self]

    @property
    def path(self) -> str:
        """Where it's sent to, below the system's address."""
        return f"/{self.value}s"


_PARTS = {
    Step.DEBIT: Part.CORE_BANK,
    Step.CREDIT: Part.CORE_BANK,
    Step.TRANSFER: Part.CUSTODY,
    Step.ORDER: Part.VENUE,
}


class State(StrEnum):
    """``pending`` was accepted and can't be recalled; the others are final."""

    PENDING = "pending"
    DONE = "done"
    REFUSED = "refused"


class Answer(NamedTuple):
    """What a system says of a request.

    ``hash`` is that of a chain's transaction. ``code`` and ``message`` are those of a refusal;
    customers may read the message.
    """

    state: State
    hash: str | None = None
    code: str = ""
    message: str = ""


class NotCarriedOut(Exception):
    """The system certainly hasn't carried out what it was sent just now."""


class Unanswered(Exception):
    """The system was sent a request and gave no answer that says what became of it."""


class AnswerUnusable(Unanswered):
    """It answered about another request or another amount, which a repetition won't change."""


def key_of(record_id: str, step: Step) -> str:
    return f"{record_id}.{step}"


def read_answer(found: object, key: str, amount: str) -> Answer:
    """What an answer says of the request with this key and amount.

    Raises:
        Unanswered: it doesn't have the contract's form.
        AnswerUnusable: it's about another key or amount.
    """
    if not isinstance(found, Mapping):
        raise Unanswered("its answer isn't a JSON object")
    try:
        state = State(str(found.get("status")))
    except ValueError:
        raise Unanswered(f"its status is none of {', '.join(State)}") from None
    if found.get("key") != key:
        raise AnswerUnusable("it answered about another key")
    if not _is_amount(found.get("amount"), amount):
        raise AnswerUnusable(f"it answered about another amount than {amount}")
    spelt = found.get("hash")
    is_hash = isinstance(spelt, str) and _REFERENCE.fullmatch(spelt)
    if state is not State.REFUSED:
        return Answer(state, spelt if is_hash else None)
    code = found.get("code")
    code = code if isinstance(code, str) and _CODE.fullmatch(code) else "REFUSED"
    return Answer(state, code=code, message=_message(found.get("message")))


def _is_amount(told: object, wanted: str) -> bool:
    try:
        return isinstance(told, str) and Decimal(told) == Decimal(wanted)
    except InvalidOperation:
        return False


def _message(told: object) -> str:
    """A message that may be shown: one line without hidden characters."""
    text = told if isinstance(told, str) else ""
    shown = "".join(sign if sign.isprintable() else " " for sign in text[:MAXIMUM_MESSAGE])
    return " ".join(shown.split()) or "No reason was given."
