"""Settle writes that weren't answered: those of this session by themselves, older ones when asked.

An agent confirmed a request of this session a moment ago, so the console sends it again with the
same key as soon as the service answers, and says so. A request of an earlier session is sent again
only when requested by an agent (``U``). Executions of this session are settled by the quote screen.
"""

from functools import partial
from time import monotonic
from typing import TYPE_CHECKING

from chainteller.domain.clock import to_datetime
from chainteller.records.formats import clock_time
from chainteller.service.errors import OutcomeUnknown, TellerError
from chainteller.service.operations import EXECUTE_QUOTE, IDEMPOTENCY
from chainteller.tui.console.protection import agreed
from chainteller.tui.desk import Backstage, Desk, Settled
from chainteller.tui.desk_screen import DeskScreen
from chainteller.tui.dialogs.boxes import Box
from chainteller.tui.dialogs.choice import Choice
from chainteller.tui.service_calls import Later, call_service
from chainteller.tui.widgets.failure_panel import FailurePanel
from chainteller.tui.widgets.lines import line, wrapped
from chainteller.workspace.outcomes import Fate, Outcome, account_of, describe, moves_nothing
from chainteller.workspace.recording import RESENT_WITHIN
from chainteller.workspace.request_words import words_of
from chainteller.workspace.store import IN_DOUBT, SentRequest, Workspace

if TYPE_CHECKING:
    from chainteller.tui.console.shell import ConsoleShell

FIRST_PAUSE_S, LONGEST_PAUSE_S = 2.0, 30.0
_WORDS = {
    Fate.DONE: "answered",
    Fate.NOT_DONE: "not done",
    Fate.SEVERAL: "outcome unknown",
    Fate.NOT_SHOWN: "outcome unknown",
    Fate.UNKNOWN: "outcome unknown",
}
_TONES = {Fate.DONE: "good", Fate.NOT_DONE: "warn"}


class Pause:
    """The time between two attempts, which grows."""

    def __init__(self) -> None:
        self._until, self._seconds = 0.0, FIRST_PAUSE_S

    @property
    def is_over(self) -> bool:
        return monotonic() >= self._until

    def grow(self) -> None:
        """An attempt failed: the next one is later by twice as much, up to ``LONGEST_PAUSE_S``."""
        self._until = monotonic() + self._seconds
        self._seconds = min(LONGEST_PAUSE_S, self._seconds * 2)


class UnansweredWrites:
    """Settles the session's writes without an answer, with growing pauses."""

    def __init__(self, console: "ConsoleShell") -> None:
        self._console, self._desk = console, console.desk
        self._told: set[str] = set()
        self._trying = False
        self._pauses: dict[str, Pause] = {}

    def polled(self, nothing: None) -> None:  # noqa: ARG002 - the signal's value
        session = self._desk.session
        if session is None or self._trying or not self._keys(session):
            return
        self._trying = True
        self._console.run_worker(Later(partial(self._settle_all, session)), group="unanswered")

    def _keys(self, session: Backstage) -> list[str]:
        names = session.unanswered.items()
        kept = [key for key, name in names if name != EXECUTE_QUOTE.name]
        searched = [key for key in kept if key not in session.undecided]
        return [key for key in searched if self._pauses.setdefault(key, Pause()).is_over]

    async def _settle_all(self, session: Backstage) -> None:
        try:
            for key in self._keys(session):
                await self._settle(session, key)
        finally:
            self._trying = False

    async def _settle(self, session: Backstage, key: str) -> None:
        request = session.workspace.sent_request(key)
        if request is None:
            return
        what = describe(session.workspace, request)
        if key not in self._told:
            self._told.add(key)
            told = f"{what}: no answer. {_plan(self._desk)}"
            brief = f"{request.operation.replace('_', ' ')}: no answer. {_plan(self._desk)}"
            owner = account_of(session.workspace, request)
            self._desk.notify_about(owner, told, "warn", briefly=brief)
        try:
            outcome = await call_service(session.settle, key)
        except TellerError:
            self._pauses[key].grow()
            return
        if outcome.fate is not Fate.UNKNOWN:
            _tell_outcome(self._console, session.workspace, request, outcome)


def _plan(desk: Desk) -> str:
    if desk.offers(IDEMPOTENCY):
        return "Sending it again with the same key: it can't be done twice."
    return "Looking for its record; nothing is sent again."


def _tell_outcome(
    console: "ConsoleShell", workspace: Workspace, request: SentRequest, outcome: Outcome
) -> None:
    """One line for the agent; screens learn it and fetch again, and the refusal of the lost answer
    goes.
    """
    desk, found = console.desk, _WORDS[outcome.fate]
    ids = " ".join(str(getattr(record, "id", "")) for record in outcome.records)
    said = "  ".join(each for each in (f"{found}:", ids, describe(workspace, request)) if each)
    desk.notify_about(
        account_of(workspace, request),
        said,
        _TONES.get(outcome.fate, "bad"),
        f"{said}\n{outcome.text}",
        briefly=f"{found}: {request.operation.replace('_', ' ')}",
    )
    _clear_refusal(console)
    desk.on_under_way.publish(None)
    desk.on_settled.publish(Settled(request.key, outcome))
    desk.on_change.publish(())


def _clear_refusal(console: "ConsoleShell") -> None:
    for screen in console.screen_stack:
        if isinstance(screen, DeskScreen):
            failure = screen.query_one(FailurePanel).failure
            if failure is not None and failure.code == OutcomeUnknown.code:
                screen.clear_failure()


def unanswered_requests(desk: Desk) -> list[SentRequest]:
    """Writes without an answer that may matter still, of this session and earlier ones."""
    if desk.session is None:
        return []
    rows = desk.session.workspace.in_doubt()
    return [row for row in rows if not moves_nothing(row)]


async def show_unanswered(console: "ConsoleShell") -> None:
    """List the writes without an answer; settle the one that the agent chooses."""
    desk, session = console.desk, console.desk.session
    rows = unanswered_requests(desk)[-9:]
    if session is None or not rows:
        desk.notify("all requests have an answer", "muted")
        return
    named = {_row(session.workspace, row): row for row in rows}
    note = "Sent without an answer. Choose one to find out what happened."
    chosen = await console.push_screen_wait(Choice("REQUESTS WITHOUT AN ANSWER", note, [*named]))
    request = named.get(chosen or "")
    if request is None or not await _may_settle(console, request):
        return
    what = describe(session.workspace, request)
    now = session.workspace.sent_request(request.key)
    if now is None or now.state not in IN_DOUBT:  # the console settled it while it was asked about
        desk.notify(f"answered in the meantime: {what}", "muted", account_id="")
        return
    try:
        outcome = await call_service(session.settle, request.key)
    except TellerError as error:
        desk.notify(f"still no answer: {error.code}  {what}", "bad", error.message, account_id="")
        return
    session.forget(request.key)
    _tell_outcome(console, session.workspace, request, outcome)
    ids = [line(str(getattr(record, "id", ""))) for record in outcome.records]
    rows_shown = [line(row) for row in wrapped(f"{what}. {outcome.text}", 70)]
    console.push_screen(Box(_WORDS[outcome.fate].upper(), [*rows_shown, *ids]))


def _row(workspace: Workspace, request: SentRequest) -> str:
    """One line of the list; what matters least is at its end, where it may be cut."""
    owner = account_of(workspace, request)
    at = clock_time(to_datetime(request.sent_at))
    return "  ".join(part for part in (f"{at}Z", owner, words_of(workspace, request)) if part)


async def _may_settle(console: "ConsoleShell", request: SentRequest) -> bool:
    """Ask before a request leaves again; a search needs no answer."""
    desk, session = console.desk, console.desk.session
    is_sent = desk.offers(IDEMPOTENCY) and desk.now - request.sent_at < RESENT_WITHIN
    if session is None or not is_sent:
        return session is not None
    owner = account_of(session.workspace, request)
    if owner and owner != desk.customer.account_id:
        desk.customer.serve(await call_service(desk.service.trading_account, owner))
    facts = (
        f"first sent at {clock_time(to_datetime(request.sent_at))}Z, key {request.key}",
        "If it went through, you see the first outcome. It can't go through twice.",
        "If it never arrived, it goes through now.",
    )
    what = describe(session.workspace, request)
    return await agreed(desk, f"SEND AGAIN: {what}?", *facts)
