"""Prometheus metrics of this process, in their own registry."""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)


class Metrics:
    """The metrics. Labels are operation names, because paths contain ids and are unbounded."""

    def __init__(self, version: str) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "chainteller_http_requests_total",
            "Requests answered.",
            ("operation", "method", "status"),
            registry=self._registry,
        )
        self._seconds = Histogram(
            "chainteller_http_request_seconds",
            "Time from the request's head to the end of its reply.",
            ("operation",),
            buckets=_BUCKETS,
            registry=self._registry,
        )
        self.streams = Gauge(
            "chainteller_event_streams", "Event streams open now.", registry=self._registry
        )
        self.ready = Gauge(
            "chainteller_ready",
            "Whether the last readiness check passed (1) or not (0).",
            registry=self._registry,
        )
        self.numbering_delay = Gauge(
            "chainteller_numbering_delay_seconds",
            "How long the oldest write had waited for its number at the last readiness check.",
            registry=self._registry,
        )
        build = Gauge(
            "chainteller_build_info", "The running version.", ("version",), registry=self._registry
        )
        build.labels(version).set(1)
        self._counted: dict[tuple[str, str, int], Counter] = {}
        self._timed: dict[str, Histogram] = {}

    def answered(self, operation: str, method: str, status: int, seconds: float) -> None:
        known = method if method in _METHODS else "other"
        counted = self._counted.get((operation, known, status))
        if counted is None:
            counted = self._requests.labels(operation, known, str(status))
            self._counted[operation, known, status] = counted
        counted.inc()
        timed = self._timed.get(operation)
        if timed is None:
            timed = self._timed[operation] = self._seconds.labels(operation)
        timed.observe(seconds)

    def text(self) -> bytes:
        """Export the metrics in the text format, version 0.0.4."""
        return generate_latest(self._registry)


_METHODS = frozenset({"GET", "POST", "DELETE", "PUT", "PATCH", "HEAD", "OPTIONS"})
