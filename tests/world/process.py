"""What ``ServerProcess`` starts: ``process.py URL [PORT] [WORKERS] [FAULT] [NOTICE] [LIMITS]``.

``LIMITS`` is ``on`` or ``off``: rates, and the time that wrong keys cost.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.world.bank import build
from tests.world.faults import FAULTS

from chainteller.api.listening import Address
from chainteller.api.logs import send_logs_to
from chainteller.api.server import Serving, serve
from chainteller.cli.error_output import report_error
from chainteller.domain.clock import SystemClock
from chainteller.domain.options import EngineOptions
from chainteller.service.deployment import DeploymentOptions
from chainteller.service.errors import CannotListen


def main(
    url: str,
    port: str = "0",
    workers: str = "1",
    fault: str = "",
    notice: str = "0",
    limits: str = "off",
) -> int:
    options = EngineOptions(rate_limits=False, fill_delay_s=0.5, settle_delay_s=0.5)
    world = build(url, clock=SystemClock(), options=options)
    outside = DeploymentOptions("0.0.test", rate_limits=limits == "on", stop_notice_s=float(notice))
    send_logs_to(None)
    try:
        return serve(
            FAULTS[fault](world.engine, outside), Serving(Address(port=int(port)), int(workers))
        )
    except CannotListen as error:
        return report_error(error)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
