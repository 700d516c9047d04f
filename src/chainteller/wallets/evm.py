"""EIP-191 personal messages: which key signed, and what a malformed signature looks like."""

from dataclasses import dataclass

from chainteller.wallets.addresses import Address
from chainteller.wallets.hashes import keccak256
from chainteller.wallets.proof import Proof
from chainteller.wallets.secp256k1 import HALF_ORDER, KeyRecovery, curve, in_range

_PREFIX = b"\x19Ethereum Signed Message:\n"
_ERC6492_SUFFIX = bytes.fromhex("6492" * 16)
_TOP_BIT = 1 << 255


@dataclass(frozen=True, slots=True)
class EvmSignature:
    """r and s with the parity that the signature states; None when its last byte is no v.

    `compact` marks 64 bytes, which are EIP-2098 or have lost their v.
    """

    r: int
    s: int
    parity: int | None
    compact: bool = False

    @property
    def high_s(self) -> bool:
        """Whether s is in the upper half, which Ethereum wallets never produce."""
        return self.s > HALF_ORDER

    def recovery(self, parity: int) -> KeyRecovery | None:
        """What recovers the signer for this parity."""
        return curve().recovery(self.r, self.s, parity)


def message_digest(message: bytes) -> bytes:
    """The 32 bytes that personal_sign signs (EIP-191 version 0x45)."""
    return keccak256(_PREFIX + str(len(message)).encode() + message)


def read_evm(data: bytes) -> tuple[EvmSignature, ...]:
    """The readings of 65 bytes, or of 64 (EIP-2098 compact, then r ‖ s without v)."""
    if len(data) not in {64, 65}:
        return ()
    r, second = int.from_bytes(data[:32], "big"), int.from_bytes(data[32:64], "big")
    if len(data) == 65:
        parity = {0: 0, 1: 1, 27: 0, 28: 1}.get(data[64])
        return (EvmSignature(r, second, parity),) if in_range(r, second) else ()
    compact = EvmSignature(r, second % _TOP_BIT, second // _TOP_BIT, compact=True)
    bare = EvmSignature(r, second, None, compact=True)
    readings = (compact,) if compact.s == second else (compact, bare)
    return tuple(reading for reading in readings if in_range(reading.r, reading.s))


def signer(recovery: KeyRecovery | None, digest: bytes) -> bytes | None:
    """The 20 address bytes of the key that signed the digest; never the zero address."""
    key = recovery.public_key(digest) if recovery else None
    address = keccak256(key)[12:] if key else b""
    return address if any(address) else None


def verify_evm(message: bytes, data: bytes, address: Address) -> Proof | None:
    """The proof when the registered key signed exactly these bytes with personal_sign.

    Refused although the key is right: high s, a v other than 0, 1, 27 and 28.
    """
    expected = bytes.fromhex(address.canonical[2:])
    for reading in read_evm(data):
        if reading.parity is None or reading.high_s:
            continue
        recovered = signer(reading.recovery(reading.parity), message_digest(message))
        if recovered == expected and _confirmed(message, reading, address):
            packed = reading.r.to_bytes(32, "big") + reading.s.to_bytes(32, "big")
            return Proof("eip191", (packed + bytes([27 + reading.parity])).hex(), address.display)
    return None


def _confirmed(message: bytes, reading: EvmSignature, address: Address) -> bool:
    """Whether eth-account, the reference for personal_sign, recovers the same address."""
    from eth_account import Account  # noqa: PLC0415 - half a second, paid by an accepted proof only
    from eth_account.messages import encode_defunct  # noqa: PLC0415 - as above

    assert reading.parity is not None  # noqa: S101 - the caller has checked it
    vrs = (27 + reading.parity, reading.r, reading.s)
    recovered: str = Account.recover_message(encode_defunct(primitive=message), vrs=vrs)
    return recovered.lower() == address.canonical


def looks_like_contract_wallet(data: bytes) -> bool:
    """Whether the bytes are what smart-contract wallets return (ERC-6492, several owners, ABI)."""
    if data.endswith(_ERC6492_SUFFIX):
        return True
    if len(data) > 65 and len(data) % 65 == 0:
        return True
    first_word = int.from_bytes(data[:32], "big")
    return len(data) >= 96 and len(data) % 32 in {0, 1, 4} and first_word in {32, 64, 96}
