"""Canonical JSON, whose bytes are hashed: sorted keys, no spaces, ASCII."""

import json
from collections.abc import Mapping
from typing import Any

_encode = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode


def canonical(value: Mapping[str, Any]) -> str:
    return _encode(value)
