"""Texts on their way to a wallet and back, from standards and from what programs were seen to do.

Rows were watched with real programs: lynx, w3m, html2text, markdownify, poppler, pypdf, pdfminer,
tesseract; others follow RFC 2045, 2047, 2231, 3676, 4180, 5322, Unicode, CommonMark, and manuals of
mail, chat, office, ticket and wallet programs. A station's rows have weights: most customers
suffer one thing, some two, few three.
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
from collections.abc import Callable, Iterator
from email.header import Header
from hashlib import sha256
from random import Random  # noqa: TID251 - cases that can be made again from a seed
from typing import Protocol
from urllib.parse import quote, quote_plus

from tests.wallets.travelled.stations import TEXT, Sent


class Wallet(Protocol):
    """A key, and its signature of a message as its wallet spells it."""

    @property
    def family(self) -> str: ...
    @property
    def address(self) -> str: ...
    def answer(self, text: str | bytes) -> str: ...


Step = Callable[[Random, str], str]
DELIVERY: list[tuple[int, str, Step]] = []
"""How the text gets from the bank's page, mail, letter or agent to the customer's clipboard."""
HANDS: list[tuple[int, str, Step]] = []
"""What the customer, the keyboard and the programs between do to it."""
FIELD: list[tuple[int, str, Step]] = []
"""What the field of a wallet, a script or a page for signing makes of it."""
OWN_WORDS = "own words: "


def _row(
    station: list[tuple[int, str, Step]], weight: int, own: str = ""
) -> Callable[[Step], Step]:
    def keep(step: Step) -> Step:
        station.append((weight, own + step.__name__, step))
        return step

    return keep


def _break(rng: Random) -> str:
    return rng.choice(("\n", "\n", "\r\n"))


def _lines(
    text: str, width: int, *, cuts_words: bool = False, at_hyphens: bool = False
) -> list[str]:
    return textwrap.wrap(
        text, width, break_long_words=cuts_words, break_on_hyphens=at_hyphens,
        drop_whitespace=True,
    )  # fmt: skip


# Mail


@_row(DELIVERY, 10)
def wrapped_by_sender(rng: Random, text: str) -> str:
    """Outlook wraps plain text at 76, Gmail at 72 to 78, older programs at 65."""
    return _break(rng).join(_lines(text, rng.choice((65, 70, 72, 72, 76, 76, 78))))


@_row(DELIVERY, 5)
def flowed(rng: Random, text: str) -> str:
    """RFC 3676 as a reader shows it that doesn't know it: soft breaks keep their space."""
    return f" {_break(rng)}".join(_lines(text, rng.choice((66, 72, 76))))


@_row(DELIVERY, 4)
def flowed_with_delsp(rng: Random, text: str) -> str:
    """Apple Mail sends DelSp=yes; who joins lines and doesn't know it keeps a space too many."""
    width = rng.choice((66, 72, 76))
    parts = [text[at : at + width] for at in range(0, len(text), width)]
    words = _lines(text, width)
    return rng.choice(("  ".join(words), f"  {_break(rng)}".join(words), " ".join(parts)))


@_row(DELIVERY, 6)
def quoted_reply(rng: Random, text: str) -> str:
    mark = rng.choice(("> ", "> ", "> > ", ">> ", "| ", "    ", ">"))
    return _break(rng).join(mark + line for line in _lines(text, rng.choice((70, 72, 76, 998))))


@_row(DELIVERY, 4)
def quoted_printable(_: Random, text: str) -> str:
    return quopri.encodestring(text.encode()).decode()


@_row(DELIVERY, 2)
def encoded_word(rng: Random, text: str) -> str:
    """RFC 2047: the text was the subject and was copied from the message's source."""
    charset = rng.choice(("utf-8", "iso-8859-1")) if not text.isascii() else "us-ascii"
    return Header(text, charset, maxlinelen=76, header_name="Subject").encode()


@_row(DELIVERY, 2)
def folded_header(rng: Random, text: str) -> str:
    """RFC 5322 folds before white space; some readers leave a tab, some both."""
    return rng.choice(("\r\n ", "\n\t", "\t", "  ", "\n ")).join(_lines(text, 76))


@_row(DELIVERY, 3)
def in_subject(rng: Random, text: str) -> str:
    return (
        rng.choice(("Re: ", "Fwd: ", "AW: ", "WG: ", "RE: FW: ", "TR: ", "[EXT] ", "SV: ")) + text
    )


@_row(DELIVERY, 2)
def extended_parameter(_: Random, text: str) -> str:
    """RFC 2231: from a header's parameter."""
    return f"UTF-8''{quote(text, safe='')}"


@_row(DELIVERY, 2, OWN_WORDS)
def with_banner(rng: Random, text: str) -> str:
    banner = rng.choice((
        "CAUTION: This email originated from outside of the organization.",
        "You don't often get email from support@bank.example. Learn why this is important",
        "Achtung: Externe E-Mail.",
    ))  # fmt: skip
    return banner + rng.choice(("\n\n", "\n", " ")) + text


@_row(DELIVERY, 3, OWN_WORDS)
def with_greeting_or_footer(rng: Random, text: str) -> str:
    before = rng.choice(("", "Dear customer,\n\nPlease sign this message:\n\n", "Hello,\n\n"))
    after = "\n\nKind regards\nSupport" if not before else rng.choice(("", "", "\n\n-- \nSupport"))
    return before + text + after


# HTML of a mail or page to text


@_row(DELIVERY, 5)
def dumped_by_browser(rng: Random, text: str) -> str:
    """lynx -dump indents by 3 or 5, wraps at 80 and cuts preformatted lines; w3m by 4 or 8."""
    if rng.random() < 0.25:
        return "\n".join(text[at : at + 80] for at in range(0, len(text), 80))
    indent = " " * rng.choice((3, 5, 4, 8))
    return "\n".join(indent + line for line in _lines(text, 80 - 2 * len(indent), at_hyphens=True))


@_row(DELIVERY, 5)
def html_to_markdown(rng: Random, text: str) -> str:
    """html2text, markdownify and turndown: emphasis, block quotes, code, escaped underscores."""
    if rng.random() < 0.4:
        text = text.replace("_", "\\_")
    mark = rng.choice(("**", "**", "*", "`", "_", ""))
    text = mark + text + mark
    return rng.choice((text, text, "> " + text, "\n> ".join(["", *_lines(text, 78)]).strip("\n")))


@_row(DELIVERY, 3)
def plain_alternative(rng: Random, text: str) -> str:
    """Thunderbird and Outlook write bold, italics and underlining into the plain part."""
    mark = rng.choice("*/_")
    return mark + text + mark


@_row(DELIVERY, 6)
def no_break_spaces(rng: Random, text: str) -> str:
    """Teams, Outlook on the web and editors: each, every other or one space is U+00A0."""
    spaces = [at for at, sign in enumerate(text) if sign == " "]
    chosen = rng.choice((spaces, spaces[::2], spaces[1::2], spaces[:1], spaces[-1:]))
    sign = rng.choice("\u00a0\u00a0\u00a0\u202f")
    return "".join(sign if at in chosen else each for at, each in enumerate(text))


@_row(DELIVERY, 5)
def invisible_signs(rng: Random, text: str) -> str:
    """Soft hyphens, <wbr> as U+200B, marks of direction, a BOM, an object's place, joiners."""
    sign = rng.choice("\u200b\u200b\u00ad\u2060\u200e\ufeff\u200c\ufffc")
    where = rng.choice((
        [0], [len(text)], [rng.randrange(len(text))], list(range(rng.choice((4, 8, 20)), len(text),
        20)),
        [each.end() for each in re.finditer(r"[-_:/]", text)],
    ))  # fmt: skip
    return "".join((sign if at in where else "") + each for at, each in enumerate([*text, ""]))


@_row(DELIVERY, 2)
def isolates(rng: Random, text: str) -> str:
    first, last = rng.choice(("\u202a\u202c", "\u2068\u2069", "\u2066\u2069", "\u200e\u200e"))
    return first + text + last


@_row(DELIVERY, 3)
def table_cell(rng: Random, text: str) -> str:
    label = rng.choice(("Message", "Message to sign", "Text", "Challenge", "Nachricht"))
    return label + rng.choice(("\t", ": ", "  ", " | ", ":\n", "| ", ":")) + text


@_row(DELIVERY, 4)
def entities(rng: Random, text: str) -> str:
    """Once or twice escaped; in named, decimal or hexadecimal references."""
    forms = (
        html.escape(text), html.escape(html.escape(text)),
        text.encode("ascii", "xmlcharrefreplace").decode().replace("&", "&amp;", 1),
        html.escape(text).replace("\u00f6", "&ouml;"), text.replace(" ", "&nbsp;"),
        text.replace("-", "&#45;").replace(":", "&#58;"), html.escape(text).replace(" ", "&#32;"),
        "".join(each if each.isalnum() else f"&#x{ord(each):X};" for each in text),
    )  # fmt: skip
    return rng.choice(forms)


@_row(DELIVERY, 2)
def tags(rng: Random, text: str) -> str:
    tag = rng.choice(("p", "b", "code", "pre", "td", "span", "div", "strong", "blockquote"))
    inner = rng.choice((text, html.escape(text), re.sub(" ", "<br>", text, count=1)))
    return f"<{tag}>{inner}</{tag}>"


@_row(DELIVERY, 3)
def transformed_case(rng: Random, text: str) -> str:
    """Browsers copy what text-transform shows; a Turkish page has dotted and dotless i."""
    forms = (
        text.upper(), text.lower(), re.sub(r"\b[a-z]", lambda found: found[0].upper(), text),
        text.replace("i", "\u0130").upper(), text.replace("I", "\u0131").lower(), text.title(),
    )  # fmt: skip
    return rng.choices(forms, (5, 5, 2, 1, 1, 1))[0]


# Chat


@_row(DELIVERY, 3)
def chat_header(rng: Random, text: str) -> str:
    """Several messages selected: WhatsApp, Telegram Desktop, Teams and Slack add who and when."""
    return rng.choice((
        "[20.11.26, 14:00:12] Example Bank: ", "\u200e[20/11/2026, 2:00:12 PM] Bank Support: ",
        "Bank, [20.11.2026 14:00]\n", "[20.11. 14:00] Support\n", "Support  2:00 PM\n",
        "20/11/2026, 14:00 - Example Bank: ", "Support, Today at 2:00 PM\n",
    )) + text  # fmt: skip


@_row(DELIVERY, 4)
def chat_marks(rng: Random, text: str) -> str:
    first, last = rng.choice((
        ("`", "`"), ("```", "```"), ("```\n", "\n```"), ("*", "*"), ("_", "_"), ("~", "~"),
        ("__", "__"), ("||", "||"), ("> ", ""), (">>> ", ""), ("```text\n", "\n```"),
    ))  # fmt: skip
    return first + text + last


@_row(DELIVERY, 3)
def short_messages(rng: Random, text: str) -> str:
    """Parts of 153 signs, with or without numbers; phones without umlauts."""
    size = rng.choice((153, 160, 67, 70))
    parts = [text[at : at + size] for at in range(0, len(text), size)]
    form = rng.choice(("", "", "({}/{}) ", "{}/{} ", "[{}/{}] "))
    joined = rng.choice(("\n", "", " ")) if form else rng.choice(("\n", " "))
    made = joined.join(form.format(n, len(parts)) + part for n, part in enumerate(parts, 1))
    return _plain_letters(made) if rng.random() < 0.3 else made


def _plain_letters(text: str) -> str:
    """As transliterators write: German umlauts with an e, or letters without their marks."""
    return "".join(
        each for each in unicodedata.normalize("NFD", text) if not unicodedata.combining(each)
    )


@_row(DELIVERY, 2)
def slack_source(_: Random, text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


# PDF, letters, screenshots


@_row(DELIVERY, 8)
def pdf_lines(rng: Random, text: str) -> str:
    """fpdf2's lines as every reader gives them: words that don't fit are cut without a hyphen."""
    lines = _lines(text, rng.choice((26, 40, 48, 60, 80, 95)), cuts_words=True)
    return "\n".join(lines) + rng.choice(("", "", "\n", "\n\n\x0c", "\x0c"))


@_row(DELIVERY, 4)
def pdf_justified(rng: Random, text: str) -> str:
    """pypdf doubles the spaces of a justified line; poppler keeps the layout, or a word a line."""
    lines = _lines(text, rng.choice((60, 80, 95)), cuts_words=True)
    way = rng.randrange(3)
    for at, line in enumerate(lines[:-1]):
        if way == 0:
            lines[at] = line.replace(" ", "  ")
        elif way == 1:
            lines[at] = re.sub(" ", lambda _: " " * rng.choice((1, 1, 2, 3)), line)
        elif at == rng.randrange(len(lines)):
            lines[at] = line.replace(" ", rng.choice(("\n", "\n ")))
    return "\n".join(lines)


@_row(DELIVERY, 4)
def pdf_hyphenated(rng: Random, text: str) -> str:
    """LaTeX and Word hyphenate words at line ends; a copy keeps the hyphen, the break or both."""
    words = list(re.finditer(r"[A-Za-z]{7,}", text))
    hyphen = rng.choice(("-\n", "-\n", "\u00ad\n", "\u2010\n", "-", "- ", "\u00ad"))
    for word in sorted(rng.sample(words, min(len(words), 2)), key=lambda each: -each.start()):
        at = word.start() + rng.randrange(3, len(word[0]) - 2)
        text = text[:at] + hyphen + text[at:]
    return text


@_row(DELIVERY, 3)
def pdf_glyphs(rng: Random, text: str) -> str:
    """Fonts without a map back: ligatures, other hyphens, letters with their accents apart."""
    for plain, glyph in (("ffi", "\ufb03"), ("ff", "\ufb00"), ("fi", "\ufb01"), ("fl", "\ufb02")):
        text = text.replace(plain, glyph)
    text = text.replace("-", rng.choice("-\u2010\u2011\u2212\u00ad"))
    return text.replace(
        "\u00f6", rng.choice(("\u00f6", "\u00a8o", "o\u0308", "\u00a8 o", "\ufffd"))
    )


@_row(DELIVERY, 2)
def pdf_spaces(rng: Random, text: str) -> str:
    """Letters set apart by a program, or spaces that were only distances."""
    return rng.choice((text.replace(" ", ""), " ".join(text), re.sub(r"([.,:]) ", r"\1", text)))


@_row(DELIVERY, 2, OWN_WORDS)
def pdf_page(rng: Random, text: str) -> str:
    at = text.find(" ", len(text) // 2)
    foot = rng.choice(("\nPage 1 of 2\n", "\n- 1 -\n", "\n1\n\x0cExample Bank\n"))
    return text[:at] + foot + text[at + 1 :] if at > 0 else text + foot.rstrip()


_LOOKS = {
    "I": "|l1", "1": "lI", "0": "OOd", "O": "00", "8": "B", "B": "8", "9": "3S", "Z": "2", "z": "2",
    "Y": "y", "3": "S", "S": "5", "5": "S", "f": "t", "j": "}", "q": "g", "g": "q", ".": ",",
    "\u00f6": "o\u00e96", "l": "I1", "G": "6", "Q": "O", "6": "b", "W": "w", "c": "e", "D": "O",
}  # fmt: skip


@_row(DELIVERY, 7)
def read_from_picture(rng: Random, text: str) -> str:
    """tesseract, phones' Live Text and Lens: one to four signs misread, tokens split, lines."""
    places = [at for at, sign in enumerate(text) if sign in _LOOKS]
    signs = list(text)
    for at in rng.sample(
        places, min(len(places), rng.choices((0, 1, 2, 3, 4), (2, 5, 4, 2, 1))[0])
    ):
        signs[at] = rng.choice(_LOOKS[signs[at]])
    if rng.random() < 0.2:
        at = rng.randrange(len(signs))
        signs[at] = signs[at] + " "
    read = "".join(signs)
    if rng.random() < 0.1:
        read = read.replace("-", rng.choice((" - ", " -", "- ")))
    form = rng.choice(("\n", "\n", "\n\n", " "))
    return form.join(_lines(read, rng.choice((38, 45, 60, 80)), at_hyphens=True))


# Office


@_row(DELIVERY, 4)
def word_processor(rng: Random, text: str) -> str:
    """Hyphens to non-breaking hyphens or dashes; French spaces before signs; manual breaks."""
    french = rng.choice("\u00a0\u202f")
    forms = (
        text.replace("-", "\u2011"), text.replace("-", "\u2013"), text.replace("-", "\u2014"),
        re.sub(r"([:?;!])(?= |$)", french + r"\1", text),
        "\x0b".join(_lines(text, 60)), "\u2028".join(_lines(text, 60)), text + "\u2029",
        re.sub(r"(\d)-(?=\d)", "\\1\u2013", text), text.replace("...", "\u2026"),
    )  # fmt: skip
    return rng.choice(forms)


@_row(DELIVERY, 3)
def quotation_marks(rng: Random, text: str) -> str:
    first, last = rng.choice((
        '""', "\u201c\u201d", "\u201e\u201c", "\u00ab\u00bb", "''", "\u2018\u2019", "\u300c\u300d",
        ("\u00ab\u00a0", "\u00a0\u00bb"), ("\u201c", ""), ("", "\u201d"), ('"', ""),
    ))  # fmt: skip
    return first + text + last


@_row(DELIVERY, 3)
def spreadsheet(rng: Random, text: str) -> str:
    """RFC 4180, its other separators, text to columns, an apostrophe or a formula in front."""
    row = io.StringIO()
    number = str(rng.randrange(1, 400))
    csv.writer(row, delimiter=rng.choice(",;\t"), quoting=rng.choice((0, 1))).writerow(
        [number, text]
    )
    forms = (
        row.getvalue().rstrip("\r\n"), row.getvalue(), row.getvalue()[len(number) + 1 :],
        "\t".join(part.strip() for part in text.split(",")), "\t".join(text.split(" ")),
        f"'{text}", f'="{text}"', f"{number}\t{text}", text.replace(", ", ";"), f'"{text}"',
    )  # fmt: skip
    return rng.choice(forms)


_DATE = re.compile(r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)Z")


@_row(DELIVERY, 4)
def local_date(rng: Random, text: str) -> str:
    """As pages, spreadsheets and phones write a time, some in the customer's zone."""
    found = _DATE.search(text)
    if found is None:
        return text
    year, month, day, hour, minute, second = found.groups()
    name = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"][
        int(month) - 1
    ]
    shifted = int(hour) + rng.choice((0, 0, 1))
    half = f"{(shifted - 1) % 12 + 1}:{minute}"
    noon = "AM" if shifted < 12 else "PM"
    return text.replace(found[0], rng.choice((
        f"{day}.{month}.{year} {shifted:02}:{minute}",
        f"{year}-{month}-{day} {hour}:{minute}:{second}",
        f"{month}/{day}/{year} {half} {noon}", f"{day}/{month}/{year} {shifted:02}:{minute}",
        f"{name} {int(day)}, {year}, {half}:{second} {noon}",
        f"{int(day)} {name} {year} {hour}:{minute}",
        f"{year}-{month}-{day}T{hour}:{minute}:{second}+00:00",
        f"{year}-{month}-{day}T{hour}:{minute}Z",
        f"{year}-{month}-{day}T{hour}:{minute}:{second}.000Z",
        f"{year}/{month}/{day} {hour}:{minute}",
        f"{year}-{month}-{day} {hour}:{minute}:{second} UTC",
    )))  # fmt: skip


# Tickets and forms


@_row(DELIVERY, 5)
def ticket_markup(rng: Random, text: str) -> str:
    """Jira, Zendesk, Confluence, Redmine."""
    return rng.choice((
        text.replace("_", "\\_").replace("-", "\\-"), text.replace("_", "\\_"),
        f"{{noformat}}{text}{{noformat}}", f"{{code}}\n{text}\n{{code}}", f"{{{{{text}}}}}",
        f"bq. {text}", f"{{quote}}{text}{{quote}}", html.escape(text), f"<pre>{text}</pre>",
        f"* {text}",
        f"#+BEGIN_EXAMPLE\n{text}\n#+END_EXAMPLE", f"[quote]{text}[/quote]", f"@{text}@",
    ))  # fmt: skip


@_row(DELIVERY, 4)
def length_limit(rng: Random, text: str) -> str:
    """Columns and fields that are too short; views that end with dots."""
    sizes = [
        size for size in (30, 32, 40, 50, 80, 100, 128, 140, 160, 200, 255) if size < len(text)
    ]
    if not sizes:
        return text[: -rng.choice((1, 2, 4))]
    end = rng.choice(("", "", "...", "\u2026", " [...]"))
    return text[: rng.choice(sizes[-4:]) - len(end)] + end


@_row(DELIVERY, 3)
def shortened_middle(rng: Random, text: str) -> str:
    """A view shortens the address or the code: 0xf39F...2266."""
    words = re.findall(r"[A-Za-z0-9-]{24,}", text)
    if not words:
        return text
    word = max(words, key=len)
    head, tail = rng.choice(((4, 4), (6, 4), (8, 8), (5, 4), (10, 6)))
    short = word[:head] + rng.choice(("...", "\u2026", "....", "***")) + word[-tail:]
    return text.replace(word, short)


@_row(DELIVERY, 2)
def masked_numbers(rng: Random, text: str) -> str:
    """Ticket systems hide what looks like a card's or an account's number."""
    mask = rng.choice("*X\u2587x\u2022")

    def hide(found: re.Match[str]) -> str:
        return re.sub(r"\d(?=(?:\D*\d){4})", mask, found[0])

    return re.sub(r"\b(?:[A-Z]{2}\d\d)?(?: ?\d){8,}\b", hide, text)


@_row(DELIVERY, 4)
def address_forms(rng: Random, text: str) -> str:
    """Lower case, checksummed or with the network's scheme in front, as pages show addresses."""
    found = re.search(r"0x[0-9a-fA-F]{40}|wallet (\w{26,})", text)
    if found is None:
        return text
    word = found[1] or found[0]
    scheme = re.search(r"control ([a-z-]+) wallet", text)
    network = (scheme[1] if scheme else "").replace("-", "")
    forms = [f"{network}:{word}", word.lower(), word.upper(), f"<{word}>", f"`{word}`"]
    if word.startswith("0x"):
        forms += [f"eth:{word}", "0x" + word[2:].upper(), word[2:]]
    return text.replace(word, rng.choice(forms))


@_row(DELIVERY, 2, OWN_WORDS)
def translated(rng: Random, text: str) -> str:
    """A browser's or a phone's translation of the page."""
    phrases = rng.choice((
        ("customer=Kunde", "account=Konto", "control=kontrolliere",
        "for withdrawals=f\u00fcr Abhebungen",
         "Not you? Do not sign.=Nicht Sie? Nicht unterschreiben.", "valid until=g\u00fcltig bis",
         "I,=Ich,"),
        ("customer=client", "account=compte", "control=contr\u00f4le",
        "for withdrawals=pour les retraits",
         "Not you? Do not sign.=Ce n'est pas vous ? Ne signez pas.",
         "valid until=valable jusqu'au", "I,=Je,"),
        ("customer=cliente", "account=cuenta", "control=controlo", "for withdrawals=para retiros",
         "Not you? Do not sign.=\u00bfNo eres t\u00fa? No firmes.",
         "valid until=v\u00e1lido hasta", "I,=Yo,"),
    ))  # fmt: skip
    for phrase in phrases:
        english, _, other = phrase.partition("=")
        text = text.replace(english, other)
    return text


# What hands, keyboards and programs between do


@_row(HANDS, 14)
def end_of_selection(rng: Random, text: str) -> str:
    return text + rng.choice(("\n", "\n", "\r\n", " ", " ", "\n\n", "\t", " \n", "\u00a0", "\r"))


@_row(HANDS, 5)
def start_of_selection(rng: Random, text: str) -> str:
    return rng.choice((" ", "\n", "  ", "\t", "\u00a0", "\ufeff", "\n\n", "\u3000")) + text


@_row(HANDS, 8)
def selected_too_little(rng: Random, text: str) -> str:
    words = text.split(" ")
    return rng.choice((
        text[:-1], text[:-1], text[1:], text[:-2], text[2:], text[1:-1],
        " ".join(words[1:]) or text[3:], " ".join(words[:-1]) or text[:-3],
        " ".join(words[: len(words) // 2]) or text[: len(text) // 2], text.partition(". ")[0],
    ))  # fmt: skip


@_row(HANDS, 4)
def selected_too_much(rng: Random, text: str) -> str:
    return rng.choice((
        text + "\nCopy", text + "Copy", text + "\nCopied!", "Message:\n" + text, "1. " + text,
        "\u2022 " + text, "- " + text, "\u2022\t" + text, "Message: " + text, text + "\n\u2713",
        "Sign this message: " + text, "a) " + text, text + "\nExpand", "(" + text + ")", text + ";",
        "\u25cf " + text, text + " |", "\u2192 " + text, text + ".", "* " + text, "[" + text + "]",
    ))  # fmt: skip


@_row(HANDS, 4)
def pasted_again(rng: Random, text: str) -> str:
    return text + rng.choice(("", "\n", " ", "\n\n")) + text


@_row(HANDS, 7)
def typed(rng: Random, text: str) -> str:
    """One slip of the fingers."""
    at = rng.randrange(1, len(text) - 1)
    sign, after = text[at], text[at + 1]
    near = {
        "a": "s",
        "e": "r",
        "o": "p",
        "n": "m",
        "t": "r",
        "i": "o",
        "s": "d",
        "r": "t",
        "0": "9",
    }
    return text[:at] + rng.choice((
        after + sign + text[at + 2 :], sign + text[at:], text[at + 1 :],
        near.get(sign.lower(), "x") + text[at + 1 :], sign.swapcase() + text[at + 1 :],
        sign + rng.choice(" .-") + text[at + 1 :],
    ))  # fmt: skip


@_row(HANDS, 3)
def typed_alike(rng: Random, text: str) -> str:
    """Typed from a letter or a screen: O and 0, I, l and 1 throughout."""
    one, other = rng.choice(("0O", "O0", "1l", "l1", "1I", "I1", "Il", "5S", "8B", "Z2"))
    return text.replace(one, other)


@_row(HANDS, 4)
def typed_in_groups(rng: Random, text: str) -> str:
    """Long codes in groups, or hyphens and spaces left out or changed."""
    word = max(re.findall(r"[A-Za-z0-9]+", text), key=len)
    size = rng.choice((4, 4, 5, 3))
    grouped = rng.choice((" ", " ", "-")).join(
        word[at : at + size] for at in range(0, len(word), size)
    )
    return rng.choice((
        text.replace(word, grouped), text.replace("-", " "), text.replace("-", ""),
        text.replace("-", " - "), text.replace("-", "_"), text.replace("_", "-"),
        text.replace("_", " "), text.replace("_", ""), text.replace(" ", "_"),
    ))  # fmt: skip


@_row(HANDS, 5)
def corrected_by_phone(rng: Random, text: str) -> str:
    """Names of networks get a capital, sentences too, two spaces become a full stop, and words."""
    names = (
        r"\b(ethereum|solana|bitcoin|tron|litecoin|dogecoin|xrp|cosmos|osmosis|injective|base)\b"
    )
    forms = (
        re.sub(names, lambda found: found[0].capitalize(), text),
        re.sub(names, lambda found: found[0].capitalize(), text).replace("Ref ", "Red "),
        text.replace("Ref ", "Re "), re.sub(r"\. ", ".  ", text), re.sub(r"([,:]) ", r"\1", text),
        text.replace("withdrawals", "withdrawal"), text.replace("customer", "Customer"),
        text[:1].lower() + text[1:], text[:1] + text[1:].lower(), text.capitalize(),
        re.sub(r"(?<=[A-Za-z0-9])([.:,])(?=[A-Za-z0-9])", r"\1 ", text), text + ".", text + " .",
        text.replace("-", " \u2013 ", 1), text.replace("Not you?", "Not you ?"),
    )  # fmt: skip
    return rng.choice(forms)


@_row(HANDS, 3)
def other_keyboard(rng: Random, text: str) -> str:
    """Full width from a Chinese or Japanese keyboard, Arabic digits, y for z, letters alike."""
    wide = {code: code + 0xFEE0 for code in range(0x21, 0x7F)}
    marks = {
        ord(a): ord(b)
        for a, b in zip(",:?().", "\uff0c\uff1a\uff1f\uff08\uff09\u3002", strict=True)
    }
    forms: tuple[dict[int, int] | dict[int, str], ...] = (
        wide | {0x20: 0x3000}, marks, {code: code + 0xFEE0 for code in range(0x30, 0x3A)},
        str.maketrans("yzYZ", "zyZY"), str.maketrans("0123456789", "".join(map(chr, range(0x660,
        0x66A)))),
        str.maketrans("aeopcxAECHKMOPTXB", "\u0430\u0435\u043e\u0440\u0441\u0445"
                      "\u0410\u0415\u0421\u041d\u041a\u041c\u041e\u0420\u0422\u0425\u0412"),
        str.maketrans("-_:?", "\u00df?._"), str.maketrans("aqwzAQWZ", "qazwQAZW"),
        str.maketrans("-", "\u30fc"),
    )  # fmt: skip
    return text.translate(rng.choice(forms))


@_row(HANDS, 4)
def misdecoded(rng: Random, text: str) -> str:
    """Bytes of one encoding shown in another, once or twice; lost letters as marks."""
    wrong = rng.choice(
        ("cp1252", "cp1252", "latin-1", "mac_roman", "cp437", "cp850", "cp1251", "gbk")
    )
    once = text.encode().decode(wrong, "replace")
    if rng.random() < 0.15:
        return once.encode().decode(wrong, "replace")
    return rng.choice((
        once, once, text.encode("latin-1", "replace").decode("utf-8", "replace"),
        text.encode("ascii", "replace").decode(), text.encode("ascii", "ignore").decode(),
        _plain_letters(text), text.replace("\u00f6", "oe"),
    ))  # fmt: skip


@_row(HANDS, 3)
def normalized(rng: Random, text: str) -> str:
    return unicodedata.normalize(rng.choice(("NFD", "NFKC", "NFKD")), text)


@_row(HANDS, 4)
def spaces_changed(rng: Random, text: str) -> str:
    place = rng.choice([at for at, sign in enumerate(text) if sign in " -:"] or [1])
    return rng.choice((
        re.sub(r"\s+", " ", text).strip(), re.sub(r"\s+", "", text), text.replace("\n", " "),
        text[:place] + rng.choice((" ", "\n", "\t", "  ")) + text[place:], text.replace(" ", "  "),
        text[:place] + text[place + 1 :], text.replace(" ", "\t"), re.sub(r"([.?]) ", r"\1\n",
        text),
    ))  # fmt: skip


# Fields, scripts and pages for signing


@_row(FIELD, 8)
def field_of_lines(rng: Random, text: str) -> str:
    """One line: breaks vanish or become spaces; more lines: CRLF; trimmed, ended."""
    forms = (
        re.sub(r"[\r\n]+", "", text), re.sub(r"\r?\n", " ", text), text.strip(), text + "\n",
        re.sub(r"\r?\n", "\r\n", text), text.replace("\r\n", "\n"), text.rstrip() + "\r\n",
        "\n".join(line.strip() for line in text.splitlines()), text + "\0",
    )  # fmt: skip
    return rng.choice(forms)


@_row(FIELD, 6)
def as_literal(rng: Random, text: str) -> str:
    """JSON, YAML, XML, shells, SQL and programming languages."""
    folded = "\n  ".join(_lines(text, 78))
    return rng.choice((
        json.dumps(text), json.dumps(text, ensure_ascii=False), json.dumps(json.dumps(text)),
        json.dumps(text)[1:-1], json.dumps({"message": text}), f'{{"message": "{text}"}}',
        f"message: >-\n  {folded}", f"message: |\n  {text}", "'" + text.replace("'", "''") + "'",
        f"<![CDATA[{text}]]>", f"<message>{html.escape(text)}</message>", shlex.quote(text),
        repr(text.encode()), re.sub(r"([^A-Za-z0-9_./:-])", r"\\\1", text), re.escape(text),
        f"`{text}`",
        text.replace("&", "\\&").replace("_", "\\_"), text.replace("&", "^&"), f'"""{text}"""',
        f'msg="{text}"',
        f'"{text}",', f'"message": "{text}"', f'f"{text}"', text.replace("\n", "\\n") + "\\n",
        re.sub(r"[^ -~]|[<>&]", lambda found: f"\\u{ord(found[0]):04x}", text),
    ))  # fmt: skip


@_row(FIELD, 5)
def in_address(rng: Random, text: str) -> str:
    """Links to a page or wallet, RFC 3986 and forms."""
    return rng.choice((
        quote(text), quote_plus(text), quote(text, safe=""), quote(quote(text)),
        "?message=" + quote(text), "message=" + quote_plus(text), text.replace(" ", "%20"),
        text.replace(" ", "+"), quote(text, safe=" ,:()?"), quote(text, encoding="latin-1",
        errors="replace"),
    ))  # fmt: skip


@_row(FIELD, 5)
def as_bytes(rng: Random, text: str) -> str:
    """The field or script takes hexadecimal, Base64 or a digest, and signs its letters."""
    data = text.encode()
    return rng.choice((
        "0x" + data.hex(), data.hex(), data.hex().upper(), data.hex(" "),
        base64.b64encode(data).decode(),
        base64.urlsafe_b64encode(data).rstrip(b"=").decode(), sha256(data).hexdigest(),
        base64.encodebytes(data).decode(), "0x" + sha256(data).hexdigest(),
    ))  # fmt: skip


@_row(FIELD, 5)
def in_terminal(rng: Random, text: str) -> str:
    """Prompts, colours, pasted brackets, padded or cut lines, echo's end, numbered lines."""
    width = rng.choice((80, 80, 120, 132, 40))
    cut = [text[at : at + width] for at in range(0, len(text), width)]
    return rng.choice((
        "\n".join(cut), "\n".join(each.ljust(width) for each in cut), f"\x1b[200~{text}\x1b[201~",
        f"00~{text}01~", f"\x1b[1m{text}\x1b[0m", f"$ {text}", f"> {text}", f"     1\t{text}",
        f'"{text}"\r\n',
        f'"{text}" ', text + "\n", f"{text}%", f"[1m{text}[0m", f"~{text}", text.ljust(width),
        f"'{text}'",
        f"\u2502 {text} \u2502", "\n".join(f"\u2502 {each} \u2502" for each in _lines(text, 60)),
    ))  # fmt: skip


@_row(FIELD, 2, OWN_WORDS)
def framed_by_page(rng: Random, text: str) -> str:
    """A page for signing puts its own sentence or a time around the text."""
    return rng.choice((
        "app.bank.example wants you to sign in with your wallet:\n\n{}",
        "{}\n\nTimestamp: 1795183212",
        "I am signing: {}", "{}\n\nNonce: 482910", "{} - signed with Example Wallet", "Hi bank, {}",
        "{}\n\nSent from my iPhone", "{}\n\nVon meinem iPhone gesendet",
    )).format(text)  # fmt: skip


_WIDE = ("utf-16", "utf-16-le", "utf-8-sig")
_OLD = ("cp1252", "latin-1", "cp850", "mac_roman")


def _as_signed(rng: Random, text: str) -> bytes:
    """UTF-8, but for files of old editors and shells."""
    if rng.random() < 0.02:
        return text.encode(rng.choice(_WIDE))
    if not text.isascii() and rng.random() < 0.12:
        return text.encode(rng.choice(_OLD), "replace")
    return text.encode("utf-8", "replace")


# The way back


def _history(rng: Random, signed: bytes, text: str) -> str:
    """What the wallet, or the place it was copied from, shows of what was signed."""
    if signed != text.encode("utf-8", "replace"):
        return rng.choice((text, "0x" + signed.hex()))
    spaced = re.sub(r"\s+", " ", text).strip()
    return rng.choices((text, text.strip(), spaced, "0x" + signed.hex()), (70, 18, 8, 4))[0]


_ARMOURED = {
    "bitcoin": "BITCOIN",
    "litecoin": "LITECOIN",
    "dogecoin": "DOGECOIN",
    "bitcoin-cash": "BITCOIN CASH",
}
_LAYOUTS = (
    (8, "{text}\n\n{signature}"), (6, "Message: {text}\nSignature: {signature}"),
    (4, "{text}\n{signature}"),
    (4, "Hi,\n\nI signed this:\n\n{text}\n\nand got\n\n{signature}\n\nBest regards\nA. Customer"),
    (3, "{signature}\n\n{text}"),
    (3, "Signature: {signature}\nAddress: {address}\nMessage: {text}"),
    (2, "Address\n{address}\nMessage\n{text}\nSignature\n{signature}\nVerify"),
    (2, 'my text was "{text}" and the signature is {signature}'), (2, "{text}\t{signature}"),
    (2, "{signature}\n\nSent from my iPhone\n\nOn 20 Nov 2026, at 14:02, Bank wrote:\n\n> {asked}"
        "\n\nI pasted:\n{text}"),
)  # fmt: skip


def _beside(rng: Random, wallet: Wallet, asked: str, text: str, signature: str) -> str:
    """The text and the signature as a customer puts them together."""
    if wallet.family == "evm" and rng.random() < 0.15:
        parts = {"address": wallet.address, "msg": text, "sig": signature, "version": "2"}
        return json.dumps(parts, indent=rng.choice((None, 2)))
    coin = _ARMOURED.get(wallet.family)
    if coin and rng.random() < 0.2:
        head = f"-----BEGIN {coin} SIGNED MESSAGE-----"
        mark = rng.choice(("-----BEGIN SIGNATURE-----", f"-----BEGIN {coin} SIGNATURE-----"))
        end = rng.choice(
            (f"-----END {coin} SIGNED MESSAGE-----", f"-----END {coin} SIGNATURE-----")
        )
        return f"{head}\n{text}\n{mark}\n{wallet.address}\n{signature}\n{end}"
    weights = [weight for weight, _ in _LAYOUTS]
    layout = rng.choices(_LAYOUTS, weights)[0][1]
    return layout.format(text=text, signature=signature, address=wallet.address, asked=asked)


def _to_bank(rng: Random, paste: str) -> str:
    """The mail, chat, form or ticket in which it comes back."""
    way = rng.choices(range(7), (50, 12, 8, 8, 8, 8, 6))[0]
    if way == 1:
        width = rng.choice((72, 76, 78))
        return "\n".join("\n".join(_lines(line, width)) for line in paste.split("\n"))
    if way == 2:
        return "\n".join("> " + line for line in paste.split("\n"))
    if way == 3:
        return paste.replace("\n", "\r\n")
    if way == 4:
        return " ".join(paste.split())
    if way == 5:
        return paste.replace(" ", "\u00a0")
    return html.escape(paste, quote=False) if way == 6 else paste


def _squashed(text: str) -> str:
    return re.sub(r"[\s>]+", "", text)


def sent(rng: Random, asked: str, wallet: Wallet) -> Sent:
    """One customer's text, signature and paste, of a text that isn't the one that was asked for."""
    return next(each for each in _journeys(rng, asked, wallet) if each is not None)


def _journeys(rng: Random, asked: str, wallet: Wallet) -> Iterator[Sent | None]:
    while True:
        steps, text = _changed(rng, asked)
        signed = _as_signed(rng, text)
        if signed == asked.encode() or not text.strip():
            yield None
            continue
        signature = wallet.answer(signed)
        shown = _history(rng, signed, text)
        paste = _to_bank(rng, _beside(rng, wallet, asked, shown, signature))
        is_in_paste = _squashed(shown) in _squashed(paste)
        is_own = any(step.startswith(OWN_WORDS) for step in steps)
        yield Sent(steps, TEXT, signature, paste, shown, is_in_paste, is_own)


def _changed(rng: Random, asked: str) -> tuple[tuple[str, ...], str]:
    """One to three stations, in their order, each of which changes something."""
    count = rng.choices((1, 2, 3), (72, 22, 6))[0]
    stations = rng.sample(range(3), count) if count > 1 else rng.choices(range(3), (55, 30, 15))
    text = asked
    steps: list[str] = []
    for place in sorted(stations):
        rows = (DELIVERY, HANDS, FIELD)[place]
        for _ in range(20):
            _, name, step = rng.choices(rows, [weight for weight, _, _ in rows])[0]
            made = step(rng, text)
            if made != text and made.strip():
                text, steps = made, [*steps, name]
                break
    return tuple(steps), text
