"""Record spans with OpenTelemetry's SDK, and send them with metrics and log lines over OTLP/HTTP.

Everything is sent by threads of the SDK from bounded queues, so no request waits for a collector.
What doesn't fit, or can't be delivered, is dropped and counted.
"""

import logging
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from functools import partial
from typing import Any

from opentelemetry.context import Context, attach, detach
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk._logs import LoggerProvider, ReadWriteLogRecord
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
from opentelemetry.sdk.metrics.export import MetricsData, PeriodicExportingMetricReader
from opentelemetry.sdk.resources import OTELResourceDetector, Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import (
    NonRecordingSpan,
    SpanContext,
    SpanKind,
    Status,
    StatusCode,
    TraceFlags,
    get_current_span,
    set_span_in_context,
)

from chainteller.domain.clock import SystemClock
from chainteller.domain.randomness import SystemRandomness
from chainteller.telemetry import tracing
from chainteller.telemetry.destinations import Destination
from chainteller.telemetry.figures import During, Family, metrics_data
from chainteller.telemetry.log_records import LogRecords
from chainteller.telemetry.tracing import Attributes, Kind

CLOSE_S = 2.0
"""How long an ending process waits for a collector."""
_KINDS = {
    Kind.INTERNAL: SpanKind.INTERNAL,
    Kind.SERVER: SpanKind.SERVER,
    Kind.CLIENT: SpanKind.CLIENT,
}
LOGGERS = ("chainteller", "uvicorn")
"""Whose lines are logged."""
Dropped = Callable[[str, int], None]
"""Is told how many spans or log lines were dropped, and which of the two (``traces``, ``logs``)."""
_log = logging.getLogger(__name__)


class _Span(AbstractContextManager["_Span"]):
    """A span of the SDK. What it failed with is told by name alone."""

    def __init__(self, span: Any) -> None:
        self._span = span
        self._has_failed = False

    @property
    def trace_id(self) -> str:
        return f"{self._span.get_span_context().trace_id:032x}"

    @property
    def span_id(self) -> str:
        return f"{self._span.get_span_context().span_id:016x}"

    def rename(self, name: str) -> None:
        self._span.update_name(name)

    def put(self, attributes: Attributes) -> None:
        self._span.set_attributes(attributes)

    def fail(self, error_type: str) -> None:
        self._has_failed = True
        self._span.set_attribute("error.type", error_type)
        self._span.set_status(Status(StatusCode.ERROR))

    def __enter__(self) -> "_Span":
        self._token = attach(set_span_in_context(self._span))
        return self

    def __exit__(self, raised: type[BaseException] | None, *rest: object) -> None:
        detach(self._token)
        if raised is not None and not self._has_failed:
            self.fail(raised.__name__)
        self._span.end()


class _Tracer:
    """``tracing.Tracer`` on the SDK."""

    def __init__(self, provider: TracerProvider) -> None:
        self._tracer = provider.get_tracer("chainteller")

    def span(self, name: str, kind: Kind, attributes: Attributes, traceparent: str) -> _Span:
        around = _remote(traceparent) if traceparent else None
        return _Span(self._tracer.start_span(name, around, _KINDS[kind], attributes))

    def current(self) -> _Span | None:
        found = get_current_span()
        return _Span(found) if found.is_recording() else None

    def traceparent(self) -> str:
        found = get_current_span().get_span_context()
        if not found.is_valid:
            return ""
        return f"00-{found.trace_id:032x}-{found.span_id:016x}-{found.trace_flags:02x}"


def _remote(traceparent: str) -> Context:
    """The caller's span."""
    _, trace_id, span_id, flags = traceparent.split("-")
    found = SpanContext(
        int(trace_id, 16), int(span_id, 16), is_remote=True, trace_flags=TraceFlags(int(flags, 16))
    )
    return set_span_in_context(NonRecordingSpan(found), Context())


class _Health:
    """Tells once that something can't be delivered, and once that all is again."""

    def __init__(self, hosts: str, dropped: Dropped) -> None:
        self._hosts, self.dropped = hosts, dropped
        self._failing: set[str] = set()
        self._lock = threading.Lock()

    def note(self, signal: str, *, is_delivered: bool) -> None:
        with self._lock:
            before = bool(self._failing)
            (self._failing.discard if is_delivered else self._failing.add)(signal)
            now = bool(self._failing)
        if now and not before:
            _log.warning("telemetry can't be delivered to %s", self._hosts)
        elif before and not now:
            _log.warning("telemetry is delivered to %s again", self._hosts)


class _Watched:
    """An exporter, of which it's noted whether it delivers."""

    def __init__(self, exporter: Any, signal: str, health: _Health) -> None:
        self._exporter, self._signal, self._health = exporter, signal, health

    def __getattr__(self, name: str) -> Any:
        return getattr(self._exporter, name)

    def export(self, batch: Any, **named: Any) -> Any:
        result = self._exporter.export(batch, **named)
        is_delivered = result.name == "SUCCESS"
        self._health.note(self._signal, is_delivered=is_delivered)
        if not is_delivered and isinstance(batch, list):
            self._health.dropped(self._signal, len(batch))
        return result


class _Spans(BatchSpanProcessor):
    """Counts what its queue has no room for."""

    health: _Health

    def on_end(self, span: ReadableSpan) -> None:
        _count_if_full(self, "traces", self.health)
        super().on_end(span)


class _Records(BatchLogRecordProcessor):
    """As ``_Spans``, for log lines."""

    health: _Health

    def on_emit(self, log_record: ReadWriteLogRecord) -> None:
        _count_if_full(self, "logs", self.health)
        super().on_emit(log_record)


def _count_if_full(processor: Any, signal: str, health: _Health) -> None:
    queue = processor._batch_processor._queue  # noqa: SLF001 - the SDK only logs what it drops
    if len(queue) == queue.maxlen:
        health.dropped(signal, 1)


def start(
    destination: Destination,
    version: str,
    formatter: logging.Formatter,
    *,
    dropped: Dropped = lambda _signal, _number: None,
    families: Callable[[], Iterable[Family]] | None = None,
) -> Callable[[], None]:
    """Send telemetry of this process; returns what ends that.

    What the SDK refuses, such as a variable of its own with a wrong value, is logged: nothing else
    stops for it. ``dropped`` is told what was dropped; ``families`` gives the metrics, each time
    that they are due, None for none.
    """
    sending = Sending(destination, version, dropped)
    try:
        sending.send_traces()
        sending.send_logs(formatter, *LOGGERS)
        if families is not None:
            sending.send_metrics(families)
    except ValueError as error:
        _log.warning("telemetry isn't sent: %s", error)
        sending.close()
    return sending.close


class Sending:
    """What this process sends, until ``close``; ``start`` begins all of it."""

    def __init__(self, destination: Destination, version: str, dropped: Dropped) -> None:
        self._endpoints = destination.endpoints
        self._health = _Health(destination.hosts, dropped)
        own = {
            "service.name": destination.service,
            "service.version": version,
            "service.instance.id": SystemRandomness().bytes(16).hex(),
        }
        self._resource = Resource.create(own).merge(OTELResourceDetector().detect())
        self._closing: list[Callable[[], object]] = []
        _mute()

    def send_traces(self) -> None:
        if "traces" not in self._endpoints:
            return
        exporter: Any = _Watched(
            OTLPSpanExporter(self._endpoints["traces"]), "traces", self._health
        )
        provider = TracerProvider(resource=self._resource, shutdown_on_exit=False)
        processor = _Spans(exporter)
        processor.health = self._health
        provider.add_span_processor(processor)
        self._closing.append(provider.shutdown)
        tracing.record_with(_Tracer(provider))

    def send_metrics(self, families: Callable[[], Iterable[Family]]) -> None:
        """Send the metrics that ``families`` gives, each time that they are due."""
        if "metrics" not in self._endpoints:
            return
        exporter: Any = _Watched(
            OTLPMetricExporter(self._endpoints["metrics"]), "metrics", self._health
        )
        clock = SystemClock()
        since = clock.now() * 1_000

        def collect(*_: object, **_named: object) -> MetricsData:
            return metrics_data(self._resource, families(), During(since, clock.now() * 1_000))

        reader = PeriodicExportingMetricReader(exporter)
        reader._set_collect_callback(collect)  # noqa: SLF001 - the SDK has no door for other tables
        self._closing.append(reader.shutdown)

    def send_logs(self, formatter: logging.Formatter, *names: str) -> None:
        """Send the lines that these loggers log, as the formatter writes them."""
        if "logs" not in self._endpoints:
            return
        exporter: Any = _Watched(OTLPLogExporter(self._endpoints["logs"]), "logs", self._health)
        provider = LoggerProvider(self._resource, shutdown_on_exit=False)
        processor = _Records(exporter)
        processor.health = self._health
        provider.add_log_record_processor(processor)
        handler = LogRecords(provider.get_logger("chainteller"), formatter)
        for name in names:
            logging.getLogger(name).addHandler(handler)
            self._closing.append(partial(logging.getLogger(name).removeHandler, handler))
        self._closing.append(provider.shutdown)

    def close(self) -> None:
        """Send what waits, for as long as a process may take to end."""
        tracing.record_with(None)
        ends = time.monotonic() + CLOSE_S
        closing, self._closing = self._closing, []
        threads = [threading.Thread(target=each, daemon=True) for each in closing]
        for each in threads:
            each.start()
        for each in threads:
            each.join(max(0.0, ends - time.monotonic()))


def _mute() -> None:
    """Let the SDK write nothing by itself: it would write into a console's screen, and a line for
    each try."""
    log = logging.getLogger("opentelemetry")
    log.handlers, log.propagate = [logging.NullHandler()], False
