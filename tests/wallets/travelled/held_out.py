"""A second, smaller set of things that happen to a text, of other kinds than `steps`.

Written after the model was finished and never mended for: what it gets right is what it gets right
of programs and people that nobody thought of. Sources: RFC 2047, 4880, 5545, 7519; EIP-1474; the
manuals of cat, diff, LaTeX, Jira and PowerShell; CLDR's digits; keyboards of other countries.
"""

import base64
import json
import re
import textwrap
from collections.abc import Callable, Iterator
from email.header import Header
from random import Random  # noqa: TID251 - cases that can be made again from a seed

from tests.wallets.travelled.journeys import Journey, shown

_QWERTZ = str.maketrans("yzYZ-_", "zyZY\u00df?")
_ARABIC = str.maketrans(
    "0123456789", "\u0660\u0661\u0662\u0663\u0664\u0665\u0666\u0667\u0668\u0669"
)
_DEVANAGARI = str.maketrans(
    "0123456789", "\u0966\u0967\u0968\u0969\u096a\u096b\u096c\u096d\u096e\u096f"
)
_CYRILLIC = str.maketrans("AaBCcEeHKMOoPpTXxy", "АаВСсЕеНКМОоРрТХху")  # noqa: RUF001 - look-alikes


def _any(*forms: str) -> Callable[[Random, str], str]:
    return lambda rng, text: rng.choice(forms).format(text)


def calendar_folded(_rng: Random, text: str) -> str:
    """RFC 5545 folds at 75 octets and begins the next line with a space."""
    pieces = [text[:75], *(text[at : at + 74] for at in range(75, len(text), 74))]
    return "\r\n ".join(pieces)


def mail_header(rng: Random, text: str) -> str:
    header = Header(text, rng.choice(["utf-8", "iso-8859-1"]), maxlinelen=rng.choice([76, 1000]))
    return header.encode()


def clear_signed(_rng: Random, text: str) -> str:
    return f"-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\n{text}"


def latex(_rng: Random, text: str) -> str:
    return re.sub(r"([_&%$#{}])", r"\\\1", text).replace("~", r"\textasciitilde{}")


def wrapped_at_any_width(rng: Random, text: str) -> str:
    return textwrap.fill(text, rng.randrange(25, 120))


def elided(rng: Random, text: str) -> str:
    """A list shows the beginning and the end."""
    head, tail = rng.choice([(20, 10), (30, 10), (16, 16), (24, 8), (60, 20)])
    return text[:head] + rng.choice(["...", "\u2026"]) + text[-tail:]


def read_more(rng: Random, text: str) -> str:
    return text[: rng.choice([40, 80, 120, 150])].rstrip() + rng.choice(
        ["... Read more", "\u2026 more"]
    )


def hexadecimal_dump(_rng: Random, text: str) -> str:
    raw = text.encode()
    return "\n".join(f"{at:08x}: {raw[at : at + 16].hex(' ', 2)}" for at in range(0, len(raw), 16))


def request(rng: Random, text: str) -> str:
    """The call of a wallet (EIP-1474)."""
    params = ["0x" + text.encode().hex()] if rng.random() < 0.5 else [text]
    return json.dumps({"method": "personal_sign", "params": params})


def token_part(_rng: Random, text: str) -> str:
    """The payload of a JSON Web Token."""
    payload = json.dumps({"message": text}, separators=(",", ":")).encode()
    return base64.urlsafe_b64encode(payload).rstrip(b"=").decode()


def powershell_command(_rng: Random, text: str) -> str:
    return base64.b64encode(text.encode("utf-16-le")).decode()


def wide_hexadecimal(_rng: Random, text: str) -> str:
    return text.encode("utf-16-be").hex()


def one_space_lost(rng: Random, text: str) -> str:
    places = [at for at, character in enumerate(text) if character in " -"]
    at = rng.choice(places)
    return text[:at] + text[at + 1 :]


def one_line_break(rng: Random, text: str) -> str:
    places = [at for at, character in enumerate(text) if character in " -"]
    at = rng.choice(places) + 1
    return text[:at] + "\n" + text[at:]


def turkish(_rng: Random, text: str) -> str:
    """Small letters as a Turkish phone writes them."""
    return text.replace("I", "\u0131").lower()


def middle_lost(rng: Random, text: str) -> str:
    start = rng.randrange(len(text) // 3)
    return text[:start] + text[start + rng.randrange(2, 12) :]


def table_cell(rng: Random, text: str) -> str:
    return rng.choice(["| {} |", "|{}|", "{};", "{}\t", "1\t{}", "{},"]).format(text)


STEPS: dict[Callable[[Random, str], str], int] = {
    calendar_folded: 2, mail_header: 1, clear_signed: 2, latex: 2, wrapped_at_any_width: 4,
    elided: 2, read_more: 2, hexadecimal_dump: 1, request: 2, token_part: 1, powershell_command: 1,
    wide_hexadecimal: 1, one_space_lost: 3, one_line_break: 3, turkish: 1, middle_lost: 2,
    table_cell: 3,
    _any("[code]{}[/code]", "[quote]{}[/quote]", "{{code}}{}{{code}}",
         "{{noformat}}{}{{noformat}}"): 3,
    _any("[EXTERNAL] {}", "[EXT] {}", "CAUTION: {}", "\u26a0 {}"): 3,
    _any("     1\t{}", "1: {}", "1  {}", "1. {}"): 2, _any("{}$", "{}$\n", "{}^M"): 1,
    _any("+{}", "-{}", "+ {}"): 1, _any("$ {}", "> {}", "% {}", ">>> {}", "echo {}"): 3,
    _any('["{}"]', "['{}']", '("{}")', '("{}",)'): 3,
    _any("const message = \"{}\";", "let m = '{}';"): 2,
    _any("@\"\n{}\n\"@", "r\"{}\"", "b\"{}\"", "f\"{}\"", "N'{}'", "u\"{}\""): 2,
    _any("=\"{}\"", "=T(\"{}\")"): 1, _any("[{0}]({0})", "<{0}>", "[{0}](#)"): 2,
    _any("{} \u2705", "\U0001f449 {}", "{} \U0001f64f", "\u270d\ufe0f {}"): 3,
    _any("MESSAGE:\n{}", "Msg: {}", "Text: \"{}\"", "Message: \"{}\"", "Message:\n\"{}\""): 3,
    _any("{}\n\n--\nExample Bank", "{}\n\nExample Bank", "{}\n\nExample Bank Support"): 2,
    lambda _, text: text.translate(_QWERTZ): 1, lambda _, text: text.translate(_ARABIC): 1,
    lambda _, text: text.translate(_DEVANAGARI): 1, lambda _, text: text.translate(_CYRILLIC): 1,
    lambda _, text: text.replace("-", "\u2043"): 1, lambda _, text: text.replace("-", "\ufe63"): 1,
    lambda _, text: text.replace(" ", "\u2007"): 1, lambda _, text: text.replace(" ", "%C2%A0"): 1,
    lambda _, text: " ".join(text): 1, lambda _, text: text[::-1]: 1,
}  # fmt: skip


def journeys(rng: Random, text: str) -> Iterator[Journey]:
    """As `journeys.journeys`, of one or two of these steps."""
    steps, weights = list(STEPS), list(STEPS.values())
    while True:
        made, taken = text, []
        for number in rng.choices(range(len(steps)), weights, k=rng.choice([1, 1, 2])):
            try:
                after = steps[number](rng, made)
            except (IndexError, ValueError):
                continue
            if after != made:
                made = after
                taken.append(f"{number}:{steps[number].__name__}")
        signed = made.encode()
        if taken and len(signed) >= 8 and made != text:
            yield Journey(tuple(taken), signed, shown(rng, signed), is_knowable=True)
