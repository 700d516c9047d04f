"""Commands of the line-by-line console only: notes, the handover note and the last action."""

from collections.abc import Callable, Mapping, Sequence

from chainteller.bootstrap import OpenedService
from chainteller.cli.error_output import Exit, Usage, report_error
from chainteller.cli.open_services import recording, workspace
from chainteller.cli.output import line
from chainteller.domain.assets import MARKETS_BY_NAME
from chainteller.domain.clock import SystemClock
from chainteller.domain.untrusted import printable
from chainteller.service.errors import TellerError
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
last reads the last money action again: customer, account, amount, record, outcome."""


class Words:
    """The additional commands of one session; the handover note covers it from its start."""

    def __init__(self, configured: Configured, opened: OpenedService) -> None:
        desk = configured.settings.desk
        self._operator = desk.operator_name
        self._who = f"{desk.operator_name}, {opened.kind.upper()}"
        self._opened = opened
        self._since = SystemClock().now()
        self._words: Mapping[str, Callable[[Sequence[str]], None]] = {
            "note": self._note,
            "handover": self._handover,
            "last": self._last,
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
        if text and "_" not in about and about not in MARKETS_BY_NAME:
            raise Usage("A note is about a record or a market.", "note TDA_... what was said")
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
