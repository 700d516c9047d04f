"""A fourth set of things that happen to a text: by the programs that people name.

A text takes a route through a channel, a person with a device, and a place that signs. Each entry
is what the documentation of the program says, or what people reported of it. Written before the
model was changed beside it, used once after that, and neither was mended. Weights: 6 what most
people meet, 2 some, 1 few.
"""

import base64
import html
import json
import re
import textwrap
import unicodedata
from collections.abc import Callable, Iterator
from hashlib import sha256
from random import Random  # noqa: TID251 - cases that can be made again from a seed
from urllib.parse import quote

import base58
from eth_hash.auto import keccak
from tests.wallets.travelled.journeys import Journey
from tests.wallets.travelled.steps import Step

Form = str | Callable[[Random, str], str | bytes]
"""The text at {}, or a function of it."""

_CYRILLIC = (0x410, 0x412, 0x421, 0x415, 0x41D, 0x41A, 0x41C, 0x41E, 0x420, 0x422, 0x425)
_DATES = (
    r"\3.\2.\1 \4:\5", r"\3/\2/\1 \4:\5", r"\2/\3/\1 \4:\5", r"\1-\2-\3 \4:\5",
    r"\3.\2.\1, \4:\5 UTC", r"\1-\2-\3",
)  # fmt: skip

CH: dict[Step, int] = {}
HAND: dict[Step, int] = {}
SIGN: dict[Step, int] = {}
UNKNOWABLE = set[str]()


def entry(table: dict[Step, int], weight: int, name: str, *forms: Form, free: bool = False) -> None:
    def step(rng: Random, text: str) -> str | bytes:
        form = rng.choice(forms)
        return form.replace("{}", text) if isinstance(form, str) else form(rng, text)

    step.__name__ = name
    table[step] = weight
    if free:
        UNKNOWABLE.add(name)


def wraps(rng: Random, text: str, widths: list[int], joint: str = "\n") -> str:
    return joint.join(textwrap.wrap(text, rng.choice(widths), break_on_hyphens=True))


def phone_clock(rng: Random) -> str:
    return f"{rng.randrange(24):02}:{rng.randrange(60):02}"


# --- channels
entry(CH, 6, "whatsapp formatting", "*{}*", "_{}_", "```{}```", "`{}`", "> {}", "~{}~")
entry(
    CH, 2, "whatsapp copy of several",
    lambda r, t: f"[20/11/2026, {phone_clock(r)}] Example Bank: {t}", free=True,
)  # fmt: skip
entry(
    CH, 2, "telegram desktop copy",
    lambda r, t: f"Example Bank, [20 Nov 2026 at {phone_clock(r)}:12]:\n{t}", free=True,
)  # fmt: skip
entry(
    CH, 2, "telegram markup", "`{}`", "**{}**", "__{}__", "||{}||", "<code>{}</code>", "<b>{}</b>"
)  # fmt: skip
entry(CH, 2, "teams copy", lambda r, t: f"[{phone_clock(r)}] Example Bank\n{t}", free=True)
entry(
    CH, 2, "teams no-break", lambda _, t: "\u00a0" + t, lambda _, t: t + "\u00a0",
    lambda _, t: t.replace(" ", "\u00a0"),
)  # fmt: skip
entry(
    CH, 2, "slack entities", lambda _, t: html.escape(t, quote=False), "`{}`", "```\n{}\n```",
    "```{}```", "*{}*",
)  # fmt: skip
entry(
    CH, 6, "outlook plain", lambda r, t: wraps(r, t, [76, 72, 132], "\r\n"), "{}\r\n",
    "{}\r\n\r\n", "{}\u00a0", lambda _, t: t.replace(". ", ".\u00a0 "),
)  # fmt: skip
entry(
    CH, 2, "outlook banner", "[EXTERNAL] {}", "[EXTERN] {}", "CAUTION: External email\n\n{}",
    "External Email\n{}", "[Ext] {}",
)  # fmt: skip
entry(CH, 2, "gmail quoted", lambda r, t: "> " + wraps(r, t, [76, 72, 78], "\n> "), "> {}\n", ">{}")
entry(
    CH, 1, "gmail reply",
    lambda r, t: f"On Fri, Nov 20, 2026 at {phone_clock(r)} Bank <s@bank.example> wrote:\n> {t}",
    free=True,
)  # fmt: skip
entry(
    CH, 6, "gmail plain", lambda r, t: wraps(r, t, [78, 76, 72]), "*{}*",
    lambda r, t: wraps(r, t, [78, 72], " \n"),
)  # fmt: skip
entry(
    CH, 2, "apple mail", "{}\n\nSent from my iPhone", "{}\n\nVon meinem iPhone gesendet",
    "\ufffc{}", "{}\n\nEnviado desde mi iPhone", "{}\n\nEnvoyé de mon iPhone",
)  # fmt: skip
entry(
    CH, 2, "sms parts", lambda _, t: "\n".join(textwrap.wrap(t, 153, drop_whitespace=False)),
    lambda _, t: t[:160], lambda _, t: t[:153], lambda _, t: t.replace("_", "\u00a7"),
    lambda _, t: t.replace("_", " "),
)  # fmt: skip
entry(
    CH, 2, "zendesk html", "<p>{}</p>", "<div>{}</div>", "{}<br>", "<span>{}</span>",
    lambda _, t: t.replace(" ", "&nbsp;"), "<p>{}</p>\n", "{}<br/>",
)  # fmt: skip
entry(
    CH, 6, "word", lambda _, t: t.replace("-", "\u2013"), lambda _, t: t.replace("-", "\u2011"),
    lambda _, t: t.replace("-", "\x1e"), "\u201c{}\u201d", lambda _, t: t.replace("-", " \u2013 "),
    "\u201e{}\u201c", "{}\r",
)  # fmt: skip
entry(
    CH, 6, "pdf", lambda r, t: wraps(r, t, [60, 70, 80, 90]),
    lambda r, t: wraps(r, t, [30, 40, 60, 80]),
    lambda _, t: t.replace("fi", "\ufb01").replace("ff", "\ufb00"),
    lambda _, t: t.replace(" ", ""), lambda _, t: re.sub("-", "-\n", t, count=1),
    lambda _, t: t.replace("-", "\u00ad"), lambda _, t: t + "\n1",
    lambda _, t: t.replace("-", "\u2010"),
)  # fmt: skip
entry(
    CH, 2, "qr reader", "Text: {}", "TEXT: {}", "Content: {}", "{}\n", "http://{}",
    "https://www.google.com/search?q={}",
    lambda _, t: t.translate(str.maketrans("-_yzYZ", "\u00df?zyZY")), lambda _, t: t.upper(),
)  # fmt: skip
entry(
    CH, 2, "live text", lambda _, t: t.replace("0", "O"), lambda _, t: t.replace("O", "0"),
    lambda _, t: t.replace("1", "I"), lambda _, t: t.replace("-", "\u2014"),
    lambda _, t: t.replace("-", " - "), lambda _, t: t.replace("-", "- "),
    lambda r, t: wraps(r, t, [20, 24, 32, 40]), lambda _, t: t.replace("5", "S"),
    lambda _, t: t.replace("I", "l"),
)  # fmt: skip
entry(
    CH, 2, "web page", "{}\t", "\t{}", "{} \n", "\n{}\n", "Copy\n{}", "{}\nCopy", "{}Copy",
    "{} Copy", "\u200b{}", "{}\u200b", lambda _, t: t.replace("-", "-\u200b"),
    lambda _, t: t.replace("-", "\u200b-"),
)  # fmt: skip
entry(
    CH, 1, "notion and docs", "\u200b{}", "\u2060{}", "\ufeff{}", "\u2022 {}", "1. {}", "- {}",
    "\u25cf {}", "\u2610 {}",
)  # fmt: skip
entry(
    CH, 1, "crm template", "{{{}}}", "Dear customer,\n\n{}", "Dear Customer,\n{}",
    "Hello,\n\n{}\n\nKind regards", "{}\n\nKind regards,\nExample Bank",
)  # fmt: skip
entry(CH, 1, "discord", "`{}`", "```\n{}```", "**{}**", "||{}||", "```txt\n{}\n```", "<{}>")
entry(
    CH, 1, "bidi", "\u200e{}", "\u200f{}", "\u202a{}\u202c", "\u2068{}\u2069", "\u202b{}\u202c",
    "{}\u200e",
)  # fmt: skip
entry(
    CH, 1, "phone photo translator", lambda _, t: t.title(), lambda _, t: t.capitalize(),
    lambda _, t: t.replace("Ref ", "Ref. "), lambda _, t: t.replace("I ", "l "),
)  # fmt: skip


# --- people and their devices
def misread(rng: Random, text: str) -> str:
    pairs = {
        "0": "O",
        "O": "0",
        "1": "I",
        "I": "1",
        "l": "I",
        "5": "S",
        "S": "5",
        "B": "8",
        "8": "B",
        "Z": "2",
        "2": "Z",
        "G": "6",
        "6": "G",
        "D": "0",
        "Q": "O",
        "U": "V",
        "V": "U",
        "M": "N",
        "N": "M",
    }
    places = [i for i, c in enumerate(text) if c in pairs]
    at = rng.choice(places)
    return text[:at] + pairs[text[at]] + text[at + 1 :]


def doubled(rng: Random, text: str) -> str:
    at = rng.randrange(len(text))
    return text[:at] + text[at] + text[at:]


def dropped(rng: Random, text: str) -> str:
    at = rng.randrange(len(text))
    return text[:at] + text[at + 1 :]


def swapped(rng: Random, text: str) -> str:
    at = rng.randrange(len(text) - 1)
    return text[:at] + text[at + 1] + text[at] + text[at + 2 :]


def nonce(text: str) -> str:
    found = re.search(r"CHG_(\w+)", text) or re.search(r"-(\w+)$", text)
    return found[1] if found else text[-22:]


entry(
    HAND, 6, "drag selection", lambda _, t: t[:-1], lambda _, t: t[1:], lambda _, t: t + " ",
    lambda _, t: " " + t, lambda _, t: t[:-2], lambda _, t: t[2:], lambda _, t: t + "\n",
)  # fmt: skip
entry(
    HAND, 6, "double click selects a word", lambda _, t: t.rpartition("-")[2] or t,
    lambda _, t: t.rpartition("-")[0] or t, lambda _, t: t.partition("-")[2] or t,
    lambda _, t: t.split(" ")[0], lambda _, t: nonce(t),
)  # fmt: skip
entry(
    HAND, 2, "triple click selects a line", lambda _, t: t + "\n", lambda _, t: t.split("\n")[0],
    lambda _, t: t.split("\n")[-1],
)  # fmt: skip
entry(
    HAND, 6, "keyboard", lambda _, t: t + " ", lambda _, t: t[:1].lower() + t[1:],
    lambda _, t: t + ".", lambda _, t: t + ". ", lambda _, t: t.lower(),
    lambda _, t: t.capitalize(), lambda _, t: t[:1].upper() + t[1:],
)  # fmt: skip
entry(
    HAND, 2, "smart punctuation", lambda _, t: t.replace("-", "\u2013"),
    lambda _, t: t.replace("-", "\u2014"), "\u201c{}\u201d", "\u2018{}\u2019",
    lambda _, t: t.replace("...", "\u2026"), lambda _, t: t.replace("'", "\u2019"),
)  # fmt: skip
entry(
    HAND, 6, "puts it in quotes", '"{}"', "'{}'", "\u201c{}\u201d", "({})", "[{}]", "<{}>",
    "\u00ab{}\u00bb", '"{}',
)  # fmt: skip
entry(
    HAND, 6, "says what it is", "Message: {}", "Text: {}", "Code: {}", "Challenge: {}",
    "Message to sign: {}", "Sign: {}", "message: {}", "Message:\n{}", "The message is {}",
    "Here is the code: {}", "Reference: {}", "Nachricht: {}", "Mensaje: {}", "Message : {}",
    "Bank code: {}", "My code is {}", "Verification code: {}",
)  # fmt: skip
entry(
    HAND, 2, "copies the instruction", "Please sign this message: {}",
    "Please sign the following message:\n{}", "Sign this message with your wallet: {}",
    "Please sign this text:\n\n{}", "Sign the following text: {}",
    "Copy this text and sign it: {}", "Please sign: {}", "Sign this exact text: {}",
)  # fmt: skip
entry(
    HAND, 2, "types it", misread, doubled, dropped, swapped, lambda _, t: t.replace("-", " "),
    lambda _, t: t.replace("-", ""), lambda _, t: t.replace("-", "_"),
    lambda _, t: t.replace("-", "/"), lambda _, t: t.replace("-", "."),
)  # fmt: skip
entry(
    HAND, 2, "reads it aloud in groups",
    lambda r, t: t.replace(nonce(t), " ".join(textwrap.wrap(nonce(t), r.choice([3, 4])))),
    lambda r, t: t.replace(nonce(t), "-".join(textwrap.wrap(nonce(t), r.choice([4, 5])))),
    lambda _, t: t.lower(), lambda _, t: " ".join(t),
)  # fmt: skip
entry(
    HAND, 1, "adds a name", lambda r, t: f"{t} {r.choice(['Maria', 'John Smith', 'A. Meier'])}",
    lambda r, t: f"I, {r.choice(['Maria', 'John Smith'])}, confirm: {t}", free=True,
)  # fmt: skip
entry(
    HAND, 1, "adds a date", lambda r, t: f"{t} {r.randrange(1, 29)}.{r.randrange(1, 13)}.2026",
    free=True,
)  # fmt: skip
entry(HAND, 2, "pastes twice", "{}{}", "{}\n{}", "{} {}")
entry(
    HAND, 2, "shortened list entry",
    lambda r, t: t[: r.choice([20, 30, 32, 40, 60, 80, 100])] + r.choice(["...", "\u2026"]),
    lambda r, t: t[: r.choice([8, 10, 12, 16])] + r.choice(["...", "\u2026"])
    + t[-r.choice([4, 6, 8, 10]) :],
)  # fmt: skip
entry(
    HAND, 1, "emoji", "{} \U0001f44d", "{}\U0001f64f", "\U0001f510 {}", "{} \u2705",
    "\U0001f447\n{}", "{} \U0001f60a",
)  # fmt: skip
entry(
    HAND, 1, "other keyboard", lambda _, t: t.translate(str.maketrans("yzYZ-", "zyZY\u00df")),
    lambda _, t: t.translate(str.maketrans("aqzwAQZW", "qawzQAWZ")),
    lambda _, t: t.translate(
        str.maketrans("ABCEHKMOPTX", "".join(map(chr, _CYRILLIC)))
    ),
    lambda _, t: t.translate({i: i + 0xFEE0 for i in range(0x21, 0x7F)}),
)  # fmt: skip
entry(HAND, 2, "spreadsheet", "'{}", '="{}"', "{}\t", '"{}"\r\n', "{}\r\n", "{};", "{},", '"{}",')
entry(
    HAND, 1, "shortens to what matters", lambda _, t: "CHG_" + nonce(t),
    lambda _, t: "#" + nonce(t), lambda _, t: "Ref " + nonce(t), lambda _, t: t.split(". ")[0],
    lambda _, t: t.split(": ", 1)[-1], lambda _, t: re.sub(r"[.,:?]", "", t),
)  # fmt: skip
entry(
    HAND, 1, "local date",
    lambda r, t: re.sub(r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):\d\dZ", r.choice(_DATES), t),
)  # fmt: skip
entry(
    HAND, 1, "address", lambda _, t: re.sub(r"0x[0-9a-fA-F]{40}", lambda f: f[0].lower(), t),
    lambda _, t: re.sub(r"0x[0-9a-fA-F]{40}", lambda f: f[0][:6] + "..." + f[0][-4:], t),
)  # fmt: skip

# --- signing places
entry(SIGN, 6, "echo into a tool", "{}\n", '"{}"\n', "-n {}\n", "{} \r\n", '"{}" \r\n')
entry(
    SIGN, 2, "file of a windows editor", lambda _, t: ("\ufeff" + t).encode(),
    lambda _, t: t.encode("utf-16"), lambda _, t: (t + "\r\n").encode("utf-16"), "{}\r\n",
    lambda _, t: t.encode("utf-16-le"),
)  # fmt: skip
entry(SIGN, 2, "file of a unix editor", "{}\n", lambda r, t: wraps(r, t, [72, 78, 80]) + "\n")
entry(
    SIGN, 6, "text area", lambda _, t: t.strip(), "{}\n", "{}\n\n", "\n{}",
    lambda _, t: " ".join(t.split()), lambda _, t: t.replace("\n", "\r\n"), "{}\r\n",
)  # fmt: skip
entry(
    SIGN, 6, "message as hex digits", lambda _, t: "0x" + t.encode().hex(),
    lambda _, t: t.encode().hex(), lambda _, t: "0x" + t.encode().hex().upper(),
)  # fmt: skip
entry(
    SIGN, 2, "message as base64 or base58", lambda _, t: base64.b64encode(t.encode()).decode(),
    lambda _, t: base58.b58encode(t.encode()).decode(),
    lambda _, t: base64.urlsafe_b64encode(t.encode()).decode(),
)  # fmt: skip
entry(
    SIGN, 2, "hash of the message", lambda _, t: keccak(t.encode()),
    lambda _, t: "0x" + keccak(t.encode()).hex(), lambda _, t: sha256(t.encode()).digest(),
    lambda _, t: sha256(t.encode()).hexdigest(),
    lambda _, t: "0x" + sha256(t.encode()).hexdigest(),
)  # fmt: skip
entry(
    SIGN, 6, "stringified", lambda _, t: json.dumps(t), lambda _, t: json.dumps({"message": t}),
    lambda _, t: json.dumps({"message": t}, separators=(",", ":")),
    lambda _, t: json.dumps({"msg": t}, separators=(",", ":")),
    lambda _, t: json.dumps({"text": t}, separators=(",", ":")), lambda _, t: json.dumps([t]),
    lambda _, t: json.dumps({"challenge": t}, separators=(",", ":")),
    lambda _, t: json.dumps({"data": t}, separators=(",", ":")),
)  # fmt: skip
entry(
    SIGN, 1, "stringified with an address or a time",
    lambda r, t: json.dumps({"message": t, "timestamp": r.randrange(10**9)}), free=True,
)  # fmt: skip
entry(
    SIGN, 2, "bytes as a list", lambda _, t: ",".join(map(str, t.encode())),
    lambda _, t: json.dumps(list(t.encode()), separators=(",", ":")),
    lambda _, t: json.dumps({"type": "Buffer", "data": list(t.encode())}, separators=(",", ":")),
    lambda _, t: json.dumps({str(i): b for i, b in enumerate(t.encode())}, separators=(",", ":")),
)  # fmt: skip
entry(
    SIGN, 2, "python", lambda _, t: str(t.encode()), lambda _, t: repr(t),
    lambda _, t: 'b"' + t + '"', lambda _, t: t + "\\n",
)  # fmt: skip
entry(SIGN, 2, "shell quoting on windows", "'{}'", '\\"{}\\"', '"{}"', '^"{}^"')
entry(
    SIGN, 2, "encodeURIComponent", lambda _, t: quote(t, safe="!*'()~"), lambda _, t: quote(t),
    lambda _, t: t.replace(" ", "+"), lambda _, t: t.replace(" ", "%20"),
)  # fmt: skip
entry(
    SIGN, 1, "prefix by hand", lambda _, t: f"\x19Ethereum Signed Message:\n{len(t)}{t}",
    lambda _, t: f"Ethereum Signed Message:\n{t}",
    lambda _, t: f"\\x19Ethereum Signed Message:\\n{len(t)}{t}",
    lambda _, t: f"Bitcoin Signed Message:\n{t}",
)  # fmt: skip
entry(
    SIGN, 1, "armour", "-----BEGIN BITCOIN SIGNED MESSAGE-----\n{}\n",
    "-----BEGIN BITCOIN SIGNED MESSAGE-----\n{}", "-----BEGIN SIGNED MESSAGE-----\n{}",
)  # fmt: skip
entry(
    SIGN, 1, "sign in",
    lambda r, t: f"bank.example wants you to sign in:\n\n{t}\n\nNonce: {r.randrange(10**8)}",
    free=True,
)  # fmt: skip
entry(
    SIGN, 1, "length limit", lambda _, t: t[:32], lambda _, t: t[:64], lambda _, t: t[:80],
    lambda _, t: t[:128], lambda _, t: t[:140],
)  # fmt: skip
entry(
    SIGN, 1, "old device", lambda _, t: t.encode("ascii", "ignore").decode(),
    lambda _, t: t.encode("ascii", "replace").decode(), lambda _, t: t.encode("cp1252", "replace"),
    lambda _, t: unicodedata.normalize("NFC", t), lambda _, t: t + "\0",
)  # fmt: skip
entry(
    SIGN, 1, "form field", "message={}", "msg={}", "text={}",
    lambda _, t: "message=" + quote(t, safe=""), "message: {}", "message = {}",
)  # fmt: skip
entry(
    SIGN, 1, "code", 'const message = "{}"', "message = '{}'", 'message = "{}"', '"message": "{}"',
    'message: "{}"', 'signMessage("{}")', "await signer.signMessage('{}')", "`{}`",
)  # fmt: skip

HAPPENS = ((CH, 0.5), (HAND, 0.5), (SIGN, 0.45))


def journeys(rng: Random, asked: str) -> Iterator[Journey]:
    """As `journeys.journeys`, of a channel, a person and a place that signs."""
    while True:
        text: str | bytes = asked
        taken: list[str] = []
        for table, happens in HAPPENS:
            if rng.random() >= happens or isinstance(text, bytes):
                continue
            step = rng.choices(list(table), list(table.values()))[0]
            try:
                after = step(rng, text)
            except (IndexError, ValueError):
                continue
            if after != text:
                text = after
                taken.append(step.__name__)
        signed = text if isinstance(text, bytes) else text.encode()
        if len(signed.strip()) >= 8 and signed != asked.encode():
            seen = shown(rng, signed)
            yield Journey(tuple(taken), signed, seen, not UNKNOWABLE & set(taken))


def shown(rng: Random, signed: bytes) -> str:
    """What is copied from a wallet: bytes as hexadecimal, half of the texts without blanks."""
    try:
        seen = signed.decode()
    except UnicodeDecodeError:
        seen = "\0"
    if "\0" in seen:
        return "0x" + signed.hex()
    return rng.choice([seen.strip(), " ".join(seen.split())]) if rng.random() < 0.5 else seen
