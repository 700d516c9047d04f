"""Commands of a training session: time, words, the customer, checkpoints and the end."""

import re
from functools import partial
from typing import TYPE_CHECKING, cast

from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.content import Content

from chainteller.service.errors import TellerError
from chainteller.training.reading import duration
from chainteller.training.score import judge
from chainteller.tui.commands import Command, always
from chainteller.tui.console.palette import deferred
from chainteller.tui.dialogs.boxes import Box
from chainteller.tui.service_calls import Later, call_service
from chainteller.tui.training import guide
from chainteller.tui.training.sayings import Sayings
from chainteller.tui.wallets.screen import WalletsScreen
from chainteller.tui.widgets.lines import cut, line
from chainteller.tui.widgets.paste_field import SIGNATURE

if TYPE_CHECKING:
    from chainteller.tui.training.shell import TrainingShell

_CLOCK = re.compile(r"clock\s*\+?\s*(\d{1,6}[smh])", re.ASCII)
_JUMPS = ("1m", "5m")
_NOT_OPEN = "Open the caller's record first: goals and things to say are shown after that"


def _show_story(console: "TrainingShell") -> None:
    console.push_screen(Box("THE STORY SO FAR", guide.story(console.session)))


def _show_goals(console: "TrainingShell") -> None:
    if not console.session.is_record_open:
        console.desk.notify(_NOT_OPEN, "warn")
        return

    async def show() -> None:
        judged = await call_service(judge, console.session)
        console.push_screen(Box("GOALS NOW", guide.goals(judged)))

    console.run_worker(Later(show), group="goals", exclusive=True)


def _show_hint(console: "TrainingShell") -> None:
    session = console.session
    text = session.hint()
    rows = guide.hint(text, session.hints, len(session.scenario.hints))
    console.push_screen(Box("HINT", rows))


def _choose_words(console: "TrainingShell") -> None:
    def chosen(statement: str | None) -> None:
        if statement is not None:
            console.action_say(statement)

    if console.session.is_record_open:
        console.push_screen(Sayings(console.session.statements), chosen)
    else:
        console.desk.notify(_NOT_OPEN, "warn")


def _customer_sends(console: "TrainingShell") -> None:
    """What the customer is asked for arrives as a paste: an address or a signature."""
    screen = console.screen
    if isinstance(screen, WalletsScreen) and screen.field_bar.purpose == "address":
        session = console.session
        address = session.addresses.get(session.scenario.customer.wallet, "")
        screen.field_submitted("address", address)
    else:
        console.run_worker(Later(partial(_sign, console)), group="sign", exclusive=True)


async def _sign(console: "TrainingShell") -> None:
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


def _keep_checkpoint(console: "TrainingShell") -> None:
    async def keep() -> None:
        number = await call_service(console.session.checkpoint)
        console.desk.notify(f"checkpoint {number} saved", "muted")

    console.run_worker(Later(keep), group="checkpoint")


def _toggle_clock(console: "TrainingShell") -> None:
    console.running = not console.running
    text = "Clock running" if console.running else "Clock paused"
    console.desk.notify(text, "muted")
    console.redraw_guide()


def _jumping(time: str) -> Command["TrainingShell"]:
    return Command(
        f"training.clock_{time}",
        "",
        f"clock +{time}",
        lambda console: console.jump(duration(time)),
        always,
        is_global=True,
    )


# fmt: off
TRAINING_COMMANDS: tuple[Command["TrainingShell"], ...] = (
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
    Command("training.checkpoint", "", "checkpoint: save this state", _keep_checkpoint, always,
        is_global=True),
    Command("training.undo", "", "undo: return to the newest checkpoint",
        lambda console: console.run_worker(Later(console.undo), group="undo", exclusive=True),
        always, is_global=True),
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
    def console(self) -> "TrainingShell":
        return cast("TrainingShell", self.app)

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
