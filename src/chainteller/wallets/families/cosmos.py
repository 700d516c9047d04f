"""Cosmos: one account key, a bech32 prefix for each chain, and messages as ADR-036 signs them.

Keplr, Leap and Cosmostation sign the text as the data of a transaction that no chain takes
(`sign/MsgSignData`, chain id empty, all numbers 0), as Amino JSON with sorted keys. Its signer is
the address, so that what is signed differs from chain to chain. A signature is r and s in base64.
On Injective, keys are Ethereum's: Keccak-256 stands for SHA-256 in the digest and in the address
(`verifyADR36Amino` of @keplr-wallet/cosmos with ethsecp256k1).

Source: docs/architecture/adr-036-arbitrary-signature.md of cosmos/cosmos-sdk.
"""

import base64
from collections.abc import Callable, Mapping
from functools import cached_property, lru_cache
from typing import ClassVar, NamedTuple

from chainteller.wallets.bare_ecdsa import BareEcdsaFamily
from chainteller.wallets.bech32 import BadBech32, decode_bech32, encode_bech32
from chainteller.wallets.family import Address, InvalidAddress, Network
from chainteller.wallets.hashes import Digest, double_sha256, hash160, keccak256, sha256
from chainteller.wallets.recoverable import key_hash
from chainteller.wallets.secp256k1 import compress, in_range, packed_numbers
from chainteller.wallets.wording import NETWORK_MISMATCH, RIGHT_WALLET, Wording

_OTHER_ACCOUNTS = ("valoper", "valcons", "pub", "valoperpub", "valconspub")


class Chain(NamedTuple):
    """A network by its chain id and the prefix of its addresses."""

    name: str
    chain_id: str
    prefix: str
    aliases: tuple[str, ...] = ()
    has_ethereum_keys: bool = False
    is_main: bool = True


CHAINS = (
    Chain("cosmos", "cosmoshub-4", "cosmos", ("atom", "cosmos-hub")),
    Chain("osmosis", "osmosis-1", "osmo", ("osmo",)),
    Chain("celestia", "celestia", "celestia", ("tia",)),
    Chain("dydx", "dydx-mainnet-1", "dydx", ("dydx-chain",)),
    Chain("injective", "injective-1", "inj", ("inj",), has_ethereum_keys=True),
    Chain("neutron", "neutron-1", "neutron", ("ntrn",)),
    Chain("noble", "noble-1", "noble"),
    Chain("cosmos-testnet", "provider", "cosmos", is_main=False),
    Chain("osmosis-testnet", "osmo-test-5", "osmo", is_main=False),
    Chain("injective-testnet", "injective-888", "inj", has_ethereum_keys=True, is_main=False),
)
_CHAINS = {chain.name: chain for chain in CHAINS}
_OTHER_PREFIXES = (
    "juno",
    "stars",
    "akash",
    "axelar",
    "stride",
    "kava",
    "sei",
    "thor",
    "persistence",
)
PREFIXES = (
    *dict.fromkeys(each.prefix for each in CHAINS if not each.has_ethereum_keys),
    *_OTHER_PREFIXES,
)
"""Of chains on which one key has one account, ours and others that wallets offer."""


class Cosmos(BareEcdsaFamily):
    """The family of Cosmos SDK chains."""

    name = "cosmos"
    label = "Cosmos"
    uri_schemes = ()
    sign_function = "signArbitrary (ADR-036), not a transaction"
    how_to_sign = ("Cosmos wallet (Keplr, Leap): sign the text as an", "arbitrary message.")
    form = "COSMOS"
    findings: ClassVar[Mapping[str, Wording]] = {
        "SIGNED_ON_OTHER_CHAIN": Wording(
            NETWORK_MISMATCH,
            f"{RIGHT_WALLET} it was signed for the same account's address on another chain; this "
            "address is on {network}.",
            "Could you select {network} in your wallet and sign our text again?",
        ),
    }

    @cached_property
    def networks(self) -> tuple[Network, ...]:
        """The reference of each is its chain id."""
        return tuple(
            Network(each.name, f"cosmos:{each.chain_id}", self, each.is_main, each.aliases)
            for each in CHAINS
        )

    def parse_address(self, text: str, network: Network) -> Address:
        """Read the bech32 address of a key."""
        try:
            prefix, raw = decode_bech32(text)
        except BadBech32 as bad:
            raise InvalidAddress(bad.reason) from None
        expected = _CHAINS[network.name].prefix
        if prefix in {expected + other for other in _OTHER_ACCOUNTS}:
            raise InvalidAddress("UNSUPPORTED_TYPE")
        if prefix != expected:
            raise InvalidAddress("WRONG_NETWORK")
        if len(raw) != 20:
            raise InvalidAddress("UNSUPPORTED_TYPE")  # 32 bytes are a contract's or a module's
        if not any(raw):
            raise InvalidAddress("ZERO")
        return Address(network, text.lower(), text.lower(), "cosmos")

    def is_address(self, text: str) -> bool:
        try:
            prefix, raw = decode_bech32(text)
        except BadBech32:
            return False
        return len(raw) == 20 and any(prefix == each.prefix for each in CHAINS)

    def custody_address(self, network: Network, random_bytes: Callable[[int], bytes]) -> str:
        return encode_bech32(_CHAINS[network.name].prefix, random_bytes(20))

    def digest(self, message: bytes, address: Address) -> bytes:
        hashed = keccak256 if _has_ethereum_keys(address) else sha256
        return hashed(sign_document(message, address.canonical))

    def scheme_of(self, address: Address) -> str:
        return "adr36-keccak256" if _has_ethereum_keys(address) else "adr36"

    def read_numbers(self, data: bytes) -> tuple[int, int] | None:
        r, s = int.from_bytes(data[:32], "big"), int.from_bytes(data[32:], "big")
        return (r, s) if len(data) == 64 and in_range(r, s) else None

    def write_numbers(self, r: int, s: int) -> bytes:
        return packed_numbers(r, s)

    def shown(self, data: bytes) -> str:
        return base64.b64encode(data).decode()

    def other_digests(self, address: Address) -> tuple[tuple[str, str, Digest], ...]:
        """A bare hash of the text, or what the same account signs on another chain."""
        own, raw = _CHAINS[address.network.name], _account(address.canonical)
        elsewhere = (
            [] if own.has_ethereum_keys else [each for each in PREFIXES if each != own.prefix]
        )
        return (
            *(_signed_on(prefix, encode_bech32(prefix, raw)) for prefix in elsewhere),
            ("RAW_HASH_SIGNED", "raw-sha256", sha256),
            ("RAW_HASH_SIGNED", "raw-keccak256", keccak256),
            ("RAW_HASH_SIGNED", "raw-double-sha256", double_sha256),
        )

    def owns(self, key: bytes, address: Address) -> bool:
        hashed = key_hash(key) if _has_ethereum_keys(address) else hash160(compress(key))
        return hashed == _account(address.canonical)


def sign_document(message: bytes, signer: str) -> bytes:
    """The bytes that ADR-036 signs for a message, as Amino JSON."""
    data = base64.b64encode(message).decode()
    return (
        '{"account_number":"0","chain_id":"","fee":{"amount":[],"gas":"0"},"memo":"",'
        f'"msgs":[{{"type":"sign/MsgSignData","value":{{"data":"{data}","signer":"{signer}"}}}}],'
        '"sequence":"0"}'
    ).encode()


def _signed_on(prefix: str, signer: str) -> tuple[str, str, Digest]:
    return (
        "SIGNED_ON_OTHER_CHAIN",
        f"adr36-on-{prefix}",
        lambda text: sha256(sign_document(text, signer)),
    )


def _has_ethereum_keys(address: Address) -> bool:
    chain = _CHAINS.get(address.network.name)
    return chain is not None and chain.has_ethereum_keys


@lru_cache(256)
def _account(canonical: str) -> bytes:
    return decode_bech32(canonical)[1]
