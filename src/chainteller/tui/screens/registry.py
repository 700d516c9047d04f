"""Screens by name. All but the first are imported when they are first shown."""

import importlib
from typing import Any

from textual.screen import Screen

_CLASSES = {
    "accounts": ("accounts", "AccountsScreen"),
    "markets": ("markets", "MarketsScreen"),
    "quote": ("quote", "QuoteScreen"),
    "trades": ("trades", "TradesScreen"),
    "wallets": ("wallets", "WalletsScreen"),
    "audit": ("audit", "AuditScreen"),
    "help": ("help", "HelpScreen"),
    "log": ("help", "LogScreen"),
    "requests": ("requests", "RequestsScreen"),
    "profiles": ("profiles", "ProfilesScreen"),
    "info": ("info", "InfoScreen"),
    "note": ("note", "NoteScreen"),
    "customers": ("customers", "CustomersScreen"),
}


def make(name: str, *given: object) -> Screen[Any]:
    module_name, class_name = _CLASSES[name]
    module = importlib.import_module(f"chainteller.tui.screens.{module_name}")
    made: Screen[Any] = getattr(module, class_name)(*given)
    return made
