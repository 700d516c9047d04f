"""A collector for tests: receives OTLP over HTTP and keeps what it was sent."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span as OtlpSpan
from opentelemetry.proto.trace.v1.trace_pb2 import Status
from tests.world.waiting import PATIENCE_S


@dataclass(frozen=True)
class Span:
    service: str
    name: str
    kind: str
    trace_id: str
    span_id: str
    parent_id: str
    attributes: dict[str, Any]
    is_error: bool
    began_ns: int
    ended_ns: int


@dataclass(frozen=True)
class Line:
    """A log record."""

    body: str
    severity: str
    trace_id: str
    span_id: str
    attributes: dict[str, Any]


@dataclass
class Collector:
    """What was sent to ``address``; ``status`` is answered, after ``pause`` if that is set."""

    status: int = 200
    spans: list[Span] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)
    metrics: dict[str, Any] = field(default_factory=dict)
    """The newest of each name, as they were sent."""
    raw: bytes = b""
    requests: int = 0
    address: str = ""
    pause: threading.Event | None = None
    changed: threading.Condition = field(default_factory=threading.Condition)

    def trace(self, *, until: str, by: str = "") -> list[Span]:
        """The trace of the newest span of this name and service, once there is one."""
        ends = time.monotonic() + PATIENCE_S
        with self.changed:
            while True:
                named = [
                    each for each in self.spans if each.name == until and by in ("", each.service)
                ]
                if named:
                    return [each for each in self.spans if each.trace_id == named[-1].trace_id]
                left = ends - time.monotonic()
                if left <= 0 or not self.changed.wait(left):
                    raise AssertionError([each.name for each in self.spans])

    def take(self, path: str, body: bytes) -> None:
        with self.changed:
            self.requests += 1
            self.raw += body
            if self.status == 200:
                _TAKERS[path](self, body)
            self.changed.notify_all()


def _spans(collector: Collector, body: bytes) -> None:
    for group in ExportTraceServiceRequest.FromString(body).resource_spans:
        service = _attributes(group.resource.attributes)["service.name"]
        for each in (each for scope in group.scope_spans for each in scope.spans):
            collector.spans.append(
                Span(
                    service=service,
                    name=each.name,
                    kind=OtlpSpan.SpanKind.Name(each.kind).removeprefix("SPAN_KIND_").lower(),
                    trace_id=each.trace_id.hex(),
                    span_id=each.span_id.hex(),
                    parent_id=each.parent_span_id.hex(),
                    attributes=_attributes(each.attributes),
                    is_error=each.status.code == Status.STATUS_CODE_ERROR,
                    began_ns=each.start_time_unix_nano,
                    ended_ns=each.end_time_unix_nano,
                )
            )


def _lines(collector: Collector, body: bytes) -> None:
    for group in ExportLogsServiceRequest.FromString(body).resource_logs:
        for each in (each for scope in group.scope_logs for each in scope.log_records):
            collector.lines.append(
                Line(
                    each.body.string_value,
                    each.severity_text,
                    each.trace_id.hex(),
                    each.span_id.hex(),
                    _attributes(each.attributes),
                )
            )


def _metrics(collector: Collector, body: bytes) -> None:
    for group in ExportMetricsServiceRequest.FromString(body).resource_metrics:
        for each in (each for scope in group.scope_metrics for each in scope.metrics):
            collector.metrics[each.name] = each


_TAKERS = {"/v1/traces": _spans, "/v1/logs": _lines, "/v1/metrics": _metrics}


def _attributes(found: Any) -> dict[str, Any]:
    return {each.key: _value(each.value) for each in found}


def _value(value: Any) -> Any:
    kind = value.WhichOneof("value")
    if kind == "array_value":
        return [_value(each) for each in value.array_value.values]
    return getattr(value, kind)


@contextmanager
def collecting(status: int = 200, pause: threading.Event | None = None) -> Iterator[Collector]:
    """A collector on a port of its own."""
    collector = Collector(status=status, pause=pause)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            if collector.pause is not None:
                collector.pause.wait()
            collector.take(self.path, body)
            self.send_response(collector.status)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None: ...  # noqa: A002 - its name there

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, request: Any, client_address: Any) -> None: ...  # a client gave up

    server = Server(("127.0.0.1", 0), Handler)
    collector.address = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield collector
    finally:
        if collector.pause is not None:
            collector.pause.set()
        server.shutdown()
        server.server_close()
        thread.join()
