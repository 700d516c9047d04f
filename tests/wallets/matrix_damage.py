"""The matrix's damaged signatures, and pastes that are none."""

import base64
import json
from collections.abc import Callable, Iterator

import base58
from nacl.signing import SigningKey
from tests.wallets.customers import (
    BITCOIN_WIFS,
    EVM_KEYS,
    RECOVERABLE,
    SOLANA_SEEDS,
    case,
    customers,
    text_for,
)
from tests.wallets.matrix_cases import FORMAT, NETWORK, ORDER, WALLET, Labelled

WORDS = "legal winner thank year wave sausage worth useful legal winner thank yellow"
LONG_WORDS = " ".join(["abandon"] * 23 + ["art"])
XPRV = (
    "xprv9s21ZrQH143K3QTDL4LXw2F7HEK3wJUD2nW2nRk4stbPy6cq3jPPqjiChkVvvNKmPGJxWUtg6LnF5kejMRNNU"
    "3TGtRBeJgk33yuGBxrMPHi"
)  # the master key of BIP-32's first test vector
KEY_FILE = json.dumps(
    {"version": 3, "id": "x", "address": "y", "crypto": {"ciphertext": "00", "kdf": "scrypt"}}
)


def _solana_exports() -> Iterator[tuple[str, str]]:
    for seed in SOLANA_SEEDS:
        raw = bytes.fromhex(seed)
        secret = raw + bytes(SigningKey(raw).verify_key)
        yield "Solana secret key", base58.b58encode(secret).decode()
        yield "Solana secret key array", json.dumps(list(secret))
        yield "Solana secret key object", json.dumps({str(n): b for n, b in enumerate(secret)})
        yield "Solana secret key Buffer", json.dumps({"type": "Buffer", "data": list(secret)})
        yield "Solana secret key in JSON", json.dumps({"signature": secret.hex()})
        yield "Solana secret key hex", secret.hex()
        yield "Solana secret key base64", base64.b64encode(secret).decode()
        yield "Solana seed array", json.dumps(list(raw))


def secrets() -> Iterator[tuple[str, str]]:
    for key in EVM_KEYS:
        yield "private key hex", key
        yield "private key 0x", "0x" + key.upper()
        yield "private key in a sentence", f"my key is 0x{key} ok"
        yield "private key labelled", f"Private key: {key}"
    for wif in BITCOIN_WIFS:
        yield "WIF", wif
        yield "WIF with a typo", wif[:-1] + "1"
    yield from _solana_exports()
    yield "12 words", WORDS
    yield "12 words numbered", " ".join(f"{n}. {w}" for n, w in enumerate(WORDS.split(), 1))
    yield "12 words on lines", WORDS.replace(" ", "\n").upper()
    yield "12 words with commas", WORDS.replace(" ", ", ")
    yield "24 words", LONG_WORDS
    yield "words in a sentence", f"Hello, here are my words {WORDS} thanks"
    yield "extended key", XPRV
    yield "key file", KEY_FILE
    yield "mnemonic JSON", json.dumps({"mnemonic": WORDS})
    yield "PEM", "-----BEGIN EC PRIVATE KEY-----\nMHQCAQEE\n-----END EC PRIVATE KEY-----"


# What was sent instead of a signature, and the finding.
PASTES: tuple[tuple[str, str, str], ...] = (
    ("nothing", "", "EMPTY"),
    ("blanks", " \n\u200b\ufeff ", "EMPTY"),
    ("0x", "0x", "CONTRACT_WALLET"),
    ("EVM address", "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266", "ADDRESS_PASTED"),
    ("Solana address", "FVen3X669xLzsi6N2V91DoiyzHzg1uAgqiT8jZ9nS96Z", "ADDRESS_PASTED"),
    ("Bitcoin address", "bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu", "ADDRESS_PASTED"),
    ("TRON address", "TPBivseBCFmG8AEL38DJ4hxrFMQteENxDz", "ADDRESS_PASTED"),
    ("legacy address", "1LqBGSKuX5yYUonjxT5qGfpUsXKYYWeabA", "ADDRESS_PASTED"),
    ("a sentence", "I have signed it, what do I do now?", "TEXT_PASTED"),
    ("dots", "0x8c46b6eb85...d2bd1b", "TRUNCATED"),
    ("ellipsis", "5J8vGHdPKa\u2026Q2WzGS", "TRUNCATED"),
    ("a megabyte of a", "a" * 1_000_000, "TOO_LONG"),
    ("a megabyte of [", "[" * 1_000_000, "TOO_LONG"),
)  # fmt: skip

SAFE = bytes([32]).rjust(32, b"\0") + bytes([64]).rjust(32, b"\0") + bytes(64)
Damage = Callable[[bytes], bytes]
R_S_V: dict[str, tuple[Damage, str]] = {
    "last byte lost": (lambda d: d[:64], "MISSING_RECOVERY_BYTE"),
    "v flipped": (lambda d: d[:64] + bytes([55 - d[64]]), "WRONG_RECOVERY_BYTE"),
    "v of a transaction": (lambda d: d[:64] + bytes([d[64] + 10]), "WRONG_RECOVERY_BYTE"),
    "v of a Safe": (lambda d: d[:64] + bytes([d[64] + 4]), "WRONG_RECOVERY_BYTE"),
    "high s": (
        lambda d: (
            d[:32]
            + (ORDER - int.from_bytes(d[32:64], "big")).to_bytes(32, "big")
            + bytes([55 - d[64]])
        ),
        "HIGH_S",
    ),
    "first byte lost": (lambda d: d[1:64], "WRONG_LENGTH"),
    "half": (lambda d: d[:40], "WRONG_LENGTH"),
    "zeros": (lambda _: bytes(65), "MALFORMED_SIGNATURE"),
    "r of zero": (lambda d: bytes(32) + d[32:], "MALFORMED_SIGNATURE"),
    "s too large": (lambda d: d[:32] + b"\xff" * 32 + d[64:], "MALFORMED_SIGNATURE"),
    "doubled": (lambda d: d + d, "SIGNATURE_REPEATED"),
    "three times": (lambda d: d * 3, "SIGNATURE_REPEATED"),
    "two owners": (lambda d: d + d[::-1], "CONTRACT_WALLET"),
    "ERC-6492": (lambda d: d + bytes(31) + bytes.fromhex("6492" * 16), "CONTRACT_WALLET"),
    "ABI": (lambda _: SAFE, "CONTRACT_WALLET"),
}
DAMAGES: dict[str, dict[str, tuple[Damage, str]]] = {
    "evm": R_S_V,
    "tron": {name: R_S_V[name] for name in R_S_V if name != "v of a Safe"},
    "solana": {
        "last byte lost": (lambda d: d[:63], "WRONG_LENGTH"),
        "first byte lost": (lambda d: d[1:], "WRONG_LENGTH"),
        "a byte added": (lambda d: d + b"\x07", "EXTRA_BYTES"),
        "doubled": (lambda d: d + d, "SIGNATURE_REPEATED"),
        "S too large": (lambda d: d[:32] + b"\xff" * 32, "MALFORMED_SIGNATURE"),
    },
    "bitcoin": {
        "first byte lost": (lambda d: d[1:], "WRONG_RECOVERY_BYTE"),
        "header of the other parity": (
            lambda d: bytes([31 + (d[0] - 31 ^ 1)]) + d[1:],
            "WRONG_RECOVERY_BYTE",
        ),
        "last byte lost": (lambda d: d[:64], ""),
        "half": (lambda d: d[:33], "WRONG_LENGTH"),
        "doubled": (lambda d: d + d, "SIGNATURE_REPEATED"),
    },
}
DAMAGES |= dict.fromkeys(("litecoin", "dogecoin", "bitcoin-cash"), DAMAGES["bitcoin"])
DAMAGES["xrp"] = {"half": (lambda d: d[:40], "WRONG_LENGTH")}
DAMAGES["cosmos"] = {
    "last byte lost": (lambda d: d[:63], "WRONG_LENGTH"),
    "half": (lambda d: d[:32] + d[:8], "WRONG_LENGTH"),
    "zeros": (lambda _: bytes(64), "MALFORMED_SIGNATURE"),
    "doubled": (lambda d: d + d, "SIGNATURE_REPEATED"),
    "high s": (
        lambda d: d[:32] + (ORDER - int.from_bytes(d[32:], "big")).to_bytes(32, "big"),
        "HIGH_S",
    ),
}


def _secret_and_paste_cases(family: str) -> Iterator[Labelled]:
    for customer in customers(family):
        for name, secret in secrets():
            yield Labelled(
                family, "secret", name, case(customer.registered, secret), finding="SECRET_PASTED"
            )
        for name, paste, finding in PASTES:
            yield Labelled(
                family, "no signature", name, case(customer.registered, paste), finding=finding
            )
        text = text_for(customer.registered)
        yield Labelled(
            family, "no signature", "the text", case(customer.registered, text),
            finding="TEXT_PASTED",
        )  # fmt: skip


def damages(family: str) -> Iterator[Labelled]:
    for customer in customers(family):
        signature = customer.sign(text_for(customer.registered).encode())
        for name, (damage, finding) in DAMAGES[family].items():
            if name == "last byte lost" and family in RECOVERABLE and signature[64] == 27:
                continue  # what is left is the EIP-2098 form, and right
            for spell in (bytes.hex, lambda data: base64.b64encode(data).decode()):
                yield Labelled(
                    family, "damaged", name, case(customer.registered, spell(damage(signature))),
                    truth=FORMAT, finding=finding or None,
                )  # fmt: skip
        other = customer.sign(b"gm")
        yield Labelled(
            family, "unknown text", "gm", case(customer.registered, customer.spell(other)),
            truth=FORMAT | (WALLET & NETWORK), certain=False,
        )  # fmt: skip
    yield from _secret_and_paste_cases(family)
