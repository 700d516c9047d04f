"""Lists that are answered without click, the models and the engine: the same, or not at all."""

from contextlib import closing
from pathlib import Path

import pytest
from tests.cli.conftest import Teller
from tests.cli.program import python

from chainteller.cli import quick
from chainteller.sqlite import sqlite3

LIST = ("accounts", "list", "--json")


@pytest.fixture
def settled(bank: Path, teller: Teller) -> Path:
    """A bank in which nothing is due and the time is shared."""
    assert teller("deposit", "--yes", _account(bank), "1").code == 0
    assert teller(*LIST).code == 0
    change(bank, "DELETE FROM job")
    return bank


def _account(bank: Path) -> str:
    with closing(sqlite3.connect(bank)) as connection:
        query = "SELECT t.id FROM trading_account t JOIN customer c ON c.id = t.customer_id"
        found = connection.execute(f"{query} WHERE t.control IS NULL AND c.control IS NULL")
        return str(found.fetchone()[0])


def change(bank: Path, *statements: str) -> None:
    """Change rows as nobody may."""
    with closing(sqlite3.connect(bank)) as connection, connection:
        for name in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'"):
            connection.execute(f"DROP TRIGGER {name[0]}")
        for statement in statements:
            connection.execute(statement)


def quickly(capsys: pytest.CaptureFixture[str], *words: str) -> str | None:
    capsys.readouterr()
    return capsys.readouterr().out if quick.answer(words) else None


@pytest.mark.parametrize("more", [(), ("--limit", "1"), ("--limit=100", "--read-only")])
def test_the_answer_is_that_of_the_engine(
    settled: Path, teller: Teller, capsys: pytest.CaptureFixture[str], more: tuple[str, ...]
) -> None:
    hostile = 'Eve \x1b]0;x\x07 \u202e\u200b Ä \U0001d518 "\\ \x7f'
    rich = "SELECT code FROM ledger_account WHERE code LIKE 'customer:%:available' LIMIT 5"
    change(
        settled,
        "UPDATE customer SET name = '" + hostile + "', control = 'SELL_ONLY'",  # noqa: S608 - our own text
        "UPDATE trading_account SET control = 'FROZEN' WHERE rowid % 3 = 0",
        "UPDATE trading_account SET control = 'SELL_ONLY' WHERE rowid % 3 = 1",
        f"UPDATE ledger_account SET balance = '123456789012345678901' WHERE code IN ({rich})",  # noqa: S608 - as above
        "UPDATE trading_account SET created = created + rowid % 7",
    )
    around = [quickly(capsys, *LIST, *more)]
    usual = teller(*LIST, *more).out
    around.append(quickly(capsys, *LIST, *more))
    assert usual in around  # prices change on the minute
    assert usual.isprintable() or usual[:-1].isprintable()


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO job (kind, reference, run_at) VALUES ('fill', 'TXN_1', 1)",
        "UPDATE clock SET doubt = 'CLOCK_BEHIND'",
        "UPDATE clock SET boot = 'another'",
        "UPDATE log SET last_at = last_at + 600000000000",
        "UPDATE schema_revision SET version_num = '0001'",
        "DROP TABLE ledger_account",
        "DELETE FROM clock",
    ],
)
def test_the_engine_is_asked_where_more_has_to_be_done(
    settled: Path, capsys: pytest.CaptureFixture[str], statement: str
) -> None:
    assert quickly(capsys, *LIST) is not None
    change(settled, statement)
    assert quickly(capsys, *LIST) is None


@pytest.mark.parametrize(
    "words",
    [
        ("accounts", "list"),
        ("accounts", "list", "--json", "--limit", "0"),
        ("accounts", "list", "--json", "--limit", "101"),
        ("accounts", "list", "--json", "--limit", "٣"),
        ("accounts", "list", "--json", "--page", "2"),
        ("accounts", "list", "--json", "--url", "http://127.0.0.1:9"),
        ("accounts", "list", "--json", "--profile", "nobody"),
        ("accounts", "list", "--json", "--database", "postgresql://127.0.0.1:9/x"),
        ("accounts", "list", "--json", "--database", "sqlite:////nowhere/bank.db"),
        ("accounts", "list", "--json", "--text", "x"),
        ("accounts", "list", "--json", "--limit"),
        ("accounts", "list", "--json", "TDA_1"),
    ],
)
def test_other_command_lines_are_left_to_click(
    settled: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    assert settled.exists()
    assert quickly(capsys, *words) is None


def test_a_setting_that_changes_prices_or_warns_is_left_to_the_engine(
    settled: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert settled.exists()
    monkeypatch.setenv("CHAINTELLER_NONSENSE", "1")
    assert quickly(capsys, *LIST) is None
    monkeypatch.delenv("CHAINTELLER_NONSENSE")
    monkeypatch.setenv("CHAINTELLER_ENGINE_PRICE_FEED", "replay:/nowhere.csv")
    assert quickly(capsys, *LIST) is None


def test_it_loads_neither_models_nor_database_library_nor_click(settled: Path) -> None:
    assert settled.exists()
    ended = python(
        "from chainteller.__main__ import main\n"
        f"main({list(LIST)!r})\nimport sys\nprint(*sorted(sys.modules))"
    )
    body, modules = ended.out.splitlines()
    assert body.startswith('{"data":[{"id":"TDA_')
    assert not set(modules.split()) & {
        *("click", "pydantic", "sqlalchemy", "sqlmodel", "textual", "rich", "httpx", "asyncio"),
        *("chainteller.service.models.base", "chainteller.service.operations"),
    }
