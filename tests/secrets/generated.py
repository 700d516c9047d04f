# ruff: noqa: E501, S311 - each form is a line; keys that can be made again from a seed
"""Secrets as wallets export them and people copy them, from any seed; all keys are random.

Phrases are made by eth-account from its lists, with their checksums.
"""

import base64
import binascii
import gzip
import hashlib
import json
import quopri
import re
import unicodedata
from collections.abc import Callable, Iterator
from functools import cache
from random import Random  # noqa: TID251 - as above
from typing import Literal, NamedTuple

import base58
import pytest
from eth_account.hdaccount.mnemonic import Mnemonic
from eth_account.types import Language
from nacl.bindings import crypto_sign_seed_keypair
from tests.wallets.secrets_of_wallets import mini_key

from chainteller.domain.recovery_words import word_lists

SPACES = {"japanese": "\u3000"}
LANGUAGES = (
    "english", "spanish", "french", "italian", "portuguese", "czech", "japanese", "korean",
    "chinese_simplified", "chinese_traditional",
)  # fmt: skip
WITH_ALPHABET = LANGUAGES[:6]
_SIZES = (16, 16, 16, 20, 24, 28, 32, 32)
_BECH32 = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
_ORDER = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141


class Secret(NamedTuple):
    """A secret as it is entered, and what of it must be found nowhere where that isn't all."""

    kind: str
    text: str
    bare: str = ""
    is_hex: bool = False
    """Whether it has the form of a hash, which some entrances take."""


def words_of(rng: Random, language: str) -> list[str]:
    """The words of a phrase with its checksum."""
    entropy = rng.randbytes(rng.choice(_SIZES))
    if language == "portuguese":  # eth-account has no list of it
        words = list(word_lists()[-1].words)
        bits = "".join(f"{octet:08b}" for octet in entropy)
        digest = f"{hashlib.sha256(entropy).digest()[0]:08b}"
        bits += digest[: len(bits) // 32]
        return [words[int(bits[at : at + 11], 2)] for at in range(0, len(bits), 11)]
    return _maker(language).to_mnemonic(entropy).replace("\u3000", " ").split()


@cache
def _maker(language: str) -> Mnemonic:
    return Mnemonic(Language(language))


def _language(rng: Random) -> str:
    return rng.choice(LANGUAGES)


def _spaced(words: list[str], language: str) -> str:
    return SPACES.get(language, " ").join(words)


def _mistyped(rng: Random, word: str) -> str:
    """A word with one typing error: a letter left out, doubled, exchanged with its neighbour or
    another one."""
    at = rng.randrange(len(word))
    what = rng.randrange(4)
    if what == 0 and len(word) > 3:
        return word[:at] + word[at + 1 :]
    if what == 1:
        return word[:at] + word[at] + word[at:]
    if what == 2 and at + 1 < len(word):
        return word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    return word[:at] + rng.choice("etaoinsrhl") + word[at + 1 :]


_MISREAD = (("m", "rn"), ("d", "cl"), ("w", "vv"), ("l", "1"), ("o", "0"), ("i", "l"), ("s", "5"),
            ("b", "8"), ("h", "b"), ("c", "e"), ("u", "ii"), ("g", "9"), ("l", "|"))  # fmt: skip


def _misread(rng: Random, word: str) -> str:
    """A word as a photograph may be read."""
    fitting = [(one, other) for one, other in _MISREAD if one in word and len(word) >= 4]
    if not fitting:
        return word
    one, other = rng.choice(fitting)
    return word.replace(one, other, 1)


def _plain_phrase(rng: Random) -> Secret:
    language = _language(rng)
    return Secret(f"phrase, {language}", _spaced(words_of(rng, language), language))


def _laid_out_phrase(rng: Random) -> Secret:
    language = _language(rng)
    words = words_of(rng, language)
    layouts: list[Callable[[list[str]], str]] = [
        lambda each: " ".join(f"{at}. {word}" for at, word in enumerate(each, 1)),
        lambda each: "\n".join(f"{at}) {word}" for at, word in enumerate(each, 1)),
        ", ".join,
        "\n".join,
        "-".join,
        lambda each: json.dumps(each, ensure_ascii=False),
        lambda each: " ".join(each).upper(),
        lambda each: "\n".join(f"\u2022 {word}" for word in each),
        lambda each: f"Hello, this is it:\n{' '.join(each)}\nRegards, Alice",
        lambda each: "\n".join(
            f"[20.11.26, 10:{at}:12] Alice: {word}" for at, word in enumerate(each, 10)
        ),
        lambda each: f"recovery phrase: {' '.join(each)}",
    ]
    at = rng.randrange(len(layouts))
    return Secret(f"phrase laid out ({at}), {language}", layouts[at](words), " ".join(words))


def _phrase_with_an_error(rng: Random) -> Secret:
    language = rng.choice([each for each in LANGUAGES if not each.startswith("chinese")])
    words = words_of(rng, language)
    what = rng.randrange(3)
    if what == 0 and len(words) == 12:
        del words[rng.randrange(12)]
    else:
        for at in range(0, len(words), 12):
            one = at + rng.randrange(min(12, len(words) - at))
            words[one] = _mistyped(rng, words[one])
    return Secret(f"phrase with typing errors, {language}", _spaced(words, language))


def _joined_phrase(rng: Random) -> Secret:
    language = _language(rng)
    words = words_of(rng, language)
    if language in WITH_ALPHABET and rng.random() < 0.3:
        words = [each.capitalize() for each in words]
    return Secret(f"phrase without spaces, {language}", "".join(words))


def _photographed_phrase(rng: Random) -> Secret:
    language = rng.choice(WITH_ALPHABET)
    words = words_of(rng, language)
    for at in range(len(words)):
        if rng.random() < 0.3:
            words[at] = _misread(rng, words[at])
    return Secret(f"phrase from a photograph, {language}", " ".join(words))


def _abbreviated_phrase(rng: Random) -> Secret:
    language = rng.choice(WITH_ALPHABET)
    return Secret(
        f"phrase in first letters, {language}",
        " ".join(unicodedata.normalize("NFC", word)[:4] for word in words_of(rng, language)),
    )


def _encoded_phrase(rng: Random) -> Secret:
    language = _language(rng)
    phrase = " ".join(words_of(rng, language))
    data = phrase.encode()
    forms = (
        base64.b64encode(data).decode(),
        base64.urlsafe_b64encode(data).decode().rstrip("="),
        base64.encodebytes(data).decode(),
        data.hex(),
        f"0x{data.hex()}",
        "".join(f"%{octet:02X}" for octet in data),
        phrase.replace(" ", "%20"),
    )
    at = rng.randrange(len(forms))
    return Secret(f"phrase encoded ({at}), {language}", forms[at], phrase)


def _spelled_phrase(rng: Random) -> Secret:
    """As programs write the characters or octets of a text, one by one or as a whole."""
    language = _language(rng)
    phrase = unicodedata.normalize("NFC", " ".join(words_of(rng, language)))
    data = phrase.encode()
    forms = {
        "base32": base64.b32encode(data).decode(),
        "base32 in small letters": base64.b32encode(data).decode().lower().rstrip("="),
        "UTF-16 in base64": base64.b64encode(phrase.encode("utf-16")).decode(),
        "UTF-16 in hex": phrase.encode("utf-16-be").hex(),
        "octets in hex": ", ".join(f"0x{octet:02x}" for octet in data),
        "octets in decimal": str([*data]),
        "octets in binary": " ".join(f"{octet:08b}" for octet in data),
        "bytes of Python": "".join(f"\\x{octet:02x}" for octet in data),
        "JSON": json.dumps([{"index": at, "word": each} for at, each in enumerate(phrase.split())]),
        "HTML": "".join(f"&#{ord(sign)};" for sign in phrase),
        "quoted-printable": quopri.encodestring(data).decode(),
    }
    kind = rng.choice(list(forms))
    return Secret(f"phrase in {kind}, {language}", forms[kind], phrase)


def _arranged_phrase(rng: Random) -> Secret:
    """As people write words down."""
    language = rng.choice([each for each in LANGUAGES if not each.startswith("chinese")])
    words = [unicodedata.normalize("NFC", each) for each in words_of(rng, language)]
    half = len(words) // 2
    pairs = zip(words[:half], words[half:], strict=False)
    forms = {
        "letters one by one": "   ".join(" ".join(each) for each in words),
        "letters one by one, a word a line": "\n".join("-".join(each) for each in words),
        "ordinals": "\n".join(
            f"{label}: {each}" for label, each in zip(_ORDINALS * 3, words, strict=False)
        ),
        "two columns": "\n".join(f"{at}. {one}   {at + half}. {other}"
                                 for at, (one, other) in enumerate(pairs, 1)),
        "middle dots": "\u00b7".join(words),
        "reverse order": " ".join(words[::-1]),
        "reverse": " ".join(words)[::-1],
    }  # fmt: skip
    if language in WITH_ALPHABET:
        forms["capitals"] = "".join(words).upper()
    kind = rng.choice(list(forms))
    return Secret(f"phrase in {kind}, {language}", forms[kind], " ".join(words))


_ORDINALS = (
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth",
    "eleventh", "twelfth",
)  # fmt: skip


def _spelled_key(rng: Random) -> Secret:
    """A key in hex or WIF, as programs write octets and people write groups."""
    key, wif = rng.randbytes(32), _checked(b"\x80", rng.randbytes(32) + b"\1")
    groups = [key.hex()[at : at + 8] for at in range(0, 64, 8)]
    forms = {
        "octets in hex": ", ".join(f"0x{octet:02x}" for octet in key),
        "octets in hex as short as can be": str([*map(hex, key)]).replace("'", ""),
        "octets in binary": " ".join(f"{octet:08b}" for octet in key),
        "bytes of Python": "".join(f"\\x{octet:02x}" for octet in key),
        "numbers of 32 bits": ", ".join(f"0x{each}" for each in groups),
        "groups with middle dots": "\u00b7".join(groups),
        "groups in JSON": json.dumps(groups),
        "hex in base32": base64.b32encode(key.hex().encode()).decode(),
        "hex in UTF-16 in base64": base64.b64encode(key.hex().encode("utf-16")).decode(),
        "WIF in base32": base64.b32encode(wif.encode()).decode(),
        "WIF in groups": "\u00b7".join(wif[at : at + 4] for at in range(0, 52, 4)),
        "WIF, letter by letter": " ".join(wif),
    }
    kind = rng.choice(list(forms))
    return Secret(f"key in {kind}", forms[kind])


def _respelled_phrase(rng: Random) -> Secret:
    """As programs, forms and plates of metal have a phrase, and people who dress it up."""
    words = words_of(rng, "english")
    phrase, numbers = " ".join(words), _numbers(words)
    data = phrase.encode()
    forms = {
        "compressed": base64.b64encode(gzip.compress(data)).decode(),
        "base58": base58.b58encode(data).decode(),
        "base85": base64.b85encode(data).decode(),
        "UTF-32 in hex": phrase.encode("utf-32-be").hex(),
        "base64, three times": _three_times(data),
        "base64, word by word": " ".join(base64.b64encode(each.encode()).decode() for each in words),
        "hex with colons": data.hex(":").upper(),
        "a dump": _dump(data),
        "octal escapes": "".join(f"\\{octet:03o}" for octet in data),
        "octal": " ".join(f"{octet:03o}" for octet in data),
        "seven binary digits": " ".join(f"{octet:07b}" for octet in data),
        "code points": " ".join(f"U+{ord(sign):04X}" for sign in phrase),
        "escapes in braces": "".join(f"\\u{{{ord(sign):x}}}" for sign in phrase),
        "escapes of eight digits": "".join(f"\\U{ord(sign):08x}" for sign in phrase),
        "escapes of CSS": "".join(f"\\{ord(sign):x} " for sign in phrase),
        "escaped lines": "\\n".join(words),
        "JSON, letter by letter": json.dumps(list(phrase)),
        "first letters, joined": "".join(each[:4] for each in words),
        "sentences": " ".join(f"The {_ORDINALS[at % 12]} word is {each}." for at, each in enumerate(words)),
        "doubled words": " ".join(f"{each} {each}" for each in words),
        "letters that look alike": phrase.translate(_LOOKING_ALIKE),
        "struck letters": "".join(f"{sign}\u0336" for sign in phrase),
        "squares": "".join(chr(0x1F170 + ord(sign) - 97) if sign != " " else sign for sign in phrase),
        "tags": "".join(chr(0xE0000 + ord(sign)) for sign in phrase),
        "numbers in hex": " ".join(f"0x{each:03x}" for each in numbers),
        "numbers in octal": " ".join(f"{each:04o}" for each in numbers),
        "numbers in binary": " ".join(f"{each:011b}" for each in numbers),
        "binary digits": "".join(f"{each:011b}" for each in numbers),
        "punched sums": "\n".join(
            "+".join(str(1 << bit) for bit in range(12) if (each + 1) >> bit & 1) for each in numbers
        ),
    }  # fmt: skip
    kind = rng.choice(list(forms))
    return Secret(f"phrase in {kind}", forms[kind], phrase)


_LOOKING_ALIKE = str.maketrans("aeopcyx", "\u0430\u0435\u043e\u0440\u0441\u0443\u0445")


def _three_times(data: bytes) -> str:
    return base64.b64encode(base64.b64encode(base64.b64encode(data))).decode()


def _dump(data: bytes) -> str:
    """As hexdump prints it, with the letters beside."""
    lines = (data[at : at + 16] for at in range(0, len(data), 16))
    return "\n".join(
        f"{at * 16:08x}  {line[:8].hex(' ')}  {line[8:].hex(' ')}  |{'.' * len(line)}|"
        for at, line in enumerate(lines)
    )


def _respelled_key(rng: Random) -> Secret:
    """As programs print octets and numbers, and mail programs cut lines."""
    key, pair = rng.randbytes(32), crypto_sign_seed_keypair(rng.randbytes(32))[1]
    number = int.from_bytes(key) % (1 << 255) | 1 << 250
    wif = _checked(b"\x80", key + b"\1")
    extended = bytes.fromhex("0488ade4") + rng.randbytes(41) + b"\0" + key
    xprv = _checked(b"", extended)
    forms = {
        "a dump": _dump(key),
        "Python's letters and escapes": repr(bytes([*key[:26], 0xF0, 0xF1, 0xF2, 0xF3, 0xF4, 0xF5])),
        "octets of Rust": str([*key]).replace(",", "u8,").replace("]", "u8]"),
        "octets of Java": ", ".join(f"(byte)0x{octet:02x}" for octet in key),
        "octets with dollars": " ".join(f"${octet:02X}" for octet in key),
        "octets of an address": "".join(f"%{octet:02X}" for octet in key),
        "octal": " ".join(f"{octet:03o}" for octet in key),
        "four numbers of C": ", ".join(f"0x{key[at : at + 8].hex()}ULL" for at in range(0, 32, 8)),
        "an octal number": f"0o{number:o}",
        "a binary number": f"0b{number:0256b}",
        "a number with commas": f"{number:,}",
        "a number on two lines": f"{str(number)[:40]}\n{str(number)[40:]}",
        "hex with dashes": "\u2014".join(key.hex()[at : at + 8] for at in range(0, 64, 8)),
        "hex that is glued": f"key{key.hex()}end",
        "hex with 01": f"f{key.hex()[1:]}01",
        "octets of WIF": base58.b58decode(wif).hex(),
        "octets of xprv": extended.hex(),
        "xprv in base64": base64.b64encode(extended).decode(),
        "xprv in a mail": _in_mail(xprv, 60),
        "xprv in groups in a mail": f"the root key {_in_groups(xprv, 8)} is what I have, regards",
        "WIF in a mail": _in_mail(wif, 40),
        "WIF in groups in a mail": f"it is {_in_groups(wif, 4)} and I would like my money, regards",
        "Solana in a mail": _in_mail(base58.b58encode(pair).decode(), 44),
        "Solana in a table": "\n".join(f"| {at} | {octet} |" for at, octet in enumerate(pair, 1)),
    }  # fmt: skip
    kind = rng.choice(list(forms))
    return Secret(f"key in {kind}", forms[kind])


def _in_mail(text: str, width: int) -> str:
    lines = "\n".join(text[at : at + width] for at in range(0, len(text), width))
    return f"Hello,\nhere it is:\n{lines}\nRegards, Alice"


def _in_groups(text: str, width: int) -> str:
    return " ".join(text[at : at + width] for at in range(0, len(text), width))


def _numbers(words: list[str]) -> list[int]:
    english = next(each for each in word_lists() if {"abandon", "zoo"} <= each.words.keys())
    return [english.words[word] for word in words]


def _numbered_phrase(rng: Random) -> Secret:
    numbers = _numbers(words_of(rng, "english"))
    forms = (
        "".join(f"{each:04}" for each in numbers),
        " ".join(f"{each:04}" for each in numbers),
        " ".join(map(str, numbers)),
        ", ".join(str(each + 1) for each in numbers),
        "\n".join(f"{at}. {each + 1}" for at, each in enumerate(numbers, 1)),
        str(numbers),
    )
    at = rng.randrange(len(forms))
    return Secret(f"phrase in numbers ({at})", forms[at])


def _hex_key(rng: Random) -> str:
    return rng.randbytes(32).hex()


def _hexadecimal(rng: Random) -> Secret:
    key = _hex_key(rng)
    misread = "".join(
        {"0": "O", "1": "l", "5": "S", "8": "B"}.get(sign, sign) if rng.random() < 0.3 else sign
        for sign in key
    )
    forms = {
        "hex": key,
        "hex with 0x": f"0x{key}",
        "capital hex": key.upper(),
        "63 digits": key[1:],
        "65 digits": key + rng.choice("0123456789abcdef"),
        "63 digits with 0x": f"0x{key[:-1]}",
        "decimal": str(int(key, 16) % _ORDER | 1 << 250),
        "hex in fours": " ".join(key[at : at + 4] for at in range(0, 64, 4)),
        "hex in pairs": ":".join(key[at : at + 2] for at in range(0, 64, 2)),
        "hex on two lines": f"{key[:32]}\n{key[32:]}",
        "hex from a photograph": misread,
    }
    kind = rng.choice(list(forms))
    is_hex = kind in {"hex", "hex with 0x", "capital hex"} or (
        forms[kind] == misread and re.fullmatch("[0-9a-fA-F]+", misread) is not None
    )
    return Secret(kind, forms[kind], is_hex=is_hex)


def _labelled(rng: Random) -> Secret:
    key = _hex_key(rng)
    forms = (
        f"Your Private Key\n{key}\nWarning: Never disclose this key. Anyone with your private keys can steal any assets held in your account.",
        json.dumps({"address": "x", "privateKey": "0x" + key}),
        f"PRIVATE_KEY={key}",
        f"the customer's private key is {key}, she says",
        f"Privater Schlüssel: {key}",
        f"clave privada: {key}",
        f"私钥: {key}",
    )
    at = rng.randrange(len(forms))
    return Secret(f"key with a label ({at})", forms[at], key)


def _checked(version: bytes, payload: bytes, alphabet: bytes = base58.BITCOIN_ALPHABET) -> str:
    return base58.b58encode_check(version + payload, alphabet=alphabet).decode()


def _of_bitcoin(rng: Random) -> Secret:
    raw = rng.randbytes(64)
    wif = _checked(b"\x80", raw[:32] + b"\1")
    at = rng.randrange(1, 52)
    forms = {
        "WIF": wif,
        "WIF, uncompressed": _checked(b"\x80", raw[:32]),
        "WIF, mistyped": wif[:at] + rng.choice("abcdefghkmnp") + wif[at + 1 :],
        "WIF from a photograph": wif[:at] + "0" + wif[at + 1 :],
        "WIF in a mail": f"here it is {wif} thanks",
        "WIF of Dogecoin": _checked(b"\x9e", raw[:32] + b"\1"),
        "BIP-38": _checked(b"\x01\x42\xc0", raw[:36]),
        "mini key": mini_key(rng),
        "xprv": _checked(bytes.fromhex("0488ade4"), raw[:9] + raw[:32] + b"\0" + raw[32:]),
        "zprv": _checked(bytes.fromhex("04b2430c"), raw[:9] + raw[:32] + b"\0" + raw[32:]),
        "codex32": "ms1" + "0test" + "s" + "".join(rng.choice(_BECH32) for _ in range(39)),
        "codex32 in capitals": (
            "ms1" + "2name" + "a" + "".join(rng.choice(_BECH32) for _ in range(39))
        ).upper(),
    }
    kind = rng.choice(list(forms))
    return Secret(kind, forms[kind])


def _of_solana(rng: Random) -> Secret:
    pair = crypto_sign_seed_keypair(rng.randbytes(32))[1]
    forms = {
        "Solana in base58": base58.b58encode(pair).decode(),
        "Solana as numbers": str([*pair]),
        "Solana as numbers without brackets": ",".join(map(str, pair)),
        "Solana in hex": pair.hex(),
        "Solana in base64": base64.b64encode(pair).decode(),
        "NEAR": f"ed25519:{base58.b58encode(pair).decode()}",
    }
    kind = rng.choice(list(forms))
    return Secret(kind, forms[kind])


def _der(rng: Random) -> Secret:
    key = rng.randbytes(32)
    ed25519 = bytes.fromhex("302e020100300506032b657004220420") + key
    k1 = bytes.fromhex("3030020100300706052b8104000a04220420") + key
    sec1 = (
        bytes.fromhex("30740201010420")
        + key
        + bytes.fromhex("a00706052b8104000aa144034200")
        + rng.randbytes(65)
    )
    body = base64.encodebytes(ed25519).decode()
    bare = {"PKCS#8": body, "PEM of EC": base64.encodebytes(sec1).decode()}
    forms = {
        "PKCS#8": f"-----BEGIN PRIVATE KEY-----\n{body}-----END PRIVATE KEY-----\n",
        "PKCS#8 without armor": base64.b64encode(ed25519).decode(),
        "PKCS#8 of secp256k1": base64.b64encode(k1).decode(),
        "SEC 1": base64.b64encode(sec1).decode(),
        "Hedera": ed25519.hex(),
        "Hedera ECDSA": k1.hex(),
        "PEM of EC": f"-----BEGIN EC PRIVATE KEY-----\n{base64.encodebytes(sec1).decode()}-----END EC PRIVATE KEY-----",
    }
    kind = rng.choice(list(forms))
    return Secret(kind, forms[kind], bare.get(kind, ""))


def _base64(rng: Random, size: int) -> str:
    return base64.b64encode(rng.randbytes(size)).decode()


def _of_other_chains(rng: Random) -> Secret:
    key, raw = _hex_key(rng), rng.randbytes(64)
    stellar = bytes([18 << 3]) + raw[:32]
    check = binascii.crc_hqx(stellar, 0).to_bytes(2, "little")
    ripple = base58.RIPPLE_ALPHABET
    bech32 = "".join(rng.choice(_BECH32) for _ in range(160))
    groups = [rng.randrange(65536) for _ in range(8)]
    forms = {
        "Aptos": f"ed25519-priv-0x{key}",
        "Aptos, AIP-80 of secp256k1": f"secp256k1-priv-0x{key}",
        "Sui": f"suiprivkey1{bech32[:59]}",
        "Sui keystore": json.dumps([base64.b64encode(b"\0" + raw[:32]).decode()]),
        "Sui key": base64.b64encode(b"\0" + raw[:31] + b"\xff").decode(),
        "Polkadot": json.dumps(
            {
                "encoded": _base64(rng, 180),
                "encoding": {
                    "content": ["pkcs8", "sr25519"],
                    "type": ["scrypt", "xsalsa20-poly1305"],
                    "version": "3",
                },
                "address": "5Grw",
            }
        ),
        "subkey": f"Secret seed:       0x{key}",
        "Cardano": f"addr_xsk1{bech32[:150]}",
        "Cardano root": f"root_xsk1{bech32[:150]}",
        "Cardano key": f"ed25519_sk1{bech32[:58]}",
        "Cardano CLI": json.dumps(
            {"type": "PaymentSigningKeyShelley_ed25519", "description": "", "cborHex": "5820" + key}
        ),
        "Cardano in CBOR": "5820" + key,
        "Stellar": base64.b32encode(stellar + check).decode(),
        "XRP": _checked(b"\x21", raw[:16], ripple),
        "XRP Ed25519": _checked(b"\x01\xe1\x4b", raw[:16], ripple),
        "XRP Ed25519 in hex": f"ED{key}".upper(),
        "XRP secp256k1 in hex": f"00{key}".upper(),
        "XRP numbers": " ".join(
            f"{number:05}{number * (2 * at + 1) % 9}" for at, number in enumerate(groups)
        ),
        "Tezos": _checked(bytes([13, 15, 58, 7]), raw[:32]),
        "Nostr": f"nsec1{bech32[:58]}",
        "EOS": f"PVT_K1_{_checked(b'', raw[:32])}",
        "Avalanche": f"PrivateKey-{_checked(b'', raw[:32])}",
    }
    kind = rng.choice(list(forms))
    return Secret(kind, forms[kind])


def _file(rng: Random) -> Secret:
    ciphertext = _hex_key(rng)
    vault = {
        "data": _base64(rng, 300),
        "iv": _base64(rng, 16),
        "keyMetadata": {"algorithm": "PBKDF2", "params": {"iterations": 600000}},
        "salt": _base64(rng, 32),
    }
    keystore = {
        "address": rng.randbytes(20).hex(),
        "crypto": {
            "cipher": "aes-128-ctr",
            "ciphertext": ciphertext,
            "cipherparams": {"iv": rng.randbytes(16).hex()},
            "kdf": "scrypt",
            "kdfparams": {"salt": _hex_key(rng)},
            "mac": _hex_key(rng),
        },
        "version": 3,
    }
    bare = {"vault of MetaMask": vault["data"], "keystore": ciphertext}
    forms = {
        "vault of MetaMask": json.dumps(vault),
        "vault of MetaMask in a log": json.dumps(
            {"KeyringController": {"vault": json.dumps(vault)}}
        ),
        "keystore": json.dumps(keystore),
        "JWK": json.dumps(
            {
                "kty": "EC",
                "crv": "secp256k1",
                "d": base64.urlsafe_b64encode(rng.randbytes(32)).decode().rstrip("="),
            }
        ),
    }
    kind = rng.choice(list(forms))
    return Secret(kind, forms[kind], str(bare.get(kind.removesuffix(" in a log"), "")))


MAKERS: tuple[Callable[[Random], Secret], ...] = (
    _plain_phrase, _laid_out_phrase, _phrase_with_an_error, _joined_phrase, _photographed_phrase,
    _abbreviated_phrase, _encoded_phrase, _numbered_phrase, _hexadecimal, _labelled, _of_bitcoin,
    _of_solana, _der, _of_other_chains, _file, _spelled_phrase, _arranged_phrase, _spelled_key, _respelled_phrase, _respelled_key,
)  # fmt: skip


def secrets(seed: int, count: int) -> Iterator[Secret]:
    """So many secrets, of each maker in turn."""
    rng = Random(seed)
    for number in range(count):
        made = MAKERS[number % len(MAKERS)](rng)
        form: Literal["NFC", "NFKD"] = rng.choice(("NFC", "NFKD"))
        yield made._replace(text=unicodedata.normalize(form, made.text))


QUICK = tuple(secrets(11, len(MAKERS)))
"""One of each maker."""
MANY = tuple(secrets(12, 8 * len(MAKERS)))
FEW_OR_MANY = pytest.mark.parametrize(
    "entered", [QUICK, pytest.param(MANY, marks=pytest.mark.thorough)], ids=["few", "many"]
)
"""The secrets that a test enters."""
