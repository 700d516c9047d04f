"""What protects the agent: read-only mode, hidden names and balances, and the way out."""

from functools import partial
from typing import TYPE_CHECKING, Any

from textual.app import App

from chainteller.tui.desk import HIDING, Desk
from chainteller.tui.textual_fixes.app import SteadyApp
from chainteller.tui.textual_fixes.suspending import suspend

if TYPE_CHECKING:
    from chainteller.witnessing.remembering import HeadConflict


async def agreed(desk: Desk, sentence: str, *facts: str) -> bool:
    """Ask before something that cannot be taken back; only ``y`` agrees. Waits in a worker."""
    from chainteller.tui.dialogs.question import Ask, QuestionOpen

    try:
        return await desk.confirm(Ask(sentence, facts))
    except QuestionOpen as error:
        desk.notify(f"{error.message} {error.next_step}", "warn")
        return False


# -- read-only mode -----------------------------------------------------------------------------


def toggle_read_only(app: App[Any], desk: Desk) -> None:
    """On at once; off again with a question where the console was opened read-only, or where the
    audit log isn't the one that was seen here.
    """
    if desk.read_only and desk.head_conflict is not None:
        asked = desk.shell.opening.begin(partial(_accept_head, desk, desk.head_conflict))
        app.run_worker(asked, group="ask-writes", exclusive=True)
        return
    if desk.read_only and desk.settings.read_only:
        asked = desk.shell.opening.begin(partial(_allow_writes, desk))
        app.run_worker(asked, group="ask-writes", exclusive=True)
        return
    desk.set_read_only(on=not desk.read_only)
    desk.notify(
        "Read-only mode on: changes are refused" if desk.read_only else "Read-only mode off", "warn"
    )


async def _allow_writes(desk: Desk) -> None:
    label = desk.settings.label or desk.settings.kind
    fact = "This console was opened read-only, by its profile or with --read-only."
    if await agreed(desk, f"ALLOW CHANGES on {label}?", fact):
        desk.set_read_only(on=False)
        desk.notify("Read-only mode off", "warn")


async def _accept_head(desk: Desk, conflict: "HeadConflict") -> None:
    """Ask a person whether the log that is shown now is the right one."""
    from chainteller.tui.console.heads import facts_of

    facts = (
        conflict.reason,
        *facts_of(conflict),
        "A restore leaves an entry in the audit trail: restore_database.",
        "If no restore was announced, press n and tell the operator of this deployment.",
    )
    sentence = "ACCEPT the audit log that this deployment shows now?"
    if await agreed(desk, sentence, *facts) and desk.head_conflict is conflict:
        desk.accept_head()
        desk.notify("audit log accepted", "warn", account_id="")


# -- names and balances -------------------------------------------------------------------------


def toggle_privacy(app: App[Any], desk: Desk) -> None:
    """Mask names and balances while the screen is shared, or show them again."""
    desk.privacy.hidden = not desk.privacy.hidden
    shown = "hidden" if desk.privacy.hidden else "shown"
    desk.notify(f"names and balances are {shown}", "warn")
    desk.on_connection.publish(desk.connection)
    desk.on_change.publish((HIDING,))  # texts are broken into lines as they are shown
    for screen in app.screen_stack:
        screen.refresh(layout=True)
        for widget in screen.query("*"):
            widget.refresh()


async def may_leave(desk: Desk, text: str | bytes) -> bool:
    """Whether ``text`` may be copied or written: a file or a clipboard has no mask.

    Bytes are a document whose words can't be compared with those that are hidden.
    """
    shows = desk.privacy.would_show(text) if isinstance(text, str) else desk.privacy.hidden
    if not shows:
        return True
    return await agreed(
        desk,
        "This text contains hidden details. Copy it anyway?",
        "Copied texts and files aren't masked.   : hide shows the details again",
    )


# -- the way out --------------------------------------------------------------------------------


def is_executing(desk: Desk) -> bool:
    """Whether an execution was sent and is not answered."""
    return desk.session is not None and desk.session.calls.is_under_way("execute_quote")


def suspend_console(app: SteadyApp, desk: Desk) -> None:
    """Back to the shell until ``fg``, unless a request is on its way."""
    if desk.writing:
        desk.notify("A request is being sent. Wait for its answer.", "warn")
    elif not suspend(app):
        app.suspend_refused()


async def may_quit(desk: Desk) -> bool:
    """Ask while an execution is on its way."""
    return await agreed(
        desk,
        "QUIT while an execution is in progress?",
        "It may still go through. The next start tells you that its answer is missing.",
    )
