"""Why a command does nothing now: said in the help, and what the footer goes by."""

from collections.abc import Mapping
from typing import Any

from chainteller.tui.commands import EVERYWHERE, SCREENS, Command, Hint, footer_commands, hint
from chainteller.tui.desk import Desk

_WRITES = frozenset(
    {
        "accounts.deposit",
        "accounts.withdraw",
        "accounts.new",
        "quote.submit",
        "quote.execute",
        "trades.cancel",
        "wallets.new",
        "wallets.open",
        "wallets.withdraw",
    }
)
_NEEDS: Mapping[str, str] = {
    "accounts.new": "customers",
    "desk.audit": "audit",
    "trades.all": "all-trades",
    "wallets.all": "blockchain-accounts",
}
_OF_A_RECORD = frozenset({"desk.audit", "desk.note"})


def why_not(desk: Desk, screen: Any, command: Command) -> str:
    """Why ``command`` cannot be run from ``screen`` now; empty when it can."""
    if command.where in SCREENS and command.where != getattr(screen, "KEY", ""):
        return f"only on {command.where}"
    if command.where != EVERYWHERE and command.where not in (*SCREENS, "palette"):
        return f"only on {command.where}" if command.where != getattr(screen, "KEY", "") else ""
    return (
        _refused(desk, command) or _unavailable(screen, command) or _nothing_there(screen, command)
    )


def footer_now(desk: Desk, screen: Any) -> list[Hint]:
    """The keys that work on ``screen`` now, of those that its footer may name."""
    typing = screen.is_typing
    shown = [
        command._replace(word=screen.footer_label(command.id) or command.word)
        for command in footer_commands(screen.KEY)
        if (command.id in screen.WORK_IN_FIELD if typing else _is_named(desk, screen, command))
    ]
    return [
        *(hint(command, desk.settings.keys) for command in shown),
        *([_LEAVE] if typing else []),
    ]


_LEAVE = Hint("esc", "close", "back", 0)


def _is_named(desk: Desk, screen: Any, command: Command) -> bool:
    if command.where == EVERYWHERE and not screen.FOOTER_KNOWS_TEXTS:
        return True
    return not why_not(desk, screen, command)


def _unavailable(screen: Any, command: Command) -> str:
    unavailable_reason = getattr(screen, "unavailable_reason", None)
    return str(unavailable_reason(command.id)) if unavailable_reason is not None else ""


def _refused(desk: Desk, command: Command) -> str:
    if desk.read_only and command.id in _WRITES:
        return "read-only: F9"
    feature = _NEEDS.get(command.id)
    if feature is not None and not desk.offers(feature):
        return "not offered by this deployment"
    return ""


def _nothing_there(screen: Any, command: Command) -> str:
    nothing = {
        "desk.text": ("customer_text", "there is nothing to tell here"),
        "desk.copy": ("main_text", "there is nothing to copy here"),
        "desk.export": ("exports", "there is nothing to export here"),
    }
    if command.id in _OF_A_RECORD:
        return "" if _has(screen, "object_id") else "nothing is selected"
    asked = nothing.get(command.id)
    return "" if asked is None or _has(screen, asked[0]) else asked[1]


def _has(screen: Any, name: str) -> bool:
    found = getattr(screen, name, None)
    return found is not None and bool(found())
