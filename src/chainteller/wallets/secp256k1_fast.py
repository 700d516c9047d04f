"""secp256k1 through coincurve (libsecp256k1); importing this fails where it is not installed."""

from dataclasses import dataclass

import coincurve

from chainteller.wallets.secp256k1 import FIELD, ORDER, in_range


@dataclass(frozen=True, slots=True)
class _FastRecovery:
    signature: bytes

    def public_key(self, digest: bytes) -> bytes | None:
        try:
            key = coincurve.PublicKey.from_signature_and_message(
                self.signature, digest, hasher=None
            )
        except ValueError:
            return None
        return bytes(key.format(compressed=False)[1:])


@dataclass(frozen=True, slots=True)
class _FastSchnorr:
    signature: bytes
    key: coincurve.PublicKeyXOnly

    def signs(self, message: bytes) -> bool:
        return bool(self.key.verify(self.signature, message))


class FastCurve:
    """The `curve.Curve` of this module."""

    def recovery(self, r: int, s: int, recovery_id: int) -> _FastRecovery | None:
        if not in_range(r, s) or (recovery_id >= 2 and r + ORDER >= FIELD):
            return None
        packed = r.to_bytes(32, "big") + s.to_bytes(32, "big") + bytes([recovery_id])
        return _FastRecovery(packed)

    def schnorr(self, signature: bytes, x_only: bytes) -> _FastSchnorr | None:
        if len(signature) != 64 or len(x_only) != 32:
            return None
        try:
            return _FastSchnorr(signature, coincurve.PublicKeyXOnly(x_only))
        except ValueError:
            return None

    def tweaked(self, key: bytes, tweak: bytes) -> bytes:
        return bytes(coincurve.PublicKey(b"\x02" + key[:32]).add(tweak).format()[1:])
