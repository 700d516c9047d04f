"""Commands of the line-by-line console only: notes, the handover note and watching."""

import sys
from collections.abc import Callable, Mapping, Sequence

from chainteller.bootstrap import OpenedService
from chainteller.cli.error_output import Exit, Usage, report_error, say
from chainteller.cli.open_services import recording, workspace
from chainteller.cli.output import line
from chainteller.domain.clock import SystemClock
from chainteller.domain.trades import TERMINAL
from chainteller.domain.untrusted import printable
from chainteller.service.errors import NotFound, TellerError
from chainteller.service.layers import layered
from chainteller.settings.place import Configured
from chainteller.workspace import notes
from chainteller.workspace.handover import Shift, handover_note
from chainteller.workspace.last_action import NOTHING_SENT, last_money_action
from chainteller.workspace.registry import Remembering

HELP = """\
note ID TEXT writes a note about a record for the team, note ID reads them.
handover prints what was done since this desk was opened, for the ticket; handover ACCOUNT for one
account.
last reads the last money action again: customer, account, amount, record, outcome.
watch MARKET or watch ACCOUNT TRADE rings when the market reopens or the trade ends."""
_BELL = "\a"
_OPEN = frozenset({None, "open"})


class Words:
    """The additional commands of one session; the handover note covers it from its start."""

    def __init__(self, configured: Configured, opened: OpenedService) -> None:
        desk = configured.settings.desk
        self._operator = desk.operator_name
        self._who = f"{desk.operator_name}, {opened.kind.upper()}"
        self._opened = opened
        self._since = SystemClock().now()
        self._markets: set[str] = set()
        self._trades: dict[str, str] = {}
        self._words: Mapping[str, Callable[[Sequence[str]], None]] = {
            "note": self._note,
            "handover": self._handover,
            "last": self._last,
            "watch": self._watch,
        }

    def run(self, words: Sequence[str]) -> int | None:
        """Run one of these commands; returns its exit code, None for any other line."""
        work = self._words.get(words[0])
        if work is None:
            return None
        try:
            work(words[1:])
        except TellerError as error:
            return report_error(error)
        return Exit.DONE

    # -- notes --------------------------------------------------------------------------------

    def _note(self, words: Sequence[str]) -> None:
        if not words:
            raise Usage("A note is about a record.", "note TDA_... what was said")
        about, text = words[0], printable(" ".join(words[1:]))
        with workspace() as own:
            if text and notes.are_kept_by(self._opened.service):
                with recording(self._opened.service) as desk:
                    notes.add(desk, about, text, None)
            elif text:
                own.add_note(about, self._operator, text)
            for row in notes.lines_about(self._opened.service, own, about) or ["no notes"]:
                line(printable(row))

    # -- the handover note --------------------------------------------------------------------

    def _handover(self, words: Sequence[str]) -> None:
        if len(words) > 1:
            raise Usage("A handover note is about one account or all.", "handover TDA_...")
        with workspace() as own:
            text = handover_note(
                own,
                layered(self._opened.service, Remembering(own)),
                Shift(self._who, self._since),
                words[0] if words else "",
                only=bool(words),
            )
        for row in text.splitlines():
            line(printable(row))

    # -- the last money action ----------------------------------------------------------------

    def _last(self, words: Sequence[str]) -> None:
        if words:
            raise Usage("last takes no further words.", "last")
        with workspace() as own:
            facts = last_money_action(own, self._opened.service)
        for label, value in facts or [("", NOTHING_SENT)]:
            line(printable(f"{label:<10}{value}".strip()))

    # -- watching -----------------------------------------------------------------------------

    def _watch(self, words: Sequence[str]) -> None:
        if len(words) == 1 and "-" in words[0]:
            self._markets.add(self._opened.service.market(words[0].lower()).market_name)
        elif len(words) == 2:
            trade = self._opened.service.trade(words[0], words[1])
            self._trades[trade.id] = words[0]
        else:
            step = "watch sol-usd, or watch TDA_... TXN_..."
            raise Usage("Name a market or a trade to watch.", step)
        line("watching; news appears before each prompt, and enter checks again")

    def look(self) -> None:
        """Report watched markets that opened and watched trades that ended, once, with a bell."""
        try:
            self._look_at_markets()
            for trade_id, account_id in tuple(self._trades.items()):
                self._look_at_trade(account_id, trade_id)
        except TellerError as error:
            say(f"{error.code}: {error.message}")

    def _look_at_markets(self) -> None:
        if not self._markets:
            return
        for market in self._opened.service.markets(tuple(sorted(self._markets))).data:
            if market.status in _OPEN:
                self._markets.discard(market.market_name)
                _ring(f"{market.market_name} is open")

    def _look_at_trade(self, account_id: str, trade_id: str) -> None:
        try:
            trade = self._opened.service.trade(account_id, trade_id)
        except NotFound:
            del self._trades[trade_id]
            return
        if trade.status in TERMINAL:
            del self._trades[trade_id]
            _ring(f"trade {trade.status}  {trade.id}")


def _ring(text: str) -> None:
    sys.stdout.write(_BELL)
    line(text)
