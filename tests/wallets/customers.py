"""Published test keys and how each family's wallets sign with them; nothing of `src` signs here."""

import base64
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from hashlib import sha256, sha512
from pathlib import Path
from typing import Any

import base58
import coincurve
from eth_account import Account
from eth_account.messages import encode_defunct
from eth_hash.auto import keccak
from nacl.signing import SigningKey

from chainteller.wallets.addresses import Address, parse_address
from chainteller.wallets.diagnose import Case, KnownAddress, KnownChallenge
from chainteller.wallets.families import FAMILIES
from chainteller.wallets.family import Family
from chainteller.wallets.networks import resolve_network

HERE = Path(__file__).parent
IDS = ("CHG_7Q2M9K4T8X1B6N3D5F0H2J", "CHG_0A1B2C3D4E5F6G7H8J9K0M", "CHG_ZZZZ9999YYYY8888XXXX77")
EXPIRES = "2026-11-20T14:00:00Z"
# Hardhat's accounts 0 to 2, and 3 to 5 for TRON; RFC 8032's test vectors 1 to 3; the first keys of
# the phrase "abandon ... about" by BIP-44, BIP-84 and BIP-86. Anybody can spend from them.
EVM_KEYS = (
    "ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80",
    "59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d",
    "5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a",
)
TRON_KEYS = (
    "7c852118294e51e653712a81e05800f419141751be58f605c371e15141b007a6",
    "47e179ec197488593b187f80a00eb0da91f1b9d0b13f8733639f19c30a34926a",
    "8b3a350cf5c34c9194ca85829a2df0ec3153be0318b5e2d3348e872092edffba",
)
TRON_ADDRESSES = (
    "TPBivseBCFmG8AEL38DJ4hxrFMQteENxDz",
    "TBxcJtrCeCFkHp47jshFMBWGB1n7igSHm2",
    "TPxHkrhCkT8gqx6k6MsVK6UvpFJuhKkkv9",
)
SOLANA_SEEDS = (
    "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
    "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
    "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
)
BITCOIN_WIFS = (
    "L4p2b9VAf8k5aUahF1JCJUzZkgNEAqLfq8DDdQiyAprQAKSbu8hf",
    "KyZpNDKnfs94vbrwhJneDi77V6jF64PWPF8x5cdJb8ifgg2DUc9d",
    "KyRv5iFPHG7iB5E4CqvMzH3WFJVhbfYK4VY7XAedd9Ys69mEsPLQ",
)
BITCOIN_ADDRESSES = (
    "1LqBGSKuX5yYUonjxT5qGfpUsXKYYWeabA",
    "bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu",
    "39oRj36VbCJdky8wsPCT5FMQNRUUekuoUr",
)
# The keys are SHA-256 of these names; pycoin, xrpl-py, bech32 and cashaddress wrote the addresses.
COINS = {
    "litecoin": (
        "LhFZydAAFkeodvxVTAhTDGGJabpdf5RCD2",
        "ltc1q9tp6zpe7v7s3frvn6pyeuhl869n6stn58cu03d",
        "MG6zvF9KrmC4Vkfv7rvNouxbe9WaUeoqnL",
    ),
    "dogecoin": (
        "DA4rVH7t7mXSuowyveUJkyQVTzyNPBkgsA",
        "DErNei2wxs3bQNP7yeGnbH5QwBNLApjqag",
        "DDww2F8ZVjyvkEFHNVt8HrBpgK6M9KqkHA",
    ),
    "bitcoin-cash": (
        "qpxkluvah46qwaajaz2degm4vunh0r9wjvn7wl36fz",
        "qpj849t39plvjh0tarwnzkxhz8hlw3vasuf0mx7wql",
        "qpjawpnleca5ksnkglxv06w05untwcetjqzmamaw8e",
    ),
    "xrp": (
        "r4BCMicyXPpDoa21Kbq2jVvucAo6d5icug",
        "rfZt8KKV9EzdG6wkvWpK1XqViREjuM7Yti",
        "rfoS6yt9YESrEb7EQTdyR5LqYBJQuMbUGC",
    ),
    "cosmos": (
        "cosmos1vgcx372mz4hhs6tn44mz4f9su04wy4zl2n5sxk",
        "osmo1vvecd46q3d86taktag5v056865ru0c3kahtx8z",
        "inj14x0cdk35mnevzr79pe0etc7gtdnx930lknnehl",
    ),
}
EVERY_FAMILY = ("evm", "solana", "bitcoin", "tron", *COINS)
COSMOS_NETWORKS = ("cosmos", "osmosis", "injective")


def family(name: str) -> Family:
    return next(each for each in FAMILIES if each.name == name)


def address(text: str, network: str) -> Address:
    return parse_address(text, resolve_network(network, test_networks=True))


def text_for(registered: Address, challenge_id: str = IDS[0]) -> str:
    """The text of builds up to schema 0004, which the recorded signatures are of."""
    return (
        f"Example Bank: I control {registered.network.name} wallet {registered.display}. "
        f"Sign only if you asked us for this. Ref {challenge_id}, valid until {EXPIRES}."
    )


def challenge(registered: Address, **changes: str) -> KnownChallenge:
    challenge_id = changes.get("challenge_id", IDS[0])
    return KnownChallenge(
        challenge_id=challenge_id,
        counterparty_id=changes.get("counterparty_id", "CPT_1"),
        address=registered,
        text=changes.get("text", text_for(registered, challenge_id)),
        state=changes.get("state", "open"),
        expires_at=EXPIRES,
    )


def case(registered: Address, signature: str, **changes: Any) -> Case:
    return Case(changes.pop("challenge", challenge(registered)), signature, **changes)


def known(*addresses: Address) -> tuple[KnownAddress, ...]:
    return tuple(KnownAddress(f"CPT_{n}", known) for n, known in enumerate(addresses, start=2))


@dataclass(frozen=True, slots=True)
class Customer:
    """One key of one family, the address it is registered with, and its way of signing."""

    family: str
    key: bytes
    registered: Address

    @property
    def address(self) -> str:
        return self.registered.display

    def sign(self, message: bytes) -> bytes:
        if self.family == "cosmos":
            return sign_cosmos(self.key, message, self.registered.display)
        return SIGN[self.family](self.key, message)

    def spell(self, signature: bytes) -> str:
        """The signature as this family's wallets show it."""
        if self.family in RECOVERABLE:
            return "0x" + signature.hex()
        if self.family == "solana":
            return base58.b58encode(signature).decode()
        if self.family == "xrp":
            return signature.hex().upper()
        return base64.b64encode(signature).decode()

    def answer(self, text: str | bytes) -> str:
        return self.spell(self.sign(text.encode() if isinstance(text, str) else text))


def sign_evm(key: bytes, message: bytes) -> bytes:
    signed = Account.sign_message(encode_defunct(primitive=message), key)
    return bytes(signed.signature)


def sign_solana(key: bytes, message: bytes) -> bytes:
    return bytes(SigningKey(key).sign(message).signature)


def sign_bitcoin(key: bytes, message: bytes, coin: bytes = b"Bitcoin") -> bytes:
    """As Electrum signs: the header 31 to 34 whatever the address type."""
    length = len(message)
    size = bytes([length]) if length < 0xFD else b"\xfd" + length.to_bytes(2, "little")
    magic = coin + b" Signed Message:\n"
    framed = bytes([len(magic)]) + magic + size + message
    digest = sha256(sha256(framed).digest()).digest()
    packed = coincurve.PrivateKey(key).sign_recoverable(digest, hasher=None)
    return bytes([31 + packed[64]]) + packed[:64]


def sign_tron(key: bytes, message: bytes) -> bytes:
    """As TronWeb's signMessageV2 signs (TIP-191)."""
    framed = b"\x19TRON Signed Message:\n" + str(len(message)).encode() + message
    packed = coincurve.PrivateKey(key).sign_recoverable(keccak(framed), hasher=None)
    return packed[:64] + bytes([27 + packed[64]])


def sign_xrp(key: bytes, message: bytes) -> bytes:
    """As ripple-keypairs signs: DER, or for 33 bytes an Ed25519 key's with the public key."""
    if len(key) == 33:
        pair = SigningKey(key[1:])
        return b"\xed" + bytes(pair.verify_key) + bytes(pair.sign(message).signature)
    return coincurve.PrivateKey(key).sign(sha512(message).digest()[:32], hasher=None)


def sign_cosmos(key: bytes, message: bytes, signer: str) -> bytes:
    """As Keplr's signArbitrary signs (ADR-036)."""
    value = {"data": base64.b64encode(message).decode(), "signer": signer}
    document = {
        "account_number": "0", "chain_id": "", "fee": {"amount": [], "gas": "0"}, "memo": "",
        "msgs": [{"type": "sign/MsgSignData", "value": value}], "sequence": "0",
    }  # fmt: skip
    signed = json.dumps(document, separators=(",", ":")).encode()
    digest = keccak(signed) if signer.startswith("inj") else sha256(signed).digest()
    return coincurve.PrivateKey(key).sign_recoverable(digest, hasher=None)[:64]


SIGN: dict[str, Callable[[bytes, bytes], bytes]] = {
    "evm": sign_evm, "solana": sign_solana, "bitcoin": sign_bitcoin, "tron": sign_tron,
    "litecoin": partial(sign_bitcoin, coin=b"Litecoin"),
    "dogecoin": partial(sign_bitcoin, coin=b"Dogecoin"),
    "bitcoin-cash": sign_bitcoin, "xrp": sign_xrp,
}  # fmt: skip
RECOVERABLE = frozenset({"evm", "tron"})
"""Families whose signatures look alike and give away their key."""


@cache
def customers(family: str) -> tuple[Customer, ...]:
    if family == "evm":
        keys = [bytes.fromhex(key) for key in EVM_KEYS]
        return tuple(
            Customer("evm", key, address(Account.from_key(key).address, "ethereum")) for key in keys
        )
    if family == "solana":
        seeds = [bytes.fromhex(seed) for seed in SOLANA_SEEDS]
        shown = [base58.b58encode(bytes(SigningKey(seed).verify_key)).decode() for seed in seeds]
        return tuple(
            Customer("solana", seed, address(text, "solana"))
            for seed, text in zip(seeds, shown, strict=True)
        )
    if family == "tron":
        keys = [bytes.fromhex(key) for key in TRON_KEYS]
        return tuple(
            Customer("tron", key, address(text, "tron"))
            for key, text in zip(keys, TRON_ADDRESSES, strict=True)
        )
    if family in COINS:
        return tuple(_of_coin(family, place) for place in range(3))
    keys = [base58.b58decode_check(wif)[1:33] for wif in BITCOIN_WIFS]
    return tuple(
        Customer("bitcoin", key, address(text, "bitcoin"))
        for key, text in zip(keys, BITCOIN_ADDRESSES, strict=True)
    )


def _of_coin(family: str, place: int) -> Customer:
    key = sha256(f"chainteller test key {family} {place}".encode()).digest()
    if (family, place) == ("xrp", 2):
        key = b"\xed" + key
    network = COSMOS_NETWORKS[place] if family == "cosmos" else family
    return Customer(family, key, address(COINS[family][place], network))


def recorded(family: str) -> list[dict[str, str]]:
    """The outputs of wallets' own libraries, made by npm/record.mjs."""
    rows: list[dict[str, str]] = json.loads((HERE / "recorded" / f"{family}.json").read_text())
    return rows


def one_of_each_kind(rows: Sequence[dict[str, str]]) -> list[dict[str, str]]:
    """The first signature of each library, form and network, and the first of each finding."""
    kinds: dict[tuple[str, ...], dict[str, str]] = {}
    for row in rows:
        accepted = (row["form"], row["network"]) if row["expect"] == "accepted" else ()
        kinds.setdefault((row["library"], row["expect"], *accepted), row)
    return list(kinds.values())
