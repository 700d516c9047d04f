"""Commands of the audit trail."""

from typing import TYPE_CHECKING

from chainteller.tui.commands import Command, always
from chainteller.tui.list_screen import opens

if TYPE_CHECKING:
    from chainteller.tui.audit.screen import AuditScreen

# fmt: off
COMMANDS: tuple[Command["AuditScreen"], ...] = (
    opens("audit", "entry"),
    Command("audit.verify", "v", "Check the whole audit log",
        lambda screen: screen.read("verify", screen.verify), always, footer="verify", rank=1),
)
# fmt: on
