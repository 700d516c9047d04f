"""A third set of things that happen to a text: what programs that are installed really write.

Written before the model was changed for it, and never mended since. The steps run the programs
(coreutils, util-linux) and libraries (terminals, mail, tables, languages' literals), or follow the
manuals of phones' keyboards, word processors, editors, shells and chat programs. Weights as in
`steps`: 8 often seen, 3 sometimes, 1 rarely.
"""

import base64
import configparser
import csv
import io
import json
import plistlib
import pprint
import re
import shlex
import string
import subprocess
import textwrap
import unicodedata
import xmlrpc.client
from collections.abc import Iterator
from email.message import EmailMessage
from functools import cache
from random import Random  # noqa: TID251 - cases that can be made again from a seed
from urllib.parse import quote, urlencode

import pyte
from markdown_it import MarkdownIt
from rich.console import Console
from rich.panel import Panel
from tests.wallets.travelled.journeys import Journey, shown
from tests.wallets.travelled.steps import Step


@cache
def _run(text: str, *command: str) -> str:
    made = subprocess.run(command, input=text.encode(), capture_output=True, check=True)
    return made.stdout.decode()


# Terminals and shells


def folded(rng: Random, text: str) -> str:
    return _run(text, "fold", *rng.choice([("-s",), ("-s", "-w", "72"), ("-w", "80"), ()]))


def formatted(rng: Random, text: str) -> str:
    return _run(text, "fmt", "-w", rng.choice(["75", "72", "60"]))


def numbered(_rng: Random, text: str) -> str:
    return _run(text, "nl")


def all_shown(_rng: Random, text: str) -> str:
    return _run(text + "\n", "cat", "-A").rstrip("\n")


def page(_rng: Random, text: str) -> str:
    return _run(text, "pr", "-t", "-o", "4")


def screen(rng: Random, text: str) -> str:
    """A terminal's rows, as it copies them: padded or not, with a prompt or not."""
    width = rng.choice([80, 80, 100, 120, 132])
    terminal = pyte.Screen(width, 12)
    pyte.Stream(terminal).feed(rng.choice(["", "", "$ cat text.txt\r\n"]) + text)
    rows = [row.rstrip() for row in terminal.display]
    while rows and not rows[-1]:
        rows.pop()
    return rng.choice(["\n", "\n", "\r\n"]).join(rows)


def boxed(rng: Random, text: str) -> str:
    """A program that draws a frame around its messages."""
    console = Console(file=io.StringIO(), width=rng.choice([60, 80, 100]), color_system=None)
    with console.capture() as capture:
        console.print(Panel(text))
    rows = capture.get().splitlines()[1:-1]
    return "\n".join(row.strip("│ ") for row in rows)


def here_string(_rng: Random, text: str) -> str:
    return text + "\n"


def unquoted(_rng: Random, text: str) -> str:
    """An unquoted variable of a shell is split at white space."""
    return " ".join(text.split())


def substituted(_rng: Random, text: str) -> str:
    """The command substitution of a shell takes the last line breaks away."""
    return text.rstrip("\n")


def shell_quotes(_rng: Random, text: str) -> str:
    return shlex.join(["sign", text])


def posted(_rng: Random, text: str) -> str:
    """`curl -d @file` takes line breaks away."""
    return text.replace("\n", "").replace("\r", "")


# Editors, word processors, tables


def notepad(rng: Random, text: str) -> bytes:
    made = text.replace("\n", "\r\n") + rng.choice(["", "\r\n"])
    return made.encode(rng.choice(["utf-8-sig", "utf-16"]))


def power_shell(_rng: Random, text: str) -> bytes:
    return (text + "\r\n").encode("utf-16")


def editor(rng: Random, text: str) -> str:
    return textwrap.fill(text, rng.choice([78, 79, 80])) + "\n"


def spreadsheet_row(rng: Random, text: str) -> str:
    file = io.StringIO()
    row = rng.choice([[text], ["1", text], [text, ""]])
    csv.writer(file, dialect=rng.choice(["excel", "excel-tab", "unix"])).writerow(row)
    return file.getvalue()


def copied_cell(rng: Random, text: str) -> str:
    return text + rng.choice(["\r\n", "\t", "\n"])


def smart_punctuation(_rng: Random, text: str) -> str:
    """A phone's quotation marks, dots and dashes."""
    text = text.replace("'", "\u2019").replace("...", "\u2026").replace("--", "\u2014")
    return re.sub(r"(?<=\w)-(?=\w)", "\u2013", text)


def sentence_case(_rng: Random, text: str) -> str:
    """A phone begins each sentence with a capital letter, the first one too."""
    return re.sub(r"(^|[.?!] )([a-z])", lambda found: found[1] + found[2].upper(), text)


def two_spaces(_rng: Random, text: str) -> str:
    """A phone makes a full stop of two spaces."""
    return text + ". "


def linked(_rng: Random, text: str) -> str:
    return str(MarkdownIt("commonmark").render(text)).strip()


def non_breaking(rng: Random, text: str) -> str:
    """A word processor keeps numbers and short words with what follows."""
    pattern = rng.choice([r"(?<=\bI), |(?<=\bRef) ", r" (?=\d)", r"(?<=\b\w) ", r" (?=[?!:;])"])
    return re.sub(pattern, lambda found: found[0].replace(" ", "\u00a0"), text)


def hyphenated(_rng: Random, text: str) -> str:
    """Typesetting breaks long words with a hyphen that is copied, too."""
    lines = []
    for line in textwrap.wrap(text, 72, break_long_words=False):
        lines += [line[at : at + 71] for at in range(0, len(line), 71)]
    return "-\n".join(lines) if len(lines) > 1 else text


def typewriter(_rng: Random, text: str) -> str:
    """Letters of another alphabet that look like these, as in signatures of chat programs."""
    table = {ord(each): 0x1D670 + at for at, each in enumerate(string.ascii_uppercase)}
    table |= {ord(each): 0x1D68A + at for at, each in enumerate(string.ascii_lowercase)}
    return text.translate(table)


# Mail and chat


def mail_part(rng: Random, text: str) -> str:
    message = EmailMessage()
    message.set_content(text, cte=rng.choice(["quoted-printable", "base64", "7bit"]))
    return str(message.get_payload())


def forwarded(_rng: Random, text: str) -> str:
    lines = textwrap.wrap(text, 72)
    return "> " + "\n> ".join(lines) + "\n"


def quoted_twice(_rng: Random, text: str) -> str:
    return "\n".join(">> " + line for line in textwrap.wrap(text, 70))


def chat_export(rng: Random, text: str) -> str:
    day = f"{rng.randrange(1, 29):02}/11/2026"
    return f"[{day}, {rng.randrange(24):02}:{rng.randrange(60):02}] Bank: {text}"


def marked_up(rng: Random, text: str) -> str:
    return rng.choice(["```{}```", "`{}`", "*{}*", "||{}||", "> {}", "**{}**"]).format(text)


def labelled(rng: Random, text: str) -> str:
    return rng.choice(
        ["Message: {}", "message: {}", "Sign this: {}", "Text to sign: {}", "Text: {}",
         "Please sign this message:\n{}", "Code: {}", "Message to sign:\n\n{}", "1) {}"]
    ).format(text)  # fmt: skip


def opened_and_closed(rng: Random, text: str) -> str:
    return rng.choice(
        [
            "\u201c{}\u201d",
            '"{}"',
            "'{}'",
            "<{}>",
            "({})",
            "[{}]",
            "\u00ab{}\u00bb",
            '"{}".',
            "\u201e{}\u201c",
        ]
    ).format(text)


# Languages, formats and requests


def json_value(rng: Random, text: str) -> str:
    key = rng.choice(["message", "message", "messageToSign", "challenge", "content", "text"])
    indent = rng.choice([None, None, 2])
    return json.dumps({key: text}, indent=indent)


def request(rng: Random, text: str) -> str:
    return json.dumps([rng.choice([text, "0x" + text.encode().hex()])])


def assignment(rng: Random, text: str) -> str:
    literal = json.dumps(text)
    return rng.choice(
        ["message = {}", "const message = {};", "MESSAGE={}", "var text = {};",
         "String message = {};", "message: {},", "print({})", "sign({})", "f{}"]
    ).format(literal)  # fmt: skip


def printed(_rng: Random, text: str) -> str:
    return pprint.pformat(text)


def settings(_rng: Random, text: str) -> str:
    parser, file = configparser.RawConfigParser(), io.StringIO()
    parser["sign"] = {"message": text}
    parser.write(file)
    return file.getvalue()


def property_list(_rng: Random, text: str) -> str:
    return plistlib.dumps({"message": text}).decode()


def remote_call(_rng: Random, text: str) -> str:
    return xmlrpc.client.dumps((text,), "sign")


def query(rng: Random, text: str) -> str:
    return rng.choice([urlencode({"text": text}), quote(text), f"?message={quote(text, safe='')}"])


def in_base64(rng: Random, text: str) -> str:
    return _run(text + rng.choice(["", "\n"]), "base64", *rng.choice([(), ("-w0",)]))


def in_base32(_rng: Random, text: str) -> str:
    return _run(text, "base32", "-w0")


def in_hexadecimal(rng: Random, text: str) -> str:
    digits = (text + rng.choice(["", "", "\n"])).encode().hex()
    return rng.choice(["0x{}", "{}", "0x{}\n", "hex:{}"]).format(digits)


def dumped(_rng: Random, text: str) -> str:
    return _run(text, "od", "-An", "-tx1")


def token(_rng: Random, text: str) -> str:
    return base64.urlsafe_b64encode(json.dumps({"msg": text}).encode()).decode().rstrip("=")


def other_encoding(rng: Random, text: str) -> bytes:
    return text.encode(
        rng.choice(["utf-7", "utf-16-le", "cp037", "utf-8-sig", "cp1252"]), "replace"
    )


def decomposed(rng: Random, text: str) -> str:
    return unicodedata.normalize(rng.choice(["NFD", "NFKD", "NFC"]), text)


# What people miss, add and type


def ends_missed(rng: Random, text: str) -> str:
    """A selection begins or ends a few characters from where it should."""
    first, last = rng.choice([(0, 1), (0, 2), (1, 0), (2, 0), (0, 5), (3, 0), (1, 1), (0, 9)])
    return text[first : len(text) - last]


def some_lines(rng: Random, text: str) -> str:
    """Lines of a window, of which the last or the first wasn't selected."""
    lines = textwrap.wrap(text, rng.choice([40, 50, 60, 72, 80, 90]))
    return "\n".join(lines[:-1] if rng.random() < 0.6 else lines[1:])


def one_key(rng: Random, text: str) -> str:
    """A key that was pressed once more, or a letter next to the right one."""
    at = rng.randrange(len(text))
    beside = {"a": "s", "e": "r", "o": "p", "n": "m", "t": "z", "i": "o", "s": "d"}
    added = rng.choice([" ", text[at], beside.get(text[at], ""), ",", "\n"])
    return text[:at] + added + text[at + rng.randrange(2) :]


def spelled_in_groups(rng: Random, text: str) -> str:
    """As it's read out on the phone: the reference in groups."""
    size = rng.choice([3, 4, 5])
    head, _, tail = text.rpartition("-")
    if not head:
        head, _, tail = text.rpartition("CHG_")
    return f"{head} {' '.join(textwrap.wrap(tail[:22], size))}".strip()


def only_words(_rng: Random, text: str) -> str:
    return re.sub(r"[^\w ]", "", text)


def only_the_reference(rng: Random, text: str) -> str:
    found = re.search(r"CHG_(\w+)|-(\w+)\Z", text)
    reference = next(each for each in found.groups() if each) if found else text
    return rng.choice(["{}", "CHG_{}", "Ref {}", "Reference: {}", "#{}", "CHG-{}"]).format(
        reference
    )


def read_aloud(_rng: Random, text: str) -> str:
    """Dictation writes small letters without signs."""
    return re.sub(r"[^\w ]+", " ", text.lower()).strip()


STEPS: dict[Step, int] = {
    folded: 3, formatted: 1, numbered: 1, all_shown: 1, page: 1, screen: 8, boxed: 1,
    here_string: 8, unquoted: 3, substituted: 1, shell_quotes: 1, posted: 1, notepad: 3,
    power_shell: 1, editor: 3, spreadsheet_row: 3, copied_cell: 3, smart_punctuation: 8,
    sentence_case: 3, two_spaces: 1, linked: 1, non_breaking: 3, hyphenated: 1, typewriter: 1,
    mail_part: 3, forwarded: 3, quoted_twice: 1, chat_export: 3, marked_up: 8, labelled: 8,
    opened_and_closed: 8, json_value: 8, request: 3, assignment: 3, printed: 1, settings: 1,
    property_list: 1, remote_call: 1, query: 3, in_base64: 3, in_base32: 1, in_hexadecimal: 8,
    dumped: 1, token: 1, other_encoding: 3, decomposed: 1, ends_missed: 8, some_lines: 3,
    one_key: 3, spelled_in_groups: 3, only_words: 1, only_the_reference: 8, read_aloud: 1,
}  # fmt: skip
FREE = frozenset({"chat_export"})
"""Steps that add what can't be known, such as the minute of a message."""


def journeys(rng: Random, text: str) -> Iterator[Journey]:
    """As `journeys.journeys`, of one or two of these steps."""
    while True:
        made: str | bytes = text
        taken: list[str] = []
        for step in rng.choices(list(STEPS), list(STEPS.values()), k=rng.choice([1, 1, 2])):
            if isinstance(made, bytes):
                break
            try:
                after = step(rng, made)
            except (IndexError, ValueError):
                continue
            if after != made:
                made = after
                taken.append(step.__name__)
        signed = made if isinstance(made, bytes) else made.encode()
        if len(signed.strip()) >= 8 and signed != text.encode():
            yield Journey(tuple(taken), signed, shown(rng, signed), not FREE & set(taken))
