"""How deeply foreign JSON is nested, told before it's parsed.

Python's parser recurses on the C stack. Its guard is the recursion limit, which a library may have
raised beyond what the stack holds (py_ecc sets 100,000): ``[[[…`` would then end the process.
"""

import json
import re
from typing import Any

DEEPEST = 64
"""Nothing that is read here has more levels."""
_TEXTS = re.compile(rb'"(?:[^"\\]++|\\.)*+"?', re.DOTALL)
"""Texts, to their end or to that of the body: searched for in linear time."""
_BRACKETS = re.compile(rb"[\[\]{}]")


class NestedTooDeeply(ValueError):
    """JSON that isn't parsed, because it has more than ``DEEPEST`` levels."""


def is_nested_deeper(body: bytes | bytearray, most: int = DEEPEST) -> bool:
    """Whether arrays and objects are nested deeper than so many levels."""
    if body.count(b"[") + body.count(b"{") <= most:
        return False
    depth = 0
    for mark in _BRACKETS.findall(_TEXTS.sub(b"", body)):
        depth += 1 if mark in b"[{" else -1
        if depth > most:
            return True
    return False


def parse_json(text: str | bytes | bytearray, **options: Any) -> Any:
    """Parse JSON that others have written, or may have altered, with the options of ``json.loads``.

    Raises:
        NestedTooDeeply: it has more than ``DEEPEST`` levels.
        ValueError: it isn't JSON.
    """
    body = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    if is_nested_deeper(body):
        raise NestedTooDeeply("nested too deeply")
    return json.loads(text, **options)
