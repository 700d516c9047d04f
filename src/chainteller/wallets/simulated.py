"""A customer's wallet for demonstrations: signs with published sample keys, rightly or wrongly."""

import base64
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import base58
from nacl.bindings import crypto_sign, crypto_sign_seed_keypair

from chainteller.wallets import evm
from chainteller.wallets.addresses import Address, parse_address
from chainteller.wallets.bitcoin_signing import sign_bip322, sign_digest, sign_legacy
from chainteller.wallets.hashes import keccak256
from chainteller.wallets.networks import Family, resolve_network
from chainteller.wallets.secp256k1 import ORDER


@dataclass(frozen=True, slots=True)
class SampleWallet:
    """A wallet whose key is published, and the account its owner mistakes it for."""

    name: str
    address: Address
    published_test_key: bytes
    other_account: str


class UnknownSampleWallet(LookupError):
    """No sample wallet has this name; real keys are never accepted."""


class UnknownMistake(LookupError):
    """No such mistake, or this family's wallets cannot make it."""


MISTAKES: Mapping[str, str] = {
    "wrong-account": "another account of the same wallet is selected",
    "wrong-network": "the text is signed by a wallet of another network",
    "earlier-challenge": "an earlier text is signed (it has to be given)",
    "trailing-newline": "a line break slips in at the end of the text",
    "crlf": "a Windows line break slips in at the end of the text",
    "trailing-space": "a space slips in at the end of the text",
    "quoted": "the text is copied with quotation marks around it",
    "line-breaks": "the text is copied from a window 80 characters wide",
    "no-break-space": "a mail program turns spaces into no-break spaces",
    "lower-case": "the text is typed in small letters",
    "lost-period": "the full stop at the end is not copied",
    "hex-of-text": "the wallet signs the text turned into hex digits",
    "raw-keccak": "an old tool signs the bare hash of the text (eth_sign; EVM only)",
    "missing-v": "the last byte of the signature is lost (EVM only)",
    "high-s": "the signature is in its second, altered form (EVM only)",
    "typed-by-hand": "the text is typed from memory",
    "truncated": "the signature is cut short by a display, with dots in the middle",
    "address": "the address is sent instead of a signature",
    "text": "the text is sent instead of a signature",
    "contract-wallet": "a smart-contract wallet answers (EVM only)",
    "secret": "the wallet's (published) private key is sent instead of a signature",
}

_ALTERED: Mapping[str, Callable[[str], str]] = {
    "trailing-newline": lambda text: text + "\n",
    "crlf": lambda text: text + "\r\n",
    "trailing-space": lambda text: text + " ",
    "quoted": lambda text: f'"{text}"',
    "line-breaks": lambda text: "\n".join(text[i : i + 80] for i in range(0, len(text), 80)),
    "no-break-space": lambda text: text.replace(" ", "\u00a0"),
    "lower-case": str.lower,
    "lost-period": lambda text: text.removesuffix("."),
    "hex-of-text": lambda text: "0x" + text.encode().hex(),
    "typed-by-hand": lambda text: "Hello, this is my wallet. " + text[:20],
}
_EVM_ONLY = frozenset({"raw-keccak", "missing-v", "high-s", "contract-wallet"})


def sample_wallets(path: Path) -> tuple[SampleWallet, ...]:
    """The wallets of a `wallets.toml` of sample data."""
    tables = tomllib.loads(path.read_text(encoding="utf-8"))["wallet"]
    return tuple(
        SampleWallet(
            name=table["name"],
            address=parse_address(table["address"], resolve_network(table["network"])),
            published_test_key=bytes.fromhex(table["published_test_key"]),
            other_account=table["other_account"],
        )
        for table in tables
    )


def sign_sample(
    name: str,
    text: str,
    *,
    wallets: tuple[SampleWallet, ...],
    mistake: str | None = None,
    earlier_text: str | None = None,
) -> str:
    """What the customer of the sample wallet would send as the signature of the text.

    Raises:
        UnknownSampleWallet: no such sample wallet.
        UnknownMistake: see `MISTAKES`; also earlier-challenge without an earlier text.
    """
    wallet = _find(name, wallets)
    if mistake is None:
        return _sign(wallet, text)
    if mistake not in MISTAKES or (mistake in _EVM_ONLY and not _is_evm(wallet)):
        raise UnknownMistake(mistake)
    if mistake == "wrong-account":
        return _sign(_find(wallet.other_account, wallets), text)
    if mistake == "wrong-network":
        return _sign(_foreign(wallet, wallets), text)
    if mistake == "earlier-challenge":
        if earlier_text is None:
            raise UnknownMistake(mistake)
        return _sign(wallet, earlier_text)
    if mistake in _ALTERED:
        return _sign(wallet, _ALTERED[mistake](text))
    return _pasted(wallet, text, mistake)


def _pasted(wallet: SampleWallet, text: str, mistake: str) -> str:
    signature = _sign(wallet, text)
    if mistake in {"address", "text"}:
        return wallet.address.display if mistake == "address" else text
    if mistake == "truncated":
        return f"{signature[:12]}...{signature[-8:]}"
    if mistake == "secret":
        return _exported_key(wallet)
    if mistake == "missing-v":
        return signature[:-2]
    if mistake == "contract-wallet":
        return signature + signature[2:]
    if mistake == "raw-keccak":
        return _pack(*sign_digest(wallet.published_test_key, keccak256(text.encode())))
    r, s, parity = sign_digest(wallet.published_test_key, evm.message_digest(text.encode()))
    return _pack(r, ORDER - s, 1 - parity)


def _find(name: str, wallets: tuple[SampleWallet, ...]) -> SampleWallet:
    for wallet in wallets:
        if wallet.name == name:
            return wallet
    raise UnknownSampleWallet(name)


def _foreign(wallet: SampleWallet, wallets: tuple[SampleWallet, ...]) -> SampleWallet:
    family = wallet.address.network.family
    return next(other for other in wallets if other.address.network.family is not family)


def _is_evm(wallet: SampleWallet) -> bool:
    return wallet.address.network.family is Family.EVM


def _sign(wallet: SampleWallet, text: str) -> str:
    secret, message = wallet.published_test_key, text.encode()
    family = wallet.address.network.family
    if family is Family.EVM:
        return _pack(*sign_digest(secret, evm.message_digest(message)))
    if family is Family.SOLANA:
        key = crypto_sign_seed_keypair(secret)[1]
        return base58.b58encode(crypto_sign(message, key)[:64]).decode()
    if wallet.address.kind == "p2tr":
        return "smp" + base64.b64encode(sign_bip322(secret, message, wallet.address)).decode()
    return base64.b64encode(sign_legacy(secret, message, wallet.address.kind)).decode()


def _pack(r: int, s: int, parity: int) -> str:
    packed = r.to_bytes(32, "big") + s.to_bytes(32, "big") + bytes([27 + parity])
    return "0x" + packed.hex()


def _exported_key(wallet: SampleWallet) -> str:
    """The published key in the form in which such wallets export it."""
    secret = wallet.published_test_key
    family = wallet.address.network.family
    if family is Family.EVM:
        return "0x" + secret.hex()
    if family is Family.SOLANA:
        return base58.b58encode(crypto_sign_seed_keypair(secret)[1]).decode()
    return base58.b58encode_check(b"\x80" + secret + b"\x01").decode()
