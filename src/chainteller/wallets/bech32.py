"""Bech32 and bech32m (BIP-173, BIP-350): segwit addresses to and from witness programs."""

_CHARSET = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
_VALUES = {character: value for value, character in enumerate(_CHARSET)}
_GENERATOR = (0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)
_BECH32, _BECH32M = 1, 0x2BC830A3


class BadBech32(ValueError):
    """Not a segwit address; `reason` is CHECKSUM, LENGTH or ENCODING."""

    def __init__(self, reason: str) -> None:
        """Keep the reason apart from any text of the input."""
        self.reason = reason
        super().__init__(reason)


def decode_segwit(text: str) -> tuple[str, int, bytes]:
    """Split an address into its prefix, witness version (0..16) and program (2..40 bytes).

    Raises:
        BadBech32: wrong alphabet, mixed case, checksum (also the other variant's), or length.
    """
    if text.lower() != text and text.upper() != text:
        raise BadBech32("ENCODING")
    lowered = text.lower()
    prefix, separator, data = lowered.rpartition("1")
    if not separator or not prefix or not lowered.isascii() or any(c not in _VALUES for c in data):
        raise BadBech32("ENCODING")
    if len(lowered) > 90 or len(data) < 7:
        raise BadBech32("LENGTH")
    values = [_VALUES[character] for character in data]
    version = values[0]
    if _polymod([*_expand(prefix), *values]) != (_BECH32 if version == 0 else _BECH32M):
        raise BadBech32("CHECKSUM")
    program = _regroup(values[1:-6])
    if version > 16:
        raise BadBech32("ENCODING")
    if not 2 <= len(program) <= 40 or (version == 0 and len(program) not in {20, 32}):
        raise BadBech32("LENGTH")
    return prefix, version, program


def encode_segwit(prefix: str, version: int, program: bytes) -> str:
    """The lower-case address of a witness program."""
    bits = int.from_bytes(program, "big")
    padding = -len(program) * 8 % 5
    groups = (len(program) * 8 + padding) // 5
    bits <<= padding
    values = [version, *((bits >> 5 * (groups - 1 - i)) & 31 for i in range(groups))]
    constant = _BECH32 if version == 0 else _BECH32M
    checksum = _polymod([*_expand(prefix), *values, 0, 0, 0, 0, 0, 0]) ^ constant
    values += [(checksum >> 5 * (5 - i)) & 31 for i in range(6)]
    return f"{prefix}1{''.join(_CHARSET[value] for value in values)}"


def _regroup(values: list[int]) -> bytes:
    bits = 0
    for value in values:
        bits = bits << 5 | value
    length, padding = divmod(len(values) * 5, 8)
    if padding > 4 or bits & ((1 << padding) - 1):
        raise BadBech32("ENCODING")
    return (bits >> padding).to_bytes(length, "big")


def _expand(prefix: str) -> list[int]:
    codes = prefix.encode()
    return [*(code >> 5 for code in codes), 0, *(code & 31 for code in codes)]


def _polymod(values: list[int]) -> int:
    checksum = 1
    for value in values:
        top = checksum >> 25
        checksum = (checksum & 0x1FFFFFF) << 5 ^ value
        for bit, generator in enumerate(_GENERATOR):
            if top >> bit & 1:
                checksum ^= generator
    return checksum
