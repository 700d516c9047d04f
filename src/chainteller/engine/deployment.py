"""The embedded engine as what ``serve`` needs: keys, callers, health, and the due work."""

import logging
import os
import threading
from typing import TYPE_CHECKING, cast

from chainteller.domain.actors import Actor
from chainteller.engine import keys
from chainteller.engine.engine import Engine
from chainteller.service.deployment import DeploymentOptions, Health, Principal
from chainteller.service.errors import ServiceUnavailable

if TYPE_CHECKING:
    from chainteller.service.interface import Service

IDLE_S = 0.25
"""How long the worker rests when nothing is due."""

_DUE_AT_ONCE = 500

log = logging.getLogger("chainteller.worker")


class EmbeddedDeployment:
    """One database behind one ``serve``; implements ``service.deployment.Deployment``."""

    def __init__(self, engine: Engine, options: DeploymentOptions) -> None:
        self._engine = engine
        self._options = options
        self._process = os.getpid()
        self._ending = threading.Event()
        self._worker: threading.Thread | None = None

    @property
    def options(self) -> DeploymentOptions:
        return self._options

    def authenticate(self, api_key: str) -> Principal:
        return keys.authenticate(self._engine.bank, api_key)

    def acting_as(self, actor: Actor) -> "Service":
        return cast("Service", self._engine.acting_as(actor))

    def health(self) -> Health:
        """Asks the database for one row; a fault is told by its reason."""
        try:
            self._engine.now()
        except ServiceUnavailable as fault:
            return Health(ready=False, checks={"database": str(fault.details["reason"])})
        return Health(ready=True, checks={"database": "ok"})

    def start(self) -> None:
        """After a fork the parent's connections are left to the parent, unclosed."""
        if os.getpid() != self._process:
            self._engine.bank.database.engine.dispose(close=False)
            self._process = os.getpid()
        self._worker = threading.Thread(target=self._work, name="worker", daemon=True)
        self._worker.start()

    def stop(self) -> None:
        self._ending.set()
        if self._worker is not None:
            self._worker.join(timeout=5)
        self._engine.close()

    def _work(self) -> None:
        """Every job is taken under its lock, so that several processes share the work."""
        while not self._ending.wait(IDLE_S):
            try:
                self._engine.run_due(_DUE_AT_ONCE)
            except ServiceUnavailable as fault:
                log.warning("due work waits", extra={"fields": dict(fault.details)})
