"""Whatever a deployment calls its customers: nothing on stdout or stderr is obeyed."""

import json
import shlex
import unicodedata
from pathlib import Path

import pytest
from tests.cli.program import chainteller
from tests.tui.hostile_service import HOSTILE

from chainteller.cli import output
from chainteller.cli.error_output import say
from chainteller.sqlite import sqlite3

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


def test_a_desk_line_by_line_shows_hostile_customers_and_obeys_none(bank: Path) -> None:
    with sqlite3.connect(bank) as connection:
        accounts = connection.execute(
            "SELECT t.id, c.id FROM trading_account t JOIN bank_account b ON b.id = "
            "t.bank_account_id JOIN customer c ON c.id = b.customer_id LIMIT ?",
            [len(HOSTILE)],
        ).fetchall()
        storable = [text.encode("utf-8", "replace").decode() for text in HOSTILE]
        for (_, customer), name in zip(accounts, storable, strict=True):
            connection.execute("UPDATE customer SET name = ? WHERE id = ?", [name, customer])
    given = ["accounts list --limit 100", "customers find DDA-1"]
    for (account, _), text in zip(accounts, storable, strict=True):
        noted = shlex.quote(text.replace("\n", " ").replace("\r", " ").replace("\0", ""))
        given += [f"accounts show {account}", f"note {account} {noted}", f"handover {account}"]
    ended = chainteller("desk", "--plain", given="\n".join(given))
    assert _obeyed(ended.out + ended.err) == set()
    assert ended.out.count("TDA_") > 2 * len(HOSTILE)
    assert "\ufffd]52;c;ZXZpbA==" in ended.out
    assert "[@click=app.quit]ACME[/]" in ended.out
