"""What becomes of a text on its way into a wallet: every alteration that is searched for."""

import base64
import hashlib
import json
import textwrap
import unicodedata
from collections.abc import Callable, Iterator
from urllib.parse import quote

import base58

from chainteller.wallets import bip137, evm
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


Digest = Callable[[bytes], bytes]


def _hex(data: bytes) -> bytes:
    return data.hex().encode()


def _with_prefix(prefix: bytes) -> Digest:
    return lambda text: keccak256(prefix + str(len(text)).encode() + text)


def _old_trezor(text: bytes) -> bytes:
    prefix = b"\x19Ethereum Signed Message:\n"
    return keccak256(prefix + bip137.compact_size(len(text)) + text)


def _double_prefix(text: bytes) -> bytes:
    prefix = b"\x19Ethereum Signed Message:\n" + str(len(text)).encode()
    return evm.message_digest(prefix + text)


# What an ECDSA wallet may have signed instead of the personal message, as (finding, digest).
EVM_DIGESTS: tuple[tuple[str, Digest], ...] = (
    ("RAW_HASH_SIGNED", keccak256),
    ("RAW_HASH_SIGNED", sha256),
    ("RAW_HASH_SIGNED", lambda text: hashlib.sha3_256(text).digest()),
    ("RAW_HASH_SIGNED", double_sha256),
    ("HASH_OF_TEXT_SIGNED", lambda text: evm.message_digest(keccak256(text))),
    ("HASH_OF_TEXT_SIGNED", lambda text: evm.message_digest(sha256(text))),
    ("HASH_OF_TEXT_SIGNED", lambda text: evm.message_digest(b"0x" + _hex(keccak256(text)))),
    ("HASH_OF_TEXT_SIGNED", lambda text: evm.message_digest(_hex(keccak256(text)))),
    ("HASH_OF_TEXT_SIGNED", lambda text: evm.message_digest(_hex(sha256(text)))),
    ("DOUBLE_PREFIX", _double_prefix),
    ("OLD_TREZOR_PREFIX", _old_trezor),
)  # fmt: skip

# The personal messages of other networks that use the same keys.
FOREIGN_DIGESTS: tuple[tuple[str, Digest], ...] = (
    ("SIGNED_AS_ETHEREUM", evm.message_digest),
    ("SIGNED_AS_BITCOIN", bip137.message_digest),
    ("SIGNED_AS_TRON", _with_prefix(b"\x19TRON Signed Message:\n")),
    ("SIGNED_AS_TRON", lambda text: keccak256(b"\x19TRON Signed Message:\n32" + keccak256(text))),
    ("SIGNED_AS_TRON", lambda text: keccak256(b"\x19TRON Signed Message:\n32" + text)),
)  # fmt: skip


def hashed_texts(text: str) -> Iterator[tuple[str, bytes]]:
    """What an Ed25519 or Bitcoin wallet may have been given instead of the text itself."""
    data = text.encode()
    yield "HASH_OF_TEXT_SIGNED", sha256(data)
    yield "HASH_OF_TEXT_SIGNED", keccak256(data)
    yield "HASH_OF_TEXT_SIGNED", hashlib.sha512(data).digest()
    yield "HASH_OF_TEXT_SIGNED", double_sha256(data)
    yield "HASH_OF_TEXT_SIGNED", sha256(data).hex().encode()
    yield "HASH_OF_TEXT_SIGNED", keccak256(data).hex().encode()
    prefix = b"\x19Ethereum Signed Message:\n" + str(len(data)).encode()
    yield "SIGNED_AS_ETHEREUM", prefix + data
    yield "SIGNED_AS_ETHEREUM", evm.message_digest(data)
