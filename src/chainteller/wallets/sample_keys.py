"""ECDSA with published sample keys only: nothing here hides its timing."""


def public_key(secret: bytes) -> bytes:
    """The 64 bytes x ‖ y."""
    from eth_keys.datatypes import PrivateKey  # noqa: PLC0415 - loaded when a sample signature is asked for

    return bytes(PrivateKey(secret).public_key.to_bytes())


def sign_digest(secret: bytes, digest: bytes) -> tuple[int, int, int]:
    """Deterministic ECDSA with low s: r, s and the parity."""
    from eth_keys.datatypes import PrivateKey  # noqa: PLC0415 - as above

    signed = PrivateKey(secret).sign_msg_hash(digest)
    return int(signed.r), int(signed.s), int(signed.v)
