"""Extended public keys of published phrases, derived by eth-account from their private keys."""

import hashlib
import hmac

import base58
from eth_account.hdaccount import seed_from_mnemonic
from eth_account.hdaccount.deterministic import HDPath, derive_child_key
from eth_keys.datatypes import PrivateKey

JUNK = "test " * 11 + "junk"
ABANDON = "abandon " * 11 + "about"


def private_node(phrase: str, path: str) -> tuple[bytes, bytes]:
    """The private key and chain code at a path of a phrase."""
    seed = seed_from_mnemonic(phrase.strip(), "")
    made = hmac.new(b"Bitcoin seed", seed, hashlib.sha512).digest()
    key, chain = made[:32], made[32:]
    for node in HDPath(path)._path:
        key, chain = derive_child_key(key, chain, node)
    return key, chain


def extended_public_key(phrase: str, path: str, version: str = "0488b21e") -> str:
    """The extended public key at a path, with a fingerprint and number that nobody reads."""
    key, chain = private_node(phrase, path)
    public = PrivateKey(key).public_key.to_compressed_bytes()
    depth = path.count("/")
    data = bytes.fromhex(version) + bytes([depth]) + bytes(8) + chain + public
    return base58.b58encode_check(data).decode()
