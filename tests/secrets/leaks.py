"""What of secrets is in the files of a folder: nobody is trusted to have kept only a part."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Set
from pathlib import Path

from tests.secrets.generated import Secret

_CHARACTERS, _WORDS = 16, 4
_STEP = _CHARACTERS // 2
_BLOCK = _CHARACTERS - _STEP + 1
"""A stretch of so many characters has a whole block that begins at a multiple of the step."""
_PAGE = 4_096
"""Bytes of a page of SQLite."""
_TOKEN = re.compile(r"[^\W\d_]+")
_ESCAPE = re.compile(r"\\u([0-9a-f]{4})")


def _normal(text: str) -> str:
    """As it is compared: in one case, with single spaces, and without JSON's escapes."""
    plain = _ESCAPE.sub(lambda match: chr(int(match[1], 16)), text.lower())
    return re.sub(r"\s+", " ", unicodedata.normalize("NFKD", plain))


def _runs(text: str, size: int = _CHARACTERS) -> Iterator[str]:
    """Every stretch of so many characters."""
    return (text[at : at + size] for at in range(len(text) - size + 1))


def _words(text: str) -> list[str]:
    return _TOKEN.findall(unicodedata.normalize("NFC", text))


def _word_runs(words: list[str]) -> Iterator[tuple[str, ...]]:
    return (tuple(words[at : at + _WORDS]) for at in range(len(words) - _WORDS + 1))


def pages_in(folder: Path) -> set[bytes]:
    """The pages of the files of a folder, which need not be read again where they stay."""
    files = (file.read_bytes() for file in folder.rglob("*") if file.is_file())
    return {page for content in files for page in _pages(content)}


def _pages(content: bytes) -> Iterator[bytes]:
    return (content[at : at + _PAGE] for at in range(0, len(content), _PAGE))


class Parts:
    """The parts of secrets that no file may have: 16 characters, or 4 words, in a row.

    ``known`` are pages from before the secrets were entered: most of a bank's file.
    """

    def __init__(self, secrets: Iterable[Secret], known: Set[bytes] = frozenset()) -> None:
        self._known = known
        self._runs: dict[str, str] = {}
        self._word_runs: dict[tuple[str, ...], str] = {}
        for secret in secrets:
            for text in filter(None, (secret.bare or secret.text,)):
                normal = _normal(text)
                self._runs |= dict.fromkeys(_runs(normal), secret.kind)
                if "phrase" in secret.kind:
                    self._word_runs |= dict.fromkeys(_word_runs(_words(normal)), secret.kind)
        self._blocks = {block for run in self._runs for block in _runs(run, _BLOCK)}
        self._words = {word for run in self._word_runs for word in run}

    def found_in(self, folder: Path) -> set[tuple[str, str]]:
        """The files that have a part of a secret, with the kind of secret."""
        return {
            (str(file.relative_to(folder)), kind)
            for file in folder.rglob("*")
            if file.is_file()
            for kind in self.found(self._unknown(file.read_bytes()))
        }

    def _unknown(self, content: bytes) -> bytes:
        return b"".join(b"\n" if page in self._known else page for page in _pages(content))

    def found(self, content: bytes) -> Iterator[str]:
        """The kinds of the secrets of which the content has a part.

        Files of several megabytes are read: only around a known block or word is each run tried.
        """
        text = _normal(content.decode(errors="replace"))
        for at in range(0, len(text), _STEP):
            if text[at : at + _BLOCK] in self._blocks:
                around = text[max(0, at - _STEP + 1) : at + _CHARACTERS]
                yield from (self._runs[run] for run in _runs(around) if run in self._runs)
        words = _words(text)
        for at in range(0, len(words), _WORDS):
            if words[at] in self._words:
                near = words[max(0, at - _WORDS + 1) : at + _WORDS]
                yield from (
                    self._word_runs[run] for run in _word_runs(near) if run in self._word_runs
                )
