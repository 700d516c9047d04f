"""What is known of a request, from its first byte to its line in the log."""

from dataclasses import dataclass, field

from chainteller.service.deployment import Principal
from chainteller.service.errors import ValidationFailed
from chainteller.telemetry.tracing import NO_SPAN, Span

API_VERSION = "2026-11-01"
"""The only API version: the default, sent with every reply."""

JSON = "application/json"
PROBLEM = "application/problem+json"
"""The media type of problem details (RFC 9457)."""


@dataclass(slots=True)
class RequestContext:
    """Data about a request that is collected on its way."""

    request_id: str
    headers: dict[str, str]
    repeated: frozenset[str]
    client: str = ""
    """The address that it comes from, as trusted proxies report it; empty on a UNIX socket."""
    operation: str = "unmatched"
    principal: Principal | None = None
    error: str = ""
    status: int = 0
    route: str = ""
    """The path with names for its ids, of a request that has a handler."""
    traceparent: str = ""
    """The caller's span; empty if it named none."""
    span: Span = NO_SPAN
    reply_headers: list[tuple[bytes, bytes]] = field(default_factory=list)

    def header(self, name: str) -> str | None:
        """The value of a header, by its lower-case name.

        Raises:
            ValidationFailed: the header is repeated.
        """
        if name in self.repeated:
            raise ValidationFailed.of(name, "Send this header only once.", "REPEATED")
        return self.headers.get(name)

    @property
    def wants_problem(self) -> bool:
        """Whether errors are problem details: ``Accept`` names them, and weighs them no less than
        plain JSON."""
        accept = self.headers.get("accept", "").lower()
        weight = _weight(accept, PROBLEM)
        return weight > 0 and weight >= _weight(accept, JSON)


def _weight(accept: str, media_type: str) -> float:
    """The weight of a media type that an ``Accept`` header names (RFC 9110, 12.4.2); otherwise 0,
    which is also that of a weight that can't be read."""
    for media_range in accept.split(","):
        named, *parameters = (part.strip() for part in media_range.split(";"))
        if named == media_type:
            weights = (each[2:] for each in parameters if each.startswith("q="))
            try:
                return float(next(weights, "1"))
            except ValueError:
                return 0.0
    return 0.0
