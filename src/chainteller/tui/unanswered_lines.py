"""What was begun and isn't over, in one line each: they stand first on every screen."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from chainteller.domain.clock import to_datetime
from chainteller.records.formats import clock_time
from chainteller.tui.desk import SAID_AFTER_S, Desk

if TYPE_CHECKING:
    from chainteller.workspace.store import SentRequest

_EXECUTION = "execute_quote"


def unanswered_lines(desk: Desk, shown: str) -> list[str]:
    """The writes without an answer, those that were given up first, and what isn't sent before the
    service has answered; executions that were given up are told by the quote that they're for.
    ``shown`` is the screen.
    """
    see = "" if shown == "quote" else "   3: see it"
    session, requests = desk.session, list(_requests(desk, without=_EXECUTION))
    waits = f"not sent yet: {desk.unchecked}, the service hasn't answered"
    lines = [f"Outcome unknown: {each}{see}" for each in desk.unknown_outcomes()]
    lines += [waits] if desk.unchecked else []
    if session is None or not requests:
        return lines
    from chainteller.workspace.outcomes import account_of, moves_nothing
    from chainteller.workspace.request_words import id_of, words_of

    for request in requests:
        owner = account_of(session.workspace, request)
        owner = owner or session.ownership.owner_of(id_of(request, 0))
        why = session.undecided.get(request.key)
        state = "outcome unknown" if why else "no answer yet"
        wait = "Nothing is moved." if moves_nothing(request) else "Don't send it again."
        next_step = f"{why}   U: close" if why else wait
        said = [f"{state}: {words_of(session.workspace, request)}", _named(desk, owner)]
        said.append(f"sent {_sent(request)}. {next_step}")
        lines.append(", ".join(each for each in said if each))
    return lines


def is_any_unanswered(desk: Desk) -> bool:
    """Whether a write is on its way, or was given up and is still looked for."""
    session = desk.session
    waits = session is not None and (
        session.unanswered.keys() - session.undecided.keys() or session.calls.waiting(0)
    )
    return bool(desk.writing or waits)


def still_open(desk: Desk) -> str:
    """Which writes have no answer, beside one that wasn't sent; empty for none."""
    times = [_sent(request) for request in _requests(desk)]
    if len(times) > 1:
        return f"The requests of {', '.join(times)} still have no answer."
    return f"The request of {times[0]} still has no answer." if times else ""


def _requests(desk: Desk, without: str = "") -> "Iterator[SentRequest]":
    """Those given up, but for one operation, and those that are waited for."""
    session = desk.session
    if session is None:
        return
    given_up = [key for key, name in session.unanswered.items() if name != without]
    keys = dict.fromkeys([*given_up, *session.calls.waiting(SAID_AFTER_S)])
    if not keys:
        return
    for key in keys:
        request = session.workspace.sent_request(key)
        if request is not None:
            yield request


def _sent(request: "SentRequest") -> str:
    return f"{clock_time(to_datetime(request.sent_at))}Z"


def _named(desk: Desk, account_id: str) -> str:
    account = desk.customer.account
    is_served = account is not None and account.id == account_id
    return (account.customer_name if account is not None and is_served else "") or account_id
