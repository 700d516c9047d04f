"""Finds signatures, texts, addresses and keys in whatever was copied: mail, chat, pages, exports.

Nothing here decides whether a signature is right. Every place that may hold one is offered, the
likeliest first, and verification decides; what stands beside it can prove who signed what instead.
"""

import ast
import html
import json
import quopri
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import groupby, islice
from urllib.parse import unquote

from chainteller.domain.json_depth import parse_json
from chainteller.domain.pasting import without_invisibles
from chainteller.wallets.encodings import Candidate, SignatureReading, decodings, with_key
from chainteller.wallets.family import Family

_MOST_READINGS = 40
_MOST_PARTS = 8
_MOST_OBJECTS = 60
_MOST_TEXTS = 8
_SIGNATURE_SIZES = (64, 65)
_LONGEST_GROUP, _SHORTEST_GROUPED = 16, 64
_LONGEST_PAYLOAD = 4000

_HEX_RUN = re.compile(r"(?<![0-9a-zA-Z])(?:0[xX])?([0-9a-fA-F]{126,8200})(?![0-9a-zA-Z])", re.ASCII)
_SEPARATED_HEX = re.compile(r"(?:[0-9a-fA-F]{2}[:\-\s,]{1,2}){63,64}[0-9a-fA-F]{2}", re.ASCII)
_RUN = re.compile(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{84,5500}={0,2}", re.ASCII)
_NUMBERS = re.compile(r"\d{1,3}(?:[,;\s]+\d{1,3}){63,64}(?![,;\s]*\d)", re.ASCII)
_HEX_NUMBERS = re.compile(r"0x[0-9a-fA-F]{1,2}(?:[,;\s]+0x[0-9a-fA-F]{1,2}){63,64}", re.ASCII)
_BYTES_LITERAL = re.compile(r"""b(?:'(?:[^'\\]|\\.){1,400}'|"(?:[^"\\]|\\.){1,400}")""", re.ASCII)
_PART = (
    r"""(?<![A-Za-z0-9])["'`]?{name}["'`]?\s*(?:\([^)]{{0,20}}\)\s*)?[:=|]?\s*["'`]?"""
    r"""(0[xX][0-9a-fA-F]{{1,64}}|[0-9a-fA-F]{{64}}|1[bBcC]|\d{{1,78}})(?![0-9a-zA-Z])"""
)
_R, _S = (re.compile(_PART.format(name=name), re.ASCII | re.IGNORECASE) for name in ("r", "s"))
_V = re.compile(
    _PART.format(name="(?:v|yparity|y_parity|recid|recovery_?id|recovery(?:param)?)"),
    re.ASCII | re.IGNORECASE,
)
_BARE_V = r"(?:0x)?(1b|1c|00|01|0|1|27|28)(?![0-9a-zA-Z])"
_BARE_PARTS = re.compile(
    rf"""(?<![0-9a-zA-Z])(?:{_BARE_V}[\s,;|"']+)?(?:0x)?([0-9a-f]{{64}})[\s,;|"']+"""
    rf"""(?:0x)?([0-9a-f]{{64}})(?![0-9a-zA-Z])(?:[\s,;|"']+{_BARE_V})?""",
    re.ASCII | re.IGNORECASE,
)
_PIECES = re.compile(
    r"""["'`]\s*[+.&\\]?\s*\n\s*["'`]|["'`]\s*\+\s*["'`]|(?<!\s)\s*\\\n\s*""", re.ASCII
)
"""What stands between the pieces of a string that is written in several lines."""
_EMPHASIS = re.compile(
    r"(?<![0-9A-Za-z+/_-])_+(?=[0-9A-Za-z])|(?<=[0-9A-Za-z=])_+(?![0-9A-Za-z+/_-])"
)
_INDEXED = re.compile(
    r"(?<![\d.:])0\s*[:=]\s*\d{1,3}(?:[,;\s]+\d{1,2}\s*[:=]\s*\d{1,3}){63,64}(?!\d)", re.ASCII
)
_DUMP = re.compile(
    r"^[ \t]*(?:0x)?[0-9a-f]{4,8}:?[ \t]{1,3}"
    r"(?P<bytes>(?:[0-9a-f]{2}[ \t]{0,2}){1,32})(?:$|[ \t]{1,3}\S.{0,40}$)",
    re.ASCII | re.IGNORECASE | re.MULTILINE,
)
_ESCAPED = re.compile(r"(?:\\x[0-9a-fA-F]{2}){64,65}", re.ASCII)
_DASHED = re.compile(r"(?:[0-9a-fA-F]{4,16}[-:]){7,32}[0-9a-fA-F]{2,16}", re.ASCII)
_SIGNED = re.compile(r"-?\d{1,3}(?:[,;\s]+-?\d{1,3}){63,64}(?![,;\s]*\d)", re.ASCII)
_QUOTE_SIGNS = re.compile(r"^[ \t]*(?:[>|]+[ \t]?)+", re.MULTILINE)
_TAGS = re.compile(
    r"<(?:br|/?p|/?div|/?span|/?pre|/?code|/?b|/?td|/?tr|wbr)\b[^<>]{0,200}>", re.IGNORECASE
)
_JS_KEY = re.compile(r"([{,]\s*)([A-Za-z_$][\w$]{0,40})\s*:", re.ASCII)
_TYPED_ARRAY = re.compile(
    r"(?:new\s+)?(?:Uint8Array|Buffer|Array|bytes)(?:\.from)?\s*\(?\d{0,3}\)?\s*\(?(?=\[)", re.ASCII
)
_WRAPPED_BYTES = re.compile(r"(?:HexBytes|hexbytes|Bytes|bytes|Buffer|bytearray)\(\s*", re.ASCII)
_ADDRESS_WORD = re.compile(
    r"(?<![0-9A-Za-z])(?:0x[0-9a-fA-F]{40}|(?:bc1|tb1)[0-9a-z]{20,87}|[1-9A-HJ-NP-Za-km-z]{26,44})(?![0-9A-Za-z])",
    re.ASCII,
)
_TEXT_LABEL = re.compile(
    r"(?:^|\n)[ \t]*[\"']?(?:message|msg|text|signed message|original message|message text|"
    r"text to sign|challenge)[\"']?[ \t]*(?:is)?[ \t]*[:=][ \t]*\r?\n?(?P<text>.+?)"
    r"(?=\r?\n[ \t]*[\"']?(?:signature|sig|signed|address|signer|account|version|hash|public ?key|"
    r"-----)\b|\Z)",
    re.IGNORECASE | re.ASCII | re.DOTALL,
)
_SIGNATURE_KEYS = frozenset(
    {
        "signature", "sig", "result", "signedmessage", "completedchallenge", "data", "signatures",
        "signed", "payload", "signedpayload", "signedpayloads", "signed_payloads", "signature_hex",
        "signaturehex", "sighex", "signaturebase58", "signaturebase64", "value", "raw", "hex",
        "bytes", "signed_message", "serialized", "signaturebytes", "output", "response",
    }
)  # fmt: skip
_TEXT_KEYS = frozenset(
    {"msg", "message", "text", "signedmessage", "challenge", "signed_message", "original_message"}
)
_KEY_KEYS = frozenset(
    {
        "publickey",
        "public_key",
        "pubkey",
        "pubkey_hex",
        "address",
        "account",
        "signer",
        "from",
        "key",
    }
)


@dataclass(frozen=True, slots=True)
class Part:
    """One place of the paste that may hold a signature, and where it was found.

    `is_of_payload` marks an end of longer bytes, which may be a text.
    """

    reading: SignatureReading
    source: str
    is_of_payload: bool = False


@dataclass(slots=True)
class Clipboard:
    """What a paste holds. Texts are what it says was signed, addresses what it says signed."""

    parts: list[Part] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    addresses: list[str] = field(default_factory=list)
    _seen: set[bytes] = field(default_factory=set)

    def add(self, data: bytes, encoding: str, source: str, prefix: str = "") -> None:
        """Offer bytes once, unless a text is all they are; a payload of a text and a signature
        offers both ends."""
        if len(self.parts) >= _MOST_READINGS or len(data) > _LONGEST_PAYLOAD:
            return
        if data in self._seen or _readable(data):
            return
        self._seen.add(data)
        self.parts.append(Part(SignatureReading((Candidate(data, encoding),), prefix), source))
        if len(data) > 80:
            # Wallets of Solana return text and signature in one: NaCl signature first, the Mobile
            # Wallet Adapter text first.
            ends = ((data[:size], data[size:]) for size in _SIGNATURE_SIZES)
            starts = ((data[-size:], data[:-size]) for size in _SIGNATURE_SIZES)
            for signature, message in (*ends, *starts):
                text = _readable(message)
                if text and signature not in self._seen:
                    self._seen.add(signature)
                    reading = SignatureReading((Candidate(signature, encoding),))
                    self.parts.append(Part(reading, f"{source}, with its text", is_of_payload=True))
                    self.add_text(text)

    def add_text(self, text: str) -> None:
        """What may be the text that was signed."""
        if text and text not in self.texts and len(self.texts) < _MOST_TEXTS:
            self.texts.append(text)

    def add_address(self, text: str) -> None:
        """What may be the address or public key that signed."""
        if text and text not in self.addresses and len(self.addresses) < _MOST_PARTS:
            self.addresses.append(text)


def _readable(data: bytes) -> str:
    """The text of bytes that are one, without Solana's envelope; empty when they aren't."""
    if data.startswith(b"\xffsolana offchain"):
        data = data[16:].lstrip(bytes(range(32)))
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return ""
    return text if len(text) >= 8 and all(c.isprintable() or c in "\r\n\t" for c in text) else ""


def read_clipboard(paste: str, family: Family) -> Clipboard:
    """Everything in the paste that may be a signature, and what it says about it."""
    found = Clipboard()
    for view in _views(paste):
        _read_structures(view, family, found)
        _read_labelled(view, found)
        _read_tokens(view, family, found)
        for address in _ADDRESS_WORD.finditer(view):
            found.add_address(address[0])
    key = family.public_key_form.search(paste) if family.public_key_form else None
    for at, part in enumerate(found.parts):
        if key is not None:
            found.parts[at] = replace(part, reading=with_key(key[0], part.reading))
    return found


def _views(paste: str) -> Iterator[str]:
    """The paste as it is, and without what programs wrap around lines and characters."""
    visible = without_invisibles(paste).replace("\r\n", "\n")
    plain = _TAGS.sub("\n", html.unescape(visible)).replace("\u00a0", " ")
    plain = _QUOTE_SIGNS.sub("", plain)
    if "=3D" in plain or "=\n" in plain or "=20" in plain:
        plain = quopri.decodestring(plain.encode()).decode("utf-8", "replace")
    plain = _EMPHASIS.sub("", _PIECES.sub("", plain))
    plain = re.sub(r"(?<![*`])[*`]+(?=[0-9A-Za-z])|(?<=[0-9A-Za-z=])[*`]+", "", plain)
    if "%2" in plain or "%3" in plain:
        plain = unquote(plain)
    narrow = unicodedata.normalize("NFKC", plain)  # as an input method of Chinese or Japanese types
    for view in dict.fromkeys((visible, plain, narrow)):
        yield view
        yield from _joined_lines(view)
        yield from _joined_groups(view)


def _joined_groups(view: str) -> Iterator[str]:
    """Words of one length, and the shorter one after them, as people read characters aloud."""
    words = view.split()
    at = 0
    for size, same in groupby(words, len):
        start, at = at, at + len(list(same))
        if size <= _LONGEST_GROUP and (at - start) * size >= _SHORTEST_GROUPED:
            rest = [word for word in words[at : at + 1] if len(word) < size]
            yield "".join([*words[start:at], *rest])


def _joined_lines(view: str) -> Iterator[str]:
    """Runs of lines that a program broke: each run is joined, and joined without its last lines."""
    run: list[str] = []
    for line in [*view.split("\n"), ""]:
        words = line.strip().rstrip(".,;").split()
        only = words[0].strip("\"'") if len(words) == 1 else ""
        if only and re.fullmatch(r"[A-Za-z0-9+/_=:-]+", only, re.ASCII):
            run.append(only)
            continue
        if len(run) > 1 and sum(map(len, run)) >= 84:
            for end in range(len(run), 1, -1):
                yield "".join(run[:end])
                if end < len(run) - 3:
                    break
        # A label may stand before the first of the lines.
        last = words[-1].strip("\"'") if words else ""
        run = (
            [last] if len(last) >= 16 and re.fullmatch(r"[A-Za-z0-9+/_=-]+", last, re.ASCII) else []
        )


def _read_structures(view: str, family: Family, found: Clipboard) -> None:
    """JSON anywhere in the paste, also as JavaScript and Python print it."""
    decoder = json.JSONDecoder()
    position, tries = 0, 0
    source = _TYPED_ARRAY.sub("", view)
    while tries < _MOST_OBJECTS:
        opened = min(
            (at for at in (source.find("{", position), source.find("[", position)) if at >= 0),
            default=-1,
        )
        if opened < 0:
            return
        tries += 1
        value, end = _parse(source, opened, decoder)
        if value is None:
            position = opened + 1
            # An opened bracket that is never closed is searched to the end.
            tries += 10
            continue
        _walk(value, family, found, "JSON", 0)
        position = max(end, opened + 1)


def _parse(source: str, start: int, decoder: json.JSONDecoder) -> tuple[object, int]:
    """The value that starts here and where it ends; None where there is none."""
    try:
        return decoder.raw_decode(source, start)
    except (ValueError, RecursionError):
        pass
    end = _closing(source, start)
    if end < 0 or end - start > _LONGEST_PAYLOAD * 2:
        return None, start
    body = _WRAPPED_BYTES.sub("", source[start:end]).replace(")", "")
    body = re.sub(r"'([^'\"]*)'", r'"\1"', body).replace("`", '"')
    body = re.sub(r"\b(?:None|undefined)\b", "null", body)
    body = re.sub(r"(\d)n\b", r"\1", body)
    body = re.sub(r",\s*([}\]])", r"\1", _JS_KEY.sub(r'\1"\2":', body))
    body = re.sub(r"(?<=[:,\[\s])(0x[0-9a-fA-F]+)(?=\s*[,}\]])", r'"\1"', body)
    try:
        return parse_json(body), end
    except ValueError:
        return None, start


def _closing(source: str, start: int) -> int:
    """Where the bracket at `start` is closed, in linear time; -1 where it isn't."""
    depth = 0
    for position in range(start, min(len(source), start + 2 * _LONGEST_PAYLOAD)):
        if source[position] in "{[":
            depth += 1
        elif source[position] in "}]":
            depth -= 1
            if depth == 0:
                return position + 1
    return -1


def _walk(value: object, family: Family, found: Clipboard, where: str, depth: int) -> None:
    if depth > _MOST_PARTS:
        return
    if isinstance(value, str) and value[:1] in {"{", "["}:
        value = _parse(value, 0, json.JSONDecoder())[0] or value
    data = _octets(_plain(value))
    if data:
        found.add(data, "array", f"a list of numbers in {where}")
    elif isinstance(value, list):
        for item in value[:20]:
            _walk(item, family, found, where, depth + 1)
    elif isinstance(value, dict):
        _read_object(value, family, found, where, depth)
    elif isinstance(value, str) and depth:
        _read_value(value, family, found, where)


def _read_object(
    value: dict[str, object], family: Family, found: Clipboard, where: str, depth: int
) -> None:
    named = {str(key).lower(): each for key, each in value.items()}
    v = next((named[key] for key in _V_KEYS if key in named), None)
    parts = _from_numbers(named.get("r"), named.get("s"), v)
    if parts:
        found.add(parts, "parts", f"r, s and v in {where}")
    _read_claims(named, found)
    for key, each in named.items():
        if key in _SIGNATURE_KEYS and isinstance(each, str):
            _read_value(each, family, found, f"{key} in {where}")
            if each[:1] in {"{", "["}:
                _walk(each, family, found, f"{key} in {where}", depth + 1)
        elif isinstance(each, (dict, list)):
            _walk(each, family, found, f"{key} in {where}", depth + 1)


_V_KEYS = ("v", "yparity", "recoveryparam", "recid")


def _read_claims(named: dict[str, object], found: Clipboard) -> None:
    """What an object says was signed, and by whom."""
    for key, each in named.items():
        if key in _TEXT_KEYS and isinstance(each, str):
            found.add_text(each)
            found.add_text(_decoded_text(each))
        elif key in _TEXT_KEYS:
            found.add_text(_readable(_octets(_plain(each)) or b""))
        if key in _KEY_KEYS:
            found.add_address(each if isinstance(each, str) else _base58(_octets(_plain(each))))


def _plain(value: object) -> list[object]:
    """The numbers of an array, a Buffer or an object of indexes."""
    if isinstance(value, dict) and isinstance(value.get("data"), list):
        value = value["data"]
    if isinstance(value, dict):
        return list(value.values()) if all(str(key).isdigit() for key in value) else []
    return value if isinstance(value, list) else []


def _octets(values: list[object]) -> bytes | None:
    if not 32 <= len(values) <= _LONGEST_PAYLOAD:
        return None
    numbers = [each for each in values if isinstance(each, int) and 0 <= each <= 255]
    return bytes(numbers) if len(numbers) == len(values) else None


def _base58(data: bytes | None) -> str:
    import base58  # noqa: PLC0415 - only where a key is stated in bytes

    return base58.b58encode(data).decode() if data and len(data) == 32 else ""


def _decoded_text(value: str) -> str:
    """The text that a value spells in base64 or hex."""
    for candidate in (
        decodings("".join(value.split()), base58_first=False) if " " not in value else ()
    ):
        if text := _readable(candidate.data):
            return text
    return ""


def _from_numbers(r: object, s: object, v: object) -> bytes | None:
    """The 65 bytes of r, s and v, or 64 without v."""
    first, second, last = _number(r), _number(s), _number(v)
    if first is None or second is None or max(first, second).bit_length() > 256:
        return None
    if last is not None and last > 255:
        # EIP-155: of a transaction, but the parity is in it.
        last = 27 + (last - 35) % 2
    tail = b"" if last is None else bytes([last])
    return first.to_bytes(32, "big") + second.to_bytes(32, "big") + tail


def _number(value: object) -> int | None:
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    if not isinstance(value, str) or len(value) > 80:
        return None
    text = value.strip()
    if re.fullmatch(r"0[xX][0-9a-fA-F]+", text, re.ASCII):
        return int(text, 16)
    if re.fullmatch(r"[0-9a-fA-F]{62,64}", text, re.ASCII):
        return int(text, 16)
    if re.fullmatch(r"1[bBcC]", text, re.ASCII):
        return int(text, 16)
    return int(text) if re.fullmatch(r"\d{1,78}", text, re.ASCII) else None


def _read_value(value: str, family: Family, found: Clipboard, source: str) -> None:
    """A string that as a whole may be a signature."""
    bare = _WRAPPED_BYTES.sub("", value.strip().strip("\"'`()"))
    joined = "".join(bare.split())
    prefix = next((each for each in family.signature_prefixes if joined.startswith(each)), "")
    if not 60 <= len(joined) <= 2 * _LONGEST_PAYLOAD:
        return
    candidates = decodings(joined[len(prefix) :], base58_first=family.prefers_base58)
    for candidate in candidates:
        if len(candidate.data) >= 60:
            found.add(candidate.data, candidate.encoding, source, prefix)


def _read_labelled(view: str, found: Clipboard) -> None:
    """R, s and v with their names, or in this order, and the text under its label."""
    r, s, v = _R.search(view), _S.search(view), _V.search(view)
    if r and s:
        data = _from_numbers(r[1], s[1], v[1] if v else None)
        if data:
            found.add(data, "parts", "r, s and v")
    for each in list(_BARE_PARTS.finditer(view))[:3]:
        data = _from_numbers("0x" + each[2], "0x" + each[3], each[1] or each[4])
        if data:
            found.add(data, "parts", "r, s and v on their own lines")
    for each in list(_TEXT_LABEL.finditer(view))[:3]:
        found.add_text(each["text"].strip())
        found.add_text(each["text"].strip().strip("\"'"))


def _read_tokens(view: str, family: Family, found: Clipboard, *, depth: int = 0) -> None:
    """`depth` is 1 in a text that the paste holds in base64."""
    for data, encoding, source in _tokens(view):
        found.add(data, encoding, source)
    for token in _some(_RUN, view, 12):
        prefix = next((one for one in family.signature_prefixes if token.startswith(one)), "")
        for candidate in decodings(token[len(prefix) :], base58_first=family.prefers_base58):
            if len(candidate.data) >= 60 and candidate.encoding != "hex":
                found.add(candidate.data, candidate.encoding, candidate.encoding, prefix)
            text = _readable(candidate.data) if candidate.encoding == "base64" else ""
            if text and depth == 0:
                _read_structures(text, family, found)
                _read_tokens(text, family, found, depth=1)


def _some(pattern: re.Pattern[str], view: str, most: int) -> list[str]:
    return [each[0] for each in islice(pattern.finditer(view), most)]


def _tokens(view: str) -> Iterator[tuple[bytes, str, str]]:
    """Bytes, their encoding, and what they looked like."""
    for base, text in (
        *((16, each) for each in _some(_HEX_NUMBERS, view, 3)),
        *((10, each) for each in _some(_NUMBERS, view, 3)),
    ):
        numbers = [int(number, base) for number in re.split(r"[,;\s]+", text) if number]
        if max(numbers) <= 255:
            yield bytes(numbers), "array", "a list of numbers"
    yield from _odd_numbers(view)
    for text in _some(_BYTES_LITERAL, view, 3):
        if len(data := _literal(text)) in _SIGNATURE_SIZES:
            yield data, "bytes", "Python bytes"
    yield from _hex_tokens(view)


def _odd_numbers(view: str) -> Iterator[tuple[bytes, str, str]]:
    """Numbers with their places, and bytes that a language counts from -128 on."""
    for text in _some(_INDEXED, view, 3):
        pairs = [(int(a), int(b)) for a, b in re.findall(r"(\d+)\s*[:=]\s*(\d+)", text, re.ASCII)]
        if [place for place, _ in pairs] == list(range(len(pairs))):
            numbers = [number for _, number in pairs]
            if max(numbers) <= 255:
                yield bytes(numbers), "array", "numbers with their places"
    for text in _some(_SIGNED, view, 3):
        numbers = [int(number) for number in re.findall(r"-?\d+", text, re.ASCII)]
        if min(numbers) < 0 and min(numbers) >= -128 and max(numbers) <= 127:
            yield bytes(number & 255 for number in numbers), "array", "a list of signed bytes"


def _hex_tokens(view: str) -> Iterator[tuple[bytes, str, str]]:
    dumped = "".join(each["bytes"] for each in islice(_DUMP.finditer(view), 40))
    for text, what in (
        (dumped, "a dump of bytes"),
        *((each, "escaped bytes") for each in _some(_ESCAPED, view, 3)),
        *((each, "hex digits in groups") for each in _some(_DASHED, view, 3)),
    ):
        digits = re.sub(r"\\x|[^0-9a-fA-F]", "", text)
        if len(digits) // 2 in _SIGNATURE_SIZES and len(digits) % 2 == 0:
            yield bytes.fromhex(digits), "hex", what
    for text in _some(_SEPARATED_HEX, view, 3):
        yield bytes.fromhex(re.sub(r"[^0-9a-fA-F]", "", text)), "hex", "hex digits in pairs"
    for text in _some(_HEX_RUN, view, 12):
        digits = text[2:] if text[:2] in {"0x", "0X"} else text
        if len(digits) % 2 == 0:
            yield bytes.fromhex(digits), "hex", "hex digits"


def _literal(text: str) -> bytes:
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return b""
    return value if isinstance(value, bytes) else b""
