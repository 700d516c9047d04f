"""Ed25519 as Solana uses it: verification by libsodium, and which bytes are a key or signature."""

from nacl.bindings import crypto_sign_open
from nacl.exceptions import BadSignatureError

_PRIME = 2**255 - 19
_D = -121665 * pow(121666, -1, _PRIME) % _PRIME
COST = 1.75
"""What making a text and checking a signature costs, compared with recovering a public key of
secp256k1 for it."""
GROUP_ORDER = 2**252 + 27742317777372353535851937790883648493


def signs(message: bytes, signature: bytes, key: bytes) -> bool:
    """Strict Ed25519 (libsodium): canonical S, no small-order points."""
    if len(signature) != 64 or len(key) != 32:
        return False
    try:
        crypto_sign_open(signature + message, key)
    except BadSignatureError:
        return False
    return True


def is_well_formed(signature: bytes) -> bool:
    """Whether S is below the group order, as in every real signature."""
    return len(signature) == 64 and int.from_bytes(signature[32:], "little") < GROUP_ORDER


def reason_not_signable(raw: bytes) -> str:
    """OFF_CURVE for no point (a program-derived address), SMALL_ORDER for a point outside the
    prime-order group. Meant for bytes that libsodium has refused.
    """
    y = int.from_bytes(raw, "little") & ((1 << 255) - 1)
    if y >= _PRIME:
        return "OFF_CURVE"
    x_squared = (y * y - 1) * pow(_D * y * y + 1, -1, _PRIME) % _PRIME
    on_curve = x_squared == 0 or pow(x_squared, (_PRIME - 1) // 2, _PRIME) == 1
    return "SMALL_ORDER" if on_curve else "OFF_CURVE"
