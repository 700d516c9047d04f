"""The 65-byte message signatures of Bitcoin and its relatives: BIP-137 headers, and Electrum's that
name no type.
"""

from dataclasses import dataclass

from chainteller.wallets.bitcoin_keys import KEY_KINDS, is_of_key
from chainteller.wallets.curve import KeyRecovery, curve
from chainteller.wallets.encodings import Candidate
from chainteller.wallets.family import Address
from chainteller.wallets.hashes import double_sha256
from chainteller.wallets.proof import Proof
from chainteller.wallets.secp256k1 import in_range

_NAMED_KIND = {27: "p2pkh", 31: "p2pkh", 35: "p2sh", 39: "p2wpkh"}


@dataclass(frozen=True, slots=True)
class LegacySignature:
    """A header byte of 27..42 with r and s; high s is as good as low (Bitcoin Core)."""

    header: int
    r: int
    s: int

    @property
    def compressed(self) -> bool:
        """Whether the header speaks of a compressed key; only p2pkh knows the other."""
        return self.header >= 31

    @property
    def named_kind(self) -> str:
        """The address type that the header names (BIP-137)."""
        return _NAMED_KIND[self.header - (self.header - 27) % 4]

    def recovery(self) -> KeyRecovery | None:
        """What recovers the signing key."""
        return curve().recovery(self.r, self.s, (self.header - 27) % 4)


def compact_size(length: int) -> bytes:
    """Bitcoin's variable-length integer."""
    if length < 0xFD:
        return bytes([length])
    if length <= 0xFFFF:
        return b"\xfd" + length.to_bytes(2, "little")
    return b"\xfe" + length.to_bytes(4, "little")


def message_digest(message: bytes, magic: bytes) -> bytes:
    """The 32 bytes that `signmessage` signs; the magic, such as Bitcoin Signed Message, is the
    chain's.
    """
    framed = compact_size(len(magic)) + magic + compact_size(len(message)) + message
    return double_sha256(framed)


def read_legacy(data: bytes) -> LegacySignature | None:
    """The signature in 65 bytes with a header of 27..42, or None."""
    if len(data) != 65 or not 27 <= data[0] <= 42:
        return None
    r, s = int.from_bytes(data[1:33], "big"), int.from_bytes(data[33:], "big")
    return LegacySignature(data[0], r, s) if in_range(r, s) else None


def verify_legacy(digest: bytes, data: bytes, address: Address, scheme: str) -> Proof | None:
    """The proof when the key behind the address signed the digest of the message.

    Any header of a compressed key stands for any type of that key's addresses: Electrum, Ledger
    and others write 31..34 whatever the type. Taproot has no such signature.
    """
    legacy = read_legacy(data)
    recovery = legacy.recovery() if legacy else None
    key = recovery.public_key(digest) if recovery else None
    if legacy is None or key is None:
        return None
    kinds = KEY_KINDS if legacy.compressed else {"p2pkh"}
    if address.kind not in kinds or not is_of_key(key, address, compressed=legacy.compressed):
        return None
    return Proof(scheme, data.hex(), address.display)


def has_header(candidate: Candidate) -> bool:
    """Whether 65 bytes are rather Bitcoin's, with a header in front, than r, s and v."""
    data = candidate.data
    return read_legacy(data) is not None and (
        candidate.encoding == "base64" or data[64] not in {0, 1, 27, 28}
    )
