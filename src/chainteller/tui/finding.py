"""Going to what an id names, and loading the sample data: errands of the whole desk."""

import re
from typing import TYPE_CHECKING

from chainteller.service.errors import TellerError
from chainteller.tui.calls import ask
from chainteller.tui.desk import Desk
from chainteller.tui.dialogs.question import Ask, Question
from chainteller.tui.failures import explain

if TYPE_CHECKING:
    from chainteller.tui.app import Console

PASTED = re.compile(r"(TDA|TXN|QTE|CPT|BCA|DDA|CUS|CHG|CLM)[_-][A-Za-z0-9]{3,40}")
_PLACES = {"TXN": "trades", "QTE": "quote", "BCA": "wallets", "CPT": "wallets"}


async def open_found(console: "Console", text: str) -> None:
    """Show the screen that an id belongs to; everything else filters the accounts."""
    place = _PLACES.get(text[:3], "accounts")
    console.go(place)

    def find() -> None:
        found = getattr(console.screen, "find", None)
        if found is not None:
            found(text)

    console.call_after_refresh(find)


async def load_samples(console: "Console", desk: Desk) -> None:
    """Ask, then load the sample data, where the deployment can."""
    load = desk.started.load_samples if desk.started else None
    if load is None:
        desk.tell("sample data: not offered by this deployment", "warn")
        return
    asked = Ask("LOAD THE SAMPLE DATA into this database?", ("made-up customers, no real money",))
    if not await console.push_screen_wait(Question(asked, console.deafen)):
        return
    desk.tell("loading the sample data", "muted")
    try:
        await ask(load)
    except TellerError as error:
        failure = explain(error)
        desk.tell(f"{failure.code}  {failure.what}", "bad", failure.detail)
    else:
        desk.tell("sample data loaded", "good")
        desk.on_change.publish(("samples",))
