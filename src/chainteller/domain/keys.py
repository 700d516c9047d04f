"""API keys: ``chainteller_<env>_<8 characters of key id>_<43 base62 characters><6 of CRC-32>``.

The checksum detects a truncated or mistyped key before any look-up, and lets secret scanners
recognise keys. Only the SHA-256 hash of the secret is stored: it has 256 random bits, so a slow
hash isn't needed.
"""

import hashlib
import hmac
import re
import zlib
from dataclasses import dataclass
from typing import Self

from chainteller.domain.actors import SCOPES, WITHHELD
from chainteller.domain.clock import DAY, HOUR, MINUTE, SECOND
from chainteller.domain.randomness import Randomness

BRAND = "chainteller"
ENVIRONMENTS = ("live", "test")
KEY_ID_LENGTH = 8
SECRET_LENGTH = 43
CHECKSUM_LENGTH = 6
MAXIMUM_OVERLAP = 7 * DAY
LAST_USE_STEP = MINUTE
"""Minimum age of a recorded last use before it is written again."""

DEFAULT_SCOPES = tuple(scope for scope in SCOPES if scope not in WITHHELD)

_BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_FORM = re.compile(
    rf"{BRAND}_({'|'.join(ENVIRONMENTS)})_([0-9A-Za-z]{{{KEY_ID_LENGTH}}})"
    rf"_([0-9A-Za-z]{{{SECRET_LENGTH}}})([0-9A-Za-z]{{{CHECKSUM_LENGTH}}})",
    re.ASCII,
)
_DURATION = re.compile(r"([0-9]{1,6})([smhdw])", re.ASCII)
_UNITS = {"s": SECOND, "m": MINUTE, "h": HOUR, "d": DAY, "w": 7 * DAY}
_LONGEST = 999_999 * DAY
"""What ends later may end in a year that no timestamp can write."""


@dataclass(frozen=True, slots=True)
class ApiKey:
    """The parts of a key. The secret isn't in the ``repr``, so it can't get into logs."""

    environment: str
    key_id: str
    secret: str

    def __repr__(self) -> str:
        return f"ApiKey({self.environment}, {self.key_id})"

    @property
    def text(self) -> str:
        """The complete key, shown once and sent after ``Bearer``."""
        unsigned = f"{BRAND}_{self.environment}_{self.key_id}_{self.secret}"
        return unsigned + checksum(unsigned)

    @property
    def secret_hash(self) -> str:
        """The stored form of the secret: SHA-256 in hexadecimal."""
        return hashlib.sha256(self.secret.encode()).hexdigest()

    def matches(self, stored_hash: str) -> bool:
        """Compare with a stored hash in constant time."""
        return hmac.compare_digest(self.secret_hash, stored_hash)

    @classmethod
    def parse(cls, text: str) -> Self | None:
        """Parse a key; None if its form or checksum is wrong."""
        match = _FORM.fullmatch(text)
        if match is None or checksum(text[:-CHECKSUM_LENGTH]) != match[4]:
            return None
        return cls(match[1], match[2], match[3])


def new_key(randomness: Randomness, environment: str = "live") -> ApiKey:
    return ApiKey(environment, _letters(randomness, KEY_ID_LENGTH), _secret(randomness))


def checksum(text: str) -> str:
    """The CRC-32 of ``text`` in six base62 digits, most significant first."""
    return _base62(zlib.crc32(text.encode()), CHECKSUM_LENGTH)


def scopes_of(names: tuple[str, ...]) -> tuple[str, ...]:
    """Sort scopes into their documented order; no names means every scope except ``WITHHELD``.
    Raises ValueError: a name isn't a scope."""
    unknown = sorted(set(names) - set(SCOPES))
    if unknown:
        raise ValueError(f"no such scope: {', '.join(unknown)}")
    return tuple(scope for scope in SCOPES if scope in names) or DEFAULT_SCOPES


def duration_of(text: str) -> int:
    """Parse a duration such as ``90d``, ``24h``, ``15m``, ``30s`` or ``2w`` into microseconds.
    Raises ValueError: the text is anything else, or more than 999999d."""
    match = _DURATION.fullmatch(text)
    found = _LONGEST + 1 if match is None else int(match[1]) * _UNITS[match[2]]
    if found > _LONGEST:
        raise ValueError("a duration such as 90d, 24h or 15m")
    return found


def refusal_reason(*, now: int, expires: int | None, revoked_at: int | None) -> str | None:
    """Why a key can't be used at ``now``, or None.

    A rotated key has a ``revoked_at`` in the future.
    """
    if revoked_at is not None and revoked_at <= now:
        return "REVOKED"
    if expires is not None and expires <= now:
        return "EXPIRED"
    return None


def _secret(randomness: Randomness) -> str:
    return _base62(int.from_bytes(randomness.bytes(32), "big"), SECRET_LENGTH)


def _letters(randomness: Randomness, count: int) -> str:
    return _base62(int.from_bytes(randomness.bytes(8), "big") % 62**count, count)


def _base62(number: int, length: int) -> str:
    digits = []
    for _ in range(length):
        number, digit = divmod(number, 62)
        digits.append(_BASE62[digit])
    return "".join(reversed(digits))
