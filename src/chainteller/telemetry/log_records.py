"""Log lines as records of OpenTelemetry: what a line of the log has, and nothing else."""

import json
import logging
from collections.abc import Mapping
from typing import Any

from opentelemetry._logs import Logger, SeverityNumber
from opentelemetry.context import Context
from opentelemetry.trace import (
    NonRecordingSpan,
    SpanContext,
    TraceFlags,
    set_span_in_context,
)

from chainteller.domain.clock import parse_instant

_SEVERITIES = {
    "debug": SeverityNumber.DEBUG,
    "info": SeverityNumber.INFO,
    "warning": SeverityNumber.WARN,
    "error": SeverityNumber.ERROR,
    "critical": SeverityNumber.FATAL,
}


class LogRecords(logging.Handler):
    """Emits what its formatter writes: lines of JSON, with ``at``, ``level`` and ``event``."""

    def __init__(self, logger: Logger, formatter: logging.Formatter) -> None:
        super().__init__()
        self.setFormatter(formatter)
        self._logger = logger

    def emit(self, record: logging.LogRecord) -> None:
        try:
            for line in self.format(record).split("\n"):
                self._emit(json.loads(line))
        except Exception:  # noqa: BLE001 - as every handler: a log must not end what it's about
            self.handleError(record)

    def _emit(self, line: dict[str, Any]) -> None:
        level = line.pop("level")
        self._logger.emit(
            timestamp=parse_instant(line.pop("at")) * 1_000,
            severity_text=level,
            severity_number=_SEVERITIES[level],
            context=_context(line),
            body=line.pop("event"),
            attributes=line,
        )


def _context(line: Mapping[str, Any]) -> Context:
    """The span that a line names, for whoever looks up the lines of a trace."""
    if "spanId" not in line:
        return Context()
    trace_id, span_id = int(line["traceId"], 16), int(line["spanId"], 16)
    found = SpanContext(trace_id, span_id, is_remote=False, trace_flags=TraceFlags(1))
    return set_span_in_context(NonRecordingSpan(found), Context())
