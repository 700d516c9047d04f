"""secp256k1 through coincurve (libsecp256k1); importing this fails where it is not installed.

Many digests of one signature are asked about at once: adding tabled multiples of the generator
takes half as long as a multiplication by the library.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from operator import getitem
from typing import Any, NamedTuple

import coincurve
from coincurve._libsecp256k1 import ffi, lib

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
        key = base.add(scalar.to_bytes(32, "big"))
    except ValueError:
        return None
    return bytes(key.format(compressed=False)[1:])


def _added_by_table(base: coincurve.PublicKey, scalars: list[int]) -> list[bytes | None]:
    """As `_added`; a digit of zero adds something too, which the base makes up for."""
    table = _table()
    try:
        start = coincurve.PublicKey.combine_keys([base, table.surplus]).public_key
    except ValueError:
        return [_added(base, scalar) for scalar in scalars]
    rows, context = table.rows, base.context.ctx
    total, size = ffi.new("secp256k1_pubkey *"), ffi.new("size_t *")
    packed, form = ffi.new("unsigned char[65]"), lib.SECP256K1_EC_UNCOMPRESSED
    shown, found = ffi.buffer(packed), list[bytes | None]()
    combine, serialize = lib.secp256k1_ec_pubkey_combine, lib.secp256k1_ec_pubkey_serialize
    for scalar in scalars:
        terms = [start, *map(getitem, rows, scalar.to_bytes(32, "little"))]
        if combine(context, total, terms, 33):
            size[0] = 65
            serialize(context, packed, size, total, form)
            found.append(shown[1:65])
        else:
            found.append(None)
    return found


# Fewer digests are done before the table is.
_WORTH_A_TABLE = 16


class _Table(NamedTuple):
    """Pointers into `points`, which lie side by side as their order of use is random.

    Row i holds (digit + 1) · 256^i times the generator for each digit; `surplus` makes up for the
    one more of each. The pointers don't keep the memory that they point to.
    """

    rows: list[list[Any]]
    points: Any
    surplus: coincurve.PublicKey


@cache
def _table() -> _Table:
    keys = coincurve.PublicKey
    base, points = (
        keys.from_secret((1).to_bytes(32, "big")),
        ffi.new("secp256k1_pubkey[]", 32 * 256),
    )
    for place in range(32):
        multiples = [base]
        while len(multiples) < 256:
            multiples.append(keys.combine_keys([multiples[-1], base]))
        for digit, multiple in enumerate(multiples):
            points[256 * place + digit] = multiple.public_key[0]
        base = multiples[-1]
    rows = [[points + 256 * place + digit for digit in range(256)] for place in range(32)]
    surplus = -sum(1 << 8 * place for place in range(32)) % ORDER
    return _Table(rows, points, keys.from_secret(surplus.to_bytes(32, "big")))


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

    def plus(self, key: bytes, tweak: bytes) -> bytes | None:
        try:
            found = coincurve.PublicKey(b"\x04" + key).add(tweak)
        except ValueError:
            return None
        return bytes(found.format(compressed=False)[1:])
