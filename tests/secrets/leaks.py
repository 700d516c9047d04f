"""What of secrets is in the files of a folder: nobody is trusted to have kept only a part."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from pathlib import Path

from tests.secrets.generated import Secret

_CHARACTERS, _WORDS = 16, 4
_TOKEN = re.compile(r"[^\W\d_]+")
_ESCAPE = re.compile(r"\\u([0-9a-f]{4})")


def _normal(text: str) -> str:
    """As it is compared: in one case, with single spaces, and without JSON's escapes."""
    plain = _ESCAPE.sub(lambda match: chr(int(match[1], 16)), text.lower())
    return re.sub(r"\s+", " ", unicodedata.normalize("NFKD", plain))


def _runs(text: str) -> Iterator[str]:
    """Every stretch of so many characters."""
    return (text[at : at + _CHARACTERS] for at in range(len(text) - _CHARACTERS + 1))


def _word_runs(text: str) -> Iterator[tuple[str, ...]]:
    words = _TOKEN.findall(unicodedata.normalize("NFC", text))
    return (tuple(words[at : at + _WORDS]) for at in range(len(words) - _WORDS + 1))


class Parts:
    """The parts of secrets that no file may have: 16 characters, or 4 words, in a row."""

    def __init__(self, secrets: Iterable[Secret]) -> None:
        self._runs: dict[str, str] = {}
        self._word_runs: dict[tuple[str, ...], str] = {}
        for secret in secrets:
            for text in filter(None, (secret.bare or secret.text,)):
                normal = _normal(text)
                self._runs |= dict.fromkeys(_runs(normal), secret.kind)
                if "phrase" in secret.kind:
                    self._word_runs |= dict.fromkeys(_word_runs(normal), secret.kind)

    def found_in(self, folder: Path) -> set[tuple[str, str]]:
        """The files that have a part of a secret, with the kind of secret."""
        return {
            (str(file.relative_to(folder)), kind)
            for file in folder.rglob("*")
            if file.is_file()
            for kind in self.found(file.read_bytes())
        }

    def found(self, content: bytes) -> Iterator[str]:
        """The kinds of the secrets of which the content has a part."""
        text = _normal(content.decode(errors="replace"))
        yield from (self._runs[run] for run in _runs(text) if run in self._runs)
        yield from (self._word_runs[run] for run in _word_runs(text) if run in self._word_runs)
