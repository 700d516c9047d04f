# ruff: noqa: E501 - each form is a line
"""Secrets as wallets export them and people copy them, from any seed; all keys are random."""

import base64
import binascii
import hashlib
import json
from random import Random  # noqa: TID251 - keys that can be made again from a seed

import base58

from chainteller.domain.recovery_words import word_lists

_ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"


def _checked(version: bytes, payload: bytes, alphabet: bytes = base58.BITCOIN_ALPHABET) -> str:
    return base58.b58encode_check(version + payload, alphabet=alphabet).decode()


def mini_key(rng: Random) -> str:
    while True:
        key = "S" + "".join(rng.choice(_ALPHABET) for _ in range(29))
        if hashlib.sha256(f"{key}?".encode()).digest()[0] == 0:
            return key


def _words(rng: Random) -> dict[str, str]:
    found = {}
    for number, words in enumerate(sorted(each.words) for each in word_lists()):
        twelve = [rng.choice(words) for _ in range(12)]
        found[f"words of list {number}"] = " ".join(twelve)
        found[f"words of list {number}, in a sentence"] = f"Hello, my words: {' '.join(twelve)} ok?"
        found[f"words of list {number}, numbered"] = "\n".join(
            f"{place}. {rng.choice(words)}" for place in range(1, 25)
        )
        bullets = "\n".join(f"\u2022 {word}" for word in twelve)
        found[f"words of list {number}, as a list"] = bullets
        found[f"words of list {number}, on a card"] = "\n".join(
            f"Word #{place:02d}   {word}" for place, word in enumerate(twelve, 1)
        )
        found[f"words of list {number}, in a chat"] = "\n".join(
            f"[20.11.26, 10:{place}:12] Alice: {word}" for place, word in enumerate(twelve, 10)
        )
        found[f"words of list {number}, one missing"] = " ".join(twelve[:11])
        if len(words[0]) == 1:
            found[f"words of list {number}, joined"] = "".join(twelve)
    return found


def secrets_of_wallets(seed: int) -> dict[str, str]:
    """By name, secrets that must be recognised."""
    rng = Random(seed)  # noqa: S311 - no secret
    key, raw = rng.randbytes(32).hex(), rng.randbytes(64)
    stellar = bytes([18 << 3]) + raw[:32]
    check = binascii.crc_hqx(stellar, 0).to_bytes(2, "little")
    ripple = base58.RIPPLE_ALPHABET
    return {
        **_words(rng),
        "MetaMask page": f"Show private key\nYour Private Key\n{key}\nWarning: Never disclose this key. Anyone with your private keys can steal any assets held in your account.",
        "MetaMask copy": f"Account 1\n0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266\nPrivate key\n{key}\nCopy",
        "hex": key,
        "pk": json.dumps({"pk": key}),
        "pk 0x": json.dumps({"pk": "0x" + key}),
        "privateKey": json.dumps({"address": "x", "privateKey": "0x" + key}),
        "environment": f"PRIVATE_KEY={key}",
        "WIF": _checked(b"\x80", raw[:32] + b"\1"),
        "WIF, uncompressed": _checked(b"\x80", raw[:32]),
        "WIF in a mail": f"here is my key {_checked(bytes([0x80]), raw[:32] + bytes([1]))} thanks",
        "WIF of Dogecoin": _checked(b"\x9e", raw[:32] + b"\1"),
        "BIP-38": _checked(b"\x01\x42\xc0", raw[:36]),
        "BIP-38 with EC": _checked(b"\x01\x43\x20", raw[:36]),
        "mini key": mini_key(rng),
        "JWK": json.dumps(
            {"kty": "EC", "crv": "secp256k1", "d": base64.urlsafe_b64encode(raw[:32]).decode()}
        ),
        "in a program": f"new ethers.Wallet('0x{key}')",
        "in pairs": ":".join(key[at : at + 2] for at in range(0, 64, 2)),
        "WIF on two lines": _checked(b"\x80", raw[:32] + b"\1")[:26]
        + "\n"
        + _checked(b"\x80", raw[:32] + b"\1")[26:],
        "XRP": _checked(b"\x21", raw[:16], ripple),
        "XRP Ed25519": _checked(b"\x01\xe1\x4b", raw[:16], ripple),
        "Stellar": base64.b32encode(stellar + check).decode(),
        "Tezos seed": _checked(bytes([13, 15, 58, 7]), raw[:32]),
        "Tezos key": _checked(bytes([43, 246, 78, 7]), raw),
        "Tezos encrypted": _checked(bytes([7, 90, 60, 179, 41]), raw[:56]),
        "Sui": "suiprivkey1" + "q" * 59,
        "Cardano": "addr_xsk1" + "q" * 150,
        "Cardano root": "root_xsk1" + "p" * 150,
        "Cardano CLI": json.dumps(
            {"type": "PaymentSigningKeyShelley_ed25519", "description": "", "cborHex": "5820" + key}
        ),
    }
