"""Every alteration of a text on its way into a wallet that a diagnosis searches for."""

import base64
import hashlib
import json
import textwrap
import unicodedata
from collections.abc import Iterator
from urllib.parse import quote

import base58

from chainteller.wallets.families import FAMILIES
from chainteller.wallets.family import Family, signed_as
from chainteller.wallets.hashes import double_sha256, keccak256, sha256


def altered_texts(text: str) -> Iterator[tuple[str, bytes]]:
    """The finding and the bytes of each alteration that differs from the text, likeliest first."""
    seen = {text.encode()}
    for finding, altered in _alterations(text):
        data = altered.encode() if isinstance(altered, str) else altered
        if data not in seen:
            seen.add(data)
            yield finding, data


def _alterations(text: str) -> Iterator[tuple[str, str | bytes]]:
    yield "TRAILING_NEWLINE", text + "\n"
    yield "TRAILING_NEWLINE", text + "\r\n"
    yield "TRAILING_NEWLINE", text + "\n\n"
    yield "TRAILING_SPACE", text + " "
    yield "LEADING_SPACE", " " + text
    yield "LEADING_SPACE", "\n" + text
    yield "SURROUNDING_SPACE", f" {text} "
    yield from _quoted(text)
    yield from _rewritten_lines(text)
    yield from _recoded(text)
    yield from _invisible(text)
    yield from _retyped(text)


def _quoted(text: str) -> Iterator[tuple[str, str]]:
    for opening, closing in ('""', "''", "``", "\u201c\u201d", "\u2018\u2019", "<>"):
        yield "QUOTED_TEXT", opening + text + closing
    yield "QUOTED_TEXT", json.dumps(text, ensure_ascii=False)
    yield "QUOTED_TEXT", f'"{text}"\n'


def _rewritten_lines(text: str) -> Iterator[tuple[str, str]]:
    lines = text.replace("\r\n", "\n").split("\n")
    yield "LINE_ENDINGS", "\r\n".join(lines)
    yield "LINE_ENDINGS", "\n".join(lines)
    yield "LINE_BREAKS_LOST", " ".join(lines)
    yield "LINE_BREAKS_LOST", "".join(lines)
    yield "LINE_BREAKS_LOST", "\n".join(line for line in lines if line.strip())
    yield "LITERAL_ESCAPES", text.replace("\n", "\\n")
    yield "LITERAL_ESCAPES", text + "\\n"
    yield "FIRST_LINE_ONLY", lines[0]
    for width in (72, 76, 80, 100, 120):
        yield "LINE_BREAKS_ADDED", textwrap.fill(text, width, break_on_hyphens=False)
    for width in (64, 72, 80, 100, 120):
        pieces = [text[start : start + width] for start in range(0, len(text), width)]
        yield "LINE_BREAKS_ADDED", "\n".join(pieces)


def _recoded(text: str) -> Iterator[tuple[str, str | bytes]]:
    data = text.encode()
    yield "HEX_OF_TEXT", data.hex()
    yield "HEX_OF_TEXT", "0x" + data.hex()
    yield "HEX_OF_TEXT", data.hex().upper()
    yield "BASE64_OF_TEXT", base64.b64encode(data)
    yield "BASE58_OF_TEXT", base58.b58encode(data)
    yield "URL_ENCODED_TEXT", quote(text, safe="")
    yield "URL_ENCODED_TEXT", quote(text)
    yield "URL_ENCODED_TEXT", text.replace(" ", "+")
    yield "UTF16_TEXT", text.encode("utf-16-le")
    yield "UTF16_TEXT", text.encode("utf-16")


def _invisible(text: str) -> Iterator[tuple[str, str]]:
    for mark in ("\ufeff", "\u200b"):
        yield "INVISIBLE_CHARACTERS", mark + text
        yield "INVISIBLE_CHARACTERS", text + mark
    yield "INVISIBLE_CHARACTERS", text.replace(" ", "\u00a0")
    yield "INVISIBLE_CHARACTERS", text + "\u00a0"
    yield "INVISIBLE_CHARACTERS", text + "\0"


def _retyped(text: str) -> Iterator[tuple[str, str]]:
    yield "LOWER_CASE_TEXT", text.lower()
    yield "UPPER_CASE_TEXT", text.upper()
    yield "FINAL_PERIOD_LOST", text.removesuffix(".")
    yield "SPACES_CHANGED", " ".join(text.split())
    yield "SPACES_CHANGED", text.replace(". ", ".  ")
    yield "SPACES_CHANGED", text.replace(" ", "")
    yield "LABEL_INCLUDED", "Message: " + text
    yield "PART_OF_TEXT", text.partition(": ")[2] or text
    for form in ("NFC", "NFD", "NFKC"):
        # Trezor signs the NFC form whatever it is given.
        yield "UNICODE_FORM", unicodedata.normalize(form, text)


def hashed_texts(text: str, registered: Family) -> Iterator[tuple[str, bytes]]:
    """What may have been signed as a text instead: its hash, or another family's frame of it."""
    data = text.encode()
    for digest in (sha256, keccak256):
        yield "HASH_OF_TEXT_SIGNED", digest(data)
        yield "HASH_OF_TEXT_SIGNED", digest(data).hex().encode()
        yield "HASH_OF_TEXT_SIGNED", b"0x" + digest(data).hex().encode()
    yield "HASH_OF_TEXT_SIGNED", hashlib.sha512(data).digest()
    yield "HASH_OF_TEXT_SIGNED", double_sha256(data)
    for family in FAMILIES:
        if family is not registered:
            for framed in family.framed(data):
                yield signed_as(family), framed
