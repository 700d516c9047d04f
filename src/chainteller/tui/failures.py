"""A refusal: one sentence with its figures, one with what didn't happen, one key."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from chainteller.domain.assets import USD
from chainteller.records.formats import grouped, grouped_in
from chainteller.service.error_codes import step_at_desk
from chainteller.service.errors import (
    Conflict,
    NotOffered,
    OutcomeUnknown,
    ReplyUnusable,
    ServiceError,
    ServiceUnavailable,
    ServiceUnreachable,
    TellerError,
    ValidationFailed,
)

_TIMESTAMP = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?Z")


@dataclass(frozen=True, slots=True)
class Failure:
    code: str
    what: str
    undone: str
    """What didn't happen, isn't known, or is wrong; empty where ``what`` says it."""
    next_step: str
    facts: tuple[tuple[str, str], ...] = ()
    told_as: str = ""
    """The customer's text for it, where the code alone would tell the wrong story."""

    def with_more(self, words: str) -> "Failure":
        """The same refusal, with a further sentence."""
        return replace(self, undone=f"{self.undone} {words}".strip()) if words else self

    @property
    def sentences(self) -> str:
        """What happened, and what didn't."""
        return f"{self.what} {self.undone}".rstrip()

    @property
    def told(self) -> tuple[str, ...]:
        """The facts that an agent needs at once, each with its word, without those that the
        sentences or the next step have.
        """
        said, known = f"{self.sentences} {self.next_step}", dict(self.facts)
        return tuple(
            f"{_WORDS.get(name, name)} {known[name]}"
            for name in _TOLD
            if name in known and not re.search(rf"(?<![\w,.]){re.escape(known[name])}(?!\w)", said)
        )

    @property
    def remedy(self) -> str:
        """The next step (``w: enter a smaller amount``) as a sentence, without its key."""
        step = re.sub("^[a-z]: ", "", self.next_step)
        return step[:1].upper() + step[1:].removesuffix(".") + "."

    @property
    def detail(self) -> str:
        """All of it, for the event log and to copy."""
        rows = [f"{self.code}  {self.sentences}", f"next: {self.next_step}"]
        rows += [f"{name}: {value}" for name, value in self.facts]
        return "\n".join(rows)


UNHEARD = (ServiceUnreachable, ServiceUnavailable, ReplyUnusable)
"""Failures that say nothing of what was asked."""
UNREACHABLE = ServiceUnreachable.code
_WHAT: Mapping[str, str] = {
    "INSUFFICIENT_FUNDS": "Not enough money: {available} {currency} free, {required} wanted.",
    "NOT_FOUND": "No {resource} {id}.",
    "NOT_OFFERED": "This deployment has no {feature}.",
}
"""Sentences with the facts of a refusal, for one that has them all."""
_FEATURES = {"audit": "audit trail", "find": "search"}
_UNDONE: Mapping[str, str] = {
    "VALIDATION_ERROR": "Nothing was changed.",
    "QUOTE_EXPIRED": "No trade was made.",
    "INSUFFICIENT_FUNDS": "Nothing was moved.",
    "LIMIT_EXCEEDED": "Nothing was moved.",
    "MARKET_UNAVAILABLE": "Prices are live, but trading is closed.",
    "SERVICE_UNAVAILABLE": "Nothing was changed.",
    "CLOCK_UNCERTAIN": "Nothing was changed.",
    UNREACHABLE: "Nothing was changed.",
    "NOT_RECORDED": "Nothing was sent.",
    "OUTCOME_UNKNOWN": "It may or may not have gone through.",
    "READ_ONLY": "Nothing was sent.",
    "UNAUTHORIZED": "Nothing was changed.",
}
"""By code, what a refused request didn't do."""

_NEXT: Mapping[str, str] = {
    "QUOTE_EXPIRED": "enter: a new quote with the same inputs",
    "QUOTE_ALREADY_USED": "4: see its trade",
    "MARKET_UNAVAILABLE": "m: notify me when it reopens",
    "TRADE_NOT_CANCELLABLE": "b or s: to reverse it, place the opposite trade",
    "READ_ONLY": "F9: allow changes",
    "NOT_OFFERED": "esc: close",
    UNREACHABLE: "r: retry",
    "SERVICE_UNAVAILABLE": "r: retry",
    "CLOCK_UNCERTAIN": "tell the operator to run chainteller clock show, then clock accept",
    "BOOKS_DISPUTED": "tell the operator to run chainteller db dispute list",
    "OUTCOME_UNKNOWN": "Don't send it again. We're checking whether it went through.",
}

_WORDS = {
    "resetsAt": "resets at",
    "expiredAt": "expired at",
    "estimatedResolution": "until",
    "currency": "in",
    "id": "see",
}
_TOLD = (
    "available", "required", "currency", "minimum", "amount", "limit", "used", "requested",
    "remaining", "resetsAt", "control", "reason", "expiredAt", "estimatedResolution", "status",
    "expected", "actual", "id",
)  # fmt: skip
"""Facts that an agent needs at once, in this order; the others are in the event log."""
_AMOUNTS = frozenset(
    {"available", "required", "limit", "used", "requested", "remaining", "minimum", "amount"}
)
_OF_ANYTHING = frozenset(
    {UNREACHABLE, "NOT_RECORDED", "SERVICE_UNAVAILABLE", "CLOCK_UNCERTAIN", "BOOKS_DISPUTED",
     "RATE_LIMITED", "ACCOUNT_RESTRICTED", "UNAUTHORIZED", "FORBIDDEN", "NOT_OFFERED"}
)  # fmt: skip
"""Refusals that say nothing of what was asked for."""


BANK_FUNDS, TO_WITHDRAW = "INSUFFICIENT_BANK_FUNDS", "INSUFFICIENT_FUNDS_TO_WITHDRAW"
TO_TRADE = "INSUFFICIENT_FUNDS_TO_TRADE"
"""Texts for INSUFFICIENT_FUNDS where its own would tell of the wrong money."""
TO_ASK_AGAIN = "OUTCOME_UNKNOWN_TO_ASK_AGAIN"
"""The text for OUTCOME_UNKNOWN of what moves nothing."""
_NOTHING_YET = "nothing is available; what a sale brings is, once it has settled"
_FROM_THE_BANK = frozenset({"deposit", "quote", "execution"})
"""Writes in which only the deposit can still be short of dollars: of the bank account's."""


def request_of(error: TellerError) -> str:
    """What was asked for, in words: a note of the error, from ``Desk.send``; empty for a read."""
    return next(iter(getattr(error, "__notes__", ())), "")


def explain(error: TellerError, doing: str = "") -> Failure:
    """The three parts of any refusal; most codes keep their own words.

    ``doing`` is the write that was refused: whose money is short depends on it.
    """
    found = _explained(error)
    asked = request_of(error)
    if asked and error.code in _OF_ANYTHING:
        found = replace(found, what=f"{asked[:1].upper()}{asked[1:]}: {found.what}")
    if isinstance(error, OutcomeUnknown) and error.is_harmless:
        said, step = "Nothing was moved.", "ask for it again"
        return replace(found, undone=said, next_step=step, told_as=TO_ASK_AGAIN)
    if error.code != "INSUFFICIENT_FUNDS":
        return found
    is_sale = error.details.get("currency", USD.symbol) != USD.symbol
    if doing in _FROM_THE_BANK and is_sale:
        what = found.what.replace("enough money", f"enough {error.details['currency']}")
        return replace(found, what=what, next_step="s: enter a smaller amount", told_as=TO_TRADE)
    if doing in _FROM_THE_BANK:
        return replace(
            found,
            what=found.what.replace("Not enough money", "Not enough money in the bank account"),
            next_step="d: enter a smaller amount",
            told_as=BANK_FUNDS,
        )
    if doing == "withdrawal":
        is_any = str(error.details.get("available", "1")).strip("0.")
        step = "w: enter a smaller amount" if is_any else _NOTHING_YET
        return replace(found, next_step=step, told_as=TO_WITHDRAW)
    return found


def _explained(error: TellerError) -> Failure:
    details = error.details if isinstance(error, ServiceError) else {}
    known = {name: _value(name, value) for name, value in details.items() if value is not None}
    if isinstance(error, NotOffered) and error.feature:
        known["feature"] = _FEATURES.get(error.feature, error.feature.replace("-", " "))
    return Failure(
        code=error.code,
        what=_what(error, known),
        undone=_UNDONE.get(error.code, ""),
        next_step=_next_step(error, str(details.get("suggestion") or "")),
        facts=tuple(
            (name, _value(name, value))
            for name, value in details.items()
            if name not in {"errors", "suggestion", "retry"} and value is not None
        ),
    )


def _next_step(error: TellerError, own: str) -> str:
    """The key that goes on; a store that is shut says itself what opens it, and no key does."""
    if error.code == "SERVICE_UNAVAILABLE" and own.removesuffix(".") not in {"", "Retry"}:
        return own
    is_of_none = isinstance(error, Conflict) and not error.details.get("id")
    step = "" if is_of_none else _TIMESTAMP.sub(_time, grouped_in(step_at_desk(error)))
    return _NEXT.get(error.code) or step or "esc: close"


def _what(error: TellerError, known: Mapping[str, str]) -> str:
    """The code's own sentence, if there is one and all its facts are known."""
    own = _WHAT.get(error.code, "")
    if own and set(re.findall(r"{(\w+)}", own)) <= known.keys():
        return own.format_map(known)
    if isinstance(error, ValidationFailed):
        return "; ".join(error.lines) or error.message
    return error.message


def _value(name: str, value: object) -> str:
    text = str(value)
    return grouped(text) if name in _AMOUNTS else _TIMESTAMP.sub(_time, text)


def _time(found: re.Match[str]) -> str:
    return f"{found[1]} {found[2]}Z"
