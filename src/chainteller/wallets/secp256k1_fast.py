"""secp256k1 through coincurve (libsecp256k1); importing this fails where it is not installed."""

from collections.abc import Sequence
from dataclasses import dataclass

import coincurve

from chainteller.wallets.secp256k1 import FIELD, ORDER, in_range


class _FastRecovery:
    def __init__(self, r: int, s: int, recovery_id: int) -> None:
        self._r, self._s, self._id = r, s, recovery_id
        # The key for a digest of zero; None where no point has this r. Prepared by many digests.
        self._base: coincurve.PublicKey | None = None

    def public_key(self, digest: bytes) -> bytes | None:
        packed = self._r.to_bytes(32, "big") + self._s.to_bytes(32, "big") + bytes([self._id])
        try:
            key = coincurve.PublicKey.from_signature_and_message(packed, digest, hasher=None)
        except ValueError:
            return None
        return bytes(key.format(compressed=False)[1:])

    def public_keys(self, digests: Sequence[bytes]) -> list[bytes | None]:
        inverse = pow(self._r, -1, ORDER)
        if self._base is None:
            x = self._r + ORDER if self._id >= 2 else self._r
            point = bytes([2 + (self._id & 1)]) + x.to_bytes(32, "big")
            try:
                multiplier = self._s * inverse % ORDER
                self._base = coincurve.PublicKey(point).multiply(multiplier.to_bytes(32, "big"))
            except ValueError:
                return [None] * len(digests)
        return [self._with_digest(self._base, digest, inverse) for digest in digests]

    def _with_digest(self, base: coincurve.PublicKey, digest: bytes, inverse: int) -> bytes | None:
        scalar = -int.from_bytes(digest, "big") * inverse % ORDER
        try:
            key = base.add(scalar.to_bytes(32, "big"))
        except ValueError:
            return None
        return bytes(key.format(compressed=False)[1:])


@dataclass(frozen=True, slots=True)
class _FastSchnorr:
    signature: bytes
    key: coincurve.PublicKeyXOnly

    def signs(self, message: bytes) -> bool:
        return bool(self.key.verify(self.signature, message))

    def signed(self, messages: Sequence[bytes]) -> list[bool]:
        return [self.signs(message) for message in messages]


class FastCurve:
    """The `curve.Curve` of this module."""

    repairs = 1200

    def recovery(self, r: int, s: int, recovery_id: int) -> _FastRecovery | None:
        if not in_range(r, s) or (recovery_id >= 2 and r + ORDER >= FIELD):
            return None
        return _FastRecovery(r, s, recovery_id)

    def schnorr(self, signature: bytes, x_only: bytes) -> _FastSchnorr | None:
        if len(signature) != 64 or len(x_only) != 32:
            return None
        try:
            return _FastSchnorr(signature, coincurve.PublicKeyXOnly(x_only))
        except ValueError:
            return None

    def generated(self, scalar: bytes) -> bytes | None:
        number = int.from_bytes(scalar, "big") % ORDER
        if number == 0:
            return None
        key = coincurve.PublicKey.from_secret(number.to_bytes(32, "big"))
        return bytes(key.format(compressed=False)[1:])

    def tweaked(self, key: bytes, tweak: bytes) -> bytes:
        return bytes(coincurve.PublicKey(b"\x02" + key[:32]).add(tweak).format()[1:])
