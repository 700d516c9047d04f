"""The hash functions of the families; Keccak is loaded when first needed."""

import hashlib
from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from typing import Any

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


def keccak256_of_each(messages: Sequence[bytes]) -> list[bytes]:
    """As `keccak256` for each; what each call would prepare and check is done once."""
    functions = _keccak_functions()
    if functions is None:
        return [keccak256(message) for message in messages]
    lib, raw = functions
    pointer = raw.VoidPointer()
    if lib.keccak_init(pointer.address_of(), raw.c_size_t(64), raw.c_ubyte(24)):
        raise MemoryError("no room for the state of Keccak")
    owner = raw.SmartPointer(pointer.get(), lib.keccak_destroy)
    state, found = owner.get(), []
    digest, size, padding = raw.create_string_buffer(32), raw.c_size_t(32), raw.c_ubyte(1)
    reset, absorb, squeeze = lib.keccak_reset, lib.keccak_absorb, lib.keccak_digest
    as_size, copied = raw.c_size_t, raw.get_raw_buffer
    for message in messages:
        reset(state)
        absorb(state, message, as_size(len(message)))
        squeeze(state, digest, size, padding)
        found.append(copied(digest))
    return found


@cache
def _keccak_functions() -> tuple[Any, Any] | None:
    """The C functions of pycryptodome, which eth-hash uses: its own calls take twice as long."""
    try:
        keccak: Any = import_module("Crypto.Hash.keccak")
        return keccak._raw_keccak_lib, import_module("Crypto.Util._raw_api")  # noqa: SLF001 - as above
    except (ImportError, AttributeError):
        return None


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
