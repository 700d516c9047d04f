"""The curve of Ethereum and Bitcoin: key recovery and BIP-340, by coincurve or by pure Python.

Both implementations give the same answers; coincurve (the `fast` extra) gives them sooner. Which
one is used is found out when the first signature is checked, never at import.
"""

from functools import cache
from typing import Protocol

ORDER = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
FIELD = 2**256 - 2**32 - 977
HALF_ORDER = ORDER // 2


class KeyRecovery(Protocol):
    """One (r, s) with one recovery id, asked about many digests."""

    def public_key(self, digest: bytes) -> bytes | None:
        """The 64 bytes x ‖ y of the key that made the signature over the digest, if any."""


class SchnorrCheck(Protocol):
    """One BIP-340 signature and one x-only key, asked about many messages."""

    def signs(self, message: bytes) -> bool:
        """Whether the signature is the key's over this 32-byte message."""


class Curve(Protocol):
    """What an implementation offers."""

    def recovery(self, r: int, s: int, recovery_id: int) -> KeyRecovery | None:
        """None when no point has this r. The ids 2 and 3 stand for x = r + n."""

    def schnorr(self, signature: bytes, x_only: bytes) -> SchnorrCheck | None:
        """None when the key or the 64 bytes are malformed."""

    def tweaked(self, key: bytes, tweak: bytes) -> bytes:
        """The x-coordinate of the point with even y and this x, plus tweak times the generator."""


@cache
def curve() -> Curve:
    """The fastest implementation on this machine."""
    try:
        from chainteller.wallets.secp256k1_fast import FastCurve  # noqa: PLC0415 - optional extra
    except ImportError:
        from chainteller.wallets.secp256k1_pure import PureCurve  # noqa: PLC0415 - loads eth_keys

        return PureCurve()
    return FastCurve()


def in_range(r: int, s: int) -> bool:
    """Whether r and s are both in 1..n-1, as every ECDSA signature's are."""
    return 0 < r < ORDER and 0 < s < ORDER


def recoveries(numbers: bytes, *, except_id: int | None = None) -> list[KeyRecovery]:
    """What recovers the keys of r ‖ s under the ids 0 and 1, for a signature that names none."""
    r, s = int.from_bytes(numbers[:32], "big"), int.from_bytes(numbers[32:], "big")
    if not in_range(r, s):
        return []
    found = (curve().recovery(r, s, each) for each in (0, 1) if each != except_id)
    return [recovery for recovery in found if recovery]


def x_is_on_curve(x: int) -> bool:
    """Whether some point has this x-coordinate."""
    y_squared = (pow(x, 3, FIELD) + 7) % FIELD
    return 0 < x < FIELD and pow(y_squared, (FIELD - 1) // 2, FIELD) in {0, 1}


def decompress(key: bytes) -> bytes | None:
    """The 64 bytes x ‖ y of a 33- or 65-byte SEC1 key, or None when it is not one."""
    if len(key) == 65 and key[0] == 4:
        x, y = int.from_bytes(key[1:33], "big"), int.from_bytes(key[33:], "big")
        on_curve = x < FIELD and y < FIELD and (y * y - pow(x, 3, FIELD) - 7) % FIELD == 0
        return key[1:] if on_curve else None
    if len(key) != 33 or key[0] not in {2, 3}:
        return None
    x = int.from_bytes(key[1:], "big")
    if not x_is_on_curve(x):
        return None
    y = pow(pow(x, 3, FIELD) + 7, (FIELD + 1) // 4, FIELD)
    if y & 1 != key[0] & 1:
        y = FIELD - y
    return key[1:] + y.to_bytes(32, "big")


def compress(key: bytes) -> bytes:
    """The 33-byte SEC1 form of x ‖ y."""
    return bytes([2 + (key[63] & 1)]) + key[:32]
