"""Each command once: it appears as key, palette entry, footer word and line of the help."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from textual.binding import Binding
from textual.keys import _normalize_key_list  # the one that ``App.set_keymap`` reads them with

EVERYWHERE = "desk"
SCREENS = ("accounts", "markets", "quote", "trades", "wallets")
_SHOWN = {
    "colon": ":",
    "question_mark": "?",
    "slash": "/",
    "exclamation_mark": "!",
    "plus": "+",
    "escape": "esc",
    "left": "left",
    "pageup": "pgup",
    "pagedown": "pgdn",
}


class Command(NamedTuple):
    """``key`` is Textual's, alternates after commas; ``word`` 0 letters keeps it off the footer.

    ``rank`` orders the footer: the lowest stand, the highest give way when it is narrow.
    """

    id: str
    key: str
    action: str
    about: str
    word: str = ""
    rank: int = 5

    @property
    def where(self) -> str:
        return self.id.partition(".")[0]

    def key_in(self, keymap: Mapping[str, str]) -> str:
        """The first of its keys, as the agent's own configuration has it."""
        return shown_key(keymap.get(self.id, self.key)) or ":"


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


COMMANDS: tuple[Command, ...] = (
    Command("desk.accounts", "1", "app.go('accounts')", "Accounts"),
    Command("desk.markets", "2", "app.go('markets')", "Markets"),
    Command("desk.quote", "3", "app.go('quote')", "Quote and execute"),
    Command("desk.trades", "4", "app.go('trades')", "Trades"),
    Command("desk.wallets", "5", "app.go('wallets')", "Wallets"),
    Command("desk.up", "up,k", "move(-1)", "One row up"),
    Command("desk.down", "down,j", "move(1)", "One row down"),
    Command("desk.page_up", "pageup", "move_page(-1)", "One page up"),
    Command("desk.page_down", "pagedown", "move_page(1)", "One page down"),
    Command("desk.first", "home", "move_to_end(False)", "First row"),
    Command("desk.last", "end", "move_to_end(True)", "Last row"),
    Command("desk.back", "escape", "back", "One step back"),
    Command("desk.text", "t", "customer_text", "What to tell the customer; t again copies it"),
    Command("desk.copy", "c", "copy_main", "Copy the main text of the screen"),
    Command("desk.audit", "a", "audit", "Audit trail of what is selected"),
    Command("desk.export", "e", "export", "Export to a file: receipt, rows, detail"),
    Command("desk.refresh", "r", "refresh_now", "Fetch again"),
    Command("desk.log", "exclamation_mark", "app.event_log", "Event log"),
    Command("desk.palette", "colon,ctrl+p", "app.command_palette", "Go to anything by name or id"),
    Command("desk.help", "question_mark,f1", "app.keys", "All keys"),
    Command("desk.read_only", "f9", "app.read_only", "Read-only on and off"),
    Command("desk.note", "n", "app.note", "Note about what is selected; this machine only"),
    Command("desk.handover", "h", "app.handover", "Handover note of the call"),
    Command("desk.zoom", "z", "zoom", "What is selected on the whole screen, or beside its list"),
    Command("desk.call", "i", "app.call", "The call begins or ends: its timer"),
    Command("accounts.open", "enter", "open", "Open the account's detail", "open", 3),
    Command("accounts.deposit", "d", "deposit", "Deposit from the bank account", "deposit", 1),
    Command("accounts.withdraw", "w", "withdraw", "Withdraw to the bank account", "withdraw", 1),
    Command("accounts.buy", "b", "trade('buy')", "Buy for the selected account", "buy", 1),
    Command("accounts.sell", "s", "trade('sell')", "Sell for the selected account", "sell", 1),
    Command("accounts.new", "plus", "new_account", "Open an account for a customer", "new", 2),
    Command("accounts.filter", "slash,ctrl+f", "filter", "Filter the list", "filter", 2),
    Command("accounts.sort", "o", "sort", "Change the order of the list", "order", 4),
    Command("markets.open", "enter", "open", "Open the market's detail"),
    Command("markets.buy", "b", "trade('buy')", "Buy in this market", "buy", 1),
    Command("markets.sell", "s", "trade('sell')", "Sell in this market", "sell", 1),
    Command("markets.filter", "slash,ctrl+f", "filter", "Filter the markets"),
    Command("markets.sort", "o", "sort", "Change the order of the list"),
    Command("markets.watch", "m", "watch", "Tell me when it reopens", "watch", 2),
    Command("markets.pause", "p", "pause", "Hold the prices still", "pause", 2),
    Command("quote.submit", "enter", "submit", "Get or renew the quote", "get quote", 1),
    Command("quote.execute", "X", "execute", "Execute the quote", "execute", 1),
    Command(
        "quote.market_left", "left", "step_market(-1)", "Market to the left", "/right market", 2
    ),
    Command("quote.market_right", "right", "step_market(1)", "Market to the right"),
    Command("quote.side", "tab", "other_side", "The other side", "side", 2),
    Command("quote.buy", "b", "trade('buy')", "Buy: the amount again"),
    Command("quote.sell", "s", "trade('sell')", "Sell: the amount again"),
    Command("quote.amount", "backspace", "amount", "Change the amount"),
    Command("quote.watch", "m", "watch", "Tell me when the market reopens"),
    Command("trades.open", "enter", "open", "Open the trade's detail", "open", 3),
    Command("trades.cancel", "C", "cancel", "Cancel the trade before it executes", "cancel", 1),
    Command("trades.all", "0", "all_accounts", "All accounts, or the selected one", "all", 2),
    Command("trades.status", "f", "next_status", "Show one status only", "status", 2),
    Command("trades.sort", "o", "sort", "Change the order of the list", "order", 4),
    Command("trades.watch", "m", "watch", "Tell me when it ends or is slow"),
    Command("trades.filter", "slash,ctrl+f", "filter", "Filter the trades", "filter", 2),
    Command("trades.buy", "b", "trade('buy')", "Buy for the selected account"),
    Command("trades.sell", "s", "trade('sell')", "Sell for the selected account"),
    Command("audit.verify", "v", "verify", "Check the whole audit chain", "verify", 1),
    Command("wallets.open", "enter", "open", "The next step of the wallet", "next step", 1),
    Command("wallets.new", "plus", "new", "Register a wallet's address", "new address", 1),
    Command("wallets.paste", "v", "paste_signature", "Paste and verify a signature", "verify", 1),
    Command("wallets.withdraw", "w", "withdraw", "Withdraw to the wallet", "withdraw", 4),
    Command("wallets.code", "q", "code", "The text to be signed as a QR code", "QR", 3),
    Command("wallets.filter", "slash,ctrl+f", "filter", "Filter the wallets", "filter", 5),
    Command("wallets.sort", "o", "sort", "Change the order of the list"),
    Command("wallets.all", "0", "all_accounts", "All accounts, or the selected one", "all", 4),
)
"""Trades and Quote share b and s with Accounts; a screen's own command hides the desk's."""

PALETTE: tuple[Command, ...] = (
    Command("palette.hide", "", "app.hide", "hide: names and balances masked, or shown again"),
    Command("palette.copy", "", "copy_menu", "copy: everything that can be copied here"),
    Command("palette.profile", "", "app.profiles", "profile: another place, or this one again"),
    Command("palette.requests", "", "app.requests", "requests: what was asked of the service"),
    Command("palette.info", "", "app.info", "info: version, place, what it offers, paths"),
    Command("palette.samples", "", "app.samples", "sample data: load it into an empty database"),
)
"""Commands without a key of their own: the palette and the help run them."""

_NOBODYS: Mapping[str, str] = {"ctrl+q": "quit"}
"""Keys of no command, that none may take."""
FOOTER_OF_ALL = ("desk.text", "desk.copy")
_FOOTER_WORDS = {"desk.text": "text", "desk.copy": "copy", "desk.audit": "audit"}


def commands_of(screen: str) -> tuple[Command, ...]:
    """A screen's own commands, then those that hold everywhere."""
    own = [command for command in COMMANDS if command.where == screen]
    return (*own, *(command for command in COMMANDS if command.where == EVERYWHERE))


def bindings_of(screen: str) -> list[Binding]:
    """Textual's bindings of one screen; the ids let a user's keymap move them."""
    return [
        Binding(command.key, command.action, command.about, show=False, id=command.id)
        for command in commands_of(screen)
    ]


def footer_commands(screen: str) -> list[Command]:
    """What the footer may name, in the order of the table, each with its word."""
    own = [command for command in COMMANDS if command.where == screen and command.word]
    shared = [command for command in COMMANDS if command.id in FOOTER_OF_ALL]
    return [*own, *(row._replace(word=_FOOTER_WORDS[row.id], rank=4) for row in shared)]


def hint(command: Command, keymap: Mapping[str, str]) -> Hint:
    """A command as the footer names it."""
    key = shown_key(keymap.get(command.id, command.key))
    return Hint(key, command.word, command.action, command.rank)


def clashes(keymap: Mapping[str, str], screens: Iterable[str] = (*SCREENS, "audit")) -> list[str]:
    """What is wrong with a user's keys: unknown ids, and two commands on one key of a screen.

    A key may be written as it is printed (``?``) or as Textual calls it (``question_mark``).
    """
    known = {command.id for command in COMMANDS}
    problems = [f"keys.{name}: no such command" for name in keymap if name not in known]
    keymap = {name: _normalize_key_list(keys) for name, keys in keymap.items()}
    for screen in screens:
        taken = dict(_NOBODYS)
        own = [command for command in COMMANDS if command.where == screen]
        shared = [command for command in COMMANDS if command.where == EVERYWHERE]
        for command in (*own, *shared):
            for key in keymap.get(command.id, command.key).split(","):
                first = taken.setdefault(key, command.id)
                moved = command.id in keymap or first in keymap
                if first != command.id and moved:
                    problems.append(f"keys: {first} and {command.id} both want {key}")
    return sorted(set(problems))
