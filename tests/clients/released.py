"""The description that clients were generated from: that of the last release.

``python -m tests.clients.released`` writes it anew, when a version is released.
"""

import json
from pathlib import Path
from typing import Any

from chainteller import __version__
from chainteller.api.openapi import describe
from chainteller.service.operations import OPERATIONS

FILE = Path(__file__).parents[2] / "docs" / "reference" / "openapi.json"
TITLE = "chainteller: trading and verified wallets"


def current() -> dict[str, Any]:
    """The description of this version. Returns what no caller shares."""
    described = describe(TITLE, __version__, OPERATIONS)
    copied: dict[str, Any] = json.loads(json.dumps(described))
    return copied


def released() -> dict[str, Any]:
    read: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return read


if __name__ == "__main__":
    FILE.write_text(json.dumps(current(), indent=1) + "\n", encoding="utf-8")
