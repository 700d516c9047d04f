"""Requests on their way to a wallet, and signatures on their way back, station by station.

A station is a program, a device or a person. A request passes up to two before a wallet signs it;
the answer has the form that this wallet gives, stands beside its text as people send it, and may
pass one more program. Standard libraries write whatever they can write. Sources: RFC 2045, 2047,
3676, 4180, 8259; EIP-191, EIP-2098, BIP-137, BIP-322, TIP-191, ADR-036; Solana's off-chain
messages; copies and exports of WhatsApp, Telegram, Teams and Slack; Electrum's issue 4327 (ends
stripped), Opendime's issue 11 (CRLF), Armory's issue 307 (empty lines), Brave's issue 22699 (white
space shown as one blank), TronWeb's issue 660 (255 bytes), Trust Wallet's issue 461 (hex signed).
"""

import base64
import csv
import html
import io
import json
import quopri
import re
import shlex
import textwrap
import unicodedata
import urllib.parse
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from email.header import Header
from email.message import EmailMessage
from hashlib import new, sha256
from random import Random  # noqa: TID251 - cases that can be made again from a seed
from typing import Protocol
from xml.sax.saxutils import quoteattr

import base58
import coincurve
from eth_hash.auto import keccak
from nacl.signing import SigningKey

Step = Callable[[Random, str], str]
TEXT, EXACT, OTHER_WALLET, OTHER_MESSAGE, OTHER_NETWORK = (
    "text", "exact", "other wallet", "other message", "other network",
)  # fmt: skip


class Wallet(Protocol):
    """A key and its network's way of signing."""

    @property
    def family(self) -> str: ...
    @property
    def key(self) -> bytes: ...
    @property
    def address(self) -> str: ...
    def sign(self, message: bytes) -> bytes: ...


@dataclass(frozen=True, slots=True)
class Sent:
    """What came back. `paste` has the text beside the signature, `shown` is the wallet's history;
    `is_in_paste`: each character that the wallet was given, but for white space, is in the paste;
    `has_own_words`: something was added that isn't in the request."""

    steps: tuple[str, ...]
    cause: str
    signature: str
    paste: str
    shown: str
    is_in_paste: bool
    has_own_words: bool


def _around(*pairs: tuple[str, str]) -> Step:
    """One of these in front of the text and behind it."""

    def step(rng: Random, text: str) -> str:
        before, after = rng.choice(pairs)
        return before + text + after

    return step


# -- to the customer ---------------------------------------------------------------------------


def mail_source(rng: Random, text: str) -> str:
    """The body as it is transported (RFC 2045), copied from "view source"."""
    mail = EmailMessage()
    mail.set_content(text, cte=rng.choice(("quoted-printable", "quoted-printable", "base64")))
    return str(mail.get_payload()).rstrip("\n")


def mail_flowed(rng: Random, text: str) -> str:
    """Soft line breaks that the reader's program takes for hard ones (RFC 3676)."""
    blank = rng.choice((" ", ""))
    return f"{blank}\n".join(
        textwrap.wrap(text, rng.choice((66, 72, 76, 78)), break_on_hyphens=False)
    )


def mail_quoted(rng: Random, text: str) -> str:
    width = rng.choice((70, 74, 10_000))
    return "\n".join("> " + line for line in textwrap.wrap(text, width, break_on_hyphens=False))


def mail_subject(_: Random, text: str) -> str:
    """A long header, folded (RFC 2047)."""
    return Header(text, header_name="Subject").encode()


def html_source(rng: Random, text: str) -> str:
    tag = rng.choice(("p", "div", "td", "span", "code", "pre"))
    return f"<{tag}>{html.escape(text)}</{tag}>"


def html_entities(rng: Random, text: str) -> str:
    made = html.escape(text)
    if rng.random() < 0.5:
        return made.replace(" ", "&nbsp;")
    return "".join(f"&#{ord(each)};" if each in ":()?~%-" else each for each in made)


def html_no_break(_: Random, text: str) -> str:
    """Blanks that a mail program's editor keeps together."""
    return text.replace(" ", "\u00a0")


def html_soft(rng: Random, text: str) -> str:
    """Places for a break within long words: a soft hyphen, a zero-width space."""
    mark, every = rng.choice("\u00ad\u200b"), rng.choice((8, 10, 16))
    return re.sub(r"[0-9A-Za-z_]{20,}", lambda word: mark.join(textwrap.wrap(word[0], every)), text)


def chat_markup(rng: Random, text: str) -> str:
    """Set apart as code, bold or quoted; the marks are copied too."""
    mark = rng.choice(("`", "```", "*", "**", "_", "~", "||", "```\n", "> "))
    return mark + text + ("" if mark == "> " else mark[::-1])


def chat_source(_: Random, text: str) -> str:
    """Slack's three entities, and an underscore that Markdown needs escaped."""
    return html.escape(text, quote=False).replace("_", "\\_")


def short_message(_: Random, text: str) -> str:
    """Parts of an SMS, one after the other, with their numbers."""
    parts = textwrap.wrap(text, 153, break_on_hyphens=False, drop_whitespace=False)
    if len(parts) == 1:
        return text
    return "".join(f"({n}/{len(parts)}) {part}" for n, part in enumerate(parts, 1))


def word_dashes(rng: Random, text: str) -> str:
    """Hyphens that a word processor won't break at, or takes for dashes."""
    return text.replace("-", rng.choice("\u2011\u2013\u2014\u2010"))


def word_spaces(rng: Random, text: str) -> str:
    """Two blanks after a full stop, or French spacing before its punctuation."""
    if rng.random() < 0.5:
        return re.sub(r"([.?]) ", r"\1  ", text)
    return re.sub(r"([:?])(?= )", rng.choice(("\u00a0", "\u202f")) + r"\1", text)


def word_ligatures(_: Random, text: str) -> str:
    for letters, one in (("ffi", "\ufb03"), ("fi", "\ufb01"), ("fl", "\ufb02"), ("ff", "\ufb00")):
        text = text.replace(letters, one)
    return text


def pdf_lines(rng: Random, text: str) -> str:
    """A paragraph of a page: broken where it fits, with no blank where the line ends."""
    return "\n".join(textwrap.wrap(text, rng.choice((30, 40, 64, 90)), break_on_hyphens=True))


def pdf_numbered(rng: Random, text: str) -> str:
    lines = textwrap.wrap(text, rng.choice((40, 80)))
    return "\n".join(f"{number} {line}" for number, line in enumerate(lines, 1))


def spreadsheet_row(rng: Random, text: str) -> str:
    """The row of a table (RFC 4180), by commas, semicolons or tabs, or one quoted cell."""
    out = io.StringIO()
    cells = rng.choice(([text], [text, ""], ["7", text], [text, "20.11.2026"], ["", text]))
    csv.writer(out, quoting=csv.QUOTE_ALL, delimiter=rng.choice(",;\t")).writerow(cells)
    return out.getvalue().rstrip("\r\n")


def spreadsheet_cell(rng: Random, text: str) -> str:
    return rng.choice(("'", "\t", "=", "\u200b")) + text + rng.choice(("", "\t"))


def spreadsheet_date(rng: Random, text: str) -> str:
    """The date of the request as a table shows dates."""
    form = rng.choice((r"\3.\2.\1 \4", r"\2/\3/\1 \4", r"\3/\2/\1 \4:00", r"\1-\2-\3 \4"))
    return re.sub(r"(\d{4})-(\d\d)-(\d\d)T(\d\d:\d\d):\d\dZ", form, text)


def ticket_cut(rng: Random, text: str) -> str:
    """A field with a limit."""
    limit = rng.choice((40, 64, 80, 100, 120, 128, 140, 150, 160, 200))
    return text if len(text) <= limit else text[:limit].rstrip() + rng.choice(("", "\u2026", "..."))


def terminal_wrapped(rng: Random, text: str) -> str:
    """The rows of a screen: cut anywhere, and filled with blanks by some."""
    width = rng.choice((40, 80, 100, 132))
    rows = [text[at : at + width] for at in range(0, len(text), width)]
    return "\n".join(row.ljust(width) for row in rows) if rng.random() < 0.3 else "\n".join(rows)


def as_literal(rng: Random, text: str) -> str:
    """A value in JSON, Python, a shell, XML, SQL or YAML."""
    ways = (json.dumps, repr, shlex.quote, quoteattr, lambda value: json.dumps(json.dumps(value)),
            lambda value: f"message: {value}",
            lambda value: json.dumps({"message": value}))  # fmt: skip
    return rng.choice(ways)(text)


def in_address(rng: Random, text: str) -> str:
    """A part of a link, decoded by nobody."""
    return rng.choice((urllib.parse.quote, urllib.parse.quote_plus))(text, safe="")


def misdecoded(rng: Random, text: str) -> str:
    """UTF-8 read as Windows-1252, after an editor's typographic blanks and dashes."""
    fancy = text.replace(" ", "\u00a0") if rng.random() < 0.5 else text.replace("-", "\u2013")
    return fancy.encode().decode("cp1252")


def translated(rng: Random, text: str) -> str:
    words = rng.choice(
        ({"I, customer": "Ich, Kunde", "account": "Konto",
          "Not you? Do not sign.": "Nicht Sie? Nicht unterschreiben."},
         {"control": "controlo", "for withdrawals": "para retiros",
          "valid until": "v\u00e1lido hasta"},
         {"wallet": "portefeuille", "valid until": "valable jusqu'au", "Ref": "R\u00e9f"})
    )  # fmt: skip
    for mine, theirs in words.items():
        text = text.replace(mine, theirs)
    return text


# By name: how often, and what happens.
TO_CUSTOMER: Mapping[str, tuple[int, Step]] = {
    "mail's source": (3, mail_source), "flowed": (6, mail_flowed), "quotation": (4, mail_quoted),
    "subject": (1, mail_subject), "page's source": (3, html_source), "entities": (2, html_entities),
    "no-break": (4, html_no_break), "soft breaks": (3, html_soft), "chat's marks": (5, chat_markup),
    "chat's source": (2, chat_source), "SMS": (1, short_message), "dashes": (5, word_dashes),
    "typographic blanks": (3, word_spaces), "ligatures": (1, word_ligatures), "PDF": (5, pdf_lines),
    "PDF's numbers": (1, pdf_numbered), "row": (3, spreadsheet_row), "date": (2, spreadsheet_date),
    "cut": (3, ticket_cut), "rows of a screen": (3, terminal_wrapped), "literal": (3, as_literal),
    "address": (1, in_address), "misdecoded": (1, misdecoded), "translated": (2, translated),
    "reply": (2, _around(
        ("On Fri, 20 Nov 2026 at 13:02, Support <help@example.com> wrote:\n\n> ", ""),
        ("Am 20.11.2026 um 13:02 schrieb Support:\n> ", ""), ("From: Support\n\n", ""))),
    "chat's head": (4, _around(
        ("[20.11.26, 13:02:41] Bank: ", ""), ("20/11/2026, 13:02 - Bank: ", ""),
        ("Bank, [20.11.2026 13:02]\n", ""), ("[13:02] Bank\n", ""),
        ("\u200e[20/11/2026, 1:02:41\u202fPM] Bank: ", ""), ("Bank \u2014 Today at 13:02\n", ""))),
    "direction": (3, _around(("\u2068", "\u2069"), ("\u202a", "\u202c"), ("\u200e", ""),
                             ("\u200f", ""))),
    "byte order mark": (1, _around(("\ufeff", ""))),
    "cell": (2, _around(("'", ""), ("", "\t"), ("\t", ""), ("=", ""), ("\u200b", ""))),
    "ticket's subject": (2, _around(("[#48213] ", ""), ("Re: ", ""), ("Fwd: ", ""), ("AW: ", ""))),
    "footer": (2, _around(("", "\n\n-- \nExample Bank Support"), ("", "\n\nSent from my iPhone"),
                          ("", "\n\nKind regards\nSupport"), ("", "\nRead more"))),
    "terminal": (2, _around(("$ ", ""), ("> ", ""), ("     1\t", ""), ("", "$"), ("# ", ""),
                            ("| ", " |"))),
}  # fmt: skip


# -- in the customer's hands -------------------------------------------------------------------


def keyboard_case(rng: Random, text: str) -> str:
    return rng.choice((str.lower, str.upper, str.capitalize, str.swapcase, str.title))(text)


def keyboard_slip(rng: Random, text: str) -> str:
    """One key wrong, missing, twice or before its neighbour."""
    at = rng.randrange(len(text) - 1)
    way = rng.randrange(4)
    if way == 0:
        return text[:at] + text[at + 1 :]
    if way == 1:
        return text[:at] + text[at] + text[at:]
    if way == 2:
        return text[:at] + text[at + 1] + text[at] + text[at + 2 :]
    rows = ("1234567890", "QWERTYUIOP", "ASDFGHJKL", "ZXCVBNM")
    near = [row[place + step] for row in rows for place, key in enumerate(row) for step in (-1, 1)
            if key == text[at].upper() and 0 <= place + step < len(row)]  # fmt: skip
    key = rng.choice(near or [" "])
    return text[:at] + (key.lower() if text[at].islower() else key) + text[at + 1 :]


def keyboard_corrected(rng: Random, text: str) -> str:
    """Autocorrection of the words that aren't in its dictionary."""
    wrong, right = rng.choice((("Ref", "Red"), ("ethereum", "Ethereum"), ("solana", "Solana"),
                               ("CHG", "CHANGE"), ("bitcoin", "Bitcoin"), ("tron", "trin"),
                               ("EXAMPLEBANK", "Example Bank")))  # fmt: skip
    return text.replace(wrong, right)


def misread(rng: Random, text: str) -> str:
    """A photograph's letters: one kind of them, everywhere or once."""
    seen, taken = rng.choice(
        ("0O", "O0", "1I", "1l", "lI", "I1", "5S", "S5", "8B", "B8", "2Z", "Z2", "6G")
    )
    return text.replace(seen, taken, rng.choice((1, 1, -1)))


def selected_less(rng: Random, text: str) -> str:
    """A selection that begins too late or ends too early: by characters, words or sentences."""
    words, dashes = text.split(" "), text.split("-")
    return rng.choice(
        (text[1:], text[:-1], text[:-1], text[2:], " ".join(words[1:]), " ".join(words[:-1]),
         dashes[-1], "-".join(dashes[1:]), text.partition(": ")[2],
         text.rpartition(". ")[0] + ".", text.rpartition(". ")[2])
    ) or text  # fmt: skip


def pasted_twice(rng: Random, text: str) -> str:
    return text + rng.choice(("", "\n", " ", "\n\n")) + text


def spaced(rng: Random, text: str) -> str:
    """Long words in groups, as they are read out, or none of the blanks and hyphens."""
    if rng.random() < 0.4:
        return text.replace(rng.choice(" -"), rng.choice(("", " ", "_")))
    size = rng.choice((4, 4, 5))
    return re.sub(r"[0-9A-Z]{20,}", lambda word: " ".join(textwrap.wrap(word[0], size)), text)


HANDS: Mapping[str, tuple[int, Step]] = {
    "case": (3, keyboard_case), "slip": (4, keyboard_slip), "corrected": (2, keyboard_corrected),
    "misread": (3, misread), "selected less": (5, selected_less), "twice": (2, pasted_twice),
    "groups": (2, spaced), "suggestion": (4, _around(("", " "), ("", ". "), ("", "."), ("", "  "))),
    "selected more": (4, _around(
        ("Message: ", ""), ("Message to sign:\n", ""), ("Text:\n\n", ""), ("", "\nCopy"),
        ("", "\n\nSign"), ("Please sign: ", ""), ("Sign this message: ", ""), ("Your code: ", ""),
        ("Nachricht: ", ""))),
    "quoted": (4, _around(('"', '"'), ("'", "'"), ("\u201c", "\u201d"), ("\u201e", "\u201c"),
                          ("<", ">"), ("\u00ab", "\u00bb"), ("\u2018", "\u2019"), ("(", ")"),
                          ("[", "]"))),
    "surrounded": (6, _around(("\n", ""), (" ", ""), ("", "\n"), ("", "\n\n"), ("", "\r\n"),
                              ("\n", "\n"), ("\t", ""), ("\u3000", ""), ("  ", "  "))),
    "own words": (2, _around(("I agree. ", ""), ("", "\nJane Example"), ("", " ok"),
                             ("Dear bank, ", ""), ("", " \U0001f44d"))),
}  # fmt: skip
PAGE: Mapping[str, tuple[int, Step]] = {"sign-in": (1, _around((
    "app.example.org wants you to sign in with your account:\n\n", "\n\nURI: https://app.example.org"
    "\nVersion: 1\nNonce: 8fQ2kLm9\nIssued At: 2026-11-20T13:05:00.000Z")))}  # fmt: skip
"""A page's own request with our text as its statement (EIP-4361)."""


# -- in the wallet -----------------------------------------------------------------------------

Bytes = Callable[[str], bytes]


def _as_hex(prefix: str) -> Bytes:
    return lambda text: (prefix + text.encode().hex()).encode()


def _framed(head: bytes) -> Bytes:
    """What a page's own function hashes before it lets the wallet sign the hash."""
    return lambda text: keccak(head + str(len(text.encode())).encode() + text.encode())


TOOLS: Mapping[str, tuple[Bytes, int]] = {
    "as it is": (str.encode, 50), "ends stripped": (lambda text: text.strip().encode(), 8),
    "one blank": (lambda text: " ".join(text.split()).encode(), 6),
    "a line break": (lambda text: (text + "\n").encode(), 6),
    "CRLF": (lambda text: re.sub(r"\r?\n", "\r\n", text).encode(), 2),
    "CRLF at the end": (lambda text: (text + "\r\n").encode(), 2),
    "a zero byte": (lambda text: text.encode() + b"\0", 1),
    "hex": (_as_hex(""), 2), "hex with 0x": (_as_hex("0x"), 4),
    "base64": (lambda text: base64.b64encode(text.encode()), 2),
    "UTF-16": (lambda text: text.encode("utf-16-le"), 1),
    "SHA-256": (lambda text: sha256(text.encode()).digest(), 3),
    "SHA-256 in hex": (lambda text: sha256(text.encode()).hexdigest().encode(), 3),
    "SHA-512": (lambda text: new("sha512", text.encode()).digest(), 1),
    "Keccak": (lambda text: keccak(text.encode()), 2),
    "Keccak in hex": (lambda text: b"0x" + keccak(text.encode()).hex().encode(), 2),
    "hashed message": (_framed(b"\x19Ethereum Signed Message:\n"), 2),
    "JSON": (lambda text: json.dumps({"message": text}, separators=(",", ":")).encode(), 2),
    "255 bytes": (lambda text: text.encode()[:255], 1),
    "printable": (lambda text: re.sub(r"[^ -~]", "?", text).encode(), 1),
    "NFKC": (lambda text: unicodedata.normalize("NFKC", text).encode(), 2),
}  # fmt: skip


def _digest(family: str, message: bytes) -> bytes | None:
    """What the wallets of a network sign, by their libraries, where the key is secp256k1's."""
    if family in {"evm", "tron"}:
        head = b"\x19Ethereum" if family == "evm" else b"\x19TRON"
        return keccak(head + b" Signed Message:\n" + str(len(message)).encode() + message)
    coins = {"bitcoin": b"\x18Bitcoin", "litecoin": b"\x19Litecoin", "dogecoin": b"\x19Dogecoin"}
    coin = coins.get(family)
    if coin is None or len(message) > 252:
        return None
    return _twice(coin + b" Signed Message:\n" + bytes([len(message)]) + message)


def _recoverable(key: bytes, digest: bytes, *, first: int | None) -> bytes:
    """r, s and v, or with a header byte in front of them."""
    packed = bytes(coincurve.PrivateKey(key).sign_recoverable(digest, hasher=None))
    return (
        packed[:64] + bytes([27 + packed[64]])
        if first is None
        else bytes([first + packed[64]]) + packed[:64]
    )


def _twice(data: bytes) -> bytes:
    return sha256(sha256(data).digest()).digest()


def _compact(data: bytes) -> bytes:
    return bytes([len(data)]) + data


def bip322(key: bytes, message: bytes) -> bytes:
    """The witness of BIP-322's simple form, for the native segwit address of a key."""
    public = bytes(coincurve.PrivateKey(key).public_key.format())
    of_key = new("ripemd160", sha256(public).digest()).digest()
    tagged = sha256(b"BIP0322-signed-message").digest() * 2
    spend = bytes(4) + b"\x01" + bytes(32) + b"\xff" * 4
    spend += b"\x22\0\x20" + sha256(tagged + message).digest()
    spend += bytes(4) + b"\x01" + bytes(8) + b"\x16\0\x14" + of_key + bytes(4)
    point = _twice(spend) + bytes(4)
    signed = bytes(4) + _twice(point) + _twice(bytes(4)) + point + b"\x19\x76\xa9\x14" + of_key
    signed += b"\x88\xac" + bytes(12) + _twice(bytes(8) + b"\x01\x6a") + bytes(4) + b"\x01\0\0\0"
    der = coincurve.PrivateKey(key).sign(_twice(signed), hasher=None)
    return b"\x02" + _compact(der + b"\x01") + _compact(public)


def _solana_envelope(rng: Random, message: bytes, public: bytes) -> bytes:
    """The three layouts of Solana's off-chain messages."""
    head, size = b"\xffsolana offchain", len(message).to_bytes(2, "little")
    form = bytes([0 if all(0x20 <= each < 0x7F for each in message) else 1])
    short, later = head + b"\0" + form + size, head + b"\x01\x01" + public
    return rng.choice((short, later, head + bytes(33) + form + b"\x01" + public + size)) + message


_ELSEWHERE = {"evm": "tron", "tron": "evm", "litecoin": "bitcoin", "dogecoin": "bitcoin",
              "bitcoin": "litecoin", "bitcoin-cash": "dogecoin"}  # fmt: skip
"""Where somebody with wallets of several networks signs by mistake."""


def _form(rng: Random, wallet: Wallet, signature: bytes) -> str:
    """The signature as this network's wallets, libraries and explorers write it."""
    plain, number = signature.hex(), ",".join(map(str, signature))
    if wallet.family in {"evm", "tron"}:
        r, s, v = signature[:32], signature[32:64], signature[64]
        short = r + bytes([s[0] | (v - 27) << 7]) + s[1:]
        parts = {"r": "0x" + r.hex(), "s": "0x" + s.hex(), "v": v}
        return rng.choice(
            ("0x" + plain, "0x" + plain, plain, "0x" + plain.upper(),
             "0x" + (r + s + bytes([v - 27])).hex(),
             "0x" + short.hex(), json.dumps(parts), f'"0x{plain}"', f"[{number}]")
        )  # fmt: skip
    if wallet.family == "solana":
        return rng.choice(
            (base58.b58encode(signature).decode(), base64.b64encode(signature).decode(), plain,
             f"[{number}]",
             json.dumps({"type": "Buffer", "data": list(signature)}), f"Uint8Array(64) [{number}]")
        )  # fmt: skip
    if wallet.family == "xrp":
        return rng.choice((plain.upper(), plain))
    return base64.b64encode(signature).decode()


# -- back to the bank --------------------------------------------------------------------------


def _beside(rng: Random, text: str, signature: str, address: str) -> str:
    """Text and signature as wallets export them and as people put them together."""
    armour = rng.choice(("BITCOIN SIGNED MESSAGE", "SIGNED MESSAGE"))
    ways = (
        f"{text}\n{signature}", f"{text}\n\n{signature}", f"{signature}\n\n{text}",
        f"Message: {text}\nSignature: {signature}", f"Message:\n{text}\n\nSignature:\n{signature}",
        f"Address: {address}\nMessage: {text}\nSignature: {signature}",
        f"Nachricht: {text}\nSignatur: {signature}\nAdresse: {address}",
        f"Hi,\n\nI signed\n\n{text}\n\nand got\n\n{signature}\n\nBest\nJane",
        f"-----BEGIN {armour}-----\n{text}\n-----BEGIN SIGNATURE-----\n{address}\n{signature}\n"
        f"-----END {armour}-----",
        json.dumps({"address": address, "msg": text, "sig": signature, "version": "2"}, indent=2),
        json.dumps({"message": text, "signature": signature}, ensure_ascii=False),
        f"[20.11.26, 13:09:12] Jane: {text}\n[20.11.26, 13:09:40] Jane: {signature}",
        f"Jane, [20.11.2026 13:09]\n{text}\n\nJane, [20.11.2026 13:10]\n{signature}",
        f"```\n{text}\n```\n`{signature}`",
        f"I signed \u201c{text}\u201d. The result is {signature}",
        f"{text}\t{signature}", f"> {text}\n\n{signature}\n\nSent from my iPhone",
    )  # fmt: skip
    return rng.choice(ways)


def _to_bank(rng: Random, paste: str) -> str:
    """The last program: a mail that is answered, a ticket's page, a source; mostly none."""
    way = rng.choices(range(7), (64, 8, 6, 6, 6, 5, 5))[0]
    if way == 1:
        return "\n".join("> " + line for line in paste.split("\n"))
    if way == 2:
        return paste.replace("\n", "\r\n")
    if way == 3:
        return "<p>" + html.escape(paste, quote=False).replace("\n", "<br>\n") + "</p>"
    if way == 4:
        return quopri.encodestring(paste.encode()).decode()
    if way == 5:
        return "\n".join(part for line in paste.split("\n") for part in textwrap.wrap(
            line, 76, break_on_hyphens=False, break_long_words=False) or [""])  # fmt: skip
    return paste.replace("\n", "\n\n") if way == 6 else paste


def _squashed(text: str) -> str:
    kept = (each for each in text if not each.isspace() and unicodedata.category(each) != "Cf")
    return "".join(kept)


def _is_in(paste: str, given: str) -> bool:
    """After each standard's own decoder, with the marks of quoting taken from the lines."""
    bare = re.sub(r"(?m)^(> ?)+", "", paste)
    plain = html.unescape(re.sub(r"<[^>]*>", "", paste))
    mail = quopri.decodestring(paste.encode()).decode("utf-8", "replace")
    found = [_squashed(form) for form in (paste, bare, plain, mail)]
    with suppress(ValueError):
        found += [_squashed(value) for value in json.loads(paste).values()]
    return any(_squashed(given) in form for form in found)


# -- all of it ---------------------------------------------------------------------------------

_OWN = {"chat's head", "reply", "SMS", "ticket's subject", "footer", "translated", "row",
        "own words",
        "sign-in", "corrected"}  # fmt: skip
_SITUATIONS = {TEXT: 86, EXACT: 3, OTHER_WALLET: 5, OTHER_MESSAGE: 3, OTHER_NETWORK: 3}


def sent(rng: Random, asked: str, wallet: Wallet, *, other: Wallet, earlier: str) -> Sent:
    """`other` is another wallet of the customer's, `earlier` an earlier message for this one.
    Something else than `asked` was signed if the cause is `TEXT`."""
    while True:
        made = _sent(rng, asked, wallet, other, earlier)
        if made is not None:
            return made


def _sent(rng: Random, asked: str, wallet: Wallet, other: Wallet, earlier: str) -> Sent | None:
    cause = rng.choices(list(_SITUATIONS), list(_SITUATIONS.values()))[0]
    given = earlier if cause == OTHER_MESSAGE else asked
    message, steps = given.encode(), [cause]
    if cause == TEXT:
        given, steps = _travels(rng, asked)
        tool = rng.choices(list(TOOLS), [weight for _, weight in TOOLS.values()])[0]
        message = TOOLS[tool][0](given)
        if message == asked.encode():
            return None
        steps += [] if message == given.encode() else [tool]
    if cause == OTHER_NETWORK:
        answer = _elsewhere(rng, wallet, message)
        steps = [cause]
    else:
        signer, is_plain = other if cause == OTHER_WALLET else wallet, message == given.encode()
        answer, how = _sign(rng, signer, message, old=cause == TEXT and is_plain)
        steps += how
    if answer is None:
        return None
    shown = " ".join(given.split()) if rng.random() < 0.25 else given
    paste = _to_bank(rng, _beside(rng, shown, answer, wallet.address))
    return Sent(
        tuple(steps), cause, answer, paste, shown, is_in_paste=_is_in(paste, given),
        has_own_words=not _OWN.isdisjoint(steps),
    )  # fmt: skip


def _travels(rng: Random, text: str) -> tuple[str, list[str]]:
    steps: list[str] = []
    for table, happens in ((TO_CUSTOMER, 0.6), (HANDS, 0.45), (PAGE, 0.04)):
        name = rng.choices(list(table), [often for often, _ in table.values()])[0]
        after = table[name][1](rng, text) if rng.random() < happens else text
        if after != text and len(after.strip()) >= 8:
            text = after
            steps.append(name)
    return text, steps


def _sign(rng: Random, wallet: Wallet, message: bytes, *, old: bool) -> tuple[str, list[str]]:
    """The signature, and how it was made if not in the network's usual way."""
    if wallet.family == "solana" and rng.random() < 0.15:
        message = _solana_envelope(rng, message, bytes(SigningKey(wallet.key).verify_key))
        return _form(rng, wallet, wallet.sign(message)), ["envelope"]
    if wallet.family in {"evm", "tron"} and old and rng.random() < 0.1:
        head = b"" if wallet.family == "evm" else b"\x19TRON Signed Message:\n32"
        packed = _recoverable(wallet.key, keccak(head + message), first=None)
        return _form(rng, wallet, packed), ["the old way"]
    if wallet.address.startswith("bc1q") and rng.random() < 0.5:
        witness = base64.b64encode(bip322(wallet.key, message)).decode()
        return rng.choice(("", "smp")) + witness, ["BIP-322"]
    return _form(rng, wallet, wallet.sign(message)), []


def _elsewhere(rng: Random, wallet: Wallet, message: bytes) -> str | None:
    """Signed by the same key in another network's wallet, where there is one."""
    network = _ELSEWHERE.get(wallet.family)
    digest = _digest(network, message) if network else None
    if digest is None:
        return None
    first = None if wallet.family in {"evm", "tron"} else 31
    return _form(rng, wallet, _recoverable(wallet.key, digest, first=first))
