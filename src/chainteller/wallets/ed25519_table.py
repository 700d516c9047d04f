"""One Ed25519 signature that is held against thousands of messages.

A signature R, S of a key A fits when h·A = S·B - R, and h alone depends on the message. With tabled
multiples of A this takes little more than half as long as a verification by libsodium, which has
the last word on what is found, and does all of it where pycryptodome's points, whose inner
functions are used, are other than expected.
"""

import hashlib
from binascii import b2a_base64
from collections.abc import Sequence
from functools import cached_property, lru_cache
from importlib import import_module
from typing import Any, NamedTuple

from chainteller.wallets.ed25519 import GROUP_ORDER, is_well_formed, signs

# The table takes as long as 240 verifications save, and who asks so much at once will go on.
_WORTH_A_TABLE = 100
_BASE64 = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


class Check:
    """One signature and one key, asked about many messages."""

    def __init__(self, signature: bytes, key: bytes) -> None:
        """64 bytes and 32 bytes; what is neither signs nothing."""
        self._signature, self._key = signature, key

    def first(self, messages: Sequence[bytes]) -> int | None:
        """Which of the messages is the first one that was signed."""
        if len(messages) > _WORTH_A_TABLE and is_well_formed(self._signature):
            table = _table(self._key)
            if table is not None:
                return self._first_by_table(messages, table)
        found = (i for i, each in enumerate(messages) if signs(each, self._signature, self._key))
        return next(found, None)

    def _first_by_table(self, messages: Sequence[bytes], table: "_Table") -> int | None:
        """The sum goes on from one message to the next by the difference of their hashes."""
        target, total = self._target, table.base.point_at_infinity()
        if target is None:
            return None
        start = hashlib.sha512(self._signature[:32] + self._key)
        at, goal, before = _pointer(total), _pointer(target), 0
        rows, add, differs = table.rows, table.lib.add, table.lib.cmp
        for index, message in enumerate(messages):
            hashed = start.copy()
            hashed.update(message)
            number = int.from_bytes(hashed.digest(), "little")
            signs_of_digits = b2a_base64(((number - before) % GROUP_ORDER).to_bytes(33, "big"))
            before = number
            for row, sign in zip(rows, signs_of_digits[1:], strict=False):
                add(at, row[sign])
            if not differs(at, goal) and signs(message, self._signature, self._key):
                return index
        return None

    @cached_property
    def _target(self) -> Any:
        """S·B - R; None where no point has this R."""
        table = _table(self._key)
        if table is None:
            return None
        try:
            commitment = table.decode(self._signature[:32]).pointQ
        except ValueError:
            return None
        return table.base * int.from_bytes(self._signature[32:], "little") + -commitment


def _pointer(point: Any) -> Any:
    """Valid as long as the point is."""
    return point._point.get()  # noqa: SLF001 - as said above


class _Table(NamedTuple):
    """Multiples of a key, as pycryptodome's points: row i holds digit · 64^(42 - i) times the key
    for each digit, at its sign in base64, which is the fastest way to cut a number into digits.

    `owners` keep the memory of the points, `base` is the generator.
    """

    rows: list[list[Any]]
    owners: list[Any]
    base: Any
    lib: Any
    decode: Any


@lru_cache(2)
def _table(key: bytes) -> _Table | None:
    """None where pycryptodome hasn't the functions that its points are made of."""
    try:
        raw, eddsa = (
            import_module(f"Crypto.{name}") for name in ("Util._raw_api", "Signature.eddsa")
        )
        point = eddsa.import_public_key(key).pointQ
        curve = point._curve  # noqa: SLF001 - as said above
        lib = curve.rawlib
        owners: list[Any] = []

        def copied(pointer: Any) -> Any:
            fresh = raw.VoidPointer()
            if lib.clone(fresh.address_of(), pointer):
                raise MemoryError("no room for a point of the curve")
            owners.append(raw.SmartPointer(fresh.get(), lib.free_point))
            return owners[-1].get()

        step, rows = copied(_pointer(point)), list[list[Any]]()
        neutral = point.point_at_infinity()
        owners.append(neutral)
        for _ in range(43):
            row = [_pointer(neutral)] * 128
            last = row[0]
            for sign in _BASE64[1:]:
                last = row[sign] = copied(last)
                lib.add(last, step)
            rows.insert(0, row)
            following = copied(last)
            lib.add(following, step)
            step = following
    except (ImportError, AttributeError, ValueError):
        return None
    return _Table(rows, owners, curve.G, lib, eddsa.import_public_key)
