"""Decisions flow: what is asked before a decision is made, and what is sent."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from chainteller.domain.clock import DAY, HOUR, MINUTE, format_instant
from chainteller.domain.decisions import AT_DESK, DecisionKind, RefusalReason
from chainteller.domain.preconditions import Control
from chainteller.records.formats import reason_words
from chainteller.records.markets import is_open as is_open_market
from chainteller.records.transfers import target
from chainteller.service.errors import Conflict
from chainteller.tui.customer import CustomerRequest
from chainteller.tui.decisions.view import about, asked_of, is_open
from chainteller.tui.dialogs.question import Ask
from chainteller.tui.steps import Choose, LookUp, OpenField, Result, Serve, Step, Write, notice

if TYPE_CHECKING:
    from chainteller.service.interface import Service
    from chainteller.service.models.accounts import TradingAccount
    from chainteller.service.models.decisions import Decision
    from chainteller.service.models.markets import Market

_FREEZES = (
    "Open quotes can't be executed, and nothing new can be requested.",
    "Trades that are processing go on.",
    "Withdrawals that weren't sent yet fail; the money stays in the account.",
)
_GO_ON = "Trades that are processing and withdrawals that were requested go on."
_SETS = {
    Control.FROZEN: ("FREEZE", _FREEZES),
    Control.SELL_ONLY: (
        "LIMIT",
        ("The customer can sell and withdraw, and nothing else.", _GO_ON),
    ),
    Control.DORMANT: (
        "SET DORMANT",
        ("Nothing new can be requested until the customer is identified.", _GO_ON),
    ),
}
_ALLOWS = {
    "FROZEN     nothing, and withdrawals that weren't sent yet fail": Control.FROZEN,
    "SELL_ONLY  selling and withdrawing": Control.SELL_ONLY,
    "DORMANT    nothing new, until the customer is identified": Control.DORMANT,
}
_WHY = {
    "the customer asked for it": "CUSTOMER_REQUEST",
    "suspected fraud": "SUSPECTED_FRAUD",
    "compliance review": "COMPLIANCE_REVIEW",
    "order of a court or an authority": "LEGAL_ORDER",
    "another reason": "OTHER",
}
"""Why a control is set, and the code of that."""
_CLOSES = (
    "Open quotes can't be executed while it's closed.",
    "Processing trades wait up to 15 minutes, then fail; the money goes back.",
    "No new withdrawals of its asset; those that were requested go on.",
)
_FOR_GOOD = "until somebody opens it"
_CLOSED_FOR: Mapping[str, int] = {
    "15 minutes": 15 * MINUTE,
    "1 hour": HOUR,
    "4 hours": 4 * HOUR,
    "24 hours": DAY,
}
_APPROVES: Mapping[str, str] = {
    DecisionKind.WITHDRAWAL: "PAY the withdrawal of {}?",
    DecisionKind.CONTROL: "LIFT {} from the account?",
    DecisionKind.MARKET: "OPEN {}?",
    DecisionKind.OWNERSHIP_STATEMENT: "ACCEPT the statement {}?",
    DecisionKind.LINK: "ALLOW to link the shared wallet of {}?",
    DecisionKind.UNANSWERED: "Has the {who} CARRIED OUT {}?",
}
_REFUSES: Mapping[str, str] = {
    DecisionKind.WITHDRAWAL: "REFUSE the withdrawal of {}?",
    DecisionKind.CONTROL: "KEEP {} on the account?",
    DecisionKind.MARKET: "KEEP {} closed?",
    DecisionKind.OWNERSHIP_STATEMENT: "REFUSE the statement {}?",
    DecisionKind.LINK: "REFUSE to link the shared wallet of {}?",
    DecisionKind.UNANSWERED: "Has the {who} NOT carried out {}?",
}
_Call = Callable[["Service", str], Step]
CONTROL, MARKET = DecisionKind.CONTROL, DecisionKind.MARKET
_DONE: Mapping[tuple[str, str], str] = {
    (CONTROL, "approved"): "lifted",
    (CONTROL, "refused"): "stays on the account",
    (MARKET, "approved"): "open again",
    (MARKET, "refused"): "stays closed",
}
"""What became of what is decided about; a withdrawal is approved or refused."""
_WITHOUT_REASON = frozenset[str]({CONTROL, MARKET, DecisionKind.UNANSWERED})
"""What is refused without a reason of the list: it stays as it is, or wasn't done."""


def _filled(words: str, decision: "Decision") -> str:
    return words.format(about(decision), who=asked_of(decision))


def approve(decision: "Decision") -> Step:
    """Ask, and approve."""
    words = _filled(_APPROVES.get(decision.kind, "APPROVE {}?"), decision)
    return _asked(decision, words, _two(decision), partial(_approve, decision.id))


def _two(decision: "Decision") -> tuple[str, ...]:
    """Who else has to approve, or has asked."""
    if decision.first_by is not None:
        return (f"{decision.first_by} asks for it, and needs a second person. That is you.",)
    if decision.needs_two:
        return ("Two persons approve this: another one has to do so within 15 minutes.",)
    return ()


def refuse(decision: "Decision") -> Step:
    """Choose the reason, ask, and refuse."""
    if decision.kind in _WITHOUT_REASON:
        return _refused(decision, AT_DESK)
    reasons = tuple(each.value for each in RefusalReason)
    asked, note = _filled(_refusal(decision), decision), "Customers aren't told the reason."
    return Choose(asked, note, reasons, partial(_refused, decision))


def _refusal(decision: "Decision") -> str:
    return _REFUSES.get(decision.kind, "REFUSE {}?")


def _refused(decision: "Decision", reason: str) -> Step:
    words = _filled(_refusal(decision), decision)
    return _asked(decision, words, (f"Reason: {reason}",), partial(_refuse, decision.id, reason))


def take(decision: "Decision") -> Step:
    """Show others who works on it."""
    return _of_customer(decision, _request(decision, partial(_take, decision.id), None))


def ask_for_more(decision: "Decision") -> Step:
    """Let the agent type what the customer is asked for."""
    return OpenField(
        "note",
        (("ask for ", "key"),),
        (("what the customer is asked for   enter: note it", "muted"),),
        submitted=partial(_noted, decision),
    )


def _noted(decision: "Decision", text: str) -> Step:
    if not text.strip():
        return notice("nothing was noted", "muted")
    return _of_customer(decision, _request(decision, partial(_note, decision.id, text), None))


def freeze_or_lift(accounts: "Sequence[TradingAccount]") -> Step:
    """Choose a control for an account without one, or lift the one that is set. Of several accounts
    of a customer, one is chosen first."""
    if len(accounts) == 1:
        return _freeze_or_lift(accounts[0])
    named = {_in_list(each): each for each in accounts}
    note = "Which account of the customer; the others stay as they are."
    return Choose("ACCOUNTS", note, tuple(named), lambda chosen: _freeze_or_lift(named[chosen]))


def _in_list(account: "TradingAccount") -> str:
    controls = "  ".join(account.controls)
    return f"{account.id}  {account.bank_account_id}  {controls}".rstrip()


def _freeze_or_lift(account: "TradingAccount") -> Write:
    return Write("control", Serve(account.id, LookUp(partial(_controlling, account.id))))


def _controlling(account_id: str, service: "Service") -> Step:
    account = service.trading_account(account_id)
    if account.controls:
        return _lifting(CONTROL, account.id, account.controls[0], service)
    note = "What may be done with the account until somebody lifts it."
    return Choose("CONTROL", note, tuple(_ALLOWS), lambda chosen: _ask_why(account, chosen))


def _ask_why(account: "TradingAccount", allows: str) -> Step:
    asked = partial(_controlled, account, _ALLOWS[allows])
    return Choose("REASON", "Customers aren't told the reason.", tuple(_WHY), asked)


def close_or_open(market: "Market", now: int) -> Step:
    """Choose until when a market is closed, or open the one that somebody has closed."""
    name = market.market_name
    if not is_open_market(market):
        return Write("market", LookUp(partial(_lifting, MARKET, name, name)))
    options = (*_CLOSED_FOR, _FOR_GOOD)
    then = partial(_closed, name, now)
    return Write("market", Choose(f"CLOSE {name}", "For all customers, how long?", options, then))


def _closed(market: str, now: int, how_long: str) -> Step:
    lasts = _CLOSED_FOR.get(how_long)
    until = None if lasts is None else format_instant(now + lasts)
    when = _FOR_GOOD if until is None else f"until {until[:16].replace('T', ' ')} UTC"
    asked = Ask(f"CLOSE {market} {when}?", _CLOSES)
    return CustomerRequest(None, partial(_close, market, until), asked)


def _controlled(account: "TradingAccount", control: Control, why: str) -> Step:
    verb, facts = _SETS[control]
    told = (*facts, f"Reason: {why}")
    asked = Ask(f"{verb} the account of {account.customer_name or account.id}?", told)
    return CustomerRequest(account.id, partial(_set, account.id, control.value, _WHY[why]), asked)


def _lifting(kind: DecisionKind, subject: str, what: str, service: "Service") -> Step:
    """Approve the decision about a control or a closed market; ``what`` names it."""
    from chainteller.tui.queries import standing_decision

    found = standing_decision(service, kind, subject)
    if found is None:
        return notice(f"No decision about {what} is open: nobody at a desk has set or closed it.")
    return approve(found)


def _asked(decision: "Decision", words: str, facts: tuple[str, ...], call: _Call) -> Step:
    """Read what is decided about, and ask."""

    def asking(service: "Service") -> Step:
        told = (*facts, *_destination(decision, service), *_facts(decision))
        return _request(decision, call, Ask(words, told))

    return _of_customer(decision, LookUp(asking))


def _destination(decision: "Decision", service: "Service") -> tuple[str, ...]:
    """Where a withdrawal goes, as a whole."""
    account_id = decision.trading_account_id
    if decision.kind != DecisionKind.WITHDRAWAL or account_id is None:
        return ()
    found = service.withdrawal_record(account_id, decision.subject)
    wallet = found.destination
    if wallet is None or wallet.counterparty_id is None:
        return (f"To {target(found)}",)
    return (f"To {target(found)}, {'verified' if wallet.verified else 'not verified'}",)


def _request(decision: "Decision", call: _Call, asked: Ask | None) -> CustomerRequest[Step]:
    check = partial(_require_open, decision)
    return CustomerRequest(decision.trading_account_id, call, asked, check)


def _of_customer(decision: "Decision", step: "CustomerRequest[Step] | LookUp") -> Step:
    """Select the customer that it's about first."""
    account_id = decision.trading_account_id
    return step if account_id is None else Serve(account_id, step)


def _require_open(decision: "Decision", service: "Service") -> None:
    """Raises Conflict: it was decided meanwhile, or somebody was the first to approve."""
    current = service.decision(decision.id)
    if current.first_by != decision.first_by or current.digest != decision.digest:
        who = current.first_by or "somebody"
        raise Conflict(f"{who} has approved it meanwhile. Look at the decision again.")
    if not is_open(current):
        who = current.decided_by or "somebody"
        raise Conflict(f"The decision was {current.status} by {who} meanwhile.")


def _facts(decision: "Decision") -> tuple[str, ...]:
    when = f"{decision.created:%d %b %H:%M} UTC"
    opened = f"{reason_words(decision.reason).capitalize()}, opened by {decision.opened_by} {when}"
    asked = (f"The customer was asked for: {decision.asked}",) if decision.asked else ()
    words = (decision.words,) if decision.words else ()
    return (opened, *words, *asked)


def _approve(decision_id: str, service: "Service", key: str) -> Step:
    from chainteller.service.models.decisions import Approval

    return _done(service.approve_decision(decision_id, Approval(), idempotency_key=key).value)


def _refuse(decision_id: str, reason: str, service: "Service", key: str) -> Step:
    from chainteller.service.models.decisions import Refusal

    request = Refusal(reason=reason)
    return _done(service.refuse_decision(decision_id, request, idempotency_key=key).value)


def _take(decision_id: str, service: "Service", key: str) -> Step:
    taken = service.take_decision(decision_id, idempotency_key=key).value
    return _changed(taken, f"taken until {taken.held_until:%H:%M} UTC", "good")


def _note(decision_id: str, text: str, service: "Service", key: str) -> Step:
    from chainteller.service.models.decisions import DecisionNote

    noted = service.note_decision(decision_id, DecisionNote(note=text), idempotency_key=key).value
    until = f", until {noted.due:%d %b %H:%M} UTC" if noted.due is not None else ""
    return _changed(noted, f"noted{until}", "good")


def _set(account_id: str, control: str, reason: str, service: "Service", key: str) -> Step:
    from chainteller.service.models.decisions import OpenDecision

    request = OpenDecision(kind=CONTROL, subject=account_id, control=control, reason=reason)
    opened = service.open_decision(request, idempotency_key=key).value
    return _changed(opened, "set on the account", "warn")


def _close(market: str, until: str | None, service: "Service", key: str) -> Step:
    from chainteller.service.models.decisions import OpenDecision

    request = OpenDecision(kind=MARKET, subject=market, reason=AT_DESK, until=until)
    return _changed(service.open_decision(request, idempotency_key=key).value, "closed", "warn")


def _done(decision: "Decision") -> Result:
    if is_open(decision):
        return _changed(decision, "waits for a second person", "warn")
    words = _DONE.get((decision.kind, decision.status), decision.status)
    return _changed(decision, words, "good")


def _changed(decision: "Decision", words: str, tone: str) -> Result:
    whose = f" of {decision.customer_name}" if decision.customer_name else ""
    return Result(
        notice=(f"{about(decision)}{whose}: {words}", tone),
        changed=f"decision.{decision.status}",
        clears_failure=True,
    )
