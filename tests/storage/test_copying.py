"""A bank moves between SQLite and PostgreSQL with every row, every hash and every balance."""

import json
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import insert, select, text
from tests.world.bank import World, build, sqlite_url
from tests.world.files import KEYS

from chainteller.cli.main import run
from chainteller.domain.actors import Actor
from chainteller.engine.verification.full_pass import verify, verify_chain
from chainteller.service.errors import ServiceUnavailable
from chainteller.service.models.accounts import OpenTradingAccount
from chainteller.service.models.funding import Currency, DepositRequest
from chainteller.service.models.quotes import ExecuteRequest, QuoteRequest
from chainteller.storage.database import Database, connect, open_database
from chainteller.storage.revision import State
from chainteller.storage.schema import ddl
from chainteller.storage.schema.wallet_tables import Tables, declared
from chainteller.storage.upkeep.copying import copy

TOKEN = Currency(type="deposit-token-currency", id="DPT_USD")


@pytest.fixture
def sampled(home: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """The URL of a SQLite file with the sample data."""
    assert run(["db", "sample", "--json"]) == 0
    capsys.readouterr()
    return f"sqlite:///{home / 'data' / 'bank.db'}"


def contents(database: Database) -> dict[str, list[tuple[Any, ...]]]:
    with database.read(patient=True) as connection:
        return {
            each.name: sorted((tuple(row) for row in connection.execute(select(each))), key=repr)
            for each in declared()
        }


def test_db_copy_moves_a_bank_to_postgresql_and_back(
    postgres_url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    world = build(sqlite_url(tmp_path))
    traded(world)
    world.engine.close()
    (tmp_path / "back").mkdir()
    there_and_back(sqlite_url(tmp_path), postgres_url, tmp_path / "back", capsys)


@pytest.mark.slow
def test_db_copy_moves_the_sample_bank_to_postgresql_and_back(
    sampled: str, postgres_url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    there_and_back(sampled, postgres_url, tmp_path, capsys)


def there_and_back(
    sampled: str, postgres_url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    back = sqlite_url(tmp_path)
    said = []
    for source, target in ((sampled, postgres_url), (postgres_url, back)):
        assert run(["db", "copy", target, "--database", source, "--json"]) == 0
        said.append(json.loads(capsys.readouterr().out))
    databases = [open_database(url, KEYS) for url in (sampled, postgres_url, back)]
    first, middle, last = (contents(each) for each in databases)
    assert first == middle == last
    assert len({verify_chain(each).head for each in databases}) == 1
    assert said[0]["head"] == said[1]["head"] == verify_chain(databases[0]).head
    assert [each["rows"] for each in said] == [sum(len(rows) for rows in first.values())] * 2
    for each in databases:
        assert verify(each) == ()
        each.close()


def test_a_copied_bank_goes_on_where_it_stood(tmp_path: Path, postgres_url: str) -> None:
    before = build(sqlite_url(tmp_path))
    trade_id, account_id = traded(before)
    copy(before.context.database, postgres_url)
    after = build(postgres_url)
    assert after.engine.trade(account_id, trade_id).status == "processing"
    after.advance(60)
    after.advance(60)
    assert after.engine.trade(account_id, trade_id).status == "settled"
    assert after.engine.deposit(
        account_id, DepositRequest(amount="5000.00", currency=TOKEN), idempotency_key="funding"
    ).replayed
    assert verify(after.context.database) == ()
    for each in (before, after):
        each.engine.close()


def traded(world: World) -> tuple[str, str]:
    engine = world.engine
    opening = OpenTradingAccount(bank_account_id="DDA-1", bank_account_type="checking")
    account = engine.open_trading_account(opening).value
    funding = DepositRequest(amount="5000.00", currency=TOKEN)
    engine.deposit(account.id, funding, idempotency_key="funding")
    quote = engine.create_quote("sol-usd", QuoteRequest(amount="100.00", side="buy")).value
    request = ExecuteRequest(trading_account_id=account.id)
    return engine.execute_quote(quote.id, request).value.id, account.id


def test_refuses_a_target_that_holds_anything(tmp_path: Path, postgres_url: str) -> None:
    world = build(sqlite_url(tmp_path))
    build(postgres_url).engine.close()
    with pytest.raises(ServiceUnavailable) as refused:
        copy(world.context.database, postgres_url)
    assert refused.value.details["reason"] == "TARGET_NOT_EMPTY"
    with pytest.raises(ServiceUnavailable) as itself:
        copy(world.context.database, f"sqlite:///{tmp_path / 'bank.db'}")
    assert itself.value.details["reason"] in ("TARGET_NOT_EMPTY", "STORAGE_LOCKED")
    world.engine.close()


def test_takes_a_target_that_has_nothing_but_its_schema(tmp_path: Path, postgres_url: str) -> None:
    world = build(sqlite_url(tmp_path))
    open_database(postgres_url, KEYS).close()
    assert copy(world.context.database, postgres_url).rows > 40
    world.engine.close()


def test_a_copy_that_fails_midway_leaves_nothing(tmp_path: Path, postgres_url: str) -> None:
    world = build(sqlite_url(tmp_path))
    too_long = {"organisation_id": "default", "number": 1_000_000, "at": 0, "object": ""}
    with world.context.database.write() as connection:
        connection.execute(
            insert(Tables.entry).values(**too_long, action="x" * 100, leaf=b"", mark=b"")
        )
        connection.commit()
    with pytest.raises(ServiceUnavailable):
        copy(world.context.database, postgres_url)
    target = connect(postgres_url)
    with target.read() as connection:
        assert ddl.state(connection) is State.NEW
    target.close()
    world.engine.close()


def test_another_program_s_database_is_foreign(postgres_url: str) -> None:
    other = connect(postgres_url)
    with other.write() as connection:
        connection.execute(text("CREATE TABLE alembic_version (version_num VARCHAR(32))"))
        connection.execute(text("INSERT INTO alembic_version VALUES ('1a2b3c')"))
        connection.commit()
    other.close()
    with pytest.raises(ServiceUnavailable) as refused:
        open_database(postgres_url, KEYS)
    assert refused.value.details["reason"] == "FOREIGN_DATABASE"


def test_a_long_operator_name_fits_the_audit_trail(postgres_url: str) -> None:
    world = build(postgres_url)
    named = world.engine.acting_as(Actor("default", "an operator's name " * 20))
    opening = OpenTradingAccount(bank_account_id="DDA-1", bank_account_type="checking")
    named.open_trading_account(opening)
    assert named.audit().data[0].actor.startswith("an operator's name")
    world.engine.close()
