"""One JSON object per line; what goes in is chosen field by field, so no secret can slip in."""

import json
import logging
import sys
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Any

from chainteller.domain.clock import format_instant

_MAXIMUM_BYTES = 10 * 1024 * 1024
_KEPT = 5


class JsonLines(logging.Formatter):
    """Tracebacks carry code and line, never the values of variables."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "at": format_instant(int(record.created * 1_000_000)),
            "level": record.levelname.lower(),
            "event": record.getMessage(),
            "process": record.process,
        }
        line.update(getattr(record, "fields", {}))
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


def send_logs_to(path: Path | None) -> None:
    """Write this service's and uvicorn's lines to a file, or to stderr."""
    handler: logging.Handler
    if path is None:
        handler = logging.StreamHandler(sys.stderr)
    else:
        path.parent.mkdir(parents=True, exist_ok=True)
        handler = RotatingFileHandler(path, maxBytes=_MAXIMUM_BYTES, backupCount=_KEPT)
    handler.setFormatter(JsonLines())
    for name in ("chainteller", "uvicorn"):
        logger = logging.getLogger(name)
        logger.handlers = [handler]
        logger.setLevel(logging.INFO)
        logger.propagate = False
    logging.getLogger("uvicorn.access").disabled = True
