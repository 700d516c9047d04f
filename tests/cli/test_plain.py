"""The desk line by line."""

from pathlib import Path

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
    assert "demo opens a program of its own" in ended.err


def test_the_end_of_the_input_ends_it(bank: Path) -> None:
    ended = chainteller("desk", "--plain", "--read-only", given="deposit TDA_1 5\n")
    assert ended.code == 1
    assert "READ_ONLY" in ended.err


def test_the_place_holds_for_every_line(tmp_path: Path) -> None:
    ended = chainteller(
        "--database", f"sqlite:///{tmp_path / 'own.db'}", "desk", "--plain", given="info\n"
    )
    assert ended.code == 0
    assert f"embedded sqlite:///{tmp_path / 'own.db'} (--database)" in ended.out
