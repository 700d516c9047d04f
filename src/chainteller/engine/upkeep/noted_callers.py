"""The trail of callers beside what they change: who was refused, and whom agents look at.

Keys and agents that aren't valid (401) and scopes that are missing (403) are counted by caller and
written once a minute, because a write for each of them would let strangers fill the database. A
key that isn't valid belongs to no organisation: the log of the deployment has it.

That an agent looks at a customer's account is on record once in ten minutes for each case, with
nothing of what was read.
"""

import logging
import threading
import time
from collections import Counter
from collections.abc import Mapping
from functools import partial
from typing import NamedTuple

from chainteller.domain.actors import WORKER, Actor
from chainteller.domain.agents import LOOK
from chainteller.engine.core.background import Background
from chainteller.engine.core.context import EngineContext
from chainteller.engine.core.unit_of_work import UnitOfWork, act
from chainteller.service.errors import (
    AGENT_REASONS,
    Forbidden,
    ServiceError,
    ServiceUnavailable,
    Unauthorized,
)

WRITTEN_EVERY_S = 60.0
MOST_CALLERS = 1_000
"""Further addresses of a minute are counted together, as ``others``."""
OTHERS = "others"
LOOKED_S = 600.0
"""For how long another look of the same agent at the same account isn't written."""
_log = logging.getLogger(__name__)


class _Refused(NamedTuple):
    """Who was refused; ``why`` is the reason of a 401, or the missing scope. No actor: a 401."""

    address: str
    actor: Actor | None
    why: str


class _Look(NamedTuple):
    actor: Actor
    account_id: str
    case_id: str


class NotedCallers(Background):
    """Notes what callers of this process do beside writing, and puts it on record every minute and
    at the end."""

    def __init__(self, context: EngineContext) -> None:
        super().__init__("noted-callers", WRITTEN_EVERY_S)
        self._context = context
        self._lock = threading.Lock()
        self._counts: Counter[_Refused] = Counter()
        self._looks: set[_Look] = set()
        self._looked: dict[_Look, float] = {}
        """When the looks of the last ten minutes were noted."""

    def stop(self) -> None:
        """Write what was counted, and end."""
        super().stop()
        self.write()

    def count(self, address: str, refusal: ServiceError, actor: Actor | None) -> None:
        """Count a refusal; never waits for the database."""
        named = "requiredScope" if isinstance(refusal, Forbidden) else "reason"
        refused = _Refused(address, actor, str(refusal.details[named]))
        with self._lock:
            if refused not in self._counts and len(self._counts) >= MOST_CALLERS:
                refused = refused._replace(address=OTHERS)
            self._counts[refused] += 1

    def look(self, actor: Actor, account_id: str, case_id: str) -> None:
        """Note that an agent has looked at an account; never waits for the database."""
        look, now = _Look(actor, account_id, case_id), time.monotonic()
        with self._lock:
            noted = self._looked.get(look)
            if noted is None or now - noted >= LOOKED_S:
                self._looked[look] = now
                self._looks.add(look)

    def write(self) -> None:
        """Write one entry for each caller and each look; what can't be written is kept for the next
        time."""
        self._write_looks()
        with self._lock:
            counts, self._counts = self._counts, Counter()
        if not counts:
            return
        for actor in dict.fromkeys(each.actor for each in counts):
            found = Counter({each: n for each, n in counts.items() if each.actor == actor})
            try:
                self._write_of(actor, found)
            except ServiceUnavailable as error:
                _log.warning("refused callers not written: %s", error.details.get("reason"))
                with self._lock:
                    self._counts += found

    def _write_looks(self) -> None:
        with self._lock:
            looks, self._looks = self._looks, set()
            earliest = time.monotonic() - LOOKED_S
            self._looked = {each: at for each, at in self._looked.items() if at > earliest}
        for look in sorted(looks, key=lambda each: self._looked.get(each, 0)):
            try:
                act(self._context, look.actor, partial(_put_look, look), timeless=True)
            except ServiceUnavailable as error:
                _log.warning("looks not written: %s", error.details.get("reason"))
                with self._lock:
                    self._looks.add(look)

    def _write_of(self, actor: Actor | None, counts: Mapping[_Refused, int]) -> None:
        by_address: dict[str, dict[str, int]] = {}
        for each in sorted(counts, key=lambda refused: (refused.address, refused.why)):
            by_address.setdefault(each.address, {})[each.why] = counts[each]

        def work(tx: UnitOfWork) -> None:
            for address, found in by_address.items():
                told: dict[str, object] = {"address": address, "count": sum(found.values())}
                if actor is None:
                    tx.note("refuse_key", **told, reasons=found)
                elif found.keys() <= AGENT_REASONS:
                    inputs = told | {"reasons": found}
                    tx.audit("refuse_agent", actor.key_id, inputs, error=Unauthorized.code)
                else:
                    inputs = told | {"scopes": found}
                    tx.audit("refuse_scope", actor.key_id, inputs, error=Forbidden.code)

        act(self._context, actor or WORKER, work, timeless=True)

    def _turn(self) -> float:
        self.write()
        return WRITTEN_EVERY_S


def _put_look(look: _Look, tx: UnitOfWork) -> None:
    tx.audited_account, tx.case_id = look.account_id, look.case_id
    tx.audit(LOOK, look.account_id)
