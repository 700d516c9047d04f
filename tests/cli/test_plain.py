"""The desk line by line."""

from pathlib import Path

import pytest
from tests.cli.conftest import Teller
from tests.cli.program import chainteller


def test_commands_are_read_line_by_line_and_changes_told_once(bank: Path) -> None:
    lines = [
        "accounts open DDA-1001 --type checking",
        "help",
        "accounts open DDA-1001 --type checking",
        "'unclosed",
        "demo",
        "quit",
    ]
    ended = chainteller("desk", "--plain", given="\n".join(lines))
    assert ended.code == 2
    assert ended.out.startswith("embedded bank.db, read and write.")
    assert ended.out.count("trading_account.created") == 1
    assert "COMMAND --help explains" in ended.out
    assert "CONFLICT: " in ended.err
    assert "Close the quotation mark." in ended.err
    assert "demo opens its own program" in ended.err


def test_the_end_of_the_input_ends_it(bank: Path) -> None:
    ended = chainteller("desk", "--plain", "--read-only", given="deposit TDA_1 5\n")
    assert ended.code == 1
    assert "READ_ONLY" in ended.err


@pytest.mark.forms(1)
@pytest.mark.parametrize("errors", ["strict", "surrogateescape"])
def test_a_byte_that_is_no_text_ends_no_session(bank: Path, errors: str) -> None:
    ended = chainteller(
        "desk",
        "--plain",
        given=b"note sol-usd Gr\xfc\xdfe aus K\xf6ln\naccounts show TDA_\xff\nnote sol-usd\n",
        PYTHONIOENCODING=f"utf-8:{errors}",
    )
    assert ended.code == 0
    assert "CRASHED" not in ended.err
    assert ended.out.count("Gr\ufffd\ufffde aus K\ufffdln") == 2
    assert "NOT_FOUND" in ended.err


def test_a_text_that_is_not_utf_8_is_not_signed(home: Path) -> None:
    ended = chainteller("wallets", "sign", "--sample", "alice-ethereum", given=b"Sign \xff")
    assert ended.code == 2
    assert "The text on stdin is not UTF-8." in ended.err


def test_the_place_holds_for_every_line(tmp_path: Path) -> None:
    ended = chainteller(
        "--database", f"sqlite:///{tmp_path / 'own.db'}", "desk", "--plain", given="info\n"
    )
    assert ended.code == 0
    assert f"embedded sqlite:///{tmp_path / 'own.db'} (--database)" in ended.out


def test_notes_and_the_handover_note_work_line_by_line(
    bank: Path, teller: Teller, home: Path
) -> None:
    account = teller("accounts", "list", "--limit", "1", "--json").body["data"][0]["id"]
    lines = [
        f"note {account} wants to buy sol",
        f"note {account}",
        f"trade buy sol-usd --spend 25 --account {account} --fund --yes",
        f"handover {account}",
        "handover",
    ]
    ended = chainteller(
        "desk",
        "--plain",
        given="\n".join(lines),
        CHAINTELLER_ENGINE__FILL_DELAY_S="30",
    )
    assert ended.out.count("wants to buy sol") == 4
    assert "Notes:" in ended.out
    assert "In progress:" in ended.out
    assert "order to buy" in ended.out
    assert "Next: follow TXN_" in ended.out
    assert ended.out.count("HANDOVER") == 2
