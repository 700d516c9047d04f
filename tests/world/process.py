"""The program that ``ServerProcess`` starts: ``process.py URL [PORT] [WORKERS] [FAULT]``."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.world.bank import build
from tests.world.faults import FAULTS

from chainteller.api.server import serve
from chainteller.domain.clock import SystemClock
from chainteller.domain.options import EngineOptions
from chainteller.service.deployment import DeploymentOptions


def main(url: str, port: str = "0", workers: str = "1", fault: str = "") -> int:
    options = EngineOptions(rate_limits=False, fill_delay_s=0.5, settle_delay_s=0.5)
    world = build(url, clock=SystemClock(), options=options)
    outside = DeploymentOptions("0.0.test", rate_limits=False)
    return serve(FAULTS[fault](world.engine, outside), port=int(port), workers=int(workers))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
