"""Signed notes: a text with the signatures of one or more keys (https://c2sp.org/signed-note).

A note is untrusted until ``verified_by`` has found the signature of a known key on it. Whatever is
wrong with a note raises ``NoteInvalid``, which names the defect.
"""

import base64
import binascii
import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum, StrEnum

from nacl.bindings import crypto_sign, crypto_sign_open, crypto_sign_seed_keypair
from nacl.exceptions import BadSignatureError

MAXIMUM_NOTE_BYTES = 64 * 1024
MAXIMUM_SIGNATURES = 32
"""The specification asks for at least 16."""
LAST_POSIX_TIME = 2**63 - 1
_DASH = "—"
_SIGNATURE_LINE = re.compile(rf"{_DASH} ([^ ]+) ([A-Za-z0-9+/]+={{0,2}})")
_VERIFIER_KEY = re.compile(r"([^+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+={0,2})", re.ASCII)
_ED25519_BYTES = 64


class Defect(StrEnum):
    """What is wrong with a note, a key or a checkpoint."""

    TOO_LARGE = "TOO_LARGE"
    NOT_TEXT = "NOT_TEXT"
    CONTROL_CHARACTER = "CONTROL_CHARACTER"
    NO_SIGNATURE = "NO_SIGNATURE"
    SIGNATURE_LINE = "SIGNATURE_LINE"
    TOO_MANY_SIGNATURES = "TOO_MANY_SIGNATURES"
    KEY_NAME = "KEY_NAME"
    VERIFIER_KEY = "VERIFIER_KEY"
    UNKNOWN_KEY = "UNKNOWN_KEY"
    BAD_SIGNATURE = "BAD_SIGNATURE"
    NO_CHECKPOINT = "NO_CHECKPOINT"
    TREE_SIZE = "TREE_SIZE"
    ROOT_HASH = "ROOT_HASH"
    EXTENSION_LINE = "EXTENSION_LINE"


class NoteInvalid(ValueError):
    """A note, key or checkpoint that can't be used; ``defect`` names the reason."""

    def __init__(self, defect: Defect, message: str) -> None:
        super().__init__(message)
        self.defect = defect


class SignatureType(IntEnum):
    """The assigned signature types that are used here."""

    ED25519 = 0x01
    COSIGNATURE_V1 = 0x04


@dataclass(frozen=True, slots=True)
class NoteSignature:
    """A signature line; ``value`` is what follows the four bytes of the key id."""

    name: str
    key_id: int
    value: bytes

    def line(self) -> str:
        return f"{_DASH} {self.name} {to_base64(self.key_id.to_bytes(4) + self.value)}\n"


@dataclass(frozen=True, slots=True)
class Note:
    """A text, which ends with a newline, and its signatures."""

    text: str
    signatures: tuple[NoteSignature, ...] = ()

    def encode(self) -> str:
        return f"{self.text}\n{''.join(each.line() for each in self.signatures)}"

    def with_signatures(self, signatures: Iterable[NoteSignature]) -> "Note":
        """The note with further signatures; one that is there already isn't added again."""
        return Note(self.text, tuple(dict.fromkeys((*self.signatures, *signatures))))


@dataclass(frozen=True, slots=True)
class VerifierKey:
    """A public key under a name, as whoever checks a note is configured with it."""

    name: str
    public: bytes
    kind: SignatureType = SignatureType.ED25519

    @property
    def key_id(self) -> int:
        """SHA-256(name || 0x0A || type || public key)[:4], big-endian."""
        hashed = hashlib.sha256(self.name.encode() + b"\n" + bytes([self.kind]) + self.public)
        return int.from_bytes(hashed.digest()[:4])

    def encode(self) -> str:
        """``name+id+base64(type || public key)``: the form in which keys are handed over."""
        return f"{self.name}+{self.key_id:08x}+{to_base64(bytes([self.kind]) + self.public)}"

    @classmethod
    def parse(cls, text: str) -> "VerifierKey":
        """Read a verifier key. Raises NoteInvalid: VERIFIER_KEY or KEY_NAME."""
        found = _VERIFIER_KEY.fullmatch(text)
        raw = _from_base64(found[3]) if found else None
        if found is None or raw is None or len(raw) != 33:
            raise NoteInvalid(Defect.VERIFIER_KEY, "needs NAME+ID+KEY, an Ed25519 verifier key")
        try:
            key = cls(checked_name(found[1]), raw[1:], SignatureType(raw[0]))
        except ValueError as error:
            if isinstance(error, NoteInvalid):
                raise
            raise NoteInvalid(Defect.VERIFIER_KEY, "is a key of an unknown type") from None
        if f"{key.key_id:08x}" != found[2]:
            raise NoteInvalid(Defect.VERIFIER_KEY, "has an id that isn't the one of its key")
        return key

    def made(self, signature: NoteSignature) -> bool:
        """Whether a signature claims to be of this key."""
        return signature.name == self.name and signature.key_id == self.key_id

    def verifies(self, text: str, signature: NoteSignature) -> bool:
        """Whether the signature is this key's on the text."""
        message, value = text.encode(), signature.value
        if self.kind is SignatureType.COSIGNATURE_V1:
            if len(value) != 8 + _ED25519_BYTES or cosigned_at(signature) > LAST_POSIX_TIME:
                return False
            message, value = _cosigned(text, cosigned_at(signature)), value[8:]
        if len(value) != _ED25519_BYTES:
            return False
        try:
            crypto_sign_open(value + message, self.public)
        except BadSignatureError:
            return False
        return True


@dataclass(frozen=True, slots=True, repr=False)
class SignerKey:
    """A private key under a name: the 32 bytes that an Ed25519 key pair is made of."""

    name: str
    seed: bytes
    kind: SignatureType = SignatureType.ED25519

    @property
    def verifier(self) -> VerifierKey:
        return VerifierKey(self.name, crypto_sign_seed_keypair(self.seed)[0], self.kind)

    def sign(self, text: str, at: int = 0) -> NoteSignature:
        """Sign a note's text; a cosignature is dated ``at``, in seconds since the epoch."""
        secret = crypto_sign_seed_keypair(self.seed)[1]
        message, stamp = text.encode(), b""
        if self.kind is SignatureType.COSIGNATURE_V1:
            message, stamp = _cosigned(text, at), at.to_bytes(8)
        value = stamp + crypto_sign(message, secret)[:_ED25519_BYTES]
        return NoteSignature(self.name, self.verifier.key_id, value)


def cosigned_at(signature: NoteSignature) -> int:
    """The time of a cosignature in seconds since the epoch (https://c2sp.org/tlog-cosignature)."""
    return int.from_bytes(signature.value[:8])


def _cosigned(text: str, at: int) -> bytes:
    return f"cosignature/v1\ntime {at}\n{text}".encode()


def checked_name(name: str) -> str:
    """A key's name. Raises NoteInvalid (KEY_NAME): empty, or with a space or a plus."""
    if not name or "+" in name or any(each.isspace() or not each.isprintable() for each in name):
        raise NoteInvalid(Defect.KEY_NAME, "a key's name has a space, a plus or nothing")
    return name


def parse_note(data: bytes) -> Note:
    """Read a note; its signatures aren't checked. Raises NoteInvalid: TOO_LARGE, NOT_TEXT,
    CONTROL_CHARACTER, NO_SIGNATURE, SIGNATURE_LINE, KEY_NAME or TOO_MANY_SIGNATURES."""
    content = _text_of(data)
    text, blank, lines = content.rpartition("\n\n")
    if not blank or not text or not lines:
        raise NoteInvalid(Defect.NO_SIGNATURE, "no signature follows the text")
    return Note(f"{text}\n", parse_signatures(lines))


def parse_signatures(lines: str) -> tuple[NoteSignature, ...]:
    """Read one or more signature lines, each with its newline. Raises NoteInvalid: SIGNATURE_LINE,
    KEY_NAME or TOO_MANY_SIGNATURES."""
    if not lines.endswith("\n"):
        raise NoteInvalid(Defect.SIGNATURE_LINE, "the last signature has no newline")
    each = lines[:-1].split("\n")
    if len(each) > MAXIMUM_SIGNATURES:
        raise NoteInvalid(Defect.TOO_MANY_SIGNATURES, f"more than {MAXIMUM_SIGNATURES} signatures")
    return tuple(_signature(line) for line in each)


def _text_of(data: bytes) -> str:
    if len(data) > MAXIMUM_NOTE_BYTES:
        raise NoteInvalid(Defect.TOO_LARGE, f"more than {MAXIMUM_NOTE_BYTES} bytes")
    try:
        content = data.decode("utf-8")
    except UnicodeDecodeError:
        raise NoteInvalid(Defect.NOT_TEXT, "not UTF-8") from None
    if any(each < " " and each != "\n" for each in content):
        raise NoteInvalid(Defect.CONTROL_CHARACTER, "a control character is in the text")
    return content


def _signature(line: str) -> NoteSignature:
    found = _SIGNATURE_LINE.fullmatch(line)
    raw = _from_base64(found[2]) if found else None
    if found is None or raw is None or len(raw) < 5:
        raise NoteInvalid(Defect.SIGNATURE_LINE, "a signature line isn't one")
    return NoteSignature(checked_name(found[1]), int.from_bytes(raw[:4]), raw[4:])


def verified_by(note: Note, keys: Iterable[VerifierKey]) -> tuple[VerifierKey, ...]:
    """Return the known keys that signed the note, in the order of ``keys``. Raises NoteInvalid:
    BAD_SIGNATURE where a known key's signature is wrong, UNKNOWN_KEY where no known key signed."""
    found = []
    for key in keys:
        claimed = [each for each in note.signatures if key.made(each)]
        if not all(key.verifies(note.text, each) for each in claimed):
            raise NoteInvalid(
                Defect.BAD_SIGNATURE, f"the signature of {key.name} ({key.key_id:08x}) is wrong"
            )
        if claimed:
            found.append(key)
    if not found:
        signed = ", ".join(f"{each.name} ({each.key_id:08x})" for each in note.signatures)
        raise NoteInvalid(Defect.UNKNOWN_KEY, f"signed by unknown keys only: {signed}")
    return tuple(found)


def to_base64(raw: bytes) -> str:
    return base64.b64encode(raw).decode()


def _from_base64(text: str) -> bytes | None:
    """None unless ``text`` is exactly how its bytes are written (RFC 4648, section 4)."""
    try:
        raw = base64.b64decode(text, validate=True)
    except binascii.Error:
        return None
    return raw if to_base64(raw) == text else None


def root_hash(text: str) -> bytes:
    """Read a SHA-256 hash in base64. Raises NoteInvalid (ROOT_HASH)."""
    raw = _from_base64(text)
    if raw is None or len(raw) != 32:
        raise NoteInvalid(Defect.ROOT_HASH, "the root isn't 32 bytes in base64")
    return raw
