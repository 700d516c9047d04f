"""Settle an execution that wasn't answered.

Where the deployment knows idempotency keys, the same request is sent again with its own key as soon
as the service answers: this returns the first outcome and can't execute the quote twice. Elsewhere
its trade is searched for, and nothing is sent (``workspace/outcomes.py``).
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from chainteller.service.errors import TellerError
from chainteller.tui.service_calls import call_service
from chainteller.workspace.outcomes import Fate, Outcome

if TYPE_CHECKING:
    from chainteller.tui.desk import Backstage

PAUSE_S = 2
LONGEST_PAUSE_S = 10


@dataclass(slots=True)
class Search:
    """Progress of settling one execution.

    Attributes:
        key: The idempotency key that it was sent with.
        is_resent: Whether it's sent again, or only searched for.
        fault: Error code of the last attempt, when it failed.
        found: What the last attempt found, when it settled nothing.
        wait_s: Seconds until the next attempt.
        looking: Whether an attempt is running.
    """

    key: str = ""
    is_resent: bool = True
    looks: int = 0
    fault: str = ""
    found: Outcome | None = None
    wait_s: int = PAUSE_S
    looking: bool = False
    _pause_s: int = PAUSE_S

    def is_due(self) -> bool:
        """Count one second down; whether the next attempt is due. Never while one is running."""
        if self.looking:
            return False
        self.wait_s -= 1
        return self.wait_s <= 0

    async def look(self, session: "Backstage") -> Outcome:
        """Try once. A failed attempt is reported through ``fault``."""
        self.looking = True
        try:
            outcome = await call_service(session.settle, self.key)
        except TellerError as error:
            self._pause_s = min(LONGEST_PAUSE_S, self._pause_s * 2) if self.fault else PAUSE_S
            self.fault, self.found = error.code, None
            outcome = Outcome(Fate.UNKNOWN, error.message)
        else:
            self._pause_s, self.fault, self.found = PAUSE_S, "", outcome
        finally:
            self.looking = False
        self.looks += 1
        self.wait_s = self._pause_s
        return outcome
