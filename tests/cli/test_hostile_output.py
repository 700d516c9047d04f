"""Whatever a deployment calls its customers: nothing on stdout or stderr is obeyed."""

import json
import unicodedata

import pytest
from tests.tui.hostile_service import HOSTILE

from chainteller.cli import output
from chainteller.cli.complaints import say

OBEYED = {"Cc", "Cf", "Zl", "Zp", "Cs"}


def _obeyed(text: str) -> set[str]:
    return {one for one in text if unicodedata.category(one) in OBEYED and one != "\n"}


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_lines_tables_and_complaints_are_harmless(
    text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    output.line(text)
    output.pairs([("name", text), (text, 1)])
    output.table([text], [("NAME", str), ("AMOUNT>", str)])
    say(text)
    seen = capsys.readouterr()
    assert _obeyed(seen.out + seen.err) == set()


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_json_is_harmless_and_says_the_same(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    output.document({"name": text, "rows": [text]})
    seen = capsys.readouterr().out
    assert _obeyed(seen) == set()
    assert json.loads(seen) == {"name": text, "rows": [text]}
