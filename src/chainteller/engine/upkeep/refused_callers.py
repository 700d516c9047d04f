"""The trail of refused callers: keys that aren't valid (401), and scopes that a key lacks (403).

Refusals are counted by caller and written once a minute, because a write for each of them would let
strangers fill the database. A missing scope is in the trail of the key's organisation. A key that
isn't valid belongs to no organisation: the log of the deployment has it.
"""

import logging
import threading
from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

from chainteller.domain.actors import WORKER, Actor
from chainteller.engine.core.context import EngineContext
from chainteller.engine.core.unit_of_work import UnitOfWork, act
from chainteller.service.errors import Forbidden, ServiceError, ServiceUnavailable

WRITTEN_EVERY_S = 60.0
MOST_CALLERS = 1_000
"""Further addresses of a minute are counted together, as ``others``."""
OTHERS = "others"
_log = logging.getLogger(__name__)


class _Refused(NamedTuple):
    """Who was refused; ``why`` is the reason of a 401, or the missing scope. No actor: a 401."""

    address: str
    actor: Actor | None
    why: str


class RefusedCallers:
    """Counts refusals of this process, and writes them every minute and at the end."""

    def __init__(self, context: EngineContext, every_s: float = WRITTEN_EVERY_S) -> None:
        self._context = context
        self._every_s = every_s
        self._lock = threading.Lock()
        self._counts: Counter[_Refused] = Counter()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="refused-callers", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Write what was counted, and end."""
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join()
        self.write()

    def count(self, address: str, refusal: ServiceError, actor: Actor | None) -> None:
        """Count a refusal; never waits for the database."""
        named = "requiredScope" if isinstance(refusal, Forbidden) else "reason"
        refused = _Refused(address, actor, str(refusal.details[named]))
        with self._lock:
            if refused not in self._counts and len(self._counts) >= MOST_CALLERS:
                refused = refused._replace(address=OTHERS)
            self._counts[refused] += 1

    def write(self) -> None:
        """Write one entry for each caller; what can't be written is kept for the next time."""
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

    def _write_of(self, actor: Actor | None, counts: Mapping[_Refused, int]) -> None:
        by_address: dict[str, dict[str, int]] = {}
        for each in sorted(counts, key=lambda refused: (refused.address, refused.why)):
            by_address.setdefault(each.address, {})[each.why] = counts[each]

        def work(tx: UnitOfWork) -> None:
            for address, found in by_address.items():
                told: dict[str, object] = {"address": address, "count": sum(found.values())}
                if actor is None:
                    tx.note("refuse_key", **told, reasons=found)
                else:
                    inputs = told | {"scopes": found}
                    tx.audit("refuse_scope", actor.key_id, inputs, error=Forbidden.code)

        act(self._context, actor or WORKER, work, timeless=True)

    def _run(self) -> None:
        while not self._stopping.wait(self._every_s):
            self.write()
