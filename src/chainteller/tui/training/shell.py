"""What the commands of training may ask of the console that runs a session."""

from typing import TYPE_CHECKING

from chainteller.tui.console.app import Console

if TYPE_CHECKING:
    from chainteller.training.session import Session


class TrainingShell(Console):
    """The console as its commands see it; ``TrainingConsole`` is the one that runs."""

    session: "Session"
    running: bool
    """Whether the clock of the session runs."""

    def redraw_guide(self) -> None:
        raise NotImplementedError

    def jump(self, microseconds: int) -> None:
        """Move the clock on at once."""
        raise NotImplementedError

    async def skip(self) -> None:
        """Move the clock to the next event."""
        raise NotImplementedError

    def action_say(self, statement: str) -> None:
        """Say a sentence to the customer."""
        raise NotImplementedError

    async def undo(self) -> None:
        """Go back to the newest checkpoint."""
        raise NotImplementedError

    def ask_to_end(self) -> None:
        raise NotImplementedError
