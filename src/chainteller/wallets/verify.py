"""Verifies that the registered key signed exactly the text of a challenge."""

from chainteller.wallets.encodings import SignatureReading
from chainteller.wallets.family import Address
from chainteller.wallets.proof import Proof
from chainteller.wallets.reader import Unreadable, read_signature

__all__ = ["Proof", "verify_bytes", "verify_reading", "verify_signature"]


def verify_signature(text: str, signature: str, address: Address) -> Proof | None:
    """The proof that the address's key signed the text, or None.

    The same call with a claim's own record (text, signature in hex, address) checks it again.

    Raises:
        SecretPasted: the paste is a private key or recovery phrase; nothing of it is kept.
    """
    try:
        reading = read_signature(signature, address.network.family)
    except Unreadable:
        return None
    return verify_reading(text.encode(), reading, address)


def verify_reading(message: bytes, reading: SignatureReading, address: Address) -> Proof | None:
    """As `verify_signature`, for a paste that has been read."""
    for candidate in reading.candidates:
        proof = verify_bytes(message, candidate.data, reading.prefix, address)
        if proof is not None:
            return proof
    return None


def verify_bytes(message: bytes, data: bytes, prefix: str, address: Address) -> Proof | None:
    """As `verify_signature`, for bytes; `prefix` is what the family writes in front, or empty."""
    return address.network.family.verify(message, data, prefix, address)
