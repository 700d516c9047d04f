"""Where the program's own log goes: one JSON object a line, never with a secret in it."""

import json
import logging
import logging.handlers
import re
import sys
import traceback
from pathlib import Path

from chainteller.paths import private_folder

_BYTES_A_FILE = 2_000_000
_FILES_KEPT = 4
_SECRET = re.compile(
    r"(?i)(bearer\s+)\S+|\b(\w{2,20}_\w{2,12}_)[0-9A-Za-z]{8}_[0-9A-Za-z]{20,}|(://[^:/@\s]*:)[^@/\s]*@"
)


def without_secrets(text: str) -> str:
    """``text`` with API keys, bearer tokens and passwords in addresses masked."""
    return _SECRET.sub(lambda found: f"{found[1] or found[2] or found[3] or ''}***", text)


class JsonFormatter(logging.Formatter):
    """``{"at", "level", "logger", "message"}``, with ``fault`` where something was raised."""

    def format(self, record: logging.LogRecord) -> str:
        line = {
            "at": self.formatTime(record, "%Y-%m-%dT%H:%M:%S"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        if record.exc_info and record.exc_info[0] is not None:
            line["fault"] = "".join(traceback.format_exception(*record.exc_info))
        return without_secrets(json.dumps(line, ensure_ascii=True))


def to_folder(folder: Path, name: str = "chainteller") -> Path:
    """Log into ``folder``, rotating; answers the file."""
    path = private_folder(folder) / f"{name}.log"
    handler = logging.handlers.RotatingFileHandler(
        path, maxBytes=_BYTES_A_FILE, backupCount=_FILES_KEPT, encoding="utf-8", delay=True
    )
    _install(handler)
    return path


def to_stderr() -> None:
    _install(logging.StreamHandler(sys.stderr))


def _install(handler: logging.Handler) -> None:
    handler.setFormatter(JsonFormatter())
    root = logging.getLogger()
    for old in root.handlers[:]:
        root.removeHandler(old)
    root.addHandler(handler)
    root.setLevel(logging.INFO)
