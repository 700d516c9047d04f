"""What a text says that is spelled in another way: by programs, in print, or by people.

Nothing here knows a secret: each function undoes one kind of spelling, and `secret_search` looks
at what it says. Of a long text only the first few such passages are undone.
"""

import base64
import binascii
import codecs
import html
import re
import unicodedata
import zlib
from collections.abc import Callable, Iterator
from itertools import islice, pairwise
from urllib.parse import unquote, unquote_plus

from base58 import b58encode, b58encode_check

from chainteller.domain.bare_keys import BASE58, base58
from chainteller.domain.pasting import without_soft_breaks

_MOST_MATCHES = 8
_MOST_INFLATED = 4_000
"""Characters of a compressed text that are looked at."""
_ENCODINGS = ("utf-8", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be")
_LEAST_OCTETS = 32
_LEAST_WORDS = 11

# -- characters ------------------------------------------------------------------------------------

_OVERLAID = re.compile(
    "(?<=[0-9A-Za-z])[\u0300-\u036f\u20d0-\u20ff\ufe00-\ufe0f\U000e0100-\U000e01ef]+"
)
"""Marks that strike letters through or underline them, which no alphabet has."""
_LOOK_ALIKE = str.maketrans(
    "авекмнорстухіјѕһԁԛԝѵзгАВЕКМНОРСТУХІЈЅαβεικνορτυχγΑΒΕΖΗΙΚΜΝΟΡΤΥΧ",
    "abekmhopctyxijshdqwvsrABEKMHOPCTYXIJSabeiknoptuxyABEZHIKMNOPTYX",
)
"""Letters of Cyrillic and Greek that look like Latin ones."""
_SMALL_CAPITALS = str.maketrans(
    "ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘǫʀꜱᴛᴜᴠᴡʏᴢ\u115f\u1160\u3164\u2800", "abcdefghijklmnopqrstuvwyz    "
)
_SIGNS_OF_LETTERS = re.compile(
    "[\U0001f1e6-\U0001f1ff\U0001f130-\U0001f149\U0001f150-\U0001f169\U0001f170-\U0001f189"
    "\U000e0020-\U000e007e]"
)
"""Flags, squared and circled letters, and tags."""


def folded(text: str) -> str:
    """The text with letters and digits of other scripts, and signs of them, as ASCII."""
    if text.isascii():
        return text
    bare = _OVERLAID.sub("", text).translate(_SMALL_CAPITALS)
    bare = _SIGNS_OF_LETTERS.sub(_letter, bare)
    bare = "".join(_digit(each) if each.isdecimal() else each for each in bare)
    has_latin = re.search("[0-9A-Za-z]", bare) is not None
    return bare.translate(_LOOK_ALIKE) if has_latin else bare


def _letter(match: re.Match[str]) -> str:
    point = ord(match[0])
    if point >= 0xE0000:
        return chr(point - 0xE0000)
    first = next(each for each in (0x1F1E6, 0x1F170, 0x1F150, 0x1F130) if point >= each)
    return chr(ord("a") + point - first)


def _digit(sign: str) -> str:
    return str(unicodedata.decimal(sign))


# -- escapes ---------------------------------------------------------------------------------------

_POINT = re.compile(
    r"\\u\{([0-9a-fA-F]{1,6})\}|\\u([0-9a-fA-F]{4})|\\U([0-9a-fA-F]{8})|"
    r"U\+([0-9a-fA-F]{4,6})[\s,;]?|\\([0-9a-fA-F]{2}|[0-9a-fA-F]{4}) ",
    re.ASCII,
)
_OCTAL = re.compile(r"\\([0-3]?[0-7]{2})", re.ASCII)
_BLANK = re.compile(r"\\[nrtv](?![a-z]*:)", re.ASCII)
_QUOTED, _WORD = re.compile(r"=([0-9A-F]{2})", re.ASCII), re.compile(r"\S+")
_LITERAL = re.compile(r"""(['"])((?:\\.|(?!\1)[^\\\n]){20,400})\1""", re.ASCII)
_ESCAPED_OCTET = re.compile(r"\\(?:x([0-9a-f]{2})|([0-7]{1,3})|(.))", re.ASCII)
_NOT_LETTER, _LEAST_NOT_LETTERS = re.compile(r"\\(?:x[0-9a-f]{2}|[0-7]{3})", re.ASCII), 6
_BLANKS = {"n": "\n", "r": "\r", "t": "\t", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}


def unescaped(text: str) -> str:
    """The text with the escapes of addresses, mail, programs and HTML put into characters."""
    plain = _POINT.sub(_character, html.unescape(text)) if "\\" in text or "+" in text else text
    plain = _BLANK.sub(" ", _OCTAL.sub(lambda match: chr(int(match[1], 8)), html.unescape(plain)))
    quoted = _QUOTED.sub(r"%\1", without_soft_breaks(plain))
    return _WORD.sub(_unquoted, quoted) if "%" in plain else unquote(quoted)


def _unquoted(word: re.Match[str]) -> str:
    """Mail and base64 beside a word with codes keep their "+"."""
    return unquote_plus(word[0]) if "%" in word[0] else word[0]


def _character(match: re.Match[str]) -> str:
    point = int(next(filter(None, match.groups())), 16)
    return chr(point) if point < 0xD800 else match[0]


def _of_literals(text: str) -> Iterator[bytes]:
    """Octets as Python prints them, where those that are letters stand for themselves."""
    for match in islice(_LITERAL.finditer(text), _MOST_MATCHES):
        if len(_NOT_LETTER.findall(match[2])) >= _LEAST_NOT_LETTERS:
            yield _ESCAPED_OCTET.sub(_octet, match[2]).encode("latin-1", "ignore")


def _octet(match: re.Match[str]) -> str:
    if match[3]:
        return _BLANKS.get(match[3], match[3])
    return chr(int(match[1], 16) if match[1] else int(match[2], 8) & 255)


# -- numbers one by one ----------------------------------------------------------------------------

_TYPES = re.compile(
    r"\(byte\)\s*|(?<=[0-9a-f])(?:u8|i8|ull|ul|u|l|n|h)(?![0-9a-z])", re.IGNORECASE | re.ASCII
)
"""What programs write around each number."""
_HEX = re.compile(
    r"(?:(?:0|\\|(?<![\w\\]))x[0-9a-f]{1,16}(?![0-9a-f])[\s,;]*){4,}", re.ASCII | re.IGNORECASE
)
_PAIRS = re.compile(
    r"(?<![0-9a-z])(?:[0-9a-f]{2}[^0-9a-z]{1,3}){31,}[0-9a-f]{2}(?![0-9a-z])",
    re.ASCII | re.IGNORECASE,
)
_DECIMAL = re.compile(
    r"""(?:(?:"?\d{1,4}"?\s*[:=).]\s*)?-?\d{1,3}[\s,;]+){31,}"""
    r"""(?:"?\d{1,4}"?\s*[:=).]\s*)?-?\d{1,3}(?!\.?\d)""",
    re.ASCII,
)
"""Bare, in brackets, with their places ({"0": 1, "1": 2}) or with signs."""
_ROW = re.compile(r"\|[ \t]*(\d{1,4})[ \t]*\|[ \t]*(\d{1,3})[ \t]*\|", re.ASCII)
"""Of a table: a place and its number."""
_OCTAL_LIST = re.compile(
    r"(?<![\w.])(?:\\?[0-3][0-7]{2}[\s,;]*){31,}\\?[0-3][0-7]{2}(?!\w)", re.ASCII
)
_BINARY = re.compile(r"(?<![1-9A-Za-z])(?:0b)?(?:[01]{8}[\s,;]*(?:0b)?){32,}(?!\w)", re.ASCII)
_BINARY_7 = re.compile(r"(?<!\w)(?:[01]{7}[\s,;]+){31,}[01]{7}(?!\w)", re.ASCII)
_DUMPED = re.compile(
    r"^[ \t>]*[0-9a-f]{4,8}:?[ \t]+((?:[0-9a-f]{2} {0,2}){1,16})(?:[ \t].*|\|.*)?$",
    re.ASCII | re.IGNORECASE | re.MULTILINE,
)
"""A line of hexdump or xxd: where it begins, up to sixteen octets, and the letters in them."""


def octets(text: str) -> Iterator[bytes]:
    """The octets that a text lists one by one, or a few together, as numbers of any base. Each list
    is taken as a whole, over a mail's breaks of lines, for a part of a longer one is no key."""
    bare = _ROW.sub(r"\1: \2,", _TYPES.sub("", without_soft_breaks(text)))
    lists: tuple[tuple[re.Pattern[str], Callable[[str], bytes]], ...] = (
        (_HEX, _of_hex),
        (_PAIRS, _of_pairs),
        (_DECIMAL, _of_decimal),
        (_OCTAL_LIST, lambda run: bytes(int(each, 8) for each in re.findall("[0-7]{3}", run))),
        (_BINARY, lambda run: _of_binary(run, 8)),
        (_BINARY_7, lambda run: _of_binary(run, 7)),
    )
    for pattern, read in lists:
        for match in islice(pattern.finditer(bare), _MOST_MATCHES):
            yield read(match[0])
    yield from _of_literals(text)
    dumped = "".join(_DUMPED.findall(text)).replace(" ", "")
    if len(dumped) >= 2 * _LEAST_OCTETS:
        yield bytes.fromhex(dumped)


def _of_hex(run: str) -> bytes:
    numbers = re.findall("x([0-9a-f]+)", run, re.ASCII | re.IGNORECASE)
    longest = max(map(len, numbers))
    size = (longest + 1) // 2
    if size > 1 and min(map(len, numbers)) < longest:
        return b""  # flags or amounts
    return b"".join(int(each, 16).to_bytes(size) for each in numbers)


def _of_pairs(run: str) -> bytes:
    has_letter = re.search("[a-f]", run, re.IGNORECASE) is not None  # else they are decimal
    return bytes.fromhex(re.sub("[^0-9A-Fa-f]", "", run)) if has_letter else b""


def _of_decimal(run: str) -> bytes:
    bare = re.sub(r'"?\d{1,4}"?\s*[:=).]', "", run)
    numbers = [int(each) for each in re.findall(r"-?\d+", bare, re.ASCII)]
    return bytes(number & 255 for number in numbers if -128 <= number <= 255)


def _of_binary(run: str, width: int) -> bytes:
    digits = re.sub("[^01]", "", run.replace("0b", ""))
    return bytes(int(digits[at : at + width], 2) for at in range(0, len(digits), width))


# -- encodings -------------------------------------------------------------------------------------

_RUN = re.compile(r"(?:0x)?([0-9A-Za-z+/_-]{50,})", re.ASCII)


def hidden_texts(text: str) -> Iterator[str]:
    """What the text says in an encoding, or as a list of octets, where that is text again; and
    keys in base58 of which it has the octets."""
    for data in octets(text):
        yield from _said(data)
    joined = re.sub(r"\s+", "", text)
    for whole in dict.fromkeys((text, joined)):
        for match in islice(_RUN.finditer(whole), _MOST_MATCHES):
            for data in _readings(match[1]):
                yield from _said(data)
    if len(joined) >= 50 and joined.isascii() and not joined.isalnum():
        for read in (base64.b85decode, lambda said: base64.a85decode(said.strip("<~>"))):
            try:
                yield from _said(read(joined))
            except ValueError:
                continue
    yield from _word_by_word(text)


def decoded(text: str) -> bytes:
    """The octets of a text in hex or base64; empty where it is neither."""
    try:
        if re.fullmatch("[0-9a-fA-F]+", text):
            return bytes.fromhex(text[: len(text) // 2 * 2])
        return _base64(text)
    except (ValueError, binascii.Error):
        return b""


def _readings(run: str) -> Iterator[bytes]:
    yield _base64(run)
    if re.fullmatch("[0-9a-fA-F]+", run):
        yield bytes.fromhex(run[: len(run) // 2 * 2])
    if re.fullmatch("[A-Z2-7]+|[a-z2-7]+", run):
        whole = run[: -1 if len(run) % 8 in {1, 3, 6} else None]
        yield base64.b32decode(whole + "=" * (-len(whole) % 8), casefold=True)
    if len(run) <= _MOST_INFLATED and all(sign in BASE58 for sign in run):
        yield base58(run)


def _base64(text: str) -> bytes:
    """The bytes of base64 in either alphabet, perhaps without its end."""
    standard = text.replace("-", "+").replace("_", "/").rstrip("=")
    whole = standard[: -1 if len(standard) % 4 == 1 else None]
    return base64.b64decode(whole + "=" * (-len(whole) % 4))


def _said(data: bytes) -> Iterator[str]:
    """What octets say: a text, also compressed, or what base58 with a checksum is of."""
    plain = _inflated(data)
    for encoding in _ENCODINGS:
        try:
            found = codecs.getincrementaldecoder(encoding)().decode(plain).removeprefix("\ufeff")
        except UnicodeDecodeError:
            continue
        if found and re.sub(r"[\r\n\t]", " ", found).isprintable():
            yield found
            break
    if len(data) in {37, 38, 82} and b58encode_check(data[:-4]) == b58encode(data):
        yield b58encode(data).decode()
    elif (len(data) in {33, 34} and data[0] == 0x80) or (len(data) == 78 and not data[45]):
        yield b58encode_check(data).decode()  # the octets of WIF, or of an extended private key


def _inflated(data: bytes) -> bytes:
    """The octets that gzip or zlib made smaller; others as they are."""
    if data[:2] not in {b"\x1f\x8b", b"x\x9c", b"x\xda", b"x\x01"}:
        return data
    try:
        return zlib.decompressobj(zlib.MAX_WBITS | 32).decompress(data, _MOST_INFLATED)
    except zlib.error:
        return data


def _word_by_word(text: str) -> Iterator[str]:
    """Words that were put into base64 or hex each."""
    tokens = re.split(r"[\s,;]+", text.strip())
    if len(tokens) < _LEAST_WORDS or not all(
        re.fullmatch("[0-9A-Za-z+/=]{4,}", each) for each in tokens
    ):
        return
    for read in (bytes.fromhex, base64.b64decode):
        try:
            said = [read(each).decode("ascii") for each in tokens]
        except ValueError:
            continue
        if all(map(str.isprintable, said)):
            yield " ".join(said)


# -- lines and groups ------------------------------------------------------------------------------

_GROUP = re.compile(r"(?<![0-9A-Za-z+/_=-])[0-9A-Za-z+/_=-]++(?=[\s>|.,\u00b7]|$)", re.ASCII)
_BETWEEN = re.compile(r"[\s>|.,\u00b7]{1,6}")
_LEAST_LINE, _LEAST_GROUPS = 16, 4


def unwrapped(text: str) -> Iterator[str]:
    """What mail programs and people cut into pieces as long as each other, within other words: the
    pieces with the shorter one after them, and without it."""
    groups = [*_GROUP.finditer(text)]
    follow = [
        _BETWEEN.fullmatch(text, one.end(), other.start()) is not None
        for one, other in pairwise(groups)
    ]
    sizes = [len(each[0]) for each in groups]
    at = 0
    while at < len(groups):
        end = at + 1
        while end < len(groups) and follow[end - 1] and sizes[end] == sizes[at]:
            end += 1
        has_tail = end < len(groups) and follow[end - 1] and sizes[end] < sizes[at]
        run = "".join(each[0] for each in groups[at:end])
        if sizes[at] >= _LEAST_LINE or end - at >= _LEAST_GROUPS:
            if has_tail and not _is_word(groups[end][0]):
                yield run + groups[end][0]
            if end - at > 1:
                yield run
        at = end


def _is_word(text: str) -> bool:
    return text.isalpha() and text[1:].islower()
