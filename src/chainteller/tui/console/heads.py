"""The head of the audit log that this desk saw last, and what happens when the log changed.

While the log isn't the one that was seen here, the desk is read-only, until a person accepts what
is shown now.
"""

from functools import partial
from typing import TYPE_CHECKING

from chainteller.domain.clock import MINUTE
from chainteller.service.errors import TellerError
from chainteller.service.operations import HEADS
from chainteller.tui.desk import Desk
from chainteller.tui.service_calls import Later, call_service
from chainteller.witnessing.remembering import HeadConflict, SeenHead, accepted, follow

if TYPE_CHECKING:
    from chainteller.tui.console.shell import ConsoleShell

KEPT_HEADS = "audit.heads"
"""The kept view with the heads seen here, by organisation, and the last of them."""
CHECKED_EVERY = MINUTE


class HeadWatch:
    """Follows the head of the place's audit log, once a minute."""

    def __init__(self, console: "ConsoleShell") -> None:
        self._console, self._desk = console, console.desk
        self._checked_at: int | None = None
        self._seen, self._last = _kept(console.desk)

    def polled(self, _: None) -> None:
        """After each poll: check again when it is time."""
        now = self._desk.now
        if self._checked_at is None or not 0 <= now - self._checked_at < CHECKED_EVERY:
            self._checked_at = now
            self._console.run_worker(Later(self.check), group="audit-head", exclusive=True)

    async def check(self) -> None:
        """Compare what the place shows now; without an answer, later."""
        desk = self._desk
        if not desk.offers(HEADS) and not self._seen:
            return
        pinned = desk.settings.audit_key
        try:
            found = await call_service(follow, desk.service, self._seen, self._last, pinned)
        except TellerError:
            return
        if isinstance(found, HeadConflict):
            self._differs(found)
        elif found is not None:
            if found.organisation not in self._seen:
                whose = "the profile's key" if pinned else "the key seen first"
                text = f"audit log: {found.size} entries, signed by {whose}"
                desk.notify(text, "muted", "\n".join(found.keys), account_id="")
            self._keep(found)

    def _differs(self, conflict: HeadConflict) -> None:
        """Refuse changes, and say so once."""
        desk = self._desk
        if desk.head_conflict is None:
            desk.head_conflict = conflict
            desk.accept_head = partial(self._accept, conflict)
            desk.set_read_only(on=True)
            self._console.alert("THE AUDIT LOG CHANGED: read-only   F9: compare, accept", "bad")
            detail = "\n".join(["", *facts_of(conflict)])
            desk.notify(conflict.reason, "bad", detail, account_id="")

    def _accept(self, conflict: HeadConflict) -> None:
        """A person accepted what is shown now."""
        desk = self._desk
        desk.head_conflict = None
        found = accepted(conflict, desk.settings.audit_key)
        if found is not None:
            self._keep(found)
        elif conflict.seen is not None:
            self._seen.pop(conflict.seen.organisation, None)
            self._store()
        desk.set_read_only(on=desk.settings.read_only)

    def _keep(self, found: SeenHead) -> None:
        if self._seen.get(found.organisation) != found or self._last != found.organisation:
            self._seen[found.organisation], self._last = found, found.organisation
            self._store()

    def _store(self) -> None:
        heads = {name: each.stored() for name, each in self._seen.items()}
        self._desk.remember(KEPT_HEADS, {"last": self._last, "heads": heads})


def _kept(desk: Desk) -> tuple[dict[str, SeenHead], str]:
    """The heads seen here by organisation, and the organisation of the last one."""
    kept = desk.remembered(KEPT_HEADS)
    stored = kept.get("heads") if isinstance(kept, dict) else None
    read = {
        str(name): SeenHead.restored(each)
        for name, each in (stored.items() if isinstance(stored, dict) else ())
    }
    seen = {name: each for name, each in read.items() if each is not None}
    last = kept.get("last") if isinstance(kept, dict) else ""
    return seen, last if isinstance(last, str) and last in seen else ""


def facts_of(conflict: HeadConflict) -> tuple[str, ...]:
    """Both heads, in words."""
    seen, shown = conflict.seen, conflict.shown
    return (
        f"seen here    {seen or 'nothing'}",
        f"shown now    {shown or 'no head'}",
        f"log          {shown.origin if shown else seen.origin if seen else '-'}",
    )
