"""secp256k1 through coincurve (libsecp256k1); importing this fails where it is not installed.

Many digests of one signature are asked about at once: adding tabled multiples of the generator
takes half as long as a multiplication by the library.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

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
        scalars = [-int.from_bytes(digest, "big") * inverse % ORDER for digest in digests]
        if len(scalars) < _WORTH_A_TABLE:
            return [_added(self._base, scalar) for scalar in scalars]
        return _added_by_table(self._base, scalars)


def _added(base: coincurve.PublicKey, scalar: int) -> bytes | None:
    """The base plus the scalar times the generator."""
    try:
        return _packed(base.add(scalar.to_bytes(32, "big")))
    except ValueError:
        return None


def _added_by_table(base: coincurve.PublicKey, scalars: list[int]) -> list[bytes | None]:
    """As `_added`; a digit of zero adds something too, which the base makes up for."""
    rows, surplus = _table()
    keys = coincurve.PublicKey
    try:
        start = keys.combine_keys([base, surplus])
    except ValueError:
        return [_added(base, scalar) for scalar in scalars]
    found: list[bytes | None] = []
    for scalar in scalars:
        digits = scalar.to_bytes(32, "little")
        terms = [row[digit] for row, digit in zip(rows, digits, strict=True)]
        terms.append(start)
        try:
            found.append(_packed(keys.combine_keys(terms)))
        except ValueError:
            found.append(None)
    return found


def _packed(key: coincurve.PublicKey) -> bytes:
    return bytes(key.format(compressed=False)[1:])


# Fewer digests are done before the table is.
_WORTH_A_TABLE = 16


@cache
def _table() -> tuple[list[list[coincurve.PublicKey]], coincurve.PublicKey]:
    """For each byte of a scalar, (digit + 1) times the generator's multiple; and what to add so
    that the sum is the scalar's.
    """
    keys = coincurve.PublicKey
    base, rows = keys.from_secret((1).to_bytes(32, "big")), []
    for _ in range(32):
        row = [base]
        for _ in range(255):
            row.append(keys.combine_keys([row[-1], base]))
        rows.append(row)
        base = row[-1]
    surplus = -sum(1 << 8 * place for place in range(32)) % ORDER
    return rows, keys.from_secret(surplus.to_bytes(32, "big"))


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
