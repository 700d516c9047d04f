"""Signatures of r and s alone, and the families whose wallets make them.

Without a recovery id, both are tried: a signature and its message lead to two keys, and the address
decides between them.
"""

from abc import abstractmethod
from collections.abc import Sequence

from chainteller.wallets import bip137, bip322
from chainteller.wallets.curve import recoveries
from chainteller.wallets.encodings import SignatureReading
from chainteller.wallets.family import (
    RIGHT,
    Address,
    Family,
    Match,
    SampleSignature,
    Shape,
)
from chainteller.wallets.proof import Proof
from chainteller.wallets.recoverable import key_witness, looks_like_contract_wallet
from chainteller.wallets.sample_keys import sign_digest
from chainteller.wallets.secp256k1 import HALF_ORDER, packed_numbers
from chainteller.wallets.witness import Witness

_COST = 1.5
"""Of making a text and recovering two public keys, compared with one."""


class BareEcdsaFamily(Family, abstract=True):
    """Families that differ in what they hash, and in how they write r and s."""

    recovers_keys = True

    @abstractmethod
    def digest(self, message: bytes, address: Address) -> bytes:
        """The 32 bytes that the wallet of the address signs for a message."""

    @abstractmethod
    def scheme_of(self, address: Address) -> str:
        """What a proof by such a signature of the address is called."""

    @abstractmethod
    def read_numbers(self, data: bytes) -> tuple[int, int] | None:
        """R and s as the family's wallets write them."""

    @abstractmethod
    def write_numbers(self, r: int, s: int) -> bytes:
        """The bytes that the family's wallets write for r and s."""

    @abstractmethod
    def shown(self, data: bytes) -> str:
        """A signature as the family's wallets display it."""

    def verify(self, message: bytes, data: bytes, _prefix: str, address: Address) -> Proof | None:
        """The proof when the key of the address signed exactly this message, with low s."""
        numbers = self.read_numbers(data)
        if numbers is None or numbers[1] > HALF_ORDER:
            return None
        digest = self.digest(message, address)
        keys = [each.public_key(digest) for each in recoveries(packed_numbers(*numbers))]
        if any(key is not None and self.owns(key, address) for key in keys):
            return Proof(self.scheme_of(address), data.hex(), address.display)
        return None

    def probe(self, reading: SignatureReading) -> "BareEcdsaProbe":
        return BareEcdsaProbe(self, reading)

    def shape(self, reading: SignatureReading, _address: Address) -> Shape:
        best = reading.candidates[0]
        if any(each.encoding == "base58" and len(each.data) == 64 for each in reading.candidates):
            return Shape("LOOKS_LIKE_SOLANA")
        if any(self.read_numbers(each.data) for each in reading.candidates):
            return Shape()
        if looks_like_contract_wallet(best.data):
            return Shape("LOOKS_LIKE_ETHEREUM")
        if bip322.holds_proof(reading) or bip137.has_header(best):
            return Shape("LOOKS_LIKE_BITCOIN")
        if len(best.data) == 65 and best.data[64] in {0, 1, 27, 28}:
            return Shape("LOOKS_LIKE_ETHEREUM")
        return Shape("MALFORMED_SIGNATURE" if len(best.data) == 64 else "WRONG_LENGTH")

    def sign(self, secret: bytes, message: bytes, address: Address) -> SampleSignature:
        r, s, _ = sign_digest(secret, self.digest(message, address))
        data = self.write_numbers(r, s)
        return SampleSignature(self.scheme_of(address), data, self.shown(data))

    def export_key(self, secret: bytes) -> str:
        """Hex, as wallets export the key."""
        return secret.hex()


class BareEcdsaProbe:
    """R and s, and the two keys that they lead to for each message."""

    def __init__(self, family: BareEcdsaFamily, reading: SignatureReading) -> None:
        """Read every candidate."""
        self._family = family
        self._reading = reading
        read = [family.read_numbers(each.data) for each in reading.candidates]
        found = {numbers: None for numbers in read if numbers is not None}
        self._is_high = any(s > HALF_ORDER for _, s in found)
        self._recoveries = [each for pair in found for each in recoveries(packed_numbers(*pair))]
        self._keys: dict[bytes, tuple[bytes | None, ...]] = {}

    @property
    def carries_key(self) -> bool:
        return False

    @property
    def names_its_key(self) -> bool:
        """False where what is signed depends on the address."""
        return bool(self._family.message_digests)

    @property
    def cost(self) -> float:
        return _COST if self._recoveries else 0

    def names(self, _address: Address) -> bool:
        """False: no key is written down."""
        return False

    def _recover(self, digests: Sequence[bytes]) -> list[tuple[bytes | None, ...]]:
        missing = [each for each in dict.fromkeys(digests) if each not in self._keys]
        columns = [recovery.public_keys(missing) for recovery in self._recoveries]
        for position, digest in enumerate(missing):
            self._keys[digest] = tuple(column[position] for column in columns)
        return [self._keys[each] for each in digests]

    def prepare(self, messages: Sequence[bytes]) -> None:
        """Nothing is shared between addresses."""

    def find(
        self,
        messages: Sequence[bytes],
        addresses: Sequence[Address],
        *,
        thorough: int,  # noqa: ARG002 - every message is tried under both ids
    ) -> Match | None:
        best: Match | None = None
        for address in addresses:
            if address.network.family is self._family:
                digests = [self._family.digest(each, address) for each in messages]
                for index, keys in enumerate(self._recover(digests)):
                    if any(key and self._family.owns(key, address) for key in keys):
                        best = Match(index, address)
                        messages = messages[:index]
                        break
        return best

    def witness(self, message: bytes, address: Address) -> Witness | None:
        digest = self._family.digest(message, address)
        return key_witness(
            self._reading, address, [(self._family.scheme_of(address), message, digest)]
        )

    def match(self, message: bytes, address: Address) -> str | None:
        (keys,) = self._recover([self._family.digest(message, address)])
        if any(key and self._family.owns(key, address) for key in keys):
            return "HIGH_S" if self._is_high else RIGHT
        return None

    def signer(self, _message: bytes, _like: Address) -> Address | None:
        """Nobody: one of two keys signed."""
        return None
