"""Canonical JSON, whose bytes are hashed: sorted keys, no spaces, ASCII."""

import json
from collections.abc import Callable, Mapping
from typing import Any

canonical: Callable[[Mapping[str, Any]], str] = json.JSONEncoder(
    sort_keys=True, separators=(",", ":"), ensure_ascii=True
).encode
