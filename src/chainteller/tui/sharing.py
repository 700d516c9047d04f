"""What leaves a screen: words for the customer, what is copied, what is written to a file."""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual.screen import Screen

from chainteller.tui.desk import Desk
from chainteller.tui.widgets.failure_panel import FailurePanel
from chainteller.tui.widgets.lines import Lines, line

if TYPE_CHECKING:
    from chainteller.tui.customer_texts import CustomerTexts
    from chainteller.tui.exports import Export


class Leaving(Screen[None]):
    """Subclasses give ``main_text``, ``customer_text``, ``object_id`` and more ``papers``."""

    KEY: ClassVar[str] = ""
    """The screen's name in the table of commands."""
    desk: Desk

    def read(self, group: str, work: Callable[[], Awaitable[None]]) -> None:
        """Run a read; a newer one of the same group replaces it."""
        raise NotImplementedError

    def action_export(self) -> None:
        from chainteller.tui.exports import export  # noqa: PLC0415 - after the first frame

        self.read("ask-export", partial(export, self))

    async def ready(self) -> None:
        """Return when what the screen shows has come; at once where nothing is awaited."""

    def exports(self) -> "Sequence[Export]":
        """The files that ``e`` can write, most wanted first."""
        from chainteller.tui.exports import exports_here  # noqa: PLC0415 - after the first frame

        return exports_here(self)

    def record(self) -> object:
        """What is shown in detail: a model, or a dataclass of some; None when nothing is."""
        return None

    def action_copy_main(self) -> None:
        text = self.main_text()
        if not text:
            self.desk.notify("nothing to copy here", "muted")
            return
        from chainteller.tui.exports import copy_now  # noqa: PLC0415 - after the first frame

        self.read("copy", partial(copy_now, self, text))

    def action_copy_menu(self) -> None:
        from chainteller.tui.exports import copy_menu  # noqa: PLC0415 - after the first frame

        self.read("ask-copy", partial(copy_menu, self))

    def copies(self) -> Sequence[tuple[str, str]]:
        """All that can be copied here: (name, text)."""
        return (
            ("the main text", self.main_text()),
            ("the text for the customer", self.customer_text()),
            ("the id", self.object_id()),
            ("what stands on the screen", self._screen_text()),
        )

    def _screen_text(self) -> str:
        shown = self.query(Lines).filter(".detail-side")
        return "\n".join(lines.plain_text for lines in shown)

    def action_customer_text(self) -> None:
        text = self.customer_text()
        if not text:
            self.desk.notify("nothing to tell the customer here", "muted")
            return
        from chainteller.tui.dialogs.boxes import Box, wrapped  # noqa: PLC0415 - after the first frame

        self.desk.on_customer_text.publish(text)
        rows = [line(row) for row in wrapped(text, 70)]
        self.app.push_screen(Box("WHAT TO TELL THE CUSTOMER", rows, again="t", text=text))

    def action_audit(self) -> None:
        self.desk.shell.audit_of(self.object_id())

    def main_text(self) -> str:
        """What ``c`` copies."""
        return ""

    def customer_text(self) -> str:
        """What ``t`` shows: plain words, no codes of ours."""
        return self.refusal_text()

    def refusal_text(self) -> str:
        """What to say about the refusal on the screen."""
        failure = self.query_one(FailurePanel).failure
        if failure is None:
            return ""
        told_as = failure.told_as or failure.code
        return self.texts.of_refusal(told_as, dict(failure.facts), self.desk.settings.bank_name)

    @property
    def texts(self) -> "CustomerTexts":
        from chainteller.tui.customer_texts import CustomerTexts  # noqa: PLC0415 - after the first frame

        return CustomerTexts.load(self.desk.settings.customer_texts)

    def object_id(self) -> str:
        """Whose audit trail ``a`` opens."""
        return ""
