"""Commands: each is one entry with its key, what it does, what it needs and when it cannot run.

A screen's own commands are declared beside it (``tui/*/commands.py``), those of every screen in
``tui/desk_screen.py``, those of the whole console in ``tui/console/commands.py``; the table of all
is ``tui/console/command_table.py``. Key bindings, footers, the help, the palette and
``docs/reference/keys.md`` are derived from them.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from inspect import isawaitable
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeVar

from textual.binding import Binding

from chainteller.domain.preconditions import Act, forbidding
from chainteller.tui.acting import as_command

if TYPE_CHECKING:
    from chainteller.service.models.accounts import TradingAccount

IS_OPEN = "its detail is open"
"""Why a detail isn't opened: the one reason that isn't said, because it's seen."""
EVERYWHERE = "desk"
PALETTE_ONLY = "palette"
SHORT_NAMES = {
    "accounts": "Acc",
    "markets": "Mkt",
    "quote": "Quo",
    "trades": "Trd",
    "wallets": "Wal",
    "transfers": "Tfr",
    "decisions": "Dec",
}
"""The screens with their names in a narrow top bar, in the order of the digits that open them.

The screen ``accounts`` is the class ``AccountsScreen`` in ``tui/accounts/screen.py``; its commands
are ``COMMANDS`` in ``tui/accounts/commands.py``.
"""
SCREENS = tuple(SHORT_NAMES)
_SHOWN = {
    "colon": ":",
    "question_mark": "?",
    "slash": "/",
    "exclamation_mark": "!",
    "plus": "+",
    "number_sign": "#",
    "escape": "esc",
    "left": "left",
    "pageup": "pgup",
    "pagedown": "pgdn",
}


class Place(Protocol):
    """Where commands run, as far as they need it."""

    read_only: bool

    def offers(self, feature: str) -> bool:
        """Whether the deployment has a feature."""

    def may(self, scope: str) -> bool:
        """Whether whoever works here has a scope."""


class Target(Protocol):
    """What a command acts on: a screen, or the console."""

    @property
    def desk(self) -> Place:
        """The state that all screens share."""


On = TypeVar("On", bound=Target)


class Command(NamedTuple, Generic[On]):
    """One command of a screen or of the console."""

    id: str
    """Its place, ``desk`` for every screen, and its name: ``accounts.deposit``."""
    key: str
    """Textual's name of the key, alternates after commas; empty: the palette and the help only."""
    about: str
    run: Callable[[On], object]
    """May return an awaitable."""
    unavailable: Callable[[On], str] | None = None
    """Why it would do nothing now, empty when it works; ``always`` for what works in any state.

    Read-only mode and missing features of the deployment need no words here.
    """
    footer: str = ""
    """Its word on the footer; empty keeps it off. A word that begins with a slash goes on with
    its key: ``left/right market``.
    """
    rank: int = 5
    """Order on the footer: where it is narrow, the highest gives way first."""
    footer_now: Callable[[On], str] | None = None
    """The footer's word where it depends on the state; empty means ``footer``."""
    scope: str = ""
    """The scope that its change needs; a read-only desk refuses it."""
    feature: str = ""
    """The feature that the deployment must offer."""
    works_in_field: bool = False
    """Whether it works while the field has the keyboard."""
    is_global: bool = False
    """Whether it acts on the console instead of the screen."""
    of_list: bool = False
    """Whether it changes what the list shows: it closes a detail that hides the list."""
    works_at_once: bool = False
    """Whether it works on the first rows, before the service answers: it moves the cursor, shows a
    screen or filters. All other keys wait for fresh rows."""

    @property
    def where(self) -> str:
        return self.id.partition(".")[0]

    @property
    def name(self) -> str:
        """What the palette finds it by: ``last customer``."""
        return self.id.partition(".")[2].replace("_", " ")

    @property
    def action(self) -> str:
        """Its action as Textual writes it."""
        return f"{'app.' if self.is_global else ''}command({self.id!r})"

    def has_key(self, key: str, keymap: Mapping[str, str]) -> bool:
        """Whether ``key``, as Textual names it, runs it."""
        return key in keymap.get(self.id, self.key).split(",")

    def key_in(self, keymap: Mapping[str, str]) -> str:
        """The first of its keys, as the agent's own configuration has it."""
        return shown_key(keymap.get(self.id, self.key)) or ":"


AnyCommand = Command[Any]


def always(target: Target) -> str:  # noqa: ARG001 - for ``Command.unavailable``
    """For commands that work in any state."""
    return ""


def control_against(account: "TradingAccount | None", act: Act) -> str:
    """Why a control on the account forbids an act; empty when none does, or none is known."""
    control = forbidding(account.controls, act) if account is not None else ""
    return f"the account is {control}" if control else ""


class Hint(NamedTuple):
    """A word of the footer: a click runs ``action``, the highest ``rank`` gives way first."""

    key: str
    word: str
    action: str
    rank: int


def shown_key(keys: str) -> str:
    first = keys.split(",", maxsplit=1)[0]
    return _SHOWN.get(first, first)


def shown_keys(keys: str) -> str:
    """Every key of a command: ``up k``."""
    return " ".join(shown_key(key) for key in keys.split(",") if key)


def by_id(commands: Iterable[AnyCommand]) -> dict[str, AnyCommand]:
    return {command.id: command for command in commands}


def bindings_of(commands: Iterable[AnyCommand]) -> list[Binding]:
    """Textual's bindings; the ids let a user's keymap move them."""
    return [
        Binding(command.key, command.action, command.about, show=False, id=command.id)
        for command in commands
        if command.key
    ]


async def run_command(commands: Mapping[str, AnyCommand], command_id: str, target: Target) -> None:
    """Run one of ``commands`` by its id."""
    with as_command(command_id):
        done = commands[command_id].run(target)
        if isawaitable(done):
            await done


def unavailable_reason(command: AnyCommand, target: Target) -> str:
    """Why ``command`` would do nothing now; empty when it works."""
    desk = target.desk
    if command.scope and desk.read_only:
        return "read-only: F9"
    if not desk.may(command.scope):
        return f"your role doesn't have {command.scope}"
    if command.feature and not desk.offers(command.feature):
        return "not offered by this deployment"
    return command.unavailable(target) if command.unavailable is not None else ""


def footer_hints(
    commands: Sequence[Command[On]],
    target: On,
    keymap: Mapping[str, str],
    *,
    typing: bool,
    is_list_hidden: bool = False,
) -> list[Hint]:
    """The keys that work now, of the commands with a word for the footer.

    Args:
        commands: in the order of the footer.
        target: the screen.
        keymap: the keys of the agent's own configuration.
        typing: whether the field has the keyboard.
        is_list_hidden: whether a detail stands alone; keys of its list aren't named.
    """
    hints = [
        Hint(
            shown_key(keymap.get(command.id, command.key)),
            (command.footer_now(target) if command.footer_now else "") or command.footer,
            command.action,
            command.rank,
        )
        for command in commands
        if command.footer
        and not (is_list_hidden and command.of_list)
        and (command.works_in_field if typing else not unavailable_reason(command, target))
    ]
    if typing:
        return [*hints, _LEAVE_FIELD]
    return [*hints, *([_LEAVE_DETAIL] if is_list_hidden else [])]


_LEAVE_DETAIL = Hint("esc", "list", "command('desk.back')", 0)
_LEAVE_FIELD = Hint("esc", "close", "command('desk.back')", 0)
