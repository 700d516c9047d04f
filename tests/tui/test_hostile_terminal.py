"""A deployment made of hostile text, on a real terminal: nothing of it is obeyed."""

import os
import re
import sys
import unicodedata
from base64 import b64decode
from collections.abc import Iterable, Sequence
from itertools import cycle, product
from pathlib import Path

import pexpect
import pytest
from tests.tui.hostile_service import HOSTILE
from tests.world.waiting import PATIENCE_S

pytestmark = pytest.mark.thorough

REPOSITORY = Path(__file__).parents[2]
OWN = re.compile(
    r"\x1b(?:\[[0-9;:?<>=]*[ $]?[A-Za-z]|[=>]|P[^\x1b]*\x1b\\"
    r"|\](?:22;default|2;chainteller[ ()!*\d]*)\x07)"
)
"""What Textual itself writes: CSI sequences, keypad modes, a query, the pointer, our title."""
COPIED = re.compile(r"\x1b\]52;c;([A-Za-z0-9+/=]+)\x07")
WALK = (
    "1", "r", "j", "j", "\r", "t", "\x1b", "a", "\x1b", "o", "b", "5", "\r", "\x1b", "2", "j", "r",
    "t", "\x1b", "4", "0", "r", "\r", "t", "\x1b", "a", "\x1b", "5", "0", "r", "\r", "\x1b", "\x1b",
    "!", "\x1b", "?", "\x1b", "1", "w", "99999999", "\r", "\x1b", ":", "ACME", "\x1b", "+", "a",
    "\x1b", "\x1b",
)  # fmt: skip
FIELDS = {
    "nothing": "1", "accounts": "1/", "deposit": "1d", "withdrawal": "1w", "customer": "1+",
    "note": "1n", "case": "1#",
    "palette": "1:", "keys": "1?", "amount": "1b", "trades": "4/", "wallets": "5/",
    "address": "5+", "signature": "5v",
}  # fmt: skip
"""The keys that open each field."""


def _spawn(folder: Path) -> pexpect.spawn:
    environment = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": f"{REPOSITORY / 'src'}:{REPOSITORY}",
        "TERM": "xterm-256color",
        "CHAINTELLER_HOME": str(folder),
    }
    return pexpect.spawn(
        sys.executable,
        ["-m", "tests.tui.hostile_service", str(folder)],
        env=environment,
        cwd=str(REPOSITORY),
        dimensions=(40, 120),
        timeout=PATIENCE_S,
    )


def _walk(folder: Path, keys: Iterable[str | bytes]) -> tuple[int | None, str, list[str]]:
    child = _spawn(folder)
    child.expect("ACCOUNTS")
    # What was read past the word is in the buffer, which ``read_nonblocking`` leaves alone.
    output, child.buffer = [child.before, child.after, child.buffer], b""
    for each in keys:
        if child.isalive():
            child.send(each)
        output.append(_read(child))
    if child.isalive():
        child.send("\x11")
    while child.isalive() or output[-1]:
        output.append(_read(child))
    child.wait()
    pairs = (folder / "pairs.txt").read_text().splitlines() if child.exitstatus == 0 else []
    return child.exitstatus, b"".join(output).decode(), pairs


def _read(child: pexpect.spawn) -> bytes:
    found = b""
    while True:
        try:
            found += child.read_nonblocking(65536, timeout=0.06)
        except (pexpect.TIMEOUT, pexpect.EOF):
            return found


def _copied(found: re.Match[str]) -> str:
    """Nothing, where the console itself copied a text; what a deployment sent stays."""
    text = b64decode(found[1]).decode()
    return found[0] if text == "evil" or _obeyed(text) else ""


def _obeyed(output: str) -> set[str]:
    """Every character left that a terminal would act on, after the console's own sequences."""
    rest = OWN.sub("", COPIED.sub(_copied, output))
    return {
        f"U+{ord(character):04X}"
        for character in rest
        if unicodedata.category(character) in {"Cc", "Cf", "Zl", "Zp", "Cs"}
        and character not in "\r\n"
    }


@pytest.mark.parametrize(
    "rounds", [2, pytest.param(30, marks=pytest.mark.slow)], ids=["quick", "long"]
)
def test_nothing_of_a_hostile_deployment_is_obeyed_by_the_terminal(
    tmp_path: Path, rounds: int
) -> None:
    assert len(HOSTILE) >= 30
    status, output, pairs = _walk(tmp_path, WALK * rounds)
    assert status == 0, output[-2000:]
    assert "Traceback" not in output
    assert _obeyed(output) == set()
    shown, fields, _ = map(int, pairs[0].split())
    assert fields > 20
    every = fields * len(HOSTILE)
    assert shown > (0.8 * every if rounds > 2 else 100 * rounds), "strings in fields were shown"


def _pasted(text: str) -> bytes:
    """As a terminal hands a paste on: in brackets, in UTF-8; a long one ends within a letter."""
    inner = text.replace("\x1b[201~", "").encode("utf-8", "replace")
    return b"\x1b[200~" + inner[:4_000] + b"\x1b[201~"


SPREAD = list(zip(HOSTILE[::2], cycle(FIELDS.values()), strict=False))
"""Every second text, each in the next field; all texts in all fields are slow."""


@pytest.mark.parametrize(
    "pairs",
    [SPREAD, pytest.param([*product(HOSTILE, FIELDS.values())], marks=pytest.mark.slow)],
    ids=["quick", "all"],
)
def test_nothing_pasted_into_any_field_is_obeyed_by_the_terminal(
    tmp_path: Path, pairs: Sequence[tuple[str, str]]
) -> None:
    assert {opening for _, opening in pairs} == set(FIELDS.values())
    keys: list[str | bytes] = []
    for text, opening in pairs:
        keys += [*opening, _pasted(text), "\r", "\x1b", "\x1b", "\x1b"]
    status, output, _ = _walk(tmp_path, keys)
    assert status == 0, output[-2000:]
    assert "Traceback" not in output
    assert _obeyed(output) == set()
