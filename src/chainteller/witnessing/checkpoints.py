"""Checkpoints: a log's head as the text of a signed note (https://c2sp.org/tlog-checkpoint)."""

import re
from dataclasses import dataclass
from typing import NamedTuple

from chainteller.witnessing.notes import (
    Defect,
    Note,
    NoteInvalid,
    VerifierKey,
    parse_note,
    root_hash,
    to_base64,
    verified_by,
)

LARGEST_SIZE = 2**63 - 1
_SIZE = re.compile(r"0|[1-9][0-9]{0,18}", re.ASCII)


class Head(NamedTuple):
    """The first ``size`` entries of a log, by the root of their Merkle tree."""

    size: int
    root: bytes

    def __str__(self) -> str:
        return f"{self.size} {to_base64(self.root)}"


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A head of the log named ``origin``; ``extensions`` are opaque lines."""

    origin: str
    head: Head
    extensions: tuple[str, ...] = ()

    def text(self) -> str:
        lines = (self.origin, str(self.head.size), to_base64(self.head.root), *self.extensions)
        return "".join(f"{each}\n" for each in lines)

    @classmethod
    def parse(cls, text: str) -> "Checkpoint":
        """Read a note's text. Raises NoteInvalid: NO_CHECKPOINT, TREE_SIZE, ROOT_HASH or
        EXTENSION_LINE."""
        lines = text.split("\n")
        if len(lines) < 4 or lines.pop() or not lines[0]:
            raise NoteInvalid(Defect.NO_CHECKPOINT, "needs the lines origin, size and root hash")
        origin, size, root, *extensions = lines
        return cls(origin, Head(parse_size(size), root_hash(root)), _checked(extensions))


def parse_size(text: str) -> int:
    """Read a tree size. Raises NoteInvalid (TREE_SIZE)."""
    if not _SIZE.fullmatch(text) or int(text) > LARGEST_SIZE:
        raise NoteInvalid(Defect.TREE_SIZE, "the tree size is no whole number in its shortest form")
    return int(text)


def _checked(extensions: list[str]) -> tuple[str, ...]:
    if not all(extensions):
        raise NoteInvalid(Defect.EXTENSION_LINE, "an extension line is empty")
    return tuple(extensions)


class SignedHead(NamedTuple):
    """A checkpoint with its note and the known keys that signed it."""

    checkpoint: Checkpoint
    note: Note
    signed_by: tuple[VerifierKey, ...] = ()

    @property
    def head(self) -> Head:
        return self.checkpoint.head


def read_signed_head(data: bytes) -> SignedHead:
    """Read a checkpoint; its signatures aren't checked. Raises NoteInvalid."""
    note = parse_note(data)
    return SignedHead(Checkpoint.parse(note.text), note)


def verified(read: SignedHead, keys: tuple[VerifierKey, ...]) -> SignedHead:
    """The head with the known keys that signed it. Raises NoteInvalid: UNKNOWN_KEY or
    BAD_SIGNATURE."""
    return read._replace(signed_by=verified_by(read.note, keys))


def origin_of(deployment: str, organisation: str) -> str:
    """The name of an organisation's log."""
    return f"{deployment}/{organisation}"


def split_origin(origin: str) -> tuple[str, str]:
    """The deployment and the organisation in an origin; the organisation may be empty."""
    deployment, _, organisation = origin.rpartition("/")
    return (deployment, organisation) if deployment else (origin, "")
