"""What the console shows when its service answers for the first time, or does not."""

import contextlib
from typing import TYPE_CHECKING

from chainteller.domain.clock import MINUTE
from chainteller.service.errors import TellerError
from chainteller.tui.commands import SCREENS
from chainteller.tui.console.session import DeskSession
from chainteller.tui.console.unanswered import unanswered_requests
from chainteller.tui.desk import KEPT_ACCOUNT, KEPT_SCREEN, Desk
from chainteller.tui.service_calls import call_service
from chainteller.workspace.outcomes import describe

CONTINUES_WITHIN = 15 * MINUTE
"""How long after the last selection an agent who comes back goes on with it."""

if TYPE_CHECKING:
    from chainteller.tui.start import StartedDesk


def begin_session(desk: Desk, started: "StartedDesk") -> None:
    """Put the guard and the records around the service, and tell every screen."""
    desk.begin(started, DeskSession(desk, started))
    _continue_or_offer(desk, desk.remembered(KEPT_ACCOUNT))
    desk.on_start.publish(started)


def _continue_or_offer(desk: Desk, kept: object) -> None:
    """Go on with the customer selected last only for the same agent, and not much later; others
    begin with nobody selected and may ask for that customer.
    """
    left = kept if isinstance(kept, dict) else {"id": kept}
    account_id, operator, at = left.get("id"), left.get("operator"), left.get("at")
    if not (isinstance(account_id, str) and account_id):
        return
    is_recent = isinstance(at, int) and 0 <= desk.now - at <= CONTINUES_WITHIN
    if is_recent and operator == desk.operator:
        desk.customer.last_id = account_id
        return
    desk.left_account_id = account_id
    whose = f" by {operator}" if isinstance(operator, str) and operator else ""
    desk.notify(
        f"No account is selected. Last one here{whose}: {account_id}   : last customer", "muted"
    )


def tell_unanswered_requests(desk: Desk) -> None:
    """Name the requests of an earlier session that were never answered."""
    rows = unanswered_requests(desk)
    if desk.session is not None and rows:
        named = [f"{describe(desk.session.workspace, row)}  {row.key}" for row in rows]
        requests = "request" if len(rows) == 1 else "requests"
        said = f"{len(rows)} {requests} without an answer   U: find out what happened"
        desk.notify(said, "warn", "\n".join(["", *named]))


def tell_unusable_texts(desk: Desk) -> None:
    """Name what is wrong with the bank's own texts for customers."""
    problems = desk.customer_texts.problems
    if problems:
        desk.notify(
            f"text for customers left out: {problems[0]}", "warn", "\n".join(["", *problems])
        )


def last_screen(desk: Desk) -> str:
    """The screen that was shown last, where it is another one than the first; else empty."""
    name = desk.remembered(KEPT_SCREEN) if desk.customer.last_id else ""
    return name if isinstance(name, str) and name in SCREENS and name != "accounts" else ""


async def restore_account(desk: Desk) -> None:
    """Select the account that was selected last, where it can still be read."""
    last_id = desk.customer.last_id
    if last_id:
        with contextlib.suppress(TellerError):
            desk.customer.serve(await call_service(desk.service.trading_account, last_id))
