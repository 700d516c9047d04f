"""The console of a training session: the same desk, with the session's clock, story and score."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, ClassVar

from textual.binding import Binding, BindingType
from textual.events import Key
from textual.message_pump import MessagePump
from textual.screen import Screen
from textual.widget import Widget

from chainteller.domain.clock import SECOND
from chainteller.domain.randomness import SeededRandomness
from chainteller.service.errors import TellerError
from chainteller.training.progress import DueWorkStuck
from chainteller.training.reading import duration
from chainteller.training.reports import make_report, to_lines
from chainteller.training.score import judge
from chainteller.training.session import Session
from chainteller.tui.commands import SCREENS
from chainteller.tui.console.app import Console, desk_commands
from chainteller.tui.console.poller import Poller
from chainteller.tui.console.typed_ahead import TypedAhead
from chainteller.tui.desk import Choice
from chainteller.tui.dialogs.boxes import Box
from chainteller.tui.dialogs.question import Ask, Question
from chainteller.tui.messages import Pasted
from chainteller.tui.service_calls import Later, call_service
from chainteller.tui.start import ConsoleSettings, StartedDesk
from chainteller.tui.training import guide
from chainteller.tui.training.commands import TrainingProvider
from chainteller.tui.training.sayings import Sayings
from chainteller.tui.wallets.screen import WalletsScreen
from chainteller.tui.widgets.guide_panel import GuidePanel
from chainteller.tui.widgets.lines import Line, line
from chainteller.tui.widgets.paste_field import SIGNATURE

_AWAY = "away"
_GUIDES = frozenset({"f2", "f3", "f4", "f5", "f6", "f10", "ctrl+q"})
"""Keys of the session, not of the desk: they are not counted."""


def run_training(session: Session, look: ConsoleSettings) -> int:
    """Run the console until it ends; the session has begun. Returns its exit code."""
    console = TrainingConsole(session, look)
    console.run()
    return console.return_code or 0


class CountedKeys(TypedAhead):
    """Counts a key when it acts: not while it waits, and not when it is dropped."""

    def __init__(self, target: MessagePump, count: Callable[[str], None]) -> None:
        super().__init__(target)
        self._count = count

    def takes(self, event: Key) -> bool:
        taken = super().takes(event)
        if not taken and event.key not in _GUIDES:
            self._count(event.key)
        return taken


class TrainingConsole(Console):
    CSS_PATH = "../console/app.tcss"
    COMMANDS: ClassVar[set[Any]] = {desk_commands, TrainingProvider}
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f2", "story", show=False),
        Binding("f3", "goals", show=False),
        Binding("f4", "hint", show=False),
        Binding("f5", "pause", show=False),
        Binding("f6", "skip", show=False),
        Binding("f7", "choose_words", show=False),
        Binding("f8", "customer_sends", show=False),
        Binding("f10", "finish", show=False),
    ]

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
            panel=self._panel,
        )
        super().__init__(lambda: StartedDesk(session.service, session.scenario.name), shown)
        self.typed_ahead = CountedKeys(self, self._count)

    def _panel(self) -> Widget:
        return GuidePanel(self._guide)

    def _guide(self, width: int) -> Sequence[Line]:
        return guide.panel(self.session, width, running=self.running)

    def on_mount(self) -> None:
        super().on_mount()
        self.desk.on_customer_text.subscribe(self, self.session.tell)
        if self.desk.settings.poll_interval_s > 0:
            self.set_interval(1.0, self._tick)
        self.call_after_refresh(self._brief)

    def _brief(self) -> None:
        """The clock waits until the trainee has read what it is about."""
        box = Box(self.session.scenario.title.upper(), guide.briefing(self.session))
        self.push_screen(box, lambda _: self._go())

    def _go(self) -> None:
        self.running = True
        self._redraw()

    def _redraw(self) -> None:
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
        await self._listen()
        if self.session.is_over:
            self.desk.notify("the time is up", "warn")
            self._finish()

    async def _listen(self) -> None:
        """The customer's new words ring, and where they began can be come back to."""
        heard = len(self.session.progress.heard)
        if heard > self._heard:
            self.bell()
            await call_service(self.session.checkpoint)
        self._heard = heard
        self._redraw()

    def jump(self, microseconds: int) -> None:
        """Let so much time pass at once."""
        self.run_worker(Later(partial(self._jump, microseconds)), group="clock")

    async def _jump(self, microseconds: int) -> None:
        await self._pass(microseconds)
        self.poll_now()

    def action_clock(self, text: str) -> None:
        self.jump(duration(text))

    def action_pause(self) -> None:
        self.running = not self.running
        self.desk.notify("the clock runs" if self.running else "the clock stands still", "muted")
        self._redraw()

    def action_skip(self) -> None:
        """To the next thing that happens by itself."""
        self.run_worker(Later(self._skip), group="clock")

    async def _skip(self) -> None:
        try:
            passed = await call_service(self.session.step)
        except DueWorkStuck as error:
            self._stop(error)
            return
        text = f"{guide.minutes(passed)} passed" if passed else "nothing is going to happen"
        self.desk.notify(text, "muted")
        await self._pass(0)
        self.poll_now()

    # -- the story ----------------------------------------------------------------------------

    def action_story(self) -> None:
        self.push_screen(Box("THE STORY SO FAR", guide.story(self.session)))

    def action_goals(self) -> None:
        self.run_worker(Later(self._show_goals), group="goals", exclusive=True)

    async def _show_goals(self) -> None:
        judged = await call_service(judge, self.session)
        self.push_screen(Box("GOALS NOW", guide.goals(judged)))

    def action_hint(self) -> None:
        count = len(self.session.scenario.hints)
        text = self.session.hint()
        self.push_screen(Box("HINT", guide.hint(text, self.session.hints, count)))

    def action_choose_words(self) -> None:
        def chosen(statement: str | None) -> None:
            if statement is not None:
                self.action_say(statement)

        self.push_screen(Sayings(self.session.scenario.statements), chosen)

    def action_say(self, statement: str) -> None:
        text = self.session.say(statement)
        self.desk.notify(f"said: {text}", "muted")

    def action_customer_sends(self) -> None:
        """What the customer is asked for arrives as a paste: an address or a signature."""
        screen = self.screen
        if isinstance(screen, WalletsScreen) and screen.field_bar.purpose == "address":
            address = self.session.addresses.get(self.session.scenario.customer.wallet, "")
            screen.on_pasted(Pasted("address", address))
        else:
            self.run_worker(Later(self._sign), group="sign", exclusive=True)

    async def _sign(self) -> None:
        try:
            signature = await call_service(self.session.sign)
        except TellerError as error:
            self.desk.notify(f"{error.message}  {error.suggestion}", "warn")
            return
        if isinstance(self.screen, WalletsScreen):
            self.screen.on_pasted(Pasted(SIGNATURE, signature))
            self.desk.notify("the customer sent a signature; it is being looked at", "muted")
        else:
            rows = [line(row) for row in _cut(signature)]
            self.push_screen(Box("THE CUSTOMER'S SIGNATURE", rows, again="c", text=signature))

    # -- checkpoints and the end --------------------------------------------------------------

    def action_checkpoint(self) -> None:
        self.run_worker(Later(self._checkpoint), group="checkpoint")

    async def _checkpoint(self) -> None:
        number = await call_service(self.session.checkpoint)
        self.desk.notify(f"checkpoint {number} kept", "muted")

    def action_undo(self) -> None:
        self.run_worker(Later(self._undo), group="undo", exclusive=True)

    async def _undo(self) -> None:
        """Back to the checkpoint, with every screen as new: none may show what never was."""
        await call_service(self.session.undo)
        self._heard = len(self.session.progress.heard)
        self._poller = Poller(self.desk, self.alert)
        self.desk.choice = Choice()
        self.add_mode(_AWAY, Screen)
        self.switch_mode(_AWAY)
        for name in SCREENS:
            await self.remove_mode(name)
        self.add_screens()
        self.switch_mode("accounts")
        await self.remove_mode(_AWAY)
        self.desk.notify(f"back at {guide.minutes(self.session.elapsed)}", "warn")

    def _count(self, key: str) -> None:
        """Whether to end is a question of the training, not of the desk."""
        if not self._ending:
            self.session.key(key)

    def action_finish(self) -> None:
        if not self._finished and not self._ending:
            self.run_worker(Later(self._ask_to_end), group="ask-end", exclusive=True)

    async def _ask_to_end(self) -> None:
        self._ending = True
        asked = Ask("END this training session?", ("the score counts what was done until now",))
        try:
            ended = await self.push_screen_wait(Question(asked, self.deafen))
        finally:
            self._ending = False
        if ended:
            self._finish()

    def _finish(self) -> None:
        """The report; closing it ends the program, which prints it once more."""
        if not self._finished:
            self._finished = True
            self.run_worker(Later(self._show_report), group="report")

    async def _show_report(self) -> None:
        made = await call_service(make_report, self.session)
        rows = guide.report(to_lines(made))
        self.push_screen(Box("THE SESSION IS OVER", rows), lambda _: self.exit(return_code=0))


def _cut(text: str, width: int = 70) -> list[str]:
    return [text[start : start + width] for start in range(0, len(text), width)]
