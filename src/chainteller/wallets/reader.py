"""Reads a pasted signature in every form that wallets and people send, and names other pastes.

A paste is read without knowing which key should have signed; whether the bytes are right is for
`verify`. A secret is refused before anything else looks at it.
"""

import re
from collections.abc import Iterable

from chainteller.domain.bare_keys import has_hex_key, is_solana_secret_key, spells_text
from chainteller.domain.json_depth import parse_json
from chainteller.domain.pasted_secrets import HEX_KEY_KIND, Digits, find_secret
from chainteller.domain.pasting import MAX_PASTE, unquoted, without_invisibles
from chainteller.wallets.addresses import address_on_any
from chainteller.wallets.encodings import Candidate, SignatureReading, decodings, with_key
from chainteller.wallets.family import Family
from chainteller.wallets.pasted_secrets import SecretPasted

_LABEL = re.compile(
    r"(?:^|\n|[\s,;({])(?:signature|signed|sig|result)(?:\s+hash)?\s*(?:is\s*)?[:=]\s*(?P<value>.+)",
    re.DOTALL | re.IGNORECASE | re.ASCII,
)
_ARRAY = re.compile(
    r"(?:new\s+)?(?:Uint8Array|Buffer|Array|bytes)[^\[\]]{0,24}\[\s*(?P<items>[\d,\s]*)", re.ASCII
)
_NUMBERS = re.compile(r"\d{1,3}(?:\s*,\s*\d{1,3}){15,}", re.ASCII)
_OBJECT_FIELD = re.compile(
    r"""["']?\b(?:signature|sig|result)["']?\s*:\s*(?P<value>["'`][^"'`]+["'`]|\[[\d,\s]*\])""",
    re.ASCII,
)
_SIGNATURE_KEYS = ("signature", "sig", "result", "signedMessage", "completedChallenge", "data")
_TEXT_KEYS = ("msg", "message")
_MAX_NESTING = 5
# Bytes; shorter ones are words that happen to be base64.
_SHORTEST = 20
_MAX_BLOCK_LINES = 40


class Unreadable(ValueError):
    """No signature can be read; carries the finding only, never the paste.

    Findings: EMPTY, TOO_LONG, TRUNCATED, ADDRESS_PASTED, TEXT_PASTED, CONTRACT_WALLET and
    NOT_A_SIGNATURE.
    """

    finding: str

    def __init__(self, finding: str) -> None:
        """Keep the finding."""
        self.finding = finding
        super().__init__(f"no signature: {finding}")


def read_signature(text: str, family: Family) -> SignatureReading:
    """Read a paste; `family` decides on prefixes and which reading of an ambiguous string is first.

    Raises:
        SecretPasted: a private key, key file or recovery phrase.
        Unreadable: nothing in it can be a signature.
    """
    if len(text) > MAX_PASTE:
        raise Unreadable("TOO_LONG")
    visible = without_invisibles(text)
    bare = unquoted(visible)
    secret = find_secret(bare, Digits.SIGNATURE)
    if secret:
        raise SecretPasted(secret)
    if bare in {"0x", "0X"}:
        # What a Safe returns when it signs on the chain.
        raise Unreadable("CONTRACT_WALLET")
    reading = _read(visible, bare, family)
    if reading is None or _is_prose(bare, reading):
        raise _refusal(bare)
    if any(each.encoding == "hex" and spells_text(each.data) for each in reading.candidates):
        raise Unreadable("TEXT_PASTED")
    _refuse_secrets(reading)
    return reading


def is_of(paste: str, texts: Iterable[str]) -> bool:
    """Whether a paste is one of these texts, perhaps in quotes or in other lines."""
    bare = "".join(paste.split()).strip("\"'`") if len(paste) <= MAX_PASTE else ""
    return bool(bare) and any(bare == "".join(each.split()) for each in texts)


def _read(visible: str, bare: str, family: Family) -> SignatureReading | None:
    found = family.public_key_form and family.public_key_form.search(bare)
    key = found[0] if found else ""
    reading = _read_armor(visible, family) or _read_value(bare, family, 0)
    if reading is None and key:
        bare = "\n".join(line for line in bare.splitlines() if key not in line)
        reading = _read_value(bare, family, 0)
    if reading is None and (label := _LABEL.search(bare)):
        reading = _read_value(unquoted(label["value"]), family, 0)
    return with_key(key, reading) if reading and key else reading


def _read_value(text: str, family: Family, depth: int) -> SignatureReading | None:
    if depth > _MAX_NESTING:
        return None
    if text[:1] in {"{", "["}:
        return _read_structure(text, family, depth)
    array = _ARRAY.match(text)
    if array or _NUMBERS.fullmatch(text):
        return _from_numbers(re.findall(r"\d+", array["items"] if array else text))
    return _read_plain(text, family)


def _read_plain(text: str, family: Family) -> SignatureReading | None:
    joined = "".join(text.replace("\\n", "").replace("\\r", "").split())
    prefix = next((each for each in family.signature_prefixes if joined.startswith(each)), "")
    candidates = decodings(joined[len(prefix) :], base58_first=family.prefers_base58)
    return SignatureReading(candidates, prefix) if candidates else None


def _read_structure(text: str, family: Family, depth: int) -> SignatureReading | None:
    try:
        parsed = parse_json(text)
    except ValueError:
        field = _OBJECT_FIELD.search(text)
        return _read_value(unquoted(field["value"]), family, depth + 1) if field else None
    return _from_json(parsed, family, depth)


def _from_json(value: object, family: Family, depth: int) -> SignatureReading | None:
    if depth > _MAX_NESTING:
        return None
    if isinstance(value, str):
        return _read_value(unquoted(value), family, depth + 1)
    if isinstance(value, list):
        numbers = _from_numbers(value)
        if numbers is None and len(value) == 1:
            return _from_json(value[0], family, depth + 1)
        return numbers
    return _from_object(value, family, depth) if isinstance(value, dict) else None


def _from_object(value: dict[str, object], family: Family, depth: int) -> SignatureReading | None:
    if "0" in value and all(key.isascii() and key.isdigit() for key in value):
        return _from_numbers([value.get(str(index)) for index in range(len(value))])
    reading = _from_parts(value)
    for key in _SIGNATURE_KEYS:
        if reading is None and key in value:
            reading = _from_json(value[key], family, depth + 1)
    if reading is None:
        return None
    texts = [value[key] for key in _TEXT_KEYS if isinstance(value.get(key), str)]
    stated = str(texts[0]) if texts else None
    return SignatureReading(reading.candidates, reading.prefix, stated)


def _from_parts(value: dict[str, object]) -> SignatureReading | None:
    """The object {r, s, v} or {r, s, yParity} of JavaScript libraries."""
    r, s = _integer(value.get("r")), _integer(value.get("s"))
    v = _integer(value.get("v", value.get("yParity")))
    if r is None or s is None or max(r, s).bit_length() > 256:
        return None
    tail = b"" if v is None or v > 255 else bytes([v])
    return SignatureReading(
        (Candidate(r.to_bytes(32, "big") + s.to_bytes(32, "big") + tail, "parts"),)
    )


def _integer(value: object) -> int | None:
    if isinstance(value, int) and value >= 0:
        return value
    if isinstance(value, str) and len(value) <= 80:
        pattern = r"0x[0-9a-fA-F]+" if value.startswith("0x") else r"\d+"
        if re.fullmatch(pattern, value, re.ASCII):
            return int(value, 0) if value.startswith("0x") else int(value)
    return None


def _from_numbers(values: list[object] | list[str]) -> SignatureReading | None:
    numbers = [_integer(value) for value in values]
    octets = [number for number in numbers if number is not None and number <= 255]
    if not octets or len(octets) != len(values):
        return None
    return SignatureReading((Candidate(bytes(octets), "array"),))


def _armor_parts(text: str) -> tuple[str, str] | None:
    """The text and the signature's lines of a signed-message block, in linear time."""
    _, opened, rest = text.partition(" SIGNED MESSAGE-----")
    signed, divided, rest = rest.partition("-----BEGIN ")
    _, titled, rest = rest.partition("SIGNATURE-----")
    if not (opened and divided and titled):
        return None
    return signed.removeprefix("\n").removesuffix("\n"), rest.partition("-----END")[0]


def _read_armor(text: str, family: Family) -> SignatureReading | None:
    parts = _armor_parts(text.replace("\r\n", "\n"))
    if parts is None:
        return None
    signed, body = parts
    lines = [line.strip() for line in body.splitlines() if line.strip()][:_MAX_BLOCK_LINES]
    values = [re.sub(r"^(?:Address|Signature):\s*", "", line) for line in lines]
    values = [value for value in values if not value.startswith(("Version:", "Comment:"))]
    stated = next((value for value in values if _is_address(value)), None)
    reading = _read_plain("".join(value for value in values if value != stated), family)
    if reading is None:
        return None
    return SignatureReading(reading.candidates, reading.prefix, signed)


def _is_address(text: str) -> bool:
    return len(text) <= 110 and address_on_any(text) is not None


def _is_prose(bare: str, reading: SignatureReading) -> bool:
    """Whether a string that happens to decode is a word, an address or a sentence."""
    if all(len(candidate.data) < _SHORTEST for candidate in reading.candidates):
        return True
    is_structure = bare[:1] in {"{", "["} or reading.candidates[0].encoding in {"array", "parts"}
    if is_structure or reading.stated_text is not None:
        return False
    words = bare.split()
    sentence = len(words) >= 3 and reading.candidates[0].encoding != "hex"
    return _is_address(bare) or (sentence and sum(map(len, words)) < 16 * len(words))


def _refusal(bare: str) -> Exception:
    if not bare:
        return Unreadable("EMPTY")
    if _is_address("".join(bare.split())):
        return Unreadable("ADDRESS_PASTED")
    if has_hex_key(bare):
        return SecretPasted(HEX_KEY_KIND)
    if "..." in bare or "\u2026" in bare:
        return Unreadable("TRUNCATED")
    return Unreadable("TEXT_PASTED" if len(bare.split()) >= 3 else "NOT_A_SIGNATURE")


def _refuse_secrets(reading: SignatureReading) -> None:
    for candidate in reading.candidates:
        if is_solana_secret_key(candidate.data):
            raise SecretPasted("a secret key of Solana")
        if len(candidate.data) == 32 and candidate.encoding != "base58":
            raise SecretPasted(HEX_KEY_KIND)
