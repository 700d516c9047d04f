"""The screen that all others extend: its bars, its field, its failures, its reads and writes.

What a screen shows can be copied, exported and told to the customer: subclasses give
``main_text``, ``customer_text``, ``object_id``, ``record`` and further ``exports``.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.css.query import NoMatches
from textual.widget import Widget

from chainteller.service.errors import ReadOnlyProfile, TellerError
from chainteller.tui import top_bar as top
from chainteller.tui.acting import as_command, forget_command
from chainteller.tui.colleagues import words
from chainteller.tui.commands import (
    IS_OPEN,
    SCREENS,
    Command,
    always,
    bindings_of,
    by_id,
    footer_hints,
    run_command,
)
from chainteller.tui.customer import CustomerChanged, Told
from chainteller.tui.desk import STARTING, Connection, Desk, Notification
from chainteller.tui.found import Found
from chainteller.tui.messages import (
    FieldChanged,
    FieldClosed,
    FieldStepped,
    FieldSubmitted,
    KeyClicked,
)
from chainteller.tui.service_calls import Later
from chainteller.tui.start import StartedDesk
from chainteller.tui.textual_fixes.keys import bind
from chainteller.tui.textual_fixes.screen import FullScreen, breakpoint_classes
from chainteller.tui.widgets.bars import (
    HintBar,
    StatusLine,
    TooSmall,
    TopBar,
    UnderWay,
)
from chainteller.tui.widgets.failure_panel import FailurePanel
from chainteller.tui.widgets.field import FieldBar, FieldContents
from chainteller.tui.widgets.ground import Blank, Ground, titled
from chainteller.tui.widgets.lines import Line, Lines, ScrolledLines, line
from chainteller.tui.widgets.paged_list import PagedList

if TYPE_CHECKING:
    from textual.timer import Timer

    from chainteller.service.models.accounts import TradingAccount
    from chainteller.tui.exports import Export
    from chainteller.tui.failures import Failure

Work = Callable[[], Awaitable[None]]
_ABOUT_AMOUNTS = frozenset(
    {"INSUFFICIENT_FUNDS", "LIMIT_EXCEEDED", "EXCEEDS_PRECISION", "AMOUNT_BELOW_MINIMUM"}
)
"""Codes of refusals that another amount may settle."""


class PutAway(NamedTuple):
    """A field that was open for a customer who isn't served now, and what takes its text."""

    contents: FieldContents
    answer: Callable[[str], None] | None


class DeskScreen(Blank, FullScreen):
    """Subclasses give ``body`` and ``reload``; their commands stand in ``tui/KEY/commands.py``."""

    KEY: ClassVar[str] = ""
    """The screen's name in the ids of its commands."""
    OWN_BINDINGS: ClassVar[Sequence[BindingType]] = ()
    """Keys that are no commands: the first characters of what is typed."""
    AUTO_FOCUS = ""
    HAS_OWN_FIELD: ClassVar[bool] = False
    """Whether ``body`` brings the field bar, in a place of its own."""
    is_answer_shown = False
    """Whether the status line answers a key, which the next key ends."""
    FIELDS_OF_NOBODY: ClassVar[frozenset[str]] = frozenset({"filter"})
    """Purposes of fields that stay open whoever is served; all others are the customer's."""
    HORIZONTAL_BREAKPOINTS = [  # noqa: RUF012 - Textual declares it so
        (0, "-tiny"),
        (60, "-narrow"),
        (110, "-wide"),
        (120, "-roomy"),
        (180, "-vast"),
    ]
    VERTICAL_BREAKPOINTS = [  # noqa: RUF012 - Textual declares it so
        (0, "-flat"),
        (16, "-short"),
        (30, "-tall"),
    ]

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk.shell.size, desk.shell.style_version)
        self.desk = desk
        self.commands_by_id = by_id((*desk.shell.commands_of(self.KEY), *COMMANDS))
        """On the same key, commands of this screen alone hide those of every screen."""
        bind(self, [*bindings_of(self.commands_by_id.values()), *self.OWN_BINDINGS])
        self.field_answer: Callable[[str], None] | None = None
        """Takes what is typed into the field that a flow has opened."""
        self.put_away: dict[str, PutAway] = {}
        """The fields that were open for customers who aren't served now, by their accounts."""
        self.field_returned: Callable[[], None] = lambda: None
        """Called when the field was opened again for the customer that it was opened for."""
        self.left: Callable[[], None] = lambda: None
        """Called when another screen was chosen in place of this one."""
        self.core_of_text: Callable[[str], str] = str
        """What of a text for the customer that was just read decides whether it's still true."""
        self.strip_timer: Timer | None = None
        self.sent_amount: tuple[str, PutAway] | None = None
        """The account and the field of an amount whose request isn't answered yet."""

    def compose(self) -> ComposeResult:
        yield TopBar()
        yield Lines([line()], id="strip")
        yield Lines([line()], id="colleagues")
        yield UnderWay()
        if self.desk.settings.panel is not None:
            yield self.desk.settings.panel()
        yield Lines([line()], id="title")
        yield Ground(*self.body(), titled("Day", Lines(id="day")), id="body")
        yield FailurePanel()
        if not self.HAS_OWN_FIELD:
            yield FieldBar(id="field-bar")
        yield StatusLine()
        yield HintBar()
        yield TooSmall()

    def body(self) -> Sequence[Widget]:
        raise NotImplementedError

    def reload(self) -> None:
        """Fetch what the screen shows; called when it opens and when something changed."""
        raise NotImplementedError

    # -- news ---------------------------------------------------------------------------------

    # Textual calls the handlers of every class, the subclass's first. These are in this class
    # alone: a subclass extends what they call, as any method.

    def on_mount(self) -> None:
        forget_command()
        self.mounted()

    def on_resize(self) -> None:
        self.resized()

    def on_screen_resume(self) -> None:
        with as_command(f"{self.KEY}.show"):
            self.resumed()

    def mounted(self) -> None:
        desk = self.desk
        desk.on_start.subscribe(self, partial(_show_started, self))
        desk.on_change.subscribe(self, self._changed)
        desk.on_notification.subscribe(self, partial(_draw_status, self))
        desk.on_connection.subscribe(self, self._connection_changed)
        desk.customer.on_change.subscribe(self, self._customer_changed)
        desk.on_poll.subscribe(self, partial(_end_refusal, self))
        desk.customer.on_news.subscribe(self, partial(_end_refusal, self))
        desk.on_under_way.subscribe(self, partial(_draw_under_way, self))
        desk.on_under_way.subscribe(self, partial(_draw_served, self))
        desk.on_served.subscribe(self, partial(_draw_served, self))
        self.field_bar.served = lambda: desk.customer.account_id
        _draw_bars(self)

    def resized(self) -> None:
        """What there is room for depends on the window."""
        if self.is_mounted:
            _draw_bars(self)
            self.call_after_refresh(_look_at_served, self)

    def resumed(self) -> None:
        """The screen is shown, for the first time or again."""
        _draw_bars(self)
        _draw_status(self)
        if self.desk.started is not None:
            self.reload()
        _look_at_served(self)
        _bring_field_back(self)

    def _changed(self, kinds: tuple[str, ...]) -> None:  # noqa: ARG002 - the signal's value
        """Reload what can be seen, also behind a dialog. Any other screen reloads when it opens,
        for whoever is served then.
        """
        _end_refusal(self)
        if self.is_current:
            self.reload()

    def _connection_changed(self, reach: Connection) -> None:
        if self.is_current:
            _draw_bars(self)
        if _end_refusal(self) and reach.state == "live" and self.is_current:
            self.reload()

    def _customer_changed(self, before: str) -> None:
        """Another customer is served: put away the refusal of a request of the one ``before``, and
        what was being typed for them; bring back what was typed for this one. A screen that isn't
        shown draws its bars when it is.
        """
        if before and self.query_one(FailurePanel).is_shown:
            self.clear_failure()
        _put_field_away(self)
        if self.is_current:
            _bring_field_back(self)
            _draw_status(self)
            draw_around(self)

    @on(events.DescendantFocus)
    @on(events.DescendantBlur)
    def draw_footer(self) -> None:
        """Name the keys that work now, once something else was drawn; nothing is painted while
        they are the same.
        """
        typing = self.field_bar.is_open
        commands, keymap = tuple(self.commands_by_id.values()), self.desk.settings.keys
        hints = footer_hints(
            commands, self, keymap, typing=typing, is_list_hidden=is_detail_alone(self)
        )
        self.query_one(HintBar).change(hints, typing=typing)
        self.query_one(TopBar).name_keys(on=not typing)
        self.desk.on_drawn.publish(None)

    def title_line(self, shown: Line) -> None:
        self.query_one("#title", Lines).show([shown])

    # -- reads and writes ---------------------------------------------------------------------

    def read(self, group: str, work: Work, *, opens: bool = False) -> None:
        """Run a read; a newer one of the same group replaces it. What is typed behind a key that
        ``opens`` something later waits for that. Before the service has started nothing is read:
        the screen reloads when it has.
        """
        if self.desk.started is None:
            return
        shown = partial(_show_refusal, self, work)
        later = self.desk.shell.opening.begin(shown) if opens else Later(shown)
        self.run_worker(later, group=group, exclusive=True)

    def write(self, lock: str, work: Work) -> None:
        """Run a write unless the same one is still running; read-only desks refuse here too."""
        if self.desk.read_only:
            self.fail(ReadOnlyProfile("This console is read-only."))
        elif lock in self.desk.writing:
            self.desk.notify(f"still working on the {lock}", "warn")
        else:
            self.clear_failure()
            self.desk.begin_write(lock)
            locked = partial(_hold_lock, self, lock, work)
            self.run_worker(self.desk.shell.opening.begin(locked), group=f"write-{lock}")

    def fail(self, error: TellerError, doing: str = "") -> None:
        """Show a refusal and keep it in the log. While a request has no answer, a read without one
        says nothing: its "Nothing was changed" would be taken for the request's. Before the first
        answer nobody knows of those of an earlier session.
        """
        from chainteller.tui.failures import UNHEARD, explain, request_of
        from chainteller.tui.unanswered_lines import is_any_unanswered, still_open

        failure = explain(error, doing)
        if isinstance(error, UNHEARD):
            is_read = not (doing or request_of(error))
            if is_read and is_any_unanswered(self.desk):
                return
            failure = failure.with_more(still_open(self.desk))
            if self.desk.session is None:
                failure = replace(failure, undone="")
        self.show_failure(failure)
        self.desk.notify(f"{failure.code}  {failure.what}", "bad", failure.detail)
        self.desk.ask_to_sign_in(error)

    def show_failure(self, failure: "Failure") -> None:
        """Show why something was refused; an amount that was refused is opened again."""
        is_beside_field = _reopen_amount(self, failure)
        panel = self.query_one(FailurePanel)
        panel.explain(failure, self.object_id(), names_next=not is_beside_field)
        _draw_status(self)

    def clear_failure(self) -> None:
        """Put the refusal away, also from the status line."""
        failure = self.query_one(FailurePanel).failure
        if failure is not None:
            told = (each for each in reversed(self.desk.log) if each.detail == failure.detail)
            self.desk.past = next(told, None)
        self.query_one(FailurePanel).hide()
        _draw_status(self)

    # -- the field ----------------------------------------------------------------------------

    @property
    def field_bar(self) -> FieldBar:
        return self.query_one("#field-bar", FieldBar)

    @on(FieldChanged)
    @on(FieldClosed)
    @on(FieldStepped)
    @on(FieldSubmitted)
    def field_event(
        self, message: FieldChanged | FieldClosed | FieldStepped | FieldSubmitted
    ) -> None:
        """Hand on what happened in the field, then the keys that were typed behind it. Nothing that
        was typed for one customer is handed on while another one is served. A screen's own handler
        has taken a step before.
        """
        if _put_field_away(self):
            self.let_keys_go_on()
            return
        if isinstance(message, FieldChanged):
            if self.field_bar.refused not in {"", message.value}:
                self.field_bar.refused = ""
                self.clear_failure()
            self.field_changed(message.purpose, message.value)
            return
        if isinstance(message, FieldClosed):
            self.close_field()
            self.field_closed(message.purpose)
        elif isinstance(message, FieldSubmitted) and (
            (value := self.field_bar.submitted(message.value)) is not None
        ):
            with as_command(f"{self.KEY}.{message.purpose}"):
                _hand_on(self, message.purpose, value)
        self.let_keys_go_on()

    def close_field(self) -> None:
        self.field_answer = None
        self.field_bar.close()
        self.set_focus(None)
        self.query_one(FailurePanel).name_next()
        _draw_status(self)

    def let_keys_go_on(self) -> None:
        """What was typed behind the field may be handed on."""
        self.desk.shell.release_keys()

    def field_submitted(self, purpose: str, value: str) -> None:
        """Enter in the field."""

    def field_changed(self, purpose: str, value: str) -> None:
        """Every change of the field."""

    def field_closed(self, purpose: str) -> None:
        """Escape in the field."""

    # -- commands -----------------------------------------------------------------------------

    async def action_command(self, command_id: str) -> None:
        """Run a command, or say why it would do nothing in this state."""
        command = self.commands_by_id[command_id]
        if self.is_answer_shown:
            _draw_status(self)
        if command.of_list and is_detail_alone(self):
            self.step_back()
        why = command.unavailable(self) if command.unavailable is not None else ""
        if not why:
            await run_command(self.commands_by_id, command_id, self)
        elif why != IS_OPEN:
            say(self, why)

    async def on_key_clicked(self, message: KeyClicked) -> None:
        await self.run_action(message.action)

    def step_back(self) -> bool:
        """Close what is open on this screen; False when nothing is."""
        if self.is_zoomed:
            self.zoom(on=False)
            return True
        return False

    def zoom(self, *, on: bool) -> None:
        """Show what is selected alone: a wide window is then laid out as a narrow one with its
        detail open.
        """
        self.is_zoomed = on
        self.set_class(on, "zoomed")
        self.remove_class(*(name for _, name in self.HORIZONTAL_BREAKPOINTS))
        self.add_class(*breakpoint_classes(self, self.desk.shell.size))
        self.call_after_refresh(_look_at_served, self)

    @property
    def paged(self) -> PagedList | None:
        """The list that the arrow keys move in."""
        return None

    def move_cursor(self, step: int) -> None:
        """Move by rows, or scroll by lines."""
        pane, listed = _scrolled(self), self.paged
        if pane is not None:
            pane.scroll(step)
        elif listed is not None:
            listed.move(step)

    # -- what can be copied, exported and told ------------------------------------------------

    async def ready(self) -> None:
        """Return when what the screen shows has come; at once where nothing is awaited."""

    def main_text(self) -> str:
        """What ``c`` copies."""
        return ""

    def customer_text(self) -> str:
        """What ``t`` shows: plain words, no codes of ours."""
        return refusal_text(self)

    def object_id(self) -> str:
        """Whose audit trail ``a`` opens."""
        return ""

    def record(self) -> object:
        """What is shown in detail: a model, or a dataclass of some; None when nothing is."""
        return None

    def exports(self) -> "Sequence[Export]":
        """The files that ``e`` can write, most wanted first."""
        from chainteller.tui.exports import exports_here

        return exports_here(self)


def shows_all(screen: DeskScreen) -> bool:
    """Whether records of all customers are shown: of the one being served, nothing stands beside
    them.
    """
    return getattr(screen, "shows_all", False)


def has_room(screen: DeskScreen) -> bool:
    """Whether the window has room for more than the screen's own data."""
    return screen.has_class("-roomy") and screen.has_class("-tall")


def _draw_served(screen: DeskScreen, _: None = None) -> None:
    """The strip of what waits and the served customer's day, where there is room for them."""
    if screen.desk.served is not None and screen.is_current:
        from chainteller.tui.served.view import draw

        account = None if shows_all(screen) else screen.desk.customer.account
        _repaint_later(screen, draw(screen, screen.desk, screen.KEY, account))


def draw_around(screen: DeskScreen) -> None:
    """Draw the bars, and what is pending for whoever the screen is about."""
    _draw_bars(screen)
    _draw_served(screen)


def _repaint_later(screen: DeskScreen, after: float | None) -> None:
    """Once, when what waits says something else by time alone, in seconds."""
    if screen.strip_timer is not None:
        screen.strip_timer.stop()
    screen.strip_timer = None
    if after is not None and screen.desk.settings.poll_interval_s > 0:
        screen.strip_timer = screen.set_timer(max(after, 0.1), partial(_draw_served, screen))


def _look_at_served(screen: DeskScreen) -> None:
    """Draw what is known of who is served, and read it anew where it's shown."""
    served = screen.desk.served
    if served is not None:
        _draw_served(screen)
        if has_room(screen):
            served.look_soon()


def say(screen: DeskScreen, text: str) -> None:
    """Answer a key on the status line alone, until the next key; the event log doesn't keep it."""
    screen.query_one(StatusLine).tell(text, "muted", screen.desk.unread)
    screen.is_answer_shown = True


def is_detail_alone(screen: DeskScreen) -> bool:
    """Whether a detail hides its list."""
    return screen.has_class("detail-open") and not screen.has_class("-wide")


def _scrolled(screen: DeskScreen) -> ScrolledLines | None:
    """The detail that stands alone: keys scroll it, so that nobody turns to another record
    unseen.
    """
    details = screen.query(".detail-side").results(ScrolledLines) if is_detail_alone(screen) else ()
    return next(iter(details), None)


def _end_refusal(screen: DeskScreen, read: "TradingAccount | None" = None) -> bool:
    """Put a refusal away whose cause is gone; whether there was one. ``read`` is the account as it
    was read just now.
    """
    from chainteller.tui.refusals import stands

    failure = screen.query_one(FailurePanel).failure
    is_over = failure is not None and not stands(failure, screen.desk, read)
    if is_over:
        screen.clear_failure()
    return is_over


def leave_refusal(screen: DeskScreen) -> None:
    """Another row is selected: put away the refusal that was about the one before."""
    panel = screen.query_one(FailurePanel)
    if panel.is_shown and panel.row and panel.row != screen.object_id():
        screen.clear_failure()


def refusal_text(screen: DeskScreen) -> str:
    """What to say about the refusal on the screen; empty when there is none."""
    failure, desk = screen.query_one(FailurePanel).failure, screen.desk
    if failure is None:
        return ""
    told_as = failure.told_as or failure.code
    return desk.customer_texts.of_refusal(told_as, dict(failure.facts), desk.settings.bank_name)


def _show_started(screen: DeskScreen, started: StartedDesk) -> None:  # noqa: ARG001 - the signal's value
    _draw_bars(screen)
    _draw_status(screen)
    if screen.is_current:
        screen.reload()


def _put_field_away(screen: DeskScreen) -> bool:
    """Close a field that was opened for another customer; whether there was one."""
    field = screen.field_bar
    is_theirs = field.is_open and field.owner_id != screen.desk.customer.account_id
    if not is_theirs or field.purpose in screen.FIELDS_OF_NOBODY:
        return False
    screen.put_away[field.owner_id] = PutAway(field.contents, screen.field_answer)
    screen.close_field()
    return True


def _bring_field_back(screen: DeskScreen) -> None:
    """Open the field again in which something was being typed for the customer being served."""
    served = screen.desk.customer.account_id
    if served in screen.put_away and not screen.field_bar.is_open:
        _reopen(screen, screen.put_away.pop(served))


def _reopen(screen: DeskScreen, field: PutAway) -> None:
    contents, screen.field_answer = field
    screen.field_bar.reopen(contents)
    screen.field_returned()


def _hand_on(screen: DeskScreen, purpose: str, value: str) -> None:
    """Close the field and use what was submitted; an amount is kept until its request ends."""
    field, take_answer = screen.field_bar, screen.field_answer
    is_amount = field.contents.asset is not None
    sent = (field.owner_id, PutAway(field.contents, take_answer))
    screen.sent_amount = sent if is_amount else None
    if take_answer is not None:
        screen.close_field()
        take_answer(value)
    else:
        screen.field_submitted(purpose, value)


def _reopen_amount(screen: DeskScreen, failure: "Failure") -> bool:
    """Open the field of a refused amount again, with what would be right below it; whether it was
    opened. The panel says why.
    """
    served, sent = screen.desk.customer.account_id, screen.sent_amount
    if failure.code not in _ABOUT_AMOUNTS or sent is None or sent[0] != served:
        return False
    screen.sent_amount = None
    if screen.field_bar.is_open:
        return False
    _reopen(screen, sent[1])
    screen.field_bar.refuse(failure.remedy)
    return True


def give_back_amount(screen: DeskScreen) -> None:
    """Open the field again whose request was taken back, or keep it for its customer."""
    sent, screen.sent_amount = screen.sent_amount, None
    if sent is None:
        return
    owner_id, field = sent
    if owner_id != screen.desk.customer.account_id:
        screen.put_away[owner_id] = field
    elif screen.is_current and not screen.field_bar.is_open:
        _reopen(screen, field)


def _draw_bars(screen: DeskScreen) -> None:
    """Draw the top bar and the footer."""
    number = SCREENS.index(screen.KEY) + 1 if screen.KEY in SCREENS else 0
    said = top.describe_connection(screen.desk, screen.app.size.width)
    screen.query_one(TopBar).place(number, top.deployment(screen.desk), said)
    _draw_colleagues(screen)
    screen.draw_footer()


def _draw_colleagues(screen: DeskScreen) -> None:
    """Say under the top bar who else works on the customer, by name where the records of all are
    listed; without anybody there is no line.
    """
    desk, account = screen.desk, screen.desk.customer.account
    found = desk.colleagues.on(desk.customer.account_id, desk.now)
    screen.set_class(bool(found), "with-colleagues")
    if found:
        name = (account.customer_name or account.id) if account is not None else ""
        who, what = words(found, name if shows_all(screen) and name else "this customer", desk.now)
        said = line((f" {who}", "warn"), right=((f" {what} ", "warn"),))
        screen.query_one("#colleagues", Lines).show([said])


def _draw_under_way(screen: DeskScreen, _: None = None) -> None:
    from chainteller.tui.unanswered_lines import unanswered_lines

    desk = screen.desk
    unanswered = unanswered_lines(desk, screen.KEY)
    screen.query_one(UnderWay).tell(desk.holding.line, unanswered, desk.holding.shown)


def _draw_status(screen: DeskScreen, told: Notification | None = None) -> None:
    """Show the executions with an unknown outcome, and the newest line of the log that isn't about
    another customer; while a refusal is open, only what comes after it, and nothing of it once it
    was closed.
    """
    screen.is_answer_shown = False
    _draw_under_way(screen)
    unread, served = screen.desk.unread, screen.desk.customer.account_id
    status, failure = screen.query_one(StatusLine), screen.query_one(FailurePanel).failure
    shown = {"", served}
    lines = (each for each in reversed(screen.desk.log) if each.account_id in shown)
    newest = next(lines, None)
    if told is not None and told is not newest:
        told = None
    if failure is not None and (told is None or told.text.startswith(failure.code)):
        takes_keys = screen.field_bar.is_open
        status.tell("" if takes_keys else "esc closes   ! event log", "muted", unread)
    elif (
        newest is not None
        and newest is not screen.desk.past
        and screen.desk.is_news(newest.noted_at)
    ):
        status.tell(f"{newest.text}  {newest.at}Z", newest.tone, unread)
    else:
        status.tell("", "", unread)


async def _show_refusal(screen: DeskScreen, work: Work, doing: str = "") -> None:
    try:
        await work()
    except TellerError as error:
        if screen.desk.started is not None:
            screen.fail(error, doing)
        else:
            screen.desk.notify(STARTING, "warn")
    except NoMatches:
        if screen.is_current:
            raise
        # The screen was closed while its answer was on the way: nothing is left to show it on.


async def _hold_lock(screen: DeskScreen, lock: str, work: Work) -> None:
    try:
        await _show_refusal(screen, partial(_for_customer, screen.desk, work), lock)
    finally:
        screen.sent_amount = None
        screen.desk.end_write(lock)


async def _for_customer(desk: Desk, work: Work) -> None:
    """A refusal about a customer who isn't served any more goes to the log alone."""
    served = desk.customer.account_id
    try:
        await work()
    except CustomerChanged:
        raise
    except TellerError as error:
        if served == desk.customer.account_id:
            raise
        told = f"{error.code}  {error.message}"
        desk.notify_about(served, told, "bad", briefly=told)


# -- commands of every screen -----------------------------------------------------------------


def _toggle_zoom(screen: DeskScreen) -> None:
    """A detail that was opened alone counts as zoomed."""
    screen.zoom(on=not (is_detail_alone(screen) or screen.is_zoomed))


def _move_pages(screen: DeskScreen, step: int) -> None:
    pane, listed = _scrolled(screen), screen.paged
    if pane is not None:
        pane.scroll(step * max(1, pane.size.height - 2))
    elif listed is not None:
        listed.move_pages(step)


def _move_to_end(screen: DeskScreen, *, end: bool) -> None:
    pane, listed = _scrolled(screen), screen.paged
    if pane is not None:
        pane.scroll(len(pane.whole) if end else -pane.top)
    elif listed is not None:
        listed.move_to((listed.total or 1) - 1 if end else 0)


def _no_list(screen: DeskScreen) -> str:
    return "" if screen.paged is not None else "there is no list here"


def _go_back(screen: DeskScreen) -> None:
    if screen.field_bar.is_open:
        screen.field_event(FieldClosed(screen.field_bar.purpose))
    elif screen.query_one(FailurePanel).is_shown:
        screen.clear_failure()
    elif not screen.step_back() and not screen.desk.shell.back():
        say(screen, f"Nothing is open here.  1-{len(SCREENS)} switch screens, ctrl+q quits")


def _tell_customer(screen: DeskScreen) -> None:
    """Show the text for the customer; while it's open it follows its record."""
    from chainteller.tui.dialogs.live_text import Follows, LiveText

    desk, record_id, owner_id = screen.desk, screen.object_id(), _owner_told(screen)

    def read() -> str:
        return screen.customer_text() if screen.object_id() == record_id else ""

    def told(text: str) -> None:
        desk.on_customer_text.publish(text)
        desk.customer.told.append(Told(desk.now, owner_id, text))

    signals, ticks = (desk.on_drawn, desk.on_change), desk.settings.poll_interval_s > 0
    follows = Follows(read, screen.core_of_text, told, signals, ticks=ticks)
    whose = _customer_told(screen)
    window = screen.app.size.width
    screen.app.push_screen(LiveText("WHAT TO TELL THE CUSTOMER", whose, follows, window))


def _customer_told(screen: DeskScreen) -> str:
    """Who is told: the owner of what is selected, also where another customer is served."""
    owner_id, served = _owner_told(screen), screen.desk.customer
    return f"{owner_id}, not selected" if owner_id != served.account_id else served.label


def _owner_told(screen: DeskScreen) -> str:
    """Id of the account whose customer is told."""
    desk = screen.desk
    owner_id = desk.session.ownership.owner_of(screen.object_id()) if desk.session else ""
    return owner_id or desk.customer.account_id


def _copy(screen: DeskScreen) -> None:
    from chainteller.tui.exports import copy_now

    screen.read("copy", partial(copy_now, screen, screen.main_text()), opens=True)


def _texts_of(screen: DeskScreen) -> dict[str, str]:
    """What can be copied on a screen now, by name."""
    shown = screen.query(Lines).filter(".detail-side")
    texts = {
        "the main text": screen.main_text(),
        "the text for the customer": screen.customer_text(),
        "the id": screen.object_id(),
        "the screen as text": "\n".join(lines.plain_text for lines in shown),
    }
    return {name: text for name, text in texts.items() if text}


def _refresh(screen: DeskScreen) -> None:
    screen.clear_failure()
    screen.desk.shell.poll_now()
    screen.reload()


def _open_customer(screen: DeskScreen) -> None:
    account_id = screen.desk.customer.account_id
    screen.desk.shell.open_found(Found("customers", account_id, account_id=account_id))


def _nobody_served(screen: DeskScreen) -> str:
    return "" if screen.desk.customer.account_id else "no account is selected yet   1: choose one"


def _nothing_selected(screen: DeskScreen) -> str:
    return "" if screen.object_id() else "nothing is selected"


def _export(screen: DeskScreen) -> None:
    from chainteller.tui.exports import export

    screen.read("ask-export", partial(export, screen), opens=True)


def _choose_copy(screen: DeskScreen) -> None:
    from chainteller.tui.exports import copy_menu

    screen.read("ask-copy", partial(copy_menu, screen, _texts_of(screen)), opens=True)


def _write_statement(screen: DeskScreen) -> None:
    from chainteller.tui.statements import write_statement

    served = screen.desk.customer.account
    screen.read("ask-statement", partial(write_statement, screen, served), opens=True)


# fmt: off
COMMANDS: tuple[Command[DeskScreen], ...] = (
    Command("desk.up", "up,k", "One row up", lambda screen: screen.move_cursor(-1), _no_list,
        works_at_once=True),
    Command("desk.down", "down,j", "One row down", lambda screen: screen.move_cursor(1), _no_list,
        works_at_once=True),
    Command("desk.page_up", "pageup", "One page up", lambda screen: _move_pages(screen, -1),
        _no_list, works_at_once=True),
    Command("desk.page_down", "pagedown", "One page down", lambda screen: _move_pages(screen, 1),
        _no_list, works_at_once=True),
    Command("desk.first", "home", "First row", lambda screen: _move_to_end(screen, end=False),
        _no_list, works_at_once=True),
    Command("desk.last", "end", "Last row", lambda screen: _move_to_end(screen, end=True),
        _no_list, works_at_once=True),
    Command("desk.back", "escape", "Close what is open: field, message, detail or filter",
        _go_back, always),
    Command("desk.text", "t", "What to tell the customer; t again copies it", _tell_customer,
        lambda screen: "" if screen.customer_text() else "there is no text for the customer here",
        footer="text", rank=4),
    Command("desk.copy", "c", "Copy the main text of the screen", _copy,
        lambda screen: "" if screen.main_text() else "there is nothing to copy here",
        footer="copy", rank=4),
    Command("desk.audit", "a", "Audit trail of what is selected, or of everything",
        lambda screen: screen.desk.shell.audit_of(screen.object_id()), always, feature="audit"),
    Command("desk.export", "e", "Export to a file: receipt, rows, detail",
        _export,
        lambda screen: "" if screen.exports() else "there is nothing to export here"),
    Command("desk.refresh", "r", "Refresh", _refresh, always),
    Command("desk.note", "n", "Notes about what is selected, of the whole team",
        lambda screen: screen.desk.shell.take_note(screen.object_id()), _nothing_selected),
    Command("desk.customer", "P", "Page of the selected customer: accounts and timeline",
        _open_customer, _nobody_served),
    Command("desk.zoom", "z", "Show the detail on the whole screen, or beside its list",
        _toggle_zoom, always),
    Command("palette.copy", "", "copy: choose what to copy",
        _choose_copy, always),
    Command("palette.statement", "", "statement: write the account's statement to a file",
        _write_statement, _nobody_served),
)
# fmt: on
