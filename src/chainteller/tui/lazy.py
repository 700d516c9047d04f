"""Imports that wait until the first frame is painted.

``lazy.Question(...)`` imports ``Question`` when it is first used. The imports below are what type
checkers see and, read as data, what ``__getattr__`` follows: adding a name is adding its import.

Only modules that are loaded before the first frame need this one (``tests/tui/test_first_frame.py``
names what may not be loaded by then); every other module imports at its top. ``tui.widgets`` may
not: it would depend on everything that is named here.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from chainteller.records.trades import is_over, is_trade
    from chainteller.records.transactions import fields_of
    from chainteller.tui.accounts import flow as account_flow
    from chainteller.tui.accounts.detail import (
        AccountDetail,
        Frame,
        activity_choices,
        nobody_selected,
    )
    from chainteller.tui.accounts.new_account import CustomersScreen
    from chainteller.tui.around import draw_surroundings
    from chainteller.tui.audit.screen import AuditScreen
    from chainteller.tui.console.command_table import clashes
    from chainteller.tui.console.handover import show_handover_note
    from chainteller.tui.console.heads import HeadWatch, accept_head
    from chainteller.tui.console.help import HelpScreen, LogScreen
    from chainteller.tui.console.info import InfoScreen
    from chainteller.tui.console.last_action import show_last_action
    from chainteller.tui.console.note_dialog import NoteScreen
    from chainteller.tui.console.palette import DeskPalette, DeskProvider
    from chainteller.tui.console.profiles import ProfilesScreen
    from chainteller.tui.console.request_log_screen import RequestsScreen
    from chainteller.tui.console.samples import load_samples
    from chainteller.tui.console.search import (
        is_question,
        show_found,
        turn_to,
        wanted_id,
    )
    from chainteller.tui.console.search_pages import open_page
    from chainteller.tui.console.start_up import (
        begin_session,
        last_screen,
        restore_account,
        tell_unanswered_requests,
        tell_unusable_texts,
    )
    from chainteller.tui.console.unanswered import UnansweredWrites, show_unanswered
    from chainteller.tui.customer_texts import CustomerTexts
    from chainteller.tui.dialogs.boxes import Box, CustomerBox, wrapped
    from chainteller.tui.dialogs.choice import Choice
    from chainteller.tui.dialogs.code import CodeBox
    from chainteller.tui.dialogs.qr import half_blocks
    from chainteller.tui.dialogs.question import Ask, Question, Watch, ask
    from chainteller.tui.exports import Table, copy_menu, copy_now, export, exports_here
    from chainteller.tui.failures import explain
    from chainteller.tui.markets import view as markets_view
    from chainteller.tui.markets.screen import MarketsScreen
    from chainteller.tui.notifications import (
        hear_of_books,
        hear_of_clock,
        hear_of_transfers,
        look_out,
        watch_market,
    )
    from chainteller.tui.queries import account_sheet, accounts_like, query
    from chainteller.tui.quote import view as quote_view
    from chainteller.tui.quote.screen import QuoteScreen
    from chainteller.tui.quote.state import UNANSWERED
    from chainteller.tui.statements import write_statement
    from chainteller.tui.steps import take
    from chainteller.tui.surroundings import Surroundings
    from chainteller.tui.trades import flow as trades_flow
    from chainteller.tui.trades import view as trades_view
    from chainteller.tui.trades.screen import TradesScreen
    from chainteller.tui.transfers.screen import cancel as cancel_withdrawal
    from chainteller.tui.wallets import flow as wallet_flow
    from chainteller.tui.wallets import paste as wallet_pastes
    from chainteller.tui.wallets import second_method
    from chainteller.tui.wallets.book import customer_of, wallet_of
    from chainteller.tui.wallets.screen import (
        WalletsScreen,
        begin_registration,
        networks,
        show_all,
    )
    from chainteller.wallets.addresses import is_address
    from chainteller.wallets.networks import UnknownNetwork, network_names, resolve_network
    from chainteller.wallets.simulated import MISTAKES
else:
    import ast
    from functools import cache

    @cache
    def _sources() -> dict[str, tuple[str, str]]:
        """The module of each import above, and what it is called there."""
        tree = ast.parse(__loader__.get_source(__name__))
        deferred = next(node for node in tree.body if isinstance(node, ast.If))
        return {
            alias.asname or alias.name: (node.module, alias.name)
            for node in deferred.body
            for alias in node.names
        }

    def __getattr__(name: str) -> object:
        if name.startswith("__") or name not in _sources():
            raise AttributeError(f"tui/lazy.py has no import of {name}")
        module_name, imported = _sources()[name]
        found = getattr(__import__(module_name, fromlist=[imported]), imported)
        globals()[name] = found
        return found
