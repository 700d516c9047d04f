"""What has happened on this console, to be read again."""

from chainteller.tui.desk import Desk
from chainteller.tui.dialogs.boxes import Box
from chainteller.tui.widgets.lines import line, wrapped

_TEXT_CELLS = 60


class LogScreen(Box):
    """``!``: what happened on this desk, newest first, with all of each refusal."""

    def __init__(self, desk: Desk) -> None:
        rows = []
        for told in reversed(desk.log):
            first, *more = wrapped(told.text, _TEXT_CELLS)
            rows.append(line((f"{told.at}Z  ", "muted"), (first, told.tone)))
            rows += [line(" " * 11, (part, told.tone)) for part in more]
            for part in told.detail.splitlines()[1:]:
                rows += [line((" " * 11 + row, "muted")) for row in wrapped(part, _TEXT_CELLS)]
        text = "\n".join(f"{told.at}Z  {told.text}" for told in desk.log)
        super().__init__(
            "EVENT LOG  (this console, since it started)",
            rows or [line(("nothing yet", "muted"))],
            again="c",
            text=text,
        )
