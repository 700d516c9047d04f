"""Signatures of r, s and v, which give away their key, and the families whose wallets make them.

Ethereum's wallets and those derived from them sign Keccak-256 of a prefix, the length and the text;
an address is the end of the Keccak-256 of a public key.
"""

import hashlib
from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from chainteller.wallets import bip137, bip322, ed25519
from chainteller.wallets.curve import KeyRecovery, curve, recoveries
from chainteller.wallets.encodings import Candidate, SignatureReading
from chainteller.wallets.family import (
    RIGHT,
    Address,
    Family,
    Match,
    Mistake,
    Network,
    SampleSignature,
    Shape,
)
from chainteller.wallets.hashes import Digest, double_sha256, keccak256, keccak256_of_each, sha256
from chainteller.wallets.proof import Proof
from chainteller.wallets.sample_keys import sign_digest
from chainteller.wallets.secp256k1 import HALF_ORDER, ORDER, in_range, packed_numbers, read_der
from chainteller.wallets.witness import Witness

_ERC6492_SUFFIX = bytes.fromhex("6492" * 16)
_TOP_BIT = 1 << 255
_PARITY = {0: 0, 1: 1, 27: 0, 28: 1}
_OF_SAFE = frozenset({31, 32})
"""A v of four more than a wallet's."""


@dataclass(frozen=True, slots=True)
class RecoverableSignature:
    """r and s with the parity that the signature states; None when its last byte is no v.

    `compact` marks 64 bytes, which are EIP-2098 or have lost their v.
    """

    r: int
    s: int
    parity: int | None
    compact: bool = False

    @property
    def high_s(self) -> bool:
        """Whether s is in the upper half, which these wallets never produce."""
        return self.s > HALF_ORDER

    def recovery(self, parity: int) -> KeyRecovery | None:
        """What recovers the signer for this parity."""
        return curve().recovery(self.r, self.s, parity)


def read_recoverable(data: bytes) -> tuple[RecoverableSignature, ...]:
    """The readings of 65 bytes, or of 64 (EIP-2098 compact, then r ‖ s without v)."""
    if len(data) not in {64, 65}:
        return ()
    r, second = int.from_bytes(data[:32], "big"), int.from_bytes(data[32:64], "big")
    if len(data) == 65:
        parity = _PARITY.get(data[64])
        return (RecoverableSignature(r, second, parity),) if in_range(r, second) else ()
    compact = RecoverableSignature(r, second % _TOP_BIT, second // _TOP_BIT, compact=True)
    bare = RecoverableSignature(r, second, None, compact=True)
    readings = (compact,) if compact.s == second else (compact, bare)
    return tuple(reading for reading in readings if in_range(reading.r, reading.s))


def pack(r: int, s: int, parity: int) -> bytes:
    """The 65 bytes of r, s and a v of 27 or 28."""
    return packed_numbers(r, s) + bytes([27 + parity])


def key_hash(key: bytes) -> bytes:
    """The 20 address bytes of the key x ‖ y."""
    return keccak256(key)[12:]


def signer(recovery: KeyRecovery | None, digest: bytes) -> bytes | None:
    """The 20 address bytes of the key that signed the digest; never the zero address."""
    key = recovery.public_key(digest) if recovery else None
    address = key_hash(key) if key else b""
    return address if any(address) else None


def signers(recovery: KeyRecovery, digests: Sequence[bytes]) -> list[bytes | None]:
    """As `signer`, for many digests."""
    keys = recovery.public_keys(digests)
    hashes = iter(keccak256_of_each([key for key in keys if key]))
    addresses = [next(hashes)[12:] if key else b"" for key in keys]
    return [address if any(address) else None for address in addresses]


def key_witness(
    reading: SignatureReading, address: Address, digests: Iterable[tuple[str, bytes, bytes]]
) -> Witness | None:
    """What proves that the secp256k1 key of the address signed one of the digests.

    `digests` are schemes with a message and its digest. Every place where r and s may be in the
    paste, and every recovery id, is tried: the form of the signature doesn't matter to whose it is.
    """
    named = list(digests)
    for numbers in _numbers(reading):
        for recovery in recoveries(numbers):
            keys = recovery.public_keys([digest for _, _, digest in named])
            for (scheme, message, digest), key in zip(named, keys, strict=True):
                if key is not None and address.network.family.owns(key, address):
                    return Witness(
                        scheme, message, digest, key, numbers, address.display, address.network.name
                    )
    return None


def _numbers(reading: SignatureReading) -> list[bytes]:
    """The 64 bytes that may be r ‖ s, in every place of every candidate, once each."""
    found: dict[bytes, None] = {}
    for candidate in reading.candidates:
        data = candidate.data
        if len(data) in {64, 65}:
            found[data[:64]] = found[data[-64:]] = None
        if der := read_der(data):
            found[packed_numbers(*der)] = None
        if len(data) == 64 and data[32] & 0x80:
            found[data[:32] + bytes([data[32] & 0x7F]) + data[33:]] = None
    return list(found)


def looks_like_contract_wallet(data: bytes) -> bool:
    """Whether the bytes are what smart-contract wallets return (ERC-6492, several owners, ABI)."""
    if data.endswith(_ERC6492_SUFFIX):
        return True
    if len(data) > 65 and len(data) % 65 == 0:
        return True
    first_word = int.from_bytes(data[:32], "big")
    return len(data) >= 96 and len(data) % 32 in {0, 1, 4} and first_word in {32, 64, 96}


def _is_of_safe(candidate: Candidate) -> bool:
    """Whether it's the signature of a Safe's only owner, who signed a hash as a message."""
    is_hex = candidate.encoding in {"hex", "parts"}
    return is_hex and len(candidate.data) == 65 and candidate.data[64] in _OF_SAFE


def is_low_compact(data: bytes) -> bool:
    """Whether 64 bytes can be a compact signature."""
    return any(not reading.high_s for reading in read_recoverable(data))


def looks_recoverable(candidate: Candidate) -> bool:
    """Whether the bytes are rather r, s and v than Bitcoin's header, r and s."""
    data = candidate.data
    if len(data) == 64:
        # With a header in front it is rather a Bitcoin signature that lost its end.
        return not 27 <= data[0] <= 42 and is_low_compact(data)
    if len(data) != 65 or data[64] not in _PARITY:
        return False
    return candidate.encoding in {"hex", "parts"} or bip137.read_legacy(data) is None


class KeccakFamily(Family, abstract=True):
    """Families that differ in their prefix and in how they write the 20 bytes of an address.

    message_prefix: what is hashed in front of the text's length and the text.
    scheme: what a proof of this family is called.
    """

    message_prefix: ClassVar[bytes]
    scheme: ClassVar[str]
    form = "ETHEREUM"
    recovers_keys = True
    may_be_contracts = True

    @abstractmethod
    def address_bytes(self, address: Address) -> bytes:
        """The 20 bytes of an address."""

    @abstractmethod
    def address_of(self, raw: bytes, network: Network) -> Address:
        """The address of 20 bytes."""

    def is_confirmed(
        self, _message: bytes, _signature: RecoverableSignature, _address: Address
    ) -> bool:
        """Whether a second implementation agrees; asked about accepted signatures only."""
        return True

    def message_digest(self, message: bytes) -> bytes:
        """The 32 bytes that the family's wallets sign."""
        return keccak256(self._prepared(message))

    def message_digest_of_each(self, messages: Iterable[bytes]) -> list[bytes]:
        """As `message_digest` for each."""
        return keccak256_of_each([self._prepared(message) for message in messages])

    def _prepared(self, message: bytes) -> bytes:
        return self.message_prefix + str(len(message)).encode() + message

    @property
    def message_digests(self) -> tuple[tuple[str, Digest], ...]:
        return ((self.scheme, self.message_digest),)

    def other_digests(self, _address: Address) -> tuple[tuple[str, str, Digest], ...]:
        """A bare hash of the text, or the text prepared twice."""
        twice: Digest = lambda text: self.message_digest(self._prepared(text))  # noqa: E731 - as below
        return (
            ("RAW_HASH_SIGNED", "raw-keccak256", keccak256),
            ("RAW_HASH_SIGNED", "raw-sha256", sha256),
            ("RAW_HASH_SIGNED", "raw-sha3-256", lambda text: hashlib.sha3_256(text).digest()),
            ("RAW_HASH_SIGNED", "raw-double-sha256", double_sha256),
            ("DOUBLE_PREFIX", f"{self.scheme}-twice", twice),
        )

    def framed(self, message: bytes) -> tuple[bytes, ...]:
        """The text with its prefix, and its digest."""
        return (self._prepared(message), self.message_digest(message))

    def owns(self, key: bytes, address: Address) -> bool:
        return key_hash(key) == self.address_bytes(address)

    def verify(self, message: bytes, data: bytes, _prefix: str, address: Address) -> Proof | None:
        """The proof when the registered key signed exactly these bytes as a message.

        Refused although the key is right: high s, a v other than 0, 1, 27 and 28.
        """
        expected, digest = self.address_bytes(address), self.message_digest(message)
        for reading in read_recoverable(data):
            if reading.parity is None or reading.high_s:
                continue
            recovered = signer(reading.recovery(reading.parity), digest)
            if recovered == expected and self.is_confirmed(message, reading, address):
                packed = pack(reading.r, reading.s, reading.parity)
                return Proof(self.scheme, packed.hex(), address.display)
        return None

    def probe(self, reading: SignatureReading) -> "RecoverableProbe":
        return RecoverableProbe(self, reading)

    def shape(self, reading: SignatureReading, _address: Address) -> Shape:
        best = reading.candidates[0]
        if any(looks_like_contract_wallet(c.data) or _is_of_safe(c) for c in reading.candidates):
            return Shape("CONTRACT_WALLET")
        if bip322.holds_proof(reading):
            return Shape("LOOKS_LIKE_BITCOIN")
        if any(c.encoding == "base58" and len(c.data) == 64 for c in reading.candidates):
            return Shape("LOOKS_LIKE_SOLANA")
        if bip137.has_header(best):
            return Shape("LOOKS_LIKE_BITCOIN")
        if all(len(c.data) not in {64, 65} for c in reading.candidates):
            return Shape("WRONG_LENGTH")
        if not any(read_recoverable(c.data) for c in reading.candidates):
            return Shape("MALFORMED_SIGNATURE")
        if ed25519.is_well_formed(best.data):
            # One compact signature in fifteen has so small an end, and every Solana one.
            return Shape("LOOKS_LIKE_SOLANA")
        return Shape()

    def sign(self, secret: bytes, message: bytes, _address: Address) -> SampleSignature:
        data = pack(*sign_digest(secret, self.message_digest(message)))
        return SampleSignature(self.scheme, data, _shown(data))

    def export_key(self, secret: bytes) -> str:
        """Hex, as wallets export the key."""
        return "0x" + secret.hex()

    @property
    def mistakes(self) -> Mapping[str, Mistake]:
        """Those of r, s and v."""
        return {
            "raw-keccak": Mistake(
                "an old tool signs the bare hash, as in eth_sign",
                lambda secret, text, _: _shown(pack(*sign_digest(secret, keccak256(text)))),
            ),
            "missing-v": Mistake(
                "the last byte of the signature is lost",
                lambda secret, text, address: self.sign(secret, text, address).shown[:-2],
            ),
            "high-s": Mistake(
                "the signature is in its second, altered form",
                lambda secret, text, _: self._with_high_s(secret, text),
            ),
        }

    def _with_high_s(self, secret: bytes, text: bytes) -> str:
        r, s, parity = sign_digest(secret, self.message_digest(text))
        return _shown(pack(r, ORDER - s, 1 - parity))


def _shown(data: bytes) -> str:
    return "0x" + data.hex()


class RecoverableProbe:
    """65 or 64 bytes of r, s and v."""

    carries_key = False
    names_its_key = True

    def __init__(self, family: KeccakFamily, reading: SignatureReading) -> None:
        """Prepare both parities of every reading."""
        self._family = family
        self._reading = reading
        # base58 is Solana's: an exact signature in it passes, but it is not worth guessing at.
        likely = [c.data for c in reading.candidates if c.encoding != "base58"]
        signatures = [sig for data in likely for sig in read_recoverable(data)]
        self._stated = [sig for sig in signatures if sig.parity is not None]
        pairs = [(sig, parity) for sig in signatures for parity in (0, 1)]
        # A stated parity comes before the one that has to be guessed.
        pairs.sort(key=lambda pair: pair[0].parity != pair[1])
        self._readings = [(sig, parity, sig.recovery(parity)) for sig, parity in pairs]
        self._signers: dict[bytes, tuple[bytes | None, ...]] = {}

    @property
    def cost(self) -> float:
        return 1 if self._stated else 0

    def names(self, _address: Address) -> bool:
        """False: no key is written down."""
        return False

    def _recover(self, digest: bytes) -> tuple[bytes | None, ...]:
        if digest not in self._signers:
            self._prepare([digest])
        return self._signers[digest]

    def _prepare(self, digests: Sequence[bytes]) -> None:
        columns = [
            signers(recovery, digests) if recovery else [None] * len(digests)
            for _, _, recovery in self._readings
        ]
        for position, digest in enumerate(digests):
            self._signers[digest] = tuple(column[position] for column in columns)

    def prepare(self, messages: Sequence[bytes]) -> None:
        self._prepare(self._family.message_digest_of_each(messages))

    def find(
        self, messages: Sequence[bytes], addresses: Sequence[Address], *, thorough: int
    ) -> Match | None:
        """Under the parity that the signature states; `thorough`ly under both if it states none."""
        wanted = {
            self._family.address_bytes(each): each
            for each in addresses
            if each.network.family is self._family
        }
        if not self._stated:
            messages = messages[:thorough]
        digests = self._family.message_digest_of_each(messages)
        best: Match | None = None
        for sig, parity, recovery in self._readings:
            if recovery is None or (self._stated and sig.parity != parity):
                continue
            keys = recovery.public_keys(digests)
            for index, hashed in enumerate(keccak256_of_each([key or b"" for key in keys])):
                if hashed[12:] in wanted and keys[index]:
                    if best is None or index < best.index:
                        best = Match(index, wanted[hashed[12:]])
                    break
        return best

    def witness(self, message: bytes, address: Address) -> Witness | None:
        digest = self._family.message_digest(message)
        return key_witness(self._reading, address, [(self._family.scheme, message, digest)])

    def match(self, message: bytes, address: Address) -> str | None:
        expected = self._family.address_bytes(address)
        found = self._recover(self._family.message_digest(message))
        for (sig, parity, _), recovered in zip(self._readings, found, strict=True):
            if recovered == expected:
                if sig.high_s:
                    return "HIGH_S"
                if sig.parity == parity:
                    return RIGHT
                return "MISSING_RECOVERY_BYTE" if sig.compact else "WRONG_RECOVERY_BYTE"
        return None

    def signer(self, message: bytes, like: Address) -> Address | None:
        """Nobody when the parity would have to be guessed."""
        if not self._stated:
            return None
        recovered = self._recover(self._family.message_digest(message))[0]
        return self._family.address_of(recovered, like.network) if recovered else None
