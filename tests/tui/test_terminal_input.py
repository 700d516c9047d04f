"""What a terminal sends is read as keys, reports and pastes, however it is cut on its way."""

import string
from collections.abc import Callable, Iterator

import pytest
from tests.tui.hostile_service import HOSTILE
from textual import events

from chainteller.tui.textual_fixes import terminal_input
from chainteller.tui.textual_fixes.terminal_input import COMPLETED_WITHIN_S, TerminalParser

TEXTS = (*HOSTILE, "\x1bd100\r", "\x1bX y", "\x1b[5~", "\x1b[A", "\x1b[<0;3;3M", "\x1b", "x\x03y")
Pause = Callable[[], None]
KEYS = {
    "\x1b[A": ["up"],
    "\x1bOA": ["up"],
    "\x1bOP": ["f1"],
    "\x1b[15~": ["f5"],
    "\x1b[1;5C": ["ctrl+right"],
    "\x1b[Z": ["shift+tab"],
    "\x1b[27u": ["escape"],
    "\x1b[98;3u": ["alt+b"],
    "\x1b[?2026;2$y": ["TerminalSupportsSynchronizedOutput"],
    "\x1b[I": ["AppFocus"],
    "\x1b[<0;3;3M": ["MouseDown"],
    "\x1b[12;40R": ["CursorPosition"],
    "\x1b[?1;2c": [],
    "\x1b]11;rgb:0000/0000/0000\x1b\\": [],
    "\x1b]11;rgb:ffff/ffff/ffff\x07": [],
    "\x1bP1$r0 q\x1b\\": [],
    "\x1b_Gi=1;OK\x1b\\": [],
}
"""Sequences of the protocol with what they mean; answers to queries mean nothing here."""


@pytest.fixture
def pause(monkeypatch: pytest.MonkeyPatch) -> Pause:
    """Let the time pass in which a sequence has to be completed."""
    now = [0.0]

    def advance() -> None:
        now[0] += COMPLETED_WITHIN_S

    monkeypatch.setattr(terminal_input, "monotonic", lambda: now[0])
    return advance


def _told(message: object) -> tuple[str, str]:
    if isinstance(message, events.Paste):
        return "paste", message.text
    return "key", message.key if isinstance(message, events.Key) else type(message).__name__


def _messages(parser: TerminalParser, *parts: str) -> Iterator[tuple[str, str]]:
    for part in parts:
        yield from map(_told, parser.feed(part))


def _read(*parts: str) -> list[tuple[str, str]]:
    return [*_messages(TerminalParser(), *parts)]


def _keys(*parts: str, pause: Pause) -> list[str]:
    """The keys and reports of what comes in parts, and then nothing more."""
    parser = TerminalParser()
    found = [*_messages(parser, *parts)]
    pause()
    return [told for _, told in (*found, *map(_told, parser.tick()))]


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_a_paste_is_one_text(text: str) -> None:
    written = f"a\x1b[200~{text}\x1b[201~b"
    whole = _read(written)
    assert [kind for kind, _ in whole] == ["key", "paste", "key"]
    assert whole[0] == ("key", "a")
    assert whole[2] == ("key", "b")
    assert not {*whole[1][1]} & {*"\x00\x03\x07\x08\x1b"}


def test_a_paste_that_comes_in_parts_is_one_text() -> None:
    written = "\x1b[A\x1b[200~ab\x1bX\x1b[201~"
    for cut in range(1, len(written)):
        found = _read(written[:cut], written[cut:])
        assert found == [("key", "up"), ("paste", "abX")], cut
    assert _read(*written) == [("key", "up"), ("paste", "abX")]


@pytest.mark.parametrize("cut", range(2, 6))
def test_a_paste_whose_mark_is_cut_by_a_slow_line_types_nothing_of_it(
    cut: int, pause: Pause
) -> None:
    parser = TerminalParser()
    begun = [*_messages(parser, "\x1b[200~"[:cut])]
    pause()
    begun += map(_told, parser.tick())
    assert begun[0] == ("key", "escape")
    rest = [*_messages(parser, "\x1b[200~"[cut:] + "d100\r\x1b[201~x")]
    assert rest == [("paste", "d100\r"), ("key", "x")]


@pytest.mark.parametrize("sequence", KEYS)
def test_a_complete_sequence_is_one_key_or_report_however_it_is_split(
    sequence: str, pause: Pause
) -> None:
    expected = ["x", *KEYS[sequence], "enter"]
    for cut in range(len(sequence) + 1):
        parts = "x" + sequence[:cut], sequence[cut:] + "\r"
        assert _keys(*filter(None, parts), pause=pause) == expected, cut
    assert _keys("x", *sequence, "\r", pause=pause) == expected


def _name(character: str) -> str:
    (key,) = _keys(character, pause=lambda: None)
    return key


@pytest.mark.parametrize("then", [*string.printable.replace("\x0b", "").replace("\x0c", ""), "é"])
def test_escape_and_a_key_in_one_read_are_both_keys(then: str, pause: Pause) -> None:
    expected = ["escape", _name(then)]
    assert _keys(f"\x1b{then}", pause=pause) == expected
    assert _keys(f"\x1b{then}\r", pause=pause) == [*expected, "enter"]
    assert _keys(f"\x1b\x1b{then}\r", pause=pause) == ["escape", *expected, "enter"]
    assert _keys(f"\x1b{then}", "\r", pause=pause) == [*expected, "enter"]


@pytest.mark.parametrize("introducer", "[OPX]^_")
def test_an_introducer_that_is_not_completed_in_time_is_escape_and_its_characters(
    introducer: str, pause: Pause
) -> None:
    parser = TerminalParser()
    assert [*_messages(parser, f"\x1b{introducer}")] == []
    assert [*parser.tick()] == []
    pause()
    assert [told for _, told in map(_told, parser.tick())] == ["escape", _name(introducer)]
    assert [*_messages(parser, "A\r")] == [("key", "A"), ("key", "enter")]
    late = TerminalParser()
    assert [*_messages(late, f"\x1b{introducer}")] == []
    pause()
    assert [*_messages(late, "A")] == [
        ("key", "escape"), ("key", _name(introducer)), ("key", "A")
    ]  # fmt: skip


def test_a_lone_escape_is_a_key_once_nothing_follows(pause: Pause) -> None:
    parser = TerminalParser()
    assert [*_messages(parser, "\x1b")] == []
    pause()
    assert [told for _, told in map(_told, parser.tick())] == ["escape"]


def test_what_never_ends_is_not_held_for_ever(pause: Pause) -> None:
    found = _keys("\x1bP" + "y" * 5_000, pause=pause)
    assert found == ["escape", "P", *["y"] * 5_000]


def test_keys_that_begin_like_a_paste_are_keys() -> None:
    assert _read("\x1b[20~") == [("key", "f9")]
    assert _read("\x1b[20", "~") == [("key", "f9")]
