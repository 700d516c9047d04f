"""Key recovery and BIP-340 on secp256k1, by coincurve or by pure Python.

Both implementations give the same answers; coincurve (the `fast` extra) gives them sooner. Which
one is used is found out when the first signature is checked, never at import.
"""

from collections.abc import Sequence
from functools import cache
from typing import Protocol

from chainteller.wallets.secp256k1 import in_range


class KeyRecovery(Protocol):
    """One (r, s) with one recovery id, asked about many digests."""

    def public_key(self, digest: bytes) -> bytes | None:
        """The 64 bytes x ‖ y of the key that made the signature over the digest, if any."""

    def public_keys(self, digests: Sequence[bytes]) -> list[bytes | None]:
        """As `public_key` for each digest; many at once cost less each."""


class SchnorrCheck(Protocol):
    """One BIP-340 signature and one x-only key, asked about many messages."""

    def signs(self, message: bytes) -> bool:
        """Whether the signature is the key's over this 32-byte message."""

    def signed(self, messages: Sequence[bytes]) -> list[bool]:
        """As `signs` for each message; many at once cost less each."""


class Curve(Protocol):
    """What an implementation offers.

    `repairs` is how many signatures it can check from scratch in about a tenth of a second.
    """

    repairs: int

    def recovery(self, r: int, s: int, recovery_id: int) -> KeyRecovery | None:
        """None when no point has this r. The ids 2 and 3 stand for x = r + n."""

    def schnorr(self, signature: bytes, x_only: bytes) -> SchnorrCheck | None:
        """None when the key or the 64 bytes are malformed."""

    def generated(self, scalar: bytes) -> bytes | None:
        """The 64 bytes x ‖ y of a scalar times the generator; None at infinity. Not for secrets
        that anybody must keep: the time that it takes depends on the scalar.
        """

    def plus(self, key: bytes, tweak: bytes) -> bytes | None:
        """The point x ‖ y plus tweak times the generator; None at infinity, and where the tweak
        isn't below the order."""


@cache
def curve() -> Curve:
    """The fastest implementation on this machine."""
    try:
        from chainteller.wallets.secp256k1_fast import FastCurve  # noqa: PLC0415 - optional extra
    except ImportError:
        from chainteller.wallets.secp256k1_pure import PureCurve  # noqa: PLC0415 - its table

        return PureCurve()
    return FastCurve()


def recoveries(numbers: bytes, *, except_id: int | None = None) -> list[KeyRecovery]:
    """What recovers the keys of r ‖ s under the ids 0 and 1, for a signature that names none."""
    r, s = int.from_bytes(numbers[:32], "big"), int.from_bytes(numbers[32:], "big")
    if not in_range(r, s):
        return []
    found = (curve().recovery(r, s, each) for each in (0, 1) if each != except_id)
    return [recovery for recovery in found if recovery]
