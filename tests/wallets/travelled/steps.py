"""What one program or person in between does to a text: delivery, hand, and signing tool.

A step is a function of a random source and the text. Its weight says how usual it is: 8 often seen,
3 sometimes, 1 rarely. A step that adds words which nobody could guess is in `FREE`, by name.
"""

import base64
import binascii
import csv
import html
import io
import json
import quopri
import re
import shlex
import textwrap
import unicodedata
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from random import Random  # noqa: TID251 - cases that can be made again from a seed
from typing import Any
from urllib.parse import quote, quote_plus, urlencode
from xml.sax.saxutils import escape, quoteattr

import base58
from markdown_it import MarkdownIt
from rich.console import Console

Step = Callable[[Random, str], str | bytes]
"""A step of a text; one that leaves the text as it is didn't happen."""

_DATE = re.compile(r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)Z")
_ADDRESS = re.compile(
    r"0x[0-9a-fA-F]{40}|\bT[1-9A-Za-z]{33}\b|\b(?:bc1|tb1)[0-9a-z]{38,}|"
    r"\b[1-9A-HJ-NP-Za-km-z]{32,44}\b"
)
_ID = re.compile(r"CHG_\w+|(?<=-)[0-9A-Z]{16,}$")
_MONTHS = {
    "en": "January February March April May June July August September October November December",
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre "
    "diciembre",
}


# Delivery: mail, chat, documents, pages, terminals.


def mail_wrapped(rng: Random, text: str) -> str:
    return textwrap.fill(text, rng.choice([66, 70, 72, 72, 74, 76, 76, 78, 78]))


def mail_flowed(rng: Random, text: str) -> str:
    """RFC 3676: a space is kept before each soft break."""
    return textwrap.fill(text, rng.choice([66, 72, 76, 78])).replace("\n", " \n")


def mail_quoted(rng: Random, text: str) -> str:
    lines = textwrap.wrap(text, rng.choice([70, 72, 74, 76]))
    return "\n".join("> " + line for line in lines)


def mail_crlf(rng: Random, text: str) -> str:
    return mail_wrapped(rng, text).replace("\n", "\r\n")


def mail_source(_rng: Random, text: str) -> str:
    return quopri.encodestring(text.encode()).decode().rstrip("\n")


def mail_body(_rng: Random, text: str) -> str:
    """The body as Python's mail package writes it."""
    message = EmailMessage()
    message.set_content(text)
    return str(message.get_payload())


def phone_mail(rng: Random, text: str) -> str:
    return "\n".join(textwrap.wrap(text, rng.choice([30, 36, 40, 44, 48])))


def no_break_spaces(_rng: Random, text: str) -> str:
    return text.replace(" ", "\u00a0")


def html_mail_spaces(_rng: Random, text: str) -> str:
    """Outlook's pairs of a space and a no-break space after full stops."""
    return text.replace(". ", ".\u00a0 ")


def html_source(_rng: Random, text: str) -> str:
    return f"<p>{html.escape(text)}</p>"


def html_line_breaks(rng: Random, text: str) -> str:
    return "<br>".join(textwrap.wrap(text, rng.choice([60, 72, 80])))


def html_code(rng: Random, text: str) -> str:
    tag = rng.choice(["code", "pre", "div", "span", "b", "strong"])
    return f"<{tag}>{html.escape(text)}</{tag}>"


def html_entities(_rng: Random, text: str) -> str:
    return text.replace(" ", "&nbsp;")


def chat_code(_rng: Random, text: str) -> str:
    return f"`{text}`"


def chat_fence(_rng: Random, text: str) -> str:
    return f"```\n{text}\n```"


def chat_fence_inline(_rng: Random, text: str) -> str:
    return f"```{text}```"


def chat_bold(rng: Random, text: str) -> str:
    mark = rng.choice(["*", "**", "_", "__", "~"])
    return f"{mark}{text}{mark}"


def chat_quote(_rng: Random, text: str) -> str:
    return "> " + text


def chat_rendered(_rng: Random, text: str) -> str:
    """CommonMark, rendered and copied from the page."""
    rendered = MarkdownIt("commonmark", {"typographer": False}).render(text)
    return html.unescape(re.sub(r"<[^>]+>", "", rendered)).strip()


def chat_typography(_rng: Random, text: str) -> str:
    rendered = (
        MarkdownIt("commonmark", {"typographer": True})
        .enable(["replacements", "smartquotes"])
        .render(text)
    )
    return html.unescape(re.sub(r"<[^>]+>", "", rendered)).strip()


def telegram_escapes(_rng: Random, text: str) -> str:
    """MarkdownV2's characters, as Telegram's bot interface lists them."""
    return re.sub(r"([_*\[\]()~`>#+\-=|{}.!])", r"\\\1", text)


def underscore_escapes(_rng: Random, text: str) -> str:
    return text.replace("_", r"\_")


def sms_parts(_rng: Random, text: str) -> str:
    parts = [text[at : at + 153] for at in range(0, len(text), 153)]
    return "\n".join(parts)


def sms_first(rng: Random, text: str) -> str:
    return text[: rng.choice([153, 160, 140])]


def sms_numbered(_rng: Random, text: str) -> str:
    parts = textwrap.wrap(text, 146)
    return " ".join(f"({n}/{len(parts)}) {part}" for n, part in enumerate(parts, 1))


def pdf_lines(rng: Random, text: str) -> str:
    return "\n".join(textwrap.wrap(text, rng.choice([50, 60, 68, 75, 80, 85, 90, 95, 100, 110])))


def pdf_ligatures(_rng: Random, text: str) -> str:
    for letters, ligature in (
        ("ffi", "\ufb03"),
        ("fi", "\ufb01"),
        ("fl", "\ufb02"),
        ("ff", "\ufb00"),
    ):
        text = text.replace(letters, ligature)
    return text


def pdf_long_words(rng: Random, text: str) -> str:
    """A document breaks what is too long for its column anywhere."""
    width = rng.choice([30, 40, 50, 60, 70])
    return "\n".join(text[at : at + width] for at in range(0, len(text), width))


def pdf_hyphens(_rng: Random, text: str) -> str:
    return text.replace("-", "\u2010")


def word_dashes(rng: Random, text: str) -> str:
    return text.replace("-", rng.choice(["\u2013", "\u2013", "\u2011", "\u2212", "\u2014"]))


def word_autocorrect(_rng: Random, text: str) -> str:
    """A sentence begins with a capital letter, and a single i is one."""
    text = re.sub(r"(^|[.:?!] )([a-z])", lambda found: found[1] + found[2].upper(), text)
    return re.sub(r"\bi\b", "I", text)


def terminal_hard_wrap(rng: Random, text: str) -> str:
    width = rng.choice([80, 80, 80, 100, 120, 132])
    return "\n".join(text[at : at + width] for at in range(0, len(text), width))


def terminal_words(rng: Random, text: str) -> str:
    """As Rich wraps for the width of a terminal."""
    console = Console(width=rng.choice([60, 72, 80, 80, 96, 100, 120]), file=io.StringIO())
    with console.capture() as captured:
        console.print(text, markup=False, highlight=False)
    lines = captured.get().rstrip("\n").split("\n")
    return "\n".join(line.rstrip() for line in lines)


def terminal_padding(rng: Random, text: str) -> str:
    width = rng.choice([80, 100, 120])
    return "\n".join(line.ljust(width) for line in textwrap.wrap(text, width))


def indented(rng: Random, text: str) -> str:
    return textwrap.indent(text, rng.choice(["  ", "    ", "    ", "\t"]))


def indented_lines(rng: Random, text: str) -> str:
    return textwrap.indent(textwrap.fill(text, rng.choice([72, 76])), rng.choice(["  ", "    "]))


def page_sentences(_rng: Random, text: str) -> str:
    """Each sentence is a paragraph of the page."""
    return re.sub(r"(?<=[.?!]) ", "\n\n", text)


def page_lines(_rng: Random, text: str) -> str:
    return re.sub(r"(?<=[.?!]) ", "\n", text)


def zero_widths(rng: Random, text: str) -> str:
    return rng.choice(
        ["\u200b{}", "{}\u200b", "\ufeff{}", "\u200e{}", "\u2060{}", "\u202a{}\u202c"]
    ).format(text)


def soft_breaks(_rng: Random, text: str) -> str:
    """A page marks where an address may break."""
    return _ADDRESS.sub(lambda found: "\u200b".join(textwrap.wrap(found[0], 8)), text)


def local_date(rng: Random, text: str) -> str:
    """A date that a page or an assistant writes as people of one country do."""
    forms = [
        "%d.%m.%Y %H:%M",
        "%d/%m/%Y %H:%M",
        "%m/%d/%Y %H:%M",
        "%d.%m.%Y, %H:%M:%S",
        "%d/%m/%Y, %H:%M:%S",
        "%Y-%m-%d %H:%M:%S",
        "%Y-%m-%d %H:%M UTC",
        "%Y/%m/%d %H:%M",
        "%Y-%m-%dT%H:%MZ",
        "%Y-%m-%d",
        "%Y-%m-%dT%H:%M:%S+00:00",
        "%Y-%m-%dT%H:%M:%S.000Z",
        "%a, %d %b %Y %H:%M:%S GMT",
        "%Y-%m-%d %H:%M:%SZ",
    ]
    form = rng.choice(forms)
    return _DATE.sub(lambda found: _at(found).strftime(form), text)


def american_date(_rng: Random, text: str) -> str:
    """As `toLocaleString("en-US")` writes it."""

    def write(found: re.Match[str]) -> str:
        at = _at(found)
        return f"{at.month}/{at.day}/{at.year}, {at.hour % 12 or 12}:{at:%M:%S %p}"

    return _DATE.sub(write, text)


def month_name(rng: Random, text: str) -> str:
    language = rng.choice(["en", "en", "de", "fr", "es"])

    def write(found: re.Match[str]) -> str:
        at, names = _at(found), _MONTHS[language].split()
        day = {
            "en": f"{at.day} {names[at.month - 1]} {at.year}",
            "de": f"{at.day}. {names[at.month - 1]} {at.year}",
            "fr": f"{at.day} {names[at.month - 1]} {at.year}",
            "es": f"{at.day} de {names[at.month - 1]} de {at.year}",
        }[language]
        return f"{day} {at:%H:%M}"

    return _DATE.sub(write, text)


def own_zone(rng: Random, text: str) -> str:
    hours = rng.choice([1, 2, -5, -8, 8, 9])

    def write(found: re.Match[str]) -> str:
        return (_at(found) + timedelta(hours=hours)).strftime(f"%Y-%m-%dT%H:%M:%S{hours:+03d}:00")

    return _DATE.sub(write, text)


def _at(found: re.Match[str]) -> datetime:
    return datetime.fromisoformat(found[0]).astimezone(UTC)


def full_width(_rng: Random, text: str) -> str:
    """An input method of Japanese or Chinese."""
    return "".join(
        chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else "\u3000" if c == " " else c for c in text
    )


def full_width_marks(_rng: Random, text: str) -> str:
    return text.translate(
        {ord(","): "\uff0c", ord("."): "\u3002", ord(":"): "\uff1a", ord("?"): "\uff1f"}
    )


def spreadsheet(_rng: Random, text: str) -> str:
    out = io.StringIO()
    csv.writer(out, quoting=csv.QUOTE_ALL).writerow([text])
    return out.getvalue().rstrip("\r\n")


def spreadsheet_text(_rng: Random, text: str) -> str:
    return "'" + text


def double_spaces(_rng: Random, text: str) -> str:
    return text.replace(". ", ".  ")


# Hands: what people do when they select, copy, type and correct.


def missed_end(rng: Random, text: str) -> str:
    return text[: -rng.choice([1, 1, 1, 2, 3, 4, 5])]


def missed_start(rng: Random, text: str) -> str:
    return text[rng.choice([1, 1, 1, 2, 3, 4]) :]


def missed_last_word(_rng: Random, text: str) -> str:
    return text.rpartition(" ")[0] or text.rpartition("-")[0]


def missed_first_word(_rng: Random, text: str) -> str:
    return text.partition(" ")[2] or text.partition("-")[2]


def first_sentence(_rng: Random, text: str) -> str:
    return re.split(r"(?<=[.?!]) ", text)[0]


def last_sentences(rng: Random, text: str) -> str:
    sentences = re.split(r"(?<=[.?!]) ", text)
    return " ".join(sentences[rng.randrange(len(sentences)) :])


def after_the_colon(_rng: Random, text: str) -> str:
    return text.partition(": ")[2]


def identifier_only(_rng: Random, text: str) -> str:
    found = _ID.search(text)
    return found[0] if found else text


def address_only(_rng: Random, text: str) -> str:
    found = _ADDRESS.search(text)
    return found[0] if found else text


def from_reference(_rng: Random, text: str) -> str:
    return text[text.find("Ref ") :] if "Ref " in text else text


def until_reference(_rng: Random, text: str) -> str:
    return text.partition(" Ref ")[0]


def labelled(rng: Random, text: str) -> str:
    words = [
        "Message",
        "Message",
        "message",
        "Text",
        "Message to sign",
        "Challenge",
        "Sign",
        "challenge",
        "Text to sign",
    ]
    return rng.choice(words) + rng.choice([": ", ": ", ":\n", ":\n\n", " - "]) + text


def asked(rng: Random, text: str) -> str:
    words = [
        "Please sign this message",
        "Please sign",
        "Sign this message",
        "Sign this text",
        "Please sign the following message",
        "Please sign this text",
    ]
    return rng.choice(words) + rng.choice([": ", ":\n", ":\n\n"]) + text


def quoted(rng: Random, text: str) -> str:
    begin, end = tuple(
        rng.choice(
            [
                '""',
                '""',
                '""',
                "''",
                "\u201c\u201d",
                "\u201c\u201d",
                "\u201e\u201c",
                "\u00ab\u00bb",
                "\u2018\u2019",
            ]
        )
    )
    return begin + text + end


def half_quoted(rng: Random, text: str) -> str:
    mark = rng.choice(['"', "'", "\u201d", "`"])
    return rng.choice([mark + text, text + mark])


def bracketed(rng: Random, text: str) -> str:
    begin, end = tuple(rng.choice(["[]", "<>", "()", "{}"]))
    return begin + text + end


def twice(rng: Random, text: str) -> str:
    return text + rng.choice(["", "\n", " ", "\n\n"]) + text


def closing_comma(rng: Random, text: str) -> str:
    return text + rng.choice([",", ";", ".", " .", "!"])


def no_full_stop(_rng: Random, text: str) -> str:
    return text.rstrip(".")


def no_punctuation(_rng: Random, text: str) -> str:
    return re.sub(r"[.,:;?!()]", "", text)


def no_brackets(_rng: Random, text: str) -> str:
    return re.sub(r"[()]", "", text)


def lower(_rng: Random, text: str) -> str:
    return text.lower()


def upper(_rng: Random, text: str) -> str:
    return text.upper()


def title(_rng: Random, text: str) -> str:
    return text.title()


def capital_first(_rng: Random, text: str) -> str:
    return text[:1].upper() + text[1:].lower()


def lower_first(_rng: Random, text: str) -> str:
    return text[:1].lower() + text[1:]


def address_lower(_rng: Random, text: str) -> str:
    return _ADDRESS.sub(lambda found: found[0].lower(), text)


def address_upper(_rng: Random, text: str) -> str:
    return _ADDRESS.sub(lambda found: found[0].upper().replace("0X", "0x"), text)


def address_shortened(rng: Random, text: str) -> str:
    """As wallets show an address."""
    head, tail = rng.choice([(6, 4), (4, 4), (5, 4), (6, 6), (8, 8)])
    dots = rng.choice(["...", "\u2026"])
    return _ADDRESS.sub(lambda found: found[0][:head] + dots + found[0][-tail:], text)


def address_no_prefix(_rng: Random, text: str) -> str:
    return text.replace(" 0x", " ")


def address_groups(_rng: Random, text: str) -> str:
    return _ADDRESS.sub(lambda found: " ".join(textwrap.wrap(found[0], 4)), text)


def capital_network(_rng: Random, text: str) -> str:
    return re.sub(r"\b(ethereum|solana|bitcoin|tron)\b", lambda found: found[0].capitalize(), text)


def identifier_spelled(rng: Random, text: str) -> str:
    mark = rng.choice(["-", " ", "", "\u2013"])
    return text.replace("CHG_", "CHG" + mark)


def identifier_lower(_rng: Random, text: str) -> str:
    return _ID.sub(lambda found: found[0].lower(), text)


def identifier_groups(_rng: Random, text: str) -> str:
    return _ID.sub(lambda found: " ".join(textwrap.wrap(found[0], 4)), text)


def hyphens_spaces(_rng: Random, text: str) -> str:
    return text.replace("-", " ")


def no_hyphens(_rng: Random, text: str) -> str:
    return text.replace("-", "")


def hyphens_spaced(_rng: Random, text: str) -> str:
    return text.replace("-", " - ")


def hyphens_underscores(_rng: Random, text: str) -> str:
    return text.replace("-", "_")


def no_spaces(_rng: Random, text: str) -> str:
    return text.replace(" ", "")


def misread(rng: Random, text: str) -> str:
    """One character that a camera reads as another one."""
    pairs = {
        "0": "O",
        "O": "0",
        "1": "lI",
        "l": "1I",
        "I": "l1",
        "5": "S",
        "S": "5",
        "8": "B",
        "B": "8",
        "2": "Z",
        "Z": "2",
        "6": "G",
        "G": "6",
        "_": " -",
        ":": ";",
        ".": ",",
        ",": ".",
        "~": "-",
    }
    places = [at for at, character in enumerate(text) if character in pairs]
    at = rng.choice(places)
    return text[:at] + rng.choice(pairs[text[at]]) + text[at + 1 :]


def misread_all(rng: Random, text: str) -> str:
    """A font in which two characters are alike."""
    pairs = ["0O", "O0", "1l", "1I", "l1", "Il", "5S", "S5", "8B", "_ ", "_-"]
    before, after = tuple(rng.choice(pairs))
    return text.replace(before, after)


def mistyped(rng: Random, text: str) -> str:
    """One character lost, doubled, or swapped with the next."""
    at = rng.randrange(len(text) - 1)
    return rng.choice(
        [
            text[:at] + text[at + 1 :],
            text[:at] + text[at] + text[at:],
            text[:at] + text[at + 1] + text[at] + text[at + 2 :],
        ]
    )


def lost_word(rng: Random, text: str) -> str:
    words = text.split(" ")
    del words[rng.randrange(len(words))]
    return " ".join(words)


def lost_line(rng: Random, text: str) -> str:
    """A line of a wrapped text wasn't selected; the others were joined."""
    lines = textwrap.wrap(text, rng.choice([60, 72, 76, 80]))
    del lines[rng.choice([0, -1])]
    return " ".join(lines)


def own_words(rng: Random, text: str) -> str:
    return rng.choice(
        [
            "Hello, here it is: {}",
            "{}\n\nRegards,\nMaria Okonkwo",
            "Maria Okonkwo: {}",
            "{} (signed by me)",
            "I confirm this. {}",
            "[27/11/2026, 14:03:12] Bank: {}",
            "{} 27.11.2026",
            "{}\nSent from my iPhone",
        ]
    ).format(text)


def translated(rng: Random, text: str) -> str:
    """A browser's translation."""
    german = [
        ("I, customer", "Ich, Kunde"),
        ("control", "kontrolliere"),
        ("wallet", "Wallet"),
        ("account", "Konto"),
        ("for withdrawals", "f\u00fcr Auszahlungen"),
        ("Not you? Do not sign.", "Nicht Sie? Unterschreiben Sie nicht."),
        ("valid until", "g\u00fcltig bis"),
    ]
    spanish = [
        ("I, customer", "Yo, cliente"),
        ("control", "controlo"),
        ("wallet", "la cartera"),
        ("account", "cuenta"),
        ("for withdrawals", "para retiros"),
        ("Not you? Do not sign.", "\u00bfNo es usted? No firme."),
        ("valid until", "v\u00e1lido hasta"),
    ]
    for before, after in rng.choice([german, spanish]):
        text = text.replace(before, after)
    return text


def other_customer(rng: Random, text: str) -> str:
    """The customer put a name where the reference was."""
    return re.sub(
        r"(?<=customer )\S+?(?=[ ,])|(?<=-)[A-Z0-9]+(?=-)",
        rng.choice(["Maria Okonkwo", "me"]),
        text,
        count=1,
    )


def two_misread(rng: Random, text: str) -> str:
    return misread(rng, misread(rng, text))


def sign_in(rng: Random, text: str) -> str:
    """A page that asks wallets to sign in (EIP-4361) with the text as the statement."""
    found = _ADDRESS.search(text)
    address = found[0] if found else "0x"
    return (
        "verify.example wants you to sign in with your Ethereum account:\n"
        f"{address}\n\n{text}\n\n"
        f"URI: https://verify.example/\nVersion: 1\nChain ID: 1\nNonce: {rng.getrandbits(64):x}\n"
        f"Issued At: 2026-11-27T14:{rng.randrange(60):02}:{rng.randrange(60):02}.000Z"
    )


# Tools: what a script, a page or a wallet makes of what was pasted into it.


def newline(rng: Random, text: str) -> str:
    return text + rng.choice(["\n", "\n", "\n", "\r\n", "\n\n"])


def space_end(_rng: Random, text: str) -> str:
    return text + " "


def space_start(rng: Random, text: str) -> str:
    return rng.choice([" ", " ", "\n", "\t"]) + text


def windows_lines(_rng: Random, text: str) -> str:
    return text.replace("\n", "\r\n")


def old_mac_lines(_rng: Random, text: str) -> str:
    return text.replace("\n", "\r")


def escaped_lines(_rng: Random, text: str) -> str:
    return text.replace("\n", "\\n") if "\n" in text else text + "\\n"


def one_line(rng: Random, text: str) -> str:
    return text.replace("\n", rng.choice([" ", " ", ""]))


def stripped(_rng: Random, text: str) -> str:
    return text.strip()


def collapsed(_rng: Random, text: str) -> str:
    return " ".join(text.split())


def json_string(_rng: Random, text: str) -> str:
    return json.dumps(text)


def json_object(rng: Random, text: str) -> str:
    key = rng.choice(["message", "message", "msg", "text", "challenge", "data"])
    forms: list[dict[str, Any]] = [{}, {"separators": (",", ":")}, {"indent": 2}, {"indent": 4}]
    return json.dumps({key: text}, **rng.choice(forms))


def json_twice(_rng: Random, text: str) -> str:
    return json.dumps(json.dumps(text))


def json_slashes(_rng: Random, text: str) -> str:
    """PHP's json_encode."""
    return json.dumps(text).replace("/", "\\/")


def yaml_block(rng: Random, text: str) -> str:
    mark = rng.choice(["|", "|-", ">", ">-"])
    return f"message: {mark}\n" + textwrap.indent(text, "  ")


def yaml_line(rng: Random, text: str) -> str:
    return rng.choice(["message: {}", "text: {}", '- "{}"', "- {}", 'message: "{}"']).format(text)


def toml_line(_rng: Random, text: str) -> str:
    return f'message = "{text}"'


def xml_element(rng: Random, text: str) -> str:
    tag = rng.choice(["message", "text", "string"])
    return f"<{tag}>{escape(text)}</{tag}>"


def xml_attribute(_rng: Random, text: str) -> str:
    return f"message={quoteattr(text)}"


def xml_cdata(_rng: Random, text: str) -> str:
    return f"<![CDATA[{text}]]>"


def form_value(_rng: Random, text: str) -> str:
    return quote_plus(text)


def url_value(rng: Random, text: str) -> str:
    return quote(text, safe=rng.choice(["", "/", "!*'()~"]))


def form_field(rng: Random, text: str) -> str:
    return urlencode({rng.choice(["message", "text", "msg"]): text})


def shell_word(_rng: Random, text: str) -> str:
    return shlex.quote(text)


def shell_spaces(_rng: Random, text: str) -> str:
    return text.replace(" ", "\\ ")


def python_repr(rng: Random, text: str) -> str:
    return repr(text) if rng.random() < 0.5 else repr(text.encode())


def c_escapes(_rng: Random, text: str) -> str:
    return text.encode("unicode_escape").decode()


def unicode_escapes(_rng: Random, text: str) -> str:
    return "".join(f"\\u{ord(c):04x}" for c in text)


def numeric_entities(_rng: Random, text: str) -> str:
    return "".join(f"&#{ord(c)};" for c in text)


def hexadecimal(rng: Random, text: str) -> str:
    digits = text.encode().hex()
    return rng.choice(
        [
            "0x" + digits,
            "0x" + digits,
            digits,
            digits.upper(),
            "0x" + digits.upper(),
            text.encode().hex(" "),
        ]
    )


def base64_text(rng: Random, text: str) -> str:
    raw = text.encode()
    return rng.choice(
        [
            base64.b64encode(raw),
            base64.b64encode(raw),
            base64.urlsafe_b64encode(raw),
            base64.b64encode(raw).rstrip(b"="),
            base64.encodebytes(raw),
            base64.encodebytes(raw).rstrip(b"\n"),
        ]
    ).decode()


def base58_text(_rng: Random, text: str) -> str:
    return base58.b58encode(text.encode()).decode()


def base32_text(_rng: Random, text: str) -> str:
    return base64.b32encode(text.encode()).decode()


def data_uri(_rng: Random, text: str) -> str:
    return "data:text/plain;base64," + base64.b64encode(text.encode()).decode()


def uuencoded(_rng: Random, text: str) -> str:
    raw = text.encode()
    return "".join(binascii.b2a_uu(raw[at : at + 45]).decode() for at in range(0, len(raw), 45))


def byte_list(rng: Random, text: str) -> str:
    raw = list(text.encode())
    return rng.choice(
        [json.dumps(raw), ",".join(map(str, raw)), json.dumps(raw, separators=(",", ":"))]
    )


def binary_digits(_rng: Random, text: str) -> str:
    return " ".join(f"{byte:08b}" for byte in text.encode())


def armoured(_rng: Random, text: str) -> str:
    return f"-----BEGIN BITCOIN SIGNED MESSAGE-----\n{text}"


def framed(rng: Random, text: str) -> str:
    """The text in the frame that the wallet puts around it again."""
    size = len(text.encode())
    return rng.choice(
        [
            f"\x19Ethereum Signed Message:\n{size}{text}",
            f"\x19TRON Signed Message:\n{size}{text}",
            f"Ethereum Signed Message:\n{text}",
            f"\x18Bitcoin Signed Message:\n{text}",
        ]
    )


def digest_text(rng: Random, text: str) -> str:
    from hashlib import sha256  # noqa: PLC0415 - next to its only use

    digits = sha256(text.encode()).hexdigest()
    return rng.choice([digits, "0x" + digits, digits.upper()])


def composed(rng: Random, text: str) -> str:
    return unicodedata.normalize(rng.choice(["NFC", "NFD", "NFKC", "NFKD"]), text)


def wide(rng: Random, text: str) -> bytes:
    return text.encode(rng.choice(["utf-16-le", "utf-16", "utf-16-be", "utf-32-le"]))


def marked(_rng: Random, text: str) -> bytes:
    return text.encode("utf-8-sig")


def old_windows(_rng: Random, text: str) -> bytes:
    return text.encode("cp1252", "replace")


def misdecoded(_rng: Random, text: str) -> str:
    """UTF-8 that was read as Windows-1252."""
    return text.encode().decode("cp1252", "replace")


def ascii_only(rng: Random, text: str) -> str:
    how = rng.choice(["ignore", "replace", "xmlcharrefreplace", "backslashreplace"])
    return text.encode("ascii", how).decode()


def cut_at_limit(rng: Random, text: str) -> str:
    return text[: rng.choice([32, 64, 100, 128, 140, 160, 200, 255])]


def dotted_at_limit(rng: Random, text: str) -> str:
    width = rng.choice([32, 64, 100, 128, 140, 160, 200])
    return text if len(text) <= width else text[:width] + rng.choice(["...", "\u2026"])


def nul_end(_rng: Random, text: str) -> str:
    return text + "\0"


DELIVERY: dict[Step, int] = {
    mail_wrapped: 8, mail_flowed: 3, mail_quoted: 3, mail_crlf: 3, mail_source: 3, mail_body: 3,
    phone_mail: 3, no_break_spaces: 8, html_mail_spaces: 3, html_source: 3, html_line_breaks: 1,
    html_code: 1, html_entities: 3, chat_code: 8, chat_fence: 3, chat_fence_inline: 3, chat_bold:
    3, chat_quote: 3, chat_rendered: 3, chat_typography: 3, telegram_escapes: 3,
    underscore_escapes: 3, sms_parts: 1, sms_first: 3, sms_numbered: 1, pdf_lines: 8,
    pdf_ligatures: 1, pdf_long_words: 1, pdf_hyphens: 1, word_dashes: 8, word_autocorrect: 3,
    terminal_hard_wrap: 8, terminal_words: 3, terminal_padding: 1, indented: 3, indented_lines: 3,
    page_sentences: 3, page_lines: 3, zero_widths: 3, soft_breaks: 1, local_date: 8,
    american_date: 3, month_name: 3, own_zone: 1, full_width: 1, full_width_marks: 1, spreadsheet:
    3, spreadsheet_text: 1, double_spaces: 3,
}  # fmt: skip
HANDS: dict[Step, int] = {
    missed_end: 8, missed_start: 8, missed_last_word: 3, missed_first_word: 3, first_sentence: 3,
    last_sentences: 3, after_the_colon: 3, identifier_only: 8, address_only: 3, from_reference: 3,
    until_reference: 3, labelled: 8, asked: 3, quoted: 8, half_quoted: 3, bracketed: 1, twice: 3,
    closing_comma: 3, no_full_stop: 3, no_punctuation: 1, no_brackets: 1, lower: 3, upper: 3,
    title: 1, capital_first: 1, lower_first: 1, address_lower: 8, address_upper: 1,
    address_shortened: 3, address_no_prefix: 1, address_groups: 1, capital_network: 3,
    identifier_spelled: 3, identifier_lower: 1, identifier_groups: 1, hyphens_spaces: 3,
    no_hyphens: 3, hyphens_spaced: 1, hyphens_underscores: 1, no_spaces: 3, misread: 3,
    misread_all: 3, mistyped: 3, lost_word: 3, lost_line: 1, own_words: 3, translated: 3,
    other_customer: 1, two_misread: 1, sign_in: 1,
}  # fmt: skip
TOOLS: dict[Step, int] = {
    newline: 8, space_end: 8, space_start: 3, windows_lines: 8, old_mac_lines: 1, escaped_lines:
    3, one_line: 8, stripped: 3, collapsed: 8, json_string: 8, json_object: 8, json_twice: 1,
    json_slashes: 1, yaml_block: 1, yaml_line: 1, toml_line: 1, xml_element: 1, xml_attribute: 1,
    xml_cdata: 1, form_value: 3, url_value: 3, form_field: 1, shell_word: 3, shell_spaces: 1,
    python_repr: 3, c_escapes: 1, unicode_escapes: 1, numeric_entities: 1, hexadecimal: 8,
    base64_text: 3, base58_text: 3, base32_text: 1, data_uri: 1, uuencoded: 1, byte_list: 3,
    binary_digits: 1, armoured: 1, framed: 1, digest_text: 3, composed: 3, wide: 3, marked: 3,
    old_windows: 3, misdecoded: 3, ascii_only: 3, cut_at_limit: 3, dotted_at_limit: 1, nul_end: 1,
}  # fmt: skip
FREE = frozenset({"own_words", "translated", "other_customer", "two_misread", "sign_in"})
"""Steps that put words into a text, or errors, which can't be known without seeing it."""
