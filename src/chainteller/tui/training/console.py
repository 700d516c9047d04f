"""The console of a training session: the same screens, with the clock, story and score, and the
commands for time, words, the customer and the end.
"""

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, ClassVar, cast

from textual.binding import BindingType
from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.content import Content
from textual.events import Key
from textual.message_pump import MessagePump

from chainteller.domain.clock import SECOND
from chainteller.domain.randomness import SeededRandomness
from chainteller.service.errors import TellerError
from chainteller.training.progress import DueWorkStuck
from chainteller.training.reading import duration
from chainteller.training.reports import make_report, to_lines
from chainteller.training.score import judge
from chainteller.training.session import Session
from chainteller.tui.commands import Command, always, bindings_of, by_id
from chainteller.tui.console.app import Console, desk_commands, drop_keys
from chainteller.tui.console.commands import CONSOLE_COMMANDS
from chainteller.tui.console.palette import deferred
from chainteller.tui.console.protection import agreed
from chainteller.tui.console.typed_ahead import TypedAhead
from chainteller.tui.dialogs.boxes import Box
from chainteller.tui.dialogs.choice import Choice
from chainteller.tui.service_calls import Later, call_service
from chainteller.tui.start import ConsoleSettings, StartedDesk
from chainteller.tui.training import guide
from chainteller.tui.wallets.screen import WalletsScreen
from chainteller.tui.widgets.guide_panel import GuidePanel
from chainteller.tui.widgets.lines import Line, cut, line
from chainteller.tui.widgets.paste_field import SIGNATURE

_GUIDES = frozenset({"f2", "f3", "f4", "f5", "f6", "f10", "ctrl+q"})
"""Keys of the session, not of the desk: they are not counted."""


def run_training(session: Session, look: ConsoleSettings) -> int:
    """Run the console until it ends, and return its exit code; the session has begun."""
    console = TrainingConsole(session, look)
    console.run()
    return console.return_code or 0


class CountedKeys(TypedAhead):
    """Counts a key when it acts: not while it waits, and not when it is dropped."""

    def __init__(self, target: MessagePump, count: Callable[[], None]) -> None:
        super().__init__(target)
        self._count = count

    def takes(self, event: Key, *, at_once: bool = False) -> bool:
        taken = super().takes(event, at_once=at_once)
        if not taken and event.key not in _GUIDES:
            self._count()
        return taken


# -- commands --------------------------------------------------------------------------------------

_CLOCK = re.compile(r"clock\s*\+?\s*(\d{1,6}[smh])", re.ASCII)
_JUMPS = ("1m", "5m")
_NOT_OPEN = "Open the caller's record first: f3 and f7 work from then on"


def _show_story(console: "TrainingConsole") -> None:
    console.push_screen(Box("THE STORY SO FAR", guide.story(console.session)))


def _show_goals(console: "TrainingConsole") -> None:
    if not console.session.is_record_open:
        console.desk.notify(_NOT_OPEN, "warn")
        return

    async def show() -> None:
        judged = await call_service(judge, console.session)
        console.push_screen(Box("GOALS NOW", guide.goals(judged)))

    console.run_worker(console.opening.begin(show), group="goals", exclusive=True)


def _show_hint(console: "TrainingConsole") -> None:
    session = console.session
    text = session.hint()
    rows = guide.hint(text, session.hints, len(session.scenario.hints))
    console.push_screen(Box("HINT", rows))


def _choose_words(console: "TrainingConsole") -> None:
    said = {each.text: each.id for each in console.session.statements}

    def chosen(text: str | None) -> None:
        if text is not None:
            console.action_say(said[text])

    if console.session.is_record_open:
        console.push_screen(Choice("WHAT DO YOU SAY?", "", tuple(said)), chosen)
    else:
        console.desk.notify(_NOT_OPEN, "warn")


def _customer_sends(console: "TrainingConsole") -> None:
    """What the customer is asked for arrives as a paste: an address or a signature."""
    screen = console.screen
    if isinstance(screen, WalletsScreen) and screen.field_bar.purpose == "address":
        session = console.session
        address = session.addresses.get(session.scenario.customer.wallet, "")
        screen.field_submitted("address", address)
    else:
        signed = console.opening.begin(partial(_sign, console))
        console.run_worker(signed, group="sign", exclusive=True)


async def _sign(console: "TrainingConsole") -> None:
    try:
        signature = await call_service(console.session.sign)
    except TellerError as error:
        console.desk.notify(f"{error.message}  {error.suggestion}", "warn")
        return
    if isinstance(console.screen, WalletsScreen):
        console.screen.field_submitted(SIGNATURE, signature)
        console.desk.notify("the customer sent a signature; it's being checked", "muted")
    else:
        rows = [line(part) for part in cut(signature, 70)]
        console.push_screen(Box("THE CUSTOMER'S SIGNATURE", rows, again="c", text=signature))


def _toggle_clock(console: "TrainingConsole") -> None:
    console.running = not console.running
    text = "Clock running" if console.running else "Clock paused"
    console.desk.notify(text, "muted")
    console.redraw_guide()


def _jumping(time: str) -> Command["TrainingConsole"]:
    return Command(
        f"training.clock_{time}",
        "",
        f"clock +{time}",
        lambda console: console.jump(duration(time)),
        always,
        is_global=True,
    )


# fmt: off
TRAINING_COMMANDS: tuple[Command["TrainingConsole"], ...] = (
    *map(_jumping, _JUMPS),
    Command("training.pause", "f5", "clock: pause or resume   [f5]", _toggle_clock, always,
        is_global=True),
    Command("training.skip", "f6", "clock: skip to the next event   [f6]",
        lambda console: console.run_worker(Later(console.skip), group="clock"), always,
        is_global=True),
    Command("training.story", "f2", "story: everything that was said   [f2]", _show_story, always,
        is_global=True),
    Command("training.goals", "f3", "goals   [f3]", _show_goals, always, is_global=True),
    Command("training.hint", "f4", "hint   [f4]", _show_hint, always, is_global=True),
    Command("training.send", "f8", "customer sends the address, or signs the newest text   [f8]",
        _customer_sends, always, is_global=True),
    Command("training.finish", "f10", "end the session and show the report   [f10]",
        lambda console: console.ask_to_end(), always, is_global=True),
    Command("training.say", "f7", "say something to the customer   [f7]", _choose_words, always,
        is_global=True),
)
# fmt: on
"""Keys of the session: they stay the same whatever the agent's own keys are."""


class TrainingProvider(Provider):
    """What ``:`` finds in training, beside everything that it finds elsewhere."""

    @property
    def console(self) -> "TrainingConsole":
        return cast("TrainingConsole", self.app)

    def _entries(self) -> list[tuple[str, str]]:
        listed = [each for each in TRAINING_COMMANDS if each.id != "training.say"]
        rows = [(each.about, each.action) for each in listed]
        session = self.console.session
        said = session.statements if session.is_record_open else ()
        return [*rows, *((f"say: {each.text}", f"app.say('{each.id}')") for each in said)]

    async def discover(self) -> Hits:
        for name, action in self._entries():
            yield DiscoveryHit(Content(name), deferred(self.screen, action), name)

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        asked = _CLOCK.fullmatch(query.strip())
        if asked is not None:
            jump = partial(self.console.jump, duration(asked[1]))
            yield Hit(1.0, Content(f"clock +{asked[1]}"), jump, f"clock +{asked[1]}")
        for name, action in self._entries():
            score = matcher.match(name)
            if score > 0:
                yield Hit(score, Content(name), deferred(self.screen, action), name)


# -- the console -----------------------------------------------------------------------------------


class TrainingConsole(Console):
    CSS_PATH = "../console/app.tcss"
    COMMANDS: ClassVar[set[Any]] = {desk_commands, TrainingProvider}
    COMMANDS_BY_ID = by_id([*CONSOLE_COMMANDS, *TRAINING_COMMANDS])
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_of(TRAINING_COMMANDS)]

    def __init__(self, session: Session, look: ConsoleSettings) -> None:
        self.session = session
        self.running = False
        self._passing = False
        self._heard = len(session.progress.heard)
        self._finished = False
        self._ending = False
        shown = look._replace(
            kind="TRAINING",
            theme="training",
            read_only=False,
            clock=session.clock,
            randomness=SeededRandomness(f"desk {session.seed}"),
            panel=lambda: GuidePanel(self._guide),
        )
        service, label = session.service, session.scenario.label
        super().__init__(lambda: StartedDesk(service, label, service.capabilities()), shown)
        self.typed_ahead = CountedKeys(self, self._count)

    def _guide(self, width: int) -> Sequence[Line]:
        return guide.panel(self.session, width, running=self.running)

    def mounted(self) -> None:
        super().mounted()
        session, customer = self.session, self.desk.customer
        self.desk.on_customer_text.subscribe(
            self, lambda text: session.tell(text, customer.account_id)
        )
        customer.on_change.subscribe(self, lambda _: session.open_record(customer.account_id))
        if self.desk.settings.poll_interval_s > 0:
            self.set_interval(1.0, self._tick)
        self.call_after_refresh(self._brief)

    def _brief(self) -> None:
        """The clock waits until the trainee has read what it is about: keys that were typed before
        don't close it.
        """

        def begin(_: None) -> None:
            self.running = True
            self.redraw_guide()

        drop_keys(self)
        self.deafen()
        box = Box(self.session.scenario.title.upper(), guide.briefing(self.session))
        self.push_screen(box, begin)

    def redraw_guide(self) -> None:
        for panel in self.screen.query(GuidePanel):
            panel.redraw()

    # -- time ---------------------------------------------------------------------------------

    def _stop(self, error: DueWorkStuck) -> None:
        self.running = False
        self.desk.notify(f"{error.code}  {error.message}  {error.suggestion}", "bad")

    def _tick(self) -> None:
        if self.running and not self._passing and not self._finished:
            self._passing = True
            self.run_worker(Later(partial(self._pass, SECOND)), group="clock")

    async def _pass(self, microseconds: int) -> None:
        try:
            await call_service(self.session.advance, microseconds)
        except DueWorkStuck as error:
            self._stop(error)
        finally:
            self._passing = False
        self._listen()
        if self.session.is_over:
            self.desk.notify("Time is up", "warn")
            self._finish()

    def _listen(self) -> None:
        """The customer's new words ring."""
        heard = len(self.session.progress.heard)
        if heard > self._heard:
            self.bell()
        self._heard = heard
        self.redraw_guide()

    def jump(self, microseconds: int) -> None:
        """Let so much time pass at once."""

        async def jump() -> None:
            await self._pass(microseconds)
            self.poll_now()

        self.run_worker(Later(jump), group="clock")

    async def skip(self) -> None:
        """Let time pass to the next thing that happens by itself."""
        try:
            passed = await call_service(self.session.step)
        except DueWorkStuck as error:
            self._stop(error)
            return
        text = f"{guide.minutes(passed)} passed" if passed else "Nothing is scheduled"
        self.desk.notify(text, "muted")
        await self._pass(0)
        self.poll_now()

    def action_say(self, statement: str) -> None:
        text = self.session.say(statement, self.desk.customer.account_id)
        self.desk.notify(f"said: {text}", "muted")

    # -- the end --------------------------------------------------------------------------------

    def _count(self) -> None:
        """Whether to end is a question of the training, not of the desk."""
        if not self._ending:
            self.session.key()

    def ask_to_end(self) -> None:
        async def ask() -> None:
            self._ending = True
            fact = "The score counts what you have done so far."
            try:
                ended = await agreed(self.desk, "END this training session?", fact)
            finally:
                self._ending = False
            if ended:
                self._finish()

        if not self._finished and not self._ending:
            self.run_worker(self.opening.begin(ask), group="ask-end", exclusive=True)

    def _finish(self) -> None:
        """The report; closing it ends the program, which prints it once more."""

        async def show_report() -> None:
            self.typed_ahead.hold(
                overdue=self.typed_ahead.forget
            )  # nothing is for the desk any more
            made = await call_service(make_report, self.session)
            self.typed_ahead.forget()
            self.release_keys()
            self.deafen()
            await self.push_screen_wait(Box("SESSION ENDED", guide.report(to_lines(made))))
            self.exit(return_code=0)

        if not self._finished:
            self._finished = True
            self.run_worker(Later(show_report), group="report")
