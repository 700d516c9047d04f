"""The hash functions of the families; Keccak is loaded when first needed."""

import hashlib
from collections.abc import Callable
from functools import cache

Digest = Callable[[bytes], bytes]


def keccak256(data: bytes) -> bytes:
    """Ethereum's Keccak-256 (not SHA3-256: the padding differs). 32 bytes."""
    return bytes(_keccak()(data))


@cache
def _keccak() -> Digest:
    from eth_hash.auto import keccak  # noqa: PLC0415 - a Solana desk never pays for it

    keccak(b"")
    # The front checks its arguments at every call, and a search makes thousands.
    return keccak.hasher


def sha256(data: bytes) -> bytes:
    """32 bytes."""
    return hashlib.sha256(data).digest()


def double_sha256(data: bytes) -> bytes:
    """Bitcoin's hash of transactions and of legacy signed messages. 32 bytes."""
    return sha256(sha256(data))


def hash160(data: bytes) -> bytes:
    """Bitcoin's hash of keys and scripts: RIPEMD-160 of SHA-256. 20 bytes."""
    inner = sha256(data)
    try:
        return hashlib.new("ripemd160", inner).digest()
    except ValueError:  # OpenSSL 3 without its legacy provider
        return ripemd160_without_openssl(inner)


def ripemd160_without_openssl(data: bytes) -> bytes:
    """RIPEMD-160 by pycryptodome, which comes with eth-account. 20 bytes."""
    from Crypto.Hash import RIPEMD160  # noqa: PLC0415 - only where OpenSSL lacks it

    return RIPEMD160.new(data).digest()


def tagged_hash(tag: str, data: bytes) -> bytes:
    """BIP-340's tagged SHA-256. 32 bytes."""
    prefix = sha256(tag.encode())
    return sha256(prefix + prefix + data)
