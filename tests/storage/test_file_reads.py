"""Statements that are compiled before they are used."""

from tests.storage import statements

from chainteller.storage.queries.file_reads import STATEMENTS


def test_the_statements_are_those_of_the_other_modules() -> None:
    assert STATEMENTS.read_text(encoding="utf-8") == statements.text(), (
        "write them: python -m tests.storage.statements"
    )
