"""Ed25519 over the text itself or over the off-chain envelopes that wallets put around it."""

from collections.abc import Iterator

import base58
from nacl.bindings import crypto_sign_open
from nacl.exceptions import BadSignatureError

from chainteller.wallets.addresses import Address
from chainteller.wallets.proof import Proof

_DOMAIN = b"\xffsolana offchain"
_NO_APPLICATION = bytes(32)
_LEDGER_LIMIT = 1212
_ORDER = 2**252 + 27742317777372353535851937790883648493


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
    printable = all(0x20 <= byte <= 0x7E for byte in message)
    return (b"\0", b"\1") if printable else (b"\1",)


def signs(message: bytes, signature: bytes, key: bytes) -> bool:
    """Strict Ed25519 (libsodium): canonical S, no small-order points."""
    if len(signature) != 64 or len(key) != 32:
        return False
    try:
        crypto_sign_open(signature + message, key)
    except BadSignatureError:
        return False
    return True


def scheme_of(
    message: bytes, signature: bytes, key: bytes, *, usual_only: bool = False
) -> str | None:
    """The scheme under which the key signed the message, or None; see `envelopes`."""
    for scheme, envelope in envelopes(message, key, usual_only=usual_only):
        if signs(envelope, signature, key):
            return scheme
    return None


def is_well_formed(signature: bytes) -> bool:
    """Whether S is below the group order, as in every real signature."""
    return len(signature) == 64 and int.from_bytes(signature[32:], "little") < _ORDER


def public_key(address: Address) -> bytes:
    """The 32 key bytes of a Solana address."""
    return base58.b58decode(address.canonical)


def verify_solana(message: bytes, data: bytes, address: Address) -> Proof | None:
    """The proof when the registered key signed exactly these bytes, plain or in an envelope."""
    key = public_key(address)
    scheme = scheme_of(message, data, key)
    return Proof(scheme, data.hex(), address.display) if scheme else None
