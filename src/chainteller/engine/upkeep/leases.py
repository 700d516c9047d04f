"""How many server processes run on a database, from a lease that each of them renews.

Rate limits are shared between them: each process allows its part, without asking anybody at a
request. A SQLite file is served by one process.
"""

import logging
import threading
from collections.abc import Callable

from chainteller.domain.actors import WORKER
from chainteller.domain.clock import SECOND
from chainteller.engine.core.context import EngineContext
from chainteller.engine.core.unit_of_work import UnitOfWork, act
from chainteller.service.errors import ServiceUnavailable
from chainteller.storage.queries import leases

RENEWED_EVERY_S = 10.0
LASTS_S = 25.0
"""A server that was killed counts for so long; one that ends in order takes its lease with it."""
_log = logging.getLogger(__name__)


class ServerLease:
    """The lease of this process; ``servers`` is how many there were when it was last renewed."""

    def __init__(self, context: EngineContext, renewed_every_s: float = RENEWED_EVERY_S) -> None:
        self._context = context
        self._every_s = renewed_every_s
        self._id = context.randomness.bytes(16).hex()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="lease", daemon=True)
        self.servers = 1
        self.leads = True
        """Whether this process does what one of them has to do."""

    def start(self) -> None:
        """Begin the lease; the first count is there before a request is answered."""
        self.renew()
        self._thread.start()

    def stop(self) -> None:
        """End the lease."""
        self._stopping.set()
        self._thread.join()
        self._in_transaction(lambda tx: leases.end(tx.connection, self._id))

    def renew(self) -> None:
        """Renew the lease and count the others; what was counted before holds if that fails."""

        def work(tx: UnitOfWork) -> None:
            held = leases.renew(tx.connection, self._id, round(LASTS_S * SECOND))
            self.servers, self.leads = len(held), held[0] == self._id

        self._in_transaction(work)

    def _run(self) -> None:
        while not self._stopping.wait(self._every_s):
            self.renew()

    def _in_transaction(self, work: Callable[[UnitOfWork], None]) -> None:
        try:
            act(self._context, WORKER, work, timeless=True)
        except ServiceUnavailable as error:
            _log.warning("lease not renewed: %s", error.details.get("reason"))
