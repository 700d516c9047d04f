"""Alters texts as mail, chat, phones and people do: up to three things at once, from any seed.

Written apart from `wallets/transit.py`, from what the programs do, and with its own widths,
words and orders.
"""

import base64
import html
import quopri
import textwrap
from collections.abc import Callable
from random import Random  # noqa: TID251 - texts that can be made again from a seed

Alter = Callable[[str, Random], str]


def _wrap(text: str, rng: Random) -> str:
    width = rng.choice((60, 64, 65, 70, 72, 72, 74, 76, 76, 78, 80, 80, 100, 120))
    return rng.choice(("\n", "\r\n")).join(
        textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False)
    )


def _hard_wrap(text: str, rng: Random) -> str:
    width = rng.choice((40, 60, 64, 70, 72, 76, 80, 100))
    pieces = [text[start : start + width] for start in range(0, len(text), width)]
    return rng.choice(("\n", "\r\n")).join(pieces)


def _flowed(text: str, rng: Random) -> str:
    joint = rng.choice((" \n", " \r\n"))
    return joint.join(textwrap.wrap(text, rng.choice((66, 72, 76, 78)), break_long_words=False))


def _reply(text: str, rng: Random) -> str:
    lines = textwrap.wrap(text, rng.choice((70, 72, 74, 76)), break_long_words=False)
    sign = rng.choice(("> ", "> ", "> ", ">"))
    return "\n".join(sign + line for line in (lines if rng.random() < 0.7 else [text]))


def _lower_address(text: str, _: Random) -> str:
    words = text.split(" ")
    return " ".join(word.lower() if len(word) > 26 and "_" not in word else word for word in words)


def _invisible(text: str, rng: Random) -> str:
    mark = rng.choice("\u200b\u200e\u2060\ufeff")
    return rng.choice((mark + text, text + mark, text.replace(". ", f".{mark} ", 1)))


def _quoted_printable(text: str, rng: Random) -> str:
    encoded = quopri.encodestring(text.encode()).decode()
    return encoded if rng.random() < 0.5 else encoded.replace("\n", "\r\n")


def _quotes(text: str, rng: Random) -> str:
    pairs = ('""', "''", "\u201c\u201d", "\u201e\u201c", "\u00ab\u00bb", "``", "\u2018\u2019", "<>")
    opening, closing = tuple(rng.choice(pairs))
    return opening + text + closing


def _fence(text: str, rng: Random) -> str:
    return rng.choice(("```\n{}\n```", "```{}```", "`{}`", "*{}*", "**{}**", "_{}_")).format(text)


def _label(text: str, rng: Random) -> str:
    label = rng.choice(("Text to sign", "Message", "Please sign", "Sign this message", "Text"))
    return label + rng.choice((": ", ":\n")) + text


def _tail(text: str, rng: Random) -> str:
    closing = rng.choice(("Best regards", "Sent from my iPhone", "Kind regards", "Thanks"))
    return text + rng.choice(("\n\n", "\n", " ")) + closing


def _ends(text: str, rng: Random) -> str:
    return text + rng.choice(("\n", "\n", "\r\n", " ", "\n\n", "\u00a0"))


def _begins(text: str, rng: Random) -> str:
    return rng.choice((" ", "\n", "\ufeff", "\t")) + text


def _no_break(text: str, rng: Random) -> str:
    return rng.choice((text.replace(" ", "\u00a0"), text.replace(". ", ".\u00a0")))


def _cut(text: str, rng: Random) -> str:
    return text[: rng.choice((160, 160, 140, 120, 100, len(text) - 1))]


def _twice(text: str, rng: Random) -> str:
    return text + rng.choice(("", " ", "\n", "\n\n")) + text


def _web(text: str, _: Random) -> str:
    return html.escape(text)


def _case(text: str, rng: Random) -> str:
    return rng.choice((text.lower(), text.upper()))


def _code(text: str, rng: Random) -> str:
    raw = text.encode()
    return rng.choice((raw.hex(), "0x" + raw.hex(), base64.b64encode(raw).decode()))


ALTERATIONS: dict[str, Alter] = {
    "wrapped": _wrap,
    "cut into lines": _hard_wrap,
    "format=flowed": _flowed,
    "quoted mail": _reply,
    "address in small letters": _lower_address,
    "invisible character": _invisible,
    "quoted-printable": _quoted_printable,
    "quotation marks": _quotes,
    "markdown": _fence,
    "label": _label,
    "tail": _tail,
    "end": _ends,
    "begin": _begins,
    "no-break spaces": _no_break,
    "cut off": _cut,
    "twice": _twice,
    "web page": _web,
    "case": _case,
    "code": _code,
}
# What comes last on the way, and what happens to a text as it is written.
_ORDER = {name: number for number, name in enumerate((
    "address in small letters", "case", "no-break spaces", "cut off", "web page", "quotation marks",
    "markdown", "label", "twice", "tail", "invisible character", "wrapped", "cut into lines",
    "format=flowed", "quoted mail", "begin", "end", "quoted-printable", "code",
))}  # fmt: skip
_EXCLUSIVE = ({"wrapped", "cut into lines", "format=flowed", "quoted mail", "quoted-printable"},
              {"case", "address in small letters"}, {"quotation marks", "markdown"})  # fmt: skip


def altered(text: str, rng: Random, number: int) -> tuple[str, str]:
    """The families of the alterations, and the text after them; never the text itself."""
    while True:
        names = rng.sample(sorted(ALTERATIONS), number)
        if any(len(group & set(names)) > 1 for group in _EXCLUSIVE):
            continue
        result = text
        for name in sorted(names, key=_ORDER.__getitem__):
            result = ALTERATIONS[name](result, rng)
        if result != text:
            return " + ".join(sorted(names)), result
