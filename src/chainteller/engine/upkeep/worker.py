"""The thread that does due work while a console or a server runs.

Each piece is done under the lock of its job row, so any number of workers in any number of
processes may run: none does a piece twice, and a killed one leaves nothing half done.
"""

import logging
from collections.abc import Iterator

from chainteller.engine.core.background import Background
from chainteller.engine.core.breaches import UNREADABLE
from chainteller.engine.core.context import EngineContext
from chainteller.engine.core.pacing import BREATH_S
from chainteller.engine.core.unit_of_work import now
from chainteller.engine.upkeep import due, epochs, upkeep
from chainteller.service.errors import ServiceUnavailable
from chainteller.storage.db.faults import is_of_one_unit
from chainteller.storage.queries import jobs

LONGEST_PAUSE_S = 1.0
_AFTER_A_FAULT_S, _STOP_S = 5.0, 10.0
_BATCH = 100
_UPKEEP_EVERY = 300
"""Rounds between the beginnings of two rounds of upkeep."""
_STEPS = 10
"""Steps of upkeep before the next look at what is due."""
_ENDED = object()
_CONTRADICTED = (AssertionError, *UNREADABLE)
"""What work on a damaged record raises."""
_log = logging.getLogger(__name__)


class Worker(Background):
    """Polls the jobs of one bank."""

    def __init__(self, context: EngineContext) -> None:
        super().__init__("due-work", 0, _STOP_S)
        self._context = context
        self._rounds = 0
        self._told = ""
        """What was last logged about the clock; empty while it's right."""
        self._upkeep: Iterator[str] | None = None

    def _turn(self) -> float:
        rounds, self._rounds = self._rounds, self._rounds + 1
        try:
            reading = epochs.tick(self._context)
            self._tell(epochs.describe(reading))
            if reading.doubt is None:
                self._work_on(rounds)
        except ServiceUnavailable as error:
            _log.warning("due work waits: %s", error.details.get("reason"))
            self._upkeep = None
            return _AFTER_A_FAULT_S
        return LONGEST_PAUSE_S

    def _tell(self, of_clock: str) -> None:
        """Log what there is to say about the clock when that changes."""
        kind = of_clock.partition(";")[0]
        if kind != self._told:
            _log.warning("%s", of_clock or "the clock is right again")
            self._told = kind

    def _work_on(self, rounds: int) -> None:
        with self._context.database.read() as connection:  # so that an idle worker writes nothing
            first = jobs.next_due(connection)
            is_due = first is not None and first <= now(self._context, connection)
        if is_due:
            self._work()
        self._keep_up(rounds)

    def _keep_up(self, rounds: int) -> None:
        """Some steps of the round of upkeep under way, which begins every few minutes."""
        if self._upkeep is None and rounds % _UPKEEP_EVERY == 0:
            self._upkeep = upkeep.round_of_steps(self._context)
        for _ in range(_STEPS):
            if self._upkeep is None or self._stopping.wait(BREATH_S):
                return
            if next(self._upkeep, _ENDED) is _ENDED:
                self._upkeep = None

    def _work(self) -> None:
        """One job that can't be done must not end the work on all others."""
        try:
            due.run(self._context, _BATCH)
        except (*_CONTRADICTED, ServiceUnavailable) as error:
            if isinstance(error, ServiceUnavailable) and not is_of_one_unit(error):
                raise
            _log.exception("due work failed and is put off")
            due.put_off(self._context)
