"""How deeply foreign JSON is nested, told before it's parsed.

Python's parser recurses on the C stack. Its guard is the recursion limit, which a library may have
raised beyond what the stack holds (py_ecc sets 100,000): ``[[[…`` would then end the process.
"""

import re

DEEPEST = 64
"""No reply that is read here has more levels."""
_TEXTS = re.compile(rb'"(?:[^"\\]|\\.)*"')
_BRACKETS = re.compile(rb"[\[\]{}]")


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
