"""Log lines: one JSON object each, with a fixed set of fields, so that no secret is logged."""

import asyncio
import json
import logging
import os
import sys
from contextlib import suppress
from io import TextIOWrapper
from json.encoder import encode_basestring_ascii as _quoted
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Any, NamedTuple

from chainteller.domain.clock import Clock, format_instant
from chainteller.private_files import locked, open_private
from chainteller.telemetry.tracing import current

_MAXIMUM_BYTES = 10 * 1024 * 1024
_KEPT = 5
BATCH_S = 0.1
_MOST_WAITING = 500

_log = logging.getLogger("chainteller.api")


class Line(NamedTuple):
    """The log line of a request; empty fields are left out."""

    request_id: str
    operation: str
    method: str
    status: int
    seconds: float
    client: str
    error: str
    organisation: str
    key_id: str
    agent: str = ""
    trace_id: str = ""
    span_id: str = ""


class JsonLines(logging.Formatter):
    """Formats log records as JSON; tracebacks have code and line, never values of variables."""

    def format(self, record: logging.LogRecord) -> str:
        ready: str | None = getattr(record, "ready", None)
        if ready is not None:
            return ready
        line: dict[str, Any] = {
            "at": format_instant(int(record.created * 1_000_000)),
            "level": record.levelname.lower(),
            "event": record.getMessage(),
            "process": record.process,
        }
        line.update(getattr(record, "fields", {}))
        span = current()
        if span is not None:
            line |= {"traceId": span.trace_id, "spanId": span.span_id}
        if record.exc_info and record.exc_info[1] is not None:
            line["exception"] = type(record.exc_info[1]).__name__
            line["traceback"] = _frames(record.exc_info[2])
        return json.dumps(line)


def _frames(traceback: Any) -> list[str]:
    frames = []
    while traceback is not None:
        code = traceback.tb_frame.f_code
        frames.append(f"{Path(code.co_filename).name}:{traceback.tb_lineno} {code.co_name}")
        traceback = traceback.tb_next
    return frames


class RequestLines:
    """One line per request, formatted by hand and passed to the log in batches.

    A log record, its JSON and a flush per request would cost more than many requests. ``kill -9``
    loses the lines of the last ``BATCH_S`` seconds; the audit trail isn't affected.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._process = os.getpid()
        self._waiting: list[str] = []
        self._timer: asyncio.TimerHandle | None = None

    def add(self, line: Line) -> None:
        if not _log.isEnabledFor(logging.INFO):
            return
        at = format_instant(self._clock.now())
        told = "".join(
            f', "{name}": {_quoted(value)}'
            for name, value in (
                ("client", line.client),
                ("error", line.error),
                ("organisation", line.organisation),
                ("keyId", line.key_id),
                ("agent", line.agent),
                ("traceId", line.trace_id),
                ("spanId", line.span_id),
            )
            if value
        )
        self._waiting.append(
            f'{{"at": "{at}", "level": "info", "event": "request", "process": {self._process}, '
            f'"requestId": {_quoted(line.request_id)}, "operation": {_quoted(line.operation)}, '
            f'"method": {_quoted(line.method)}, "status": {line.status}, '
            f'"milliseconds": {round(line.seconds * 1000, 2)}{told}}}'
        )
        if len(self._waiting) >= _MOST_WAITING:
            self.flush()
        elif self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(BATCH_S, self.flush)

    def flush(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._waiting:
            ready = "\n".join(self._waiting)
            self._waiting.clear()
            _log.info("request", extra={"ready": ready})


class LogFile(RotatingFileHandler):
    """A file that several processes write, one of which rotates it when it's full; one that
    another program moved away is begun anew. Its owner alone reads it."""

    def __init__(self, path: Path, most_bytes: int = _MAXIMUM_BYTES) -> None:
        super().__init__(path, maxBytes=most_bytes, backupCount=_KEPT)
        self._path = path

    def shouldRollover(self, record: logging.LogRecord) -> bool:  # noqa: N802 - logging's name
        self._follow()
        return bool(super().shouldRollover(record))

    def doRollover(self) -> None:  # noqa: N802 - as above
        with locked(self._path.with_suffix(".lock")):
            if not self._follow():
                super().doRollover()

    def _follow(self) -> bool:
        """Open the file again if it isn't the one that is written; whether that was so."""
        if self.stream is None:  # a rotation failed; the next line opens it
            return False
        with suppress(FileNotFoundError):
            if os.path.samestat(self._path.stat(), os.fstat(self.stream.fileno())):
                return False
        self.stream.close()
        self.stream = self._open()
        return True

    def _open(self) -> TextIOWrapper:
        return TextIOWrapper(open_private(Path(self.baseFilename), "ab"), encoding="utf-8")


def send_logs_to(path: Path | None) -> None:
    """Write the log lines of this service and of uvicorn to a file, or to stderr."""
    handler: logging.Handler
    if path is None:
        handler = logging.StreamHandler(sys.stderr)
    else:
        path.parent.mkdir(parents=True, exist_ok=True)
        handler = LogFile(path)
        path.chmod(0o600)
    handler.setFormatter(JsonLines())
    for name in ("chainteller", "uvicorn"):
        logger = logging.getLogger(name)
        logger.handlers = [handler]
        logger.setLevel(logging.INFO)
        logger.propagate = False
    logging.getLogger("uvicorn.access").disabled = True
