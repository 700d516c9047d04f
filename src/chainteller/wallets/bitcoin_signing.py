"""Signs as wallets of Bitcoin and its relatives do, with published sample keys only.

Nothing here hides its timing.
"""

from chainteller.wallets import bip137, bip322
from chainteller.wallets.bitcoin_keys import script_of
from chainteller.wallets.family import Address
from chainteller.wallets.hashes import tagged_hash
from chainteller.wallets.sample_keys import public_key, sign_digest
from chainteller.wallets.secp256k1 import ORDER, compress, write_der

_HEADER = {"p2pkh": 31, "p2sh": 35, "p2wpkh": 39}


def sign_legacy(secret: bytes, digest: bytes, kind: str) -> bytes:
    """The 65 bytes of BIP-137 with the header of the address type (31 for any other)."""
    r, s, parity = sign_digest(secret, digest)
    header = _HEADER.get(kind, 31) + parity
    return bytes([header]) + r.to_bytes(32, "big") + s.to_bytes(32, "big")


def sign_bip322(secret: bytes, message: bytes, address: Address) -> bytes:
    """The witness stack of the simple form, for p2wpkh, nested p2wpkh and p2tr addresses."""
    script = script_of(address)
    outpoint = bip322.spent_outpoint(message, script)
    if address.kind == "p2tr":
        return _stack(
            _sign_schnorr(secret, bip322.taproot_digest(bip322.ToSign(()), outpoint, script, b""))
        )
    packed = compress(public_key(secret))
    digest = bip322.segwit_digest(bip322.ToSign(()), outpoint, packed)
    r, s, _ = sign_digest(secret, digest)
    return _stack(write_der(r, s) + b"\x01", packed)


def _stack(*items: bytes) -> bytes:
    pieces = b"".join(bip137.compact_size(len(item)) + item for item in items)
    return bip137.compact_size(len(items)) + pieces


def _sign_schnorr(secret: bytes, message: bytes) -> bytes:
    """BIP-340 with the BIP-86 tweak and a nonce of the message alone."""
    internal = _even(int.from_bytes(secret, "big"))
    x_only = public_key(internal.to_bytes(32, "big"))[:32]
    tweak = int.from_bytes(tagged_hash("TapTweak", x_only), "big")
    key = _even((internal + tweak) % ORDER)
    packed = key.to_bytes(32, "big")
    output = public_key(packed)[:32]
    seed = tagged_hash("BIP0340/nonce", packed + output + message)
    nonce = _even(int.from_bytes(seed, "big") % ORDER)
    commitment = public_key(nonce.to_bytes(32, "big"))[:32]
    hashed = tagged_hash("BIP0340/challenge", commitment + output + message)
    challenge = int.from_bytes(hashed, "big") % ORDER
    return commitment + ((nonce + challenge * key) % ORDER).to_bytes(32, "big")


def _even(secret: int) -> int:
    """The secret of the point with the same x and an even y."""
    odd = public_key(secret.to_bytes(32, "big"))[63] & 1
    return ORDER - secret if odd else secret
