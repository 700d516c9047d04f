"""Bech32, bech32m and CashAddr: addresses to and from their bytes.

Sources: BIP-173 and BIP-350 for segwit, the Cosmos SDK for bech32 over bare bytes, and Bitcoin
Cash's specification of CashAddr. All are groups of five bits with a BCH code at the end.
"""

from collections.abc import Iterable, Sequence

_CHARSET = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
_VALUES = {character: value for value, character in enumerate(_CHARSET)}
_BECH32_CODE = (0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)
_CASHADDR_CODE = (0x98F2BC8E61, 0x79B76D99E2, 0xF33E5FB3C4, 0xAE2EABE2A8, 0x1E4F43E470)
BECH32, BECH32M, CASHADDR = 1, 0x2BC830A3, 1
"""What is left of a right address of each kind."""


class BadBech32(ValueError):
    """Not such an address; `reason` is CHECKSUM, LENGTH or ENCODING."""

    def __init__(self, reason: str) -> None:
        """Keep the reason apart from any text of the input."""
        self.reason = reason
        super().__init__(reason)


def decode_segwit(text: str) -> tuple[str, int, bytes]:
    """Split an address into its prefix, witness version (0..16) and program (2..40 bytes).

    Raises:
        BadBech32: wrong alphabet, mixed case, checksum (also the other variant's), or length.
    """
    prefix, values = _split(text)
    version = values[0]
    if bech32_remainder(prefix, values) != (BECH32M if version else BECH32):
        raise BadBech32("CHECKSUM")
    program = _octets(values[1:-6])
    if version > 16:
        raise BadBech32("ENCODING")
    if not 2 <= len(program) <= 40 or (version == 0 and len(program) not in {20, 32}):
        raise BadBech32("LENGTH")
    return prefix, version, program


def encode_segwit(prefix: str, version: int, program: bytes) -> str:
    """The lower-case address of a witness program."""
    return _written(prefix, [version, *_words(program)], BECH32M if version else BECH32)


def decode_bech32(text: str) -> tuple[str, bytes]:
    """Split a bech32 address into its prefix and bytes.

    Raises:
        BadBech32: as `decode_segwit`, for any number of bytes.
    """
    prefix, values = _split(text)
    if bech32_remainder(prefix, values) != BECH32:
        raise BadBech32("CHECKSUM")
    return prefix, _octets(values[:-6])


def encode_bech32(prefix: str, data: bytes) -> str:
    """The lower-case bech32 address of the bytes."""
    return _written(prefix, _words(data), BECH32)


def decode_cashaddr(prefix: str, text: str) -> bytes:
    """The version byte and the hash of a CashAddr without its prefix.

    Raises:
        BadBech32: wrong alphabet, mixed case, checksum, or length.
    """
    values = _known(text)
    if len(values) < 9:
        raise BadBech32("LENGTH")
    if cashaddr_remainder(prefix, values) != CASHADDR:
        raise BadBech32("CHECKSUM")
    return _octets(values[:-8])


def encode_cashaddr(prefix: str, data: bytes) -> str:
    """The lower-case CashAddr of a version byte and a hash, without its prefix."""
    values = _words(data)
    checksum = cashaddr_remainder(prefix, [*values, *bytes(8)]) ^ CASHADDR
    return _spelled([*values, *(checksum >> 5 * (7 - i) & 31 for i in range(8))])


def values_of(text: str) -> list[int] | None:
    """The five-bit values of lower-case characters; None where one isn't of the alphabet."""
    return [_VALUES[each] for each in text] if all(each in _VALUES for each in text) else None


def bech32_remainder(prefix: str, values: Sequence[int]) -> int:
    """BECH32 or BECH32M for a right checksum."""
    codes = prefix.encode()
    expanded = [*(code >> 5 for code in codes), 0, *(code & 31 for code in codes)]
    return _remainder([*expanded, *values], _BECH32_CODE, 25)


def cashaddr_remainder(prefix: str, values: Sequence[int]) -> int:
    """CASHADDR for a right checksum."""
    expanded = [*(code & 31 for code in prefix.encode()), 0]
    return _remainder([*expanded, *values], _CASHADDR_CODE, 35)


def _split(text: str) -> tuple[str, list[int]]:
    prefix, separator, data = text.rpartition("1")
    if (
        not separator
        or not prefix
        or not text.isascii()
        or text not in {text.lower(), text.upper()}
    ):
        raise BadBech32("ENCODING")
    values = _known(data)
    if len(text) > 90 or len(values) < 7:
        raise BadBech32("LENGTH")
    return prefix.lower(), values


def _known(text: str) -> list[int]:
    values = values_of(text.lower()) if text in {text.lower(), text.upper()} else None
    if values is None:
        raise BadBech32("ENCODING")
    return values


def _written(prefix: str, values: list[int], kind: int) -> str:
    checksum = bech32_remainder(prefix, [*values, *bytes(6)]) ^ kind
    return f"{prefix}1{_spelled([*values, *(checksum >> 5 * (5 - i) & 31 for i in range(6))])}"


def _spelled(values: Iterable[int]) -> str:
    return "".join(_CHARSET[value] for value in values)


def _words(data: bytes) -> list[int]:
    groups = -(-len(data) * 8 // 5)
    bits = int.from_bytes(data, "big") << groups * 5 - len(data) * 8
    return [bits >> 5 * (groups - 1 - i) & 31 for i in range(groups)]


def _octets(values: list[int]) -> bytes:
    bits = 0
    for value in values:
        bits = bits << 5 | value
    length, padding = divmod(len(values) * 5, 8)
    if padding > 4 or bits & ((1 << padding) - 1):
        raise BadBech32("ENCODING")
    return (bits >> padding).to_bytes(length, "big")


def _remainder(values: Sequence[int], code: Sequence[int], bits: int) -> int:
    """Of a BCH code over five-bit values; ``bits`` is its length less five."""
    checksum = 1
    for value in values:
        top = checksum >> bits
        checksum = (checksum & (1 << bits) - 1) << 5 ^ value
        for at, part in enumerate(code):
            checksum ^= part if top >> at & 1 else 0
    return checksum
