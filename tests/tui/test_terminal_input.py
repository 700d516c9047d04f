"""A paste presses no key, whatever it holds and however it is cut on its way."""

import pytest
from tests.tui.hostile_service import HOSTILE
from textual import events

from chainteller.tui.textual_fixes.terminal_input import PasteSafeParser

TEXTS = (*HOSTILE, "\x1bd100\r", "\x1bX y", "\x1b[5~", "\x1b[A", "\x1b[<0;3;3M", "\x1b", "x\x03y")


def _read(*parts: str) -> list[tuple[str, str]]:
    parser = PasteSafeParser()
    found = []
    for part in parts:
        for event in parser.feed(part):
            if isinstance(event, events.Paste):
                found.append(("paste", event.text))
            else:
                found.append(("key", event.key if isinstance(event, events.Key) else str(event)))
    return found


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_a_paste_is_one_text(text: str) -> None:
    written = f"a\x1b[200~{text}\x1b[201~b"
    whole = _read(written)
    assert [kind for kind, _ in whole] == ["key", "paste", "key"]
    assert whole[0] == ("key", "a")
    assert whole[2] == ("key", "b")
    assert not {*whole[1][1]} & {*"\x00\x03\x07\x08\x1b"}


@pytest.mark.parametrize("cut", [2, 3, *range(5, 20)])
def test_a_paste_that_comes_in_parts_is_one_text(cut: int) -> None:
    written = "\x1b[A\x1b[200~ab\x1bX\x1b[201~"
    found = _read(written[:cut], written[cut:])
    assert found == [("key", "up"), ("paste", "abX")]


def test_keys_that_begin_like_a_paste_are_keys() -> None:
    assert _read("\x1b[20~") == [("key", "f9")]
    assert _read("\x1b[20", "~") == [("key", "f9")]
