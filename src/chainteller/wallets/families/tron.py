"""TRON: base58check addresses that begin with T, and messages as TIP-191 signs them."""

import re
from collections.abc import Callable, Mapping
from functools import cached_property, lru_cache
from typing import ClassVar

import base58

from chainteller.wallets.encodings import BASE58
from chainteller.wallets.family import Address, InvalidAddress, Mistake, Network
from chainteller.wallets.hashes import Digest, keccak256
from chainteller.wallets.recoverable import KeccakFamily, pack
from chainteller.wallets.sample_keys import sign_digest
from chainteller.wallets.wording import Wording, altered

_VERSION = b"\x41"
_ETHEREUM_PREFIX = b"\x19Ethereum Signed Message:\n"
# As block explorers and nodes write addresses: the version byte and the 20 bytes, without checksum.
_HEX_FORM = re.compile(r"(?:0[xX])?41([0-9a-fA-F]{40})", re.ASCII)


class Tron(KeccakFamily):
    """TRON's family."""

    name = "tron"
    label = "TRON"
    uri_schemes = ("tron",)
    sign_function = "signMessageV2 (sign message), not trx.sign"
    how_to_sign = ('TRON wallet: "Sign message" (signMessageV2),', "never a transaction.")
    message_prefix = b"\x19TRON Signed Message:\n"
    scheme = "tip191"
    findings: ClassVar[Mapping[str, Wording]] = {
        "OLD_TRON_SIGN": altered(
            "it was made the way TronWeb's old trx.sign signs, which leaves out the text's length",
            "Could you sign our text with your wallet's newest 'sign message' function?",
            "The wallet must use signMessageV2 (sign message), not trx.sign.",
        ),
    }

    @cached_property
    def networks(self) -> tuple[Network, ...]:
        """The reference of each is its chain id (TIP-474) in decimal."""
        return (
            self._network("tron", 0x2B6653DC, "trx", "tron-mainnet", "tron:mainnet", main=True),
            self._network("tron-nile", 0xCD8690DC, "nile", "tron:nile"),
            self._network("tron-shasta", 0x94A9059E, "shasta", "tron:shasta"),
        )

    def _network(self, name: str, chain_id: int, *aliases: str, main: bool = False) -> Network:
        # Wallets wrote the chain id in hex until the namespace was registered with decimals.
        known_as = (*aliases, f"tron:0x{chain_id:x}")
        return Network(name, f"tron:{chain_id}", self, main, known_as)

    def parse_address(self, text: str, network: Network) -> Address:
        """Read the base58check form, or 21 bytes in hex."""
        raw = _from_hex(text) or _from_base58(text)
        if not any(raw):
            raise InvalidAddress("ZERO")
        return self.address_of(raw, network)

    def is_address(self, text: str) -> bool:
        if _HEX_FORM.fullmatch(text):
            return True
        try:
            _from_base58(text)
        except InvalidAddress:
            return False
        return True

    def address_bytes(self, address: Address) -> bytes:
        """The 20 bytes of an address."""
        return _address_bytes(address.canonical)

    def address_of(self, raw: bytes, network: Network) -> Address:
        """The address of 20 bytes."""
        text = base58.b58encode_check(_VERSION + raw).decode()
        return Address(network, text, text, "tron")

    def custody_address(self, network: Network, random_bytes: Callable[[int], bytes]) -> str:
        return self.address_of(random_bytes(20), network).display

    @property
    def message_digests(self) -> tuple[tuple[str, Digest], ...]:
        """Also those of the old trx.sign."""
        return (*super().message_digests, *_old_digests(self.scheme, self.message_prefix))

    def other_digests(self, address: Address) -> tuple[tuple[str, str, Digest], ...]:
        """Also those of the old trx.sign, which could be told to use Ethereum's prefix."""
        own = _old_digests(self.scheme, self.message_prefix)
        old = (*own, *_old_digests("eip191", _ETHEREUM_PREFIX))
        return (*super().other_digests(address), *(("OLD_TRON_SIGN", *each) for each in old))

    @property
    def mistakes(self) -> Mapping[str, Mistake]:
        """Also the old way of signing."""
        return {
            **super().mistakes,
            "old-sign": Mistake(
                "an old application signs with trx.sign",
                lambda secret, text, _: self._old_signature(secret, text),
            ),
        }

    def _old_signature(self, secret: bytes, text: bytes) -> str:
        (_, digest), _ = _old_digests(self.scheme, self.message_prefix)
        return "0x" + pack(*sign_digest(secret, digest(text))).hex()


@lru_cache(256)
def _address_bytes(canonical: str) -> bytes:
    return base58.b58decode(canonical)[1:21]


def _old_digests(scheme: str, prefix: bytes) -> tuple[tuple[str, Digest], tuple[str, Digest]]:
    """What TronWeb's trx.sign signs for a text or its hash: the length is always said to be 32."""
    return (
        (f"{scheme}-length-32", lambda text: keccak256(prefix + b"32" + text)),
        (f"{scheme}-length-32-of-hash", lambda text: keccak256(prefix + b"32" + keccak256(text))),
    )


def _from_hex(text: str) -> bytes | None:
    found = _HEX_FORM.fullmatch(text)
    return bytes.fromhex(found[1]) if found else None


def _from_base58(text: str) -> bytes:
    if not BASE58.fullmatch(text):
        raise InvalidAddress("ENCODING")
    if len(text) != 34:
        raise InvalidAddress("LENGTH")
    try:
        payload = base58.b58decode_check(text)
    except ValueError:
        raise InvalidAddress("CHECKSUM") from None
    if len(payload) != 21:
        raise InvalidAddress("LENGTH")
    if payload[:1] != _VERSION:
        raise InvalidAddress("WRONG_NETWORK")
    return payload[1:]
