"""The program that ``ServerProcess`` starts: ``process.py URL [PORT] [WORKERS] [ON_EXECUTE]``.

``ON_EXECUTE`` ``die`` kills the process between the commit of an execute and its reply.
"""

import os
import signal
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.world.bank import build

from chainteller.api.server import serve
from chainteller.domain.actors import Actor
from chainteller.domain.clock import SystemClock
from chainteller.engine.bank import EngineOptions
from chainteller.engine.deployment import EmbeddedDeployment
from chainteller.service.deployment import DeploymentOptions
from chainteller.service.interface import Service


class Dying(EmbeddedDeployment):
    """Dies once an execute is committed, before its reply is written."""

    def acting_as(self, actor: Actor) -> Service:
        service: Any = self._engine.acting_as(actor)

        class Deadly:
            def __getattr__(self, name: str) -> Any:
                return getattr(service, name)

            def execute_quote(self, *arguments: Any, **named: Any) -> Any:
                service.execute_quote(*arguments, **named)
                os.kill(os.getpid(), signal.SIGKILL)

        return Deadly()


def main(url: str, port: str = "0", workers: str = "1", on_execute: str = "") -> int:
    options = EngineOptions(rate_limits=False, fill_delay_s=0.5, settle_delay_s=0.5)
    world = build(url, clock=SystemClock(), options=options)
    kind = Dying if on_execute == "die" else EmbeddedDeployment
    outside = DeploymentOptions("0.0.test", rate_limits=False)
    return serve(kind(world.engine, outside), port=int(port), workers=int(workers))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
