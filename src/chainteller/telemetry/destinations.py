"""Where telemetry goes: OpenTelemetry's own variables, or the setting ``service.otlp_endpoint``."""

from collections.abc import Mapping
from importlib.util import find_spec
from typing import NamedTuple
from urllib.parse import urlsplit

SIGNALS = ("traces", "metrics", "logs")
_ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT"
_PROTOCOL = "OTEL_EXPORTER_OTLP_PROTOCOL"
_HTTP = "http/protobuf"
_NEEDED = ("opentelemetry", "opentelemetry.sdk", "opentelemetry.exporter")
"""Packages of the extra, each after the one that it is in."""


class Unsendable(Exception):
    """Telemetry is wanted and can't be sent; the text says why and what to do."""


class Destination(NamedTuple):
    """Where one process sends telemetry, and as what."""

    service: str
    """``service.name``, unless a variable names another."""
    endpoints: Mapping[str, str]
    """The address of each signal that is sent."""

    @property
    def hosts(self) -> str:
        """The collectors, without what their addresses may have of credentials."""
        found = (urlsplit(each) for each in self.endpoints.values())
        named = (
            f"{each.hostname}:{each.port}" if each.port else f"{each.hostname}" for each in found
        )
        return ", ".join(dict.fromkeys(named))


def destination(service: str, endpoint: str, environ: Mapping[str, str]) -> Destination | None:
    """Where telemetry is to be sent; None if nowhere.

    Args:
        service: what this process is.
        endpoint: the setting; the variables of OpenTelemetry come first.
        environ: with the variables. Those with an endpoint turn telemetry on, and
            ``OTEL_SDK_DISABLED`` off; ``OTEL_TRACES_EXPORTER=none`` leaves a signal out.

    Raises:
        Unsendable: the SDK isn't installed, or another protocol is wanted.
    """
    if environ.get("OTEL_SDK_DISABLED", "").strip().lower() == "true":
        return None
    found: dict[str, str] = {}
    for signal in SIGNALS:
        named = f"OTEL_EXPORTER_OTLP_{signal.upper()}_ENDPOINT"
        base = environ.get(_ENDPOINT) or endpoint
        wanted = environ.get(f"OTEL_{signal.upper()}_EXPORTER", "otlp").strip().lower()
        if wanted == "otlp" and (environ.get(named) or base):
            found[signal] = environ.get(named) or f"{base.rstrip('/')}/v1/{signal}"
    if not found:
        return None
    protocol = environ.get(_PROTOCOL) or _HTTP
    if protocol != _HTTP:
        raise Unsendable(f"{_PROTOCOL} is {protocol}. Set it to {_HTTP}.")
    if any(find_spec(name) is None for name in _NEEDED):
        raise Unsendable("Install OpenTelemetry: pip install 'chainteller[telemetry]'.")
    return Destination(service, found)
