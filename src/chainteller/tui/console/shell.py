"""What the console's parts may ask of the application that they are parts of."""

from typing import TYPE_CHECKING

from chainteller.tui.textual_fixes.app import SteadyApp

if TYPE_CHECKING:
    from chainteller.tui.console.themes import Themes
    from chainteller.tui.console.typed_ahead import TypedAhead
    from chainteller.tui.desk import Desk
    from chainteller.tui.found import Found
    from chainteller.tui.opening import Opening
    from chainteller.tui.service_calls import OneAtATime


class ConsoleShell(SteadyApp):
    """The application as its parts see it; ``Console`` is the one that runs."""

    desk: "Desk"
    themes: "Themes"
    searches: "OneAtATime"
    opening: "Opening"
    typed_ahead: "TypedAhead"

    def go(self, name: str, *, closes_page: bool = False) -> None:
        """As ``Shell`` in ``tui/desk.py``, like all that has no words here."""
        raise NotImplementedError

    def find(self, text: str) -> None:
        raise NotImplementedError

    def open_found(self, found: "Found") -> None:
        raise NotImplementedError

    def take_note(self, object_id: str) -> None:
        raise NotImplementedError

    def open_help(self) -> None:
        """Show all keys, with those of the screen behind first."""
        raise NotImplementedError

    def release_keys(self, *, forget: bool = False, of: int | None = None) -> None:
        """As on every shell; ``of`` is the round of ``typed_ahead`` whose keys are meant: those
        that wait for something newer wait on.
        """
        raise NotImplementedError

    def alert(self, text: str, tone: str, account_id: str = "", briefly: str = "") -> None:
        """Tell of something that was waited for."""
        raise NotImplementedError
