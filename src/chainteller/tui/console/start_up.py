"""What the console shows when its service answers for the first time, or does not."""

import contextlib
from typing import TYPE_CHECKING

from chainteller.domain.clock import DAY
from chainteller.service.errors import TellerError
from chainteller.tui.commands import SCREENS
from chainteller.tui.console.session import DeskSession
from chainteller.tui.desk import KEPT_ACCOUNT, KEPT_SCREEN, Desk
from chainteller.tui.service_calls import call_service

if TYPE_CHECKING:
    from chainteller.tui.start import StartedDesk


def begin_session(desk: Desk, started: "StartedDesk") -> None:
    """Put the guard and the records around the service, and tell every screen."""
    desk.begin(started, DeskSession(desk, started))
    kept = desk.remembered(KEPT_ACCOUNT)
    desk.customer.last_id = kept if isinstance(kept, str) else ""
    desk.on_start.publish(started)


def tell_unanswered_requests(desk: Desk) -> None:
    """Name the requests of an earlier session, up to a day old, that were never answered."""
    sent = desk.session.workspace.in_doubt() if desk.session else []
    in_doubt = [row for row in sent if desk.now - row.sent_at < DAY]
    if in_doubt:
        rows = [f"{row.operation} {row.key} {row.arguments}" for row in in_doubt]
        desk.notify(
            f"{len(in_doubt)} requests of an earlier session were never answered",
            "warn",
            "\n".join(["", *rows]),
        )


def last_screen(desk: Desk) -> str:
    """The screen that was shown last, where it is another one than the first; else empty."""
    name = desk.remembered(KEPT_SCREEN)
    return name if isinstance(name, str) and name in SCREENS and name != "accounts" else ""


async def restore_account(desk: Desk) -> None:
    """Select the account that was selected last, where it can still be read."""
    last_id = desk.customer.last_id
    if last_id:
        with contextlib.suppress(TellerError):
            desk.customer.serve(await call_service(desk.service.trading_account, last_id))
