"""Where this program sends traces, metrics and logs."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from chainteller.settings.place import Configured
    from chainteller.telemetry.destinations import Destination

SERVICE, GATEWAY, CONSOLE = "chainteller", "chainteller-gateway", "chainteller-console"
"""What each process calls itself; ``OTEL_SERVICE_NAME`` has another name."""


def telemetry_of(configured: "Configured", service: str) -> "Destination | None":
    """Where telemetry is sent; None if nowhere. That it can't be sent is a warning: banks don't
    stop for it.
    """
    from chainteller.telemetry.destinations import Unsendable, destination

    endpoint = configured.settings.service.otlp_endpoint
    try:
        return destination(service, endpoint, configured.environ)
    except Unsendable as error:
        from chainteller.cli.error_output import say

        say(f"warning: telemetry isn't sent. {error}")
        return None
