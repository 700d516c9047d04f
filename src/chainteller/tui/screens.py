"""Screens by name. All but the first are imported when they are first shown."""

import importlib
from typing import Any

from textual.screen import Screen

_CLASSES = {
    "accounts": ("accounts.screen", "AccountsScreen"),
    "markets": ("markets.screen", "MarketsScreen"),
    "quote": ("quote.screen", "QuoteScreen"),
    "trades": ("trades.screen", "TradesScreen"),
    "wallets": ("wallets.screen", "WalletsScreen"),
    "audit": ("audit.screen", "AuditScreen"),
    "help": ("console.help", "HelpScreen"),
    "log": ("console.help", "LogScreen"),
    "requests": ("console.request_log_screen", "RequestsScreen"),
    "profiles": ("console.profiles", "ProfilesScreen"),
    "info": ("console.info", "InfoScreen"),
    "note": ("console.note_dialog", "NoteScreen"),
    "customers": ("accounts.new_account", "CustomersScreen"),
}


def make(name: str, *given: object) -> Screen[Any]:
    module_name, class_name = _CLASSES[name]
    module = importlib.import_module(f"chainteller.tui.{module_name}")
    made: Screen[Any] = getattr(module, class_name)(*given)
    return made
