"""XRP Ledger: addresses r…, and signatures of `ripple-keypairs` over the UTF-8 bytes of the text.

GemWallet, Crossmark and Vultisig sign messages so: a secp256k1 key the first half of the text's
SHA-512, in DER, and an Ed25519 key the text itself, both shown in upper-case hex. Xaman and Ledger
sign transactions alone, which aren't taken for a message.

An address is the hash of a key, and an Ed25519 signature doesn't give its key away: the wallet's
public key (ED and 64 digits) has to be sent as well. What is kept of such a signature is both.
"""

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import ClassVar

import base58

from chainteller.wallets.bare_ecdsa import BareEcdsaFamily, BareEcdsaProbe
from chainteller.wallets.ed25519 import COST as ED25519_COST
from chainteller.wallets.ed25519 import is_well_formed, signs
from chainteller.wallets.encodings import SignatureReading
from chainteller.wallets.family import RIGHT, Address, InvalidAddress, Match, Network, Shape
from chainteller.wallets.hashes import Digest, double_sha256, hash160, sha256
from chainteller.wallets.proof import Proof
from chainteller.wallets.secp256k1 import compress, read_der, write_der
from chainteller.wallets.witness import Witness
from chainteller.wallets.wording import WRONG_MESSAGE_FORMAT, Wording

_BASE58 = re.compile(r"[rpshnaf39wBUDNEGHJKLM4PQRST7VWXYZ2bcdeCg65jkm8oFqi1tuvAxyz]+", re.ASCII)
_SCHEME, _ED25519_SCHEME = "xrpl-secp256k1", "xrpl-ed25519"
_ED25519 = b"\xed"
_KEY = 33


class Xrp(BareEcdsaFamily):
    """The XRP Ledger's family."""

    name = "xrp"
    label = "XRP Ledger"
    uri_schemes = ("xrp", "ripple")
    sign_function = "signMessage (sign message) of GemWallet or Crossmark, not a transaction"
    how_to_sign = (
        'XRP wallet: "Sign message" (GemWallet, Crossmark);',
        "the public key, too, if it begins with ED.",
    )
    form = "XRP"
    public_key_form = re.compile(r"(?<![0-9A-Za-z])ED[0-9A-F]{64}(?![0-9A-Za-z])", re.IGNORECASE)
    findings: ClassVar[Mapping[str, Wording]] = {
        "PUBLIC_KEY_MISSING": Wording(
            WRONG_MESSAGE_FORMAT,
            "This may be an Ed25519 signature. It can't be checked without the wallet's public "
            "key, which begins with ED.",
            "Could you send the public key that your wallet shows for this account, together with "
            "the signature?",
            "Paste the signature and the public key together, each on a line.",
        ),
    }

    @cached_property
    def networks(self) -> tuple[Network, ...]:
        """The reference of each is its network id."""
        return (
            Network("xrp", "xrpl:0", self, main=True, aliases=("xrpl", "ripple", "xrp-mainnet")),
            Network("xrp-testnet", "xrpl:1", self, main=False),
            Network("xrp-devnet", "xrpl:2", self, main=False),
        )

    def parse_address(self, text: str, network: Network) -> Address:
        """Read a classic address, not an X-address, which holds a service's destination tag."""
        if text[:1] in {"X", "T"} and len(text) == 47:
            raise InvalidAddress("UNSUPPORTED_TYPE")
        if not _BASE58.fullmatch(text):
            raise InvalidAddress("ENCODING")
        if not 25 <= len(text) <= 35:
            raise InvalidAddress("LENGTH")
        try:
            raw = base58.b58decode_check(text, alphabet=base58.XRP_ALPHABET)
        except ValueError:
            raise InvalidAddress("CHECKSUM") from None
        if len(raw) != 21 or raw[0]:
            raise InvalidAddress("UNSUPPORTED_TYPE")
        if not any(raw[:-1]):
            raise InvalidAddress("ZERO")
        return Address(network, text, text, "xrp")

    def is_address(self, text: str) -> bool:
        try:
            self.parse_address(text, self.networks[0])
        except InvalidAddress:
            return False
        return True

    def custody_address(self, _network: Network, random_bytes: Callable[[int], bytes]) -> str:
        return _written(random_bytes(20))

    def digest(self, message: bytes, _address: Address) -> bytes:
        return _sha512_half(message)

    def scheme_of(self, _address: Address) -> str:
        return _SCHEME

    def read_numbers(self, data: bytes) -> tuple[int, int] | None:
        return read_der(data)

    def write_numbers(self, r: int, s: int) -> bytes:
        return write_der(r, s)

    def shown(self, data: bytes) -> str:
        return data.hex().upper()

    @property
    def message_digests(self) -> tuple[tuple[str, Digest], ...]:
        return ((_SCHEME, _sha512_half),)

    def other_digests(self, _address: Address) -> tuple[tuple[str, str, Digest], ...]:
        """A bare hash of the text."""
        return (
            ("RAW_HASH_SIGNED", "raw-sha256", sha256),
            ("RAW_HASH_SIGNED", "raw-double-sha256", double_sha256),
        )

    def owns(self, key: bytes, address: Address) -> bool:
        return hash160(compress(key)) == _account(address.canonical)

    def is_unmistakable(self, reading: SignatureReading) -> bool:
        """Whether it's DER, which no other family's wallets write."""
        return read_der(reading.candidates[0].data) is not None

    def verify(self, message: bytes, data: bytes, prefix: str, address: Address) -> Proof | None:
        """As its base, or by an Ed25519 key that is sent with its signature."""
        key, signature = _with_key(data)
        if key and _owns_ed25519(key, address) and signs(message, signature, key[1:]):
            return Proof(_ED25519_SCHEME, (key + signature).hex(), address.display)
        return super().verify(message, data, prefix, address)

    def probe(self, reading: SignatureReading) -> "XrpProbe":
        return XrpProbe(self, reading)

    def shape(self, reading: SignatureReading, address: Address) -> Shape:
        if any(_with_key(each.data)[0] for each in reading.candidates):
            return Shape()
        if any(each.encoding == "hex" and is_well_formed(each.data) for each in reading.candidates):
            return Shape("PUBLIC_KEY_MISSING")
        return super().shape(reading, address)


class XrpProbe(BareEcdsaProbe):
    """A signature in DER, or an Ed25519 key with its signature."""

    def __init__(self, family: Xrp, reading: SignatureReading) -> None:
        """Read every candidate as both kinds."""
        super().__init__(family, reading)
        pairs = (_with_key(each.data) for each in reading.candidates)
        self._pairs = [(key, signature) for key, signature in pairs if key]

    @property
    def carries_key(self) -> bool:
        return bool(self._pairs)

    @property
    def cost(self) -> float:
        return ED25519_COST if self._pairs else super().cost

    def names(self, address: Address) -> bool:
        return any(_owns_ed25519(key, address) for key, _ in self._pairs)

    def match(self, message: bytes, address: Address) -> str | None:
        if any(
            _owns_ed25519(key, address) and signs(message, signature, key[1:])
            for key, signature in self._pairs
        ):
            return RIGHT
        return super().match(message, address)

    def find(
        self, messages: Sequence[bytes], addresses: Sequence[Address], *, thorough: int
    ) -> Match | None:
        for key, signature in self._pairs:
            owner = next((each for each in addresses if _owns_ed25519(key, each)), None)
            for index, message in enumerate(messages) if owner else ():
                if owner and signs(message, signature, key[1:]):
                    return Match(index, owner)
        return super().find(messages, addresses, thorough=thorough)

    def witness(self, message: bytes, address: Address) -> Witness | None:
        for key, signature in self._pairs:
            if _owns_ed25519(key, address) and signs(message, signature, key[1:]):
                network = address.network.name
                return Witness(
                    _ED25519_SCHEME, message, message, key[1:], signature, address.display, network
                )
        return super().witness(message, address)

    def signer(self, message: bytes, like: Address) -> Address | None:
        """The owner of an Ed25519 key that is sent with its signature."""
        for key, signature in self._pairs:
            if signs(message, signature, key[1:]):
                text = _written(hash160(key))
                return Address(like.network, text, text, "xrp")
        return None


def _sha512_half(data: bytes) -> bytes:
    return hashlib.sha512(data).digest()[:32]


def _with_key(data: bytes) -> tuple[bytes, bytes]:
    """An Ed25519 public key with its prefix and the signature, in either order; else nothing."""
    if len(data) == _KEY + 64:
        for key, signature in ((data[:_KEY], data[_KEY:]), (data[64:], data[:64])):
            if key[:1] == _ED25519 and is_well_formed(signature):
                return key, signature
    return b"", b""


def _owns_ed25519(key: bytes, address: Address) -> bool:
    return address.kind == "xrp" and hash160(key) == _account(address.canonical)


@lru_cache(256)
def _account(canonical: str) -> bytes:
    return base58.b58decode_check(canonical, alphabet=base58.XRP_ALPHABET)[1:]


def _written(account: bytes) -> str:
    return base58.b58encode_check(b"\0" + account, alphabet=base58.XRP_ALPHABET).decode()
