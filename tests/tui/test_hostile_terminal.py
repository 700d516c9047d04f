"""A deployment made of hostile text, on a real terminal: nothing of it is obeyed."""

import os
import re
import sys
import unicodedata
from pathlib import Path

import pexpect
import pytest
from tests.tui.hostile_service import HOSTILE

REPOSITORY = Path(__file__).parents[2]
OWN = re.compile(
    r"\x1b(?:\[[0-9;:?<>=]*[ $]?[A-Za-z]|[=>]|P[^\x1b]*\x1b\\"
    r"|\](?:22;default|2;chainteller[ ()!*\d]*)\x07)"
)
"""What Textual itself writes: CSI sequences, keypad modes, a query, the pointer, our title."""
WALK = (
    "1", "r", "j", "j", "\r", "t", "\x1b", "a", "\x1b", "o", "b", "5", "\r", "\x1b", "2", "j", "r",
    "t", "\x1b", "4", "0", "r", "\r", "t", "\x1b", "a", "\x1b", "5", "0", "r", "\r", "\x1b", "\x1b",
    "!", "\x1b", "?", "\x1b", "1", "w", "99999999", "\r", "\x1b", ":", "ACME", "\x1b", "+", "a",
    "\x1b", "\x1b",
)  # fmt: skip


def _walk(folder: Path, rounds: int) -> tuple[int | None, str, list[str]]:
    environment = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": f"{REPOSITORY / 'src'}:{REPOSITORY}",
        "TERM": "xterm-256color",
        "CHAINTELLER_HOME": str(folder),
    }
    child = pexpect.spawn(
        sys.executable,
        ["-m", "tests.tui.hostile_service", str(folder)],
        env=environment,
        cwd=str(REPOSITORY),
        dimensions=(40, 120),
        timeout=30,
    )
    child.expect("ACCOUNTS")
    output = [child.before, child.after]
    for _ in range(rounds):
        for keys in WALK:
            if child.isalive():
                child.send(keys)
            output.append(_read(child))
    if child.isalive():
        child.send("\x11")
        child.read()
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


def _obeyed(output: str) -> set[str]:
    """Every character left that a terminal would act on, after Textual's own sequences."""
    rest = OWN.sub("", output)
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
    status, output, pairs = _walk(tmp_path, rounds)
    assert status == 0, output[-2000:]
    assert _obeyed(output) == set()
    shown, fields, _ = map(int, pairs[0].split())
    assert fields > 20
    assert shown > 100 * rounds
