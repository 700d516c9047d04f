"""secp256k1 in pure Python on the point arithmetic of eth_keys.

Verification handles public values only, so timing leaks nothing. The generator's multiples are
tabled: asking about the next digest of the same signature then costs a tenth of the first.
"""

from dataclasses import dataclass
from functools import cache

from eth_keys.backends.native.jacobian import (
    jacobian_add,
    jacobian_double,
    jacobian_multiply,
)

from chainteller.wallets.hashes import tagged_hash
from chainteller.wallets.secp256k1 import FIELD, ORDER, decompress, in_range

Point = tuple[int, int, int]
GENERATOR: Point = (
    0x79BE667EF9DCBBAC55A06295CE870B07029BFCDB2DCE28D959F2815B16F81798,
    0x483ADA7726A3C4655DA4FBFC0E1108A8FD17B448A68554199C47D08FFB10D4B8,
    1,
)
_INFINITY: Point = (0, 0, 1)


# Bits per window: wider tables take longer to build and less long to use.
_GENERATOR_WINDOW = 6
_KEY_WINDOW = 4
Table = tuple[int, list[list[Point]]]


def _window_table(base: Point, width: int) -> Table:
    """For each window of `width` bits of a scalar, the multiples of the base."""
    rows = []
    for _ in range(-(-256 // width)):
        row = [_INFINITY]
        for _ in range((1 << width) - 1):
            row.append(jacobian_add(row[-1], base))
        rows.append(row)
        base = jacobian_double(row[1 << (width - 1)])
    return width, rows


@cache
def _generator_table() -> Table:
    return _window_table(GENERATOR, _GENERATOR_WINDOW)


def _tabled_multiply(table: Table, scalar: int) -> Point:
    width, rows = table
    mask = (1 << width) - 1
    total = _INFINITY
    for row in rows:
        digit = scalar & mask
        if digit:
            total = jacobian_add(total, row[digit])
        scalar >>= width
    return total


def _affine(point: Point) -> tuple[int, int] | None:
    if point[1] == 0 or point[2] == 0:
        return None
    inverse = pow(point[2], -1, FIELD)
    return point[0] * inverse**2 % FIELD, point[1] * inverse**3 % FIELD


@dataclass(frozen=True, slots=True)
class _PureRecovery:
    base: Point
    digest_factor: int

    def public_key(self, digest: bytes) -> bytes | None:
        scalar = int.from_bytes(digest, "big") * self.digest_factor % ORDER
        key = _affine(jacobian_add(self.base, _tabled_multiply(_generator_table(), scalar)))
        return key and key[0].to_bytes(32, "big") + key[1].to_bytes(32, "big")


class _PureSchnorr:
    def __init__(self, r: int, commitment: Point, x_only: bytes, negated_key: Point) -> None:
        self._r = r
        self._commitment = commitment
        self._x_only = x_only
        self._negated_key = negated_key
        self._table: Table | None = None
        self._asked = 0

    def signs(self, message: bytes) -> bool:
        hashed = tagged_hash(
            "BIP0340/challenge", self._r.to_bytes(32, "big") + self._x_only + message
        )
        challenge = int.from_bytes(hashed, "big") % ORDER
        nonce = _affine(jacobian_add(self._commitment, self._multiply(challenge)))
        return nonce is not None and nonce[1] % 2 == 0 and nonce[0] == self._r

    def _multiply(self, challenge: int) -> Point:
        """A table of the key's multiples costs two multiplications, so it waits for the third."""
        self._asked += 1
        if self._table is None and self._asked <= 2:
            return jacobian_multiply(self._negated_key, challenge)
        if self._table is None:
            self._table = _window_table(self._negated_key, _KEY_WINDOW)
        return _tabled_multiply(self._table, challenge)


class PureCurve:
    """The `curve.Curve` of this module."""

    def recovery(self, r: int, s: int, recovery_id: int) -> _PureRecovery | None:
        x = r + ORDER if recovery_id >= 2 else r
        if not in_range(r, s) or x >= FIELD:
            return None
        packed = decompress(bytes([2 + (recovery_id & 1)]) + x.to_bytes(32, "big"))
        if packed is None:
            return None
        r_inverse = pow(r, -1, ORDER)
        point = (x, int.from_bytes(packed[32:], "big"), 1)
        base = jacobian_multiply(point, s * r_inverse % ORDER)
        return _PureRecovery(base, -r_inverse % ORDER)

    def schnorr(self, signature: bytes, x_only: bytes) -> _PureSchnorr | None:
        if len(signature) != 64 or len(x_only) != 32:
            return None
        key = decompress(b"\x02" + x_only)
        r, s = int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:], "big")
        if key is None or r >= FIELD or s >= ORDER:
            return None
        negated = (int.from_bytes(key[:32], "big"), FIELD - int.from_bytes(key[32:], "big"), 1)
        commitment = _tabled_multiply(_generator_table(), s)
        return _PureSchnorr(r, commitment, x_only, negated)

    def tweaked(self, key: bytes, tweak: bytes) -> bytes:
        x, y = int.from_bytes(key[:32], "big"), int.from_bytes(key[32:], "big")
        added = _tabled_multiply(_generator_table(), int.from_bytes(tweak, "big"))
        total = _affine(jacobian_add((x, y if y % 2 == 0 else FIELD - y, 1), added))
        return total[0].to_bytes(32, "big") if total else bytes(32)
