"""secp256k1 in pure Python.

Verification handles public values only, so timing leaks nothing. The generator's multiples are
tabled, and many digests of one signature are asked about at once: their additions share the
divisions, which makes each a fiftieth of the first.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import NamedTuple

from chainteller.wallets.hashes import tagged_hash
from chainteller.wallets.secp256k1 import FIELD, ORDER, decompress, in_range

Point = tuple[int, int]
_Jacobian = tuple[int, int, int]
GENERATOR: Point = (
    0x79BE667EF9DCBBAC55A06295CE870B07029BFCDB2DCE28D959F2815B16F81798,
    0x483ADA7726A3C4655DA4FBFC0E1108A8FD17B448A68554199C47D08FFB10D4B8,
)
_INFINITY: _Jacobian = (0, 1, 0)
# Bits per window: wider tables take longer to build and less long to use.
_GENERATOR_WINDOW = 11
_KEY_WINDOW = 5


class Table(NamedTuple):
    """Odd multiples of a base, for sums without a digit that adds nothing.

    Row i holds, for each digit d of `width` bits, (2d + 1 - 2^width) · 2^(width · i) times it;
    `surplus` is what the sum of a row's points for a number lacks to twice the number's multiple.
    """

    width: int
    rows: list[list[Point]]
    surplus: Point


def _double(point: _Jacobian) -> _Jacobian:
    x, y, z = point
    if z == 0:
        return point
    y_squared = y * y % FIELD
    s = 4 * x * y_squared % FIELD
    m = 3 * x * x % FIELD
    x_new = (m * m - 2 * s) % FIELD
    return x_new, (m * (s - x_new) - 8 * y_squared * y_squared) % FIELD, 2 * y * z % FIELD


def _add(first: _Jacobian, second: _Jacobian) -> _Jacobian:
    x1, y1, z1 = first
    x2, y2, z2 = second
    if z1 == 0:
        return second
    if z2 == 0:
        return first
    z1_squared, z2_squared = z1 * z1 % FIELD, z2 * z2 % FIELD
    u1, u2 = x1 * z2_squared % FIELD, x2 * z1_squared % FIELD
    s1, s2 = y1 * z2_squared * z2 % FIELD, y2 * z1_squared * z1 % FIELD
    if u1 == u2:
        return _double(first) if s1 == s2 else _INFINITY
    h, r = u2 - u1, s2 - s1
    h_squared = h * h % FIELD
    h_cubed, v = h_squared * h % FIELD, u1 * h_squared % FIELD
    x_new = (r * r - h_cubed - 2 * v) % FIELD
    return x_new, (r * (v - x_new) - s1 * h_cubed) % FIELD, h * z1 * z2 % FIELD


def _multiply(point: Point, scalar: int) -> _Jacobian:
    """Any point times a scalar, four bits at a time."""
    multiples = [_INFINITY, (*point, 1)]
    for _ in range(14):
        multiples.append(_add(multiples[-1], multiples[1]))
    total = _INFINITY
    for shift in range(252, -4, -4):
        for _ in range(4):
            total = _double(total)
        digit = scalar >> shift & 15
        if digit:
            total = _add(total, multiples[digit])
    return total


def _affine(point: _Jacobian) -> Point | None:
    x, y, z = point
    if z == 0:
        return None
    inverse = pow(z, -1, FIELD)
    squared = inverse * inverse % FIELD
    return x * squared % FIELD, y * squared * inverse % FIELD


def _add_all(totals: list[Point | None], addends: Sequence[Point | None]) -> None:
    """Add to each of the totals its addend, in place, by one division for all; None is infinity."""
    try:
        _add_different(totals, addends)
    except (TypeError, ValueError):
        # Infinity among them, or two points with one x: once in 2^240 times unless it's meant.
        for index, (total, addend) in enumerate(zip(totals, addends, strict=True)):
            first = (*total, 1) if total else _INFINITY
            totals[index] = _affine(_add(first, (*addend, 1) if addend else _INFINITY))


def _add_different(totals: list[Point | None], addends: Sequence[Point | None]) -> None:
    """As `_add_all`. Raises TypeError for infinity, ValueError for equal or opposite points; the
    totals are then as they were.
    """
    product, products = 1, list[int]()
    for (x1, _), (x2, _) in zip(totals, addends, strict=True):  # type: ignore[misc]  # as said
        products.append(product)
        product = product * (x2 - x1) % FIELD
    inverse = pow(product, -1, FIELD)
    sums = list[Point]()
    pairs = zip(reversed(products), reversed(totals), reversed(addends), strict=True)
    for product, (x1, y1), (x2, y2) in pairs:  # type: ignore[misc]  # seen above
        slope = (y2 - y1) * (inverse * product % FIELD) % FIELD
        inverse = inverse * (x2 - x1) % FIELD
        x = (slope * slope - x1 - x2) % FIELD
        sums.append((x, (slope * (x1 - x) - y1) % FIELD))
    totals[:] = reversed(sums)


def _window_table(base: Point, width: int) -> Table:
    firsts: list[Point | None] = []
    row_base: _Jacobian = (*base, 1)
    for _ in range(-(-256 // width)):
        firsts.append(_affine(row_base))
        for _ in range(width):
            row_base = _double(row_base)
    steps = [_affine(_double((*first, 1))) for first in firsts if first]
    multiples, halves = list(firsts), [list[Point]() for _ in firsts]
    for _ in range(1 << (width - 1)):
        for half, multiple in zip(halves, multiples, strict=True):
            # The base has the curve's prime order, so none of its small multiples is infinity.
            half.append(multiple or base)
        _add_all(multiples, steps)
    rows = [[(x, FIELD - y) for x, y in reversed(half)] + half for half in halves]
    missing = ((1 << width) - 1) * sum(1 << width * place for place in range(len(rows))) % ORDER
    return Table(width, rows, _affine(_multiply(base, missing)) or base)


@cache
def _generator_table() -> Table:
    return _window_table(GENERATOR, _GENERATOR_WINDOW)


_HALF = pow(2, -1, ORDER)


def _sums(starts: Sequence[Point | None], table: Table, scalars: list[int]) -> list[Point | None]:
    """Each start plus its scalar times the table's base."""
    width, rows, surplus = table
    mask = (1 << width) - 1
    halves = [scalar * _HALF % ORDER for scalar in scalars]
    begun = {start: _affine(_add((*start, 1) if start else _INFINITY, (*surplus, 1)))
             for start in set(starts)}  # fmt: skip
    totals = [begun[start] for start in starts]
    for position, row in enumerate(rows):
        shift = width * position
        _add_all(totals, [row[half >> shift & mask] for half in halves])
    return totals


def _packed(point: Point | None) -> bytes | None:
    return point and point[0].to_bytes(32, "big") + point[1].to_bytes(32, "big")


@dataclass(frozen=True, slots=True)
class _PureRecovery:
    base: Point | None
    digest_factor: int

    def public_key(self, digest: bytes) -> bytes | None:
        return self.public_keys((digest,))[0]

    def public_keys(self, digests: Sequence[bytes]) -> list[bytes | None]:
        factor = self.digest_factor
        scalars = [int.from_bytes(digest, "big") * factor % ORDER for digest in digests]
        sums = _sums([self.base] * len(scalars), _generator_table(), scalars)
        return [_packed(point) for point in sums]


class _PureSchnorr:
    def __init__(self, r: int, commitment: Point | None, x_only: bytes, negated_key: Point) -> None:
        self._r = r
        self._commitment = commitment
        self._x_only = x_only
        self._negated_key = negated_key
        self._table: Table | None = None
        self._asked = 0

    def signs(self, message: bytes) -> bool:
        return self.signed((message,))[0]

    def signed(self, messages: Sequence[bytes]) -> list[bool]:
        head = self._r.to_bytes(32, "big") + self._x_only
        hashes = [tagged_hash("BIP0340/challenge", head + message) for message in messages]
        challenges = [int.from_bytes(hashed, "big") % ORDER for hashed in hashes]
        nonces = self._nonces(challenges)
        return [nonce is not None and nonce[1] % 2 == 0 and nonce[0] == self._r for nonce in nonces]

    def _nonces(self, challenges: list[int]) -> list[Point | None]:
        """A table of the key's multiples costs a dozen multiplications, so it waits for them."""
        self._asked += len(challenges)
        commitments = [self._commitment] * len(challenges)
        if self._table is None and self._asked <= 12:
            products = [_affine(_multiply(self._negated_key, number)) for number in challenges]
            _add_all(commitments, products)
            return commitments
        if self._table is None:
            self._table = _window_table(self._negated_key, _KEY_WINDOW)
        return _sums(commitments, self._table, challenges)


class PureCurve:
    """The `curve.Curve` of this module."""

    repairs = 30

    @staticmethod
    @lru_cache(16)
    def recovery(r: int, s: int, recovery_id: int) -> _PureRecovery | None:
        x = r + ORDER if recovery_id >= 2 else r
        if not in_range(r, s) or x >= FIELD:
            return None
        packed = decompress(bytes([2 + (recovery_id & 1)]) + x.to_bytes(32, "big"))
        if packed is None:
            return None
        r_inverse = pow(r, -1, ORDER)
        point = (x, int.from_bytes(packed[32:], "big"))
        base = _affine(_multiply(point, s * r_inverse % ORDER))
        return _PureRecovery(base, -r_inverse % ORDER)

    def schnorr(self, signature: bytes, x_only: bytes) -> _PureSchnorr | None:
        if len(signature) != 64 or len(x_only) != 32:
            return None
        key = decompress(b"\x02" + x_only)
        r, s = int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:], "big")
        if key is None or r >= FIELD or s >= ORDER:
            return None
        negated = (int.from_bytes(key[:32], "big"), FIELD - int.from_bytes(key[32:], "big"))
        commitment = _sums([None], _generator_table(), [s])[0]
        return _PureSchnorr(r, commitment, x_only, negated)

    def generated(self, scalar: bytes) -> bytes | None:
        number = int.from_bytes(scalar, "big") % ORDER
        return _packed(_sums([None], _generator_table(), [number])[0])

    def plus(self, key: bytes, tweak: bytes) -> bytes | None:
        point = int.from_bytes(key[:32], "big"), int.from_bytes(key[32:], "big")
        scalar = int.from_bytes(tweak, "big")
        if scalar >= ORDER:
            return None
        return _packed(_sums([point], _generator_table(), [scalar])[0])
