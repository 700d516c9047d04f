"""Why 32 bytes are no public key that could sign: the explanation libsodium's refusal lacks."""

_PRIME = 2**255 - 19
_D = -121665 * pow(121666, -1, _PRIME) % _PRIME


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
