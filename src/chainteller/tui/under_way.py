"""What was begun and isn't over, in one line each: they stand first on every screen."""

from collections.abc import Iterator

from chainteller.domain.clock import to_datetime
from chainteller.records.formats import clock_time
from chainteller.tui.desk import SAID_AFTER_S, Desk

_EXECUTION = "execute_quote"


def unanswered_lines(desk: Desk) -> list[str]:
    """The writes without an answer, those that were given up first."""
    session, keys = desk.session, list(_keys(desk))
    if session is None or not keys:
        return []
    from chainteller.workspace.outcomes import MOVES_NOTHING, account_of, words_of

    lines = []
    for key in keys:
        request = session.workspace.sent_request(key)
        if request is None or (key in session.unanswered and request.operation in MOVES_NOTHING):
            continue
        owner = account_of(session.workspace, request)
        said = [f"no answer yet: {words_of(session.workspace, request)}", _named(desk, owner)]
        said.append(f"sent {clock_time(to_datetime(request.sent_at))}Z. Don't send it again.")
        lines.append(", ".join(each for each in said if each))
    return lines


def _keys(desk: Desk) -> Iterator[str]:
    """Of the requests given up, executions are told by the quote that they're for."""
    session = desk.session
    if session is not None:
        given_up = [key for key, name in session.unanswered.items() if name != _EXECUTION]
        yield from dict.fromkeys([*given_up, *session.requests.waiting(SAID_AFTER_S)])


def _named(desk: Desk, account_id: str) -> str:
    account = desk.customer.account
    is_served = account is not None and account.id == account_id
    return (account.customer_name if account is not None and is_served else "") or account_id
