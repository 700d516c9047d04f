"""How many server processes run on a database, from a lease that each of them renews.

Rate limits are shared between them: each process allows its part, without asking anybody at a
request. A SQLite file is served by one process.
"""

import logging
from collections.abc import Callable

from chainteller.domain.actors import WORKER
from chainteller.domain.clock import SECOND
from chainteller.engine.core.background import Background
from chainteller.engine.core.context import EngineContext
from chainteller.engine.core.unit_of_work import UnitOfWork, act
from chainteller.service.errors import ServiceUnavailable
from chainteller.storage.queries import leases

RENEWED_EVERY_S = 10.0
LASTS_S = 25.0
"""A server that was killed counts for so long; one that ends in order takes its lease with it."""
_log = logging.getLogger(__name__)


class ServerLease(Background):
    """The lease of this process; ``servers`` is how many there were when it was last renewed."""

    def __init__(self, context: EngineContext, renewed_every_s: float = RENEWED_EVERY_S) -> None:
        super().__init__("lease", renewed_every_s)
        self._context = context
        self._every_s = renewed_every_s
        self._id = context.randomness.bytes(16).hex()
        self.servers = 1
        self.leads = True
        """Whether this process does what one of them has to do."""

    def start(self) -> None:
        """Begin the lease; the first count is there before a request is answered."""
        self.renew()
        super().start()

    def stop(self) -> None:
        """End the lease."""
        super().stop()
        self._in_transaction(lambda tx: leases.end(tx.connection, self._id))

    def renew(self) -> None:
        """Renew the lease and count the others; what was counted before holds if that fails."""

        def work(tx: UnitOfWork) -> None:
            held = leases.renew(tx.connection, self._id, round(LASTS_S * SECOND))
            self.servers, self.leads = len(held), held[0] == self._id

        self._in_transaction(work)

    def _turn(self) -> float:
        self.renew()
        return self._every_s

    def _in_transaction(self, work: Callable[[UnitOfWork], object]) -> None:
        try:
            act(self._context, WORKER, work, timeless=True)
        except ServiceUnavailable as error:
            _log.warning("lease not renewed: %s", error.details.get("reason"))
