"""What all screens share: the service, what is selected, what happened, how fresh it is."""

import asyncio
import contextlib
from collections import deque
from collections.abc import Callable, Sequence
from datetime import date, datetime
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from textual.dom import DOMNode
from textual.geometry import Size
from textual.signal import Signal

from chainteller.domain.clock import MINUTE, SECOND, to_datetime
from chainteller.domain.signing_pages import MOST_MESSAGES
from chainteller.records.formats import clock_time
from chainteller.service.errors import (
    NotOffered,
    ServiceUnavailable,
    SignInRequired,
    TellerError,
)
from chainteller.tui.colleagues import Colleagues
from chainteller.tui.customer import (
    Answer,
    CustomerContext,
    CustomerRequest,
    require_unrestricted,
)
from chainteller.tui.holding import Held, Holding
from chainteller.tui.privacy import Privacy
from chainteller.tui.service_calls import Later, call_service, send_to_service
from chainteller.tui.start import ConsoleSettings, StartedDesk

if TYPE_CHECKING:
    from chainteller.service.interface import Service
    from chainteller.service.models.counterparties import BlockchainAccount
    from chainteller.service.models.funding import Transfer
    from chainteller.service.models.records import Capabilities
    from chainteller.service.ownership import Ownership
    from chainteller.tui.calls_in_progress import CallsInProgress
    from chainteller.tui.commands import AnyCommand
    from chainteller.tui.customer_texts import CustomerTexts
    from chainteller.tui.dialogs.question import Ask, Watch
    from chainteller.tui.found import Found
    from chainteller.tui.opening import Opening
    from chainteller.tui.queries import AccountSheet, CustomerView, DeskView
    from chainteller.witnessing.remembering import HeadConflict
    from chainteller.workspace.outcomes import Outcome
    from chainteller.workspace.store import Workspace

_LOG_ROWS = 500
KEPT_ACCOUNT, KEPT_SCREEN = "account", "place"
"""Names of the kept views that say where the desk was left."""
HIDING = "privacy"
"""The kind of change when names and balances are hidden, or shown again."""
STARTING = "The service is still starting. Nothing was sent."
"""Leaves the status line when it has started."""
KEPT_AFTER_S = 2.0
SAID_AFTER_S = 2.0
"""From then on, a request without an answer is said."""
_MOVES_BALANCE = {"deposit", "withdrawal"}
"""Locks of writes after which a balance is another one."""
_WHY = {
    "UNAUTHORIZED": "key refused",
    "FORBIDDEN": "key refused",
    "CONFIGURATION": "not opened",
    "SIGN_IN_REQUIRED": "not signed in",
}


_NEWS = 2 * MINUTE
"""How long a line of the log may be the newest thing that happened."""


class Notification(NamedTuple):
    """One line of the event log; ``detail`` is what the log opens to, ``account_id`` the account
    that it is about, empty for none in particular; ``noted_at`` is its second.
    """

    noted_at: int
    text: str
    tone: str = ""
    detail: str = ""
    account_id: str = ""

    @property
    def at(self) -> str:
        """The time of day."""
        return clock_time(to_datetime(self.noted_at))


class Requested(NamedTuple):
    """A trade, deposit or withdrawal of this desk: of which kind, what it is, and the status that
    was told last, with the instant.
    """

    kind: str
    what: str
    told: str
    told_at: int


class Connection(NamedTuple):
    """How the service answers; ``state`` is starting, live or failed, ``why`` what failed."""

    state: str = "starting"
    latency_ms: int = 0
    retry_in_s: int = 0
    why: str = ""


class Settled(NamedTuple):
    """What became of a write that wasn't answered, by its idempotency key."""

    key: str
    outcome: "Outcome"


class Backstage(Protocol):
    """What stands between the screens and the service (``tui/console/session.py``)."""

    calls: "CallsInProgress"
    workspace: "Workspace"
    unanswered: dict[str, str]
    """Writes of this session without an answer: idempotency key and operation."""
    undecided: dict[str, str]
    """Those of them whose outcome can't be found out from here: idempotency key, and what an agent
    can do."""

    @property
    def service(self) -> "Service":
        """As screens may use it: reads about any account, writes for the customer being served."""

    def service_for(self, account_id: str) -> "Service":
        """For reads and writes about one account, which is the one served when it's written to."""

    @property
    def ownership(self) -> "Ownership":
        """Which account each record belongs to, as far as it was seen here."""

    def set_read_only(self, *, on: bool) -> None:
        """Refuse every write from here on, whoever sends it, or none."""

    def settle(self, key: str) -> "Outcome":
        """Find out what became of a write that wasn't answered. Raises TellerError."""

    def forget(self, key: str) -> None:
        """A write isn't waited for any more: an agent has seen that it can't be found out."""

    def know_blockchain_account(
        self, blockchain_account_id: str, trading_account_id: str
    ) -> "BlockchainAccount":
        """Put an account on the desk's own list. Raises NotFound."""

    def close(self) -> None:
        """Let go of the workspace's file."""


class Shell(Protocol):
    """What screens may ask of the application around them."""

    @property
    def size(self) -> Size:
        """The terminal's, in cells."""

    @property
    def style_version(self) -> int:
        """How often all styles were read anew; a screen that is made now needs no more of it."""

    @property
    def commands_of(self) -> "Callable[[str], Sequence[AnyCommand]]":
        """Gives the commands of one screen alone."""

    def go(self, name: str, *, closes_page: bool = False) -> None:
        """Show one of ``SCREENS``, or the customer's page that was left open over it; with
        ``closes_page`` the screen itself.
        """

    def back(self) -> bool:
        """Close what lies over the five screens, such as an audit trail; False without it."""

    def deafen(self) -> None:
        """Ignore all keys for a moment: nobody answers a question that just appeared."""

    @property
    def opening(self) -> "Opening":
        """What a key opens later: what is typed behind it waits until then."""

    def release_keys(self, *, forget: bool = False, by_rows: bool = False) -> None:
        """What was typed ahead of a finished step may go on, or is dropped: what it was meant for
        is gone. ``by_rows`` is a list of accounts that came: only keys that wait for it go on."""

    def find(self, text: str) -> None:
        """Show what an id, an address, a bank account or a customer's name stands for."""

    def open_found(self, found: "Found") -> None:
        """Show what a search has found, with its customer selected."""

    def poll_now(self) -> None:
        """Ask for news at once."""

    def action_profile(self, name: str) -> None:
        """End this console; the next one opens on the profile."""

    def audit_of(self, object_id: str) -> None:
        """Open the audit trail of a record."""

    def take_note(self, object_id: str) -> None:
        """Open the notes about a record."""

    def start_trade(self, side: str) -> None:
        """Open the quote form for the selected account."""

    def start_transfer(self, purpose: str) -> None:
        """Open the amount of a deposit or a withdrawal (``deposit``, ``withdraw``) of the selected
        account.
        """

    async def may_leave(self, text: str | bytes) -> bool:
        """Whether ``text`` may be copied or written; asks while names and balances are hidden."""


class ServedReader(Protocol):
    """What is read of who is served (``tui/served``), and of all that the desk waits for."""

    desk_view: "DeskView"

    @property
    def customer(self) -> "CustomerView | None":
        """What is known of the customer being served; None until it has come."""

    def look_soon(self) -> None:
        """Read everything once the agent has stayed with a customer for a moment."""


def _fields_of(record: Any) -> Any:
    from chainteller.records.transactions import fields_of

    return fields_of(record)


class Desk:
    """What all screens share; ``owner`` is the application, ``shell`` what they may ask of it."""

    time_uncertain = False
    """Whether the service said that it isn't certain what time it is."""
    payouts_stopped = False
    """Whether the service said that the books are in dispute."""
    served: "ServedReader | None" = None
    """What is read of who is served, for large windows; None until the service has answered."""
    case_id = ""
    """The case that everything is for, until the call ends or another customer is selected."""
    _case_of = ""
    """Which account was selected then."""
    call_began: int | None = None
    """When the call that is being answered began; None between calls."""
    opened_at = 0
    """Since when this place is open here."""
    alerts = 0
    """Watched things that happened and were not looked at yet."""
    unchecked = ""
    """A request that isn't sent yet: the service is silent about what is checked before."""
    past: Notification | None = None
    """The newest line that the status line doesn't show any more: a refusal that was closed, or
    what was told before the request that is sent now."""
    leaves_sign_in = False
    """Whether the agent closed the question to sign in."""
    sign_in_question: "Callable[[TellerError], None] | None" = None
    """Opens the question to sign in."""

    def __init__(self, owner: DOMNode, shell: Shell, settings: ConsoleSettings) -> None:
        self.owner, self.shell, self.settings = owner, shell, settings
        self.read_only = settings.read_only
        self.started: StartedDesk | None = None
        self.session: Backstage | None = None
        self.privacy = Privacy(_fields_of)
        self.customer = CustomerContext(owner, self._keep_account_soon)
        self.connection = Connection()
        self.colleagues = Colleagues()
        self.left_account_id = ""
        """The account that another agent, or an earlier session, left selected here."""
        self.log: deque[Notification] = deque(maxlen=_LOG_ROWS)
        self.unread = 0
        self.writing: dict[str, asyncio.Event] = {}
        """The writes that are running, each with what is set when it ends."""
        self.holding = Holding(settings.hold_s, self._under_way_changed, self._held_ended)
        self.watched: set[str] = set()
        self.watched_trades: dict[str, str] = {}
        """Trades to be told about, with their accounts."""
        self.watched_transfers: dict[str, Transfer] = {}
        """Deposits and withdrawals to be told about, as they were when that was asked for."""
        self.requested: dict[str, Requested] = {}
        """The trades, deposits and withdrawals that were requested here."""
        self.challenges: dict[str, int] = {}
        """Challenges issued here that are still open, with the instant they run out."""
        self.warned: set[str] = set()
        self.head_conflict: HeadConflict | None = None
        """The audit log isn't the one that was seen here; nobody accepted that so far."""
        self.accept_head: Callable[[], None] = lambda: None
        self.unsaved: dict[str, Any] = {}
        """How things are shown, not on disk yet."""
        self._saving = False
        self._keeping_soon = False
        self.unknown_outcomes: Callable[[], Sequence[str]] = tuple
        """The executions whose outcome isn't known, with their customers; set by Quote."""
        self.on_start: Signal[StartedDesk] = Signal(owner, "started")
        self.on_change: Signal[tuple[str, ...]] = Signal(owner, "changed")
        self.on_poll: Signal[None] = Signal(owner, "polled")
        self.on_notification: Signal[Notification] = Signal(owner, "told")
        self.on_served: Signal[None] = Signal(owner, "served")
        self.on_connection: Signal[Connection] = Signal(owner, "reach")
        self.on_settled: Signal[Settled] = Signal(owner, "settled")
        self.on_under_way: Signal[None] = Signal(owner, "under way")
        """What can still be taken back, or has no answer yet, is another."""
        self.on_drawn: Signal[None] = Signal(owner, "drawn")
        """A screen shows something else than before: boxes over it look whether they're true."""
        self.on_customer_text: Signal[str] = Signal(owner, "customer text")
        """Words that the agent was shown to say to the customer."""

    def begin(self, started: StartedDesk, session: Backstage) -> None:
        """The engine or client is there, with the guard and the records around it."""
        if self.session is not None:
            self.session.close()
        self.started, self.session, self.opened_at = started, session, self.now
        self.colleagues.own_name = started.capabilities.actor if started.capabilities else ""
        self.payouts_stopped = started.payouts_stopped
        if self.log and self.log[-1].text == STARTING:
            self.past = self.log[-1]

    def end(self) -> None:
        """The terminal is restored: let go of what the desk holds."""
        if self.started is not None:
            self.started.close()
        if self.session is not None:
            self.remember_account()
            self.session.workspace.set_views(dict(self.unsaved))
            self.session.close()

    @property
    def service(self) -> "Service":
        """Raises ServiceUnavailable while the engine is still being started."""
        if self.started is None or self.session is None:
            raise ServiceUnavailable("The engine is still starting.", {"reason": "STARTING"})
        return self.session.service

    def service_for(self, account_id: str) -> "Service":
        """The service for requests about one account: others are refused before they are sent.

        Raises:
            ServiceUnavailable: the engine is still being started.
        """
        if self.session is None:
            return self.service
        return self.session.service_for(account_id)

    @property
    def customer_texts(self) -> "CustomerTexts":
        """The bank's words for customers."""
        from chainteller.tui.customer_texts import CustomerTexts

        settings = self.settings
        return CustomerTexts.load(settings.customer_texts, settings.own_customer_texts)

    def told_of(self, sheet: "AccountSheet", as_of: datetime | None = None) -> str:
        """The text for the customer about an account, as of when it was read, or another instant.
        While the books are in dispute, no sum is told."""
        bank = self.settings.bank_name
        return self.customer_texts.of_account_sheet(
            sheet, bank, as_of, is_disputed=self.payouts_stopped
        )

    def set_read_only(self, *, on: bool) -> None:
        self.read_only = on
        if self.session is not None:
            self.session.set_read_only(on=on)
        self.on_connection.publish(self.connection)

    def remembered(self, name: str) -> Any:
        """What was kept of a view on this machine, or None."""
        return self.session.workspace.view(name) if self.session else None

    def remember(self, name: str, value: Any) -> None:
        """Keep how something is shown; the disk is waited for in a thread, never by a key."""
        if self.session is None:
            return
        self.unsaved[name] = value
        if not self._saving:
            self._saving = True
            self.owner.run_worker(Later(self._save), group="remember")

    def remember_account(self) -> None:
        """The selected account, to come back to; written with the next view that is kept."""
        if self.customer.account_id:
            self.customer.last_id = self.customer.account_id
            self.unsaved[KEPT_ACCOUNT] = self._kept_account()

    def _kept_account(self) -> dict[str, object]:
        """Who was served, by whom and when: only the same agent goes on with a customer."""
        return {"id": self.customer.account_id, "operator": self.operator, "at": self.now}

    def ask_to_sign_in(self, error: TellerError) -> None:
        """Let the agent sign in where that is what was missing, unless they closed the question
        and asked for nothing since."""
        is_missing = isinstance(error, SignInRequired) and self.settings.sign_in is not None
        if is_missing and not self.leaves_sign_in and self.sign_in_question is not None:
            self.sign_in_question(error)

    @property
    def operator(self) -> str:
        """Who works here: the agent whose key signs or who has signed in, elsewhere the configured
        operator."""
        started = self.started
        if started is None or not (started.is_agents or self.settings.sign_in is not None):
            return self.settings.operator
        return started.capabilities.actor if started.capabilities else self.settings.operator

    @property
    def awaits_choice(self) -> bool:
        """Whether no customer is selected until the agent chooses one: another agent left one, or a
        trainee has to find the caller.
        """
        is_chosen_later = self.left_account_id or self.settings.kind == "TRAINING"
        return bool(is_chosen_later) and not self.customer.account_id

    def set_case(self, case_id: str) -> None:
        """Work on a case from here on; on none with an empty number."""
        if case_id != self.case_id:
            told = f"Case {case_id}" if case_id else f"Case {self.case_id} ended"
            self.notify(f"{told}   # another one, i ends the call", "muted")
        self.case_id, self._case_of = case_id, self.customer.account_id
        self.on_connection.publish(self.connection)

    def _keep_account_soon(self) -> None:
        """For the console that is killed: once in ``KEPT_AFTER_S``, however the cursor moves."""
        if self.case_id and self._case_of not in ("", self.customer.account_id):
            self.set_case("")
        self._case_of = self.customer.account_id
        if self.customer.account_id != self.customer.last_id and not self._keeping_soon:
            self._keeping_soon = True
            self.owner.set_timer(KEPT_AFTER_S, self._keep_account)

    def _keep_account(self) -> None:
        self._keeping_soon = False
        account_id = self.customer.account_id
        if self.session is None:
            self._keep_account_soon()
        elif account_id and account_id != self.customer.last_id:
            self.customer.last_id = account_id
            self.remember(KEPT_ACCOUNT, self._kept_account())

    async def _save(self) -> None:
        """One writer at a time, so that the newest value is the one that stays."""
        try:
            while self.unsaved and self.session is not None:
                views = dict(self.unsaved)
                self.unsaved.clear()
                await call_service(self.session.workspace.set_views, views)
        finally:
            self._saving = False

    @property
    def last_answer(self) -> str:
        """The time of day at which the service last answered anything; empty before that."""
        answered_at = self.session.calls.answered_at if self.session else None
        return "" if answered_at is None else f"{clock_time(to_datetime(answered_at))}Z"

    @property
    def silent_s(self) -> int:
        """For how long the service has answered nothing of what it was asked; 0 for a moment."""
        silent = self.session.calls.silent_s() if self.session else 0.0
        return int(silent) if silent >= SAID_AFTER_S else 0

    def note(self, identifier: str) -> str:
        """The agent's own words about a record, where the deployment keeps no notes."""
        return self.session.workspace.note(identifier) if self.session and identifier else ""

    @property
    def now(self) -> int:
        return self.settings.clock.now()

    @property
    def today(self) -> date:
        """Today in UTC: what ``yesterday`` and ``last month`` are counted from."""
        return to_datetime(self.now).date()

    @property
    def capabilities(self) -> "Capabilities | None":
        """What the deployment says of itself; None where it says nothing, or before it answers."""
        return self.started.capabilities if self.started is not None else None

    def offers(self, feature: str) -> bool:
        """Whether the deployment has an addition; unknown counts as yes, the call will tell."""
        capabilities = self.capabilities
        return capabilities is None or feature in capabilities.features

    @property
    def can_load_samples(self) -> bool:
        """Whether the sample data can be loaded: into a database of the bank's own."""
        return self.started is not None and self.started.load_samples is not None

    @property
    def signing_pages(self) -> str:
        """What the links of signing pages begin with; empty where the deployment has none."""
        capabilities = self.capabilities
        return (capabilities.signing_pages if capabilities is not None else None) or ""

    @property
    def has_shared_pages(self) -> bool:
        """Whether a signing page can have the messages of several wallets."""
        capabilities = self.capabilities
        most = capabilities.signing_page_messages if capabilities is not None else None
        return most is not None and most >= MOST_MESSAGES

    def may(self, scope: str) -> bool:
        """Whether whoever works here has a scope; where the deployment names none, the call will
        tell."""
        capabilities = self.capabilities
        known = capabilities.scopes if capabilities is not None else ()
        return not scope or not known or scope in known

    def has_role(self, role: str) -> bool:
        """Whether whoever works here has a role of the policy; who may do everything has each."""
        capabilities = self.capabilities
        if capabilities is None or not capabilities.scopes:
            return True
        return role in capabilities.roles

    @property
    def lacks_case(self) -> bool:
        """Whether the bank wants a case that nobody has typed."""
        capabilities = self.capabilities
        return capabilities is not None and bool(capabilities.case) and not self.case_id

    async def balance_settled(self) -> None:
        """Wait until no deposit or withdrawal is on its way: what is held back is sent, for the
        balance is needed now.
        """
        self.holding.leave()
        for lock in _MOVES_BALANCE & self.writing.keys():
            await self.writing[lock].wait()

    def _under_way_changed(self) -> None:
        self.on_under_way.publish(None)

    def _held_ended(self, held: Held, why: str) -> None:
        """Say that it wasn't sent."""
        said = f"nothing was sent, {why or 'you took it back'}: "
        told, brief = said + held.words, said + held.briefly
        self.notify_about(held.account_id, told, "warn", briefly=brief)

    def begin_write(self, lock: str) -> None:
        self.writing[lock] = asyncio.Event()
        self.past = self.log[-1] if self.log else None

    def end_write(self, lock: str) -> None:
        ended = self.writing.pop(lock, None)
        if ended is not None:
            ended.set()
        self.on_under_way.publish(None)

    def new_key(self) -> str:
        """An idempotency key, made before the request is sent."""
        return f"desk-{self.settings.randomness.bytes(16).hex()}"

    async def send(
        self,
        request: CustomerRequest[Answer],
        sending: Callable[[], None] = lambda: None,
        leaves: "asyncio.Future[bool] | None" = None,
    ) -> Answer | None:
        """Check, confirm and send a request; None when the agent said no.

        The question names the customer, and follows the records that it is about while it is open.
        ``sending`` is called right before the request is sent; ``leaves`` says whether a request
        that is held back may be sent.

        Raises:
            CustomerChanged: another customer was selected since it was prepared; nothing was sent.
            TellerError: the check or the service refused it.
        """
        self.customer.require(request.account_id)
        is_new = request.account_id is None
        service = self.service if is_new else self.service_for(request.account_id or "")
        try:
            asked = await self._checked(request, service)
            if asked is not None and not await self.confirm(asked, self._watch(request, service)):
                return None
            self.shell.opening.end()
            if leaves is not None and not await leaves:
                return None
            self.customer.require(request.account_id)
            sending()
            looks = self.owner.set_interval(SAID_AFTER_S / 4, self._under_way_changed)
            try:
                return await send_to_service(request.call, service, self.new_key())
            finally:
                looks.stop()
        except TellerError as error:
            if request.words:
                error.add_note(request.words)
            raise

    async def _checked(self, request: CustomerRequest[Answer], service: "Service") -> "Ask | None":
        """What to ask before a request is sent. What asks nothing is checked by what is known: the
        service isn't waited for, as it checks the request itself. Elsewhere its silence is said.

        Raises:
            TellerError: the service would refuse it.
        """
        account = self.customer.account
        if request.question is None and request.renew is None and request.check is None:
            if request.act is not None and account is not None:
                require_unrestricted(account, request.act)
            return None

        def is_silent() -> None:
            self.unchecked = request.words or "the request"
            self._under_way_changed()

        timer = self.owner.set_timer(SAID_AFTER_S, is_silent)
        try:
            return await self._question(request, service)
        finally:
            timer.stop()
            if self.unchecked:
                self.unchecked = ""
                self._under_way_changed()

    async def confirm(self, asked: "Ask", watch: "Watch | None" = None) -> bool:
        """Only from a worker: waits for ``y``. Raises what ended the question meanwhile."""
        from chainteller.tui.dialogs.question import Question, ask

        return await ask(self.owner.app, Question(asked, self.shell.deafen, watch))

    async def _question(self, request: CustomerRequest[Answer], service: "Service") -> "Ask | None":
        """What to ask now. Raises TellerError: what is asked for can't be done."""
        asked = await call_service(_look, request, service)
        self.customer.require(request.account_id)
        if asked is None or request.account_id is None:
            return asked
        return asked.headed(self.customer.label)

    def _watch(self, request: CustomerRequest[Answer], service: "Service") -> "Watch":
        from chainteller.tui.dialogs.question import Watch

        return Watch(
            now=lambda: self.now,
            require=partial(self.customer.require, request.account_id),
            renew=partial(self._question, request, service),
            signals=(self.on_poll, self.customer.on_change),
            ticks=self.settings.poll_interval_s > 0,
        )

    def notify(
        self, text: str, tone: str = "", detail: str = "", *, account_id: str | None = None
    ) -> None:
        """One line for the agent: on the status line now, in the event log for good.

        It is about the customer being served unless ``account_id`` is given, which is empty for
        what is about none. The status line shows nothing about another customer. What is told
        twice in one second, such as by two reads of a service that is away, is logged once.
        """
        about = self.customer.account_id if account_id is None else account_id
        told = Notification(self.now // SECOND * SECOND, text, tone, detail, about)
        if not self.log or self.log[-1] != told:
            self.log.append(told)
            self.unread += 1
        self.on_notification.publish(told)

    def is_news(self, noted_at: int) -> bool:
        """An older line is of another moment of the call, or of an earlier one: it's in the log."""
        return self.now - noted_at < _NEWS

    def notify_about(
        self, account_id: str, text: str, tone: str = "", detail: str = "", *, briefly: str
    ) -> str:
        """One line about a customer who may not be the one being served; returns it.

        About another customer it names the account and tells ``briefly`` what happened, without
        amounts; the event log opens to ``text``.
        """
        if account_id in {"", self.customer.account_id}:
            self.notify(text, tone, detail)
            return text
        told = f"{account_id}: {briefly}"
        self.notify(told, tone, f"{told}\n{detail or text}", account_id="")
        return told

    def heard(self, latency_ms: int) -> None:
        """The service answered."""
        self.connection = Connection("live", latency_ms)
        self.on_connection.publish(self.connection)

    def unheard(self, retry_in_s: int, error: TellerError) -> None:
        """No news; a place that refuses the key, or was not even asked, did not fail to answer."""
        why = _WHY.get(error.code, "no answer")
        self.holding.take_back("the connection is lost")
        self.connection = Connection("failed", self.connection.latency_ms, retry_in_s, why)
        self.on_connection.publish(self.connection)


def _look(request: CustomerRequest[Any], service: "Service") -> "Ask | None":
    """Check a request and read what its question is about. Runs in a thread.

    Raises:
        TellerError: the service would refuse it.
    """
    if request.act is not None and request.account_id is not None:
        with contextlib.suppress(NotOffered):
            require_unrestricted(service.trading_account(request.account_id), request.act)
    if request.check is not None:
        request.check(service)
    return request.renew(service) if request.renew is not None else request.question
