"""Solana: base58 keys as addresses, Ed25519 over the text or over an off-chain envelope of it."""

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, lru_cache

import base58
from nacl.bindings import (
    crypto_core_ed25519_is_valid_point,
    crypto_sign,
    crypto_sign_seed_keypair,
)

from chainteller.wallets import bip137, bip322
from chainteller.wallets.ed25519 import COST as ED25519_COST
from chainteller.wallets.ed25519 import is_well_formed, reason_not_signable, signs
from chainteller.wallets.encodings import BASE58, Candidate, SignatureReading
from chainteller.wallets.family import (
    RIGHT,
    Address,
    Family,
    InvalidAddress,
    Match,
    Network,
    SampleSignature,
    Shape,
)
from chainteller.wallets.proof import Proof
from chainteller.wallets.recoverable import is_low_compact, looks_like_contract_wallet
from chainteller.wallets.witness import Witness

_DOMAIN = b"\xffsolana offchain"
_NO_APPLICATION = bytes(32)
_LEDGER_LIMIT = 1212
_GENESIS = "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d"
_DEVNET_GENESIS = "EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG"
_TESTNET_GENESIS = "4uhcVJyU9pJkvQyS88uRDiswHXSCkY3zQawwpjk2NsNY"


class Solana(Family):
    """Solana's family."""

    name = "solana"
    label = "Solana"
    uri_schemes = ("solana",)
    sign_function = "signMessage (sign message)"
    how_to_sign = (
        'Solana wallet: "Sign message" of exactly this text;',
        "a Ledger signs it off-chain.",
    )
    sign_in_as = "Solana"
    form = "SOLANA"
    prefers_base58 = True

    @cached_property
    def networks(self) -> tuple[Network, ...]:
        """The reference of each begins its genesis hash."""
        return (
            self._network("solana", _GENESIS, "sol", "solana-mainnet", "solana:mainnet", main=True),
            self._network("solana-devnet", _DEVNET_GENESIS, "solana:devnet"),
            self._network("solana-testnet", _TESTNET_GENESIS, "solana:testnet"),
        )

    def _network(self, name: str, genesis: str, *aliases: str, main: bool = False) -> Network:
        known_as = (*aliases, genesis, f"solana:{genesis}")
        return Network(name, f"solana:{genesis[:32]}", self, main, known_as)

    def sign_in_chain(self, network: Network) -> str:
        """The cluster's name, as Sign in with Solana has it."""
        return network.name.partition("-")[2] or "mainnet"

    def parse_address(self, text: str, network: Network) -> Address:
        """Read 32 bytes of base58 that are a point of the curve."""
        if not BASE58.fullmatch(text):
            raise InvalidAddress("ENCODING")
        raw = base58.b58decode(text) if len(text) <= 90 else b""
        if len(raw) != 32 or not 32 <= len(text) <= 44:
            raise InvalidAddress("LENGTH")
        if not crypto_core_ed25519_is_valid_point(raw):
            raise InvalidAddress(reason_not_signable(raw))
        return Address(network, text, text, "ed25519")

    def is_address(self, text: str) -> bool:
        """Also of one that cannot sign."""
        plausible = 32 <= len(text) <= 44 and BASE58.fullmatch(text)
        return bool(plausible) and len(base58.b58decode(text)) == 32

    def custody_address(self, _network: Network, random_bytes: Callable[[int], bytes]) -> str:
        key, _ = crypto_sign_seed_keypair(random_bytes(32))
        return base58.b58encode(key).decode()

    def verify(self, message: bytes, data: bytes, _prefix: str, address: Address) -> Proof | None:
        """The proof when the registered key signed exactly these bytes, plain or in an envelope."""
        scheme = scheme_of(message, data, public_key(address))
        return Proof(scheme, data.hex(), address.display) if scheme else None

    def probe(self, reading: SignatureReading) -> "SolanaProbe":
        return SolanaProbe(reading)

    def shape(self, reading: SignatureReading, _address: Address) -> Shape:
        best = reading.candidates[0]
        if looks_like_contract_wallet(best.data) and best.encoding == "hex":
            return Shape("LOOKS_LIKE_ETHEREUM")
        if bip322.holds_proof(reading):
            return Shape("LOOKS_LIKE_BITCOIN")
        sizes = {len(c.data) for c in reading.candidates}
        if 64 not in sizes and 65 in sizes:
            return _shape_of_65(next(c for c in reading.candidates if len(c.data) == 65))
        if 64 not in sizes:
            return Shape("WRONG_LENGTH")
        if not any(is_well_formed(c.data) for c in reading.candidates):
            # A compact Ethereum signature has this length too, but is never shown in base58.
            if best.encoding == "base58" or not is_low_compact(best.data):
                return Shape("MALFORMED_SIGNATURE")
            return Shape("LOOKS_LIKE_ETHEREUM")
        return Shape()

    def is_private_key(self, secret: bytes, address: Address) -> bool:
        return crypto_sign_seed_keypair(secret)[0] == public_key(address)

    def sign(self, secret: bytes, message: bytes, _address: Address) -> SampleSignature:
        key = crypto_sign_seed_keypair(secret)[1]
        data = crypto_sign(message, key)[:64]
        return SampleSignature("ed25519", data, base58.b58encode(data).decode())

    def export_key(self, secret: bytes) -> str:
        """The seed and its public key in base58."""
        return base58.b58encode(crypto_sign_seed_keypair(secret)[1]).decode()


def _shape_of_65(candidate: Candidate) -> Shape:
    data = candidate.data
    if candidate.encoding == "base64" and bip137.has_header(candidate):
        return Shape("LOOKS_LIKE_BITCOIN")
    if data[64] in {0, 1, 27, 28}:
        return Shape("LOOKS_LIKE_ETHEREUM")
    if bip137.has_header(candidate):
        return Shape("LOOKS_LIKE_BITCOIN")
    return Shape("WRONG_LENGTH")


def envelopes(
    message: bytes, signer: bytes, *, usual_only: bool = False
) -> Iterator[tuple[str, bytes]]:
    """Every byte string that a wallet of this key signs when asked for the message.

    Raw; version 0 as the command line writes it (no signer); version 0 of the specification with
    the zero application domain that Ledger's kit fills in; version 1 (sRFC 38). With `usual_only`
    plain text is not also tried as the UTF-8 that some builders call it.
    """
    yield "ed25519", message
    length = len(message).to_bytes(2, "little") if len(message) < 1 << 16 else None
    if length is not None:
        formats = _formats(message)[: 1 if usual_only else 2]
        for kind in formats:
            yield "ed25519-offchain-v0-short", _DOMAIN + b"\0" + kind + length + message
        for kind in formats:
            head = _DOMAIN + b"\0" + _NO_APPLICATION + kind + b"\1" + signer
            yield "ed25519-offchain-v0", head + length + message
    yield "ed25519-offchain-v1", _DOMAIN + b"\1\1" + signer + message


def _formats(message: bytes) -> tuple[bytes, ...]:
    """The format bytes a version 0 envelope may carry: ASCII, UTF-8, long UTF-8."""
    if len(message) > _LEDGER_LIMIT:
        return (b"\2",)
    printable = message.isascii() and message.decode().isprintable()
    return (b"\0", b"\1") if printable else (b"\1",)


def scheme_of(message: bytes, signature: bytes, key: bytes) -> str | None:
    """The scheme under which the key signed the message, or None; see `envelopes`."""
    for scheme, envelope in envelopes(message, key):
        if signs(envelope, signature, key):
            return scheme
    return None


def _usual(message: bytes, key: bytes) -> list[bytes]:
    return [envelope for _, envelope in envelopes(message, key, usual_only=True)]


def _is_solana(address: Address) -> bool:
    return address.kind == "ed25519"


@lru_cache(256)
def public_key(address: Address) -> bytes:
    """The 32 key bytes of a Solana address."""
    return base58.b58decode(address.canonical)


class SolanaProbe:
    """64 bytes of Ed25519."""

    carries_key = False
    names_its_key = False

    def __init__(self, reading: SignatureReading) -> None:
        """Keep what has the right length."""
        self._signatures = [c.data for c in reading.candidates if len(c.data) == 64]
        self._longer = [c.data[:64] for c in reading.candidates if len(c.data) in {65, 66}]

    def names(self, _address: Address) -> bool:
        """False: a signature holds no key."""
        return False

    @property
    def cost(self) -> float:
        return ED25519_COST if any(is_well_formed(each) for each in self._signatures) else 0

    def match(self, message: bytes, address: Address) -> str | None:
        key = public_key(address)
        for signatures, found in ((self._signatures, RIGHT), (self._longer, "EXTRA_BYTES")):
            for signature in signatures:
                if any(signs(each, signature, key) for each in _usual(message, key)):
                    return found
        return None

    def prepare(self, messages: Sequence[bytes]) -> None:
        """Nothing is shared between messages."""

    def find(
        self, messages: Sequence[bytes], addresses: Sequence[Address], *, thorough: int
    ) -> Match | None:
        """`thorough`ly in off-chain envelopes too: each takes as long as a message."""
        best, signatures = None, [each for each in self._signatures if is_well_formed(each)]
        for address in filter(_is_solana, addresses):
            key = public_key(address)
            for signature in signatures:
                for index, message in enumerate(messages):
                    usual = _usual(message, key) if index < thorough else (message,)
                    if any(signs(each, signature, key) for each in usual):
                        best, messages = Match(index, address), messages[:index]
                        break
        return best

    def witness(self, message: bytes, address: Address) -> Witness | None:
        key = public_key(address)
        for signature in (*self._signatures, *self._longer):
            for scheme, envelope in envelopes(message, key):
                if signs(envelope, signature, key):
                    network = address.network.name
                    return Witness(
                        scheme, message, envelope, key, signature, address.display, network
                    )
        return None

    def signer(self, _message: bytes, _like: Address) -> Address | None:
        """None: Ed25519 signatures do not give away their key."""
        return None
