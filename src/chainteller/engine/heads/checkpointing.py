"""The thread that signs and keeps the heads of the logs while a console or a server runs."""

import logging

from chainteller.engine.core.background import Background
from chainteller.engine.core.context import EngineContext
from chainteller.engine.heads.signed_heads import make_heads
from chainteller.service.errors import ServiceUnavailable
from chainteller.witnessing.errors import SigningKeysUnusable

INTERVAL_S = 45.0
"""Together with the longest wait for a witness, less than the minute that is promised."""
_FIRST_S = 2.0
_STOP_S = 20.0
_log = logging.getLogger(__name__)


class Checkpointer(Background):
    """Signs and keeps what is new at every interval and at the end."""

    def __init__(self, context: EngineContext, interval_s: float = INTERVAL_S) -> None:
        super().__init__("checkpoints", min(_FIRST_S, interval_s), _STOP_S)
        self._context = context
        self._interval_s = interval_s

    def _run(self) -> None:
        super()._run()
        self._make()

    def _turn(self) -> float:
        self._make()
        return self._interval_s

    def _make(self) -> None:
        self._sign()
        self._keep()

    def _keep(self) -> None:
        if self._context.kept is not None:
            try:
                self._context.kept.follow(self._context.database)
            except ServiceUnavailable as error:
                _log.warning("no heads kept: %s", error.details.get("reason"))

    def _sign(self) -> None:
        try:
            for made in make_heads(self._context):
                for problem in made.problems:
                    _log.warning("head of %s: %s", made.origin, problem)
        except ServiceUnavailable as error:
            _log.warning("no heads signed: %s", error.details.get("reason"))
        except SigningKeysUnusable as error:
            _log.warning("no heads signed: %s", error.message)
