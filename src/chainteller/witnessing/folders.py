"""A folder as a witness: it keeps every note, and refuses what doesn't continue the largest one.

Notes are files ``<folder>/<deployment>/<organisation>/<size>.checkpoint`` (20 digits), each written
whole or not at all. Put the folder where whoever can change the database can't write: on another
machine, or a medium that is only appended to.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from urllib.parse import quote

from chainteller.domain.merkle import verify_consistency
from chainteller.given_files import open_given
from chainteller.private_files import locked, write_atomically
from chainteller.witnessing.checkpoints import Head, read_signed_head, split_origin
from chainteller.witnessing.errors import WitnessFailed, WitnessProblem
from chainteller.witnessing.notes import (
    MAXIMUM_NOTE_BYTES,
    NoteInvalid,
    NoteSignature,
)
from chainteller.witnessing.submissions import KeptNote, Submission, behind

_SUFFIX = ".checkpoint"
_DIGITS = 20


@dataclass(frozen=True, slots=True)
class FolderWitness:
    """Keeps notes in ``folder``, which is made with the first one."""

    folder: Path
    kind: str = "folder"

    @property
    def address(self) -> str:
        return str(self.folder)

    def submit(self, submission: Submission) -> tuple[NoteSignature, ...]:
        """Keep a note; a folder makes no cosignatures. Raises WitnessFailed: LARGER_HEAD,
        OTHER_HEAD or UNUSABLE_FOLDER; nothing was written."""
        signed = submission.signed
        place = self._place(signed.checkpoint.origin)
        try:
            place.mkdir(parents=True, exist_ok=True)
            with locked(place / ".lock"):
                latest = self._latest(signed.checkpoint.origin)
                if latest == signed.head:
                    return ()
                _require_continuation(latest, submission)
                file = place / f"{signed.head.size:0{_DIGITS}d}{_SUFFIX}"
                write_atomically(file, signed.note.encode(), is_new=True)
        except OSError as error:
            raise self._unusable(error.strerror or str(error)) from None
        return ()

    def kept(self, origin: str) -> Sequence[KeptNote]:
        """The notes of a log, the largest first. Raises WitnessFailed (UNUSABLE_FOLDER)."""
        return _Notes(self, self._files(origin))

    def set_aside(self, origin: str, is_left_behind: Callable[[Head], bool]) -> int:
        """Move the largest notes, as long as they are left behind, into a folder ``former-N``.

        Returns:
            How many were moved.

        Raises:
            WitnessFailed: UNUSABLE_FOLDER.
        """
        place = self._place(origin)
        if not self._files(origin):
            return 0
        try:
            with locked(place / ".lock"):
                found = list(
                    takewhile(lambda each: is_left_behind(self._head(each)), self._files(origin))
                )
                if found:
                    former = _next_former(place)
                    for each in found:
                        each.rename(former / each.name)
                return len(found)
        except OSError as error:
            raise self._unusable(error.strerror or str(error)) from None

    def read(self, file: Path) -> KeptNote:
        """Raises WitnessFailed (UNUSABLE_FOLDER)."""
        try:
            with open_given(file) as opened:
                return KeptNote(str(file), _size(file), opened.read(MAXIMUM_NOTE_BYTES + 1))
        except OSError as error:
            raise self._unusable(f"{file.name}: {error.strerror}") from None

    def _place(self, origin: str) -> Path:
        deployment, organisation = split_origin(origin)
        return self.folder / quote(deployment, safe="") / quote(organisation, safe="")

    def _files(self, origin: str) -> list[Path]:
        try:
            found = [each for each in self._place(origin).iterdir() if _is_note(each.name)]
        except FileNotFoundError:
            return []
        except OSError as error:
            raise self._unusable(error.strerror or str(error)) from None
        return sorted(found, reverse=True)

    def _latest(self, origin: str) -> Head | None:
        files = self._files(origin)
        return self._head(files[0]) if files else None

    def _head(self, file: Path) -> Head:
        try:
            return read_signed_head(self.read(file).data).head
        except NoteInvalid as error:
            raise self._unusable(f"{file.name} is damaged: {error}") from None

    def _unusable(self, why: str) -> WitnessFailed:
        return WitnessFailed(WitnessProblem.UNUSABLE_FOLDER, f"{self.folder}: {why}")


class _Notes(Sequence[KeptNote]):
    """The notes of a folder, each read when it is looked at: there may be a great many."""

    def __init__(self, witness: FolderWitness, files: list[Path]) -> None:
        self._witness, self._files = witness, files

    def __len__(self) -> int:
        return len(self._files)

    def __getitem__(self, at):  # type: ignore[no-untyped-def]  # slices aren't needed
        return self._witness.read(self._files[at])


def _require_continuation(latest: Head | None, submission: Submission) -> None:
    """Raises WitnessFailed: LARGER_HEAD or OTHER_HEAD."""
    if latest is None:
        return
    head = submission.signed.head
    if latest.size > head.size or latest.size not in (submission.old, head.size):
        raise behind(latest.size, head.size)
    if not verify_consistency(latest.size, head.size, latest.root, head.root, submission.proof):
        raise WitnessFailed(
            WitnessProblem.OTHER_HEAD,
            f"this log doesn't continue the {latest.size} entries that it has seen",
        )


def _is_note(name: str) -> bool:
    digits = name.removesuffix(_SUFFIX)
    return name.endswith(_SUFFIX) and len(digits) == _DIGITS and digits.isdecimal()


def _size(file: Path) -> int:
    return int(file.name.removesuffix(_SUFFIX))


def _next_former(place: Path) -> Path:
    number = 1
    while (place / f"former-{number}").exists():
        number += 1
    former = place / f"former-{number}"
    former.mkdir()
    return former
