"""Predicates on JSON values: each returns what is wrong, or an empty text.

Numbers are compared exactly, as fractions.
"""

import json
import re
from collections.abc import Callable
from datetime import datetime
from decimal import Decimal
from fractions import Fraction

Test = Callable[[object], str]

_DECIMAL = re.compile(r"-?[0-9]{1,400}(\.[0-9]{1,400})?", re.ASCII)
_UTC = re.compile(r"[0-9-]{8,10}T[0-9:]{2,8}([.,][0-9]+)?(Z|\+00(:?00)?)", re.ASCII)
_MARKET = re.compile(r"[a-z0-9]+-usd", re.ASCII)


def shown(value: object) -> str:
    """A value in a sentence, at most 80 characters of it."""
    if isinstance(value, list):
        return f"an array of {len(value)}"
    if isinstance(value, dict):
        return f"an object of {len(value)} fields"
    if isinstance(value, Decimal):
        return str(value)[:80]
    short = value[:100] if isinstance(value, str) else value
    text = json.dumps(short, ensure_ascii=False, default=str)
    return text if len(text) <= 80 else text[:77] + "..."


def string(value: object) -> str:
    return "" if isinstance(value, str) else f"is {shown(value)}, not a string"


def filled(value: object) -> str:
    return string(value) or ("" if value else "is empty")


def integer(value: object) -> str:
    is_integer = isinstance(value, int) and not isinstance(value, bool)
    return "" if is_integer else f"is {shown(value)}, not an integer"


def mapping(value: object) -> str:
    return "" if isinstance(value, dict) else f"is {shown(value)}, not an object"


def decimal(value: object) -> str:
    if not isinstance(value, str):
        return f"is {shown(value)}, not a string with a decimal number"
    return "" if _DECIMAL.fullmatch(value) else f"is {shown(value)}, not a decimal number"


def timestamp(value: object) -> str:
    if not isinstance(value, str):
        return f"is {shown(value)}, not a timestamp"
    return "" if instant(value) is not None else f"is {shown(value)}, not ISO 8601 in UTC"


def market_name(value: object) -> str:
    if isinstance(value, str) and _MARKET.fullmatch(value):
        return ""
    return f"is {shown(value)}, not <asset>-usd in lowercase"


def prefixed(prefix: str) -> Test:
    def test(value: object) -> str:
        if isinstance(value, str) and value.startswith(prefix) and len(value) > len(prefix):
            return ""
        return f"is {shown(value)}, not an id that begins with {prefix}"

    return test


def one_of(*allowed: object) -> Test:
    def test(value: object) -> str:
        if value in allowed:
            return ""
        return f"is {shown(value)}, not {' or '.join(map(shown, allowed))}"

    return test


def number(value: object) -> Fraction | None:
    """The exact value of a decimal string, None for anything else."""
    return Fraction(value) if isinstance(value, str) and not decimal(value) else None


def last_place(value: str) -> Fraction:
    """One unit in the last decimal place of a decimal string."""
    return Fraction(1, 10 ** len(value.partition(".")[2]))


def instant(value: object) -> datetime | None:
    """The moment of an ISO 8601 timestamp in UTC, None for anything else."""
    if not isinstance(value, str) or len(value) > 64 or not _UTC.fullmatch(value):
        return None
    try:
        return datetime.fromisoformat(value)
    except ValueError:
        return None


def at(record: object, path: str) -> object:
    """The value at a dotted path; ``MISSING`` if there is none."""
    for name in path.split("."):
        if not isinstance(record, dict) or name not in record:
            return MISSING
        record = record[name]
    return record


MISSING = object()
