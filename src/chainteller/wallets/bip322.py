"""BIP-322 for one key: the witness (simple) or the transaction (full) that signs a message.

A message is signed by spending a virtual output locked by the address's script. Scripts of
several keys and time locks are recognised, so that they can be named, and never accepted.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from chainteller.wallets.bip137 import compact_size
from chainteller.wallets.bitcoin_keys import script_of
from chainteller.wallets.curve import KeyRecovery, SchnorrCheck, curve
from chainteller.wallets.encodings import SignatureReading
from chainteller.wallets.family import Address
from chainteller.wallets.hashes import double_sha256, hash160, sha256, tagged_hash
from chainteller.wallets.secp256k1 import (
    FIELD,
    HALF_ORDER,
    ORDER,
    decompress,
    packed_numbers,
    read_der,
)

_OUTPUTS = bytes(8) + b"\x01\x6a"
_SIGHASH_ALL = b"\x01\x00\x00\x00"
_MAX_ITEMS = 120


class Unsupported(ValueError):
    """A BIP-322 proof of a kind that is not judged: several keys, time locks, proof of funds."""


@dataclass(frozen=True, slots=True)
class ToSign:
    """The transaction that spends the virtual output; `outpoint` is None in the simple form."""

    witness: tuple[bytes, ...]
    script_sig: bytes = b""
    outpoint: bytes | None = None
    version: bytes = bytes(4)
    sequence: bytes = bytes(4)
    lock_time: bytes = bytes(4)

    @property
    def scheme(self) -> str:
        """bip322-simple or bip322-full."""
        return "bip322-simple" if self.outpoint is None else "bip322-full"


class _Bytes:
    """A cursor over serialised bytes; ValueError when they end too early."""

    def __init__(self, data: bytes) -> None:
        self.data, self.position = data, 0

    def take(self, count: int) -> bytes:
        piece = self.data[self.position : self.position + count]
        if len(piece) != count:
            raise ValueError("too short")
        self.position += count
        return piece

    def size(self) -> int:
        first = self.take(1)[0]
        width = {0xFD: 2, 0xFE: 4, 0xFF: 8}.get(first)
        return int.from_bytes(self.take(width), "little") if width else first

    def piece(self) -> bytes:
        return self.take(self.size())

    def pieces(self) -> tuple[bytes, ...]:
        count = self.size()
        if count > _MAX_ITEMS:
            raise ValueError("too many items")
        return tuple(self.piece() for _ in range(count))

    def end(self) -> None:
        if self.position != len(self.data):
            raise ValueError("trailing bytes")


def read_bip322(data: bytes, prefix: str) -> ToSign | None:
    """Read a witness stack or a transaction; without a prefix, whichever the bytes are.

    The lock time and sequence of a transaction do not matter: a script of one key knows no time.

    Raises:
        Unsupported: proof of funds or several inputs.
    """
    if prefix == "pof":
        raise Unsupported("proof of funds")
    if prefix != "ful":
        try:
            return _read_simple(data)
        except ValueError:
            if prefix == "smp":
                return None
    try:
        return _read_full(data)
    except Unsupported:
        raise
    except ValueError:
        return None


def _read_simple(data: bytes) -> ToSign:
    cursor = _Bytes(data)
    witness = cursor.pieces()
    cursor.end()
    if not witness:
        raise ValueError("empty witness")
    return ToSign(witness)


def _read_full(data: bytes) -> ToSign:
    cursor = _Bytes(data)
    version = cursor.take(4)
    has_witness = data[4:6] == b"\x00\x01"
    if has_witness:
        cursor.take(2)
    inputs = cursor.size()
    outpoint, script_sig, sequence = cursor.take(36), cursor.piece(), cursor.take(4)
    if inputs != 1:
        raise Unsupported("several inputs")
    if cursor.size() != 1 or cursor.take(10) != _OUTPUTS:
        raise ValueError("not the virtual output")
    witness = cursor.pieces() if has_witness else ()
    lock_time = cursor.take(4)
    cursor.end()
    if version not in {bytes(4), b"\x02\x00\x00\x00"}:
        raise ValueError("not a to_sign transaction")
    return ToSign(witness, script_sig, outpoint, version, sequence, lock_time)


def spent_outpoint(message: bytes, script: bytes) -> bytes:
    """The 36-byte outpoint of the virtual transaction that commits to message and script."""
    hashed = tagged_hash("BIP0322-signed-message", message)
    serialised = (
        bytes(4) + b"\x01" + bytes(32) + b"\xff\xff\xff\xff" + b"\x22\x00\x20" + hashed + bytes(4)
        + b"\x01" + bytes(8) + compact_size(len(script)) + script + bytes(4)
    )  # fmt: skip
    return double_sha256(serialised) + bytes(4)


class Bip322Check:
    """One proof and one address, asked about many messages."""

    def __init__(self, to_sign: ToSign, address: Address) -> None:
        """Prepare what does not depend on the message.

        Raises:
            Unsupported: the address's script, or the witness, needs more than one key.
        """
        self._to_sign = to_sign
        self._script = script_of(address)
        self._kind = address.kind
        self._recoveries: tuple[KeyRecovery, ...] = ()
        self._schnorr: SchnorrCheck | None = None
        self._key: bytes | None = None
        self._numbers = b""
        if address.kind == "p2tr":
            self._prepare_taproot(to_sign.witness)
        elif address.kind == "p2wsh":
            raise Unsupported("script")
        else:
            self._prepare_ecdsa(*self._key_and_signature())

    @property
    def witness_key(self) -> bytes | None:
        """The x ‖ y of the key that the proof carries; None for taproot, or when malformed."""
        return self._key

    def signs(self, message: bytes) -> bool:
        """Whether the proof is the address's over exactly this message."""
        return self.signed((message,))[0]

    def signed(self, messages: Sequence[bytes]) -> list[bool]:
        """As `signs` for each message; many at once cost less each."""
        if not self._matches_script():
            return [False] * len(messages)
        return self._signed_by_witness_key(messages)

    def digest(self, message: bytes) -> bytes | None:
        """What the key signs for the message; None for a transaction that spends another."""
        outpoint = spent_outpoint(message, self._script)
        if self._to_sign.outpoint not in {None, outpoint}:
            return None
        if self._kind == "p2tr":
            return taproot_digest(self._to_sign, outpoint, self._script, self._hash_type)
        if self._kind == "p2pkh":
            return legacy_digest(self._to_sign, outpoint, self._script)
        return segwit_digest(self._to_sign, outpoint, self._packed_key)

    @property
    def key_and_numbers(self) -> tuple[bytes, bytes]:
        """The key, x ‖ y or taproot's 32 bytes, and the 64 bytes of its signature."""
        if self._kind == "p2tr":
            return self._script[2:], self._to_sign.witness[0][:64]
        return self._key or b"", self._numbers

    def _signed_by_witness_key(self, messages: Sequence[bytes]) -> list[bool]:
        """Whether the key in the proof, whoever owns it, signed each message for this address."""
        digests = [self.digest(message) for message in messages]
        asked = [digest for digest in digests if digest is not None]
        if self._schnorr is not None:
            signed = set(itertools.compress(asked, self._schnorr.signed(asked)))
        else:
            signed = set()
            for recovery in self._recoveries:
                keys = recovery.public_keys(asked)
                signed.update(itertools.compress(asked, [key == self._key for key in keys]))
        return [digest in signed for digest in digests]

    def _key_and_signature(self) -> tuple[bytes, bytes]:
        if self._kind == "p2pkh":
            if self._to_sign.witness:
                return b"", b""
            return _two_pushes(self._to_sign.script_sig)
        if len(self._to_sign.witness) != 2:
            raise Unsupported("not one key")
        signature, key = self._to_sign.witness
        if len(key) != 33:
            if key[-1:] in {b"\xae", b"\xac", b"\x87", b"\x68"}:
                raise Unsupported("script")
            return b"", b""
        return key, signature

    def _prepare_ecdsa(self, key: bytes, signature: bytes) -> None:
        point, numbers = decompress(key), read_der(signature[:-1])
        self._packed_key = key
        if point is None or numbers is None or signature[-1:] != _SIGHASH_ALL[:1]:
            return
        if numbers[1] > HALF_ORDER:
            return
        self._key = point
        r, s = numbers
        self._numbers = packed_numbers(r, s)
        ids = (0, 1, 2, 3) if r + ORDER < FIELD else (0, 1)
        found = (curve().recovery(r, s, recovery_id) for recovery_id in ids)
        self._recoveries = tuple(recovery for recovery in found if recovery)

    def _prepare_taproot(self, witness: tuple[bytes, ...]) -> None:
        if len(witness) > 1:
            raise Unsupported("script path")
        signature = witness[0] if witness and not self._to_sign.script_sig else b""
        self._hash_type = signature[64:]
        if self._hash_type in {b"", b"\x01"}:
            self._schnorr = curve().schnorr(signature[:64], self._script[2:])

    def _matches_script(self) -> bool:
        if self._kind == "p2tr":
            return True
        if self._key is None:
            return False
        hashed = hash160(self._packed_key)
        redeem = b"\x00\x14" + hashed
        if self._kind == "p2sh":
            allowed = {b"\x16" + redeem} if self._to_sign.outpoint else {b"", b"\x16" + redeem}
            right_script = self._script == b"\xa9\x14" + hash160(redeem) + b"\x87"
            return right_script and self._to_sign.script_sig in allowed
        if self._kind == "p2wpkh":
            return self._script == redeem and not self._to_sign.script_sig
        return self._script[3:23] == hashed


def segwit_digest(to_sign: ToSign, outpoint: bytes, packed_key: bytes) -> bytes:
    """BIP-143, SIGHASH_ALL, for the 33-byte key."""
    code = b"\x19\x76\xa9\x14" + hash160(packed_key) + b"\x88\xac"
    return double_sha256(
        to_sign.version + double_sha256(outpoint) + double_sha256(to_sign.sequence) + outpoint
        + code + bytes(8) + to_sign.sequence + double_sha256(_OUTPUTS) + to_sign.lock_time
        + _SIGHASH_ALL
    )  # fmt: skip


def legacy_digest(to_sign: ToSign, outpoint: bytes, script: bytes) -> bytes:
    """The signature hash of transactions before segwit, SIGHASH_ALL."""
    return double_sha256(
        to_sign.version + b"\x01" + outpoint + compact_size(len(script)) + script
        + to_sign.sequence + b"\x01" + _OUTPUTS + to_sign.lock_time + _SIGHASH_ALL
    )  # fmt: skip


def taproot_digest(to_sign: ToSign, outpoint: bytes, script: bytes, hash_type: bytes) -> bytes:
    """BIP-341, key path; `hash_type` is empty (SIGHASH_DEFAULT) or one byte."""
    return tagged_hash(
        "TapSighash",
        b"\x00" + (hash_type or b"\x00") + to_sign.version + to_sign.lock_time
        + sha256(outpoint) + sha256(bytes(8)) + sha256(compact_size(len(script)) + script)
        + sha256(to_sign.sequence) + sha256(_OUTPUTS) + bytes(5),
    )  # fmt: skip


def _two_pushes(script_sig: bytes) -> tuple[bytes, bytes]:
    """The key and the signature of a p2pkh scriptSig."""
    try:
        cursor = _Bytes(script_sig)
        signature, key = cursor.piece(), cursor.piece()
        cursor.end()
    except ValueError:
        return b"", b""
    return key, signature


def is_proof(data: bytes) -> bool:
    """Whether the bytes read as a proof that holds enough for a signature."""
    try:
        to_sign = read_bip322(data, "")
    except Unsupported:
        return False
    return to_sign is not None and sum(map(len, (*to_sign.witness, to_sign.script_sig))) >= 64


def holds_proof(reading: SignatureReading) -> bool:
    """Whether a paste in base64 or hex reads as a proof."""
    return any(is_proof(c.data) for c in reading.candidates if c.encoding in {"base64", "hex"})
