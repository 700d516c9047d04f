"""The curve secp256k1: its constants, and public keys in their SEC1 forms."""

ORDER = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
FIELD = 2**256 - 2**32 - 977
HALF_ORDER = ORDER // 2


def in_range(r: int, s: int) -> bool:
    """Whether r and s are both in 1..n-1, as every ECDSA signature's are."""
    return 0 < r < ORDER and 0 < s < ORDER


def x_is_on_curve(x: int) -> bool:
    """Whether some point has this x-coordinate."""
    y_squared = (pow(x, 3, FIELD) + 7) % FIELD
    return 0 < x < FIELD and pow(y_squared, (FIELD - 1) // 2, FIELD) in {0, 1}


def decompress(key: bytes) -> bytes | None:
    """The 64 bytes x ‖ y of a 33- or 65-byte SEC1 key, or None when it is not one."""
    if len(key) == 65 and key[0] == 4:
        x, y = int.from_bytes(key[1:33], "big"), int.from_bytes(key[33:], "big")
        on_curve = x < FIELD and y < FIELD and (y * y - pow(x, 3, FIELD) - 7) % FIELD == 0
        return key[1:] if on_curve else None
    if len(key) != 33 or key[0] not in {2, 3}:
        return None
    x = int.from_bytes(key[1:], "big")
    if not x_is_on_curve(x):
        return None
    y = pow(pow(x, 3, FIELD) + 7, (FIELD + 1) // 4, FIELD)
    if y & 1 != key[0] & 1:
        y = FIELD - y
    return key[1:] + y.to_bytes(32, "big")


def compress(key: bytes) -> bytes:
    """The 33-byte SEC1 form of x ‖ y."""
    return bytes([2 + (key[63] & 1)]) + key[:32]


def packed_numbers(r: int, s: int) -> bytes:
    """The 64 bytes r ‖ s."""
    return r.to_bytes(32, "big") + s.to_bytes(32, "big")


def write_der(r: int, s: int) -> bytes:
    """The DER form of a signature."""
    body = b""
    for number in (r, s):
        octets = number.to_bytes(number.bit_length() // 8 + 1, "big")
        body += b"\x02" + bytes([len(octets)]) + octets
    return b"\x30" + bytes([len(body)]) + body


def read_der(data: bytes) -> tuple[int, int] | None:
    """R and s in range, in strict DER (BIP-66), or None."""
    size = data[3] if 8 <= len(data) <= 72 else 0
    r, s = int.from_bytes(data[4 : 4 + size], "big"), int.from_bytes(data[6 + size :], "big")
    return (r, s) if in_range(r, s) and write_der(r, s) == data else None
